/**
 * Building blocks for the texts of the protocol: a JSON string with a form, a constraint for each way to break it.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as Constraint from "./Constraint.ts"

/**
 * A JSON string; another JSON type breaks the constraint `type`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Text = Schema.String.annotate(Constraint.annotation({ kind: "type", type: "string" }))

/**
 * A JSON string with at least one character.
 *
 * @category schemas
 * @since 0.1.0
 */
export const NonEmptyText = Text.check(
  Schema.isPattern(/^[\s\S]/u, Constraint.annotation({ kind: "notEmpty" })).abort()
)

/**
 * The check that a text has the form of its kind.
 *
 * @category checks
 * @since 0.1.0
 */
export const hasForm = (form: RegExp, expected: string) =>
  Schema.isPattern(form, { ...Constraint.annotation({ kind: "format" }), expected })

/**
 * A JSON boolean; another JSON type breaks the constraint `type`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Flag = Schema.Boolean.annotate(Constraint.annotation({ kind: "type", type: "boolean" }))

/**
 * One of the listed texts; anything else breaks the constraint `oneOf`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const oneOf = <const L extends ReadonlyArray<string>>(values: L): Schema.Literals<L> =>
  Schema.Literals(values).annotate(Constraint.annotation({ kind: "oneOf", values }))
