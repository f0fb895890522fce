/**
 * An endpoint's success status and refusals. The client uses this module too, so that its own refusals have the same
 * status and wording as the exchange's refusals.
 */
import type { Dialect, PublicRefusal, Refusal } from "./Dialect.ts"
import * as Endpoint from "./Endpoint.ts"
import * as Violation from "./Violation.ts"

/** The HTTP status of a success, in a dialect. */
export const successStatus = ({ success }: Endpoint.Any, dialect: Dialect): number =>
  success === undefined ? 200 : dialect[success]

/**
 * The body of a refusal (the document, "Errors"), which differs between public and private calls. `errors` contains the
 * messages by field.
 */
export const refusalBody = (
  access: Endpoint.Any["access"],
  { code, message }: Refusal,
  errors: Readonly<Record<string, ReadonlyArray<string>>> = {}
): object => access === "public" ? { success: false, message, params: [] } : { code, message, errors }

/** The status and body with which a public endpoint refuses a request that breaks constraints, in a dialect. */
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
 * The endpoint's refusal of a request that breaks constraints, in a dialect. A public refusal has no code, so it gets
 * the code of a private call.
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
