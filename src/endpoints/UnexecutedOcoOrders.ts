/**
 * The OCO orders of which neither leg has traded.
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
import { MarketName } from "../domain/Identifiers.ts"
import { Limit, Offset } from "../domain/Paging.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import type * as Errors from "../protocol/Errors.ts"
import * as Wire from "../protocol/Wire.ts"
import * as CollateralOcoOrders from "./CollateralOcoOrders.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

/** How many records a page has when the request does not say. */
export const defaultLimit = 50

/**
 * - `market`: only orders of this market
 * - `limit`: 1 to 100, default 50
 * - `offset`: 0 to 10000, default 0
 */
const request = Wire.struct({
  market: Schema.optionalKey(MarketName),
  limit: Schema.optionalKey(Limit),
  offset: Schema.optionalKey(Offset)
})

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

/** A bare list: the answer does not say which page it is. */
const response = (dialect: Dialect) => Schema.Array(CollateralOcoOrders.endpoint.response(dialect))

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "UnexecutedOcoOrders.page",
  clause: "not in the document",
  method: "POST",
  path: "/api/v4/oco-orders",
  access: "private",
  b2b: false,
  mutates: false,
  rateLimit: { calls: 12000, perSeconds: 10 },
  envelope: "required",
  errorFamily: "order",
  refusals: ["ValidationFailed"],
  request: () => request,
  response
})

/** @category models */
export type Request = Endpoint.Request<typeof endpoint>
/** @category models */
export type Page = Pages.Page<CollateralOcoOrders.CollateralOcoOrder>
/** @category errors */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * - `page`: one page of pairs, the latest first
 * - `stream`: all of them, page by page of `limit` (default 100) records; see `Pages.stream` for what it promises
 *
 * @category services
 * @since 0.1.0
 */
export class UnexecutedOcoOrders extends Context.Service<UnexecutedOcoOrders, {
  readonly page: (request?: Request) => Effect.Effect<Page, Failure>
  readonly stream: (
    request?: Omit<Request, "offset">
  ) => Stream.Stream<CollateralOcoOrders.CollateralOcoOrder, Failure | Errors.PageCeilingReached>
}>()("effect-txc/endpoints/UnexecutedOcoOrders") {
  static readonly layer: Layer.Layer<UnexecutedOcoOrders, never, Call.Call> = Layer.effect(
    UnexecutedOcoOrders,
    Effect.gen(function*() {
      const call = (yield* Call.Call).make(endpoint)
      const page = Effect.fn("UnexecutedOcoOrders.page")(function*(request: Request = {}) {
        return yield* Effect.flatMap(call(request), Pages.ofRecords(endpoint.name, request, defaultLimit))
      })
      return {
        page,
        stream: ({ limit, ...filter } = {}) =>
          Pages.stream("UnexecutedOcoOrders.stream", (at) => page({ ...filter, ...at }), limit)
      }
    })
  )
}
