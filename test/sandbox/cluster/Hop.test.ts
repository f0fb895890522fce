import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as fc from "fast-check"
import * as Hop from "../../../src/sandbox/cluster/Hop.ts"
import { passing } from "../../support/clock.ts"
import { property } from "../../support/property.ts"

const silent = Effect.never

describe("the path to another node", () => {
  it.effect("requests beyond the maximum number of waiting requests are refused immediately, and requests that wait too long are refused later", () =>
    Effect.gen(function*() {
      const hop = Hop.make()
      let sent = 0
      const request = hop.pass(Effect.andThen(Effect.sync(() => sent++), silent))
      const fibers = yield* Effect.forEach(
        Array.from({ length: Hop.atOnce + Hop.maxWaiting }),
        () => Effect.forkChild(request, { startImmediately: true })
      )
      assert.strictEqual(yield* Effect.flip(request), "full")
      const [, ...waiting] = fibers.slice(Hop.atOnce - 1)
      const refused = yield* passing(Effect.forEach(waiting, (fiber) => Effect.flip(Fiber.join(fiber))))
      assert.deepStrictEqual([...new Set(refused)], ["late"])
      assert.strictEqual(sent, Hop.atOnce)
      // Callers that stop waiting make room for others.
      yield* Fiber.interruptAll(fibers)
      assert.strictEqual(yield* hop.pass(Effect.succeed("sent")), "sent")
    }))

  it.effect("a request never waits for longer than its remaining time", () =>
    Effect.gen(function*() {
      const hop = Hop.make()
      const pass = Effect.forkChild(hop.pass(silent), { startImmediately: true })
      const fibers = yield* Effect.forEach(Array.from({ length: Hop.atOnce }), () => pass)
      const before = yield* Clock.currentTimeMillis
      assert.strictEqual(yield* passing(Effect.flip(hop.pass(silent, 300))), "late")
      assert.isAtMost((yield* Clock.currentTimeMillis) - before, 400)
      yield* Fiber.interruptAll(fibers)
    }))
})

property(
  "a refused request is never sent, every other request is sent once, and only a few are sent at the same time",
  [fc.array(fc.record({ at: fc.nat(3000), takes: fc.nat(2000) }), { minLength: 65, maxLength: 300, size: "max" })],
  (requests) =>
    Effect.gen(function*() {
      const hop = Hop.make()
      let together = 0
      const sent = new Map<number, number>()
      yield* passing(
        Effect.forEach(requests, ({ at, takes }, index) =>
          Effect.gen(function*() {
            yield* Effect.sleep(at)
            const began = yield* Clock.currentTimeMillis
            const handOver = Effect.gen(function*() {
              sent.set(index, (sent.get(index) ?? 0) + 1)
              assert.isAtMost(++together, Hop.atOnce)
              yield* Effect.sleep(takes)
              together--
              return "sent" as const
            })
            const outcome = yield* Effect.catch(hop.pass(handOver), Effect.succeed)
            assert.strictEqual(sent.get(index) ?? 0, outcome === "sent" ? 1 : 0)
            assert.isAtMost((yield* Clock.currentTimeMillis) - began, 1000 + takes + 200)
          }), { concurrency: "unbounded", discard: true }),
        100
      )
    }),
  { runs: 20 }
)
