import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Decimal from "../../src/domain/Decimal.ts"
import * as LimitOrders from "../../src/endpoints/LimitOrders.ts"
import { Explore, type Moment, type Scenario } from "../../src/explore/index.ts"
import * as World from "../../src/explore/World.ts"
import { history } from "./history.ts"
import { market } from "./programs.ts"

const create = LimitOrders.LimitOrders.use(({ create }) =>
  create({ market, side: "buy", amount: Decimal.amount("0.01"), price: Decimal.price("39000") })
)

const faultOn = (symptom: { readonly _tag: "Late" | "Delay"; readonly millis: number }): Scenario.Event => ({
  _tag: "Fault",
  at: 0,
  fault: { path: LimitOrders.endpoint.path, symptom }
})

const outageAt = (at: number): Scenario.Event => ({ _tag: "Outage", at, downMillis: 1000 })

const sentOf = ({ sent }: Moment) => sent.find(({ path }) => path === LimitOrders.endpoint.path)

/** Makes one call, reports its error, and continues to run. */
const callOnce = Effect.flip(create).pipe(
  Effect.flatMap(({ _tag }) => Explore.say("error", _tag)),
  Effect.andThen(Effect.never)
)

describe("calls and outages", () => {
  it.effect("a late call that has not arrived before an outage is lost, even after the next restart", () =>
    Effect.gen(function*() {
      for (const events of [[outageAt(1000)], [outageAt(1000), outageAt(10_000)]]) {
        const { lines, moment } = yield* history(callOnce, {
          events: [faultOn({ _tag: "Late", millis: 3000 }), ...events]
        })
        assert.strictEqual(moment.said.get("error")?.value, "OutcomeUnknown")
        assert.lengthOf(moment.openOrders, 0)
        assert.lengthOf(lines().filter((line) => line.includes("PlaceLimit")), 0)
        assert.strictEqual(sentOf(moment)?.outcome, "lost")
      }
    }))

  it.effect("an outage cuts off a late response, and the order survives", () =>
    Effect.gen(function*() {
      const { moment } = yield* history(callOnce, {
        events: [faultOn({ _tag: "Delay", millis: 20_000 }), outageAt(1000)]
      })
      assert.lengthOf(moment.openOrders, 1)
      assert.strictEqual((sentOf(moment)?.answeredAt ?? 0) - World.start, 1020)
    }))

  it.effect("a call that is applied in the millisecond of the stop is still in the exchange's log", () =>
    Effect.gen(function*() {
      const orders: Array<number> = []
      for (let order = 1; order <= 20; order++) {
        const { moment } = yield* history(callOnce, { order, events: [outageAt(60)] })
        const applied = moment.calls.filter(({ path }) => path === LimitOrders.endpoint.path)
        assert.lengthOf(applied, moment.openOrders.length, `order ${order}`)
        orders.push(applied.length)
      }
      assert.includeMembers(orders, [0, 1])
    }))
})
