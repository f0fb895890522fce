/** What happened while a command was carried out. */
import type { ClientOrderId, InvestmentId, MarketName, OrderId, Ticker } from "../../domain/Identifiers.ts"
import type { OrderSide, OrderStatus } from "../../domain/Order.ts"
import type * as Ledger from "./Ledger.ts"
import type { Order } from "./Order.ts"
import type { Units } from "./Units.ts"

/** The order that an event is about. */
export interface Subject {
  /** The exchange's identifier of the order. */
  readonly order: OrderId
  /** The account that placed it. */
  readonly account: string
  /** The market that it trades on. */
  readonly market: MarketName
  /** The caller's own identifier. */
  readonly clientOrderId: ClientOrderId | undefined
}

/** An order was accepted. */
export interface OrderPlaced extends Subject {
  readonly _tag: "OrderPlaced"
}

/** A stop order was triggered. */
export interface OrderActivated extends Subject {
  readonly _tag: "OrderActivated"
}

/** An order can no longer trade. */
export interface OrderEnded extends Subject {
  readonly _tag: "OrderEnded"
  /** How it has ended. */
  readonly status: OrderStatus
}

/** An event of an order that has no more to it than its subject. */
export const of = <Tag extends "OrderPlaced" | "OrderActivated">(
  _tag: Tag,
  { account, clientOrderId, id, market }: Order
): Subject & { readonly _tag: Tag } => ({ _tag, order: id, account, market, clientOrderId })

/** The event of an order that has ended. */
export const ended = ({ account, clientOrderId, id, market, status }: Order): OrderEnded => ({
  _tag: "OrderEnded",
  order: id,
  account,
  market,
  clientOrderId,
  status
})

/** The event of a balance that has changed. */
export const balanceChanged = (balance: Ledger.Balance): BalanceChanged => ({ _tag: "BalanceChanged", balance })

/** There was a trade. */
export interface Traded {
  readonly _tag: "Traded"
  /** The market. */
  readonly market: MarketName
  /** The price, in units of the quote currency. */
  readonly price: Units
  /** How much was traded, in units of the base currency. */
  readonly amount: Units
  /** The side of the taker. */
  readonly side: OrderSide
  /** The order that rested in the book. `undefined` when the rest of the world was the maker. */
  readonly maker: OrderId | undefined
  /** The order that came to it. `undefined` when the rest of the world was the taker. */
  readonly taker: OrderId | undefined
}

/** The owner of the venue, or a price path, has moved the price of a market. */
export interface PriceMoved {
  readonly _tag: "PriceMoved"
  /** The market. */
  readonly market: MarketName
  /** The new price, in units of the quote currency. */
  readonly price: Units
}

/** An investment was paid interest. */
export interface InterestPaid {
  readonly _tag: "InterestPaid"
  /** The account that received it. */
  readonly account: string
  /** The investment that earned it. */
  readonly investmentId: InvestmentId
  /** The asset. */
  readonly ticker: Ticker
  /** How much was paid. */
  readonly amount: Units
}

/** A kill switch was not armed again in time. It cancels orders, which end after this event. */
export interface KillSwitchFired {
  readonly _tag: "KillSwitchFired"
  /** The account whose orders it cancels. */
  readonly account: string
  /** The market. */
  readonly market: MarketName
}

/** A balance has changed. A command reports each balance at most once, after all its other events. */
export interface BalanceChanged {
  readonly _tag: "BalanceChanged"
  /** The balance after the command. */
  readonly balance: Ledger.Balance
}

/** The exchange went back to an earlier state. */
export interface Restored {
  readonly _tag: "Restored"
  /** The number of the command that had left that state. */
  readonly sequence: number
}

/** Something that happened. */
export type Event =
  | OrderPlaced
  | OrderActivated
  | OrderEnded
  | Traded
  | PriceMoved
  | InterestPaid
  | KillSwitchFired
  | BalanceChanged
  | Restored
