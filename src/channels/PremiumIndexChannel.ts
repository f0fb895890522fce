/**
 * The mark price, the index price and the funding rate of a futures market, or of all futures markets, twice a second.
 * Public.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { Identifiers, PremiumIndexChannel } from "effect-txc"
 *
 * const rates = Effect.gen(function*() {
 *   const { stream } = yield* PremiumIndexChannel.PremiumIndexChannel
 *   yield* Stream.runForEach(stream({ market: Identifiers.marketName("BTC_PERP") }), (item) =>
 *     item._tag === "Event" ? Effect.log(item.event.fundingRate) : Effect.void)
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
import type { UnixTime } from "../domain/Time.ts"
import * as Channel from "../protocol/Channel.ts"
import { positional } from "../protocol/Positional.ts"
import * as forms from "./forms.ts"
import * as topics from "./topics.ts"

export type { AnyMarket as Topic } from "./topics.ts"

/**
 * A futures market's prices and funding rate.
 *
 * @category models
 */
export interface PremiumIndex {
  /** The market, such as `BTC_PERP`. */
  readonly market: MarketName
  /** The mark price, in the quote currency. Liquidations and unrealized profits depend on this price. */
  readonly markPrice: Decimal
  /** The index price, which is the price on spot markets, in the quote currency. */
  readonly indexPrice: Decimal
  /** The predicted next funding rate, as a ratio. */
  readonly fundingRate: Decimal
  /** The time of the next funding settlement, in Unix seconds. */
  readonly nextFundingTime: UnixTime
  /** The time when the exchange sent the message, in Unix seconds with millisecond precision. */
  readonly eventTime?: UnixTime
}

const index = positional<PremiumIndex>({
  market: MarketName,
  markPrice: Decimal,
  indexPrice: Decimal,
  fundingRate: Decimal,
  nextFundingTime: forms.Millis,
  eventTime: Schema.optionalKey(forms.Millis)
})

const indexes = Schema.Array(index)

/**
 * A message: all markets, for a subscription to all markets, or one market. Even a list of one market stays a list, so
 * the two kinds are different types.
 */
type Message = PremiumIndex | ReadonlyArray<PremiumIndex>

const listOf = (message: Message): ReadonlyArray<PremiumIndex> => "market" in message ? [message] : message

const update: Schema.Codec<Message, unknown> = Schema.Union([index, indexes])

/**
 * The channel that `premiumIndex_subscribe` subscribes to. Source: the live exchange's documentation, WebSocket,
 * "Premium index", September 2026. The exchange sends times in milliseconds, although the documentation shows seconds.
 *
 * @category channels
 */
export const channel = Channel.make({
  name: "PremiumIndexChannel",
  wire: "premiumIndex",
  access: "public",
  sharing: "set",
  topic: topics.anyMarket,
  topics: topics.anyMarkets,
  keyOf: ({ market = "" }) => market,
  update,
  about: ({ market }, message) =>
    market === undefined ? message : forms.some(listOf(message), (index) => index.market === market),
  first: "nothing",
  continuity: "value",
  pushes: { when: "always", everyMillis: 500 },
  queries: {},
  source: "WebSocket, \"Premium index\"",
  example: { market: marketName("BTC_PERP") }
})

/**
 * The prices and the funding rate of a futures market, or of all futures markets, as a stream.
 *
 * @category services
 */
export class PremiumIndexChannel extends Context.Service<PremiumIndexChannel, {
  /**
   * Emits the prices and the funding rate twice a second. If you do not read a value in time, the market's next value
   * replaces it. The first item for each market is a `Snapshot`.
   */
  readonly stream: (
    topic?: topics.AnyMarket
  ) => Stream.Stream<Item.Item<PremiumIndex, PremiumIndex>, StreamErrors.PublicFailure>
}>()("effect-txc/channels/PremiumIndexChannel") {
  /** Provides this service. Requires a `PublicSession`. */
  static readonly layer: Layer.Layer<PremiumIndexChannel, never, Session.PublicSession> = ChannelService.layerPublic(
    PremiumIndexChannel,
    channel,
    ({ streaming }) => {
      const stream = streaming(() => Continuity.latest({ of: listOf, keyOf: ({ market }) => market }))
      return { stream: (topic = {}) => stream(topic) }
    }
  )
}
