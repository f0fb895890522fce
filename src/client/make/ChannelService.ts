/** Makes the service of a channel: its streams and its queries. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import type * as Channel from "../../protocol/Channel.ts"
import * as Observation from "../Observation.ts"
import type * as Continuity from "../session/Continuity.ts"
import type * as Item from "../session/Item.ts"
import * as Session from "../session/Session.ts"
import type * as StreamErrors from "../session/StreamErrors.ts"

type Access = "public" | "private"

/** The streams of a channel. */
export type Streaming<Topic, Event, State, X extends Access> = (
  topic: Topic
) => Stream.Stream<Item.Item<Event, State>, StreamErrors.Failure<X>>

/** A query of a channel. */
export type Querying<Params, Answer, X extends Access> = (
  params: Params
) => Effect.Effect<Answer, StreamErrors.QueryFailure<X>>

/** What a channel's service is made from. */
export interface Parts<Topic, Message, Queries extends Readonly<Record<string, Channel.AnyQuery>>, X extends Access> {
  /** Makes the function that subscribes: `kindOf` says how the subscribers of a topic go on. */
  readonly streaming: <Event, State>(
    // oxlint-disable-next-line typescript/no-explicit-any -- only the kind's own follower reads its answers.
    kindOf: (topic: Topic) => Continuity.Kind<Message, Event, State, any>
  ) => Streaming<Topic, Event, State, X>
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
  queries: Object.fromEntries(
    Object.entries(channel.queries).map(([name, query]) => [
      name,
      (params: unknown) => Observation.spanned(`${channel.name}.${name}`, session.query(query, params))
    ])
  ) as never
})

/** Makes the layer of a public channel's service. `methods` makes the service from the channel's streams and queries. */
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
  Layer.effect(service, Session.PublicSession.useSync((session) => methods(partsOf(channel, session))))

/** Makes the layer of a private channel's service, like {@link layerPublic}. */
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
  Layer.effect(service, Session.Session.useSync((session) => methods(partsOf(channel, session))))
