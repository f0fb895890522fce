/** The state as the sandbox's owner sees it: accounts, orders, positions and balances. */
import * as Schema from "effect/Schema"
import { Decimal } from "../../domain/Decimal.ts"
import {
  ApiKey,
  type ClientOrderId,
  MarketName,
  OrderId,
  PositionId,
  ReceivedClientOrderId,
  Ticker
} from "../../domain/Identifiers.ts"
import { ActivationCondition, OrderSide, OrderType, PositionSide, Role } from "../../domain/Order.ts"
import * as AccountIndex from "../engine/AccountIndex.ts"
import * as Ledger from "../engine/Ledger.ts"
import * as Margins from "../engine/Margins.ts"
import { Wallet } from "../engine/Operation.ts"
import type { Order } from "../engine/Order.ts"
import type * as State from "../engine/State.ts"
import type { Fill } from "../engine/Trade.ts"
import * as Units from "../engine/Units.ts"

const key = Schema.optionalKey

/** An account's API key, without the secret. */
export interface KeySummary {
  /** The API key, which identifies the caller in every call. */
  readonly apiKey: ApiKey
  /** The title that the account gave to the key. */
  readonly title: string
  /** Whether the key may make calls. */
  readonly enabled: boolean
}

/** An account and its keys. */
export interface AccountSummary {
  /** The account's identifier. */
  readonly account: string
  /** Whether the account may call the B2B-only endpoints. */
  readonly b2b: boolean
  /** The main account; absent unless this is a sub-account. */
  readonly subAccountOf?: string
  /** The account's API keys, without their secrets. */
  readonly keys: ReadonlyArray<KeySummary>
}

/** The schema of {@link AccountSummary}. */
export const AccountSummary: Schema.Codec<AccountSummary, unknown> = Schema.Struct({
  account: Schema.String,
  b2b: Schema.Boolean,
  subAccountOf: key(Schema.String),
  keys: Schema.Array(Schema.Struct({ apiKey: ApiKey, title: Schema.String, enabled: Schema.Boolean }))
})

/** The funds that an order has locked. */
export interface Locked {
  /** The wallet: `main`, `trade` or `collateral`. */
  readonly wallet: Ledger.Wallet
  /** The asset's ticker, such as `BTC`. */
  readonly ticker: Ticker
  /** The locked amount, in units of the asset. */
  readonly amount: Decimal
}

/** An open or closed order. */
export interface AnyOrder {
  /** The order's id, assigned by the exchange. */
  readonly id: OrderId
  /** The client order id, if the client set one. */
  readonly clientOrderId?: ClientOrderId
  /** The account that placed the order. */
  readonly account: string
  /** The market's name, such as `BTC_USDT`. */
  readonly market: MarketName
  /** The side: buy or sell. */
  readonly side: OrderSide
  /** The order's type, such as limit, market or stop. */
  readonly type: OrderType
  /** The kind of trading: `spot` (trades the account's own funds), `margin` or `futures`. */
  readonly kind: "spot" | "margin" | "futures"
  /** The order's status, such as `NEW` or `PARTIAL_FILLED`. */
  readonly status: string
  /** The ordered amount, in base currency; for a market buy by total, in quote currency. */
  readonly amount: Decimal
  /** The limit price, if the order has one. */
  readonly price?: Decimal
  /** The price that triggers a stop order. */
  readonly activationPrice?: Decimal
  /** The side from which the price must reach the activation price: `gte` from below, `lte` from above. */
  readonly activationCondition?: ActivationCondition
  /** Whether a stop order has been triggered. */
  readonly activated: boolean
  /** The amount that has not traded yet, in the same currency as `amount`. */
  readonly left: Decimal
  /** The amount traded, in base currency. */
  readonly dealStock: Decimal
  /** The amount traded, in quote currency. */
  readonly dealMoney: Decimal
  /** Whether the order may only reduce a position. */
  readonly reduceOnly: boolean
  /** The id of the OCO order, if this order is one of its legs. */
  readonly oco?: OrderId
}

/** An order that can still trade. */
export interface OpenOrder extends AnyOrder {
  /** The funds that the order has locked. The legs of an OCO order share one lock. */
  readonly locked?: Locked
}

/** The schema of {@link Locked}. */
export const Locked: Schema.Codec<Locked, unknown> = Schema.Struct({ wallet: Wallet, ticker: Ticker, amount: Decimal })

/** A closed order, which can no longer trade. Its funds are no longer locked. */
export interface EndedOrder extends AnyOrder {
  /** The time at which the order closed, in Unix microseconds. */
  readonly endedAt: number
}

/** The field schemas of {@link AnyOrder}. */
export const orderFields = {
  id: OrderId,
  clientOrderId: key(ReceivedClientOrderId),
  account: Schema.String,
  market: MarketName,
  side: OrderSide,
  type: OrderType,
  kind: Schema.Literals(["spot", "margin", "futures"]),
  status: Schema.String,
  amount: Decimal,
  price: key(Decimal),
  activationPrice: key(Decimal),
  activationCondition: key(ActivationCondition),
  activated: Schema.Boolean,
  left: Decimal,
  dealStock: Decimal,
  dealMoney: Decimal,
  reduceOnly: Schema.Boolean,
  oco: key(OrderId)
}

/** The schema of {@link OpenOrder}. */
export const OpenOrder: Schema.Codec<OpenOrder, unknown> = Schema.Struct({
  ...orderFields,
  locked: key(Locked)
})

/** The schema of {@link EndedOrder}. */
export const EndedOrder: Schema.Codec<EndedOrder, unknown> = Schema.Struct({ ...orderFields, endedAt: Schema.Int })

/** An open position. */
export interface OpenPosition {
  /** The position's id, assigned by the exchange. */
  readonly id: PositionId
  /** The account that holds the position. */
  readonly account: string
  /** The market's name, such as `BTC_USDT`. */
  readonly market: MarketName
  /** The amount in base currency: positive for a long position, negative for a short one. */
  readonly amount: Decimal
  /** The position's cost, in quote currency. */
  readonly cost: Decimal
  /** `BOTH` in one-way mode, otherwise `LONG` or `SHORT`. */
  readonly side: PositionSide
  /** The unrealized profit at the mark price, in quote currency; a loss is negative. */
  readonly pnl: Decimal
  /** The initial margin at the mark price, in quote currency. */
  readonly margin: Decimal
  /** The funding, or the interest on the borrowed amount, paid so far, in quote currency; negative if received. */
  readonly funding: Decimal
  /**
   * The mark price at which the account is liquidated if all other prices stay the same; absent if there is no such
   * price.
   */
  readonly liquidationPrice?: Decimal
  /** `margin_call` if the account has a margin call, `liquidation` if it is in liquidation; otherwise absent. */
  readonly state?: "margin_call" | "liquidation"
}

/** The schema of {@link OpenPosition}. */
export const OpenPosition: Schema.Codec<OpenPosition, unknown> = Schema.Struct({
  id: PositionId,
  account: Schema.String,
  market: MarketName,
  amount: Decimal,
  cost: Decimal,
  side: PositionSide,
  pnl: Decimal,
  margin: Decimal,
  funding: Decimal,
  liquidationPrice: Schema.optionalKey(Decimal),
  state: Schema.optionalKey(Schema.Literals(["margin_call", "liquidation"]))
})

/** An account's balance of one asset in one wallet. */
export interface Balance {
  /** The wallet: `main`, `trade` or `collateral`. */
  readonly wallet: Ledger.Wallet
  /** The asset's ticker, such as `BTC`. */
  readonly ticker: Ticker
  /** The amount that the account can spend. */
  readonly free: Decimal
  /** The amount locked by open orders. */
  readonly locked: Decimal
  /**
   * The amount that the account owes in this asset: the part of losses and fees that its collateral could not pay.
   * Present only in the collateral wallet, and only while the account owes something.
   */
  readonly debt?: Decimal
}

/** The schema of {@link Balance}. */
export const Balance: Schema.Codec<Balance, unknown> = Schema.Struct({
  wallet: Wallet,
  ticker: Ticker,
  free: Decimal,
  locked: Decimal,
  debt: key(Decimal)
})

/** A fill of an account's order. */
export interface AccountFill {
  /** The trade's id, assigned by the exchange. */
  readonly trade: number
  /** The order that was filled. */
  readonly order: OrderId
  /** The client order id, if the client set one. */
  readonly clientOrderId?: ClientOrderId
  /** The market's name, such as `BTC_USDT`. */
  readonly market: MarketName
  /** The order's side. */
  readonly side: OrderSide
  /** The time of the trade, in Unix microseconds. */
  readonly at: number
  /** Whether the order rested in the book (`maker`) or matched a resting order (`taker`). */
  readonly role: Role
  /** The price, in quote currency. */
  readonly price: Decimal
  /** The amount, in base currency. */
  readonly amount: Decimal
  /** The fee that the account paid. */
  readonly fee: Decimal
  /** The asset in which the fee was paid. */
  readonly feeAsset: Ticker
}

/** The schema of {@link AccountFill}. */
export const AccountFill: Schema.Codec<AccountFill, unknown> = Schema.Struct({
  trade: Schema.Int,
  order: OrderId,
  clientOrderId: key(ReceivedClientOrderId),
  market: MarketName,
  side: OrderSide,
  at: Schema.Int,
  role: Role,
  price: Decimal,
  amount: Decimal,
  fee: Decimal,
  feeAsset: Ticker
})

/** All accounts of the venue with their keys, except the counterparty. */
export const accounts = ({ accountIndex, accounts, subAccounts }: State.State): ReadonlyArray<AccountSummary> =>
  [...accounts.values()].map(({ b2b, id }) => {
    const parent = subAccounts.get(id)?.parent
    const own = [...AccountIndex.of(accountIndex, id)?.keys ?? []]
    return {
      account: id,
      b2b,
      ...(parent === undefined ? {} : { subAccountOf: parent }),
      keys: own.map(({ apiKey, enabled, title }) => ({ apiKey, enabled, title }))
    }
  })

/** An order as the sandbox's owner sees it. */
export const toOrder = (order: Order): AnyOrder => ({
  id: order.id,
  ...(order.clientOrderId === undefined ? {} : { clientOrderId: order.clientOrderId }),
  account: order.account,
  market: order.market,
  side: order.side,
  type: order.type,
  kind: order.kind,
  status: order.status,
  amount: order.amount,
  ...(order.price === undefined ? {} : { price: order.price }),
  ...(order.stop === undefined ? {} : { activationPrice: order.stop.price, activationCondition: order.stop.condition }),
  activated: order.stop?.activated ?? false,
  left: Units.toDecimal(order.left),
  dealStock: Units.toDecimal(order.dealStock),
  dealMoney: Units.toDecimal(order.dealMoney),
  reduceOnly: order.reduceOnly,
  ...(order.oco === undefined ? {} : { oco: order.oco })
})

/** An open order as the sandbox's owner sees it, with the funds that the order has locked. */
export const toOpenOrder = (order: Order): OpenOrder => ({
  ...toOrder(order),
  ...(order.locked === undefined
    ? {}
    : {
      locked: {
        wallet: order.locked.wallet,
        ticker: order.locked.ticker,
        amount: Units.toDecimal(order.locked.units)
      }
    })
})

/** Selects some of an account's open orders, counted from the latest; all by default. */
export interface Part {
  /** The number of the latest orders to leave out; 0 by default. */
  readonly offset?: number
  /** The maximum number of orders to return, after `offset` has been applied. */
  readonly limit?: number
}

/**
 * An account's open orders, oldest first. The time that this function takes depends on the number of orders returned,
 * not on the number of open orders.
 */
export const openOrders = (
  { openOrders }: State.State,
  account: string,
  { limit = Infinity, offset = 0 }: Part = {}
): ReadonlyArray<OpenOrder> =>
  openOrders.latest(account).drop(offset).take(limit).map(toOpenOrder).toArray().toReversed()

/** The number of an account's open orders. */
export const countOfOpenOrders = ({ openOrders }: State.State, account: string): number => openOrders.countOf(account)

/** An account's closed orders, latest first; at most 100. */
export const endedOrders = ({ endedOrders }: State.State, account: string): ReadonlyArray<EndedOrder> =>
  (endedOrders.get(account) ?? []).slice(-100).toReversed().map((order) => ({
    ...toOrder(order),
    endedAt: order.changedAt
  }))

/** An account's fills, latest first; at most 100. */
export const fills = ({ fills }: State.State, account: string): ReadonlyArray<AccountFill> =>
  (fills.get(account) ?? []).slice(-100).toReversed().map(toFill)

/** A fill as the sandbox's owner sees it. */
export const toFill = ({ amount, at, fee, feeAsset, order, price, role, trade }: Fill): AccountFill => ({
  trade,
  order: order.id,
  ...(order.clientOrderId === undefined ? {} : { clientOrderId: order.clientOrderId }),
  market: order.market,
  side: order.side,
  at,
  role,
  price: Units.toDecimal(price),
  amount: Units.toDecimal(amount),
  fee: Units.toDecimal(fee),
  feeAsset
})

/** An account's open positions. */
export const positions = (state: State.State, account: string): ReadonlyArray<OpenPosition> =>
  [...state.positionsOf.get(account) ?? []].map((position) => {
    const liquidation = Margins.liquidationPrice(state, position)
    const called = state.calls.get(account)
    return {
      id: PositionId.make(position.id.toString()),
      account,
      market: position.market,
      amount: Units.toDecimal(position.amount),
      cost: Units.toDecimal(position.cost),
      side: position.side,
      pnl: Units.toDecimal(Margins.pnlOf(state, position)),
      margin: Units.toDecimal(Margins.marginOf(state, position)),
      funding: Units.toDecimal(position.funding),
      ...(liquidation === undefined ? {} : { liquidationPrice: Units.toDecimal(liquidation) }),
      ...(called === undefined ? {} : { state: called })
    }
  })

/** An account's balances in all wallets, and its debts. */
export const balances = ({ currencies, ledger }: State.State, account: string): ReadonlyArray<Balance> =>
  Wallet.literals.flatMap((wallet) =>
    currencies.flatMap(({ ticker }) => {
      const free = Ledger.balance(ledger, { account, wallet, locked: false }, ticker)
      const locked = Ledger.balance(ledger, { account, wallet, locked: true }, ticker)
      const debt = wallet === "collateral" ? Ledger.debt(ledger, account, ticker) : 0n
      return free === 0n && locked === 0n && debt === 0n ? [] : [{
        wallet,
        ticker,
        free: Units.toDecimal(free),
        locked: Units.toDecimal(locked),
        ...(debt === 0n ? {} : { debt: Units.toDecimal(debt) })
      }]
    })
  )
