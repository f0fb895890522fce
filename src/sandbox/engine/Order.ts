/** Orders as the exchange keeps them. Times are Unix microseconds, quantities are exact. */
import type { Decimal, Price } from "../../domain/Decimal.ts"
import type { ClientOrderId, MarketName, OrderId, Ticker } from "../../domain/Identifiers.ts"
import type {
  ActivationCondition,
  BboRole,
  OrderSide,
  OrderStatus,
  OrderType,
  PositionSide,
  SelfTradePrevention
} from "../../domain/Order.ts"
import type { Units } from "./Units.ts"

/** The trigger of a stop order (document, "Stop order activation"). */
export interface Trigger {
  /** The activation price, in units of the quote currency. */
  readonly price: Price
  /** The side from which the last price must reach the activation price. */
  readonly condition: ActivationCondition
  /** The side of the book whose best price the triggered order uses. `undefined`: its own limit. */
  readonly bboRole: BboRole | undefined
  /** Whether the order has been triggered. */
  activated: boolean
}

/** The funds that an open order has locked. */
export interface Lock {
  /** The wallet that holds the funds. */
  readonly wallet: "trade" | "collateral"
  /** The asset. */
  readonly ticker: Ticker
  /** The amount locked for the open part of the order. */
  readonly units: Units
}

/** The exit that an order places when it is filled ("one triggers the other"): a take-profit, a stop-loss, or both. */
export interface Oto {
  /** The identifier of the group, one less than that of the order. */
  readonly id: OrderId
  /** The price that triggers the take-profit, in units of the quote currency. `undefined` without one. */
  readonly takeProfit: Price | undefined
  /** The price that triggers the stop-loss, in units of the quote currency. `undefined` without one. */
  readonly stopLoss: Price | undefined
}

/** An order. */
export interface Order {
  /** The exchange's identifier. */
  readonly id: OrderId
  /** The account that placed it. */
  readonly account: string
  /** The market that it trades on. */
  readonly market: MarketName
  /** Whether it buys or sells. */
  readonly side: OrderSide
  /** Limit, market, stop limit and so on. */
  readonly type: OrderType
  /**
   * The kind of market: `spot` orders trade wallets, `margin` and `futures` orders trade positions. Cancel-all selects
   * by it.
   */
  readonly kind: "spot" | "margin" | "futures"
  /** The amount as the caller wrote it. */
  readonly amount: Decimal
  /**
   * The value of `amount`, in units of the base currency; of the quote currency for a market or stop-market buy that
   * states its total.
   */
  readonly quantity: Units
  /** The limit, in units of the quote currency. `undefined` on market and stop-market orders. */
  readonly price: Price | undefined
  /** Whether the order never takes liquidity. */
  readonly postOnly: boolean
  /** Whether the part that can't trade at once is canceled ("immediate or cancel"). */
  readonly ioc: boolean
  /** The trigger of a stop order. `undefined` on all other orders. */
  readonly stop: Trigger | undefined
  /** The caller's own identifier. */
  readonly clientOrderId: ClientOrderId | undefined
  /** The self-trade prevention: how to avoid a trade with another order of the same account. */
  readonly stp: SelfTradePrevention
  /** Whether the order may only reduce a position. */
  readonly reduceOnly: boolean
  /** The position that the order belongs to. `undefined` on spot orders. */
  readonly positionSide: PositionSide | undefined
  /** The OCO order, or the exit of a position, that it is a leg of. */
  readonly oco: OrderId | undefined
  /** The exit that it places when it is filled. `undefined` on most orders. */
  readonly oto: Oto | undefined
  /** The time of placement, in Unix microseconds. */
  readonly placedAt: number
  /** The funds that it has locked. The legs of an OCO order share one lock, held by one of them. */
  locked: Lock | undefined
  /**
   * The part of it that only closes a position, in units of the base currency. The lock holds no margin for this part.
   * The plain orders of a side together never close more than the position; zero on spot and reduce-only orders.
   */
  closing: Units
  /**
   * The price at which it rests in the book. `undefined` before a stop order is triggered and after an order has ended.
   */
  queued: Units | undefined
  /** The status (document, "States and transitions"). */
  status: OrderStatus
  /** The amount not yet filled, in the units of `quantity`. */
  left: Units
  /** The filled amount, in units of the base currency. */
  dealStock: Units
  /** The filled total, in units of the quote currency. */
  dealMoney: Units
  /** The fee charged so far, in units of the fee asset. */
  dealFee: Units
  /** The time of the last trade, trigger or end, in Unix microseconds; before these, the time of placement. */
  changedAt: number
}

/** An order with a trigger. Once triggered, it is a limit order, or a market order if it has no limit. */
export interface StopOrder extends Order {
  readonly stop: Trigger
}

/** An order with a trigger that is a limit order once it is triggered. */
export interface StopLimitOrder extends StopOrder {
  readonly price: Price
}

/** A limit order. */
export interface LimitOrder extends Order {
  readonly price: Price
}

/** A collateral OCO order: two orders, of which one cancels the other. */
export interface OcoOrder {
  /** The identifier of the pair. */
  readonly id: OrderId
  /** Whether both legs may only reduce a position. */
  readonly reduceOnly: boolean
  /** The leg with a trigger. */
  readonly stopLoss: StopLimitOrder
  /** The leg that rests in the book. */
  readonly takeProfit: LimitOrder
}

/** An order with an exit, while it is open. */
export interface OtoOrder {
  /** The identifier of the group. */
  readonly id: OrderId
  /** The order. */
  readonly order: Order
}

/** The exit of a position: reduce-only stop-market orders. When one is triggered, the other is canceled. */
export interface Exit {
  /** The identifier of the exit, which its legs have as `oco`. */
  readonly id: OrderId
  /** The account. */
  readonly account: string
  /** The market. */
  readonly market: MarketName
  /** The take-profit leg. `undefined` if it does not exist, or no longer does. */
  takeProfit: StopOrder | undefined
  /** The stop-loss leg. `undefined` if it does not exist, or no longer does. */
  stopLoss: StopOrder | undefined
}

/**
 * Whether the quantity of an order is in quote currency. A market buy may state the total that it spends; a spot
 * stop-market buy always does.
 */
export const isQuoteAmount = ({ kind, side, type }: Order): boolean =>
  side === "buy" && (type === "market" || (type === "stop market" && kind === "spot"))
