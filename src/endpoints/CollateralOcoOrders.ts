/**
 * Collateral OCO orders (document, Endpoints §2): a take-profit and a stop-loss of which one cancels the other.
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
import { Amount, Decimal, FeeRate, Price } from "../domain/Decimal.ts"
import { ClientOrderId, MarketName } from "../domain/Identifiers.ts"
import * as Market from "../domain/Market.ts"
import { OrderSide, ReceivedActivationCondition, ReceivedPositionSide, ReceivedSide } from "../domain/Order.ts"
import { Flag } from "../domain/Text.ts"
import { UnixTime } from "../domain/Time.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

/**
 * - `market`: a margin market
 * - `side`: a buy opens or increases a long position, a sell a short one
 * - `amount`: of both legs, in units of the base currency
 * - `price`: the take-profit's limit, in units of the quote currency
 * - `activationPrice`: the stop-loss's trigger, in units of the quote currency
 * - `stopLimitPrice`: the stop-loss's limit once it is triggered, in units of the quote currency
 * - `clientOrderId`: the caller's own identifier; one is made when it is left out
 * - `reduceOnly`: both legs may only reduce or close a position; default false. The document announces it as not yet
 *   accepted.
 */
const request = (dialect: Dialect) =>
  Wire.struct({
    market: MarketName,
    side: OrderSide,
    amount: Amount,
    price: Price,
    activationPrice: Price,
    stopLimitPrice: Price,
    clientOrderId: Schema.optionalKey(ClientOrderId),
    reduceOnly: Schema.optionalKey(Flag)
  }, {
    keys: {
      activationPrice: "activation_price",
      stopLimitPrice: "stop_limit_price",
      clientOrderId: dialect.keys.clientOrderId
    }
  })

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

/** What both legs have. */
const leg = ({ legType, omissible, orderStatus, receivedSelfTradePrevention }: Dialect) => ({
  orderId: Wire.OrderId,
  clientOrderId: Schema.optionalKey(ClientOrderId),
  market: MarketName,
  side: ReceivedSide,
  type: legType,
  timestamp: UnixTime,
  dealMoney: Decimal,
  dealStock: Decimal,
  amount: Decimal,
  takerFee: omissible(FeeRate),
  makerFee: omissible(FeeRate),
  left: Decimal,
  dealFee: Decimal,
  postOnly: Schema.Boolean,
  mtime: UnixTime,
  price: Decimal,
  status: omissible(orderStatus),
  stp: omissible(receivedSelfTradePrevention),
  positionSide: omissible(ReceivedPositionSide)
})

const spelling = ({ demandsAll, keys }: Dialect) => ({
  keys: { ...keys, postOnly: "post_only" },
  absent: { clientOrderId: { value: "", when: () => true, demanded: demandsAll } }
})

const limitLeg = (dialect: Dialect) => Wire.struct(leg(dialect), spelling(dialect))

const stopLeg = (dialect: Dialect) => {
  const { absent, keys } = spelling(dialect)
  return Wire.struct({
    ...leg(dialect),
    activationPrice: Decimal,
    activationCondition: ReceivedActivationCondition,
    activated: Wire.Bit
  }, {
    keys: { ...keys, activationPrice: "activation_price", activationCondition: "activation_condition" },
    absent
  })
}

/**
 * An OCO order as the exchange has accepted it.
 *
 * - `id`: of the pair; each leg has its own
 * - `stopLoss`: the stop-limit leg, with trigger
 * - `takeProfit`: the limit leg
 *
 * In both legs:
 *
 * - `timestamp`, `mtime`: of creation and of the last change, in Unix seconds with microseconds
 * - `dealMoney`, `dealStock`: filled so far, in units of the quote and of the base currency
 * - `amount`, `left`: ordered and not yet filled, in units of the base currency
 * - `takerFee`, `makerFee`: ratios; `dealFee`: charged so far
 *
 * @category models
 * @since 0.1.0
 */
const order = (dialect: Dialect) =>
  Wire.struct({
    id: Wire.OrderId,
    reduceOnly: dialect.omissible(Schema.Boolean),
    stopLoss: stopLeg(dialect).schema,
    takeProfit: limitLeg(dialect).schema
  }, { keys: { stopLoss: "stop_loss", takeProfit: "take_profit" } })

/** @category models */
export type CollateralOcoOrder = ReturnType<typeof order>["schema"]["Type"]

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "CollateralOcoOrders.create",
  clause: "Endpoints §2",
  method: "POST",
  path: "/api/v4/order/collateral/oco",
  access: "private",
  b2b: false,
  mutates: true,
  rateLimit: { calls: 10000, perSeconds: 10 },
  envelope: "required",
  errorFamily: "order",
  refusals: ["ValidationFailed", "ReduceOnlyRejected"],
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
 * - `create`: places both legs, after checking them against the bounds of their market
 *
 * @category services
 * @since 0.1.0
 */
export class CollateralOcoOrders extends Context.Service<CollateralOcoOrders, {
  readonly create: (request: Request) => Effect.Effect<ClientOrderIdEcho.Created<CollateralOcoOrder>, Failure>
}>()("effect-txc/endpoints/CollateralOcoOrders") {
  static readonly layer: Layer.Layer<CollateralOcoOrders, never, Call.Call | MarketRules> = Layer.effect(
    CollateralOcoOrders,
    Effect.gen(function*() {
      const { dialect, make } = yield* Call.Call
      const rules = yield* MarketRules
      const ids = yield* ClientOrderIds
      const call = make(
        endpoint,
        (request) => Call.withinMarketRules(rules, endpoint, dialect, Market.collateralOco(request))
      )
      return {
        create: Effect.fn("CollateralOcoOrders.create")(function*(asked: Request) {
          const request = yield* ids.named(asked)
          const order = yield* call(request)
          return yield* ClientOrderIdEcho.check(endpoint.name, order, request.clientOrderId, [
            order.stopLoss.clientOrderId,
            order.takeProfit.clientOrderId
          ], dialect.policy.legClientOrderIds === "echoed")
        })
      }
    })
  )
}
