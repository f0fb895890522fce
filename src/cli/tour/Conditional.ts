/** The tour's chapters on deals, the kill switch and conditional orders. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Decimal from "../../domain/Decimal.ts"
import { OrderId } from "../../domain/Identifiers.ts"
import { CancelConditionalOrder } from "../../endpoints/CancelConditionalOrder.ts"
import { CancelOtoOrder } from "../../endpoints/CancelOtoOrder.ts"
import { CollateralOcoOrders } from "../../endpoints/CollateralOcoOrders.ts"
import { ConditionalOrders } from "../../endpoints/ConditionalOrders.ts"
import { Fills } from "../../endpoints/Fills.ts"
import { KillSwitch, KillSwitchSeconds } from "../../endpoints/KillSwitch.ts"
import { KillSwitchStatus } from "../../endpoints/KillSwitchStatus.ts"
import { OrderDeals } from "../../endpoints/OrderDeals.ts"
import { market } from "./Fixture.ts"
import { fails, succeeds } from "./Row.ts"

/** The tour's calls that list an order's deals, and arm and disarm a kill switch. */
export const rows = Effect.gen(function*() {
  const deals = yield* OrderDeals
  const fills = yield* Fills
  const killSwitch = yield* KillSwitch
  const status = yield* KillSwitchStatus
  const traded = Effect.map(fills.page({ market }), ({ records }) => [
    ...new Set(records.flatMap(({ orderId }) => orderId ?? []))
  ])

  return [
    succeeds(
      "OrderDeals.page",
      "the deals of every traded order",
      Effect.flatMap(traded, Effect.forEach((orderId) => deals.page({ orderId }))),
      (pages) =>
        pages.length > 0 && pages.every(({ records }) => records.length > 0)
          ? `${pages.length} orders with deals`
          : undefined
    ),
    succeeds(
      "KillSwitch.arm",
      "a timeout of one minute",
      killSwitch.arm({ market, timeout: KillSwitchSeconds.make(60) }),
      ({ cancellationTime, startTime }) =>
        cancellationTime - startTime === 60 ? "cancels in 60 seconds unless armed again" : undefined
    ),
    succeeds(
      "KillSwitchStatus.list",
      "",
      status.list(),
      (timers) => timers.length === 1 ? timers.map(({ market }) => `armed on ${market}`).join() : undefined
    ),
    succeeds(
      "KillSwitch.disarm",
      "",
      Effect.andThen(killSwitch.disarm({ market }), status.list()),
      (timers) => timers.length === 0 ? "disarmed" : undefined
    )
  ] as const
})

/** The tour's calls that list and cancel a conditional order. They use the position that an earlier chapter opened. */
export const conditional = Effect.gen(function*() {
  const oco = yield* CollateralOcoOrders
  const orders = yield* ConditionalOrders
  const cancelConditional = yield* CancelConditionalOrder
  const cancelOto = yield* CancelOtoOrder

  return [
    succeeds(
      "ConditionalOrders.page",
      "after a reduce-only OCO order",
      Effect.andThen(
        oco.create({
          market,
          side: "sell",
          amount: Decimal.amount("0.1"),
          price: Decimal.price("45000"),
          activationPrice: Decimal.price("38000"),
          stopLimitPrice: Decimal.price("37900"),
          reduceOnly: true
        }),
        orders.page()
      ),
      ({ records, total }) => total === 1 ? records.map(({ id, type }) => `${type} ${id}`).join() : undefined
    ),
    succeeds(
      "CancelConditionalOrder.cancel",
      "that pair",
      orders.stream().pipe(
        Stream.runForEach(({ id }) => cancelConditional.cancel({ market, id })),
        Effect.andThen(orders.page())
      ),
      ({ total }) => total === 0 ? "canceled" : undefined
    ),
    fails(
      "CancelOtoOrder.cancel",
      "an order that does not exist",
      cancelOto.cancel({ market, otoId: OrderId.make("1") }),
      "RequestRejected"
    )
  ] as const
})
