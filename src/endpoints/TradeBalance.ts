/**
 * The balances of the trade account, which spot orders spend.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
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
 * What there is of an asset, in units of it.
 *
 * - `available`: can be spent
 * - `freeze`: locked by open orders
 *
 * @category models
 * @since 0.1.0
 */
export const Balance = Schema.Struct({ available: Decimal.Decimal, freeze: Decimal.Decimal })
/** @category models */
export type Balance = typeof Balance.Type

/**
 * By asset. An asset that is not there has a balance of zero.
 *
 * @category models
 * @since 0.1.0
 */
export type Balances = ReadonlyMap<Ticker, Balance>

const response = Wire.keyed(Ticker, Balance)

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "TradeBalance.all",
  clause: "not in the document",
  method: "POST",
  path: "/api/v4/trade-account/balance",
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
export class TradeBalance extends Context.Service<TradeBalance, {
  readonly all: Effect.Effect<Balances, Failure>
  readonly of: (ticker: Ticker) => Effect.Effect<Balance, Failure>
}>()("effect-txc/endpoints/TradeBalance") {
  static readonly layer: Layer.Layer<TradeBalance, never, Call.Call> = Layer.effect(
    TradeBalance,
    Effect.gen(function*() {
      const call = (yield* Call.Call).make(endpoint)
      return {
        all: Effect.withSpan(call({}), "TradeBalance.all"),
        of: Effect.fn("TradeBalance.of")(function*(ticker: Ticker) {
          return (yield* call({})).get(ticker) ?? { available: Decimal.zero, freeze: Decimal.zero }
        })
      }
    })
  )
}
