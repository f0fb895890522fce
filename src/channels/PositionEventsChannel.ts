/**
 * Liquidations of the account's positions, and margin calls on them, as they happen.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { PositionEventsChannel } from "effect-txc"
 *
 * const alarm = Effect.gen(function*() {
 *   const { stream } = yield* PositionEventsChannel.PositionEventsChannel
 *   yield* Stream.runForEach(stream, (item) =>
 *     item._tag === "Event" && item.event.event === "margin_call"
 *       ? Effect.logFatal(item.event.position.market)
 *       : Effect.void)
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import * as ChannelService from "../client/make/ChannelService.ts"
import * as Continuity from "../client/session/Continuity.ts"
import type * as Item from "../client/session/Item.ts"
import type * as Session from "../client/session/Session.ts"
import type * as StreamErrors from "../client/session/StreamErrors.ts"
import { oneOf } from "../domain/Text.ts"
import * as Unrecognised from "../domain/Unrecognised.ts"
import * as Channel from "../protocol/Channel.ts"
import { positional } from "../protocol/Positional.ts"
import * as forms from "./forms.ts"
import { channel as positions, Position } from "./PositionsChannel.ts"
import * as topics from "./topics.ts"

export type { Everything as Topic } from "./topics.ts"

/**
 * The schema of an {@link Event}.
 *
 * @category schemas
 */
export const Event = Unrecognised.open(oneOf(["margin_call", "liquidation"]))
/**
 * The type of a position event: the exchange demands more collateral (`margin_call`), or liquidates the position
 * (`liquidation`).
 *
 * @category models
 */
export type Event = typeof Event.Type

/**
 * A margin call on a position, or the position's liquidation.
 *
 * @category models
 */
export interface PositionEvent {
  /** The event's type: a margin call or a liquidation. */
  readonly event: Event
  /** The position after the event. */
  readonly position: Position
}

/**
 * The channel that `positionsAccountMargin_subscribe` subscribes to. Source: the live exchange's documentation,
 * WebSocket, "Margin positions events".
 *
 * @category channels
 */
export const channel = Channel.make({
  name: "PositionEventsChannel",
  wire: "positionsAccountMargin",
  access: "private",
  sharing: "set",
  topic: topics.everything,
  topics: topics.all,
  keyOf: () => "",
  update: positional<PositionEvent>({ event: forms.liquidation(Event), position: Position }),
  about: (_, message) => message,
  first: "nothing",
  continuity: "signal",
  pushes: { when: "event", everyMillis: 0 },
  queries: {},
  source: "WebSocket, \"Margin positions events\"",
  example: {}
})

/**
 * Liquidations of the account's positions, and margin calls on them, as a stream.
 *
 * @category services
 */
export class PositionEventsChannel extends Context.Service<PositionEventsChannel, {
  /**
   * Emits each event. Past events can't be queried, so after an `Interrupted`, the stream emits a `Snapshot` of all
   * positions, read from `PositionsChannel`. There is no `Snapshot` if the exchange does not push the positions within
   * ten seconds.
   */
  readonly stream: Stream.Stream<Item.Item<PositionEvent, ReadonlyArray<Position>>, StreamErrors.PrivateFailure>
}>()("effect-txc/channels/PositionEventsChannel") {
  /** Provides this service. Requires a `Session`. */
  static readonly layer: Layer.Layer<PositionEventsChannel, never, Session.Session> = ChannelService.layer(
    PositionEventsChannel,
    channel,
    ({ streaming, streamingOf }) => ({
      stream: ChannelService.withStates(
        streaming(() => Continuity.signals<PositionEvent>())({}),
        streamingOf(positions)(() => Continuity.latest({ of: (all) => [all] }))({})
      )
    })
  )
}
