/**
 * The events that a command causes, in two forms: the engine's internal form, and the form that the feed shows. A new
 * event needs an interface, a member in {@link Shown} and {@link Event}, and an entry in {@link fields}.
 */
import * as Schema from "effect/Schema"
import { Decimal } from "../../domain/Decimal.ts"
import {
  type ClientOrderId,
  InvestmentId,
  MarketName,
  OrderId,
  ReceivedClientOrderId,
  Ticker
} from "../../domain/Identifiers.ts"
import { OrderSide } from "../../domain/Order.ts"
import type { FieldsOf } from "./FieldsOf.ts"
import type * as Ledger from "./Ledger.ts"
import { Wallet } from "./Operation.ts"
import type { Order } from "./Order.ts"
import * as Units from "./Units.ts"

/** The order to which an event belongs. */
export interface Subject<None = never> {
  /** The exchange's identifier for the order. */
  readonly order: OrderId
  /** The account that placed the order. */
  readonly account: string
  /** The order's market. */
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

/** An order closed: it can no longer trade. */
export interface OrderEnded<None = never> extends Subject<None> {
  readonly _tag: "OrderEnded"
  /** The order's final status. */
  readonly status: string
}

/**
 * Two orders traded with each other, or one order traded with the outside market: the simulated market outside the
 * venue, which trades when the owner moves a price.
 */
export interface Traded<Number = Decimal, None = never> {
  readonly _tag: "Traded"
  /** The trade's market. */
  readonly market: MarketName
  /** The price, in quote currency. */
  readonly price: Number
  /** The amount, in base currency. */
  readonly amount: Number
  /** The taker's side. */
  readonly side: OrderSide
  /** The resting order; absent if the outside market was the maker. */
  readonly maker?: OrderId | None
  /** The order that took liquidity; absent if the outside market was the taker. */
  readonly taker?: OrderId | None
}

/** A market's price moved. */
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
  /** The payment's asset. */
  readonly ticker: Ticker
  /** The amount paid, in units of the asset. */
  readonly amount: Number
}

/** A kill switch fired because it had not been rearmed in time. The events of the canceled orders follow this event. */
export interface KillSwitchFired {
  readonly _tag: "KillSwitchFired"
  /** The account whose orders are canceled. */
  readonly account: string
  /** The market on which the orders are canceled. */
  readonly market: MarketName
}

/** A balance changed. */
export interface BalanceChanged {
  readonly _tag: "BalanceChanged"
  /** The account that holds the balance. */
  readonly account: string
  /** The balance's wallet. */
  readonly wallet: Ledger.Wallet
  /** The balance's asset. */
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

/**
 * A market's mark price or index price may have changed. This event is reported when the venue's owner sets one of
 * these prices and, while any position is open, when a last price that they follow changes. It is reported at most once
 * per market for each command or scheduled event, after the trades that caused the change.
 */
export interface MarkMoved<Number = Decimal> {
  readonly _tag: "MarkMoved"
  /** The market whose prices may have changed. */
  readonly market: MarketName
  /** The mark price after the command, in quote currency. */
  readonly mark: Number
  /** The index price after the command, in quote currency. */
  readonly index: Number
}

/** An account changed its leverage. */
export interface LeverageChanged {
  readonly _tag: "LeverageChanged"
  /** The account that changed its leverage. */
  readonly account: string
  /** The new leverage. */
  readonly leverage: number
}

/** An account switched its hedge mode. */
export interface HedgeModeChanged {
  readonly _tag: "HedgeModeChanged"
  /** The account that switched its mode. */
  readonly account: string
  /** Whether the account is now in hedge mode. */
  readonly hedgeMode: boolean
}

/** A position was opened, increased, reduced, closed or flipped. */
export interface PositionChanged<Number = Decimal> {
  readonly _tag: "PositionChanged"
  /** The account that holds the position. */
  readonly account: string
  /** The position's market. */
  readonly market: MarketName
  /** The exchange's identifier for the position. */
  readonly position: number
  /** The position's size after the change, in base currency; negative if short, zero if the position is closed. */
  readonly amount: Number
}

/** A futures market settled its funding. A {@link FundingPaid} event for each position follows. */
export interface FundingSettled<Number = Decimal> {
  readonly _tag: "FundingSettled"
  /** The futures market. */
  readonly market: MarketName
  /** The funding rate, as a ratio: positive if longs pay shorts. */
  readonly rate: Number
  /** The mark price at the settlement, in quote currency. */
  readonly price: Number
}

/** A position paid or received funding. */
export interface FundingPaid<Number = Decimal> {
  readonly _tag: "FundingPaid"
  /** The account that holds the position. */
  readonly account: string
  /** The position's market. */
  readonly market: MarketName
  /** The amount received, in quote currency; negative if paid. */
  readonly amount: Number
}

/** A margin position paid a day's interest on the amount that it borrows. */
export interface BorrowInterestPaid<Number = Decimal> {
  readonly _tag: "BorrowInterestPaid"
  /** The account that holds the position. */
  readonly account: string
  /** The position's market. */
  readonly market: MarketName
  /** The amount paid, in quote currency. */
  readonly amount: Number
}

/** An account's equity plus unrealized profit fell to or below the margin call level. */
export interface MarginCalled {
  readonly _tag: "MarginCalled"
  /** The account that has a margin call. */
  readonly account: string
}

/** An account's margin call or liquidation is over. */
export interface MarginRestored {
  readonly _tag: "MarginRestored"
  /** The account that is safe again. */
  readonly account: string
}

/** An account's liquidation began. The events of the liquidation's orders and trades follow. */
export interface LiquidationStarted {
  readonly _tag: "LiquidationStarted"
  /** The account in liquidation. */
  readonly account: string
}

/**
 * A position was reduced to take over part of another account's liquidation, because the book could not fill that part
 * (ADL).
 */
export interface Deleveraged<Number = Decimal> {
  readonly _tag: "Deleveraged"
  /** The account whose position was reduced. */
  readonly account: string
  /** The position's market. */
  readonly market: MarketName
  /** The order that reduced the position. */
  readonly order: OrderId
  /** The amount by which the position was reduced, in base currency. */
  readonly amount: Number
  /** The price at which the position was reduced, in quote currency. */
  readonly price: Number
}

/** Collateral was sold at its index price to pay the debt that remained after a liquidation. */
export interface CollateralConverted<Number = Decimal> {
  readonly _tag: "CollateralConverted"
  /** The account whose collateral was sold. */
  readonly account: string
  /** The asset that was sold. */
  readonly ticker: Ticker
  /** The amount sold, in units of the asset. */
  readonly amount: Number
  /** The amount received, in the settlement currency. */
  readonly received: Number
}

/** The insurance account paid a loss that the account in liquidation could not pay. */
export interface InsurancePaid<Number = Decimal> {
  readonly _tag: "InsurancePaid"
  /** The account in liquidation. */
  readonly account: string
  /** The asset in which the loss was made. */
  readonly ticker: Ticker
  /** The amount that the insurance account paid, in units of the asset. */
  readonly amount: Number
}

/**
 * After its liquidation, an account still has a debt that neither its collateral nor the insurance account could pay.
 */
export interface DebtLeft<Number = Decimal> {
  readonly _tag: "DebtLeft"
  /** The account that owes the debt. */
  readonly account: string
  /** The debt's asset. */
  readonly ticker: Ticker
  /** The amount of the debt, in units of the asset. */
  readonly amount: Number
}

/** An event in the form that the feed shows. */
export type Shown =
  | MarkMoved
  | LeverageChanged
  | HedgeModeChanged
  | PositionChanged
  | FundingSettled
  | FundingPaid
  | BorrowInterestPaid
  | MarginCalled
  | MarginRestored
  | LiquidationStarted
  | Deleveraged
  | CollateralConverted
  | InsurancePaid
  | DebtLeft
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

const subject = {
  order: OrderId,
  account: Schema.String,
  market: MarketName,
  clientOrderId: key(ReceivedClientOrderId)
}

const held = { account: Schema.String, market: MarketName }

/** The schemas of the events' fields, keyed by the events' tags. This is the only list of events at run time. */
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
  Restored: { sequence: Schema.Int },
  MarkMoved: { market: MarketName, mark: Decimal, index: Decimal },
  LeverageChanged: { account: Schema.String, leverage: Schema.Int },
  HedgeModeChanged: { account: Schema.String, hedgeMode: Schema.Boolean },
  PositionChanged: { ...held, position: Schema.Int, amount: Decimal },
  FundingSettled: { market: MarketName, rate: Decimal, price: Decimal },
  FundingPaid: { ...held, amount: Decimal },
  BorrowInterestPaid: { ...held, amount: Decimal },
  MarginCalled: { account: Schema.String },
  MarginRestored: { account: Schema.String },
  LiquidationStarted: { account: Schema.String },
  Deleveraged: { ...held, order: OrderId, amount: Decimal, price: Decimal },
  CollateralConverted: { account: Schema.String, ticker: Ticker, amount: Decimal, received: Decimal },
  InsurancePaid: { account: Schema.String, ticker: Ticker, amount: Decimal },
  DebtLeft: { account: Schema.String, ticker: Ticker, amount: Decimal }
} satisfies { readonly [Tag in Shown["_tag"]]: FieldsOf<Omit<Extract<Shown, { readonly _tag: Tag }>, "_tag">> }

/** A balance changed. Each balance is reported at most once per command, after the command's other events. */
export interface BalanceReported extends Pick<BalanceChanged, "_tag"> {
  /** The account's balance of one asset after the command. */
  readonly balance: Ledger.Balance
}

/**
 * An event in the engine's internal form: with quantities as {@link Units} instead of decimals, and `undefined` instead
 * of absent fields.
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
  | MarkMoved<Units.Units>
  | LeverageChanged
  | HedgeModeChanged
  | PositionChanged<Units.Units>
  | FundingSettled<Units.Units>
  | FundingPaid<Units.Units>
  | BorrowInterestPaid<Units.Units>
  | MarginCalled
  | MarginRestored
  | LiquidationStarted
  | Deleveraged<Units.Units>
  | CollateralConverted<Units.Units>
  | InsurancePaid<Units.Units>
  | DebtLeft<Units.Units>

/** Makes an event whose only detail is its order. */
export const of = <Tag extends "OrderPlaced" | "OrderActivated">(
  _tag: Tag,
  { account, clientOrderId, id, market }: Order
): Subject<undefined> & { readonly _tag: Tag } => ({ _tag, order: id, account, market, clientOrderId })

/** Makes the event for an order that has closed. */
export const ended = ({ account, clientOrderId, id, market, status }: Order): OrderEnded<undefined> => ({
  _tag: "OrderEnded",
  order: id,
  account,
  market,
  clientOrderId,
  status
})

/** Makes the event for a changed balance. */
export const balanceChanged = (balance: Ledger.Balance): BalanceReported => ({ _tag: "BalanceChanged", balance })

/** Converts an event to the form that the feed shows. */
export const show = (event: Event): Shown => {
  const reported = event._tag === "BalanceChanged" ? { _tag: event._tag, ...event.balance } : event
  const shown: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(reported)) {
    if (value !== undefined) shown[name] = typeof value === "bigint" ? Units.toDecimal(value) : value
  }
  return shown as unknown as Shown
}
