/**
 * An order as most calls answer it (document, "Stop-limit order (response)", which lists all types of orders).
 *
 * @example
 * ```ts
 * import type { OrderAnswer } from "effect-txc"
 * import { Decimal } from "effect-txc"
 *
 * // Whether anything of the order was filled.
 * const isFilled = (order: OrderAnswer.Order) => !Decimal.Equivalence(order.dealStock, Decimal.zero)
 * ```
 *
 * @since 0.1.0
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
 * What every answer about an order says: of an open order, of an ended one, and of a leg of an OCO order. Fields that
 * only the document's dialect demands are optional.
 *
 * @category models
 * @since 0.1.0
 */
export interface AnyOrder {
  /** The exchange's identifier of the order. */
  readonly orderId: OrderId
  /** Your own identifier of the order. Absent when the order has none, or when the exchange does not echo it. */
  readonly clientOrderId?: ClientOrderId
  /** The market that the order trades on. */
  readonly market: MarketName
  /** Whether the order buys or sells. */
  readonly side: ReceivedSide
  /** Limit, market, stop limit and so on. */
  readonly type: ReceivedType
  /** `true` when the type says that the order is on margin. Live dialect only: the document's types do not say it. */
  readonly margin?: true
  /** When the order was created, in Unix seconds with microseconds. */
  readonly timestamp: UnixTime
  /** How much was filled so far, in units of the quote currency. */
  readonly dealMoney: Decimal
  /** How much was filled so far, in units of the base currency. */
  readonly dealStock: Decimal
  /** The fee charged so far, in units of `feeAsset`. */
  readonly dealFee: Decimal
  /** The currency of the fee. Absent as long as there is none. Live dialect only. */
  readonly feeAsset?: Ticker
  /** How much was ordered, in units of the base currency; of the quote currency for a market buy. */
  readonly amount: Decimal
  /** The limit, in units of the quote currency per unit of the base currency. Absent on market orders. */
  readonly price?: Decimal
  /** Whether the order may only rest in the book: it is refused if it would trade at once. */
  readonly postOnly?: boolean
  /** Where the order stands (document, "States and transitions"). */
  readonly status?: ReceivedStatus
  /** What happens when the order would trade with another one of the same account. */
  readonly stp?: ReceivedSelfTradePrevention
  /** The position that the order belongs to. Absent on orders that trade wallets. */
  readonly positionSide?: ReceivedPositionSide
}

/**
 * An order as the calls that place, cancel and list orders answer it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Order extends AnyOrder {
  /** How much is not yet filled, in the units of `amount`. */
  readonly left: Decimal
  /** Whether the part that cannot trade at once is canceled ("immediate or cancel"). */
  readonly ioc?: boolean
  /** Whether the order trades only with retail orders ("retail price improvement"). */
  readonly rpi?: boolean
  /** The fee of a trade that the order makes as a taker, as a ratio. Live dialect only: it has said so until 2023. */
  readonly takerFee?: FeeRate
  /** The fee of a trade that the order makes as a maker, as a ratio. Live dialect only: it has said so until 2023. */
  readonly makerFee?: FeeRate
  /** Whether the order takes as a retail order, which may get a better price. Live dialect only. */
  readonly retail?: boolean
  /** The take-profit and the stop-loss that the order places when it is filled. Live dialect only. */
  readonly oto?: OrderFields.Oto
  /** Whether the order may only reduce or close a position. */
  readonly reduceOnly?: boolean
  /** Whether the market has reached the activation price. Only on stop orders. */
  readonly activated?: boolean
  /** From which side the market must reach the activation price. Only on stop orders. */
  readonly activationCondition?: ReceivedActivationCondition
  /** The price that triggers the order, in units of the quote currency. Only on stop orders. */
  readonly activationPrice?: Decimal
}

/**
 * An order as most calls answer it.
 *
 * @category schemas
 * @since 0.1.0
 */
export const order = (dialect: Dialect): Schema.Codec<Order, unknown> =>
  Wire.answer<Order>(OrderFields.order(dialect), OrderFields.spelling(dialect)).schema

/**
 * An order with a trigger, as the calls that place one answer it.
 *
 * @category models
 * @since 0.1.0
 */
export interface StopOrder extends Order {
  /** The price that triggers the order, in units of the quote currency: the one that was submitted. */
  readonly activationPrice: Decimal
}

/**
 * An order with a trigger.
 *
 * @category schemas
 * @since 0.1.0
 */
export const stopOrder = (dialect: Dialect): Schema.Codec<StopOrder, unknown> =>
  Wire.answer<StopOrder>({
    ...OrderFields.order(dialect),
    // Here an order has a trigger for certain.
    activated: dialect.omissible(Wire.Bit),
    activationCondition: dialect.omissible(ReceivedActivationCondition),
    activationPrice: Decimal
  }, OrderFields.spelling(dialect)).schema
