import { assert, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import * as RepeatedLog from "../../../src/sandbox/server/RepeatedLog.ts"

it.effect("a repeated problem is logged once, on one line with the innermost message, and is then only counted for a minute", () =>
  Effect.gen(function*() {
    const lines: Array<string> = []
    const inner = Logger.make(({ cause, message }) => {
      lines.push([message].flat().join(" "))
      assert.deepStrictEqual(cause.reasons, [])
    })
    const cause = Cause.fail({ reason: Object.assign(new Error("outer"), { cause: new Error("no route\nto host") }) })
    const refresh = Effect.logWarning("The venue abc can't be checked", cause)
    yield* Effect.gen(function*() {
      for (let second = 0; second < 59; second++) {
        yield* refresh
        yield* TestClock.adjust("1 second")
      }
      yield* Effect.logWarning("Another problem")
      assert.deepStrictEqual(lines, ["The venue abc can't be checked: no route to host", "Another problem"])
      yield* TestClock.adjust("1 second")
      yield* refresh
      yield* Effect.logInfo("Progress")
      yield* Effect.logInfo("Progress")
    }).pipe(Effect.provideService(Logger.CurrentLoggers, RepeatedLog.once(new Set([inner]))))
    assert.deepStrictEqual(lines.slice(2), [
      "The venue abc can't be checked: no route to host (repeated 58 times since it was last logged)",
      "Progress",
      "Progress"
    ])
  }))
