/**
 * Differences between exchanges that speak this protocol, as data. The engine and the request checks follow the policy
 * and never ask which exchange they simulate.
 */

/**
 * The rules that each dialect sets for its exchange.
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
   * The nonces that are accepted. `unique`: a numeric text that the key has never used (document, "Authentication", 3).
   * `increasing-or-window`: a number greater than the key's last nonce or, if the request asks for the window, an
   * unused number at most {@link nonceWindowMillis} from the exchange's clock. A number far below all used ones counts
   * as used.
   */
  readonly nonce: "unique" | "increasing-or-window"
  /**
   * The private bodies that must contain `request` and `nonce`. `as-documented`: those that the document marks as
   * required. `always`: all.
   */
  readonly envelope: "as-documented" | "always"
  /**
   * Whether `reduceOnly` is `accepted` or only `announced`: documented, but refused for now (document, "Versioning",
   * 2).
   */
  readonly reduceOnly: "accepted" | "announced"
  /** The client order id of an OCO order's legs in an answer. `echoed`: the request's id. `empty`: always empty. */
  readonly legClientOrderIds: "echoed" | "empty"
  /** Whether the exchange refuses a body with whitespace between its JSON tokens. */
  readonly compactJson: boolean
}

/**
 * The maximum distance of a windowed nonce from the exchange's clock, in milliseconds.
 *
 * @category constants
 */
export const nonceWindowMillis = 5000
