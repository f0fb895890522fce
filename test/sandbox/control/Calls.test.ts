import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Control from "../../../src/sandbox/control/Control.ts"
import { dialects, traders } from "../../support/trading.ts"

const path = "/api/v4/order/new"
const fields = { market: "BTC_USDT", side: "buy", amount: "0.01", price: "39000" }

describe.each(dialects)("calls that the owner makes as an account, $name", (dialect) => {
  it.effect("a call that the owner makes as an account is subject to limits, faults, logging and the exchange's refusals", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      const call = (change: object = {}) => control.callAs({ account: "alice", path, fields: { ...fields, ...change } })
      const { answer, status } = yield* call()
      assert.strictEqual(status, 200, answer)
      const [order] = yield* control.openOrders("alice")
      assert.include(answer, String(order?.id))
      const refused = yield* call({ amount: "many" })
      assert.isAtLeast(refused.status ?? 0, 400)
      assert.include(refused.answer, "amount")
      yield* control.addFault({ symptom: { _tag: "Reset", applied: true }, times: 1 })
      assert.deepStrictEqual(yield* call(), { answer: "" })
      yield* control.limit({ calls: 0, perSeconds: 1 }, path)
      assert.strictEqual((yield* call()).status, 429)
      const log = yield* control.requests()
      assert.deepStrictEqual(log.map(({ verdict }) => verdict), ["answered", "refused", "failed", "refused"])
      assert.strictEqual(yield* control.countOfOpenOrders("alice"), 2)
      // The owner can repeat the same call more than once.
      yield* control.limit(undefined, path)
      for (const times of [1, 2]) {
        yield* control.again(1)
        assert.strictEqual(yield* control.countOfOpenOrders("alice"), 2 + times)
      }
    }).pipe(Effect.provide(traders(dialect))))

  it.effect("the owner can call only private endpoints as an account, and only if the account has a key", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      const why = (options: Control.CallOptions) =>
        Effect.map(Effect.flip(control.callAs(options)), ({ fields }) => fields)
      assert.deepStrictEqual(yield* why({ account: "nobody", path, fields }), { account: "has a key" })
      for (const other of ["/api/v4/public/time", "/api/v4/order/old"]) {
        assert.deepStrictEqual(yield* why({ account: "alice", path: other, fields }), { path: "known" })
      }
    }).pipe(Effect.provide(traders(dialect))))

  it.effect("the list of commands can omit commands that have changed nothing", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      const { sequence } = yield* control.status
      const call = (path: string, fields: object) => control.callAs({ account: "alice", path, fields: { ...fields } })
      yield* call("/api/v4/main-account/balance", {})
      yield* call(path, fields)
      yield* call(path, { ...fields, amount: "1000" })
      const shown = (onlyChanges: boolean) =>
        Effect.map(control.commands(undefined, 3, onlyChanges), (commands) =>
          commands.filter((command) =>
            command.sequence > sequence
          ).map(({ action, changed }) => [action, changed]))
      assert.deepStrictEqual(yield* shown(false), [["PlaceLimit", false], ["PlaceLimit", true], ["Nothing", false]])
      assert.deepStrictEqual(yield* shown(true), [["PlaceLimit", true]])
    }).pipe(Effect.provide(traders(dialect))))
})
