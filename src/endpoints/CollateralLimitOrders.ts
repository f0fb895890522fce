/**
 * Limit orders that trade positions on margin.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Call from "../client/call/Call.ts"
import * as ClientOrderIdEcho from "../client/ClientOrderIdEcho.ts"
import { ClientOrderIds } from "../client/ClientOrderIds.ts"
import { MarketRules } from "../client/MarketRules.ts"
import { Amount, Price } from "../domain/Decimal.ts"
import { ClientOrderId, MarketName } from "../domain/Identifiers.ts"
import * as Market from "../domain/Market.ts"
import { OrderSide } from "../domain/Order.ts"
import { Flag } from "../domain/Text.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as OrderAnswer from "../protocol/OrderAnswer.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

/**
 * - `market`: a margin market
 * - `side`: a buy opens or increases a long position, a sell a short one
 * - `amount`: in units of the base currency; precision, least amount and total depend on the market
 * - `price`: the limit, in units of the quote currency
 * - `clientOrderId`: the caller's own identifier; one is made when it is left out
 * - `postOnly`: refused instead of trading at once; default false
 * - `ioc`: what can't trade at once is canceled; default false; not together with `postOnly`
 * - `stp`: self-trade prevention, default `no`
 * - `reduceOnly`: may only reduce or close a position; its amount becomes the position's at most; default false
 */
const request = (dialect: Dialect) =>
  Wire.struct({
    market: MarketName,
    side: OrderSide,
    amount: Amount,
    price: Price,
    clientOrderId: Schema.optionalKey(ClientOrderId),
    postOnly: Schema.optionalKey(Flag),
    ioc: Schema.optionalKey(Flag),
    stp: Schema.optionalKey(dialect.selfTradePrevention),
    reduceOnly: Schema.optionalKey(Flag)
  }, {
    keys: { clientOrderId: dialect.keys.clientOrderId },
    constraints: [{
      field: "ioc",
      constraint: { kind: "exclusive", with: "postOnly" },
      holds: ({ ioc, postOnly }) => ioc !== true || postOnly !== true
    }]
  })

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "CollateralLimitOrders.create",
  clause: "not in the document",
  method: "POST",
  path: "/api/v4/order/collateral/limit",
  access: "private",
  b2b: false,
  mutates: true,
  rateLimit: { calls: 10000, perSeconds: 10 },
  envelope: "required",
  errorFamily: "order",
  refusals: ["ValidationFailed", "ReduceOnlyRejected"],
  request,
  response: OrderAnswer.order
})

/** @category models */
export type Request = Endpoint.Request<typeof endpoint>
/** @category errors */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * - `create`: places the order, after checking it against the bounds of its market
 *
 * @category services
 * @since 0.1.0
 */
export class CollateralLimitOrders extends Context.Service<CollateralLimitOrders, {
  readonly create: (request: Request) => Effect.Effect<ClientOrderIdEcho.Created<OrderAnswer.Order>, Failure>
}>()("effect-txc/endpoints/CollateralLimitOrders") {
  static readonly layer: Layer.Layer<CollateralLimitOrders, never, Call.Call | MarketRules> = Layer.effect(
    CollateralLimitOrders,
    Effect.gen(function*() {
      const { dialect, make } = yield* Call.Call
      const rules = yield* MarketRules
      const ids = yield* ClientOrderIds
      const call = make(
        endpoint,
        (request) => Call.withinMarketRules(rules, endpoint, dialect, Market.limit({ ...request, collateral: true }))
      )
      return {
        create: Effect.fn("CollateralLimitOrders.create")(function*(asked: Request) {
          const request = yield* ids.named(asked)
          const order = yield* call(request)
          return yield* ClientOrderIdEcho.check(endpoint.name, order, request.clientOrderId, [order.clientOrderId])
        })
      }
    })
  )
}
