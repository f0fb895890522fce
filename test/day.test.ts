import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Decimal from "../src/domain/Decimal.ts"
import * as ActiveOrders from "../src/endpoints/ActiveOrders.ts"
import * as LimitOrders from "../src/endpoints/LimitOrders.ts"
import * as StockMarketOrders from "../src/endpoints/StockMarketOrders.ts"
import { Control } from "../src/sandbox/control/Control.ts"
import * as Faults from "../src/sandbox/gateway/Faults.ts"
import { Venue } from "../src/sandbox/venue/Venue.ts"
import { day, settings, streamSymptoms, symptoms, world } from "./readme/day.ts"
import * as Maker from "./readme/maker.ts"
import { passing } from "./support/clock.ts"
import { logsInto } from "./support/logs.ts"
import { isLong } from "./support/long.ts"

/** Converts a decimal exactly to units of 10^-18, without the arithmetic that the market maker uses. */
const units = (decimal: Decimal.Decimal | undefined): bigint =>
  Decimal.toUnits(decimal ?? Decimal.zero, 18) ?? assert.fail(decimal)

/** A separate exchange for each test, without log output. */
const quiet = Layer.fresh(Layer.merge(world, logsInto([])))

describe("a market maker's day", () => {
  it.effect("the market maker survives every fault, and its profit matches its balances to the last digit", () =>
    Effect.gen(function*() {
      const { balances, faults, ledger, price, report } = yield* day(isLong ? 1 : 15)
      const fired = faults.filter(({ fired }) => fired > 0).map(({ fault }) => fault)
      assert.sameDeepMembers([...new Set(fired.map(({ symptom }) => symptom))], [...symptoms, ...streamSymptoms])
      for (const { endpoint } of [LimitOrders, StockMarketOrders]) {
        assert.isAbove(fired.filter(({ path, symptom }) => path === endpoint.path && symptom === symptoms[0]).length, 0)
      }
      for (const [what, count] of Object.entries(report)) assert.isAbove(count, 0, what)

      // The market maker's report of each order is correct: no order was placed twice, and no order is missing.
      const { state } = yield* Venue
      assert.strictEqual(state.endedOrders.get("maker")?.length, report.placed + report.found)

      const [stock, money] = [settings.stock, settings.money].map((ticker) => {
        const { available, freeze } = balances.get(ticker) ?? assert.fail(`no ${ticker}`)
        assert.isTrue(Decimal.isZero(freeze), "an order is left")
        assert.strictEqual(units(ledger.of(ticker)), units(available), ticker)
        return available
      })
      const gained = units(money) - units(Decimal.of("80000"))
      const worth = (units(stock) - units(Decimal.of("2"))) * units(price)
      assert.strictEqual(units(ledger.profit(settings, price)), gained + worth / 10n ** 18n)
      assert.strictEqual(worth % 10n ** 18n, 0n)
    }).pipe(Effect.provide(quiet)))

  it.effect("the market maker places no orders while an outcome is unknown, and continues once the outcome is known", () =>
    Effect.gen(function*() {
      const control = yield* Control
      const { report, tick } = yield* passing(Maker.make(settings))
      const offered = Effect.map(control.openOrders("maker"), (orders) => orders.length)
      yield* control.addFault({ path: LimitOrders.endpoint.path, symptom: Faults.answerLost })
      yield* passing(tick)
      assert.strictEqual(yield* offered, 2)
      const gone = { path: ActiveOrders.endpoint.path, times: 100, symptom: Faults.badGateway } as const
      yield* control.addFault(gone)
      yield* passing(tick)
      assert.deepInclude(report, { found: 0, placed: 1, skipped: 1, ticks: 2 })
      assert.strictEqual(yield* offered, 0)
      yield* control.clearFaults
      yield* passing(tick)
      assert.deepInclude(report, { found: 1, placed: 3, skipped: 1, ticks: 3 })
      assert.strictEqual(yield* offered, 2)
    }).pipe(Effect.scoped, Effect.provide(quiet)))
})
