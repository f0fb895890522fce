/**
 * Deleting a sub-account (document, Endpoints §11).
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Call from "../client/call/Call.ts"
import { SubAccountId } from "../domain/Identifiers.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Json from "../protocol/Json.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

const request = Wire.struct({ id: SubAccountId })

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

/** An empty JSON object; the live exchange may leave even that out. */
const response = ({ demandsAll }: Dialect) =>
  Wire.acknowledged({}, (wire) => Json.isObject(wire) || (wire === undefined && !demandsAll))

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "DeleteSubAccount.delete",
  clause: "Endpoints §11",
  method: "POST",
  path: "/api/v4/sub-account/delete",
  access: "private",
  b2b: false,
  mutates: true,
  rateLimit: { calls: 1000, perSeconds: 10 },
  envelope: "required",
  errorFamily: "account",
  refusals: ["InvalidFields"],
  request: () => request,
  response
})

/** @category models */
export type Request = Endpoint.Request<typeof endpoint>
/** @category errors */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * - `delete`: deletes a sub-account for good
 *
 * @category services
 * @since 0.1.0
 */
export class DeleteSubAccount extends Context.Service<DeleteSubAccount, {
  readonly delete: (request: Request) => Effect.Effect<void, Failure>
}>()("effect-txc/endpoints/DeleteSubAccount") {
  static readonly layer: Layer.Layer<DeleteSubAccount, never, Call.Call> = Layer.effect(
    DeleteSubAccount,
    Effect.gen(function*() {
      const call = (yield* Call.Call).make(endpoint)
      return {
        delete: Effect.fn("DeleteSubAccount.delete")(function*(request: Request) {
          yield* call(request)
        })
      }
    })
  )
}
