/** The points that the document leaves open, with this project's stance on each. */
import { livePoints } from "./LivePoints.ts"

/**
 * A point that the document leaves open.
 *
 * @category models
 */
export interface OpenPoint {
  /** The point's stable and unique id, such as `open.nonce.used`. */
  readonly id: string
  /** The question that the document leaves open. */
  readonly point: string
  /** The behavior of the sandbox and the client. */
  readonly stance: string
  /**
   * Either the ids of the rules that check the stance, or the reason why no rule checks it. None of these rules is
   * `MUST` in the document's dialect. In the live dialect, a rule is `MUST` if the live exchange's documentation
   * settles the point.
   */
  readonly rules: ReadonlyArray<string> | Unchecked
}

/**
 * No rule checks this open point.
 *
 * @category models
 */
export interface Unchecked {
  /** The reason why no rule checks the point. */
  readonly unchecked: string
}

/**
 * All open points, with this project's stance on each.
 *
 * @category rules
 */
export const openPoints: ReadonlyArray<OpenPoint> = [
  {
    id: "open.stop-limit.path",
    point: "The path of stop-limit orders",
    stance: "/api/v4/order/stop_limit, as on the live exchange",
    rules: { unchecked: "a target with a different path declares it with `--features`" }
  },
  {
    id: "open.envelope",
    point: "Whether the sub-account calls need request and nonce, and what optional means for cancel-all",
    stance: "all calls need both, except cancel-all, where both are optional",
    rules: [
      "sub-accounts.envelope",
      "api-keys.envelope",
      "delete.envelope",
      "cancel-all.envelope",
      "auth.request.optional",
      "auth.nonce.unique.optional"
    ]
  },
  {
    id: "open.auth.refusals",
    point: "How an unauthorized call is refused",
    stance:
      "not authenticated: HTTP 401, code 10; key disabled: 401, code 2; endpoint not on the key's list: 401, code 4; "
      + "no partner access: 403, code 0",
    rules: [
      "auth.refusal",
      "auth.key.disabled",
      "auth.key.endpoints.refusal",
      "auth.b2b.refusal",
      "auth.content-type",
      "auth.public.headers"
    ]
  },
  {
    id: "open.nonce.format",
    point: "The nonce's format and acceptance window",
    stance: "a string of up to twenty digits, used once per key, in any order, however far from the clock",
    rules: [
      "auth.nonce.form",
      "auth.nonce.any-order",
      "auth.nonce.interleaved",
      "auth.nonce.per-key",
      "*.parallel"
    ]
  },
  {
    id: "open.nonce.used",
    point: "How a used nonce is refused, and which calls use up their nonce",
    stance: "HTTP 429, code 0, Too many requests.; every authenticated call uses up its nonce, even when it is refused",
    rules: ["auth.nonce.refusal", "auth.nonce.unique.refused-call", "auth.nonce.unused"]
  },
  {
    id: "open.rate.exceeded",
    point: "What happens when a rate limit is exceeded",
    stance: "HTTP 429, code 0, with a different message than for a used nonce",
    rules: ["limits.exceeded"]
  },
  {
    id: "open.connection",
    point: "Whether a call may get no response",
    stance:
      "every call gets a response, but a missing response does not show whether the target or the network is at fault",
    rules: ["general.answer.each"]
  },
  {
    id: "open.rate.others",
    point: "The rate limits of private endpoints other than the interest payment history",
    stance: "the live exchange's limits",
    rules: { unchecked: "the document does not state them, so a target chooses its own" }
  },
  {
    id: "open.order.status",
    point: "The HTTP status of codes 30 and 116",
    stance: "400, the only error status that the document shows; 422 in the live dialect",
    rules: ["errors.order.validation.status", "errors.reduce-only"]
  },
  {
    id: "open.refusals",
    point: "The HTTP status of an error, and how invalid fields other than planId and ticker are refused",
    stance: "HTTP 400, code 0 or 30, Validation failed, and errors that name every invalid field; refusals of OCO and "
      + "cancel-all calls always have code 30, as the document says",
    rules: [
      "errors.private.status",
      "errors.private.messages",
      "errors.private.only-wrong",
      "interest.refusal",
      "sub-accounts.refusal",
      "api-keys.refusal",
      "oco.refusal",
      "stop-limit.refusal",
      "cancel-all.refusal",
      "codes.refusal",
      "delete.refusal",
      "interest.several",
      "sub-accounts.several",
      "api-keys.several",
      "*.all-missing",
      "interest.both.unknown"
    ]
  },
  {
    id: "open.unknown",
    point: "What happens to a call that names an unknown code, sub-account, market or parameter",
    stance: "it is refused; unknown parameters of public calls are ignored",
    rules: [
      "codes.code.unknown",
      "delete.id.unknown",
      "delete.twice",
      "api-keys.filter.unknown",
      "cancel-all.market.unknown",
      "general.public.query"
    ]
  },
  {
    id: "open.types",
    point: "Whether an integer in a string is accepted, and the exact Content-Type of a response",
    stance: "it is refused; the Content-Type is application/json",
    rules: ["*.integer.text", "general.answer.type"]
  },
  {
    id: "open.spacing",
    point: "Whether a signed body may contain spaces between its JSON tokens",
    stance: "it may, and then its payload has them too; in the live dialect the body may, but the payload may not: the "
      + "live documentation says that the body is checked against its canonical form and that spaces are rejected, but "
      + "the exchange's own older Python SDK, and a bot with published responses, sign a payload without spaces and send "
      + "a body with spaces",
    rules: ["auth.body.spacing"]
  },
  {
    id: "open.order.bounds",
    point:
      "The price precision and total bounds of OCO orders, the smallest trigger price, and the precision of a balance",
    stance: "those of the market, as for stop-limit orders; every price is above zero; balances have up to eighteen "
      + "fractional digits",
    rules: [
      "stop-limit.request.activation_price.positive",
      "oco.request.price.positive",
      "oco.request.activation_price.positive",
      "oco.request.stop_limit_price.positive",
      "oco.request.price.precision",
      "oco.request.activation_price.precision",
      "oco.request.stop_limit_price.precision",
      "oco.request.total",
      "general.money.exact"
    ]
  },
  {
    id: "open.order.position-side",
    point: "The positionSide of an OCO order",
    stance: "LONG for a buy, SHORT for a sell; in the live dialect, BOTH, as documented for accounts in one-way mode",
    rules: ["oco.new.position-side"]
  },
  {
    id: "open.order.trigger-met",
    point: "What happens to a stop order whose trigger is already met",
    stance: "it is activated; in the live dialect it waits until the price crosses the trigger from the other side",
    rules: ["activation.side"]
  },
  {
    id: "open.order.trading",
    point: "The width of the taker band, the fee of a trade, and which order self-trade prevention cancels",
    stance:
      "a price of three times the market price is outside the band; the fee is a fraction of the fill; stp names the "
      + "order to cancel",
    rules: ["status.taker-band", "orders.fee", "orders.stp"]
  },
  {
    id: "open.markets",
    point: "The response of the markets call",
    stance: "an array, with the fields that the document names; digits and bounds are strings",
    rules: ["markets.entry"]
  },
  {
    id: "open.search",
    point: "Which field the sub-account search matches",
    stance: "the alias, which must contain the term",
    rules: ["sub-accounts.search.matches"]
  },
  {
    id: "open.cancel-all.success",
    point: "The body of a successful cancel-all, and what an empty list of types means",
    stance: "any JSON object or array with HTTP 2xx that reports no error; an empty list of types is refused",
    rules: ["cancel-all.nothing", "cancel-all.type.empty"]
  },
  {
    id: "open.reduce-only",
    point: "Whether reduceOnly, which the document announces as not yet accepted, is accepted",
    stance:
      "yes, unless the sandbox is configured to refuse it; the rules are skipped on a target that refuses the field",
    rules: [
      "versioning.reduce-only",
      "oco.reduce-only.clipped",
      "oco.reduce-only.flag",
      "oco.reduce-only.type",
      "status.auto-canceled-reduce-only"
    ]
  },
  {
    id: "open.client-order-id",
    point: "How long a client order id cannot be reused, and its scope",
    stance:
      "forever, among all OCO and stop-limit orders of an account; in the live dialect among the open orders of a market",
    rules: ["stop-limit.client-order-id.for-ever", "oco.client-order-id.for-ever"]
  },
  {
    id: "open.oco.client-order-id.scope",
    point: "The scope in which the client order id of an OCO order is unique",
    stance: "its account, as the document says for stop-limit orders",
    rules: ["oco.client-order-id.per-account"]
  },
  {
    id: "open.permissions",
    point: "Which calls a sub-account's permissions allow",
    stance: "spotEnabled allows spot orders, collateralEnabled allows collateral orders; other orders are refused",
    rules: ["auth.permissions"]
  },
  {
    id: "open.order-id",
    point: "The scope in which an order id is unique",
    stance: "the entire exchange",
    rules: ["stop-limit.ids.accounts", "oco.ids.accounts"]
  },
  {
    id: "open.trade.price",
    point: "The price at which two orders with different limits trade",
    stance: "the price of the resting order",
    rules: ["orders.deal-money.price"]
  },
  {
    id: "open.bbo",
    point: "What the bboRole methods queue and counterparty do once the stop is triggered",
    stance:
      "queue: the order rests at the best price of its own side; counterparty: it trades at the best price of the other "
      + "side and at no worse price",
    rules: ["stop-limit.bbo"]
  },
  {
    id: "open.stp",
    point: "Which of two matching orders of one account is canceled, and what stp no means",
    stance: "the order that stp names; with stp no, the orders trade with each other",
    rules: ["stop-limit.stp.cancels", "orders.stp"]
  },
  {
    id: "open.field-names",
    point: "What happens to an unknown field",
    stance:
      "it is ignored, unless only the live exchange has it and the call changes something: the sandbox then refuses it; "
      + "field names are case-sensitive",
    rules: ["general.private.field-case"]
  },
  {
    id: "open.oco.client-order-id",
    point: "Whether the legs of an OCO order show the order's client order id",
    stance: "both do; in the live dialect both show an empty string",
    rules: ["oco.client-order-id.accepts"]
  },
  {
    id: "open.paths",
    point: "The response to a call to an unknown path or with a wrong method",
    stance: "HTTP 404 and 405, with a JSON error object; public paths use the public error format",
    rules: ["errors.unknown-path", "errors.method", "errors.public"]
  },
  {
    id: "open.delete.funds",
    point: "Whether a sub-account with funds can be deleted, and what happens to its keys",
    stance: "it cannot; the keys are deleted with the sub-account",
    rules: ["delete.funds", "delete.keys"]
  },
  {
    id: "open.codes.own",
    point: "Whether an account can apply its own code",
    stance: "it cannot",
    rules: ["codes.own"]
  },
  {
    id: "open.codes.once",
    point: "Whether a code can be applied more than once",
    stance: "no: no account can apply it again",
    rules: ["codes.once", "codes.race"]
  },
  {
    id: "open.pages",
    point: "The order of records, and a page past the last record",
    stance: "the order is stable while the records do not change; a page past the last record is empty",
    rules: ["*.pages.complete", "*.pages.stable", "*.pages.beyond", "sub-accounts.model"]
  },
  {
    id: "open.enums",
    point: "Statuses, types and modes beyond those that the document lists",
    stance: "a sub-account in use is active; the client keeps an unknown value, the oracle accepts only listed values",
    rules: ["sub-accounts.status.active"]
  },
  ...livePoints,
  {
    id: "open.order.transitions",
    point: "The transitions between order statuses",
    stance: "those that the meanings imply: new, then partially filled, then filled or canceled",
    rules: { unchecked: "the rules check the meaning of each status, whatever came before it" }
  },
  {
    id: "open.key.type",
    point: "The meaning of an API key's type",
    stance: "any text",
    rules: { unchecked: "any text is valid" }
  },
  {
    id: "open.fees",
    point: "The meaning of the flex, fixed and percent fields of fees",
    stance: "decimals, like all fees",
    rules: { unchecked: "the rules check only that they are decimals" }
  },
  {
    id: "open.oauth",
    point: "OAuth and JWT token flows",
    stance: "not part of this project",
    rules: { unchecked: "the document describes no such endpoint" }
  },
  {
    id: "open.events",
    point: "Events and the WebSocket API",
    stance: "the live exchange's; the sandbox refuses a connection in the document's dialect",
    rules: { unchecked: "the document does not describe them" }
  },
  {
    id: "open.regions",
    point: "Whether the two regional servers have the same paths",
    stance: "the client has a region option; the sandbox is one server",
    rules: { unchecked: "a target is one server; check each region separately" }
  },
  {
    id: "open.deprecation",
    point: "Deprecation and version negotiation",
    stance: "neither exists",
    rules: { unchecked: "the document shows nothing that a call can check" }
  }
]
