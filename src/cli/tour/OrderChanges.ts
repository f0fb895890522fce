/** The tour's chapters on stop orders, order modification and bulk orders. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Decimal from "../../domain/Decimal.ts"
import { BulkLimitOrders } from "../../endpoints/BulkLimitOrders.ts"
import { CancelBulkOrders, type Outcome } from "../../endpoints/CancelBulkOrders.ts"
import { CollateralStopLimitOrders } from "../../endpoints/CollateralStopLimitOrders.ts"
import { CollateralTriggerMarketOrders } from "../../endpoints/CollateralTriggerMarketOrders.ts"
import { LimitOrders } from "../../endpoints/LimitOrders.ts"
import { ModifyOrder } from "../../endpoints/ModifyOrder.ts"
import { StopMarketOrders } from "../../endpoints/StopMarketOrders.ts"
import { market } from "./Fixture.ts"
import { succeeds } from "./Row.ts"

const buy = (price: `${number}`) => ({
  market,
  side: "buy" as const,
  amount: Decimal.amount("0.01"),
  price: Decimal.Price.make(price)
})

const wordsOf = (failure: Result.Result.Failure<Outcome>): string =>
  failure._tag === "RequestRejected" ? failure.reason : failure._tag

/** The tour's calls that change an order's price, and that place and cancel orders in bulk. */
export const rows = Effect.gen(function*() {
  const limit = yield* LimitOrders
  const modify = yield* ModifyOrder
  const bulk = yield* BulkLimitOrders
  const cancelBulk = yield* CancelBulkOrders

  return [
    succeeds(
      "ModifyOrder.modify",
      "buy at 36000 instead of 35000",
      Effect.flatMap(
        limit.create(buy("35000")),
        ({ orderId }) =>
          Effect.map(
            modify.modify({ market, orderId, price: Decimal.price("36000") }),
            (changed) => [orderId, changed] as const
          )
      ),
      ([orderId, changed]) => changed.orderId === orderId ? undefined : `order ${changed.orderId} replaces ${orderId}`
    ),
    succeeds(
      "CancelBulkOrders.cancel",
      "two orders placed in bulk, and one of them again",
      Effect.gen(function*() {
        const placed = yield* bulk.create({ orders: [buy("34000"), buy("33000")] })
        const orders = placed.flatMap((outcome) =>
          Result.isSuccess(outcome) ? [{ market, orderId: outcome.success.orderId }] : []
        )
        const [first] = orders
        return yield* cancelBulk.cancel({ orders: [...orders, ...(first === undefined ? [] : [first])] })
      }),
      (outcomes) =>
        outcomes.map((outcome) => Result.isSuccess(outcome) ? "canceled" : wordsOf(outcome.failure)).join("; ")
    )
  ] as const
})

/** The tour's calls that place stop-limit and stop-market orders, both spot and on margin. */
export const stops = Effect.gen(function*() {
  const stopMarket = yield* StopMarketOrders
  const stopLimit = yield* CollateralStopLimitOrders
  const triggerMarket = yield* CollateralTriggerMarketOrders
  const waits = ({ activationPrice, orderId }: { readonly activationPrice: string; readonly orderId: string }) =>
    `order ${orderId} waits for ${activationPrice}`

  return [
    succeeds(
      "StopMarketOrders.create",
      "buy for 500 USDT when it reaches 44000",
      stopMarket.create({
        market,
        side: "buy",
        amount: Decimal.amount("500"),
        activationPrice: Decimal.price("44000")
      }),
      waits
    ),
    succeeds(
      "CollateralStopLimitOrders.create",
      "sell 0.01 BTC on margin at 37000 when it reaches 37500",
      stopLimit.create({
        market,
        side: "sell",
        amount: Decimal.amount("0.01"),
        price: Decimal.price("37000"),
        activationPrice: Decimal.price("37500")
      }),
      waits
    ),
    succeeds(
      "CollateralTriggerMarketOrders.create",
      "sell 0.01 BTC on margin when it reaches 37500",
      triggerMarket.create({
        market,
        side: "sell",
        amount: Decimal.amount("0.01"),
        activationPrice: Decimal.price("37500")
      }),
      waits
    )
  ] as const
})
