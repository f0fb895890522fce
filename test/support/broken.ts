/** Requests that a codec refuses to encode. */
import * as Result from "effect/Result"
import type * as Dialect from "../../src/protocol/Dialect.ts"
import * as Endpoint from "../../src/protocol/Endpoint.ts"
import type { Entry } from "../endpoints/fixtures/all.ts"
import type { Refused, Row } from "../endpoints/fixtures/Fixture.ts"

type Fields = Readonly<Record<string, unknown>>

/** Removes undefined fields, because JSON has no `undefined`. */
export const withoutUndefined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** Checks whether a row applies to a dialect. */
export const isIn = ({ name }: Dialect.Dialect) => ({ only = name }: Row<object>): boolean => only === name

/** Builds a row's invalid request in wire format. */
export const brokenWire = (
  { endpoint }: Entry,
  { accepted }: Refused<object>,
  { bad, wire }: Row<object>,
  dialect: Dialect.Dialect
): Fields => {
  const { encodeRequest, shape: { keys } } = Endpoint.codec(endpoint, dialect)
  const byKey = Object.entries(bad).map(([name, value]) => [keys[name] ?? name, value])
  return withoutUndefined({
    ...Result.getOrThrow(encodeRequest(accepted)),
    ...Object.fromEntries(byKey),
    ...wire
  })
}
