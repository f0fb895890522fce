/**
 * What differs between exchanges that speak this protocol, as data: engine and admission follow it and never ask which
 * exchange they are.
 *
 * @since 0.1.0
 */

/**
 * - `activation`: when a stop order triggers. `side`: a buy at or above its activation price, a sell at or below it (the
 *   document's rule). `last-price`: in the direction from the last price at placement.
 * - `clientOrderIds`: where a client order id is unique. `account`: per account and for ever. `open-orders`: among the
 *   open orders of its market.
 * - `nonce`: what an acceptable nonce is. `unique`: a numeric text never used before by the key. `increasing-or-window`:
 *   greater than the last one, or, when the request asks for the window, unique and within five seconds of the clock.
 * - `envelope`: whether every private body must carry `request` and `nonce`, or only where the document says so.
 * - `reduceOnly`: `accepted`, or `announced`: documented, but refused for now.
 * - `legClientOrderIds`: whether the legs of an OCO order answer with the client order id of the request.
 * - `compactJson`: whether a body with whitespace between its tokens is refused.
 *
 * @category models
 * @since 0.1.0
 */
export interface VenuePolicy {
  readonly activation: "side" | "last-price"
  readonly clientOrderIds: "account" | "open-orders"
  readonly nonce: "unique" | "increasing-or-window"
  readonly envelope: "as-documented" | "always"
  readonly reduceOnly: "accepted" | "announced"
  readonly legClientOrderIds: "echoed" | "empty"
  readonly compactJson: boolean
}

/** How far a windowed nonce may be from the clock, in milliseconds. */
export const nonceWindowMillis = 5000
