/**
 * What the document leaves open, and the stance that this project takes; and the document's headings.
 *
 * @since 0.1.0
 */

/**
 * A point that the document leaves open.
 *
 * @category models
 * @since 0.1.0
 */
export interface OpenPoint {
  /** Stable and unique: `open.nonce.used`. */
  readonly id: string
  /** What the document does not show. */
  readonly point: string
  /** What sandbox and client do. */
  readonly stance: string
  /** The rules that check it, by their ids; or why no rule does. */
  readonly rules: ReadonlyArray<string> | Unchecked
}

/**
 * No rule checks an open point.
 *
 * @category models
 * @since 0.1.0
 */
export interface Unchecked {
  /** The reason, in words. */
  readonly unchecked: string
}

/**
 * All open points, with the stance of this project on each.
 *
 * @category rules
 * @since 0.1.0
 */
export const openPoints: ReadonlyArray<OpenPoint> = [
  {
    id: "open.stop-limit.path",
    point: "The path of stop-limit orders",
    stance: "/api/v4/order/stop_limit, as on the live exchange",
    rules: ["stop-limit.response.order_id"]
  },
  {
    id: "open.envelope",
    point: "Whether the calls for sub-accounts need request and nonce, and what optional means for cancel-all",
    stance: "all calls need both, but cancel-all, where either may be missing",
    rules: [
      "sub-accounts.envelope",
      "api-keys.envelope",
      "delete.envelope",
      "cancel-all.envelope",
      "auth.request.optional"
    ]
  },
  {
    id: "open.auth.refusals",
    point: "How a call without the right to make it is refused",
    stance:
      "not authenticated: HTTP 401, code 10; key disabled: 401, code 2; endpoint not on the key's list: 401, code 4; "
      + "no partner access: 403, code 0",
    rules: ["auth.refusal", "auth.key.disabled", "auth.key.endpoints.refusal", "auth.b2b.refusal"]
  },
  {
    id: "open.nonce.format",
    point: "The nonce's format and acceptance window",
    stance: "a string of up to twenty digits, once per key, in any order, however far from the clock",
    rules: ["auth.nonce.form", "auth.nonce.any-order", "auth.nonce.per-key"]
  },
  {
    id: "open.nonce.used",
    point: "How a used nonce is refused, and which calls use one up",
    stance:
      "HTTP 429, code 0, Too many requests.; every authenticated call uses up its nonce, whether it succeeds or not",
    rules: ["auth.nonce.refusal", "auth.nonce.unique.refused-call", "auth.nonce.unused"]
  },
  {
    id: "open.rate.exceeded",
    point: "What happens when a rate limit is exceeded",
    stance: "HTTP 429, code 0, with another message than for a used nonce",
    rules: ["limits.exceeded"]
  },
  {
    id: "open.rate.others",
    point: "The rate limits of other private endpoints",
    stance: "those of the live exchange",
    rules: { unchecked: "the document does not state them: a target may have its own" }
  },
  {
    id: "open.order.status",
    point: "The HTTP status of codes 30 and 116",
    stance: "400, the only error status that the document shows; 422 in the live dialect",
    rules: ["errors.order.validation.status", "errors.reduce-only"]
  },
  {
    id: "open.cancel-all.success",
    point: "The body of a successful cancel-all, and what an empty list of types means",
    stance: "any JSON with HTTP 2xx; an empty list is refused",
    rules: ["cancel-all.everything", "cancel-all.nothing", "cancel-all.type.empty"]
  },
  {
    id: "open.reduce-only",
    point: "Whether reduceOnly, which is announced but not yet accepted, is accepted",
    stance:
      "it is, unless the sandbox is configured otherwise; the rules about it skip a target that refuses the field",
    rules: ["versioning.reduce-only", "oco.reduce-only"]
  },
  {
    id: "open.client-order-id",
    point: "How long a client order id stays used, and among which orders it is unique",
    stance: "for ever, among all OCO and stop-limit orders of an account; live: among the open orders of a market",
    rules: ["stop-limit.client-order-id.for-ever", "oco.client-order-id.for-ever"]
  },
  {
    id: "open.oco.client-order-id.scope",
    point: "Among which orders the client order id of an OCO order is unique",
    stance: "among those of its account, as the document says of stop-limit orders",
    rules: ["oco.client-order-id.per-account"]
  },
  {
    id: "open.permissions",
    point: "Which calls the permissions of a sub-account allow",
    stance: "spotEnabled: orders on the spot; collateralEnabled: orders with collateral. Other orders are refused",
    rules: ["auth.permissions"]
  },
  {
    id: "open.order-id",
    point: "Among which orders an order's identifier is unique",
    stance: "among all of the exchange",
    rules: ["stop-limit.ids.accounts", "oco.ids.accounts"]
  },
  {
    id: "open.trade.price",
    point: "At which price two orders trade whose limits differ",
    stance: "at that of the order that rested",
    rules: ["orders.deal-money.price"]
  },
  {
    id: "open.bbo",
    point: "What the queue and the counterparty method of bboRole do once the stop is triggered",
    stance:
      "queue: the order rests at the best price of its own side; counterparty: it takes the best price of the other side, "
      + "and none beyond it",
    rules: ["stop-limit.bbo"]
  },
  {
    id: "open.stp",
    point: "Which of two orders of one account ends when they would trade with each other, and what no means",
    stance: "the one that the mode names; with no, they trade",
    rules: ["stop-limit.stp.cancels", "orders.stp"]
  },
  {
    id: "open.field-names",
    point: "What becomes of a field that no endpoint has",
    stance: "it is ignored; the name of a field is compared with its case",
    rules: ["general.private.field-case"]
  },
  {
    id: "open.oco.client-order-id",
    point: "Whether the legs of an OCO order show its client order id",
    stance: "both do; in the live dialect neither does",
    rules: ["oco.client-order-id.accepts"]
  },
  {
    id: "open.paths",
    point: "How calls to an unknown path, or with a wrong method, are answered",
    stance: "HTTP 404 and 405, with a JSON error object",
    rules: ["errors.unknown-path", "errors.method"]
  },
  {
    id: "open.delete.funds",
    point: "Whether a sub-account that holds funds can be deleted, and what happens to its keys",
    stance: "it cannot; the keys are deleted with their sub-account",
    rules: ["delete.funds", "delete.keys"]
  },
  {
    id: "open.codes.own",
    point: "Whether an account can apply its own code",
    stance: "it cannot",
    rules: ["codes.own"]
  },
  {
    id: "open.pages",
    point: "The order of records, and a page beyond the last one",
    stance: "the order does not change while the records do not; a page beyond the last record is empty",
    rules: ["*.pages.complete", "*.pages.stable", "*.pages.beyond"]
  },
  {
    id: "open.enums",
    point: "Further values of statuses, types and modes in answers",
    stance: "the client keeps an unknown value; where the document lists the values, the oracle accepts only those",
    rules: ["stop-limit.response.status", "stop-limit.response.type", "sub-accounts.status.active"]
  },
  {
    id: "open.order.transitions",
    point: "The transitions between the statuses of orders",
    stance: "those that follow from their meanings: new, then partially filled, then filled or canceled",
    rules: ["status", "orders.model"]
  },
  {
    id: "open.key.type",
    point: "The meaning of a key's type",
    stance: "any text",
    rules: ["api-keys.entry.type"]
  },
  {
    id: "open.fees",
    point: "The meaning of the flex, fixed and percent fields of fees",
    stance: "decimals",
    rules: ["fees.entry.deposit", "fees.entry.withdraw"]
  },
  {
    id: "open.oauth",
    point: "OAuth and JWT token flows",
    stance: "not part of this project",
    rules: { unchecked: "the document describes no endpoint of them" }
  },
  {
    id: "open.events",
    point: "Events and the WebSocket API",
    stance: "not part of this project",
    rules: { unchecked: "the document describes none of them" }
  },
  {
    id: "open.regions",
    point: "Whether the two regional servers have the same paths",
    stance: "the client takes the region; the sandbox is one server",
    rules: { unchecked: "a target is one server; check each with a run of its own" }
  },
  {
    id: "open.deprecation",
    point: "Deprecation and version negotiation",
    stance: "there is none",
    rules: { unchecked: "the document shows nothing that a call could check" }
  }
]

/**
 * The headings of the document that say something about calls. A test expects rules for each.
 *
 * @category rules
 * @since 0.1.0
 */
export const clauses: ReadonlyArray<string> = [
  "General rules",
  "Interest payment (fixed lending)",
  "Collateral OCO order (response)",
  "Stop-limit order (response)",
  "Fee entry (one per currency)",
  "Main balance entry",
  "Code application result",
  "Sub-account",
  "Sub-account API key",
  "Order status",
  "Stop order activation",
  "Sub-account status",
  "Endpoints §1",
  "Endpoints §2",
  "Endpoints §3",
  "Endpoints §4",
  "Endpoints §5",
  "Endpoints §6",
  "Endpoints §7",
  "Endpoints §8",
  "Endpoints §9",
  "Endpoints §10",
  "Endpoints §11",
  "Authentication",
  "Errors",
  "Limits",
  "Versioning"
]
