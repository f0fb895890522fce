/**
 * The API keys of sub-accounts (document, Endpoints §10).
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import * as Call from "../client/call/Call.ts"
import * as Pages from "../client/Pages.ts"
import { ApiKey, ApiKeyId, SubAccountId } from "../domain/Identifiers.ts"
import { Limit, Offset } from "../domain/Paging.ts"
import { UnixSeconds } from "../domain/Time.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import type * as Errors from "../protocol/Errors.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

/**
 * - `subAccountId`: only keys of this sub-account
 * - `limit`: 1 to 100, default 30
 * - `offset`: 0 to 10000, default 0
 */
const request = Wire.struct({
  subAccountId: Schema.optionalKey(SubAccountId),
  limit: Schema.optionalKey(Limit),
  offset: Schema.optionalKey(Offset)
})

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

const fields = {
  subAccountId: SubAccountId,
  id: ApiKeyId,
  title: Schema.String,
  isEnabled: Schema.Boolean,
  apiKey: ApiKey,
  type: Schema.String,
  lastActivity: UnixSeconds,
  restrictAccess: Schema.Boolean,
  accessEndpoints: Schema.Array(Schema.Struct({ name: Schema.String, title: Schema.String }))
}

/**
 * One API key of a sub-account. The exchange shows a secret once, when a key is created, and answers an empty
 * `apiSecret` here; it is not a part of this value.
 *
 * - `id`: of the key's record
 * - `apiKey`: the public key
 * - `type`: a code whose values the document does not explain
 * - `lastActivity`: in Unix seconds
 * - `restrictAccess`: whether it may call only `accessEndpoints`
 *
 * @category models
 * @since 0.1.0
 */
export const SubAccountApiKey = Schema.Struct(fields)
/** @category models */
export type SubAccountApiKey = typeof SubAccountApiKey.Type

/** As received: with the secret, to see whether it is as empty as it must be. */
const Received = Schema.Struct({ ...fields, apiSecret: Schema.String })

const response = Wire.struct({
  limit: Limit,
  offset: Offset,
  records: Schema.Array(Received)
}, { keys: { records: "data" } })

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "SubAccountApiKeys.page",
  clause: "Endpoints §10",
  method: "POST",
  path: "/api/v4/sub-account/api-key/list",
  access: "private",
  b2b: false,
  mutates: false,
  rateLimit: { calls: 1000, perSeconds: 10 },
  envelope: "required",
  errorFamily: "account",
  refusals: ["InvalidFields"],
  request: () => request,
  response: () => response.schema
})

/** @category models */
export type Request = Endpoint.Request<typeof endpoint>
/** @category models */
export type Page = Pages.Page<SubAccountApiKey>
/** @category errors */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/** Drops every secret, and reports one that should never have been sent; the report does not hold it. */
const withoutSecrets = Effect.fnUntraced(function*(page: Endpoint.Response<typeof endpoint>) {
  const records: Array<SubAccountApiKey> = []
  for (const { apiSecret, ...record } of page.records) {
    if (apiSecret !== "") {
      yield* Effect.logWarning(`The exchange showed the secret of API key record ${record.id}; it was dropped`)
    }
    records.push(record)
  }
  return { limit: page.limit, offset: page.offset, records }
})

/**
 * - `page`: one page of keys
 * - `stream`: all of them, page by page of `limit` (default 100) records; see `Pages.stream` for what it promises
 *
 * @category services
 * @since 0.1.0
 */
export class SubAccountApiKeys extends Context.Service<SubAccountApiKeys, {
  readonly page: (request?: Request) => Effect.Effect<Page, Failure>
  readonly stream: (
    request?: Omit<Request, "offset">
  ) => Stream.Stream<SubAccountApiKey, Failure | Errors.PageCeilingReached>
}>()("effect-txc/endpoints/SubAccountApiKeys") {
  static readonly layer: Layer.Layer<SubAccountApiKeys, never, Call.Call> = Layer.effect(
    SubAccountApiKeys,
    Effect.gen(function*() {
      const call = (yield* Call.Call).make(endpoint)
      const page = Effect.fn("SubAccountApiKeys.page")(function*(request: Request = {}) {
        const received = yield* Effect.flatMap(call(request), Pages.checkEcho(endpoint.name, request))
        return yield* withoutSecrets(received)
      })
      return {
        page,
        stream: ({ limit, ...filter } = {}) =>
          Pages.stream("SubAccountApiKeys.stream", (at) => page({ ...filter, ...at }), limit)
      }
    })
  )
}
