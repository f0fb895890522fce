import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as Check from "../../src/oracle/Check.ts"
import * as Report from "../../src/oracle/Report.ts"
import * as Target from "../../src/oracle/Target.ts"
import * as Paths from "../../src/oracle/world/Paths.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { passing } from "../support/clock.ts"
import * as Support from "../support/oracle.ts"
import * as Doubles from "./doubles/all.ts"
import * as Mutant from "./mutants/Mutant.ts"

const dialects = [Dialect.document, Dialect.live]

/** Checks orders on a sandbox with a fault, using the keys of one of its accounts. */
const faulty = Effect.fnUntraced(function*(dialect: Dialect.Dialect, change: Mutant.Change) {
  const target = yield* Support.inProcess(dialect, Mutant.layer(change, dialect).pipe(Layer.orDie))
  const keys = yield* Support.account(target)
  const only = ["general.times", "oco", "stop-limit"]
  const report = yield* Check.check({ ...target, keys }, {
    profile: "mutating",
    runs: 2,
    seed: 1,
    only,
    rules: Support.rules
  })
  return { report, open: (yield* Support.openOrders(target, keys)) as ReadonlyArray<Readonly<Record<string, unknown>>> }
})

/** Redirects calls to these paths to a path that does not exist. */
const without = (...paths: ReadonlyArray<string>): Mutant.Change => ({
  make: () => ({ request: (request) => paths.includes(request.path) ? { ...request, path: "/nowhere" } : request })
})

const pretending: Mutant.Change = {
  make: () => {
    let placed: Mutant.Written | undefined
    return {
      request: (request) => request.path === Paths.cancelOrder ? { ...request, path: "/nowhere" } : request,
      answer: (answer, { path }) => {
        if (path === Paths.stopLimit && answer.status === 200) placed ??= answer
        return path === Paths.cancelOrder && placed !== undefined ? placed : answer
      }
    }
  }
}

describe("orders on a real account", () => {
  for (const dialect of dialects) {
    const key = dialect.name === "live" ? "orderId" : "order_id"

    it.live(`only one order remains on a target that cannot cancel orders, and the report explains how to cancel it (${dialect.name})`, () =>
      Effect.gen(function*() {
        const { open, report } = yield* faulty(dialect, without(Paths.cancelOrder))
        assert.lengthOf(open, 1)
        const id = String(open[0]?.[key])
        assert.lengthOf(report.warnings, 1)
        const remedy = `Cancel it with POST ${Paths.cancelOrder} {"market":"BTC_USDT","${key}":${id}}`
        assert.match(report.warnings[0] ?? "", new RegExp(`^order ${id} on BTC_USDT may still be open: HTTP 404`, "u"))
        assert.include(report.warnings[0], remedy)
        assert.include(
          Report.summary(report),
          `no more orders are placed, because order ${id} on BTC_USDT could not be canceled`
        )
        assert.strictEqual(Report.exitCode(report), 2)
      }))

    it.live(`only one OCO order remains on a target that cannot cancel OCO orders (${dialect.name})`, () =>
      Effect.gen(function*() {
        const { open, report } = yield* faulty(dialect, without(Paths.cancelOco))
        assert.lengthOf(open, 2, "the legs of one OCO order")
        assert.match(report.warnings.join(), /^OCO order [0-9]+ on BTC_USDT may still be open: [^,]+/u)
        assert.lengthOf(report.warnings, 1)
      }))
  }

  it.live("only one order remains on a target that only pretends to cancel orders", () =>
    Effect.gen(function*() {
      const { open, report } = yield* faulty(Dialect.document, pretending)
      assert.lengthOf(open, 1)
      assert.match(
        report.warnings.join(),
        /may still be open: its cancellation succeeded, but the target still lists it/u
      )
    }))

  for (const [dialect, path] of [[Dialect.document, Paths.stopLimit], [Dialect.live, Paths.oco]] as const) {
    it.effect(`an order whose placement got no response is found and canceled (${dialect.name}, ${path})`, () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(1_800_000_000_000)
        const sandbox = yield* Support.inProcess(dialect)
        const keys = yield* Support.account(sandbox)
        let placed = 0
        const send: Target.Target["send"] = (request) =>
          request.path === path && ++placed % 3 === 2
            ? Effect.andThen(sandbox.send(request), Effect.fail(new Target.TargetError({ reason: "read ECONNRESET" })))
            : sandbox.send(request)
        const options: Check.Options = { profile: "mutating", runs: 1, only: ["oco.total", "stop-limit.total"] }
        const report = yield* passing(Check.check({ ...sandbox, keys, send }, options))
        assert.isAbove(placed, 3)
        assert.isAbove(report.traffic.unanswered, 0)
        assert.deepStrictEqual(report.warnings, [])
        assert.deepStrictEqual(yield* Support.openOrders(sandbox, keys), [])
      }))
  }
})

/** Returns the sandbox's state as its owner sees it. */
const seen = ({ control, send }: Target.Target) =>
  Effect.gen(function*() {
    if (control === undefined) return assert.fail("no control plane")
    const headers = { authorization: `Bearer ${Redacted.value(control.token)}` }
    const read = (name: string) =>
      Effect.map(send({ method: "GET", path: control.url + name, headers }), ({ json }) => json)
    const { at } = (yield* read("Clock")) as { readonly at: number }
    const tickers = yield* Effect.map(send({ method: "GET", path: Paths.tickers, headers: {} }), ({ json }) => json)
    return { accounts: yield* read("Accounts"), ahead: at / 1000 - (yield* Target.now), tickers }
  })

describe("the state of a sandbox", () => {
  for (const dialect of dialects) {
    it.live(`a check with the control plane leaves the sandbox unchanged, and can be repeated (${dialect.name})`, () =>
      Effect.gen(function*() {
        const target = yield* Support.inProcess(dialect)
        yield* Support.account(target)
        const before = yield* seen(target)
        const only = ["interest", "activation", "codes", "sub-accounts", "api-keys", "kill-switch", "status"]
        for (const seed of [1, 2]) {
          const report = yield* Check.check(target, { profile: "control", runs: 1, seed, only, rules: Support.rules })
          assert.deepStrictEqual(
            report.results.filter(({ outcome }) => outcome._tag === "Broken").map(Report.line),
            []
          )
          assert.strictEqual(Report.exitCode(report), 0)
          const { accounts, ahead, tickers } = yield* seen(target)
          assert.deepStrictEqual(accounts, before.accounts)
          assert.deepStrictEqual(tickers, before.tickers)
          assert.isBelow(Math.abs(ahead - before.ahead), 1000)
        }
      }))
  }

  it.live("an order that only prepares another call is canceled before the next rule, which trades at its price", () =>
    Effect.gen(function*() {
      const rules = ["auth.nonce.required", "times.pairs"].flatMap((id) =>
        Support.rules.filter((rule) => rule.id === id)
      )
      const target = yield* Support.inProcess(Dialect.live)
      const report = yield* Check.check(target, { profile: "control", runs: 1, seed: 1, rules })
      assert.deepStrictEqual(report.results.map(({ outcome }) => outcome._tag), ["Held", "Held"])
    }))

  it.effect("the report lists the changes that remain in a sandbox without snapshots, and the check succeeds", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_800_000_000_017)
      const [double = assert.fail("no double")] = Doubles.all
      const baseUrl = "https://double.test"
      const target = yield* Target.fromLayer(Doubles.layer(double), {
        baseUrl,
        dialect: double.dialect === "live" ? Dialect.live : Dialect.document,
        control: { url: `${baseUrl}/control/v1/`, token: Redacted.make("token") },
        patience: 2000
      })
      const options: Check.Options = { profile: "control", runs: 1, only: ["api-keys.last-activity", "codes.status"] }
      const report = yield* passing(Check.check(target, options))
      assert.match(
        report.remains.join("; "),
        /^[0-9]+ accounts whose names begin with oracle- or sub-, .*; the sandbox's clock is [0-9.]+ hours further ahead/u
      )
      assert.include(Report.summary(report), "STAYS  ")
      assert.deepStrictEqual(report.warnings, [])
    }))
})

describe("checks that are interrupted", () => {
  for (const profile of ["mutating", "control"] as const) {
    it.live(`an interrupted check undoes its changes, then reports the rules checked so far (${profile})`, () =>
      Effect.gen(function*() {
        const sandbox = yield* Support.inProcess(Dialect.document)
        const keys = yield* Support.account(sandbox)
        const hasBegun = yield* Deferred.make<void>()
        let placed = 0
        const send: Target.Target["send"] = (request) =>
          Effect.tap(
            sandbox.send(request),
            Effect.suspend(() =>
              request.path === Paths.stopLimit && ++placed === 20 ? Deferred.succeed(hasBegun, undefined) : Effect.void
            )
          )
        const before = yield* seen(sandbox)
        let [open, accounts]: ReadonlyArray<unknown> = []
        let report: Report.Report | undefined
        const target = { ...sandbox, send, ...(profile === "control" ? {} : { keys }) }
        const fiber = yield* Effect.forkChild(
          Check.check(target, {
            profile,
            only: ["ping", "stop-limit"],
            onInterrupt: Effect.fnUntraced(function*(found) {
              report = found
              open = yield* Support.openOrders(sandbox, keys)
              accounts = (yield* seen(sandbox)).accounts
            }, Effect.orDie)
          })
        )
        yield* Deferred.await(hasBegun)
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(open, [])
        assert.lengthOf(accounts as ReadonlyArray<unknown>, (before.accounts as ReadonlyArray<unknown>).length)
        if (report === undefined) return assert.fail("no report")
        assert.isAbove(report.results.length, 0)
        assert.match(report.aborted ?? "", /^the check was interrupted after [0-9]+ of [0-9]+ rules$/u)
        assert.deepStrictEqual(report.warnings, [])
        assert.strictEqual(Report.exitCode(report), 2)
        assert.include(Report.junit(report), "the check was interrupted after")
      }))
  }

  it.effect("an interrupted check does not wait for a target that has fallen silent", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_800_000_000_000)
      const sandbox = yield* Support.inProcess(Dialect.document)
      const keys = yield* Support.account(sandbox)
      const isSilent = yield* Deferred.make<void>()
      let placed = 0
      const send: Target.Target["send"] = (request) => {
        // Does not count the orders with an invalid market, which the rules also send.
        const isOrder = request.path === Paths.stopLimit && request.body?.includes("BTC_USDT") === true
        if (isOrder && ++placed === 10) Deferred.doneUnsafe(isSilent, Effect.void)
        return placed < 10 ? sandbox.send(request) : Effect.never
      }
      let report: Report.Report | undefined
      const fiber = yield* Effect.forkChild(
        Check.check({ ...sandbox, keys, send }, {
          profile: "mutating",
          only: ["stop-limit"],
          onInterrupt: (found) => Effect.sync(() => report = found)
        })
      )
      yield* passing(Deferred.await(isSilent))
      const at = yield* Target.now
      yield* passing(Fiber.interrupt(fiber), 1000)
      assert.isAtMost((yield* Target.now) - at, 60_000)
      assert.isDefined(report?.aborted)
      assert.match(report?.warnings.join() ?? "", /an order on BTC_USDT may be open: .*Look for it/u)
    }))
})
