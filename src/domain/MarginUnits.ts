/**
 * The margin formulas with exact integers: every amount, price and ratio is an integer number of units of 10^-18.
 * `Margin` offers the same formulas for decimals. Margin requirements are rounded up, so that rounding never makes an
 * account look safer.
 */

/** The number 1, in units of 10^-18. */
export const one = 10n ** 18n

/** The share of a position's value that its margin must cover, as an exact fraction. */
export interface Fraction {
  /** The numerator; greater than zero. */
  readonly numerator: bigint
  /** The denominator; greater than zero. */
  readonly denominator: bigint
}

/** A market's leverage bracket: the maximum leverage of positions up to a certain value. */
export interface Bracket {
  /** The bracket's maximum leverage. */
  readonly leverage: bigint
  /** The bracket's largest position value, in the quote currency; `undefined` if it has no upper bound. */
  readonly upTo: bigint | undefined
}

/** The absolute value. */
export const abs = (value: bigint): bigint => value < 0n ? -value : value

/** Divides and rounds up. The divisor must be greater than zero. */
export const ceilOver = (dividend: bigint, divisor: bigint): bigint =>
  dividend <= 0n ? dividend / divisor : (dividend - 1n) / divisor + 1n

/** Divides and rounds down. The divisor must be greater than zero. */
export const floorOver = (dividend: bigint, divisor: bigint): bigint =>
  dividend >= 0n ? dividend / divisor : -((-dividend - 1n) / divisor + 1n)

/**
 * A position's initial margin as a fraction of its value. `cost` is the value at which the position was opened, and
 * `leverage` is the account's leverage. Brackets must be sorted from the highest leverage to the lowest.
 *
 * - `whole`: the entire position has the leverage of the bracket that its cost falls into
 * - `marginal`: each part of the cost has the leverage of its own bracket
 */
export const initialFraction = (
  cost: bigint,
  leverage: bigint,
  brackets: ReadonlyArray<Bracket>,
  span: "whole" | "marginal"
): Fraction => {
  const within = (bracket: Bracket): bigint => bracket.leverage < leverage ? bracket.leverage : leverage
  const [first] = brackets
  if (first === undefined) return { numerator: 1n, denominator: leverage }
  const last = brackets.at(-1) ?? first
  if (span === "whole" || cost <= (first.upTo ?? cost)) {
    const found = brackets.find(({ upTo }) => upTo === undefined || cost <= upTo) ?? last
    return { numerator: 1n, denominator: within(found) }
  }
  let [numerator, denominator, below] = [0n, 1n, 0n]
  for (const bracket of brackets) {
    const end = bracket === last || bracket.upTo === undefined || bracket.upTo > cost ? cost : bracket.upTo
    const part = end - below
    if (part <= 0n) continue
    const divisor = within(bracket)
    numerator = numerator * divisor + part * denominator
    denominator *= divisor
    below = end
  }
  return { numerator, denominator: denominator * cost }
}

/** A position's value at a price, in the quote currency, rounded up. */
export const valueOf = (amount: bigint, price: bigint): bigint => ceilOver(abs(amount) * price, one)

/** A position's initial margin at a price, in the quote currency, rounded up. */
export const initialMargin = (amount: bigint, price: bigint, { denominator, numerator }: Fraction): bigint =>
  ceilOver(abs(amount) * price * numerator, one * denominator)

/** A position's maintenance margin at a price: a fraction of its initial margin, rounded up. */
export const maintenanceMargin = (
  amount: bigint,
  price: bigint,
  { denominator, numerator }: Fraction,
  share: bigint
): bigint => ceilOver(abs(amount) * price * numerator * share, one * one * denominator)

/**
 * A position's unrealized profit at a price, in the quote currency, rounded down; a loss is negative. `cost` is the
 * total amount paid (long) or received (short) for the position.
 */
export const unrealizedPnl = (amount: bigint, cost: bigint, price: bigint): bigint =>
  amount < 0n ? cost - ceilOver(-amount * price, one) : amount * price / one - cost

/** A position, as needed to calculate the liquidation price. The mark price is the unknown, so it is not included. */
export interface Exposure {
  /** The size, in the base currency; negative if short. */
  readonly amount: bigint
  /** The total amount paid or received for the position, in the quote currency. */
  readonly cost: bigint
  /** The initial margin as a fraction of the position's value. */
  readonly fraction: Fraction
}

/**
 * The mark price at which an account is liquidated: its equity plus profit then no longer exceeds the maintenance
 * margin. `undefined` if there is no such price.
 *
 * @param rest The account's equity plus profit, minus its maintenance margin, in the quote currency, without
 * `exposures` and `pledged`.
 * @param exposures The positions on the market, at most two.
 * @param share The maintenance margin as a fraction of the initial margin.
 * @param pledged The weighted amount of the base currency used as collateral, whose value follows the price.
 */
export const liquidationPrice = (
  rest: bigint,
  exposures: ReadonlyArray<Exposure>,
  share: bigint,
  pledged = 0n
): bigint | undefined => {
  // Solves rest + slope × price / one = 0. A position contributes its profit at the price minus its maintenance margin
  // at the price. All terms have a common denominator, so that only the final price is rounded.
  const common = exposures.reduce((product, { fraction }) => product * fraction.denominator, one)
  let slope = pledged * common
  let fixed = rest
  for (const { amount, cost, fraction } of exposures) {
    slope += amount * common - abs(amount) * fraction.numerator * share * (common / one / fraction.denominator)
    fixed += amount < 0n ? cost : -cost
  }
  if (slope === 0n) return undefined
  const dividend = -fixed * one * common
  // Rounds towards an earlier liquidation: up if the account loses money when the price falls, down if it loses money
  // when the price rises.
  const price = slope > 0n ? ceilOver(dividend, slope) : floorOver(-dividend, -slope)
  return price > 0n ? price : undefined
}

/** The funding that a position receives, in the quote currency, rounded down; negative if the position pays. */
export const fundingAmount = (rate: bigint, amount: bigint, price: bigint): bigint =>
  floorOver(-(rate * amount * price), one * one)

const clamp = (value: bigint, least: bigint, most: bigint): bigint =>
  value < least ? least : value > most ? most : value

/** A market's funding terms. */
export interface FundingTerms {
  /** The time between two settlements, in minutes. */
  readonly intervalMinutes: number
  /** The upper bound of the rate, as a ratio. */
  readonly cap: bigint
  /** The lower bound of the rate, as a ratio. */
  readonly floor: bigint
  /** The maximum absolute value of `interest - premium` in the funding rate, as a ratio. */
  readonly clamp: bigint
}

/** The interest part of the funding rate: 0.01 % per eight hours. */
const interestOfEightHours = one / 10_000n

/** The funding rate for a premium: `clamp(premium + clamp(interest - premium, ±clamp), floor, cap)`. */
export const fundingRate = (premium: bigint, { cap, clamp: most, floor, intervalMinutes }: FundingTerms): bigint => {
  const interest = interestOfEightHours * BigInt(intervalMinutes) / 480n
  return clamp(premium + clamp(interest - premium, -most, most), floor, cap)
}

/**
 * The premium of the book over the index, as a ratio: positive if the best bid is above the index, negative if the best
 * ask is below the index, otherwise zero.
 */
export const premium = (index: bigint, bid: bigint | undefined, ask: bigint | undefined): bigint => {
  if (index <= 0n) return 0n
  const above = bid === undefined || bid < index ? 0n : bid - index
  const below = ask === undefined || ask > index ? 0n : index - ask
  return (above - below) * one / index
}

/**
 * The total weight of `count` samples with the weights 1, 2, …, `count`. The latest sample has the largest weight.
 */
export const triangle = (count: number): bigint => BigInt(count) * BigInt(count + 1) / 2n

/** The median of three numbers. */
export const median = (a: bigint, b: bigint, c: bigint): bigint => {
  const [low, high] = a < b ? [a, b] : [b, a]
  return c < low ? low : c > high ? high : c
}

/**
 * A position's rating for auto-deleveraging: profit / cost × cost / equity, that is, profit per unit of equity. Zero if
 * the position has no profit. Positions with the highest rating are reduced first.
 */
export const adlRating = (pnl: bigint, cost: bigint, equity: bigint): bigint => {
  if (pnl <= 0n || cost <= 0n) return 0n
  // Positions of an account without positive equity rank above all other positions.
  return equity <= 0n ? pnl * one * one : pnl * one / cost * cost / equity
}

/**
 * The price at which a counterparty takes over a liquidated position: the last price, lowered (long) or raised (short)
 * by the liquidated account's margin fraction minus two taker fees, if this difference is above zero.
 */
export const adlPrice = (last: bigint, isLong: boolean, marginFraction: bigint, takerFee: bigint): bigint => {
  const rest = marginFraction - 2n * takerFee
  // The distance must not be negative. Otherwise the counterparty, and not the insurance account, would pay for a loss
  // beyond the margin.
  const distance = rest < 0n ? 0n : rest
  const price = isLong ? last * (one - distance) / one : ceilOver(last * (one + distance), one)
  return price > 0n ? price : 0n
}

/** The upper bounds of ADL grades 0 to 3, as percentiles of the positions on the same side. */
const grades = [50n, 73n, 87n, 95n]

/** The ADL grade, 0 to 4, of the position at `index` among `count` positions, sorted by ascending rating. */
export const adlGrade = (index: number, count: number): number => {
  const found = grades.findIndex((bound) => BigInt(index) * 100n < bound * BigInt(count))
  return found === -1 ? grades.length : found
}
