/**
 * Market orders whose amount is in the base currency, on both sides.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Call from "../client/call/Call.ts"
import * as ClientOrderIdEcho from "../client/ClientOrderIdEcho.ts"
import { ClientOrderIds } from "../client/ClientOrderIds.ts"
import { MarketRules } from "../client/MarketRules.ts"
import { Amount } from "../domain/Decimal.ts"
import { ClientOrderId, MarketName } from "../domain/Identifiers.ts"
import * as Market from "../domain/Market.ts"
import { OrderSide } from "../domain/Order.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as OrderAnswer from "../protocol/OrderAnswer.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

/**
 * - `amount`: bought or sold, in units of the base currency
 * - `clientOrderId`: the caller's own identifier; one is made when it is left out
 * - `stp`: self-trade prevention, default `no`
 */
const request = (dialect: Dialect) =>
  Wire.struct({
    market: MarketName,
    side: OrderSide,
    amount: Amount,
    clientOrderId: Schema.optionalKey(ClientOrderId),
    stp: Schema.optionalKey(dialect.selfTradePrevention)
  }, { keys: { clientOrderId: dialect.keys.clientOrderId } })

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "StockMarketOrders.create",
  clause: "not in the document",
  method: "POST",
  path: "/api/v4/order/stock_market",
  access: "private",
  b2b: false,
  mutates: true,
  rateLimit: { calls: 10000, perSeconds: 10 },
  envelope: "required",
  errorFamily: "order",
  refusals: ["ValidationFailed"],
  request,
  response: OrderAnswer.spot
})

/** @category models */
export type Request = Endpoint.Request<typeof endpoint>
/** @category errors */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * - `create`: places the order, after checking it against the bounds of its market; what can't trade within the taker
 *   band is canceled
 *
 * @category services
 * @since 0.1.0
 */
export class StockMarketOrders extends Context.Service<StockMarketOrders, {
  readonly create: (request: Request) => Effect.Effect<ClientOrderIdEcho.Created<OrderAnswer.Order>, Failure>
}>()("effect-txc/endpoints/StockMarketOrders") {
  static readonly layer: Layer.Layer<StockMarketOrders, never, Call.Call | MarketRules> = Layer.effect(
    StockMarketOrders,
    Effect.gen(function*() {
      const { dialect, make } = yield* Call.Call
      const rules = yield* MarketRules
      const ids = yield* ClientOrderIds
      const call = make(endpoint, (request) => {
        const bounded = Market.market({ ...request, collateral: false, quoteAmount: false })
        return Call.withinMarketRules(rules, endpoint, dialect, bounded)
      })
      return {
        create: Effect.fn("StockMarketOrders.create")(function*(asked: Request) {
          const request = yield* ids.named(asked)
          const order = yield* call(request)
          return yield* ClientOrderIdEcho.check(endpoint.name, order, request.clientOrderId, [order.clientOrderId])
        })
      }
    })
  )
}
