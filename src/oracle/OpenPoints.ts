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
  /** The rules that check it, by their ids, none of which is a `MUST` rule; or why no rule does. */
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
    rules: { unchecked: "a target declares a path of its own; see `--features`" }
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
    stance: "a string of up to twenty digits, once per key, in any order, however far from the clock",
    rules: [
      "auth.nonce.increasing",
      "auth.nonce.window",
      "auth.nonce.form",
      "auth.nonce.any-order",
      "auth.nonce.interleaved",
      "auth.nonce.per-key",
      "*.parallel"
    ]
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
    id: "open.refusals",
    point: "The HTTP status of an error, and how wrong fields are refused but for planId and ticker",
    stance:
      "HTTP 400, code 0 or 30, Validation failed, and errors that name every wrong field; OCO and cancel-all calls have "
      + "code 30 in any case, as the document says",
    rules: [
      "errors.private.status",
      "errors.private.messages",
      "errors.private.only-wrong",
      "*.refusal",
      "interest.several",
      "sub-accounts.several",
      "api-keys.several",
      "*.all-missing",
      "interest.both.unknown"
    ]
  },
  {
    id: "open.unknown",
    point: "What becomes of a call that names a code, a sub-account, a market or a parameter that does not exist",
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
    point: "Whether an integer in a string is taken for the integer, and which form an answer's Content-type has",
    stance: "it is refused; application/json",
    rules: ["*.integer.text", "general.answer.type"]
  },
  {
    id: "open.spacing",
    point: "Whether a signed body may hold spaces",
    stance: "it may; live: it may not",
    rules: ["auth.body.spacing"]
  },
  {
    id: "open.order.bounds",
    point:
      "The precision of the prices of OCO orders, the bounds of their totals, and how far digits of a balance reach",
    stance: "those of the market, as for stop-limit orders; eighteen fractional digits",
    rules: [
      "oco.request.price.precision",
      "oco.request.activation_price.precision",
      "oco.request.stop_limit_price.precision",
      "oco.request.total",
      "general.money.exact"
    ]
  },
  {
    id: "open.order.position-side",
    point: "Which positionSide an OCO order shows",
    stance: "LONG of a buy, SHORT of a sell",
    rules: ["oco.new.position-side"]
  },
  {
    id: "open.order.trigger-met",
    point: "What becomes of a stop order whose trigger is already met",
    stance: "it is activated; live: it waits for the other direction",
    rules: ["activation.side"]
  },
  {
    id: "open.order.trading",
    point: "How far the taker band reaches, which fee is charged, and what self-trade prevention cancels",
    stance: "a price at three times the market's is beyond it; a part of what is filled; what its mode is called",
    rules: ["status.taker-band", "orders.fee", "orders.stp"]
  },
  {
    id: "open.markets",
    point: "The answer of the markets call",
    stance: "an array, with the fields that the document names; digits and bounds are strings",
    rules: ["markets.entry"]
  },
  {
    id: "open.search",
    point: "What the search for sub-accounts looks at",
    stance: "whether the alias contains the term",
    rules: ["sub-accounts.search.matches"]
  },
  {
    id: "open.cancel-all.success",
    point: "The body of a successful cancel-all, and what an empty list of types means",
    stance: "any JSON with HTTP 2xx; an empty list is refused",
    rules: ["cancel-all.nothing", "cancel-all.type.empty"]
  },
  {
    id: "open.reduce-only",
    point: "Whether reduceOnly, which is announced but not yet accepted, is accepted",
    stance:
      "it is, unless the sandbox is configured otherwise; the rules about it skip a target that refuses the field",
    rules: [
      "versioning.reduce-only",
      "oco.reduce-only.no-position",
      "oco.reduce-only.same-side",
      "oco.reduce-only.clipped",
      "oco.reduce-only.flag",
      "oco.reduce-only.type",
      "status.auto-canceled-reduce-only"
    ]
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
    stance: "HTTP 404 and 405, with a JSON error object; of public paths, the public form of errors",
    rules: ["errors.unknown-path", "errors.method", "errors.public"]
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
    rules: ["*.pages.complete", "*.pages.stable", "*.pages.beyond", "sub-accounts.model"]
  },
  {
    id: "open.enums",
    point: "Further statuses of sub-accounts, and further values of statuses, types and modes that the document lists",
    stance: "a sub-account in use is active; the client keeps an unknown value, the oracle accepts the listed ones",
    rules: ["sub-accounts.status.active"]
  },
  {
    id: "open.live.market-data",
    point:
      "Candles, the last 24 hours, past trades, depth and futures, which only the live exchange's documentation describes",
    stance:
      "as that documentation says; the interval that is not over has a candle, and one in which nothing happened none",
    rules: [
      "candles.*",
      "summary.*",
      "summaries.*",
      "trade-history.*",
      "depth.*",
      "platform.*",
      "public-fees.*",
      "collateral-markets.*",
      "futures.*",
      "funding-rates.*"
    ]
  },
  {
    id: "open.live.deals",
    point: "The deals of one order, which only the live exchange's documentation describes",
    stance: "as that documentation says; dealOrderId is the other order of the trade",
    rules: ["deals.*"]
  },
  {
    id: "open.live.kill-switch",
    point: "The kill switch, which only the live exchange's documentation describes",
    stance: "as that documentation says; the time runs on the venue's clock, and is over at its very microsecond",
    rules: ["kill-switch.*"]
  },
  {
    id: "open.live.conditional",
    point:
      "Take-profit and stop-loss of orders on margin, and conditional orders, which only the live exchange's documentation describes",
    stance:
      "as that documentation says; the exit is placed once the order is filled, closes what the order has traded, and the "
      + "leg that is triggered cancels the other",
    rules: ["oto.*", "conditional.*"]
  },
  {
    id: "open.live.stops",
    point: "Stop-market orders and stop orders on margin, which only the live exchange's documentation describes",
    stance: "as that documentation says; one that is triggered trades at once",
    rules: ["live-stops.*"]
  },
  {
    id: "open.live.changes",
    point: "Changing open orders, which only the live exchange's documentation describes",
    stance: "as that documentation says; what is filled stays with the old order, and the new one is for the rest",
    rules: ["live-changes.*"]
  },
  {
    id: "open.live.bulk",
    point: "Many orders in one call, which only the live exchange's documentation describes",
    stance: "as that documentation says; with stopOnFail the answer ends with the refusal",
    rules: ["live-bulk.*"]
  },
  {
    id: "open.order.transitions",
    point: "The transitions between the statuses of orders",
    stance: "those that follow from their meanings: new, then partially filled, then filled or canceled",
    rules: { unchecked: "the rules check what each status means, whatever came before it" }
  },
  {
    id: "open.key.type",
    point: "The meaning of a key's type",
    stance: "any text",
    rules: { unchecked: "any text will do" }
  },
  {
    id: "open.fees",
    point: "The meaning of the flex, fixed and percent fields of fees",
    stance: "decimals, as all fees",
    rules: { unchecked: "the rules check that they are decimals, whatever they mean" }
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
