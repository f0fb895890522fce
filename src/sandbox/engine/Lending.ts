/**
 * Fixed-term lending: plans, investments, and the interest that they pay as time goes by.
 *
 * @since 0.1.0
 */
import { UnixSeconds } from "../../domain/Time.ts"
import type { Action } from "./Command.ts"
import * as Ledger from "./Ledger.ts"
import * as Reply from "./Reply.ts"
import type { Investment, State } from "./State.ts"
import * as Units from "./Units.ts"

type Of<Tag extends Action["_tag"]> = Extract<Action, { readonly _tag: Tag }>

/** Interest is paid once a day, in microseconds. */
const day = 86_400_000_000

const main = (account: string): Ledger.Holder => ({ account, wallet: "main", locked: false })

const pay = (state: State, { account, id, plan }: Investment, units: Units.Units, at: number): void => {
  Ledger.transfer(state.ledger, "outside", main(account), plan.ticker, units)
  const payments = state.payments.get(account) ?? []
  payments.push({
    planId: plan.id,
    investmentId: id,
    amount: Units.toDecimal(units),
    ticker: plan.ticker,
    timestamp: UnixSeconds.make(Math.floor(at / 1e6))
  })
  state.payments.set(account, payments)
}

/**
 * Opens a plan that investments can be made in.
 *
 * @category lending
 * @since 0.1.0
 */
export const openPlan = (state: State, { dailyPercent, days, planId, ticker }: Of<"OpenPlan">): Reply.Reply => {
  if (state.plans.has(planId)) return Reply.invalid(["planId", { rule: "unique" }])
  const rate = Units.from(dailyPercent)
  if (rate === undefined) return Reply.invalid(["dailyPercent", { rule: "precision", step: "0.000000000000000001" }])
  state.plans.set(planId, { id: planId, ticker, dailyRate: rate / 100n, days })
  return Reply.done
}

/**
 * Puts an amount of the main wallet into a plan. It comes back at the end of the plan's term.
 *
 * @category lending
 * @since 0.1.0
 */
export const invest = (
  state: State,
  { account, amount, investmentId, planId }: Of<"Invest">,
  at: number
): Reply.Reply => {
  const plan = state.plans.get(planId)
  if (plan === undefined) return Reply.invalid(["planId", { rule: "known" }])
  if (!state.accounts.has(account)) return Reply.invalid(["account", { rule: "known" }])
  if (state.investments.has(investmentId)) return Reply.invalid(["investmentId", { rule: "unique" }])
  const units = Units.from(amount)
  if (units === undefined || !Ledger.transfer(state.ledger, main(account), "plans", plan.ticker, units)) {
    return Reply.refused("notEnoughBalance", ["amount", { rule: "balance" }])
  }
  state.investments.set(investmentId, {
    id: investmentId,
    account,
    plan,
    units,
    nextAt: at + day,
    endsAt: at + plan.days * day
  })
  return Reply.done
}

/**
 * Pays everything that has come due by now, in the order in which it came due, and returns what has reached its term.
 *
 * @category lending
 * @since 0.1.0
 */
export const accrue = (state: State, at: number): void => {
  for (;;) {
    let due: Investment | undefined
    for (const investment of state.investments.values()) {
      if (investment.nextAt <= at && (due === undefined || investment.nextAt < due.nextAt)) due = investment
    }
    if (due === undefined) return
    pay(state, due, Units.times(due.units, due.plan.dailyRate), due.nextAt)
    if (due.nextAt >= due.endsAt) {
      Ledger.transfer(state.ledger, "plans", main(due.account), due.plan.ticker, due.units)
      state.investments.delete(due.id)
    } else due.nextAt += day
  }
}

/**
 * Pays interest at once, whatever the term says.
 *
 * @category lending
 * @since 0.1.0
 */
export const payInterest = (
  state: State,
  { account, amount, investmentId, planId, ticker }: Of<"PayInterest">,
  at: number
): Reply.Reply => {
  if (!state.accounts.has(account)) return Reply.invalid(["account", { rule: "known" }])
  const units = Units.from(amount)
  if (units === undefined) return Reply.invalid(["amount", { rule: "precision", step: "0.000000000000000001" }])
  const plan = { id: planId, ticker, dailyRate: 0n, days: 0 }
  pay(state, { id: investmentId, account, plan, units, nextAt: at, endsAt: at }, units, at)
  return Reply.done
}
