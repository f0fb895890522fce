/**
 * Codes: vouchers that move an amount from the account that created one to the account that applies it.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as Constraint from "./Constraint.ts"
import { NonEmptyText, Text } from "./Text.ts"

/**
 * A code to apply.
 *
 * @category models
 * @since 0.1.0
 */
export const Code = NonEmptyText.pipe(Schema.brand("Code")).annotate({ identifier: "Code" })
export type Code = typeof Code.Type

/** The most characters of a passphrase (document, "Limits"). */
export const maxPassphraseLength = 25

/**
 * A code's passphrase: at most 25 characters, counted as a reader counts them (Unicode code points).
 *
 * @category models
 * @since 0.1.0
 */
export const Passphrase = Text.check(
  Schema.isBetweenCodePoints(
    0,
    maxPassphraseLength,
    Constraint.annotation({ kind: "length", max: maxPassphraseLength })
  )
).pipe(Schema.brand("Passphrase")).annotate({ identifier: "Passphrase" })
export type Passphrase = typeof Passphrase.Type

/** The most characters of a description. */
export const maxDescriptionLength = 280

/**
 * What the creator of a code notes down about it: at most 280 characters.
 *
 * @category models
 * @since 0.1.0
 */
export const Description = Text.check(
  Schema.isBetweenCodePoints(
    0,
    maxDescriptionLength,
    Constraint.annotation({ kind: "length", max: maxDescriptionLength })
  )
).pipe(Schema.brand("Description")).annotate({ identifier: "Description" })
export type Description = typeof Description.Type
