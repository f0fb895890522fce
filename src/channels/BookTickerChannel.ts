/**
 * The best bid and best ask of a market, or of all markets, whenever they change. Public.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { BookTickerChannel } from "effect-txc"
 *
 * // The best prices of all markets.
 * const spreads = Effect.gen(function*() {
 *   const { stream } = yield* BookTickerChannel.BookTickerChannel
 *   yield* Stream.runForEach(stream(), (item) =>
 *     item._tag === "Event" ? Effect.log(item.event.market, item.event.bid, item.event.ask) : Effect.void)
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import * as ChannelService from "../client/make/ChannelService.ts"
import * as Continuity from "../client/session/Continuity.ts"
import type * as Item from "../client/session/Item.ts"
import type * as Session from "../client/session/Session.ts"
import type * as StreamErrors from "../client/session/StreamErrors.ts"
import { Decimal } from "../domain/Decimal.ts"
import { MarketName, marketName } from "../domain/Identifiers.ts"
import { UnixTime } from "../domain/Time.ts"
import * as Channel from "../protocol/Channel.ts"
import { positional } from "../protocol/Positional.ts"
import * as forms from "./forms.ts"
import * as topics from "./topics.ts"

export type { AnyMarket as Topic } from "./topics.ts"

/**
 * A market's best bid and best ask. Prices are in the quote currency, and amounts are in the base currency.
 *
 * @category models
 */
export interface BookTicker {
  /** The time of the change, in Unix seconds with a fraction. */
  readonly timestamp: UnixTime
  /** The time when the exchange sent the message, in Unix seconds with a fraction. */
  readonly eventTime: UnixTime
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
  /** The sequence number of this state of the book. It never decreases. */
  readonly updateId: number
  /** The best bid's price. */
  readonly bid: Decimal
  /** The amount at the best bid. */
  readonly bidAmount: Decimal
  /** The best ask's price. */
  readonly ask: Decimal
  /** The amount at the best ask. */
  readonly askAmount: Decimal
}

const bookTicker = positional<BookTicker>({
  timestamp: UnixTime,
  eventTime: UnixTime,
  market: MarketName,
  updateId: Schema.Int,
  bid: Decimal,
  bidAmount: Decimal,
  ask: Decimal,
  askAmount: Decimal
})

/**
 * The channel that `bookTicker_subscribe` subscribes to. Source: the live exchange's documentation, WebSocket, "Book
 * ticker".
 *
 * @category channels
 */
export const channel = Channel.make({
  name: "BookTickerChannel",
  wire: "bookTicker",
  access: "public",
  sharing: "set",
  topic: topics.anyMarket,
  topics: topics.oneOrAllMarkets,
  keyOf: ({ market = "" }) => market,
  update: forms.single(bookTicker),
  about: ({ market }, message) => market === undefined || message.market === market ? message : undefined,
  first: "value",
  continuity: "value",
  pushes: { when: "changed", everyMillis: 0 },
  queries: {},
  source: "WebSocket, \"Book ticker\"",
  example: { market: marketName("BTC_USDT") }
})

/**
 * The best bid and best ask of a market, or of all markets, as a stream.
 *
 * @category services
 */
export class BookTickerChannel extends Context.Service<BookTickerChannel, {
  /**
   * Emits each market's current best bid and ask as a `Snapshot`, and then each change. If you do not read a change in
   * time, the market's next change replaces it.
   */
  readonly stream: (
    topic?: topics.AnyMarket
  ) => Stream.Stream<Item.Item<BookTicker, BookTicker>, StreamErrors.PublicFailure>
}>()("effect-txc/channels/BookTickerChannel") {
  /** Provides this service. Requires a `PublicSession`. */
  static readonly layer: Layer.Layer<BookTickerChannel, never, Session.PublicSession> = ChannelService.layerPublic(
    BookTickerChannel,
    channel,
    ({ streaming }) => {
      const stream = streaming(() => Continuity.latest({ of: (ticker) => [ticker], keyOf: ({ market }) => market }))
      return { stream: (topic = {}) => stream(topic) }
    }
  )
}
