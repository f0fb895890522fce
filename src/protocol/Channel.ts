/**
 * Defines channels as values. A channel consists of messages that the exchange pushes over its WebSocket, and of
 * queries for the same data.
 *
 * The same value defines the client's service, the sandbox's pushed messages, the AsyncAPI document, the channel tables
 * and the test fixtures. Only the live exchange has a WebSocket; the document does not describe one.
 *
 * @example
 * ```ts
 * import { DepthChannel } from "effect-txc"
 *
 * const { pushes, wire } = DepthChannel.channel
 * console.log(`${wire}_update: ${pushes.when}`)
 * ```
 */
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Compiled from "./Compiled.ts"

/**
 * How a new subscription affects the channel's other topics on the same connection:
 *
 * - `set`: a subscribe request contains all topics, and replaces the previous set of topics
 * - `added`: a subscribe request adds one topic, or replaces the topic with the same key
 * - `single`: a connection has at most one topic, which a subscribe request replaces
 *
 * @category models
 */
export type Sharing = "set" | "added" | "single"

/**
 * How a subscriber recovers from a gap. This depends on the channel's messages:
 *
 * - `value`: each message is the topic's current value, so the next message replaces all missed messages
 * - `whole`: each message contains all records, and the exchange repeats messages, so the next message replaces all
 *   missed messages
 * - `chained`: each change contains the sequence number of the previous change, so the subscriber notices a gap. It
 *   then subscribes again, which returns a complete state
 * - `identified`: each record has an id and is pushed once. After a gap, a query reads the latest records; their ids
 *   show which of them were already pushed
 * - `changed`: each message contains changes to a state, and is pushed once. After a gap, a query reads the complete
 *   state
 * - `signal`: each message is pushed once, and no query returns it, so a missed message is lost
 *
 * @category models
 */
export type Continuity = "value" | "whole" | "chained" | "identified" | "changed" | "signal"

/**
 * When and how often the exchange pushes a channel's messages.
 *
 * @category models
 */
export interface Pushes {
  /**
   * `changed`: at the next interval after a change. `always`: at every interval. `event`: immediately after an event.
   */
  readonly when: "changed" | "always" | "event"
  /** The interval, in milliseconds; 0 if messages are pushed immediately. */
  readonly everyMillis: number
  /**
   * The time without a change after which the exchange repeats the complete state, in milliseconds; absent if the state
   * is never repeated.
   */
  readonly repeatsAfterMillis?: number
}

type Decoder<A> = (wire: unknown) => Result.Result<A, Schema.SchemaError>
type Encoder<A, I> = (value: A) => Result.Result<I, Schema.SchemaError>

/**
 * A query's definition, for {@link query}.
 *
 * @category models
 */
export interface QueryDefinition<Params, Answer> {
  /** The method, such as `depth_request`. */
  readonly method: string
  /** The parameters, which are positional on the wire. */
  readonly params: Schema.Codec<Params, ReadonlyArray<unknown>>
  /** The response's `result`. */
  readonly result: Schema.Codec<Answer, unknown>
  /** Example parameters, which the sandbox's example exchange accepts. */
  readonly example: Params
}

/**
 * A query over the WebSocket: a request with a single response.
 *
 * @category models
 */
export interface Query<Params, Answer> extends QueryDefinition<Params, Answer> {
  /**
   * The query's compiled schemas. A client encodes parameters and decodes results; an exchange decodes parameters and
   * encodes results.
   */
  readonly "~codec": {
    readonly encodeParams: Encoder<Params, ReadonlyArray<unknown>>
    readonly decodeParams: Decoder<Params>
    readonly encodeResult: Encoder<Answer, unknown>
    readonly decodeResult: Decoder<Answer>
  }
}

/**
 * Creates a query from its definition.
 *
 * @category constructors
 */
export const query = <Params, Answer>(definition: QueryDefinition<Params, Answer>): Query<Params, Answer> => {
  const params = () => definition.params
  const result = () => definition.result
  return {
    ...definition,
    "~codec": {
      // The cast is safe: parameters always encode to an array.
      encodeParams: Compiled.encodeUnknownResult(params) as never,
      decodeParams: Compiled.decodeUnknownResult(params),
      encodeResult: Compiled.encodeUnknownResult(result),
      decodeResult: Compiled.decodeUnknownResult(result)
    }
  }
}

/**
 * A query with any parameters and any result.
 *
 * @category models
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a bound for inference: no value is ever read through it.
export type AnyQuery = Query<any, any>

/**
 * A channel's definition, for {@link make}.
 *
 * @category models
 */
export interface Definition<
  Topic,
  Message,
  Access extends "public" | "private",
  Queries extends Readonly<Record<string, AnyQuery>>
> {
  /** The service's name, such as `DepthChannel`. */
  readonly name: string
  /** The prefix of the channel's methods, such as `depth` in `depth_subscribe`. */
  readonly wire: string
  /** Whether a connection must be authorized for an account (`private`) or not (`public`). */
  readonly access: Access
  /** How a new subscription affects the channel's other topics on the same connection. */
  readonly sharing: Sharing
  /**
   * The schema of a topic. A topic is, for example, one market or all markets. The client checks topics before it sends
   * anything.
   */
  readonly topic: Schema.Codec<Topic, unknown>
  /**
   * The parameters of a subscribe request, positional on the wire. They contain all topics of the connection, or only
   * the topic to add: see `sharing`. If the protocol can't express the topics exactly, the parameters select more
   * messages than needed; {@link Definition.about} then selects the relevant part of each message.
   */
  readonly topics: Schema.Codec<ReadonlyArray<Topic>, ReadonlyArray<unknown>>
  /**
   * Whether a subscribe request with these parameters drops the connection's other topics. Default: `false` if
   * `sharing` is `added`, otherwise `true`.
   */
  readonly replaces?: (params: ReadonlyArray<unknown>) => boolean
  /**
   * Returns a topic's key. A connection can't have two different topics with the same key, because pushed messages do
   * not distinguish them.
   */
  readonly keyOf: (topic: Topic) => string
  /**
   * The parameters of a request to unsubscribe from one topic. Default `[]`, which unsubscribes from all topics of the
   * channel.
   */
  readonly leave?: (topic: Topic) => ReadonlyArray<unknown>
  /** The `params` of a pushed message. */
  readonly update: Schema.Codec<Message, unknown>
  /** Returns the part of a message that concerns a topic; `undefined` if the message does not concern the topic. */
  readonly about: (topic: Topic, message: Message) => Message | undefined
  /**
   * The first message after a subscribe request: the complete state (`snapshot`), the current value (`value`), or no
   * message until there is an event (`nothing`).
   */
  readonly first: "snapshot" | "value" | "nothing"
  /** How a subscriber recovers from a gap. */
  readonly continuity: Continuity
  /** When and how often the exchange pushes messages. */
  readonly pushes: Pushes
  /** The queries, keyed by the service's method name. */
  readonly queries: Queries
  /** The page of the live exchange's documentation that describes the channel. */
  readonly source: string
  /** An example topic, which the sandbox's example exchange accepts. */
  readonly example: Topic
}

/**
 * A channel: its definition with all defaults, its methods, and its compiled schemas. {@link make} creates a channel
 * from its definition.
 *
 * @category models
 */
export interface Channel<
  Topic,
  Message,
  Access extends "public" | "private",
  Queries extends Readonly<Record<string, AnyQuery>>
> extends Definition<Topic, Message, Access, Queries> {
  /** The method that subscribes. */
  readonly subscribe: string
  /** The method that unsubscribes. */
  readonly unsubscribe: string
  /** The method of pushed messages. */
  readonly pushed: string
  /** Whether a subscribe request with these parameters drops the connection's other topics. */
  readonly replaces: (params: ReadonlyArray<unknown>) => boolean
  /** The parameters of a request to unsubscribe from one topic. */
  readonly leave: (topic: Topic) => ReadonlyArray<unknown>
  /**
   * The compiled schemas. A client encodes topics and decodes messages; an exchange decodes topics and encodes
   * messages.
   */
  readonly "~codec": {
    readonly checkTopic: Encoder<Topic, unknown>
    readonly encodeTopics: Encoder<ReadonlyArray<Topic>, ReadonlyArray<unknown>>
    readonly decodeTopics: Decoder<ReadonlyArray<Topic>>
    readonly encodeMessage: Encoder<Message, unknown>
    readonly decodeMessage: Decoder<Message>
  }
}

/**
 * A channel with any topics and any messages.
 *
 * @category models
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a bound for inference: no value is ever read through it.
export type Any = Channel<any, any, "public" | "private", Readonly<Record<string, AnyQuery>>>

/**
 * The type of a channel's topics.
 *
 * @category models
 */
export type Topic<C extends Any> = C extends Channel<infer T, infer _M, infer _A, infer _Q> ? T : never

/**
 * The type of a channel's messages.
 *
 * @category models
 */
export type Message<C extends Any> = C extends Channel<infer _T, infer M, infer _A, infer _Q> ? M : never

/**
 * Creates a channel from its definition.
 *
 * @category constructors
 */
export const make = <
  Topic,
  Message,
  const Access extends "public" | "private",
  const Queries extends Readonly<Record<string, AnyQuery>>
>(
  definition: Definition<Topic, Message, Access, Queries>
): Channel<Topic, Message, Access, Queries> => {
  const { sharing, topic, topics, update, wire } = definition
  return {
    leave: () => [],
    replaces: () => sharing !== "added",
    ...definition,
    subscribe: `${wire}_subscribe`,
    unsubscribe: `${wire}_unsubscribe`,
    pushed: `${wire}_update`,
    "~codec": {
      checkTopic: Compiled.encodeUnknownResult(() => topic),
      // The cast is safe: topics always encode to an array.
      encodeTopics: Compiled.encodeUnknownResult(() => topics) as never,
      decodeTopics: Compiled.decodeUnknownResult(() => topics),
      encodeMessage: Compiled.encodeUnknownResult(() => update),
      decodeMessage: Compiled.decodeUnknownResult(() => update)
    }
  }
}
