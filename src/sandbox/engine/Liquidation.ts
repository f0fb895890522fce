/**
 * At the end of each command, checks the accounts affected by it: an account whose risk level has worsened gets a
 * margin call or is liquidated; see `Risk`. Margin positions are closed before futures, and positions with smaller
 * initial margins are closed before those with larger ones. The positions are closed one after the other: of each,
 * first a part and, if that is not enough, the rest. The insurance account pays losses that the collateral can't pay.
 * Any remaining loss becomes the account's debt.
 */
import type { ClientOrderId, MarketName } from "../../domain/Identifiers.ts"
import * as MarginUnits from "../../domain/MarginUnits.ts"
import type { Market } from "../../domain/Market.ts"
import * as Book from "./Book.ts"
import * as Deleveraging from "./Deleveraging.ts"
import * as Ledger from "./Ledger.ts"
import * as Listings from "./Listings.ts"
import * as MarginRules from "./MarginRules.ts"
import * as Margins from "./Margins.ts"
import * as Matching from "./Matching.ts"
import * as NewOrder from "./NewOrder.ts"
import type { Order } from "./Order.ts"
import * as OrderEnd from "./OrderEnd.ts"
import type { Position } from "./Position.ts"
import * as Positions from "./Positions.ts"
import * as Prices from "./Prices.ts"
import * as ReferencePrices from "./ReferencePrices.ts"
import * as Risk from "./Risk.ts"
import * as Settlement from "./Settlement.ts"
import type { State, Trading } from "./State.ts"
import * as Terms from "./Terms.ts"
import * as Units from "./Units.ts"
import * as Watches from "./Watches.ts"
import type { Work } from "./Work.ts"

/** An account's positions, in the order in which they are liquidated. */
const inOrder = (state: State, account: string): ReadonlyArray<Position> => {
  const rankOf = ({ market }: Position) => state.markets.get(market)?.type === "futures" ? 1 : 0
  return [...state.positionsOf.get(account) ?? []]
    .map((position) => ({ position, rank: rankOf(position), margin: Margins.marginOf(state, position) }))
    .toSorted((one, other) =>
      one.rank - other.rank ||
      (one.margin === other.margin ? one.position.id - other.position.id : one.margin < other.margin ? -1 : 1)
    )
    .map(({ position }) => position)
}

/**
 * The price at which the outside market takes the amount that the book does not take: the mark price. `undefined` if
 * the outside market takes nothing. It takes something only if the venue's owner has just moved the market's price, the
 * counterparty does not quote the market, and the margin policy includes the outside market.
 */
const outsidePrice = (state: State, { name }: Market): Units.Units | undefined => {
  const isQuoted = state.counterparty.markets.get(name)?.settings.enabled === true
  return state.margin.liquidity === "outside" && state.watches.byOwner.has(name) && !isQuoted
    ? ReferencePrices.mark(state, name)
    : undefined
}

const orderOf = (work: Work, { account, amount }: Position, market: Market, quantity: Units.Units): Order =>
  NewOrder.make(work, account, {
    market: market.name,
    side: amount > 0n ? "sell" : "buy",
    type: amount > 0n ? "market" : "stock market",
    kind: market.type === "futures" ? "futures" : "margin",
    amount: Units.toDecimal(quantity),
    quantity,
    price: undefined,
    stop: undefined,
    ioc: true,
    clientOrderId: `liquidation_${NewOrder.nextId(work.state)}_!` as ClientOrderId,
    stp: "no",
    reduceOnly: true
  })

/** Closes an amount of a position: first against the book, then with the outside market, then with other accounts. */
const close = (work: Work, position: Position, market: Market, trading: Trading, quantity: Units.Units): void => {
  const order = orderOf(work, position, market, quantity)
  NewOrder.open(work, order)
  Matching.takeAll(work, market, trading, order, outsidePrice(work.state, market))
  if (work.state.openOrders.has(order.id)) Deleveraging.take(work, market, trading, order)
  const fee = Units.times(order.dealMoney, MarginRules.of(work.state.margin).liquidationFee)
  if (fee > 0n) Positions.charge(work.state, position.account, market, fee, "insurance")
  if (work.state.openOrders.has(order.id)) {
    if (order.left === 0n) OrderEnd.end(work, order, "FILLED")
    else OrderEnd.cancel(work, order)
  }
  Settlement.afterPosition(work, position.account, market)
}

/**
 * Whether the outside market, the book or another account could take at least a part of a position. Without this check,
 * each futile attempt to liquidate the position would leave a canceled order.
 */
const isTaken = (state: State, { account, amount }: Position, market: Market, trading: Trading): boolean =>
  outsidePrice(state, market) !== undefined ||
  Book.best(trading.book, amount > 0n ? "buy" : "sell") !== undefined ||
  Deleveraging.isPossible(state, market.name, amount < 0n, account)

const isLiquidated = (state: State, account: string): boolean => Risk.levelOf(state, account) === "liquidation"

/** The part of a position that is closed first: the policy's share, rounded up to whole steps of the market. */
const partOf = (state: State, { amount }: Position, market: Market): Units.Units => {
  const [size, { step }] = [MarginUnits.abs(amount), Terms.of(market)]
  const part = MarginUnits.ceilOver(size * MarginRules.of(state.margin).partialShare, Units.one * step) * step
  return part < size ? part : size
}

const closeAll = (work: Work, account: string): void => {
  const { state } = work
  for (const position of inOrder(state, account)) {
    const market = state.markets.get(position.market)
    const trading = state.trading.get(position.market)
    if (market === undefined || trading === undefined || !isLiquidated(state, account)) continue
    for (const order of [...state.openOrders.latest(account, market.name)].toReversed()) {
      if (order.kind !== "spot") OrderEnd.end(work, order, "AUTO_CANCELED_LIQUIDATION")
    }
    for (const isPart of [true, false]) {
      if (position.amount === 0n || !isLiquidated(state, account) || !isTaken(state, position, market, trading)) break
      const quantity = isPart ? partOf(state, position, market) : MarginUnits.abs(position.amount)
      close(work, position, market, trading, quantity)
    }
    Prices.triggerStopOrders(work, market)
  }
}

/**
 * Sells other collateral at its index price, as far as necessary to pay an account's debt in the settlement currency.
 */
const convert = ({ events, state }: Work, account: string): void => {
  const { ledger } = state
  const { settlement } = Listings
  for (const { free, ticker } of Ledger.pairs(ledger, account, "collateral")) {
    const owed = Ledger.debt(ledger, account, settlement)
    const price = ticker === settlement ? undefined : ReferencePrices.ofAsset(state, ticker)
    if (owed === 0n || price === undefined || price === 0n) continue
    const needed = MarginUnits.ceilOver(owed * Units.one, price)
    const sold = needed < free.units ? needed : free.units
    if (sold === 0n) continue
    Ledger.transfer(ledger, Ledger.free(account, "collateral"), "lender", ticker, sold)
    const received = Units.times(sold, price)
    Ledger.transfer(ledger, "lender", Ledger.free(account, "collateral"), settlement, received)
    events.push({ _tag: "CollateralConverted", account, ticker, amount: sold, received })
  }
}

/** Settles the debts of an account after all its positions have closed. */
const settleDebts = (work: Work, account: string): void => {
  const { events, state } = work
  if (state.positionsOf.has(account) || !Ledger.isInDebt(state.ledger, account)) return
  convert(work, account)
  for (const { ticker } of state.currencies) {
    if (Ledger.debt(state.ledger, account, ticker) === 0n) continue
    const amount = Ledger.insure(state.ledger, account, ticker)
    if (amount > 0n) events.push({ _tag: "InsurancePaid", account, ticker, amount })
    const left = Ledger.debt(state.ledger, account, ticker)
    if (left > 0n) events.push({ _tag: "DebtLeft", account, ticker, amount: left })
  }
}

/**
 * Updates an account's watched price bounds and its margin-call status, and liquidates the account if its risk level
 * requires that.
 */
const check = (work: Work, account: string): void => {
  const { events, state } = work
  const { calls } = state
  let level = Risk.renew(state, account)
  if (level === "liquidation") {
    if (calls.get(account) !== "liquidation") events.push({ _tag: "LiquidationStarted", account })
    calls.set(account, "liquidation")
    closeAll(work, account)
    settleDebts(work, account)
    level = Risk.renew(state, account)
  }
  if (level === "call" && calls.get(account) !== "margin_call") {
    calls.set(account, "margin_call")
    events.push({ _tag: "MarginCalled", account })
  }
  if (level === "ease" && calls.delete(account)) events.push({ _tag: "MarginRestored", account })
}

/**
 * Marks the accounts that need a check because a price has reached one of their watched bounds, and collects the
 * markets whose prices have moved.
 */
const trigger = (state: State, markets: Set<MarketName>): void => {
  const { watches } = state
  for (const market of watches.moved) {
    markets.add(market)
    Watches.trigger(watches, `mark ${market}`, ReferencePrices.mark(state, market))
    Watches.trigger(watches, `index ${market}`, ReferencePrices.index(state, market))
  }
  watches.moved.clear()
}

/**
 * Checks the accounts affected by the current command, and makes margin calls or liquidates accounts where necessary. A
 * liquidation can move prices, which can affect further accounts, so the check runs in rounds until no account is
 * affected. In each round, the affected accounts are checked once, in alphabetical order.
 */
export const settle = (work: Work): void => {
  const { byOwner, dirty, moved } = work.state.watches
  const { debtors } = work.state.ledger
  if (dirty.size === 0 && moved.size === 0 && debtors.size === 0) return
  const markets = new Set<MarketName>()
  while (dirty.size > 0 || moved.size > 0 || debtors.size > 0) {
    trigger(work.state, markets)
    // A change in an account's debt changes the account's equity, whichever wallet the change came from.
    for (const account of debtors) dirty.add(account)
    debtors.clear()
    const accounts = [...dirty].toSorted()
    dirty.clear()
    for (const account of accounts) check(work, account)
  }
  byOwner.clear()
  for (const market of markets) {
    const mark = ReferencePrices.mark(work.state, market)
    const index = ReferencePrices.index(work.state, market)
    if (mark !== undefined && index !== undefined) work.events.push({ _tag: "MarkMoved", market, mark, index })
  }
}
