/**
 * Schemas and checks for the protocol's strings and flags. Each is annotated with the constraint that an invalid value
 * breaks.
 */
import * as Schema from "effect/Schema"
import * as Check from "./Check.ts"
import * as Constraint from "./Constraint.ts"

/**
 * A JSON string. A value of another JSON type breaks the constraint `type`.
 *
 * @category schemas
 */
export const Text = Schema.String.annotate(Constraint.annotation({ kind: "type", type: "string" }))

/**
 * A JSON string of at least one character. An empty string breaks the constraint `notEmpty`.
 *
 * @category schemas
 */
export const NonEmptyText = Text.check(
  Check.matches(/^[\s\S]/u, Constraint.annotation({ kind: "notEmpty" }), (text) => text !== "").abort()
)

/**
 * Creates a check that a string matches `form`. Any other string breaks the constraint `format`; `expected` describes
 * the form in the schema's error message.
 *
 * @category checks
 */
export const hasForm = (form: RegExp, expected: string) =>
  Check.matches(form, { ...Constraint.annotation({ kind: "format" }), expected })

/**
 * A JSON boolean. A value of another JSON type breaks the constraint `type`.
 *
 * @category schemas
 */
export const Flag = Schema.Boolean.annotate(Constraint.annotation({ kind: "type", type: "boolean" }))

/**
 * Creates the schema of an enumeration of strings. Any other value breaks the constraint `oneOf`.
 *
 * @category schemas
 */
export const oneOf = <const L extends ReadonlyArray<string>>(values: L): Schema.Literals<L> =>
  Schema.Literals(values).annotate(Constraint.annotation({ kind: "oneOf", values }))
