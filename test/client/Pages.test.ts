import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import * as Pages from "../../src/client/Pages.ts"
import { Limit, maxLimit, maxOffset, Offset } from "../../src/domain/Paging.ts"
import { bordered } from "../support/borders.ts"
import { failsWith } from "../support/fails.ts"
import { property } from "../support/property.ts"

/** How far pages can reach: the last one starts at 10000 and holds 100. */
const reachable = maxOffset + maxLimit

/** A list of the numbers from 0 to `size`, read by pages; notes what it is asked for. */
const listOf = (size: number) => {
  const asked: Array<{ readonly limit: number; readonly offset: number }> = []
  const all = Array.from({ length: size }, (_, index) => index)
  return {
    asked,
    all,
    page: (request: { readonly limit: Limit; readonly offset: Offset }) =>
      Effect.sync(() => {
        asked.push(request)
        return { ...request, records: all.slice(request.offset, request.offset + request.limit) }
      })
  }
}

/** What a stream emitted, and the error it failed with, if any. */
const drain = <A, E>(stream: Stream.Stream<A, E>) =>
  Effect.gen(function*() {
    const emitted: Array<A> = []
    const exit = yield* Effect.exit(Stream.runForEach(stream, (record) => Effect.sync(() => emitted.push(record))))
    const error = Exit.isFailure(exit) ? yield* Effect.flip(exit) : undefined
    return { emitted, error }
  })

const withinBounds = (asked: ReadonlyArray<{ readonly limit: number; readonly offset: number }>) =>
  asked.every(({ limit, offset }) => limit >= 1 && limit <= maxLimit && offset >= 0 && offset <= maxOffset)

describe("stream", () => {
  for (const size of [10_000, reachable - 1, reachable, reachable + 1, 10_999]) {
    for (const limit of [1, 7, 30, 99, 100]) {
      it.effect(`${size} records by ${limit}: all that can be reached, once and in order`, () =>
        Effect.gen(function*() {
          const list = listOf(size)
          const { emitted, error } = yield* drain(Pages.stream("Test.stream", list.page, Limit.make(limit)))
          assert.deepStrictEqual(emitted, list.all.slice(0, reachable))
          if (size < reachable) assert.isUndefined(error)
          else {
            assert.strictEqual(error?._tag, "PageCeilingReached")
            assert.deepStrictEqual([error?.endpoint, error?.emitted], ["Test.stream", reachable])
            assert.deepStrictEqual([error?.outcome, error?.isRetryable], ["not-applied", false])
          }
          assert.isTrue(withinBounds(list.asked))
          assert.strictEqual(
            new Set(list.asked.map(({ offset }) => offset)).size,
            list.asked.length,
            "none asked twice"
          )
        }))
    }
  }

  property(
    "any size and limit: the whole, and no page but the needed ones",
    [bordered({ max: 1000 }, 100, 200), bordered({ min: 1, max: maxLimit })],
    (size, limit) =>
      Effect.gen(function*() {
        const list = listOf(size)
        const { emitted, error } = yield* drain(Pages.stream("Test.stream", list.page, Limit.make(limit)))
        assert.deepStrictEqual(emitted, list.all)
        assert.isUndefined(error)
        assert.strictEqual(list.asked.length, Math.floor(size / limit) + 1)
        assert.isTrue(withinBounds(list.asked))
      })
  )

  property(
    "taking the first asks only for the pages that hold them",
    [bordered({ min: 1, max: 500 }, 100, 200), bordered({ min: 1, max: maxLimit })],
    (taken, limit) =>
      Effect.gen(function*() {
        const list = listOf(10_500)
        const first = yield* Pages.stream("Test.stream", list.page, Limit.make(limit)).pipe(
          Stream.take(taken),
          Stream.runCollect
        )
        assert.deepStrictEqual(first, list.all.slice(0, taken))
        assert.strictEqual(list.asked.length, Math.ceil(taken / limit))
      })
  )

  it.effect("asks for a hundred at a time unless said otherwise, and for nothing before it is run", () =>
    Effect.gen(function*() {
      const list = listOf(250)
      const stream = Pages.stream("Test.stream", list.page)
      assert.deepStrictEqual(list.asked, [])
      yield* Stream.runDrain(stream)
      assert.deepStrictEqual(list.asked as unknown, [
        { limit: 100, offset: 0 },
        { limit: 100, offset: 100 },
        { limit: 100, offset: 200 }
      ])
    }))

  it.effect("taking all that can be reached is no failure", () =>
    Effect.gen(function*() {
      const list = listOf(reachable + 1)
      const all = yield* Pages.stream("Test.stream", list.page, Limit.make(7)).pipe(
        Stream.take(reachable),
        Stream.runCollect
      )
      assert.strictEqual(all.length, reachable)
    }))

  it.effect("a page that fails ends the stream, after what came before it", () =>
    Effect.gen(function*() {
      const list = listOf(100)
      const page = (request: { readonly limit: Limit; readonly offset: Offset }) =>
        request.offset === 20 ? Effect.fail({ _tag: "Broken" } as const) : list.page(request)
      const { emitted, error } = yield* drain(Pages.stream("Test.stream", page, Limit.make(10)))
      assert.deepStrictEqual(emitted, list.all.slice(0, 20))
      assert.strictEqual(error?._tag, "Broken")
    }))
})

describe("checkEcho", () => {
  const check = Pages.checkEcho("Test.page", { limit: Limit.make(3), offset: Offset.make(6) })
  const rows = [
    ["another limit", { limit: 4, offset: 6, records: [] }, "asked for limit 3, answered with limit 4"],
    ["another offset", { limit: 3, offset: 0, records: [] }, "asked for offset 6, answered with offset 0"],
    ["too many records", { limit: 3, offset: 6, records: [1, 2, 3, 4] }, "4 records in a page of limit 3"]
  ] as const
  for (const [name, page, problem] of rows) {
    it.effect(`refuses ${name}`, () =>
      Effect.gen(function*() {
        const error = yield* failsWith("UnexpectedResponse")(check(page))
        assert.deepStrictEqual([error.endpoint, error.problem], ["Test.page", problem])
      }))
  }

  it.effect("takes the page that was asked for, and any default", () =>
    Effect.gen(function*() {
      const page = { limit: 3, offset: 6, records: [1, 2, 3] }
      assert.strictEqual(yield* check(page), page)
      assert.strictEqual(yield* Pages.checkEcho("Test.page", {})(page), page)
    }))
})
