/**
 * Calculates a collateral account's margin: how much its positions require, how much is free, and at which mark price
 * the account is liquidated. The functions are pure and exact; the sandbox uses the same formulas.
 *
 * The formulas reproduce captured responses of the live exchange: `freeMargin` = equity - margin + pnl -
 * unrealizedFunding; `marginFraction` = (equity + pnl) / value of all positions; maintenance margin = half the initial
 * margin. The account is liquidated when equity + pnl no longer exceeds the maintenance margin. Arguments are rounded
 * down to eighteen decimal places.
 *
 * @example
 * ```ts
 * import { Decimal, Identifiers, Margin } from "effect-txc"
 *
 * const market = Identifiers.marketName("BTC_PERP")
 * const account: Margin.Account = {
 *   leverage: 20,
 *   assets: [{ amount: Decimal.of("14.08"), price: Decimal.of("1"), weight: Decimal.of("1") }],
 *   positions: []
 * }
 * const fill = { market, amount: Decimal.of("0.001"), price: Decimal.price("82498.7"), fee: Decimal.of("0") }
 *
 * // The mark price at which the account would be liquidated if this order filled.
 * const price = Margin.liquidationPrice(Margin.afterFill(account, fill), market)
 * ```
 */
import * as Result from "effect/Result"
import * as Decimal from "./Decimal.ts"
import type { MarketName } from "./Identifiers.ts"
import * as MarginUnits from "./MarginUnits.ts"
import type { PositionSide } from "./Order.ts"

const scale = 18

const unitsOf = (decimal: Decimal.Decimal): bigint =>
  Decimal.toUnits(decimal, scale) ?? Decimal.toUnits(Decimal.floor(decimal, scale), scale) ?? 0n

// Throws only if the number has 45 or more digits before the decimal point.
const decimalOf = (units: bigint): Decimal.Decimal => Result.getOrThrow(Decimal.fromUnits(units, scale))

// -----------------------------------------------------------------------------
// Models
// -----------------------------------------------------------------------------

/**
 * The leverages that can be set for an account.
 *
 * @category constants
 */
export const leverages = [1, 2, 3, 5, 10, 20, 50, 100] as const

/**
 * The margin fraction that the exchange shows for an account without positions.
 *
 * @category constants
 */
export const noPositions: Decimal.Decimal = Decimal.of("1000000000000000000000")

/**
 * A market's leverage bracket: the maximum leverage of positions up to a certain value. The live exchange lists a
 * futures market's brackets in the market's field `brackets`.
 *
 * @category models
 */
export interface Bracket {
  /** The bracket's maximum leverage. */
  readonly leverage: number
  /** The largest position value in the bracket, in the quote currency. Absent when there is no upper bound. */
  readonly upTo?: Decimal.Decimal
}

/**
 * Rules that the exchange does not publish, or on which its publications contradict each other. The defaults match
 * captured responses.
 *
 * @category models
 */
export interface Rules {
  /**
   * The leverage of a position whose cost spans several brackets. `whole` (default): the total cost determines the
   * bracket, whose leverage applies to the entire position. `marginal`: each part of the cost has the leverage of its
   * own bracket.
   */
  readonly bracketSpan?: "whole" | "marginal"
  /** The maintenance margin as a fraction of the initial margin, above 0 and at most 1. Default 0.5. */
  readonly maintenanceShare?: Decimal.Decimal
}

/**
 * An asset that is used as collateral.
 *
 * @category models
 */
export interface Asset {
  /** The amount, in units of the asset; negative for a debt. */
  readonly amount: Decimal.Decimal
  /** The asset's index price, in the positions' quote currency; `"1"` for the quote currency itself. */
  readonly price: Decimal.Decimal
  /** The fraction of the asset's value that counts as collateral, 0 to 1. A debt always counts in full. */
  readonly weight: Decimal.Decimal
  /**
   * The market whose mark price the asset's price follows, such as `BTC_PERP` for BTC; used by {@link
   * liquidationPrice}. If absent, the asset's price is assumed not to change.
   */
  readonly follows?: MarketName
}

/**
 * An open position.
 *
 * @category models
 */
export interface Position {
  /** The position's market. */
  readonly market: MarketName
  /** `BOTH` (default) in one-way mode. In hedge mode, an account has a `LONG` and a `SHORT` position per market. */
  readonly side?: PositionSide
  /** The size, in the base currency; negative if short. */
  readonly amount: Decimal.Decimal
  /** The average entry price, in the quote currency. */
  readonly basePrice: Decimal.Decimal
  /** The market's mark price, in the quote currency. */
  readonly markPrice: Decimal.Decimal
  /** The market's brackets, in any order. Default: none, so only the account's leverage applies. */
  readonly brackets?: ReadonlyArray<Bracket>
}

/**
 * A collateral account: one balance and one leverage for all its positions.
 *
 * @category models
 */
export interface Account {
  /** The account's leverage: one of {@link leverages}. */
  readonly leverage: number
  /** The assets in the collateral balance, without unrealized profits. */
  readonly assets: ReadonlyArray<Asset>
  /** The open positions. */
  readonly positions: ReadonlyArray<Position>
  /** The open orders' initial margin, in the quote currency. Default 0. */
  readonly orderMargin?: Decimal.Decimal
  /** The accrued costs that have not been paid yet, in the quote currency. Default 0. */
  readonly unrealizedFunding?: Decimal.Decimal
  /** The exchange's unpublished rules. Default: the rules that match captured responses. */
  readonly rules?: Rules
}

/**
 * An account's equity, margin and leverage, with the same fields as the exchange's account summary. Amounts are in the
 * quote currency.
 *
 * @category models
 */
export interface Summary {
  /** The collateral's weighted value, without unrealized profits. */
  readonly equity: Decimal.Decimal
  /** The initial margin that all positions and open orders require. */
  readonly margin: Decimal.Decimal
  /** The margin available for new positions; negative if the account has too little margin. */
  readonly freeMargin: Decimal.Decimal
  /** The unrealized profit of all positions; a loss is negative. */
  readonly pnl: Decimal.Decimal
  /** The accrued costs that have not been paid yet. */
  readonly unrealizedFunding: Decimal.Decimal
  /** The account's leverage. */
  readonly leverage: number
  /** (equity + pnl) / value of all positions; {@link noPositions} if there are no positions. */
  readonly marginFraction: Decimal.Decimal
  /** Maintenance margin / value of all positions; zero if there are no positions. */
  readonly maintenanceMarginFraction: Decimal.Decimal
}

/**
 * A fill of an order that opens, increases, reduces, closes or flips a position.
 *
 * @category models
 */
export interface Fill {
  /** The order's market. */
  readonly market: MarketName
  /** The position side that the order affects. Default `BOTH`. */
  readonly side?: PositionSide
  /** The filled amount, in the base currency: positive if the order buys, negative if it sells. */
  readonly amount: Decimal.Decimal
  /** The fill's price, in the quote currency. */
  readonly price: Decimal.Price
  /** The fee as a ratio of the fill's value: `"0.00055"` is 0.055 %. */
  readonly fee: Decimal.Decimal
  /** The market's brackets, used if the fill opens a position. Default: no brackets. */
  readonly brackets?: ReadonlyArray<Bracket>
}

// -----------------------------------------------------------------------------
// Positions
// -----------------------------------------------------------------------------

const bracketsOf = (brackets: ReadonlyArray<Bracket> = []): ReadonlyArray<MarginUnits.Bracket> =>
  brackets.toSorted((one, other) => other.leverage - one.leverage).map(({ leverage, upTo }) => ({
    leverage: BigInt(leverage),
    upTo: upTo === undefined ? undefined : unitsOf(upTo)
  }))

const costOf = ({ amount, basePrice }: Pick<Position, "amount" | "basePrice">): bigint =>
  MarginUnits.abs(unitsOf(amount)) * unitsOf(basePrice) / MarginUnits.one

const fractionOf = ({ leverage, rules }: Pick<Account, "leverage" | "rules">, position: Position) =>
  MarginUnits.initialFraction(
    costOf(position),
    BigInt(leverage),
    bracketsOf(position.brackets),
    rules?.bracketSpan ?? "whole"
  )

const shareOf = ({ rules }: Pick<Account, "rules">): bigint => unitsOf(rules?.maintenanceShare ?? Decimal.of("0.5"))

/**
 * A position's unrealized profit at its mark price, in the quote currency; a loss is negative.
 *
 * @category positions
 */
export const unrealizedPnl = (position: Omit<Position, "market">): Decimal.Decimal => decimalOf(pnlOf(position))

const pnlOf = (position: Omit<Position, "market">): bigint =>
  MarginUnits.unrealizedPnl(unitsOf(position.amount), costOf(position), unitsOf(position.markPrice))

/**
 * A profit as a percentage of the position's cost, rounded towards zero to two decimal places; zero if the cost is
 * zero.
 *
 * @category positions
 */
export const pnlPercent = (
  pnl: Decimal.Decimal,
  position: Pick<Position, "amount" | "basePrice">
): Decimal.Decimal => {
  const cost = costOf(position)
  return cost === 0n ? Decimal.zero : decimalOf(unitsOf(pnl) * 10_000n / cost * 10n ** 16n)
}

/**
 * A position's initial margin at its mark price, in the quote currency: the position's value divided by the account's
 * leverage, which the market's brackets may reduce. In its responses, the exchange rounds the margin up to the market's
 * `moneyPrecision`; use {@link Decimal.ceil} to do the same.
 *
 * @category positions
 */
export const initialMargin = (
  account: Pick<Account, "leverage" | "rules">,
  position: Position
): Decimal.Decimal =>
  decimalOf(
    MarginUnits.initialMargin(unitsOf(position.amount), unitsOf(position.markPrice), fractionOf(account, position))
  )

/**
 * A position's maintenance margin at its mark price, in the quote currency.
 *
 * @category positions
 */
export const maintenanceMargin = (
  account: Pick<Account, "leverage" | "rules">,
  position: Position
): Decimal.Decimal => decimalOf(maintenanceOf(account, position))

const maintenanceOf = (account: Pick<Account, "leverage" | "rules">, position: Position): bigint =>
  MarginUnits.maintenanceMargin(
    unitsOf(position.amount),
    unitsOf(position.markPrice),
    fractionOf(account, position),
    shareOf(account)
  )

// -----------------------------------------------------------------------------
// Accounts
// -----------------------------------------------------------------------------

const sum = <A>(values: ReadonlyArray<A>, of: (value: A) => bigint): bigint =>
  values.reduce((total, value) => total + of(value), 0n)

const worthOf = ({ amount, price, weight }: Asset): bigint => {
  const value = unitsOf(amount) * unitsOf(price)
  return value < 0n
    ? MarginUnits.floorOver(value, MarginUnits.one)
    : value * unitsOf(weight) / MarginUnits.one / MarginUnits.one
}

const ratio = (dividend: bigint, divisor: bigint): Decimal.Decimal =>
  decimalOf(MarginUnits.floorOver(dividend * MarginUnits.one, divisor))

/**
 * Calculates an account's equity, margin and leverage.
 *
 * @category accounts
 */
export const summary = (account: Account): Summary => {
  const equity = sum(account.assets, worthOf)
  const margin = sum(account.positions, (position) => unitsOf(initialMargin(account, position))) +
    unitsOf(account.orderMargin ?? Decimal.zero)
  const maintenance = sum(account.positions, (position) => maintenanceOf(account, position))
  const pnl = sum(account.positions, pnlOf)
  const value = sum(
    account.positions,
    ({ amount, markPrice }) => MarginUnits.valueOf(unitsOf(amount), unitsOf(markPrice))
  )
  const unrealizedFunding = account.unrealizedFunding ?? Decimal.zero
  return {
    equity: decimalOf(equity),
    margin: decimalOf(margin),
    freeMargin: decimalOf(equity - margin + pnl - unitsOf(unrealizedFunding)),
    pnl: decimalOf(pnl),
    unrealizedFunding,
    leverage: account.leverage,
    marginFraction: value === 0n ? noPositions : ratio(equity + pnl, value),
    maintenanceMarginFraction: value === 0n ? Decimal.zero : ratio(maintenance, value)
  }
}

/**
 * The mark price at which the account is liquidated if all other prices stay the same; `undefined` if there is no such
 * price. An account that is net long on the market is liquidated at this price or below, and an account that is net
 * short is liquidated at this price or above. The result is not rounded to the market's price step.
 *
 * @category accounts
 */
export const liquidationPrice = (account: Account, market: MarketName): Decimal.Price | undefined => {
  const own = account.positions.filter((position) => position.market === market)
  if (own.length === 0) return undefined
  const others = account.positions.filter((position) => position.market !== market)
  const follows = (asset: Asset) => asset.follows === market && unitsOf(asset.amount) > 0n
  const rest = sum(account.assets.filter((asset) => !follows(asset)), worthOf) + sum(others, pnlOf) -
    sum(others, (position) => maintenanceOf(account, position)) -
    unitsOf(account.unrealizedFunding ?? Decimal.zero)
  const pledged = sum(
    account.assets.filter(follows),
    ({ amount, weight }) => unitsOf(amount) * unitsOf(weight) / MarginUnits.one
  )
  const exposures = own.map((position) => ({
    amount: unitsOf(position.amount),
    cost: costOf(position),
    fraction: fractionOf(account, position)
  }))
  const price = MarginUnits.liquidationPrice(rest, exposures, shareOf(account), pledged)
  // The cast is safe: a `Price` must be greater than zero, and so is this value.
  return price === undefined ? undefined : decimalOf(price) as Decimal.Price
}

const isSame = (position: Position, { market, side = "BOTH" }: Fill): boolean =>
  position.market === market && (position.side ?? "BOTH") === side

/**
 * Adds a profit to the account's first asset, which must be the quote currency. Adds this asset if there is none. A
 * loss or a fee is a negative profit.
 */
const settled = ([quote, ...others]: ReadonlyArray<Asset>, units: bigint): ReadonlyArray<Asset> =>
  quote === undefined
    ? [{ amount: decimalOf(units), price: Decimal.of("1"), weight: Decimal.of("1") }]
    : [{ ...quote, amount: decimalOf(unitsOf(quote.amount) + units) }, ...others]

/**
 * Returns the account after a fill. The position is opened, increased, reduced, closed or flipped; the first asset,
 * which must be the quote currency, receives the closed part's profit and pays the fee. The mark price does not change;
 * if there is no position on the market, the fill's price is used as the mark price.
 *
 * @category accounts
 */
export const afterFill = (account: Account, fill: Fill): Account => {
  const known = account.positions.find((position) => isSame(position, fill))
  const before = known ?? {
    market: fill.market,
    side: fill.side ?? "BOTH",
    amount: Decimal.zero,
    basePrice: Decimal.zero,
    markPrice: account.positions.find(({ market }) => market === fill.market)?.markPrice ?? fill.price,
    ...(fill.brackets === undefined ? {} : { brackets: fill.brackets })
  }
  const [held, traded, price] = [unitsOf(before.amount), unitsOf(fill.amount), unitsOf(fill.price)]
  const isOpposite = held !== 0n && held > 0n !== traded > 0n
  const closed = !isOpposite ? 0n : MarginUnits.abs(traded) < MarginUnits.abs(held) ? -traded : held
  const cost = costOf(before)
  const closedCost = closed === 0n ? 0n : cost * MarginUnits.abs(closed) / MarginUnits.abs(held)
  const gain = closed === 0n ? 0n : MarginUnits.unrealizedPnl(closed, closedCost, price)
  const amount = held + traded
  const opened = MarginUnits.abs(traded) - MarginUnits.abs(closed)
  const openCost = cost - closedCost + opened * price / MarginUnits.one
  const fee = MarginUnits.abs(traded) * price * unitsOf(fill.fee) / MarginUnits.one / MarginUnits.one
  const after: Position = {
    ...before,
    amount: decimalOf(amount),
    basePrice: amount === 0n ? Decimal.zero : decimalOf(openCost * MarginUnits.one / MarginUnits.abs(amount))
  }
  const others = account.positions.filter((position) => position !== known)
  return {
    ...account,
    assets: settled(account.assets, gain - fee),
    positions: amount === 0n ? others : [...others, after]
  }
}

// -----------------------------------------------------------------------------
// Funding and deleveraging
// -----------------------------------------------------------------------------

/**
 * The funding that a position receives at a settlement, in the quote currency: -(rate × amount × settlement price).
 * Negative if the position pays: longs pay shorts when the rate is positive. Rounded down to eighteen decimal places.
 *
 * @category funding
 */
export const fundingAmount = (
  rate: Decimal.Decimal,
  amount: Decimal.Decimal,
  settlementPrice: Decimal.Decimal
): Decimal.Decimal => decimalOf(MarginUnits.fundingAmount(unitsOf(rate), unitsOf(amount), unitsOf(settlementPrice)))

/**
 * A market's funding terms.
 *
 * @category models
 */
export interface FundingTerms {
  /** The time between two settlements, in minutes. */
  readonly intervalMinutes: number
  /** The upper bound of the rate, as a ratio. */
  readonly cap: Decimal.Decimal
  /** The lower bound of the rate, as a ratio. */
  readonly floor: Decimal.Decimal
  /** The maximum absolute value of `interest - premium` in the funding rate, as a ratio. */
  readonly clamp: Decimal.Decimal
}

/**
 * The funding rate for an average premium, as a ratio: premium + clamp(interest - premium, ±clamp), limited to the
 * range from `floor` to `cap`. The interest is 0.01 % per eight hours.
 *
 * @category funding
 */
export const fundingRate = (averagePremium: Decimal.Decimal, terms: FundingTerms): Decimal.Decimal =>
  decimalOf(MarginUnits.fundingRate(unitsOf(averagePremium), {
    intervalMinutes: terms.intervalMinutes,
    cap: unitsOf(terms.cap),
    floor: unitsOf(terms.floor),
    clamp: unitsOf(terms.clamp)
  }))

/**
 * A position's rating for auto-deleveraging (ADL): profit / cost × cost / equity. Positions with the highest rating are
 * reduced first; positions without a profit have a rating of zero, and are not reduced.
 *
 * @category deleveraging
 */
export const adlRating = (
  pnl: Decimal.Decimal,
  position: Pick<Position, "amount" | "basePrice">,
  equity: Decimal.Decimal
): Decimal.Decimal => decimalOf(MarginUnits.adlRating(unitsOf(pnl), costOf(position), unitsOf(equity)))

/**
 * The price at which a counterparty takes over a liquidated position: `last` × (1 - d) for a long position, `last` × (1
 * + d) for a short position. Here d is the liquidated account's margin fraction minus two taker fees, or zero if the
 * difference is negative.
 *
 * @category deleveraging
 */
export const adlPrice = (
  last: Decimal.Price,
  liquidated: "LONG" | "SHORT",
  marginFraction: Decimal.Decimal,
  takerFee: Decimal.Decimal
): Decimal.Decimal =>
  decimalOf(
    MarginUnits.adlPrice(unitsOf(last), liquidated === "LONG", unitsOf(marginFraction), unitsOf(takerFee))
  )

/**
 * A position's ADL grade, 0 to 4. `index` is the position's index, from 0, among the `count` positions on its side,
 * sorted by ascending rating. Positions of grade 4 are reduced first.
 *
 * @category deleveraging
 */
export const adlGrade = MarginUnits.adlGrade
