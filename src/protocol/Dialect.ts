/**
 * The protocol's two dialects: the document's and the live exchange's.
 *
 * They differ in keys (`client_order_id`, `clientOrderId`), values (`NEW`, `OPEN`), nonces, the HTTP status of errors,
 * and the exchange's policy. A {@link Dialect} contains all differences; no other code checks which dialect is used.
 *
 * @example
 * ```ts
 * import { Dialect, Region } from "effect-txc"
 *
 * // An exchange that speaks the document's dialect, such as the sandbox.
 * const region = Region.layer({ baseUrl: "http://localhost:4040", dialect: Dialect.document })
 * ```
 */
import * as Schema from "effect/Schema"
import type { Constraint } from "../domain/Constraint.ts"
import * as Order from "../domain/Order.ts"
import * as Paging from "../domain/Paging.ts"
import { marginPolicy, type VenuePolicy } from "../domain/VenuePolicy.ts"
import { totalKey, type Violation } from "./Violation.ts"
import * as Wire from "./Wire.ts"

/**
 * A refusal's error body and HTTP status (the document, "Errors").
 *
 * @category models
 */
export interface Refusal {
  /** The HTTP status of the response. */
  readonly status: number
  /** The code in the error body. Codes are ambiguous, so interpret a code only together with `status` and `message`. */
  readonly code: number
  /** The message in the error body. */
  readonly message: string
}

/**
 * The refusal for each reason. For a request whose fields break a constraint, the refusal comes from
 * {@link Dialect.orderValidation}, {@link Dialect.fieldValidation} or {@link Dialect.publicValidation} instead.
 *
 * @category models
 */
export interface Refusals {
  /** The key is unknown or the signature is wrong. */
  readonly unauthorized: Refusal
  /** The key is disabled. */
  readonly keyDisabled: Refusal
  /**
   * The key may only be used for other endpoints, or its sub-account lacks the permission (the document,
   * "Authentication", 4).
   */
  readonly endpointNotAllowed: Refusal
  /** The endpoint is B2B-only, and the account is not a business partner (the document, "Authentication", 5). */
  readonly noB2bAccess: Refusal
  /**
   * The body is not a JSON object with a JSON content type, or the payload header is not the Base64 of the body: see
   * `VenuePolicy.payload`.
   */
  readonly payloadInvalid: Refusal
  /** The payload header is missing. */
  readonly payloadMissing: Refusal
  /** The body's `request` is missing or differs from the called path. */
  readonly requestMissing: Refusal
  /** The body's `nonce` is missing or not a number. */
  readonly nonceMissing: Refusal
  /** The key has already used this nonce, or a greater one: see `VenuePolicy.nonce`. */
  readonly nonceUsed: Refusal
  /** A windowed nonce is too far from the exchange's clock: see `VenuePolicy.nonce`. */
  readonly nonceOutsideWindow: Refusal
  /** `nonceWindow` is present but not a boolean. */
  readonly nonceWindowInvalid: Refusal
  /** The account made too many calls in a short time (the document, "Limits"). */
  readonly rateLimited: Refusal
  /**
   * There is no position that the reduce-only order could reduce, or the order is on the same side as the position (the
   * document, Endpoints §2).
   */
  readonly reduceOnly: Refusal
  /** The wallet's balance does not cover the order. */
  readonly notEnoughBalance: Refusal
  /** The wallet's balance does not cover the modified order. */
  readonly notEnoughToModify: Refusal
  /** The wallet's balance does not cover the transfer. */
  readonly notEnoughToTransfer: Refusal
  /** The sub-account may not transfer funds to the wallet. */
  readonly transferNotPermitted: Refusal
  /** The asset's deposits are disabled. */
  readonly depositDisabled: Refusal
  /** The asset's withdrawals are disabled. */
  readonly withdrawDisabled: Refusal
  /** The wallet's balance does not cover the new code. */
  readonly notEnoughForCode: Refusal
  /** The sub-account already has the maximum number of API keys. */
  readonly tooManyKeys: Refusal
  /** No open order has this identifier. */
  readonly orderNotFound: Refusal
  /** No open order has this identifier. Used for calls that cancel several orders. */
  readonly orderNotThere: Refusal
  /** A post-only order would trade immediately. */
  readonly notMaker: Refusal
  /** A post-only order would trade immediately at its new price. */
  readonly notMakerModified: Refusal
  /** The take-profit of an OCO order would trade immediately. */
  readonly takeProfitNotMaker: Refusal
  /** The activation price of an OCO order's stop-loss is on the wrong side of the last price. */
  readonly wrongStopLoss: Refusal
  /** The book has no order from which an order at the best bid or offer could take its price. */
  readonly noQuote: Refusal
  /** The account has no open position that matches the request. */
  readonly positionNotFound: Refusal
  /** The collateral does not cover the positions and orders at the new leverage. */
  readonly leverageNotCovered: Refusal
  /** The position would be larger than the market allows. */
  readonly positionTooBig: Refusal
  /** The position, together with its open orders, would be larger than the market allows. */
  readonly pendingTooBig: Refusal
  /** The leverage or the hedge mode can't be changed while there are positions or orders. */
  readonly hasPositions: Refusal
  /** The position side does not match the account's mode. */
  readonly wrongSide: Refusal
  /** The order would open a position on the opposite side. */
  readonly oppositePosition: Refusal
  /** The exchange is halted. */
  readonly unavailable: Refusal
  /** There is no endpoint at this path. */
  readonly notFound: Refusal
  /** The live exchange has an endpoint at this path, but the sandbox does not serve it. */
  readonly notServed: Refusal
  /** The endpoint does not accept this HTTP method. */
  readonly methodNotAllowed: Refusal
  /** The body is larger than the maximum that the exchange accepts. */
  readonly bodyTooLarge: Refusal
}

/**
 * A reason for refusing a call, other than fields that break a constraint. {@link Refusals} explains each reason.
 *
 * @category models
 */
export type RefusalKind = keyof Refusals

/**
 * The message of a refusal for invalid fields, in both dialects (the document, "Errors").
 *
 * @category constants
 */
export const validationFailed = "Validation failed"

/**
 * The wire keys of an order that differ between the dialects, keyed by domain name.
 *
 * @category models
 */
export interface OrderKeys {
  /** The exchange's identifier for an order. */
  readonly orderId: string
  /** The client order id. */
  readonly clientOrderId: string
  /** The amount filled so far, in the quote currency. */
  readonly dealMoney: string
  /** The amount filled so far, in the base currency. */
  readonly dealStock: string
  /** The fee charged so far. */
  readonly dealFee: string
}

/**
 * The nonce fields in the body of a private request.
 *
 * @category models
 */
export interface NonceFields {
  /** A numeric string in the document's dialect, a number in the live dialect. */
  readonly nonce: string | number
  /** `true` asks the exchange to accept nonces near its clock in any order. Live dialect only. */
  readonly nonceWindow?: boolean
}

/**
 * The format in which the live exchange reports invalid fields of a public request. `fields`: an object with a list of
 * messages per field, with HTTP 422. `wrapped`: the same object inside the `message` of an API V1 envelope, with HTTP
 * 200. `texts`: like `fields`, but with a single string per field, unless the market does not exist.
 *
 * @category models
 */
export type PublicForm = "fields" | "wrapped" | "texts"

/**
 * The response to a public request with invalid fields.
 *
 * @category models
 */
export interface PublicRefusal {
  /** The HTTP status of the response. */
  readonly status: number
  /** The error body. */
  readonly body: object
}

/**
 * A variant of the protocol: {@link document} or {@link live}.
 *
 * @category models
 */
export interface Dialect {
  /**
   * The dialect's name, for configuration and reports. Behavior does not depend on the name; the other fields contain
   * all differences.
   */
  readonly name: "document" | "live"
  /** An order's wire keys, where they differ between the dialects. */
  readonly keys: OrderKeys
  /** The schema of an order's status in a response (the document, "Order status"). */
  readonly orderStatus: Schema.Codec<Order.ReceivedStatus, string>
  /**
   * Whether an order's type on the wire shows that the order is on margin, as in `margin limit`. In the domain,
   * `margin` is a separate field.
   */
  readonly marginTypes: boolean
  /** The schema of self-trade prevention in a request (the document, Endpoints §3). */
  readonly selfTradePrevention: Schema.Codec<Order.SelfTradePrevention, string>
  /** The schema of self-trade prevention in a response. */
  readonly receivedSelfTradePrevention: Schema.Codec<Order.ReceivedSelfTradePrevention, string>
  /**
   * Creates the schema of a field that the live exchange omits from some responses. The key is always optional in the
   * domain; the document's dialect requires the field on the wire.
   */
  readonly omissible: <S extends Schema.Constraint>(schema: S) => Schema.optionalKey<S>
  /**
   * Creates the schema of a field that only the live exchange has. The document's dialect neither reads nor writes such
   * a field, and the client refuses to send a request with the field.
   */
  readonly extension: <S extends Schema.Constraint>(schema: S) => Schema.optionalKey<S>
  /**
   * Creates the schema of a response that the live exchange used to send in an older format, which `form` describes.
   * `read` converts the older format to the current format. In the document's dialect, there is only one format.
   */
  readonly older: <A>(
    schema: Schema.Codec<A, unknown>,
    form: () => Schema.Constraint,
    read: (wire: unknown) => unknown
  ) => Schema.Codec<A, unknown>
  /** Creates the schema of a decimal in a request: a string, or in the live dialect also a JSON number. */
  readonly decimal: <A extends string>(schema: Schema.Codec<A, string>) => Schema.Codec<A, unknown>
  /**
   * The schema of the page size of trading history: at most 100 records in the document's dialect, 500 in the live
   * dialect.
   */
  readonly historyLimit: Schema.Codec<Paging.HistoryLimit, number>
  /** The schema of a page's offset in lists of orders and trades: at most `maxRecordOffset`. */
  readonly recordOffset: Schema.Codec<Paging.RecordOffset, number>
  /** The maximum page offset in lists of orders and trades. */
  readonly maxRecordOffset: Paging.RecordOffset
  /**
   * Whether the dialect requires keys on the wire that the live exchange may omit, even if their values mean "absent":
   * see `Wire.Absent`.
   */
  readonly demandsAll: boolean
  /**
   * Creates the nonce fields of a body (the document, "Authentication", 3). With `window`, the body asks the exchange
   * to accept nonces near its clock in any order. The document's dialect ignores `window`.
   */
  readonly nonce: (nonce: number, window: boolean) => NonceFields
  /**
   * The unit of the nonces that the client derives from the time. A key can use one nonce per unit: a thousand or a
   * million nonces per second.
   */
  readonly nonceUnit: "milliseconds" | "microseconds"
  /** The refusals for all reasons other than fields that break a constraint. */
  readonly refusals: Refusals
  /** Whether an error body may omit `errors`, which the document requires (the document, "Errors"). */
  readonly omitsErrors: boolean
  /** Creates the refusal of an order request with invalid fields (the document, "Errors"). */
  readonly orderValidation: (violations: ReadonlyArray<Violation>) => Refusal
  /**
   * Returns a field's key in a refusal's `errors`, given the field's domain name, its wire key and the broken
   * constraint.
   */
  readonly errorKey: (field: string, wireKey: string, constraint: Constraint) => string
  /** The refusal of invalid fields in a private request that is not an order request (the document, "Errors"). */
  readonly fieldValidation: Refusal
  /**
   * Creates the refusal of a public request with invalid fields. `errors` contains the messages by field. The document
   * uses the same format for all endpoints.
   */
  readonly publicValidation: (
    errors: Readonly<Record<string, ReadonlyArray<string>>>,
    form: PublicForm
  ) => PublicRefusal
  /** The HTTP status of the response to a call that applies a code. */
  readonly codeAppliedStatus: number
  /**
   * The HTTP status of the response to a call that creates something other than an order, such as a transfer. In the
   * document, this is 200, as for all private calls; on the live exchange, it is 201.
   */
  readonly createdStatus: number
  /** The exchange's rules: see {@link VenuePolicy}. */
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
  transferNotPermitted: { status: 422, code: 0, message: "Inner validation failed" },
  withdrawDisabled: { status: 422, code: 1, message: "Inner validation failed" },
  depositDisabled: { status: 422, code: 2, message: "Inner validation failed" },
  tooManyKeys: { status: 400, code: 5, message: "Limit of API keys is reached. Maximum allowed: 50" },
  notEnoughBalance: { status: 400, code: 10, message: "Inner validation failed" },
  orderNotFound: { status: 400, code: 2, message: "Inner validation failed" },
  orderNotThere: { status: 400, code: 404, message: "Order not found" },
  notMaker: { status: 400, code: 13, message: "Inner validation failed" },
  wrongStopLoss: { status: 400, code: 151, message: "Inner validation failed" },
  noQuote: { status: 400, code: 12, message: "Inner validation failed" },
  unavailable: { status: 503, code: 0, message: "The exchange has stopped." },
  notFound: { status: 404, code: 0, message: "Not found." },
  // The status is not 404, because some clients, such as ccxt, replace the body of every HTTP 404 response with their
  // own text.
  notServed: { status: 501, code: 0, message: "The live exchange has this call. This sandbox does not serve it." },
  methodNotAllowed: { status: 405, code: 0, message: "Method not allowed." },
  bodyTooLarge: { status: 413, code: 0, message: "The request body is too large." }
} as const

/** The refusals of margin trading calls. Only their HTTP status differs between the dialects. */
const marginRefusals = (status: number) => ({
  positionNotFound: { status, code: 104, message: validationFailed },
  leverageNotCovered: { status, code: 17, message: validationFailed },
  positionTooBig: { status, code: 111, message: validationFailed },
  pendingTooBig: { status, code: 112, message: validationFailed },
  hasPositions: { status, code: 113, message: validationFailed },
  wrongSide: { status, code: 114, message: validationFailed },
  oppositePosition: { status, code: 115, message: validationFailed }
})

/** Calls a function that creates a dialect. If a program does not use the dialect, bundlers can remove this call. */
const made = (make: () => Dialect): Dialect => make()

/**
 * The document's dialect: `client_order_id`, `NEW`, nonces as numeric strings, HTTP 400 for invalid fields. This is the
 * default dialect of the sandbox and the oracle.
 *
 * @category dialects
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
  // The cast is safe: this dialect requires the field, so every decoded value has the key that the domain makes
  // optional.
  omissible: <S extends Schema.Constraint>(schema: S) => schema as never,
  extension: () => Wire.none as never,
  older: (schema) => schema,
  decimal: (schema) => schema,
  historyLimit: Paging.Limit,
  recordOffset: Paging.Offset,
  maxRecordOffset: Paging.Offset.make(Paging.maxOffset),
  demandsAll: true,
  nonce: (nonce) => ({ nonce: nonce.toString() }),
  nonceUnit: "microseconds",
  refusals: {
    ...common,
    reduceOnly: { status: 400, code: 116, message: validationFailed },
    ...marginRefusals(400),
    notEnoughToModify: { status: 400, code: 10, message: validationFailed },
    notMakerModified: { status: 400, code: 13, message: validationFailed },
    takeProfitNotMaker: common.notMaker,
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
    positionSides: "side",
    priceBand: undefined,
    payload: "body",
    streamToken: undefined,
    bboStopPrice: "own",
    furtherLimits: "ignored",
    margin: marginPolicy
  }
}))

const statuses = { OPEN: "NEW", PARTIALLY_FILLED: "PARTIAL_FILLED" } as const

const modes = { cb: "cancel_both", cn: "cancel_new", co: "cancel_old" } as const

/** The code for a field that is not valid for the order's type. */
const inapplicable: Readonly<Record<string, number>> = { activationPrice: 158, price: 159, total: 162, amount: 163 }

/** The codes for two flags that can't be combined, keyed by the reported flag and then by the other flag. */
const exclusive: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  ioc: { postOnly: 37, rpi: 40 },
  retail: { rpi: 41 }
}

/**
 * The codes of field errors for which the live exchange responds with HTTP 400. For all others, it responds with HTTP
 * 422.
 */
const badRequests: ReadonlySet<number> = new Set([158])

/** Returns the live exchange's code for an invalid field; for a missing field, this is 30. */
const codeOf = (violation: Violation): number => {
  if (violation.constraint.kind === "required") return 30
  if (violation.constraint.kind === "step") return 1
  if (violation.constraint.kind === "exclusive") return exclusive[violation.field]?.[violation.constraint.with] ?? 30
  if (violation.constraint.kind === "admitted") return violation.field === "retail" ? 42 : 43
  if (violation.constraint.kind === "alone") return 30
  if (violation.constraint.kind === "notLastPrice") return 101
  if (violation.constraint.kind === "exitSide") return violation.field === "takeProfit" ? 105 : 106
  if (violation.constraint.kind === "aboveFilled") return 157
  if (violation.constraint.kind === "priceBand") return violation.field === "activationPrice" ? 251 : 250
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
 * The live exchange's dialect (WhiteBIT, global and EU): `clientOrderId`, `OPEN`, nonces as numbers, HTTP 422 for
 * invalid order fields.
 *
 * @category dialects
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
  // On the live exchange, a canceled order's status does not show whether the order was partially filled; only its
  // amounts do.
  orderStatus: Wire.renamed(Order.ReceivedStatus, statuses, { PARTIAL_CANCELED: "CANCELED" }),
  marginTypes: true,
  selfTradePrevention: Wire.renamed(Order.SelfTradePrevention, modes),
  receivedSelfTradePrevention: Wire.renamed(Order.ReceivedSelfTradePrevention, modes),
  omissible: Schema.optionalKey,
  extension: Schema.optionalKey,
  older: Wire.older,
  decimal: Wire.loose,
  historyLimit: Paging.HistoryLimit,
  recordOffset: Paging.RecordOffset,
  maxRecordOffset: Paging.RecordOffset.make(Paging.maxRecordOffset),
  demandsAll: false,
  nonce: (nonce, window) => window ? { nonce, nonceWindow: true } : { nonce },
  nonceUnit: "milliseconds",
  refusals: {
    ...common,
    reduceOnly: { status: 422, code: 116, message: validationFailed },
    ...marginRefusals(422),
    notEnoughToModify: { status: 422, code: 10, message: validationFailed },
    notMakerModified: { status: 422, code: 13, message: validationFailed },
    takeProfitNotMaker: { status: 400, code: 150, message: "Inner validation failed" },
    notEnoughToTransfer: { status: 422, code: 3, message: "Inner validation failed" },
    notEnoughForCode: { status: 422, code: 5, message: "Inner validation failed" }
  },
  omitsErrors: true,
  orderValidation: (violations) => {
    const codes = new Set(violations.map(codeOf))
    const code = codes.size === 1 ? [...codes][0] ?? 30 : 30
    return { status: badRequests.has(code) ? 400 : 422, code, message: validationFailed }
  },
  // If a value is not a multiple of the market's step, the live exchange's key is the field's camel-case name. Errors
  // about the total (amount × price) have a separate key, and all other errors have the wire key.
  errorKey: (field, wireKey, { kind }) =>
    kind === "step" ? field : kind === "minTotal" || kind === "maxTotal" ? totalKey : wireKey,
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
    positionSides: "one-way",
    // The documentation describes this refusal, but not the width of the price band. Accepted orders in the
    // documentation and in captured payloads have prices from 0.1 to 2.5 times the last price.
    priceBand: { above: 400, below: 90 },
    payload: "compact-body",
    // The lifetime of a token is not documented. Known clients use a token for up to a minute, and for several
    // connections.
    streamToken: { lifetimeSeconds: 60, singleUse: false },
    bboStopPrice: "best",
    furtherLimits: "enforced",
    margin: marginPolicy
  }
}))

/**
 * Both dialects, keyed by name, for configuration.
 *
 * @category dialects
 */
export const byName: { readonly [K in Dialect["name"]]: Dialect } = { document, live }
