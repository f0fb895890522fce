/**
 * The funding rates that a futures market has had. Public.
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
 *
 * @since 0.1.0
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
import { type Limit, maxLimit } from "../domain/Paging.ts"
import { UnixSeconds } from "../domain/Time.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import type * as Errors from "../protocol/Errors.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

/**
 * The greatest index that a page can start at. Other lists end at 10000.
 *
 * @category constants
 * @since 0.1.0
 */
export const maxOffset = 1_000_000

const isInteger = Constraint.annotation({ kind: "type", type: "integer" })

// oxlint-disable-next-line effecttsgo/schema-number -- isInt refuses what is not finite, and says by which constraint.
const Whole = Schema.Number.annotate(isInteger).check(Schema.isInt(isInteger).abort())

const between = (min: number, max: number) =>
  Whole.check(
    Schema.isGreaterThanOrEqualTo(min, Constraint.annotation({ kind: "min", min })),
    Schema.isLessThanOrEqualTo(max, Constraint.annotation({ kind: "max", max }))
  )

const Moment = UnixSeconds.check(Schema.isGreaterThanOrEqualTo(0, Constraint.annotation({ kind: "min", min: 0 })))

/**
 * When the funding rates were settled that are read.
 *
 * @category models
 * @since 0.1.0
 */
export interface Window {
  /** Only rates settled at this time or later: Unix seconds, zero or more. */
  readonly startDate?: UnixSeconds
  /** Only rates settled at this time or earlier: Unix seconds, after `startDate`. */
  readonly endDate?: UnixSeconds
}

/**
 * Which of a market's funding rates to read, in pages of which size.
 *
 * @category models
 * @since 0.1.0
 */
export interface StreamOptions extends Window {
  /** The most records in a page, 1 to 100. Default 100. */
  readonly limit?: Limit
}

/**
 * Which page of a market's funding rates to read.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options extends Window {
  /** The most records in the page, 1 to 100. Default 100. */
  readonly limit?: number
  /** The index of the first record, 0 to 1000000. Default 0. */
  readonly offset?: number
}

/**
 * Which market's funding rates to read, and which of them.
 *
 * @category models
 * @since 0.1.0
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
    constraints: [{
      field: "endDate",
      constraint: { kind: "after", than: "startDate" },
      holds: ({ endDate, startDate }) => startDate === undefined || endDate === undefined || endDate > startDate
    }]
  })

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

/**
 * A funding rate that was settled.
 *
 * @category models
 * @since 0.1.0
 */
export interface FundingRate {
  /** When it was settled, in Unix seconds. */
  readonly fundingTime: UnixSeconds
  /** The rate, as a ratio. */
  readonly fundingRate: Decimal
  /** The market. */
  readonly market: MarketName
  /** The mark price at that time, in units of the quote currency. */
  readonly settlementPrice: Decimal
  /** When the rate was calculated, in Unix seconds. */
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

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/**
 * `GET /api/v4/public/funding-history/{market}`. Source: the live exchange's documentation, Public HTTP API V4, "Funding History".
 *
 * @category endpoints
 * @since 0.1.0
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
 * What reading funding rates can fail with.
 *
 * @category errors
 * @since 0.1.0
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/** The page that was asked for. The answer does not say which page it is. */
const toPage = ({ limit = maxLimit, offset = 0 }: Options) => (records: ReadonlyArray<FundingRate>) =>
  PageChecks.checkEcho(endpoint.name, {})({ limit, offset, records })

/**
 * Reads the funding rates of a futures market.
 *
 * @category services
 * @since 0.1.0
 */
export class FundingRates extends Context.Service<FundingRates, {
  /**
   * Reads one page, the latest first. A page with fewer records than its limit is the last one.
   *
   * Fails with `PublicRequestRejected` when the exchange has no such futures market; with `ValidationFailed` before
   * anything is sent when a bound is broken; with `UnexpectedResponse` when the answer holds more records than were asked
   * for.
   */
  readonly page: (market: MarketName, options?: Options) => Effect.Effect<Pages.Page<FundingRate>, Failure>
  /**
   * Reads all rates, page by page. See `Pages.stream` for what it promises: these records have no id, so one may arrive twice or be
   * missed when the list shifts meanwhile, and nothing says so.
   */
  readonly stream: (
    market: MarketName,
    options?: StreamOptions
  ) => Stream.Stream<FundingRate, Failure | Errors.PageCeilingReached | Errors.ListShifted>
}>()("effect-txc/endpoints/FundingRates") {
  /** The service over public calls. */
  static readonly layer: Layer.Layer<FundingRates, never, Call.PublicCall> = PlainService.layerPublic(
    FundingRates,
    endpoint,
    (call) => {
      const page = (market: MarketName, options: Options = {}) =>
        Effect.flatMap(call({ ...options, market }), toPage(options))
      return {
        page,
        stream: (market, { limit, ...options } = {}) =>
          Pages.stream("FundingRates.stream", (at) => page(market, { ...options, ...at }), limit)
      }
    }
  )
}
