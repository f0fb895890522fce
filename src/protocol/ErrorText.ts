/** Parts of error messages. */

/**
 * Adds a full stop to a message that does not end with one, because only some of the exchange's messages end with a
 * full stop.
 */
export const sentence = (text: string): string => text === "" || /[.!?]$/u.test(text) ? text : `${text}.`

type Messages = Readonly<Record<string, ReadonlyArray<string> | undefined>>

/** Joins all fields' errors into one line. */
export const said = ({ fields, otherFields }: { readonly fields: object; readonly otherFields: Messages }): string =>
  Object.entries<ReadonlyArray<string> | undefined>({ ...otherFields, ...fields })
    .map(([field, messages]) => `${field}: ${messages?.join("; ")}`).join("; ")

/** Advice for an error about a missing nonce. The client always sends a nonce, in its own dialect's format. */
export const advice = (reason: string): string =>
  reason === "Nonce not provided." ? "The client sent a nonce: check that it uses the exchange's dialect." : ""
