/**
 * Values that only sub-accounts and their API keys have (the document, "Sub-account" and "Sub-account API key").
 *
 * @example
 * ```ts
 * import { SubAccount } from "effect-txc"
 *
 * const email = SubAccount.Email.make("email@google.com")
 * const shown = SubAccount.mask(email) // e***@g***m
 * ```
 */
import * as Schema from "effect/Schema"
import { hasForm, NonEmptyText, oneOf, Text } from "./Text.ts"
import * as Unrecognised from "./Unrecognised.ts"

/**
 * A color: `#` and 3, 6 or 8 hexadecimal digits (the document, "Sub-account").
 *
 * @category models
 */
export type HexColour = typeof HexColour.Type

/**
 * The schema of a {@link HexColour}.
 *
 * @category schemas
 */
export const HexColour = Text.check(hasForm(/^#(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$/u, "a hex color"))
  .pipe(Schema.brand("HexColour")).annotate({ identifier: "HexColour" })

/**
 * An e-mail address in masked form, such as `e***@g***m`; empty when the sub-account has no e-mail address (the
 * document, "Sub-account").
 *
 * @category models
 */
export type MaskedEmail = typeof MaskedEmail.Type

/**
 * The schema of a {@link MaskedEmail}.
 *
 * @category schemas
 */
export const MaskedEmail = Text.check(hasForm(/^(?:[^@]*\*[^@]*@.+|[^@]+@[^@]*\*.*)?$/u, "a masked e-mail address"))
  .pipe(Schema.brand("MaskedEmail")).annotate({ identifier: "MaskedEmail" })

/**
 * A sub-account's e-mail address in a response: a masked address, or any other text, which is returned as an
 * `Unrecognised`.
 *
 * @category models
 */
export type ReceivedEmail = typeof ReceivedEmail.Type

/**
 * The schema of a {@link ReceivedEmail}.
 *
 * @category schemas
 */
export const ReceivedEmail = Schema.Union([MaskedEmail, Unrecognised.Unrecognised])

/**
 * A sub-account's name: at least one character, unique within the main account (the document, "Sub-account").
 *
 * @category models
 */
export type Alias = typeof Alias.Type

/**
 * The schema of an {@link Alias}.
 *
 * @category schemas
 */
export const Alias = NonEmptyText.pipe(Schema.brand("Alias")).annotate({ identifier: "Alias" })

/**
 * The title of an API key: at least one character (the document, "Sub-account API key").
 *
 * @category models
 */
export type KeyTitle = typeof KeyTitle.Type

/**
 * The schema of a {@link KeyTitle}.
 *
 * @category schemas
 */
export const KeyTitle = NonEmptyText.pipe(Schema.brand("KeyTitle")).annotate({ identifier: "KeyTitle" })

/**
 * A full e-mail address, as given when a sub-account is created. Responses show the address only as a {@link
 * MaskedEmail}.
 *
 * @category models
 */
export type Email = typeof Email.Type

/**
 * The schema of an {@link Email}.
 *
 * @category schemas
 */
export const Email = Text.check(hasForm(/^[^@\s]+@[^@\s]+$/u, "an e-mail address"))
  .pipe(Schema.brand("Email")).annotate({ identifier: "Email" })

/**
 * Masks an address in the same way as the exchange: `email@google.com` becomes `e***@g***m`.
 *
 * @category conversions
 */
export const mask = (email: Email): MaskedEmail =>
  MaskedEmail.make(email.replace(/^(.)[^@]*@(.)(?:.*(.))?$/u, "$1***@$2***$3"))

/**
 * The status of a sub-account (the document, "Sub-account status"). The document shows only `active`; any other value
 * is returned as an `Unrecognised`.
 *
 * @category models
 */
export type SubAccountStatus = typeof SubAccountStatus.Type

/**
 * The schema of a {@link SubAccountStatus}.
 *
 * @category schemas
 */
export const SubAccountStatus = Unrecognised.open(oneOf(["active"]))
