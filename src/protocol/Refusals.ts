/** How an endpoint answers: the status of a success, and a refusal. A client words what it refuses itself in the same way. */
import type { Dialect, PublicRefusal, Refusal } from "./Dialect.ts"
import * as Endpoint from "./Endpoint.ts"
import * as Violation from "./Violation.ts"

/** The HTTP status of an answer that is no refusal, in a dialect. */
export const successStatus = ({ success }: Endpoint.Any, dialect: Dialect): number =>
  success === undefined ? 200 : dialect[success]

/**
 * The body of a refusal (document, "Errors"): public calls have one form, private ones another. `errors` has the messages by
 * field.
 */
export const refusalBody = (
  access: Endpoint.Any["access"],
  { code, message }: Refusal,
  errors: Readonly<Record<string, ReadonlyArray<string>>> = {}
): object => access === "public" ? { success: false, message, params: [] } : { code, message, errors }

/** How a public endpoint refuses a request that breaks constraints, in a dialect: the status and the body. */
export const publicRefusalOf = (
  endpoint: Endpoint.Any,
  dialect: Dialect,
  violations: ReadonlyArray<Violation.Violation>
): PublicRefusal => {
  const { keys } = Endpoint.codec(endpoint, dialect).shape
  const errors = Violation.toErrors(violations, endpoint.errorFamily, (field) => keys[field] ?? field)
  return dialect.publicValidation(errors, endpoint.refusedAs ?? "fields")
}

/**
 * How the endpoint refuses a request that breaks constraints, in a dialect. A public refusal has no code: it is the one
 * that a private call would be refused with.
 */
export const refusalOf = (
  endpoint: Endpoint.Any,
  dialect: Dialect,
  violations: ReadonlyArray<Violation.Violation>
): Refusal => {
  const refusal = violations.some(({ constraint }) => constraint.kind === "simulated")
    ? dialect.refusals.notSimulated
    : endpoint.errorFamily === "order"
    ? dialect.orderValidation(violations)
    : dialect.fieldValidation
  return endpoint.access === "private"
    ? refusal
    : { ...refusal, status: publicRefusalOf(endpoint, dialect, violations).status }
}
