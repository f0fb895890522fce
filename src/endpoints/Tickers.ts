/**
 * The 24-hour statistics of all markets. Public.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Option from "effect/Option"
 * import { Identifiers, Tickers } from "effect-txc"
 *
 * const lastPrice = Effect.gen(function*() {
 *   const tickers = yield* Tickers.Tickers
 *   return Option.map(yield* tickers.get(Identifiers.marketName("BTC_USDT")), ({ lastPrice }) => lastPrice)
 * })
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import * as Observation from "../client/Observation.ts"
import { Decimal } from "../domain/Decimal.ts"
import { MarketName } from "../domain/Identifiers.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

const request = () => Wire.struct({})

/**
 * A market's 24-hour statistics.
 *
 * @category models
 */
export interface Ticker {
  /** The base currency's id at CoinMarketCap; 0 when it has no such id. */
  readonly baseId?: number
  /** The quote currency's id at CoinMarketCap; 0 when it has no such id. */
  readonly quoteId?: number
  /** The price of the last trade, in the quote currency; zero before the first trade. */
  readonly lastPrice: Decimal
  /** The 24-hour volume, in the quote currency. */
  readonly quoteVolume: Decimal
  /** The 24-hour volume, in the base currency. */
  readonly baseVolume: Decimal
  /** Whether trading is suspended. */
  readonly isFrozen: boolean
  /** The 24-hour price change, in percent. */
  readonly change: Decimal
}

const ticker = () =>
  Wire.answer<Ticker>({
    baseId: Schema.optionalKey(Schema.Int),
    quoteId: Schema.optionalKey(Schema.Int),
    lastPrice: Decimal,
    quoteVolume: Decimal,
    baseVolume: Decimal,
    isFrozen: Schema.Boolean,
    change: Decimal
  }, {
    keys: {
      baseId: "base_id",
      quoteId: "quote_id",
      lastPrice: "last_price",
      quoteVolume: "quote_volume",
      baseVolume: "base_volume"
    }
  })

const response = () => Wire.keyed(MarketName, ticker().schema)

/**
 * The endpoint `GET /api/v4/public/ticker`.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "Tickers.all",
  path: "/api/v4/public/ticker",
  access: "public",
  mutates: false,
  refusals: [],
  request,
  response,
  example: () => ({})
})

/**
 * Errors that can occur when reading tickers.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the 24-hour statistics of all markets.
 *
 * @category services
 */
export class Tickers extends Context.Service<Tickers, {
  /** Reads the tickers of all markets. */
  readonly all: Effect.Effect<ReadonlyMap<MarketName, Ticker>, Failure>
  /** Reads all tickers and returns the market's ticker; `Option.none` when the exchange does not list the market. */
  readonly get: (market: MarketName) => Effect.Effect<Option.Option<Ticker>, Failure>
}>()("effect-txc/endpoints/Tickers") {
  /** Provides this service. Requires `PublicCall`. */
  static readonly layer: Layer.Layer<Tickers, never, Call.PublicCall> = PlainService.layerPublic(
    Tickers,
    endpoint,
    (call) => ({
      all: call({}),
      get: (market) =>
        Observation.spanned(
          "Tickers.get",
          Effect.map(call({}), (tickers) => Option.fromUndefinedOr(tickers.get(market)))
        )
    })
  )
}
