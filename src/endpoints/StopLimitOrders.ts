/**
 * Stop-limit orders (the document, Endpoints §3). A stop-limit order becomes a limit order when the market price
 * reaches its activation price.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Decimal, Identifiers, StopLimitOrders } from "effect-txc"
 *
 * // Sells 0.01 BTC at 37500 USDT or better once the price has fallen to 38000 USDT.
 * const stopLoss = Effect.gen(function*() {
 *   const orders = yield* StopLimitOrders.StopLimitOrders
 *   return yield* orders.create({
 *     market: Identifiers.marketName("BTC_USDT"),
 *     side: "sell",
 *     amount: Decimal.amount("0.01"),
 *     price: Decimal.price("37500"),
 *     activationPrice: Decimal.price("38000")
 *   })
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Call from "../client/call/Call.ts"
import type * as ClientOrderIdEcho from "../client/ClientOrderIdEcho.ts"
import * as OrderService from "../client/make/OrderService.ts"
import type { MarketRules } from "../client/MarketRules.ts"
import { Amount, amount, Price, price } from "../domain/Decimal.ts"
import { ClientOrderId, marketName } from "../domain/Identifiers.ts"
import * as Market from "../domain/Market.ts"
import { type BboRole, type OrderSide } from "../domain/Order.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as OrderAnswer from "../protocol/OrderAnswer.ts"
import * as OrderTerms from "../protocol/OrderTerms.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * The terms of every stop-limit order.
 *
 * @category models
 */
export interface Terms extends OrderTerms.OnSpot, OrderTerms.Triggered {
  /**
   * Whether to buy or sell. In the document's dialect, a buy triggers at or above `activationPrice`, and a sell at or
   * below it. In the live dialect, the side does not matter: the order triggers when the price reaches
   * `activationPrice` from above or below.
   */
  readonly side: OrderSide
  /**
   * The ordered amount, in the base currency. The market sets the precision and minimum of the amount, and limits the
   * total (amount × price).
   */
  readonly amount: Amount
}

/**
 * A stop-limit order with a limit price.
 *
 * @category models
 */
export interface AtPrice extends Terms {
  /** The limit price once the order triggers, in the quote currency. The market sets the price's precision. */
  readonly price: Price
  /** How to trade at the best bid or offer once the order triggers, instead of at `price`. Default: at `price`. */
  readonly bboRole?: BboRole
}

/**
 * A stop-limit order at the best bid or offer, without a limit price. Live dialect only.
 *
 * @category models
 */
export interface AtBest extends Terms {
  /** How to trade at the best bid or offer once the order triggers. */
  readonly bboRole: BboRole
  /** Needed only in the document's dialect, which requires a price even if `bboRole` is present. */
  readonly price?: Price
}

/**
 * A stop-limit order to place.
 *
 * @category models
 */
export type Request = AtPrice | AtBest

/** The request as sent. Its type allows both `price` and `bboRole` to be absent; a constraint requires at least one. */
interface Sent extends Terms {
  /** The limit price once the order triggers, in the quote currency. */
  readonly price?: Price
  /** How to trade at the best bid or offer once the order triggers. */
  readonly bboRole?: BboRole
}

const request = (dialect: Dialect) =>
  Wire.struct<Sent>({
    ...OrderTerms.fields(dialect, "market", "side", "amount"),
    price: dialect.omissible(dialect.decimal(Price)),
    ...OrderTerms.fields(dialect, "activationPrice", "clientOrderId"),
    bboRole: Schema.optionalKey(Wire.BboRole),
    ...OrderTerms.fields(dialect, "stp")
  }, { keys: OrderTerms.keys(dialect), constraints: [OrderTerms.hasLimit] })

/**
 * An accepted stop-limit order.
 *
 * @category models
 */
export type StopLimitOrder = OrderAnswer.StopOrder

/**
 * The endpoint `POST /api/v4/order/stop_limit` (the document, Endpoints §3).
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "StopLimitOrders.create",
  clause: "Endpoints §3",
  // The document does not mention this path; the live exchange uses it.
  path: "/api/v4/order/stop_limit",
  access: "private",
  mutates: true,
  places: "order",
  refusals: ["ValidationFailed"],
  request,
  response: OrderAnswer.stopOrder,
  example: (): Request => ({
    market: marketName("BTC_USDT"),
    side: "buy",
    amount: amount("0.01"),
    price: price("40600"),
    activationPrice: price("40500"),
    clientOrderId: ClientOrderId.make("breakout-1"),
    stp: "cancel_new"
  })
})

/**
 * Errors that can occur when placing a stop-limit order.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Places stop-limit orders.
 *
 * @category services
 */
export class StopLimitOrders extends Context.Service<StopLimitOrders, {
  /**
   * Places the order, after checking it against the market's rules.
   *
   * Fails with:
   *
   * - `ValidationFailed` when a field is invalid, the market does not accept the order, or the client order id is
   *   already used
   * - `OutcomeUnknown` when the response is lost and the order may have been placed
   */
  readonly create: (request: Request) => Effect.Effect<ClientOrderIdEcho.Created<StopLimitOrder>, Failure>
}>()("effect-txc/endpoints/StopLimitOrders") {
  /** Provides this service. Requires an account's `Call` and `MarketRules`. */
  static readonly layer: Layer.Layer<StopLimitOrders, never, Call.Call | MarketRules> = OrderService.layer(
    StopLimitOrders,
    endpoint,
    { bounds: Market.stopLimit, legs: (order, request) => [[order, "stop limit", request]] }
  )
}
