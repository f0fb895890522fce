/**
 * Limit orders on margin.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { CollateralLimitOrders, Decimal, Identifiers } from "effect-txc"
 *
 * // Opens a long position of 0.01 BTC at 39500 USDT or better.
 * const open = Effect.gen(function*() {
 *   const orders = yield* CollateralLimitOrders.CollateralLimitOrders
 *   return yield* orders.create({
 *     market: Identifiers.marketName("BTC_USDT"),
 *     side: "buy",
 *     amount: Decimal.amount("0.01"),
 *     price: Decimal.price("39500")
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
import { amount, Price, price } from "../domain/Decimal.ts"
import { ClientOrderId, marketName } from "../domain/Identifiers.ts"
import * as Market from "../domain/Market.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as OrderAnswer from "../protocol/OrderAnswer.ts"
import * as OrderTerms from "../protocol/OrderTerms.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * A margin limit order to place.
 *
 * @category models
 */
export interface Request extends OrderTerms.OnMargin, OrderTerms.Resting, OrderTerms.WithExit {
  /** The limit price, in the quote currency. The market sets the price's precision. */
  readonly price: Price
}

const request = (dialect: Dialect) =>
  Wire.struct<Request>({
    ...OrderTerms.fields(dialect, "market", "side", "amount", "price", "clientOrderId", "postOnly", "ioc", "stp"),
    ...OrderTerms.fields(dialect, "reduceOnly", "positionSide", "rpi", "takeProfit", "stopLoss")
  }, {
    keys: OrderTerms.keys(dialect),
    constraints: [OrderTerms.restsOrNot, ...OrderTerms.rpiRestsOrNot, ...OrderTerms.exits]
  })

/**
 * The endpoint `POST /api/v4/order/collateral/limit`.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "CollateralLimitOrders.create",
  path: "/api/v4/order/collateral/limit",
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
    price: price("39500"),
    clientOrderId: ClientOrderId.make("long-1"),
    postOnly: true
  })
})

/**
 * Errors that can occur when placing a margin limit order.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Places margin limit orders.
 *
 * @category services
 */
export class CollateralLimitOrders extends Context.Service<CollateralLimitOrders, {
  /**
   * Places the order, after checking it against the market's rules.
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
}>()("effect-txc/endpoints/CollateralLimitOrders") {
  /** Provides this service. Requires an account's `Call` and `MarketRules`. */
  static readonly layer: Layer.Layer<CollateralLimitOrders, never, Call.Call | MarketRules> = OrderService.layer(
    CollateralLimitOrders,
    endpoint,
    {
      bounds: (request) => Market.limit({ ...request, collateral: true }),
      legs: (order, request) => [[order, "limit", request]]
    }
  )
}
