/**
 * A market's candles (prices and volume per interval), updated as they change. Public.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { CandlesChannel, Identifiers } from "effect-txc"
 *
 * const closes = Effect.gen(function*() {
 *   const { stream } = yield* CandlesChannel.CandlesChannel
 *   yield* Stream.runForEach(stream({ market: Identifiers.marketName("BTC_USDT"), interval: "1m" }), (item) =>
 *     item._tag === "Event" ? Effect.log(item.event.close) : Effect.void)
 * })
 * ```
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import type * as Stream from "effect/Stream"
import * as ChannelService from "../client/make/ChannelService.ts"
import * as Continuity from "../client/session/Continuity.ts"
import type * as Item from "../client/session/Item.ts"
import type * as Session from "../client/session/Session.ts"
import type * as StreamErrors from "../client/session/StreamErrors.ts"
import * as Constraint from "../domain/Constraint.ts"
import { Decimal, Order } from "../domain/Decimal.ts"
import { MarketName, marketName } from "../domain/Identifiers.ts"
import { oneOf } from "../domain/Text.ts"
import { UnixSeconds } from "../domain/Time.ts"
import type * as Candles from "../endpoints/Candles.ts"
import * as Channel from "../protocol/Channel.ts"
import { positional } from "../protocol/Positional.ts"
import * as Wire from "../protocol/Wire.ts"
import * as forms from "./forms.ts"

const units = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, M: 2_592_000 } as const

/**
 * The interval lengths: seconds (`s`), minutes (`m`), hours (`h`), days (`d`), weeks (`w`), months of 30 days (`M`).
 * The list contains every whole number of seconds that divides a minute, of minutes that divides an hour, and of hours
 * that divides a day. It also contains two days, and the other lengths in `Candles.intervals`.
 *
 * @category constants
 */
export const intervals = [
  "1s",
  "2s",
  "3s",
  "4s",
  "5s",
  "6s",
  "10s",
  "12s",
  "15s",
  "20s",
  "30s",
  "1m",
  "2m",
  "3m",
  "4m",
  "5m",
  "6m",
  "10m",
  "12m",
  "15m",
  "20m",
  "30m",
  "1h",
  "2h",
  "3h",
  "4h",
  "6h",
  "8h",
  "12h",
  "1d",
  "2d",
  "3d",
  "1w",
  "1M"
] as const

/**
 * An interval length: one of {@link intervals}.
 *
 * @category models
 */
export type Interval = (typeof intervals)[number]

/**
 * Returns an interval's length, in seconds.
 *
 * @category conversions
 */
export const secondsOf = (interval: Interval): number =>
  Number.parseInt(interval, 10) * units[interval.slice(-1) as keyof typeof units]

const intervalOf = new Map<number, Interval>(intervals.map((interval) => [secondsOf(interval), interval]))

const seconds = [...intervalOf.keys()]

/** The schema of an interval length, which is a number of seconds on the wire. */
const Interval = Schema.Literals(seconds).annotate(Constraint.annotation({ kind: "oneOf", values: seconds })).pipe(
  Schema.decodeTo(oneOf(intervals), {
    // The casts are safe, because intervals and lengths correspond one to one.
    decode: SchemaGetter.transform((length) => intervalOf.get(length) as Interval),
    encode: SchemaGetter.transform(secondsOf)
  })
)

/**
 * The candles to subscribe to.
 *
 * @category models
 */
export interface Topic {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
  /** The length of a candle's interval: one of {@link intervals}. */
  readonly interval: Interval
}

/**
 * Selects the candles that a query reads.
 *
 * @category models
 */
export interface Request {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
  /** Only candles that start at or after this time, in Unix seconds. */
  readonly start: UnixSeconds
  /** Only candles that start at or before this time, in Unix seconds. */
  readonly end: UnixSeconds
  /** The length of a candle's interval: one of {@link intervals}. */
  readonly interval: Interval
}

/**
 * An interval's prices, in the quote currency, and its volume so far. A pushed message describes the current interval.
 * The last message for an interval contains the interval's final values.
 *
 * @category models
 */
export interface Candle extends Candles.Candle {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
}

const topic = Wire.struct<Topic>({ market: MarketName, interval: Interval })

const parameters = positional<Topic>(topic.fields as Wire.Fields<Topic>)

const topics: Schema.Codec<ReadonlyArray<Topic>, ReadonlyArray<unknown>> = parameters.pipe(
  Schema.decodeTo(Schema.Tuple([Schema.toType(topic.schema)]), {
    decode: SchemaGetter.transform((topic) => [topic] as const),
    encode: SchemaGetter.transform(([topic]) => topic)
  })
)

/** The schema of a candle. On the wire, a candle does not contain its interval. */
const candle = positional<Candle>({
  time: UnixSeconds,
  open: Decimal,
  close: Decimal,
  high: Decimal,
  low: Decimal,
  volume: Decimal,
  total: Decimal,
  market: MarketName
})

const example: Topic = { market: marketName("BTC_USDT"), interval: "1m" }

/**
 * The channel that `candles_subscribe` subscribes to. Source: the live exchange's documentation, WebSocket, "Kline".
 *
 * @category channels
 */
export const channel = Channel.make({
  name: "CandlesChannel",
  wire: "candles",
  access: "public",
  sharing: "single",
  topic: topic.schema,
  topics,
  keyOf: ({ interval, market }) => `${market} ${interval}`,
  update: Schema.Array(candle),
  about: ({ market }, candles) => forms.some(candles, (candle) => candle.market === market),
  first: "nothing",
  continuity: "changed",
  pushes: { when: "changed", everyMillis: 500 },
  queries: {
    /** Reads the candles in a time range. */
    list: Channel.query({
      method: "candles_request",
      params: positional<Request>({ market: MarketName, start: UnixSeconds, end: UnixSeconds, interval: Interval }),
      result: Schema.Array(candle),
      example: { ...example, start: UnixSeconds.make(1_700_000_000), end: UnixSeconds.make(1_700_003_600) }
    })
  },
  source: "WebSocket, \"Kline\"",
  example
})

/** The maximum number of candles in a stream's first item. */
const latest = 100

const readLatest = ({ interval, market }: Topic): Continuity.Read<ReadonlyArray<Candle>> => (ask) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const end = Math.floor(now / 1000)
    const seconds = secondsOf(interval)
    // The range includes both ends, so it starts at the first of the `latest` candles.
    const start = Math.max(0, end - end % seconds - (latest - 1) * seconds)
    return ask(channel.queries.list, { market, interval, start: UnixSeconds.make(start), end: UnixSeconds.make(end) })
  })

/** A candle's volume never decreases, so the version of a candle with the higher volume is newer. */
const contains = (candles: ReadonlyArray<Candle>, { time, volume }: Candle): boolean =>
  candles.some((known) => known.time === time && Order(known.volume, volume) >= 0)

/**
 * A market's candles, as a stream or from a query.
 *
 * @category services
 */
export class CandlesChannel extends Context.Service<CandlesChannel, {
  /**
   * Emits up to 100 of the latest candles, oldest first, as a `Snapshot`. Then emits each change to a candle, at most
   * two per second. The last change to a candle contains its final values.
   *
   * Each combination of market and interval needs its own connection.
   */
  readonly stream: (
    topic: Topic
  ) => Stream.Stream<Item.Item<Candle, ReadonlyArray<Candle>>, StreamErrors.PublicFailure>
  /** Reads the candles in a time range, oldest first. */
  readonly list: (request: Request) => Effect.Effect<ReadonlyArray<Candle>, StreamErrors.QueryFailure<"public">>
}>()("effect-txc/channels/CandlesChannel") {
  /** Provides this service. Requires a `PublicSession`. */
  static readonly layer: Layer.Layer<CandlesChannel, never, Session.PublicSession> = ChannelService.layerPublic(
    CandlesChannel,
    channel,
    ({ queries, streaming }) => ({
      ...queries,
      stream: streaming((topic) => Continuity.stateful({ read: readLatest(topic), of: (candles) => candles, contains }))
    })
  )
}
