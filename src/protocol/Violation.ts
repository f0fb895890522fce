/**
 * Extracts violations from a schema's issue, and words them as the exchange does.
 *
 * The client and the sandbox both use this module, so an invalid field gets the same message whether the client refuses
 * the request before sending or the exchange refuses it.
 */
import type * as SchemaIssue from "effect/SchemaIssue"
import * as Constraint from "../domain/Constraint.ts"

/** A request field and the constraint that it breaks. */
export interface Violation {
  /** The field's domain name; `request` when the violation does not concern a single field. */
  readonly field: string
  /** The broken constraint. */
  readonly constraint: Constraint.Constraint
  /** The place of the violation inside the field, if the field is a list of objects. */
  readonly at?: Place
}

/** A place in a list of objects where a constraint is broken. */
export interface Place {
  /** The object's index, counted from zero. */
  readonly index: number
  /** The object's field that breaks the constraint. */
  readonly field: string
}

/**
 * Returns the violations in a schema's issue, in the order of the fields, with at most one violation of each kind per
 * field.
 */
export const fromIssue = (issue: SchemaIssue.Issue): ReadonlyArray<Violation> => {
  const found: Array<Violation> = []
  const add = (path: ReadonlyArray<PropertyKey>, constraint: Constraint.Constraint) => {
    const field = String(path[0] ?? "request")
    // Several elements of a list may break the same constraint. It is reported only once for the list.
    if (!found.some((seen) => seen.field === field && seen.constraint.kind === constraint.kind))
      found.push({ field, constraint })
  }
  const visit = (
    issue: SchemaIssue.Issue,
    path: ReadonlyArray<PropertyKey>,
    constraint: Constraint.Constraint | undefined
  ): void => {
    switch (issue._tag) {
      case "Pointer":
        return visit(issue.issue, [...path, ...issue.path], constraint)
      case "Composite":
        for (const inner of issue.issues) visit(inner, path, constraint)
        return
      case "Encoding":
        return visit(issue.issue, path, constraint)
      case "Filter":
        return visit(issue.issue, path, Constraint.fromAnnotations(issue.filter.annotations) ?? constraint)
      case "MissingKey":
        return add(path, { kind: "required" })
      case "AnyOf": {
        const own = Constraint.fromAnnotations(issue.ast.annotations) ?? constraint
        const [only, ...others] = issue.issues
        // If the value has the type of exactly one member of the union, only this member's issue is relevant.
        return only === undefined || others.length > 0 ? add(path, own ?? { kind: "format" }) : visit(only, path, own)
      }
      case "InvalidType":
      case "OneOf":
        return add(path, Constraint.fromAnnotations(issue.ast.annotations) ?? constraint ?? { kind: "format" })
      default:
        return add(path, constraint ?? { kind: "format" })
    }
  }
  visit(issue, [], undefined)
  return found
}

/**
 * The key for the total (amount × price) in the live exchange's errors. No request that places an order has a field
 * with this name.
 */
export const totalKey = "total"

/**
 * The family of an endpoint's field errors, which determines their wording: `order` for order endpoints, `account` for
 * all others.
 */
export type ErrorFamily = "order" | "account"

const quoted = (values: ReadonlyArray<string | number>): string => values.map((value) => `'${value}'`).join(" or ")

/** Converts a wire key to text in the same way as the exchange: `activation_price` becomes "Activation price". */
const label = (wireKey: string): string => {
  const words = wireKey.replaceAll("_", " ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Converts a camel-case key to text in the same way as the exchange: `stopLoss` becomes "stop loss". */
const spaced = (wireKey: string): string => wireKey.replace(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`)

/** The messages of order errors that do not contain the field's name. */
const fixed = {
  position: "Reduce-only: Position doesn't exist or wrong side",
  balance: "Not enough balance.",
  maker: "This order couldn't be executed as a maker order and was canceled.",
  open: "Unexecuted order was not found.",
  existing: "Order does not exist or already cancelled",
  aboveFilled: "Wrong order deal size.",
  ended: "OrderHistory was not found.",
  modifiable: "Can't modify conditional order.",
  quoted: "Not enough traders."
}

/** A constraint whose message depends on the family. */
type OfFamily = Exclude<Constraint.Constraint, { readonly kind: "margin" | "transferable" }>

type Fixed = Extract<Constraint.Constraint, { readonly kind: keyof typeof fixed }>

const isFixed = (constraint: OfFamily): constraint is Fixed => Object.hasOwn(fixed, constraint.kind)

const exclusiveWords = (wireKey: string, other: string): string =>
  wireKey === "retail"
    ? "api.tradeErrors.flagsCantBeCombined.rpiRetail"
    : `Either ${wireKey} or ${other} flag in true state is allowed.`

const bandWords = ({ bound, side }: Extract<Constraint.Constraint, { readonly kind: "priceBand" }>): string =>
  `The Price should be ${side === "above" ? "less" : "greater"} than or equal to ${bound}`

const orderWords = (wireKey: string, constraint: OfFamily): string => {
  if (isFixed(constraint)) return fixed[constraint.kind]
  const name = label(wireKey)
  switch (constraint.kind) {
    case "required":
      return `${name} field is required.`
    case "type":
      return `${name} field should be ${/^[aeio]/u.test(constraint.type) ? "an" : "a"} ${constraint.type}.`
    case "decimal":
      return `${name} field should be numeric string.`
    case "positive":
      return `${name} should be greater than 0.`
    case "min":
      return `${name} should be at least ${constraint.min}.`
    case "max":
      return `${name} should not be greater than ${constraint.max}.`
    case "length":
      return `${name} field may not be greater than ${constraint.max} characters.`
    case "notEmpty":
      return `${name} field should not be empty.`
    case "format":
      return `${name} field format is invalid.`
    case "characters":
      return `${name} field should contain only ${constraint.allowed}.`
    case "oneOf":
      return `${name} field should contain only ${quoted(constraint.values)} values.`
    case "known":
      return `${name} is not available.`
    case "unique":
      return `This ${name.charAt(0).toLowerCase() + name.slice(1)} is already used by the current account.`
    case "precision":
      return `Min ${wireKey.replaceAll("_", " ")} step = ${constraint.step}`
    case "step":
      return `${label(spaced(wireKey))} must be a multiple of ${constraint.step}.`
    case "minAmount":
      return `Given amount is less than min amount ${constraint.min}`
    case "minTotal":
      return `Total (amount * price) is less than ${constraint.min}`
    case "maxTotal":
      return `Total (amount * price) is more than ${constraint.max}`
    case "priceBand":
      return bandWords(constraint)
    case "expected":
      return `${name} field is not known.`
    case "accepted":
      return `${name} field is not accepted.`
    case "admitted":
      return `api.validation.${wireKey}.not_allowed`
    case "exclusive":
      return exclusiveWords(wireKey, constraint.with)
    case "alone":
      return `Either ${wireKey} or ${constraint.with} is allowed.`
    case "notLastPrice":
      return `${name} should not be equal to the last price.`
    case "after":
      return `${name} field must be greater then ${constraint.than}.`
    case "elements":
      return `${name} field should have no more than ${constraint.max} elements.`
    case "exitSide":
      return `Wrong activation price for ${wireKey === "activation_price" ? "stop loss" : spaced(wireKey)}.`
    case "inapplicable":
      return `${name} cannot be specified for this order type`
    case "unused":
    case "notOwn":
    case "empty":
    case "different":
      return accountWords(wireKey, constraint)
  }
}

const accountWords = (wireKey: string, constraint: OfFamily): string => {
  switch (constraint.kind) {
    case "required":
    case "notEmpty":
      return `The ${wireKey} field is required.`
    case "type":
      return `The ${wireKey} must be ${/^[aeio]/u.test(constraint.type) ? "an" : "a"} ${constraint.type}.`
    case "min":
      return `The ${wireKey} must be at least ${constraint.min}.`
    case "max":
      return `The ${wireKey} may not be greater than ${constraint.max}.`
    case "length":
      return `The ${wireKey} may not be greater than ${constraint.max} characters.`
    case "known":
    case "oneOf":
      return `The selected ${wireKey} is invalid.`
    case "unique":
      return `The ${wireKey} has already been taken.`
    case "expected":
      return `The ${wireKey} is not known.`
    case "unused":
      return `The ${wireKey} has already been applied.`
    case "notOwn":
      return `This ${wireKey} was created by you.`
    case "different":
      return `The ${wireKey} and ${constraint.from} must be different.`
    case "balance":
      return constraint.available === undefined
        ? "Not enough balance."
        : `You don't have such amount for transfer (available ${constraint.available}, in amount: ${constraint.amount})`
    case "empty":
      return `The selected ${wireKey} still holds funds.`
    case "decimal":
    case "positive":
    case "format":
    case "characters":
    case "precision":
    case "step":
    case "minAmount":
    case "minTotal":
    case "maxTotal":
    case "priceBand":
    case "position":
    case "admitted":
    case "exclusive":
    case "alone":
    case "maker":
    case "open":
    case "accepted":
    case "exitSide":
    case "notLastPrice":
    case "after":
    case "elements":
    case "existing":
    case "quoted":
    case "inapplicable":
    case "aboveFilled":
    case "ended":
    case "modifiable":
      return `The ${wireKey} format is invalid.`
  }
}

/**
 * The messages for margin trading rules. For `flat`, this is the live exchange's documented message; the other messages
 * imitate its style.
 */
const marginWords: Readonly<Record<Extract<Constraint.Constraint, { readonly kind: "margin" }>["rule"], string>> = {
  flat: "Position side cannot be changed if there exists futures positions or orders",
  side: "Position side does not match the position mode of the account",
  opposite: "Order would open a position of the opposite side",
  positionMaximum: "Margin position is too big",
  held: "Position was not found.",
  pendingMaximum: "Value of pending orders is too big",
  covered: "Not enough balance."
}

/** The live exchange's messages for a transfer between wallets that it does not allow. */
const transferWords: Readonly<
  Record<Extract<Constraint.Constraint, { readonly kind: "transferable" }>["needs"], string>
> = {
  permission: "Not permitted for sub-account",
  deposits: "Deposit to this currency is disabled",
  withdrawals: "Withdraw from this currency is disabled"
}

/** Returns the exchange's message for a field that breaks a constraint. `wireKey` is the field's name on the wire. */
export const words = (errorFamily: ErrorFamily, wireKey: string, constraint: Constraint.Constraint): string => {
  if (constraint.kind === "margin") return marginWords[constraint.rule]
  if (constraint.kind === "transferable") return transferWords[constraint.needs]
  return errorFamily === "order" ? orderWords(wireKey, constraint) : accountWords(wireKey, constraint)
}

/**
 * Returns the `errors` object of an error body (the document, "Errors"), which contains the messages for each field.
 * `wireKeyOf` returns a field's name in the messages. `keyOf` returns its key in the object, which may depend on the
 * constraint.
 */
export const toErrors = (
  violations: ReadonlyArray<Violation>,
  errorFamily: ErrorFamily,
  wireKeyOf: (field: string) => string,
  keyOf: (field: string, constraint: Constraint.Constraint) => string = wireKeyOf
): Record<string, ReadonlyArray<string>> => {
  const errors: Record<string, Array<string>> = {}
  for (const { at, field, constraint } of violations) {
    const list = errors[keyOf(field, constraint)] ??= []
    const said = words(errorFamily, wireKeyOf(at?.field ?? field), constraint)
    list.push(at === undefined ? said : `${at.index}.${at.field}: ${said}`)
  }
  return errors
}
