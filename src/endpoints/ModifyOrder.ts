/**
 * Changing an open order. The exchange cancels it and places another one: the new order has another order id, the same
 * client order id, and stands behind all others at its price.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Decimal, Identifiers, ModifyOrder } from "effect-txc"
 *
 * // Moves a quote to another price, and keeps the order id that it has from now on.
 * const requote = Effect.gen(function*() {
 *   const { modify } = yield* ModifyOrder.ModifyOrder
 *   const { orderId } = yield* modify({
 *     market: Identifiers.marketName("BTC_USDT"),
 *     clientOrderId: Identifiers.ClientOrderId.make("quote-bid-1"),
 *     price: Decimal.price("39950")
 *   })
 *   return orderId
 * })
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Call from "../client/call/Call.ts"
import * as LocalRefusal from "../client/call/LocalRefusal.ts"
import { MarketRules } from "../client/MarketRules.ts"
import * as Observation from "../client/Observation.ts"
import * as OrderEcho from "../client/OrderEcho.ts"
import { Amount, Price, price } from "../domain/Decimal.ts"
import { ClientOrderId, MarketName, marketName, OrderId } from "../domain/Identifiers.ts"
import * as Market from "../domain/Market.ts"
import type { SelfTradePrevention } from "../domain/Order.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as OrderAnswer from "../protocol/OrderAnswer.ts"
import * as OrderTerms from "../protocol/OrderTerms.ts"
import * as Wire from "../protocol/Wire.ts"
import * as CancelOrder from "./CancelOrder.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

/**
 * What changes: at least one of amount, total, price and activation price. What is absent stays as it is.
 *
 * @category models
 * @since 0.1.0
 */
export interface Changes {
  /**
   * How much, in units of the base currency, with what is filled already. Not of a stop-market buy on the spot. Its precision
   * and least value depend on the market.
   */
  readonly amount?: Amount
  /** What a stop-market buy on the spot spends, in units of the quote currency. Only of such an order. */
  readonly total?: Amount
  /** The limit, in units of the quote currency. Only of an order that has one. Its precision depends on the market. */
  readonly price?: Price
  /**
   * The price that triggers the order, in units of the quote currency. Only of a stop order that has not been triggered. Its
   * precision depends on the market.
   */
  readonly activationPrice?: Price
  /** What to do when the order would trade with another one of the same account. */
  readonly stp?: SelfTradePrevention
}

/**
 * An order to change, by the exchange's identifier.
 *
 * @category models
 * @since 0.1.0
 */
export interface ByOrderId extends CancelOrder.ByOrderId, Changes {}

/**
 * An order to change, by your own identifier.
 *
 * @category models
 * @since 0.1.0
 */
export interface ByClientOrderId extends CancelOrder.ByClientOrderId, Changes {}

/**
 * Which order to change, by one of its two identifiers, and what of it.
 *
 * @category models
 * @since 0.1.0
 */
export type Request = ByOrderId | ByClientOrderId

/** The request on the wire, where only the constraints say that it has one identifier. */
interface Sent extends OrderTerms.Existing, Changes {}

const request = (dialect: Dialect) =>
  Wire.struct<Sent>({
    market: MarketName,
    orderId: Schema.optionalKey(Wire.RequestedOrderId),
    clientOrderId: Schema.optionalKey(ClientOrderId),
    amount: Schema.optionalKey(dialect.decimal(Amount)),
    total: Schema.optionalKey(dialect.decimal(Amount)),
    price: Schema.optionalKey(dialect.decimal(Price)),
    activationPrice: Schema.optionalKey(dialect.decimal(Price)),
    stp: Schema.optionalKey(dialect.selfTradePrevention)
  }, {
    keys: { orderId: dialect.keys.orderId, clientOrderId: dialect.keys.clientOrderId },
    constraints: [
      ...OrderTerms.oneIdentifier(dialect.keys.clientOrderId),
      {
        field: "amount",
        constraint: { kind: "required" },
        holds: ({ activationPrice, amount, price, total }) =>
          [activationPrice, amount, price, total].some((change) => change !== undefined)
      },
      {
        field: "total",
        constraint: { kind: "alone", with: "amount" },
        holds: ({ amount, total }) => amount === undefined || total === undefined
      }
    ]
  })

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

/** The exchange has also answered a list with the order. */
const readOrder = (wire: unknown): unknown => Array.isArray(wire) && wire.length === 1 ? wire[0] : wire

const response = (dialect: Dialect) => {
  const order = OrderAnswer.order(dialect)
  return dialect.older(order, () => Schema.Tuple([order]), readOrder)
}

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/**
 * `POST /api/v4/order/modify`. Its source is the live exchange's own documentation.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const endpoint = Endpoint.make({
  name: "ModifyOrder.modify",
  path: "/api/v4/order/modify",
  access: "private",
  mutates: true,
  places: "nothing",
  refusals: ["ValidationFailed"],
  request,
  response,
  example: (): Request => ({
    market: marketName("BTC_USDT"),
    orderId: OrderId.make("1"),
    price: price("39950")
  })
})

/**
 * What changing an order can fail with.
 *
 * @category errors
 * @since 0.1.0
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * Changes open orders.
 *
 * @category services
 * @since 0.1.0
 */
export class ModifyOrder extends Context.Service<ModifyOrder, {
  /**
   * Changes the order, after checking what changes against the rules of its market, and gives the order that has taken its
   * place: its order id is another one. What was filled stays with the old order, and the new one is for the rest.
   *
   * Fails with `ValidationFailed` when a field is wrong or the market does not admit the change; with `RequestRejected`
   * when there is no such order, when it is not open any more, when it has no such term, or when the balance is too low,
   * and then the order stays as it is; with `OutcomeUnknown` when the answer is lost and the order may have been changed:
   * its order id may be another one by now.
   */
  readonly modify: (request: Request) => Effect.Effect<OrderAnswer.Order, Failure>
}>()("effect-txc/endpoints/ModifyOrder") {
  /** The service over an account's calls and market rules. */
  static readonly layer: Layer.Layer<ModifyOrder, never, Call.Call | MarketRules> = Layer.effect(
    ModifyOrder,
    Effect.gen(function*() {
      const { dialect, make } = yield* Call.Call
      const rules = yield* MarketRules
      const call = make(endpoint, {
        check: (request) => LocalRefusal.withinMarketRules(rules, endpoint, dialect, Market.changed(request)),
        contradiction: OrderEcho.contradictionOfChange
      })
      return { modify: (request) => Observation.spanned(endpoint.name, call(request)) }
    })
  )
}
