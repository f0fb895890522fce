/**
 * The events of a command, in two forms: as the engine reports them, and as the feed shows them. A new event needs an
 * interface of {@link Shown} and an entry in {@link fields}.
 */
import * as Schema from "effect/Schema"
import { Decimal } from "../../domain/Decimal.ts"
import { ClientOrderId, InvestmentId, MarketName, OrderId, Ticker } from "../../domain/Identifiers.ts"
import { OrderSide } from "../../domain/Order.ts"
import type { FieldsOf } from "./FieldsOf.ts"
import type * as Ledger from "./Ledger.ts"
import { Wallet } from "./Operation.ts"
import type { Order } from "./Order.ts"
import * as Units from "./Units.ts"

/** The order that an event is about. */
export interface Subject<None = never> {
  /** The exchange's identifier of the order. */
  readonly order: OrderId
  /** The account that placed the order. */
  readonly account: string
  /** The market of the order. */
  readonly market: MarketName
  /** The client order id, if the order has one. */
  readonly clientOrderId?: ClientOrderId | None
}

/** An order was placed. */
export interface OrderPlaced<None = never> extends Subject<None> {
  readonly _tag: "OrderPlaced"
}

/** A stop order was triggered. */
export interface OrderActivated<None = never> extends Subject<None> {
  readonly _tag: "OrderActivated"
}

/** An order ended: it can no longer trade. */
export interface OrderEnded<None = never> extends Subject<None> {
  readonly _tag: "OrderEnded"
  /** The final status of the order. */
  readonly status: string
}

/** Two orders traded, or one order with the outside market. */
export interface Traded<Number = Decimal, None = never> {
  readonly _tag: "Traded"
  /** The market of the trade. */
  readonly market: MarketName
  /** The price, in quote currency. */
  readonly price: Number
  /** The amount, in base currency. */
  readonly amount: Number
  /** The side of the order that took liquidity. */
  readonly side: OrderSide
  /** The resting order; absent if it is not an order on this exchange. */
  readonly maker?: OrderId | None
  /** The order that took liquidity; absent if it is not an order on this exchange. */
  readonly taker?: OrderId | None
}

/** The price of a market moved. */
export interface PriceMoved<Number = Decimal> {
  readonly _tag: "PriceMoved"
  /** The market whose price moved. */
  readonly market: MarketName
  /** The new price, in quote currency. */
  readonly price: Number
}

/** A fixed-term plan paid interest. */
export interface InterestPaid<Number = Decimal> {
  readonly _tag: "InterestPaid"
  /** The account that received the interest. */
  readonly account: string
  /** The investment that earned the interest. */
  readonly investmentId: InvestmentId
  /** The asset of the payment. */
  readonly ticker: Ticker
  /** The amount paid, in units of the asset. */
  readonly amount: Number
}

/** A kill switch was not rearmed in time. The orders that it cancels end after this event. */
export interface KillSwitchFired {
  readonly _tag: "KillSwitchFired"
  /** The account whose orders are canceled. */
  readonly account: string
  /** The market of the canceled orders. */
  readonly market: MarketName
}

/** A balance changed. */
export interface BalanceChanged {
  readonly _tag: "BalanceChanged"
  /** The account that holds the balance. */
  readonly account: string
  /** The wallet of the balance. */
  readonly wallet: Ledger.Wallet
  /** The asset of the balance. */
  readonly ticker: Ticker
  /** The free amount after the command. */
  readonly free: Decimal
  /** The amount locked by open orders after the command. */
  readonly locked: Decimal
}

/** An earlier state was restored. */
export interface Restored {
  readonly _tag: "Restored"
  /** The number of the command whose resulting state was restored. */
  readonly sequence: number
}

/** An event, as the feed shows it. */
export type Shown =
  | OrderPlaced
  | OrderActivated
  | OrderEnded
  | Traded
  | PriceMoved
  | InterestPaid
  | KillSwitchFired
  | BalanceChanged
  | Restored

const key = Schema.optionalKey

const subject = { order: OrderId, account: Schema.String, market: MarketName, clientOrderId: key(ClientOrderId) }

/** The schemas of the events' fields, by the events' tags. This is the only list of them. */
export const fields = {
  OrderPlaced: subject,
  OrderActivated: subject,
  OrderEnded: { ...subject, status: Schema.String },
  Traded: {
    market: MarketName,
    price: Decimal,
    amount: Decimal,
    side: OrderSide,
    maker: key(OrderId),
    taker: key(OrderId)
  },
  PriceMoved: { market: MarketName, price: Decimal },
  InterestPaid: { account: Schema.String, investmentId: InvestmentId, ticker: Ticker, amount: Decimal },
  KillSwitchFired: { account: Schema.String, market: MarketName },
  BalanceChanged: { account: Schema.String, wallet: Wallet, ticker: Ticker, free: Decimal, locked: Decimal },
  Restored: { sequence: Schema.Int }
} satisfies { readonly [Tag in Shown["_tag"]]: FieldsOf<Omit<Extract<Shown, { readonly _tag: Tag }>, "_tag">> }

/** A balance changed. A command reports each balance at most once, after all its other events. */
export interface BalanceReported extends Pick<BalanceChanged, "_tag"> {
  /** The balance after the command. */
  readonly balance: Ledger.Balance
}

/**
 * An event as the engine reports it: with quantities as {@link Units} instead of decimals, and `undefined` instead of
 * absent fields.
 */
export type Event =
  | OrderPlaced<undefined>
  | OrderActivated<undefined>
  | OrderEnded<undefined>
  | Traded<Units.Units, undefined>
  | PriceMoved<Units.Units>
  | InterestPaid<Units.Units>
  | KillSwitchFired
  | BalanceReported
  | Restored

/** An event with no details other than its order. */
export const of = <Tag extends "OrderPlaced" | "OrderActivated">(
  _tag: Tag,
  { account, clientOrderId, id, market }: Order
): Subject<undefined> & { readonly _tag: Tag } => ({ _tag, order: id, account, market, clientOrderId })

/** The event for an order that has ended. */
export const ended = ({ account, clientOrderId, id, market, status }: Order): OrderEnded<undefined> => ({
  _tag: "OrderEnded",
  order: id,
  account,
  market,
  clientOrderId,
  status
})

/** The event for a changed balance. */
export const balanceChanged = (balance: Ledger.Balance): BalanceReported => ({ _tag: "BalanceChanged", balance })

/** An event as the feed shows it. */
export const show = (event: Event): Shown => {
  const reported = event._tag === "BalanceChanged" ? { _tag: event._tag, ...event.balance } : event
  const shown: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(reported)) {
    if (value !== undefined) shown[name] = typeof value === "bigint" ? Units.toDecimal(value) : value
  }
  return shown as unknown as Shown
}
