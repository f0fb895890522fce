/**
 * Fixed-term lending.
 *
 * @since 0.1.0
 */
import { group } from "./Handler.ts"
import * as Page from "./Page.ts"

/**
 * The handlers of fixed-term lending.
 *
 * @category handlers
 * @since 0.1.0
 */
export const lending = group({
  InterestPaymentHistory: {
    check: ({ planId, ticker }, { account, state }) => {
      const payments = state.payments.get(account) ?? []
      const isListed = state.currencies.some((currency) => currency.ticker === ticker)
      return [
        ...(planId === undefined || state.plans.has(planId) || payments.some((payment) => payment.planId === planId)
          ? []
          : [["planId", { kind: "known" }]] as const),
        ...(ticker === undefined || isListed ? [] : [["ticker", { kind: "known" }]] as const)
      ]
    },
    answer: ({ planId, ticker, ...page }, { account, state }) =>
      Page.make(
        page,
        100,
        (state.payments.get(account) ?? []).filter((payment) =>
          (planId === undefined || payment.planId === planId) && (ticker === undefined || payment.ticker === ticker)
        ),
        (payment) => payment
      )
  }
})
