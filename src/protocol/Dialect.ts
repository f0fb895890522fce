/**
 * The two ways in which this protocol is spoken: as the document writes it, and as the live exchange does.
 *
 * They differ in keys (`client_order_id`, `clientOrderId`), values (`NEW`, `OPEN`), nonces, the HTTP status of errors, and
 * in what the exchange decides. A {@link Dialect} is one value that holds all of that. Nothing else asks which of the two
 * it deals with.
 *
 * @example
 * ```ts
 * import { Dialect, Region } from "effect-txc"
 *
 * // An exchange that speaks as the document does, such as the sandbox.
 * const region = Region.layer({ baseUrl: "http://localhost:4040", dialect: Dialect.document })
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import type { Constraint } from "../domain/Constraint.ts"
import * as Order from "../domain/Order.ts"
import type { VenuePolicy } from "../domain/VenuePolicy.ts"
import type { Violation } from "./Violation.ts"
import * as Wire from "./Wire.ts"

/**
 * The error body of a refusal, and its HTTP status (document, "Errors").
 *
 * @category models
 * @since 0.1.0
 */
export interface Refusal {
  /** The HTTP status of the answer. */
  readonly status: number
  /** The code of the error body. Codes are overloaded: only together with `status` and `message` do they mean something. */
  readonly code: number
  /** The message of the error body. */
  readonly message: string
}

/**
 * How each kind of refusal looks. A request whose fields break a constraint is not among them: see
 * {@link Dialect.orderValidation}, {@link Dialect.fieldValidation} and {@link Dialect.publicValidation}.
 *
 * @category models
 * @since 0.1.0
 */
export interface Refusals {
  /** The key is unknown or the signature is wrong. */
  readonly unauthorized: Refusal
  /** The key is disabled. */
  readonly keyDisabled: Refusal
  /** The key is restricted to other endpoints, or its sub-account lacks the permission ("Authentication", 4). */
  readonly endpointNotAllowed: Refusal
  /** The endpoint is for business partners, and the account is none (document, "Authentication", 5). */
  readonly noB2bAccess: Refusal
  /** The body is not a JSON object of the content type JSON, or the payload header is not its Base64. */
  readonly payloadInvalid: Refusal
  /** The payload header is missing. */
  readonly payloadMissing: Refusal
  /** The body lacks `request`, or it is not the path that is called. */
  readonly requestMissing: Refusal
  /** The body lacks `nonce`, or it is not a number. */
  readonly nonceMissing: Refusal
  /** The key has used the nonce before, or a greater one: see `VenuePolicy.nonce`. */
  readonly nonceUsed: Refusal
  /** A windowed nonce is too far from the exchange's clock: see `VenuePolicy.nonce`. */
  readonly nonceOutsideWindow: Refusal
  /** `nonceWindow` is there, and is no boolean. */
  readonly nonceWindowInvalid: Refusal
  /** Too many calls in too short a time (document, "Limits"). */
  readonly rateLimited: Refusal
  /** A reduce-only order has no position to reduce, or is on the position's own side (document, Endpoints §2). */
  readonly reduceOnly: Refusal
  /** The wallet does not hold what the order needs. */
  readonly notEnoughBalance: Refusal
  /** The wallet does not hold what the changed order needs. */
  readonly notEnoughToModify: Refusal
  /** The wallet does not hold what is to be transferred. */
  readonly notEnoughToTransfer: Refusal
  /** The wallet does not hold what a new code is to hold. */
  readonly notEnoughForCode: Refusal
  /** There is no open order of that identifier. */
  readonly orderNotFound: Refusal
  /** Among the orders to cancel, there is no open one of that identifier. */
  readonly orderNotThere: Refusal
  /** A post-only order would trade at once. */
  readonly notMaker: Refusal
  /** A post-only order would trade at once at its new price. */
  readonly notMakerModified: Refusal
  /** The exchange is halted. */
  readonly unavailable: Refusal
  /** The document, or the live documentation, lists a field of the request, and the sandbox does not simulate it. */
  readonly notSimulated: Refusal
  /** There is no endpoint at the path. */
  readonly notFound: Refusal
  /** The live exchange has an endpoint at the path, and the sandbox does not serve it. */
  readonly notServed: Refusal
  /** The endpoint is called with another HTTP method. */
  readonly methodNotAllowed: Refusal
  /** The body is larger than the exchange reads. */
  readonly bodyTooLarge: Refusal
}

/**
 * Why an exchange refuses a call whose fields break no constraint. {@link Refusals} explains each.
 *
 * @category models
 * @since 0.1.0
 */
export type RefusalKind = keyof Refusals

/**
 * The message that both dialects give to a request whose fields are wrong (document, "Errors").
 *
 * @category constants
 * @since 0.1.0
 */
export const validationFailed = "Validation failed"

/**
 * The wire keys of orders that differ between dialects, by their names in the domain.
 *
 * @category models
 * @since 0.1.0
 */
export interface OrderKeys {
  /** The identifier that the exchange gives an order. */
  readonly orderId: string
  /** The identifier that the caller gives an order. */
  readonly clientOrderId: string
  /** The quote amount filled so far. */
  readonly dealMoney: string
  /** The base amount filled so far. */
  readonly dealStock: string
  /** The fee charged so far. */
  readonly dealFee: string
}

/**
 * A nonce as the body of a private request holds it.
 *
 * @category models
 * @since 0.1.0
 */
export interface NonceFields {
  /** A numeric text in the document's dialect, a number in the live one. */
  readonly nonce: string | number
  /** `true` asks the exchange to accept nonces in any order near its clock; only the live dialect has it. */
  readonly nonceWindow?: boolean
}

/**
 * How the live exchange writes what is wrong with the fields of a public request: `fields` is an object of the fields and
 * their messages, with HTTP 422; `wrapped` has that object as the message of the envelope of API V1, with HTTP 200; `texts`
 * is `fields` with one text for each field, but for a market that does not exist.
 *
 * @category models
 * @since 0.1.0
 */
export type PublicForm = "fields" | "wrapped" | "texts"

/**
 * The answer to a public request whose fields are wrong.
 *
 * @category models
 * @since 0.1.0
 */
export interface PublicRefusal {
  /** The HTTP status of the answer. */
  readonly status: number
  /** The error body. */
  readonly body: object
}

/**
 * One way of speaking the protocol: {@link document} or {@link live}.
 *
 * @category models
 * @since 0.1.0
 */
export interface Dialect {
  /** The dialect's name, for configuration and reports. Nothing decides by it: all differences are in the other fields. */
  readonly name: "document" | "live"
  /** The wire keys of orders that differ between dialects. */
  readonly keys: OrderKeys
  /** The schema of an order's status in an answer (document, "Order status"). */
  readonly orderStatus: Schema.Codec<Order.ReceivedStatus, string>
  /** Whether the type of an order on margin says so, as in `margin limit`. The domain has that apart from the type. */
  readonly marginTypes: boolean
  /** The schema of self-trade prevention in a request (document, Endpoints §3). */
  readonly selfTradePrevention: Schema.Codec<Order.SelfTradePrevention, string>
  /** The schema of self-trade prevention in an answer. */
  readonly receivedSelfTradePrevention: Schema.Codec<Order.ReceivedSelfTradePrevention, string>
  /**
   * The schema of a field that the live exchange leaves out of some answers. The domain always has an optional key; the
   * document's dialect requires the field on the wire.
   */
  readonly omissible: <S extends Schema.Constraint>(schema: S) => Schema.optionalKey<S>
  /**
   * The schema of a field that the document does not have, and the live exchange has. The document's dialect has no such
   * field: it is not read, not written, and a request that gives it is refused before it is sent.
   */
  readonly extension: <S extends Schema.Constraint>(schema: S) => Schema.optionalKey<S>
  /**
   * The schema of an answer that the live exchange has also given in an older form, which `read` turns into that of now. The
   * document has one form.
   */
  readonly older: <A>(
    schema: Schema.Codec<A, unknown>,
    form: () => Schema.Constraint,
    read: (wire: unknown) => unknown
  ) => Schema.Codec<A, unknown>
  /** The schema of a request's decimal, which may be a JSON number too where the exchange takes one. */
  readonly decimal: <A extends string>(schema: Schema.Codec<A, string>) => Schema.Codec<A, unknown>
  /** Whether a field must be present even when its value means "absent": see `Wire.Absent`. */
  readonly demandsAll: boolean
  /**
   * The fields of the envelope for a nonce (document, "Authentication", 3). `window` asks the exchange to accept nonces in
   * any order near its clock; a dialect that has no such thing ignores it.
   */
  readonly nonce: (nonce: number, window: boolean) => NonceFields
  /** The unit of nonces. A key has one nonce per unit: a thousand per second, or a million. */
  readonly nonceUnit: "milliseconds" | "microseconds"
  /** How the exchange refuses a call whose fields break no constraint. */
  readonly refusals: Refusals
  /** Whether the body of an error may be without `errors`; the document demands it (document, "Errors"). */
  readonly omitsErrors: boolean
  /** How the exchange refuses an order request whose fields are wrong (document, "Errors"). */
  readonly orderValidation: (violations: ReadonlyArray<Violation>) => Refusal
  /**
   * The key of a field in the `errors` of a refusal, from its name in the domain, its wire key and the constraint that it
   * breaks.
   */
  readonly errorKey: (field: string, wireKey: string, constraint: Constraint) => string
  /** How the exchange refuses any other private request whose fields are wrong (document, "Errors"). */
  readonly fieldValidation: Refusal
  /**
   * How the exchange refuses a public request whose fields are wrong. `errors` has the messages by field. The document has
   * one form for all endpoints.
   */
  readonly publicValidation: (
    errors: Readonly<Record<string, ReadonlyArray<string>>>,
    form: PublicForm
  ) => PublicRefusal
  /** The HTTP status of the answer when a code was applied. */
  readonly codeAppliedStatus: number
  /**
   * The HTTP status of the answer when a transfer was made, or when something other than an order was created. The
   * document says that all private calls answer 200; the live exchange answers these with 201.
   */
  readonly createdStatus: number
  /** What the exchange decides: see {@link VenuePolicy}. */
  readonly policy: VenuePolicy
}

const common = {
  unauthorized: { status: 401, code: 10, message: "Unauthorized request." },
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
  nonceUsed: { status: 429, code: 0, message: "Too many requests." },
  nonceWindowInvalid: { status: 400, code: 9, message: "Invalid nonceWindow." },
  nonceOutsideWindow: {
    status: 400,
    code: 9,
    message: "Your nonce is more than 5 seconds lesser than the current nonce"
  },
  rateLimited: { status: 429, code: 0, message: "Too Many Attempts." },
  notEnoughBalance: { status: 400, code: 10, message: "Inner validation failed" },
  orderNotFound: { status: 400, code: 2, message: "Inner validation failed" },
  orderNotThere: { status: 400, code: 404, message: "Order not found" },
  notMaker: { status: 400, code: 13, message: "Inner validation failed" },
  unavailable: { status: 503, code: 0, message: "The exchange has stopped." },
  notFound: { status: 404, code: 0, message: "Not found." },
  notServed: { status: 404, code: 0, message: "The live exchange has this call. This sandbox does not serve it." },
  methodNotAllowed: { status: 405, code: 0, message: "Method not allowed." },
  bodyTooLarge: { status: 413, code: 0, message: "The request body is too large." }
} as const

/** Calls a function that makes a dialect: a bundler drops the call for the dialect that a program does not speak. */
const made = (make: () => Dialect): Dialect => make()

/**
 * The dialect of the document: `client_order_id`, `NEW`, nonces as numeric texts, HTTP 400 for wrong fields. The sandbox and
 * the oracle speak it unless configured otherwise.
 *
 * @category dialects
 * @since 0.1.0
 */
export const document: Dialect = made(() => ({
  name: "document",
  keys: {
    orderId: "order_id",
    clientOrderId: "client_order_id",
    dealMoney: "deal_money",
    dealStock: "deal_stock",
    dealFee: "deal_fee"
  },
  orderStatus: Order.ReceivedStatus,
  marginTypes: false,
  selfTradePrevention: Order.SelfTradePrevention,
  receivedSelfTradePrevention: Order.ReceivedSelfTradePrevention,
  // This dialect requires the field. That is narrower than the domain's optional key: every decoded value has the key.
  omissible: <S extends Schema.Constraint>(schema: S) => schema as never,
  extension: () => Wire.none as never,
  older: (schema) => schema,
  decimal: (schema) => schema,
  demandsAll: true,
  nonce: (nonce) => ({ nonce: nonce.toString() }),
  nonceUnit: "microseconds",
  refusals: {
    ...common,
    notSimulated: { status: 400, code: 0, message: validationFailed },
    reduceOnly: { status: 400, code: 116, message: validationFailed },
    notEnoughToModify: { status: 400, code: 10, message: validationFailed },
    notMakerModified: { status: 400, code: 13, message: validationFailed },
    notEnoughToTransfer: { status: 400, code: 3, message: "Inner validation failed" },
    notEnoughForCode: { status: 400, code: 5, message: "Inner validation failed" }
  },
  omitsErrors: false,
  orderValidation: () => ({ status: 400, code: 30, message: validationFailed }),
  errorKey: (_field, wireKey) => wireKey,
  fieldValidation: { status: 400, code: 0, message: validationFailed },
  publicValidation: (errors) => ({
    status: 400,
    body: { success: false, message: validationFailed, params: Object.values(errors).flat() }
  }),
  codeAppliedStatus: 200,
  createdStatus: 200,
  policy: {
    activation: "side",
    clientOrderIds: "account",
    nonce: "unique",
    envelope: "as-documented",
    reduceOnly: "accepted",
    legClientOrderIds: "echoed",
    compactJson: false
  }
}))

const statuses = { OPEN: "NEW", PARTIALLY_FILLED: "PARTIAL_FILLED" } as const

const modes = { cb: "cancel_both", cn: "cancel_new", co: "cancel_old" } as const

/** What can't be changed of an order that has no such term. */
const inapplicable: Readonly<Record<string, number>> = { activationPrice: 158, price: 159, total: 162, amount: 163 }

/** The codes of the live exchange's field errors that have HTTP 400. */
const badRequests: ReadonlySet<number> = new Set([158])

/** The live exchange has a code for each field. Several different fields, or a missing one, have code 30. */
const codeOf = (violation: Violation): number => {
  if (violation.constraint.kind === "required") return 30
  if (violation.constraint.kind === "step") return 1
  if (violation.constraint.kind === "exclusive") return 37
  if (violation.constraint.kind === "alone") return 30
  if (violation.constraint.kind === "notLastPrice") return 101
  if (violation.constraint.kind === "exitSide") return violation.field === "takeProfit" ? 105 : 106
  if (violation.constraint.kind === "aboveFilled") return 157
  if (violation.constraint.kind === "modifiable") return 155
  if (violation.constraint.kind === "inapplicable") return inapplicable[violation.field] ?? 30
  switch (violation.field) {
    case "market":
      return 31
    case "amount":
      return violation.constraint.kind === "minTotal" || violation.constraint.kind === "maxTotal" ? 30 : 32
    case "price":
    case "stopLimitPrice":
      return 33
    case "clientOrderId":
      return 36
    default:
      return 30
  }
}

const asText = (messages: ReadonlyArray<string>): string | ReadonlyArray<string> =>
  messages.some((message) => message.endsWith(" is not available.")) ? messages : messages.join(" ")

const publicForms: {
  readonly [K in PublicForm]: (errors: Parameters<Dialect["publicValidation"]>[0]) => PublicRefusal
} = {
  fields: (errors) => ({ status: 422, body: errors }),
  wrapped: (errors) => ({ status: 200, body: { success: false, message: errors, result: null } }),
  texts: (errors) => ({
    status: 422,
    body: Object.fromEntries(Object.entries(errors).map(([field, messages]) => [field, asText(messages)]))
  })
}

/**
 * The dialect of the live exchange (WhiteBIT, global and EU): `clientOrderId`, `OPEN`, nonces as numbers, HTTP 422 for wrong
 * fields of orders.
 *
 * @category dialects
 * @since 0.1.0
 */
export const live: Dialect = made(() => ({
  name: "live",
  keys: {
    orderId: "orderId",
    clientOrderId: "clientOrderId",
    dealMoney: "dealMoney",
    dealStock: "dealStock",
    dealFee: "dealFee"
  },
  // The live exchange's status does not say whether a canceled order was partially filled; the amounts do.
  orderStatus: Wire.renamed(Order.ReceivedStatus, statuses, { PARTIAL_CANCELED: "CANCELED" }),
  marginTypes: true,
  selfTradePrevention: Wire.renamed(Order.SelfTradePrevention, modes),
  receivedSelfTradePrevention: Wire.renamed(Order.ReceivedSelfTradePrevention, modes),
  omissible: Schema.optionalKey,
  extension: Schema.optionalKey,
  older: Wire.older,
  decimal: Wire.loose,
  demandsAll: false,
  nonce: (nonce, window) => window ? { nonce, nonceWindow: true } : { nonce },
  nonceUnit: "milliseconds",
  refusals: {
    ...common,
    notSimulated: { status: 422, code: 0, message: validationFailed },
    reduceOnly: { status: 422, code: 116, message: validationFailed },
    notEnoughToModify: { status: 422, code: 10, message: validationFailed },
    notMakerModified: { status: 422, code: 13, message: validationFailed },
    notEnoughToTransfer: { status: 422, code: 3, message: "Inner validation failed" },
    notEnoughForCode: { status: 422, code: 5, message: "Inner validation failed" }
  },
  omitsErrors: true,
  orderValidation: (violations) => {
    const codes = new Set(violations.map(codeOf))
    const code = codes.size === 1 ? [...codes][0] ?? 30 : 30
    return { status: badRequests.has(code) ? 400 : 422, code, message: validationFailed }
  },
  // A value off its market's step is the only one that is named in camel case, however the request spells it.
  errorKey: (field, wireKey, { kind }) => kind === "step" ? field : wireKey,
  fieldValidation: { status: 400, code: 0, message: validationFailed },
  publicValidation: (errors, form) => publicForms[form](errors),
  codeAppliedStatus: 201,
  createdStatus: 201,
  policy: {
    activation: "last-price",
    clientOrderIds: "open-orders",
    nonce: "increasing-or-window",
    envelope: "always",
    reduceOnly: "accepted",
    legClientOrderIds: "empty",
    compactJson: true
  }
}))

/**
 * The dialects by their names, for configuration.
 *
 * @category dialects
 * @since 0.1.0
 */
export const byName: { readonly [K in Dialect["name"]]: Dialect } = { document, live }
