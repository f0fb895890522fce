/**
 * The enumerations of orders: side, type, status, activation condition, self-trade prevention and others (the document,
 * "Stop-limit order", "Collateral OCO order" and "States and transitions").
 *
 * A request accepts only the listed values. A response may contain other values, which are returned as an
 * `Unrecognised`. The types that include such values have names that begin with `Received`.
 *
 * @example
 * ```ts
 * import { Order } from "effect-txc"
 *
 * const opposite = (side: Order.OrderSide): Order.OrderSide => side === "buy" ? "sell" : "buy"
 * ```
 */
import { oneOf } from "./Text.ts"
import * as Unrecognised from "./Unrecognised.ts"

/**
 * An order's side. On a collateral market, `buy` adds to a long position or reduces a short one, and `sell` does the
 * opposite.
 *
 * @category schemas
 */
export const OrderSide = oneOf(["buy", "sell"]).annotate({ identifier: "OrderSide" })
/**
 * The values of {@link OrderSide}.
 *
 * @category models
 */
export type OrderSide = typeof OrderSide.Type

/**
 * An order's type.
 *
 * @category schemas
 */
export const OrderType = oneOf(["limit", "market", "stock market", "stop limit", "stop market"])
  .annotate({ identifier: "OrderType" })
/**
 * The values of {@link OrderType}.
 *
 * @category models
 */
export type OrderType = typeof OrderType.Type

/**
 * An order's status:
 *
 * - `NEW`: accepted, not yet matched
 * - `FILLED`: fully executed
 * - `CANCELED`: canceled before any execution
 * - `PARTIAL_FILLED`: partially executed, the remainder still active
 * - `PARTIAL_CANCELED`: partially filled, the remainder canceled
 * - `CANCELED_TAKER_BAND`: partially filled up to the taker band, the remainder canceled
 * - `AUTO_CANCELED_REDUCE_ONLY`: canceled because it was a pending reduce-only order and its position was closed
 * - `AUTO_CANCELED_LIQUIDATION`: canceled while pending because the account was liquidated (live exchange only)
 *
 * @category schemas
 */
export const OrderStatus = oneOf([
  "NEW",
  "FILLED",
  "CANCELED",
  "PARTIAL_FILLED",
  "PARTIAL_CANCELED",
  "CANCELED_TAKER_BAND",
  "AUTO_CANCELED_REDUCE_ONLY",
  "AUTO_CANCELED_LIQUIDATION"
]).annotate({ identifier: "OrderStatus" })
/**
 * The values of {@link OrderStatus}.
 *
 * @category models
 */
export type OrderStatus = typeof OrderStatus.Type

/**
 * The exchange's action if an order would trade with another order of the same account:
 *
 * - `no`: no action; the orders trade with each other
 * - `cancel_both`: the exchange cancels both orders
 * - `cancel_new`: the exchange cancels the new order
 * - `cancel_old`: the exchange cancels the old order
 *
 * @category schemas
 */
export const SelfTradePrevention = oneOf(["no", "cancel_both", "cancel_new", "cancel_old"])
  .annotate({ identifier: "SelfTradePrevention" })
/**
 * The values of {@link SelfTradePrevention}.
 *
 * @category models
 */
export type SelfTradePrevention = typeof SelfTradePrevention.Type

/**
 * The condition that triggers a stop order: the market price is at or above (`gte`), or at or below (`lte`), the
 * activation price.
 *
 * @category schemas
 */
export const ActivationCondition = oneOf(["gte", "lte"]).annotate({ identifier: "ActivationCondition" })
/**
 * The values of {@link ActivationCondition}.
 *
 * @category models
 */
export type ActivationCondition = typeof ActivationCondition.Type

/**
 * How a limit order, or a triggered stop-limit order, trades at the best bid or offer: `queue` joins the best price on
 * its own side, and `counterparty` takes the best price on the opposite side. On the wire, these are 1 and 2.
 *
 * @category schemas
 */
export const BboRole = oneOf(["queue", "counterparty"]).annotate({ identifier: "BboRole" })
/**
 * The values of {@link BboRole}.
 *
 * @category models
 */
export type BboRole = typeof BboRole.Type

/**
 * An order's role in a trade: a `maker` was resting in the book, and a `taker` traded against a resting order. On the
 * wire, the roles are 1 and 2.
 *
 * @category schemas
 */
export const Role = oneOf(["maker", "taker"]).annotate({ identifier: "Role" })
/**
 * The values of {@link Role}.
 *
 * @category models
 */
export type Role = typeof Role.Type

/**
 * The position that an order belongs to: the long position (`LONG`), the short position (`SHORT`), or the only position
 * in one-way mode (`BOTH`).
 *
 * @category schemas
 */
export const PositionSide = oneOf(["LONG", "SHORT", "BOTH"]).annotate({ identifier: "PositionSide" })
/**
 * The values of {@link PositionSide}.
 *
 * @category models
 */
export type PositionSide = typeof PositionSide.Type

/**
 * The orders that a cancel-all request cancels (the document, Endpoints §4):
 *
 * - `spot`: standard spot orders
 * - `margin`: margin orders on spot markets, unrelated to the collateral balance
 * - `futures`: margin orders on futures markets
 *
 * @category schemas
 */
export const CancelAllType = oneOf(["spot", "margin", "futures"]).annotate({ identifier: "CancelAllType" })
/**
 * The values of {@link CancelAllType}.
 *
 * @category models
 */
export type CancelAllType = typeof CancelAllType.Type

/**
 * An order's side in a response. An unlisted value is returned as an `Unrecognised`.
 *
 * @category schemas
 */
export const ReceivedSide = Unrecognised.open(OrderSide)
/**
 * The values of {@link ReceivedSide}.
 *
 * @category models
 */
export type ReceivedSide = typeof ReceivedSide.Type

/**
 * An order's role in a pushed trade. An unlisted value is returned as an `Unrecognised`.
 *
 * @category schemas
 */
export const ReceivedRole = Unrecognised.open(Role)
/**
 * The values of {@link ReceivedRole}.
 *
 * @category models
 */
export type ReceivedRole = typeof ReceivedRole.Type

/**
 * An order's type in a response. An unlisted value is returned as an `Unrecognised`.
 *
 * @category schemas
 */
export const ReceivedType = Unrecognised.open(OrderType)
/**
 * The values of {@link ReceivedType}.
 *
 * @category models
 */
export type ReceivedType = typeof ReceivedType.Type

/**
 * An order's status as received: an {@link OrderStatus}, or `MAINTENANCE` for an order that the live exchange closed
 * during maintenance. An unlisted value is returned as an `Unrecognised`.
 *
 * @category schemas
 */
export const ReceivedStatus = Unrecognised.open(
  oneOf([...OrderStatus.literals, "MAINTENANCE"]).annotate({ identifier: "ReceivedOrderStatus" })
)
/**
 * The values of {@link ReceivedStatus}.
 *
 * @category models
 */
export type ReceivedStatus = typeof ReceivedStatus.Type

/**
 * An order's self-trade prevention in a response. An unlisted value is returned as an `Unrecognised`.
 *
 * @category schemas
 */
export const ReceivedSelfTradePrevention = Unrecognised.open(SelfTradePrevention)
/**
 * The values of {@link ReceivedSelfTradePrevention}.
 *
 * @category models
 */
export type ReceivedSelfTradePrevention = typeof ReceivedSelfTradePrevention.Type

/**
 * A stop order's activation condition in a response. An unlisted value is returned as an `Unrecognised`.
 *
 * @category schemas
 */
export const ReceivedActivationCondition = Unrecognised.open(ActivationCondition)
/**
 * The values of {@link ReceivedActivationCondition}.
 *
 * @category models
 */
export type ReceivedActivationCondition = typeof ReceivedActivationCondition.Type

/**
 * An order's position side in a response. An unlisted value is returned as an `Unrecognised`.
 *
 * @category schemas
 */
export const ReceivedPositionSide = Unrecognised.open(PositionSide)
/**
 * The values of {@link ReceivedPositionSide}.
 *
 * @category models
 */
export type ReceivedPositionSide = typeof ReceivedPositionSide.Type

/**
 * A stop order's activation condition under the document's rule: a buy triggers at or above its activation price, and a
 * sell at or below it (the document, "Stop order activation").
 *
 * @category conditions
 */
export const activationConditionOf = (side: OrderSide): ActivationCondition => side === "buy" ? "gte" : "lte"

/**
 * Whether an order with this status can still trade.
 *
 * @category conditions
 */
export const isOpen = (status: OrderStatus): boolean => status === "NEW" || status === "PARTIAL_FILLED"
