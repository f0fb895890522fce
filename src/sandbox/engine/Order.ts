/** Orders in the form in which the exchange stores them. Times are in Unix microseconds, and quantities are exact. */
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

/** The trigger of a stop order (the document, "Stop order activation"). */
export interface Trigger {
  /** The activation price, in units of the quote currency. */
  readonly price: Price
  /** Whether the order is triggered at or above the activation price, or at or below it. */
  readonly condition: ActivationCondition
  /**
   * The side of the book whose best price becomes the limit price of the triggered order. The policy determines whether
   * that price may be worse than the order's own limit price. `undefined` if the order keeps its own limit price.
   */
  readonly bboRole: BboRole | undefined
  /** Whether the order has been triggered. */
  activated: boolean
}

/** The funds that an open order has locked. */
export interface Lock {
  /** The wallet that holds the funds. */
  readonly wallet: "trade" | "collateral"
  /** The asset of the locked funds. */
  readonly ticker: Ticker
  /** The amount locked for the unfilled part of the order, in units of the asset. */
  readonly units: Units
}

/**
 * The exit that an order requests: a take-profit, a stop-loss, or both. The exit is placed when the order is filled
 * ("one triggers the other").
 */
export interface Oto {
  /** The identifier of the group that consists of the order and its exit: one less than the order's identifier. */
  readonly id: OrderId
  /**
   * The price that triggers the take-profit, in units of the quote currency; `undefined` if there is no take-profit.
   */
  readonly takeProfit: Price | undefined
  /** The price that triggers the stop-loss, in units of the quote currency; `undefined` if there is no stop-loss. */
  readonly stopLoss: Price | undefined
}

/** An open or closed order on the exchange. */
export interface Order {
  /** The exchange's identifier for the order. */
  readonly id: OrderId
  /** The account that placed the order. */
  readonly account: string
  /** The order's market. */
  readonly market: MarketName
  /** Whether the order buys or sells. */
  readonly side: OrderSide
  /** The order type, such as limit, market or stop limit. */
  readonly type: OrderType
  /**
   * The kind of order: `spot` orders affect wallet balances; `margin` and `futures` orders affect positions. A call
   * that cancels all orders can filter by this kind.
   */
  readonly kind: "spot" | "margin" | "futures"
  /** The amount as the caller wrote it, unless the exchange determines it, as for a capped reduce-only order. */
  readonly amount: Decimal
  /**
   * The value of `amount`, in units of the base currency. For a market or stop-market buy that specifies its total, the
   * value is in units of the quote currency.
   */
  readonly quantity: Units
  /**
   * The limit price, in units of the quote currency. `undefined` on market and stop-market orders. It changes only when
   * a stop order with `bboRole` is triggered, and only under a policy by which the best price replaces it.
   */
  price: Price | undefined
  /** Whether the order never takes liquidity. */
  readonly postOnly: boolean
  /** Whether the part that can't trade immediately is canceled ("immediate or cancel"). */
  readonly ioc: boolean
  /**
   * Whether only retail orders can take the order from the book ("retail price improvement"). Such an order is not shown
   * publicly, never takes liquidity, and trades after all other orders at the same price.
   */
  readonly rpi: boolean
  /** Whether the order is a retail order, which also trades with `rpi` orders. */
  readonly retail: boolean
  /** The trigger of a stop order. `undefined` on all other orders. */
  readonly stop: Trigger | undefined
  /** The client order id. */
  readonly clientOrderId: ClientOrderId | undefined
  /** The self-trade prevention: how the order avoids trading with another order of the same account. */
  readonly stp: SelfTradePrevention
  /** Whether the order may only reduce a position. */
  readonly reduceOnly: boolean
  /** The side of the position that the order affects; `undefined` for spot orders. */
  readonly positionSide: PositionSide | undefined
  /** The identifier of the OCO order or exit of which this order is a leg. `undefined` on all other orders. */
  readonly oco: OrderId | undefined
  /** The exit that is placed when the order is filled. `undefined` on most orders. */
  readonly oto: Oto | undefined
  /** The time at which the order was placed, in Unix microseconds. */
  readonly placedAt: number
  /** The funds that the order has locked. The legs of an OCO order share one lock, which belongs to one of the legs. */
  locked: Lock | undefined
  /**
   * The part of the order that only closes a position, in units of the base currency. No margin is locked for this
   * part. For an account's orders on one side, the sum of these parts never exceeds the position's size. Zero for spot
   * orders and reduce-only orders.
   */
  closing: Units
  /**
   * The price at which the order rests in the book; `undefined` while the order does not rest, for example before a
   * stop order is triggered.
   */
  queued: Units | undefined
  /** The status (the document, "States and transitions"). */
  status: OrderStatus
  /** The amount not yet filled, in the units of `quantity`. */
  left: Units
  /** The filled amount, in units of the base currency. */
  dealStock: Units
  /** The filled total, in units of the quote currency. */
  dealMoney: Units
  /** The fee charged so far, in units of the fee asset. */
  dealFee: Units
  /**
   * The time at which the order last traded, was triggered or closed, in Unix microseconds; initially the time at which
   * it was placed.
   */
  changedAt: number
}

/** A stop order. When triggered, it becomes a limit order or, without a limit price, a market order. */
export interface StopOrder extends Order {
  readonly stop: Trigger
}

/** A stop order that becomes a limit order when triggered. */
export interface StopLimitOrder extends StopOrder {
  readonly price: Price
}

/** An order with a limit price and without a trigger. */
export interface LimitOrder extends Order {
  readonly price: Price
}

/**
 * A collateral OCO order, which consists of two orders. When one trades, is triggered or closes, the other is canceled.
 */
export interface OcoOrder {
  /** The identifier of the pair. Each leg also has its own identifier. */
  readonly id: OrderId
  /** Whether both legs may only reduce a position. */
  readonly reduceOnly: boolean
  /** The leg that waits for its activation price. */
  readonly stopLoss: StopLimitOrder
  /** The leg that rests in the book. */
  readonly takeProfit: LimitOrder
}

/** An open order with an exit. */
export interface OtoOrder {
  /** The identifier of the group that consists of the order and its exit. */
  readonly id: OrderId
  /** The order that places the exit. */
  readonly order: Order
}

/**
 * A position's exit: a take-profit and a stop-loss, or only one of them, as reduce-only stop-market orders. When one is
 * triggered, the other is canceled.
 */
export interface Exit {
  /** The exit's identifier, which its legs have in their field `oco`. */
  readonly id: OrderId
  /** The account that holds the position. */
  readonly account: string
  /** The position's market. */
  readonly market: MarketName
  /** The take-profit leg; `undefined` if the exit has no take-profit, or if the leg can no longer be triggered. */
  takeProfit: StopOrder | undefined
  /** The stop-loss leg; `undefined` if the exit has no stop-loss, or if the leg can no longer be triggered. */
  stopLoss: StopOrder | undefined
}

/** Whether an order can only rest in the book, and never takes liquidity. */
export const isMakerOnly = ({ postOnly, rpi }: Pick<Order, "postOnly" | "rpi">): boolean => postOnly || rpi

/**
 * Whether the quantity of an order is in quote currency. A market buy may specify the total that it spends; a spot
 * stop-market buy always does.
 */
export const isQuoteAmount = ({ kind, side, type }: Pick<Order, "kind" | "side" | "type">): boolean =>
  side === "buy" && (type === "market" || (type === "stop market" && kind === "spot"))
