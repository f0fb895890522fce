/**
 * Market orders on margin.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { CollateralMarketOrders, Decimal, Identifiers } from "effect-txc"
 *
 * // Closes a long position of up to 0.01 BTC.
 * const close = Effect.gen(function*() {
 *   const orders = yield* CollateralMarketOrders.CollateralMarketOrders
 *   return yield* orders.create({
 *     market: Identifiers.marketName("BTC_USDT"),
 *     side: "sell",
 *     amount: Decimal.amount("0.01"),
 *     reduceOnly: true
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
 * A margin market order to place.
 *
 * @category models
 */
export interface Request extends OrderTerms.OnMargin, OrderTerms.WithExit {
  /**
   * The ordered amount, in the base currency for both buys and sells. The market sets the amount's precision and
   * minimum.
   */
  readonly amount: Amount
}

const request = (dialect: Dialect) =>
  Wire.struct<Request>({
    ...OrderTerms.fields(dialect, "market", "side", "amount", "clientOrderId", "stp"),
    ...OrderTerms.fields(dialect, "reduceOnly", "positionSide", "takeProfit", "stopLoss")
  }, { keys: OrderTerms.keys(dialect), constraints: OrderTerms.exits })

/**
 * The endpoint `POST /api/v4/order/collateral/market`.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "CollateralMarketOrders.create",
  path: "/api/v4/order/collateral/market",
  access: "private",
  mutates: true,
  places: "order",
  refusals: ["ValidationFailed", "ReduceOnlyRejected"],
  request,
  response: OrderAnswer.order,
  example: (): Request => ({
    market: marketName("BTC_USDT"),
    side: "buy",
    amount: amount("0.01"),
    clientOrderId: ClientOrderId.make("long-2")
  })
})

/**
 * Errors that can occur when placing a margin market order.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Places margin market orders.
 *
 * @category services
 */
export class CollateralMarketOrders extends Context.Service<CollateralMarketOrders, {
  /**
   * Places the order, after checking it against the market's rules. The exchange cancels any part that would trade too
   * far from the best price (outside the taker band).
   *
   * Fails with:
   *
   * - `ValidationFailed` when a field is invalid, the market does not accept the order, or the client order id is
   *   already used
   * - `ReduceOnlyRejected` when `reduceOnly` is set but there is no opposite position
   * - `RequestRejected` when the balance is too low
   * - `OutcomeUnknown` when the response is lost and the order may have been placed
   */
  readonly create: (request: Request) => Effect.Effect<ClientOrderIdEcho.Created<OrderAnswer.Order>, Failure>
}>()("effect-txc/endpoints/CollateralMarketOrders") {
  /** Provides this service. Requires an account's `Call` and `MarketRules`. */
  static readonly layer: Layer.Layer<CollateralMarketOrders, never, Call.Call | MarketRules> = OrderService.layer(
    CollateralMarketOrders,
    endpoint,
    {
      bounds: (request) => Market.market({ ...request, collateral: true, quoteAmount: false }),
      legs: (order, request) => [[order, "market", request]]
    }
  )
}
