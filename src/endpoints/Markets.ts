/**
 * The markets, with their order limits and precisions (the document, Endpoints §3). Public.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Markets } from "effect-txc"
 *
 * const tradable = Effect.gen(function*() {
 *   const markets = yield* Markets.Markets
 *   return (yield* markets.all).filter(({ tradesEnabled }) => tradesEnabled).map(({ name }) => name)
 * })
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import * as MarketRules from "../client/MarketRules.ts"
import * as Observation from "../client/Observation.ts"
import { Amount, Decimal, Price } from "../domain/Decimal.ts"
import { MarketName, Ticker } from "../domain/Identifiers.ts"
import type { Market } from "../domain/Market.ts"
import { oneOf } from "../domain/Text.ts"
import { UnixSeconds } from "../domain/Time.ts"
import * as Unrecognised from "../domain/Unrecognised.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

const request = () => Wire.struct({})

/** An empty string means that the value is absent. */
const unsaid = { value: "", when: () => true, demanded: false, written: false }

const market = ({ extension }: Dialect) =>
  Wire.answer<Market>({
    name: MarketName,
    stock: Ticker,
    money: Ticker,
    stockPrecision: Wire.SignedDigits,
    moneyPrecision: Wire.SignedDigits,
    tickSize: extension(Price),
    stepSize: extension(Amount),
    feePrecision: Wire.Digits,
    makerFee: Decimal,
    takerFee: Decimal,
    minAmount: Decimal,
    minTotal: Decimal,
    maxTotal: Decimal,
    tradesEnabled: Schema.Boolean,
    isCollateral: Schema.Boolean,
    type: Unrecognised.open(oneOf(["spot", "futures", "tradfiFutures"])),
    isTradFiFutures: extension(Schema.Boolean),
    delistedAt: extension(UnixSeconds)
  }, {
    keys: { stockPrecision: "stockPrec", moneyPrecision: "moneyPrec", feePrecision: "feePrec" },
    absent: {
      tickSize: unsaid,
      stepSize: unsaid,
      delistedAt: { value: null, when: () => true, demanded: false }
    }
  })

const response = (dialect: Dialect) => Schema.Array(market(dialect).schema)

/**
 * The endpoint `GET /api/v4/public/markets` (the document, Endpoints §3).
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "Markets.all",
  clause: "Endpoints §3",
  path: "/api/v4/public/markets",
  access: "public",
  mutates: false,
  refusals: [],
  request,
  response,
  example: () => ({})
})

/**
 * Errors that can occur when reading the markets.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the markets.
 *
 * @category services
 */
export class Markets extends Context.Service<Markets, {
  /** Reads all markets. */
  readonly all: Effect.Effect<ReadonlyArray<Market>, Failure>
  /**
   * Reads all markets and returns the one with this name; `Option.none` when the exchange has no market with this name.
   */
  readonly get: (name: MarketName) => Effect.Effect<Option.Option<Market>, Failure>
}>()("effect-txc/endpoints/Markets") {
  /** Provides this service. Requires `PublicCall`. */
  static readonly layer: Layer.Layer<Markets, never, Call.PublicCall> = PlainService.layerPublic(
    Markets,
    endpoint,
    (call) => ({
      all: call({}),
      get: (name) =>
        Observation.spanned(
          "Markets.get",
          Effect.map(call({}), (markets) => Option.fromUndefinedOr(markets.find((market) => market.name === name)))
        )
    })
  )
}

/**
 * Market rules loaded from the exchange: see `MarketRules.layerCached`.
 *
 * @category layers
 */
export const layerMarketRules: Layer.Layer<MarketRules.MarketRules, never, Call.PublicCall> = Layer.unwrap(
  Markets.useSync(({ all }) => MarketRules.layerCached(all))
).pipe(Layer.provide(Markets.layer), Layer.fresh)
