/** The state of the exchange and the program at one point in time, for invariants to check. */
import type * as Schema from "effect/Schema"
import * as Decimal from "../domain/Decimal.ts"
import type { MarketName } from "../domain/Identifiers.ts"
import type { MarketSummary } from "../sandbox/control/MarketViews.ts"
import * as MarketViews from "../sandbox/control/MarketViews.ts"
import type { AccountFill, Balance, EndedOrder, OpenOrder, OpenPosition } from "../sandbox/control/Views.ts"
import * as Views from "../sandbox/control/Views.ts"
import type { RequestRecord } from "../sandbox/gateway/RequestRecord.ts"
import type { Sent } from "./Network.ts"
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
  /** The size of the position on a market: positive for long, negative for short. */
  readonly position: (market: string) => Decimal.Decimal
}

/** The parts of a history from which a `Moment` is created. */
export interface Source {
  readonly server: Server
  readonly account: string
  readonly now: () => number
  readonly start: number
  readonly sent: ReadonlyArray<Sent>
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
    position: (market) =>
      view.positions.find((position) => position.market === market as MarketName)?.amount ?? Decimal.zero
  }
  return view
}
