/**
 * Changes to the collateral account's balances, which back margin orders and positions.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Identifiers, MarginBalanceChannel } from "effect-txc"
 *
 * const borrowed = Effect.gen(function*() {
 *   const { all } = yield* MarginBalanceChannel.MarginBalanceChannel
 *   const usdt = Identifiers.ticker("USDT")
 *   return (yield* all([usdt])).get(usdt)?.borrow
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
import { Decimal } from "../domain/Decimal.ts"
import { Ticker, ticker } from "../domain/Identifiers.ts"
import * as Channel from "../protocol/Channel.ts"
import * as Wire from "../protocol/Wire.ts"
import * as forms from "./forms.ts"
import * as topics from "./topics.ts"

export type { AnyAsset as Topic } from "./topics.ts"

/**
 * An asset's collateral balance, in units of the asset.
 *
 * @category models
 */
export interface MarginBalance {
  /** The total balance. */
  readonly balance: Decimal
  /** The borrowed amount. */
  readonly borrow: Decimal
  /** The amount that can be transferred from the account without borrowing. */
  readonly availableWithoutBorrow: Decimal
  /** The amount that can be transferred from the account, including funds that can be borrowed for the transfer. */
  readonly availableWithBorrow: Decimal
}

/**
 * Collateral balances, keyed by asset.
 *
 * @category models
 */
export type MarginBalances = ReadonlyMap<Ticker, MarginBalance>

const balances: Schema.Codec<MarginBalances, unknown> = Wire.keyed(
  Ticker,
  Wire.answer<MarginBalance>({
    balance: Decimal,
    borrow: Decimal,
    availableWithoutBorrow: Decimal,
    availableWithBorrow: Decimal
  }, {
    keys: { availableWithoutBorrow: "available_without_borrow", availableWithBorrow: "available_with_borrow" }
  }).schema
)

interface PushedBalance extends MarginBalance {
  /** The asset, such as `USDT`. */
  readonly ticker: Ticker
}

/** On the wire, `B` is the balance and `b` is the borrowed amount. */
const pushed = Wire.answer<PushedBalance>({
  ticker: Ticker,
  balance: Decimal,
  borrow: Decimal,
  availableWithoutBorrow: Decimal,
  availableWithBorrow: Decimal
}, {
  keys: { ticker: "a", balance: "B", borrow: "b", availableWithoutBorrow: "av", availableWithBorrow: "ab" }
}).schema

const update: Schema.Codec<MarginBalances, unknown> = Schema.Array(pushed).pipe(
  Schema.decodeTo(Schema.toType(balances), {
    decode: SchemaGetter.transform((changed): MarginBalances =>
      new Map(changed.map(({ ticker, ...balance }) => [ticker, balance]))
    ),
    encode: SchemaGetter.transform((changed: MarginBalances) =>
      [...changed].map(([ticker, balance]) => ({ ticker, ...balance }))
    )
  })
)

/**
 * The channel that `balanceMargin_subscribe` subscribes to. Source: the live exchange's documentation, WebSocket,
 * "Balance margin".
 *
 * @category channels
 */
export const channel = Channel.make({
  name: "MarginBalanceChannel",
  wire: "balanceMargin",
  access: "private",
  sharing: "set",
  topic: topics.anyAsset,
  topics: topics.anyAssets,
  keyOf: ({ ticker = "" }) => ticker,
  update,
  about: ({ ticker }, changed) => forms.entry(ticker, changed),
  first: "nothing",
  continuity: "changed",
  pushes: { when: "changed", everyMillis: 1500 },
  queries: {
    /** Reads the balances of the given assets, or of all assets if none are given. */
    all: Channel.query({
      method: "balanceMargin_request",
      params: topics.assetsAsked,
      result: balances,
      example: [ticker("USDT")]
    })
  },
  source: "WebSocket, \"Balance margin\"",
  example: { ticker: ticker("USDT") }
})

/**
 * The collateral account's balances, as a stream or from a query.
 *
 * @category services
 */
export class MarginBalanceChannel extends Context.Service<MarginBalanceChannel, {
  /**
   * Emits the balances of the topic's assets as a `Snapshot`, and then the changed balances, at most once every 1.5
   * seconds. An event contains the complete balance of each asset that has changed.
   */
  readonly stream: (
    topic?: topics.AnyAsset
  ) => Stream.Stream<Item.Item<MarginBalances, MarginBalances>, StreamErrors.PrivateFailure>
  /** Reads the balances of the given assets, or of all assets if none are given. */
  readonly all: (
    request: ReadonlyArray<Ticker>
  ) => Effect.Effect<MarginBalances, StreamErrors.QueryFailure<"private">>
}>()("effect-txc/channels/MarginBalanceChannel") {
  /** Provides this service. Requires a `Session`. */
  static readonly layer: Layer.Layer<MarginBalanceChannel, never, Session.Session> = ChannelService.layer(
    MarginBalanceChannel,
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
