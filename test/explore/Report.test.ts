import { assert, describe, it } from "@effect/vitest"
import { type Explore, Report } from "../../src/explore/index.ts"

const result = (verdict: Explore.Result["verdict"], more: Partial<Explore.Result> = {}): Explore.Result => ({
  program: "a <bot>",
  verdict,
  missed: [],
  seed: 3,
  runs: 10,
  shrinks: 0,
  coverage: {},
  foreign: [],
  ...more
})

describe("reports of explorations", () => {
  it("a report's exit code distinguishes broken programs from programs that could not be checked", () => {
    assert.strictEqual(Report.exitCode([result("held"), result("held")]), 0)
    assert.strictEqual(Report.exitCode([result("held"), result("broken")]), 1)
    assert.strictEqual(Report.exitCode([result("missed")]), 1)
    assert.strictEqual(Report.exitCode([result("broken"), result("invalid")]), 2)
    assert.strictEqual(Report.exitCode([]), 2)
  })

  it("a report shows where a program starts a promise, which the seed does not control", () => {
    const text = Report.render.text([result("held", { foreign: [{ kind: "PROMISE", at: "bot.ts:3:1" }] })])
    assert.include(text, "a <bot>: nothing found in 10 histories (seed 3)")
    assert.include(text, "PROMISE, started at bot.ts:3:1")
  })

  it("the JUnit report counts failures and errors, and escapes names", () => {
    const xml = Report.render.junit([
      result("broken", { foundAt: 4 }),
      result("invalid", { invalid: "why & how" }),
      result("held")
    ])
    assert.include(xml, `tests="3" failures="1" errors="1"`)
    assert.include(xml, `name="a &lt;bot&gt;"`)
    assert.include(xml, "why &amp; how")
    assert.notInclude(xml, "<bot>")
  })
})
