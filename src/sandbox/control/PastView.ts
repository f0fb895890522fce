/**
 * The exchange as it was after an earlier command, as the sandbox's owner sees it. The venue's state does not change.
 */
import * as Schema from "effect/Schema"
import { MarketName } from "../../domain/Identifiers.ts"
import type * as State from "../engine/State.ts"
import * as CandleView from "./CandleView.ts"
import * as MarginViews from "./MarginViews.ts"
import * as MarketViews from "./MarketViews.ts"
import * as Views from "./Views.ts"

/** Selects the command to look back to, and the part of the exchange to show. */
export interface PastOptions {
  /** The exchange is shown as it was after this number of commands; 0 for the beginning. */
  readonly sequence: number
  /** The market whose book, trades and candles are shown. */
  readonly market: MarketName
  /** The length of a candle, in seconds: 1, 60, 900, 3600 or 86400. */
  readonly seconds: (typeof CandleView.intervals)[number]
  /** The account whose orders and balances are shown. */
  readonly account: string
}

/** A part of the exchange as it was after an earlier command. */
export interface Past {
  /** The command's time, in Unix microseconds on the venue's clock. */
  readonly at: number
  /** All markets and their prices. */
  readonly markets: ReadonlyArray<MarketViews.MarketSummary>
  /** The market's best price levels and latest trades; empty if there was no such market. */
  readonly depth: MarketViews.Depth
  /** The market's latest candles, oldest first; at most 500. */
  readonly candles: ReadonlyArray<CandleView.Candle>
  /** The account's latest open orders, oldest first; at most 100. */
  readonly openOrders: ReadonlyArray<Views.OpenOrder>
  /** The number of the account's open orders. */
  readonly countOfOpenOrders: number
  /** The account's closed orders, latest first; at most 100. */
  readonly endedOrders: ReadonlyArray<Views.EndedOrder>
  /** The account's fills, latest first; at most 100. */
  readonly fills: ReadonlyArray<Views.AccountFill>
  /** The account's open positions. */
  readonly positions: ReadonlyArray<Views.OpenPosition>
  /** The account's balances in all wallets, and its debts. */
  readonly balances: ReadonlyArray<Views.Balance>
  /** The account's margin. */
  readonly margin: MarginViews.AccountMargin
}

/** The schema of {@link Past}. */
export const Past: Schema.Codec<Past, unknown> = Schema.Struct({
  at: Schema.Int,
  markets: Schema.Array(MarketViews.MarketSummary),
  depth: MarketViews.Depth,
  candles: Schema.Array(CandleView.Candle),
  openOrders: Schema.Array(Views.OpenOrder),
  countOfOpenOrders: Schema.Int,
  endedOrders: Schema.Array(Views.EndedOrder),
  fills: Schema.Array(Views.AccountFill),
  positions: Schema.Array(Views.OpenPosition),
  balances: Schema.Array(Views.Balance),
  margin: MarginViews.AccountMargin
})

/** Shows a part of an earlier state. */
export const past = (state: State.State, { account, market, seconds }: PastOptions): Past => ({
  at: state.at,
  markets: MarketViews.markets(state),
  depth: MarketViews.depth(state, market) ?? { bids: [], asks: [], trades: [] },
  candles: CandleView.candles(state, market, seconds),
  openOrders: Views.openOrders(state, account, { limit: 100 }),
  countOfOpenOrders: Views.countOfOpenOrders(state, account),
  endedOrders: Views.endedOrders(state, account),
  fills: Views.fills(state, account),
  positions: Views.positions(state, account),
  balances: Views.balances(state, account),
  margin: MarginViews.margin(state, account)
})
