/**
 * Market orders. A market order trades immediately against the best orders in the book. For a buy, the amount is
 * the amount to spend, in the quote currency.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Decimal, Identifiers, MarketOrders } from "effect-txc"
 *
 * // Spends 500 USDT on BTC.
 * const buy = Effect.gen(function*() {
 *   const orders = yield* MarketOrders.MarketOrders
 *   return yield* orders.create({
 *     market: Identifiers.marketName("BTC_USDT"),
 *     side: "buy",
 *     amount: Decimal.amount("500")
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
 * A market order to place.
 *
 * @category models
 */
export interface Request extends OrderTerms.OnSpot {
  /** For a buy, the amount to spend, in the quote currency; for a sell, the amount to sell, in the base currency. */
  readonly amount: Amount
}

const request = (dialect: Dialect) =>
  Wire.struct<Request>(OrderTerms.fields(dialect, "market", "side", "amount", "clientOrderId", "stp"), {
    keys: OrderTerms.keys(dialect)
  })

/**
 * The endpoint `POST /api/v4/order/market`.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "MarketOrders.create",
  path: "/api/v4/order/market",
  access: "private",
  mutates: true,
  places: "order",
  refusals: ["ValidationFailed"],
  request,
  response: OrderAnswer.order,
  example: (): Request => ({
    market: marketName("BTC_USDT"),
    side: "buy",
    amount: amount("500"),
    clientOrderId: ClientOrderId.make("spend-500")
  })
})

/**
 * Errors that can occur when placing a market order.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Places market orders. For a buy, the amount is in the quote currency.
 *
 * @category services
 */
export class MarketOrders extends Context.Service<MarketOrders, {
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
}>()("effect-txc/endpoints/MarketOrders") {
  /** Provides this service. Requires an account's `Call` and `MarketRules`. */
  static readonly layer: Layer.Layer<MarketOrders, never, Call.Call | MarketRules> = OrderService.layer(
    MarketOrders,
    endpoint,
    {
      bounds: (request) => Market.market({ ...request, collateral: false, quoteAmount: request.side === "buy" }),
      legs: (order, request) => [[order, "market", request]]
    }
  )
}
