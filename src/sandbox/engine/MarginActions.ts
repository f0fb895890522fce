/** The owner actions for margin trading: prices, funding, the venue's margin policy, and the insurance account. */
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { Amount, Decimal, Price } from "../../domain/Decimal.ts"
import { MarketName, Ticker } from "../../domain/Identifiers.ts"
import type { MarginPolicy } from "../../domain/VenuePolicy.ts"
import type { FieldsOf } from "./FieldsOf.ts"

/** The options of the owner actions `MoveIndex` and `MoveMark`. */
export interface MoveReferenceOptions {
  /** The market whose index price or mark price is set. */
  readonly market: MarketName
  /**
   * The new price, in units of the quote currency. If `null`, the price is no longer fixed, and follows the market
   * again.
   */
  readonly price: Price | null
}

/** The options of the owner action `SetFunding`. Absent fields stay unchanged. */
export interface SetFundingOptions {
  /** The futures market. */
  readonly market: MarketName
  /**
   * The rate of the next settlements, as a ratio; may be negative. If `null`, the rate is again computed from the
   * market's premium.
   */
  readonly rate?: Decimal | null
  /**
   * The time between two settlements, in minutes; 1 to 1440. Settlements take place at whole multiples of this time,
   * counted from 1970.
   */
  readonly intervalMinutes?: number
  /** The upper limit for computed rates, as a ratio. */
  readonly cap?: Decimal
  /** The lower limit for computed rates, as a ratio. */
  readonly floor?: Decimal
}

/** A collateral asset and its weight. */
export interface CollateralWeight {
  /** The collateral asset. */
  readonly ticker: Ticker
  /** The part of the asset's value that is accepted as collateral; 0 to 1. */
  readonly weight: Decimal
}

/** The options of the owner action `SetMargin`. Absent fields stay unchanged. */
export interface SetMarginOptions extends Partial<MarginPolicy> {
  /** The new weights of collateral assets; assets not listed here keep their weights. */
  readonly weights?: ReadonlyArray<CollateralWeight>
}

/** The options of the owner action `SetInsurance`. */
export interface SetInsuranceOptions {
  /** The asset whose insurance balance is set. */
  readonly ticker: Ticker
  /** The new balance, in units of the asset; zero or more. */
  readonly amount: Decimal
}

const key = Schema.optionalKey

/** The fields of `MoveIndex` and `MoveMark`. */
export const MoveReference: FieldsOf<MoveReferenceOptions> & Schema.Struct.Fields = {
  market: MarketName,
  price: Schema.NullOr(Price)
}

/** The fields of `SetFunding`. */
export const SetFunding: FieldsOf<SetFundingOptions> & Schema.Struct.Fields = {
  market: MarketName,
  rate: key(Schema.NullOr(Decimal)),
  intervalMinutes: key(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1440 }))),
  cap: key(Decimal),
  floor: key(Decimal)
}

const Leverage = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 }))

/** The schema of the weights of collateral assets. */
export const weights = Schema.Array(Schema.Struct({ ticker: Ticker, weight: Decimal }))

/** The fields of a margin policy. */
export const policy = {
  defaultLeverage: Leverage,
  marginMaxLeverage: Leverage,
  leverageChange: Schema.Literals(["allowed", "refused"]),
  bracketSpan: Schema.Literals(["whole", "marginal"]),
  maintenanceShare: Amount,
  callRatio: Amount,
  partialShare: Amount,
  liquidationFee: Decimal,
  liquidity: Schema.Literals(["outside", "book"]),
  fundingClamp: Decimal,
  borrowRate: Decimal,
  oneWaySides: Schema.Literals(["ignored", "refused"]),
  opposite: Schema.Literals(["allowed", "refused"])
} satisfies FieldsOf<MarginPolicy>

/** The fields of `SetMargin`. */
export const SetMargin: FieldsOf<SetMarginOptions> & Schema.Struct.Fields = {
  ...Struct.map(policy, Schema.optionalKey),
  weights: key(weights)
}

/** The fields of `SetInsurance`. */
export const SetInsurance: FieldsOf<SetInsuranceOptions> & Schema.Struct.Fields = { ticker: Ticker, amount: Decimal }
