/**
 * Auto-deleveraging (ADL): the part of a liquidation that the book can't fill is traded against other accounts'
 * profitable positions, in descending order of profit per unit of equity. These trades take place at the price at which
 * the liquidated account loses all its remaining margin.
 */
import { Price } from "../../domain/Decimal.ts"
import type { ClientOrderId, MarketName } from "../../domain/Identifiers.ts"
import * as MarginUnits from "../../domain/MarginUnits.ts"
import type { Market } from "../../domain/Market.ts"
import * as Margins from "./Margins.ts"
import * as NewOrder from "./NewOrder.ts"
import type { Order } from "./Order.ts"
import type { Position } from "./Position.ts"
import * as Settlement from "./Settlement.ts"
import type { State, Trading } from "./State.ts"
import * as Terms from "./Terms.ts"
import * as Units from "./Units.ts"
import type { Work } from "./Work.ts"

const ratingOf = (state: State, position: Position): Units.Units =>
  MarginUnits.adlRating(
    Margins.pnlOf(state, position),
    position.cost,
    Margins.equityOf(state, position.account)
  )

/** A position and its rating. Positions with a higher rating are deleveraged first. */
interface Rated {
  readonly position: Position
  readonly rating: Units.Units
}

/** The profitable positions on one side of a market, excluding one account's positions; highest rating first. */
const ranked = (state: State, market: MarketName, isLong: boolean, except: string): ReadonlyArray<Rated> =>
  [...state.positionsOn.get(market) ?? []].flatMap((position) => {
    if ((position.amount > 0n) !== isLong || position.account === except) return []
    const rating = ratingOf(state, position)
    return rating > 0n ? [{ position, rating }] : []
  }).toSorted((one, other) =>
    one.rating === other.rating ? one.position.id - other.position.id : one.rating > other.rating ? -1 : 1
  )

/** Whether an account other than `except` has a profitable position on one side of a market. */
export const isPossible = (state: State, market: MarketName, isLong: boolean, except: string): boolean => {
  for (const position of state.positionsOn.get(market) ?? []) {
    const isOther = (position.amount > 0n) === isLong && position.account !== except
    if (isOther && Margins.pnlOf(state, position) > 0n) return true
  }
  return false
}

/** The price at which other accounts take over a liquidated position, rounded to a tick in those accounts' favor. */
const priceOf = (state: State, market: Market, { account, side }: Order, last: Units.Units): Units.Units => {
  const { equity, pnl, value } = Margins.of(state, account)
  const { takerFee, tick } = Terms.of(market)
  const fraction = value === 0n ? 0n : MarginUnits.floorOver((equity + pnl) * Units.one, value)
  const isLong = side === "sell"
  const price = MarginUnits.adlPrice(last, isLong, fraction, takerFee)
  return isLong ? price / tick * tick : MarginUnits.ceilOver(price, tick) * tick
}

/** The order that reduces another account's position. */
const orderOf = (
  work: Work,
  taker: Order,
  { account, side }: Position,
  price: Units.Units,
  amount: Units.Units
): Order =>
  NewOrder.make(work, account, {
    market: taker.market,
    side: taker.side === "buy" ? "sell" : "buy",
    type: "limit",
    kind: taker.kind,
    amount: Units.toDecimal(amount),
    quantity: amount,
    price: Price.make(Units.toDecimal(price), { disableChecks: true }),
    stop: undefined,
    postOnly: true,
    clientOrderId: `adl_${NewOrder.nextId(work.state)}_!` as ClientOrderId,
    stp: "no",
    // In one-way mode, the live exchange does not mark ADL orders as reduce-only.
    reduceOnly: side !== "BOTH"
  })

/** Fills a liquidation order against other accounts' profitable positions, highest rating first. */
export const take = (work: Work, market: Market, trading: Trading, order: Order): void => {
  const { state } = work
  const last = trading.lastPrice
  if (last === undefined || order.left === 0n) return
  const price = priceOf(state, market, order, last)
  if (price <= 0n) return
  for (const { position } of ranked(state, market.name, order.side === "buy", order.account)) {
    if (order.left === 0n) return
    const size = MarginUnits.abs(position.amount)
    const amount = size < order.left ? size : order.left
    const maker = orderOf(work, order, position, price, amount)
    NewOrder.open(work, maker)
    const deal = { price, amount, total: Units.times(amount, price), side: order.side }
    Settlement.trade(work, market, trading, deal, { maker, taker: order, isOffBook: true })
    work.events.push({
      _tag: "Deleveraged",
      account: position.account,
      market: market.name,
      order: maker.id,
      amount,
      price
    })
  }
}

/** The ADL grades of an account's positions on one futures market. */
export interface Quantile {
  /** The futures market. */
  readonly market: MarketName
  /**
   * The grade of the long position, from 0 (deleveraged last) to 4 (first); `undefined` if there is no long position.
   */
  readonly long: number | undefined
  /**
   * The grade of the short position, from 0 (deleveraged last) to 4 (first); `undefined` if there is no short position.
   */
  readonly short: number | undefined
}

const gradeOf = (state: State, position: Position): number => {
  const own = ratingOf(state, position)
  let [below, count] = [0, 0]
  for (const other of state.positionsOn.get(position.market) ?? []) {
    if ((other.amount > 0n) !== (position.amount > 0n)) continue
    count++
    const rating = ratingOf(state, other)
    if (rating < own || (rating === own && other.id < position.id)) below++
  }
  return MarginUnits.adlGrade(below, count)
}

/** An account's ADL grades, for each futures market on which it has a position. */
export const quantiles = (state: State, account: string): ReadonlyArray<Quantile> => {
  const found = new Map<MarketName, { long: number | undefined; short: number | undefined }>()
  for (const position of state.positionsOf.get(account) ?? []) {
    if (state.markets.get(position.market)?.type !== "futures") continue
    const grades = found.get(position.market) ?? { long: undefined, short: undefined }
    grades[position.amount > 0n ? "long" : "short"] = gradeOf(state, position)
    found.set(position.market, grades)
  }
  return Array.from(found, ([market, { long, short }]) => ({ market, long, short }))
}
