/**
 * What differs between exchanges that speak this protocol, as data. The engine and the admission of requests follow the
 * policy and never ask which exchange they are.
 *
 * @since 0.1.0
 */

/**
 * What a dialect lets the exchange decide.
 *
 * @category models
 * @since 0.1.0
 */
export interface VenuePolicy {
  /**
   * When a stop order triggers. `side`: a buy at or above its activation price, a sell at or below it (document, "Stop
   * order activation"). `last-price`: when the market reaches the activation price, from whichever side the last price was
   * on when the order was created.
   */
  readonly activation: "side" | "last-price"
  /**
   * Where a client order id must be unique. `account`: among all orders that the account has ever created (document,
   * Endpoints §3). `open-orders`: among the open orders of its market.
   */
  readonly clientOrderIds: "account" | "open-orders"
  /**
   * Which nonces are accepted. `unique`: a numeric text that the key has never used (document, "Authentication", 3).
   * `increasing-or-window`: a number greater than the key's last one. Where the request asks for the window: a number
   * that the key has not used, at most {@link nonceWindowMillis} from the exchange's clock. What is far below all
   * that the key has used counts as used.
   */
  readonly nonce: "unique" | "increasing-or-window"
  /**
   * Which private bodies must carry `request` and `nonce`. `as-documented`: those that the document lists as required.
   * `always`: all.
   */
  readonly envelope: "as-documented" | "always"
  /** Whether `reduceOnly` is `accepted`, or `announced`: documented, but refused for now (document, "Versioning", 2). */
  readonly reduceOnly: "accepted" | "announced"
  /**
   * The client order id of an OCO order's legs in an answer. `echoed`: the one of the request. `empty`: none.
   */
  readonly legClientOrderIds: "echoed" | "empty"
  /** Whether a body with whitespace between its JSON tokens is refused. */
  readonly compactJson: boolean
}

/**
 * The greatest distance of a windowed nonce from the exchange's clock, in milliseconds.
 *
 * @category constants
 * @since 0.1.0
 */
export const nonceWindowMillis = 5000
