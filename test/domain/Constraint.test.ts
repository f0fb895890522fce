import { assert, it } from "@effect/vitest"
import * as Constraint from "../../src/domain/Constraint.ts"

it("a constraint is read from its own annotation, and never from another annotation", () => {
  const constraint = { kind: "max", max: 3 } as const
  assert.deepStrictEqual(Constraint.fromAnnotations({ ...Constraint.annotation(constraint), title: "t" }), constraint)
  assert.isUndefined(Constraint.fromAnnotations({ title: "t" }))
  assert.isUndefined(Constraint.fromAnnotations(undefined))
})
