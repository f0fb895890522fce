/**
 * Modifies an open order. The exchange cancels it and places a new one with another order id, the same client order id,
 * and the last place in the queue at its price.
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

/**
 * The new terms: at least one of amount, total, price and activation price. Absent terms stay as they are.
 *
 * @category models
 */
export interface Changes {
  /**
   * The ordered amount, in the base currency, including the filled part. Not allowed for a spot stop-market buy. The
   * market sets its precision and minimum.
   */
  readonly amount?: Amount
  /** The amount that a spot stop-market buy spends, in the quote currency. Not allowed for other orders. */
  readonly total?: Amount
  /** The limit price, in the quote currency. Only for an order that has one. The market sets its precision. */
  readonly price?: Price
  /**
   * The price that triggers the order, in the quote currency. Only for an untriggered stop order. The market sets its
   * precision.
   */
  readonly activationPrice?: Price
  /** The action when the order would trade with another order of the same account. */
  readonly stp?: SelfTradePrevention
}

/**
 * An order to modify, named by the exchange's identifier.
 *
 * @category models
 */
export interface ByOrderId extends CancelOrder.ByOrderId, Changes {}

/**
 * An order to modify, named by your own identifier.
 *
 * @category models
 */
export interface ByClientOrderId extends CancelOrder.ByClientOrderId, Changes {}

/**
 * The order to modify, named by one of its two identifiers, and its new terms.
 *
 * @category models
 */
export type Request = ByOrderId | ByClientOrderId

/** The request on the wire. Its type does not require exactly one identifier; the constraints do. */
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

/** The exchange has also answered a list with the order. */
const readOrder = (wire: unknown): unknown => Array.isArray(wire) && wire.length === 1 ? wire[0] : wire

const response = (dialect: Dialect) => {
  const order = OrderAnswer.order(dialect)
  return dialect.older(order, () => Schema.Tuple([order]), readOrder)
}

/**
 * `POST /api/v4/order/modify`. Source: the live exchange's documentation.
 *
 * @category endpoints
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
 * Errors that modifying an order can fail with.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Modifies open orders.
 *
 * @category services
 */
export class ModifyOrder extends Context.Service<ModifyOrder, {
  /**
   * Modifies the order, after checking the new terms against its market's rules, and returns the order that replaces
   * it, with another order id. The filled part stays with the old order; the new one is for the rest.
   *
   * Fails with `ValidationFailed` when a field is wrong or the market does not accept the new terms; with
   * `RequestRejected` when there is no such open order, the order does not have such a term, or the balance is too low,
   * and then the order stays as it is; with `OutcomeUnknown` when the answer is lost and the order may have been
   * modified: it may then have another order id.
   */
  readonly modify: (request: Request) => Effect.Effect<OrderAnswer.Order, Failure>
}>()("effect-txc/endpoints/ModifyOrder") {
  /** Makes the service from an account's calls and market rules. */
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
