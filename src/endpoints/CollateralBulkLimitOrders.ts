/**
 * Places many margin limit orders in one call.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Result from "effect/Result"
 * import { CollateralBulkLimitOrders, Decimal, Identifiers } from "effect-txc"
 *
 * const market = Identifiers.marketName("BTC_USDT")
 *
 * // A bid and an ask; each is placed, or refused with its own error.
 * const quote = Effect.gen(function*() {
 *   const orders = yield* CollateralBulkLimitOrders.CollateralBulkLimitOrders
 *   const placed = yield* orders.create({
 *     orders: [
 *       { market, side: "buy", amount: Decimal.amount("0.01"), price: Decimal.price("39900") },
 *       { market, side: "sell", amount: Decimal.amount("0.01"), price: Decimal.price("40100") }
 *     ]
 *   })
 *   return placed.map(Result.match({
 *     onSuccess: ({ orderId }) => `order ${orderId}`,
 *     onFailure: ({ _tag, outcome }) => `${_tag}: ${outcome}`
 *   }))
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Call from "../client/call/Call.ts"
import type * as ClientOrderIdEcho from "../client/ClientOrderIdEcho.ts"
import * as BulkService from "../client/make/BulkService.ts"
import type { MarketRules } from "../client/MarketRules.ts"
import { amount, price } from "../domain/Decimal.ts"
import { ClientOrderId, marketName } from "../domain/Identifiers.ts"
import * as Market from "../domain/Market.ts"
import { Flag } from "../domain/Text.ts"
import * as BulkAnswer from "../protocol/BulkAnswer.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import type * as Errors from "../protocol/Errors.ts"
import * as OrderAnswer from "../protocol/OrderAnswer.ts"
import * as OrderTerms from "../protocol/OrderTerms.ts"
import * as Wire from "../protocol/Wire.ts"
import * as CollateralLimitOrders from "./CollateralLimitOrders.ts"

/**
 * The maximum number of orders in one call.
 *
 * @category constants
 */
export const maxOrders = 20

/**
 * Margin limit orders to place.
 *
 * @category models
 */
export interface Request extends BulkService.Orders<CollateralLimitOrders.Request> {}

/** The request as sent. Its type allows any combination of order fields. */
interface Sent extends BulkService.Orders<Endpoint.Request<typeof CollateralLimitOrders.endpoint>> {}

const request = (dialect: Dialect) =>
  Wire.struct<Sent>({
    orders: OrderTerms.many(CollateralLimitOrders.endpoint.request(dialect), maxOrders),
    stopOnFail: Schema.optionalKey(Flag)
  })

type Field = keyof Endpoint.Request<typeof CollateralLimitOrders.endpoint>

/**
 * The reason why the exchange refused an order. A refused order has no effect.
 *
 * @category errors
 */
export type Refusal = Errors.ValidationFailed<Field> | Errors.ReduceOnlyRejected<Field> | Errors.RequestRejected<Field>

/**
 * The outcome of one order: placed, refused, placed with an unreadable result (`AcceptedUnreadable`), or unknown.
 *
 * @category models
 */
export type Outcome = Result.Result<
  ClientOrderIdEcho.Created<OrderAnswer.Order>,
  Refusal | Errors.OutcomeUnknown | Errors.AcceptedUnreadable
>

/**
 * The endpoint `POST /api/v4/order/collateral/bulk`. Source: the live exchange's documentation.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "CollateralBulkLimitOrders.create",
  path: "/api/v4/order/collateral/bulk",
  access: "private",
  mutates: true,
  places: "orders",
  refusals: ["ValidationFailed"],
  request,
  response: (dialect) => BulkAnswer.items(OrderAnswer.order(dialect)),
  example: (): Request => ({
    orders: [
      {
        market: marketName("BTC_USDT"),
        side: "buy",
        amount: amount("0.01"),
        price: price("39400"),
        clientOrderId: ClientOrderId.make("margin-bid-1"),
        postOnly: true
      },
      {
        market: marketName("BTC_USDT"),
        side: "sell",
        amount: amount("0.01"),
        price: price("41900"),
        clientOrderId: ClientOrderId.make("margin-ask-1"),
        postOnly: true
      }
    ]
  })
})

/**
 * Errors that make the entire call fail. Each refused order has its own error in the response.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Places many margin limit orders in one call.
 *
 * @category services
 */
export class CollateralBulkLimitOrders extends Context.Service<CollateralBulkLimitOrders, {
  /**
   * Checks every order against its market's rules, then places the orders one after another. Returns one outcome per
   * order, in the same sequence as the request. With `stopOnFail`, the returned list may be shorter; orders past the
   * end of the list were not placed.
   *
   * Fails with `ValidationFailed`, before anything is sent, when an order has an invalid field or breaks its market's
   * rules: `fields.orders` gives the order's zero-based index. Fails with `OutcomeUnknown` when the response is lost
   * and some or all orders may have been placed: the error's `orders` lists all orders of the request, for
   * `Reconciliation.reconcileAll`.
   */
  readonly create: (request: Request) => Effect.Effect<ReadonlyArray<Outcome>, Failure>
}>()("effect-txc/endpoints/CollateralBulkLimitOrders") {
  /** Provides this service. Requires an account's `Call` and `MarketRules`. */
  static readonly layer: Layer.Layer<CollateralBulkLimitOrders, never, Call.Call | MarketRules> = BulkService
    .layerCreating(
      CollateralBulkLimitOrders,
      endpoint,
      {
        each: CollateralLimitOrders.endpoint,
        type: "limit",
        bounds: (order) => Market.limit({ ...order, collateral: true })
      }
    )
}
