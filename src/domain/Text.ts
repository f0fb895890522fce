/**
 * Building blocks for the texts of the protocol: a JSON string with a form, a rule for each way to break it.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as Rule from "./Constraint.ts"

/**
 * A JSON string; another JSON type breaks the rule `type`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Text = Schema.String.annotate(Rule.annotation({ rule: "type", type: "string" }))

/**
 * A JSON string with at least one character.
 *
 * @category schemas
 * @since 0.1.0
 */
export const NonEmptyText = Text.check(Schema.isPattern(/^[\s\S]/u, Rule.annotation({ rule: "notEmpty" })).abort())

/**
 * The check that a text has the form of its kind.
 *
 * @category checks
 * @since 0.1.0
 */
export const hasForm = (form: RegExp, expected: string) =>
  Schema.isPattern(form, { ...Rule.annotation({ rule: "format" }), expected })

/**
 * A JSON boolean; another JSON type breaks the rule `type`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Flag = Schema.Boolean.annotate(Rule.annotation({ rule: "type", type: "boolean" }))

/**
 * One of the listed texts; anything else breaks the rule `oneOf`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const oneOf = <const L extends ReadonlyArray<string>>(values: L): Schema.Literals<L> =>
  Schema.Literals(values).annotate(Rule.annotation({ rule: "oneOf", values }))
