/** The state of the exchange and the program at one point in time, for invariants to check. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Decimal from "../domain/Decimal.ts"
import type { OrderId } from "../domain/Identifiers.ts"
import * as Frame from "../protocol/Frame.ts"
import type { MarketSummary } from "../sandbox/control/MarketViews.ts"
import * as MarketViews from "../sandbox/control/MarketViews.ts"
import type { AccountFill, Balance, EndedOrder, OpenOrder, OpenPosition } from "../sandbox/control/Views.ts"
import * as Views from "../sandbox/control/Views.ts"
import * as Ledger from "../sandbox/engine/Ledger.ts"
import { Wallet } from "../sandbox/engine/Operation.ts"
import type { Order } from "../sandbox/engine/Order.ts"
import type { State } from "../sandbox/engine/State.ts"
import * as Units from "../sandbox/engine/Units.ts"
import type { RequestRecord } from "../sandbox/gateway/RequestRecord.ts"
import type { Arrived, Sent } from "./Network.ts"
import type { Server } from "./Server.ts"

/**
 * A value that the program reported about itself with `say`.
 *
 * @category models
 */
export interface Said {
  /** The latest value. */
  readonly value: Schema.Json
  /** The time, in Unix milliseconds. */
  readonly at: number
  /**
   * The number of the process that reported the value, counted from 1. A value outlives its process: it comes from the
   * latest process only if this number equals the moment's `starts`.
   */
  readonly process: number
}

/**
 * A message that the exchange pushed, and that arrived at a process of the program.
 *
 * @category models
 */
export interface Pushed {
  /** The time at which the message arrived, in Unix milliseconds. */
  readonly at: number
  /** The number of the process at which the message arrived, counted from 1. */
  readonly process: number
  /** The channel's name as on the wire, such as `lastprice`. */
  readonly channel: string
  /** The content as on the wire: an array, or for some channels an object. */
  readonly params: unknown
}

/**
 * The state of the exchange and the program at one point in time.
 *
 * @category models
 */
export interface Moment {
  /** The time, in Unix milliseconds. */
  readonly now: number
  /** The time since the start of the history, in milliseconds. */
  readonly elapsed: number
  /** The program's open orders, oldest first. */
  readonly openOrders: ReadonlyArray<OpenOrder>
  /** The program's latest closed orders, latest first; at most 100. */
  readonly endedOrders: ReadonlyArray<EndedOrder>
  /** All of the program's closed orders, oldest first. Throughout a history, this is one array, which only grows. */
  readonly allEndedOrders: ReadonlyArray<EndedOrder>
  /**
   * Whether the program placed an order itself, given its id: `false` for the exchange's own orders (liquidation and
   * ADL), and for an order that replaces a modified order.
   */
  readonly isPlaced: (id: string) => boolean
  /** The program's latest fills, latest first; at most 100. */
  readonly fills: ReadonlyArray<AccountFill>
  /** The program's open positions. */
  readonly positions: ReadonlyArray<OpenPosition>
  /** The program's balances in all wallets. */
  readonly balances: ReadonlyArray<Balance>
  /** All markets and their prices. */
  readonly markets: ReadonlyArray<MarketSummary>
  /** The program's calls that arrived, private and public, as the exchange logged them, oldest first. */
  readonly calls: ReadonlyArray<RequestRecord>
  /** All calls that the program sent, as the network saw them, oldest first. */
  readonly sent: ReadonlyArray<Sent>
  /**
   * The messages that the exchange pushed, and that arrived at the program, oldest first. Throughout a history, this is
   * one array, which only grows. Messages that a fault has made unreadable are left out.
   */
  readonly pushed: ReadonlyArray<Pushed>
  /** The values that the program reported about itself with `say`, keyed by name. */
  readonly said: ReadonlyMap<string, Said>
  /** Whether a process of the program is running. */
  readonly isRunning: boolean
  /** The number of times that the program was started. */
  readonly starts: number
  /** The reason for each failure of one of the program's processes. */
  readonly failures: ReadonlyArray<string>
  /** The total of an asset's free and locked funds in the trade wallet and the collateral wallet. */
  readonly total: (ticker: string) => Decimal.Decimal
  /**
   * The change of an asset's free and locked funds, in all wallets together, since the start of the history; negative if
   * the funds have become less.
   */
  readonly change: (ticker: string) => Decimal.Decimal
  /**
   * The size of the position on a market: positive for long, negative for short. In hedge mode, the sum of both
   * positions.
   */
  readonly position: (market: string) => Decimal.Decimal
}

/** The parts of a history from which a `Moment` is created. */
export interface Source {
  readonly server: Server
  readonly account: string
  readonly now: () => number
  readonly start: number
  readonly sent: ReadonlyArray<Sent>
  readonly arrived: ReadonlyArray<Arrived>
  readonly said: ReadonlyMap<string, Said>
  readonly isRunning: () => boolean
  readonly starts: () => number
  readonly failures: ReadonlyArray<string>
}

/** Adds decimals. Skips a decimal if the sum would need more than 64 characters. */
export const sum = (decimals: Iterable<Decimal.Decimal>): Decimal.Decimal => {
  let total = Decimal.zero
  for (const decimal of decimals) {
    const added = Decimal.add(total, decimal)
    if (added._tag === "Success") total = added.success
  }
  return total
}

/** The method of a pushed message is the channel's name with this suffix. */
const suffix = "_update"

/** Reads the pushed messages among those that arrived. Reads each message only once, and none if no invariant asks. */
const followPushed = (arrived: ReadonlyArray<Arrived>): () => ReadonlyArray<Pushed> => {
  const pushed: Array<Pushed> = []
  let count = 0
  return () => {
    for (const { at, process, text } of count === arrived.length ? [] : arrived.slice(count)) {
      const frame = Result.getOrUndefined(Frame.readReceived(text))
      if (frame?._tag !== "Push" || !frame.method.endsWith(suffix)) continue
      pushed.push({ at, process, channel: frame.method.slice(0, -suffix.length), params: frame.params })
    }
    count = arrived.length
    return pushed
  }
}

/** Whether an order was canceled after its own command, as the order that a modification replaces is. */
const isCanceledLater = ({ changedAt, placedAt, status }: Order): boolean =>
  placedAt < changedAt && (status === "CANCELED" || status === "PARTIAL_CANCELED")

/** The properties that a modified order and its replacement share, together with the time of the modification. */
const replacement = (at: number, { clientOrderId, market, side, type }: Order): string =>
  `${at} ${market} ${side} ${type} ${clientOrderId ?? ""}`

/**
 * Follows an account's closed orders. Reads each of them only once, because an account can have many, and a closed order
 * no longer changes. A modification cancels an order and opens its replacement in the same command, so at the same time.
 */
const followOrders = (state: () => State, account: string): Pick<Moment, "allEndedOrders" | "isPlaced"> => {
  const ended: Array<EndedOrder> = []
  const canceled = new Set<string>()
  const notPlaced = new Set<string>()
  // No client order id of a caller can end in `!`.
  const isPlaced = (order: Order): boolean =>
    order.clientOrderId?.endsWith("!") !== true && !canceled.has(replacement(order.placedAt, order))
  const follow = (): void => {
    const all = state().endedOrders.get(account) ?? []
    for (let index = ended.length; index < all.length; index++) {
      const order = all[index]
      if (order === undefined) return
      ended.push({ ...Views.toOrder(order), endedAt: order.changedAt })
      if (!isPlaced(order)) notPlaced.add(order.id)
      if (isCanceledLater(order)) canceled.add(replacement(order.changedAt, order))
    }
  }
  return {
    get allEndedOrders() {
      follow()
      return ended
    },
    isPlaced: (id) => {
      follow()
      const order = state().openOrders.get(id as OrderId)
      return order === undefined ? !notPlaced.has(id) : isPlaced(order)
    }
  }
}

/**
 * An account's free and locked funds, in all wallets together, keyed by ticker. Reads the ledger without changing it:
 * `Ledger.balance` would create empty purses.
 */
const fundsOf = ({ ledger }: State, account: string): ReadonlyMap<string, Units.Units> => {
  const funds = new Map<string, Units.Units>()
  for (const wallet of Wallet.literals) {
    for (const { free, locked, ticker } of Ledger.pairs(ledger, account, wallet)) {
      funds.set(ticker, (funds.get(ticker) ?? 0n) + free.units + locked.units)
    }
  }
  return funds
}

/** Creates a `Moment` that always shows the current state, computed when it is read. */
export const make = ({ account, server, ...source }: Source): Moment => {
  const state = () => server.latest().venue.state
  /**
   * The values computed since the latest command. They are cached, so each value is computed at most once per command.
   */
  let known = { sequence: -1, values: new Map<string, unknown>() }
  const cached = <A>(name: string, compute: () => A): A => {
    const sequence = server.latest().venue.sequence()
    if (known.sequence !== sequence) known = { sequence, values: new Map() }
    if (!known.values.has(name)) known.values.set(name, compute())
    return known.values.get(name) as A
  }
  const pushed = followPushed(source.arrived)
  const orders = followOrders(state, account)
  const atStart = fundsOf(state(), account)
  const view: Moment = {
    get now() {
      return source.now()
    },
    get elapsed() {
      return source.now() - source.start
    },
    get openOrders() {
      return cached("openOrders", () => Views.openOrders(state(), account))
    },
    get endedOrders() {
      return cached("endedOrders", () => Views.endedOrders(state(), account))
    },
    get allEndedOrders() {
      return orders.allEndedOrders
    },
    isPlaced: orders.isPlaced,
    get fills() {
      return cached("fills", () => Views.fills(state(), account))
    },
    get positions() {
      return cached("positions", () => Views.positions(state(), account))
    },
    get balances() {
      return cached("balances", () => Views.balances(state(), account))
    },
    get markets() {
      return cached("markets", () => MarketViews.markets(state()))
    },
    get calls() {
      return server.callsFrom("program")
    },
    sent: source.sent,
    get pushed() {
      return pushed()
    },
    said: source.said,
    failures: source.failures,
    get isRunning() {
      return source.isRunning()
    },
    get starts() {
      return source.starts()
    },
    total: (ticker) =>
      sum(
        view.balances.flatMap((balance) =>
          balance.ticker === ticker && balance.wallet !== "main" ? [balance.free, balance.locked] : []
        )
      ),
    change: (ticker) => {
      const funds = cached("funds", () => fundsOf(state(), account))
      return Units.toDecimal((funds.get(ticker) ?? 0n) - (atStart.get(ticker) ?? 0n))
    },
    position: (market) => sum(view.positions.flatMap((position) => position.market === market ? [position.amount] : []))
  }
  return view
}
