/**
 * One venue of a host, asleep or awake. A call wakes it; an idle venue falls asleep.
 *
 * Calls that arrive while it wakes are queued, and carried out in order of arrival. It falls asleep only while no call
 * is in progress and its feed has no readers; calls that arrive while it falls asleep wake it again.
 */
import type * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { prefix } from "../control/ControlApi.ts"
import type { Answer, Request } from "../gateway/Message.ts"
import { type Backend, backendOf } from "../server/Backend.ts"
import * as ControlPlane from "../server/ControlPlane.ts"
import type { JournalError } from "../store/JournalError.ts"
import { type ControlRefused, refuse } from "../venue/ControlRefused.ts"
import type { Place } from "../venue/Forks.ts"
import type { Venue } from "../venue/Venue.ts"

/** The parts of a resident that the host provides. */
export interface Options<E> {
  /** The token of the control plane. */
  readonly controlToken: string
  /**
   * Opens the venue, which is closed with the scope. Fails if capacity is exhausted, or if the journal can't be used.
   */
  readonly open: Effect.Effect<Venue["Service"], E, Scope.Scope>
  /** Takes capacity for a fork until the scope is closed; `false` if it is exhausted. */
  readonly capacity: Effect.Effect<boolean, never, Scope.Scope>
  /** The base URL of the venue. */
  readonly baseUrl: () => string
  /** Called when the venue becomes idle. */
  readonly onIdle: () => void
  /** The scope of the host. */
  readonly scope: Scope.Scope
  /** Runs an effect in the background. */
  readonly run: (effect: Effect.Effect<unknown>) => void
}

/** An awake venue. */
export interface Awake {
  /** The venue. */
  readonly venue: Venue["Service"]
  /** The backend of its calls and its control plane. */
  readonly backend: Backend
  /** The backends of its forks, by number. */
  readonly forks: ReadonlyMap<number, Backend>
}

/** The callback of a waiting caller, given the venue or the reason why it can't be woken. */
type Waiting<E> = (awake: Exit.Exit<Awake, E | "ended">) => void

type Stage<E> =
  | { readonly _tag: "Asleep" | "Ended" }
  | {
    readonly _tag: "Waking" | "FallingAsleep"
    readonly waiting: Array<Waiting<E>>
    /** Completed once it is awake or asleep. */
    readonly done: Deferred.Deferred<void>
  }
  | { readonly _tag: "Awake"; readonly awake: Awake; readonly scope: Scope.Closeable }

/** One venue of a host. */
export interface Resident<E> {
  /**
   * Calls `ready` with the venue, at once or when it is awake, in the order of these calls. The venue stays awake until
   * every `acquire` has its `release`.
   */
  readonly acquire: (clock: Clock.Clock, ready: Waiting<E>) => void
  /** Ends one use of the venue. */
  readonly release: (clock: Clock.Clock) => void
  /** Answers a request to the venue, and wakes it if needed. If it can't be woken, the answer is that of `refused`. */
  readonly receive: (
    request: Request,
    clock: Clock.Clock,
    resume: (answer: Answer | Effect.Effect<Answer>) => void,
    choose: (exit: Exit.Exit<Awake, E | "ended">) => Backend | Answer
  ) => void
  /** Whether it is awake, or about to be. */
  readonly isAwake: () => boolean
  /** The reason why the journal can no longer be written; `undefined` if it can, or if the venue is asleep. */
  readonly failure: () => JournalError | undefined
  /** The time of its last use, in Unix milliseconds. */
  readonly usedAt: () => number
  /** Whether it could fall asleep now. */
  readonly isIdle: () => boolean
  /** Puts it to sleep; `false` if it is in use, or not awake. */
  readonly sleep: Effect.Effect<boolean>
  /** Ends it for good. Calls in progress get five seconds to finish; feeds end at once. */
  readonly end: Effect.Effect<void>
}

/** The time that calls in progress get when a venue ends. */
const grace = "5 seconds"

const forkPath = /^\/fork\/(\d{1,9})(\/.*)$/u

/**
 * The backend of a request: that of the venue, or of the fork that the path names; `undefined` if there is no such
 * fork.
 */
export const backendFor = ({ backend, forks }: Awake, { path }: Request): Backend | undefined => {
  if (!path.startsWith("/fork/")) return backend
  const [, id = "", rest = ""] = forkPath.exec(path) ?? []
  const fork = forks.get(Number(id))
  if (fork === undefined || id === "") return undefined
  return { ...fork, receive: (request, clock, resume) => fork.receive({ ...request, path: rest }, clock, resume) }
}

/** Builds the control plane when it is first needed: most calls don't need it. */
const lazily = (token: string, make: Effect.Effect<ControlPlane.ControlPlane>) =>
  Effect.map(Effect.cached(make), (made): ControlPlane.ControlPlane => ({
    isFor: ControlPlane.isFor,
    isOpenTo: (headers) => ControlPlane.isAuthorized(headers, token),
    handle: (request) => Effect.flatMap(made, ({ handle }) => handle(request))
  }))

/** Opens the venue and its backends. */
const wake = Effect.fnUntraced(function*<E>(
  { baseUrl, controlToken: token, open, capacity }: Options<E>
): Effect.fn.Return<Awake, E, Scope.Scope> {
  const scope = yield* Effect.scope
  const venue = yield* open
  const forks = new Map<number, Backend>()
  const serve = (forked: Venue["Service"]): Effect.Effect<Place, ControlRefused, Scope.Scope> =>
    Effect.gen(function*() {
      if (!(yield* capacity)) return yield* refuse("Fork", { venue: "max" })
      const { id } = forked.forks
      const url = `${baseUrl()}/fork/${id}`
      forks.set(id, backendOf(forked, yield* ControlPlane.make(forked, { token, serve })))
      yield* Effect.addFinalizer(() => Effect.sync(() => forks.delete(id)))
      return { url, controlUrl: url + prefix }
    })
  const control = yield* lazily(token, Scope.provide(ControlPlane.make(venue, { token, serve }), scope))
  return { venue, backend: backendOf(venue, control), forks }
})

class Sleeping<E> implements Resident<E> {
  private readonly options: Options<E>
  private stage: Stage<E> = { _tag: "Asleep" }
  /** The number of current uses. */
  private uses = 0
  private lastUse = 0
  private readonly ended = Deferred.makeUnsafe<void>()
  private whenIdle: (() => void) | undefined

  constructor(options: Options<E>) {
    this.options = options
  }

  acquire(clock: Clock.Clock, ready: Waiting<E>): void {
    this.lastUse = clock.currentTimeMillisUnsafe()
    const { stage } = this
    switch (stage._tag) {
      case "Awake":
        this.uses++
        return ready(Exit.succeed(stage.awake))
      case "Asleep":
        return this.begin([ready])
      case "Ended":
        return ready(Exit.fail("ended"))
      default:
        stage.waiting.push(ready)
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
    resume: (answer: Answer | Effect.Effect<Answer>) => void,
    choose: (exit: Exit.Exit<Awake, E | "ended">) => Backend | Answer
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
          Effect.map(given, (answer) => this.last(answer, clock)),
          (exit) => Exit.isSuccess(exit) ? Effect.void : Effect.sync(() => this.release(clock))
        ))
      })
    })
  }

  isAwake(): boolean {
    return this.stage._tag !== "Asleep" && this.stage._tag !== "Ended"
  }

  failure(): JournalError | undefined {
    return this.stage._tag === "Awake" ? this.stage.awake.venue.journal.failure() : undefined
  }

  usedAt(): number {
    return this.lastUse
  }

  isIdle(): boolean {
    return this.stage._tag === "Awake" && this.uses === 0 && this.stage.awake.forks.size === 0
  }

  get sleep(): Effect.Effect<boolean> {
    return Effect.uninterruptible(Effect.suspend(() => {
      const { stage } = this
      if (stage._tag !== "Awake" || !this.isIdle()) return Effect.succeed(false)
      const waiting: Array<Waiting<E>> = []
      const done = Deferred.makeUnsafe<void>()
      this.stage = { _tag: "FallingAsleep", waiting, done }
      return Effect.map(Scope.close(stage.scope, Exit.void), () => {
        Deferred.doneUnsafe(done, Exit.void)
        if (this.stage._tag === "Ended") this.tell(waiting, Exit.fail("ended"))
        else if (waiting.length > 0) this.begin(waiting)
        else this.stage = { _tag: "Asleep" }
        return true
      })
    }))
  }

  get end(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const before = this.stage
      this.stage = { _tag: "Ended" }
      Deferred.doneUnsafe(this.ended, Exit.void)
      if (before._tag === "Waking" || before._tag === "FallingAsleep") return Deferred.await(before.done)
      if (before._tag !== "Awake") return Effect.void
      const idle = Effect.callback<void>((resume) => {
        this.whenIdle = () => resume(Effect.void)
        if (this.uses === 0) resume(Effect.void)
      })
      return Effect.andThen(Effect.timeoutOption(idle, grace), Scope.close(before.scope, Exit.void))
    })
  }

  /** Calls the waiting callers in order. Each that gets the venue counts as a use. */
  private tell(waiting: ReadonlyArray<Waiting<E>>, exit: Exit.Exit<Awake, E | "ended">): void {
    if (Exit.isSuccess(exit)) this.uses += waiting.length
    for (const ready of waiting) ready(exit)
  }

  /** Wakes it for the waiting callers, and for those that arrive in the meantime. */
  private begin(waiting: Array<Waiting<E>>): void {
    const done = Deferred.makeUnsafe<void>()
    this.stage = { _tag: "Waking", waiting, done }
    const waking = Effect.gen({ self: this }, function*() {
      const scope = yield* Scope.fork(this.options.scope)
      const exit = yield* Effect.exit(Scope.provide(wake(this.options), scope))
      const isEnded = this.stage._tag === "Ended"
      if (isEnded || Exit.isFailure(exit)) yield* Scope.close(scope, Exit.void)
      if (isEnded || this.stage._tag === "Ended") return this.tell(waiting, Exit.fail("ended"))
      this.stage = Exit.isSuccess(exit) ? { _tag: "Awake", awake: exit.value, scope } : { _tag: "Asleep" }
      this.tell(waiting, exit)
    })
    this.options.run(Effect.ensuring(waking, Effect.sync(() => Deferred.doneUnsafe(done, Exit.void))))
  }

  /** Wraps the last use of the venue around an answer: it ends with the answer, or with the end of its stream. */
  private last(answer: Answer, clock: Clock.Clock): Answer {
    if (answer._tag !== "Stream") {
      this.release(clock)
      return answer
    }
    const body = answer.body.pipe(
      Stream.interruptWhen(Deferred.await(this.ended)),
      Stream.ensuring(Effect.sync(() => this.release(clock)))
    )
    return { ...answer, body }
  }
}

/** A sleeping venue. */
export const make = <E>(options: Options<E>): Resident<E> => new Sleeping(options)
