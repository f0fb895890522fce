/**
 * Values that occur only on sub-accounts and their keys.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { hasForm, NonEmptyText, oneOf, Text } from "./Text.ts"
import * as Unrecognised from "./Unrecognised.ts"

/**
 * A colour: hexadecimal with a leading `#`.
 *
 * @category models
 * @since 0.1.0
 */
export const HexColour = Text.check(hasForm(/^#(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$/u, "a hex colour"))
  .pipe(Schema.brand("HexColour")).annotate({ identifier: "HexColour" })
export type HexColour = typeof HexColour.Type

/**
 * An e-mail address in masked form, such as `e***@g***m`; empty when the sub-account has none.
 *
 * @category models
 * @since 0.1.0
 */
export const MaskedEmail = Text.check(hasForm(/^(?:[^@]*\*[^@]*@.+|[^@]+@[^@]*\*.*)?$/u, "a masked e-mail address"))
  .pipe(Schema.brand("MaskedEmail")).annotate({ identifier: "MaskedEmail" })
export type MaskedEmail = typeof MaskedEmail.Type

/**
 * The name of a sub-account, which no other of the same account has.
 *
 * @category models
 * @since 0.1.0
 */
export const Alias = NonEmptyText.pipe(Schema.brand("Alias")).annotate({ identifier: "Alias" })
export type Alias = typeof Alias.Type

/**
 * The name of an API key.
 *
 * @category models
 * @since 0.1.0
 */
export const KeyTitle = NonEmptyText.pipe(Schema.brand("KeyTitle")).annotate({ identifier: "KeyTitle" })
export type KeyTitle = typeof KeyTitle.Type

/**
 * An e-mail address in full, as a sub-account is created with.
 *
 * @category models
 * @since 0.1.0
 */
export const Email = Text.check(hasForm(/^[^@\s]+@[^@\s]+$/u, "an e-mail address"))
  .pipe(Schema.brand("Email")).annotate({ identifier: "Email" })
export type Email = typeof Email.Type

/**
 * An address as it is shown: `email@google.com` is `e***@g***m`.
 *
 * @category conversions
 * @since 0.1.0
 */
export const mask = (email: Email): MaskedEmail =>
  MaskedEmail.make(email.replace(/^(.)[^@]*@(.)(?:.*(.))?$/u, "$1***@$2***$3"))

/**
 * A sub-account's status. Only `active` is shown by the document; other values are kept as they come.
 *
 * @category models
 * @since 0.1.0
 */
export const SubAccountStatus = Unrecognised.open(oneOf(["active"]))
export type SubAccountStatus = typeof SubAccountStatus.Type
