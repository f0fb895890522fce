/** Fixed-term lending: opens plans, takes investments, and pays interest. */
import { amount } from "../../domain/Decimal.ts"
import { UnixSeconds } from "../../domain/Time.ts"
import type { Action } from "./Command.ts"
import * as Ledger from "./Ledger.ts"
import * as Reply from "./Reply.ts"
import type { Investment, State } from "./State.ts"
import * as TimerQueue from "./TimerQueue.ts"
import * as Units from "./Units.ts"
import type { Work } from "./Work.ts"

type Of<Tag extends Action["_tag"]> = Extract<Action, { readonly _tag: Tag }>

const one = amount("1")

const tooFine = { kind: "precision", step: "0.000000000000000001" } as const

/** The time between interest payments, in microseconds. */
const day = 86_400_000_000

const pay = ({ events, state }: Work, { account, id, plan }: Investment, units: Units.Units, at: number): void => {
  Ledger.transfer(state.ledger, "outside", Ledger.free(account, "main"), plan.interestTicker, units)
  const payments = state.payments.get(account) ?? []
  payments.push({
    planId: plan.id,
    investmentId: id,
    amount: Units.toDecimal(units),
    ticker: plan.interestTicker,
    timestamp: UnixSeconds.make(Math.floor(at / 1e6))
  })
  state.payments.set(account, payments)
  events.push({ _tag: "InterestPaid", account, investmentId: id, ticker: plan.interestTicker, amount: units })
}

/** Opens a plan in which accounts can invest. */
export const openPlan = (state: State, action: Of<"OpenPlan">): Reply.Reply => {
  const { dailyPercent, days, interestRatio = one, interestTicker = action.ticker, planId, ticker } = action
  if (state.plans.has(planId)) return Reply.invalid(["planId", { kind: "unique" }])
  const [rate, ratio] = [Units.from(dailyPercent), Units.from(interestRatio)]
  if (rate === undefined) return Reply.invalid(["dailyPercent", tooFine])
  if (ratio === undefined) return Reply.invalid(["interestRatio", tooFine])
  state.plans.set(planId, {
    id: planId,
    ticker,
    dailyRate: rate / 100n,
    days,
    interestTicker,
    interestRatio: ratio
  })
  return Reply.done
}

/** Adds an investment without debiting its amount. */
export const add = ({ due, investments, investmentsOf }: State, investment: Investment): void => {
  const { account, id, nextAt } = investment
  investments.set(id, investment)
  investmentsOf.set(account, (investmentsOf.get(account) ?? 0) + 1)
  TimerQueue.add(due.interest, nextAt, investment)
}

const remove = ({ investments, investmentsOf }: State, { account, id }: Investment): void => {
  investments.delete(id)
  const left = (investmentsOf.get(account) ?? 1) - 1
  if (left === 0) investmentsOf.delete(account)
  else investmentsOf.set(account, left)
}

/** Invests an amount from the main wallet in a plan. The amount is returned at the end of the plan's term. */
export const invest = (
  state: State,
  { account, amount, investmentId, planId }: Of<"Invest">,
  at: number
): Reply.Reply => {
  const plan = state.plans.get(planId)
  if (plan === undefined) return Reply.invalid(["planId", { kind: "known" }])
  if (!state.accounts.has(account)) return Reply.invalid(["account", { kind: "known" }])
  if (state.investments.has(investmentId)) return Reply.invalid(["investmentId", { kind: "unique" }])
  const units = Units.from(amount)
  if (
    units === undefined || !Ledger.transfer(state.ledger, Ledger.free(account, "main"), "plans", plan.ticker, units)
  ) {
    return Reply.refused("notEnoughBalance", ["amount", { kind: "balance" }])
  }
  add(state, { id: investmentId, account, plan, units, nextAt: at + day, endsAt: at + plan.days * day })
  return Reply.done
}

/**
 * Pays a day of interest on the investment whose payment is due next. If the investment's term has ended, also returns
 * the invested amount.
 */
export const accrue = (work: Work, investment: Investment): void => {
  const { account, endsAt, nextAt, plan, units } = investment
  const { due, ledger } = work.state
  TimerQueue.pop(due.interest)
  pay(work, investment, Units.over(Units.times(units, plan.dailyRate), plan.interestRatio), nextAt)
  if (nextAt >= endsAt) {
    Ledger.transfer(ledger, "plans", Ledger.free(account, "main"), plan.ticker, units)
    remove(work.state, investment)
  } else {
    investment.nextAt += day
    TimerQueue.add(due.interest, investment.nextAt, investment)
  }
}

/** Pays interest immediately, regardless of the plan's rate and schedule. */
export const payInterest = (
  work: Work,
  { account, amount, investmentId, planId, ticker }: Of<"PayInterest">
): Reply.Reply => {
  const { at, state } = work
  if (!state.accounts.has(account)) return Reply.invalid(["account", { kind: "known" }])
  const units = Units.from(amount)
  if (units === undefined) return Reply.invalid(["amount", tooFine])
  const known = state.plans.get(planId)
  if (known !== undefined && known.interestTicker !== ticker) {
    return Reply.invalid(["ticker", { kind: "oneOf", values: [known.interestTicker] }])
  }
  const plan = { id: planId, ticker, dailyRate: 0n, days: 0, interestTicker: ticker, interestRatio: 0n }
  pay(work, { id: investmentId, account, plan, units, nextAt: at, endsAt: at }, units, at)
  return Reply.done
}
