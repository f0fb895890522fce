/**
 * The balances of the collateral account, which stand for margin orders and positions.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Call from "../client/call/Call.ts"
import * as Decimal from "../domain/Decimal.ts"
import { Ticker } from "../domain/Identifiers.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

const request = Wire.struct({})

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

/**
 * The balance of every asset, in units of it, what open orders have locked included. An asset that is not there has a
 * balance of zero.
 *
 * @category models
 * @since 0.1.0
 */
export type Balances = ReadonlyMap<Ticker, Decimal.Decimal>

/** The live exchange writes these as texts or as numbers. */
const response = Wire.keyed(Ticker, Wire.LooseDecimal)

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "CollateralBalance.all",
  clause: "not in the document",
  method: "POST",
  path: "/api/v4/collateral-account/balance",
  access: "private",
  b2b: false,
  mutates: false,
  rateLimit: { calls: 12000, perSeconds: 10 },
  envelope: "required",
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
 * - `all`: the balances of all assets
 * - `of`: the balance of one asset; zero when the exchange leaves it out
 *
 * @category services
 * @since 0.1.0
 */
export class CollateralBalance extends Context.Service<CollateralBalance, {
  readonly all: Effect.Effect<Balances, Failure>
  readonly of: (ticker: Ticker) => Effect.Effect<Decimal.Decimal, Failure>
}>()("effect-txc/endpoints/CollateralBalance") {
  static readonly layer: Layer.Layer<CollateralBalance, never, Call.Call> = Layer.effect(
    CollateralBalance,
    Effect.gen(function*() {
      const call = (yield* Call.Call).make(endpoint)
      return {
        all: Effect.withSpan(call({}), "CollateralBalance.all"),
        of: Effect.fn("CollateralBalance.of")(function*(ticker: Ticker) {
          return (yield* call({})).get(ticker) ?? Decimal.zero
        })
      }
    })
  )
}
