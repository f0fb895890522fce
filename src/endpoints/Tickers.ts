/**
 * What the markets did in the last 24 hours. Public.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Call from "../client/call/Call.ts"
import { Decimal } from "../domain/Decimal.ts"
import { MarketName } from "../domain/Identifiers.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

const request = Wire.struct({})

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

const ticker = Wire.struct({
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

/**
 * A market's last 24 hours.
 *
 * - `baseId`, `quoteId`: the currencies' numbers in a public registry; 0 when they have none
 * - `lastPrice`: of the last trade, in units of the quote currency; zero when there was none
 * - `quoteVolume`, `baseVolume`: traded, in units of the quote and of the base currency
 * - `isFrozen`: whether trading is stopped
 * - `change`: of the price, in percent
 *
 * @category models
 * @since 0.1.0
 */
export type Ticker = typeof ticker.schema.Type

const response = Wire.keyed(MarketName, ticker.schema)

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "Tickers.all",
  clause: "not in the document",
  method: "GET",
  path: "/api/v4/public/ticker",
  access: "public",
  b2b: false,
  mutates: false,
  rateLimit: { calls: 2000, perSeconds: 10 },
  envelope: "none",
  errorFamily: "account",
  refusals: [],
  request: () => request,
  response: () => response
})

/** @category errors */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * - `all`: every market
 * - `get`: one market; none when the exchange has no such market
 *
 * @category services
 * @since 0.1.0
 */
export class Tickers extends Context.Service<Tickers, {
  readonly all: Effect.Effect<ReadonlyMap<MarketName, Ticker>, Failure>
  readonly get: (market: MarketName) => Effect.Effect<Option.Option<Ticker>, Failure>
}>()("effect-txc/endpoints/Tickers") {
  static readonly layer: Layer.Layer<Tickers, never, Call.PublicCall> = Layer.effect(
    Tickers,
    Effect.gen(function*() {
      const call = (yield* Call.PublicCall).make(endpoint)
      return {
        all: Effect.withSpan(call({}), "Tickers.all"),
        get: Effect.fn("Tickers.get")(function*(market: MarketName) {
          return Option.fromUndefinedOr((yield* call({})).get(market))
        })
      }
    })
  )
}
