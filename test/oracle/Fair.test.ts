import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Check from "../../src/oracle/Check.ts"
import type { Profile } from "../../src/oracle/Profile.ts"
import * as Report from "../../src/oracle/Report.ts"
import * as Target from "../../src/oracle/Target.ts"
import * as Session from "../../src/oracle/world/Session.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { isLong } from "../support/long.ts"
import { account } from "../support/oracle.ts"
import * as Doubles from "./doubles/all.ts"

const baseUrl = "https://double.test"

const targetOf = (choices: (typeof Doubles.all)[number]) =>
  Target.fromLayer(Doubles.layer(choices), {
    baseUrl,
    dialect: Dialect.document,
    control: { url: `${baseUrl}/control/v1/`, token: Redacted.make("token") },
    features: { prices: { BTC_USDT: "40000" } },
    patience: 100
  })

const mustBroken = (report: Report.Report) =>
  Report.broken(report).filter(({ rule }) => rule.level === "MUST").map(Report.line)

describe("access to lists", () => {
  for (const choices of Doubles.all) {
    it.live(
      `an account without access to a list breaks no rule about it (${choices.name})`,
      () =>
        Effect.gen(function*() {
          const target = yield* targetOf(choices)
          const { world } = Session.make(target, "control", yield* Target.now).world()
          const keys = yield* world.open({ b2b: false })
          const report = yield* Check.check({ ...target, keys }, {
            only: ["interest", "general", "auth"],
            seed: 1,
            runs: 3
          })
          assert.deepStrictEqual(mustBroken(report), [])
          const interest = report.results.filter(({ rule }) => rule.id.startsWith("interest."))
          assert.deepStrictEqual([...new Set(interest.map(({ outcome }) => outcome._tag))], ["Skipped"])
        }),
      60_000
    )
  }
})

describe("correct servers other than the sandbox", () => {
  const profiles: ReadonlyArray<readonly [Profile, least: number]> = [["read-only", 60], ["mutating", 200], [
    "control",
    250
  ]]
  for (const choices of Doubles.all) {
    for (const [profile, least] of profiles) {
      it.live(`no MUST rule is broken with the profile ${profile} by ${choices.name}`, () =>
        Effect.gen(function*() {
          const target = yield* targetOf(choices)
          const checked = profile === "control" ? target : { ...target, keys: yield* account(target) }
          const report = yield* Check.check(checked, {
            profile,
            seed: 1,
            runs: isLong ? 5 : 2,
            skip: ["limits.exceeded"]
          })
          assert.deepStrictEqual(mustBroken(report), [])
          const unanswered = report.results.filter(({ outcome }) => outcome._tag === "CouldNotRun").map(Report.line)
          assert.deepStrictEqual(unanswered, [])
          const judged = report.results.filter(({ outcome, rule }) => rule.level === "MUST" && outcome._tag === "Held")
          assert.isAbove(judged.length, least)
          // The server differs from the sandbox: it does not share this project's stances.
          assert.isAbove(Report.tally(report).should, 3)
        }), 60_000)
    }
  }
})
