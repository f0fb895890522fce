import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as Check from "../../src/oracle/Check.ts"
import * as Report from "../../src/oracle/Report.ts"
import * as Target from "../../src/oracle/Target.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { passing } from "../support/clock.ts"
import { answering } from "../support/http.ts"
import * as Support from "../support/oracle.ts"

/**
 * A target that accepts `calls` calls, responds with HTTP 429 for two seconds, accepts `calls` more calls, and so on.
 */
const throttled = (target: Target.Target, calls: number, headers: Readonly<Record<string, string>>) => {
  let [openAt, count, refused] = [0, 0, 0]
  const send: Target.Target["send"] = (request) =>
    Effect.flatMap(Target.now, (now) => {
      if (count === calls && now >= openAt) count = 0
      if (count < calls) {
        openAt = now + 2000
        count++
        return target.send(request)
      }
      refused++
      const json = { code: 0, message: "Slow down.", errors: {} }
      return Effect.succeed({ sent: request, status: 429, headers, text: JSON.stringify(json), json })
    })
  return { target: { ...target, send }, refused: () => refused }
}

describe("targets that throttle calls", () => {
  const headers: ReadonlyArray<Readonly<Record<string, string>>> = [{}, { "retry-after": "3" }]
  for (const dialect of [Dialect.document, Dialect.live]) {
    for (const retryAfter of headers) {
      it.effect(
        `every rule waits for a target that throttles calls (${dialect.name}, headers ${JSON.stringify(retryAfter)})`,
        () =>
          Effect.gen(function*() {
            // Starts between two full seconds. Otherwise, calls would mostly happen at full seconds, because waits last
            // full seconds.
            yield* TestClock.setTime(1_800_000_000_017)
            const sandbox = yield* Support.inProcess(dialect)
            const keys = yield* Support.account(sandbox)
            const { refused, target } = throttled({ ...sandbox, keys }, 7, retryAfter)
            const report = yield* passing(Check.check(target, { profile: "mutating", seed: 1, runs: 1 }), 500)
            const odd = report.results.filter(({ outcome }) =>
              outcome._tag === "Broken" || outcome._tag === "CouldNotRun"
            )
            assert.deepStrictEqual(odd.map(Report.line), [])
            assert.deepStrictEqual(report.warnings, [])
            assert.isAbove(Report.tally(report).held, 250)
            assert.isAbove(refused(), 100)
          })
      )
    }
  }

  it.effect("a check gives up when its patience has run out and the target still throttles every call", () =>
    Effect.gen(function*() {
      const keys = { apiKey: Redacted.make("key"), apiSecret: Redacted.make("secret") }
      const layer = answering(({ path }) =>
        path.endsWith("/ping") ? Response.json(["pong"]) : Response.json({ code: 0, message: "No." }, { status: 429 })
      )
      const options = { baseUrl: "https://target.test", dialect: Dialect.document, keys, patience: 20_000 }
      const target = yield* Target.fromLayer(layer, options)
      const startedAt = yield* Target.now
      const error = yield* passing(Effect.flip(Check.check(target)), 1000)
      assert.include(error.message, "HTTP 429 for 20 seconds")
      assert.isAtMost((yield* Target.now) - startedAt, 40_000)
    }))
})
