/**
 * The exchange in a history: a venue in this process, with a journal in memory. The exchange can be stopped and
 * restarted.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { MarketName } from "../domain/Identifiers.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import type { Reply } from "../sandbox/engine/Reply.ts"
import type * as Faults from "../sandbox/gateway/Faults.ts"
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
   * Restarts the exchange from its journal, with the faults that may still take effect. Returns `false`, and does
   * nothing, if the exchange is running.
   */
  readonly start: Effect.Effect<boolean>
  /** Stops the exchange, and interrupts its calls in progress. Does nothing if the exchange is already stopped. */
  readonly stop: Effect.Effect<void>
  /**
   * Carries out an action of the control plane, or a call of any account. Returns the exchange's reply, or `undefined`
   * if nothing happened because the exchange is stopped.
   */
  readonly perform: (request: OwnerRequest) => Effect.Effect<Reply | undefined>
  /** Adds a fault. Returns a function that returns how often the fault has taken effect. */
  readonly inject: (fault: Faults.Fault) => () => number
  /** Removes all faults. */
  readonly clearFaults: () => void
  /** Returns a market's last price, in units, or `undefined` before its first price. */
  readonly price: (market: MarketName) => bigint | undefined
  /** Returns the calls from an address, oldest first. Public calls name no account, but every call has an address. */
  readonly callsFrom: (address: string) => ReadonlyArray<RequestRecord>
}

/** A fault that was added to the exchange. */
interface Injected {
  /** The fault's number on the latest exchange; `undefined` if it can't take effect any more. */
  id: number | undefined
  /** How often the fault took effect before the latest exchange was opened. */
  fired: number
}

/** Returns the part of a fault that may still take effect, with its remaining counts. */
const leftOf = (
  { fault: { skip = 0, times = 1, ...selects }, fired, matched }: Faults.Armed
): Faults.Fault | undefined =>
  fired < times ? { ...selects, skip: Math.max(0, skip - matched), times: times - fired } : undefined

/** Keeps the faults of a history, which survive restarts of the exchange. */
const faultsOf = (latest: () => Running) => {
  const injected: Array<Injected> = []
  const armed = ({ id }: Injected) =>
    id === undefined ? undefined : latest().venue.faults.list().find((fault) => fault.id === id)
  /** Counts how often each fault took effect, and returns the parts that may still take effect. */
  const settle = () =>
    injected.flatMap((one) => {
      const was = armed(one)
      one.id = undefined
      if (was === undefined) return []
      one.fired += was.fired
      const left = leftOf(was)
      return left === undefined ? [] : [[one, left] as const]
    })
  return {
    inject: (fault: Faults.Fault): () => number => {
      const one: Injected = { id: latest().venue.faults.add(fault), fired: 0 }
      injected.push(one)
      return () => one.fired + (armed(one)?.fired ?? 0)
    },
    clear: (): void => {
      settle()
      latest().venue.faults.clear()
    },
    settle
  }
}

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
  // An exchange that is stopping may still write to the journal, so the next one must not be opened before it has
  // stopped.
  const oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)

  const faults = faultsOf(() => latest)

  const server: Server = {
    running,
    latest: () => latest,
    start: oneAtATime(
      Effect.suspend(() =>
        isRunning ? Effect.succeed(false) : Effect.map(open(dialect, seed, journal), (opened) => {
          for (const [one, left] of faults.settle()) one.id = opened.venue.faults.add(left)
          latest = opened
          isRunning = true
          return true
        })
      )
    ),
    stop: oneAtATime(Effect.suspend(() => {
      if (!isRunning) return Effect.void
      isRunning = false
      const before = earlier
      const keepCalls = () => {
        earlier = [...before, ...latest.venue.callLog.after(0)]
      }
      keepCalls()
      // A call that was applied before the stop may be logged only during the stop, when its commands are durable.
      return Effect.andThen(Scope.close(latest.scope, Exit.void), Effect.sync(keepCalls))
    })),
    perform: (request) =>
      Effect.suspend(() => isRunning ? Effect.orDie(latest.venue.perform(request)) : Effect.undefined),
    inject: faults.inject,
    clearFaults: faults.clear,
    price: (market) => latest.venue.state.trading.get(market)?.lastPrice,
    callsFrom: (address) =>
      [...earlier, ...isRunning ? latest.venue.callLog.after(0) : []].filter(({ from }) => from === address)
  }
  return server
})
