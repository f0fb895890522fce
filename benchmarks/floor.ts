/**
 * The floor: what a call costs when it is written by hand for one endpoint. It checks neither the request nor the
 * answer, and knows no errors, timeouts or retries.
 */
import { createHmac, createSecretKey } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Pool } from "undici"
import { answers, type Path } from "./answers.ts"
import { FloorBook } from "./book.ts"
import { account, book, command, type Operations, wireOrder } from "./operation.ts"

const key = createSecretKey(account.apiSecret, "utf8")

let nonce = Date.now() * 1000

export const signed = (path: Path, fields: object) => {
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

export const stopLimit = "/api/v4/order/stop_limit"
const balance = "/api/v4/main-account/balance"
const fee = "/api/v4/main-account/fee"

/** Rows in transactions of an embedded database, as durable as the journal's and with nothing around them. */
const commit = (group: number) => {
  const folder = mkdtempSync(join(tmpdir(), "effect-txc-floor-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  const database = new DatabaseSync(join(folder, "floor.sqlite"))
  database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  database.exec("CREATE TABLE journal (sequence INTEGER PRIMARY KEY, command TEXT NOT NULL)")
  const insert = database.prepare("INSERT INTO journal (command) VALUES (?)")
  return {
    later: async () => {
      database.exec("BEGIN IMMEDIATE")
      for (let index = 0; index < group; index++) insert.run(JSON.stringify(command))
      database.exec("COMMIT")
    }
  }
}

/** What an exchange can't do without: to see whether the signature is right, and to read the body. */
const verify = (path: Path, fields: object) => async () => {
  const { body, headers } = signed(path, fields)
  const payload = Buffer.from(body).toString("base64")
  if (createHmac("sha512", key).update(payload).digest("hex") !== headers["x-txc-signature"]) throw new Error("wrong")
  return JSON.parse(body)
}

export const operations = (baseUrl: string): Operations => {
  const pool = new Pool(baseUrl, { connections: 64 })
  const call = (path: Path, fields: object) => async () => {
    const answer = await pool.request(signed(path, fields))
    if (answer.statusCode !== 200) throw new Error(`HTTP ${answer.statusCode}`)
    return JSON.parse(await answer.body.text())
  }
  const create = call(stopLimit, wireOrder)
  const adding = new FloorBook()
  const crossing = new FloorBook()
  let index = 0
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
    decodeFees: { now: () => JSON.parse(answers[fee]) },
    placeAndCancel: {
      now: () => {
        const { isBuy, price } = book.resting(index++)
        adding.cancel(adding.place(isBuy, "1", price))
      }
    },
    cross: {
      now: () => {
        crossing.place(false, "1", "100")
        crossing.place(true, "1", "100")
      }
    },
    commit1: commit(1),
    commit64: commit(64),
    balance: { later: verify(balance, {}) },
    stopLimit: { later: verify(stopLimit, wireOrder) }
  }
}
