/**
 * The tour through the deals of an order, and the kill switch.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { Fills } from "../../endpoints/Fills.ts"
import { KillSwitch, KillSwitchSeconds } from "../../endpoints/KillSwitch.ts"
import { KillSwitchStatus } from "../../endpoints/KillSwitchStatus.ts"
import { OrderDeals } from "../../endpoints/OrderDeals.ts"
import { succeeds } from "./Row.ts"
import { market } from "./Scene.ts"

/**
 * What an order has traded, and a kill switch that is armed and disarmed.
 *
 * @category chapters
 * @since 0.1.0
 */
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
      "of every order that has traded",
      Effect.flatMap(traded, Effect.forEach((orderId) => deals.page({ orderId }))),
      (pages) =>
        pages.length > 0 && pages.every(({ records }) => records.length > 0)
          ? `${pages.length} orders with deals`
          : undefined
    ),
    succeeds(
      "KillSwitch.arm",
      "for a minute",
      killSwitch.arm({ market, timeout: KillSwitchSeconds.make(60) }),
      ({ cancellationTime, startTime }) =>
        cancellationTime - startTime === 60 ? "cancels in 60 seconds unless it is armed again" : undefined
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
