/** Builds parts of error messages. */

/**
 * Adds a full stop to a message that does not end with one, because only some of the exchange's messages end with a
 * full stop.
 */
export const sentence = (text: string): string => text === "" || /[.!?]$/u.test(text) ? text : `${text}.`

type Messages = Readonly<Record<string, ReadonlyArray<string> | undefined>>

/** Joins the errors of all fields into one line. */
export const said = ({ fields, otherFields }: { readonly fields: object; readonly otherFields: Messages }): string =>
  Object.entries<ReadonlyArray<string> | undefined>({ ...otherFields, ...fields })
    .map(([field, messages]) => `${field}: ${messages?.join("; ")}`).join("; ")

/**
 * Returns advice if the exchange found no nonce. The client always sends a nonce, so the cause is a format that the
 * exchange does not expect.
 */
export const advice = (reason: string): string =>
  reason === "Nonce not provided." ? "The client sent a nonce: check that it uses the exchange's dialect." : ""
