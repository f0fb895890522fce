/* oxlint-disable effecttsgo/global-console-in-effect -- Output around Effect is tested. */
import { assert, describe, it } from "@effect/vitest"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { randomBytes, randomInt, randomUUID } from "node:crypto"
import { history } from "./history.ts"

describe("the platform around Effect", () => {
  it.effect("a program that waits for a microtask or a tick continues, and the report lists it", () =>
    Effect.gen(function*() {
      const waits = [
        ["Microtask", Effect.callback<void>((resume) => queueMicrotask(() => resume(Effect.void)))],
        ["TickObject", Effect.callback<void>((resume) => process.nextTick(() => resume(Effect.void)))]
      ] as const
      for (const [kind, wait] of waits) {
        const { foreign, marks, millis } = yield* history(Effect.andThen(wait, Effect.sleep(100)))
        assert.deepEqual(foreign.map(({ kind }) => kind), [kind])
        assert.match(foreign[0]?.at ?? "", /Ambient\.test\.ts/u)
        assert.deepEqual(marks.map(({ what }) => what), ["started", "ended"])
        assert.strictEqual(millis, 100)
      }
    }))

  it.effect("output is not foreign, and goes to the standard error stream", () =>
    Effect.gen(function*() {
      const written: Array<unknown> = []
      const { stderr, stdout } = process
      const [error, out] = [stderr.write.bind(stderr), stdout.write.bind(stdout)]
      const record = (name: string) => (text: unknown) => written.push([name, text]) > 0
      stderr.write = record("stderr")
      stdout.write = record("stdout")
      const print = Effect.gen(function*() {
        stdout.write("one\n")
        stderr.write("two\n")
        console.log("three")
        yield* Console.log("four")
        yield* Effect.sleep(10)
        console.error("five")
      })
      const told = yield* Effect.ensuring(
        Effect.all([history(print), history(print)]),
        Effect.sync(() => {
          stderr.write = error
          stdout.write = out
        })
      )
      assert.deepEqual(told.map(({ foreign }) => foreign), [[], []])
      assert.deepEqual(written.slice(0, 2), [["stderr", "one\n"], ["stderr", "two\n"]])
    }))

  it.effect("the high-resolution clock shows the history's time", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const real = process.hrtime
      yield* history(Effect.gen(function*() {
        const before = process.hrtime()
        yield* Effect.sleep(2345)
        seen.push(process.hrtime(before), process.hrtime.bigint())
      }))
      assert.deepEqual(seen, [[2, 345_000_000], 2_345_000_000n])
      assert.strictEqual(process.hrtime, real)
    }))

  it.effect("random values of node:crypto come from the seed, even if they are imported by name", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const draw = Effect.sync(() => seen.push([randomUUID(), randomInt(5, 1000), randomBytes(8).toString("hex")]))
      const told = [yield* history(draw, { order: 1 }), yield* history(draw, { order: 1 })]
      yield* history(draw, { order: 2 })
      assert.deepEqual(seen[0], seen[1])
      assert.notDeepEqual(seen[0], seen[2])
      assert.deepEqual(told.map(({ foreign }) => foreign), [[], []])
      assert.throws(() => randomInt(5, 5), /must be greater/u)
      assert.notStrictEqual(randomUUID(), randomUUID())
    }))

  it.effect("random bytes that are requested with a callback are reported", () =>
    Effect.gen(function*() {
      const wait = Effect.callback<void>((resume) => randomBytes(8, () => resume(Effect.void)))
      const { foreign, marks } = yield* history(wait)
      assert.strictEqual(foreign[0]?.kind, "RANDOMBYTESREQUEST")
      assert.deepEqual(marks.map(({ what }) => what), ["started", "ended"])
    }))
})
