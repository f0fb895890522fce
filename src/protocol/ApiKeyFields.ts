/** Schemas for an API key's fields in a response, shared by the calls that list and create keys. */
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { ApiKey, ApiKeyId, SubAccountId } from "../domain/Identifiers.ts"
import { UnixSeconds } from "../domain/Time.ts"
import type * as Wire from "./Wire.ts"

/** A key's type. The live exchange has sent it as a string in some responses and as a number in others. */
const Type = Schema.Union([Schema.String, Schema.Int]).pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform((type) => type.toString()),
    encode: SchemaGetter.transform((type): string | number => type)
  })
)

/** The fields that are the same in all responses that describe a key. */
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

/** The wire keys and values of an API key. */
export const spelling = { absent: { lastActivity: neverUsed } }
