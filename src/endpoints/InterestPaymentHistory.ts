/**
 * Interest payments of fixed-term lending (document, Endpoints §1). For business partners only.
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
import { Decimal } from "../domain/Decimal.ts"
import { InvestmentId, PlanId, Ticker } from "../domain/Identifiers.ts"
import { Limit, Offset } from "../domain/Paging.ts"
import { UnixSeconds } from "../domain/Time.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import type * as Errors from "../protocol/Errors.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

/**
 * - `planId`: payments of this plan only
 * - `ticker`: payments of plans with this target currency only
 * - `limit`: 1 to 100, default 100
 * - `offset`: 0 to 10000, default 0
 */
const request = Wire.struct({
  planId: Schema.optionalKey(PlanId),
  ticker: Schema.optionalKey(Ticker),
  limit: Schema.optionalKey(Limit),
  offset: Schema.optionalKey(Offset)
})

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

/**
 * One payment of interest.
 *
 * - `amount`: in units of `ticker`
 * - `timestamp`: of the transaction, in Unix seconds
 *
 * @category models
 * @since 0.1.0
 */
export const InterestPayment = Schema.Struct({
  planId: PlanId,
  investmentId: InvestmentId,
  amount: Decimal,
  ticker: Ticker,
  timestamp: UnixSeconds
})
/** @category models */
export type InterestPayment = typeof InterestPayment.Type

const response = Wire.struct({
  offset: Offset,
  limit: Limit,
  records: Schema.Array(InterestPayment)
})

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "InterestPaymentHistory.page",
  clause: "Endpoints §1",
  method: "POST",
  path: "/api/v4/main-account/smart/interest-payment-history",
  access: "private",
  b2b: true,
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
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * - `page`: one page of payments
 * - `stream`: all payments, page by page of `limit` (default 100) records; see `Pages.stream` for what it promises
 *
 * @category services
 * @since 0.1.0
 */
export class InterestPaymentHistory extends Context.Service<InterestPaymentHistory, {
  readonly page: (request?: Request) => Effect.Effect<Page, Failure>
  readonly stream: (
    request?: Omit<Request, "offset">
  ) => Stream.Stream<InterestPayment, Failure | Errors.PageCeilingReached>
}>()("effect-txc/endpoints/InterestPaymentHistory") {
  static readonly layer: Layer.Layer<InterestPaymentHistory, never, Call.Call> = Layer.effect(
    InterestPaymentHistory,
    Effect.gen(function*() {
      const call = (yield* Call.Call).make(endpoint)
      const page = Effect.fn("InterestPaymentHistory.page")(function*(request: Request = {}) {
        return yield* Effect.flatMap(call(request), Pages.checkEcho(endpoint.name, request))
      })
      return {
        page,
        stream: ({ limit, ...filter } = {}) =>
          Pages.stream("InterestPaymentHistory.stream", (at) => page({ ...filter, ...at }), limit)
      }
    })
  )
}
