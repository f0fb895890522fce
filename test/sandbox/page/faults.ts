/** Tests the page's faults area. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { document } from "../../../src/protocol/Dialect.ts"
import * as Control from "../../../src/sandbox/control/Control.ts"
import * as Example from "../../../src/sandbox/Example.ts"
import type { Fault } from "../../../src/sandbox/gateway/Faults.ts"
import { see } from "../../support/browser.ts"
import { appears, go, itInFull, opened, pick, press, reads, region, world, write } from "../../support/page.ts"
import { handle, signed } from "../../support/signed.ts"

const balance = "/api/v4/main-account/balance"

export const faults = (): void => {
  itInFull(
    "the page adds a fault with its endpoint, symptom, parameters, count, probability and key, and marks used-up faults",
    () =>
      Effect.gen(function*() {
        const control = yield* Control.Control
        const { shown } = yield* opened
        yield* go(shown, "faults")
        const form = region(shown, "New fault")
        yield* see(() => form.getByLabel("Endpoint", { exact: true }).selectOption(balance))
        yield* pick(form, "What goes wrong", "the exchange refuses the call")
        yield* pick(form, "Reason", "nonceUsed")
        yield* write(form, "Number of calls", "2")
        yield* write(form, "Calls to skip", "1")
        yield* pick(form, "API key", "alice: alice's key")
        yield* press(form, "Add fault")
        const list = region(shown, "Faults")
        yield* appears(list, "armed")
        assert.deepStrictEqual((yield* control.faults).map(({ fault }) => fault), [{
          path: balance,
          apiKey: Example.alice.apiKey,
          times: 2,
          skip: 1,
          probability: 1,
          symptom: { _tag: "Refuse", kind: "nonceUsed" }
        }])
        const called = (who: Example.ExampleKey) =>
          Effect.map(handle(signed(document, balance, {}, who)), ({ status }) => status)
        assert.strictEqual(yield* called(Example.bob), 200)
        assert.strictEqual(yield* called(Example.alice), 200)
        const { status } = document.refusals.nonceUsed
        assert.deepStrictEqual([yield* called(Example.alice), yield* called(Example.alice)], [status, status])
        assert.strictEqual(yield* called(Example.alice), 200)
        yield* appears(list, "used up")
        yield* reads(list.getByRole("listitem"), [
          "# used up the exchange refuses the call, kind nonceUsed MainBalance.all, key alice-sandbox-key, after 1; " +
          "fired 2 of 2, matched 4 Remove"
        ])
        assert.strictEqual(yield* see(() => list.locator("li.used").count()), 1)
        yield* press(list, "Remove fault 1")
        yield* appears(list, /^None\./u)
      }).pipe(Effect.scoped, Effect.provide(world))
  )

  itInFull("the fault form shows exactly the parameters of the chosen symptom", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      const { shown } = yield* opened
      yield* go(shown, "faults")
      const form = region(shown, "New fault")
      const add = Effect.fnUntraced(function*(words: string, fields: Readonly<Record<string, string>>) {
        yield* pick(form, "What goes wrong", words)
        for (const [label, value] of Object.entries(fields)) {
          if (label === "Is the call applied?") yield* pick(form, label, value)
          else yield* write(form, label, value)
        }
        yield* press(form, "Add fault")
      })
      yield* write(form, "Probability, 0 to 1", "0.25")
      yield* add("the connection is reset", { "Is the call applied?": "no" })
      yield* add("applied immediately, with a late response", { Milliseconds: "250" })
      yield* add("the response is cut off", { "After bytes": "7" })
      yield* add("the response is not valid JSON", {})
      yield* add("the response arrives slowly", { "Bytes per second": "50" })
      yield* add("a custom response", { "Is the call applied?": "yes, first", "HTTP status": "418", Body: "[1]" })
      yield* see(() => region(shown, "Faults").getByRole("listitem").nth(5).waitFor())
      const expected: Array<Fault["symptom"]> = [
        { _tag: "Reset", applied: false },
        { _tag: "Delay", millis: 250 },
        { _tag: "Truncate", bytes: 7 },
        { _tag: "Malformed" },
        { _tag: "Slow", bytesPerSecond: 50 },
        { _tag: "Answer", applied: true, status: 418, headers: { "content-type": "application/json" }, body: "[1]" }
      ]
      const set = (yield* control.faults).map(({ fault }) => fault)
      assert.deepStrictEqual(set.map(({ symptom }) => symptom), expected)
      assert.isTrue(set.every(({ path, probability }) => probability === 0.25 && path === undefined))
      const shownFaults = region(shown, "Faults")
      for (
        const words of [
          "with a late response, 250 ms",
          "is cut off, after 7 bytes",
          "arrives slowly, 50 bytes per second",
          "a custom response, applied, HTTP 418, body [1]"
        ]
      ) yield* appears(shownFaults, words)
      // An invalid fault is refused, and the form keeps the entered values.
      yield* write(form, "Probability, 0 to 1", "0.5")
      yield* write(form, "HTTP status", "42")
      yield* press(form, "Add fault")
      yield* see(() => shown.getByRole("alert").waitFor())
      assert.strictEqual((yield* control.faults).length, 6)
      yield* press(shown, "Remove all")
      yield* appears(region(shown, "Faults"), /^None\./u)
      assert.deepStrictEqual(yield* control.faults, [])
    }).pipe(Effect.scoped, Effect.provide(world)))
}
