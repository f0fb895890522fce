/**
 * Liquidations of the account's borrows, and margin calls on them, as they happen.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { BorrowEventsChannel } from "effect-txc"
 *
 * const alarm = Effect.gen(function*() {
 *   const { stream } = yield* BorrowEventsChannel.BorrowEventsChannel
 *   yield* Stream.runForEach(stream, (item) =>
 *     item._tag === "Event" ? Effect.logFatal(item.event.event, item.event.borrow.ticker) : Effect.void)
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
import { Borrow, channel as borrows } from "./BorrowsChannel.ts"
import * as forms from "./forms.ts"
import * as topics from "./topics.ts"

export type { Everything as Topic } from "./topics.ts"

/**
 * The schema of an {@link Event}.
 *
 * @category schemas
 */
export const Event = Unrecognised.open(oneOf(["margin_call", "liquidation"]))
/**
 * The type of a borrow event: the exchange demands more collateral (`margin_call`), or liquidates the borrow
 * (`liquidation`).
 *
 * @category models
 */
export type Event = typeof Event.Type

/**
 * A margin call on a borrow, or the borrow's liquidation.
 *
 * @category models
 */
export interface BorrowEvent {
  /** The event's type: a margin call or a liquidation. */
  readonly event: Event
  /** The borrow after the event. */
  readonly borrow: Borrow
}

/**
 * The channel that `borrowsAccountMargin_subscribe` subscribes to. Source: the live exchange's documentation,
 * WebSocket, "Borrows events".
 *
 * @category channels
 */
export const channel = Channel.make({
  name: "BorrowEventsChannel",
  wire: "borrowsAccountMargin",
  access: "private",
  sharing: "set",
  topic: topics.everything,
  topics: topics.all,
  keyOf: () => "",
  update: positional<BorrowEvent>({ event: forms.liquidation(Event), borrow: Borrow }),
  about: (_, message) => message,
  first: "nothing",
  continuity: "signal",
  pushes: { when: "event", everyMillis: 0 },
  queries: {},
  source: "WebSocket, \"Borrows events\"",
  example: {}
})

/**
 * Liquidations of the account's borrows, and margin calls on them, as a stream.
 *
 * @category services
 */
export class BorrowEventsChannel extends Context.Service<BorrowEventsChannel, {
  /**
   * Emits each event. Past events can't be queried, so after an `Interrupted`, the stream emits a `Snapshot` of all
   * borrows, read from `BorrowsChannel`. There is no `Snapshot` if the exchange does not push the borrows within ten
   * seconds.
   */
  readonly stream: Stream.Stream<Item.Item<BorrowEvent, ReadonlyArray<Borrow>>, StreamErrors.PrivateFailure>
}>()("effect-txc/channels/BorrowEventsChannel") {
  /** Provides this service. Requires a `Session`. */
  static readonly layer: Layer.Layer<BorrowEventsChannel, never, Session.Session> = ChannelService.layer(
    BorrowEventsChannel,
    channel,
    ({ streaming, streamingOf }) => ({
      stream: ChannelService.withStates(
        streaming(() => Continuity.signals<BorrowEvent>())({}),
        streamingOf(borrows)(() => Continuity.latest({ of: (all) => [all] }))({})
      )
    })
  )
}
