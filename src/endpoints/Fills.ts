/**
 * The trades of the account's own orders, one by one.
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
 *
 * @since 0.1.0
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

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

/**
 * How many records a page has at most when the request does not say.
 *
 * @category constants
 * @since 0.1.0
 */
export const defaultLimit = 50

/**
 * Which fills to read, and in pages of which size.
 *
 * @category models
 * @since 0.1.0
 */
export interface StreamRequest {
  /** Only fills on this market. Default: on all markets. */
  readonly market?: MarketName
  /** Only fills of the order that you have given this identifier. */
  readonly clientOrderId?: ClientOrderId
  /** Only fills at or after this time, in Unix seconds. Live dialect only. */
  readonly startDate?: UnixSeconds
  /** Only fills at or before this time, in Unix seconds. Live dialect only. */
  readonly endDate?: UnixSeconds
  /** The most records in a page, 1 to 100. Default 50 for a page, 100 for a stream. */
  readonly limit?: Limit
}

/**
 * Which page of fills to read.
 *
 * @category models
 * @since 0.1.0
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

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

/** A fill as it is received. One of a list by market has a market, one of a plain list has none. */
interface ReceivedFill {
  /** The exchange's identifier of the trade. */
  readonly tradeId: TradeId
  /** The exchange's identifier of the order. The live exchange leaves it out of some lists. */
  readonly orderId?: OrderId
  /** Your own identifier of the order. Absent when the order has none, or when the exchange does not echo it. */
  readonly clientOrderId?: ClientOrderId
  /** The market that the trade happened on. */
  readonly market?: MarketName
  /** When the trade happened, in Unix seconds with microseconds. */
  readonly timestamp: UnixTime
  /** Whether the order bought or sold. */
  readonly side: ReceivedSide
  /** Whether the order rested in the book (`maker`) or traded with an order that did (`taker`). */
  readonly role: Role
  /** How much was traded, in units of the base currency. */
  readonly amount: Decimal
  /** The price of the trade, in units of the quote currency per unit of the base currency. */
  readonly price: Decimal
  /** How much was paid for it, in units of the quote currency. */
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
 * @since 0.1.0
 */
export interface Fill extends ReceivedFill {
  /** The market that the trade happened on. */
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

/** A list when the request names a market; otherwise lists by market, read as one list of fills that know theirs. */
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
        // What a shape encodes to is a JSON object.
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
 * A page of fills, grouped by market; within a market the latest comes first.
 *
 * @category models
 * @since 0.1.0
 */
export type Page = Pages.Page<Fill>

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/**
 * `POST /api/v4/trade-account/executed-history`.
 *
 * @category endpoints
 * @since 0.1.0
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
 * What reading fills can fail with.
 *
 * @category errors
 * @since 0.1.0
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/** The fills with their market: those of a plain list are on the market that was asked for. */
const onMarket = (fills: ReadonlyArray<ReceivedFill>, asked: MarketName | undefined): ReadonlyArray<Fill> =>
  fills.flatMap((fill) => {
    const market = fill.market ?? asked
    return market === undefined ? [] : [{ ...fill, market }]
  })

/**
 * Reads the fills of the account.
 *
 * @category services
 * @since 0.1.0
 */
export class Fills extends Context.Service<Fills, {
  /**
   * Reads one page. The exchange groups the fills of a page by market; within a market the latest comes first. A page
   * without records is no failure.
   *
   * Fails with `ValidationFailed` when the market is unknown; the live exchange also refuses a client order id that it
   * has no fills of. Fails with `UnexpectedResponse` when the answer holds more records than were asked for.
   */
  readonly page: (request?: Request) => Effect.Effect<Page, Failure>
  /** Reads all fills, page by page. See `Pages.stream` for what it promises. */
  readonly stream: (
    request?: StreamRequest
  ) => Stream.Stream<Fill, Failure | Errors.PageCeilingReached | Errors.ListShifted>
}>()("effect-txc/endpoints/Fills") {
  /** The service over an account's calls. */
  static readonly layer: Layer.Layer<Fills, never, Call.Call> = PageService.layer(
    Fills,
    endpoint,
    (name, request) => (fills) => PageChecks.ofRecords(name, request, defaultLimit)(onMarket(fills, request.market)),
    ({ tradeId }) => tradeId
  )
}
