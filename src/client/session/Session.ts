/**
 * Manages the WebSocket connections for an account's streams, or for public streams.
 *
 * All streams of a session share one connection, which opens for the first subscriber, and closes five seconds after
 * the last subscriber has left. A stream that can't share the connection, such as a candle stream with a different
 * interval, opens another connection, up to {@link MaxConnections}.
 *
 * @example
 * ```ts
 * import * as Layer from "effect/Layer"
 * import * as Socket from "effect/socket/Socket"
 * import { DepthChannel, Dialer, Session } from "effect-txc"
 *
 * // The order books of the live exchange, without the other channels.
 * export const depth = DepthChannel.DepthChannel.layer.pipe(
 *   Layer.provide(Session.layerPublic),
 *   Layer.provide(Dialer.layer({ region: "global" })),
 *   Layer.provide(Socket.layerWebSocketConstructorGlobal)
 * )
 * ```
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as Channel from "../../protocol/Channel.ts"
import * as Errors from "../../protocol/Errors.ts"
import * as Expected from "../../protocol/Expected.ts"
import { codes } from "../../protocol/Frame.ts"
import * as Json from "../../protocol/Json.ts"
import * as Connection from "./Connection.ts"
import type * as Continuity from "./Continuity.ts"
import { Dialer } from "./Dialer.ts"
import { Heard } from "./Heard.ts"
import type * as Item from "./Item.ts"
import { Line, type Setup } from "./Line.ts"
import * as StreamErrors from "./StreamErrors.ts"
import { Subscriber } from "./Subscriber.ts"

/**
 * A session's maximum number of connections. A subscription that needs one more connection fails with
 * `TooManyConnections`. Default: 20. The exchange accepts 1000 new connections per minute from an IP address.
 *
 * @category settings
 */
export const MaxConnections = Context.Reference<number>("effect-txc/client/session/MaxConnections", {
  defaultValue: () => 20
})

/**
 * The maximum number of items that wait for a subscriber, on channels that must deliver every event. If more items
 * wait, the subscriber gets an `Interrupted` with the reason `slow`, and continues from a new state. Default 1024.
 *
 * @category settings
 */
export const MaxWaiting = Context.Reference<number>("effect-txc/client/session/MaxWaiting", {
  defaultValue: () => 1024
})

/** The time for which an unused connection stays open. */
const grace = "5 seconds"

/** The maximum time that a query waits for a connection and a response. */
const patience = "20 seconds"

/** A session's streams and queries. They can fail with `Failure`. */
export interface Streams<Failure> {
  /** Subscribes to a topic for as long as the stream runs. */
  readonly stream: <Topic, Message, Event, State>(
    // oxlint-disable-next-line typescript/no-explicit-any -- bounds the inferred type; no query is used through it.
    channel: Channel.Channel<Topic, Message, "public" | "private", any>,
    topic: NoInfer<Topic>,
    // oxlint-disable-next-line typescript/no-explicit-any -- only the kind's own follower reads responses of this type.
    kind: Continuity.Kind<NoInfer<Message>, Event, State, any>
  ) => Stream.Stream<Item.Item<Event, State>, Failure>
  /** Makes a query. */
  readonly query: <Params, Answer>(
    query: Channel.Query<Params, Answer>,
    params: Params
  ) => Effect.Effect<Answer, Failure | Errors.ExchangeUnreachable>
}

/**
 * The streams of public channels.
 *
 * @category services
 */
export class PublicSession extends Context.Service<PublicSession, Streams<StreamErrors.PublicFailure>>()(
  "effect-txc/client/session/PublicSession"
) {}

/**
 * The streams of an account's private channels.
 *
 * @category services
 */
export class Session extends Context.Service<Session, Streams<StreamErrors.PrivateFailure>>()(
  "effect-txc/client/session/Session"
) {}

/**
 * Requests the tokens that authorize connections for an account. Every connection gets a new token.
 *
 * @category services
 */
export class StreamToken extends Context.Service<StreamToken, {
  /** Requests a token. */
  readonly create: Effect.Effect<Redacted.Redacted, StreamErrors.TokenFailure>
}>()("effect-txc/client/session/StreamToken") {}

/** Refuses a topic or parameters before anything is sent. */
const refusedLocally = (method: string, reason: string) =>
  new StreamErrors.StreamRefused({ method, origin: "local", code: codes.invalidArgument, reason })

/** A session's connections, each with its topics: see `Line`. */
class Lines {
  readonly #lines = new Set<Line>()
  readonly #open: () => Line
  readonly #scope: Scope.Scope
  readonly #limit: number

  constructor(open: () => Line, scope: Scope.Scope, limit: number) {
    this.#open = open
    this.#scope = scope
    this.#limit = limit
  }

  /**
   * Returns a suitable line, or opens a new line; `undefined` if there are too many lines. A line closes when it has
   * been unused for {@link grace}.
   */
  readonly use = (
    suits: (line: Line) => boolean,
    begin: (line: Line) => void
  ): Effect.Effect<Line | undefined, never, Scope.Scope> =>
    Effect.acquireRelease(
      Effect.suspend(() => {
        const found = [...this.#lines].find((line) => !line.hasFailed && suits(line))
        const line = found ?? (this.#lines.size < this.#limit ? this.#open() : undefined)
        if (line === undefined) return Effect.succeed(line)
        line.use(1)
        begin(line)
        if (found !== undefined) return Effect.succeed(line)
        this.#lines.add(line)
        return Effect.as(Effect.forkIn(this.#running(line), this.#scope), line)
      }),
      (line) =>
        Effect.sync(() => {
          line?.use(-1)
        })
    )

  #running(line: Line): Effect.Effect<void> {
    const remove = () => {
      this.#lines.delete(line)
    }
    return Effect.ensuring(Effect.raceFirst(line.run, line.idle(grace, remove)), Effect.sync(remove))
  }
}

const makeStreams = (token: Setup["token"]) =>
  Effect.gen(function*() {
    const dialer = yield* Dialer
    const scope = yield* Effect.scope
    const limit = yield* MaxConnections
    const bound = yield* MaxWaiting
    const clock = yield* Clock.Clock
    const lines = new Lines(() => new Line({ dialer, token }, clock), scope, limit)

    const stream = (channel: Channel.Any, topic: unknown, kind: Continuity.Any) =>
      Stream.unwrap(Effect.gen(function*() {
        const checked = channel["~codec"].checkTopic(topic)
        const encoded = channel["~codec"].encodeTopics([topic])
        if (Result.isFailure(checked))
          return yield* refusedLocally(channel.subscribe, Expected.inWords(checked.failure, "the topic"))
        if (Result.isFailure(encoded))
          return yield* refusedLocally(channel.subscribe, Expected.inWords(encoded.failure, "the topic"))
        const id = Json.stringify(encoded.success)
        const key: string = channel.keyOf(topic)
        let used: Line | undefined
        const subscriber = new Subscriber(kind, { bound, clock }, (subscriber) => used?.resume(subscriber))
        const line = yield* lines.use((line) => line.admits(channel, id, key), (line) => {
          used = line
          line.add(channel, { value: topic, id }, subscriber)
        })
        if (line === undefined)
          return yield* new StreamErrors.TooManyConnections({ channel: channel.name, limit })
        yield* Effect.addFinalizer(() => Effect.sync(() => line.remove(subscriber)))
        const hear = yield* Heard
        hear?.(() => subscriber.completeAt(line.heardAt()))
        return Stream.fromPull(Effect.succeed(subscriber.mailbox.take))
      }))

    const unreachable = (method: string, why: "timeout" | "connection-lost", reason: string) =>
      new Errors.ExchangeUnreachable({ endpoint: method, why, reason })
    const query = <Params, Answer>(query: Channel.Query<Params, Answer>, params: Params) =>
      Effect.gen(function*() {
        const { method } = query
        const encoded = query["~codec"].encodeParams(params)
        if (Result.isFailure(encoded))
          return yield* refusedLocally(method, Expected.inWords(encoded.failure, "the query"))
        const line = yield* lines.use(() => true, () => {})
        if (line === undefined)
          return yield* new StreamErrors.TooManyConnections({ channel: method, limit })
        return yield* line.ask(query, params).pipe(
          Effect.raceFirst(line.failed),
          Effect.catchTags({
            Lost: ({ problem }) => Effect.fail(unreachable(method, "connection-lost", problem)),
            Refused: ({ code, reason }) =>
              Effect.fail(new StreamErrors.StreamRefused({ method, origin: "exchange", code, reason }))
          }),
          Effect.timeoutOrElse({
            duration: patience,
            orElse: () => Effect.fail(unreachable(method, "timeout", `no response within ${patience}`))
          })
        )
      }).pipe(Effect.scoped)
    // The casts are safe, because a stream's items come from its own kind.
    return { stream, query } as Streams<StreamErrors.PrivateFailure>
  })

/**
 * Provides the streams of public channels. Needs no credentials.
 *
 * @category layers
 */
export const layerPublic: Layer.Layer<PublicSession, never, Dialer> = Layer.effect(
  PublicSession,
  // The cast is safe, because without a token no account errors can occur.
  makeStreams(undefined) as Effect.Effect<Streams<StreamErrors.PublicFailure>, never, Dialer | Scope.Scope>
)

/** Requests a token. A transient failure is handled like a lost connection: the next attempt requests another token. */
const tokenOf = (
  { create }: StreamToken["Service"]
): Effect.Effect<Redacted.Redacted, StreamErrors.AccountFailure | Connection.Lost> =>
  Effect.mapError(create, (error) => {
    if (error._tag === "NonceRejected" || error._tag === "RateLimited" || error._tag === "ExchangeUnreachable") {
      return new Connection.Lost({ problem: error.message })
    }
    return error.isRetryable ? new Connection.Lost({ problem: error.message }) : error
  })

/**
 * Provides the streams of an account's private channels. Connections are authorized with the tokens of `StreamToken`.
 *
 * @category layers
 */
export const layer: Layer.Layer<Session, never, Dialer | StreamToken> = Layer.effect(
  Session,
  Effect.flatMap(StreamToken, (token) => makeStreams(tokenOf(token)))
)
