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

  it("a report warns if the program failed in every history", () => {
    const coverage = { "program failed": 10, "failure boom": 9, "failure bang": 1, "order FILLED": 2 }
    const text = Report.render.text([result("held", { coverage })])
    assert.include(
      text,
      "the program ended in 0, failed in 10, killed in 0, stopped in 0 of these; states of orders: 1,"
    )
    assert.include(text, "WARNING: the program failed in every history, so little was tested: boom")
    assert.notInclude(Report.render.text([result("held", { coverage: { "program failed": 9 } })]), "WARNING")
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
