/**
 * The assets that the collateral account has borrowed, and the interest on them.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { BorrowHistory, Identifiers } from "effect-txc"
 *
 * const open = Effect.gen(function*() {
 *   const history = yield* BorrowHistory.BorrowHistory
 *   const { records } = yield* history.page({ asset: Identifiers.ticker("USDT") })
 *   return records.filter(({ status }) => status === "active")
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
import type * as Pages from "../client/Pages.ts"
import { Decimal } from "../domain/Decimal.ts"
import { Ticker, ticker } from "../domain/Identifiers.ts"
import { Limit, Offset } from "../domain/Paging.ts"
import { oneOf } from "../domain/Text.ts"
import { UnixSeconds } from "../domain/Time.ts"
import * as Unrecognised from "../domain/Unrecognised.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import type * as Errors from "../protocol/Errors.ts"
import * as Period from "../protocol/Period.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * The default page size: the maximum number of records per page.
 *
 * @category constants
 */
export const defaultLimit = 50

/**
 * Selects the borrows to read, and sets the page size.
 *
 * @category models
 */
export interface StreamRequest {
  /** Only borrows of this asset. Default: all assets. */
  readonly asset?: Ticker
  /** Only borrows taken at or after this time, in Unix seconds. */
  readonly startTime?: UnixSeconds
  /** Only borrows taken at or before this time, in Unix seconds. Must be after `startTime`. */
  readonly endTime?: UnixSeconds
  /** The maximum number of records per page, 1 to 100. Default 50 for a page, 100 for a stream. */
  readonly limit?: Limit
}

/**
 * The page of borrows to read.
 *
 * @category models
 */
export interface Request extends StreamRequest {
  /** The index of the page's first record, 0 to 10000. Default 0. */
  readonly offset?: Offset
}

const request = () =>
  Wire.struct<Request>({
    asset: Schema.optionalKey(Ticker),
    startTime: Schema.optionalKey(UnixSeconds),
    endTime: Schema.optionalKey(UnixSeconds),
    limit: Schema.optionalKey(Limit),
    offset: Schema.optionalKey(Offset)
  }, {
    constraints: [Period.isAfter("endTime", "startTime")]
  })

/**
 * The schema of {@link Status}.
 *
 * @category schemas
 */
export const Status = Unrecognised.open(oneOf(["active", "repaid", "liquidated"]))
/**
 * A borrow's state: owed (`active`), paid back (`repaid`), or paid back by a liquidation (`liquidated`).
 *
 * @category models
 */
export type Status = typeof Status.Type

/**
 * A borrow. Each amount is the maximum over the life of the borrow, in units of the asset. The amounts may have peaked
 * at different times, so `amount` need not equal `principal` plus `interest`.
 *
 * @category models
 */
export interface Borrow {
  /** The asset. */
  readonly asset: Ticker
  /** The highest amount owed. */
  readonly amount: Decimal
  /** The highest principal. */
  readonly principal: Decimal
  /** The highest interest. */
  readonly interest: Decimal
  /** The borrow's state. */
  readonly status: Status
  /** The time when the asset was borrowed, in Unix seconds. */
  readonly timestamp: UnixSeconds
}

const borrow = () =>
  Wire.answer<Borrow>({
    asset: Ticker,
    amount: Decimal,
    principal: Decimal,
    interest: Decimal,
    status: Status,
    timestamp: UnixSeconds
  })

/**
 * A page of borrows, oldest first.
 *
 * @category models
 */
export interface Page extends Pages.Page<Borrow> {
  /** The index of the page's first record. */
  readonly offset: Offset
  /** The page size: the maximum number of records per page. */
  readonly limit: Limit
}

const response = () =>
  Wire.answer<Page>({ offset: Offset, limit: Limit, records: Schema.Array(borrow().schema) }).schema

/**
 * The endpoint `POST /api/v4/collateral-account/borrow-history`. Source: the live exchange's documentation, "Borrow
 * history", September 2026.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "BorrowHistory.page",
  path: "/api/v4/collateral-account/borrow-history",
  access: "private",
  mutates: false,
  rateLimit: { calls: 12000, perSeconds: 10 },
  refusals: ["ValidationFailed"],
  request,
  response,
  example: (): Request => ({ asset: ticker("USDT"), limit: Limit.make(10) })
})

/**
 * Errors that can occur when reading borrows.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the account's borrows.
 *
 * @category services
 */
export class BorrowHistory extends Context.Service<BorrowHistory, {
  /**
   * Reads one page, oldest first. Fails with `ValidationFailed` when the asset is unknown, and with
   * `UnexpectedResponse` when the response is not the requested page.
   */
  readonly page: (request?: Request) => Effect.Effect<Page, Failure>
  /**
   * Reads all borrows, page by page. See `Pages.stream` for the guarantees. Borrows have no id, so if the list changes
   * during the read, the stream might repeat or miss a borrow without an error.
   */
  readonly stream: (
    request?: StreamRequest
  ) => Stream.Stream<Borrow, Failure | Errors.PageCeilingReached | Errors.ListShifted>
}>()("effect-txc/endpoints/BorrowHistory") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<BorrowHistory, never, Call.Call> = PageService.layer(
    BorrowHistory,
    endpoint,
    PageChecks.checkEcho
  )
}
