/**
 * Codes (the document, Endpoints §6). A code is a voucher that moves an amount from the account that creates the code
 * to the account that applies it.
 *
 * @example
 * ```ts
 * import { Code, Codes } from "effect-txc"
 *
 * const apply = Codes.Codes.use((codes) =>
 *   codes.apply({
 *     code: Code.Code.make("WBe11f4fce-2a53-4edc-b195-66b693bd77e3ETH"),
 *     passphrase: Code.Passphrase.make("open sesame")
 *   })
 * )
 * ```
 */
import * as Schema from "effect/Schema"
import * as Constraint from "./Constraint.ts"
import { NonEmptyText, Text } from "./Text.ts"

/**
 * A code's text: at least one character (the document, Endpoints §6). Anyone who has the code can apply it, so treat it
 * as a secret.
 *
 * @category models
 */
export type Code = typeof Code.Type

/**
 * The schema of a {@link Code}. `Code.make(text)` throws when the text is empty.
 *
 * @category schemas
 */
export const Code = NonEmptyText.pipe(Schema.brand("Code")).annotate({ identifier: "Code" })

/**
 * A passphrase's maximum length, in characters (the document, "Limits").
 *
 * @category constants
 */
export const maxPassphraseLength = 25

/**
 * A code's passphrase: at most 25 characters (the document, Endpoints §6), counted as Unicode code points.
 *
 * @category models
 */
export type Passphrase = typeof Passphrase.Type

/**
 * The schema of a {@link Passphrase}. `Passphrase.make(text)` throws when the text is too long.
 *
 * @category schemas
 */
export const Passphrase = Text.check(
  Schema.isBetweenCodePoints(
    0,
    maxPassphraseLength,
    Constraint.annotation({ kind: "length", max: maxPassphraseLength })
  )
).pipe(Schema.brand("Passphrase")).annotate({ identifier: "Passphrase" })

/**
 * A description's maximum length, in characters. This limit is not from the document, which does not describe the call
 * that creates codes.
 *
 * @category constants
 */
export const maxDescriptionLength = 280

/**
 * A note that the creator of a code attaches to the code: at most 280 characters, counted as Unicode code points.
 *
 * @category models
 */
export type Description = typeof Description.Type

/**
 * The schema of a {@link Description}. `Description.make(text)` throws when the text is too long.
 *
 * @category schemas
 */
export const Description = Text.check(
  Schema.isBetweenCodePoints(
    0,
    maxDescriptionLength,
    Constraint.annotation({ kind: "length", max: maxDescriptionLength })
  )
).pipe(Schema.brand("Description")).annotate({ identifier: "Description" })
