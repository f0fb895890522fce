/**
 * The profit and loss of closed positions: one record for each closed position.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { ClosedPositions, Decimal } from "effect-txc"
 *
 * const losers = Effect.gen(function*() {
 *   const closed = yield* Stream.runCollect((yield* ClosedPositions.ClosedPositions).stream())
 *   return closed.filter(({ netPnl }) => Decimal.Order(netPnl, Decimal.zero) < 0)
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
import { MarketName, type PositionId } from "../domain/Identifiers.ts"
import { ReceivedPositionSide } from "../domain/Order.ts"
import { Limit, maxLimit, maxOffset, Offset } from "../domain/Paging.ts"
import { UnixSeconds } from "../domain/Time.ts"
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
 * Selects the positions to read, by the time when they were closed, and sets the page size.
 *
 * @category models
 */
export interface StreamRequest extends Period.Period {
  /** The maximum number of records per page, 1 to 100. Default 50 for a page, 100 for a stream. */
  readonly limit?: Limit
}

/**
 * The page of closed positions to read.
 *
 * @category models
 */
export interface Request extends StreamRequest {
  /**
   * The index of the page's first record, 0 to 10000. The sum of `offset` and `limit` must not exceed 10000. Default 0.
   */
  readonly offset?: Offset
}

const request = () =>
  Wire.struct<Request>({
    ...Period.fields,
    limit: Schema.optionalKey(Limit),
    offset: Schema.optionalKey(Offset)
  })

/**
 * A closed position. Amounts of money are in the quote currency, and cover the time from opening to closing.
 *
 * @category models
 */
export interface ClosedPosition {
  /** The position id, assigned by the exchange. */
  readonly positionId: PositionId
  /** The position's market. */
  readonly market: MarketName
  /** The realized profit or loss before funding. Trading fees are already deducted. */
  readonly grossPnl: Decimal
  /** The realized profit or loss: `grossPnl` minus `totalFunding`. */
  readonly netPnl: Decimal
  /** The sum of all trading fees. */
  readonly totalTradeFee: Decimal
  /** The net funding: positive if the account paid it, negative if the account received it. */
  readonly totalFunding: Decimal
  /** The average price of the trades that increased the position. */
  readonly avgEntryPrice: Decimal
  /** The average price of the trades that reduced the position. */
  readonly avgExitPrice: Decimal
  /** The amount closed, in the base currency. */
  readonly closedSize: Decimal
  /** The remaining size, in the base currency: always zero. */
  readonly amount: Decimal
  /** `BOTH` in one-way mode; `LONG` or `SHORT` in hedge mode. */
  readonly side: ReceivedPositionSide
  /** Whether the position was opened in hedge mode. */
  readonly isHedge: boolean
  /** The time when the position was opened, in Unix seconds. */
  readonly openDate: UnixSeconds
  /** The time when the position was closed, in Unix seconds. */
  readonly closeDate: UnixSeconds
}

const closedPosition = () =>
  Wire.answer<ClosedPosition>({
    positionId: Wire.PositionId,
    market: MarketName,
    grossPnl: Decimal,
    netPnl: Decimal,
    totalTradeFee: Decimal,
    totalFunding: Decimal,
    avgEntryPrice: Decimal,
    avgExitPrice: Decimal,
    closedSize: Decimal,
    amount: Decimal,
    side: ReceivedPositionSide,
    isHedge: Schema.Boolean,
    openDate: UnixSeconds,
    closeDate: UnixSeconds
  })

/**
 * A page of closed positions, latest first.
 *
 * @category models
 */
export type Page = Pages.Page<ClosedPosition>

/**
 * The endpoint `POST /api/v4/collateral-account/positions/closed-pnl`. Source: the live exchange's documentation,
 * "Closed-position PNL".
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "ClosedPositions.page",
  path: "/api/v4/collateral-account/positions/closed-pnl",
  access: "private",
  mutates: false,
  rateLimit: { calls: 12000, perSeconds: 10 },
  refusals: ["ValidationFailed"],
  request,
  response: () => Schema.Array(closedPosition().schema),
  example: (): Request => ({ limit: Limit.make(10) })
})

/**
 * Errors that can occur when reading closed positions.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the profit and loss of closed positions.
 *
 * @category services
 */
export class ClosedPositions extends Context.Service<ClosedPositions, {
  /**
   * Reads one page, latest first. Fails with `ValidationFailed` when `endDate` is before `startDate`, and with
   * `UnexpectedResponse` when the response contains more records than requested.
   */
  readonly page: (request?: Request) => Effect.Effect<Page, Failure>
  /**
   * Reads the latest 10,000 closed positions, page by page, and fails with `PageCeilingReached` if there may be more.
   * See `Pages.stream` for the other guarantees.
   */
  readonly stream: (
    request?: StreamRequest
  ) => Stream.Stream<ClosedPosition, Failure | Errors.PageCeilingReached | Errors.ListShifted>
}>()("effect-txc/endpoints/ClosedPositions") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<ClosedPositions, never, Call.Call> = PageService.layer(
    ClosedPositions,
    endpoint,
    (name, request: Request) => PageChecks.ofRecords(name, request, defaultLimit),
    ({ positionId }) => positionId,
    // No page reaches beyond index 9999, and the last page that a stream reads has `maxLimit` records.
    () => Offset.make(maxOffset - maxLimit)
  )
}
