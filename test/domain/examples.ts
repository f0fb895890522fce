import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { inspect } from "node:util"
import type { Constraint } from "../../src/domain/Constraint.ts"
import * as Violation from "../../src/protocol/Violation.ts"

/** Returns the constraints that a value breaks, or an empty list if the schema accepts the value. */
export const brokenConstraints = (
  schema: Schema.ConstraintDecoder<unknown>,
  value: unknown
): ReadonlyArray<Constraint> =>
  Result.match(Schema.decodeUnknownResult(schema, { errors: "all" })(value), {
    onSuccess: () => [],
    onFailure: ({ issue }) => Violation.fromIssue(issue).map(({ constraint }) => constraint)
  })

const shown = (value: unknown): string => inspect(value, { maxStringLength: 40, breakLength: Infinity })

/** Tests that a schema accepts some values unchanged, and rejects others for the constraint that each breaks. */
export const examples = (name: string, schema: Schema.ConstraintDecoder<unknown>, values: {
  readonly accepted: ReadonlyArray<unknown>
  readonly refused: ReadonlyArray<readonly [value: unknown, constraint: Constraint]>
}): void => {
  describe(name, () => {
    it(`${name} accepts valid values unchanged`, () => {
      for (const value of values.accepted) {
        assert.deepStrictEqual(Schema.decodeUnknownResult(schema)(value), Result.succeed(value), shown(value))
      }
    })

    it(`${name} rejects invalid values, and reports the constraint that each of them breaks`, () => {
      for (const [value, constraint] of values.refused) {
        assert.deepStrictEqual(brokenConstraints(schema, value), [constraint], shown(value))
      }
    })
  })
}

/** Values of every JSON type except string, and a bigint. */
export const noTexts: ReadonlyArray<unknown> = [null, true, 1, 1n, [], {}]
