/**
 * Moving funds between an account's own balances.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Call from "../client/call/Call.ts"
import { Amount } from "../domain/Decimal.ts"
import { Ticker } from "../domain/Identifiers.ts"
import { oneOf } from "../domain/Text.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

/**
 * A balance of an account: `main` for codes and lending, `spot` for spot orders, `collateral` for margin.
 *
 * @category models
 * @since 0.1.0
 */
export const Balance = oneOf(["main", "spot", "collateral"])
/** @category models */
export type Balance = typeof Balance.Type

/**
 * - `ticker`: which asset
 * - `amount`: in units of the asset
 * - `from`, `to`: two different balances
 */
const request = Wire.struct({
  ticker: Ticker,
  amount: Amount,
  from: Balance,
  to: Balance
}, {
  constraints: [{ field: "to", constraint: { kind: "different", from: "from" }, holds: ({ from, to }) => from !== to }]
})

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

/** An empty list says that the transfer was made; any JSON of a success is taken for it. */
const response = Wire.acknowledged([], (wire) => wire !== undefined)

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "Transfers.create",
  clause: "not in the document",
  method: "POST",
  path: "/api/v4/main-account/transfer",
  access: "private",
  b2b: false,
  mutates: true,
  rateLimit: { calls: 1000, perSeconds: 10 },
  envelope: "required",
  errorFamily: "account",
  refusals: ["InvalidFields"],
  request: () => request,
  response: () => response
})

/** @category models */
export type Request = Endpoint.Request<typeof endpoint>
/** @category errors */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * - `create`: moves an amount at once. More than the balance holds is refused (`RequestRejected`).
 *
 * @category services
 * @since 0.1.0
 */
export class Transfers extends Context.Service<Transfers, {
  readonly create: (request: Request) => Effect.Effect<void, Failure>
}>()("effect-txc/endpoints/Transfers") {
  static readonly layer: Layer.Layer<Transfers, never, Call.Call> = Layer.effect(
    Transfers,
    Effect.gen(function*() {
      const call = (yield* Call.Call).make(endpoint)
      return {
        create: Effect.fn("Transfers.create")(function*(request: Request) {
          yield* call(request)
        })
      }
    })
  )
}
