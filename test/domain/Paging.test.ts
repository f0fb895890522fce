import { assert, it } from "@effect/vitest"
import * as Paging from "../../src/domain/Paging.ts"
import { brokenConstraints, examples } from "./examples.ts"

const integerRule = { kind: "type", type: "integer" } as const

/** Values that are not integers, regardless of the bounds. */
const noIntegers = [1.5, 99.999, "1", null, true, [1], 1n].map((value) => [value, integerRule] as const)

examples("Limit", Paging.Limit, {
  accepted: [1, 2, 30, 99, 100],
  refused: [
    ...noIntegers,
    ...[0, -1, -100].map((n) => [n, { kind: "min", min: 1 }] as const),
    ...[101, 10001].map((n) => [n, { kind: "max", max: 100 }] as const)
  ]
})

examples("Offset", Paging.Offset, {
  accepted: [0, 1, 100, 9999, 10000],
  refused: [
    ...noIntegers,
    [-1, { kind: "min", min: 0 }],
    ...[10001, 2 ** 31].map((n) => [n, { kind: "max", max: 10000 }] as const)
  ]
})

it("NaN and infinities are rejected as non-integers before any bound is checked", () => {
  for (const schema of [Paging.Limit, Paging.Offset]) {
    for (const n of [NaN, Infinity, -Infinity]) assert.deepStrictEqual(brokenConstraints(schema, n)[0], integerRule)
  }
})
