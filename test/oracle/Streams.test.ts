import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Socket from "effect/socket/Socket"
import * as TestClock from "effect/testing/TestClock"
import * as Check from "../../src/oracle/Check.ts"
import * as Profile from "../../src/oracle/Profile.ts"
import * as Report from "../../src/oracle/Report.ts"
import { rules } from "../../src/oracle/Rules.ts"
import { runRule } from "../../src/oracle/Run.ts"
import * as Target from "../../src/oracle/Target.ts"
import * as Session from "../../src/oracle/world/Session.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { passing, until } from "../support/clock.ts"
import { isLong } from "../support/long.ts"
import * as Support from "../support/oracle.ts"
import * as Doubles from "./doubles/Streams.ts"
import * as StreamServer from "./doubles/StreamServer.ts"
import { streams } from "./mutants/all.ts"
import { answering, type Fault, faulty } from "./mutants/Frames.ts"

/** The steps of the test clock, in milliseconds. */
const step = 20

const begin = TestClock.setTime(1_800_000_000_017)

const check = (target: Target.Target, options: Check.Options = {}) =>
  passing(
    Check.check(target, { profile: "control", only: ["streams"], seed: 1, runs: isLong ? 5 : 1, ...options }),
    step
  )

/** Expects that every rule about streams was checked, and holds. */
const allHold = (report: Report.Report) => {
  const odd = report.results.filter(({ outcome }) => outcome._tag !== "Held").map(Report.line)
  assert.deepStrictEqual(odd, [])
  assert.deepStrictEqual(report.warnings, [])
  assert.isAbove(report.results.length, 50)
}

/** Runs a rule on a sandbox with this fault, and returns the rule's outcome. */
const outcome = (id: string, fault: Fault) =>
  Effect.scoped(Effect.gen(function*() {
    const target = faulty(yield* Support.inProcess(Dialect.live), fault)
    const session = Session.make(target, "control", yield* Target.now)
    const rule = rules.find((rule) => rule.id === id) ?? assert.fail(`unknown rule ${id}`)
    return yield* passing(runRule(session, rule, { seed: 1, runs: 1 }), step)
  }))

describe("rules about streams", () => {
  it.effect("the sandbox satisfies every rule about streams", () =>
    Effect.gen(function*() {
      yield* begin
      allHold(yield* check(yield* Support.inProcess(Dialect.live)))
    }))

  it.effect("a WebSocket that is as unusual as the documentation allows breaks no rule", () =>
    Effect.gen(function*() {
      yield* begin
      allHold(yield* check(faulty(yield* Support.inProcess(Dialect.live), Doubles.free)))
    }))

  it.effect(
    "a WebSocket that pushes the first book before the acknowledgement breaks no MUST rule about books",
    () =>
      Effect.gen(function*() {
        yield* begin
        const target = faulty(yield* Support.inProcess(Dialect.live), Doubles.early)
        const { results } = yield* check(target, { only: ["streams.depth"] })
        const must = results.filter(({ level, outcome }) => level === "MUST" && outcome._tag !== "Held")
        assert.deepStrictEqual(must.map(Report.line), [])
      })
  )

  it.effect("a small server that follows only the documentation breaks no read-only rule", () =>
    Effect.gen(function*() {
      yield* begin
      const report = yield* check(StreamServer.make(), { profile: "read-only" })
      const may = report.results.filter(({ rule }) => rule.profile === "read-only")
      assert.deepStrictEqual(may.filter(({ outcome }) => outcome._tag !== "Held").map(Report.line), [])
      assert.isAbove(may.length, 20)
    }))

  it.effect(
    "checks without the control plane check every rule that their profile permits, and leave no orders open",
    () =>
      Effect.gen(function*() {
        yield* begin
        const target = faulty(yield* Support.inProcess(Dialect.live), Doubles.free)
        const keys = yield* passing(Support.account(target))
        const counts: Array<number> = []
        for (const profile of ["read-only", "mutating"] as const) {
          const report = yield* check({ ...target, keys }, { profile })
          const may = report.results.filter(({ rule }) => Profile.allows(profile, rule.profile))
          assert.deepStrictEqual(may.filter(({ outcome }) => outcome._tag !== "Held").map(Report.line), [])
          assert.deepStrictEqual(report.warnings, [])
          counts.push(may.length)
        }
        assert.deepStrictEqual(yield* passing(Support.openOrders(target, keys)), [])
        assert.isAbove(counts[0] ?? 0, 20)
        assert.isAbove(counts[1] ?? 0, counts[0] ?? 0)
      })
  )

  it("every mutant has a unique id", () => {
    assert.strictEqual(new Set(streams.map(({ id }) => id)).size, streams.length)
  })

  // Only long test runs, as in CI, check all mutants.
  if (isLong) {
    it.effect("every mutant breaks all the rules that it lists", () =>
      Effect.gen(function*() {
        yield* begin
        const survivors: Array<string> = []
        for (const { breaks, change, id } of streams) {
          for (const rule of breaks) {
            const { _tag } = yield* outcome(rule, change)
            if (_tag !== "Broken") survivors.push(`${id}: ${rule} is ${_tag}`)
          }
        }
        assert.deepStrictEqual(survivors, [])
      }))
  }
})

describe("a target's WebSocket", () => {
  const only = ["streams.ping", "streams.depth.adds", "streams.trades.all", "streams.token"]

  /** Returns the outcomes of a few rules, keyed by rule id. */
  const outcomes = (target: Target.Target) =>
    Effect.map(
      check(target, { only }),
      ({ results }) => Object.fromEntries(results.map(({ outcome, rule }) => [rule.id, outcome]))
    )

  const closed: Target.Target["dial"] = Effect.succeed(Socket.make({
    reader: Effect.fail(
      new Socket.SocketError({ reason: new Socket.SocketOpenError({ kind: "Unknown", cause: "HTTP 404" }) })
    ),
    writer: Effect.succeed({ write: () => Effect.never, writeAll: () => Effect.never })
  }))

  it.effect("WebSocket rules are broken if no WebSocket can be opened, unless the target declares that it has no streams", () =>
    Effect.gen(function*() {
      yield* begin
      const target = { ...yield* Support.inProcess(Dialect.live), dial: closed }
      const undeclared = yield* outcomes(target)
      assert.deepStrictEqual(only.map((id) => undeclared[id]?._tag), ["Broken", "Broken", "Broken", "Held"])
      const ping = undeclared["streams.ping"]
      assert.isTrue(ping?._tag === "Broken" && ping.expected.includes("list streams under missing in --features"))
      assert.isTrue(ping?._tag === "Broken" && ping.got.includes("HTTP 404"))
      const declared = yield* outcomes({ ...target, features: { missing: { streams: "planned for May" } } })
      assert.deepStrictEqual(only.map((id) => declared[id]?._tag), ["Skipped", "Skipped", "Skipped", "Held"])
      const skipped = declared["streams.ping"]
      const why = "the target declares that it does not have streams: planned for May"
      assert.isTrue(skipped?._tag === "Skipped" && skipped.why === why)
    }))

  it.effect("rules about a channel are skipped if the target declares the channel missing", () =>
    Effect.gen(function*() {
      yield* begin
      const target = yield* Support.inProcess(Dialect.live)
      const missing = { "streams/depth": "no books" }
      const some = yield* outcomes({ ...target, features: { missing } })
      assert.deepStrictEqual(only.map((id) => some[id]?._tag), ["Held", "Skipped", "Held", "Held"])
      const served = faulty(
        target,
        answering("depth_subscribe", (answer) => ({
          ...answer,
          result: null,
          error: { code: 4, message: "method not found" }
        }))
      )
      const { "streams.depth.adds": adds } = yield* outcomes(served)
      assert.isTrue(adds?._tag === "Broken" && adds.expected.includes("list streams/depth under missing"))
    }))

  it.effect("rules about streams are skipped if there is no way to open a WebSocket", () =>
    Effect.gen(function*() {
      yield* begin
      const { dial: _dial, ...target } = yield* Support.inProcess(Dialect.live)
      const found = yield* outcomes(target)
      assert.deepStrictEqual(only.map((id) => found[id]?._tag), ["Skipped", "Skipped", "Skipped", "Held"])
    }))

  it.effect(
    "connections that sometimes close break no rule, but a connection that always closes breaks the rules about connections",
    () =>
      Effect.gen(function*() {
        yield* begin
        const target = yield* Support.inProcess(Dialect.live)
        let count = 0
        const ending = (every: number) =>
          faulty(target, () => ({ end }) => ({
            received: (frame) => {
              if (++count % every === 0) end()
              return [frame]
            }
          }))
        const rare = yield* check(ending(97), { skip: ["streams.not-json"] })
        assert.deepStrictEqual(Report.broken(rare).map(Report.line), [])
        assert.isAbove(count, 400)
        const { "streams.ping": ping } = yield* outcomes(ending(1))
        assert.isTrue(ping?._tag === "Broken" && ping.expected === "a connection that stays open")
      })
  )

  it.effect("no connection stays open after a check, even if the check is interrupted", () =>
    Effect.gen(function*() {
      yield* begin
      const target = yield* Support.inProcess(Dialect.live)
      let [open, opened] = [0, 0]
      const { dial = Effect.die("no dialer") } = target
      const counted = Effect.tap(dial, () =>
        Effect.acquireRelease(
          Effect.sync(() => {
            open++
            opened++
          }),
          () => Effect.sync(() => open--)
        ))
      yield* check({ ...target, dial: counted }, { only: ["streams.ping", "streams.connections", "streams.accounts"] })
      assert.isAbove(opened, 5)
      assert.strictEqual(open, 0)
      const fiber = yield* Effect.forkChild(check({ ...target, dial: counted }, { only: ["streams.connections"] }))
      yield* until(Effect.sync(() => open > 1))
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(open, 0)
    }))

  it("the WebSocket's URL is /ws under the base URL, except for the live exchange", () => {
    const urls = ["http://127.0.0.1:8080/", "https://host.test/v/one", "https://whitebit.com", "https://whitebit.eu/"]
    assert.deepStrictEqual(urls.map(Target.streamsUrl), [
      "ws://127.0.0.1:8080/ws",
      "wss://host.test/v/one/ws",
      "wss://wss.whitebit.com/ws",
      "wss://api.whitebit.eu/ws"
    ])
  })
})
