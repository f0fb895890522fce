/**
 * Creates API keys for sub-accounts.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Identifiers, SubAccount, SubAccountApiKeyCreation } from "effect-txc"
 *
 * const keyOf = Effect.fnUntraced(function*(subAccountId: Identifiers.SubAccountId) {
 *   const creation = yield* SubAccountApiKeyCreation.SubAccountApiKeyCreation
 *   const { apiKey, apiSecret } = yield* creation.create({
 *     subAccountId,
 *     title: SubAccount.KeyTitle.make("market making bot"),
 *     type: 1
 *   })
 *   return { apiKey, apiSecret }
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import * as Constraint from "../domain/Constraint.ts"
import { SubAccountId } from "../domain/Identifiers.ts"
import { KeyTitle } from "../domain/SubAccount.ts"
import { NonEmptyText } from "../domain/Text.ts"
import * as ApiKeyFields from "../protocol/ApiKeyFields.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"
import { AccessEndpoint, type SubAccountApiKey } from "./SubAccountApiKeys.ts"

/**
 * An API key to create.
 *
 * @category models
 */
export interface Request {
  /** The sub-account that the key belongs to. */
  readonly subAccountId: SubAccountId
  /** The key's name, not empty. */
  readonly title: KeyTitle
  /** The key's permissions: 1 allows reading and trading; 2 also allows deposits and withdrawals. */
  readonly type: 1 | 2
}

const types = Constraint.annotation({ kind: "oneOf", values: [1, 2] })

const request = () =>
  Wire.struct<Request>({
    subAccountId: SubAccountId,
    title: KeyTitle,
    type: Schema.Literals([1, 2]).annotate(types)
  })

/** The key's type: a number in this response, but a string in the live exchange's key lists. */
const Type = Schema.Union([Schema.String, Schema.Int]).pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform((type) => type.toString()),
    encode: SchemaGetter.transform((type): string | number => /^[0-9]$/u.test(type) ? Number(type) : type)
  })
)

/**
 * A new API key, with its secret.
 *
 * @category models
 */
export interface CreatedApiKey extends SubAccountApiKey {
  /** The secret that signs the key's calls. The exchange returns the secret only in this response. */
  readonly apiSecret: Redacted.Redacted
}

/**
 * The schema of {@link CreatedApiKey}.
 *
 * @category schemas
 */
export const CreatedApiKey: Schema.Codec<CreatedApiKey, unknown> = Wire.answer<CreatedApiKey>({
  ...ApiKeyFields.common,
  accessEndpoints: Schema.Array(AccessEndpoint),
  type: Type,
  apiSecret: Schema.RedactedFromValue(NonEmptyText)
}, ApiKeyFields.spelling).schema

/**
 * The endpoint `POST /api/v4/sub-account/api-key/create`.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "SubAccountApiKeyCreation.create",
  path: "/api/v4/sub-account/api-key/create",
  access: "private",
  mutates: true,
  refusals: ["InvalidFields"],
  success: "createdStatus",
  request,
  response: () => CreatedApiKey,
  example: (): Request => ({
    subAccountId: SubAccountId.make("c4e6a1d8-90b2-4f7e-8a63-3f1b5d2c7e90"),
    title: KeyTitle.make("market making bot"),
    type: 1
  })
})

/**
 * Errors that can occur when creating an API key.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Creates API keys for sub-accounts.
 *
 * @category services
 */
export class SubAccountApiKeyCreation extends Context.Service<SubAccountApiKeyCreation, {
  /**
   * Creates an API key for a sub-account. Store the key's secret, because no other call returns it.
   *
   * Fails with `InvalidFields` when the account has no sub-account with this id, and with `RequestRejected` (code 5)
   * when the sub-account already has 50 keys on the live exchange.
   */
  readonly create: (request: Request) => Effect.Effect<CreatedApiKey, Failure>
}>()("effect-txc/endpoints/SubAccountApiKeyCreation") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<SubAccountApiKeyCreation, never, Call.Call> = PlainService.layer(
    SubAccountApiKeyCreation,
    endpoint,
    (create) => ({ create })
  )
}
