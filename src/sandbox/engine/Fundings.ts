/**
 * Settles the funding of futures markets at whole multiples of each market's interval. The ledger's holder `funding` is
 * the other party to every payment. This holder keeps the rounding differences and settles any imbalance between longs
 * and shorts.
 */
import type { MarketName } from "../../domain/Identifiers.ts"
import * as MarginUnits from "../../domain/MarginUnits.ts"
import * as Book from "./Book.ts"
import type { Action } from "./Command.ts"
import * as Ledger from "./Ledger.ts"
import * as MarginRules from "./MarginRules.ts"
import * as Positions from "./Positions.ts"
import * as Quotes from "./Quotes.ts"
import * as ReferencePrices from "./ReferencePrices.ts"
import * as Reply from "./Reply.ts"
import type { Funding, State } from "./State.ts"
import * as TimerQueue from "./TimerQueue.ts"
import * as Units from "./Units.ts"
import type { Work } from "./Work.ts"

/** The maximum number of settlements stored for each market; the oldest are dropped first. */
const kept = 1000

/** The current premium of a market's book over its index, as a ratio. */
const premiumOf = (state: State, market: MarketName): Units.Units => {
  const book = state.trading.get(market)?.book
  const index = ReferencePrices.index(state, market)
  return book === undefined || index === undefined
    ? 0n
    : MarginUnits.premium(index, Book.best(book, "buy"), Book.best(book, "sell"))
}

/**
 * At every whole minute after `from` and up to `to` (Unix microseconds), samples the premium of each market with
 * positions. The state does not change between `from` and `to`, so all samples of a market are equal.
 */
export const sample = (state: State, from: number, to: number): void => {
  if (state.positions.size === 0) return
  const count = Math.floor(to / 60e6) - Math.floor(from / 60e6)
  if (count <= 0) return
  for (const [market, terms] of state.funding) {
    if (!state.positionsOn.has(market)) continue
    const before = terms.samples
    terms.samples += count
    terms.weighted += premiumOf(state, market) * (MarginUnits.triangle(terms.samples) - MarginUnits.triangle(before))
  }
}

/**
 * The rate, as a ratio, at which a market's funding would be settled now: the rate that the owner has set, if any;
 * otherwise a rate computed from the average premium since the latest settlement, where the n-th sample has weight n.
 * Until the first sample, the current premium is used.
 */
export const rateOf = (state: State, market: MarketName): Units.Units => {
  const terms = state.funding.get(market)
  if (terms === undefined) return 0n
  if (terms.rate !== undefined) return terms.rate
  const premium = terms.samples === 0
    ? premiumOf(state, market)
    : terms.weighted / MarginUnits.triangle(terms.samples)
  return MarginUnits.fundingRate(premium, { ...terms, clamp: MarginRules.of(state.margin).fundingClamp })
}

/**
 * The time of a market's next settlement after `at`, in Unix microseconds; `undefined` if the market has no funding. If
 * the market has no positions, nothing is paid at that time.
 */
export const nextAt = (state: State, market: MarketName, at: number): number | undefined => {
  const terms = state.funding.get(market)
  return terms && Positions.nextMultiple(at, terms.intervalMinutes)
}

const pay = (work: Work, market: MarketName, { intervalMinutes }: Funding, rate: Units.Units, price: Units.Units) => {
  const { at, events, state } = work
  const listed = state.markets.get(market)
  if (listed === undefined) return
  for (const position of state.positionsOn.get(market) ?? []) {
    const { account } = position
    const amount = MarginUnits.fundingAmount(rate, position.amount, price)
    if (amount > 0n) {
      Ledger.transfer(state.ledger, "funding", Ledger.free(account, "collateral"), listed.money, amount)
      state.watches.dirty.add(account)
    } else Positions.charge(state, account, listed, -amount, "funding")
    position.funding -= amount
    events.push({ _tag: "FundingPaid", account, market, amount })
    if (account === Quotes.account) continue
    Positions.keep(state.fundingPayments, account, {
      market,
      at,
      rate,
      ratedAt: at - intervalMinutes * 60e6,
      price,
      position: position.amount,
      amount
    })
  }
}

/**
 * Settles a market's funding, and schedules the market's next settlement. The market must be the one whose settlement
 * is due next.
 */
export const settle = (work: Work, market: MarketName): void => {
  const { at, events, state } = work
  const terms = state.funding.get(market)
  TimerQueue.pop(state.due.funding)
  const price = ReferencePrices.mark(state, market)
  if (terms === undefined) return
  TimerQueue.add(state.due.funding, Positions.nextMultiple(at, terms.intervalMinutes), market)
  const rate = rateOf(state, market)
  terms.weighted = 0n
  terms.samples = 0
  if (price === undefined) return
  terms.settled.push({ at, rate, price })
  if (terms.settled.length > kept) terms.settled.shift()
  events.push({ _tag: "FundingSettled", market, rate, price })
  pay(work, market, terms, rate, price)
}

type Of<Tag extends Action["_tag"]> = Extract<Action, { readonly _tag: Tag }>

const tooFine = { kind: "precision", step: "0.000000000000000001" } as const

/** Changes a market's funding settings. */
export const set = (
  { at, state }: Work,
  { cap, floor, intervalMinutes, market, rate }: Of<"SetFunding">
): Reply.Reply => {
  const terms = state.funding.get(market)
  if (terms === undefined) return Reply.invalid(["market", { kind: "known" }])
  const [most, least] = [
    cap === undefined ? terms.cap : Units.from(cap),
    floor === undefined ? terms.floor : Units.from(floor)
  ]
  const own = rate === undefined ? terms.rate : rate === null ? undefined : Units.from(rate)
  if (rate !== undefined && rate !== null && own === undefined) return Reply.invalid(["rate", tooFine])
  if (most === undefined) return Reply.invalid(["cap", tooFine])
  if (least === undefined) return Reply.invalid(["floor", tooFine])
  if (least > most) return Reply.invalid(["floor", { kind: "max", max: Number(Units.toDecimal(most)) }])
  if (own !== undefined && MarginUnits.abs(own) > Units.one) return Reply.invalid(["rate", { kind: "max", max: 1 }])
  terms.cap = most
  terms.floor = least
  terms.rate = own
  if (intervalMinutes !== undefined) {
    terms.intervalMinutes = intervalMinutes
    TimerQueue.remove(state.due.funding, market)
    if (state.positionsOn.has(market)) {
      TimerQueue.add(state.due.funding, Positions.nextMultiple(at, intervalMinutes), market)
    }
  }
  return Reply.done
}
