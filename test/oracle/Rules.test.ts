import { assert, describe, it } from "@effect/vitest"
import { clauses } from "../../src/oracle/Clauses.ts"
import { openPoints } from "../../src/oracle/OpenPoints.ts"
import { matches } from "../../src/oracle/Report.ts"
import { levelIn, liveDocumentation, type Rule } from "../../src/oracle/Rule.ts"
import { rules } from "../../src/oracle/Rules.ts"

const ids = rules.map(({ id }) => id)

const dialects = ["document", "live"] as const

const applies = (rule: Rule, dialect: typeof dialects[number]) => rule.dialects[dialect]._tag !== "NotApplicable"

describe("the list of rules", () => {
  it("every rule has a unique id that consists of words separated by dots", () => {
    assert.strictEqual(new Set(ids).size, ids.length)
    for (const id of ids) assert.match(id, /^[a-z0-9][a-z0-9-]*(\.[A-Za-z0-9][A-Za-z0-9_-]*)+$/u)
  })

  it("every rule has a one-line statement", () => {
    for (const { id, statement } of rules) {
      assert.isAbove(statement.length, 10, id)
      assert.notInclude(statement, "\n", id)
    }
  })

  it("every rule has a clause, and every clause has rules", () => {
    assert.sameMembers([...new Set(rules.map(({ clause }) => clause))], [...clauses])
  })

  it("every rule applies to at least one dialect and has at least one run", () => {
    for (const { dialects, id, property } of rules) {
      assert.isTrue(dialects.document._tag !== "NotApplicable" || dialects.live._tag !== "NotApplicable", id)
      assert.isAbove(property.runs, 0, id)
    }
  })

  it("there are hundreds of rules, and in each dialect, most of the applicable rules are MUST rules", () => {
    assert.isAbove(rules.length, 400)
    for (const dialect of dialects) {
      const applying = rules.filter((rule) => applies(rule, dialect))
      const must = applying.filter((rule) => levelIn(rule, dialect) === "MUST")
      assert.isAbove(must.length, applying.length / 2, dialect)
    }
  })

  it("rules about the kill switch are MUST in the live dialect, and do not apply to the document's dialect", () => {
    const killSwitch = rules.filter(({ id }) => id.startsWith("kill-switch."))
    assert.isAbove(killSwitch.length, 5)
    for (const rule of killSwitch)
      assert.deepStrictEqual([levelIn(rule, "live"), applies(rule, "document")], ["MUST", false])
  })

  it("a SHOULD rule in the document's dialect is MUST in the live dialect if the live documentation is clear", () => {
    const own = rules.find(({ id }) => id === "codes.own") ?? assert.fail()
    assert.deepStrictEqual(dialects.map((dialect) => levelIn(own, dialect)), ["SHOULD", "MUST"])
  })
})

describe("questions that the document leaves open", () => {
  const patterns = openPoints.flatMap(({ rules }) => "unchecked" in rules ? [] : rules)

  it("every open point has a unique id", () => {
    const ids = openPoints.map(({ id }) => id)
    assert.strictEqual(new Set(ids).size, ids.length)
  })

  it("every open point names its rules, or states why it has no rules", () => {
    for (const { id, rules } of openPoints) {
      if ("unchecked" in rules) assert.isAbove(rules.unchecked.length, 10, id)
      else for (const pattern of rules) assert.isTrue(ids.some((rule) => matches([pattern], rule)), `${id}: ${pattern}`)
    }
  })

  for (const dialect of dialects) {
    it(`every rule that is SHOULD or INFO in the ${dialect} dialect is named by an open point`, () => {
      const open = rules.filter((rule) => applies(rule, dialect) && levelIn(rule, dialect) !== "MUST")
      assert.deepStrictEqual(open.map(({ id }) => id).filter((id) => !matches(patterns, id)), [])
    })
  }

  it("an open point lists a MUST rule only if the live documentation answers the question for the live dialect", () => {
    for (const rule of rules.filter(({ id }) => matches(patterns, id))) {
      const must = dialects.filter((dialect) => applies(rule, dialect) && levelIn(rule, dialect) === "MUST")
      if (must.length === 0) continue
      const { document, live } = rule.dialects
      assert.deepStrictEqual(must, ["live"], rule.id)
      assert.notStrictEqual(document._tag, "NotApplicable", rule.id)
      assert.isTrue(live._tag === "Other" && live.source === liveDocumentation, rule.id)
    }
  })
})
