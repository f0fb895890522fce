/** The schemas of the fields of an API key in an answer: what lists of keys and the answer to a new key are made of. */
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { ApiKey, ApiKeyId, SubAccountId } from "../domain/Identifiers.ts"
import { UnixSeconds } from "../domain/Time.ts"
import type * as Wire from "./Wire.ts"

/** The live exchange has written the type as a text and as a number. */
const Type = Schema.Union([Schema.String, Schema.Int]).pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform((type) => type.toString()),
    encode: SchemaGetter.transform((type): string | number => type)
  })
)

/** The fields that every answer about a key spells alike. */
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

/** The `lastActivity` of a key that was never used: zero, `null` or nothing. */
const neverUsed: Wire.Absent = { value: 0, when: () => true, demanded: false }

/** How a key is spelled on the wire. */
export const spelling = { absent: { lastActivity: neverUsed } }
