import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { OrderId } from "../../../src/domain/Identifiers.ts"
import { document } from "../../../src/protocol/Dialect.ts"
import * as Control from "../../../src/sandbox/control/Control.ts"
import { btcUsdt, limit, price, traders } from "../../support/trading.ts"

describe("an order's events", () => {
  it.effect("an order shows its events and the commands that caused them, and omits events that a restore has undone", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      yield* control.movePrice({ market: btcUsdt, price: price("40000") })
      yield* limit("buy", "0.01", "39000")
      const placed = (yield* control.status).sequence
      const [open] = yield* control.openOrders("alice")
      const id = open?.id ?? assert.fail("no order")
      const eventsOf = Effect.map(
        control.order("alice", id),
        ({ events }) => events.map(({ command, what }) => [what, command])
      )
      assert.deepStrictEqual(yield* eventsOf, [["placed", placed]])
      assert.deepStrictEqual((yield* control.order("alice", id)).locked, open?.locked)
      yield* control.movePrice({ market: btcUsdt, price: price("38000") })
      const filled = placed + 1
      assert.deepStrictEqual(yield* eventsOf, [["placed", placed], ["filled", filled], ["ended", filled]])
      const life = yield* control.order("alice", id)
      assert.isFalse(life.open)
      assert.strictEqual(life.status, "FILLED")
      assert.deepStrictEqual(life.events[1]?.fill, (yield* control.fills("alice"))[0])
      // After the restore, another command fills the order.
      yield* control.restore(placed)
      assert.deepStrictEqual(yield* eventsOf, [["placed", placed]])
      yield* control.movePrice({ market: btcUsdt, price: price("38500") })
      const again = (yield* control.status).sequence
      assert.deepStrictEqual(yield* eventsOf, [["placed", placed], ["filled", again], ["ended", again]])
      for (const [account, of] of [["bob", id], ["alice", OrderId.make("999999")]] as const) {
        assert.strictEqual((yield* Effect.flip(control.order(account, of)))._tag, "ControlRefused")
      }
    }).pipe(Effect.provide(traders(document))))
})
