/**
 * Live views. A view keeps a market's or an account's current state up to date, using a channel's stream.
 *
 * A view has a current value and a stream of its changes. A view is whole if it has received a state and every event
 * since then. Otherwise the view is incomplete, reports the reason, and becomes whole again automatically.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { type LiveView, LivePositions } from "effect-txc"
 *
 * const show = (state: LiveView.State<LivePositions.Positions>) =>
 *   state._tag === "Whole" ? Effect.log(state.value) : Effect.logWarning(`positions may be old: ${state.why}`)
 *
 * export const program = Effect.scoped(Effect.gen(function*() {
 *   const positions = yield* LivePositions.make
 *   yield* Stream.runForEach(positions.changes, show)
 * }))
 * ```
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Heard, type HeardAt } from "./client/session/Heard.ts"
import type * as Item from "./client/session/Item.ts"
import * as Time from "./domain/Time.ts"

/**
 * The reason why a view is not whole: the reason in its stream's `Interrupted`, or one of these:
 *
 * - `connecting`: the first state has not arrived yet
 * - `crossed`: the state contradicts itself: a book's best bid is higher than its best ask. The view requests another
 *   state
 *
 * @category models
 */
export type Why = "connecting" | "crossed" | Item.Reason

/**
 * The view has received a state and every event since then.
 *
 * @category models
 */
export interface Whole<A> {
  readonly _tag: "Whole"
  /** The value. The object is immutable: a change creates a new object. */
  readonly value: A
  /**
   * The time when the latest message arrived over the view's connection, by this machine's clock, in Unix seconds. The
   * value includes all changes up to this time, except those that the channel had not pushed yet.
   */
  readonly asOf: Time.UnixTime
}

/**
 * Events may be missing.
 *
 * @category models
 */
export interface Incomplete<A> {
  readonly _tag: "Incomplete"
  /** The reason why events may be missing. */
  readonly why: Why
  /** The last complete value. Absent before the first complete value, and if the last state was crossed. */
  readonly value?: A
  /**
   * The time from which events may be missing, by this machine's clock, in Unix seconds. Slightly older events may be
   * missing too, if the channel had not pushed them yet: most channels push at most once per second.
   */
  readonly asOf: Time.UnixTime
}

/**
 * A view's state.
 *
 * @category models
 */
export type State<A> = Whole<A> | Incomplete<A>

/**
 * A live view. If the channel's stream fails with an error of type `E`, all the view's methods fail with that error.
 *
 * @category models
 */
export interface LiveView<A, E> {
  /** The current state. */
  readonly get: Effect.Effect<State<A>, E>
  /** Waits until the view is whole, and returns its value. */
  readonly whole: Effect.Effect<A, E>
  /**
   * Emits the current state, and the state after each change. A slow reader gets only the latest state, and skips
   * earlier states.
   */
  readonly changes: Stream.Stream<State<A>, E>
}

/**
 * Returns the time since {@link Whole.asOf} or {@link Incomplete.asOf}. The client pings each connection every 30
 * seconds, and treats the connection as lost if no response arrives within ten seconds, so a whole view is at most 40
 * seconds old.
 *
 * @category accessors
 */
export const age = <A>({ asOf }: State<A>): Effect.Effect<Duration.Duration> =>
  Effect.map(Clock.currentTimeMillis, (now) => Duration.millis(Math.max(0, now - Time.toMicros(asOf) / 1000)))

/**
 * Maintains a view's value from the channel's states and events.
 *
 * @category models
 */
export interface Model<Event, Snapshot, A> {
  /** Replaces the value with a state. Returns `false` if the state contradicts itself, such as a crossed book. */
  readonly begin: (state: Snapshot) => boolean
  /**
   * Applies an event. Returns `false` if the result contradicts itself, such as a crossed book, and `"unreadable"` if
   * the meaning of the event is unknown. In both cases the view requests another state.
   */
  readonly apply: (event: Event) => boolean | "unreadable"
  /** Creates the value. The view calls this function when its value is read, at most once after each change. */
  readonly value: () => A
}

/**
 * A view's settings.
 *
 * @category models
 */
export interface Options {
  /**
   * The interval at which the view reads its state again, in case the exchange failed to push an event. During the
   * read, the view remains whole. If the exchange refuses to send the state, the view tries again after the same
   * interval. By default, a view never reads its state again.
   */
  readonly recheckEvery?: Duration.Input
}

/**
 * The minimum time between two subscriptions of a view, so that an exchange with a crossed book is not flooded with
 * requests.
 */
const shortestPause = "1 second"

/** A view and the subscription that feeds it. */
class Fed<Event, Snapshot, A, E> implements LiveView<A, E> {
  readonly #model: Model<Event, Snapshot, A>
  readonly #clock: Clock.Clock
  readonly #waiting = new Set<() => void>()
  /** A latch, open when the state must be read again without waiting for the regular interval. */
  readonly isDue = Latch.makeUnsafe(false)
  #why: Why | undefined = "connecting"
  #since: Time.UnixTime
  /** The time when the latest item arrived, in Unix milliseconds. */
  #itemAt: number
  #heardAt: HeardAt = () => undefined
  /** The number of changes so far, which is the version of the state. */
  #version = 0
  /** The latest computed value, and its version. */
  #made: { readonly value: A; readonly version: number } | undefined
  /** The number of the current subscription: the one whose items the view uses. */
  #source = 1
  #exit: Exit.Exit<never, E> | undefined

  constructor(model: Model<Event, Snapshot, A>, clock: Clock.Clock) {
    this.#model = model
    this.#clock = clock
    this.#itemAt = clock.currentTimeMillisUnsafe()
    this.#since = Time.fromMicros(this.#itemAt * 1000)
  }

  #value(): A {
    if (this.#made?.version !== this.#version) this.#made = { value: this.#model.value(), version: this.#version }
    return this.#made.value
  }

  /** The time of the connection's latest message, in Unix seconds. */
  #asOf(): Time.UnixTime {
    return Time.fromMicros(Math.max(this.#itemAt, this.#heardAt() ?? 0) * 1000)
  }

  #state(): State<A> {
    if (this.#why === undefined) return { _tag: "Whole", value: this.#value(), asOf: this.#asOf() }
    const incomplete = { _tag: "Incomplete", why: this.#why, asOf: this.#since } as const
    return this.#made === undefined ? incomplete : { ...incomplete, value: this.#made.value }
  }

  #changed(): void {
    this.#version++
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const wake of waiting) wake()
  }

  #break(why: Why, since: Time.UnixTime): void {
    // Keeps the last complete value, unless the new state is crossed.
    if (why === "crossed") this.#made = undefined
    else if (this.#why === undefined) this.#value()
    this.#why = why
    this.#since = since
    this.#changed()
  }

  /**
   * Handles an item of a subscription. Items of a replaced subscription are ignored. A new subscription replaces the
   * current one when its first state arrives; its items before that state are ignored.
   */
  receive(item: Item.Item<Event, Snapshot>, source: number, heardAt: HeardAt, begun: () => void): void {
    const begins = item._tag === "Snapshot"
    if (source < this.#source || (source > this.#source && !begins)) return
    if (item._tag === "Interrupted") return this.#break(item.reason, item.since)
    const wasWhole = this.#why === undefined
    // Only another state can make the view whole again; an event can't.
    if (!begins && !wasWhole) return
    const before = begins && wasWhole ? Option.some(this.#value()) : Option.none()
    const since = this.#asOf()
    this.#itemAt = this.#clock.currentTimeMillisUnsafe()
    const isSound = begins ? this.#model.begin(item.state) : this.#model.apply(item.event)
    if (begins) {
      this.#source = source
      this.#heardAt = heardAt
      begun()
    }
    if (isSound !== true) {
      this.isDue.openUnsafe()
      return this.#break(isSound === false ? "crossed" : isSound, since)
    }
    this.#why = undefined
    // A state that is read again usually equals the previous state, so there is no change to report.
    if (Option.isSome(before) && Equal.equals(before.value, this.#model.value())) return
    this.#changed()
  }

  /** Whether the view has failed, or its scope has closed. */
  get hasEnded(): boolean {
    return this.#exit !== undefined
  }

  /**
   * Handles the end of a subscription. The view ends too, except in one case: the subscription is not the view's
   * current one, and either the subscription was interrupted or the view is whole.
   */
  end(exit: Exit.Exit<void, E>, source: number): void {
    // A channel's stream ends only with an error, or when its scope closes.
    const cause = Exit.isSuccess(exit) ? Cause.interrupt() : exit.cause
    const isSpare = source !== this.#source && (Cause.hasInterruptsOnly(cause) || this.#why === undefined)
    if (this.#exit !== undefined || isSpare) return
    this.#exit = Exit.failCause(cause)
    this.#changed()
  }

  /** Ends the view when its scope closes, which may happen before the first subscription. */
  readonly close = Effect.sync(() => this.end(Exit.void, this.#source))

  readonly #next = (seen: number): Effect.Effect<number, E> =>
    Effect.suspend(() => {
      if (this.#exit !== undefined) return this.#exit
      if (this.#version !== seen) return Effect.succeed(this.#version)
      return Effect.andThen(
        Effect.callback<void>((resume) => {
          // The fiber may have yielded after the check above, so a change may have been missed.
          if (this.#exit !== undefined || this.#version !== seen) return resume(Effect.void)
          const wake = () => resume(Effect.void)
          this.#waiting.add(wake)
          return Effect.sync(() => this.#waiting.delete(wake))
        }),
        this.#next(seen)
      )
    })

  readonly get = Effect.suspend((): Effect.Effect<State<A>, E> => this.#exit ?? Effect.succeed(this.#state()))

  readonly changes: Stream.Stream<State<A>, E> = Stream.suspend(() => {
    let seen = -1
    return Stream.fromPull(Effect.succeed(Effect.map(
      Effect.suspend(() => this.#next(seen)),
      (version) => {
        seen = version
        return [this.#state()] as const
      }
    )))
  })

  readonly whole: Effect.Effect<A, E> = this.changes.pipe(
    Stream.filter((state) => state._tag === "Whole"),
    Stream.runHead,
    // The stream `changes` ends only with an error.
    Effect.flatMap(Option.match({ onNone: () => Effect.never, onSome: ({ value }) => Effect.succeed(value) }))
  )
}

/** Feeds a view from consecutive subscriptions. Each subscription begins before the previous one ends. */
const feeding = Effect.fnUntraced(function*<Event, Snapshot, A, E, R>(
  view: Fed<Event, Snapshot, A, E>,
  stream: Stream.Stream<Item.Item<Event, Snapshot>, E, R>,
  recheckEvery: Duration.Input
) {
  let last: Fiber.Fiber<void, E> | undefined
  for (let source = 1; !view.hasEnded; source++) {
    const begun = Deferred.makeUnsafe<void>()
    const begin = () => Deferred.doneUnsafe(begun, Effect.void)
    let heardAt: HeardAt = () => undefined
    const next = yield* stream.pipe(
      Stream.provideService(Heard, (reader) => {
        heardAt = reader
      }),
      Stream.runForEach((item) => Effect.sync(() => view.receive(item, source, heardAt, begin))),
      Effect.onExit((exit) => Effect.sync(() => view.end(exit, source))),
      Effect.forkScoped
    )
    const hasBegun = yield* Effect.raceFirst(
      Effect.as(Deferred.await(begun), true),
      Effect.as(Fiber.await(next), false)
    )
    if (hasBegun) {
      if (last !== undefined) yield* Fiber.interrupt(last)
      last = next
    }
    yield* Effect.sleep(shortestPause)
    yield* Effect.timeoutOption(view.isDue.await, recheckEvery)
    view.isDue.closeUnsafe()
  }
})

/**
 * Creates a view from a channel's stream. The view lasts as long as its scope.
 *
 * @category constructors
 */
export const make = Effect.fnUntraced(function*<Event, Snapshot, A, E, R>(
  stream: Stream.Stream<Item.Item<Event, Snapshot>, E, R>,
  model: Model<Event, Snapshot, A>,
  { recheckEvery = Duration.infinity }: Options = {}
): Effect.fn.Return<LiveView<A, E>, never, R | Scope.Scope> {
  const view = new Fed<Event, Snapshot, A, E>(model, yield* Clock.Clock)
  yield* Effect.addFinalizer(() => view.close)
  yield* Effect.forkScoped(feeding(view, stream, recheckEvery))
  return view
})
