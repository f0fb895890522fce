/** Reads the request of an admitted call, and finds every error that can be found without carrying out the request. */
import * as Result from "effect/Result"
import * as Endpoint from "../../protocol/Endpoint.ts"
import * as Json from "../../protocol/Json.ts"
import type { Violations } from "../engine/Reply.ts"
import type { Context, Route } from "../handlers/Routes.ts"

/** A request that has been read. */
export interface Read {
  /** The decoded request; `undefined` if it can't be decoded. */
  readonly request: unknown
  /**
   * The invalid fields, each with the constraint that it violates; empty if the request is valid. Orders in a bulk
   * request have their own violations.
   */
  readonly violations: Violations
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Whether a field's value has an effect. The values `null` and `false` have no effect, because they are the defaults.
 */
const isAsked = (value: unknown): boolean => value !== undefined && value !== null && value !== false

/**
 * Reads the fields of a call. A field that the dialect's documentation does not list is ignored, as on the exchange,
 * and is named in the call's record. A mutating call is refused if it has a field that exists only in the other
 * dialect, because, for example, an order without its stop-loss is not the order that the caller wanted.
 */
export const read = (route: Route, fields: Fields, context: Context): Read =>
  route.each === undefined
    ? readOne(route.endpoint, fields, context, route.check)
    : readMany(route, route.each, fields, context)

const readOne = (
  endpoint: Endpoint.Any,
  fields: unknown,
  context: Context,
  check: Route["check"]
): Read => {
  const { decodeRequest, shape } = Endpoint.codec(endpoint, context.dialect)
  const asked = Json.isObject(fields) ? fields : {}
  const foreign = endpoint.mutates ? shape.foreign.filter((key) => isAsked(asked[key])) : []
  const unknown = foreign.map((key) => [key, { kind: "expected" }] as const)
  const decoded = decodeRequest(fields)
  if (Result.isFailure(decoded)) {
    const wrong = decoded.failure.map(({ constraint, field }) => [field, constraint] as const)
    return { request: undefined, violations: [...wrong, ...unknown] }
  }
  return unknown.length > 0
    ? { request: undefined, violations: unknown }
    : { request: decoded.success, violations: check(decoded.success as never, context) }
}

const noCheck = (): Violations => []

/** Reads a bulk request: first as a whole, as if all its orders were valid, then each order separately. */
const readMany = ({ endpoint }: Route, each: Endpoint.Any, fields: Fields, context: Context): Read => {
  const { dialect } = context
  const { orders } = fields
  const right = Result.getOrThrow(Endpoint.codec(each, dialect).encodeRequest(each.example(dialect)))
  const whole = readOne(
    endpoint,
    Array.isArray(orders) ? { ...fields, orders: orders.map(() => right) } : fields,
    context,
    noCheck
  )
  if (whole.violations.length > 0 || !Array.isArray(orders)) return whole
  const items = orders.map((order) => {
    const given = withoutEmptyId(order, dialect)
    const { request, violations } = readOne(each, given, context, noCheck)
    return violations.length > 0 ? { violations } : { request }
  })
  return { request: { ...whole.request as object, orders: items }, violations: [] }
}

/**
 * Removes an empty client order id from an order of a bulk request. In the live documentation's example, an order
 * without a client order id has an empty string instead.
 */
const withoutEmptyId = (order: unknown, { keys: { clientOrderId } }: Context["dialect"]): unknown => {
  if (!Json.isObject(order) || order[clientOrderId] !== "") return order
  const { [clientOrderId]: _empty, ...others } = order
  return others
}
