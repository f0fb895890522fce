/**
 * Creating sub-accounts.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Call from "../client/call/Call.ts"
import * as Constraint from "../domain/Constraint.ts"
import { Alias, Email } from "../domain/SubAccount.ts"
import { Flag } from "../domain/Text.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"
import { SubAccount } from "./SubAccounts.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

/**
 * - `alias`: its name, which no other sub-account of the account has
 * - `email`: needed unless the verification is shared
 * - `shareKyc`: whether it shares the main account's verification; default false
 * - `permissions`: whether funds may be moved to its trade and to its collateral balance
 */
const request = Wire.struct({
  alias: Alias,
  email: Schema.optionalKey(Email),
  shareKyc: Schema.optionalKey(Flag),
  permissions: Schema.Struct({ spotEnabled: Flag, collateralEnabled: Flag }).annotate(
    Constraint.annotation({ kind: "type", type: "object" })
  )
}, {
  constraints: [{
    field: "email",
    constraint: { kind: "required" },
    holds: ({ email, shareKyc }) => email !== undefined || shareKyc === true
  }]
})

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "SubAccountCreation.create",
  clause: "not in the document",
  method: "POST",
  path: "/api/v4/sub-account/create",
  access: "private",
  b2b: false,
  mutates: true,
  rateLimit: { calls: 1000, perSeconds: 10 },
  envelope: "required",
  errorFamily: "account",
  refusals: ["InvalidFields"],
  request: () => request,
  response: () => SubAccount
})

/** @category models */
export type Request = Endpoint.Request<typeof endpoint>
/** @category errors */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * - `create`: opens a sub-account, and gives it as `SubAccounts` lists it
 *
 * @category services
 * @since 0.1.0
 */
export class SubAccountCreation extends Context.Service<SubAccountCreation, {
  readonly create: (request: Request) => Effect.Effect<SubAccount, Failure>
}>()("effect-txc/endpoints/SubAccountCreation") {
  static readonly layer: Layer.Layer<SubAccountCreation, never, Call.Call> = Layer.effect(
    SubAccountCreation,
    Effect.gen(function*() {
      const call = (yield* Call.Call).make(endpoint)
      return {
        create: Effect.fn("SubAccountCreation.create")(function*(request: Request) {
          return yield* call(request)
        })
      }
    })
  )
}
