/** Parts of error messages. */

/** Adds a full stop if the message lacks one: only some of the exchange's messages end with one. */
export const sentence = (text: string): string => text === "" || /[.!?]$/u.test(text) ? text : `${text}.`

type Messages = Readonly<Record<string, ReadonlyArray<string> | undefined>>

/** Joins the errors of all fields into one line. */
export const said = ({ fields, otherFields }: { readonly fields: object; readonly otherFields: Messages }): string =>
  Object.entries<ReadonlyArray<string> | undefined>({ ...otherFields, ...fields })
    .map(([field, messages]) => `${field}: ${messages?.join("; ")}`).join("; ")

/** Advice about a missing nonce. The client always sends a nonce, in the form of its own dialect. */
export const advice = (reason: string): string =>
  reason === "Nonce not provided." ? "The client sent one: check that it speaks the exchange's dialect." : ""
