/**
 * Deletes a sub-account (the document, Endpoints §11).
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { DeleteSubAccount, type Identifiers } from "effect-txc"
 *
 * const close = Effect.fnUntraced(function*(id: Identifiers.SubAccountId) {
 *   const subAccounts = yield* DeleteSubAccount.DeleteSubAccount
 *   yield* subAccounts.delete({ id })
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import { SubAccountId } from "../domain/Identifiers.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Json from "../protocol/Json.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * A sub-account to delete.
 *
 * @category models
 */
export interface Request {
  /** The sub-account id, assigned by the exchange. */
  readonly id: SubAccountId
}

const request = () => Wire.struct<Request>({ id: SubAccountId })

/** An empty JSON object. In the document's dialect, a server may add fields. The live exchange may omit the body. */
const response = ({ demandsAll }: Dialect) =>
  Wire.acknowledged({}, (wire) =>
    demandsAll
      ? Json.isObject(wire) && Wire.saysSuccess(wire)
      : wire === undefined || (Json.isObject(wire) && Object.keys(wire).length === 0))

/**
 * The endpoint `POST /api/v4/sub-account/delete` (the document, Endpoints §11).
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "DeleteSubAccount.delete",
  clause: "Endpoints §11",
  path: "/api/v4/sub-account/delete",
  access: "private",
  mutates: true,
  refusals: ["InvalidFields"],
  request,
  response,
  example: (): Request => ({ id: SubAccountId.make("2b7e1516-28ae-42a6-abf7-158809cf4f3c") })
})

/**
 * Errors that can occur when deleting a sub-account.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Deletes sub-accounts.
 *
 * @category services
 */
export class DeleteSubAccount extends Context.Service<DeleteSubAccount, {
  /**
   * Deletes a sub-account permanently.
   *
   * Fails with `InvalidFields` when the account has no sub-account with this id, or the sub-account still holds funds.
   */
  readonly delete: (request: Request) => Effect.Effect<void, Failure>
}>()("effect-txc/endpoints/DeleteSubAccount") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<DeleteSubAccount, never, Call.Call> = PlainService.layer(
    DeleteSubAccount,
    endpoint,
    (call) => ({ delete: call })
  )
}
