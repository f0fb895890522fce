/**
 * Fills: the individual trades of the account's own orders.
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
import {
  ClientOrderId,
  MarketName,
  marketName,
  type OrderId,
  ReceivedClientOrderId,
  Ticker,
  type TradeId
} from "../domain/Identifiers.ts"
import { ReceivedSide, type Role } from "../domain/Order.ts"
import { type HistoryLimit, Limit, type RecordOffset } from "../domain/Paging.ts"
import { UnixSeconds, UnixTime } from "../domain/Time.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import type * as Errors from "../protocol/Errors.ts"
import * as OrderFields from "../protocol/OrderFields.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * The default page size: the maximum number of records per page.
 *
 * @category constants
 */
export const defaultLimit = 50

/**
 * Selects the fills to read, and sets the page size.
 *
 * @category models
 */
export interface StreamRequest {
  /** Only fills on this market. Default: all markets. */
  readonly market?: MarketName
  /** Only fills of the order with this client order id. */
  readonly clientOrderId?: ClientOrderId
  /** Only fills at or after this time, in Unix seconds. Live dialect only. */
  readonly startDate?: UnixSeconds
  /** Only fills at or before this time, in Unix seconds. Live dialect only. */
  readonly endDate?: UnixSeconds
  /**
   * The maximum number of records per page: at most 100 in the document's dialect, 500 in the live dialect. Default 50
   * for a page, 100 for a stream.
   */
  readonly limit?: HistoryLimit
}

/**
 * The page of fills to read.
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

const request = ({ extension, historyLimit, keys, recordOffset }: Dialect) =>
  Wire.struct<Request>({
    market: Schema.optionalKey(MarketName),
    clientOrderId: Schema.optionalKey(ClientOrderId),
    startDate: extension(UnixSeconds),
    endDate: extension(UnixSeconds),
    limit: Schema.optionalKey(historyLimit),
    offset: Schema.optionalKey(recordOffset)
  }, { keys: { clientOrderId: keys.clientOrderId } })

/** A fill as received. A fill contains its market only when the response groups fills by market. */
interface ReceivedFill {
  /** The trade id, assigned by the exchange. */
  readonly tradeId: TradeId
  /** The order id, assigned by the exchange. The live exchange sometimes omits it. */
  readonly orderId?: OrderId
  /** Your client order id. Absent when the order has no client order id, or the exchange does not return it. */
  readonly clientOrderId?: ClientOrderId
  /** The trade's market. */
  readonly market?: MarketName
  /** The trade's time, in Unix seconds with microsecond precision. */
  readonly timestamp: UnixTime
  /** The order's side: `buy` or `sell`. */
  readonly side: ReceivedSide
  /** Whether the order was the maker or the taker in the trade. */
  readonly role: Role
  /** The traded amount, in the base currency. */
  readonly amount: Decimal
  /** The trade's price, in the quote currency. */
  readonly price: Decimal
  /** The trade's total (price × amount), in the quote currency. */
  readonly total: Decimal
  /** The fee charged, in units of `feeAsset`. */
  readonly fee: Decimal
  /** The fee's currency. */
  readonly feeAsset?: Ticker
}

/**
 * A trade of one of the account's orders.
 *
 * @category models
 */
export interface Fill extends ReceivedFill {
  /** The trade's market. */
  readonly market: MarketName
}

const receivedFill = (dialect: Dialect) =>
  Wire.answer<ReceivedFill>({
    market: Schema.optionalKey(MarketName),
    tradeId: Wire.TradeId,
    orderId: dialect.omissible(Wire.OrderId),
    clientOrderId: Schema.optionalKey(ReceivedClientOrderId),
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
 * A list when the request names a market; otherwise an object with one list per market. The lists are joined into a
 * single list, and each fill gets its market.
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
        // At this point, each fill is already encoded as a JSON object.
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
 * The endpoint `POST /api/v4/trade-account/executed-history`.
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
 * Errors that can occur when reading fills.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/** Adds the requested market to fills that do not contain their market. */
const onMarket = (fills: ReadonlyArray<ReceivedFill>, asked: MarketName | undefined): ReadonlyArray<Fill> =>
  fills.flatMap((fill) => {
    const market = fill.market ?? asked
    return market === undefined ? [] : [{ ...fill, market }]
  })

/**
 * Reads the account's fills.
 *
 * @category services
 */
export class Fills extends Context.Service<Fills, {
  /**
   * Reads one page. The exchange groups a page's fills by market, latest first within a market. An empty page is not an
   * error.
   *
   * Fails with `ValidationFailed` when the market is unknown or no order has the client order id, and with
   * `UnexpectedResponse` when the response contains more records than requested.
   */
  readonly page: (request?: Request) => Effect.Effect<Page, Failure>
  /** Reads all fills, page by page. See `Pages.stream` for the guarantees. */
  readonly stream: (
    request?: StreamRequest
  ) => Stream.Stream<Fill, Failure | Errors.PageCeilingReached | Errors.ListShifted>
}>()("effect-txc/endpoints/Fills") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<Fills, never, Call.Call> = PageService.layer(
    Fills,
    endpoint,
    (name, request) => (fills) => PageChecks.ofRecords(name, request, defaultLimit)(onMarket(fills, request.market)),
    ({ tradeId }) => tradeId,
    (dialect) => dialect.maxRecordOffset
  )
}
