/**
 * A client that an Effect user could write in an afternoon: the stock `HttpClient` over undici, a schema with the types
 * of the response's fields, a timeout, and one error for every failure. It does not check requests, share nonces with
 * other processes, respect rate limits, retry, or reconcile orders whose response was lost.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Schema from "effect/Schema"
import type { Operations } from "../harness/operation.ts"
import { paths, wireOrder } from "./account.ts"
import { signed } from "./floor.ts"

const Order = Schema.Struct({
  order_id: Schema.Number,
  client_order_id: Schema.String,
  market: Schema.String,
  side: Schema.String,
  type: Schema.String,
  timestamp: Schema.Number,
  deal_money: Schema.String,
  deal_stock: Schema.String,
  amount: Schema.String,
  left: Schema.String,
  deal_fee: Schema.String,
  price: Schema.String,
  postOnly: Schema.Boolean,
  ioc: Schema.Boolean,
  status: Schema.String,
  stp: Schema.String,
  positionSide: Schema.String,
  rpi: Schema.Boolean,
  reduceOnly: Schema.Boolean,
  activated: Schema.Number,
  activationCondition: Schema.String,
  activation_price: Schema.String
})

const Balances = Schema.Record(Schema.String, Schema.Struct({ main_balance: Schema.String }))

const Transfer = Schema.Struct({
  minFlex: Schema.String,
  maxFlex: Schema.String,
  percentFlex: Schema.String,
  fixed: Schema.String,
  minAmount: Schema.String,
  maxAmount: Schema.String
})

const Fees = Schema.Array(Schema.Struct({
  ticker: Schema.String,
  name: Schema.String,
  can_deposit: Schema.Boolean,
  can_withdraw: Schema.Boolean,
  deposit: Transfer,
  withdraw: Transfer
}))

export const operations = (baseUrl: string): Operations => {
  const runtime = ManagedRuntime.make(NodeHttpClient.layerUndici)
  const call = <A>(path: string, fields: object, schema: Schema.Codec<A, unknown>) => {
    const decode = HttpClientResponse.schemaBodyJson(schema)
    const effect = Effect.gen(function*() {
      const { body, headers } = signed(path, fields)
      const request = HttpClientRequest.post(baseUrl + path, { headers }).pipe(
        HttpClientRequest.bodyText(body, "application/json")
      )
      return yield* Effect.flatMap(HttpClient.execute(request), decode)
    }).pipe(Effect.timeout("10 seconds"))
    return { later: () => runtime.runPromise(effect) }
  }
  const order = call(paths.stopLimit, wireOrder, Order)
  return {
    order,
    order64: { ...order, inFlight: 64 },
    balances: call(paths.balances, {}, Balances),
    fees: call(paths.fees, {}, Fees)
  }
}
