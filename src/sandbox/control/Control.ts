/**
 * The owner's control of a sandbox: its clock, prices, accounts, keys, funds, faults, limits and history. None of it can be
 * reached with an exchange key.
 *
 * Times (`at`) are Unix microseconds. Lengths of time (`millis`) are milliseconds. The journal holds neither faults, limits
 * nor requests, nor what `snapshot` saves.
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
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { MarketName } from "../../domain/Identifiers.ts"
import type { RateLimit } from "../../protocol/Endpoint.ts"
import * as Command from "../engine/Command.ts"
import * as Schedule from "../engine/Schedule.ts"
import type { RequestRecord } from "../gateway/CallLog.ts"
import type { Armed, Fault } from "../gateway/Faults.ts"
import type { Shown } from "../gateway/Traffic.ts"
import type * as Journal from "../store/Journal.ts"
import type { SavedState } from "../store/SavedStates.ts"
import { type ControlRefused, refuse } from "../venue/ControlRefused.ts"
import type { Entry, FeedGone } from "../venue/Feed.ts"
import type { Fork } from "../venue/Forks.ts"
import type { OwnerAction } from "../venue/OwnerActions.ts"
import { checked } from "../venue/Perform.ts"
import * as Venue from "../venue/Venue.ts"
import * as Calls from "./Calls.ts"
import * as ClockControl from "./ClockControl.ts"
import * as CounterpartyView from "./CounterpartyView.ts"
import * as HistoryControl from "./HistoryControl.ts"
import * as MarketViews from "./MarketViews.ts"
import * as Past from "./Past.ts"
import * as Tape from "./Tape.ts"
import * as Views from "./Views.ts"

export { ClockReading } from "./ClockControl.ts"
export { ControlRefused } from "../venue/ControlRefused.ts"
export { Counterparty, type Credited, type QuotedMarket } from "./CounterpartyView.ts"
export { Fork } from "../venue/Forks.ts"
export { Status } from "./HistoryControl.ts"
export { Depth, type Level, MarketSummary, type MarketTrade } from "./MarketViews.ts"
export { CommandSummary, SavedState } from "./Past.ts"
export { AccountFill, AccountSummary, Balance, type Locked, OpenOrder, OpenPosition } from "./Views.ts"

type Failure = ControlRefused | Journal.JournalError

type Done = Effect.Effect<void, Failure>

/**
 * The control of a sandbox. A change succeeds once it is durable; it fails with `ControlRefused`, which names the fields
 * that are wrong, or with `JournalError` when the venue's journal fails.
 *
 * @category services
 * @since 0.1.0
 */
export class Control extends Context.Service<
  Control,
  Command.OwnerMethods<Done> & {
    /** How the counterparty quotes which markets, and how much it has been credited. */
    readonly counterparty: Effect.Effect<CounterpartyView.Counterparty, Journal.JournalError>
    /** All accounts and their keys. The counterparty is none of them. */
    readonly accounts: Effect.Effect<ReadonlyArray<Views.AccountSummary>, Journal.JournalError>
    /** The orders of an account that can still trade, or the latest of them; the oldest first. */
    readonly openOrders: (
      account: string,
      part?: Views.Part
    ) => Effect.Effect<ReadonlyArray<Views.OpenOrder>, Journal.JournalError>
    /** How many orders of an account can still trade. */
    readonly countOfOpenOrders: (account: string) => Effect.Effect<number, Journal.JournalError>
    /** Cancels an order as its account would. */
    readonly cancelOrder: (options: Calls.CancelOptions) => Done
    /** The latest fills of an account's orders, the latest first; at most 100. */
    readonly fills: (account: string) => Effect.Effect<ReadonlyArray<Views.AccountFill>, Journal.JournalError>
    /** All markets and their prices. */
    readonly markets: Effect.Effect<ReadonlyArray<MarketViews.MarketSummary>, Journal.JournalError>
    /** The best offers of a market and its latest trades. */
    readonly depth: (market: MarketName) => Effect.Effect<MarketViews.Depth, Failure>
    /**
     * The latest candles of a market, the oldest first; at most 500. An interval is 1, 60, 900, 3600 or 86400 seconds long.
     * Intervals in which the price did not move have none.
     */
    readonly candles: (
      market: MarketName,
      seconds: (typeof Tape.intervals)[number]
    ) => Effect.Effect<ReadonlyArray<Tape.Candle>, Journal.JournalError>
    /** The open positions of an account. */
    readonly positions: (account: string) => Effect.Effect<ReadonlyArray<Views.OpenPosition>, Journal.JournalError>
    /** What an account has, in all wallets. */
    readonly balances: (account: string) => Effect.Effect<ReadonlyArray<Views.Balance>, Journal.JournalError>
    /**
     * What the venue's clock shows: orders, interest and limits carry its time. Callers see another clock, which judges
     * their nonces: the machine's, with the skew. So they keep trading wherever this one is taken.
     */
    readonly clock: Effect.Effect<ClockControl.ClockReading, Journal.JournalError>
    /** Stops the clock where it is. */
    readonly freezeClock: Done
    /** Lets the clock run on from where it is. */
    readonly runClock: Done
    /**
     * Sets the clock to a later time. Everything that comes due until then happens, in order. A venue without commands can
     * be set to any time up to the year 2200; its clock then stands still.
     */
    readonly setClock: (options: {
      /** The time that the clock then shows, in Unix microseconds. */
      readonly at: number
    }) => Done
    /** Sets the clock this many milliseconds ahead. Everything that comes due until then happens, in order. */
    readonly advanceClock: (options: {
      /** How far, in milliseconds; 0 or more. */
      readonly millis: number
    }) => Done
    /**
     * Sets how far the clock that callers see, and that judges their nonces, is ahead of the machine's; below zero it is
     * behind. The venue's clock does not change.
     */
    readonly skewClock: (options: {
      /** How far, in milliseconds; at most 30 years either way. */
      readonly millis: number
    }) => Done
    /** When something comes due by itself, in Unix microseconds; `undefined` when nothing does. */
    readonly nextDue: Effect.Effect<number | undefined, Journal.JournalError>
    /** Adds a fault, and gives its number. */
    readonly addFault: (fault: Fault) => Effect.Effect<number>
    /** Removes a fault. */
    readonly removeFault: (id: number) => Effect.Effect<void, ControlRefused>
    /** Removes all faults. */
    readonly clearFaults: Effect.Effect<void>
    /** The faults in force, and how often each has matched and fired. */
    readonly faults: Effect.Effect<ReadonlyArray<Armed>>
    /**
     * Replaces the documented rate limit of one path, or of every path when none is named; `undefined` restores it. Public
     * paths are counted together: those of API V4 under the name `public`, those of API V1 as `public v1`.
     */
    readonly limit: (limit: RateLimit | undefined, path?: string) => Effect.Effect<void>
    /**
     * The calls made on the exchange, and what came of each: those after a number, or all that are kept; of these the
     * `latest`, or all.
     */
    readonly requests: (after?: number, latest?: number) => Effect.Effect<ReadonlyArray<RequestRecord>>
    /**
     * What a call sent and what it was answered, without its secrets, by its number. The latest 1000 calls are kept; an older
     * one is refused.
     */
    readonly look: (number: number) => Effect.Effect<Shown, ControlRefused>
    /** Makes a call again, by its number; it is signed anew. The latest 1000 calls are kept; an older one is refused. */
    readonly again: (number: number) => Effect.Effect<void, ControlRefused>
    /** What happens on the exchange, after a place of the feed or from now on. `"0"` is the beginning. */
    readonly events: (after?: string) => Stream.Stream<Entry, FeedGone>
    /** Where the venue stands. */
    readonly status: Effect.Effect<HistoryControl.Status, Journal.JournalError>
    /** Saves the state, so that restoring it is quick; gives the number of the last command. */
    readonly snapshot: Effect.Effect<number, Journal.JournalError>
    /** The states that a restore goes back to at once, the latest last: snapshots, and what was restored; at most 16. */
    readonly saved: Effect.Effect<ReadonlyArray<SavedState>>
    /**
     * The commands before a number, or the latest, the latest first, without their secrets. At most `limit`, which is 100 by
     * default and at most 500.
     */
    readonly commands: (
      before?: number,
      limit?: number
    ) => Effect.Effect<ReadonlyArray<Past.CommandSummary>, Journal.JournalError>
    /** Restores the state that this many commands had left. The journal goes on, and loses nothing. */
    readonly restore: (sequence: number) => Done
    /**
     * Restores the state at the last `begin`, or the empty exchange when there was none. No earlier call counts against a rate
     * limit any more; faults and limits stay.
     */
    readonly reset: Done
    /** Marks the venue as set up: a reset goes back to this. */
    readonly begin: Done
    /**
     * A new venue, in memory, after this many commands of this one, or after all. It lives until `endFork`, or as long as
     * the scope. There are at most 16 at once, forks of forks included.
     */
    readonly fork: (sequence?: number) => Effect.Effect<Venue.Venue["Service"], Failure, Scope.Scope>
    /** The forks of the venue that have not ended, and those that were made of its forks. */
    readonly forks: Effect.Effect<ReadonlyArray<Fork>>
    /** Ends a fork, and those that were made of it. It answers no more. */
    readonly endFork: (id: number) => Effect.Effect<void, ControlRefused>
    /**
     * All commands, each as a line of JSON. It holds the secrets of the venue's keys. All are checked before the first is
     * given.
     */
    readonly journal: Stream.Stream<string, Journal.JournalError>
    /**
     * Carries out the commands of another journal, each at its own time. The venue must have no commands. When one of the
     * lines would not be carried out where it stands, none is.
     */
    readonly replay: (lines: Iterable<string>) => Done
  }
>()("effect-txc/sandbox/Control") {}

/**
 * The control of a venue.
 *
 * @category constructors
 * @since 0.1.0
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
    cancelOrder: (options) => Calls.cancel(venue, options),
    fills: (account) => Effect.map(venue.read, (state) => Views.fills(state, account)),
    markets: Effect.map(venue.read, MarketViews.markets),
    depth: (market) =>
      Effect.flatMap(venue.read, (state) => {
        const found = MarketViews.depth(state, market)
        return found === undefined ? refuse("Depth", { market: "known" }) : Effect.succeed(found)
      }),
    candles: (market, seconds) => Effect.map(venue.read, (state) => Tape.candles(state, market, seconds)),
    nextDue: Effect.map(venue.read, Schedule.next),
    positions: (account) => Effect.map(venue.read, (state) => Views.positions(state, account)),
    balances: (account) => Effect.map(venue.read, (state) => Views.balances(state, account)),
    ...ClockControl.make(venue),
    addFault: (fault) => Effect.sync(() => venue.faults.add(fault)),
    removeFault: (id) =>
      Effect.suspend(() => venue.faults.remove(id) ? Effect.void : refuse("RemoveFault", { id: "known" })),
    clearFaults: Effect.sync(() => venue.faults.clear()),
    faults: Effect.sync(() => venue.faults.list()),
    limit: (limit, path) => Effect.sync(() => venue.limits.override(limit, path)),
    requests: (after = 0, latest = Infinity) => Effect.sync(() => venue.callLog.after(after).slice(-latest)),
    look: (number) => Calls.look(venue, number),
    again: (number) => Calls.again(venue, number),
    saved: Effect.sync(() => venue.saved()),
    commands: (before, limit) => Past.commands(venue, before, limit),
    events: (after) => Stream.unwrap(venue.feed.after(after)),
    ...HistoryControl.make(venue)
  })
}

/**
 * The control of the venue in the context.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Control, never, Venue.Venue> = Layer.effect(Control, Effect.map(Venue.Venue, make))
