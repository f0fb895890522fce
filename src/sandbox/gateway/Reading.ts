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

/**
 * Reads the fields of a call.
 *
 * @category reading
 * @since 0.1.0
 */
export const read = (route: Route, fields: Readonly<Record<string, unknown>>, context: Context): Read => {
  const decoded = Endpoint.codec(route.endpoint, context.dialect).decodeRequest(fields)
  return Result.isSuccess(decoded)
    ? { request: decoded.success, violations: route.check(decoded.success as never, context) }
    : { request: undefined, violations: decoded.failure.map(({ constraint, field }) => [field, constraint] as const) }
}
