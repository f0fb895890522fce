/** A type that requires a schema for every field of an interface. */
import type * as Schema from "effect/Schema"

/** An object type with exactly one schema for each field of an interface. */
export type FieldsOf<Options> = {
  readonly [Key in keyof Options]-?: {} extends Pick<Options, Key>
    ? Schema.Codec<Required<Options>[Key], unknown> & { readonly "~type.optionality": "optional" }
    : Schema.Codec<Options[Key], unknown>
}
