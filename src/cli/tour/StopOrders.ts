/** The tour's chapters on stop-limit and OCO orders. */
import * as Effect from "effect/Effect"
import * as Decimal from "../../domain/Decimal.ts"
import { ClientOrderId } from "../../domain/Identifiers.ts"
import { CancelAllOrders } from "../../endpoints/CancelAllOrders.ts"
import { CollateralOcoOrders } from "../../endpoints/CollateralOcoOrders.ts"
import { endpoint as stopLimitEndpoint, StopLimitOrders } from "../../endpoints/StopLimitOrders.ts"
import { Control } from "../../sandbox/control/Control.ts"
import * as Faults from "../../sandbox/gateway/Faults.ts"
import { market, openOrders, order } from "./Fixture.ts"
import { fails, succeeds } from "./Row.ts"

/** The tour's calls that place stop-limit and OCO orders, and cancel all of them. */
export const rows = Effect.gen(function*() {
  const stopLimit = yield* StopLimitOrders
  const oco = yield* CollateralOcoOrders
  const cancelAll = yield* CancelAllOrders

  return [
    succeeds(
      "StopLimitOrders.create",
      "buy 0.1 BTC at 40600 when it reaches 40500",
      stopLimit.create({ ...order, clientOrderId: ClientOrderId.make("demo-1") }),
      ({ clientOrderIdEcho, orderId, status }) =>
        clientOrderIdEcho === "echoed" ? `order ${orderId}, ${status}, client order id echoed` : undefined
    ),
    fails(
      "StopLimitOrders.create",
      "the same client order id",
      stopLimit.create({ ...order, clientOrderId: ClientOrderId.make("demo-1") }),
      "ValidationFailed"
    ),
    fails(
      "StopLimitOrders.create",
      "0.0000001 BTC, finer than the market",
      stopLimit.create({ ...order, amount: Decimal.amount("0.0000001") }),
      "ValidationFailed"
    ),
    fails(
      "StopLimitOrders.create",
      "100 BTC, more than the balance",
      stopLimit.create({ ...order, amount: Decimal.amount("100") }),
      "RequestRejected"
    ),
    succeeds(
      "CollateralOcoOrders.create",
      "sell 0.1 BTC, take profit 45000, stop loss 38000",
      oco.create({
        ...order,
        side: "sell",
        price: Decimal.price("45000"),
        activationPrice: Decimal.price("38000"),
        stopLimitPrice: Decimal.price("37900")
      }),
      ({ id, stopLoss, takeProfit }) => `${id}: stop loss ${stopLoss.orderId}, take profit ${takeProfit.orderId}`
    ),
    fails(
      "CollateralOcoOrders.create",
      "reduce-only, without a position",
      oco.create({ ...order, stopLimitPrice: Decimal.price("40200"), reduceOnly: true }),
      "ReduceOnlyRejected"
    ),
    succeeds(
      "CancelAllOrders.cancel",
      "spot orders of BTC_USDT",
      Effect.andThen(cancelAll.cancel({ market, type: ["spot"] }), openOrders),
      (left) => left === 2 ? "the two legs of the OCO order stay open" : undefined
    ),
    succeeds(
      "CancelAllOrders.cancel",
      "all",
      Effect.andThen(cancelAll.cancel(), openOrders),
      (left) => left === 0 ? "no order stays open" : undefined
    )
  ] as const
})

/** The tour's calls for an order that is placed although the response is lost. */
export const lost = Effect.gen(function*() {
  const stopLimit = yield* StopLimitOrders
  const cancelAll = yield* CancelAllOrders
  const control = yield* Control

  return [
    fails(
      "StopLimitOrders.create",
      "applied, but its response is lost",
      Effect.andThen(
        control.addFault({ path: stopLimitEndpoint.path, symptom: Faults.answerLost }),
        stopLimit.create({ ...order, clientOrderId: ClientOrderId.make("demo-2") })
      ),
      "OutcomeUnknown"
    ),
    succeeds(
      "CancelAllOrders.cancel",
      "the order with the lost response",
      Effect.gen(function*() {
        const before = yield* openOrders
        yield* cancelAll.cancel()
        return before
      }),
      (before) => before === 1 ? "the order existed" : undefined
    )
  ] as const
})
