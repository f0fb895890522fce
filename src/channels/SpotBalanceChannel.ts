/**
 * Changes to the trade account's balances, which back spot orders.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { Identifiers, SpotBalanceChannel } from "effect-txc"
 *
 * const balances = Effect.gen(function*() {
 *   const { stream } = yield* SpotBalanceChannel.SpotBalanceChannel
 *   yield* Stream.runForEach(stream({ ticker: Identifiers.ticker("USDT") }), (item) =>
 *     item._tag === "Interrupted" ? Effect.void : Effect.log(item))
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import type * as Stream from "effect/Stream"
import * as ChannelService from "../client/make/ChannelService.ts"
import * as Continuity from "../client/session/Continuity.ts"
import type * as Item from "../client/session/Item.ts"
import type * as Session from "../client/session/Session.ts"
import type * as StreamErrors from "../client/session/StreamErrors.ts"
import { Ticker, ticker } from "../domain/Identifiers.ts"
import { Balance, type Balances } from "../endpoints/TradeBalance.ts"
import * as Channel from "../protocol/Channel.ts"
import * as Wire from "../protocol/Wire.ts"
import * as forms from "./forms.ts"
import * as topics from "./topics.ts"

export type { AnyAsset as Topic } from "./topics.ts"

const balances: Schema.Codec<Balances, unknown> = Wire.keyed(Ticker, Balance)

/** The parameters `[{ "BTC": …, "USDT": … }]`: one or more objects of changed balances, keyed by asset. */
const update: Schema.Codec<Balances, unknown> = Schema.Array(balances).pipe(
  Schema.decodeTo(Schema.toType(balances), {
    decode: SchemaGetter.transform((parts): Balances => new Map(parts.flatMap((part) => [...part]))),
    encode: SchemaGetter.transform((changed: Balances) => [changed])
  })
)

/**
 * The channel that `balanceSpot_subscribe` subscribes to. Source: the live exchange's documentation, WebSocket,
 * "Balance spot".
 *
 * @category channels
 */
export const channel = Channel.make({
  name: "SpotBalanceChannel",
  wire: "balanceSpot",
  access: "private",
  sharing: "set",
  topic: topics.anyAsset,
  topics: topics.anyAssets,
  keyOf: ({ ticker = "" }) => ticker,
  update,
  about: ({ ticker }, changed) => forms.entry(ticker, changed),
  first: "nothing",
  continuity: "changed",
  pushes: { when: "changed", everyMillis: 1000 },
  queries: {
    /** Reads the balances of the given assets, or of all assets if none are given. */
    all: Channel.query({
      method: "balanceSpot_request",
      params: topics.assetsAsked,
      result: balances,
      example: [ticker("USDT")]
    })
  },
  source: "WebSocket, \"Balance spot\"",
  example: { ticker: ticker("USDT") }
})

/**
 * The trade account's balances, as a stream or from a query.
 *
 * @category services
 */
export class SpotBalanceChannel extends Context.Service<SpotBalanceChannel, {
  /**
   * Emits the balances of the topic's assets as a `Snapshot`, and then the changed balances, at most once per second.
   * An event contains the complete balance of each asset that has changed.
   */
  readonly stream: (
    topic?: topics.AnyAsset
  ) => Stream.Stream<Item.Item<Balances, Balances>, StreamErrors.PrivateFailure>
  /** Reads the balances of the given assets, or of all assets if none are given. */
  readonly all: (request: ReadonlyArray<Ticker>) => Effect.Effect<Balances, StreamErrors.QueryFailure<"private">>
}>()("effect-txc/channels/SpotBalanceChannel") {
  /** Provides this service. Requires a `Session`. */
  static readonly layer: Layer.Layer<SpotBalanceChannel, never, Session.Session> = ChannelService.layer(
    SpotBalanceChannel,
    channel,
    ({ queries, streaming }) => {
      const stream = streaming(({ ticker }) =>
        Continuity.stateful({
          read: (ask) => ask(channel.queries.all, ticker === undefined ? [] : [ticker]),
          of: (changed) => [changed]
        })
      )
      return { ...queries, stream: (topic = {}) => stream(topic) }
    }
  )
}
