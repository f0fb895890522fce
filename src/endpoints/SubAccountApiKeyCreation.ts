/**
 * Creating API keys of sub-accounts.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as Call from "../client/call/Call.ts"
import * as Constraint from "../domain/Constraint.ts"
import { SubAccountId } from "../domain/Identifiers.ts"
import { KeyTitle } from "../domain/SubAccount.ts"
import { NonEmptyText } from "../domain/Text.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"
import { SubAccountApiKey } from "./SubAccountApiKeys.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

const types = Constraint.annotation({ kind: "oneOf", values: [1, 2] })

/**
 * - `subAccountId`: whose key
 * - `title`: its name
 * - `type`: 1 may read and trade, 2 may deposit and withdraw too
 */
const request = Wire.struct({
  subAccountId: SubAccountId,
  title: KeyTitle,
  type: Schema.Literals([1, 2]).annotate(types)
})

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

/** The live exchange writes the type as a number here and as a text in lists. */
const Type = Schema.Union([Schema.String, Schema.Int]).pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform((type) => type.toString()),
    encode: SchemaGetter.transform((type): string | number => /^[0-9]$/u.test(type) ? Number(type) : type)
  })
)

/**
 * A key as `SubAccountApiKeys` lists it, with its secret: the exchange shows it this once and never again.
 *
 * @category models
 * @since 0.1.0
 */
export const CreatedApiKey = Schema.Struct({
  ...SubAccountApiKey.fields,
  type: Type,
  apiSecret: Schema.RedactedFromValue(NonEmptyText)
})
/** @category models */
export type CreatedApiKey = typeof CreatedApiKey.Type

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "SubAccountApiKeyCreation.create",
  clause: "not in the document",
  method: "POST",
  path: "/api/v4/sub-account/api-key/create",
  access: "private",
  b2b: false,
  mutates: true,
  rateLimit: { calls: 1000, perSeconds: 10 },
  envelope: "required",
  errorFamily: "account",
  refusals: ["InvalidFields"],
  request: () => request,
  response: () => CreatedApiKey
})

/** @category models */
export type Request = Endpoint.Request<typeof endpoint>
/** @category errors */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * - `create`: makes a key of a sub-account. Keep its secret: no other call shows it.
 *
 * @category services
 * @since 0.1.0
 */
export class SubAccountApiKeyCreation extends Context.Service<SubAccountApiKeyCreation, {
  readonly create: (request: Request) => Effect.Effect<CreatedApiKey, Failure>
}>()("effect-txc/endpoints/SubAccountApiKeyCreation") {
  static readonly layer: Layer.Layer<SubAccountApiKeyCreation, never, Call.Call> = Layer.effect(
    SubAccountApiKeyCreation,
    Effect.gen(function*() {
      const call = (yield* Call.Call).make(endpoint)
      return {
        create: Effect.fn("SubAccountApiKeyCreation.create")(function*(request: Request) {
          return yield* call(request)
        })
      }
    })
  )
}
