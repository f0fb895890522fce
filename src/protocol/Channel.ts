/**
 * Channels as values: what the exchange pushes over its WebSocket, and the queries beside it.
 *
 * The same value defines the client's service, the sandbox's pushes, the AsyncAPI document, the tables of channels and
 * the test fixtures. Only the live exchange has a WebSocket; the document describes none.
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
 * How the subscriptions of one connection share a channel:
 *
 * - `set`: a subscription replaces the channel's set of topics on its connection
 * - `added`: a subscription adds a topic to those of its connection, or replaces the topic with the same key
 * - `single`: a connection has at most one topic; a subscription replaces it
 *
 * @category models
 */
export type Sharing = "set" | "added" | "single"

/**
 * What a channel's messages prove about the events before them, and so how a subscriber goes on after a gap:
 *
 * - `value`: a message is the topic's current value. The next one supersedes all that were missed
 * - `whole`: a message is the whole set of records, and is repeated. The next one is a state to go on from
 * - `chained`: a message names the one before it. A break in the chain is seen, and a new subscription begins with a
 *   snapshot
 * - `identified`: a message has records with ids that are pushed once. A query reads the latest records, and the ids
 *   join them with those pushed
 * - `changed`: a message has changes of a state, pushed once. A query reads the whole state
 * - `signal`: a message is pushed once, and no query reads it again
 *
 * @category models
 */
export type Continuity = "value" | "whole" | "chained" | "identified" | "changed" | "signal"

/**
 * How often the exchange pushes a channel's messages.
 *
 * @category models
 */
export interface Pushes {
  /** `changed`: only after a change. `always`: at every interval. `event`: at once, when something happens. */
  readonly when: "changed" | "always" | "event"
  /** The interval, in milliseconds; 0 for a push at once. */
  readonly everyMillis: number
  /**
   * The time without a change after which the exchange repeats the whole state, in milliseconds; absent if it never
   * does.
   */
  readonly repeatsAfterMillis?: number
}

type Decoder<A> = (wire: unknown) => Result.Result<A, Schema.SchemaError>
type Encoder<A, I> = (value: A) => Result.Result<I, Schema.SchemaError>

/**
 * The definition of a query, for {@link query}.
 *
 * @category models
 */
export interface QueryDefinition<Params, Answer> {
  /** The method, such as `depth_request`. */
  readonly method: string
  /** The parameters: by name in the domain, by position on the wire. */
  readonly params: Schema.Codec<Params, ReadonlyArray<unknown>>
  /** The answer's `result`. */
  readonly result: Schema.Codec<Answer, unknown>
  /** Typical parameters, which the sandbox's example exchange accepts. */
  readonly example: Params
}

/**
 * A query over the WebSocket: a request that the exchange answers once.
 *
 * @category models
 */
export interface Query<Params, Answer> extends QueryDefinition<Params, Answer> {
  /** The compiled schemas. A client encodes parameters and decodes results; an exchange does the reverse. */
  readonly "~codec": {
    readonly encodeParams: Encoder<Params, ReadonlyArray<unknown>>
    readonly decodeParams: Decoder<Params>
    readonly encodeResult: Encoder<Answer, unknown>
    readonly decodeResult: Decoder<Answer>
  }
}

/**
 * Makes a query from its definition.
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
 * Any query, for code that handles queries of all types.
 *
 * @category models
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a bound for inference: no value is ever read through it.
export type AnyQuery = Query<any, any>

/**
 * The definition of a channel, for {@link make}.
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
  /** The first part of the channel's methods, such as `depth` in `depth_subscribe`. */
  readonly wire: string
  /** Whether a connection must be authorised for an account (`private`) or not (`public`). */
  readonly access: Access
  /** How the subscriptions of one connection share the channel. */
  readonly sharing: Sharing
  /** What a subscriber listens to: a market, or all. Checked before anything is sent. */
  readonly topic: Schema.Codec<Topic, unknown>
  /**
   * The parameters of a subscribe, by position on the wire: the topics that the connection shall have, or the one to
   * add. They may ask for more than the topics, where the protocol can't say less: {@link Definition.about} chooses.
   */
  readonly topics: Schema.Codec<ReadonlyArray<Topic>, ReadonlyArray<unknown>>
  /**
   * Whether a subscribe with these parameters drops the connection's other topics. Default: `true`, unless the channel's
   * subscriptions are added.
   */
  readonly replaces?: (params: ReadonlyArray<unknown>) => boolean
  /**
   * Returns the key of a topic. A connection can't have two different topics with one key, because its pushes would not
   * tell them apart.
   */
  readonly keyOf: (topic: Topic) => string
  /** The parameters of an unsubscribe from one topic. Default `[]`, which leaves the whole channel. */
  readonly leave?: (topic: Topic) => ReadonlyArray<unknown>
  /** The `params` of a push. */
  readonly update: Schema.Codec<Message, unknown>
  /** Returns the part of a message that concerns a topic; `undefined` if nothing in it does. */
  readonly about: (topic: Topic, message: Message) => Message | undefined
  /** Whether a subscription begins with the state so far, with the current value, or with nothing. */
  readonly first: "snapshot" | "value" | "nothing"
  /** What messages prove about those before them. */
  readonly continuity: Continuity
  /** How often messages come. */
  readonly pushes: Pushes
  /** The queries, by the name of the service's method. */
  readonly queries: Queries
  /** The page of the live exchange's documentation that describes the channel. */
  readonly source: string
  /** A typical topic, which the sandbox's example exchange accepts. */
  readonly example: Topic
}

/**
 * Everything known about a channel. {@link make} makes one from its definition.
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
  /** The method of pushes. */
  readonly pushed: string
  /** Whether a subscribe with these parameters drops the connection's other topics. */
  readonly replaces: (params: ReadonlyArray<unknown>) => boolean
  /** The parameters of an unsubscribe from one topic. */
  readonly leave: (topic: Topic) => ReadonlyArray<unknown>
  /** The compiled schemas. A client encodes topics and decodes messages; an exchange does the reverse. */
  readonly "~codec": {
    readonly checkTopic: Encoder<Topic, unknown>
    readonly encodeTopics: Encoder<ReadonlyArray<Topic>, ReadonlyArray<unknown>>
    readonly decodeTopics: Decoder<ReadonlyArray<Topic>>
    readonly encodeMessage: Encoder<Message, unknown>
    readonly decodeMessage: Decoder<Message>
  }
}

/**
 * Any channel, for code that handles channels of all types.
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
 * Makes a channel from its definition.
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
