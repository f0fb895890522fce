/**
 * The rules a request field can break, as data.
 *
 * Every schema of the domain that narrows a value says which constraint it checks, so that a violation can be named the same
 * way wherever it is found: by the client before anything is sent, or by an exchange that answers.
 *
 * @since 0.1.0
 */

/**
 * One constraint of the document that a field can break.
 *
 * - `required`: the field must be present.
 * - `type`: the JSON type is another one.
 * - `decimal`: a decimal string, as all amounts and prices are.
 * - `positive`: greater than zero.
 * - `min`, `max`: inclusive bounds of a number.
 * - `length`: the most characters a text may have.
 * - `notEmpty`: an empty text or list.
 * - `format`: the text does not have the form of its kind.
 * - `characters`: characters outside the allowed set.
 * - `oneOf`: not one of the listed values.
 * - `known`: well formed, but the exchange knows no such thing.
 * - `unique`: taken already.
 * - `precision`: more fractional digits than the market trades in.
 * - `minAmount`, `minTotal`, `maxTotal`: bounds of the market.
 * - `unused`: a code that was applied before.
 * - `notOwn`: a code of the account that would apply it.
 * - `empty`: a sub-account that still holds funds.
 * - `position`: a reduce-only order without a position to reduce.
 * - `balance`: the wallet does not hold what is needed.
 * - `exclusive`: set together with a flag that rules it out.
 * - `alone`: given together with another field that says the same.
 * - `different`: the same as another field that it must differ from.
 * - `maker`: an order that may only rest, but would trade at once.
 * - `open`: no open order of that identifier.
 * - `expected`: a field that the request does not have, maybe a misspelled one. An exchange ignores it; a client does not
 *   send a request without it in silence.
 * - `accepted`: announced by the document, but not accepted yet.
 *
 * @category models
 * @since 0.1.0
 */
export type Constraint =
  | { readonly kind: "required" }
  | { readonly kind: "type"; readonly type: "string" | "integer" | "boolean" | "array" | "object" }
  | { readonly kind: "decimal" }
  | { readonly kind: "positive" }
  | { readonly kind: "min"; readonly min: number }
  | { readonly kind: "max"; readonly max: number }
  | { readonly kind: "length"; readonly max: number }
  | { readonly kind: "notEmpty" }
  | { readonly kind: "format" }
  | { readonly kind: "characters"; readonly allowed: string }
  | { readonly kind: "oneOf"; readonly values: ReadonlyArray<string | number> }
  | { readonly kind: "known" }
  | { readonly kind: "unique" }
  | { readonly kind: "precision"; readonly step: string }
  | { readonly kind: "minAmount"; readonly min: string }
  | { readonly kind: "minTotal"; readonly min: string }
  | { readonly kind: "maxTotal"; readonly max: string }
  | { readonly kind: "unused" }
  | { readonly kind: "notOwn" }
  | { readonly kind: "empty" }
  | { readonly kind: "position" }
  | { readonly kind: "balance" }
  | { readonly kind: "exclusive"; readonly with: string }
  | { readonly kind: "alone"; readonly with: string }
  | { readonly kind: "different"; readonly from: string }
  | { readonly kind: "maker" }
  | { readonly kind: "open" }
  | { readonly kind: "expected" }
  | { readonly kind: "accepted" }

const key = "effect-txc/constraint"

/**
 * The annotation by which a schema or a check says which constraint it stands for.
 *
 * @category annotations
 * @since 0.1.0
 */
export const annotation = (constraint: Constraint): { readonly [key]: Constraint } => ({ [key]: constraint })

/**
 * Reads the constraint back from a schema's or a check's annotations.
 *
 * @category annotations
 * @since 0.1.0
 */
export const fromAnnotations = (annotations: { readonly [x: string]: unknown } | undefined): Constraint | undefined =>
  // Only `annotation` writes this key, hence the type.
  annotations?.[key] as Constraint | undefined
