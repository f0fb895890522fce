/**
 * What an admitted call asks for, and what is wrong with that as far as can be seen without carrying it out.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Endpoint from "../../protocol/Endpoint.ts"
import type { Violations } from "../engine/Reply.ts"
import type { Context, Route } from "../handlers/Routes.ts"

/**
 * A request that has been read.
 *
 * @category models
 * @since 0.1.0
 */
export interface Read {
  /** The request in the domain; `undefined` when it does not decode. */
  readonly request: unknown
  /** The fields that are wrong, and the constraint that each breaks; empty when the call can be carried out. */
  readonly violations: Violations
}

/** `false` asks for what happens anyway. */
const isAsked = (value: unknown): boolean => value !== undefined && value !== false

/**
 * Reads the fields of a call. A field that the dialect's source does not list is ignored, as an exchange ignores it. One
 * that it lists is simulated, or the call is refused for it: it is never dropped.
 *
 * @category reading
 * @since 0.1.0
 */
export const read = (route: Route, fields: Readonly<Record<string, unknown>>, context: Context): Read => {
  const { decodeRequest, shape } = Endpoint.codec(route.endpoint, context.dialect)
  const decoded = decodeRequest(fields)
  if (Result.isFailure(decoded)) {
    return { request: undefined, violations: decoded.failure.map(({ constraint, field }) => [field, constraint]) }
  }
  const notSimulated = route.notSimulated.filter((name) => isAsked(fields[shape.keys[name] ?? ""]))
  return notSimulated.length > 0
    ? { request: undefined, violations: notSimulated.map((name) => [name, { kind: "simulated" }]) }
    : { request: decoded.success, violations: route.check(decoded.success as never, context) }
}
