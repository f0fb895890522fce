/**
 * Deposit and withdrawal fees and limits. Public.
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
 * A fee charged as a percentage of the amount, with a minimum and a maximum fee.
 *
 * @category models
 */
export interface FlexibleFee {
  /** The fee, as a percentage of the amount. */
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
  /** The minimum amount. The exchange may omit this field. */
  readonly minAmount?: Decimal
  /** The maximum amount; zero means no maximum. The exchange may omit this field. */
  readonly maxAmount?: Decimal
  /** The fixed fee. Absent when there is no such fee. */
  readonly fixed?: Decimal
  /** The fee charged as a percentage of the amount. Absent when there is no such fee. */
  readonly flexible?: FlexibleFee
}

/**
 * A payment provider's deposit or withdrawal terms.
 *
 * @category models
 */
export interface ProviderTerms extends Terms {
  /** The provider's id. */
  readonly ticker: string
  /** The provider's name. */
  readonly name: string
  /** Whether the provider currently accepts deposits. Absent in withdrawal terms. */
  readonly canDeposit?: boolean
  /** Whether the provider currently pays out withdrawals. Absent in deposit terms. */
  readonly canWithdraw?: boolean
  /** Whether a deposit can be made through the API. The exchange may omit this field. */
  readonly canDepositByCall?: boolean
  /** Whether a withdrawal can be made through the API. The exchange may omit this field. */
  readonly canWithdrawByCall?: boolean
}

/**
 * The terms of deposits or withdrawals: one set for a crypto asset, or one set per payment provider for a fiat
 * currency.
 *
 * @category models
 */
export type Direction =
  | {
    readonly _tag: "Asset"
    /** The asset's terms. */
    readonly terms: Terms
  }
  | {
    readonly _tag: "Providers"
    /** Each provider's terms, keyed by provider id. */
    readonly terms: ReadonlyMap<string, ProviderTerms>
  }

/**
 * An asset's deposit and withdrawal fees and limits.
 *
 * @category models
 */
export interface PublicFee {
  /** The asset's ticker. */
  readonly ticker: string
  /** The asset's full name. */
  readonly name: string
  /** The ids of a fiat currency's payment providers; empty for a crypto asset. */
  readonly providers: ReadonlyArray<string>
  /** Whether the asset can currently be deposited. Absent means no. */
  readonly canDeposit?: boolean
  /** Whether the asset can currently be withdrawn. Absent means no. */
  readonly canWithdraw?: boolean
  /** Whether a deposit can be made through the API. The exchange may omit this field. */
  readonly canDepositByCall?: boolean
  /** Whether a withdrawal can be made through the API. The exchange may omit this field. */
  readonly canWithdrawByCall?: boolean
  /** Deposit fees and limits. */
  readonly deposit: Direction
  /** Withdrawal fees and limits. */
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

/** The exchange writes `null` for a fee that does not exist. */
const noFee = { value: null, when: () => true, demanded: false }

const termsAbsent = { fixed: noFee, flexible: noFee }

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

const terms = () => Wire.answer<Terms>(termsFields(), { keys: termsKeys, absent: termsAbsent }).schema

const providers = () =>
  Wire.keyed(
    Schema.String,
    Wire.answer<ProviderTerms>(
      { ticker: Schema.String, name: Schema.String, ...termsFields(), ...abilityFields() },
      { keys: { ...termsKeys, ...abilityKeys }, absent: termsAbsent }
    ).schema
  )

/** Creates the schema of one case of `Direction`: the decoded terms together with the case's tag. */
const tagged = <const Tag extends string, A>(tag: Tag, terms: Schema.Codec<A, unknown>) =>
  terms.pipe(
    Schema.decodeTo(Schema.TaggedStruct(tag, { terms: Schema.toType(terms) }), {
      decode: SchemaGetter.transform((terms) => ({ _tag: tag, terms })),
      encode: SchemaGetter.transform(({ terms }) => terms)
    })
  )

/** The wire keys that an asset's terms may have. Any other key is a provider id. */
const assetKeys = ["min_amount", "max_amount", "fixed", "flex"]

/**
 * Accepts an object that has at least one of the wire keys of an asset's terms. All other objects contain terms by
 * provider id.
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

/**
 * The wire format has no tag, so the terms are decoded as provider terms if possible, and otherwise as an asset's
 * terms. An asset's terms can't be mistaken for provider terms, because none of their fields is an object with a
 * provider's terms.
 */
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

// Keys can be any string, because the exchange has used keys such as `USDT (ERC20)`.
const response = () => Wire.keyed(Schema.String, fee().schema)

/**
 * The endpoint `GET /api/v4/public/fee`. Source: the live exchange's documentation, Public HTTP API V4, "Fee".
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
 * Errors that can occur when reading public deposit and withdrawal fees.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads deposit and withdrawal fees and limits.
 *
 * @category services
 */
export class PublicFees extends Context.Service<PublicFees, {
  /** Reads the deposit and withdrawal fees of all assets, keyed by ticker. */
  readonly all: Effect.Effect<ReadonlyMap<string, PublicFee>, Failure>
}>()("effect-txc/endpoints/PublicFees") {
  /** Provides this service. Requires `PublicCall`. */
  static readonly layer: Layer.Layer<PublicFees, never, Call.PublicCall> = PlainService.layerPublic(
    PublicFees,
    endpoint,
    (call) => ({ all: call({}) })
  )
}
