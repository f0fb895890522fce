/**
 * The individual trades of the account's own orders.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Fills, Identifiers } from "effect-txc"
 *
 * const fillsOf = Effect.fn("fillsOf")(function*(clientOrderId: Identifiers.ClientOrderId) {
 *   const fills = yield* Fills.Fills
 *   const { records } = yield* fills.page({ market: Identifiers.marketName("BTC_USDT"), clientOrderId })
 *   return records.map(({ amount, fee, price }) => ({ amount, fee, price }))
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import type * as Stream from "effect/Stream"
import type * as Call from "../client/call/Call.ts"
import * as PageService from "../client/make/PageService.ts"
import * as PageChecks from "../client/PageChecks.ts"
import * as Pages from "../client/Pages.ts"
import { Decimal } from "../domain/Decimal.ts"
import { ClientOrderId, MarketName, marketName, type OrderId, Ticker, type TradeId } from "../domain/Identifiers.ts"
import { ReceivedSide, type Role } from "../domain/Order.ts"
import { Limit, Offset } from "../domain/Paging.ts"
import { UnixSeconds, UnixTime } from "../domain/Time.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import type * as Errors from "../protocol/Errors.ts"
import * as OrderFields from "../protocol/OrderFields.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * The maximum number of records on a page when the request sets no limit.
 *
 * @category constants
 */
export const defaultLimit = 50

/**
 * The fills to read, and the page size.
 *
 * @category models
 */
export interface StreamRequest {
  /** Only fills on this market. Default: all markets. */
  readonly market?: MarketName
  /** Only fills of the order with this identifier of yours. */
  readonly clientOrderId?: ClientOrderId
  /** Only fills at or after this time, in Unix seconds. Live dialect only. */
  readonly startDate?: UnixSeconds
  /** Only fills at or before this time, in Unix seconds. Live dialect only. */
  readonly endDate?: UnixSeconds
  /** The maximum number of records on a page, 1 to 100. Default 50 for a page, 100 for a stream. */
  readonly limit?: Limit
}

/**
 * The page of fills to read.
 *
 * @category models
 */
export interface Request extends StreamRequest {
  /** The index of the first record, 0 to 10000. Default 0. */
  readonly offset?: Offset
}

const request = ({ extension, keys }: Dialect) =>
  Wire.struct<Request>({
    market: Schema.optionalKey(MarketName),
    clientOrderId: Schema.optionalKey(ClientOrderId),
    startDate: extension(UnixSeconds),
    endDate: extension(UnixSeconds),
    limit: Schema.optionalKey(Limit),
    offset: Schema.optionalKey(Offset)
  }, { keys: { clientOrderId: keys.clientOrderId } })

/** A fill in an answer. It has a market only in a list by market. */
interface ReceivedFill {
  /** The exchange's identifier of the trade. */
  readonly tradeId: TradeId
  /** The exchange's identifier of the order. Some lists of the live exchange omit it. */
  readonly orderId?: OrderId
  /** Your own identifier of the order. Absent when the order has none, or the exchange does not return it. */
  readonly clientOrderId?: ClientOrderId
  /** The market of the trade. */
  readonly market?: MarketName
  /** The time of the trade, in Unix seconds with microseconds. */
  readonly timestamp: UnixTime
  /** Whether the order bought or sold. */
  readonly side: ReceivedSide
  /** Whether the order rested in the book (`maker`) or traded with an order that did (`taker`). */
  readonly role: Role
  /** The traded volume, in the base currency. */
  readonly amount: Decimal
  /** The price of the trade, in the quote currency. */
  readonly price: Decimal
  /** The traded volume, in the quote currency. */
  readonly total: Decimal
  /** The fee charged, in units of `feeAsset`. */
  readonly fee: Decimal
  /** The currency of the fee. */
  readonly feeAsset?: Ticker
}

/**
 * A trade of one of the account's orders.
 *
 * @category models
 */
export interface Fill extends ReceivedFill {
  /** The market of the trade. */
  readonly market: MarketName
}

const receivedFill = (dialect: Dialect) =>
  Wire.answer<ReceivedFill>({
    market: Schema.optionalKey(MarketName),
    tradeId: Wire.TradeId,
    orderId: dialect.omissible(Wire.OrderId),
    clientOrderId: Schema.optionalKey(ClientOrderId),
    timestamp: UnixTime,
    side: ReceivedSide,
    role: Wire.Role,
    amount: Decimal,
    price: Decimal,
    total: Decimal,
    fee: Decimal,
    feeAsset: Schema.optionalKey(Ticker)
  }, {
    keys: {
      orderId: dialect.keys.orderId,
      clientOrderId: dialect.keys.clientOrderId,
      tradeId: "id",
      timestamp: "time",
      total: "deal"
    },
    absent: OrderFields.absentIds(dialect)
  })

type Record = Readonly<globalThis.Record<string, unknown>>

const Records = Schema.Array(Schema.Record(Schema.String, Schema.Unknown))

/**
 * A list when the request names a market; otherwise lists by market, joined into one list of fills with their markets.
 */
const response = (dialect: Dialect): Schema.Codec<ReadonlyArray<ReceivedFill>, unknown> => {
  const fills = Schema.Array(receivedFill(dialect).schema)
  return Schema.Union([Records, Schema.Record(Schema.String, Records)]).annotate(
    Wire.describedBy(() => Schema.Union([fills, Schema.Record(MarketName, fills)]))
  ).pipe(
    Schema.decodeTo(fills, {
      decode: SchemaGetter.transform((wire): ReadonlyArray<unknown> =>
        Array.isArray(wire)
          ? wire
          : Object.entries(wire).flatMap(([market, fills]: [string, ReadonlyArray<Record>]) =>
            fills.map((fill) => ({ ...fill, market }))
          )
      ),
      encode: SchemaGetter.transform((fills) => {
        // The shape encodes to a JSON object.
        const records = fills as ReadonlyArray<Record>
        if (records.every(({ market }) => market === undefined)) return records
        const groups: globalThis.Record<string, Array<Record>> = {}
        for (const { market, ...record } of records) {
          const group = groups[String(market)] ??= []
          group.push(record)
        }
        return groups
      })
    })
  )
}

/**
 * A page of fills, grouped by market, latest first within a market.
 *
 * @category models
 */
export type Page = Pages.Page<Fill>

/**
 * `POST /api/v4/trade-account/executed-history`.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "Fills.page",
  path: "/api/v4/trade-account/executed-history",
  access: "private",
  mutates: false,
  rateLimit: { calls: 12000, perSeconds: 10 },
  refusals: ["ValidationFailed"],
  request,
  response,
  example: (): Request => ({ market: marketName("BTC_USDT"), limit: Limit.make(10) })
})

/**
 * Errors that reading fills can fail with.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/** Adds the market to each fill: in a plain list it is the requested one. */
const onMarket = (fills: ReadonlyArray<ReceivedFill>, asked: MarketName | undefined): ReadonlyArray<Fill> =>
  fills.flatMap((fill) => {
    const market = fill.market ?? asked
    return market === undefined ? [] : [{ ...fill, market }]
  })

/**
 * Reads the fills of the account.
 *
 * @category services
 */
export class Fills extends Context.Service<Fills, {
  /**
   * Reads one page. The exchange groups a page's fills by market, latest first within a market. A page without records
   * is not a failure.
   *
   * Fails with `ValidationFailed` when the market is unknown; the live exchange also refuses a client order id without
   * fills. Fails with `UnexpectedResponse` when the answer contains more records than requested.
   */
  readonly page: (request?: Request) => Effect.Effect<Page, Failure>
  /** Reads all fills, page by page. See `Pages.stream` for its guarantees. */
  readonly stream: (
    request?: StreamRequest
  ) => Stream.Stream<Fill, Failure | Errors.PageCeilingReached | Errors.ListShifted>
}>()("effect-txc/endpoints/Fills") {
  /** Makes the service from an account's calls. */
  static readonly layer: Layer.Layer<Fills, never, Call.Call> = PageService.layer(
    Fills,
    endpoint,
    (name, request) => (fills) => PageChecks.ofRecords(name, request, defaultLimit)(onMarket(fills, request.market)),
    ({ tradeId }) => tradeId
  )
}
