/**
 * The exchange's assets: their fees and limits, and whether they can be deposited and withdrawn. Public.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Option from "effect/Option"
 * import { Assets, Identifiers } from "effect-txc"
 *
 * const isWithdrawable = Effect.gen(function*() {
 *   const assets = yield* Assets.Assets
 *   return Option.exists(yield* assets.get(Identifiers.ticker("BTC")), ({ canWithdraw }) => canWithdraw)
 * })
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import * as Observation from "../client/Observation.ts"
import { Decimal } from "../domain/Decimal.ts"
import { Ticker } from "../domain/Identifiers.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

const request = () => Wire.struct({})

/**
 * The networks of a crypto asset, or the payment providers of a fiat currency.
 *
 * @category models
 */
export interface Routes {
  /** The names of the networks or providers that accept deposits. */
  readonly deposits?: ReadonlyArray<string>
  /** The names of the networks or providers that pay out withdrawals. */
  readonly withdraws?: ReadonlyArray<string>
  /** The name of the default network or provider, which is used when a request does not name one. */
  readonly default?: string
}

/**
 * The minimum and maximum amount of a single deposit or withdrawal, in units of the asset.
 *
 * @category models
 */
export interface Bounds {
  /** The minimum amount. */
  readonly min?: Decimal
  /** The maximum amount. Absent when there is no maximum. */
  readonly max?: Decimal
}

/**
 * Deposit and withdrawal limits, keyed by network.
 *
 * @category models
 */
export interface Limits {
  /** Deposit limits, keyed by network. */
  readonly deposit?: ReadonlyMap<string, Bounds>
  /** Withdrawal limits, keyed by network. */
  readonly withdraw?: ReadonlyMap<string, Bounds>
}

/**
 * Whether an address needs a memo.
 *
 * @category models
 */
export interface Memo {
  /** Whether a deposit address needs a memo. */
  readonly deposit?: boolean
  /** Whether a withdrawal address needs a memo. */
  readonly withdraw?: boolean
}

/**
 * An asset.
 *
 * @category models
 */
export interface Asset {
  /** The asset's full name. */
  readonly name: string
  /** The asset's id at CoinMarketCap; 0 when it has no such id. */
  readonly unifiedCryptoassetId?: number
  /** Whether the asset can currently be withdrawn. */
  readonly canWithdraw: boolean
  /** Whether the asset can currently be deposited. */
  readonly canDeposit: boolean
  /** The minimum withdrawal, in units of the asset. */
  readonly minWithdraw: Decimal
  /** The maximum withdrawal, in units of the asset; zero when there is no maximum. */
  readonly maxWithdraw: Decimal
  /** The maker fee, in percent (`"0.1"` is 0.1%). */
  readonly makerFee: Decimal
  /** The taker fee, in percent (`"0.1"` is 0.1%). */
  readonly takerFee: Decimal
  /** The minimum deposit, in units of the asset. */
  readonly minDeposit: Decimal
  /** The maximum deposit, in units of the asset; zero when there is no maximum. */
  readonly maxDeposit: Decimal
  /** The maximum number of decimal places in an amount. */
  readonly currencyPrecision?: number
  /** Whether an address needs a memo. */
  readonly isMemo?: boolean
  /** Whether deposit and withdrawal addresses need a memo. */
  readonly memo?: Memo
  /** The asset's networks. */
  readonly networks?: Routes
  /** The payment providers of a fiat currency. */
  readonly providers?: Routes
  /** Deposit and withdrawal limits, keyed by network. */
  readonly limits?: Limits
  /** The number of confirmations that a deposit needs, keyed by network. */
  readonly confirmations?: ReadonlyMap<string, number>
}

const routes = () =>
  Wire.answer<Routes>({
    deposits: Schema.optionalKey(Schema.Array(Schema.String)),
    withdraws: Schema.optionalKey(Schema.Array(Schema.String)),
    default: Schema.optionalKey(Schema.String)
  }).schema

const bounds = () =>
  Wire.keyed(
    Schema.String,
    Wire.answer<Bounds>({ min: Schema.optionalKey(Decimal), max: Schema.optionalKey(Decimal) }).schema
  )

const limits = () =>
  Wire.answer<Limits>({
    deposit: Schema.optionalKey(bounds()),
    withdraw: Schema.optionalKey(bounds())
  }).schema

const memo = () =>
  Wire.answer<Memo>({
    deposit: Schema.optionalKey(Schema.Boolean),
    withdraw: Schema.optionalKey(Schema.Boolean)
  }).schema

const digits = /^(?:0|[1-9][0-9]{0,14})$/u

/** The exchange has sometimes sent the CoinMarketCap id as a string. */
const readNumber = (wire: unknown): unknown => typeof wire === "string" && digits.test(wire) ? Number(wire) : wire

const asset = ({ older }: Dialect) =>
  Wire.answer<Asset>({
    name: Schema.String,
    unifiedCryptoassetId: Schema.optionalKey(
      older(Schema.Int, () => Schema.String.check(Schema.isPattern(digits)), readNumber)
    ),
    canWithdraw: Schema.Boolean,
    canDeposit: Schema.Boolean,
    minWithdraw: Decimal,
    maxWithdraw: Decimal,
    makerFee: Decimal,
    takerFee: Decimal,
    minDeposit: Decimal,
    maxDeposit: Decimal,
    currencyPrecision: Schema.optionalKey(Schema.Int),
    isMemo: Schema.optionalKey(Schema.Boolean),
    memo: Schema.optionalKey(memo()),
    networks: Schema.optionalKey(routes()),
    providers: Schema.optionalKey(routes()),
    limits: Schema.optionalKey(limits()),
    confirmations: Schema.optionalKey(Wire.keyed(Schema.String, Schema.Int))
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

const response = (dialect: Dialect) => Wire.keyed(Ticker, asset(dialect).schema)

/**
 * The endpoint `GET /api/v4/public/assets`.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "Assets.all",
  path: "/api/v4/public/assets",
  access: "public",
  mutates: false,
  refusals: [],
  request,
  response,
  example: () => ({})
})

/**
 * Errors that can occur when reading assets.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the assets.
 *
 * @category services
 */
export class Assets extends Context.Service<Assets, {
  /** Reads all assets. */
  readonly all: Effect.Effect<ReadonlyMap<Ticker, Asset>, Failure>
  /** Reads all assets and returns the one with this ticker; `Option.none` when the exchange does not list the asset. */
  readonly get: (ticker: Ticker) => Effect.Effect<Option.Option<Asset>, Failure>
}>()("effect-txc/endpoints/Assets") {
  /** Provides this service. Requires `PublicCall`. */
  static readonly layer: Layer.Layer<Assets, never, Call.PublicCall> = PlainService.layerPublic(
    Assets,
    endpoint,
    (call) => ({
      all: call({}),
      get: (ticker) =>
        Observation.spanned(
          "Assets.get",
          Effect.map(call({}), (assets) => Option.fromUndefinedOr(assets.get(ticker)))
        )
    })
  )
}
