/**
 * Moves funds between an account's balances.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Decimal, Identifiers, Transfers } from "effect-txc"
 *
 * const toSpot = Effect.gen(function*() {
 *   const transfers = yield* Transfers.Transfers
 *   yield* transfers.create({
 *     ticker: Identifiers.ticker("USDT"),
 *     amount: Decimal.amount("100"),
 *     from: "main",
 *     to: "spot"
 *   })
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import { Amount, amount, fitsPrecision } from "../domain/Decimal.ts"
import { Ticker, ticker } from "../domain/Identifiers.ts"
import { oneOf } from "../domain/Text.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * The schema of {@link Balance}.
 *
 * @category schemas
 */
export const Balance = oneOf(["main", "spot", "collateral"])
/**
 * A balance of an account: `main` for codes and lending, `spot` for spot orders, `collateral` for margin trading.
 *
 * @category models
 */
export type Balance = typeof Balance.Type

/**
 * The funds to move.
 *
 * @category models
 */
export interface Funds {
  /** The asset. */
  readonly ticker: Ticker
  /** The amount to move, in units of the asset; at most 8 decimal places. */
  readonly amount: Amount
}

/**
 * A transfer.
 *
 * @category models
 */
export interface Request extends Funds {
  /** The source balance. */
  readonly from: Balance
  /** The target balance. Must differ from `from`. */
  readonly to: Balance
}

/**
 * The request as sent. Instead of `from` and `to`, the live exchange also accepts `method`, which it plans to remove.
 */
interface Sent extends Funds {
  /** The source balance. */
  readonly from?: Balance
  /** The target balance. */
  readonly to?: Balance
  /** One word that stands for the source and the target, such as `deposit`. */
  readonly method?: typeof Method.Type
}

const Method = oneOf(["deposit", "withdraw", "collateral-deposit", "collateral-withdraw"])

const request = ({ decimal, extension, omissible }: Dialect) =>
  Wire.struct<Sent>({
    ticker: Ticker,
    amount: decimal(Amount),
    from: omissible(Balance),
    to: omissible(Balance),
    method: extension(Method)
  }, {
    constraints: [{
      field: "from",
      constraint: { kind: "required" },
      holds: ({ from, method }) => from !== undefined || method !== undefined
    }, {
      field: "to",
      constraint: { kind: "required" },
      holds: ({ method, to }) => to !== undefined || method !== undefined
    }, {
      field: "to",
      constraint: { kind: "different", from: "from" },
      holds: ({ from, to }) => from === undefined || from !== to
    }, {
      field: "amount",
      constraint: { kind: "precision", step: "0.00000001" },
      holds: ({ amount }) => fitsPrecision(amount, 8)
    }]
  })

/** An empty list confirms the transfer. */
const response = Wire.emptyList

/**
 * The endpoint `POST /api/v4/main-account/transfer`.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "Transfers.create",
  path: "/api/v4/main-account/transfer",
  access: "private",
  mutates: true,
  refusals: ["InvalidFields"],
  success: "createdStatus",
  request,
  response,
  example: (): Sent => ({ ticker: ticker("USDT"), amount: amount("100"), from: "main", to: "spot" })
})

/**
 * Errors that can occur when transferring funds.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Moves funds between the account's balances.
 *
 * @category services
 */
export class Transfers extends Context.Service<Transfers, {
  /**
   * Moves an amount between two balances, immediately.
   *
   * Fails with `RequestRejected`, code 3, when the source balance is too low: `fields.amount` states how much can be
   * moved. On the live exchange, also with code 0 when a sub-account lacks the permission for the target balance, with
   * code 1 when the asset can't be withdrawn, and with code 2 when it can't be deposited. Fails with `InvalidFields`
   * when the asset is unknown.
   */
  readonly create: (request: Request) => Effect.Effect<void, Failure>
}>()("effect-txc/endpoints/Transfers") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<Transfers, never, Call.Call> = PlainService.layer(
    Transfers,
    endpoint,
    (create) => ({ create })
  )
}
