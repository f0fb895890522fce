import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { document } from "../../../src/protocol/Dialect.ts"
import * as Control from "../../../src/sandbox/control/Control.ts"
import * as Views from "../../../src/sandbox/control/Views.ts"
import type { State } from "../../../src/sandbox/engine/State.ts"
import { Venue } from "../../../src/sandbox/venue/Venue.ts"
import { Desk, openPosition } from "../../support/engine.ts"
import { limit, price, traders } from "../../support/trading.ts"

describe("open orders", () => {
  it.effect("the list of open orders shows all orders, or only the latest ones", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      for (let n = 1; n <= 5; n++) yield* limit("buy", "0.01", String(1000 + n))
      const all = yield* control.openOrders("alice")
      assert.deepStrictEqual(
        all.map((order) => order.price),
        [1001, 1002, 1003, 1004, 1005].map((n) => price(String(n)))
      )
      assert.strictEqual(yield* control.countOfOpenOrders("alice"), 5)
      const part = (of: Views.Part) => control.openOrders("alice", of)
      assert.deepStrictEqual(yield* part({ limit: 2 }), all.slice(3))
      assert.deepStrictEqual(yield* part({ offset: 1, limit: 2 }), all.slice(2, 4))
      assert.deepStrictEqual(yield* part({ offset: 4 }), all.slice(0, 1))
      assert.deepStrictEqual(yield* part({ offset: 5, limit: 2 }), [])
      assert.deepStrictEqual(yield* part({ limit: 0 }), [])
      assert.strictEqual(yield* control.countOfOpenOrders("nobody"), 0)
    }).pipe(Effect.provide(traders(document))))

  it.effect("closed orders are listed with their closing time and final status, latest first", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      yield* limit("buy", "0.01", "1001")
      yield* limit("buy", "0.02", "1002")
      yield* limit("buy", "0.03", "1003")
      const [first, second] = yield* control.openOrders("alice")
      for (const order of [second, first]) {
        const { id: orderId, market } = order ?? assert.fail("no order")
        yield* control.advanceClock({ millis: 1000 })
        yield* control.cancelOrder({ account: "alice", market, orderId })
      }
      const { at } = yield* control.clock
      const ended = yield* control.endedOrders("alice")
      assert.deepStrictEqual(ended.map(({ endedAt, id, status }) => [id, endedAt, status]), [
        [first?.id, at, "CANCELED"],
        [second?.id, at - 1_000_000, "CANCELED"]
      ])
      assert.notProperty(ended[0], "locked")
      assert.strictEqual((yield* control.openOrders("alice")).length, 1)
      assert.deepStrictEqual(yield* control.endedOrders("nobody"), [])
    }).pipe(Effect.provide(traders(document))))

  it.effect("the cost of listing some open orders does not depend on how many are open", () =>
    Effect.gen(function*() {
      yield* limit("buy", "0.01", "1000")
      const { state } = yield* Venue
      const [order] = [...state.openOrders.values()]
      let seen = 0
      const many = {
        ...state,
        openOrders: {
          latest: function*() {
            for (; seen < 100_000; seen++) yield order
          }
        }
      } as unknown as State
      assert.strictEqual(Views.openOrders(many, "alice", { offset: 20, limit: 10 }).length, 10)
      assert.isAtMost(seen, 30)
    }).pipe(Effect.provide(traders(document))))
})

describe("balances", () => {
  it("the collateral balance shows the account's debt, even if the wallet is empty", () => {
    const desk = new Desk().fund("cat", "collateral", "11 USDT").fund("cat", "main", "5 USDT")
    const shown = () => Views.balances(desk.state, "cat")
    desk.send(openPosition("cat", "BTC_PERP", "buy", "1", "100"))
    assert.isTrue(shown().every((balance) => !("debt" in balance)))
    desk.send(openPosition("cat", "BTC_PERP", "sell", "1", "50"))
    const expected = [
      { wallet: "main", ticker: "USDT", free: "5", locked: "0" },
      { wallet: "collateral", ticker: "USDT", free: "0", locked: "0", debt: "39" }
    ]
    assert.deepStrictEqual<unknown>(shown(), expected)
    assert.deepStrictEqual<unknown>(Schema.encodeSync(Schema.Array(Views.Balance))(shown()), expected)
  })
})
