/** The invariants that hold after every command. */
import { assert } from "@effect/vitest"
import type { MarketName, OrderId, Ticker } from "../../../src/domain/Identifiers.ts"
import * as Margin from "../../../src/domain/Margin.ts"
import type { Market } from "../../../src/domain/Market.ts"
import { isOpen } from "../../../src/domain/Order.ts"
import * as Book from "../../../src/sandbox/engine/Book.ts"
import type { Action } from "../../../src/sandbox/engine/Command.ts"
import type { Event } from "../../../src/sandbox/engine/Event.ts"
import * as FifoQueue from "../../../src/sandbox/engine/FifoQueue.ts"
import * as Ledger from "../../../src/sandbox/engine/Ledger.ts"
import * as Listings from "../../../src/sandbox/engine/Listings.ts"
import * as Margins from "../../../src/sandbox/engine/Margins.ts"
import type { OcoOrder, Order } from "../../../src/sandbox/engine/Order.ts"
import * as Positions from "../../../src/sandbox/engine/Positions.ts"
import * as Quotes from "../../../src/sandbox/engine/Quotes.ts"
import * as ReferencePrices from "../../../src/sandbox/engine/ReferencePrices.ts"
import * as Saved from "../../../src/sandbox/engine/Saved.ts"
import type { State, Trading } from "../../../src/sandbox/engine/State.ts"
import * as Units from "../../../src/sandbox/engine/Units.ts"
import { type Answer, canonical, units } from "../../support/engine.ts"

/** A cheap assertion, because the checks call it millions of times. */
const holds = (condition: boolean, otherwise: string): void => {
  if (!condition) assert.fail(otherwise)
}

const sum = (values: Iterable<bigint>): bigint => [...values].reduce((total, value) => total + value, 0n)

const isQuoteAmount = ({ kind, side, type }: Order): boolean =>
  side === "buy" && (type === "market" || (type === "stop market" && kind === "spot"))

/** Returns the price on which an order's lock is based: its limit, or its activation price if it has no limit. */
const priceOf = (order: Order): Units.Units => units(order.price ?? order.stop?.price ?? assert.fail("has no price"))

/**
 * Checks that every asset is conserved. Only the lender, `funding` and `outside` have negative balances. Debts are
 * above zero, and an account with a debt has no free collateral in that asset.
 */
const ledger = ({ ledger }: State): void => {
  for (const [ticker, total] of Ledger.totals(ledger)) holds(total === 0n, `${ticker} is not conserved`)
  for (const [holder, held] of Ledger.save(ledger)) {
    for (const [ticker, balance] of held) {
      const isUnbounded = ["outside", "lender", "funding"].includes(holder)
      holds(balance > 0n || isUnbounded, `${holder} holds ${balance} ${ticker}`)
    }
  }
  for (const [account, owed] of ledger.debts) {
    holds(owed.size > 0, `${account} owes nothing, but is listed`)
    for (const [ticker, debt] of owed) {
      holds(debt > 0n, `${account} owes ${debt} ${ticker}`)
      const free = Ledger.balance(ledger, Ledger.free(account, "collateral"), ticker)
      holds(free === 0n, `${account} owes ${ticker}, but has free collateral`)
    }
  }
}

/** Returns each account's balances, investments and unused codes minus its debts, keyed by account and asset. */
const worth = ({ codes, investments, ledger }: State): Map<string, Units.Units> => {
  const worth = new Map<string, Units.Units>()
  for (const [holder, held] of Ledger.save(ledger)) {
    const [account, wallet] = holder.split("/")
    if (wallet === undefined) continue
    for (const [ticker, balance] of held) increase(worth, `${account} ${ticker}`, balance)
  }
  for (const { account, plan, units } of investments.values()) increase(worth, `${account} ${plan.ticker}`, units)
  for (const { applied, creator, ticker, units } of codes.values()) {
    if (applied === undefined) increase(worth, `${creator} ${ticker}`, units)
  }
  for (const [account, owed] of ledger.debts) {
    for (const [ticker, debt] of owed) increase(worth, `${account} ${ticker}`, -debt)
  }
  return worth
}

/** Checks that two tables have the same sums. An absent sum is zero. */
const equal = (
  found: ReadonlyMap<string, Units.Units>,
  expected: ReadonlyMap<string, Units.Units>,
  what: string
): void => {
  for (const key of new Set([...found.keys(), ...expected.keys()])) {
    const [is, should] = [found.get(key) ?? 0n, expected.get(key) ?? 0n]
    holds(is === should, `${what}: ${key} is ${is} instead of ${should}`)
  }
}

/** Adds an amount to the sum under a key. */
const increase = (sums: Map<string, Units.Units>, key: string, units: Units.Units): void => {
  sums.set(key, (sums.get(key) ?? 0n) + units)
}

/**
 * Checks that locked funds equal the locks of open orders. The margin of orders that affect positions is reserved
 * instead.
 */
const locks = (state: State): void => {
  const expected = new Map<string, Units.Units>()
  const reserved = new Map<string, Units.Units>()
  for (const { account, locked } of state.openOrders.values()) {
    if (locked === undefined || locked.units === 0n) continue
    holds(locked.units > 0n, "a lock below zero")
    if (locked.wallet === "collateral") {
      increase(reserved, account, locked.units)
      continue
    }
    const key = `${account}/${locked.wallet}/locked ${locked.ticker}`
    expected.set(key, (expected.get(key) ?? 0n) + locked.units)
  }
  for (const [holder, held] of Ledger.save(state.ledger)) {
    if (!holder.endsWith("/locked")) continue
    for (const [ticker, balance] of held) {
      holds(balance === expected.get(`${holder} ${ticker}`), `locked by ${holder} in ${ticker}`)
      expected.delete(`${holder} ${ticker}`)
    }
  }
  holds(expected.size === 0, "locked by an order, but not in the ledger")
  equal(state.reserved, reserved, "the margin of orders")
}

/** Checks that the lock of a spot order equals the order's remaining cost. */
const exactLock = (order: Order): void => {
  if (order.kind !== "spot") return
  const isWhole = order.side === "sell" || isQuoteAmount(order)
  const needed = isWhole ? order.left : Units.times(order.left, priceOf(order))
  holds(order.locked?.units === needed, "the order locks more or less than it needs")
}

/** Checks that an order's status matches its fills. */
const fits = (order: Order): void => {
  holds(
    order.left + (isQuoteAmount(order) ? order.dealMoney : order.dealStock) === order.quantity,
    "the filled and unfilled parts do not add up"
  )
  holds(order.left >= 0n && order.dealStock >= 0n && order.dealFee >= 0n, "an amount below zero")
  const dealt = order.dealStock > 0n
  switch (order.status) {
    case "NEW":
    case "CANCELED":
      return holds(!dealt, order.status)
    case "PARTIAL_FILLED":
    case "PARTIAL_CANCELED":
    case "CANCELED_TAKER_BAND":
      return holds(dealt && order.left > 0n, order.status)
    case "FILLED":
      // The remainder of a market buy can be less than the cost of the smallest amount.
      return holds(dealt && (isQuoteAmount(order) || order.left === 0n), order.status)
    case "AUTO_CANCELED_REDUCE_ONLY":
      return holds(order.reduceOnly && order.left > 0n, order.status)
    case "AUTO_CANCELED_LIQUIDATION":
      return holds(order.kind !== "spot" && order.left > 0n, order.status)
  }
}

const ended = (state: State, order: Order): void => {
  fits(order)
  assert.isFalse(isOpen(order.status), order.status)
  assert.isUndefined(order.queued)
  assert.strictEqual(order.locked?.units ?? 0n, 0n, "a closed order holds a lock")
  // Quotes that the counterparty canceled without a fill are not stored.
  const kept = order.account === Quotes.account && order.dealStock === 0n ? 0 : 1
  assert.strictEqual((state.endedOrders.get(order.account) ?? []).filter(({ id }) => id === order.id).length, kept)
}

/** Checks that the counterparty's orders on a market match its quotes on both sides, and that no quote is missing. */
const quoted = ({ openOrders }: State, market: MarketName, { price, quotes, settings }: Quotes.Quoting): void => {
  const open = [...openOrders.latest(Quotes.account, market)]
  if (!settings.enabled) return holds(open.length === 0, "the counterparty quotes although it is disabled")
  const expected = quotes.flatMap(({ order }) => openOrders.get(order ?? ("" as OrderId)) ?? [])
  holds(open.length === expected.length, "orders that are not quotes")
  for (const quote of quotes) {
    const order = quote.order === undefined ? undefined : openOrders.get(quote.order)
    holds(
      price !== undefined && (quote.side === "buy" ? quote.price < price : quote.price > price),
      "a quote on the wrong side of the price"
    )
    if (order === undefined) {
      holds(quote.order === undefined || !settings.refill, "a taken quote was not replaced")
      continue
    }
    const isAsOffered = order.queued === quote.price && order.side === quote.side && order.quantity === quote.amount
    holds(order.account === Quotes.account && isAsOffered, "an order that differs from its quote")
    holds(!settings.refill || order.dealStock === 0n, "a partly taken quote")
  }
}

/** Checks that the counterparty is always the maker, and that its spot balances equal its credits plus its trades. */
const counterparty = (state: State): void => {
  const { credited, hit, markets } = state.counterparty
  holds(hit.size === 0, "markets are still marked as hit")
  for (const [market, quoting] of markets) quoted(state, market, quoting)
  const fills = state.fills.get(Quotes.account) ?? []
  holds(fills.every(({ role }) => role === "maker"), "the counterparty was a taker")
  for (const ticker of ["BTC", "ETH", "SHIB"] as const) {
    const expected = fills.reduce(
      (sum, { amount, fee, order: { kind, market, side }, price }) => {
        const [stock, money] = market.split("_")
        if (kind !== "spot" || (stock !== ticker && money !== ticker)) return sum
        const moved = stock === ticker ? amount : -Units.times(amount, price)
        return sum + (side === "buy" ? moved : -moved) - ((side === "buy") === (stock === ticker) ? fee : 0n)
      },
      credited.get(ticker as Ticker) ?? 0n
    )
    const held = [true, false].map((locked) =>
      Ledger.balance(state.ledger, { account: Quotes.account, wallet: "trade", locked }, ticker as Ticker)
    )
    holds(sum(held) === expected, `the counterparty's balance of ${ticker}`)
  }
}

const open = (state: State, id: OrderId, order: Order): void => {
  holds(order.id === id && isOpen(order.status) && order.left > 0n, `open, but ${order.status}`)
  fits(order)
  exactLock(order)
  if (order.reduceOnly) {
    holds(Positions.reducible(state, order) > 0n, "nothing to reduce")
  }
}

/** Checks that every open order is in exactly one place: in the book at its price, or among the pending stop orders. */
const places = (state: State, market: MarketName, { book, lastPrice, waiting }: Saved.Trading): Set<Order> => {
  const found = new Set<Order>()
  for (const side of ["buy", "sell"] as const) {
    for (const sides of [book, book.rpi]) {
      for (const { orders, price } of side === "buy" ? sides.bids : sides.asks) {
        holds(orders.length > 0, "an empty level")
        for (const order of orders) {
          const isInPlace = order.market === market && order.side === side && order.queued === price
          const isAmongItsOwn = order.rpi === (sides === book.rpi)
          holds(isInPlace && isAmongItsOwn && !found.has(order), `${order.id} is in the wrong place`)
          found.add(order)
        }
      }
    }
  }
  for (const order of waiting.orders) {
    const isPending = order.queued === undefined && !order.stop.activated && order.status === "NEW"
    holds(
      order.market === market && isPending && !found.has(order),
      `${order.id} is among the pending stop orders, but is not one`
    )
    found.add(order)
    const price = units(order.stop.price)
    if (lastPrice === undefined) continue
    holds(
      order.stop.condition === "gte" ? lastPrice < price : lastPrice > price,
      "a pending stop order whose activation price has been reached"
    )
  }
  for (const order of found) holds(state.openOrders.get(order.id) === order, "in the book or pending, but not open")
  return found
}

/** Checks that prices are sorted, best first, and that no bid crosses an ask, except for RPI orders. */
const sorted = ({ book }: Saved.Trading): void => {
  const falls = (prices: ReadonlyArray<bigint>) => prices.slice(1).every((price, i) => price < (prices[i] ?? 0n))
  for (const { asks, bids } of [book, book.rpi]) {
    holds(falls(bids.map(({ price }) => price)), "bids are not sorted")
    holds(falls(asks.map(({ price }) => price).toReversed()), "asks are not sorted")
  }
  const { asks, bids } = book
  const [bid, ask] = [bids[0]?.price, asks[0]?.price]
  holds(bid === undefined || ask === undefined || bid < ask, "the book is crossed")
}

/** Checks that the total of each price level equals the sum of the level's open orders. */
const counted = ({ book }: Trading): void => {
  for (const side of ["buy", "sell"] as const) {
    for (const { left, orders, price } of [...Book.levels(book, side), ...Book.levels(book.rpi, side)]) {
      holds(left === sum(FifoQueue.members(orders).map((order) => order.left)), `the total at ${price}`)
    }
  }
}

/** Returns the key of an order's position. In hedge mode, a futures order affects the long or the short position. */
const keyOf = ({ accounts }: State, { account, kind, market, positionSide }: Order): string =>
  `${account}/${market}${kind === "futures" && accounts.get(account)?.hedgeMode === true ? `/${positionSide}` : ""}`

const percentOf = (listed: Market, role: "maker" | "taker"): Units.Units =>
  Units.ofPercent(role === "taker" ? listed.takerFee : listed.makerFee)

/** Returns the margin plus the fee for this amount at this price, at the default leverage. */
const marginOf = ({ takerFee }: Market, amount: Units.Units, price: Units.Units): Units.Units => {
  const total = Units.times(amount, price)
  return total / 10n + Units.times(total, Units.ofPercent(takerFee))
}

/** Returns the part of an order without reduceOnly for which no margin is locked. Such a part closes a position. */
const uncovered = (market: Market, order: Order, locked: Units.Units): Units.Units => {
  const needed = marginOf(market, order.left, order.queued ?? priceOf(order))
  return locked >= needed ? 0n : order.left - order.left * locked / needed
}

/**
 * Returns the open orders that affect positions and are not reduce-only. An OCO order counts once, with the lock of
 * both legs.
 */
const plainOrders = (state: State) => {
  const { ocoOrders, openOrders } = state
  return [...openOrders.values()].flatMap((order) => {
    if (order.kind === "spot" || order.reduceOnly) return []
    const pair = order.oco === undefined ? undefined : ocoOrders.get(order.oco)
    if (pair?.stopLoss === order) return []
    const locked = (order.locked?.units ?? 0n) + (pair?.stopLoss.locked?.units ?? 0n)
    return [{ order, locked, key: `${keyOf(state, order)}/${order.side}` }]
  })
}

/** Checks that the order parts without margin together close no more than the position. */
const secured = (state: State): void => {
  const sums = new Map<string, Units.Units>()
  for (const { key, locked, order } of plainOrders(state)) {
    const market = state.markets.get(order.market) ?? assert.fail("no such market")
    const sum = (sums.get(key) ?? 0n) + uncovered(market, order, locked)
    sums.set(key, sum)
    const closes = Positions.reducible(state, order)
    holds(sum <= closes + 10n, `${key} would open ${sum - closes} without margin`)
  }
}

const shown = Units.toDecimal

/** Returns the account in the form that the public formulas take. */
export const accountOf = (state: State, account: string): Margin.Account => ({
  leverage: state.accounts.get(account)?.leverage ?? 10,
  assets: [...state.currencies].map(({ ticker }) => ({
    amount: shown(
      Ledger.balance(state.ledger, Ledger.free(account, "collateral"), ticker) -
        Ledger.debt(state.ledger, account, ticker)
    ),
    price: shown(ReferencePrices.ofAsset(state, ticker) ?? 0n),
    weight: shown(state.weights.get(ticker) ?? 0n)
  })),
  orderMargin: shown(state.reserved.get(account) ?? 0n),
  rules: state.margin,
  positions: [...state.positionsOf.get(account) ?? []].map((position) => {
    const size = position.amount < 0n ? -position.amount : position.amount
    const basePrice = shown(Units.over(position.cost, size))
    const market = state.markets.get(position.market)
    const mark = ReferencePrices.mark(state, position.market)
    return {
      market: position.market,
      side: position.side,
      amount: shown(position.amount),
      basePrice,
      markPrice: mark === undefined ? basePrice : shown(mark),
      brackets: market?.type === "futures"
        ? Listings.brackets.map(({ leverage, upTo = 0n }) => ({ leverage: Number(leverage), upTo: shown(upTo) }))
        : [{ leverage: state.margin.marginMaxLeverage }]
    }
  })
})

const isClose = (one: string, other: Units.Units): boolean => {
  const difference = units(one) - other
  return difference < 1_000_000n && difference > -1_000_000n
}

/**
 * Checks that the engine's values equal the values of the public formulas, apart from the rounding of entry prices.
 * Every account at the margin call level has a margin call, every account at the liquidation level is in liquidation,
 * and no account without positions is in either state.
 */
const levels = (state: State, withFormulas: boolean): void => {
  const { dirty, moved } = state.watches
  holds(dirty.size === 0 && moved.size === 0, "accounts that were not checked")
  for (const account of state.positionsOf.keys()) {
    if (account === Quotes.account) continue
    const figures = Margins.of(state, account)
    const summary = withFormulas ? Margin.summary(accountOf(state, account)) : undefined
    for (const field of summary === undefined ? [] : ["equity", "margin", "pnl", "freeMargin"] as const) {
      const expected = summary?.[field] ?? ""
      holds(isClose(expected, figures[field]), `${account}: ${field} is ${expected} by the public formulas`)
    }
    const worth = figures.equity + figures.pnl
    const call = state.calls.get(account)
    const callAt = figures.maintenance * units(state.margin.callRatio) / Units.one
    if (worth <= figures.maintenance) holds(call === "liquidation", `${account} is not in liquidation`)
    else if (worth < callAt - 10n) holds(call === "margin_call", `${account} is not called`)
    else if (worth > callAt + 10n) holds(call === undefined, `${account} is still called`)
  }
  for (const account of state.calls.keys())
    holds(state.positionsOf.has(account), `${account} is called without positions`)
}

/**
 * Tracks an exchange from the start in independent records: each order's fills, queue order, positions, trades with the
 * outside market, and each account's gains and losses.
 */
export class Follower {
  private readonly orders = new Map<string, Order>()
  /** The reply's orders whose events have not been processed yet. */
  private readonly named = new Map<string, Order>()
  private readonly pairs: Array<OcoOrder> = []
  private readonly arrivals = new Map<string, number>()
  private readonly deals = new Map<string, { stock: Units.Units; money: Units.Units }>()
  private readonly positions = new Map<string, Units.Units>()
  private readonly costs = new Map<string, Units.Units>()
  private readonly tradedOutside = new Map<string, Units.Units>()
  /** The expected balances of `funding`, the other side of all funding payments. */
  private readonly funded = new Map<string, Units.Units>()
  /** The expected balances of the insurance account. */
  private readonly insured = new Map<string, Units.Units>()
  /** The interest that the exchange has received. */
  private readonly interest = new Map<string, Units.Units>()
  /** Each account's expected assets minus its debts, keyed by account and asset. */
  private readonly worth: Map<string, Units.Units>
  /** The expected balances of `outside`. */
  private readonly outside: Map<string, Units.Units>
  /** The credits that the counterparty has received so far. */
  private readonly credited: Map<string, Units.Units>
  private readonly state: State
  private greatestId = 0n
  private checks = 0
  private hasLeverage = false
  private arrived = 0
  trades = 0

  constructor(state: State) {
    this.state = state
    this.worth = worth(state)
    this.outside = new Map(Ledger.balances(state.ledger, "outside"))
    this.credited = new Map(state.counterparty.credited)
  }

  /** Checks a command's reply, its events, and the resulting state. */
  check({ events, reply }: Answer, action?: Action): void {
    if (action?._tag === "OpenPosition" && reply._tag === "Done") this.openPosition(action)
    if (action?._tag === "Fund" && reply._tag === "Done" && action.account !== Quotes.account) {
      this.credit(action.account, action.ticker, units(action.amount))
    }
    if (action?._tag === "SetInsurance" && reply._tag === "Done") {
      const before = this.insured.get(action.ticker) ?? 0n
      this.insured.set(action.ticker, units(action.amount))
      increase(this.outside, action.ticker, before - units(action.amount))
    }
    if (reply._tag === "CodeApplied" && action?._tag === "Call" && action.operation._tag === "ApplyCode") {
      const { applied = "", creator, ticker, units } = this.state.codes.get(action.operation.code) ??
        assert.fail("no code")
      increase(this.worth, `${creator} ${ticker}`, -units)
      increase(this.worth, `${applied} ${ticker}`, units)
    }
    for (const [ticker, total] of this.state.counterparty.credited) {
      this.credit(Quotes.account, ticker, total - (this.credited.get(ticker) ?? 0n))
      this.credited.set(ticker, total)
    }
    if (reply._tag === "OrderPlaced" || reply._tag === "StopPlaced" || reply._tag === "OrderModified") {
      this.name(reply.order)
    }
    if (reply._tag === "BulkDone" && action?._tag === "Call" && action.operation._tag === "PlaceBulk") {
      for (const each of reply.replies) if (each._tag === "OrderPlaced") this.name(each.order)
    }
    if (reply._tag === "OcoPlaced") {
      this.pairs.push(reply.oco)
      this.newId(reply.oco.id)
      this.name(reply.oco.stopLoss)
      this.name(reply.oco.takeProfit)
    }
    for (const event of events) this.follow(event)
    assert.deepStrictEqual([...this.named.keys()], [], "in a reply, but never placed")
    if (reply._tag === "Refused" || reply._tag === "Invalid") assert.isEmpty(events)
    ledger(this.state)
    locks(this.state)
    const found = new Set<Order>()
    for (const [market, trading] of Saved.save(this.state).trading) {
      for (const order of places(this.state, market, trading)) found.add(order)
      sorted(trading)
      this.inTurn(trading)
    }
    for (const trading of this.state.trading.values()) counted(trading)
    for (const [id, order] of this.state.openOrders) {
      open(this.state, id, order)
      holds(found.has(order), "open, but nowhere")
    }
    this.pairsEndTogether()
    this.exitsAreWhole()
    this.positionsAgree()
    this.lenderAgrees()
    this.worthAgrees()
    counterparty(this.state)
    // Orders keep the margin for the leverage at which they were placed.
    if (!this.hasLeverage) secured(this.state)
    levels(this.state, ++this.checks % 8 === 0)
  }

  /** Runs the slow checks, which examine every order ever placed and its fees. */
  checkAll(): void {
    this.exitsTradeOnce()
    const fees = new Map(this.interest)
    for (const order of this.orders.values()) {
      if (!this.state.openOrders.has(order.id)) ended(this.state, order)
      const deals = this.deals.get(order.id) ?? { stock: 0n, money: 0n }
      assert.deepStrictEqual({ stock: order.dealStock, money: order.dealMoney }, deals)
      const [stock, money] = order.market.split("_").map((ticker) => ticker === "PERP" ? "USDT" : ticker)
      const ticker = (order.kind === "spot" && order.side === "buy" ? stock : money) ?? ""
      fees.set(ticker, (fees.get(ticker) ?? 0n) + order.dealFee)
    }
    for (const [ticker, fee] of Ledger.balances(this.state.ledger, "house")) {
      assert.strictEqual(fee, fees.get(ticker), `fees in ${ticker}`)
      fees.delete(ticker)
    }
    assert.strictEqual(sum(fees.values()), 0n)
  }

  private newId(id: string): void {
    assert.isTrue(BigInt(id) > this.greatestId, "identifiers do not increase")
    this.greatestId = BigInt(id)
  }

  /** Finds an order that no reply contains: a take-profit, a stop-loss, or a liquidation order. */
  private find({ account, order }: { readonly account: string; readonly order: OrderId }): Order {
    const ended = this.state.endedOrders.get(account) ?? []
    const found = this.state.openOrders.get(order) ?? ended.find(({ id }) => id === order) ??
      assert.fail("no such order")
    const isLeg = found.reduceOnly && found.type === "stop market" && found.oco !== undefined
    const isOfLiquidation = new RegExp(`^(liquidation|adl)_${order}_!$`, "u").test(found.clientOrderId ?? "")
    holds(isLeg || isOfLiquidation, "in no reply, and neither the leg of an exit nor an order of a liquidation")
    return found
  }

  /**
   * Registers an order from the reply. The order is treated as placed at its first event, because other orders might
   * come before it.
   */
  private name(order: Order): void {
    this.named.set(order.id, order)
  }

  private place(order: Order): void {
    this.named.delete(order.id)
    this.newId(order.id)
    this.orders.set(order.id, order)
  }

  /** Registers an order of the counterparty. Other orders are registered from replies, but no reply contains these. */
  private offer(id: OrderId): void {
    const fill = this.state.fills.get(Quotes.account)?.findLast(({ order }) => order.id === id)
    const order = this.state.openOrders.get(id) ?? fill?.order
    if (order === undefined) this.newId(id)
    else this.place(order)
  }

  private follow(event: Event): void {
    switch (event._tag) {
      case "OrderPlaced":
        if (event.account === Quotes.account) this.offer(event.order)
        else this.place(this.named.get(event.order) ?? this.find(event))
        this.arrivals.set(event.order, this.arrived++)
        return
      case "OrderActivated":
        this.arrivals.set(event.order, this.arrived++)
        return
      case "OrderEnded":
        // The counterparty can quote and withdraw an order in the same command.
        if (event.account === Quotes.account && !this.orders.has(event.order)) return
        return ended(this.state, this.orders.get(event.order) ?? assert.fail("an unknown order was closed"))
      case "Traded":
        return this.trade(event)
      case "InterestPaid":
        return this.credit(event.account, event.ticker, event.amount)
      case "FundingPaid":
        increase(this.worth, `${event.account} USDT`, event.amount)
        return increase(this.funded, "USDT", -event.amount)
      case "BorrowInterestPaid":
        increase(this.worth, `${event.account} USDT`, -event.amount)
        return increase(this.interest, "USDT", event.amount)
      case "InsurancePaid":
        increase(this.insured, event.ticker, -event.amount)
        return increase(this.worth, `${event.account} ${event.ticker}`, event.amount)
      case "CollateralConverted":
        increase(this.worth, `${event.account} ${event.ticker}`, -event.amount)
        increase(this.worth, `${event.account} USDT`, event.received)
        increase(this.tradedOutside, event.ticker, event.amount)
        return increase(this.tradedOutside, "USDT", -event.received)
      case "LeverageChanged":
        this.hasLeverage = true
        return
      case "MarkMoved":
      case "HedgeModeChanged":
      case "PositionChanged":
      case "FundingSettled":
      case "MarginCalled":
      case "MarginRestored":
      case "LiquidationStarted":
      case "Deleveraged":
      case "DebtLeft":
      case "PriceMoved":
      case "KillSwitchFired":
      case "BalanceChanged":
      case "Restored":
        return
    }
  }

  private trade(event: Extract<Event, { readonly _tag: "Traded" }>): void {
    this.trades++
    assert.isTrue(event.amount > 0n)
    // The taker is filled first.
    for (const role of ["taker", "maker"] as const) {
      const id = event[role]
      if (id !== undefined) this.deal(id, event.amount, event.price, role)
    }
    const maker = event.maker === undefined ? undefined : this.orders.get(event.maker)
    if (event.taker !== undefined && event.maker !== undefined) return
    holds(maker?.account !== Quotes.account, "the counterparty has traded with the outside market")
    // If the trade has no maker, the outside market was the maker.
    const isBought = (event.side === "buy") === (event.taker === undefined)
    this.tradeOutside(event.market, isBought ? event.amount : -event.amount, event.price)
  }

  /** Records the outside market's trade with the lender, which holds the assets that the outside market bought. */
  private tradeOutside(market: MarketName, signed: bigint, price: Units.Units): void {
    const { money, stock } = this.listed(market)
    increase(this.tradedOutside, stock, signed)
    increase(this.tradedOutside, money, -Units.times(signed, price))
  }

  private listed(market: MarketName): Market {
    return this.state.markets.get(market) ?? assert.fail("no such market")
  }

  /** Credits an amount that comes from outside. */
  private credit(account: string, ticker: Ticker, amount: Units.Units): void {
    increase(this.outside, ticker, -amount)
    increase(this.worth, `${account} ${ticker}`, amount)
  }

  private deal(id: OrderId, amount: Units.Units, price: Units.Units, role: "maker" | "taker"): void {
    const order = this.orders.get(id) ?? assert.fail("an unknown order has traded")
    const deals = this.deals.get(id) ?? { stock: 0n, money: 0n }
    this.deals.set(id, { stock: deals.stock + amount, money: deals.money + Units.times(amount, price) })
    if (order.price !== undefined) {
      assert.isTrue(order.side === "buy" ? price <= priceOf(order) : price >= priceOf(order), "beyond its limit")
    }
    const listed = this.listed(order.market)
    const total = Units.times(amount, price)
    const [received, ticker] = order.kind === "spot" && order.side === "buy"
      ? [amount, listed.stock] as const
      : [total, listed.money] as const
    increase(this.worth, `${order.account} ${ticker}`, -Units.times(received, percentOf(listed, role)))
    if (order.kind === "spot") {
      const sign = order.side === "buy" ? 1n : -1n
      increase(this.worth, `${order.account} ${listed.stock}`, sign * amount)
      increase(this.worth, `${order.account} ${listed.money}`, -sign * total)
      return assert.isFalse(order.reduceOnly, "a spot order has no position to reduce")
    }
    const key = keyOf(this.state, order)
    const before = this.positions.get(key) ?? 0n
    const after = before + (order.side === "buy" ? amount : -amount)
    if (order.reduceOnly) {
      holds(before > 0n ? after >= 0n && after < before : after <= 0n && after > before, "a position is not reduced")
    }
    this.position(key, order.account, order.market, order.side === "buy" ? amount : -amount, price)
  }

  private openPosition({ account, amount, market, price, side }: Extract<Action, { _tag: "OpenPosition" }>): void {
    const [size, at] = [units(amount), units(price ?? assert.fail("the draft has no price"))]
    const signed = side === "buy" ? size : -size
    const isHedged = this.state.accounts.get(account)?.hedgeMode === true && this.listed(market).type === "futures"
    const key = `${account}/${market}${isHedged ? (side === "buy" ? "/LONG" : "/SHORT") : ""}`
    this.position(key, account, market, signed, at)
    // No funds move, as if the outside market had taken the other side.
    this.tradeOutside(market, -signed, at)
  }

  /** Tracks a position, and the profit of its closed part. */
  private position(key: string, account: string, market: MarketName, signed: bigint, price: Units.Units): void {
    const [before, cost] = [this.positions.get(key) ?? 0n, this.costs.get(key) ?? 0n]
    this.positions.set(key, before + signed)
    const [held, size] = [before, signed].map((amount) => amount < 0n ? -amount : amount) as [bigint, bigint]
    const closed = before === 0n || before > 0n === signed > 0n ? 0n : held < size ? held : size
    const paid = closed === 0n ? 0n : cost * closed / held
    this.costs.set(key, cost - paid + Units.times(size - closed, price))
    const listed = this.listed(market)
    const value = Units.times(closed, price)
    increase(this.worth, `${account} ${listed.money}`, before > 0n ? value - paid : paid - value)
  }

  /** Checks that the oldest order at every price is first. */
  private inTurn({ book }: Saved.Trading): void {
    for (const { orders } of [...book.bids, ...book.asks, ...book.rpi.bids, ...book.rpi.asks]) {
      const arrived = orders.map(({ id }) => this.arrivals.get(id) ?? assert.fail("was never placed"))
      holds(arrived.every((turn, i) => i === 0 || turn > (arrived[i - 1] ?? turn)), "out of turn")
    }
  }

  /** Checks that either both legs of an OCO order are open and untouched, or at most one leg is open. */
  private pairsEndTogether(): void {
    for (const { id, stopLoss, takeProfit } of this.pairs) {
      const open = [stopLoss, takeProfit].filter((leg) => this.state.openOrders.has(leg.id))
      const traded = [stopLoss, takeProfit].filter((leg) => leg.dealStock > 0n)
      if (this.state.ocoOrders.has(id)) {
        holds(
          open.length === 2 && traded.length === 0 && !stopLoss.stop.activated,
          "a pair whose legs are not both open and untouched"
        )
      } else holds(open.length < 2 && traded.length < 2, "both legs of a pair are open or have traded")
    }
  }

  /** Checks that an order's take-profit and stop-loss both wait until one of them is triggered. */
  private exitsAreWhole(): void {
    for (const { id, stopLoss, takeProfit } of this.state.exits.values()) {
      for (const leg of [stopLoss, takeProfit]) {
        if (leg === undefined) continue
        holds(
          this.state.openOrders.get(leg.id) === leg && !leg.stop.activated && leg.oco === id,
          "a leg of an exit that is not waiting for its trigger"
        )
      }
      holds(stopLoss !== undefined || takeProfit !== undefined, "an exit without legs")
    }
    for (const { order } of this.state.otoOrders.values())
      holds(this.state.openOrders.get(order.id) === order, "an exit whose order is not open")
  }

  /** Checks that of an order's take-profit and stop-loss, at most one has traded. */
  private exitsTradeOnce(): void {
    const traded = new Set<OrderId>()
    for (const { dealStock, oco, type } of this.orders.values()) {
      if (type !== "stop market" || oco === undefined || dealStock === 0n) continue
      holds(!traded.has(oco), "both legs of an exit have traded")
      traded.add(oco)
    }
  }

  private positionsAgree(): void {
    const open = [...this.positions].filter(([, amount]) => amount !== 0n)
    holds(this.state.positions.size === open.length, "too many positions, or too few")
    for (const [key, amount] of open) {
      const position = this.state.positions.get(key) ?? assert.fail(`no position ${key}`)
      holds(position.amount === amount, `the position of ${key}`)
      holds(position.cost > 0n, "an open position without a cost")
    }
  }

  /**
   * Checks that the lender holds the other side of all positions, at cost, and of all trades with the outside market.
   * Debts are owed to the lender. Spot trades between accounts do not change the lender's balances.
   */
  private lenderAgrees(): void {
    const expected = new Map(this.tradedOutside)
    for (const { amount, cost, market } of this.state.positions.values()) {
      const { money, stock } = this.listed(market)
      increase(expected, stock, amount)
      increase(expected, money, amount > 0n ? -cost : cost)
    }
    const held = new Map<string, Units.Units>(Ledger.balances(this.state.ledger, "lender"))
    for (const owed of this.state.ledger.debts.values()) {
      for (const [ticker, debt] of owed) increase(held, ticker, debt)
    }
    equal(held, expected, "the balances and claims of the lender")
  }

  /**
   * Checks that each account's assets minus its debts equal its gains minus its losses, and that `outside` has paid
   * exactly the expected amounts.
   */
  private worthAgrees(): void {
    equal(worth(this.state), this.worth, "the assets of an account minus its debts")
    equal(Ledger.balances(this.state.ledger, "outside"), this.outside, "the balances of outside")
    equal(Ledger.balances(this.state.ledger, "insurance"), this.insured, "the insurance account")
    equal(Ledger.balances(this.state.ledger, "funding"), this.funded, "the other side of all funding")
  }
}

/**
 * Returns the state without the times of the last call and command, the only values that a refused call may change.
 */
export const apartFromActivity = ({ keys, ...state }: State): string =>
  canonical({
    ...Saved.save({ ...state, keys }),
    at: 0,
    keys: [...keys.values()].map((key) => ({ ...key, lastActivity: 0 }))
  })
