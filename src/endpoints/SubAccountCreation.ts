/**
 * Creates sub-accounts.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { SubAccount, SubAccountCreation } from "effect-txc"
 *
 * const create = Effect.gen(function*() {
 *   const creation = yield* SubAccountCreation.SubAccountCreation
 *   return yield* creation.create({
 *     alias: SubAccount.Alias.make("hedging desk"),
 *     shareKyc: true,
 *     permissions: { spotEnabled: true, collateralEnabled: false }
 *   })
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import * as Constraint from "../domain/Constraint.ts"
import { Alias, Email } from "../domain/SubAccount.ts"
import { Flag } from "../domain/Text.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"
import { type Permissions, SubAccount } from "./SubAccounts.ts"

/**
 * A sub-account to create.
 *
 * @category models
 */
export interface Request {
  /** The sub-account's name, not empty and unique within the account. */
  readonly alias: Alias
  /** The sub-account's e-mail address. Required unless `shareKyc` is `true`. */
  readonly email?: Email
  /** Whether the sub-account shares the main account's identity verification (KYC). Default `false`. */
  readonly shareKyc?: boolean
  /** The sub-account's permissions to trade on spot markets and on margin. */
  readonly permissions: Permissions
}

const request = () =>
  Wire.struct<Request>({
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

/**
 * The endpoint `POST /api/v4/sub-account/create`.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "SubAccountCreation.create",
  path: "/api/v4/sub-account/create",
  access: "private",
  mutates: true,
  refusals: ["InvalidFields"],
  success: "createdStatus",
  request,
  response: () => SubAccount,
  example: (): Request => ({
    alias: Alias.make("hedging desk"),
    email: Email.make("hedging@example.com"),
    shareKyc: true,
    permissions: { spotEnabled: true, collateralEnabled: false }
  })
})

/**
 * Errors that can occur when creating a sub-account.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Creates sub-accounts.
 *
 * @category services
 */
export class SubAccountCreation extends Context.Service<SubAccountCreation, {
  /**
   * Creates a sub-account and returns it.
   *
   * Fails with `InvalidFields` when the account already has a sub-account with this name.
   */
  readonly create: (request: Request) => Effect.Effect<SubAccount, Failure>
}>()("effect-txc/endpoints/SubAccountCreation") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<SubAccountCreation, never, Call.Call> = PlainService.layer(
    SubAccountCreation,
    endpoint,
    (create) => ({ create })
  )
}
