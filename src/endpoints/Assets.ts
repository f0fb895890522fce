/**
 * The assets and whether they can be deposited and withdrawn. Public.
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

const asset = Wire.struct({
  name: Schema.String,
  unifiedCryptoassetId: Schema.optionalKey(Schema.Int),
  canWithdraw: Schema.Boolean,
  canDeposit: Schema.Boolean,
  minWithdraw: Decimal,
  maxWithdraw: Decimal,
  makerFee: Decimal,
  takerFee: Decimal,
  minDeposit: Decimal,
  maxDeposit: Decimal,
  currencyPrecision: Schema.optionalKey(Schema.Int),
  isMemo: Schema.optionalKey(Schema.Boolean)
}, {
  keys: {
    unifiedCryptoassetId: "unified_cryptoasset_id",
    canWithdraw: "can_withdraw",
    canDeposit: "can_deposit",
    minWithdraw: "min_withdraw",
    maxWithdraw: "max_withdraw",
    makerFee: "maker_fee",
    takerFee: "taker_fee",
    minDeposit: "min_deposit",
    maxDeposit: "max_deposit",
    currencyPrecision: "currency_precision",
    isMemo: "is_memo"
  }
})

/**
 * An asset. Amounts are in units of it.
 *
 * - `unifiedCryptoassetId`: its number in a public registry; 0 when it has none
 * - `minWithdraw`, `maxWithdraw`, `minDeposit`, `maxDeposit`: bounds; a zero maximum is none
 * - `makerFee`, `takerFee`: in percent (`"0.1"` is 0.1 %)
 * - `currencyPrecision`: the most fractional digits of an amount
 * - `isMemo`: whether an address needs a memo
 *
 * @category models
 * @since 0.1.0
 */
export type Asset = typeof asset.schema.Type

const response = Wire.keyed(Ticker, asset.schema)

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "Assets.all",
  clause: "not in the document",
  method: "GET",
  path: "/api/v4/public/assets",
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
 * - `all`: every asset
 * - `get`: one asset; none when the exchange has no such asset
 *
 * @category services
 * @since 0.1.0
 */
export class Assets extends Context.Service<Assets, {
  readonly all: Effect.Effect<ReadonlyMap<Ticker, Asset>, Failure>
  readonly get: (ticker: Ticker) => Effect.Effect<Option.Option<Asset>, Failure>
}>()("effect-txc/endpoints/Assets") {
  static readonly layer: Layer.Layer<Assets, never, Call.PublicCall> = Layer.effect(
    Assets,
    Effect.gen(function*() {
      const call = (yield* Call.PublicCall).make(endpoint)
      return {
        all: Effect.withSpan(call({}), "Assets.all"),
        get: Effect.fn("Assets.get")(function*(ticker: Ticker) {
          return Option.fromUndefinedOr((yield* call({})).get(ticker))
        })
      }
    })
  )
}
