/**
 * The sub-accounts of an account (document, Endpoints §9).
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
import { SubAccountId, UserId } from "../domain/Identifiers.ts"
import { Limit, Offset } from "../domain/Paging.ts"
import { HexColour, MaskedEmail, SubAccountStatus } from "../domain/SubAccount.ts"
import { Text } from "../domain/Text.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import type * as Errors from "../protocol/Errors.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

/**
 * - `search`: only sub-accounts that match this term
 * - `limit`: 1 to 100, default 30
 * - `offset`: 0 to 10000, default 0
 */
const request = Wire.struct({
  search: Schema.optionalKey(Text),
  limit: Schema.optionalKey(Limit),
  offset: Schema.optionalKey(Offset)
})

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

/**
 * One sub-account.
 *
 * - `email`: masked
 * - `status`: `active`, or another value that the document does not show
 * - `color`: hexadecimal with a leading `#`
 * - `kyc.shareKyc`: whether it shares the main account's verification
 *
 * @category models
 * @since 0.1.0
 */
export const SubAccount = Schema.Struct({
  id: SubAccountId,
  alias: Schema.String,
  userId: UserId,
  email: MaskedEmail,
  status: SubAccountStatus,
  color: HexColour,
  kyc: Schema.Struct({ shareKyc: Schema.Boolean, kycStatus: Schema.String }),
  permissions: Schema.Struct({ spotEnabled: Schema.Boolean, collateralEnabled: Schema.Boolean })
})
/** @category models */
export type SubAccount = typeof SubAccount.Type

const response = Wire.struct({
  offset: Offset,
  limit: Limit,
  records: Schema.Array(SubAccount)
}, { keys: { records: "data" } })

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "SubAccounts.page",
  clause: "Endpoints §9",
  method: "POST",
  path: "/api/v4/sub-account/list",
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
export type Page = Endpoint.Response<typeof endpoint>
/** @category errors */
export type Failure = Endpoint.Failure<typeof endpoint>

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * - `page`: one page of sub-accounts
 * - `stream`: all of them, page by page of `limit` (default 100) records; see `Pages.stream` for what it promises
 *
 * @category services
 * @since 0.1.0
 */
export class SubAccounts extends Context.Service<SubAccounts, {
  readonly page: (request?: Request) => Effect.Effect<Page, Failure>
  readonly stream: (
    request?: Omit<Request, "offset">
  ) => Stream.Stream<SubAccount, Failure | Errors.PageCeilingReached>
}>()("effect-txc/endpoints/SubAccounts") {
  static readonly layer: Layer.Layer<SubAccounts, never, Call.Call> = Layer.effect(
    SubAccounts,
    Effect.gen(function*() {
      const call = (yield* Call.Call).make(endpoint)
      const page = Effect.fn("SubAccounts.page")(function*(request: Request = {}) {
        return yield* Effect.flatMap(call(request), Pages.checkEcho(endpoint.name, request))
      })
      return {
        page,
        stream: ({ limit, ...filter } = {}) =>
          Pages.stream("SubAccounts.stream", (at) => page({ ...filter, ...at }), limit)
      }
    })
  )
}
