import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Check from "../../src/oracle/Check.ts"
import * as Report from "../../src/oracle/Report.ts"
import { rules } from "../../src/oracle/Rules.ts"
import * as Target from "../../src/oracle/Target.ts"
import * as Paths from "../../src/oracle/world/Paths.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { passing } from "../support/clock.ts"
import { isLong } from "../support/long.ts"
import { type Loss, lossy, lossyPort } from "../support/lossy.ts"
import * as Support from "../support/oracle.ts"

/** The first rule for each subject, which is the first word of a rule's id. */
const oneOfEach = [...new Map(rules.toReversed().map(({ id }) => [id.split(".")[0], id])).values()]

const only = isLong ? {} : { only: oneOfEach }

const lost = Effect.fail(new Target.TargetError({ reason: "read ECONNRESET" }))

/** Expects that connections failed, and that these failures broke no rule. */
const isRobust = (report: Report.Report) => {
  const odd = report.results.filter(({ outcome, rule }) =>
    outcome._tag === "CouldNotRun" || (outcome._tag === "Broken" && rule.level !== "INFO")
  )
  assert.deepStrictEqual(odd.map(Report.line), [])
  assert.deepStrictEqual(report.warnings, [])
  const { requests, unanswered } = report.traffic
  assert.isAbove(unanswered, 0)
  assert.include(Report.summary(report), `CONNECTION  ${unanswered} of ${requests} requests got no response`)
  assert.strictEqual(Report.exitCode(report), 0)
}

const loss: Loss = { oneIn: 20, seed: 1 }

/** The step of the clock in milliseconds. If it were large, the few seconds of a retry would pass during one request. */
const step = 10

describe("connections that fail", () => {
  for (const dialect of [Dialect.document, Dialect.live]) {
    const name = `${dialect.name}, one in ${loss.oneIn}`

    it.effect(
      `failing connections break no rule in a check with the control plane (${name})`,
      () =>
        Effect.gen(function*() {
          yield* TestClock.setTime(1_800_000_000_000)
          const target = lossy(yield* Support.inProcess(dialect), loss)
          isRobust(yield* passing(Check.check(target, { profile: "control", seed: 1, runs: 1, ...only }), step))
        })
    )

    it.effect(
      `failing connections leave no order behind and break no rule (${name})`,
      () =>
        Effect.gen(function*() {
          yield* TestClock.setTime(1_800_000_000_000)
          const sandbox = yield* Support.inProcess(dialect)
          const keys = yield* Support.account(sandbox)
          const target = lossy({ ...sandbox, keys }, loss)
          const some = isLong ? {} : { only: ["stop-limit", "oco"] }
          isRobust(yield* passing(Check.check(target, { profile: "mutating", seed: 1, runs: 1, ...some }), step))
          assert.deepStrictEqual(yield* Support.openOrders(sandbox, keys), [])
        })
    )

    if (!isLong && dialect === Dialect.live) continue
    it.live(
      `sockets that are reset and responses that are truncated break no rule (${dialect.name})`,
      () =>
        Effect.gen(function*() {
          const sandbox = yield* Support.overHttp(dialect)
          const port = yield* lossyPort(Number(new URL(sandbox.baseUrl).port), { oneIn: isLong ? 50 : 10, seed: 1 })
          const baseUrl = `http://127.0.0.1:${port}`
          const control = sandbox.control ?? assert.fail("no control plane")
          const target = yield* Target.fromLayer(NodeHttpClient.layerUndici, {
            baseUrl,
            dialect,
            control: { ...control, url: control.url.replace(sandbox.baseUrl, baseUrl) }
          })
          // All rules are checked above, in process, where a retry takes no time.
          const some = isLong
            ? { rules: rules.filter((_, index) => index % 3 === 0) }
            : { only: ["codes.status", "balance.response", "stop-limit.new", "ping"] }
          isRobust(yield* Check.check(target, { profile: "control", seed: 1, runs: 1, ...some }))
        })
    )
  }

  it.effect("if one of a rule's calls never gets a response, the rule can't run, and the check fails", () =>
    Effect.gen(function*() {
      const sandbox = yield* Support.inProcess(Dialect.document)
      const target: Target.Target = {
        ...sandbox,
        send: (request) => request.path === Paths.oco ? lost : sandbox.send(request)
      }
      const options: Check.Options = { profile: "control", runs: 1, only: ["oco.total.exact", "ping"] }
      const report = yield* passing(Check.check(target, options))
      const outcomes = report.results.map(({ outcome, rule }) => [rule.id.split(".")[0], outcome._tag])
      assert.deepInclude(outcomes, ["oco", "CouldNotRun"])
      assert.deepInclude(outcomes, ["ping", "Held"])
      assert.strictEqual(Report.exitCode(report), 2)
    }))

  it.effect("a value is not checked if every attempt loses the response to a call, even if it is a different call each time", () =>
    Effect.gen(function*() {
      const sandbox = yield* Support.inProcess(Dialect.document)
      let placements = 0
      // Half of the placements get no response. After the other placements, the cancellation gets no response.
      const target: Target.Target = {
        ...sandbox,
        send: (request) => {
          const isLost = request.path === Paths.stopLimit
            ? ++placements % 2 === 1
            : request.path === Paths.cancelAll && placements % 2 === 0 && placements > 0
          return isLost ? lost : sandbox.send(request)
        }
      }
      const options: Check.Options = { profile: "control", runs: 1, only: ["status.canceled"] }
      const report = yield* passing(Check.check(target, options))
      const [result] = report.results
      assert.match(
        result === undefined ? "" : Report.line(result),
        /: not evaluated: the connection failed: read ECONNRESET$/u
      )
    }))

  it.effect("a read that gets no response is repeated with a new nonce", () =>
    Effect.gen(function*() {
      const sandbox = yield* Support.inProcess(Dialect.document)
      const nonces: Array<unknown> = []
      const target: Target.Target = {
        ...sandbox,
        send: (request) => {
          if (request.path !== Paths.fees) return sandbox.send(request)
          nonces.push((JSON.parse(request.body ?? "{}") as { readonly nonce?: unknown }).nonce)
          return nonces.length % 3 === 0 ? sandbox.send(request) : Effect.andThen(sandbox.send(request), lost)
        }
      }
      const report = yield* passing(Check.check(target, { profile: "control", runs: 1, only: ["fees.response"] }))
      assert.deepStrictEqual(report.results.map(({ outcome }) => outcome._tag), ["Held"])
      assert.isAbove(nonces.length, 2)
      assert.strictEqual(new Set(nonces).size, nonces.length)
    }))
})
