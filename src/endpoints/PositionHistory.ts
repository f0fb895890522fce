/**
 * An account's position history: one record for each change to a position.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Identifiers, PositionHistory } from "effect-txc"
 *
 * const liquidated = Effect.gen(function*() {
 *   const history = yield* PositionHistory.PositionHistory
 *   const { records } = yield* history.page({ market: Identifiers.marketName("BTC_PERP") })
 *   return records.filter(({ liquidationState }) => liquidationState === "liquidation")
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
import { MarketName, marketName, type OrderId, type PositionId } from "../domain/Identifiers.ts"
import { ReceivedPositionSide } from "../domain/Order.ts"
import { Limit, Offset } from "../domain/Paging.ts"
import { UnixTime } from "../domain/Time.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import type * as Errors from "../protocol/Errors.ts"
import * as Period from "../protocol/Period.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * The default page size: the maximum number of records per page.
 *
 * @category constants
 */
export const defaultLimit = 100

/**
 * Selects the changes to read, and sets the page size.
 *
 * @category models
 */
export interface StreamRequest extends Period.Period {
  /** Only changes to positions on this market. Default: all markets. */
  readonly market?: MarketName
  /** Only changes to this position. */
  readonly positionId?: PositionId
  /** The maximum number of records per page, 1 to 100. Default 100. */
  readonly limit?: Limit
}

/**
 * The page of changes to read.
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
    positionId: Schema.optionalKey(Wire.RequestedPositionId),
    ...Period.fields,
    limit: Schema.optionalKey(Limit),
    offset: Schema.optionalKey(Offset)
  })

/**
 * The order that changed a position.
 *
 * @category models
 */
export interface OrderDetail {
  /** The order id, assigned by the exchange. */
  readonly id: OrderId
  /** The amount that the order traded in this change, in the base currency. */
  readonly tradeAmount: Decimal
  /** The trade's price, in the quote currency. */
  readonly price: Decimal
  /** The trading fee, in the quote currency. */
  readonly tradeFee: Decimal
  /** The funding settled by this change, in the quote currency; `null` when there is no such amount. */
  readonly fundingFee?: Decimal | null
  /**
   * The profit or loss that this change realized, after fees, in the quote currency; `null` when there is no such
   * amount.
   */
  readonly realizedPnl?: Decimal | null
}

const orNull = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const orderDetail = () =>
  Wire.answer<OrderDetail>({
    id: Wire.OrderId,
    tradeAmount: Decimal,
    price: Decimal,
    tradeFee: Decimal,
    fundingFee: orNull(Decimal),
    realizedPnl: orNull(Decimal)
  })

/**
 * A position after a change: opened, increased, reduced, closed or liquidated.
 *
 * @category models
 */
export interface PositionChange {
  /** The position id, assigned by the exchange. */
  readonly positionId: PositionId
  /** The position's market. */
  readonly market: MarketName
  /** The time when the position was opened, in Unix seconds with microsecond precision. */
  readonly openDate: UnixTime
  /** The time of this change, in Unix seconds with microsecond precision. */
  readonly modifyDate: UnixTime
  /** The size after the change, in the base currency: positive for a long position, negative for a short position. */
  readonly amount: Decimal
  /** The average entry price, in the quote currency. */
  readonly basePrice: Decimal
  /** The funding settled so far, in the quote currency. */
  readonly realizedFunding: Decimal
  /** The liquidation price after the change, in the quote currency; `null` when it is not known. */
  readonly liquidationPrice?: Decimal | null
  /** The state of the position's liquidation: `margin_call`, `liquidation`, or `null` for neither. */
  readonly liquidationState?: string | null
  /** The order that changed the position. The exchange may omit this field. */
  readonly orderDetail?: OrderDetail
  /** `BOTH` in one-way mode; `LONG` or `SHORT` in hedge mode. The exchange may omit this field. */
  readonly side?: ReceivedPositionSide
  /** Whether the position was opened in hedge mode. The exchange may omit this field. */
  readonly isHedge?: boolean
}

const positionChange = () =>
  Wire.answer<PositionChange>({
    positionId: Wire.PositionId,
    market: MarketName,
    openDate: UnixTime,
    modifyDate: UnixTime,
    amount: Decimal,
    basePrice: Decimal,
    realizedFunding: Decimal,
    liquidationPrice: orNull(Decimal),
    liquidationState: orNull(Schema.String),
    orderDetail: Schema.optionalKey(orderDetail().schema),
    side: Schema.optionalKey(ReceivedPositionSide),
    isHedge: Schema.optionalKey(Schema.Boolean)
  })

/**
 * A page of changes, latest first.
 *
 * @category models
 */
export type Page = Pages.Page<PositionChange>

/**
 * The endpoint `POST /api/v4/collateral-account/positions/history`. Source: the live exchange's documentation,
 * "Positions History".
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "PositionHistory.page",
  path: "/api/v4/collateral-account/positions/history",
  access: "private",
  mutates: false,
  rateLimit: { calls: 12000, perSeconds: 10 },
  refusals: ["ValidationFailed"],
  request,
  response: () => Schema.Array(positionChange().schema),
  example: (): Request => ({ market: marketName("BTC_PERP"), limit: Limit.make(10) })
})

/**
 * Errors that can occur when reading the position history.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the account's position history.
 *
 * @category services
 */
export class PositionHistory extends Context.Service<PositionHistory, {
  /**
   * Reads one page, latest first. Fails with `ValidationFailed` when the market is unknown or `endDate` is before
   * `startDate`, and with `UnexpectedResponse` when the response contains more records than requested.
   */
  readonly page: (request?: Request) => Effect.Effect<Page, Failure>
  /**
   * Reads all position changes, page by page. See `Pages.stream` for the guarantees. The records have no id, so if the
   * list changes during the read, the stream might repeat or miss a record without an error.
   */
  readonly stream: (
    request?: StreamRequest
  ) => Stream.Stream<PositionChange, Failure | Errors.PageCeilingReached | Errors.ListShifted>
}>()("effect-txc/endpoints/PositionHistory") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<PositionHistory, never, Call.Call> = PageService.layer(
    PositionHistory,
    endpoint,
    (name, request: Request) => PageChecks.ofRecords(name, request, defaultLimit)
  )
}
