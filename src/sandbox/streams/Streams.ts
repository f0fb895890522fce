/**
 * Manages a venue's connections: notifies them of every command and of the passing of time, and closes them when an
 * earlier state is restored or the venue stops, because clients then have to start again.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { MarketName } from "../../domain/Identifiers.ts"
import * as Time from "../../domain/Time.ts"
import type * as Event from "../engine/Event.ts"
import type { Place } from "../gateway/OpenConnections.ts"
import type * as Socket from "../gateway/Socket.ts"
import type { Context } from "../handlers/Handler.ts"
import type { Entry } from "../store/Outbox.ts"
import type { Venue } from "../venue/Venue.ts"
import * as VenueClock from "../venue/VenueClock.ts"
import * as Bounds from "./Bounds.ts"
import { Connection } from "./Connection.ts"
import * as Snapshots from "./Snapshots.ts"
import type { BookChange } from "./Source.ts"

/** A venue's connections. */
export interface Streams {
  /**
   * Connects a client. Refuses the client if the venue has too many connections or is halted, or if a fault applies.
   */
  readonly connect: Socket.Connect
}

/** The services of the runtime that the connections use. */
interface Runtime {
  readonly clock: Clock.Clock
  /** Restarts the timer, because the time of the next event may have changed. */
  readonly reschedule: () => void
  readonly log: (message: string, cause: unknown) => void
  /** Calls a function after the given number of milliseconds. The returned function cancels this timer. */
  readonly later: (millis: number, run: () => void) => () => void
}

const refused = (kind: Socket.Refused["kind"], message: string) => Result.fail({ kind, message })

const stopped = refused("unavailable", "The exchange has stopped")

const faulty = {
  rateLimited: refused("rateLimited", "Too many connections"),
  unavailable: refused("unavailable", "The exchange is not accepting connections")
}

interface Member {
  readonly connection: Connection
  /** The time at which the client last sent anything, in Unix milliseconds on the machine's clock. */
  heardAt: number
}

const marketsOf = (events: ReadonlyArray<Event.Event>): ReadonlySet<MarketName> =>
  new Set(events.flatMap((event) => "market" in event ? [event.market] : []))

class Members {
  private readonly venue: Venue["Service"]
  private readonly runtime: Runtime
  private readonly clock: Clock.Clock
  private readonly snapshots: Snapshots.Snapshots
  private readonly members = new Set<Member>()
  private stopWatching = (): void => undefined
  /** The earliest time at which a connection wants to be woken, on the venue's clock. */
  private earliest = Infinity
  /** The time on the venue's clock, and on the callers' clock. */
  private now = { at: 0, serverTime: 0 }
  private setting: Venue["Service"]["state"]["clock"] | undefined
  /** For each market, the latest command that may have changed the book since the first connection was opened. */
  private readonly bookChanges = new Map<MarketName, BookChange>()
  private before: BookChange = { updateId: 0, timestamp: Time.fromMicros(0) }

  constructor(venue: Venue["Service"], runtime: Runtime) {
    this.venue = venue
    this.runtime = runtime
    this.clock = runtime.clock
    this.snapshots = Snapshots.make(venue.faults)
  }

  connect(wire: Socket.Wire): Result.Result<Socket.Client, Socket.Refused> {
    if (!this.look()) return stopped
    const fault = this.venue.faults.hit(["connect"], { account: undefined })
    if (fault !== undefined) return faulty[fault.kind]
    return Result.map(this.venue.connections.take(wire.from), (place) => this.begin(wire, place))
  }

  private begin(wire: Socket.Wire, place: Place): Socket.Client {
    if (this.members.size === 0) this.watch()
    const connection = new Connection({
      venue: this.venue,
      context: (account) => this.contextOf(account),
      wakeAt: (at) => this.wakeAt(at),
      bookChange: (market) => this.bookChanges.get(market) ?? this.before,
      ended: () => this.remove(member),
      failed: this.runtime.log,
      later: this.runtime.later,
      place,
      snapshots: this.snapshots
    }, wire)
    const member = { connection, heardAt: this.clock.currentTimeMillisUnsafe() }
    this.members.add(member)
    this.runtime.reschedule()
    const heard = () => {
      member.heardAt = this.clock.currentTimeMillisUnsafe()
    }
    return {
      receive: (text) => {
        heard()
        if (this.look()) this.attempt(() => connection.receive(text))
        else this.endAll()
      },
      heard,
      pinged: () => connection.pinged(),
      end: () => connection.end()
    }
  }

  /** Closes all connections. */
  endAll(): void {
    for (const { connection } of this.members) connection.end()
  }

  /** Wakes connections that are due, and closes silent connections. */
  pass(): void {
    if (this.members.size === 0) return
    if (!this.look()) return this.endAll()
    if (this.now.at >= this.earliest) this.attempt(() => this.wake())
    const before = this.clock.currentTimeMillisUnsafe() - Bounds.silenceMillis
    for (const { connection, heardAt } of this.members) if (heardAt <= before) connection.end()
  }

  /** The time until the next `pass`, in milliseconds; infinite if no further `pass` is needed. */
  untilNext(): number {
    let heardAt = Infinity
    for (const member of this.members) heardAt = Math.min(heardAt, member.heardAt)
    const silence = heardAt + Bounds.silenceMillis - this.clock.currentTimeMillisUnsafe()
    const { state } = this.venue
    // Nothing becomes due while the clock is frozen.
    const isStill = this.earliest === Infinity || state.clock._tag === "Frozen"
    const wake = isStill ? Infinity : Math.ceil((this.earliest - VenueClock.now(state, this.clock)) / 1000)
    return Math.max(0, Math.min(silence, wake))
  }

  private watch(): void {
    const { venue } = this
    this.bookChanges.clear()
    this.before = { updateId: venue.sequence(), timestamp: Time.fromMicros(venue.state.at) }
    this.setting = venue.state.clock
    this.earliest = Infinity
    const unwatch = venue.watch((entry) => this.attempt(() => this.applied(entry)))
    // A halted venue pushes no more messages, so its clients must connect again.
    const forget = venue.whenHalted(() => this.endAll())
    this.stopWatching = () => {
      unwatch()
      forget()
    }
  }

  private remove(member: Member): void {
    if (!this.members.delete(member) || this.members.size > 0) return
    this.stopWatching()
    this.earliest = Infinity
  }

  /** Runs work. If the work fails, connections might miss a message, so they are closed. */
  private attempt(work: () => void): void {
    const done = Result.try(work)
    if (Result.isSuccess(done)) return
    this.runtime.log("A venue's WebSocket connections have failed", done.failure)
    this.endAll()
  }

  /** Applies everything due, and stores the time on both clocks. Returns `false` if the venue has stopped. */
  private look(): boolean {
    const moment = this.venue.settled(this.clock)
    if (moment !== undefined) this.now = moment
    return moment !== undefined
  }

  private contextOf(account: string): Context {
    const { dialect, state } = this.venue
    return { dialect, state, account, ...this.now }
  }

  private applied({ at, events, sequence }: Entry): void {
    // After a restore, clients hold outdated state and must connect again.
    if (events.some(({ _tag }) => _tag === "Restored")) return this.endAll()
    this.now = { ...this.now, at }
    const markets = marketsOf(events)
    for (const market of markets) this.bookChanges.set(market, { updateId: sequence, timestamp: Time.fromMicros(at) })
    const command = { events, markets }
    for (const { connection } of this.members) connection.applied(command)
    if (at >= this.earliest) this.wake()
    const { clock } = this.venue.state
    if (clock === this.setting) return
    this.setting = clock
    this.runtime.reschedule()
  }

  private wake(): void {
    this.earliest = Infinity
    for (const { connection } of this.members) connection.woken(this.now.at)
  }

  private wakeAt(at: number): void {
    if (at >= this.earliest) return
    this.earliest = at
    this.runtime.reschedule()
  }
}

/** Refuses every connection, for transports without a WebSocket. */
export const none: Streams = { connect: () => stopped }

/** Creates the manager for a venue's connections. Closes all connections when the scope closes. */
export const make = Effect.fnUntraced(function*(
  venue: Venue["Service"]
): Effect.fn.Return<Streams, never, Scope.Scope> {
  const changes = yield* Queue.sliding<void>(1)
  const run = Effect.runCallbackWith(yield* Effect.context())
  const members = new Members(venue, {
    clock: yield* Clock.Clock,
    reschedule: () => Queue.offerUnsafe(changes, undefined),
    log: (message, cause) => run(Effect.logError(message, cause)),
    later: (millis, done) => {
      const stop = run(Effect.delay(Effect.sync(done), millis))
      return () => stop()
    }
  })
  const next = Effect.suspend(() => {
    const millis = members.untilNext()
    const time = millis === Infinity ? Effect.never : Effect.sleep(millis)
    return Effect.raceFirst(time, Queue.take(changes))
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(next, Effect.sync(() => members.pass()))))
  yield* Effect.addFinalizer(() => Effect.sync(() => members.endAll()))
  return { connect: (wire) => members.connect(wire) }
})
