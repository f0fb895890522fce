/**
 * The public fees and limits of deposits and withdrawals.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { PublicFees } from "effect-txc"
 *
 * const fixedFee = Effect.gen(function*() {
 *   const fees = yield* PublicFees.PublicFees
 *   const withdraw = (yield* fees.all).get("BTC")?.withdraw
 *   return withdraw?._tag === "Asset" ? withdraw.terms.fixed : undefined
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
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Json from "../protocol/Json.ts"
import * as Wire from "../protocol/Wire.ts"

const request = () => Wire.struct({})

/**
 * A fee that depends on the amount.
 *
 * @category models
 */
export interface FlexibleFee {
  /** The fee, in percent of the amount. */
  readonly percent: Decimal
  /** The minimum fee, in units of the asset. */
  readonly min: Decimal
  /** The maximum fee, in units of the asset. */
  readonly max: Decimal
}

/**
 * The fees and limits of a deposit or withdrawal, in units of the asset.
 *
 * @category models
 */
export interface Terms {
  /** The minimum amount. Absent when the exchange does not say. */
  readonly minAmount?: Decimal
  /** The maximum amount; zero means no maximum. Absent when the exchange omits it. */
  readonly maxAmount?: Decimal
  /** The fixed fee. Absent without one. */
  readonly fixed?: Decimal
  /** The fee that depends on the amount. Absent without one. */
  readonly flexible?: FlexibleFee
}

/**
 * The terms of one payment provider.
 *
 * @category models
 */
export interface ProviderTerms extends Terms {
  /** The identifier of the provider. */
  readonly ticker: string
  /** The name of the provider. */
  readonly name: string
  /** Whether the provider accepts deposits now. Absent in the terms of withdrawals. */
  readonly canDeposit?: boolean
  /** Whether the provider pays out withdrawals now. Absent in the terms of deposits. */
  readonly canWithdraw?: boolean
  /** Whether a deposit can be made through the API. Absent when the exchange does not say. */
  readonly canDepositByCall?: boolean
  /** Whether a withdrawal can be made through the API. Absent when the exchange does not say. */
  readonly canWithdrawByCall?: boolean
}

/**
 * The terms of the asset, or of each provider of a national currency, by provider identifier.
 *
 * @category models
 */
export type Direction =
  | {
    readonly _tag: "Asset"
    /** The terms of the asset. */
    readonly terms: Terms
  }
  | {
    readonly _tag: "Providers"
    /** The terms of each provider, by identifier. */
    readonly terms: ReadonlyMap<string, ProviderTerms>
  }

/**
 * The fees and limits of an asset.
 *
 * @category models
 */
export interface PublicFee {
  /** The asset's ticker. */
  readonly ticker: string
  /** The asset's full name. */
  readonly name: string
  /** The identifiers of the providers of a national currency; empty for any other asset. */
  readonly providers: ReadonlyArray<string>
  /** Whether the asset can be deposited now. Absent means no. */
  readonly canDeposit?: boolean
  /** Whether the asset can be withdrawn now. Absent means no. */
  readonly canWithdraw?: boolean
  /** Whether a deposit can be made through the API. Absent when the exchange does not say. */
  readonly canDepositByCall?: boolean
  /** Whether a withdrawal can be made through the API. Absent when the exchange does not say. */
  readonly canWithdrawByCall?: boolean
  /** The fees and limits of a deposit. */
  readonly deposit: Direction
  /** The fees and limits of a withdrawal. */
  readonly withdraw: Direction
}

const flexible = () =>
  Wire.answer<FlexibleFee>(
    { percent: Decimal, min: Decimal, max: Decimal },
    { keys: { min: "min_fee", max: "max_fee" } }
  ).schema

const termsFields = () => ({
  minAmount: Schema.optionalKey(Decimal),
  maxAmount: Schema.optionalKey(Decimal),
  fixed: Schema.optionalKey(Decimal),
  flexible: Schema.optionalKey(flexible())
})

const termsKeys = { minAmount: "min_amount", maxAmount: "max_amount", flexible: "flex" }

const abilityFields = () => ({
  canDeposit: Schema.optionalKey(Schema.Boolean),
  canWithdraw: Schema.optionalKey(Schema.Boolean),
  canDepositByCall: Schema.optionalKey(Schema.Boolean),
  canWithdrawByCall: Schema.optionalKey(Schema.Boolean)
})

const abilityKeys = {
  canDeposit: "is_depositable",
  canWithdraw: "is_withdrawal",
  canDepositByCall: "is_api_depositable",
  canWithdrawByCall: "is_api_withdrawal"
}

const terms = () => Wire.answer<Terms>(termsFields(), { keys: termsKeys }).schema

const providers = () =>
  Wire.keyed(
    Schema.String,
    Wire.answer<ProviderTerms>(
      { ticker: Schema.String, name: Schema.String, ...termsFields(), ...abilityFields() },
      { keys: { ...termsKeys, ...abilityKeys } }
    ).schema
  )

/** Wraps a codec as the `terms` of a direction. */
const tagged = <const Tag extends string, A>(tag: Tag, terms: Schema.Codec<A, unknown>) =>
  terms.pipe(
    Schema.decodeTo(Schema.TaggedStruct(tag, { terms: Schema.toType(terms) }), {
      decode: SchemaGetter.transform((terms) => ({ _tag: tag, terms })),
      encode: SchemaGetter.transform(({ terms }) => terms)
    })
  )

/** The keys of an asset's own terms. */
const assetKeys = ["min_amount", "max_amount", "fixed", "flex"]

/**
 * Whether a direction has an asset's terms, recognised by one of their fields. Otherwise its keys are names of
 * providers.
 */
const ofAsset = Schema.Unknown.check(
  Schema.makeFilter(
    (wire) => Json.isObject(wire) && assetKeys.some((key) => key in wire),
    {
      expected: "the terms of an asset",
      toJsonSchema: () => ({ type: "object", anyOf: assetKeys.map((key) => ({ required: [key] })) })
    }
  )
)

/** The wire does not say which of the two it is. No value of an asset's own terms is the terms of a provider. */
const direction = (): Schema.Codec<Direction, unknown> =>
  Schema.Union([tagged("Providers", providers()), tagged("Asset", ofAsset.pipe(Schema.decodeTo(terms())))])

const fee = () =>
  Wire.answer<PublicFee>({
    ticker: Schema.String,
    name: Schema.String,
    providers: Schema.Array(Schema.String),
    ...abilityFields(),
    deposit: direction(),
    withdraw: direction()
  }, { keys: abilityKeys })

// The exchange has used keys such as `USDT (ERC20)`.
const response = () => Wire.keyed(Schema.String, fee().schema)

/**
 * `GET /api/v4/public/fee`. Source: the live exchange's documentation, Public HTTP API V4, "Fee".
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "PublicFees.all",
  path: "/api/v4/public/fee",
  access: "public",
  mutates: false,
  refusals: [],
  request,
  response,
  example: () => ({})
})

/**
 * Errors that reading the public fees can fail with.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the fees and limits of deposits and withdrawals.
 *
 * @category services
 */
export class PublicFees extends Context.Service<PublicFees, {
  /** Reads the fees of all assets, by their tickers. */
  readonly all: Effect.Effect<ReadonlyMap<string, PublicFee>, Failure>
}>()("effect-txc/endpoints/PublicFees") {
  /** Makes the service from public calls. */
  static readonly layer: Layer.Layer<PublicFees, never, Call.PublicCall> = PlainService.layerPublic(
    PublicFees,
    endpoint,
    (call) => ({ all: call({}) })
  )
}
