import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import * as PageChecks from "../../src/client/PageChecks.ts"
import * as Pages from "../../src/client/Pages.ts"
import { HistoryLimit, Limit, maxLimit, maxOffset, Offset, RecordOffset } from "../../src/domain/Paging.ts"
import { bordered } from "../support/borders.ts"
import { failsWith } from "../support/fails.ts"
import { property } from "../support/property.ts"

/** The number of reachable records. The last page starts at index 10000 and has 100 records. */
const reachable = maxOffset + maxLimit

/** A paged list of the numbers below `size`. Remembers which pages were requested. */
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

/** Collects the elements that a stream emits, and its error if it fails. */
const drain = <A, E>(stream: Stream.Stream<A, E>) =>
  Effect.gen(function*() {
    const emitted: Array<A> = []
    const exit = yield* Effect.exit(Stream.runForEach(stream, (record) => Effect.sync(() => emitted.push(record))))
    const error = Exit.isFailure(exit) ? yield* Effect.flip(exit) : undefined
    return { emitted, error }
  })

const withinBounds = (asked: ReadonlyArray<{ readonly limit: number; readonly offset: number }>) =>
  asked.every(({ limit, offset }) => limit >= 1 && limit <= maxLimit && offset >= 0 && offset <= maxOffset)

describe("Pages.stream", () => {
  for (const size of [10_000, reachable - 1, reachable, reachable + 1, 10_999]) {
    for (const limit of [1, 7, 30, 99, 100]) {
      it.effect(`a stream of ${size} records in pages of ${limit} emits all reachable records once and in order`, () =>
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
            "no page was requested twice"
          )
        }))
    }
  }

  property(
    "a stream emits the complete list without reading any unnecessary page",
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
    "taking the first records reads only the pages that contain them",
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

  it.effect("a stream reads a hundred records at a time by default, and reads nothing until it runs", () =>
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

  it.effect("a stream does not fail when its caller takes exactly as many records as are reachable", () =>
    Effect.gen(function*() {
      const list = listOf(reachable + 1)
      const all = yield* Pages.stream("Test.stream", list.page, Limit.make(7)).pipe(
        Stream.take(reachable),
        Stream.runCollect
      )
      assert.strictEqual(all.length, reachable)
    }))

  it.effect("a stream emits records beyond index 10099 if the list allows greater offsets", () =>
    Effect.gen(function*() {
      const list = listOf(12_345)
      const page = (request: Pages.Next<HistoryLimit, RecordOffset>) =>
        Effect.sync(() => ({ ...request, records: list.all.slice(request.offset, request.offset + request.limit) }))
      const whole = Pages.stream("Test.stream", page, HistoryLimit.make(500), undefined, RecordOffset.make(20_000))
      const { emitted, error } = yield* drain(whole)
      assert.deepStrictEqual([emitted, error], [list.all, undefined])
      const short = Pages.stream("Test.stream", page, HistoryLimit.make(500), undefined, RecordOffset.make(12_000))
      const cut = yield* drain(short)
      assert.deepStrictEqual([cut.emitted.length, cut.error?._tag], [12_100, "PageCeilingReached"])
    }))

  it.effect("a stream fails at a failing page, after emitting the records of earlier pages", () =>
    Effect.gen(function*() {
      const list = listOf(100)
      const page = (request: { readonly limit: Limit; readonly offset: Offset }) =>
        request.offset === 20 ? Effect.fail({ _tag: "Broken" } as const) : list.page(request)
      const { emitted, error } = yield* drain(Pages.stream("Test.stream", page, Limit.make(10)))
      assert.deepStrictEqual(emitted, list.all.slice(0, 20))
      assert.strictEqual(error?._tag, "Broken")
    }))
})

describe("a list that shifts while its pages are read", () => {
  const idOf = (record: number) => String(record)

  /** A list that `change` modifies before every page read except the first. */
  const shifting = (size: number, change: (list: Array<number>, pages: number) => Array<number>, withTotal = false) => {
    let list = Array.from({ length: size }, (_, index) => index)
    let pages = 0
    const page = ({ limit, offset }: Pages.Next) =>
      Effect.sync(() => {
        if (pages++ > 0) list = change(list, pages)
        const records = list.slice(offset, offset + limit)
        return withTotal ? { limit, offset, records, total: list.length } : { limit, offset, records }
      })
    return { page, list: () => list }
  }

  property(
    "a stream emits every record that stays in the list, once and in order, no matter which records come and go",
    [
      fc.integer({ min: 0, max: 400 }),
      fc.integer({ min: 2, max: 100 }),
      fc.array(fc.record({ at: fc.nat(400), leaves: fc.nat(30), joins: fc.nat(30) }), { maxLength: 8 }),
      fc.boolean()
    ],
    (size, limit, changes, withTotal) =>
      Effect.gen(function*() {
        let next = size
        const { list, page } = shifting(size, (list, pages) => {
          const { at, joins, leaves } = changes[pages - 2] ?? { at: 0, joins: 0, leaves: 0 }
          const joining = Array.from({ length: joins }, () => next++)
          return [...joining, ...list.filter((_, index) => index < at || index >= at + leaves)]
        }, withTotal)
        const { emitted, error } = yield* drain(Pages.stream("Test.stream", page, Limit.make(limit), { idOf }))
        assert.strictEqual(new Set(emitted).size, emitted.length, "each once")
        if (error !== undefined) return assert.strictEqual(error._tag, "ListShifted")
        const stayed = list().filter((record) => record < size)
        assert.deepStrictEqual(emitted.filter((record) => stayed.includes(record)), stayed)
      })
  )

  const replaced = () => {
    let next = 1000
    return shifting(30, (list, pages) => pages === 2 ? list.map(() => next++) : list)
  }

  it.effect("a stream fails when the list has shifted and no longer contains any emitted record", () =>
    Effect.gen(function*() {
      const stream = Pages.stream("Test.stream", replaced().page, Limit.make(10), { idOf })
      const { emitted, error } = yield* drain(stream)
      assert.strictEqual(emitted.length, 10)
      assert.strictEqual(error?._tag, "ListShifted")
      assert.deepStrictEqual([error?.emitted, error?.isRetryable], [10, true])
    }))

  it.effect("a stream marks the gap in a shifted list instead of failing when the caller supplies a gap marker", () =>
    Effect.gen(function*() {
      const identity = { idOf, gap: (after: number) => `after ${after}` }
      const { emitted, error } = yield* drain(Pages.stream("Test.stream", replaced().page, Limit.make(10), identity))
      assert.isUndefined(error)
      assert.deepStrictEqual([emitted.length, emitted.indexOf("after 9")], [41, 10])
    }))

  it.effect("a stream of a list with a total ends at that total instead of at a short page", () =>
    Effect.gen(function*() {
      const asked: Array<number> = []
      const all = Array.from({ length: 20 }, (_, index) => index)
      const page = ({ limit, offset }: Pages.Next) =>
        Effect.sync(() => {
          asked.push(offset)
          // A server that never returns more than five records.
          return { limit, offset, records: all.slice(offset, offset + 5), total: all.length }
        })
      const { emitted, error } = yield* drain(Pages.stream("Test.stream", page, Limit.make(10), { idOf }))
      assert.deepStrictEqual([emitted, error], [all, undefined])
      assert.deepStrictEqual(asked, [0, 4, 8, 12, 16])
      const cut = ({ limit, offset }: Pages.Next) => Effect.succeed({ limit, offset, records: [], total: 20 })
      assert.strictEqual(
        (yield* drain(Pages.stream("Test.stream", cut, undefined, { idOf }))).error?._tag,
        "ListShifted"
      )
    }))
})

describe("Pages.checkEcho", () => {
  const check = PageChecks.checkEcho("Test.page", { limit: Limit.make(3), offset: Offset.make(6) })
  const rows = [
    ["a different limit", { limit: 4, offset: 6, records: [] }, "limit 3 was requested, but the response has limit 4"],
    [
      "a different offset",
      { limit: 3, offset: 0, records: [] },
      "offset 6 was requested, but the response has offset 0"
    ],
    ["too many records", { limit: 3, offset: 6, records: [1, 2, 3, 4] }, "the page has 4 records, but its limit is 3"]
  ] as const
  for (const [name, page, problem] of rows) {
    it.effect(`the page check rejects ${name}`, () =>
      Effect.gen(function*() {
        const error = yield* failsWith("UnexpectedResponse")(check(page))
        assert.deepStrictEqual([error.endpoint, error.problem], ["Test.page", problem])
      }))
  }

  it.effect("the page check accepts the requested page, and any page when the request sets no limit or offset", () =>
    Effect.gen(function*() {
      const page = { limit: 3, offset: 6, records: [1, 2, 3] }
      assert.strictEqual(yield* check(page), page)
      assert.strictEqual(yield* PageChecks.checkEcho("Test.page", {})(page), page)
    }))
})
