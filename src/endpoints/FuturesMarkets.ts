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
 *
 * @since 0.1.0
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

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

const request = () => Wire.struct({})

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

/**
 * A futures market. Prices are in units of the quote currency.
 *
 * @category models
 * @since 0.1.0
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
  /** How much was traded in 24 hours, in units of the base currency. */
  readonly stockVolume: Decimal
  /** How much was paid for it, in units of the quote currency. */
  readonly moneyVolume: Decimal
  /** The highest price that is bid now. */
  readonly bid: Decimal
  /** The lowest price that is asked now. */
  readonly ask: Decimal
  /** The highest price of 24 hours. */
  readonly high: Decimal
  /** The lowest price of 24 hours. */
  readonly low: Decimal
  /** The kind of future, such as `Perpetual`. */
  readonly productType: string
  /** How many contracts are open, in units of the base currency. */
  readonly openInterest: Decimal
  /** The price of the underlying index. */
  readonly indexPrice: Decimal
  /** The name of the underlying index. */
  readonly indexName: string
  /** The currency of the index. */
  readonly indexCurrency: string
  /** The funding rate that is expected next, as a ratio. */
  readonly fundingRate: Decimal
  /** The highest funding rate, as a ratio. Absent when the exchange does not say. */
  readonly fundingCap?: Decimal
  /** The lowest funding rate, as a ratio. Absent when the exchange does not say. */
  readonly fundingFloor?: Decimal
  /** When funding is settled next, in Unix seconds. */
  readonly nextFundingTime: UnixTime
  /** The greatest position at each leverage, in USDT, by the leverage (`"10"`). Absent when the exchange does not say. */
  readonly brackets?: ReadonlyMap<string, Decimal>
  /** The greatest leverage. Absent when the exchange does not say. */
  readonly maxLeverage?: number
  /** How many minutes lie between two settlements of funding. Absent when the exchange does not say. */
  readonly fundingIntervalMinutes?: number
}

/** Unix milliseconds as a text: Unix seconds in the domain. */
const Millis = Schema.String.check(Schema.isPattern(/^(?:0|[1-9][0-9]{0,14})$/u)).pipe(
  Schema.decodeTo(UnixTime, {
    decode: SchemaGetter.transform((text) => fromMicros(Number(text) * 1000)),
    encode: SchemaGetter.transform((time) => Math.round(time * 1000).toString())
  })
)

/** A whole number, which the exchange has also written as a text. */
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
      indexName: "index_name",
      indexCurrency: "index_currency",
      fundingRate: "funding_rate",
      fundingCap: "funding_cap",
      fundingFloor: "funding_floor",
      nextFundingTime: "next_funding_rate_timestamp",
      maxLeverage: "max_leverage",
      fundingIntervalMinutes: "funding_interval_minutes"
    }
  })

const response = ({ older }: Dialect) => Wire.wrappedList(older, futuresMarket().schema)

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/**
 * `GET /api/v4/public/futures`. Source: the live exchange's documentation, Public HTTP API V4, "Available Futures Markets List".
 *
 * @category endpoints
 * @since 0.1.0
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
 * What listing the futures markets can fail with.
 *
 * @category errors
 * @since 0.1.0
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * Lists the futures markets.
 *
 * @category services
 * @since 0.1.0
 */
export class FuturesMarkets extends Context.Service<FuturesMarkets, {
  /**
   * Lists the futures markets.
   *
   * Fails with `PublicRequestRejected`, HTTP 451, where futures are not available in the caller's region.
   */
  readonly list: Effect.Effect<ReadonlyArray<FuturesMarket>, Failure>
}>()("effect-txc/endpoints/FuturesMarkets") {
  /** The service over public calls. */
  static readonly layer: Layer.Layer<FuturesMarkets, never, Call.PublicCall> = PlainService.layerPublic(
    FuturesMarkets,
    endpoint,
    (call) => ({ list: call({}) })
  )
}
