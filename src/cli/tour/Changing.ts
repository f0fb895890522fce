/**
 * The chapter of the tour about orders that change, and about many of them in one call.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Decimal from "../../domain/Decimal.ts"
import { BulkLimitOrders } from "../../endpoints/BulkLimitOrders.ts"
import { CancelBulkOrders } from "../../endpoints/CancelBulkOrders.ts"
import { LimitOrders } from "../../endpoints/LimitOrders.ts"
import { ModifyOrder } from "../../endpoints/ModifyOrder.ts"
import { succeeds } from "./Row.ts"
import { market } from "./Scene.ts"

const buy = (price: `${number}`) => ({
  market,
  side: "buy" as const,
  amount: Decimal.amount("0.01"),
  price: Decimal.Price.make(price)
})

/**
 * An order that gets another price, and orders that are placed and canceled together.
 *
 * @category chapters
 * @since 0.1.0
 */
export const rows = Effect.gen(function*() {
  const limit = yield* LimitOrders
  const modify = yield* ModifyOrder
  const bulk = yield* BulkLimitOrders
  const cancelBulk = yield* CancelBulkOrders

  return [
    succeeds(
      "ModifyOrder.modify",
      "buy at 36000 instead of at 35000",
      Effect.flatMap(
        limit.create(buy("35000")),
        ({ orderId }) =>
          Effect.map(
            modify.modify({ market, orderId, price: Decimal.price("36000") }),
            (changed) => [orderId, changed] as const
          )
      ),
      ([orderId, changed]) =>
        changed.orderId === orderId ? undefined : `order ${changed.orderId} in place of ${orderId}`
    ),
    succeeds(
      "CancelBulkOrders.cancel",
      "two that were placed in one call, and one that is not there",
      Effect.gen(function*() {
        const placed = yield* bulk.create({ orders: [buy("34000"), buy("33000")] })
        const orders = placed.flatMap((outcome) =>
          Result.isSuccess(outcome) ? [{ market, orderId: outcome.success.orderId }] : []
        )
        const [first] = orders
        return yield* cancelBulk.cancel({ orders: [...orders, ...(first === undefined ? [] : [first])] })
      }),
      (outcomes) =>
        outcomes.map((outcome) => Result.isSuccess(outcome) ? "canceled" : outcome.failure.message).join("; ")
    )
  ] as const
})
