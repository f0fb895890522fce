import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as Check from "../../src/oracle/Check.ts"
import type { Profile } from "../../src/oracle/Profile.ts"
import * as Report from "../../src/oracle/Report.ts"
import * as Target from "../../src/oracle/Target.ts"
import * as Session from "../../src/oracle/world/Session.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { passing } from "../support/clock.ts"
import { isLong } from "../support/long.ts"
import * as Support from "../support/oracle.ts"
import * as Doubles from "./doubles/all.ts"

const baseUrl = "https://double.test"

const targetOf = (double: Doubles.Double) =>
  Target.fromLayer(Doubles.layer(double), {
    baseUrl,
    dialect: double.dialect === "live" ? Dialect.live : Dialect.document,
    control: { url: `${baseUrl}/control/v1/`, token: Redacted.make("token") },
    features: {
      prices: { BTC_USDT: "40000" },
      ...(double.endpoints === undefined ? {} : { endpoints: double.endpoints })
    },
    patience: 2000
  })

/** Starts the test clock in 2027, between two full seconds. */
const begin = TestClock.setTime(1_800_000_000_017)

const mustBroken = (report: Report.Report) =>
  Report.broken(report).filter(({ level }) => level === "MUST").map(Report.line)

describe("access to lists", () => {
  for (const double of Doubles.all) {
    it.effect(
      `rules about a list are skipped, not broken, for an account that can't access the list (${double.name})`,
      () =>
        Effect.gen(function*() {
          yield* begin
          const target = yield* targetOf(double)
          const { world } = Session.make(target, "control", yield* Target.now).world()
          const keys = yield* world.open({ b2b: false })
          const options = { only: ["interest", "general", "auth"], seed: 1, runs: isLong ? 3 : 1, rules: Support.rules }
          const report = yield* passing(Check.check({ ...target, keys }, options))
          assert.deepStrictEqual(mustBroken(report), [])
          const interest = report.results.filter(({ rule }) => rule.id.startsWith("interest."))
          assert.deepStrictEqual([...new Set(interest.map(({ outcome }) => outcome._tag))], ["Skipped"])
        })
    )
  }
})

describe("correct servers other than the sandbox", () => {
  const profiles: ReadonlyArray<readonly [Profile, least: number]> = [["read-only", 60], ["mutating", 200], [
    "control",
    250
  ]]
  for (const double of Doubles.all) {
    for (const [profile, least] of profiles) {
      it.effect(
        `${double.name} breaks no MUST rule in a check with the ${profile} profile`,
        () =>
          Effect.gen(function*() {
            yield* begin
            const target = yield* targetOf(double)
            const checked = profile === "control"
              ? target
              : { ...target, keys: yield* passing(Support.account(target)) }
            const skip = isLong ? ["limits.exceeded"] : ["limits"]
            const options = { profile, seed: 1, runs: isLong ? 5 : 1, skip, rules: Support.rules }
            const report = yield* passing(Check.check(checked, options))
            assert.deepStrictEqual(mustBroken(report), [])
            const unanswered = report.results.filter(({ outcome }) => outcome._tag === "CouldNotRun").map(Report.line)
            assert.deepStrictEqual(unanswered, [])
            const judged = report.results.filter(({ level, outcome }) => level === "MUST" && outcome._tag === "Held")
            assert.isAbove(judged.length, least)
            // The server breaks a SHOULD rule because it does not share all of this project's interpretations.
            assert.isAbove(Report.tally(report).should, 0)
          })
      )
    }
  }
})

describe("order lists that are late", () => {
  it.effect("lists that are five seconds late break the rules about new and activated orders", () =>
    Effect.gen(function*() {
      yield* begin
      const target = yield* targetOf(Doubles.odd("document", 5000))
      const options: Check.Options = { profile: "control", only: ["activation.buy", "status.new"], seed: 1, runs: 2 }
      const report = yield* passing(Check.check(target, options))
      assert.includeMembers(Report.broken(report).map(({ rule }) => rule.id), ["activation.buy.reached", "status.new"])
    }))
})
