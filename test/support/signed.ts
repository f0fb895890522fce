/** Requests signed without the library's own signer, as other clients sign them. */
import * as Effect from "effect/Effect"
import { createHmac } from "node:crypto"
import type { Dialect } from "../../src/protocol/Dialect.ts"
import type { Answer, Request } from "../../src/sandbox/gateway/Message.ts"
import { Venue } from "../../src/sandbox/venue/Venue.ts"
import { type Account, alice } from "./exchange.ts"

/** Signs a payload as the document describes. */
export const hmac = (secret: string, payload: string): string =>
  createHmac("sha512", Buffer.from(secret, "utf8")).update(payload, "utf8").digest("hex")

export const signedHeaders = (account: Account, body: Uint8Array): Record<string, string> => {
  const payload = Buffer.from(body).toString("base64")
  return {
    "content-type": "application/json",
    "x-txc-apikey": account.apiKey,
    "x-txc-payload": payload,
    "x-txc-signature": hmac(account.apiSecret, payload)
  }
}

let lastNonce = 1e15

/** Returns a nonce in the dialect's form that was never used before, and that is greater than any nonce of a client. */
export const freshNonce = ({ policy }: Dialect): string | number => {
  lastNonce++
  return policy.nonce === "unique" ? lastNonce.toString() : lastNonce
}

/** Creates a signed request with exactly this text as its body. */
export const signedText = (path: string, text: string, account: Account = alice): Request => {
  const body = new TextEncoder().encode(text)
  return { method: "POST", path, headers: signedHeaders(account, body), body, from: "test" }
}

/** Creates a signed request with these fields and their envelope. */
export const signed = (
  dialect: Dialect,
  path: string,
  fields: object = {},
  account: Account = alice
): Request => signedText(path, JSON.stringify({ ...fields, request: path, nonce: freshNonce(dialect) }), account)

/** A response's status and parsed body. */
export interface Read {
  readonly status: number
  readonly json: Readonly<Record<string, unknown>>
}

export const read = (answer: Answer): Read | "reset" =>
  answer._tag !== "Answer"
    ? "reset"
    : { status: answer.status, json: JSON.parse(answer.body) as Readonly<Record<string, unknown>> }

/** Passes a request to the venue, and reads the response. */
export const handle = (request: Request) =>
  Venue.use((venue) =>
    Effect.flatMap(venue.handle(request), (answer) => {
      const told = read(answer)
      return told === "reset" ? Effect.die("the connection was reset") : Effect.succeed(told)
    })
  )
