/**
 * What a field must be, for whoever sent something else. The exchange's own words are in the answer; they do not always say
 * what would have been right.
 *
 * @since 0.1.0
 */
import type { Constraint } from "../../domain/Constraint.ts"
import type { Violations } from "../engine/Reply.ts"

/** How many values are listed. */
const mostValues = 12

const listed = (values: ReadonlyArray<string | number>): string => {
  const shown = values.slice(0, mostValues).join(", ")
  return values.length > mostValues ? `${shown} and ${values.length - mostValues} more` : shown
}

const digitsOf = (step: string): string => {
  const digits = step.split(".")[1]?.length ?? 0
  return digits === 0 ? "a whole number" : `at most ${digits} ${digits === 1 ? "digit" : "digits"} after the point`
}

/**
 * What satisfies a constraint: the bound, the step, the values allowed.
 *
 * @category showing
 * @since 0.1.0
 */
export const words = (constraint: Constraint): string => {
  switch (constraint.kind) {
    case "required":
      return "a value"
    case "type":
      return `${/^[aeio]/u.test(constraint.type) ? "an" : "a"} ${constraint.type}`
    case "decimal":
      return "a decimal number as text, such as \"0.5\""
    case "positive":
      return "more than 0"
    case "min":
    case "minAmount":
      return `at least ${constraint.min}`
    case "max":
      return `at most ${constraint.max}`
    case "length":
      return `at most ${constraint.max} characters`
    case "notEmpty":
      return "something that is not empty"
    case "format":
      return "the form of this field"
    case "characters":
      return `only ${constraint.allowed}`
    case "oneOf":
      return constraint.values.length === 1 ? listed(constraint.values) : `one of ${listed(constraint.values)}`
    case "known":
      return "one that this exchange knows"
    case "unique":
      return "one that the account does not use already"
    case "precision":
      return `${digitsOf(constraint.step)}: a multiple of ${constraint.step}`
    case "minTotal":
      return `amount × price of at least ${constraint.min}`
    case "maxTotal":
      return `amount × price of at most ${constraint.max}`
    case "unused":
      return "a code that was not applied before"
    case "notOwn":
      return "a code of another account"
    case "empty":
      return "a sub-account without funds"
    case "position":
      return "an open position on the other side, large enough to reduce"
    case "balance":
      return "enough free funds in the wallet"
    case "exclusive":
      return `not true together with ${constraint.with}`
    case "alone":
      return `not together with ${constraint.with}`
    case "different":
      return `another value than ${constraint.from}`
    case "maker":
      return "a price at which the order does not trade at once"
    case "open":
      return "the identifier of an open order"
    case "expected":
      return "a field that this endpoint has"
    case "after":
      return `later than ${constraint.than}`
    case "notLastPrice":
      return "another price than the market's last"
    case "simulated":
      return "nothing: this sandbox does not simulate the field"
    case "accepted":
      return "nothing: the exchange does not accept the field yet"
  }
}

/**
 * What each field that breaks a constraint must be. A field that breaks several must be all of it.
 *
 * @category showing
 * @since 0.1.0
 */
export const of = (violations: Violations): Readonly<Record<string, string>> => {
  const expected: Record<string, string> = {}
  for (const [field, constraint] of violations) {
    const before = expected[field]
    expected[field] = before === undefined ? words(constraint) : `${before}; ${words(constraint)}`
  }
  return expected
}
