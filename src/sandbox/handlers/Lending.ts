/** The handler for the only fixed-term lending call, which lists interest payments. */
import type { Payment } from "../engine/State.ts"
import { group } from "./Handler.ts"
import * as Page from "./Page.ts"
import * as Records from "./Records.ts"

const byPlan = Records.indexBy(({ planId }: Payment) => planId)
const byTicker = Records.indexBy(({ ticker }: Payment) => ticker)

/** The handlers for fixed-term lending. */
export const lending = group({
  InterestPaymentHistory: {
    check: ({ planId, ticker }, { account, state }) => {
      const payments = state.payments.get(account) ?? []
      const isListed = state.currencies.some((currency) => currency.ticker === ticker)
      return [
        ...(planId === undefined || state.plans.has(planId) || byPlan(payments, planId).length > 0
          ? []
          : [["planId", { kind: "known" }]] as const),
        ...(ticker === undefined || isListed ? [] : [["ticker", { kind: "known" }]] as const)
      ]
    },
    answer: ({ planId, ticker, ...page }, { account, state }) => {
      const all = state.payments.get(account) ?? []
      const payments = Records.shortest(
        all,
        planId !== undefined && byPlan(all, planId),
        ticker !== undefined && byTicker(all, ticker)
      )
      return Page.make(
        page,
        100,
        payments.values().filter((payment) =>
          (planId === undefined || payment.planId === planId) && (ticker === undefined || payment.ticker === ticker)
        ),
        (payment) => payment
      )
    }
  }
})
