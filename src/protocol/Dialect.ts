/**
 * The two ways this protocol is spoken: as the document writes it, and as the live exchange does.
 *
 * They disagree on keys (`client_order_id`, `clientOrderId`), values (`NEW`, `OPEN`), the nonce, error statuses and some
 * rules. A {@link Dialect} holds all of that as one value; nothing else asks which of the two it deals with.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as Order from "../domain/Order.ts"
import type { VenuePolicy } from "../domain/VenuePolicy.ts"
import type { Violation } from "./Violation.ts"
import * as Wire from "./Wire.ts"

/**
 * How a refusal looks: HTTP status, code and message of the error body.
 *
 * @category models
 * @since 0.1.0
 */
export interface Refusal {
  readonly status: number
  readonly code: number
  readonly message: string
}

/**
 * Everything an exchange refuses a call for, other than fields that break a constraint:
 *
 * - `unauthorized`: unknown key or wrong signature
 * - `keyDisabled`, `endpointNotAllowed`, `noB2bAccess`: the key is known, but may not do this
 * - `payloadInvalid`, `payloadMissing`, `requestMissing`, `nonceMissing`: the envelope is not what was signed, or incomplete
 * - `nonceUsed`, `nonceOutsideWindow`: the nonce can't be accepted
 * - `rateLimited`: too many calls
 * - `reduceOnly`: no position to reduce, or the order is on its side
 * - `notEnoughBalance`: the wallet does not hold what the order needs
 * - `notEnoughToTransfer`, `notEnoughForCode`: the wallet does not hold what is transferred, or put into a code
 * - `orderNotFound`: no open order of that identifier
 * - `notMaker`: an order that may only rest would trade at once
 * - `unavailable`: the exchange has stopped
 * - `notFound`, `methodNotAllowed`, `bodyTooLarge`: no such call
 *
 * @category models
 * @since 0.1.0
 */
export type RefusalKind =
  | "unauthorized"
  | "keyDisabled"
  | "endpointNotAllowed"
  | "noB2bAccess"
  | "payloadInvalid"
  | "payloadMissing"
  | "requestMissing"
  | "nonceMissing"
  | "nonceUsed"
  | "nonceOutsideWindow"
  | "rateLimited"
  | "reduceOnly"
  | "notEnoughBalance"
  | "notEnoughToTransfer"
  | "notEnoughForCode"
  | "orderNotFound"
  | "notMaker"
  | "unavailable"
  | "notFound"
  | "methodNotAllowed"
  | "bodyTooLarge"

/** The message that both dialects give a request whose fields are wrong. */
export const validationFailed = "Validation failed"

/**
 * @category models
 * @since 0.1.0
 */
export interface Dialect {
  readonly name: "document" | "live"
  /** The wire keys of orders that differ between dialects. */
  readonly keys: {
    readonly orderId: string
    readonly clientOrderId: string
    readonly dealMoney: string
    readonly dealStock: string
    readonly dealFee: string
  }
  readonly orderStatus: Schema.Codec<Order.ReceivedStatus, string>
  /** The type of an order that trades wallets, and of one that trades positions. */
  readonly orderType: Schema.Codec<Order.ReceivedType, string>
  readonly legType: Schema.Codec<Order.ReceivedType, string>
  readonly selfTradePrevention: Schema.Codec<Order.SelfTradePrevention, string>
  readonly receivedSelfTradePrevention: Schema.Codec<Order.ReceivedSelfTradePrevention, string>
  /** A field of an answer that this dialect may leave out. In the domain it is always an optional key. */
  readonly omissible: <S extends Schema.Constraint>(schema: S) => Schema.optionalKey<S>
  /** Whether a field must be there even when its value means "absent". */
  readonly demandsAll: boolean
  /** The nonce as envelope fields; `window` asks for acceptance in any order near the clock, where there is such a thing. */
  readonly nonce: (nonce: number, window: boolean) => {
    readonly nonce: string | number
    readonly nonceWindow?: boolean
  }
  /** The unit of nonces: a key has as many nonces per second as the unit has ticks. */
  readonly nonceUnit: "milliseconds" | "microseconds"
  readonly refusals: { readonly [K in RefusalKind]: Refusal }
  /** Status and code of an order request whose fields are wrong. */
  readonly orderValidation: (violations: ReadonlyArray<Violation>) => Refusal
  /** Status and code of any other request whose fields are wrong. */
  readonly fieldValidation: Refusal
  /** How a public request whose fields are wrong is refused; `errors` are keyed by the field. */
  readonly publicValidation: (errors: Readonly<Record<string, ReadonlyArray<string>>>) => {
    readonly status: number
    readonly body: object
  }
  /** The status of an applied code. */
  readonly codeAppliedStatus: number
  /**
   * The status of a transfer and of whatever is created but orders. The document says of all private calls that they
   * answer 200; the live exchange answers these with 201.
   */
  readonly createdStatus: number
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
  nonceOutsideWindow: {
    status: 400,
    code: 9,
    message: "Your nonce is more than 5 seconds lesser than the current nonce"
  },
  rateLimited: { status: 429, code: 0, message: "Too Many Attempts." },
  notEnoughBalance: { status: 400, code: 10, message: "Inner validation failed" },
  orderNotFound: { status: 400, code: 2, message: "Inner validation failed" },
  notMaker: { status: 400, code: 13, message: "Inner validation failed" },
  unavailable: { status: 503, code: 0, message: "The exchange has stopped." },
  notFound: { status: 404, code: 0, message: "Not found." },
  methodNotAllowed: { status: 405, code: 0, message: "Method not allowed." },
  bodyTooLarge: { status: 413, code: 0, message: "The request body is too large." }
} as const

/**
 * The dialect of the document.
 *
 * @category dialects
 * @since 0.1.0
 */
export const document: Dialect = {
  name: "document",
  keys: {
    orderId: "order_id",
    clientOrderId: "client_order_id",
    dealMoney: "deal_money",
    dealStock: "deal_stock",
    dealFee: "deal_fee"
  },
  orderStatus: Order.ReceivedStatus,
  orderType: Order.ReceivedType,
  legType: Order.ReceivedType,
  selfTradePrevention: Order.SelfTradePrevention,
  receivedSelfTradePrevention: Order.ReceivedSelfTradePrevention,
  // Here the field is demanded, which is narrower than the domain's optional key: every value decoded has the key.
  omissible: <S extends Schema.Constraint>(schema: S) => schema as never,
  demandsAll: true,
  nonce: (nonce) => ({ nonce: nonce.toString() }),
  nonceUnit: "microseconds",
  refusals: {
    ...common,
    reduceOnly: { status: 400, code: 116, message: validationFailed },
    notEnoughToTransfer: { status: 400, code: 3, message: "Inner validation failed" },
    notEnoughForCode: { status: 400, code: 5, message: "Inner validation failed" }
  },
  orderValidation: () => ({ status: 400, code: 30, message: validationFailed }),
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
}

const statuses = { OPEN: "NEW", PARTIALLY_FILLED: "PARTIAL_FILLED" } as const

/** Orders that trade positions have types of their own. */
const marginTypes = {
  "margin limit": "limit",
  "margin market": "market",
  "margin stop limit": "stop limit"
} as const

const modes = { cb: "cancel_both", cn: "cancel_new", co: "cancel_old" } as const

/** The live exchange numbers a broken field; several different fields, or a missing one, are number 30. */
const codeOf = (violation: Violation): number => {
  if (violation.constraint.kind === "required") return 30
  if (violation.constraint.kind === "exclusive") return 37
  if (violation.constraint.kind === "alone") return 30
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

/**
 * The dialect of the live exchange (WhiteBIT, global and EU).
 *
 * @category dialects
 * @since 0.1.0
 */
export const live: Dialect = {
  name: "live",
  keys: {
    orderId: "orderId",
    clientOrderId: "clientOrderId",
    dealMoney: "dealMoney",
    dealStock: "dealStock",
    dealFee: "dealFee"
  },
  // The live exchange does not say whether a canceled order was filled in part; its amounts do.
  orderStatus: Wire.renamed(Order.ReceivedStatus, statuses, { PARTIAL_CANCELED: "CANCELED" }),
  // Both are read everywhere; each is written by its own name.
  orderType: Wire.renamed(Order.ReceivedType, {
    limit: "limit",
    market: "market",
    "stop limit": "stop limit",
    ...marginTypes
  }),
  legType: Wire.renamed(Order.ReceivedType, marginTypes),
  selfTradePrevention: Wire.renamed(Order.SelfTradePrevention, modes),
  receivedSelfTradePrevention: Wire.renamed(Order.ReceivedSelfTradePrevention, modes),
  omissible: Schema.optionalKey,
  demandsAll: false,
  nonce: (nonce, window) => window ? { nonce, nonceWindow: true } : { nonce },
  nonceUnit: "milliseconds",
  refusals: {
    ...common,
    reduceOnly: { status: 422, code: 116, message: validationFailed },
    notEnoughToTransfer: { status: 422, code: 3, message: "Inner validation failed" },
    notEnoughForCode: { status: 422, code: 5, message: "Inner validation failed" }
  },
  orderValidation: (violations) => {
    const codes = new Set(violations.map(codeOf))
    return { status: 422, code: codes.size === 1 ? [...codes][0] ?? 30 : 30, message: validationFailed }
  },
  fieldValidation: { status: 400, code: 0, message: validationFailed },
  publicValidation: (errors) => ({ status: 422, body: errors }),
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
}

/**
 * The dialects by name, for configuration.
 *
 * @category dialects
 * @since 0.1.0
 */
export const byName: { readonly [K in Dialect["name"]]: Dialect } = { document, live }
