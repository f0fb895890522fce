/**
 * What the account's own orders have traded, trade by trade.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import type * as Stream from "effect/Stream"
import * as Call from "../client/call/Call.ts"
import * as Pages from "../client/Pages.ts"
import { Decimal } from "../domain/Decimal.ts"
import { ClientOrderId, MarketName, Ticker } from "../domain/Identifiers.ts"
import { ReceivedSide } from "../domain/Order.ts"
import { Limit, Offset } from "../domain/Paging.ts"
import { UnixTime } from "../domain/Time.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import type * as Errors from "../protocol/Errors.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

/** How many records a page has when the request does not say. */
export const defaultLimit = 50

/**
 * - `market`: only trades of this market; of all when left out
 * - `clientOrderId`: only trades of this order
 * - `limit`: 1 to 100, default 50
 * - `offset`: 0 to 10000, default 0
 */
const request = ({ keys }: Dialect) =>
  Wire.struct({
    market: Schema.optionalKey(MarketName),
    clientOrderId: Schema.optionalKey(ClientOrderId),
    limit: Schema.optionalKey(Limit),
    offset: Schema.optionalKey(Offset)
  }, { keys: { clientOrderId: keys.clientOrderId } })

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

const fill = ({ demandsAll, keys }: Dialect) =>
  Wire.struct({
    market: Schema.optionalKey(MarketName),
    tradeId: Wire.TradeId,
    orderId: Wire.OrderId,
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
    keys: { ...keys, tradeId: "id", timestamp: "time", total: "deal" },
    absent: { clientOrderId: { value: "", when: () => true, demanded: demandsAll } }
  })

type Record = Readonly<globalThis.Record<string, unknown>>

const Records = Schema.Array(Schema.Record(Schema.String, Schema.Unknown))

/** A list when the request names a market; otherwise lists by market, read as one list of fills that know theirs. */
const response = (dialect: Dialect): Schema.Codec<ReadonlyArray<ReturnType<typeof fill>["schema"]["Type"]>, unknown> =>
  Schema.Union([Records, Schema.Record(Schema.String, Records)]).pipe(
    Schema.decodeTo(Schema.Array(fill(dialect).schema), {
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

/**
 * A trade of one of the account's orders.
 *
 * - `timestamp`: in Unix seconds with microseconds
 * - `side`: the order's; `role`: whether it rested in the book (`maker`) or came to it (`taker`)
 * - `amount`, `total`: in units of the base and of the quote currency; `price`: in units of the quote currency
 * - `fee`: charged, in units of `feeAsset`
 *
 * @category models
 * @since 0.1.0
 */
export type Fill = ReturnType<typeof fill>["schema"]["Type"] & { readonly market: MarketName }

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "Fills.page",
  clause: "not in the document",
  method: "POST",
  path: "/api/v4/trade-account/executed-history",
  access: "private",
  b2b: false,
  mutates: false,
  rateLimit: { calls: 12000, perSeconds: 10 },
  envelope: "required",
  errorFamily: "order",
  refusals: ["ValidationFailed"],
  request,
  response
})

/** @category models */
export type Request = Endpoint.Request<typeof endpoint>
/** @category models */
export type Page = Pages.Page<Fill>
/** @category errors */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/** Fills of one market do not say which. */
const ofMarket =
  (market: MarketName | undefined) => (fills: ReadonlyArray<Endpoint.Response<typeof endpoint>[number]>) =>
    fills.flatMap((fill): ReadonlyArray<Fill> => {
      const known = fill.market ?? market
      return known === undefined ? [] : [{ ...fill, market: known }]
    })

/**
 * - `page`: one page of fills. The exchange groups those of a page by market; within a market the latest comes first.
 * - `stream`: all of them, page by page of `limit` (default 100) records; see `Pages.stream` for what it promises
 *
 * The live exchange refuses a client order id that it has no fills of (`ValidationFailed`).
 *
 * @category services
 * @since 0.1.0
 */
export class Fills extends Context.Service<Fills, {
  readonly page: (request?: Request) => Effect.Effect<Page, Failure>
  readonly stream: (request?: Omit<Request, "offset">) => Stream.Stream<Fill, Failure | Errors.PageCeilingReached>
}>()("effect-txc/endpoints/Fills") {
  static readonly layer: Layer.Layer<Fills, never, Call.Call> = Layer.effect(
    Fills,
    Effect.gen(function*() {
      const call = (yield* Call.Call).make(endpoint)
      const page = Effect.fn("Fills.page")(function*(request: Request = {}) {
        const fills = Effect.map(call(request), ofMarket(request.market))
        return yield* Effect.flatMap(fills, Pages.ofRecords(endpoint.name, request, defaultLimit))
      })
      return {
        page,
        stream: ({ limit, ...filter } = {}) => Pages.stream("Fills.stream", (at) => page({ ...filter, ...at }), limit)
      }
    })
  )
}
