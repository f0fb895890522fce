/**
 * The lower bound: a call written for one endpoint only. It checks neither the request nor the response, and has no
 * error types, timeouts or retries.
 */
import { createHmac, createSecretKey } from "node:crypto"
import { Pool } from "undici"
import type { Operations } from "../harness/operation.ts"
import { account, paths, wireOrder } from "./account.ts"
import { answers } from "./answers.ts"

const key = createSecretKey(account.apiSecret, "utf8")

let last = 0

/** Returns a nonce in microseconds, unique even when two processes take turns. */
const nonce = () => last = Math.max(last + 1, Date.now() * 1000)

export const sign = (payload: string): string => createHmac("sha512", key).update(payload).digest("hex")

export const signed = (path: string, fields: object) => {
  const body = JSON.stringify({ ...fields, request: path, nonce: nonce().toString() })
  const payload = Buffer.from(body).toString("base64")
  return {
    method: "POST",
    path,
    body,
    headers: {
      "content-type": "application/json",
      "x-txc-apikey": account.apiKey,
      "x-txc-payload": payload,
      "x-txc-signature": sign(payload)
    }
  } as const
}

export const operations = (baseUrl: string): Operations => {
  const pool = new Pool(baseUrl, { connections: 64 })
  const call = (path: string, fields: object) => async () => {
    const answer = await pool.request(signed(path, fields))
    if (answer.statusCode !== 200) throw new Error(`HTTP ${answer.statusCode}`)
    return JSON.parse(await answer.body.text())
  }
  const create = call(paths.stopLimit, wireOrder)
  const decode = (path: keyof typeof answers) => ({ now: () => JSON.parse(answers[path]) })
  return {
    order: { later: create },
    order64: { later: create, inFlight: 64 },
    balances: { later: call(paths.balances, {}) },
    fees: { later: call(paths.fees, {}) },
    ownWork: {
      later: async () => {
        signed(paths.stopLimit, wireOrder)
        return JSON.parse(answers[paths.stopLimit])
      }
    },
    decodeOrder: decode(paths.stopLimit),
    decodeBalances: decode(paths.balances),
    decodeFees: decode(paths.fees)
  }
}
