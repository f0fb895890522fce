/**
 * Market orders whose amount is in the base currency for both buys and sells.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Decimal, Identifiers, StockMarketOrders } from "effect-txc"
 *
 * // Buys 0.01 BTC, whatever it costs.
 * const buy = Effect.gen(function*() {
 *   const orders = yield* StockMarketOrders.StockMarketOrders
 *   return yield* orders.create({
 *     market: Identifiers.marketName("BTC_USDT"),
 *     side: "buy",
 *     amount: Decimal.amount("0.01")
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
import { Amount, amount } from "../domain/Decimal.ts"
import { ClientOrderId, marketName } from "../domain/Identifiers.ts"
import * as Market from "../domain/Market.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as OrderAnswer from "../protocol/OrderAnswer.ts"
import * as OrderTerms from "../protocol/OrderTerms.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * A market order to place, with its amount in the base currency.
 *
 * @category models
 */
export interface Request extends OrderTerms.OnSpot {
  /** The amount to buy or sell, in the base currency. The market sets the amount's precision and minimum. */
  readonly amount: Amount
}

const request = (dialect: Dialect) =>
  Wire.struct<Request>(OrderTerms.fields(dialect, "market", "side", "amount", "clientOrderId", "stp"), {
    keys: OrderTerms.keys(dialect)
  })

/**
 * The endpoint `POST /api/v4/order/stock_market`.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "StockMarketOrders.create",
  path: "/api/v4/order/stock_market",
  access: "private",
  mutates: true,
  places: "order",
  refusals: ["ValidationFailed"],
  request,
  response: OrderAnswer.order,
  example: (): Request => ({
    market: marketName("BTC_USDT"),
    side: "buy",
    amount: amount("0.01"),
    clientOrderId: ClientOrderId.make("buy-1")
  })
})

/**
 * Errors that can occur when placing a market order.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Places market orders with an amount in the base currency.
 *
 * @category services
 */
export class StockMarketOrders extends Context.Service<StockMarketOrders, {
  /**
   * Places the order, after checking it against the market's rules. The exchange cancels any part that would trade too
   * far from the best price (outside the taker band).
   *
   * Fails with:
   *
   * - `ValidationFailed` when a field is invalid, the market does not accept the order, or the client order id is
   *   already used
   * - `RequestRejected` when the balance is too low
   * - `OutcomeUnknown` when the response is lost and the order may have been placed
   */
  readonly create: (request: Request) => Effect.Effect<ClientOrderIdEcho.Created<OrderAnswer.Order>, Failure>
}>()("effect-txc/endpoints/StockMarketOrders") {
  /** Provides this service. Requires an account's `Call` and `MarketRules`. */
  static readonly layer: Layer.Layer<StockMarketOrders, never, Call.Call | MarketRules> = OrderService.layer(
    StockMarketOrders,
    endpoint,
    {
      bounds: (request) => Market.market({ ...request, collateral: false, quoteAmount: false }),
      legs: (order, request) => [[order, "stock market", request]]
    }
  )
}
