/**
 * Orders in responses (the document, "Stop-limit order (response)", which lists all order types).
 *
 * @example
 * ```ts
 * import type { OrderAnswer } from "effect-txc"
 * import { Decimal } from "effect-txc"
 *
 * // Whether any part of the order was filled.
 * const isFilled = (order: OrderAnswer.Order) => !Decimal.Equivalence(order.dealStock, Decimal.zero)
 * ```
 */
import type * as Schema from "effect/Schema"
import { Decimal, type FeeRate } from "../domain/Decimal.ts"
import type { ClientOrderId, MarketName, OrderId, Ticker } from "../domain/Identifiers.ts"
import {
  ReceivedActivationCondition,
  type ReceivedPositionSide,
  type ReceivedSelfTradePrevention,
  type ReceivedSide,
  type ReceivedStatus,
  type ReceivedType
} from "../domain/Order.ts"
import type { UnixTime } from "../domain/Time.ts"
import type { Dialect } from "./Dialect.ts"
import * as OrderFields from "./OrderFields.ts"
import * as Wire from "./Wire.ts"

/**
 * The fields that open orders, closed orders and the legs of OCO orders have in common in all responses. Fields that
 * only the document's dialect requires are optional.
 *
 * @category models
 */
export interface AnyOrder {
  /** The exchange's identifier for the order. */
  readonly orderId: OrderId
  /**
   * Your own identifier for the order. Absent when the order has no client order id, or the exchange does not return
   * it.
   */
  readonly clientOrderId?: ClientOrderId
  /** The market on which the order trades. */
  readonly market: MarketName
  /** Whether the order buys or sells. */
  readonly side: ReceivedSide
  /** The order's type, such as limit or stop market. */
  readonly type: ReceivedType
  /**
   * `true` when the order's type on the wire shows that the order is on margin. Live dialect only: the document's order
   * types do not show this.
   */
  readonly margin?: true
  /** The time when the order was created, in Unix seconds, to the microsecond. */
  readonly timestamp: UnixTime
  /** The amount filled so far, in the quote currency. */
  readonly dealMoney: Decimal
  /** The amount filled so far, in the base currency. */
  readonly dealStock: Decimal
  /** The fee charged so far, in `feeAsset`. */
  readonly dealFee: Decimal
  /** The fee's currency. Absent before a fee is charged. Live dialect only. */
  readonly feeAsset?: Ticker
  /** The ordered amount, in the base currency, or in the quote currency for a market buy. */
  readonly amount: Decimal
  /** The limit price, in the quote currency. Absent on market orders. */
  readonly price?: Decimal
  /** Whether the order is post-only: the exchange refuses it if it would trade immediately. */
  readonly postOnly?: boolean
  /** The order's status (the document, "States and transitions"). */
  readonly status?: ReceivedStatus
  /** The action taken when the order would trade with another order from the same account. */
  readonly stp?: ReceivedSelfTradePrevention
  /** The position to which the order belongs. Absent on spot orders. */
  readonly positionSide?: ReceivedPositionSide
}

/**
 * An order in the responses to calls that place, cancel and list orders.
 *
 * @category models
 */
export interface Order extends AnyOrder {
  /** The unfilled amount, in the same currency as `amount`. */
  readonly left: Decimal
  /** Whether the exchange cancels the part that can't trade immediately ("immediate or cancel"). */
  readonly ioc?: boolean
  /** Whether the order only trades against retail orders ("retail price improvement"). */
  readonly rpi?: boolean
  /**
   * The fee rate for trades in which the order is the taker, as a ratio. Live dialect only, in responses until 2023.
   */
  readonly takerFee?: FeeRate
  /**
   * The fee rate for trades in which the order is the maker, as a ratio. Live dialect only, in responses until 2023.
   */
  readonly makerFee?: FeeRate
  /** Whether the order trades as a retail order, which may get a better price. Live dialect only. */
  readonly retail?: boolean
  /** The take-profit and stop-loss that the exchange places when the order is filled. Live dialect only. */
  readonly oto?: OrderFields.Oto
  /** Whether the order may only reduce or close a position. */
  readonly reduceOnly?: boolean
  /** Whether the market price has reached the activation price. Stop orders only. */
  readonly activated?: boolean
  /** Whether the market price must rise or fall to reach the activation price. Stop orders only. */
  readonly activationCondition?: ReceivedActivationCondition
  /** The price that triggers the order, in the quote currency. Stop orders only. */
  readonly activationPrice?: Decimal
}

/**
 * The schema of an order in most responses.
 *
 * @category schemas
 */
export const order = (dialect: Dialect): Schema.Codec<Order, unknown> =>
  Wire.answer<Order>(OrderFields.order(dialect), OrderFields.spelling(dialect)).schema.annotate(
    Wire.definedAs("PlacedOrder")
  )

/**
 * A stop order, in the responses to calls that place stop orders.
 *
 * @category models
 */
export interface StopOrder extends Order {
  /** The price that triggers the order, as submitted, in the quote currency. */
  readonly activationPrice: Decimal
}

/**
 * The schema of a stop order in the responses to calls that place stop orders.
 *
 * @category schemas
 */
export const stopOrder = (dialect: Dialect): Schema.Codec<StopOrder, unknown> =>
  Wire.answer<StopOrder>({
    ...OrderFields.order(dialect),
    // Stop orders always have an activation price.
    activated: dialect.omissible(Wire.Bit),
    activationCondition: dialect.omissible(ReceivedActivationCondition),
    activationPrice: Decimal
  }, OrderFields.spelling(dialect)).schema.annotate(Wire.definedAs("PlacedStopOrder"))
