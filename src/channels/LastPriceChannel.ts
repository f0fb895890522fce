/**
 * A market's last price, whenever it changes. Public.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { Identifiers, LastPriceChannel } from "effect-txc"
 *
 * const price = Effect.gen(function*() {
 *   const { get, stream } = yield* LastPriceChannel.LastPriceChannel
 *   const market = Identifiers.marketName("BTC_USDT")
 *   return { now: yield* get({ market }), later: Stream.filter(stream({ market }), (item) => item._tag === "Event") }
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
import * as topics from "./topics.ts"

export type { Market as Topic } from "./topics.ts"

/**
 * A market's last price.
 *
 * @category models
 */
export interface LastPrice {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
  /** The price of the market's last trade, in the quote currency. */
  readonly price: Decimal
}

const update = positional<LastPrice>({ market: MarketName, price: Decimal })

/**
 * The channel that `lastprice_subscribe` subscribes to. Source: the live exchange's documentation, WebSocket, "Last
 * price".
 *
 * @category channels
 */
export const channel = Channel.make({
  name: "LastPriceChannel",
  wire: "lastprice",
  access: "public",
  sharing: "set",
  topic: topics.market,
  topics: topics.markets,
  keyOf: ({ market }) => market,
  update,
  about: ({ market }, message) => message.market === market ? message : undefined,
  first: "nothing",
  continuity: "value",
  pushes: { when: "changed", everyMillis: 1000 },
  queries: {
    /** Reads the last price. */
    get: Channel.query({
      method: "lastprice_request",
      params: positional<topics.Market>({ market: MarketName }),
      result: Decimal,
      example: { market: marketName("BTC_USDT") }
    })
  },
  source: "WebSocket, \"Last price\"",
  example: { market: marketName("BTC_USDT") }
})

/**
 * A market's last price, as a stream or from a query.
 *
 * @category services
 */
export class LastPriceChannel extends Context.Service<LastPriceChannel, {
  /**
   * Emits the current last price, and then each change, at most one per second. If you do not read a price in time, the
   * next price replaces it.
   */
  readonly stream: (
    topic: topics.Market
  ) => Stream.Stream<Item.Item<LastPrice, LastPrice>, StreamErrors.PublicFailure>
  /** Reads a market's last price, in the quote currency. */
  readonly get: (request: topics.Market) => Effect.Effect<Decimal, StreamErrors.QueryFailure<"public">>
}>()("effect-txc/channels/LastPriceChannel") {
  /** Provides this service. Requires a `PublicSession`. */
  static readonly layer: Layer.Layer<LastPriceChannel, never, Session.PublicSession> = ChannelService.layerPublic(
    LastPriceChannel,
    channel,
    ({ queries, streaming }) => ({
      ...queries,
      stream: streaming(({ market }) =>
        Continuity.latest({
          of: (price) => [price],
          read: (ask) => Effect.map(ask(channel.queries.get, { market }), (price) => ({ market, price }))
        })
      )
    })
  )
}
