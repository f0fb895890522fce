/**
 * Manages a channel's topics on a connection: the topics that have subscribers, and the topics that the exchange has
 * acknowledged.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Channel from "../../protocol/Channel.ts"
import * as Expected from "../../protocol/Expected.ts"
import { type Connection, Lost, Refused } from "./Connection.ts"
import { isTransient } from "./StreamErrors.ts"
import type { Subscriber } from "./Subscriber.ts"

/** A topic with its subscribers. */
export interface Entry {
  readonly topic: unknown
  /** The topic's parameters, as JSON text. */
  readonly id: string
  /** The topic's key: see `Channel.Definition.keyOf`. */
  readonly key: string
  readonly subscribers: Set<Subscriber>
  /** Whether a subscriber needs the state that the exchange pushes after a subscription. */
  renews: boolean
}

/** Callbacks for a topic that the exchange has acknowledged or refused, or may have dropped. */
export interface Outcomes {
  readonly acknowledged: (entry: Entry) => void
  readonly refused: (entry: Entry, refusal: Refused) => void
  /** Called when the exchange may have dropped the topic for a short time. */
  readonly disturbed: (entry: Entry) => void
}

/**
 * A channel's topics are renewed at most once per {@link pause} milliseconds on average, with at most {@link burst}
 * renewals at once.
 */
const pause = 1000
const burst = 5

/** A channel's topics on a connection. */
export class Topics {
  readonly channel: Channel.Any
  readonly #outcomes: Outcomes
  /** The topics with subscribers, keyed by id. */
  readonly wanted = new Map<string, Entry>()
  /**
   * The time, in Unix milliseconds, up to which past renewals use up the allowed rate. A renewal adds {@link pause}.
   */
  #renewedAt = -Infinity
  #held = new Set<Entry>()

  constructor(channel: Channel.Any, outcomes: Outcomes) {
    this.channel = channel
    this.#outcomes = outcomes
  }

  /** Whether a topic can be added to this connection. */
  admits(id: string, key: string): boolean {
    if (this.wanted.has(id)) return true
    if (this.channel.sharing === "single") return this.wanted.size === 0
    for (const entry of this.wanted.values()) if (entry.key === key) return false
    return true
  }

  /** Whether the exchange has acknowledged a topic. */
  holds(entry: Entry): boolean {
    return this.#held.has(entry)
  }

  /** Clears all acknowledgements, because the connection is new or has ended. */
  reset(): void {
    this.#held = new Set()
    for (const entry of this.wanted.values()) entry.renews = false
  }

  /** Whether a subscription must be started, renewed or ended. */
  get differs(): boolean {
    if (this.#held.size !== this.wanted.size) return true
    for (const entry of this.wanted.values()) if (entry.renews || !this.#held.has(entry)) return true
    return false
  }

  /** Subscribes to topics that have gained subscribers, and ends the subscriptions of topics without subscribers. */
  settle(connection: Connection): Effect.Effect<void, Lost> {
    return Effect.whileLoop({
      while: () => this.differs,
      body: () =>
        Effect.andThen(
          this.#pause,
          Effect.suspend(() =>
            this.channel.sharing === "added" ? this.#settleEach(connection) : this.#settleSet(connection)
          )
        ),
      step: () => {}
    })
  }

  /** Limits the rate of renewals, so that an exchange whose messages always have gaps is not flooded with requests. */
  readonly #pause: Effect.Effect<void> = Effect.clockWith((clock) => {
    if (![...this.wanted.values()].some(({ renews }) => renews)) return Effect.void
    const now = clock.currentTimeMillisUnsafe()
    this.#renewedAt = Math.max(this.#renewedAt, now - burst * pause) + pause
    return this.#renewedAt > now ? Effect.sleep(this.#renewedAt - now) : Effect.void
  })

  /** Updates a channel in which each topic has its own subscription. */
  #settleEach(connection: Connection): Effect.Effect<void, Lost> {
    const { channel } = this
    const left = [...this.#held].filter((entry) => this.wanted.get(entry.id) !== entry)
    const asked = [...this.wanted.values()].filter((entry) => entry.renews || !this.#held.has(entry))
    // A topic may replace another topic with the same key, so the old topic is removed first.
    return Effect.andThen(
      Effect.forEach(left, (entry) => {
        this.#held.delete(entry)
        return outcome(connection.command(channel.unsubscribe, channel.leave(entry.topic)))
      }, { concurrency: "unbounded", discard: true }),
      Effect.forEach(
        asked,
        (entry) =>
          Effect.flatMap(this.#subscribe(connection, [entry]), (refusal) =>
            Effect.sync(() => {
              if (refusal !== undefined) this.#drop(entry, refusal)
            })),
        { concurrency: "unbounded", discard: true }
      )
    )
  }

  /** Updates a channel in which a subscription replaces all earlier topics. */
  #settleSet(connection: Connection): Effect.Effect<void, Lost> {
    const wanted = [...this.wanted.values()]
    if (wanted.length === 0) return this.#leave(connection)
    return Effect.flatMap(this.#subscribe(connection, wanted), (refusal) => {
      if (refusal === undefined) return Effect.void
      const [first, ...more] = wanted
      if (first !== undefined && more.length === 0) return Effect.sync(() => this.#drop(first, refusal))
      return this.#rebuild(connection, wanted)
    })
  }

  #leave(connection: Connection): Effect.Effect<void, Lost> {
    this.#held = new Set()
    return Effect.asVoid(outcome(connection.command(this.channel.unsubscribe, [])))
  }

  /**
   * Subscribes to the topics one by one, to find the topics that the exchange refuses, and keeps the other topics. A
   * refused subscription may have ended the previous subscription, so topics that already had a subscription continue
   * from a new state.
   */
  readonly #rebuild = Effect.fnUntraced(function*(
    this: Topics,
    connection: Connection,
    wanted: ReadonlyArray<Entry>
  ) {
    const old = wanted.filter((entry) => this.#held.has(entry))
    const disturb = (entries: ReadonlyArray<Entry>) => entries.forEach(this.#outcomes.disturbed)
    disturb(old)
    const steps = [...(old.length > 0 ? [old] : []), ...wanted.filter((entry) => !old.includes(entry)).map(one)]
    const kept: Array<Entry> = []
    let isExact = false
    for (let group = steps.shift(); group !== undefined; group = steps.shift()) {
      const refusal = yield* this.#subscribe(connection, [...kept, ...group])
      isExact = refusal === undefined
      const [first, ...more] = group
      if (refusal !== undefined) disturb(kept)
      if (refusal === undefined) kept.push(...group)
      else if (first !== undefined && more.length === 0) this.#drop(first, refusal)
      else steps.unshift(...group.map(one))
    }
    if (isExact) return
    yield* kept.length === 0 ? this.#leave(connection) : this.#subscribe(connection, kept)
  })

  /**
   * Subscribes to topics. Handles the acknowledgement before any later message, because the first pushed message may
   * arrive together with the acknowledgement.
   */
  #subscribe(connection: Connection, entries: ReadonlyArray<Entry>): Effect.Effect<Refused | undefined, Lost> {
    const { "~codec": codec, sharing, subscribe } = this.channel
    const encoded = codec.encodeTopics(entries.map(({ topic }) => topic))
    // Each topic was encoded separately before it was added. So if encoding all topics together fails, the cause is the
    // channel, not one of the topics.
    if (Result.isFailure(encoded)) {
      return Effect.succeed(
        new Refused({ method: subscribe, code: 1, reason: Expected.inWords(encoded.failure, "the topics") })
      )
    }
    for (const entry of entries) entry.renews = false
    return outcome(connection.command(subscribe, encoded.success, () => {
      if (sharing !== "added") this.#held = new Set()
      for (const entry of entries) {
        this.#held.add(entry)
        this.#outcomes.acknowledged(entry)
      }
    }))
  }

  #drop(entry: Entry, refusal: Refused): void {
    this.#held.delete(entry)
    if (this.wanted.get(entry.id) === entry) this.wanted.delete(entry.id)
    this.#outcomes.refused(entry, refusal)
  }
}

const one = <A>(value: A): ReadonlyArray<A> => [value]

/** Returns a request's refusal, if any. A transient refusal ends the connection; the next connection tries again. */
const outcome = (request: Effect.Effect<unknown, Lost | Refused>): Effect.Effect<Refused | undefined, Lost> =>
  request.pipe(
    Effect.as(undefined),
    Effect.catchTag("Refused", (refusal): Effect.Effect<Refused, Lost> =>
      isTransient(refusal.code)
        ? Effect.fail(new Lost({ problem: `${refusal.method} was refused with code ${refusal.code}` }))
        : Effect.succeed(refusal))
  )
