/**
 * The floor: what a call costs when it is written by hand for one endpoint. It checks neither the request nor the
 * answer, and knows no errors, timeouts or retries.
 */
import { createHmac, createSecretKey } from "node:crypto"
import { Pool } from "undici"
import { answers, type Path } from "./answers.ts"
import { account, type Operations, wireOrder } from "./operation.ts"

const key = createSecretKey(account.apiSecret, "utf8")

let nonce = Date.now() * 1000

const signed = (path: Path, fields: object) => {
  const body = JSON.stringify({ ...fields, request: path, nonce: (nonce++).toString() })
  const payload = Buffer.from(body).toString("base64")
  return {
    method: "POST",
    path,
    body,
    headers: {
      "content-type": "application/json",
      "x-txc-apikey": account.apiKey,
      "x-txc-payload": payload,
      "x-txc-signature": createHmac("sha512", key).update(payload).digest("hex")
    }
  } as const
}

const stopLimit = "/api/v4/order/stop_limit"
const balance = "/api/v4/main-account/balance"
const fee = "/api/v4/main-account/fee"

export const operations = (baseUrl: string): Operations => {
  const pool = new Pool(baseUrl, { connections: 64 })
  const call = (path: Path, fields: object) => async () => {
    const answer = await pool.request(signed(path, fields))
    if (answer.statusCode !== 200) throw new Error(`HTTP ${answer.statusCode}`)
    return JSON.parse(await answer.body.text())
  }
  const create = call(stopLimit, wireOrder)
  return {
    sign: { now: () => signed(stopLimit, wireOrder) },
    nullPath: {
      later: async () => {
        signed(stopLimit, wireOrder)
        return JSON.parse(answers[stopLimit])
      }
    },
    create: { later: create },
    create64: { later: create, inFlight: 64 },
    balances: { later: call(balance, {}) },
    fees: { later: call(fee, {}) },
    decodeOrder: { now: () => JSON.parse(answers[stopLimit]) },
    decodeBalances: { now: () => JSON.parse(answers[balance]) },
    decodeFees: { now: () => JSON.parse(answers[fee]) }
  }
}
