/**
 * The API keys of sub-accounts (the document, Endpoints §10).
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { SubAccountApiKeys } from "effect-txc"
 *
 * // Keys that may call any endpoint.
 * const unrestricted = Effect.gen(function*() {
 *   const keys = yield* SubAccountApiKeys.SubAccountApiKeys
 *   return yield* Stream.runCollect(Stream.filter(keys.stream(), ({ restrictAccess }) => !restrictAccess))
 * })
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type * as Call from "../client/call/Call.ts"
import * as PageService from "../client/make/PageService.ts"
import * as PageChecks from "../client/PageChecks.ts"
import * as Pages from "../client/Pages.ts"
import { type ApiKey, type ApiKeyId, SubAccountId } from "../domain/Identifiers.ts"
import { Limit, Offset } from "../domain/Paging.ts"
import type { UnixSeconds } from "../domain/Time.ts"
import * as ApiKeyFields from "../protocol/ApiKeyFields.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import type * as Errors from "../protocol/Errors.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * Selects the API keys to read, and sets the page size.
 *
 * @category models
 */
export interface StreamRequest {
  /** Only keys of this sub-account. */
  readonly subAccountId?: SubAccountId
  /** The maximum number of records per page, 1 to 100. Default 30 for a page, 100 for a stream. */
  readonly limit?: Limit
}

/**
 * The page of API keys to read.
 *
 * @category models
 */
export interface Request extends StreamRequest {
  /** The index of the page's first record, 0 to 10000. Default 0. */
  readonly offset?: Offset
}

const request = () =>
  Wire.struct<Request>({
    subAccountId: Schema.optionalKey(SubAccountId),
    limit: Schema.optionalKey(Limit),
    offset: Schema.optionalKey(Offset)
  })

/**
 * An endpoint that a restricted API key may call.
 *
 * @category models
 */
export interface AccessEndpoint {
  /** The endpoint's path. */
  readonly name: string
  /** The exchange's name for the endpoint. */
  readonly title: string
}

/**
 * A sub-account's API key. The exchange returns the key's secret only when it creates the key.
 *
 * @category models
 */
export interface SubAccountApiKey {
  /** The sub-account that the key belongs to. */
  readonly subAccountId: SubAccountId
  /** The id of this record (not the API key itself), assigned by the exchange. */
  readonly id: ApiKeyId
  /** The key's name, given by its owner. */
  readonly title: string
  /** Whether the key can be used. */
  readonly isEnabled: boolean
  /** The public API key. */
  readonly apiKey: ApiKey
  /** A value that stands for the key's permissions. The document does not explain the values. */
  readonly type: string
  /** The time when the key was last used, in Unix seconds. Absent when the key was never used. */
  readonly lastActivity?: UnixSeconds
  /** Whether the key may call only `accessEndpoints`. */
  readonly restrictAccess: boolean
  /** The endpoints that the key may call if it is restricted. */
  readonly accessEndpoints: ReadonlyArray<AccessEndpoint>
}

/**
 * The schema of {@link AccessEndpoint}.
 *
 * @category schemas
 */
export const AccessEndpoint: Schema.Codec<AccessEndpoint, unknown> = Wire.answer<AccessEndpoint>({
  name: Schema.String,
  title: Schema.String
}).schema

const fields = { ...ApiKeyFields.common, accessEndpoints: Schema.Array(AccessEndpoint) }

/**
 * The schema of {@link SubAccountApiKey}.
 *
 * @category schemas
 */
export const SubAccountApiKey: Schema.Codec<SubAccountApiKey, unknown> =
  Wire.answer<SubAccountApiKey>(fields, ApiKeyFields.spelling).schema

/** A key as received, including its secret, which is expected to be empty. */
interface Received extends SubAccountApiKey {
  readonly apiSecret: string
}

/**
 * A page of API keys. The live exchange lists the newest key first.
 *
 * @category models
 */
export interface Page extends Pages.Page<SubAccountApiKey> {
  /** The index of the page's first record. */
  readonly offset: Offset
  /** The page size: the maximum number of records per page. */
  readonly limit: Limit
}

interface ReceivedPage extends Page {
  readonly records: ReadonlyArray<Received>
}

const response = Wire.answer<ReceivedPage>({
  limit: Limit,
  offset: Offset,
  records: Schema.Array(
    Wire.answer<Received>({ ...fields, apiSecret: Schema.String }, ApiKeyFields.spelling).schema
  )
}, { keys: { records: "data" } })

/**
 * The endpoint `POST /api/v4/sub-account/api-key/list` (the document, Endpoints §10).
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "SubAccountApiKeys.page",
  clause: "Endpoints §10",
  path: "/api/v4/sub-account/api-key/list",
  access: "private",
  mutates: false,
  refusals: ["InvalidFields"],
  request,
  response: () => response.schema,
  example: (): Request => ({
    subAccountId: SubAccountId.make("5c9d2e7a-6f31-4c0e-9a55-7d20f7d6a1b4"),
    limit: Limit.make(5)
  })
})

/**
 * Errors that can occur when reading API keys.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/** Removes the secrets. If the exchange sent a secret, logs a warning that does not contain it. */
const withoutSecrets = Effect.fnUntraced(function*({ limit, offset, records }: ReceivedPage) {
  const keys: Array<SubAccountApiKey> = []
  for (const { apiSecret, ...key } of records) {
    if (apiSecret !== "") {
      yield* Effect.logWarning(`The exchange returned the secret of API key record ${key.id}; the client removed it`)
    }
    keys.push(key)
  }
  return { limit, offset, records: keys }
})

/**
 * Reads the API keys of the account's sub-accounts.
 *
 * @category services
 */
export class SubAccountApiKeys extends Context.Service<SubAccountApiKeys, {
  /**
   * Reads one page.
   *
   * Fails with `InvalidFields` when the account has no sub-account with the requested id, and with `UnexpectedResponse`
   * when the response is not the requested page.
   */
  readonly page: (request?: Request) => Effect.Effect<Page, Failure>
  /** Reads all API keys, page by page. See `Pages.stream` for the guarantees. */
  readonly stream: (
    request?: StreamRequest
  ) => Stream.Stream<SubAccountApiKey, Failure | Errors.PageCeilingReached | Errors.ListShifted>
}>()("effect-txc/endpoints/SubAccountApiKeys") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<SubAccountApiKeys, never, Call.Call> = PageService.layer(
    SubAccountApiKeys,
    endpoint,
    (name, request) => (page) => Effect.flatMap(PageChecks.checkEcho(name, request)(page), withoutSecrets),
    ({ id }) => id
  )
}
