/**
 * What orders are made of: side, type, status, activation, self-trade prevention (document, "Stop-limit order",
 * "Collateral OCO order" and "States and transitions").
 *
 * @since 0.1.0
 */
import { oneOf } from "./Text.ts"
import * as Unrecognised from "./Unrecognised.ts"

/**
 * The side of an order. On a collateral market `buy` opens or increases a long position, `sell` a short one.
 *
 * @category models
 * @since 0.1.0
 */
export const OrderSide = oneOf(["buy", "sell"]).annotate({ identifier: "OrderSide" })
export type OrderSide = typeof OrderSide.Type

/**
 * The type of an order.
 *
 * @category models
 * @since 0.1.0
 */
export const OrderType = oneOf(["limit", "market", "stock market", "stop limit", "stop market"])
  .annotate({ identifier: "OrderType" })
export type OrderType = typeof OrderType.Type

/**
 * Where an order stands:
 *
 * - `NEW`: accepted, not yet matched
 * - `FILLED`: fully executed
 * - `CANCELED`: canceled before execution
 * - `PARTIAL_FILLED`: partially executed, the remainder still active
 * - `PARTIAL_CANCELED`: partially filled, the remainder canceled
 * - `CANCELED_TAKER_BAND`: partially filled up to the taker band, the remainder canceled
 * - `AUTO_CANCELED_REDUCE_ONLY`: a pending reduce-only order whose position was closed
 *
 * @category models
 * @since 0.1.0
 */
export const OrderStatus = oneOf([
  "NEW",
  "FILLED",
  "CANCELED",
  "PARTIAL_FILLED",
  "PARTIAL_CANCELED",
  "CANCELED_TAKER_BAND",
  "AUTO_CANCELED_REDUCE_ONLY"
]).annotate({ identifier: "OrderStatus" })
export type OrderStatus = typeof OrderStatus.Type

/**
 * What happens when an order would trade with one of the same account: nothing (`no`), or both, the new or the old one
 * are canceled.
 *
 * @category models
 * @since 0.1.0
 */
export const SelfTradePrevention = oneOf(["no", "cancel_both", "cancel_new", "cancel_old"])
  .annotate({ identifier: "SelfTradePrevention" })
export type SelfTradePrevention = typeof SelfTradePrevention.Type

/**
 * When a stop order becomes active: at or above (`gte`), at or below (`lte`) its activation price.
 *
 * @category models
 * @since 0.1.0
 */
export const ActivationCondition = oneOf(["gte", "lte"]).annotate({ identifier: "ActivationCondition" })
export type ActivationCondition = typeof ActivationCondition.Type

/**
 * How a stop order executes at the best bid or offer once it is active: `queue` joins its own side, `counterparty`
 * takes the other. On the wire 1 and 2.
 *
 * @category models
 * @since 0.1.0
 */
export const BboRole = oneOf(["queue", "counterparty"]).annotate({ identifier: "BboRole" })
export type BboRole = typeof BboRole.Type

/**
 * The part of an order in a trade: a `maker` rested in the book, a `taker` came to it. On the wire 1 and 2.
 *
 * @category models
 * @since 0.1.0
 */
export const Role = oneOf(["maker", "taker"]).annotate({ identifier: "Role" })
export type Role = typeof Role.Type

/**
 * Which position an order belongs to. `BOTH` is one-way mode.
 *
 * @category models
 * @since 0.1.0
 */
export const PositionSide = oneOf(["LONG", "SHORT", "BOTH"]).annotate({ identifier: "PositionSide" })
export type PositionSide = typeof PositionSide.Type

/**
 * Which orders a cancel-all reaches: `spot`; `margin`, the marginal orders of spot markets (not the collateral balance);
 * `futures`, the marginal orders of futures markets.
 *
 * @category models
 * @since 0.1.0
 */
export const CancelAllType = oneOf(["spot", "margin", "futures"]).annotate({ identifier: "CancelAllType" })
export type CancelAllType = typeof CancelAllType.Type

/**
 * The side of an order as received. A value that the document does not list is kept as an `Unrecognised`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ReceivedSide = Unrecognised.open(OrderSide)
/**
 * The values of {@link ReceivedSide}.
 *
 * @category models
 * @since 0.1.0
 */
export type ReceivedSide = typeof ReceivedSide.Type

/**
 * The type of an order as received. A value that the document does not list is kept as an `Unrecognised`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ReceivedType = Unrecognised.open(OrderType)
/**
 * The values of {@link ReceivedType}.
 *
 * @category models
 * @since 0.1.0
 */
export type ReceivedType = typeof ReceivedType.Type

/**
 * The status of an order as received. A value that the document does not list is kept as an `Unrecognised`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ReceivedStatus = Unrecognised.open(OrderStatus)
/**
 * The values of {@link ReceivedStatus}.
 *
 * @category models
 * @since 0.1.0
 */
export type ReceivedStatus = typeof ReceivedStatus.Type

/**
 * The self-trade prevention of an order as received. A value that the document does not list is kept as an `Unrecognised`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ReceivedSelfTradePrevention = Unrecognised.open(SelfTradePrevention)
/**
 * The values of {@link ReceivedSelfTradePrevention}.
 *
 * @category models
 * @since 0.1.0
 */
export type ReceivedSelfTradePrevention = typeof ReceivedSelfTradePrevention.Type

/**
 * The activation condition of a stop order as received. A value that the document does not list is kept as an `Unrecognised`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ReceivedActivationCondition = Unrecognised.open(ActivationCondition)
/**
 * The values of {@link ReceivedActivationCondition}.
 *
 * @category models
 * @since 0.1.0
 */
export type ReceivedActivationCondition = typeof ReceivedActivationCondition.Type

/**
 * The position side of an order as received. A value that the document does not list is kept as an `Unrecognised`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ReceivedPositionSide = Unrecognised.open(PositionSide)
/**
 * The values of {@link ReceivedPositionSide}.
 *
 * @category models
 * @since 0.1.0
 */
export type ReceivedPositionSide = typeof ReceivedPositionSide.Type

/**
 * The document's condition for activating a stop order: a buy at or above its activation price, a sell at or below it
 * ("Stop order activation").
 *
 * @category conditions
 * @since 0.1.0
 */
export const activationConditionOf = (side: OrderSide): ActivationCondition => side === "buy" ? "gte" : "lte"

/** Whether an order of this status can still trade. */
export const isOpen = (status: OrderStatus): boolean => status === "NEW" || status === "PARTIAL_FILLED"
