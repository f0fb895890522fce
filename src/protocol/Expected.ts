/**
 * Explains what a valid value of each rejected field looks like. A sandbox's call log contains these explanations,
 * because the exchange's own messages are often less precise. They also explain invalid files, topics, queries and
 * responses.
 */
import * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import * as Constraint from "../domain/Constraint.ts"

/** The maximum number of allowed values that are listed. */
const mostValues = 12

const listed = (values: ReadonlyArray<string | number>): string => {
  const shown = values.slice(0, mostValues).join(", ")
  return values.length > mostValues ? `${shown} and ${values.length - mostValues} more` : shown
}

const digitsOf = (step: string): string => {
  const digits = step.split(".")[1]?.length ?? 0
  return digits === 0 ? "a whole number" : `at most ${digits} ${digits === 1 ? "digit" : "digits"} after the point`
}

/** The descriptions of the margin trading rules. */
const marginRules: Readonly<Record<Extract<Constraint.Constraint, { readonly kind: "margin" }>["rule"], string>> = {
  flat: "unchanged while the account has positions or orders that a change would affect",
  side: "the position side of the account's mode: LONG or SHORT in hedge mode, BOTH or none otherwise",
  opposite: "no more than the amount that closes the position",
  positionMaximum: "a position no larger than the market's brackets allow",
  held: "one of the account's open positions",
  pendingMaximum: "a position and orders no larger than the market's brackets allow",
  covered: "one at which the collateral covers the margin of all positions and orders"
}

/** The conditions of a transfer between wallets. */
const transfers: Readonly<Record<Extract<Constraint.Constraint, { readonly kind: "transferable" }>["needs"], string>> =
  {
    permission: "a wallet to which the sub-account may transfer funds",
    deposits: "an asset whose deposits are enabled",
    withdrawals: "an asset whose withdrawals are enabled"
  }

/** The descriptions of constraints that do not depend on the field. */
const fixed = {
  required: "a value",
  decimal: "a decimal number as text, such as \"0.5\"",
  positive: "more than 0",
  notEmpty: "a value that is not empty",
  format: "a value in this field's format",
  known: "one that exists on this exchange",
  unique: "one that is not in use yet",
  unused: "a code that was not applied before",
  notOwn: "a code that another account created",
  empty: "a sub-account without funds",
  position: "an open position on the opposite side, large enough to reduce",
  balance: "enough free funds in the wallet",
  admitted: "no value, unless the sandbox's owner allows the field for the account with setAccount",
  quoted: "a side of the book that has an order",
  maker: "a price at which the order does not trade immediately",
  open: "the identifier of an open order",
  expected: "a field that this endpoint has",
  notLastPrice: "a price other than the market's last price",
  exitSide:
    "a price on the profitable side of the order's price for a take-profit, or on its losing side for a stop-loss",
  inapplicable: "no value: an order of this kind does not have the field",
  aboveFilled: "more than the order has already filled",
  existing: "the identifier of an open order",
  ended: "the client order id of one of the account's closed orders",
  modifiable: "an order that can be modified: a leg of a pair, or an order with a take-profit or stop-loss, can't",
  accepted: "no value: the exchange does not accept the field yet"
}

/** Describes the values that satisfy a constraint, for example the bound, the step or the allowed values. */
export const words = (constraint: Constraint.Constraint): string => {
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
    case "transferable":
      return transfers[constraint.needs]
    case "different":
      return `a value other than ${constraint.from}`
    case "elements":
      return `at most ${constraint.max} elements`
    case "after":
      return `later than ${constraint.than}`
    case "margin":
      return marginRules[constraint.rule]
    default:
      return fixed[constraint.kind]
  }
}

/**
 * Describes a valid value of each field that breaks a constraint. If a field breaks several constraints, the
 * description covers all of them.
 */
export const of = (
  violations: Iterable<readonly [field: string, constraint: Constraint.Constraint]>
): Readonly<Record<string, string>> => {
  const expected: Record<string, string> = {}
  for (const [field, constraint] of violations) {
    const before = expected[field]
    expected[field] = before === undefined ? words(constraint) : `${before}; ${words(constraint)}`
  }
  return expected
}

/** Returns the message for a field that breaks a constraint, such as `amount must be more than 0`. */
export const sentence = (field: string, constraint: Constraint.Constraint): string => {
  switch (constraint.kind) {
    case "required":
      return `${field} is missing`
    case "balance":
      return `${field} is more than the free funds in the wallet`
    case "expected":
      return `there is no field ${field}`
    default:
      return `${field} must be ${words(constraint)}`
  }
}

// -----------------------------------------------------------------------------
// Schemas
// -----------------------------------------------------------------------------

const literalOf = (ast: SchemaAST.AST): ReadonlyArray<string> => SchemaAST.isLiteral(ast) ? [String(ast.literal)] : []

/** Returns the tags of a union's objects. */
const tagsOf = ({ types }: SchemaAST.Union): ReadonlyArray<string> =>
  types.flatMap((type) =>
    SchemaAST.isObjects(type)
      ? type.propertySignatures.filter(({ name }) => name === "_tag").flatMap(({ type }) => literalOf(type))
      : []
  )

const described = (annotations: Readonly<Record<string, unknown>> | undefined): string | undefined => {
  const constraint = Constraint.fromAnnotations(annotations)
  const expected = annotations?.["expected"]
  if (constraint !== undefined && (constraint.kind !== "format" || typeof expected !== "string"))
    return words(constraint)
  return typeof expected === "string" ? expected : undefined
}

/** Describes the values that a schema accepts. */
const valuesOf = (ast: SchemaAST.AST): string => {
  const own = described(ast.annotations)
  if (own !== undefined) return own
  switch (ast._tag) {
    case "String":
      return "text"
    case "Number":
      return "a number"
    case "Boolean":
      return "true or false"
    case "Objects":
      return "an object"
    case "Arrays":
      return "a list"
    case "Literal":
      return String(ast.literal)
    case "Union": {
      const literals = ast.types.flatMap(literalOf)
      if (literals.length === ast.types.length) return `one of ${literals.join(", ")}`
      const tags = tagsOf(ast)
      return tags.length > 0
        ? `an object whose _tag is one of ${tags.join(", ")}`
        : ast.types.map(valuesOf).join(" or ")
    }
    default:
      return "a valid value"
  }
}

/**
 * Explains in one line why a schema refuses a value: `wallet must be one of main, trade; amount is missing`. `whole` is
 * the name for the entire value.
 */
export const inWords = (error: { readonly issue: SchemaIssue.Issue }, whole = "the value"): string => {
  const found = new Set<string>()
  const visit = (issue: SchemaIssue.Issue, path: ReadonlyArray<PropertyKey>, filter?: string): void => {
    const name = path.length === 0 ? whole : path.map(String).join(".")
    const add = (expected: string) => void found.add(`${name} must be ${filter ?? expected}`)
    switch (issue._tag) {
      case "Pointer":
        return visit(issue.issue, [...path, ...issue.path], filter)
      case "Composite":
        for (const inner of issue.issues) visit(inner, path, filter)
        return
      case "Encoding":
        return visit(issue.issue, path, filter)
      case "Filter": {
        const { issue: inner } = issue
        const message = inner._tag === "InvalidValue" ? inner.annotations?.message : undefined
        // A check that compares several fields may provide its own message.
        if (typeof message === "string") return void found.add(path.length === 0 ? message : `${name}: ${message}`)
        return visit(inner, path, filter ?? described(issue.filter.annotations))
      }
      case "MissingKey":
        return void found.add(`${name} is missing`)
      case "UnexpectedKey":
        return void found.add(`there is no field ${name}`)
      case "AnyOf": {
        const [only, ...others] = issue.issues
        // If the value has the type of exactly one member of the union, only this member's issue is relevant.
        return only === undefined || others.length > 0 ? add(valuesOf(issue.ast)) : visit(only, path, filter)
      }
      case "InvalidType":
      case "OneOf":
        return add(valuesOf(issue.ast))
      default:
        return add(described(issue.annotations) ?? "a valid value")
    }
  }
  visit(error.issue, [])
  return [...found].join("; ")
}
