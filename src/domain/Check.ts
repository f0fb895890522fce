/**
 * Schema checks that can also be used as plain predicates.
 *
 * A schema check that fails creates an issue object. The predicate only returns whether the value is valid, so it is
 * faster.
 */
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"

const key = "effect-txc/test"

/**
 * Creates a check that passes if `test` returns `true` for the value.
 *
 * @category constructors
 */
export const passes = <A>(test: (value: A) => boolean, annotations: Schema.Annotations.Filter): SchemaAST.Filter<A> =>
  Schema.makeFilter(test, { ...annotations, [key]: test })

/**
 * Creates a check that a string matches `form`. `test` is an optional faster equivalent of `form`.
 *
 * @category constructors
 */
export const matches = (
  form: RegExp,
  annotations?: Schema.Annotations.Filter,
  test: (text: string) => boolean = (text) => form.test(text)
): SchemaAST.Filter<string> => Schema.isPattern(form, { ...annotations, [key]: test })

/**
 * Creates a check that a string is not empty, that its first character matches `first`, and that all other characters
 * match `others`. Each pattern must match a single ASCII character. Looking up each character in a table is several
 * times faster than matching the entire string, which matters for responses with hundreds of assets.
 *
 * @category constructors
 */
export const madeOf = (
  first: RegExp,
  others: RegExp,
  annotations: Schema.Annotations.Filter
): SchemaAST.Filter<string> => {
  const isFirst = tableOf(first)
  const isOther = tableOf(others)
  return passes((text) => {
    if (isFirst[text.charCodeAt(0)] !== 1) return false
    for (let at = 1; at < text.length; at++) if (isOther[text.charCodeAt(at)] !== 1) return false
    return true
  }, { toJsonSchema: () => ({ pattern: `^${first.source}${others.source}*$` }), ...annotations })
}

/** Creates a lookup table for ASCII: 1 at the code of each character that matches, otherwise 0. */
const tableOf = (pattern: RegExp): Uint8Array =>
  Uint8Array.from({ length: 128 }, (_, code) => pattern.test(String.fromCharCode(code)) ? 1 : 0)

/**
 * Combines two checks, which are applied one after the other. `test` must be a predicate that is equivalent to both
 * checks together.
 *
 * @category constructors
 */
export const both = <A>(
  test: (value: A) => boolean,
  first: SchemaAST.Filter<A>,
  second: SchemaAST.Filter<A>
): SchemaAST.FilterGroup<A> => first.and(second, { [key]: test })

/**
 * Returns the predicate of a check created by this module, or `undefined` for a check created elsewhere.
 *
 * @category guards
 */
export const testOf = <A>(check: SchemaAST.Check<A>): ((value: A) => boolean) | undefined =>
  // Only this module writes the key, so the type is known.
  check.annotations?.[key] as ((value: A) => boolean) | undefined
