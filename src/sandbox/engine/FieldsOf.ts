/** Schemas that are total over an interface. */
import type * as Schema from "effect/Schema"

/** A schema for each field of an interface, and for nothing else. */
export type FieldsOf<Options> = {
  readonly [Key in keyof Options]-?: {} extends Pick<Options, Key>
    ? Schema.Codec<Required<Options>[Key], unknown> & { readonly "~type.optionality": "optional" }
    : Schema.Codec<Options[Key], unknown>
}
