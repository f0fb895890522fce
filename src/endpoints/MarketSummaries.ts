/**
 * The 24-hour statistics and best prices of all markets. Public.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Identifiers, MarketSummaries } from "effect-txc"
 *
 * const highest = Effect.gen(function*() {
 *   const summaries = yield* MarketSummaries.MarketSummaries
 *   return (yield* summaries.all).get(Identifiers.marketName("BTC_USDT"))?.high
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
import { MarketName } from "../domain/Identifiers.ts"
import { UnixSeconds } from "../domain/Time.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

const request = () => Wire.struct({})

/**
 * A market's 24-hour statistics. Prices are in the quote currency; zero when there is no price.
 *
 * @category models
 */
export interface Summary {
  /** The best bid. */
  readonly bid: Decimal
  /** The best ask. */
  readonly ask: Decimal
  /** The 24-hour low. */
  readonly low: Decimal
  /** The 24-hour high. */
  readonly high: Decimal
  /** The price of the last trade. */
  readonly last: Decimal
  /** The 24-hour volume, in the base currency. */
  readonly volume: Decimal
  /** The 24-hour volume, in the quote currency. */
  readonly total: Decimal
  /** The 24-hour price change, in percent. */
  readonly change: Decimal
  /** The time when the summary was created, in Unix seconds. */
  readonly at: UnixSeconds
}

const fields = () => ({
  bid: Decimal,
  ask: Decimal,
  low: Decimal,
  high: Decimal,
  last: Decimal,
  volume: Decimal,
  total: Decimal,
  change: Decimal
})

const figures = () => Wire.answer<Omit<Summary, "at">>(fields(), { keys: { volume: "vol", total: "deal" } })

const summary = () => {
  const received = Schema.Struct({ ticker: figures().schema, at: UnixSeconds })
  return received.annotate(Wire.describedBy(() => received)).pipe(
    Schema.decodeTo(Schema.toType(Schema.Struct({ ...fields(), at: UnixSeconds })), {
      decode: SchemaGetter.transform(({ at, ticker }) => ({ ...ticker, at })),
      encode: SchemaGetter.transform(({ at, ...ticker }) => ({ ticker, at }))
    })
  )
}

const response = () => Wire.wrapped(Wire.keyed(MarketName, summary()))

/**
 * The endpoint `GET /api/v1/public/tickers`. Source: the live exchange's documentation, Public HTTP API V1, "Market
 * Activity".
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "MarketSummaries.all",
  path: "/api/v1/public/tickers",
  access: "public",
  mutates: false,
  rateLimit: { calls: 1000, perSeconds: 10 },
  refusals: [],
  request,
  response,
  example: () => ({})
})

/**
 * Errors that can occur when reading market summaries.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the 24-hour statistics of all markets.
 *
 * @category services
 */
export class MarketSummaries extends Context.Service<MarketSummaries, {
  /** Reads the summaries of all markets. */
  readonly all: Effect.Effect<ReadonlyMap<MarketName, Summary>, Failure>
}>()("effect-txc/endpoints/MarketSummaries") {
  /** Provides this service. Requires `PublicCall`. */
  static readonly layer: Layer.Layer<MarketSummaries, never, Call.PublicCall> = PlainService.layerPublic(
    MarketSummaries,
    endpoint,
    (call) => ({ all: call({}) })
  )
}
