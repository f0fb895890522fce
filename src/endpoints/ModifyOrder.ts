/**
 * Modifies an open order. The exchange cancels the order and places a replacement with a new order id and the same
 * client order id. The replacement joins the end of the queue at its price.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Decimal, Identifiers, ModifyOrder } from "effect-txc"
 *
 * // Moves a quote to another price, and returns its new order id.
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
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Call from "../client/call/Call.ts"
import * as LocalRefusal from "../client/call/LocalRefusal.ts"
import * as ServiceLayer from "../client/make/ServiceLayer.ts"
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
 * The new terms: at least one of amount, total, price and activation price. Omitted terms do not change.
 *
 * @category models
 */
export interface Changes {
  /**
   * The ordered amount, in the base currency, including the filled part. Not allowed for spot stop-market buy orders.
   * The market sets the amount's precision and minimum.
   */
  readonly amount?: Amount
  /** The amount that a spot stop-market buy order spends, in the quote currency. Not allowed for other orders. */
  readonly total?: Amount
  /**
   * The limit price, in the quote currency. Only for an order with a limit price. The market sets the price's
   * precision.
   */
  readonly price?: Price
  /**
   * The price that triggers the order, in the quote currency. Only for an untriggered stop order. The market sets the
   * price's precision.
   */
  readonly activationPrice?: Price
  /** Self-trade prevention: the action when the order would trade against another order from the same account. */
  readonly stp?: SelfTradePrevention
}

/**
 * An order to modify, identified by the exchange's order id.
 *
 * @category models
 */
export interface ByOrderId extends CancelOrder.ByOrderId, Changes {}

/**
 * An order to modify, identified by its client order id.
 *
 * @category models
 */
export interface ByClientOrderId extends CancelOrder.ByClientOrderId, Changes {}

/**
 * The new terms of an order, and the order's identifier: its order id or its client order id.
 *
 * @category models
 */
export type Request = ByOrderId | ByClientOrderId

/** The request as sent. Its type allows any identifiers; constraints require exactly one. */
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

/** The exchange has sometimes sent a list that contains only the order. */
const readOrder = (wire: unknown): unknown => Array.isArray(wire) && wire.length === 1 ? wire[0] : wire

const response = (dialect: Dialect) => {
  const order = OrderAnswer.order(dialect)
  return dialect.older(order, () => Schema.Tuple([order]), readOrder)
}

/**
 * The endpoint `POST /api/v4/order/modify`. Source: the live exchange's documentation.
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
 * Errors that can occur when modifying an order.
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
   * Checks the new terms against the market's rules, modifies the order, and returns its replacement, which has a new
   * order id. Existing fills belong to the old order; the replacement covers only the unfilled amount.
   *
   * Fails with `ValidationFailed` when a field is invalid or the market does not accept the new terms. Fails with
   * `RequestRejected`, without changing the order, when no open order of the account has the requested id, the order
   * lacks one of the changed terms, or the balance is too low. Fails with `OutcomeUnknown` when the response is lost
   * and the order may have been modified: the order may then have a new order id.
   */
  readonly modify: (request: Request) => Effect.Effect<OrderAnswer.Order, Failure>
}>()("effect-txc/endpoints/ModifyOrder") {
  /** Provides this service. Requires an account's `Call` and `MarketRules`. */
  static readonly layer: Layer.Layer<ModifyOrder, never, Call.Call | MarketRules> = ServiceLayer.layer(
    ModifyOrder,
    Effect.gen(function*() {
      const { dialect, make } = yield* Call.Call
      const rules = yield* MarketRules
      const call = make(endpoint, {
        check: (request) => LocalRefusal.withinMarketRules(rules, endpoint, dialect, Market.changed(request)),
        contradiction: OrderEcho.contradictionOfChange
      })
      return { modify: (request) => Observation.requested(endpoint.name, call(request)) }
    })
  )
}
