/**
 * The markets with their bounds and precisions, which the document's order endpoints refer to
 * (`GET /api/v4/public/markets`, Endpoints §3). Public.
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
import { MarketName, Ticker } from "../domain/Identifiers.ts"
import type { Market } from "../domain/Market.ts"
import { oneOf } from "../domain/Text.ts"
import * as Unrecognised from "../domain/Unrecognised.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

const request = Wire.struct({})

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

const market = Wire.struct({
  name: MarketName,
  stock: Ticker,
  money: Ticker,
  stockPrecision: Wire.Digits,
  moneyPrecision: Wire.Digits,
  feePrecision: Wire.Digits,
  makerFee: Decimal,
  takerFee: Decimal,
  minAmount: Decimal,
  minTotal: Decimal,
  maxTotal: Decimal,
  tradesEnabled: Schema.Boolean,
  isCollateral: Schema.Boolean,
  type: Unrecognised.open(oneOf(["spot", "futures"]))
}, { keys: { stockPrecision: "stockPrec", moneyPrecision: "moneyPrec", feePrecision: "feePrec" } })

const response: Schema.Codec<ReadonlyArray<Market>, unknown> = Schema.Array(market.schema)

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "Markets.all",
  clause: "Endpoints §3",
  method: "GET",
  path: "/api/v4/public/markets",
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
export class Markets extends Context.Service<Markets, {
  readonly all: Effect.Effect<ReadonlyArray<Market>, Failure>
  readonly get: (name: MarketName) => Effect.Effect<Option.Option<Market>, Failure>
}>()("effect-txc/endpoints/Markets") {
  static readonly layer: Layer.Layer<Markets, never, Call.PublicCall> = Layer.effect(
    Markets,
    Effect.gen(function*() {
      const call = (yield* Call.PublicCall).make(endpoint)
      return {
        all: Effect.withSpan(call({}), "Markets.all"),
        get: Effect.fn("Markets.get")(function*(name: MarketName) {
          return Option.fromUndefinedOr((yield* call({})).find((market) => market.name === name))
        })
      }
    })
  )
}
