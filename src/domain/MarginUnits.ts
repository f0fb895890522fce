/**
 * The margin formulas on exact whole numbers: every amount, price and ratio is a multiple of 10^-18. `Margin` is the
 * same arithmetic on decimals. Margin requirements are rounded up, so that rounding never makes an account look safer.
 */

/** The quantity 1. */
export const one = 10n ** 18n

/** A part of a position's value that must be covered, as an exact fraction. */
export interface Fraction {
  /** The numerator; greater than zero. */
  readonly numerator: bigint
  /** The denominator; greater than zero. */
  readonly denominator: bigint
}

/** A bracket of a market: the leverage that positions up to a size may have. */
export interface Bracket {
  /** The maximum leverage of the bracket. */
  readonly leverage: bigint
  /** The largest position value of the bracket, in quote currency; `undefined` if it has no bound. */
  readonly upTo: bigint | undefined
}

/** The absolute value. */
export const abs = (value: bigint): bigint => value < 0n ? -value : value

/** A quotient rounded up. The divisor must be greater than zero. */
export const ceilOver = (dividend: bigint, divisor: bigint): bigint =>
  dividend <= 0n ? dividend / divisor : (dividend - 1n) / divisor + 1n

/** A quotient rounded down. The divisor must be greater than zero. */
export const floorOver = (dividend: bigint, divisor: bigint): bigint =>
  dividend >= 0n ? dividend / divisor : -((-dividend - 1n) / divisor + 1n)

/**
 * The initial margin of a position as a fraction of its value. `cost` is the value at which it was opened, and `leverage`
 * the account's. Brackets must be sorted from the highest leverage to the lowest.
 *
 * - `whole`: the whole position has the leverage of the bracket that its cost falls into
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

/** The value of a position at a price, in quote currency, rounded up. */
export const valueOf = (amount: bigint, price: bigint): bigint => ceilOver(abs(amount) * price, one)

/** The initial margin of a position at a price, in quote currency, rounded up. */
export const initialMargin = (amount: bigint, price: bigint, { denominator, numerator }: Fraction): bigint =>
  ceilOver(abs(amount) * price * numerator, one * denominator)

/** The maintenance margin of a position at a price: a share of its initial margin, rounded up. */
export const maintenanceMargin = (
  amount: bigint,
  price: bigint,
  { denominator, numerator }: Fraction,
  share: bigint
): bigint => ceilOver(abs(amount) * price * numerator * share, one * one * denominator)

/**
 * The unrealised profit of a position at a price, in quote currency; a loss is negative. `cost` is the total paid (long)
 * or received (short) for it. Rounded down.
 */
export const unrealizedPnl = (amount: bigint, cost: bigint, price: bigint): bigint =>
  amount < 0n ? cost - ceilOver(-amount * price, one) : amount * price / one - cost

/** A position of which only the mark price of its market is unknown. */
export interface Exposure {
  /** The size, in base currency; negative if short. */
  readonly amount: bigint
  /** The total paid or received for it, in quote currency. */
  readonly cost: bigint
  /** The initial margin as a fraction of its value. */
  readonly fraction: Fraction
}

/**
 * The mark price at which an account is liquidated: where its equity and profit no longer exceed the maintenance margin.
 *
 * @param rest The equity and profit minus the maintenance margin of all else, in quote currency.
 * @param exposures The positions of the market: two at most.
 * @param share The maintenance margin as a share of the initial margin.
 * @param pledged The amount of the base currency that counts as collateral, after its weight. Its value follows the price.
 */
export const liquidationPrice = (
  rest: bigint,
  exposures: ReadonlyArray<Exposure>,
  share: bigint,
  pledged = 0n
): bigint | undefined => {
  // rest + slope × price / one, where each position adds amount × price ∓ cost, less its maintenance margin. All terms are
  // brought to the common denominator, so that only the final price is rounded.
  const common = exposures.reduce((product, { fraction }) => product * fraction.denominator, one)
  let slope = pledged * common
  let fixed = rest
  for (const { amount, cost, fraction } of exposures) {
    slope += amount * common - abs(amount) * fraction.numerator * share * (common / one / fraction.denominator)
    fixed += amount < 0n ? cost : -cost
  }
  if (slope === 0n) return undefined
  const dividend = -fixed * one * common
  // Rounded towards the earlier liquidation: up if the account loses as the price falls, down if it loses as it rises.
  const price = slope > 0n ? ceilOver(dividend, slope) : floorOver(-dividend, -slope)
  return price > 0n ? price : undefined
}

/** The funding that a position receives, rounded down: a payment is negative. All arguments are exact. */
export const fundingAmount = (rate: bigint, amount: bigint, price: bigint): bigint =>
  floorOver(-(rate * amount * price), one * one)

const clamp = (value: bigint, least: bigint, most: bigint): bigint =>
  value < least ? least : value > most ? most : value

/** The terms of a market's funding. */
export interface FundingTerms {
  /** The time between two settlements, in minutes. */
  readonly intervalMinutes: number
  /** The highest rate, as a ratio. */
  readonly cap: bigint
  /** The lowest rate, as a ratio. */
  readonly floor: bigint
  /** How far the interest may move the premium, as a ratio. */
  readonly clamp: bigint
}

/** The interest part of the funding rate for eight hours, 0.01 %. */
const interestOfEightHours = one / 10_000n

/** The funding rate of a premium: `clamp(premium + clamp(interest - premium, ±clamp), floor, cap)`. */
export const fundingRate = (premium: bigint, { cap, clamp: most, floor, intervalMinutes }: FundingTerms): bigint => {
  const interest = interestOfEightHours * BigInt(intervalMinutes) / 480n
  return clamp(premium + clamp(interest - premium, -most, most), floor, cap)
}

/** The premium of a book over the index: how far its best bid is above, or its best ask below, as a ratio. */
export const premium = (index: bigint, bid: bigint | undefined, ask: bigint | undefined): bigint => {
  if (index <= 0n) return 0n
  const above = bid === undefined || bid < index ? 0n : bid - index
  const below = ask === undefined || ask > index ? 0n : index - ask
  return (above - below) * one / index
}

/** The median of three. */
export const median = (a: bigint, b: bigint, c: bigint): bigint => {
  const [low, high] = a < b ? [a, b] : [b, a]
  return c < low ? low : c > high ? high : c
}

/**
 * The rank of a position for automatic deleveraging: profit / size × size / equity, that is profit per unit of equity.
 * Zero if the position has no profit; the greatest first.
 */
export const adlRating = (pnl: bigint, cost: bigint, equity: bigint): bigint => {
  if (pnl <= 0n || cost <= 0n) return 0n
  // An account that holds nothing but its profit is ranked above all others.
  return equity <= 0n ? pnl * one * one : pnl * one / cost * cost / equity
}

/**
 * The price at which a counterparty takes over a position that is deleveraged: the last price, less (a long) or more
 * (a short) by the liquidated account's margin fraction without two taker fees, if that is above zero.
 */
export const adlPrice = (last: bigint, isLong: boolean, marginFraction: bigint, takerFee: bigint): bigint => {
  const rest = marginFraction - 2n * takerFee
  // Otherwise counterparties would pay for a loss beyond the margin, before the insurance account.
  const distance = rest < 0n ? 0n : rest
  const price = isLong ? last * (one - distance) / one : ceilOver(last * (one + distance), one)
  return price > 0n ? price : 0n
}

/** The grades' upper bounds, in percent of the positions of the side. */
const grades = [50n, 73n, 87n, 95n]

/** The ADL grade, 0 to 4, of the position at `index` of `count` positions in order of rising rating. */
export const adlGrade = (index: number, count: number): number => {
  const found = grades.findIndex((bound) => BigInt(index) * 100n < bound * BigInt(count))
  return found === -1 ? grades.length : found
}
