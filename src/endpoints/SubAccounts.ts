/**
 * An account's sub-accounts (the document, Endpoints §9).
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { SubAccounts } from "effect-txc"
 *
 * const aliases = Effect.gen(function*() {
 *   const subAccounts = yield* SubAccounts.SubAccounts
 *   return yield* Stream.runCollect(Stream.map(subAccounts.stream({ search: "desk" }), ({ alias }) => alias))
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type * as Call from "../client/call/Call.ts"
import * as PageService from "../client/make/PageService.ts"
import * as PageChecks from "../client/PageChecks.ts"
import * as Pages from "../client/Pages.ts"
import { SubAccountId, UserId } from "../domain/Identifiers.ts"
import { Limit, Offset } from "../domain/Paging.ts"
import { HexColour, ReceivedEmail, SubAccountStatus } from "../domain/SubAccount.ts"
import { Text } from "../domain/Text.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import type * as Errors from "../protocol/Errors.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * Selects the sub-accounts to read, and sets the page size.
 *
 * @category models
 */
export interface StreamRequest {
  /** Only sub-accounts that match this search term. */
  readonly search?: string
  /** The maximum number of records per page, 1 to 100. Default 30 for a page, 100 for a stream. */
  readonly limit?: Limit
}

/**
 * The page of sub-accounts to read.
 *
 * @category models
 */
export interface Request extends StreamRequest {
  /** The index of the page's first record, 0 to 10000. Default 0. */
  readonly offset?: Offset
}

const request = () =>
  Wire.struct<Request>({
    search: Schema.optionalKey(Text),
    limit: Schema.optionalKey(Limit),
    offset: Schema.optionalKey(Offset)
  })

/**
 * The identity verification (KYC) of a sub-account's owner.
 *
 * @category models
 */
export interface Kyc {
  /** Whether the sub-account shares the main account's identity verification. */
  readonly shareKyc: boolean
  /** The verification's state, as the exchange names it. */
  readonly kycStatus: string
}

/**
 * A sub-account's permissions.
 *
 * @category models
 */
export interface Permissions {
  /** Whether the sub-account may trade on spot markets, and transfer funds to its trade wallet. */
  readonly spotEnabled: boolean
  /** Whether the sub-account may trade on margin, and transfer funds to its collateral wallet. */
  readonly collateralEnabled: boolean
}

/**
 * A sub-account.
 *
 * @category models
 */
export interface SubAccount {
  /** The sub-account id, assigned by the exchange. */
  readonly id: SubAccountId
  /** The sub-account's name, given by its owner. */
  readonly alias: string
  /** The sub-account's user id, assigned by the exchange. */
  readonly userId: UserId
  /**
   * The e-mail address, masked. Absent when the sub-account has no e-mail address. An unmasked address is returned as
   * an `Unrecognised`.
   */
  readonly email?: ReceivedEmail
  /** The status: `active` or an undocumented value. */
  readonly status: SubAccountStatus
  /** The color of the sub-account's label, in hexadecimal with a leading `#`. Absent when the label has no color. */
  readonly color?: HexColour
  /** The owner's identity verification. */
  readonly kyc: Kyc
  /** The sub-account's permissions to trade on spot markets and on margin. */
  readonly permissions: Permissions
}

const empty = { value: "", when: () => true, demanded: false }

/**
 * The schema of {@link SubAccount}.
 *
 * @category schemas
 */
export const SubAccount: Schema.Codec<SubAccount, unknown> = Wire.answer<SubAccount>({
  id: SubAccountId,
  alias: Schema.String,
  userId: UserId,
  email: Schema.optionalKey(ReceivedEmail),
  status: SubAccountStatus,
  color: Schema.optionalKey(HexColour),
  kyc: Wire.answer<Kyc>({ shareKyc: Schema.Boolean, kycStatus: Schema.String }).schema,
  permissions: Wire.answer<Permissions>({ spotEnabled: Schema.Boolean, collateralEnabled: Schema.Boolean }).schema
}, { absent: { email: empty, color: empty } }).schema

/**
 * A page of sub-accounts.
 *
 * @category models
 */
export interface Page extends Pages.Page<SubAccount> {
  /** The index of the page's first record. */
  readonly offset: Offset
  /** The page size that the exchange applied: the maximum number of records per page. */
  readonly limit: Limit
}

const response = Wire.answer<Page>({
  offset: Offset,
  limit: Limit,
  records: Schema.Array(SubAccount)
}, { keys: { records: "data" } })

/**
 * The endpoint `POST /api/v4/sub-account/list` (the document, Endpoints §9).
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "SubAccounts.page",
  clause: "Endpoints §9",
  path: "/api/v4/sub-account/list",
  access: "private",
  mutates: false,
  refusals: ["InvalidFields"],
  request,
  response: () => response.schema,
  example: (): Request => ({ limit: Limit.make(5) })
})

/**
 * Errors that can occur when reading sub-accounts.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the account's sub-accounts.
 *
 * @category services
 */
export class SubAccounts extends Context.Service<SubAccounts, {
  /** Reads one page. Fails with `UnexpectedResponse` when the response is not the requested page. */
  readonly page: (request?: Request) => Effect.Effect<Page, Failure>
  /** Reads all sub-accounts, page by page. See `Pages.stream` for the guarantees. */
  readonly stream: (
    request?: StreamRequest
  ) => Stream.Stream<SubAccount, Failure | Errors.PageCeilingReached | Errors.ListShifted>
}>()("effect-txc/endpoints/SubAccounts") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<SubAccounts, never, Call.Call> = PageService.layer(
    SubAccounts,
    endpoint,
    PageChecks.checkEcho,
    ({ id }) => id
  )
}
