import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Progress from "../../src/cli/Progress.ts"

/**
 * Returns the progress output on standard error for an effect that fails. While the effect runs, "meanwhile" is
 * printed.
 */
const drawn = Effect.fnUntraced(function*(isTerminal: boolean, kind: string) {
  const texts: Array<string> = []
  const stdio = Stdio.layerTest({
    stderrIsTerminal: Effect.succeed(isTerminal),
    stderr: () => Sink.forEach((text) => Effect.sync(() => texts.push(String(text))))
  })
  const failing = Effect.andThen(Effect.sync(() => texts.push("meanwhile")), Effect.fail("it failed"))
  assert.strictEqual(
    yield* Effect.flip(Progress.during("Reading", failing)).pipe(
      Effect.provide(Layer.merge(stdio, ConfigProvider.layer(ConfigProvider.fromUnknown({ TERM: kind }))))
    ),
    "it failed"
  )
  return texts
})

describe("Progress", () => {
  it.effect("progress on a terminal is a single line, which is erased when the work fails", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* drawn(true, "xterm"), ["\r\u001B[KReading", "meanwhile", "\r\u001B[K"])
    }))

  it.effect("progress prints nothing if standard error is not a terminal, or is a dumb terminal", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* drawn(false, "xterm"), ["meanwhile"])
      assert.deepStrictEqual(yield* drawn(true, "dumb"), ["meanwhile"])
    }))
})
