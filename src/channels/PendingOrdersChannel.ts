/**
 * The account's orders that can still trade: the exchange pushes an order when the order is created, changes or closes.
 *
 * The exchange might also push `otoOrdersPending_update` to a subscriber. No documentation describes this message, but
 * another project's client reads it. The message does not belong to a channel, so the client ignores it.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { Identifiers, PendingOrdersChannel } from "effect-txc"
 *
 * const fills = Effect.gen(function*() {
 *   const { stream } = yield* PendingOrdersChannel.PendingOrdersChannel
 *   yield* Stream.runForEach(stream({ market: Identifiers.marketName("BTC_USDT") }), (item) =>
 *     item._tag === "Event" && item.event.event === "finished"
 *       ? Effect.log(item.event.order.orderId, item.event.order.dealStock)
 *       : Effect.void)
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as ChannelService from "../client/make/ChannelService.ts"
import * as Pages from "../client/Pages.ts"
import * as Continuity from "../client/session/Continuity.ts"
import type * as Item from "../client/session/Item.ts"
import type * as Session from "../client/session/Session.ts"
import type * as StreamErrors from "../client/session/StreamErrors.ts"
import { marketName } from "../domain/Identifiers.ts"
import { Limit, maxLimit, maxRecordOffset, RecordOffset } from "../domain/Paging.ts"
import { oneOf } from "../domain/Text.ts"
import * as Unrecognised from "../domain/Unrecognised.ts"
import * as Channel from "../protocol/Channel.ts"
import { positional } from "../protocol/Positional.ts"
import * as forms from "./forms.ts"
import * as orders from "./orders.ts"
import * as topics from "./topics.ts"

export type { PageRequest as Request } from "./forms.ts"
export type { PendingOrder } from "./orders.ts"
export type { Market as Topic } from "./topics.ts"

/**
 * The schema of an {@link Event}.
 *
 * @category schemas
 */
export const Event = Unrecognised.open(oneOf(["new", "updated", "finished"]))
/**
 * The type of an order event:
 *
 * - `new`: the order was created, or is a stop order that was activated. An activated order keeps its id
 * - `updated`: the order changed, for example because part of it was filled
 * - `finished`: the order was filled or canceled. If an order is filled immediately, this is the order's only event
 *
 * To modify an order, the exchange cancels the order and creates a replacement with a new id.
 *
 * @category models
 */
export type Event = typeof Event.Type

/**
 * An order event: its type, and the order after the event.
 *
 * @category models
 */
export interface OrderEvent {
  /** The event's type: new, updated or finished. */
  readonly event: Event
  /** The order after the event. */
  readonly order: orders.PendingOrder
}

const event = forms.numbered(Event, [[1, "new"], [2, "updated"], [3, "finished"]])

const example = marketName("BTC_USDT")

/**
 * The channel that `ordersPending_subscribe` subscribes to. Source: the live exchange's documentation, WebSocket,
 * "Orders pending".
 *
 * @category channels
 */
export const channel = Channel.make({
  name: "PendingOrdersChannel",
  wire: "ordersPending",
  access: "private",
  sharing: "set",
  topic: topics.market,
  topics: topics.markets,
  keyOf: ({ market }) => market,
  update: positional<OrderEvent>({ event, order: orders.pending }),
  about: ({ market }, message) => message.order.market === market ? message : undefined,
  first: "nothing",
  continuity: "changed",
  pushes: { when: "event", everyMillis: 0 },
  queries: {
    /** Reads a page of orders. */
    page: Channel.query({
      method: "ordersPending_request",
      params: forms.pageRequest,
      result: forms.countedPage(orders.pending),
      example: { market: example, offset: RecordOffset.make(0), limit: Limit.make(100) }
    })
  },
  source: "WebSocket, \"Orders pending\"",
  example: { market: example }
})

/** Reads all pending orders on a market. Fails if the orders change faster than the pages can be read. */
const readAll = (market: topics.Market["market"]): Continuity.Read<ReadonlyArray<orders.PendingOrder>> => (ask) =>
  Stream.runCollect(
    Pages.stream(
      "PendingOrdersChannel.page",
      (at: Pages.Next<Limit, RecordOffset>) => ask(channel.queries.page, { market, ...at }),
      Limit.make(maxLimit),
      { idOf: ({ orderId }) => orderId },
      RecordOffset.make(maxRecordOffset)
    )
  )

/**
 * Whether the orders in a response already reflect an event that was pushed while the response was read. If the
 * response does not contain the order, the event may be newer than the response, so the result is `false`. The result
 * is also `false` for a `finished` event, because an order that is filled immediately is never in a response.
 */
const contains = (all: ReadonlyArray<orders.PendingOrder>, { event, order }: OrderEvent): boolean => {
  const read = event === "finished" ? undefined : all.find(({ orderId }) => orderId === order.orderId)
  return read?.modifiedAt !== undefined && order.modifiedAt !== undefined && order.modifiedAt < read.modifiedAt
}

/**
 * The orders on a market that can still trade, as a stream or from a query.
 *
 * @category services
 */
export class PendingOrdersChannel extends Context.Service<PendingOrdersChannel, {
  /**
   * Emits all orders that can still trade as a `Snapshot`, and then each order event. An event contains the complete
   * order, and replaces any earlier data about that order. An event may repeat a change that the `Snapshot` already
   * includes.
   */
  readonly stream: (
    topic: topics.Market
  ) => Stream.Stream<Item.Item<OrderEvent, ReadonlyArray<orders.PendingOrder>>, StreamErrors.PrivateFailure>
  /** Reads one page of orders. */
  readonly page: (
    request: forms.PageRequest
  ) => Effect.Effect<Pages.CountedPage<orders.PendingOrder>, StreamErrors.QueryFailure<"private">>
}>()("effect-txc/channels/PendingOrdersChannel") {
  /** Provides this service. Requires a `Session`. */
  static readonly layer: Layer.Layer<PendingOrdersChannel, never, Session.Session> = ChannelService.layer(
    PendingOrdersChannel,
    channel,
    ({ queries, streaming }) => ({
      ...queries,
      stream: streaming(({ market }) =>
        Continuity.stateful({ read: readAll(market), of: (event) => [event], contains })
      )
    })
  )
}
