/**
 * Builds the exchange's responses: an engine reply becomes the endpoint's response, and a refusal becomes an error body
 * (the document, "Errors").
 */
import * as Result from "effect/Result"
import type { Dialect, Refusal, RefusalKind } from "../../protocol/Dialect.ts"
import * as Endpoint from "../../protocol/Endpoint.ts"
import * as Refusals from "../../protocol/Refusals.ts"
import * as Reply from "../engine/Reply.ts"
import * as Refusing from "../handlers/Refusing.ts"
import type { Context, Route } from "../handlers/Routes.ts"
import { json, type Written } from "./Message.ts"
import * as Routing from "./Routing.ts"

export { type Failed, isFailed } from "../engine/Reply.ts"

const refusal = (
  access: Endpoint.Any["access"],
  refused: Refusal,
  errors: Readonly<Record<string, ReadonlyArray<string>>> = {}
): Written => json(refused.status, Refusals.refusalBody(access, refused, errors))

/** Refuses a request when only its path is known. */
export const refuse = (dialect: Dialect, path: string, kind: RefusalKind): Written =>
  refusal(Routing.accessOf(path), dialect.refusals[kind])

/** The kind of refusal of a call that failed; `invalid` if fields are invalid. */
export const reasonOf = (route: Route, reply: Reply.Failed): RefusalKind | "invalid" =>
  reply._tag === "Invalid" ? "invalid" : Refusing.kindOf(route.refusals, reply.why)

const respondFailed = (dialect: Dialect, route: Route, reply: Reply.Failed): Written => {
  const { endpoint, refusals } = route
  if (endpoint.access === "public" && reply._tag === "Invalid") {
    const violations = reply.violations.map(([field, constraint]) => ({ field, constraint }))
    const { body, status } = Refusals.publicRefusalOf(endpoint, dialect, violations)
    return json(status, body)
  }
  const { errors, refusal: refused } = Refusing.said(endpoint, refusals, dialect, reply)
  return refusal("private", refused, errors)
}

/** Builds the response to a call: converts the engine's reply to the endpoint's response. */
export const respond = (route: Route, request: unknown, reply: Reply.Reply, context: Context): Written => {
  const { dialect } = context
  if (Reply.isFailed(reply)) {
    // A request that violates constraints was not decoded, so `explain` has no request to work with.
    const violations = reply._tag === "Refused"
      ? route.explain(reply.violations, request as never, context)
      : reply.violations
    return respondFailed(dialect, route, { ...reply, violations })
  }
  const encoded = Endpoint.codec(route.endpoint, dialect).encodeResponse(route.answer(request as never, reply, context))
  if (Result.isSuccess(encoded)) return json(Refusals.successStatus(route.endpoint, dialect), encoded.success)
  const message = `The sandbox built a response that it can't encode: ${encoded.failure.message}`
  return json(500, { code: 0, message, errors: {} })
}
