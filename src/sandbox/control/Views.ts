/**
 * What the owner of a sandbox sees of its state: accounts, orders, positions and balances.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Decimal } from "../../domain/Decimal.ts"
import { ApiKey, ClientOrderId, MarketName, OrderId, Ticker } from "../../domain/Identifiers.ts"
import { OrderSide, OrderType } from "../../domain/Order.ts"
import * as Ledger from "../engine/Ledger.ts"
import { Wallet } from "../engine/Operation.ts"
import type { Order } from "../engine/Order.ts"
import type * as State from "../engine/State.ts"
import * as Units from "../engine/Units.ts"

const key = Schema.optionalKey

/**
 * An account and its keys.
 *
 * @category models
 * @since 0.1.0
 */
export const AccountSummary = Schema.Struct({
  /** The account. */
  account: Schema.String,
  /** Whether the account may call the endpoints of business partners. */
  b2b: Schema.Boolean,
  /** The account that this one is a sub-account of. */
  subAccountOf: key(Schema.String),
  /** The account's API keys, without their secrets. */
  keys: Schema.Array(Schema.Struct({ apiKey: ApiKey, title: Schema.String, enabled: Schema.Boolean }))
})
/** @category models */
export type AccountSummary = typeof AccountSummary.Type

/**
 * An order that can still trade.
 *
 * @category models
 * @since 0.1.0
 */
export const OpenOrder = Schema.Struct({
  /** The exchange's id. */
  id: OrderId,
  /** The client's id, if it gave one. */
  clientOrderId: key(ClientOrderId),
  /** Whose order it is. */
  account: Schema.String,
  /** The market. */
  market: MarketName,
  /** Buy or sell. */
  side: OrderSide,
  /** Limit, market or stop. */
  type: OrderType,
  /** What it trades with: own funds, margin or futures. */
  kind: Schema.Literals(["spot", "margin", "futures"]),
  /** The status, in the domain's word. */
  status: Schema.String,
  /** The amount that was ordered. */
  amount: Decimal,
  /** The limit price, if the order has one. */
  price: key(Decimal),
  /** The price that triggers a stop order. */
  activationPrice: key(Decimal),
  /** Whether a stop order has been triggered. */
  activated: Schema.Boolean,
  /** What has not traded yet, in base currency; of a market buy in quote currency. */
  left: Decimal,
  /** What has traded, in base currency. */
  dealStock: Decimal,
  /** What has traded, in quote currency. */
  dealMoney: Decimal,
  /** Whether the order may only reduce a position. */
  reduceOnly: Schema.Boolean,
  /** The OCO order that it is a leg of. */
  oco: key(OrderId)
})
/** @category models */
export type OpenOrder = typeof OpenOrder.Type

/**
 * An open position.
 *
 * @category models
 * @since 0.1.0
 */
export const OpenPosition = Schema.Struct({
  /** Whose position it is. */
  account: Schema.String,
  /** The market. */
  market: MarketName,
  /** The amount in base currency: above zero is long, below zero is short. */
  amount: Decimal,
  /** What the position has cost, in quote currency. */
  cost: Decimal
})
/** @category models */
export type OpenPosition = typeof OpenPosition.Type

/**
 * What an account has of an asset in a wallet.
 *
 * @category models
 * @since 0.1.0
 */
export const Balance = Schema.Struct({
  /** The wallet. */
  wallet: Wallet,
  /** The asset. */
  ticker: Ticker,
  /** What can be used. */
  free: Decimal,
  /** What open orders hold. */
  locked: Decimal
})
/** @category models */
export type Balance = typeof Balance.Type

/**
 * All accounts.
 *
 * @category views
 * @since 0.1.0
 */
export const accounts = ({ accounts, keys, subAccounts }: State.State): ReadonlyArray<AccountSummary> =>
  [...accounts.values()].map(({ b2b, id }) => {
    const parent = subAccounts.get(id)?.parent
    const own = [...keys.values()].filter(({ account }) => account === id)
    return {
      account: id,
      b2b,
      ...(parent === undefined ? {} : { subAccountOf: parent }),
      keys: own.map(({ apiKey, enabled, title }) => ({ apiKey, enabled, title }))
    }
  })

const toOpenOrder = (order: Order): OpenOrder => ({
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
  ...(order.stop === undefined ? {} : { activationPrice: order.stop.price }),
  activated: order.stop?.activated ?? false,
  left: Units.toDecimal(order.left),
  dealStock: Units.toDecimal(order.dealStock),
  dealMoney: Units.toDecimal(order.dealMoney),
  reduceOnly: order.reduceOnly,
  ...(order.oco === undefined ? {} : { oco: order.oco })
})

/**
 * The orders of an account that can still trade.
 *
 * @category views
 * @since 0.1.0
 */
export const openOrders = ({ openOrders }: State.State, account: string): ReadonlyArray<OpenOrder> =>
  [...openOrders.values()].filter((order) => order.account === account).map(toOpenOrder)

/**
 * The open positions of an account.
 *
 * @category views
 * @since 0.1.0
 */
export const positions = ({ positions }: State.State, account: string): ReadonlyArray<OpenPosition> =>
  [...positions.values()].filter((position) => position.account === account).map(({ amount, cost, market }) => ({
    account,
    market,
    amount: Units.toDecimal(amount),
    cost: Units.toDecimal(cost)
  }))

/**
 * What an account has, in all wallets.
 *
 * @category views
 * @since 0.1.0
 */
export const balances = ({ currencies, ledger }: State.State, account: string): ReadonlyArray<Balance> =>
  Wallet.literals.flatMap((wallet) =>
    currencies.flatMap(({ ticker }) => {
      const free = Ledger.balance(ledger, { account, wallet, locked: false }, ticker)
      const locked = Ledger.balance(ledger, { account, wallet, locked: true }, ticker)
      return free === 0n && locked === 0n
        ? []
        : [{ wallet, ticker, free: Units.toDecimal(free), locked: Units.toDecimal(locked) }]
    })
  )
