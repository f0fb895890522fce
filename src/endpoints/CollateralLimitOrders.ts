/**
 * Limit orders that trade positions on margin.
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
 *
 * @since 0.1.0
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
import { ClientOrderId, MarketName, marketName } from "../domain/Identifiers.ts"
import * as Market from "../domain/Market.ts"
import { OrderSide, PositionSide, type SelfTradePrevention } from "../domain/Order.ts"
import { Flag } from "../domain/Text.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as OrderAnswer from "../protocol/OrderAnswer.ts"
import * as OrderFields from "../protocol/OrderFields.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

/**
 * A limit order to place on margin.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request {
  /** A market that trades on margin, such as `BTC_USDT`. */
  readonly market: MarketName
  /** A buy opens or increases a long position, a sell a short one. */
  readonly side: OrderSide
  /** How much, in units of the base currency. Its precision, least value and total depend on the market. */
  readonly amount: Amount
  /** The limit, in units of the quote currency. Its precision depends on the market. */
  readonly price: Price
  /** Your own identifier of the order. One is generated when you leave it out. */
  readonly clientOrderId?: ClientOrderId
  /** Refuse the order rather than let it trade at once. Default `false`. */
  readonly postOnly?: boolean
  /** Cancel what cannot trade at once. Default `false`; not together with `postOnly`. */
  readonly ioc?: boolean
  /** What to do when the order would trade with another one of the same account. Default `no`: nothing. */
  readonly stp?: SelfTradePrevention
  /** Only reduce or close a position; an amount beyond the position is reduced to it. Default `false`. */
  readonly reduceOnly?: boolean
  /**
   * The position in hedge mode. In one-way mode every order has `BOTH`, and the exchange ignores this field. Live dialect
   * only.
   */
  readonly positionSide?: PositionSide
  /** Rest in the book for retail orders only ("retail price improvement"). Not with `ioc`. Live dialect only. */
  readonly rpi?: boolean
  /** The price of a take-profit that is placed when the order is filled, in units of the quote currency. Live dialect only. */
  readonly takeProfit?: Price
  /** The price of a stop-loss that is placed when the order is filled, in units of the quote currency. Live dialect only. */
  readonly stopLoss?: Price
}

const request = (dialect: Dialect) =>
  Wire.struct<Request>({
    market: MarketName,
    side: OrderSide,
    amount: dialect.decimal(Amount),
    price: dialect.decimal(Price),
    clientOrderId: Schema.optionalKey(ClientOrderId),
    postOnly: Schema.optionalKey(Flag),
    ioc: Schema.optionalKey(Flag),
    stp: Schema.optionalKey(dialect.selfTradePrevention),
    reduceOnly: Schema.optionalKey(Flag),
    positionSide: dialect.extension(PositionSide),
    rpi: dialect.extension(Flag),
    takeProfit: dialect.extension(dialect.decimal(Price)),
    stopLoss: dialect.extension(dialect.decimal(Price))
  }, {
    keys: { clientOrderId: dialect.keys.clientOrderId },
    constraints: [{
      field: "ioc",
      constraint: { kind: "exclusive", with: "postOnly" },
      holds: ({ ioc, postOnly }) => ioc !== true || postOnly !== true
    }, ...OrderFields.exitConstraints]
  })

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/**
 * `POST /api/v4/order/collateral/limit`.
 *
 * @category endpoints
 * @since 0.1.0
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
 * What placing a limit order on margin can fail with.
 *
 * @category errors
 * @since 0.1.0
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * Places limit orders on margin.
 *
 * @category services
 * @since 0.1.0
 */
export class CollateralLimitOrders extends Context.Service<CollateralLimitOrders, {
  /**
   * Places the order, after checking it against the rules of its market.
   *
   * Fails with `ValidationFailed` when a field is wrong, the market does not admit the order, or the client order id is
   * taken; with `ReduceOnlyRejected` when `reduceOnly` is set and there is no position on the other side; with
   * `RequestRejected` when the balance is too low; with `OutcomeUnknown` when the answer is lost and the order may have
   * been placed.
   */
  readonly create: (request: Request) => Effect.Effect<ClientOrderIdEcho.Created<OrderAnswer.Order>, Failure>
}>()("effect-txc/endpoints/CollateralLimitOrders") {
  /** The service over an account's calls and market rules. */
  static readonly layer: Layer.Layer<CollateralLimitOrders, never, Call.Call | MarketRules> = OrderService.layer(
    CollateralLimitOrders,
    endpoint,
    {
      bounds: (request) => Market.limit({ ...request, collateral: true }),
      legs: (order) => [order]
    }
  )
}
