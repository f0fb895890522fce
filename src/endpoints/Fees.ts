/**
 * Deposit and withdrawal fees and limits, by currency (the document, Endpoints §5).
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Fees } from "effect-txc"
 *
 * const withdrawable = Effect.gen(function*() {
 *   const fees = yield* Fees.Fees
 *   return (yield* fees.list).filter(({ canWithdraw }) => canWithdraw).map(({ ticker }) => ticker)
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import { Decimal } from "../domain/Decimal.ts"
import { Ticker } from "../domain/Identifiers.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

const request = () => Wire.struct({})

/**
 * The fees and limits of a currency's deposits or withdrawals. Zero means that a fee or limit does not apply. The
 * document mentions the flexible fee but does not explain it.
 *
 * @category models
 */
export interface TransferFee {
  /** The minimum flexible fee, in units of the currency. */
  readonly minFlex: Decimal
  /** The maximum flexible fee, in units of the currency. */
  readonly maxFlex: Decimal
  /** The flexible fee, in percent. */
  readonly percentFlex: Decimal
  /** The fixed fee, in units of the currency. */
  readonly fixed: Decimal
  /** The minimum amount, in units of the currency. */
  readonly minAmount: Decimal
  /** The maximum amount, in units of the currency. */
  readonly maxAmount: Decimal
}

/**
 * The schema of {@link TransferFee}.
 *
 * @category schemas
 */
export const TransferFee: Schema.Codec<TransferFee, unknown> = Wire.answer<TransferFee>({
  minFlex: Decimal,
  maxFlex: Decimal,
  percentFlex: Decimal,
  fixed: Decimal,
  minAmount: Decimal,
  maxAmount: Decimal
}).schema

/**
 * A currency's deposit and withdrawal fees and limits.
 *
 * @category models
 */
export interface Fee {
  /** The currency. */
  readonly ticker: Ticker
  /** The currency's full name. */
  readonly name: string
  /** Whether the currency can currently be deposited. */
  readonly canDeposit: boolean
  /** Whether the currency can currently be withdrawn. */
  readonly canWithdraw: boolean
  /** Deposit fees and limits. */
  readonly deposit: TransferFee
  /** Withdrawal fees and limits. */
  readonly withdraw: TransferFee
}

/** The live exchange has sometimes sent this flag as `"0"` and `"1"`. */
const readFlag = (wire: unknown): unknown => wire === "1" ? true : wire === "0" ? false : wire

const Flag = Schema.Literals(["0", "1"])

const fee = ({ older }: Dialect) =>
  Wire.answer<Fee>({
    ticker: Ticker,
    name: Schema.String,
    canDeposit: older(Schema.Boolean, () => Flag, readFlag),
    canWithdraw: older(Schema.Boolean, () => Flag, readFlag),
    deposit: TransferFee,
    withdraw: TransferFee
  }, { keys: { canDeposit: "can_deposit", canWithdraw: "can_withdraw" } })

const response = (dialect: Dialect) => Schema.Array(fee(dialect).schema)

/**
 * The endpoint `POST /api/v4/main-account/fee` (the document, Endpoints §5).
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "Fees.list",
  clause: "Endpoints §5",
  path: "/api/v4/main-account/fee",
  access: "private",
  mutates: false,
  refusals: [],
  request,
  response,
  example: () => ({})
})

/**
 * Errors that can occur when reading deposit and withdrawal fees.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads deposit and withdrawal fees.
 *
 * @category services
 */
export class Fees extends Context.Service<Fees, {
  /** Reads the deposit and withdrawal fees of all currencies. */
  readonly list: Effect.Effect<ReadonlyArray<Fee>, Failure>
}>()("effect-txc/endpoints/Fees") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<Fees, never, Call.Call> = PlainService.layer(
    Fees,
    endpoint,
    (call) => ({ list: call({}) })
  )
}
