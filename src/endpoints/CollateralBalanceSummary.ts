/**
 * The collateral account's detailed balances: each asset's owned, borrowed and available amounts.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { CollateralBalanceSummary, Decimal } from "effect-txc"
 *
 * const borrowed = Effect.gen(function*() {
 *   const summary = yield* CollateralBalanceSummary.CollateralBalanceSummary
 *   const assets = yield* summary.list()
 *   return assets.filter(({ borrow }) => !Decimal.Equivalence(borrow, Decimal.zero)).map(({ asset }) => asset)
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import type { Decimal } from "../domain/Decimal.ts"
import { Ticker, ticker } from "../domain/Identifiers.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * The balances to read.
 *
 * @category models
 */
export interface Request {
  /** Only the balance of this asset. Default: all assets. */
  readonly ticker?: Ticker
}

const request = () => Wire.struct<Request>({ ticker: Schema.optionalKey(Ticker) })

/**
 * An asset of the collateral account. Amounts are in units of the asset.
 *
 * @category models
 */
export interface AssetBalance {
  /** The asset, such as `USDT`. */
  readonly asset: Ticker
  /** The balance, including amounts locked by positions and open orders. */
  readonly balance: Decimal
  /** The borrowed amount: zero when nothing is borrowed. */
  readonly borrow: Decimal
  /** The amount available without borrowing. */
  readonly availableWithoutBorrow: Decimal
  /** The amount available, including the amount that the account can borrow. */
  readonly availableWithBorrow: Decimal
}

const assetBalance = () =>
  Wire.answer<AssetBalance>({
    asset: Ticker,
    balance: Wire.LooseDecimal,
    borrow: Wire.LooseDecimal,
    availableWithoutBorrow: Wire.LooseDecimal,
    availableWithBorrow: Wire.LooseDecimal
  })

/**
 * The endpoint `POST /api/v4/collateral-account/balance-summary`. Source: the live exchange's documentation,
 * "Collateral Account Balance Summary".
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "CollateralBalanceSummary.list",
  path: "/api/v4/collateral-account/balance-summary",
  access: "private",
  mutates: false,
  rateLimit: { calls: 12000, perSeconds: 10 },
  refusals: ["ValidationFailed"],
  request,
  response: () => Schema.Array(assetBalance().schema),
  example: (): Request => ({ ticker: ticker("USDT") })
})

/**
 * Errors that can occur when reading the collateral account's detailed balances.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the collateral account's detailed balances.
 *
 * @category services
 */
export class CollateralBalanceSummary extends Context.Service<CollateralBalanceSummary, {
  /** Reads the balances of all assets, or of one asset. Fails with `ValidationFailed` when the asset is unknown. */
  readonly list: (request?: Request) => Effect.Effect<ReadonlyArray<AssetBalance>, Failure>
}>()("effect-txc/endpoints/CollateralBalanceSummary") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<CollateralBalanceSummary, never, Call.Call> = PlainService.layer(
    CollateralBalanceSummary,
    endpoint,
    (list) => ({ list: (request = {}) => list(request) })
  )
}
