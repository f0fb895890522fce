/**
 * The orders that can still trade.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import * as Call from "../client/call/Call.ts"
import * as Pages from "../client/Pages.ts"
import { ClientOrderId, MarketName } from "../domain/Identifiers.ts"
import { Limit, Offset } from "../domain/Paging.ts"
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
 * - `market`: only orders of this market
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

/** A bare list: the answer does not say which page it is. */
const response = (dialect: Dialect) => Schema.Array(OrderAnswer.order(dialect))

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "ActiveOrders.page",
  clause: "not in the document",
  method: "POST",
  path: "/api/v4/orders",
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
export type Page = Pages.Page<OrderAnswer.Order>
/** @category errors */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * - `page`: one page of open orders, the latest first
 * - `stream`: all of them, page by page of `limit` (default 100) records; see `Pages.stream` for what it promises
 *
 * @category services
 * @since 0.1.0
 */
export class ActiveOrders extends Context.Service<ActiveOrders, {
  readonly page: (request?: Request) => Effect.Effect<Page, Failure>
  readonly stream: (
    request?: Omit<Request, "offset">
  ) => Stream.Stream<OrderAnswer.Order, Failure | Errors.PageCeilingReached>
}>()("effect-txc/endpoints/ActiveOrders") {
  static readonly layer: Layer.Layer<ActiveOrders, never, Call.Call> = Layer.effect(
    ActiveOrders,
    Effect.gen(function*() {
      const call = (yield* Call.Call).make(endpoint)
      const page = Effect.fn("ActiveOrders.page")(function*(request: Request = {}) {
        return yield* Effect.flatMap(call(request), Pages.ofRecords(endpoint.name, request, defaultLimit))
      })
      return {
        page,
        stream: ({ limit, ...filter } = {}) =>
          Pages.stream("ActiveOrders.stream", (at) => page({ ...filter, ...at }), limit)
      }
    })
  )
}
