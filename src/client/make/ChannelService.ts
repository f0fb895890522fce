/** Creates the service for a channel: its streams and its queries. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type * as Channel from "../../protocol/Channel.ts"
import * as Observation from "../Observation.ts"
import type * as Continuity from "../session/Continuity.ts"
import * as Item from "../session/Item.ts"
import * as Session from "../session/Session.ts"
import type * as StreamErrors from "../session/StreamErrors.ts"
import * as ServiceLayer from "./ServiceLayer.ts"

type Access = "public" | "private"

/** Creates the stream for a channel's topic. */
export type Streaming<Topic, Event, State, X extends Access> = (
  topic: Topic
) => Stream.Stream<Item.Item<Event, State>, StreamErrors.Failure<X>>

/** Makes a channel's query. */
export type Querying<Params, Answer, X extends Access> = (
  params: Params
) => Effect.Effect<Answer, StreamErrors.QueryFailure<X>>

/** The parts of a channel's service. */
export interface Parts<Topic, Message, Queries extends Readonly<Record<string, Channel.AnyQuery>>, X extends Access> {
  /**
   * Creates the function that subscribes to a topic. `kindOf` determines how a subscriber recovers after missed
   * messages.
   */
  readonly streaming: <Event, State>(
    // oxlint-disable-next-line typescript/no-explicit-any -- only the kind's own follower reads responses of this type.
    kindOf: (topic: Topic) => Continuity.Kind<Message, Event, State, any>
  ) => Streaming<Topic, Event, State, X>
  /** Creates the function that subscribes to another channel over the same session. */
  readonly streamingOf: <OtherTopic, OtherMessage>(
    // oxlint-disable-next-line typescript/no-explicit-any -- bounds the inferred type; no query is used through it.
    other: Channel.Channel<OtherTopic, OtherMessage, X, any>
  ) => <Event, State>(
    // oxlint-disable-next-line typescript/no-explicit-any -- only the kind's own follower reads responses of this type.
    kindOf: (topic: OtherTopic) => Continuity.Kind<OtherMessage, Event, State, any>
  ) => Streaming<OtherTopic, Event, State, X>
  /** The channel's queries. */
  readonly queries: {
    readonly [K in keyof Queries]: Queries[K] extends Channel.Query<infer Params, infer Answer>
      ? Querying<Params, Answer, X>
      : never
  }
}

const partsOf = <Topic, Message, X extends Access, Queries extends Readonly<Record<string, Channel.AnyQuery>>>(
  channel: Channel.Channel<Topic, Message, X, Queries>,
  session: Session.Streams<StreamErrors.Failure<X>>
): Parts<Topic, Message, Queries, X> => ({
  streaming: (kindOf) => (topic) => session.stream(channel, topic, kindOf(topic)),
  streamingOf: (other) => (kindOf) => (topic) => session.stream(other, topic, kindOf(topic)),
  queries: Object.fromEntries(
    Object.entries(channel.queries).map(([name, query]) => [
      name,
      (params: unknown) => Observation.requested(`${channel.name}.${name}`, session.query(query, params))
    ])
  ) as never
})

/**
 * The maximum time that a stream waits for the state that {@link withStates} adds after an interruption. If no state
 * arrives in time, the stream continues without a state.
 */
const patience = "10 seconds"

/**
 * Emits a state after each interruption of a stream of signals: events that are pushed once, and that no query returns
 * later. The state comes from `states`, a channel that regularly repeats the complete state. The stream uses the second
 * message of that channel, because the first message may be older than the new subscription to the signals.
 */
export const withStates = <Event, State, E, E2>(
  signals: Stream.Stream<Item.Item<Event, never>, E>,
  states: Stream.Stream<Item.Item<State, State>, E2>
): Stream.Stream<Item.Item<Event, State>, E | E2> => {
  const state = states.pipe(
    Stream.flatMap((item) =>
      item._tag === "Interrupted" ? Stream.empty : Stream.succeed(item._tag === "Event" ? item.event : item.state)
    ),
    Stream.drop(1),
    Stream.take(1),
    Stream.map(Item.snapshot),
    Stream.timeout(patience)
  )
  return Stream.flatMap(
    signals,
    (item): Stream.Stream<Item.Item<Event, State>, E2> =>
      item._tag === "Interrupted" ? Stream.concat(Stream.succeed(item), state) : Stream.succeed(item)
  )
}

/**
 * Builds the layer for a public channel's service. `methods` creates the service from the channel's streams and
 * queries.
 */
export const layerPublic = <
  Identifier,
  Shape,
  Topic,
  Message,
  Queries extends Readonly<Record<string, Channel.AnyQuery>>
>(
  service: Context.Service<Identifier, Shape>,
  channel: Channel.Channel<Topic, Message, "public", Queries>,
  methods: (parts: Parts<Topic, Message, Queries, "public">) => Shape
): Layer.Layer<Identifier, never, Session.PublicSession> =>
  ServiceLayer.layer(service, Session.PublicSession.useSync((session) => methods(partsOf(channel, session))))

/** Builds the layer for a private channel's service, like {@link layerPublic}. */
export const layer = <
  Identifier,
  Shape,
  Topic,
  Message,
  Queries extends Readonly<Record<string, Channel.AnyQuery>>
>(
  service: Context.Service<Identifier, Shape>,
  channel: Channel.Channel<Topic, Message, "private", Queries>,
  methods: (parts: Parts<Topic, Message, Queries, "private">) => Shape
): Layer.Layer<Identifier, never, Session.Session> =>
  ServiceLayer.layer(service, Session.Session.useSync((session) => methods(partsOf(channel, session))))
