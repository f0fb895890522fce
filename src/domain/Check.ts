/**
 * Checks of schemas that also say, as a plain predicate, what they check.
 *
 * A check of the schema library makes an issue where it fails. Whoever only asks whether a value passes takes the predicate.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"

const key = "effect-txc/test"

/**
 * A check that a value passes `test`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const passes = <A>(test: (value: A) => boolean, annotations: Schema.Annotations.Filter): SchemaAST.Filter<A> =>
  Schema.makeFilter(test, { ...annotations, [key]: test })

/**
 * A check that a text matches `form`. `test` says the same faster, where there is a faster way to say it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const matches = (
  form: RegExp,
  annotations?: Schema.Annotations.Filter,
  test: (text: string) => boolean = (text) => form.test(text)
): SchemaAST.Filter<string> => Schema.isPattern(form, { ...annotations, [key]: test })

/**
 * A check that a text has at least one character, the first one of `first`, and all others of `others`. Both are patterns of
 * one character of ASCII. An answer names hundreds of assets: a pattern of the whole text is several times slower.
 *
 * @category constructors
 * @since 0.1.0
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

/** 1 for each character that matches, by its code. */
const tableOf = (pattern: RegExp): Uint8Array =>
  Uint8Array.from({ length: 128 }, (_, code) => pattern.test(String.fromCharCode(code)) ? 1 : 0)

/**
 * Both checks, one after the other, and the one predicate that a value passes when it passes both.
 *
 * @category constructors
 * @since 0.1.0
 */
export const both = <A>(
  test: (value: A) => boolean,
  first: SchemaAST.Filter<A>,
  second: SchemaAST.Filter<A>
): SchemaAST.FilterGroup<A> => first.and(second, { [key]: test })

/**
 * The predicate of a check that was made here; `undefined` of any other check.
 *
 * @category guards
 * @since 0.1.0
 */
export const testOf = <A>(check: SchemaAST.Check<A>): ((value: A) => boolean) | undefined =>
  // Only this module writes the key, hence the type.
  check.annotations?.[key] as ((value: A) => boolean) | undefined
