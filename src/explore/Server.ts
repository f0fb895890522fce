/**
 * The exchange in a history: a venue in this process, with a journal in memory. The exchange can be stopped and
 * restarted.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { MarketName } from "../domain/Identifiers.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import type { Reply } from "../sandbox/engine/Reply.ts"
import type { RequestRecord } from "../sandbox/gateway/RequestRecord.ts"
import * as Streams from "../sandbox/streams/Streams.ts"
import type { OwnerRequest } from "../sandbox/venue/OwnerActions.ts"
import * as Venue from "../sandbox/venue/Venue.ts"
import type { Journal } from "./Journal.ts"

/** A running exchange. */
export interface Running {
  /** The venue. */
  readonly venue: Venue.Venue["Service"]
  /** The venue's connections. */
  readonly streams: Streams.Streams
  /** Closed when the exchange stops. */
  readonly scope: Scope.Closeable
}

/** The exchange in a history. */
export interface Server {
  /** Returns the exchange, or `undefined` while it is stopped. */
  readonly running: () => Running | undefined
  /** Returns the running exchange or, while it is stopped, the exchange as it was before the stop. */
  readonly latest: () => Running
  /**
   * Restarts the exchange from its journal, with the faults that may still take effect. Does nothing if the exchange is
   * running.
   */
  readonly start: Effect.Effect<void>
  /** Stops the exchange. Does nothing if the exchange is already stopped. */
  readonly stop: Effect.Effect<void>
  /**
   * Carries out an action of the control plane, or a call of any account. Returns the exchange's reply, or `undefined`
   * if nothing happened because the exchange is stopped.
   */
  readonly perform: (request: OwnerRequest) => Effect.Effect<Reply | undefined>
  /** Returns a market's last price, in units, or `undefined` before its first price. */
  readonly price: (market: MarketName) => bigint | undefined
  /** Returns the calls from an address, oldest first. Public calls name no account, but every call has an address. */
  readonly callsFrom: (address: string) => ReadonlyArray<RequestRecord>
}

/** Returns the faults of an exchange that may still take effect, with their remaining counts. */
const faultsLeft = ({ venue }: Running) =>
  venue.faults.list().flatMap(({ fault: { skip = 0, times = 1, ...selects }, fired, matched }) =>
    fired < times ? [{ ...selects, skip: Math.max(0, skip - matched), times: times - fired }] : []
  )

/** Starts a venue and its streams with a journal. */
const open = Effect.fnUntraced(function*(dialect: Dialect, seed: number, journal: Journal) {
  const scope = yield* Scope.make()
  const venue = yield* Effect.orDie(
    Venue.make({ dialect, seed, journal: (options) => Effect.sync(() => journal.open(options)) })
  ).pipe(Scope.provide(scope))
  const streams = yield* Streams.make(venue).pipe(Scope.provide(scope))
  return { venue, streams, scope }
})

/** Starts the exchange of a history. */
export const make = Effect.fnUntraced(function*(dialect: Dialect, seed: number, journal: Journal) {
  let latest: Running = yield* open(dialect, seed, journal)
  let isRunning = true
  let earlier: ReadonlyArray<RequestRecord> = []
  const running = () => isRunning ? latest : undefined

  const server: Server = {
    running,
    latest: () => latest,
    start: Effect.suspend(() =>
      isRunning ? Effect.void : Effect.map(open(dialect, seed, journal), (opened) => {
        for (const fault of faultsLeft(latest)) opened.venue.faults.add(fault)
        latest = opened
        isRunning = true
      })
    ),
    stop: Effect.suspend(() => {
      if (!isRunning) return Effect.void
      isRunning = false
      earlier = [...earlier, ...latest.venue.callLog.after(0)]
      return Scope.close(latest.scope, Exit.void)
    }),
    perform: (request) =>
      Effect.suspend(() => isRunning ? Effect.orDie(latest.venue.perform(request)) : Effect.undefined),
    price: (market) => latest.venue.state.trading.get(market)?.lastPrice,
    callsFrom: (address) =>
      [...earlier, ...isRunning ? latest.venue.callLog.after(0) : []].filter(({ from }) => from === address)
  }
  return server
})
