import { assert, it } from "@effect/vitest"
import * as Constraint from "../../src/domain/Constraint.ts"

it("an annotation is read back; other annotations hold no constraint", () => {
  const constraint = { kind: "max", max: 3 } as const
  assert.deepStrictEqual(Constraint.fromAnnotations({ ...Constraint.annotation(constraint), title: "t" }), constraint)
  assert.isUndefined(Constraint.fromAnnotations({ title: "t" }))
  assert.isUndefined(Constraint.fromAnnotations(undefined))
})
