/** Makes one call with Effect alone: one schema, no checks, no error types. */
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Schema from "effect/Schema"
import { createHmac } from "node:crypto"

const Order = Schema.Struct({ order_id: Schema.Number, status: Schema.String, left: Schema.String })
const path = "/api/v4/order/stop_limit"

export const create = (order) => {
  const body = JSON.stringify({ ...order, request: path, nonce: `${Date.now()}` })
  const payload = Buffer.from(body).toString("base64")
  const headers = {
    "x-txc-apikey": "key",
    "x-txc-payload": payload,
    "x-txc-signature": createHmac("sha512", "secret").update(payload).digest("hex")
  }
  return HttpClientRequest.post(`https://whitebit.com${path}`, { headers }).pipe(
    HttpClientRequest.bodyText(body, "application/json"),
    HttpClient.execute,
    Effect.flatMap(HttpClientResponse.schemaBodyJson(Order)),
    Effect.timeout("10 seconds"),
    Effect.provide(FetchHttpClient.layer),
    Effect.runPromise
  )
}
