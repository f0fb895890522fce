/** Schemas for an API key's fields in an answer, shared by the lists of keys and the answer to a new key. */
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { ApiKey, ApiKeyId, SubAccountId } from "../domain/Identifiers.ts"
import { UnixSeconds } from "../domain/Time.ts"
import type * as Wire from "./Wire.ts"

/** The live exchange has sent the type both as a text and as a number. */
const Type = Schema.Union([Schema.String, Schema.Int]).pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform((type) => type.toString()),
    encode: SchemaGetter.transform((type): string | number => type)
  })
)

/** The fields that all answers about a key spell alike. */
export const common = {
  subAccountId: SubAccountId,
  id: ApiKeyId,
  title: Schema.String,
  isEnabled: Schema.Boolean,
  apiKey: ApiKey,
  type: Type,
  lastActivity: Schema.optionalKey(UnixSeconds),
  restrictAccess: Schema.Boolean
}

/** The `lastActivity` of an unused key: zero, `null` or absent. */
const neverUsed: Wire.Absent = { value: 0, when: () => true, demanded: false }

/** How a key is spelled on the wire. */
export const spelling = { absent: { lastActivity: neverUsed } }
