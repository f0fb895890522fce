/**
 * The owner's control of a sandbox: its clock, prices, accounts, keys, funds, faults, limits, connections and history.
 * No exchange key gives access to these controls.
 *
 * Times (`at`) are in Unix microseconds, and durations (`millis`) in milliseconds. Faults, limits, the request log and
 * the states that `snapshot` saves are not part of the journal.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Control, Example, Sandbox } from "effect-txc/sandbox"
 *
 * // Alice's balances a day after the example world was set up.
 * const balances = Effect.gen(function*() {
 *   yield* Example.setUp
 *   const control = yield* Control.Control
 *   yield* control.advanceClock({ millis: 86_400_000 })
 *   return yield* control.balances(Example.alice.account)
 * }).pipe(Effect.provide(Sandbox.layer()))
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { MarketName, OrderId } from "../../domain/Identifiers.ts"
import type { RateLimit } from "../../protocol/Endpoint.ts"
import * as Command from "../engine/Command.ts"
import * as Schedule from "../engine/Schedule.ts"
import type { Armed, Fault } from "../gateway/Faults.ts"
import type { OpenConnection, SentMessage } from "../gateway/OpenConnections.ts"
import type { RequestRecord } from "../gateway/RequestRecord.ts"
import type { Shown } from "../gateway/Traffic.ts"
import type * as Journal from "../store/Journal.ts"
import type { SavedState } from "../store/SavedStates.ts"
import { type ControlRefused, refuse } from "../venue/ControlRefused.ts"
import type { Entry, FeedGone, Page } from "../venue/Feed.ts"
import type { Fork } from "../venue/Forks.ts"
import type { OwnerAction } from "../venue/OwnerActions.ts"
import { checked } from "../venue/Perform.ts"
import * as Venue from "../venue/Venue.ts"
import * as Calls from "./Calls.ts"
import * as CandleView from "./CandleView.ts"
import * as ClockControl from "./ClockControl.ts"
import * as CommandHistory from "./CommandHistory.ts"
import * as ConnectionsControl from "./ConnectionsControl.ts"
import * as CounterpartyView from "./CounterpartyView.ts"
import * as HistoryControl from "./HistoryControl.ts"
import * as MarginViews from "./MarginViews.ts"
import * as MarketViews from "./MarketViews.ts"
import * as OrderView from "./OrderView.ts"
import * as PastView from "./PastView.ts"
import * as Views from "./Views.ts"

export { ClockReading } from "./ClockControl.ts"
export { ControlRefused } from "../venue/ControlRefused.ts"
export { Counterparty, type Credited, type QuotedMarket } from "./CounterpartyView.ts"
export type { Called, CallOptions } from "./Calls.ts"
export { Fork } from "../venue/Forks.ts"
export { OpenConnection, SentMessage, type SubscribedChannel } from "../gateway/OpenConnections.ts"
export { Status } from "./HistoryControl.ts"
export { Depth, type Level, MarketSummary, type MarketTrade } from "./MarketViews.ts"
export { AccountMargin, MarginEvent, VenueMargin } from "./MarginViews.ts"
export { type OrderEvent, OrderLife } from "./OrderView.ts"
export { Past, type PastOptions } from "./PastView.ts"
export { CommandSummary, SavedState } from "./CommandHistory.ts"
export { AccountFill, AccountSummary, Balance, EndedOrder, type Locked, OpenOrder, OpenPosition } from "./Views.ts"

type Failure = ControlRefused | Journal.JournalError

type Done = Effect.Effect<void, Failure>

/**
 * The control of a sandbox. A method that adds a command to the journal succeeds once the command is durable. A refused
 * method fails with `ControlRefused`, which names the invalid fields. If the venue's journal fails, methods fail with
 * `JournalError`.
 *
 * @category services
 */
export class Control extends Context.Service<
  Control,
  Command.OwnerMethods<Done> & {
    /** The counterparty's markets, its settings for each market, and the funds credited to it. */
    readonly counterparty: Effect.Effect<CounterpartyView.Counterparty, Journal.JournalError>
    /** All accounts and their keys, without the counterparty. */
    readonly accounts: Effect.Effect<ReadonlyArray<Views.AccountSummary>, Journal.JournalError>
    /**
     * An account's open orders, oldest first. `part` selects a range of these orders, counted from the latest; all by
     * default.
     */
    readonly openOrders: (
      account: string,
      part?: Views.Part
    ) => Effect.Effect<ReadonlyArray<Views.OpenOrder>, Journal.JournalError>
    /** The number of an account's open orders. */
    readonly countOfOpenOrders: (account: string) => Effect.Effect<number, Journal.JournalError>
    /** An account's closed orders, latest first; at most 100. */
    readonly endedOrders: (account: string) => Effect.Effect<ReadonlyArray<Views.EndedOrder>, Journal.JournalError>
    /** One order of an account, open or closed, with its fills and the commands that changed it. */
    readonly order: (account: string, id: OrderId) => Effect.Effect<OrderView.OrderLife, Failure>
    /** Cancels an order on behalf of its account. */
    readonly cancelOrder: (options: Calls.CancelOptions) => Done
    /** An account's fills, latest first; at most 100. */
    readonly fills: (account: string) => Effect.Effect<ReadonlyArray<Views.AccountFill>, Journal.JournalError>
    /** All markets and their prices. */
    readonly markets: Effect.Effect<ReadonlyArray<MarketViews.MarketSummary>, Journal.JournalError>
    /** The best price levels of a market's order book, and the market's latest trades. */
    readonly depth: (market: MarketName) => Effect.Effect<MarketViews.Depth, Failure>
    /**
     * A market's latest candles, oldest first; at most 500. An interval is 1, 60, 900, 3600 or 86400 seconds long. An
     * interval without a trade or price move has no candle.
     */
    readonly candles: (
      market: MarketName,
      seconds: (typeof CandleView.intervals)[number]
    ) => Effect.Effect<ReadonlyArray<CandleView.Candle>, Journal.JournalError>
    /** An account's open positions. */
    readonly positions: (account: string) => Effect.Effect<ReadonlyArray<Views.OpenPosition>, Journal.JournalError>
    /** An account's margin at the current mark prices, and whether it has a margin call or is in liquidation. */
    readonly margin: (account: string) => Effect.Effect<MarginViews.AccountMargin, Journal.JournalError>
    /**
     * The events that concern an account's margin, latest first: at most 100, up to the command with the number `upTo`.
     * Events that a restore has undone, or that the feed no longer stores, are left out.
     */
    readonly marginEvents: (
      account: string,
      upTo?: number
    ) => Effect.Effect<ReadonlyArray<MarginViews.MarginEvent>, Journal.JournalError>
    /** The venue's margin policy, the weights of collateral assets, and the insurance account. */
    readonly venueMargin: Effect.Effect<MarginViews.VenueMargin, Journal.JournalError>
    /** An account's balances in all wallets, and its debts. */
    readonly balances: (account: string) => Effect.Effect<ReadonlyArray<Views.Balance>, Journal.JournalError>
    /**
     * The venue's clocks. Orders, interest and rate limits use the venue's own clock. Callers' nonces are checked
     * against another clock: the machine's clock plus the skew. So callers can trade at any venue time.
     */
    readonly clock: Effect.Effect<ClockControl.ClockReading, Journal.JournalError>
    /** Freezes the clock at its current time. */
    readonly freezeClock: Done
    /** Lets the clock run again from its current time. */
    readonly runClock: Done
    /**
     * Sets the clock to a later time, and carries out everything due by then, in order. If the venue has no commands
     * yet, any time before the year 2200 is allowed, even an earlier one, and the clock freezes at that time.
     */
    readonly setClock: (options: {
      /** The new time, in Unix microseconds. */
      readonly at: number
    }) => Done
    /** Advances the clock, and carries out everything due by then, in order. */
    readonly advanceClock: (options: {
      /** The duration, in milliseconds; 0 or more. */
      readonly millis: number
    }) => Done
    /**
     * Sets how far the callers' clock, against which nonces are checked, is ahead of the machine's clock; negative
     * values put it behind. The venue's clock does not change.
     */
    readonly skewClock: (options: {
      /** The skew, in milliseconds; at most 30 years in either direction. */
      readonly millis: number
    }) => Done
    /** The time at which the next event is due, in Unix microseconds; `undefined` if no event is scheduled. */
    readonly nextDue: Effect.Effect<number | undefined, Journal.JournalError>
    /** Adds a fault, and returns its number. */
    readonly addFault: (fault: Fault) => Effect.Effect<number>
    /** Removes a fault by its number. */
    readonly removeFault: (id: number) => Effect.Effect<void, ControlRefused>
    /** Removes all faults. */
    readonly clearFaults: Effect.Effect<void>
    /** The active faults. For each fault, the result says how often it has matched, and how often it has fired. */
    readonly faults: Effect.Effect<ReadonlyArray<Armed>>
    /**
     * Replaces the documented rate limit of one path, or of every path if no path is given. `undefined` restores the
     * documented limit. Public paths share one limit per API version: `public` for API V4, and `public v1` for API V1.
     */
    readonly limit: (limit: RateLimit | undefined, path?: string) => Effect.Effect<void>
    /**
     * The logged calls to the exchange and their outcomes: the calls after call number `after`, or all by default.
     * `latest` limits the result to that many of the most recent calls.
     */
    readonly requests: (after?: number, latest?: number) => Effect.Effect<ReadonlyArray<RequestRecord>>
    /**
     * The request and response of the call with this number, without secrets. Only the latest 1000 calls are stored;
     * fails for any other call.
     */
    readonly look: (number: number) => Effect.Effect<Shown, ControlRefused>
    /**
     * Repeats the call with this number. A signed call gets a new nonce and signature. Only the latest 1000 calls are
     * stored; fails for any other call.
     */
    readonly again: (number: number) => Effect.Effect<void, ControlRefused>
    /**
     * Makes a private call as an account, signed with the account's first enabled key. The call is subject to rate
     * limits and faults, and is logged.
     */
    readonly callAs: (options: Calls.CallOptions) => Effect.Effect<Calls.Called, ControlRefused>
    /** The open WebSocket connections, oldest first. */
    readonly connections: Effect.Effect<ReadonlyArray<OpenConnection>>
    /** The latest messages sent over a connection, oldest first: at most 50, with at most 32 KiB of text. */
    readonly sentMessages: (id: number) => Effect.Effect<ReadonlyArray<SentMessage>, ControlRefused>
    /** Closes a connection. */
    readonly cutConnection: (options: {
      /** The connection's number. */
      readonly id: number
      /**
       * Whether the exchange sends a close frame first (code 1001); `false` by default, as when the live exchange
       * closes a connection (code 1006).
       */
      readonly close?: boolean
    }) => Effect.Effect<void, ControlRefused>
    /**
     * The events on the exchange: those after a position in the feed or, by default, only new events. `"0"` is the
     * position before the first event.
     */
    readonly events: (after?: string) => Stream.Stream<Entry, FeedGone>
    /**
     * The events so far, a page at a time: at most 100 events after a position in the feed. Without a position, the
     * page has no events. The result has the position to continue from.
     */
    readonly eventsSoFar: (after?: string) => Effect.Effect<Page, FeedGone>
    /**
     * The venue's dialect, the number of its commands, their hash, and the number of the command that a reset returns
     * to.
     */
    readonly status: Effect.Effect<HistoryControl.Status, Journal.JournalError>
    /** Saves the state, so that it can be restored quickly, and returns the number of the last command. */
    readonly snapshot: Effect.Effect<number, Journal.JournalError>
    /**
     * The saved states, oldest first: snapshots and restored states; at most 16. Restoring a saved state is fast,
     * because no commands are replayed.
     */
    readonly saved: Effect.Effect<ReadonlyArray<SavedState>>
    /**
     * The commands before the given number, or the latest ones, newest first and without their secrets. Returns at most
     * `limit`, which is 100 by default and 500 at most. With `onlyChanges`, calls that changed nothing are left out,
     * and at most 10000 commands are searched.
     */
    readonly commands: (
      before?: number,
      limit?: number,
      onlyChanges?: boolean
    ) => Effect.Effect<ReadonlyArray<CommandHistory.CommandSummary>, Journal.JournalError>
    /** Part of the exchange as it was after `sequence` commands. The venue's state does not change. */
    readonly past: (options: PastView.PastOptions) => Effect.Effect<PastView.Past, Failure>
    /**
     * Restores the state after `sequence` commands. The restore is itself a command, so the journal keeps all earlier
     * commands.
     */
    readonly restore: (sequence: number) => Done
    /**
     * Restores the state at the latest `begin`, or the empty exchange if there was none. Earlier calls are no longer
     * counted towards the rate limits. Faults and replaced limits stay in force.
     */
    readonly reset: Done
    /** Marks the end of the venue's setup: a reset returns to the state at this point. */
    readonly begin: Done
    /**
     * Creates a new venue in memory from the first `sequence` commands of this venue, or from all of them. The fork
     * exists until `endFork` is called or the scope is closed. At most 16 forks can exist at the same time, including
     * forks of forks.
     */
    readonly fork: (sequence?: number) => Effect.Effect<Venue.Venue["Service"], Failure, Scope.Scope>
    /** The venue's open forks, and their own forks. */
    readonly forks: Effect.Effect<ReadonlyArray<Fork>>
    /** Closes a fork, and its own forks. A closed fork no longer accepts calls. */
    readonly endFork: (id: number) => Effect.Effect<void, ControlRefused>
    /**
     * All commands, each as a line of JSON, including the secrets of the venue's keys. All commands are checked before
     * the first one is emitted.
     */
    readonly journal: Stream.Stream<string, Journal.JournalError>
    /**
     * Applies the commands of another journal, each at its own time. The venue must have no commands. If any command
     * can't be applied, none is applied.
     */
    readonly replay: (lines: Iterable<string>) => Done
  }
>()("effect-txc/sandbox/Control") {}

/**
 * Creates the `Control` service for a venue.
 *
 * @category constructors
 */
export const make = (venue: Venue.Venue["Service"]): Control["Service"] => {
  return Control.of({
    ...Command.eachOwnerAction<Command.OwnerMethods<Done>>((_method, _tag) => (options: object) =>
      checked(venue, { _tag, ...options } as OwnerAction)
    ),
    counterparty: Effect.map(venue.read, CounterpartyView.counterparty),
    accounts: Effect.map(venue.read, Views.accounts),
    openOrders: (account, part) => Effect.map(venue.read, (state) => Views.openOrders(state, account, part)),
    countOfOpenOrders: (account) => Effect.map(venue.read, (state) => Views.countOfOpenOrders(state, account)),
    endedOrders: (account) => Effect.map(venue.read, (state) => Views.endedOrders(state, account)),
    order: (account, id) =>
      Effect.flatMap(venue.read, (state) => {
        const found = OrderView.order(state, venue.feed.about, account, id)
        return found === undefined
          ? refuse("Order", { id: "known" }, `the account ${account} has no order ${id}`)
          : Effect.succeed(found)
      }),
    cancelOrder: (options) => Calls.cancel(venue, options),
    fills: (account) => Effect.map(venue.read, (state) => Views.fills(state, account)),
    markets: Effect.map(venue.read, MarketViews.markets),
    depth: (market) =>
      Effect.flatMap(venue.read, (state) => {
        const found = MarketViews.depth(state, market)
        return found === undefined
          ? refuse("Depth", { market: "known" }, `there is no market ${market}; see Markets`)
          : Effect.succeed(found)
      }),
    candles: (market, seconds) => Effect.map(venue.read, (state) => CandleView.candles(state, market, seconds)),
    nextDue: Effect.map(venue.read, Schedule.next),
    positions: (account) => Effect.map(venue.read, (state) => Views.positions(state, account)),
    balances: (account) => Effect.map(venue.read, (state) => Views.balances(state, account)),
    margin: (account) => Effect.map(venue.read, (state) => MarginViews.margin(state, account)),
    marginEvents: (account, upTo) => MarginViews.marginEvents(venue, account, upTo),
    venueMargin: Effect.map(venue.read, MarginViews.venueMargin),
    ...ClockControl.make(venue),
    addFault: (fault) => Effect.sync(() => venue.faults.add(fault)),
    removeFault: (id) =>
      Effect.suspend(() =>
        venue.faults.remove(id)
          ? Effect.void
          : refuse("RemoveFault", { id: "known" }, `there is no fault ${id}; see Faults`)
      ),
    clearFaults: Effect.sync(() => venue.faults.clear()),
    faults: Effect.sync(() => venue.faults.list()),
    limit: (limit, path) => Effect.sync(() => venue.limits.override(limit, path)),
    requests: (after = 0, latest = Infinity) => Effect.sync(() => venue.callLog.after(after).slice(-latest)),
    look: (number) => Calls.look(venue, number),
    again: (number) => Calls.again(venue, number),
    callAs: (options) => Calls.callAs(venue, options),
    ...ConnectionsControl.make(venue),
    saved: Effect.sync(() => venue.saved()),
    commands: (before, limit, onlyChanges) => CommandHistory.commands(venue, before, limit, onlyChanges),
    events: (after) => Stream.unwrap(venue.feed.after(after)),
    eventsSoFar: (after) => venue.feed.read(after),
    ...HistoryControl.make(venue)
  })
}

/**
 * Provides `Control` for the venue in the context.
 *
 * @category layers
 */
export const layer: Layer.Layer<Control, never, Venue.Venue> = Layer.effect(Control, Effect.map(Venue.Venue, make))
