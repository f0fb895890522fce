/**
 * One venue of a host, asleep or awake. A call wakes it, and a venue that nobody calls falls asleep.
 *
 * Calls that arrive while it wakes wait, and are carried out in the order in which they came. It falls asleep only when no
 * call is in progress and nobody follows its feed; calls that arrive meanwhile wake it again.
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

/** How a resident is opened, and what it asks the host for. */
export interface Options<E> {
  /** The token of the control plane. */
  readonly controlToken: string
  /** Opens the venue. It is closed with the scope. Fails when there is no room, or when its journal can't be used. */
  readonly open: Effect.Effect<Venue["Service"], E, Scope.Scope>
  /** Makes room for a fork as long as the scope lives; `false` when there is none. */
  readonly room: Effect.Effect<boolean, never, Scope.Scope>
  /** The base URL of the venue. */
  readonly baseUrl: () => string
  /** Called when nobody needs the venue any more. */
  readonly onIdle: () => void
  /** The scope of the host. */
  readonly scope: Scope.Scope
  /** Runs an effect of the host. */
  readonly run: (effect: Effect.Effect<unknown>) => void
}

/** A venue that is awake. */
export interface Awake {
  /** The venue. */
  readonly venue: Venue["Service"]
  /** What answers its calls; the control plane's too. */
  readonly backend: Backend
  /** What answers the calls of its forks, by their numbers. */
  readonly forks: ReadonlyMap<number, Backend>
}

/** What a caller who waits is called with: the venue, or why it can't be woken. */
type Waiting<E> = (awake: Exit.Exit<Awake, E | "ended">) => void

type Stage<E> =
  | { readonly _tag: "Asleep" | "Ended" }
  | {
    readonly _tag: "Waking" | "FallingAsleep"
    readonly waiting: Array<Waiting<E>>
    /** Done when it has woken, or sleeps. */
    readonly done: Deferred.Deferred<void>
  }
  | { readonly _tag: "Awake"; readonly awake: Awake; readonly scope: Scope.Closeable }

/** One venue of a host. */
export interface Resident<E> {
  /**
   * Calls `ready` with the venue, now or once it is awake, in the order of these calls. The venue stays awake until
   * `release` was called as often.
   */
  readonly acquire: (clock: Clock.Clock, ready: Waiting<E>) => void
  /** Says that something that had acquired the venue needs it no more. */
  readonly release: (clock: Clock.Clock) => void
  /** Answers a request to the venue, which wakes it. What can't be woken is answered with `refused`. */
  readonly receive: (
    request: Request,
    clock: Clock.Clock,
    resume: (answer: Answer | Effect.Effect<Answer>) => void,
    choose: (exit: Exit.Exit<Awake, E | "ended">) => Backend | Answer
  ) => void
  /** Whether it is awake, or about to be. */
  readonly isAwake: () => boolean
  /** Why the journal of the venue can't be written any more; `undefined` when it can, and when the venue sleeps. */
  readonly failure: () => JournalError | undefined
  /** When it was last needed, in Unix milliseconds. */
  readonly usedAt: () => number
  /** Whether it could fall asleep now. */
  readonly isIdle: () => boolean
  /** Lets it fall asleep; `false` when it is needed, or not awake. */
  readonly sleep: Effect.Effect<boolean>
  /** Ends it for good. Calls in progress have five seconds, feeds end at once. */
  readonly end: Effect.Effect<void>
}

/** How long calls in progress have when a venue ends. */
const grace = "5 seconds"

const forkPath = /^\/fork\/(\d{1,9})(\/.*)$/u

/**
 * What answers a request: the venue itself, or the fork that its path names; `undefined` when there is no such fork.
 */
export const backendFor = ({ backend, forks }: Awake, { path }: Request): Backend | undefined => {
  if (!path.startsWith("/fork/")) return backend
  const [, id = "", rest = ""] = forkPath.exec(path) ?? []
  const fork = forks.get(Number(id))
  if (fork === undefined || id === "") return undefined
  return { ...fork, receive: (request, clock, resume) => fork.receive({ ...request, path: rest }, clock, resume) }
}

/** The control plane is made when it is first needed: most calls are not for it. */
const lazily = (token: string, make: Effect.Effect<ControlPlane.ControlPlane>) =>
  Effect.map(Effect.cached(make), (made): ControlPlane.ControlPlane => ({
    isFor: ControlPlane.isFor,
    isOpenTo: (headers) => ControlPlane.isAuthorized(headers, token),
    handle: (request) => Effect.flatMap(made, ({ handle }) => handle(request))
  }))

/** Opens the venue, and what answers its calls. */
const wake = Effect.fnUntraced(function*<E>(
  { baseUrl, controlToken: token, open, room }: Options<E>
): Effect.fn.Return<Awake, E, Scope.Scope> {
  const scope = yield* Effect.scope
  const venue = yield* open
  const forks = new Map<number, Backend>()
  const serve = (forked: Venue["Service"]): Effect.Effect<Place, ControlRefused, Scope.Scope> =>
    Effect.gen(function*() {
      if (!(yield* room)) return yield* refuse("Fork", { venue: "max" })
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
  /** How many need it now. */
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

  /** Calls those who wait, in order. Each that gets the venue needs it from now on. */
  private tell(waiting: ReadonlyArray<Waiting<E>>, exit: Exit.Exit<Awake, E | "ended">): void {
    if (Exit.isSuccess(exit)) this.uses += waiting.length
    for (const ready of waiting) ready(exit)
  }

  /** Wakes it for those who wait, and for who comes meanwhile. */
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

  /** An answer after which the venue is needed no more; one in parts when it has come to its end. */
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

/** A venue that sleeps. */
export const make = <E>(options: Options<E>): Resident<E> => new Sleeping(options)
