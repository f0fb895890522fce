/**
 * Collateral OCO orders (the document, Endpoints §2): a take-profit and a stop-loss. When one leg trades, the exchange
 * cancels the other.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { CollateralOcoOrders, Decimal, Identifiers } from "effect-txc"
 *
 * // Closes a long position of 0.01 BTC at 42000 USDT or better, or when the price has fallen to 38000 USDT.
 * const exit = Effect.gen(function*() {
 *   const orders = yield* CollateralOcoOrders.CollateralOcoOrders
 *   const { stopLoss, takeProfit } = yield* orders.create({
 *     market: Identifiers.marketName("BTC_USDT"),
 *     side: "sell",
 *     amount: Decimal.amount("0.01"),
 *     price: Decimal.price("42000"),
 *     activationPrice: Decimal.price("38000"),
 *     stopLimitPrice: Decimal.price("37900")
 *   })
 *   return [stopLoss.orderId, takeProfit.orderId]
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
import { Amount, amount, Decimal, FeeRate, Price, price } from "../domain/Decimal.ts"
import { ClientOrderId, marketName, type OrderId } from "../domain/Identifiers.ts"
import * as Market from "../domain/Market.ts"
import { ReceivedActivationCondition, ReceivedPositionSide, type SelfTradePrevention } from "../domain/Order.ts"
import { UnixTime } from "../domain/Time.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import type * as OrderAnswer from "../protocol/OrderAnswer.ts"
import * as OrderFields from "../protocol/OrderFields.ts"
import * as OrderTerms from "../protocol/OrderTerms.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * A collateral OCO order to place: both legs in one request.
 *
 * @category models
 */
export interface Request extends OrderTerms.OnMargin {
  /**
   * Each leg's amount, in the base currency. The market sets the precision and minimum of the amount, and limits the
   * total (amount × price).
   */
  readonly amount: Amount
  /** The take-profit's limit price, in the quote currency. The market sets the price's precision. */
  readonly price: Price
  /** The price that triggers the stop-loss, in the quote currency. The market sets the price's precision. */
  readonly activationPrice: Price
  /**
   * The limit price of the stop-loss once the stop-loss triggers, in the quote currency. The market sets the price's
   * precision.
   */
  readonly stopLimitPrice: Price
  /** The pair's client order id. The client generates an id when you omit it. */
  readonly clientOrderId?: ClientOrderId
  /**
   * Whether both legs may only reduce or close a position. If the amount is larger than the position, the exchange
   * reduces the amount to the position's size. Default `false`. The document announces this field for a later version.
   */
  readonly reduceOnly?: boolean
  /**
   * Self-trade prevention: the action when a leg would trade against another order from the same account. Default `no`:
   * no action. Live dialect only.
   */
  readonly stp?: SelfTradePrevention
}

const request = (dialect: Dialect) =>
  Wire.struct<Request>({
    ...OrderTerms.fields(dialect, "market", "side", "amount", "price", "activationPrice"),
    stopLimitPrice: dialect.decimal(Price),
    ...OrderTerms.fields(dialect, "clientOrderId", "reduceOnly"),
    stp: dialect.extension(dialect.selfTradePrevention),
    ...OrderTerms.fields(dialect, "positionSide")
  }, { keys: { ...OrderTerms.keys(dialect), stopLimitPrice: "stop_limit_price" } })

/**
 * A leg of an OCO order (the document, "Order leg object"). A take-profit has exactly these fields.
 *
 * @category models
 */
export interface Leg extends OrderAnswer.AnyOrder {
  /** The unfilled amount, in the base currency. */
  readonly left: Decimal
  /** The limit price, in the quote currency. */
  readonly price: Decimal
  /** Whether the leg is post-only. */
  readonly postOnly: boolean
  /** The leg's taker fee rate, as a ratio. */
  readonly takerFee?: FeeRate
  /** The leg's maker fee rate, as a ratio. */
  readonly makerFee?: FeeRate
  /** The time of the leg's last change, in Unix seconds with microsecond precision. */
  readonly mtime: UnixTime
  /** Whether the leg may only reduce or close a position. Live dialect only. */
  readonly reduceOnly?: boolean
}

/**
 * An OCO order's stop-loss, which is the leg with an activation price.
 *
 * @category models
 */
export interface StopLeg extends Leg {
  /** Whether the market price has reached the activation price. */
  readonly activated: boolean
  /**
   * The condition that triggers the leg: the market price is at or above (`gte`), or at or below (`lte`), the
   * activation price.
   */
  readonly activationCondition: ReceivedActivationCondition
  /** The price that triggers the leg, in the quote currency. */
  readonly activationPrice: Decimal
}

/**
 * An OCO order as the exchange returns it (the document, "Collateral OCO order").
 *
 * @category models
 */
export interface CollateralOcoOrder {
  /** The pair's id, assigned by the exchange. Each leg also has its own order id. */
  readonly id: OrderId
  /** Whether both legs may only reduce or close a position. */
  readonly reduceOnly?: boolean
  /** The leg that becomes a limit order when the market price reaches the leg's activation price. */
  readonly stopLoss: StopLeg
  /** The leg that rests in the book as a limit order. */
  readonly takeProfit: Leg
}

const legFields = (dialect: Dialect) => ({
  ...OrderFields.common(dialect),
  left: Decimal,
  price: Decimal,
  postOnly: Schema.Boolean,
  takerFee: dialect.omissible(FeeRate),
  makerFee: dialect.omissible(FeeRate),
  mtime: UnixTime,
  positionSide: dialect.omissible(ReceivedPositionSide),
  reduceOnly: dialect.extension(Schema.Boolean)
})

const legKeys = ({ keys }: Dialect) => ({ ...keys, postOnly: "post_only" })

/** A leg always has a limit price, so a price of zero does not mean that the price is absent. */
const legSpelling = (dialect: Dialect) => ({
  absent: OrderFields.absentIds(dialect),
  ...OrderFields.joint(dialect)
})

const leg = (dialect: Dialect) =>
  Wire.answer<Leg>(legFields(dialect), { keys: legKeys(dialect), ...legSpelling(dialect) })

const stopLeg = (dialect: Dialect) =>
  Wire.answer<StopLeg>({
    ...legFields(dialect),
    activationPrice: Decimal,
    activationCondition: ReceivedActivationCondition,
    activated: Wire.Bit
  }, {
    keys: {
      ...legKeys(dialect),
      activationPrice: "activation_price",
      activationCondition: "activation_condition"
    },
    ...legSpelling(dialect)
  })

const order = (dialect: Dialect) =>
  Wire.answer<CollateralOcoOrder>({
    id: Wire.OrderId,
    reduceOnly: dialect.omissible(Schema.Boolean),
    stopLoss: stopLeg(dialect).schema,
    takeProfit: leg(dialect).schema
  }, { keys: { stopLoss: "stop_loss", takeProfit: "take_profit" } })

/**
 * The endpoint `POST /api/v4/order/collateral/oco` (the document, Endpoints §2).
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "CollateralOcoOrders.create",
  clause: "Endpoints §2",
  path: "/api/v4/order/collateral/oco",
  access: "private",
  mutates: true,
  places: "pair",
  refusals: ["ValidationFailed", "ReduceOnlyRejected"],
  request,
  response: (dialect) => order(dialect).schema.annotate(Wire.definedAs("OcoOrder")),
  example: (): Request => ({
    market: marketName("BTC_USDT"),
    side: "sell",
    amount: amount("0.01"),
    price: price("42000"),
    activationPrice: price("38000"),
    stopLimitPrice: price("37900"),
    clientOrderId: ClientOrderId.make("bracket-1")
  })
})

/**
 * Errors that can occur when placing a collateral OCO order.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Places collateral OCO orders.
 *
 * @category services
 */
export class CollateralOcoOrders extends Context.Service<CollateralOcoOrders, {
  /**
   * Places both legs, after checking them against the market's rules.
   *
   * Fails with:
   *
   * - `ValidationFailed` when a field is invalid or the market does not accept the order
   * - `ReduceOnlyRejected` when `reduceOnly` is set but there is no opposite position
   * - `OutcomeUnknown` when the response is lost and the legs may have been placed
   */
  readonly create: (request: Request) => Effect.Effect<ClientOrderIdEcho.Created<CollateralOcoOrder>, Failure>
}>()("effect-txc/endpoints/CollateralOcoOrders") {
  /** Provides this service. Requires an account's `Call` and `MarketRules`. */
  static readonly layer: Layer.Layer<CollateralOcoOrders, never, Call.Call | MarketRules> = OrderService.layer(
    CollateralOcoOrders,
    endpoint,
    {
      bounds: Market.collateralOco,
      legs: ({ stopLoss, takeProfit }, request) => [
        [stopLoss, "stop limit", { ...request, price: request.stopLimitPrice }],
        [takeProfit, "limit", request]
      ],
      echoes: ({ legClientOrderIds }) => legClientOrderIds === "echoed"
    }
  )
}
