/**
 * Differences between exchanges that speak this protocol, as data. The engine and the request checks follow the policy,
 * and never check which exchange they simulate.
 */

/**
 * The decisions of an exchange that depend on its dialect.
 *
 * @category models
 */
export interface VenuePolicy {
  /**
   * The rule that triggers a stop order. `side`: a buy triggers at or above its activation price, a sell at or below it
   * (document, "Stop order activation"). `last-price`: the order triggers when the market reaches the activation price
   * from the side where the last price was when the order was created.
   */
  readonly activation: "side" | "last-price"
  /**
   * The scope in which a client order id must be unique. `account`: all orders that the account has ever created
   * (document, Endpoints §3). `open-orders`: the open orders of its market.
   */
  readonly clientOrderIds: "account" | "open-orders"
  /**
   * The nonces that are accepted. `unique`: a numeric string that the key has never used (document, "Authentication",
   * 3). `increasing-or-window`: a number greater than the key's last nonce or, if the request asks for the window, an
   * unused number at most {@link nonceWindowMillis} from the exchange's clock. A number far below all used numbers
   * counts as used.
   */
  readonly nonce: "unique" | "increasing-or-window"
  /**
   * The private requests whose bodies must contain `request` and `nonce`. `as-documented`: those for which the document
   * requires them. `always`: all.
   */
  readonly envelope: "as-documented" | "always"
  /**
   * Whether `reduceOnly` is `accepted` or only `announced`: documented, but refused for now (document, "Versioning",
   * 2).
   */
  readonly reduceOnly: "accepted" | "announced"
  /** The client order id of an OCO order's legs in an answer. `echoed`: the request's id. `empty`: always empty. */
  readonly legClientOrderIds: "echoed" | "empty"
  /**
   * The position side of margin and futures orders. `side`: a reduce-only order has the side that it reduces, an OCO
   * order the side that it opens, any other order `BOTH`. `one-way`: every order has `BOTH`, as the live exchange
   * documents for accounts in one-way mode.
   */
  readonly positionSides: "side" | "one-way"
  /** The maximum distance of an order's prices from the last price; `undefined`: no maximum. */
  readonly priceBand: PriceBand | undefined
  /**
   * The text that the payload of a private request encodes. `body`: the body's bytes. `compact-body`: the body without
   * whitespace between its JSON tokens, however the body itself is spaced.
   */
  readonly payload: "body" | "compact-body"
  /** How a token for a WebSocket connection may be used; `undefined` if the exchange has no WebSocket. */
  readonly streamToken: StreamTokenPolicy | undefined
}

/**
 * The validity of a token for a WebSocket connection. The live exchange does not document it.
 *
 * @category models
 */
export interface StreamTokenPolicy {
  /** The time for which a token is valid, in seconds on the clock that nonces are checked against. */
  readonly lifetimeSeconds: number
  /** Whether a token authorises only one connection. */
  readonly singleUse: boolean
}

/**
 * A band around the last price, in whole percent of it. The prices of a new or changed order must be inside.
 *
 * @category models
 */
export interface PriceBand {
  /** The distance of the highest allowed price from the last price. */
  readonly above: number
  /** The distance of the lowest allowed price from the last price; less than 100. */
  readonly below: number
}

/**
 * The maximum distance of a windowed nonce from the exchange's clock, in milliseconds.
 *
 * @category constants
 */
export const nonceWindowMillis = 5000
