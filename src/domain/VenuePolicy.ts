/**
 * The differences between exchanges that use this protocol, represented as data. The sandbox's engine and request
 * checks depend only on this policy, never on the name of the exchange.
 */
import { type Decimal, of } from "./Decimal.ts"

/**
 * The parts of an exchange's behavior that depend on its dialect.
 *
 * @category models
 */
export interface VenuePolicy {
  /**
   * The rule that triggers a stop order. `side`: a buy triggers at or above its activation price, and a sell at or
   * below it (the document, "Stop order activation"). `last-price`: if the activation price was above the last price
   * when the order was created, the order triggers when the market rises to the activation price; if the activation
   * price was below the last price, the order triggers when the market falls to the activation price.
   */
  readonly activation: "side" | "last-price"
  /**
   * The scope in which a client order id must be unique. `account`: all orders that the account has ever created (the
   * document, Endpoints §3). `open-orders`: the account's open orders on the market.
   */
  readonly clientOrderIds: "account" | "open-orders"
  /**
   * The nonces that the exchange accepts. `unique`: a numeric string that the key has never used (the document,
   * "Authentication", 3). `increasing-or-window`: a number greater than the key's last nonce or, if the request asks
   * for the window, an unused number that differs from the exchange's clock by at most {@link nonceWindowMillis}. With
   * the window, a number far below all used numbers also counts as used.
   */
  readonly nonce: "unique" | "increasing-or-window"
  /**
   * The private requests whose bodies must contain `request` and `nonce`. `as-documented`: the requests for which the
   * document requires these fields. `always`: all private requests.
   */
  readonly envelope: "as-documented" | "always"
  /**
   * Whether `reduceOnly` is `accepted` or only `announced`, that is, documented but refused for now (the document,
   * "Versioning", 2).
   */
  readonly reduceOnly: "accepted" | "announced"
  /** The client order id of both OCO legs in a response. `echoed`: the request's id. `empty`: always empty. */
  readonly legClientOrderIds: "echoed" | "empty"
  /**
   * The position side of margin and futures orders. `side`: a reduce-only order has the side that it reduces, an OCO
   * order has the side that it opens, and any other order has `BOTH`. `one-way`: every order has `BOTH`, as the live
   * exchange documents for accounts in one-way mode.
   */
  readonly positionSides: "side" | "one-way"
  /** The band around the last price within which an order's prices must lie; `undefined` if any price is allowed. */
  readonly priceBand: PriceBand | undefined
  /**
   * The bytes that the payload header of a private request must encode. `body`: exactly the body. `compact-body`: the
   * body without whitespace between JSON tokens, even if the body itself contains whitespace there.
   */
  readonly payload: "body" | "compact-body"
  /** How a token for a WebSocket connection may be used; `undefined` if the exchange has no WebSocket. */
  readonly streamToken: StreamTokenPolicy | undefined
  /**
   * The limit price of a triggered stop order with `bboRole`. `best`: the best price that the role selects, which
   * replaces the order's own price, as the live exchange documents. `own`: also that price, but none worse than the
   * order's own limit price (the document, Endpoints §3).
   */
  readonly bboStopPrice: "best" | "own"
  /**
   * Whether the exchange enforces limits that only the live exchange documents, on calls that the document does not
   * describe. `enforced`: OCO orders and funding payments are listed only on collateral and futures markets, a list of
   * closed positions ends at record 10000, and a sub-account has at most 50 API keys. A transfer needs the
   * sub-account's permission for the receiving wallet, deposits of the asset if it leaves the main wallet, and
   * withdrawals if it enters that wallet.
   */
  readonly furtherLimits: "enforced" | "ignored"
  /** The margin rules that the exchange does not publish. */
  readonly margin: MarginPolicy
}

/**
 * Margin rules that the live exchange does not publish, or on which its publications contradict each other. You can
 * change each value in your sandbox.
 *
 * @category models
 */
export interface MarginPolicy {
  /**
   * The leverage of a new account: 1, 2, 3, 5, 10, 20, 50 or 100. The exchange does not document this value; the
   * sandbox uses 10.
   */
  readonly defaultLeverage: number
  /** The maximum effective leverage on margin markets. The documentation states 10; it used to state 20. */
  readonly marginMaxLeverage: number
  /**
   * Whether an account with open positions or orders may change its leverage. `allowed`: the change affects all open
   * positions, according to the documentation's text. `refused`: the exchange refuses the change with code 113,
   * according to the documentation's list of errors.
   */
  readonly leverageChange: "allowed" | "refused"
  /**
   * The leverage of a position whose cost spans several brackets. `whole`: the total cost determines the bracket, whose
   * leverage applies to the entire position, as the documentation suggests. `marginal`: each part of the cost has the
   * leverage of its own bracket.
   */
  readonly bracketSpan: "whole" | "marginal"
  /**
   * The maintenance margin as a fraction of the initial margin. Captured responses show 0.5; the published rates
   * contradict each other.
   */
  readonly maintenanceShare: Decimal
  /**
   * The threshold of a margin call, as a multiple of the maintenance margin: an account whose equity plus profit is at
   * or below the threshold gets a margin call. Not documented.
   */
  readonly callRatio: Decimal
  /**
   * The share of a position that a liquidation closes first, such as `"0.25"`. The documentation states "for example
   * 20-30 %".
   */
  readonly partialShare: Decimal
  /** A liquidation's fee, as a ratio of the closed value, paid to the insurance account. Not documented. */
  readonly liquidationFee: Decimal
  /**
   * The party that takes over the part of a liquidated position that the book can't absorb. `outside`: an imaginary
   * outside market takes that part at the mark price, but only if you moved the market's price and the sandbox's
   * counterparty does not quote the market. Otherwise, accounts with opposite positions take it (ADL). `book`: accounts
   * with opposite positions always take it.
   */
  readonly liquidity: "outside" | "book"
  /** The maximum absolute value of `interest - premium` in the funding rate, as a ratio. Not documented. */
  readonly fundingClamp: Decimal
  /** The daily interest on borrowed assets, as a ratio. The exchange's help pages give 0.000585 for a loan. */
  readonly borrowRate: Decimal
  /**
   * How the exchange treats the position sides `LONG` and `SHORT` in one-way mode: it ignores them, or refuses the
   * order. The documentation contradicts itself on this.
   */
  readonly oneWaySides: "ignored" | "refused"
  /**
   * Whether an order in one-way mode may turn a long position into a short one, or vice versa. `refused`: the exchange
   * refuses such an order with code 115. The documentation lists this code, but not when it applies.
   */
  readonly opposite: "allowed" | "refused"
}

/**
 * The margin policy of both dialects: the document does not describe margin, so the sandbox follows the live exchange.
 *
 * @category constants
 */
export const marginPolicy: MarginPolicy = {
  defaultLeverage: 10,
  marginMaxLeverage: 10,
  leverageChange: "allowed",
  bracketSpan: "whole",
  maintenanceShare: of("0.5"),
  callRatio: of("1.5"),
  partialShare: of("0.25"),
  liquidationFee: of("0"),
  liquidity: "outside",
  fundingClamp: of("0.0005"),
  borrowRate: of("0.000585"),
  oneWaySides: "ignored",
  opposite: "allowed"
}

/**
 * How long and how often a WebSocket token may be used. The live exchange's documentation does not state this.
 *
 * @category models
 */
export interface StreamTokenPolicy {
  /** The time for which a token is valid, in seconds, measured by the same clock as nonces. */
  readonly lifetimeSeconds: number
  /** Whether a token authorizes only one connection. */
  readonly singleUse: boolean
}

/**
 * A price band around the last price, in percent of the last price. The prices of a new or modified order must be
 * inside the band.
 *
 * @category models
 */
export interface PriceBand {
  /** The distance of the highest allowed price from the last price, in percent. */
  readonly above: number
  /** The distance of the lowest allowed price from the last price, in percent; less than 100. */
  readonly below: number
}

/**
 * The maximum distance of a windowed nonce from the exchange's clock, in milliseconds.
 *
 * @category constants
 */
export const nonceWindowMillis = 5000
