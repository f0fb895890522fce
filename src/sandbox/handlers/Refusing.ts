/**
 * Converts an engine reply that reports a refused operation to the dialect's refusal: status, code, message and errors.
 */
import type { Dialect, Refusal, RefusalKind } from "../../protocol/Dialect.ts"
import * as Endpoint from "../../protocol/Endpoint.ts"
import { refusalOf } from "../../protocol/Refusals.ts"
import * as Violation from "../../protocol/Violation.ts"
import type { Failed, Refused } from "../engine/Reply.ts"
import type { Refusals } from "./Handler.ts"

/**
 * Maps the engine's reason to a kind of refusal: the one that the handler defines for this reason, if any, otherwise
 * the default.
 */
export const kindOf = (refusals: Refusals, why: Refused["why"]): RefusalKind =>
  refusals[why] ?? (why === "notPermitted" ? "endpointNotAllowed" : why)

/** A refusal, and the messages for each field. */
export interface Said {
  /** The dialect's refusal: status, code and message. */
  readonly refusal: Refusal
  /** The messages for each field, keyed by the field's wire key. */
  readonly errors: Readonly<Record<string, ReadonlyArray<string>>>
}

/** The refusal of a call. `refusals` are the handler's own refusals. */
export const said = (endpoint: Endpoint.Any, refusals: Refusals, dialect: Dialect, reply: Failed): Said => {
  const { shape } = Endpoint.codec(endpoint, dialect)
  const violations = reply.violations.map(([field, constraint]) => ({ field, constraint }))
  return {
    refusal: reply._tag === "Refused"
      ? dialect.refusals[kindOf(refusals, reply.why)]
      : refusalOf(endpoint, dialect, violations),
    errors: Violation.toErrors(
      violations,
      endpoint.errorFamily,
      (field) => shape.keys[field] ?? field,
      (field, constraint) => dialect.errorKey(field, shape.keys[field] ?? field, constraint)
    )
  }
}
