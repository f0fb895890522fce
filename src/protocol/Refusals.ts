/**
 * The success status and the refusals of an endpoint. The client uses this module too, so that its own refusals have
 * the same status and wording as the exchange's.
 */
import type { Dialect, PublicRefusal, Refusal } from "./Dialect.ts"
import * as Endpoint from "./Endpoint.ts"
import * as Violation from "./Violation.ts"

/** Returns the HTTP status of an endpoint's success in a dialect. */
export const successStatus = ({ success }: Endpoint.Any, dialect: Dialect): number =>
  success === undefined ? 200 : dialect[success]

/**
 * Returns the body of a refusal (the document, "Errors"), which differs between public and private calls. `errors`
 * contains the messages, keyed by field.
 */
export const refusalBody = (
  access: Endpoint.Any["access"],
  { code, message }: Refusal,
  errors: Readonly<Record<string, ReadonlyArray<string>>> = {}
): object => access === "public" ? { success: false, message, params: [] } : { code, message, errors }

/** Returns the status and body with which a public endpoint refuses an invalid request in a dialect. */
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
 * Returns an endpoint's refusal of an invalid request in a dialect. Public calls have no codes, so their refusals get
 * the code of a private call here.
 */
export const refusalOf = (
  endpoint: Endpoint.Any,
  dialect: Dialect,
  violations: ReadonlyArray<Violation.Violation>
): Refusal => {
  const refusal = endpoint.errorFamily === "order" ? dialect.orderValidation(violations) : dialect.fieldValidation
  return endpoint.access === "private"
    ? refusal
    : { ...refusal, status: publicRefusalOf(endpoint, dialect, violations).status }
}
