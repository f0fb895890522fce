/**
 * One venue of a host, asleep or awake. A call wakes a sleeping venue; an idle venue falls asleep.
 *
 * Calls that arrive while the venue is waking up are queued, and carried out in order of arrival. The venue falls
 * asleep only if it has no call in progress, no feed reader, no WebSocket and no fork. A call that arrives while the
 * venue is falling asleep wakes it again.
 *
 * Each caller waits for a limited time. After that, the host refuses the call, even if the venue is still being opened
 * or closed.
 */
import type * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { prefix } from "../control/ControlApi.ts"
import type { Answer, Outcome, Request } from "../gateway/Message.ts"
import type { Connect } from "../gateway/Socket.ts"
import { type Backend, backendOf } from "../server/Backend.ts"
import * as ControlPlane from "../server/ControlPlane.ts"
import type { JournalError } from "../store/JournalError.ts"
import * as Streams from "../streams/Streams.ts"
import { type ControlRefused, refuse } from "../venue/ControlRefused.ts"
import type { Place } from "../venue/Forks.ts"
import type { Venue } from "../venue/Venue.ts"

/** The parts of a resident venue that the host provides. */
export interface Options<E> {
  /** The control plane's token. */
  readonly controlToken: string
  /**
   * Opens the venue, which closes when the scope closes. Fails if capacity is exhausted, or if the journal can't be
   * used.
   */
  readonly open: Effect.Effect<Venue["Service"], E, Scope.Scope>
  /** Reserves capacity for a fork until the scope is closed; `false` if the capacity is exhausted. */
  readonly capacity: Effect.Effect<boolean, never, Scope.Scope>
  /** The venue's base URL. */
  readonly baseUrl: () => string
  /** Called when the venue becomes idle. */
  readonly onIdle: () => void
  /** The host's clock. */
  readonly clock: Clock.Clock
  /** The host's scope. */
  readonly scope: Scope.Scope
  /** Runs an effect in the background. */
  readonly run: (effect: Effect.Effect<unknown>) => Fiber.Fiber<unknown>
}

/** A venue in memory, with the backends that handle its requests. */
export interface Awake {
  /** The open venue. */
  readonly venue: Venue["Service"]
  /** The backend of the venue's calls and its control plane. */
  readonly backend: Backend
  /** The backends of the venue's forks, keyed by number. */
  readonly forks: ReadonlyMap<number, Backend>
}

/** The reason why a caller does not get the venue: the venue was deleted, or the caller has waited for too long. */
export type Unready = "ended" | "late"

/** The callback of a caller, given the venue or the reason why it can't be woken. */
type Ready<E> = (awake: Exit.Exit<Awake, E | Unready>) => void

/** A caller that waits for the venue. */
interface Waiter<E> {
  readonly ready: Ready<E>
  /** Refuses the caller when it has waited for too long. */
  readonly timer: Fiber.Fiber<unknown>
}

/** The state of a venue in this process. A halted venue can no longer write its journal. */
export type StageName = "asleep" | "waking" | "awake" | "halted" | "falling asleep" | "ended"

/** A venue's stage. */
export interface Staged {
  /** The stage's name. */
  readonly stage: StageName
  /** The time at which the stage began, in Unix milliseconds. */
  readonly since: number
  /** The number of callers waiting for the venue to wake. */
  readonly waiting: number
  /** The number of the venue's open WebSockets. */
  readonly sockets: number
}

type Stage =
  | { readonly _tag: "Asleep" | "Ended" }
  /** `done` completes once the venue is awake, or has fallen asleep. */
  | { readonly _tag: "Waking" | "FallingAsleep"; readonly done: Deferred.Deferred<void> }
  /** `isOver` completes when the venue begins to close while it is in use; the feeds then end. */
  | {
    readonly _tag: "Awake"
    readonly awake: Awake
    readonly scope: Scope.Closeable
    readonly isOver: Deferred.Deferred<void>
  }

/** One venue of a host. */
export interface Resident<E> {
  /**
   * Calls `ready` with the venue: immediately if the venue is awake, otherwise once it has woken, in the order of the
   * `acquire` calls. The venue stays awake until every `acquire` has been followed by a `release`. If `millis`
   * ({@link patience} by default) pass first, `ready` is called without the venue.
   */
  readonly acquire: (clock: Clock.Clock, ready: Ready<E>, millis?: number) => void
  /** Ends one use of the venue. */
  readonly release: (clock: Clock.Clock) => void
  /**
   * Handles a request to the venue, waking the venue if needed. `choose` gets the venue, or the reason why it can't be
   * woken, and returns the backend that handles the request, or a response.
   */
  readonly receive: (
    request: Request,
    clock: Clock.Clock,
    resume: (outcome: Outcome | Effect.Effect<Outcome>) => void,
    choose: (exit: Exit.Exit<Awake, E | Unready>) => Backend | Answer
  ) => void
  /** Whether the venue is in memory: waking up, awake or falling asleep. */
  readonly isAwake: () => boolean
  /**
   * The reason why the journal can no longer be written; `undefined` if the journal can be written, or if the venue is
   * asleep.
   */
  readonly failure: () => JournalError | undefined
  /** The venue's stage, and the time at which the stage began. */
  readonly look: () => Staged
  /** The time at which the venue was last used, in Unix milliseconds. */
  readonly usedAt: () => number
  /** Whether the venue can currently fall asleep. */
  readonly isIdle: () => boolean
  /**
   * Puts the venue to sleep; `false` if the venue is in use, is not awake, or does not fall asleep within ten seconds.
   */
  readonly sleep: Effect.Effect<boolean>
  /**
   * Closes the venue even if it is in use, because its journal has failed. Calls in progress get five seconds to
   * finish; feeds end immediately, and forks end when the venue closes. The next call, or a call that arrives
   * meanwhile, opens the venue again.
   */
  readonly restart: Effect.Effect<void>
  /**
   * Closes the venue for deletion. Calls in progress get five seconds to finish; feeds end immediately. If closing
   * takes longer than ten seconds, it continues in the background.
   */
  readonly end: Effect.Effect<void>
}

/** The maximum time that a caller waits for a venue, in milliseconds. */
export const patience = 10_000

/**
 * The time limit for opening a venue. It is longer than the time that a caller waits, so that a venue with a long
 * journal can still open for a later call.
 */
const wakeLimit = "1 minute"

/** The maximum time to wait for a venue to close. */
const closeLimit = "10 seconds"

/** The time that calls in progress get to finish when a venue is closed. */
const grace = "5 seconds"

/** Waits until a venue has closed; `false` if closing takes too long. */
const closing = (done: Deferred.Deferred<void>): Effect.Effect<boolean> =>
  Effect.map(Effect.timeoutOption(Deferred.await(done), closeLimit), Option.isSome)

const forkPath = /^\/fork\/(\d{1,9})(\/.*)$/u

/**
 * The backend for a request: the venue's backend, or the backend of the fork that the path names; `undefined` if there
 * is no such fork.
 */
export const backendFor = ({ backend, forks }: Awake, { path }: Request): Backend | undefined => {
  if (!path.startsWith("/fork/")) return backend
  const [, id = "", rest = ""] = forkPath.exec(path) ?? []
  const fork = forks.get(Number(id))
  if (fork === undefined || id === "") return undefined
  return { ...fork, receive: (request, clock, resume) => fork.receive({ ...request, path: rest }, clock, resume) }
}

/** Builds the control plane when it is first needed, because most calls don't need it. */
const lazily = (token: string, make: Effect.Effect<ControlPlane.ControlPlane>) =>
  Effect.map(Effect.cached(make), (made): ControlPlane.ControlPlane => ({
    isFor: ControlPlane.isFor,
    isOpenTo: (headers) => ControlPlane.isAuthorized(headers, token),
    handle: (request) => Effect.flatMap(made, ({ handle }) => handle(request))
  }))

const tooManyAwake = "the host has as many venues and forks awake as it can. End a fork, or try again later"

/** Opens the venue and its backends. */
const wake = Effect.fnUntraced(function*<E>(
  { baseUrl, controlToken: token, open, capacity }: Options<E>
): Effect.fn.Return<Awake, E, Scope.Scope> {
  const scope = yield* Effect.scope
  const venue = yield* open
  const forks = new Map<number, Backend>()
  const serve = (forked: Venue["Service"]): Effect.Effect<Place, ControlRefused, Scope.Scope> =>
    Effect.gen(function*() {
      if (!(yield* capacity)) return yield* refuse("Fork", { venue: "max" }, tooManyAwake)
      const { id } = forked.forks
      const url = `${baseUrl()}/fork/${id}`
      const control = yield* ControlPlane.make(forked, { token, serve })
      forks.set(id, backendOf(forked, control, yield* Streams.make(forked)))
      yield* Effect.addFinalizer(() => Effect.sync(() => forks.delete(id)))
      return { url, controlUrl: url + prefix }
    })
  const control = yield* lazily(token, Scope.provide(ControlPlane.make(venue, { token, serve }), scope))
  return { venue, backend: backendOf(venue, control, yield* Streams.make(venue)), forks }
})

const names = {
  Asleep: "asleep",
  Waking: "waking",
  Awake: "awake",
  FallingAsleep: "falling asleep",
  Ended: "ended"
} as const

class Sleeping<E> implements Resident<E> {
  private readonly options: Options<E>
  private stage: Stage = { _tag: "Asleep" }
  private since: number
  private isHalted = false
  /** The callers that wait for the venue, in order of arrival. */
  private readonly waiting = new Set<Waiter<E>>()
  /** The number of calls, feeds and other uses in progress. */
  private uses = 0
  /** The number of open WebSockets. */
  private sockets = 0
  private lastUse = 0
  private readonly ended = Deferred.makeUnsafe<void>()
  private whenIdle: (() => void) | undefined

  constructor(options: Options<E>) {
    this.options = options
    this.since = options.clock.currentTimeMillisUnsafe()
  }

  acquire(clock: Clock.Clock, ready: Ready<E>, millis: number = patience): void {
    this.lastUse = clock.currentTimeMillisUnsafe()
    const { stage } = this
    switch (stage._tag) {
      case "Awake":
        this.uses++
        return ready(Exit.succeed(stage.awake))
      case "Asleep":
        this.wait(ready, millis)
        return this.begin()
      case "Ended":
        return ready(Exit.fail("ended"))
      default:
        this.wait(ready, millis)
    }
  }

  release(clock: Clock.Clock): void {
    this.lastUse = clock.currentTimeMillisUnsafe()
    if (--this.uses > 0) return
    this.whenIdle?.()
    this.options.onIdle()
  }

  receive(
    request: Request,
    clock: Clock.Clock,
    resume: (outcome: Outcome | Effect.Effect<Outcome>) => void,
    choose: (exit: Exit.Exit<Awake, E | Unready>) => Backend | Answer
  ): void {
    this.acquire(clock, (exit) => {
      const chosen = choose(exit)
      if ("_tag" in chosen) {
        if (Exit.isSuccess(exit)) this.release(clock)
        return resume(chosen)
      }
      chosen.receive(request, clock, (given) => {
        if (!Effect.isEffect(given)) return resume(this.last(given, clock))
        resume(Effect.onExit(
          Effect.map(given, (outcome) => this.last(outcome, clock)),
          (exit) => Exit.isSuccess(exit) ? Effect.void : Effect.sync(() => this.release(clock))
        ))
      })
    }, request.patience)
  }

  isAwake(): boolean {
    return this.stage._tag !== "Asleep" && this.stage._tag !== "Ended"
  }

  failure(): JournalError | undefined {
    return this.stage._tag === "Awake" ? this.stage.awake.venue.journal.failure() : undefined
  }

  look(): Staged {
    const isHalted = this.failure() !== undefined
    if (isHalted && !this.isHalted) this.since = this.options.clock.currentTimeMillisUnsafe()
    this.isHalted = isHalted
    const stage = isHalted ? "halted" : names[this.stage._tag]
    return { stage, since: this.since, waiting: this.waiting.size, sockets: this.sockets }
  }

  usedAt(): number {
    return this.lastUse
  }

  isIdle(): boolean {
    return this.stage._tag === "Awake" && this.uses === 0 && this.stage.awake.forks.size === 0
  }

  get sleep(): Effect.Effect<boolean> {
    return Effect.suspend(() => {
      const { stage } = this
      if (stage._tag !== "Awake" || !this.isIdle()) return Effect.succeed(false)
      const done = Deferred.makeUnsafe<void>()
      this.options.run(this.close(stage.scope, done))
      return closing(done)
    })
  }

  get end(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const before = this.stage
      this.enter({ _tag: "Ended" })
      Deferred.doneUnsafe(this.ended, Exit.void)
      this.tell(Exit.fail("ended"))
      if (before._tag === "Waking" || before._tag === "FallingAsleep") return closing(before.done)
      if (before._tag !== "Awake") return Effect.void
      const done = Deferred.makeUnsafe<void>()
      const isUnused = Deferred.makeUnsafe<void>()
      // Runs in the background, so that the venue is closed even if no caller is waiting anymore.
      this.options.run(Effect.andThen(
        Effect.andThen(this.unused(before), Deferred.done(isUnused, Exit.void)),
        this.close(before.scope, done)
      ))
      return Effect.andThen(Deferred.await(isUnused), closing(done))
    })
  }

  get restart(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { stage } = this
      if (stage._tag !== "Awake") return Effect.void
      const done = Deferred.makeUnsafe<void>()
      this.enter({ _tag: "FallingAsleep", done })
      this.options.run(Effect.andThen(this.unused(stage), this.close(stage.scope, done)))
      return Effect.asVoid(closing(done))
    })
  }

  private enter(stage: Stage): void {
    this.stage = stage
    this.since = this.options.clock.currentTimeMillisUnsafe()
  }

  /** Ends the feeds of an awake venue, and gives its calls time to finish. */
  private unused({ isOver }: Stage & { readonly _tag: "Awake" }): Effect.Effect<unknown> {
    Deferred.doneUnsafe(isOver, Exit.void)
    const idle = Effect.callback<void>((resume) => {
      this.whenIdle = () => resume(Effect.void)
      if (this.uses === 0) resume(Effect.void)
    })
    return Effect.timeoutOption(idle, grace)
  }

  /** Lets a caller wait for the venue for at most `millis`. */
  private wait(ready: Ready<E>, millis: number): void {
    const giveUp = Effect.sync(() => {
      if (this.waiting.delete(waiter)) ready(Exit.fail("late"))
    })
    const waiter: Waiter<E> = { ready, timer: this.options.run(Effect.delay(giveUp, millis)) }
    this.waiting.add(waiter)
  }

  /** Calls the callbacks of the waiting callers, in order. Each caller that gets the venue adds a use. */
  private tell(exit: Exit.Exit<Awake, E | Unready>): void {
    const told = [...this.waiting]
    this.waiting.clear()
    if (Exit.isSuccess(exit)) this.uses += told.length
    for (const { ready, timer } of told) {
      timer.interruptUnsafe()
      // A defect in one caller's request must not keep the other callers waiting.
      const called = Result.try(() => ready(exit))
      if (Result.isFailure(called)) this.options.run(Effect.logError("A call has failed", called.failure))
    }
  }

  /** Wakes the venue for the waiting callers, and for callers that arrive meanwhile. */
  private begin(): void {
    const done = Deferred.makeUnsafe<void>()
    this.enter({ _tag: "Waking", done })
    this.options.run(Effect.gen({ self: this }, function*() {
      const scope = yield* Scope.fork(this.options.scope)
      const ending = Effect.andThen(Deferred.await(this.ended), Effect.fail("ended" as const))
      const exit = yield* Effect.raceFirst(Scope.provide(wake(this.options), scope), ending).pipe(
        Effect.timeoutOrElse({ duration: wakeLimit, orElse: () => Effect.fail("late" as const) }),
        Effect.exit
      )
      if (this.stage._tag === "Waking" && Exit.isSuccess(exit)) {
        this.enter({ _tag: "Awake", awake: exit.value, scope, isOver: Deferred.makeUnsafe() })
        Deferred.doneUnsafe(done, Exit.void)
        return this.tell(exit)
      }
      // Closing can take a long time, and callers don't have to wait for it.
      if (Exit.isFailure(exit)) this.tell(exit)
      yield* this.close(scope, done)
    }))
  }

  /** Closes the venue, then wakes it again if callers have arrived meanwhile. */
  private close(scope: Scope.Closeable, done: Deferred.Deferred<void>): Effect.Effect<void> {
    if (this.stage._tag !== "Ended") this.enter({ _tag: "FallingAsleep", done })
    return Effect.flatMap(Effect.exit(Scope.close(scope, Exit.void)), (exit) => {
      Deferred.doneUnsafe(done, Exit.void)
      if (this.stage._tag !== "Ended") {
        if (this.waiting.size > 0) this.begin()
        else this.enter({ _tag: "Asleep" })
      }
      return Exit.isSuccess(exit) ? Effect.void : Effect.logError("A venue was not closed properly", exit.cause)
    })
  }

  /** Ends one use of the venue: immediately, or when the response's stream or the WebSocket ends. */
  private last(outcome: Outcome, clock: Clock.Clock): Outcome {
    if (outcome._tag === "Upgraded") {
      return { ...outcome, connect: this.holding(outcome.connect, clock), decline: () => this.release(clock) }
    }
    if (outcome._tag !== "Stream") {
      this.release(clock)
      return outcome
    }
    const body = outcome.body.pipe(
      Stream.interruptWhen(this.isOver()),
      Stream.ensuring(Effect.sync(() => this.release(clock)))
    )
    return { ...outcome, body }
  }

  /** Waits until the venue begins to close although it is in use. If the venue is not awake, succeeds immediately. */
  private isOver(): Effect.Effect<void> {
    return this.stage._tag === "Awake" ? Deferred.await(this.stage.isOver) : Effect.void
  }

  /** Counts a connection as a use of the venue, and closes the connection when the venue closes. */
  private holding(connect: Connect, clock: Clock.Clock): Connect {
    return (wire) => {
      let waiting: Fiber.Fiber<unknown> | undefined
      const connected = connect({
        ...wire,
        end: (ending) => {
          waiting?.interruptUnsafe()
          this.sockets--
          this.release(clock)
          wire.end(ending)
        }
      })
      if (Result.isFailure(connected)) this.release(clock)
      else {
        this.sockets++
        waiting = this.options.run(Effect.andThen(this.isOver(), Effect.sync(connected.success.end)))
      }
      return connected
    }
  }
}

/** Creates a resident venue, which is asleep at first. */
export const make = <E>(options: Options<E>): Resident<E> => new Sleeping(options)
