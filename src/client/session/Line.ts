/** A line to the exchange: a connection that is reopened whenever it is lost, together with its subscribers' topics. */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Time from "../../domain/Time.ts"
import type * as Channel from "../../protocol/Channel.ts"
import * as Expected from "../../protocol/Expected.ts"
import * as Frame from "../../protocol/Frame.ts"
import { scrubber } from "../../protocol/Scrub.ts"
import * as Connection from "./Connection.ts"
import type * as Continuity from "./Continuity.ts"
import type { Dialer } from "./Dialer.ts"
import type * as Mailbox from "./Mailbox.ts"
import * as StreamErrors from "./StreamErrors.ts"
import type { Subscriber } from "./Subscriber.ts"
import * as Topics from "./Topics.ts"

/**
 * The nominal pause before the first reconnection, in milliseconds. It doubles with each failure, to {@link
 * longestPause} at most.
 */
const firstPause = 1000

const longestPause = 30_000

/** The session's settings and services that a line uses. */
export interface Setup {
  readonly dialer: Dialer["Service"]
  /** Requests a token; absent for a session without an account. */
  readonly token: Effect.Effect<Redacted.Redacted, StreamErrors.AccountFailure | Connection.Lost> | undefined
}

/** A subscriber together with its topic. */
interface Subscription {
  readonly topics: Topics.Topics
  readonly entry: Topics.Entry
}

/** Makes a query over a connection. */
const asking = (connection: Connection.Connection): Continuity.Ask => (query, params) => {
  const { method } = query
  const encoded = query["~codec"].encodeParams(params)
  if (Result.isFailure(encoded)) {
    return Effect.fail(
      new Connection.Refused({
        method,
        code: Frame.codes.invalidArgument,
        reason: Expected.inWords(encoded.failure, "the query")
      })
    )
  }
  return Effect.flatMap(connection.request(method, encoded.success), (result) => {
    const decoded = query["~codec"].decodeResult(result)
    return Result.isSuccess(decoded)
      ? Effect.succeed(decoded.success)
      : Effect.fail(
        new StreamErrors.UnreadableAnswer({ method, problem: Expected.inWords(decoded.failure, "the response") })
      )
  })
}

/** Authorizes the connection for the account, before any private request is sent. */
const authorize = (connection: Connection.Connection, token: Redacted.Redacted) => {
  const secret = Redacted.value(token)
  return connection.command(Frame.methods.authorize, [secret, "public"]).pipe(
    Effect.catchTag("Refused", ({ code, reason }) => {
      const said = scrubber(secret)(reason)
      return Effect.fail(
        StreamErrors.isTransient(code)
          ? new Connection.Lost({ problem: `authorize was refused with code ${code}: ${said}` })
          : new StreamErrors.AuthorizationRefused({ code, reason: said })
      )
    })
  )
}

/** A line to the exchange. */
export class Line {
  readonly #setup: Setup
  readonly #clock: Clock.Clock
  /** Each channel's topics, keyed by the method of the channel's pushed messages. */
  readonly #topics = new Map<string, Topics.Topics>()
  readonly #places = new Map<Subscriber, Subscription>()
  /** A latch that is open while a subscription must change or a state must be read. */
  readonly #work = Latch.makeUnsafe(false)
  readonly #isUp = Latch.makeUnsafe(false)
  readonly #failed = Deferred.makeUnsafe<never, StreamErrors.PrivateFailure>()
  readonly #settling = new Set<Topics.Topics>()
  readonly #reading = new Map<Subscriber, number>()
  #connection: Connection.Connection | undefined
  /** The number of subscribers and queries that use the line. */
  #users = 0
  #uses = 0
  /** A latch that is open while the line is unused. */
  readonly #isUnused = Latch.makeUnsafe(true)

  constructor(setup: Setup, clock: Clock.Clock) {
    this.#setup = setup
    this.#clock = clock
  }

  /** Changes the number of users when a subscriber or a query begins (1) or ends (-1). */
  use(change: 1 | -1): void {
    this.#users += change
    if (change === 1) this.#uses++
    if (this.#users === 0) this.#isUnused.openUnsafe()
    else this.#isUnused.closeUnsafe()
  }

  /** Calls `onIdle` once the line has been unused for `time`. */
  idle(time: Duration.Input, onIdle: () => void): Effect.Effect<void> {
    return Effect.flatMap(this.#isUnused.await, () => {
      const uses = this.#uses
      return Effect.flatMap(
        Effect.sleep(time),
        () => this.#users === 0 && this.#uses === uses ? Effect.sync(onIdle) : this.idle(time, onIdle)
      )
    })
  }

  /** Whether the line has ended with an error. */
  get hasFailed(): boolean {
    return Deferred.isDoneUnsafe(this.#failed)
  }

  /** Whether a topic can be added to this line. */
  admits(channel: Channel.Any, id: string, key: string): boolean {
    return this.#topics.get(channel.pushed)?.admits(id, key) ?? true
  }

  /** Adds a subscriber to a topic. */
  add(channel: Channel.Any, topic: { readonly value: unknown; readonly id: string }, subscriber: Subscriber) {
    const topics = this.#topics.get(channel.pushed) ?? new Topics.Topics(channel, {
      acknowledged: (entry) => this.#begin(entry),
      refused: (entry, refusal) => this.#end(entry, refusal),
      disturbed: (entry) => {
        for (const subscriber of entry.subscribers) subscriber.interrupt("resubscribed")
      }
    })
    this.#topics.set(channel.pushed, topics)
    const entry: Topics.Entry = topics.wanted.get(topic.id)
      ?? { topic: topic.value, id: topic.id, key: channel.keyOf(topic.value), subscribers: new Set(), renews: false }
    topics.wanted.set(topic.id, entry)
    entry.subscribers.add(subscriber)
    this.#places.set(subscriber, { topics, entry })
    this.resume(subscriber)
    this.#work.openUnsafe()
  }

  /** Removes a subscriber. When a topic's last subscriber is removed, the topic's subscription ends. */
  remove(subscriber: Subscriber): void {
    const place = this.#places.get(subscriber)
    this.#places.delete(subscriber)
    this.#reading.delete(subscriber)
    if (place === undefined) return
    const { entry, topics } = place
    entry.subscribers.delete(subscriber)
    if (entry.subscribers.size === 0 && topics.wanted.get(entry.id) === entry) topics.wanted.delete(entry.id)
    this.#work.openUnsafe()
  }

  /** Starts getting a new state for a subscriber, if its topic is acknowledged. */
  readonly resume = (subscriber: Subscriber): void => {
    const place = this.#places.get(subscriber)
    if (place === undefined || !place.topics.holds(place.entry)) return
    if (subscriber.kind.renews) place.entry.renews = true
    else subscriber.begin()
    this.#work.openUnsafe()
  }

  #begin(entry: Topics.Entry): void {
    for (const subscriber of entry.subscribers) if (subscriber.isWaiting) subscriber.begin()
    this.#work.openUnsafe()
  }

  #end(entry: Topics.Entry, { code, method, reason }: Connection.Refused): void {
    const error = new StreamErrors.StreamRefused({ method, origin: "exchange", code, reason })
    for (const subscriber of entry.subscribers) subscriber.end(Exit.fail(error))
  }

  /** Handles a pushed message. */
  readonly #receive = ({ method, params }: Frame.Push): void => {
    const topics = this.#topics.get(method)
    if (topics === undefined) return
    const message = topics.channel["~codec"].decodeMessage(params)
    for (const entry of topics.wanted.values()) {
      if (Result.isFailure(message)) {
        for (const subscriber of entry.subscribers) {
          subscriber.interrupt("unreadable")
          this.resume(subscriber)
        }
        continue
      }
      const part: unknown = topics.channel.about(entry.topic, message.success)
      if (part === undefined) continue
      for (const subscriber of entry.subscribers) if (!subscriber.push(part)) this.resume(subscriber)
    }
  }

  /** The time of the connection's latest message, in Unix milliseconds; `undefined` if there is no connection. */
  readonly heardAt = (): number | undefined => this.#connection?.heardAt()

  /** Waits for a connection and makes a query over it. */
  readonly ask: Continuity.Ask = (query, params) =>
    Effect.flatMap(this.#isUp.await, () =>
      this.#connection === undefined
        ? Effect.fail(new Connection.Lost({ problem: "the connection ended" }))
        : asking(this.#connection)(query, params))

  /** Waits for the error that ends the line. */
  readonly failed: Effect.Effect<never, StreamErrors.PrivateFailure> = Deferred.await(this.#failed)

  /** Ends all streams. */
  fail(exit: Mailbox.Ending): void {
    Deferred.doneUnsafe(this.#failed, exit)
    for (const subscriber of this.#places.keys()) subscriber.end(exit)
  }

  /** Keeps a connection open until an error makes further connections pointless. */
  readonly run: Effect.Effect<void> = Effect.suspend(() => {
    let failures = 0
    const once = Effect.suspend(() => {
      const startedAt = this.#clock.currentTimeMillisUnsafe()
      return Effect.catchTag(Effect.scoped(this.#once), "Lost", ({ problem }) => {
        const lasted = this.#clock.currentTimeMillisUnsafe() - startedAt
        failures = lasted >= longestPause ? 1 : failures + 1
        return Effect.flatMap(pauseAfter(failures), (pause) =>
          Effect.andThen(
            Effect.logDebug(
              `The WebSocket connection ended (${problem}); reconnecting in ${Math.round(pause)} ms`
            ),
            Effect.sleep(pause)
          ))
      })
    })
    return Effect.forever(once)
  }).pipe(
    Effect.onExit((exit) => Effect.sync(() => this.fail(exit))),
    Effect.ignoreCause
  )

  /** Requests a token, opens a connection, and uses the connection until it ends. */
  readonly #once: Effect.Effect<never, StreamErrors.PrivateFailure | Connection.Lost, Scope.Scope> = Effect.suspend(
    () => {
      const { dialer, token } = this.#setup
      return Effect.gen({ self: this }, function*() {
        const secret = token === undefined ? undefined : yield* token
        const connection = yield* Connection.open(dialer, this.#receive)
        if (secret !== undefined) yield* authorize(connection, secret)
        this.#connection = connection
        for (const topics of this.#topics.values()) topics.reset()
        this.#reading.clear()
        this.#settling.clear()
        this.#isUp.openUnsafe()
        this.#work.openUnsafe()
        return yield* Effect.raceFirst(connection.ended, this.#working(connection))
      }).pipe(Effect.onError(() => Effect.sync(() => this.#lose())))
    }
  )

  /** Handles the end of the connection. Later messages over the connection are ignored. */
  #lose(): void {
    const since = Time.fromMicros((this.#connection?.heardAt() ?? this.#clock.currentTimeMillisUnsafe()) * 1000)
    this.#connection = undefined
    this.#isUp.closeUnsafe()
    for (const topics of this.#topics.values()) topics.reset()
    for (const subscriber of this.#places.keys()) subscriber.interrupt("connection-lost", since)
  }

  /** Updates the subscriptions at the exchange, and reads the states that subscribers wait for. */
  readonly #working = (connection: Connection.Connection): Effect.Effect<never, Connection.Lost, Scope.Scope> =>
    Effect.gen({ self: this }, function*() {
      const scope = yield* Effect.scope
      // A failure ends the connection; a defect ends the line.
      const fork = (effect: Effect.Effect<void, Connection.Lost>, done: () => void) =>
        Effect.forkIn(
          Effect.onExit(effect, (exit) =>
            Effect.sync(() => {
              done()
              if (Exit.isFailure(exit)) connection.fail(exit.cause)
            })),
          scope
        )
      while (true) {
        yield* this.#work.await
        this.#work.closeUnsafe()
        for (const topics of this.#topics.values()) {
          if (!topics.differs || this.#settling.has(topics)) continue
          this.#settling.add(topics)
          yield* fork(topics.settle(connection), () => {
            this.#settling.delete(topics)
            this.#work.openUnsafe()
          })
        }
        for (const subscriber of this.#places.keys()) {
          const round = subscriber.reads
          if (round === undefined || this.#reading.get(subscriber) === round) continue
          this.#reading.set(subscriber, round)
          yield* fork(this.#read(connection, subscriber, round), () => {})
        }
      }
    })

  /** Reads the state for a subscriber. */
  #read(
    connection: Connection.Connection,
    subscriber: Subscriber,
    round: number
  ): Effect.Effect<void, Connection.Lost> {
    const { read } = subscriber.kind
    if (read === undefined) return Effect.void
    const again = (): Effect.Effect<void, Connection.Lost> =>
      Effect.andThen(
        Effect.sleep(firstPause),
        Effect.suspend(() => subscriber.reads === round ? this.#read(connection, subscriber, round) : Effect.void)
      )
    return read(asking(connection)).pipe(
      Effect.map((state) => {
        if (!subscriber.answer(round, state)) this.resume(subscriber)
      }),
      Effect.catchTags({
        Refused: ({ code, method, reason }) => {
          if (StreamErrors.isTransient(code)) return again()
          const error = new StreamErrors.StreamRefused({ method, origin: "exchange", code, reason })
          return Effect.sync(() => subscriber.end(Exit.fail(error)))
        },
        UnreadableAnswer: (error) => Effect.sync(() => subscriber.end(Exit.fail(error))),
        // The list changed faster than it could be read, so it must be read again.
        ListShifted: again,
        PageCeilingReached: again
      })
    )
  }
}

/**
 * The pause after `failures` consecutive failures, in milliseconds: a random time from half of the nominal pause to all
 * of it.
 */
const pauseAfter = (failures: number): Effect.Effect<number> =>
  Effect.map(Random.next, (random) => Math.min(firstPause * 2 ** (failures - 1), longestPause) * (0.5 + random / 2))
