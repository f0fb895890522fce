/** How an endpoint answers: the status of a success, and a refusal. A client words what it refuses itself in the same way. */
import {
  type Dialect,
  type PublicRefusal,
  type RecognisedKind,
  type Refusal,
  type Refusals,
  validationFailed
} from "./Dialect.ts"
import * as Endpoint from "./Endpoint.ts"
import * as Violation from "./Violation.ts"

const inner = "Inner validation failed"

/**
 * The refusals that only an exchange makes, for the HTTP status with which the dialect refuses fields. They are not in
 * the dialect, so that the bundle of a client does not have them.
 */
const ofExchange = (status: number): Omit<Refusals, RecognisedKind> => ({
  keyDisabled: { status: 401, code: 2, message: "This action is unauthorized. Enable your key in API settings" },
  endpointNotAllowed: { status: 401, code: 4, message: "This API Key is not authorized to perform this action." },
  noB2bAccess: {
    status: 403,
    code: 0,
    message: "You don't have permission to use this endpoint. Please contact support for more details"
  },
  payloadInvalid: { status: 400, code: 9, message: "Invalid payload." },
  payloadMissing: { status: 400, code: 9, message: "Payload not provided." },
  requestMissing: { status: 400, code: 9, message: "Request not provided." },
  nonceMissing: { status: 400, code: 9, message: "Nonce not provided." },
  nonceWindowInvalid: { status: 400, code: 9, message: "Invalid nonceWindow." },
  rateLimited: { status: 429, code: 0, message: "Too Many Attempts." },
  reduceOnly: { status, code: 116, message: validationFailed },
  notEnoughBalance: { status: 400, code: 10, message: inner },
  notEnoughToModify: { status, code: 10, message: validationFailed },
  notEnoughToTransfer: { status, code: 3, message: inner },
  notEnoughForCode: { status, code: 5, message: inner },
  orderNotFound: { status: 400, code: 2, message: inner },
  orderNotThere: { status: 400, code: 404, message: "Order not found" },
  notMaker: { status: 400, code: 13, message: inner },
  notMakerModified: { status, code: 13, message: validationFailed },
  unavailable: { status: 503, code: 0, message: "The exchange has stopped." },
  notFound: { status: 404, code: 0, message: "Not found." },
  notServed: { status: 404, code: 0, message: "The live exchange has this call. This sandbox does not serve it." },
  methodNotAllowed: { status: 405, code: 0, message: "Method not allowed." },
  bodyTooLarge: { status: 413, code: 0, message: "The request body is too large." }
})

/** All refusals of a dialect for calls whose fields break no constraint. */
export const of = ({ refusals }: Dialect): Refusals => ({ ...ofExchange(refusals.notSimulated.status), ...refusals })

/** The HTTP status of a success, in a dialect. */
export const successStatus = ({ success }: Endpoint.Any, dialect: Dialect): number =>
  success === undefined ? 200 : dialect[success]

/**
 * The body of a refusal (document, "Errors"), which differs between public and private calls. `errors` holds the
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
