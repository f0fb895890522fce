/**
 * Open conditional orders: OCO orders whose legs have not traded yet, and OTO orders ("one triggers the other"). When
 * an OTO order is filled, the exchange places its take-profit, its stop-loss or both.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { ConditionalOrders, Identifiers } from "effect-txc"
 *
 * const stopLosses = Effect.gen(function*() {
 *   const orders = yield* ConditionalOrders.ConditionalOrders
 *   return yield* orders.stream({ market: Identifiers.marketName("BTC_USDT") }).pipe(
 *     Stream.map((order) => order.type === "oto" ? order.stopLossPrice : order.stopLoss.activationPrice),
 *     Stream.runCollect
 *   )
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
import { Decimal, FeeRate } from "../domain/Decimal.ts"
import { MarketName, marketName, type OrderId } from "../domain/Identifiers.ts"
import { ReceivedActivationCondition, ReceivedPositionSide } from "../domain/Order.ts"
import { Limit, type RecordOffset } from "../domain/Paging.ts"
import { UnixTime } from "../domain/Time.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import type * as Errors from "../protocol/Errors.ts"
import * as Json from "../protocol/Json.ts"
import * as OrderAnswer from "../protocol/OrderAnswer.ts"
import * as OrderFields from "../protocol/OrderFields.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * The default page size: the maximum number of records per page.
 *
 * @category constants
 */
export const defaultLimit = 100

/**
 * Selects the conditional orders to read, and sets the page size.
 *
 * @category models
 */
export interface StreamRequest {
  /** Only conditional orders on this margin market. Default: all markets. */
  readonly market?: MarketName
  /** The maximum number of records per page, 1 to 100. Default 100. */
  readonly limit?: Limit
}

/**
 * The page of conditional orders to read.
 *
 * @category models
 */
export interface Request extends StreamRequest {
  /**
   * The index of the page's first record: at most 10000 in the document's dialect, 4294967295 in the live dialect.
   * Default 0.
   */
  readonly offset?: RecordOffset
}

const request = ({ recordOffset }: Dialect) =>
  Wire.struct<Request>({
    market: Schema.optionalKey(MarketName),
    limit: Schema.optionalKey(Limit),
    offset: Schema.optionalKey(recordOffset)
  })

/**
 * A leg of an OCO order. A take-profit has exactly these fields.
 *
 * @category models
 */
export interface Leg extends OrderAnswer.AnyOrder {
  /** The unfilled amount, in the base currency. */
  readonly left: Decimal
  /** The limit price, in the quote currency. */
  readonly price: Decimal
  /** The leg's taker fee rate, as a ratio. */
  readonly takerFee?: FeeRate
  /** The leg's maker fee rate, as a ratio. */
  readonly makerFee?: FeeRate
  /** The time of the leg's last change, in Unix seconds with microsecond precision. */
  readonly mtime: UnixTime
  /** Whether the leg may only reduce or close a position. */
  readonly reduceOnly?: boolean
}

/**
 * The stop-loss of an OCO order: the leg with a trigger.
 *
 * @category models
 */
export interface StopLeg extends Leg {
  /** Whether the market price has reached the activation price. */
  readonly activated: boolean
  /**
   * The condition that triggers the leg: the market price is at or above (`gte`), or at or below (`lte`), the
   * activation price.
   */
  readonly activationCondition: ReceivedActivationCondition
  /** The price that triggers the leg, in the quote currency. */
  readonly activationPrice: Decimal
}

/**
 * An OCO order: two legs. When one leg trades, the exchange cancels the other.
 *
 * @category models
 */
export interface Oco {
  /** Identifies the record as an OCO order. */
  readonly type: "oco"
  /** The pair's id, assigned by the exchange. Each leg also has its own order id. */
  readonly id: OrderId
  /** The kind of conditional order, as the exchange names it. */
  readonly conditionalOrderType?: string
  /** The leg that becomes a limit order when the market price reaches the leg's activation price. */
  readonly stopLoss: StopLeg
  /** The leg that rests in the book as a limit order. */
  readonly takeProfit: Leg
}

/**
 * An open order with a take-profit, a stop-loss or both, which the exchange places when the order is filled.
 *
 * @category models
 */
export interface Oto {
  /** Identifies the record as an OTO order. */
  readonly type: "oto"
  /** The OTO group's id, assigned by the exchange. The order also has its own order id. */
  readonly id: OrderId
  /** The kind of conditional order, as the exchange names it, such as `margin_take_profit`. */
  readonly conditionalOrderType?: string
  /** The price that triggers the stop-loss, in the quote currency. Absent if there is no stop-loss. */
  readonly stopLossPrice?: Decimal
  /** The price that triggers the take-profit, in the quote currency. Absent if there is no take-profit. */
  readonly takeProfitPrice?: Decimal
  /** The open order. When it is filled, the exchange places the take-profit, the stop-loss or both. */
  readonly order: OrderAnswer.Order
}

/**
 * A conditional order.
 *
 * @category models
 */
export type ConditionalOrder = Oco | Oto

const legFields = (dialect: Dialect) => ({
  ...OrderFields.common(dialect),
  left: Decimal,
  price: Decimal,
  postOnly: Schema.optionalKey(Schema.Boolean),
  takerFee: Schema.optionalKey(FeeRate),
  makerFee: Schema.optionalKey(FeeRate),
  mtime: UnixTime,
  positionSide: Schema.optionalKey(ReceivedPositionSide),
  reduceOnly: Schema.optionalKey(Schema.Boolean)
})

/** Maps each current wire key to its name in the older documentation. */
const formerKeys = {
  stopLoss: "stop_loss",
  takeProfit: "take_profit",
  postOnly: "post_only",
  activationPrice: "activation_price",
  activationCondition: "activation_condition"
} as const

/** Renames the older documentation's keys to the current keys. A current key takes precedence over an older key. */
const renewed = (wire: unknown): unknown => {
  if (!Json.isObject(wire)) return wire
  const copy: Record<string, unknown> = { ...wire }
  for (const [key, former] of Object.entries(formerKeys)) {
    if (!Object.hasOwn(copy, former)) continue
    copy[key] ??= copy[former]
    delete copy[former]
  }
  return copy
}

const legSpelling = (dialect: Dialect) => ({
  keys: dialect.keys,
  absent: OrderFields.absentIds(dialect),
  ...OrderFields.joint(dialect)
})

const oco = (dialect: Dialect) =>
  Wire.answer<Oco>({
    id: Wire.OrderId,
    type: Schema.Literal("oco"),
    conditionalOrderType: Schema.optionalKey(Schema.String),
    stopLoss: Wire.answer<StopLeg>({
      ...legFields(dialect),
      activationPrice: Decimal,
      activationCondition: ReceivedActivationCondition,
      activated: Wire.Bit
    }, legSpelling(dialect)).schema,
    takeProfit: Wire.answer<Leg>(legFields(dialect), legSpelling(dialect)).schema
  }, {
    joint: {
      split: (wire) => {
        const { stopLoss, takeProfit, ...rest } = renewed(wire) as Readonly<Record<string, unknown>>
        return { ...rest, stopLoss: renewed(stopLoss), takeProfit: renewed(takeProfit) }
      },
      join: (wire) => wire
    }
  })

const noPrice = { value: "", when: () => true, demanded: false, written: false }

const oto = (dialect: Dialect) =>
  Wire.answer<Oto>({
    id: Wire.OrderId,
    type: Schema.Literal("oto"),
    conditionalOrderType: Schema.optionalKey(Schema.String),
    stopLossPrice: Schema.optionalKey(Decimal),
    takeProfitPrice: Schema.optionalKey(Decimal),
    order: OrderAnswer.order(dialect)
  }, { keys: { order: "conditionalOrder" }, absent: { stopLossPrice: noPrice, takeProfitPrice: noPrice } })

/**
 * A page of conditional orders, latest first.
 *
 * @category models
 */
export interface Page extends Pages.Page<ConditionalOrder> {
  /** The index of the page's first record. */
  readonly offset: RecordOffset
  /** The page size: the maximum number of records per page. */
  readonly limit: Limit
  /** The number of conditional orders on all pages. */
  readonly total: number
}

const response = (dialect: Dialect) =>
  Wire.answer<Page>({
    limit: Limit,
    offset: dialect.recordOffset,
    total: Schema.Int,
    records: Schema.Array(Schema.Union([oco(dialect).schema, oto(dialect).schema]))
  }).schema

/**
 * The endpoint `POST /api/v4/conditional-orders`. Source: the live exchange's documentation, 2026.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "ConditionalOrders.page",
  path: "/api/v4/conditional-orders",
  access: "private",
  mutates: false,
  rateLimit: { calls: 12000, perSeconds: 10 },
  refusals: ["ValidationFailed"],
  request,
  response,
  example: (): Request => ({ market: marketName("BTC_USDT"), limit: Limit.make(10) })
})

/**
 * Errors that can occur when reading conditional orders.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the open conditional orders.
 *
 * @category services
 */
export class ConditionalOrders extends Context.Service<ConditionalOrders, {
  /**
   * Reads one page, latest first.
   *
   * Fails with `ValidationFailed` when the market is unknown or is not a margin market, and with `UnexpectedResponse`
   * when the response is not the requested page.
   */
  readonly page: (request?: Request) => Effect.Effect<Page, Failure>
  /** Reads all conditional orders, page by page. See `Pages.stream` for the guarantees. */
  readonly stream: (
    request?: StreamRequest
  ) => Stream.Stream<ConditionalOrder, Failure | Errors.PageCeilingReached | Errors.ListShifted>
}>()("effect-txc/endpoints/ConditionalOrders") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<ConditionalOrders, never, Call.Call> = PageService.layer(
    ConditionalOrders,
    endpoint,
    PageChecks.checkEcho,
    ({ id }) => id,
    (dialect) => dialect.maxRecordOffset
  )
}
