/**
 * Limit orders: they trade at once as far as the limit allows, and what is left rests in the book.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Decimal, Identifiers, LimitOrders } from "effect-txc"
 *
 * const buy = Effect.gen(function*() {
 *   const orders = yield* LimitOrders.LimitOrders
 *   return yield* orders.create({
 *     market: Identifiers.marketName("BTC_USDT"),
 *     side: "buy",
 *     amount: Decimal.amount("0.01"),
 *     price: Decimal.price("40000"),
 *     postOnly: true
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
import { OrderSide, type SelfTradePrevention } from "../domain/Order.ts"
import { Flag } from "../domain/Text.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as OrderAnswer from "../protocol/OrderAnswer.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

/**
 * A limit order to place.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request {
  /** Where to trade, such as `BTC_USDT`. */
  readonly market: MarketName
  /** Whether to buy or to sell. */
  readonly side: OrderSide
  /** How much, in units of the base currency. Its precision and least value depend on the market. */
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
}

const request = (dialect: Dialect) =>
  Wire.struct<Request>({
    market: MarketName,
    side: OrderSide,
    amount: Amount,
    price: Price,
    clientOrderId: Schema.optionalKey(ClientOrderId),
    postOnly: Schema.optionalKey(Flag),
    ioc: Schema.optionalKey(Flag),
    stp: Schema.optionalKey(dialect.selfTradePrevention)
  }, {
    keys: { clientOrderId: dialect.keys.clientOrderId },
    constraints: [{
      field: "ioc",
      constraint: { kind: "exclusive", with: "postOnly" },
      holds: ({ ioc, postOnly }) => ioc !== true || postOnly !== true
    }]
  })

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/**
 * `POST /api/v4/order/new`.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const endpoint = Endpoint.make({
  name: "LimitOrders.create",
  clause: "not in the document",
  method: "POST",
  path: "/api/v4/order/new",
  access: "private",
  b2b: false,
  mutates: true,
  rateLimit: { calls: 10000, perSeconds: 10 },
  envelope: "required",
  errorFamily: "order",
  refusals: ["ValidationFailed"],
  request,
  response: OrderAnswer.order,
  example: (): Request => ({
    market: marketName("BTC_USDT"),
    side: "buy",
    amount: amount("0.1"),
    price: price("40000")
  })
})

/**
 * What placing a limit order can fail with.
 *
 * @category errors
 * @since 0.1.0
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * Places limit orders.
 *
 * @category services
 * @since 0.1.0
 */
export class LimitOrders extends Context.Service<LimitOrders, {
  /** Places the order, after checking it against the rules of its market. */
  readonly create: (request: Request) => Effect.Effect<ClientOrderIdEcho.Created<OrderAnswer.Order>, Failure>
}>()("effect-txc/endpoints/LimitOrders") {
  /** The service over an account's calls and market rules. */
  static readonly layer: Layer.Layer<LimitOrders, never, Call.Call | MarketRules> = OrderService.layer(
    LimitOrders,
    endpoint,
    {
      bounds: (request) => Market.limit({ ...request, collateral: false }),
      legs: (order) => [order]
    }
  )
}
