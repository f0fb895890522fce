import { assert, describe, it } from "@effect/vitest"
import { clauses } from "../../src/oracle/Clauses.ts"
import { openPoints } from "../../src/oracle/OpenPoints.ts"
import { matches } from "../../src/oracle/Report.ts"
import { rules } from "../../src/oracle/Rules.ts"

const ids = rules.map(({ id }) => id)

describe("rules", () => {
  it("every rule has a unique id of dotted words", () => {
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

  it("every rule applies to a dialect and has at least one run", () => {
    for (const { dialects, id, property } of rules) {
      assert.isTrue(dialects.document._tag !== "NotApplicable" || dialects.live._tag !== "NotApplicable", id)
      assert.isAbove(property.runs, 0, id)
    }
  })

  it("most of the hundreds of rules are MUST rules", () => {
    assert.isAbove(rules.length, 400)
    assert.isAbove(rules.filter(({ level }) => level === "MUST").length, rules.length / 2)
  })
})

describe("open points", () => {
  it("every open point has a unique id", () => {
    const ids = openPoints.map(({ id }) => id)
    assert.strictEqual(new Set(ids).size, ids.length)
  })

  it("every open point names its rules, or says why it has none", () => {
    for (const { id, rules } of openPoints) {
      if ("unchecked" in rules) assert.isAbove(rules.unchecked.length, 10, id)
      else for (const pattern of rules) assert.isTrue(ids.some((rule) => matches([pattern], rule)), `${id}: ${pattern}`)
    }
  })

  it("open points name no MUST rule and all other rules", () => {
    const patterns = openPoints.flatMap(({ rules }) => "unchecked" in rules ? [] : rules)
    const dependent = rules.filter(({ id }) => matches(patterns, id))
    assert.deepStrictEqual(dependent.filter(({ level }) => level === "MUST").map(({ id }) => id), [])
    const stances = rules.filter(({ level }) => level !== "MUST").map(({ id }) => id)
    assert.deepStrictEqual(stances.filter((id) => !matches(patterns, id)), [])
  })
})
