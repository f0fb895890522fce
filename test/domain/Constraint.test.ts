import { assert, it } from "@effect/vitest"
import * as Rule from "../../src/domain/Constraint.ts"

it("an annotation is read back; other annotations hold no rule", () => {
  const rule = { rule: "max", max: 3 } as const
  assert.deepStrictEqual(Rule.fromAnnotations({ ...Rule.annotation(rule), title: "t" }), rule)
  assert.isUndefined(Rule.fromAnnotations({ title: "t" }))
  assert.isUndefined(Rule.fromAnnotations(undefined))
})
