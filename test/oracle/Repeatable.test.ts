import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as Check from "../../src/oracle/Check.ts"
import * as Report from "../../src/oracle/Report.ts"
import { rules } from "../../src/oracle/Rules.ts"
import * as Target from "../../src/oracle/Target.ts"
import * as Paths from "../../src/oracle/world/Paths.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { answering } from "../support/http.ts"
import { isLong, sampleOf } from "../support/long.ts"
import * as Support from "../support/oracle.ts"

/** Runs an action on the sandbox's control plane. */
const owner = ({ control, send }: Target.Target, action: string, fields: object) =>
  Effect.gen(function*() {
    if (control === undefined) return assert.fail("no control plane")
    const headers = { "content-type": "application/json", authorization: `Bearer ${Redacted.value(control.token)}` }
    const answer = yield* send({ method: "POST", path: control.url + action, headers, body: JSON.stringify(fields) })
    assert.isBelow(answer.status, 300, answer.text)
  })

const holds = (report: Report.Report) => {
  const odd = report.results.filter(({ outcome }) => outcome._tag === "Broken" || outcome._tag === "CouldNotRun")
  assert.deepStrictEqual(odd.map(Report.line), [])
}

describe("clocks of targets", () => {
  // Only long test runs, as in CI, repeat checks.
  for (const dialect of isLong ? [Dialect.document, Dialect.live] : []) {
    it.live(
      `every rule holds in repeated checks of a target whose clock differs from this machine's (${dialect.name})`,
      () =>
        Effect.gen(function*() {
          const target = yield* Support.inProcess(dialect)
          const options = { profile: "control", seed: 1, runs: 1, rules: sampleOf(rules) } as const
          yield* owner(target, "SkewClock", { millis: -3_600_000 })
          holds(yield* Check.check(target, options))
          yield* owner(target, "AdvanceClock", { millis: 86_400_000 })
          holds(yield* Check.check(target, { ...options, skip: ["limits"] }))
          yield* owner(target, "FreezeClock", {})
          holds(yield* Check.check(target, { ...options, only: ["general.times", "interest.fresh", "auth.nonce"] }))
        })
    )
  }

  it.effect("the target's clock is read from the Date header if no call shows the time", () =>
    Effect.gen(function*() {
      const start = 1_800_000_000_000
      yield* TestClock.setTime(start)
      const headers = { date: "Fri, 15 Jan 2027 10:00:00 GMT" }
      let nonce = 0
      const layer = answering(({ body, path }) => {
        if (path === Paths.mainBalance) nonce = Number((JSON.parse(body) as { readonly nonce: string }).nonce)
        return path === Paths.ping
          ? Response.json(["pong"], { headers })
          : Response.json({}, { headers, status: path === Paths.time ? 404 : 200 })
      })
      const keys = { apiKey: Redacted.make("key"), apiSecret: Redacted.make("secret") }
      const target = yield* Target.fromLayer(layer, { baseUrl: "https://target.test", dialect: Dialect.document, keys })
      yield* Check.check(target, { only: ["balance.response"] })
      // The target is two hours ahead of this machine.
      assert.isBelow(Math.abs(nonce - start - 7_200_000), 1000)
    }))
})
