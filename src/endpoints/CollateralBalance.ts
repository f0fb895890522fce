/**
 * The collateral account's balances, which back margin orders and positions.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { CollateralBalance, Identifiers } from "effect-txc"
 *
 * const collateral = Effect.gen(function*() {
 *   const balance = yield* CollateralBalance.CollateralBalance
 *   return yield* balance.of(Identifiers.ticker("USDT"))
 * })
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Call from "../client/call/Call.ts"
import * as ReadBalances from "../client/make/Balances.ts"
import * as PlainService from "../client/make/PlainService.ts"
import * as Observation from "../client/Observation.ts"
import * as Decimal from "../domain/Decimal.ts"
import { Ticker } from "../domain/Identifiers.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * The balances to read.
 *
 * @category models
 */
export interface Request {
  /** Only the balance of this asset. Live dialect only. Default: all assets. */
  readonly ticker?: Ticker
}

const request = ({ extension }: Dialect) => Wire.struct<Request>({ ticker: extension(Ticker) })

/**
 * Balances, keyed by asset, in units of the asset, including amounts locked in open orders. A missing asset has a
 * balance of zero.
 *
 * @category models
 */
export type Balances = ReadonlyMap<Ticker, Decimal.Decimal>

/** The balances as received: the live exchange sends each balance as a string or a number. */
const response = () => Wire.keyed(Ticker, Wire.LooseDecimal)

/**
 * The endpoint `POST /api/v4/collateral-account/balance`.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "CollateralBalance.all",
  path: "/api/v4/collateral-account/balance",
  access: "private",
  mutates: false,
  rateLimit: { calls: 12000, perSeconds: 10 },
  refusals: ["ValidationFailed"],
  request,
  response,
  example: (): Request => ({})
})

/**
 * Errors that can occur when reading the collateral account's balances.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the collateral account's balances.
 *
 * @category services
 */
export class CollateralBalance extends Context.Service<CollateralBalance, {
  /** Reads the balances of all assets. */
  readonly all: Effect.Effect<Balances, Failure>
  /**
   * Reads the balance of one asset, in units of the asset; zero when the exchange omits the asset. Fails with
   * `ValidationFailed` when the asset is unknown to the live exchange.
   */
  readonly of: (ticker: Ticker) => Effect.Effect<Decimal.Decimal, Failure>
}>()("effect-txc/endpoints/CollateralBalance") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<CollateralBalance, never, Call.Call> = PlainService.layer(
    CollateralBalance,
    endpoint,
    (call, takes) => {
      const { all, of } = ReadBalances.reading<Decimal.Decimal, Failure>({
        name: endpoint.name,
        call,
        takesTicker: () => takes("ticker"),
        zero: Decimal.zero
      })
      return { all, of: (ticker) => Observation.spanned("CollateralBalance.of", of(ticker)) }
    }
  )
}
