/**
 * Explains what a valid value of each rejected field looks like. The exchange's own error messages do not always say
 * so.
 */
import type { Constraint } from "../../domain/Constraint.ts"
import type { Violations } from "../engine/Reply.ts"

/** The maximum number of values listed. */
const mostValues = 12

const listed = (values: ReadonlyArray<string | number>): string => {
  const shown = values.slice(0, mostValues).join(", ")
  return values.length > mostValues ? `${shown} and ${values.length - mostValues} more` : shown
}

const digitsOf = (step: string): string => {
  const digits = step.split(".")[1]?.length ?? 0
  return digits === 0 ? "a whole number" : `at most ${digits} ${digits === 1 ? "digit" : "digits"} after the point`
}

/** The descriptions of constraints that do not depend on the field. */
const fixed = {
  required: "a value",
  decimal: "a decimal number as text, such as \"0.5\"",
  positive: "more than 0",
  notEmpty: "a value that is not empty",
  format: "a value in this field's format",
  known: "one that exists on this exchange",
  unique: "one that the account does not use yet",
  unused: "a code that was not applied before",
  notOwn: "a code of another account",
  empty: "a sub-account without funds",
  position: "an open position on the opposite side, large enough to reduce",
  balance: "enough free funds in the wallet",
  admitted: "no value, unless the sandbox's owner allows the field for the account with setAccount",
  quoted: "a side of the book that has an order",
  maker: "a price at which the order does not trade at once",
  open: "the identifier of an open order",
  expected: "a field that this endpoint has",
  notLastPrice: "a price other than the market's last",
  exitSide:
    "a price on the other side of the order's price: a take-profit where the order gains, a stop-loss where it loses",
  inapplicable: "no value: an order of this kind does not have the field",
  aboveFilled: "more than the order has already filled",
  existing: "the identifier of an open order",
  ended: "the client order id of an order that the account has placed and that has ended",
  modifiable:
    "an order that stands alone: a leg of a pair, or an order with take-profit or stop-loss, can't be changed",
  simulated: "no value: this sandbox does not simulate the field",
  accepted: "no value: the exchange does not accept the field yet"
}

/** Describes the values that satisfy a constraint: its bound, its step, the values allowed. */
export const words = (constraint: Constraint): string => {
  switch (constraint.kind) {
    case "type":
      return `${/^[aeio]/u.test(constraint.type) ? "an" : "a"} ${constraint.type}`
    case "min":
    case "minAmount":
      return `at least ${constraint.min}`
    case "max":
      return `at most ${constraint.max}`
    case "length":
      return `at most ${constraint.max} characters`
    case "characters":
      return `only ${constraint.allowed}`
    case "oneOf":
      return constraint.values.length === 1 ? listed(constraint.values) : `one of ${listed(constraint.values)}`
    case "precision":
      return `${digitsOf(constraint.step)}: a multiple of ${constraint.step}`
    case "step":
      return `a multiple of ${constraint.step}`
    case "priceBand":
      return `${constraint.side === "above" ? "at most" : "at least"} ${constraint.bound}, near the market's last price`
    case "minTotal":
      return `amount × price of at least ${constraint.min}`
    case "maxTotal":
      return `amount × price of at most ${constraint.max}`
    case "exclusive":
      return `not true together with ${constraint.with}`
    case "alone":
      return `not together with ${constraint.with}`
    case "different":
      return `a value other than ${constraint.from}`
    case "elements":
      return `at most ${constraint.max} elements`
    case "after":
      return `later than ${constraint.than}`
    default:
      return fixed[constraint.kind]
  }
}

/**
 * Describes a valid value of each field that breaks a constraint. A field that breaks several must satisfy all of them.
 */
export const of = (violations: Violations): Readonly<Record<string, string>> => {
  const expected: Record<string, string> = {}
  for (const [field, constraint] of violations) {
    const before = expected[field]
    expected[field] = before === undefined ? words(constraint) : `${before}; ${words(constraint)}`
  }
  return expected
}
