/**
 * The orders that can't trade any more: filled, canceled, or both in part.
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
import { Decimal, FeeRate } from "../domain/Decimal.ts"
import { ClientOrderId, MarketName } from "../domain/Identifiers.ts"
import { ReceivedPositionSide, ReceivedSide } from "../domain/Order.ts"
import { Limit, Offset } from "../domain/Paging.ts"
import { UnixTime } from "../domain/Time.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import type * as Errors from "../protocol/Errors.ts"
import * as OrderAnswer from "../protocol/OrderAnswer.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

/** How many records a page has when the request does not say. */
export const defaultLimit = 50

/**
 * - `market`: only orders of this market; of all when left out
 * - `orderId`, `clientOrderId`: only this order
 * - `limit`: 1 to 100, default 50
 * - `offset`: 0 to 10000, default 0
 */
const request = ({ keys }: Dialect) =>
  Wire.struct({
    market: Schema.optionalKey(MarketName),
    orderId: Schema.optionalKey(Wire.RequestedOrderId),
    clientOrderId: Schema.optionalKey(ClientOrderId),
    limit: Schema.optionalKey(Limit),
    offset: Schema.optionalKey(Offset)
  }, { keys: { orderId: keys.orderId, clientOrderId: keys.clientOrderId } })

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

const fields = ({ omissible, orderStatus, receivedSelfTradePrevention }: Dialect) => ({
  market: MarketName,
  orderId: Wire.OrderId,
  clientOrderId: Schema.optionalKey(ClientOrderId),
  side: ReceivedSide,
  timestamp: UnixTime,
  ftime: UnixTime,
  dealMoney: Decimal,
  dealStock: Decimal,
  dealFee: Decimal,
  amount: Decimal,
  price: Schema.optionalKey(Decimal),
  takerFee: Schema.optionalKey(FeeRate),
  makerFee: Schema.optionalKey(FeeRate),
  postOnly: Schema.optionalKey(Schema.Boolean),
  ioc: Schema.optionalKey(Schema.Boolean),
  status: omissible(orderStatus),
  stp: omissible(receivedSelfTradePrevention),
  rpi: Schema.optionalKey(Schema.Boolean),
  reduceOnly: Schema.optionalKey(Schema.Boolean),
  activationPrice: Schema.optionalKey(Decimal)
})

/** Here an order's own identifier is just `id`, in both dialects. */
const spelling = (dialect: Dialect) => ({
  keys: { ...dialect.keys, orderId: "id", timestamp: "ctime" },
  absent: OrderAnswer.absent(dialect)
})

const walletOrder = (dialect: Dialect) =>
  Wire.struct({
    ...fields(dialect),
    type: dialect.orderType,
    positionSide: Schema.optionalKey(ReceivedPositionSide)
  }, spelling(dialect))

const positionOrder = (dialect: Dialect) =>
  Wire.struct({ ...fields(dialect), type: dialect.legType, positionSide: ReceivedPositionSide }, spelling(dialect))

/**
 * An order that has ended. Fields that only the document's dialect demands are optional.
 *
 * - `timestamp`, `ftime`: of creation and of the end, in Unix seconds with microseconds
 * - `dealMoney`, `dealStock`: filled, in units of the quote and of the base currency
 * - `dealFee`: charged, in the fee asset
 * - `amount`: ordered, in units of the base currency (of the quote currency for market buys)
 * - `price`: the limit; absent on market orders
 * - `takerFee`, `makerFee`: ratios
 *
 * @category models
 * @since 0.1.0
 */
export type EndedOrder = ReturnType<typeof walletOrder>["schema"]["Type"]

/** Orders as they are grouped on the wire, by market. Where there are none the live exchange may answer a list. */
const Grouped = Schema.Union([
  Schema.Record(Schema.String, Schema.Array(Schema.Record(Schema.String, Schema.Unknown))),
  Schema.Tuple([])
])

/** An object of lists by market, read as one list of orders that know their market. */
const response = (dialect: Dialect): Schema.Codec<ReadonlyArray<EndedOrder>, unknown> =>
  Grouped.pipe(
    Schema.decodeTo(Schema.Array(Schema.Union([positionOrder(dialect).schema, walletOrder(dialect).schema])), {
      decode: SchemaGetter.transform((groups): ReadonlyArray<unknown> =>
        Object.entries(groups).flatMap(([market, orders]) => orders.map((order) => ({ ...order, market })))
      ),
      encode: SchemaGetter.transform((orders) => {
        const groups: Record<string, Array<Record<string, unknown>>> = {}
        // What a shape encodes to is a JSON object, and this one's market is a text.
        for (const { market, ...order } of orders as ReadonlyArray<Record<string, unknown>>) {
          const group = groups[String(market)] ??= []
          group.push(order)
        }
        return groups
      })
    })
  )

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "OrderHistory.page",
  clause: "not in the document",
  method: "POST",
  path: "/api/v4/trade-account/order/history",
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
export type Page = Pages.Page<EndedOrder>
/** @category errors */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * - `page`: one page of ended orders. The exchange groups the orders of a page by market; within a market the latest
 *   comes first.
 * - `stream`: all of them, page by page of `limit` (default 100) records; see `Pages.stream` for what it promises
 *
 * @category services
 * @since 0.1.0
 */
export class OrderHistory extends Context.Service<OrderHistory, {
  readonly page: (request?: Request) => Effect.Effect<Page, Failure>
  readonly stream: (
    request?: Omit<Request, "offset">
  ) => Stream.Stream<EndedOrder, Failure | Errors.PageCeilingReached>
}>()("effect-txc/endpoints/OrderHistory") {
  static readonly layer: Layer.Layer<OrderHistory, never, Call.Call> = Layer.effect(
    OrderHistory,
    Effect.gen(function*() {
      const call = (yield* Call.Call).make(endpoint)
      const page = Effect.fn("OrderHistory.page")(function*(request: Request = {}) {
        return yield* Effect.flatMap(call(request), Pages.ofRecords(endpoint.name, request, defaultLimit))
      })
      return {
        page,
        stream: ({ limit, ...filter } = {}) =>
          Pages.stream("OrderHistory.stream", (at) => page({ ...filter, ...at }), limit)
      }
    })
  )
}
