/**
 * A market's statistics since midnight UTC, every second. Public.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { Identifiers, MarketTodayChannel } from "effect-txc"
 *
 * const today = Effect.gen(function*() {
 *   const { stream } = yield* MarketTodayChannel.MarketTodayChannel
 *   yield* Stream.runForEach(stream({ market: Identifiers.marketName("BTC_USDT") }), (item) =>
 *     item._tag === "Interrupted" ? Effect.logWarning(item.reason) : Effect.log(item))
 * })
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import * as ChannelService from "../client/make/ChannelService.ts"
import * as Continuity from "../client/session/Continuity.ts"
import type * as Item from "../client/session/Item.ts"
import type * as Session from "../client/session/Session.ts"
import type * as StreamErrors from "../client/session/StreamErrors.ts"
import { Decimal } from "../domain/Decimal.ts"
import { MarketName, marketName } from "../domain/Identifiers.ts"
import * as Channel from "../protocol/Channel.ts"
import { positional } from "../protocol/Positional.ts"
import * as Wire from "../protocol/Wire.ts"
import * as forms from "./forms.ts"
import * as topics from "./topics.ts"

export type { Market as Topic } from "./topics.ts"

/**
 * A market's statistics since midnight UTC. Prices are in the quote currency.
 *
 * @category models
 */
export interface Statistics {
  /** The price of the last trade. */
  readonly last: Decimal
  /** The price at midnight UTC. */
  readonly open: Decimal
  /** The highest price. */
  readonly high: Decimal
  /** The lowest price. */
  readonly low: Decimal
  /** The traded volume, in the base currency. */
  readonly volume: Decimal
  /** The traded volume, in the quote currency. */
  readonly total: Decimal
}

/**
 * A market's statistics since midnight UTC.
 *
 * @category models
 */
export interface MarketToday extends Statistics {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
}

const statistics = Wire.answer<Statistics>({
  open: Decimal,
  last: Decimal,
  high: Decimal,
  low: Decimal,
  volume: Decimal,
  total: Decimal
}, { keys: { total: "deal" } })

/**
 * The channel that `marketToday_subscribe` subscribes to. Source: the live exchange's documentation, WebSocket, "Market
 * today".
 *
 * @category channels
 */
export const channel = Channel.make({
  name: "MarketTodayChannel",
  wire: "marketToday",
  access: "public",
  sharing: "set",
  topic: topics.market,
  topics: topics.markets,
  keyOf: ({ market }) => market,
  update: forms.ofMarket<MarketToday>(statistics),
  about: ({ market }, message) => message.market === market ? message : undefined,
  first: "nothing",
  continuity: "value",
  pushes: { when: "always", everyMillis: 1000 },
  queries: {
    /** Reads the statistics since midnight UTC. */
    get: Channel.query({
      // This is the only query whose method does not end with `_request`.
      method: "marketToday_query",
      params: positional<topics.Market>({ market: MarketName }),
      result: statistics.schema,
      example: { market: marketName("BTC_USDT") }
    })
  },
  source: "WebSocket, \"Market today\"",
  example: { market: marketName("BTC_USDT") }
})

/**
 * A market's statistics since midnight UTC, as a stream or from a query.
 *
 * @category services
 */
export class MarketTodayChannel extends Context.Service<MarketTodayChannel, {
  /**
   * Emits the statistics since midnight UTC every second. If you do not read statistics in time, the next statistics
   * replace them.
   */
  readonly stream: (
    topic: topics.Market
  ) => Stream.Stream<Item.Item<MarketToday, MarketToday>, StreamErrors.PublicFailure>
  /** Reads a market's statistics since midnight UTC. */
  readonly get: (request: topics.Market) => Effect.Effect<Statistics, StreamErrors.QueryFailure<"public">>
}>()("effect-txc/channels/MarketTodayChannel") {
  /** Provides this service. Requires a `PublicSession`. */
  static readonly layer: Layer.Layer<MarketTodayChannel, never, Session.PublicSession> = ChannelService.layerPublic(
    MarketTodayChannel,
    channel,
    ({ queries, streaming }) => ({
      ...queries,
      stream: streaming(({ market }) =>
        Continuity.latest({
          of: (statistics) => [statistics],
          read: (ask) => Effect.map(ask(channel.queries.get, { market }), (statistics) => ({ ...statistics, market }))
        })
      )
    })
  )
}
