import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { setImmediate } from "node:timers/promises"
import * as Decimal from "../src/domain/Decimal.ts"
import * as Margin from "../src/domain/Margin.ts"
import { endpoint as marketOrder } from "../src/endpoints/CollateralMarketOrders.ts"
import { CollateralSummary } from "../src/endpoints/CollateralSummary.ts"
import { OpenPositions } from "../src/endpoints/OpenPositions.ts"
import { OrderHistory } from "../src/endpoints/OrderHistory.ts"
import * as Dialect from "../src/protocol/Dialect.ts"
import { Control } from "../src/sandbox/control/Control.ts"
import * as Faults from "../src/sandbox/gateway/Faults.ts"
import * as InProcess from "../src/sandbox/server/InProcess.ts"
import * as Streams from "../src/Streams.ts"
import * as Keeper from "./readme/keeper.ts"
import { logsInto } from "./support/logs.ts"
import { amount, btcPerp, price, same, traders } from "./support/trading.ts"

const world = Streams.layerInProcess.pipe(
  Layer.provide(InProcess.layerDialer),
  Layer.provideMerge(traders(Dialect.live)),
  Layer.merge(logsInto([]))
)

const turn = Effect.asVoid(Effect.promise(() => setImmediate()))

const settle = Effect.repeat(turn, { times: 3 })

/**
 * Makes the price fall from 40000 by 30 % within an hour, in steps of half a minute, while alice holds a long position
 * of 20 BTC with tenfold leverage. Returns the liquidation orders.
 */
const crash = Effect.fnUntraced(function*(
  pauses: ReadonlyArray<`${number} seconds`>,
  before: (step: number) => Effect.Effect<unknown, unknown, Control>
) {
  const control = yield* Control
  for (let step = 1; step <= 120; step++) {
    yield* before(step)
    yield* control.movePrice({ market: btcPerp, price: price(String(40_000 - 100 * step)) })
    for (const pause of pauses) yield* Effect.andThen(TestClock.adjust(pause), settle)
  }
  const { records } = yield* OrderHistory.use(({ page }) => page())
  return records.filter(({ clientOrderId = "" }) => clientOrderId.startsWith("liquidation_"))
})

const begin = Effect.gen(function*() {
  const control = yield* Control
  yield* control.movePrice({ market: btcPerp, price: price("40000") })
  yield* control.setCounterparty({ market: btcPerp })
  yield* control.openPosition({ account: "alice", market: btcPerp, side: "buy", amount: amount("20") })
  return control
})

describe("the risk service that guards a position", () => {
  it.effect("a 30 % crash liquidates an account that no risk service watches", () =>
    Effect.gen(function*() {
      yield* begin
      assert.isNotEmpty(yield* crash(["30 seconds"], () => Effect.void))
    }).pipe(Effect.provide(Layer.fresh(world))))

  it.effect("the risk service halves the position before the exchange liquidates it, despite lost responses and a cut connection", () =>
    Effect.scoped(Effect.gen(function*() {
      const control = yield* begin
      const keeper = yield* Keeper.make({ market: btcPerp, distance: 0.05, digits: 3 })
      const [shown] = yield* OpenPositions.use(({ list }) => list())
      const computed = Margin.liquidationPrice(yield* keeper.accountAt(Decimal.of("40000")), btcPerp)
      assert.approximately(Number(computed), Number(shown?.liquidationPrice), 0.1)
      yield* Effect.forkScoped(keeper.run)
      yield* settle
      const liquidated = yield* crash(
        ["1 seconds", "1 seconds", "1 seconds", "1 seconds", "1 seconds", "25 seconds"],
        (step) =>
          Effect.gen(function*() {
            if (step % 20 === 10) {
              yield* control.addFault({ path: marketOrder.path, symptom: Faults.answerLost })
            }
            if (step % 30 === 15) {
              const [connection] = yield* control.connections
              if (connection !== undefined) yield* control.cutConnection({ id: connection.id })
            }
          })
      )
      same(liquidated, [])
      const { report } = keeper
      assert.isAbove(report.halved + report.lost, 1)
      assert.isAbove(report.lost, 0)
      assert.isAbove(report.nearest, 0.03)
      assert.isAbove(Number((yield* CollateralSummary.use(({ get }) => get)).equity), 0)
    })).pipe(Effect.provide(Layer.fresh(world))))
})
