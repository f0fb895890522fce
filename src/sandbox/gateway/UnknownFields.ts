/** Request fields that the endpoint does not have. The exchange ignores them, so they do not affect the response. */
import * as Dialect from "../../protocol/Dialect.ts"
import * as Endpoint from "../../protocol/Endpoint.ts"
import * as Json from "../../protocol/Json.ts"
import type { Route } from "../handlers/Routes.ts"
import * as NearMiss from "./NearMiss.ts"

/** A field that the endpoint does not have. */
export interface UnknownField {
  /** The name of the field; `orders.price` for a field of an order in a bulk request. */
  readonly name: string
  /** The field that the caller probably meant, unless the request already has that field. */
  readonly meant: string | undefined
  /** Whether the field belongs to another dialect. */
  readonly isForeign: boolean
}

type Fields = Readonly<Record<string, unknown>>

/** The maximum number of unknown fields that are reported. */
const most = 10

/** Normalizes the spelling of a name, so that `activation_price` and `activationPrice` are equal. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_]/gu, "")

/** The known name that differs from the given name only in case, hyphens and underscores, or by one or two letters. */
const meantBy = (name: string, known: ReadonlyArray<string>): string | undefined => {
  const typos = name.length < 6 ? 1 : 2
  return known.find((other) => plain(other) === plain(name)) ??
    known.find((other) => NearMiss.distance(plain(other), plain(name), typos) <= typos)
}

const unknownIn = (
  fields: Fields,
  known: ReadonlyArray<string>,
  foreign: ReadonlyArray<string>,
  prefix = ""
): ReadonlyArray<UnknownField> => {
  const missing = known.filter((name) => !Object.hasOwn(fields, name))
  return Object.keys(fields)
    // Leaves out a string that can't be the name of a protocol field, because such a string could be anything, even a
    // secret.
    .filter((name) => !known.includes(name) && /^\w{1,40}$/u.test(name))
    .map((name) => ({ name: prefix + name, meant: meantBy(name, missing), isForeign: foreign.includes(name) }))
}

const keysOf = (endpoint: Endpoint.Any, dialect: Dialect.Dialect): ReadonlyArray<string> =>
  Object.values(Endpoint.codec(endpoint, dialect).shape.keys)

/** The fields of an endpoint in all dialects. */
const anyKeysOf = (endpoint: Endpoint.Any): ReadonlyArray<string> =>
  Object.values(Dialect.byName).flatMap((dialect) => keysOf(endpoint, dialect))

/** Finds the unknown fields of a request and of the orders in it. Returns each name once, and at most ten names. */
export const of = (
  { each, endpoint }: Route,
  dialect: Dialect.Dialect,
  fields: Fields
): ReadonlyArray<UnknownField> => {
  const envelope = endpoint.access === "private" ? ["request", ...Object.keys(dialect.nonce(0, true))] : []
  const found = [...unknownIn(fields, [...keysOf(endpoint, dialect), ...envelope], anyKeysOf(endpoint))]
  const { orders } = fields
  if (each !== undefined && Array.isArray(orders)) {
    const known = keysOf(each, dialect)
    const foreign = anyKeysOf(each)
    for (const order of orders) if (Json.isObject(order)) found.push(...unknownIn(order, known, foreign, "orders."))
  }
  return [...new Map(found.map((field) => [field.name, field])).values()].slice(0, most)
}

/** A hint that names the unknown fields that the call ignored; `undefined` if there are none. */
export const explain = (fields: ReadonlyArray<UnknownField>): string | undefined => {
  if (fields.length === 0) return undefined
  const names = fields.map(({ meant, name }) => `"${name}"${meant === undefined ? "" : ` (did you mean "${meant}"?)`}`)
  const isForeign = fields.some(({ isForeign, meant }) => isForeign && meant !== undefined)
  return `ignored unknown fields: ${names.join(", ")}${isForeign ? otherDialect : ""}`
}

const otherDialect = "; the client may speak another dialect: see TXC_DIALECT and --dialect"
