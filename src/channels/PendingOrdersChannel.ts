/**
 * The account's orders that can still trade, whenever one is created, changes or ends.
 *
 * The exchange may also push `otoOrdersPending_update` to a subscriber: one client of another project reads it, and no
 * documentation describes it. Such a message belongs to no channel, and is ignored.
 */
import { marketName } from "../domain/Identifiers.ts"
import { Limit, RecordOffset } from "../domain/Paging.ts"
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
 * What happened to an order:
 *
 * - `new`: it was created, or a stop order was activated. Activation keeps the order's id
 * - `updated`: it changed, for example because a part of it was filled
 * - `finished`: it was filled or canceled. An order that is filled at once has no other event
 *
 * The exchange modifies an order by finishing it and creating another with a new id.
 *
 * @category models
 */
export type Event = typeof Event.Type

/**
 * An event of an order.
 *
 * @category models
 */
export interface OrderEvent {
  /** What happened to the order. */
  readonly event: Event
  /** The order after the event. */
  readonly order: orders.PendingOrder
}

const event = forms.numbered(Event, [[1, "new"], [2, "updated"], [3, "finished"]])

const example = marketName("BTC_USDT")

/**
 * `ordersPending_subscribe`. Source: the live exchange's documentation, WebSocket, "Orders pending".
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
