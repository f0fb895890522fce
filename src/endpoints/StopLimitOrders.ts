/**
 * Stop-limit orders (document, Endpoints §3): an order that becomes a limit order when the market reaches its activation
 * price.
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
import { Amount, Decimal, Price } from "../domain/Decimal.ts"
import { ClientOrderId, MarketName } from "../domain/Identifiers.ts"
import * as Market from "../domain/Market.ts"
import {
  OrderSide,
  ReceivedActivationCondition,
  ReceivedPositionSide,
  ReceivedSide,
  ReceivedType
} from "../domain/Order.ts"
import { UnixTime } from "../domain/Time.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

/**
 * - `market`: where to trade
 * - `side`: a buy activates when the market rises to `activationPrice`, a sell when it falls to it
 * - `amount`: in units of the base currency; precision, least amount and total depend on the market
 * - `price`: the limit after activation, in units of the quote currency
 * - `activationPrice`: in units of the quote currency
 * - `clientOrderId`: the caller's own identifier, unique per account
 * - `bboRole`: execute at the best bid or offer after activation
 * - `stp`: self-trade prevention, default `no`
 */
const request = (dialect: Dialect) =>
  Wire.struct({
    market: MarketName,
    side: OrderSide,
    amount: Amount,
    price: Price,
    activationPrice: Price,
    clientOrderId: Schema.optionalKey(ClientOrderId),
    bboRole: Schema.optionalKey(Wire.BboRole),
    stp: Schema.optionalKey(dialect.selfTradePrevention)
  }, { keys: { activationPrice: "activation_price", clientOrderId: dialect.keys.clientOrderId } })

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

const marketTypes: ReadonlyArray<unknown> = ["market", "stock market", "stop market"]

/**
 * A stop-limit order as the exchange has accepted it. Fields that only the document's dialect demands are optional.
 *
 * - `timestamp`: of creation, in Unix seconds with microseconds
 * - `dealMoney`, `dealStock`: filled so far, in units of the quote and of the base currency
 * - `amount`, `left`: ordered and not yet filled, in units of the base currency (of the quote currency for market buys)
 * - `dealFee`: charged so far, in the fee asset
 * - `price`: the limit; absent on market orders
 * - `activated`: whether the market has reached `activationPrice`
 * - `activationCondition`: from which side it must be reached
 *
 * @category models
 * @since 0.1.0
 */
const order = ({ demandsAll, keys, omissible, orderStatus, receivedSelfTradePrevention }: Dialect) =>
  Wire.struct({
    orderId: Wire.OrderId,
    clientOrderId: Schema.optionalKey(ClientOrderId),
    market: MarketName,
    side: ReceivedSide,
    type: ReceivedType,
    timestamp: UnixTime,
    dealMoney: Decimal,
    dealStock: Decimal,
    amount: Decimal,
    left: Decimal,
    dealFee: Decimal,
    price: Schema.optionalKey(Decimal),
    postOnly: omissible(Schema.Boolean),
    ioc: omissible(Schema.Boolean),
    status: omissible(orderStatus),
    stp: omissible(receivedSelfTradePrevention),
    positionSide: Schema.optionalKey(ReceivedPositionSide),
    rpi: omissible(Schema.Boolean),
    reduceOnly: omissible(Schema.Boolean),
    activated: omissible(Wire.Bit),
    activationCondition: omissible(ReceivedActivationCondition),
    activationPrice: Decimal
  }, {
    keys: { ...keys, activationPrice: "activation_price" },
    absent: {
      clientOrderId: { value: "", when: () => true, demanded: demandsAll },
      price: { value: "0", when: (wire) => marketTypes.includes(wire["type"]), demanded: demandsAll }
    }
  })

/** @category models */
export type StopLimitOrder = ReturnType<typeof order>["schema"]["Type"]

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "StopLimitOrders.create",
  clause: "Endpoints §3",
  method: "POST",
  // The document does not show this path; it is the live exchange's.
  path: "/api/v4/order/stop_limit",
  access: "private",
  b2b: false,
  mutates: true,
  rateLimit: { calls: 10000, perSeconds: 10 },
  envelope: "required",
  errorFamily: "order",
  refusals: ["ValidationFailed"],
  request,
  response: (dialect) => order(dialect).schema
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
export class StopLimitOrders extends Context.Service<StopLimitOrders, {
  readonly create: (request: Request) => Effect.Effect<ClientOrderIdEcho.Created<StopLimitOrder>, Failure>
}>()("effect-txc/endpoints/StopLimitOrders") {
  static readonly layer: Layer.Layer<StopLimitOrders, never, Call.Call | MarketRules> = Layer.effect(
    StopLimitOrders,
    Effect.gen(function*() {
      const { dialect, make } = yield* Call.Call
      const rules = yield* MarketRules
      const ids = yield* ClientOrderIds
      const call = make(
        endpoint,
        (request) => Call.withinMarketRules(rules, endpoint, dialect, Market.stopLimit(request))
      )
      return {
        create: Effect.fn("StopLimitOrders.create")(function*(asked: Request) {
          const request = yield* ids.named(asked)
          const order = yield* call(request)
          return yield* ClientOrderIdEcho.check(endpoint.name, order, request.clientOrderId, [order.clientOrderId])
        })
      }
    })
  )
}
