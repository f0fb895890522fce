/** Requests signed by hand, without the library's own signer, which an exchange must accept from any client. */
import * as Effect from "effect/Effect"
import { createHmac } from "node:crypto"
import type { Dialect } from "../../src/protocol/Dialect.ts"
import type { Answer, Request } from "../../src/sandbox/gateway/Message.ts"
import { Venue } from "../../src/sandbox/venue/Venue.ts"
import { type Account, alice } from "./exchange.ts"

/** The signature as the document describes it. */
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

/** A nonce greater than any of a client's, never used before, in the dialect's form. */
export const freshNonce = ({ policy }: Dialect): string | number => {
  lastNonce++
  return policy.nonce === "unique" ? lastNonce.toString() : lastNonce
}

/** A signed request over exactly this text. */
export const signedText = (path: string, text: string, account: Account = alice): Request => {
  const body = new TextEncoder().encode(text)
  return { method: "POST", path, headers: signedHeaders(account, body), body, from: "test" }
}

/** A signed request of these fields, with the envelope around them. */
export const signed = (
  dialect: Dialect,
  path: string,
  fields: object = {},
  account: Account = alice
): Request => signedText(path, JSON.stringify({ ...fields, request: path, nonce: freshNonce(dialect) }), account)

/** An answer that has been read. */
export interface Read {
  readonly status: number
  readonly json: Readonly<Record<string, unknown>>
}

export const read = (answer: Answer): Read | "reset" =>
  answer._tag !== "Answer"
    ? "reset"
    : { status: answer.status, json: JSON.parse(answer.body) as Readonly<Record<string, unknown>> }

/** Passes a request to the venue, and reads its answer. */
export const handle = (request: Request) =>
  Venue.use((venue) =>
    Effect.flatMap(venue.handle(request), (answer) => {
      const told = read(answer)
      return told === "reset" ? Effect.die("the connection was reset") : Effect.succeed(told)
    })
  )
