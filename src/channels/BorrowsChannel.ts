/**
 * The complete list of the account's borrowed assets, every 1.5 seconds.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { BorrowsChannel } from "effect-txc"
 *
 * const debts = Effect.gen(function*() {
 *   const { stream } = yield* BorrowsChannel.BorrowsChannel
 *   yield* Stream.runForEach(stream, (item) =>
 *     item._tag === "Event" ? Effect.log(item.event.map(({ amount, ticker }) => [ticker, amount])) : Effect.void)
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
import { Ticker } from "../domain/Identifiers.ts"
import { UnixTime } from "../domain/Time.ts"
import * as Channel from "../protocol/Channel.ts"
import * as Wire from "../protocol/Wire.ts"
import * as forms from "./forms.ts"
import * as topics from "./topics.ts"

export type { Everything as Topic } from "./topics.ts"

/**
 * A borrowed asset.
 *
 * @category models
 */
export interface Borrow {
  /** The asset, such as `USDT`. */
  readonly ticker: Ticker
  /** The time when the asset was borrowed, in Unix seconds with a fraction. */
  readonly openDate: UnixTime
  /** The time of the borrow's last change, in Unix seconds with a fraction. */
  readonly modifyDate: UnixTime
  /** The borrowed amount, as a negative number, in units of the asset. */
  readonly amount: Decimal
  /** The funding accrued but not yet settled, in units of the asset. */
  readonly unrealizedFunding?: Decimal
  /** The price at which the exchange liquidates the borrow. Absent when there is no such price. */
  readonly liquidationPrice?: Decimal
}

const absent = (value: string) => ({ value, when: () => true, demanded: false, written: false })

/**
 * The schema of a {@link Borrow}.
 *
 * @category schemas
 */
export const Borrow: Schema.Codec<Borrow, unknown> = Wire.answer<Borrow>({
  ticker: Ticker,
  openDate: UnixTime,
  modifyDate: UnixTime,
  amount: Decimal,
  unrealizedFunding: Schema.optionalKey(Decimal),
  liquidationPrice: Schema.optionalKey(Decimal)
}, {
  keys: {
    ticker: "asset",
    openDate: "ctime",
    modifyDate: "mtime",
    unrealizedFunding: "unrealized_funding",
    liquidationPrice: "liq_price"
  },
  // The documentation's own example shows `NaN` for a borrow without a liquidation price.
  absent: { unrealizedFunding: absent(""), liquidationPrice: { ...absent("NaN"), written: true } }
}).schema

/**
 * The channel that `borrowsMargin_subscribe` subscribes to. Source: the live exchange's documentation, WebSocket,
 * "Borrows".
 *
 * @category channels
 */
export const channel = Channel.make({
  name: "BorrowsChannel",
  wire: "borrowsMargin",
  access: "private",
  sharing: "set",
  topic: topics.everything,
  topics: topics.all,
  keyOf: () => "",
  update: forms.whole(Borrow),
  about: (_, borrows) => borrows,
  first: "nothing",
  continuity: "whole",
  pushes: { when: "always", everyMillis: 1500 },
  queries: {},
  source: "WebSocket, \"Borrows\"",
  example: {}
})

/**
 * The assets that the account has borrowed, as a stream.
 *
 * @category services
 */
export class BorrowsChannel extends Context.Service<BorrowsChannel, {
  /** Emits all borrowed assets every 1.5 seconds. If you do not read a list in time, the next list replaces it. */
  readonly stream: Stream.Stream<
    Item.Item<ReadonlyArray<Borrow>, ReadonlyArray<Borrow>>,
    StreamErrors.PrivateFailure
  >
}>()("effect-txc/channels/BorrowsChannel") {
  /** Provides this service. Requires a `Session`. */
  static readonly layer: Layer.Layer<BorrowsChannel, never, Session.Session> = ChannelService.layer(
    BorrowsChannel,
    channel,
    ({ streaming }) => ({ stream: streaming(() => Continuity.latest({ of: (all) => [all] }))({}) })
  )
}
