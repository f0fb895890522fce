/**
 * Limit orders. A limit order trades immediately up to its limit price; the remainder rests in the book.
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
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Call from "../client/call/Call.ts"
import type * as ClientOrderIdEcho from "../client/ClientOrderIdEcho.ts"
import * as OrderService from "../client/make/OrderService.ts"
import type { MarketRules } from "../client/MarketRules.ts"
import { Amount, amount, Price, price } from "../domain/Decimal.ts"
import { marketName } from "../domain/Identifiers.ts"
import * as Market from "../domain/Market.ts"
import type { BboRole } from "../domain/Order.ts"
import { Flag } from "../domain/Text.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as OrderAnswer from "../protocol/OrderAnswer.ts"
import * as OrderTerms from "../protocol/OrderTerms.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * The terms of every limit order.
 *
 * @category models
 */
export interface Terms extends OrderTerms.OnSpot, OrderTerms.Resting {
  /** The ordered amount, in the base currency. The market sets the amount's precision and minimum. */
  readonly amount: Amount
  /**
   * Whether to trade as a retail order, which may get a better price. The exchange must have approved the account for
   * retail orders. Can't be combined with `rpi`. Live dialect only.
   */
  readonly retail?: boolean
}

/**
 * A limit order at a price.
 *
 * @category models
 */
export interface AtPrice extends Terms {
  /** The limit price, in the quote currency. The market sets the price's precision. */
  readonly price: Price
  /** How to trade at the best bid or offer instead of at `price`. Live dialect only. */
  readonly bboRole?: BboRole
}

/**
 * A limit order at the best bid or offer. Live dialect only.
 *
 * @category models
 */
export interface AtBest extends Terms {
  /**
   * How to trade at the best bid or offer: `queue` rests at the best price of the order's own side, and `counterparty`
   * trades at the best price of the other side. `bboRole` can't be combined with `postOnly`, and `queue` can't be
   * combined with `ioc`. Live dialect only.
   */
  readonly bboRole: BboRole
  /** The exchange ignores this field, because `bboRole` takes precedence. */
  readonly price?: Price
}

/**
 * A limit order to place.
 *
 * @category models
 */
export type Request = AtPrice | AtBest

/** The request as sent. Its type allows both `price` and `bboRole` to be absent; a constraint requires at least one. */
interface Sent extends Terms {
  /** The limit price, in the quote currency. */
  readonly price?: Price
  /** How to trade at the best bid or offer. */
  readonly bboRole?: BboRole
}

const request = (dialect: Dialect) =>
  Wire.struct<Sent>({
    ...OrderTerms.fields(dialect, "market", "side", "amount"),
    price: dialect.omissible(dialect.decimal(Price)),
    ...OrderTerms.fields(dialect, "clientOrderId", "postOnly", "ioc", "stp"),
    bboRole: dialect.extension(Wire.BboRole),
    ...OrderTerms.fields(dialect, "rpi"),
    retail: dialect.extension(Flag)
  }, {
    keys: OrderTerms.keys(dialect),
    constraints: [
      OrderTerms.hasLimit,
      OrderTerms.restsOrNot,
      ...OrderTerms.rpiRestsOrNot,
      ...OrderTerms.bestRestsOrNot,
      takesOrRests
    ]
  })

/** An order can't be both `retail` and `rpi`: `retail` orders take the liquidity that `rpi` orders provide. */
const takesOrRests = {
  field: "retail",
  constraint: { kind: "exclusive", with: "rpi" },
  holds: ({ retail, rpi }: Sent) => retail !== true || rpi !== true
} as const

/**
 * The endpoint `POST /api/v4/order/new`.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "LimitOrders.create",
  path: "/api/v4/order/new",
  access: "private",
  mutates: true,
  places: "order",
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
 * Errors that can occur when placing a limit order.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Places limit orders.
 *
 * @category services
 */
export class LimitOrders extends Context.Service<LimitOrders, {
  /** Places the order, after checking it against the market's rules. */
  readonly create: (request: Request) => Effect.Effect<ClientOrderIdEcho.Created<OrderAnswer.Order>, Failure>
}>()("effect-txc/endpoints/LimitOrders") {
  /** Provides this service. Requires an account's `Call` and `MarketRules`. */
  static readonly layer: Layer.Layer<LimitOrders, never, Call.Call | MarketRules> = OrderService.layer(
    LimitOrders,
    endpoint,
    {
      bounds: (request) => Market.limit({ ...request, collateral: false }),
      legs: (order, request) => [[order, "limit", request]]
    }
  )
}
