import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { setImmediate as nextTurn } from "node:timers/promises"
import * as Feed from "../../../src/sandbox/venue/Feed.ts"
import * as Turns from "../../../src/sandbox/venue/Turns.ts"
import { btcUsdt } from "../../support/exchange.ts"

/** Measures the largest increase of a number between two turns of the event loop while the effect runs. */
const perTurn = <A>(number: () => number, effect: Effect.Effect<A>) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(effect)
    let [before, most] = [number(), 0]
    while (fiber.pollUnsafe() === undefined) {
      yield* Effect.promise(() => nextTurn())
      most = Math.max(most, number() - before)
      before = number()
    }
    yield* Fiber.join(fiber)
    return most
  })

const slice = (length: number) => Array.from({ length }, () => 0)

describe("the turns of feed readers", () => {
  it.effect("all readers together read a limited number of entries per turn of the event loop", () =>
    Effect.gen(function*() {
      for (const [length, most] of [[10, 100], [30, 120], [300, 300], [0, 0]] as const) {
        const take = Turns.make(100)
        let read = 0
        const reader = Effect.repeat(
          take(() => {
            read += length
            return slice(length)
          }),
          { times: 20 }
        )
        const readers = Effect.forEach(slice(50), () => reader, { concurrency: "unbounded", discard: true })
        const found = yield* perTurn(() => read, readers)
        assert.strictEqual(read, 21 * 50 * length)
        // The test measures once per turn, and a measurement can include the reads of two turns.
        assert.isAtMost(found, 2 * most)
      }
    }))

  it.effect("readers take turns in the order of their requests, and interrupted readers take no turn", () =>
    Effect.gen(function*() {
      const take = Turns.make(1)
      const order: Array<number> = []
      const reader = (name: number) =>
        Effect.repeat(
          take(() => {
            order.push(name)
            return slice(1)
          }),
          { times: 2 }
        )
      const fibers = yield* Effect.forEach([1, 2, 3], (name) => Effect.forkChild(reader(name)))
      const gone = yield* Effect.forkChild(reader(4))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(gone)
      yield* Effect.forEach(fibers, Fiber.join)
      assert.deepStrictEqual(order, [1, 2, 3, 1, 2, 3, 1, 2, 3])
    }))
})

it.effect("many readers that replay a feed leave time for calls, and no reader has to wait until another has finished", () =>
  Effect.gen(function*() {
    const feed = Feed.make(1, 0)
    const count = 1000
    for (let n = 1; n <= count; n++) feed.happened(n, n, [{ _tag: "PriceMoved", market: btcUsdt, price: 1n }])
    const [readers, read] = [100, new Map<number, number>()]
    let [all, spread] = [0, 0]
    const reader = (name: number) =>
      Effect.flatMap(Effect.orDie(feed.after("0")), (entries) =>
        entries.pipe(
          Stream.take(count),
          Stream.runForEach(() =>
            Effect.sync(() => {
              all++
              read.set(name, (read.get(name) ?? 0) + 1)
              if (read.size === readers)
                spread = Math.max(spread, Math.max(...read.values()) - Math.min(...read.values()))
            })
          ),
          Effect.orDie
        ))
    const replaying = Effect.forEach(slice(readers), (_, name) => reader(name), {
      concurrency: "unbounded",
      discard: true
    })
    assert.isAtMost(yield* perTurn(() => all, replaying), 300)
    assert.strictEqual(all, readers * count)
    assert.isAtMost(spread, 200)
  }))
