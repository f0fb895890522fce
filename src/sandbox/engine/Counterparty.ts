/**
 * The counterparty: a built-in account that quotes both sides of a market around the price that the venue's owner sets.
 * Its quotes are ordinary orders in the book. The counterparty trades only as a maker: it never takes liquidity, and a
 * price move does not fill its quotes.
 */
import { Amount, type Decimal, Price } from "../../domain/Decimal.ts"
import type { MarketName, Ticker } from "../../domain/Identifiers.ts"
import type { Market } from "../../domain/Market.ts"
import * as Accounts from "./Accounts.ts"
import type { Action } from "./Command.ts"
import * as Ledger from "./Ledger.ts"
import * as Locks from "./Locks.ts"
import * as Margins from "./Margins.ts"
import * as OrderEnd from "./OrderEnd.ts"
import * as Orders from "./Orders.ts"
import * as Prices from "./Prices.ts"
import * as Quotes from "./Quotes.ts"
import * as Reply from "./Reply.ts"
import type { State } from "./State.ts"
import * as Terms from "./Terms.ts"
import * as Units from "./Units.ts"
import type { Work } from "./Work.ts"

type Of<Tag extends Action["_tag"]> = Extract<Action, { readonly _tag: Tag }>

const count = ({ counterparty: { credited } }: State, ticker: Ticker, units: Units.Units): void => {
  credited.set(ticker, (credited.get(ticker) ?? 0n) + units)
}

/** Tops up a wallet so that it can fund a quote. The credit pays the counterparty's debt first. */
const credit = ({ state }: Work, market: Market, { amount, price, side }: Quotes.Quote): void => {
  const kind = Orders.kindOf(market, false)
  const trader = { account: Quotes.account, market: market.name, side, reduceOnly: false }
  const { ticker, units, wallet } = Locks.requirementOf(
    state,
    market,
    { ...trader, kind, left: amount },
    Units.times(amount, price)
  )
  const holder = Ledger.free(Quotes.account, wallet)
  const held = wallet === "collateral"
    ? Margins.freeMargin(state, Quotes.account)
    : Ledger.balance(state.ledger, holder, ticker) - Ledger.debt(state.ledger, Quotes.account, ticker)
  const missing = units - held
  if (missing <= 0n) return
  Ledger.transfer(state.ledger, "outside", holder, ticker, missing)
  count(state, ticker, missing)
}

/** Cancels all of the counterparty's orders on a market. */
const withdraw = (work: Work, market: MarketName, quoting: Quotes.Quoting): void => {
  for (const order of work.state.openOrders.latest(Quotes.account, market)) OrderEnd.cancel(work, order)
  quoting.quotes = []
}

/**
 * Places a quote's order. The order is not placed if it would trade immediately, violate a market rule, or cost more
 * than the counterparty has.
 */
const place = (work: Work, market: Market, { settings }: Quotes.Quoting, quote: Quotes.Quote): void => {
  if (settings.credit) credit(work, market, quote)
  const reply = Orders.enterLimit(work, Quotes.account, {
    _tag: "PlaceLimit",
    market: market.name,
    side: quote.side,
    amount: Amount.make(Units.toDecimal(quote.amount), { disableChecks: true }),
    price: Price.make(Units.toDecimal(quote.price), { disableChecks: true }),
    collateral: false,
    postOnly: true
  })
  quote.order = reply._tag === "OrderPlaced" ? reply.order.id : undefined
}

/** Replaces all of the counterparty's orders with new quotes around the price. */
const requote = (work: Work, market: Market, quoting: Quotes.Quoting): void => {
  withdraw(work, market.name, quoting)
  if (!quoting.settings.enabled || quoting.price === undefined) return
  quoting.quotes = Quotes.around(market, quoting, quoting.price)
  for (const quote of quoting.quotes) place(work, market, quoting, quote)
}

/**
 * Replaces the quotes that have traded, fully or partly, and places the quotes that have no open order. Quotes that
 * have not traded keep their place in the queue.
 */
const offerMissing = (work: Work, name: MarketName, quoting: Quotes.Quoting): void => {
  const market = work.state.markets.get(name)
  if (market === undefined) return
  for (const quote of quoting.quotes) {
    const order = quote.order === undefined ? undefined : work.state.openOrders.get(quote.order)
    if (order?.dealStock === 0n) continue
    if (order !== undefined) OrderEnd.cancel(work, order)
    place(work, market, quoting, quote)
  }
}

/**
 * Replaces the quotes that were fully or partly filled, or closed, during the current command, on each market whose
 * settings allow refills.
 */
export const refill = (work: Work): void => {
  const { hit, markets } = work.state.counterparty
  if (hit.size === 0) return
  for (const name of hit) {
    const quoting = markets.get(name)
    if (quoting?.settings.refill === true) offerMissing(work, name, quoting)
  }
  hit.clear()
}

/**
 * Moves a market's price. First the counterparty cancels its quotes, so that the new price fills none of them. Buy
 * orders above the price and sell orders below it trade with the outside market. Then the counterparty quotes again,
 * and stop orders triggered by the price can trade against the new quotes.
 */
export const movePrice = (work: Work, market: Market, price: Units.Units): void => {
  const quoting = work.state.counterparty.markets.get(market.name)
  if (quoting !== undefined) quoting.price = price
  if (quoting?.settings.enabled !== true) return Prices.movePrice(work, market, price)
  withdraw(work, market.name, quoting)
  Prices.setPrice(work, market, price)
  requote(work, market, quoting)
  Prices.triggerStopOrders(work, market)
  refill(work)
}

/**
 * Credits one of the counterparty's wallets from outside the exchange, then places the quotes that the counterparty
 * could not afford before.
 */
export const fund = (work: Work, action: Of<"Fund">): Reply.Reply => {
  const { state } = work
  const reply = Accounts.fund(state, action)
  if (reply._tag !== "Done") return reply
  count(state, action.ticker, Units.from(action.amount) ?? 0n)
  for (const [name, quoting] of state.counterparty.markets) offerMissing(work, name, quoting)
  return reply
}

const maxLevels = 50

/** Whether a percentage is outside its bounds; the bounds themselves are allowed. */
const isOutside = (percent: Decimal, least: Units.Units, most: bigint): boolean => {
  const units = Units.from(percent)
  return units === undefined || units < least || units > most * Units.one
}

/** The refusal if settings are invalid; `undefined` if the settings are valid. */
const wrong = (market: Market, { amount, levels, spread, step, variation }: Quotes.Settings) => {
  if (isOutside(spread, 1n, 50n)) return Reply.invalid(["spread", { kind: "max", max: 50 }])
  if (levels < 1) return Reply.invalid(["levels", { kind: "min", min: 1 }])
  if (levels > maxLevels) return Reply.invalid(["levels", { kind: "max", max: maxLevels }])
  if (isOutside(step, 0n, 1n)) return Reply.invalid(["step", { kind: "max", max: 1 }])
  if (isOutside(variation, 0n, 100n)) return Reply.invalid(["variation", { kind: "max", max: 100 }])
  const units = amount === undefined ? undefined : Units.from(amount)
  if (amount !== undefined && (units === undefined || units < Terms.of(market).minAmount)) {
    return Reply.invalid(["amount", { kind: "minAmount", min: market.minAmount }])
  }
  return undefined
}

/** Makes the counterparty quote a market, or changes its settings for that market. */
export const set = (work: Work, { _tag, market: name, ...options }: Of<"SetCounterparty">): Reply.Reply => {
  const { counterparty: { markets }, markets: listed, trading } = work.state
  const market = listed.get(name)
  if (market === undefined) return Reply.invalid(["market", { kind: "known" }])
  const known = markets.get(name)
  const settings: Quotes.Settings = { ...known?.settings ?? Quotes.defaults, ...options }
  const refused = wrong(market, settings)
  if (refused !== undefined) return refused
  const quoting = known ?? { settings, price: undefined, random: settings.seed >>> 0, quotes: [] }
  quoting.settings = settings
  quoting.price ??= trading.get(name)?.lastPrice
  if (options.seed !== undefined) quoting.random = options.seed >>> 0
  markets.set(name, quoting)
  requote(work, market, quoting)
  return Reply.done
}
