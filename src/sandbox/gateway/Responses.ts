/**
 * How the exchange answers: a reply of the engine as the endpoint's response, and a refusal as an error body (document,
 * "Errors").
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import type { Dialect, Refusal, RefusalKind } from "../../protocol/Dialect.ts"
import * as Endpoint from "../../protocol/Endpoint.ts"
import * as Violation from "../../protocol/Violation.ts"
import type { Invalid, Refused, Reply, Violations } from "../engine/Reply.ts"
import type { Context, Route } from "../handlers/Routes.ts"
import { json, type Written } from "./Message.ts"
import * as Routing from "./Routing.ts"

const refusal = (
  access: Endpoint.Any["access"],
  refused: Refusal,
  errors: Readonly<Record<string, ReadonlyArray<string>>> = {}
): Written => json(refused.status, Endpoint.refusalBody(access, refused, errors))

/**
 * The refusal of a request to a path, before anything else is known of the request.
 *
 * @category answers
 * @since 0.1.0
 */
export const refuse = (dialect: Dialect, path: string, kind: RefusalKind): Written =>
  refusal(Routing.accessOf(path), dialect.refusals[kind])

/**
 * A reply of the engine that applied nothing.
 *
 * @category models
 * @since 0.1.0
 */
export type Failed = Invalid | Refused

/**
 * Whether a reply applied nothing.
 *
 * @category guards
 * @since 0.1.0
 */
export const isFailed = (reply: Reply): reply is Failed => reply._tag === "Invalid" || reply._tag === "Refused"

const kindOf = ({ refusals }: Route, why: Refused["why"]): RefusalKind =>
  refusals[why] ?? (why === "notPermitted" ? "endpointNotAllowed" : why)

/**
 * Why a reply applied nothing, in the exchange's own word.
 *
 * @category answers
 * @since 0.1.0
 */
export const reasonOf = (route: Route, reply: Failed): RefusalKind | "invalid" =>
  reply._tag === "Invalid" ? "invalid" : kindOf(route, reply.why)

const toViolation = ([field, constraint]: Violations[number]): Violation.Violation => ({ field, constraint })

const respondFailed = (dialect: Dialect, route: Route, reply: Failed): Written => {
  const { endpoint } = route
  const violations = reply.violations.map(toViolation)
  if (endpoint.access === "public") {
    const { body, status } = Endpoint.publicRefusalOf(endpoint, dialect, violations)
    return json(status, body)
  }
  const { shape } = Endpoint.codec(endpoint, dialect)
  const errors = Violation.toErrors(violations, endpoint.errorFamily, (field) => shape.keys[field] ?? field)
  if (reply._tag === "Refused") return refusal("private", dialect.refusals[kindOf(route, reply.why)], errors)
  return refusal("private", Endpoint.refusalOf(endpoint, dialect, violations), errors)
}

/**
 * The answer to a call: what the engine replied, as the endpoint's response.
 *
 * @category answers
 * @since 0.1.0
 */
export const respond = (route: Route, request: unknown, reply: Reply, context: Context): Written => {
  const { dialect } = context
  if (isFailed(reply)) return respondFailed(dialect, route, reply)
  const encoded = Endpoint.codec(route.endpoint, dialect).encodeResponse(route.answer(request as never, reply, context))
  if (Result.isSuccess(encoded)) return json(Endpoint.successStatus(route.endpoint, dialect), encoded.success)
  const message = `The sandbox made an answer that it can't encode: ${encoded.failure.message}`
  return json(500, { code: 0, message, errors: {} })
}
