/**
 * The funding that the account's futures positions paid and received.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { FundingPayments, Identifiers } from "effect-txc"
 *
 * const amounts = Effect.gen(function*() {
 *   const payments = yield* FundingPayments.FundingPayments
 *   const all = yield* Stream.runCollect(payments.stream({ market: Identifiers.marketName("BTC_PERP") }))
 *   return all.map(({ fundingAmount }) => fundingAmount)
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
import { MarketName, marketName } from "../domain/Identifiers.ts"
import { Limit, Offset } from "../domain/Paging.ts"
import { UnixSeconds } from "../domain/Time.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import type * as Errors from "../protocol/Errors.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * Selects the payments to read, and sets the page size.
 *
 * @category models
 */
export interface StreamRequest {
  /**
   * Only payments on this futures market. Default: all markets. The live exchange has announced that it will require
   * this field.
   */
  readonly market?: MarketName
  /** The maximum number of records per page, 1 to 100. Default 100. */
  readonly limit?: Limit
}

/**
 * The page of payments to read.
 *
 * @category models
 */
export interface Request extends StreamRequest {
  /** The index of the page's first record, 0 to 10000. Default 0. */
  readonly offset?: Offset
}

const request = () =>
  Wire.struct<Request>({
    market: Schema.optionalKey(MarketName),
    limit: Schema.optionalKey(Limit),
    offset: Schema.optionalKey(Offset)
  })

/**
 * A funding payment for one position. Captured records satisfy `fundingAmount = -(fundingRate * positionAmount *
 * settlementPrice)`.
 *
 * @category models
 */
export interface FundingPayment {
  /** The futures market. */
  readonly market: MarketName
  /** The settlement time, in Unix seconds. */
  readonly fundingTime: UnixSeconds
  /** The funding rate, as a ratio. Longs pay shorts when the rate is positive. */
  readonly fundingRate: Decimal
  /** The amount that the position received, in the quote currency; negative if the position paid. */
  readonly fundingAmount: Decimal
  /** The position's size at the settlement, in the base currency: negative for a short position. */
  readonly positionAmount: Decimal
  /** The mark price at the settlement, in the quote currency. */
  readonly settlementPrice: Decimal
  /** The time when the rate was calculated, in Unix seconds. */
  readonly rateCalculatedTime: UnixSeconds
}

const payment = () =>
  Wire.answer<FundingPayment>({
    market: MarketName,
    fundingTime: Wire.counted(UnixSeconds),
    fundingRate: Decimal,
    fundingAmount: Decimal,
    positionAmount: Decimal,
    settlementPrice: Decimal,
    rateCalculatedTime: Wire.counted(UnixSeconds)
  })

/**
 * A page of payments, latest first.
 *
 * @category models
 */
export interface Page extends Pages.Page<FundingPayment> {
  /** The index of the page's first record. */
  readonly offset: Offset
  /** The page size: the maximum number of records per page. */
  readonly limit: Limit
}

/** A page as received: the live exchange omits `records` when there are no payments. */
interface Received extends Omit<Page, "records"> {
  /** The payments. */
  readonly records?: ReadonlyArray<FundingPayment>
}

const response = () =>
  Wire.answer<Received>({ offset: Offset, limit: Limit, records: Schema.optionalKey(Schema.Array(payment().schema)) })
    .schema

/**
 * The endpoint `POST /api/v4/collateral-account/funding-history`. Source: the live exchange's documentation, "Funding
 * History".
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "FundingPayments.page",
  path: "/api/v4/collateral-account/funding-history",
  access: "private",
  mutates: false,
  rateLimit: { calls: 12000, perSeconds: 10 },
  refusals: ["ValidationFailed"],
  request,
  response,
  example: (): Request => ({ market: marketName("BTC_PERP"), limit: Limit.make(10) })
})

/**
 * Errors that can occur when reading funding payments.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the account's funding payments.
 *
 * @category services
 */
export class FundingPayments extends Context.Service<FundingPayments, {
  /**
   * Reads one page, latest first. Fails with `ValidationFailed` when the market is unknown, and with
   * `UnexpectedResponse` when the response is not the requested page.
   */
  readonly page: (request?: Request) => Effect.Effect<Page, Failure>
  /**
   * Reads all funding payments, page by page. See `Pages.stream` for the guarantees. The payments have no id, so if the
   * list changes during the read, the stream might repeat or miss a payment without an error.
   */
  readonly stream: (
    request?: StreamRequest
  ) => Stream.Stream<FundingPayment, Failure | Errors.PageCeilingReached | Errors.ListShifted>
}>()("effect-txc/endpoints/FundingPayments") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<FundingPayments, never, Call.Call> = PageService.layer(
    FundingPayments,
    endpoint,
    (name, request: Request) => ({ records = [], ...page }: Received): Effect.Effect<Page, Errors.UnexpectedResponse> =>
      PageChecks.checkEcho(name, request)({ ...page, records })
  )
}
