/**
 * A futures market's past funding rates. Public.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { FundingRates, Identifiers } from "effect-txc"
 *
 * const latest = Effect.gen(function*() {
 *   const rates = yield* FundingRates.FundingRates
 *   const { records: [rate] } = yield* rates.page(Identifiers.marketName("BTC_PERP"), { limit: 1 })
 *   return rate?.fundingRate
 * })
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import * as PageChecks from "../client/PageChecks.ts"
import * as Pages from "../client/Pages.ts"
import * as Constraint from "../domain/Constraint.ts"
import { Decimal } from "../domain/Decimal.ts"
import { MarketName, marketName } from "../domain/Identifiers.ts"
import { type Limit, maxLimit, RecordOffset } from "../domain/Paging.ts"
import { UnixSeconds } from "../domain/Time.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import type * as Errors from "../protocol/Errors.ts"
import * as Period from "../protocol/Period.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * The maximum `offset`, that is, the maximum index of a page's first record.
 *
 * @category constants
 */
export const maxOffset = 1_000_000

const isInteger = Constraint.annotation({ kind: "type", type: "integer" })

// oxlint-disable-next-line effecttsgo/schema-number -- isInt rejects NaN and infinity too, and names the constraint.
const Whole = Schema.Number.annotate(isInteger).check(Schema.isInt(isInteger).abort())

const between = (min: number, max: number) =>
  Whole.check(
    Schema.isGreaterThanOrEqualTo(min, Constraint.annotation({ kind: "min", min })),
    Schema.isLessThanOrEqualTo(max, Constraint.annotation({ kind: "max", max }))
  )

const Moment = UnixSeconds.check(Schema.isGreaterThanOrEqualTo(0, Constraint.annotation({ kind: "min", min: 0 })))

/**
 * The time range of the funding rates to read.
 *
 * @category models
 */
export interface Window {
  /** Only rates settled at or after this time, in Unix seconds. Must be zero or more. */
  readonly startDate?: UnixSeconds
  /** Only rates settled at or before this time, in Unix seconds. Must be after `startDate`. */
  readonly endDate?: UnixSeconds
}

/**
 * Selects the funding rates to read, and sets the page size.
 *
 * @category models
 */
export interface StreamOptions extends Window {
  /** The maximum number of records per page, 1 to 100. Default 100. */
  readonly limit?: Limit
}

/**
 * The page of funding rates to read.
 *
 * @category models
 */
export interface Options extends Window {
  /** The maximum number of records on the page, 1 to 100. Default 100. */
  readonly limit?: number
  /** The index of the page's first record, 0 to 1000000. Default 0. */
  readonly offset?: number
}

/**
 * Selects the market and the funding rates to read.
 *
 * @category models
 */
export interface Request extends Options {
  /** The market, such as `BTC_PERP`. */
  readonly market: MarketName
}

const request = () =>
  Wire.struct<Request>({
    market: MarketName,
    startDate: Schema.optionalKey(Wire.counted(Moment)),
    endDate: Schema.optionalKey(Wire.counted(Moment)),
    limit: Schema.optionalKey(Wire.counted(between(1, maxLimit))),
    offset: Schema.optionalKey(Wire.counted(between(0, maxOffset)))
  }, {
    constraints: [Period.isAfter("endDate", "startDate")]
  })

/**
 * A settled funding rate.
 *
 * @category models
 */
export interface FundingRate {
  /** The settlement time, in Unix seconds. */
  readonly fundingTime: UnixSeconds
  /** The rate, as a ratio. */
  readonly fundingRate: Decimal
  /** The market. */
  readonly market: MarketName
  /** The mark price at the settlement, in the quote currency. */
  readonly settlementPrice: Decimal
  /** The time when the rate was calculated, in Unix seconds. */
  readonly rateCalculatedTime: UnixSeconds
}

const rate = () =>
  Wire.answer<FundingRate>({
    fundingTime: Wire.counted(UnixSeconds),
    fundingRate: Decimal,
    market: MarketName,
    settlementPrice: Decimal,
    rateCalculatedTime: Wire.counted(UnixSeconds)
  })

const response = () => Schema.Array(rate().schema)

/**
 * The endpoint `GET /api/v4/public/funding-history/{market}`. Source: the live exchange's documentation, Public HTTP
 * API V4, "Funding History".
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "FundingRates.page",
  path: "/api/v4/public/funding-history/{market}",
  access: "public",
  mutates: false,
  refusals: ["ValidationFailed"],
  refusedAs: "texts",
  request,
  response,
  example: (): Request => ({ market: marketName("BTC_PERP"), limit: 10 })
})

/**
 * Errors that can occur when reading funding rates.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/** Adds the requested offset and limit, which the response does not contain. */
const toPage = ({ limit = maxLimit, offset = 0 }: Options) => (records: ReadonlyArray<FundingRate>) =>
  PageChecks.checkEcho(endpoint.name, {})({ limit, offset, records })

/**
 * Reads a futures market's funding rates.
 *
 * @category services
 */
export class FundingRates extends Context.Service<FundingRates, {
  /**
   * Reads one page, latest first. A page with fewer records than its limit is the last page.
   *
   * Fails with:
   *
   * - `PublicRequestRejected` when the exchange does not list the futures market
   * - `ValidationFailed`, before anything is sent, when a field is out of bounds
   * - `UnexpectedResponse` when the response contains more records than requested
   */
  readonly page: (market: MarketName, options?: Options) => Effect.Effect<Pages.Page<FundingRate>, Failure>
  /**
   * Reads all funding rates, page by page. See `Pages.stream` for the guarantees. The rates have no id, so if the list
   * changes during the read, the stream might repeat or miss a rate without an error.
   */
  readonly stream: (
    market: MarketName,
    options?: StreamOptions
  ) => Stream.Stream<FundingRate, Failure | Errors.PageCeilingReached | Errors.ListShifted>
}>()("effect-txc/endpoints/FundingRates") {
  /** Provides this service. Requires `PublicCall`. */
  static readonly layer: Layer.Layer<FundingRates, never, Call.PublicCall> = PlainService.layerPublic(
    FundingRates,
    endpoint,
    (call) => {
      const page = (market: MarketName, options: Options = {}) =>
        Effect.flatMap(call({ ...options, market }), toPage(options))
      return {
        page,
        stream: (market, { limit, ...options } = {}) =>
          Pages.stream(
            "FundingRates.stream",
            (at: Pages.Next<Limit, RecordOffset>) => page(market, { ...options, ...at }),
            limit,
            undefined,
            RecordOffset.make(maxOffset)
          )
      }
    }
  )
}
