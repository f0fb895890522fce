/** Raw calls to venues on a host. */
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Host from "../../src/sandbox/host/Host.ts"
import type { Account } from "./exchange.ts"
import { signedText } from "./signed.ts"

/** A call's response. */
export interface Answered {
  readonly status: number
  readonly text: string
}

/** Sends a request through the `HttpClient` in the context. */
export const send = Effect.fnUntraced(function*(
  method: "GET" | "POST" | "DELETE",
  url: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string | Uint8Array
): Effect.fn.Return<Answered, HttpClientError.HttpClientError, HttpClient.HttpClient> {
  const { "content-type": type = "application/json", ...others } = headers
  const request = HttpClientRequest.make(method)(url).pipe(
    HttpClientRequest.setHeaders(others),
    (request) => body === undefined ? request : HttpClientRequest.bodyUint8Array(request, Buffer.from(body), type)
  )
  const response = yield* HttpClient.execute(request)
  return { status: response.status, text: yield* response.text }
}, Effect.orDie)

/** Calls a control plane operation with the control plane's token. */
export const own = (
  { controlToken, controlUrl }: { readonly controlUrl: string; readonly controlToken: string },
  method: "GET" | "POST" | "DELETE",
  operation: string,
  fields?: object
) =>
  send(
    method,
    controlUrl + operation,
    { authorization: `Bearer ${controlToken}` },
    fields === undefined ? undefined : JSON.stringify(fields)
  )

let nonce = 5e15

/** Makes a signed call to a venue. */
export const call = (
  url: string,
  path: string,
  account: Account,
  fields: object = {},
  { nonce: given = ++nonce } = {}
) => {
  const { body, headers } = signedText(
    path,
    JSON.stringify({ ...fields, request: path, nonce: String(given) }),
    account
  )
  return send("POST", url + path, headers as Readonly<Record<string, string>>, body)
}

/** Returns an account's key on a venue. */
export const keyOf = ({ keys }: Pick<Host.Made, "keys">, account: string): Account => {
  const key = keys[account]
  if (key === undefined) throw new Error(`no key of ${account}`)
  return key
}

/** Parses a response as JSON. */
export const parse = ({ text }: Answered): Readonly<Record<string, unknown>> =>
  JSON.parse(text) as Readonly<Record<string, unknown>>

export const balance = "/api/v4/main-account/balance"
export const placeLimit = "/api/v4/order/new"
export const ping = "/api/v4/public/ping"
