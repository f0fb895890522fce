/**
 * The complete list of the account's open positions, every second.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { PositionsChannel } from "effect-txc"
 *
 * const profits = Effect.gen(function*() {
 *   const { stream } = yield* PositionsChannel.PositionsChannel
 *   yield* Stream.runForEach(stream, (item) =>
 *     item._tag === "Event" ? Effect.log(item.event.map(({ unrealizedPnl }) => unrealizedPnl)) : Effect.void)
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
import { MarketName } from "../domain/Identifiers.ts"
import { ReceivedPositionSide } from "../domain/Order.ts"
import { UnixTime } from "../domain/Time.ts"
import type * as OpenPositions from "../endpoints/OpenPositions.ts"
import * as Channel from "../protocol/Channel.ts"
import * as Wire from "../protocol/Wire.ts"
import * as forms from "./forms.ts"
import * as topics from "./topics.ts"

export type { Everything as Topic } from "./topics.ts"

/**
 * An open position. The exchange does not push `leverage`, `pnlPercent` or `tpsl`. Two names differ from the exchange's
 * messages: their `pnl` (the unrealized profit) is `unrealizedPnl` here, and their `realized_pnl` (the realized profit
 * minus the fees of all trades) is `pnl` here. (The `pnl` of `OpenPositions` is documented as zero until a part of the
 * position is closed.)
 *
 * @category models
 */
export interface Position extends OpenPositions.Position {
  /** The size, in the quote currency. */
  readonly total?: Decimal | null
}

const orNull = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const empty = { value: "", when: () => true, demanded: false, written: false }

/**
 * The schema of a {@link Position}.
 *
 * @category schemas
 */
export const Position: Schema.Codec<Position, unknown> = Wire.answer<Position>({
  positionId: Wire.PositionId,
  market: MarketName,
  openDate: UnixTime,
  modifyDate: UnixTime,
  amount: orNull(Decimal),
  total: orNull(Decimal),
  basePrice: orNull(Decimal),
  pnlPercent: Wire.none as never,
  unrealizedPnl: orNull(Decimal),
  leverage: Wire.none as never,
  tpsl: Wire.none as never,
  liquidationPrice: orNull(Decimal),
  liquidationState: orNull(Schema.String),
  unrealizedFunding: orNull(Decimal),
  funding: orNull(Decimal),
  margin: orNull(Decimal),
  freeMargin: orNull(Decimal),
  pnl: orNull(Decimal),
  positionSide: Schema.optionalKey(ReceivedPositionSide)
}, {
  keys: {
    positionId: "id",
    openDate: "ctime",
    modifyDate: "mtime",
    total: "amount_in_money",
    basePrice: "base_price",
    unrealizedPnl: "pnl",
    liquidationPrice: "liq_price",
    liquidationState: "liq_stage",
    unrealizedFunding: "unrealized_funding",
    freeMargin: "free_margin",
    pnl: "realized_pnl",
    positionSide: "position_side"
  },
  absent: {
    amount: empty,
    total: empty,
    basePrice: empty,
    unrealizedPnl: empty,
    liquidationPrice: empty,
    unrealizedFunding: empty,
    funding: empty,
    margin: empty,
    freeMargin: empty,
    pnl: empty
  }
}).schema

/**
 * The channel that `positionsMargin_subscribe` subscribes to. Source: the live exchange's documentation, WebSocket,
 * "Positions".
 *
 * @category channels
 */
export const channel = Channel.make({
  name: "PositionsChannel",
  wire: "positionsMargin",
  access: "private",
  sharing: "set",
  topic: topics.everything,
  topics: topics.all,
  keyOf: () => "",
  update: forms.whole(Position),
  about: (_, positions) => positions,
  first: "nothing",
  continuity: "whole",
  pushes: { when: "always", everyMillis: 1000 },
  queries: {},
  source: "WebSocket, \"Positions\"",
  example: {}
})

/**
 * The account's open positions, as a stream.
 *
 * @category services
 */
export class PositionsChannel extends Context.Service<PositionsChannel, {
  /** Emits all open positions every second. If you do not read a list in time, the next list replaces it. */
  readonly stream: Stream.Stream<
    Item.Item<ReadonlyArray<Position>, ReadonlyArray<Position>>,
    StreamErrors.PrivateFailure
  >
}>()("effect-txc/channels/PositionsChannel") {
  /** Provides this service. Requires a `Session`. */
  static readonly layer: Layer.Layer<PositionsChannel, never, Session.Session> = ChannelService.layer(
    PositionsChannel,
    channel,
    ({ streaming }) => ({ stream: streaming(() => Continuity.latest({ of: (all) => [all] }))({}) })
  )
}
