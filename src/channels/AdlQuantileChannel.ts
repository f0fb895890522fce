/**
 * The places of the account's positions in the auto-deleveraging (ADL) queue, every 30 seconds. When the exchange can't
 * close a liquidated position by trading in the book, it reduces positions on the opposite side, starting at the front
 * of the queue.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { AdlQuantileChannel } from "effect-txc"
 *
 * const queue = Effect.gen(function*() {
 *   const { stream } = yield* AdlQuantileChannel.AdlQuantileChannel
 *   yield* Stream.runForEach(stream(), (item) =>
 *     item._tag === "Event" ? Effect.log(item.event) : Effect.void)
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
import { MarketName, marketName } from "../domain/Identifiers.ts"
import * as Channel from "../protocol/Channel.ts"
import { positional } from "../protocol/Positional.ts"
import * as topics from "./topics.ts"

export type { AnyMarket as Topic } from "./topics.ts"

/**
 * The account's long and short positions on one market, with their places in the auto-deleveraging queue.
 *
 * @category models
 */
export interface AdlQuantile {
  /** The market, such as `BTC_PERP`. */
  readonly market: MarketName
  /**
   * The long position's place in the queue: 4 is reduced first, 0 last. `null` if there is no long position.
   */
  readonly long: number | null
  /**
   * The short position's place in the queue: 4 is reduced first, 0 last. `null` if there is no short position.
   */
  readonly short: number | null
}

const quantile = positional<AdlQuantile>({
  market: MarketName,
  long: Schema.NullOr(Schema.Int),
  short: Schema.NullOr(Schema.Int)
})

/**
 * The channel that `ADLQuantile_subscribe` subscribes to. Source: the live exchange's documentation, WebSocket, "ADL
 * quantile", September 2026.
 *
 * @category channels
 */
export const channel = Channel.make({
  name: "AdlQuantileChannel",
  wire: "ADLQuantile",
  access: "private",
  sharing: "set",
  topic: topics.anyMarket,
  topics: topics.oneOrAllMarkets,
  keyOf: ({ market = "" }) => market,
  update: Schema.Array(quantile),
  // Markets without a position have no entry, so an empty list is a valid update.
  about: ({ market }, quantiles) =>
    market === undefined ? quantiles : quantiles.filter((quantile) => quantile.market === market),
  first: "value",
  continuity: "whole",
  pushes: { when: "always", everyMillis: 30_000 },
  queries: {},
  source: "WebSocket, \"ADL quantile\"",
  example: { market: marketName("BTC_PERP") }
})

/**
 * The places of the account's positions in the auto-deleveraging queue, as a stream.
 *
 * @category services
 */
export class AdlQuantileChannel extends Context.Service<AdlQuantileChannel, {
  /**
   * Emits the places of all positions, or of the positions on one market, every 30 seconds. If you do not read a list
   * in time, the next list replaces it.
   */
  readonly stream: (
    topic?: topics.AnyMarket
  ) => Stream.Stream<
    Item.Item<ReadonlyArray<AdlQuantile>, ReadonlyArray<AdlQuantile>>,
    StreamErrors.PrivateFailure
  >
}>()("effect-txc/channels/AdlQuantileChannel") {
  /** Provides this service. Requires a `Session`. */
  static readonly layer: Layer.Layer<AdlQuantileChannel, never, Session.Session> = ChannelService.layer(
    AdlQuantileChannel,
    channel,
    ({ streaming }) => {
      const stream = streaming(() => Continuity.latest({ of: (quantiles) => [quantiles] }))
      return { stream: (topic = {}) => stream(topic) }
    }
  )
}
