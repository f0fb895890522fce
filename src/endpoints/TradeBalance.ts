/**
 * The trade account's balances, which back spot orders.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Identifiers, TradeBalance } from "effect-txc"
 *
 * const canSpend = Effect.gen(function*() {
 *   const balance = yield* TradeBalance.TradeBalance
 *   const { available } = yield* balance.of(Identifiers.ticker("USDT"))
 *   return available
 * })
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
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
 * An asset's balance, in units of the asset.
 *
 * @category models
 */
export interface Balance {
  /** The amount available for new orders. */
  readonly available: Decimal.Decimal
  /** The amount locked in open orders. */
  readonly freeze: Decimal.Decimal
}

/**
 * The schema of {@link Balance}.
 *
 * @category schemas
 */
export const Balance: Schema.Codec<Balance, unknown> = Wire.answer<Balance>({
  available: Decimal.Decimal,
  freeze: Decimal.Decimal
}).schema

/**
 * Balances, keyed by asset. A missing asset has a balance of zero.
 *
 * @category models
 */
export type Balances = ReadonlyMap<Ticker, Balance>

/** One balance when the request names an asset; otherwise balances keyed by asset. */
const response = () => Schema.Union([Balance, Wire.keyed(Ticker, Balance)])

/**
 * The endpoint `POST /api/v4/trade-account/balance`.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "TradeBalance.all",
  path: "/api/v4/trade-account/balance",
  access: "private",
  mutates: false,
  rateLimit: { calls: 12000, perSeconds: 10 },
  refusals: ["ValidationFailed"],
  request,
  response,
  example: (): Request => ({})
})

/**
 * Errors that can occur when reading the trade account's balances.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the trade account's balances.
 *
 * @category services
 */
export class TradeBalance extends Context.Service<TradeBalance, {
  /** Reads the balances of all assets. */
  readonly all: Effect.Effect<Balances, Failure>
  /**
   * Reads the balance of one asset; zero when the exchange omits the asset. Fails with `ValidationFailed` when the
   * asset is unknown to the live exchange.
   */
  readonly of: (ticker: Ticker) => Effect.Effect<Balance, Failure>
}>()("effect-txc/endpoints/TradeBalance") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<TradeBalance, never, Call.Call> = PlainService.layer(
    TradeBalance,
    endpoint,
    (call, takes) => {
      const { all, of } = ReadBalances.reading<Balance, Failure>({
        name: endpoint.name,
        call,
        takesTicker: () => takes("ticker"),
        zero: { available: Decimal.zero, freeze: Decimal.zero }
      })
      return { all, of: (ticker) => Observation.spanned("TradeBalance.of", of(ticker)) }
    }
  )
}
