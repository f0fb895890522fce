/**
 * The futures markets, with their prices, open interest and funding. Public.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { FuturesMarkets, Identifiers } from "effect-txc"
 *
 * const fundingRate = Effect.gen(function*() {
 *   const futures = yield* FuturesMarkets.FuturesMarkets
 *   const perpetual = Identifiers.marketName("BTC_PERP")
 *   return (yield* futures.list).find(({ market }) => market === perpetual)?.fundingRate
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
import { Decimal } from "../domain/Decimal.ts"
import { MarketName, Ticker } from "../domain/Identifiers.ts"
import { fromMicros, UnixTime } from "../domain/Time.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

const request = () => Wire.struct({})

/**
 * A futures market. Prices are in the quote currency.
 *
 * @category models
 */
export interface FuturesMarket {
  /** The market, such as `BTC_PERP`. */
  readonly market: MarketName
  /** The base currency. */
  readonly stock: Ticker
  /** The quote currency. */
  readonly money: Ticker
  /** The price of the last trade. */
  readonly lastPrice: Decimal
  /** The 24-hour volume, in the base currency. */
  readonly stockVolume: Decimal
  /** The 24-hour volume, in the quote currency. */
  readonly moneyVolume: Decimal
  /** The best bid. */
  readonly bid: Decimal
  /** The best ask. */
  readonly ask: Decimal
  /** The 24-hour high. */
  readonly high: Decimal
  /** The 24-hour low. */
  readonly low: Decimal
  /** The contract type, such as `Perpetual`. */
  readonly productType: string
  /** The open interest, in the base currency. */
  readonly openInterest: Decimal
  /** The underlying index's price. */
  readonly indexPrice: Decimal
  /** The mark price, at which positions are valued. Absent when the exchange has no mark price yet, or omits it. */
  readonly markPrice?: Decimal
  /** The underlying index's name. */
  readonly indexName: string
  /** The index's currency. */
  readonly indexCurrency: string
  /** The predicted next funding rate, as a ratio. */
  readonly fundingRate: Decimal
  /** The upper bound of the funding rate, as a ratio. The exchange may omit this field. */
  readonly fundingCap?: Decimal
  /** The lower bound of the funding rate, as a ratio. The exchange may omit this field. */
  readonly fundingFloor?: Decimal
  /** The time of the next funding settlement, in Unix seconds. */
  readonly nextFundingTime: UnixTime
  /** The maximum position in USDT, keyed by leverage (such as `"10"`). The exchange may omit this field. */
  readonly brackets?: ReadonlyMap<string, Decimal>
  /** The maximum leverage. The exchange may omit this field. */
  readonly maxLeverage?: number
  /** The funding interval, in minutes. The exchange may omit this field. */
  readonly fundingIntervalMinutes?: number
}

/** A time: a string of Unix milliseconds on the wire, Unix seconds in the domain. */
const Millis = Schema.String.check(Schema.isPattern(/^(?:0|[1-9][0-9]{0,14})$/u)).pipe(
  Schema.decodeTo(UnixTime, {
    decode: SchemaGetter.transform((text) => fromMicros(Number(text) * 1000)),
    encode: SchemaGetter.transform((time) => Math.round(time * 1000).toString())
  })
)

/** An integer, which the exchange has sometimes sent as a string. */
const Count = Schema.Union([Schema.Int, Schema.String.check(Schema.isPattern(/^-?(?:0|[1-9][0-9]{0,14})$/u))]).pipe(
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transform((count) => Number(count)),
    encode: SchemaGetter.transform((count): number | string => count)
  })
)

const futuresMarket = () =>
  Wire.answer<FuturesMarket>({
    market: MarketName,
    stock: Ticker,
    money: Ticker,
    lastPrice: Decimal,
    stockVolume: Decimal,
    moneyVolume: Decimal,
    bid: Decimal,
    ask: Decimal,
    high: Decimal,
    low: Decimal,
    productType: Schema.String,
    openInterest: Decimal,
    indexPrice: Decimal,
    markPrice: Schema.optionalKey(Decimal),
    indexName: Schema.String,
    indexCurrency: Schema.String,
    fundingRate: Decimal,
    fundingCap: Schema.optionalKey(Decimal),
    fundingFloor: Schema.optionalKey(Decimal),
    nextFundingTime: Millis,
    brackets: Schema.optionalKey(Wire.keyed(Schema.String, Wire.LooseDecimal)),
    maxLeverage: Schema.optionalKey(Count),
    fundingIntervalMinutes: Schema.optionalKey(Count)
  }, {
    keys: {
      market: "ticker_id",
      stock: "stock_currency",
      money: "money_currency",
      lastPrice: "last_price",
      stockVolume: "stock_volume",
      moneyVolume: "money_volume",
      productType: "product_type",
      openInterest: "open_interest",
      indexPrice: "index_price",
      markPrice: "mark_price",
      indexName: "index_name",
      indexCurrency: "index_currency",
      fundingRate: "funding_rate",
      fundingCap: "funding_cap",
      fundingFloor: "funding_floor",
      nextFundingTime: "next_funding_rate_timestamp",
      maxLeverage: "max_leverage",
      fundingIntervalMinutes: "funding_interval_minutes"
    },
    // Before the first mark price, the exchange sends an empty string.
    absent: { markPrice: { value: "", when: () => true, demanded: false } }
  })

const response = ({ older }: Dialect) => Wire.wrappedList(older, futuresMarket().schema)

/**
 * The endpoint `GET /api/v4/public/futures`. Source: the live exchange's documentation, Public HTTP API V4, "Available
 * Futures Markets List".
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "FuturesMarkets.list",
  path: "/api/v4/public/futures",
  access: "public",
  mutates: false,
  refusals: [],
  request,
  response,
  example: () => ({})
})

/**
 * Errors that can occur when listing the futures markets.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Lists the futures markets.
 *
 * @category services
 */
export class FuturesMarkets extends Context.Service<FuturesMarkets, {
  /**
   * Lists the futures markets.
   *
   * Fails with `PublicRequestRejected` (HTTP 451) when futures are not available in the caller's region.
   */
  readonly list: Effect.Effect<ReadonlyArray<FuturesMarket>, Failure>
}>()("effect-txc/endpoints/FuturesMarkets") {
  /** Provides this service. Requires `PublicCall`. */
  static readonly layer: Layer.Layer<FuturesMarkets, never, Call.PublicCall> = PlainService.layerPublic(
    FuturesMarkets,
    endpoint,
    (call) => ({ list: call({}) })
  )
}
