/**
 * A market's statistics over the last 24 hours, every second. Public.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Identifiers, MarketStatisticsChannel } from "effect-txc"
 *
 * const lastHour = Effect.gen(function*() {
 *   const { get } = yield* MarketStatisticsChannel.MarketStatisticsChannel
 *   return yield* get({ market: Identifiers.marketName("BTC_USDT"), period: 3600 })
 * })
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import * as ChannelService from "../client/make/ChannelService.ts"
import * as Continuity from "../client/session/Continuity.ts"
import type * as Item from "../client/session/Item.ts"
import type * as Session from "../client/session/Session.ts"
import type * as StreamErrors from "../client/session/StreamErrors.ts"
import * as Constraint from "../domain/Constraint.ts"
import { Decimal } from "../domain/Decimal.ts"
import { MarketName, marketName } from "../domain/Identifiers.ts"
import * as Channel from "../protocol/Channel.ts"
import { positional } from "../protocol/Positional.ts"
import * as Wire from "../protocol/Wire.ts"
import * as forms from "./forms.ts"
import * as topics from "./topics.ts"

export type { Market as Topic } from "./topics.ts"

/**
 * The period of the statistics that the exchange pushes, in seconds: 24 hours.
 *
 * @category constants
 */
export const pushedPeriod = 86_400

/**
 * A market's statistics over a period that ends now. Prices are in the quote currency.
 *
 * @category models
 */
export interface Statistics {
  /** The period's length, in seconds. */
  readonly period: number
  /** The price of the last trade. */
  readonly last: Decimal
  /** The price at the period's start. */
  readonly open: Decimal
  /** The price at the period's end. */
  readonly close: Decimal
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
 * A market's statistics over the last 24 hours.
 *
 * @category models
 */
export interface MarketStatistics extends Statistics {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
}

/**
 * Selects the statistics that a query reads.
 *
 * @category models
 */
export interface Request {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
  /** The period's length, in seconds. */
  readonly period: number
}

const statistics = Wire.answer<Statistics>({
  open: Decimal,
  close: Decimal,
  high: Decimal,
  low: Decimal,
  volume: Decimal,
  total: Decimal,
  last: Decimal,
  period: Schema.Int
}, { keys: { total: "deal" } })

const Period = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1, Constraint.annotation({ kind: "min", min: 1 })))

/**
 * The channel that `market_subscribe` subscribes to. Source: the live exchange's documentation, WebSocket, "Market".
 *
 * @category channels
 */
export const channel = Channel.make({
  name: "MarketStatisticsChannel",
  wire: "market",
  access: "public",
  sharing: "set",
  topic: topics.market,
  topics: topics.markets,
  keyOf: ({ market }) => market,
  update: forms.ofMarket<MarketStatistics>(statistics),
  about: ({ market }, message) => message.market === market ? message : undefined,
  first: "nothing",
  continuity: "value",
  pushes: { when: "always", everyMillis: 1000 },
  queries: {
    /** Reads the statistics over a period. */
    get: Channel.query({
      method: "market_request",
      params: positional<Request>({ market: MarketName, period: Period }),
      result: statistics.schema,
      example: { market: marketName("BTC_USDT"), period: pushedPeriod }
    })
  },
  source: "WebSocket, \"Market\"",
  example: { market: marketName("BTC_USDT") }
})

/**
 * A market's statistics: over the last 24 hours as a stream, or over any period from a query.
 *
 * @category services
 */
export class MarketStatisticsChannel extends Context.Service<MarketStatisticsChannel, {
  /**
   * Emits the statistics over the last 24 hours every second. If you do not read statistics in time, the next
   * statistics replace them.
   */
  readonly stream: (
    topic: topics.Market
  ) => Stream.Stream<Item.Item<MarketStatistics, MarketStatistics>, StreamErrors.PublicFailure>
  /** Reads the statistics over a period of any length. */
  readonly get: (request: Request) => Effect.Effect<Statistics, StreamErrors.QueryFailure<"public">>
}>()("effect-txc/channels/MarketStatisticsChannel") {
  /** Provides this service. Requires a `PublicSession`. */
  static readonly layer: Layer.Layer<MarketStatisticsChannel, never, Session.PublicSession> = ChannelService
    .layerPublic(
      MarketStatisticsChannel,
      channel,
      ({ queries, streaming }) => ({
        ...queries,
        stream: streaming(({ market }) =>
          Continuity.latest({
            of: (statistics) => [statistics],
            read: (ask) =>
              Effect.map(
                ask(channel.queries.get, { market, period: pushedPeriod }),
                (statistics) => ({ ...statistics, market })
              )
          })
        )
      })
    )
}
