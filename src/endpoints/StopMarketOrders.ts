/**
 * Stop-market orders. A stop-market order becomes a market order when the market price reaches its activation price.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Decimal, Identifiers, StopMarketOrders } from "effect-txc"
 *
 * // Sells 0.01 BTC at the best available price once the price has fallen to 38000 USDT.
 * const stopLoss = Effect.gen(function*() {
 *   const orders = yield* StopMarketOrders.StopMarketOrders
 *   return yield* orders.create({
 *     market: Identifiers.marketName("BTC_USDT"),
 *     side: "sell",
 *     amount: Decimal.amount("0.01"),
 *     activationPrice: Decimal.price("38000")
 *   })
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Call from "../client/call/Call.ts"
import type * as ClientOrderIdEcho from "../client/ClientOrderIdEcho.ts"
import * as OrderService from "../client/make/OrderService.ts"
import type { MarketRules } from "../client/MarketRules.ts"
import { Amount, amount, price } from "../domain/Decimal.ts"
import { ClientOrderId, marketName } from "../domain/Identifiers.ts"
import * as Market from "../domain/Market.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as OrderAnswer from "../protocol/OrderAnswer.ts"
import * as OrderTerms from "../protocol/OrderTerms.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * A stop-market order to place.
 *
 * @category models
 */
export interface Request extends OrderTerms.OnSpot, OrderTerms.Triggered {
  /** For a buy, the amount to spend, in the quote currency; for a sell, the amount to sell, in the base currency. */
  readonly amount: Amount
}

const request = (dialect: Dialect) =>
  Wire.struct<Request>(
    OrderTerms.fields(dialect, "market", "side", "amount", "activationPrice", "clientOrderId", "stp"),
    { keys: OrderTerms.keys(dialect) }
  )

/**
 * The endpoint `POST /api/v4/order/stop_market`. Source: the live exchange's documentation.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "StopMarketOrders.create",
  path: "/api/v4/order/stop_market",
  access: "private",
  mutates: true,
  places: "order",
  refusals: ["ValidationFailed"],
  request,
  response: OrderAnswer.stopOrder,
  example: (): Request => ({
    market: marketName("BTC_USDT"),
    side: "buy",
    amount: amount("500"),
    activationPrice: price("40500"),
    clientOrderId: ClientOrderId.make("breakout-2")
  })
})

/**
 * Errors that can occur when placing a stop-market order.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Places stop-market orders.
 *
 * @category services
 */
export class StopMarketOrders extends Context.Service<StopMarketOrders, {
  /**
   * Places the order, after checking it against the market's rules. Once the order triggers, the exchange cancels any
   * part that would trade too far from the best price (outside the taker band).
   *
   * Fails with:
   *
   * - `ValidationFailed` when a field is invalid, the market does not accept the order, or the client order id is
   *   already used
   * - `RequestRejected` when the balance is too low
   * - `OutcomeUnknown` when the response is lost and the order may have been placed
   */
  readonly create: (request: Request) => Effect.Effect<ClientOrderIdEcho.Created<OrderAnswer.StopOrder>, Failure>
}>()("effect-txc/endpoints/StopMarketOrders") {
  /** Provides this service. Requires an account's `Call` and `MarketRules`. */
  static readonly layer: Layer.Layer<StopMarketOrders, never, Call.Call | MarketRules> = OrderService.layer(
    StopMarketOrders,
    endpoint,
    {
      bounds: (request) => Market.stopMarket({ ...request, collateral: false, quoteAmount: request.side === "buy" }),
      legs: (order, request) => [[order, "stop market", request]]
    }
  )
}
