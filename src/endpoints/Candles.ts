/**
 * A market's candles: prices and volume per interval. Public.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Candles, Identifiers } from "effect-txc"
 *
 * const closes = Effect.gen(function*() {
 *   const candles = yield* Candles.Candles
 *   const lastDay = yield* candles.list(Identifiers.marketName("BTC_USDT"), { interval: "1h", limit: 24 })
 *   return lastDay.map(({ close }) => close)
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import * as Constraint from "../domain/Constraint.ts"
import { Decimal } from "../domain/Decimal.ts"
import { MarketName, marketName } from "../domain/Identifiers.ts"
import { UnixSeconds } from "../domain/Time.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Period from "../protocol/Period.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * The maximum number of candles in a response, which is also the default.
 *
 * @category constants
 */
export const maxCandles = 1440

/**
 * The interval lengths: seconds (`s`), minutes (`m`), hours (`h`), days (`d`), weeks (`w`), months (`M`).
 *
 * @category constants
 */
export const intervals = [
  "1s",
  "10s",
  "30s",
  "1m",
  "3m",
  "5m",
  "15m",
  "30m",
  "1h",
  "2h",
  "4h",
  "6h",
  "8h",
  "12h",
  "1d",
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

const Interval = Schema.Literals(intervals).annotate(Constraint.annotation({ kind: "oneOf", values: intervals }))

const isInteger = Constraint.annotation({ kind: "type", type: "integer" })

// oxlint-disable-next-line effecttsgo/schema-number -- isInt rejects NaN and infinity too, and names the constraint.
const Count = Schema.Number.annotate(isInteger).check(
  Schema.isInt(isInteger).abort(),
  Schema.isGreaterThanOrEqualTo(1, Constraint.annotation({ kind: "min", min: 1 })),
  Schema.isLessThanOrEqualTo(maxCandles, Constraint.annotation({ kind: "max", max: maxCandles }))
)

const Moment = UnixSeconds.check(Schema.isGreaterThanOrEqualTo(0, Constraint.annotation({ kind: "min", min: 0 })))

/**
 * The candles to read.
 *
 * @category models
 */
export interface Options {
  /** The length of a candle's interval. Default `1h`. */
  readonly interval?: Interval
  /**
   * Only candles that start at or after this time, in Unix seconds. Must be zero or more. By default, it is before
   * `end` by a period that depends on the interval's unit: ten minutes for seconds, a day for minutes, a week for
   * hours, a month for days and weeks, a year for months.
   */
  readonly start?: UnixSeconds
  /**
   * Only candles that start before this time, in Unix seconds. Must be after `start`, and not in the future. Default:
   * now.
   */
  readonly end?: UnixSeconds
  /**
   * The maximum number of candles, 1 to 1440, counted back from `end`. Default 1440. If `limit` is set without `start`,
   * the exchange calculates `start` from `limit`.
   */
  readonly limit?: number
}

/**
 * Selects the market and the candles to read.
 *
 * @category models
 */
export interface Request extends Options {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
}

const request = () =>
  Wire.struct<Request>({
    market: MarketName,
    interval: Schema.optionalKey(Interval),
    start: Schema.optionalKey(Wire.counted(Moment)),
    end: Schema.optionalKey(Wire.counted(Moment)),
    limit: Schema.optionalKey(Wire.counted(Count))
  }, {
    constraints: [Period.isAfter("end", "start")]
  })

/**
 * An interval's prices, in the quote currency, and its volume.
 *
 * @category models
 */
export interface Candle {
  /** The interval's start, in Unix seconds. */
  readonly time: UnixSeconds
  /** The opening price. */
  readonly open: Decimal
  /** The closing price. */
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

const Candle = Schema.Struct({
  time: UnixSeconds,
  open: Decimal,
  close: Decimal,
  high: Decimal,
  low: Decimal,
  volume: Decimal,
  total: Decimal
})

const text = Schema.String

const row = Schema.Tuple([Schema.Int, text, text, text, text, text, text]).pipe(
  Schema.decodeTo(Candle, {
    decode: SchemaGetter.transform(([time, open, close, high, low, volume, total]) => ({
      time,
      open,
      close,
      high,
      low,
      volume,
      total
    })),
    encode: SchemaGetter.transform((
      { close, high, low, open, time, total, volume }
    ): readonly [number, string, string, string, string, string, string] => [
      time,
      open,
      close,
      high,
      low,
      volume,
      total
    ])
  })
)

const response = () => Wire.wrapped(Schema.Array(row))

/**
 * The endpoint `GET /api/v1/public/kline`. Source: the live exchange's documentation, Public HTTP API V1, "Kline".
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "Candles.list",
  path: "/api/v1/public/kline",
  access: "public",
  mutates: false,
  rateLimit: { calls: 1000, perSeconds: 10 },
  refusals: ["ValidationFailed"],
  refusedAs: "wrapped",
  request,
  response,
  example: (): Request => ({ market: marketName("BTC_USDT"), interval: "1h", limit: 24 })
})

/**
 * Errors that can occur when reading candles.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads a market's candles.
 *
 * @category services
 */
export class Candles extends Context.Service<Candles, {
  /**
   * Reads at most 1440 candles, oldest first.
   *
   * Fails with `PublicRequestRejected` when the exchange does not list the market or `end` is in the future, and with
   * `ValidationFailed`, before anything is sent, when `limit` is out of bounds or `end` is not after `start`.
   */
  readonly list: (market: MarketName, options?: Options) => Effect.Effect<ReadonlyArray<Candle>, Failure>
}>()("effect-txc/endpoints/Candles") {
  /** Provides this service. Requires `PublicCall`. */
  static readonly layer: Layer.Layer<Candles, never, Call.PublicCall> = PlainService.layerPublic(
    Candles,
    endpoint,
    (call) => ({ list: (market, options = {}) => call({ ...options, market }) })
  )
}
