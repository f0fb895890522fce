/**
 * Interest payments from fixed-term lending (the document, Endpoints §1). For business partners only.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { Identifiers, InterestPaymentHistory } from "effect-txc"
 *
 * const payments = Effect.gen(function*() {
 *   const history = yield* InterestPaymentHistory.InterestPaymentHistory
 *   return yield* Stream.runCollect(history.stream({ ticker: Identifiers.ticker("USDT") }))
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
import { Decimal } from "../domain/Decimal.ts"
import { InvestmentId, PlanId, Ticker, ticker } from "../domain/Identifiers.ts"
import { Limit, Offset } from "../domain/Paging.ts"
import { UnixSeconds } from "../domain/Time.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import type * as Errors from "../protocol/Errors.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * Selects the interest payments to read, and sets the page size.
 *
 * @category models
 */
export interface StreamRequest {
  /** Only payments from this plan. */
  readonly planId?: PlanId
  /** Only payments from plans with this target currency. */
  readonly ticker?: Ticker
  /** The maximum number of records per page, 1 to 100. Default 100. */
  readonly limit?: Limit
}

/**
 * The page of interest payments to read.
 *
 * @category models
 */
export interface Request extends StreamRequest {
  /** The index of the page's first record, 0 to 10000. Default 0. */
  readonly offset?: Offset
}

const request = () =>
  Wire.struct<Request>({
    planId: Schema.optionalKey(PlanId),
    ticker: Schema.optionalKey(Ticker),
    limit: Schema.optionalKey(Limit),
    offset: Schema.optionalKey(Offset)
  })

/**
 * An interest payment.
 *
 * @category models
 */
export interface InterestPayment {
  /** The fixed-term plan that paid the interest. */
  readonly planId: PlanId
  /** The investment that earned the interest. */
  readonly investmentId: InvestmentId
  /** The amount paid, in units of `ticker`. */
  readonly amount: Decimal
  /** The payment's currency. */
  readonly ticker: Ticker
  /** The payment's time, in Unix seconds. */
  readonly timestamp: UnixSeconds
}

/**
 * The schema of {@link InterestPayment}.
 *
 * @category schemas
 */
export const InterestPayment: Schema.Codec<InterestPayment, unknown> = Wire.answer<InterestPayment>({
  planId: PlanId,
  investmentId: InvestmentId,
  amount: Decimal,
  ticker: Ticker,
  timestamp: UnixSeconds
}).schema

/**
 * A page of interest payments.
 *
 * @category models
 */
export interface Page extends Pages.Page<InterestPayment> {
  /** The index of the page's first record. */
  readonly offset: Offset
  /** The page size: the maximum number of records per page. */
  readonly limit: Limit
}

const response = Wire.answer<Page>({
  offset: Offset,
  limit: Limit,
  records: Schema.Array(InterestPayment)
})

/**
 * The endpoint `POST /api/v4/main-account/smart/interest-payment-history` (the document, Endpoints §1).
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "InterestPaymentHistory.page",
  clause: "Endpoints §1",
  path: "/api/v4/main-account/smart/interest-payment-history",
  access: "private",
  b2b: true,
  mutates: false,
  refusals: ["InvalidFields"],
  request,
  response: () => response.schema,
  example: (): Request => ({
    planId: PlanId.make("8e667b4a-0b71-4988-8af5-9474dbfaeb51"),
    ticker: ticker("USDT"),
    limit: Limit.make(5)
  })
})

/**
 * Errors that can occur when reading interest payments.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the interest payments received by the account.
 *
 * @category services
 */
export class InterestPaymentHistory extends Context.Service<InterestPaymentHistory, {
  /**
   * Reads one page.
   *
   * Fails with `InvalidFields` when the plan or the currency is unknown, with `NotAuthorized` when the account is not a
   * business partner, and with `UnexpectedResponse` when the response is not the requested page.
   */
  readonly page: (request?: Request) => Effect.Effect<Page, Failure>
  /**
   * Reads all interest payments, page by page. See `Pages.stream` for the guarantees. The payments have no id, so if
   * the list changes during the read, the stream might repeat or miss a payment without an error.
   */
  readonly stream: (
    request?: StreamRequest
  ) => Stream.Stream<InterestPayment, Failure | Errors.PageCeilingReached | Errors.ListShifted>
}>()("effect-txc/endpoints/InterestPaymentHistory") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<InterestPaymentHistory, never, Call.Call> = PageService.layer(
    InterestPaymentHistory,
    endpoint,
    PageChecks.checkEcho
  )
}
