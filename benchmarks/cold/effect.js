/**
 * Makes one call with Effect, one schema and undici's `dispatch`. This is the minimum cost of a program that uses
 * Effect.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { createHmac } from "node:crypto"
import Pool from "undici/lib/dispatcher/pool.js"

const [baseUrl, apiKey, apiSecret] = process.argv.slice(2)
const path = "/api/v4/trade-account/balance"
const payload = Buffer.from(JSON.stringify({ request: path, nonce: `${Date.now() * 1000}` }))
const encoded = payload.toString("base64")
const headers = {
  "content-type": "application/json",
  "x-txc-apikey": apiKey,
  "x-txc-payload": encoded,
  "x-txc-signature": createHmac("sha512", apiSecret).update(encoded).digest("hex")
}
const answer = Effect.callback((resume) => {
  let text = ""
  new Pool(baseUrl).dispatch({ origin: baseUrl, path, method: "POST", headers, body: payload }, {
    onRequestStart: () => {},
    onResponseStart: () => {},
    onResponseData: (_controller, chunk) => text += chunk,
    onResponseEnd: () => resume(Effect.succeed(text)),
    onResponseError: (_controller, error) => resume(Effect.fail(error))
  })
})
const Balances = Schema.Record(Schema.String, Schema.Struct({ available: Schema.String, freeze: Schema.String }))
const balances = Effect.flatMap(answer, (text) => Schema.decodeUnknownEffect(Balances)(JSON.parse(text)))
const { T000 } = await Effect.runPromise(balances)
if (T000 === undefined) throw new Error("unexpected response")
console.log(JSON.stringify(process.cpuUsage()))
process.exit()
