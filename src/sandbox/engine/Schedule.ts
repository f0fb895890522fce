/**
 * What happens as time passes, without a command: interest is paid, and prices follow their paths.
 *
 * @since 0.1.0
 */
import * as Agenda from "./Agenda.ts"
import * as Counterparty from "./Counterparty.ts"
import * as Lending from "./Lending.ts"
import type { PriceStep, State } from "./State.ts"
import type { Work } from "./Work.ts"

/**
 * Puts down a price that a market will have.
 *
 * @category schedule
 * @since 0.1.0
 */
export const addPrice = ({ due, priceSteps }: State, step: PriceStep): void => {
  priceSteps.add(step)
  Agenda.add(due.prices, step.at, step)
}

/**
 * When the next thing is due, in Unix microseconds; `undefined` when nothing is to come.
 *
 * @category schedule
 * @since 0.1.0
 */
export const next = ({ due }: State): number | undefined => {
  const interest = Agenda.next(due.interest)?.nextAt
  const price = Agenda.next(due.prices)?.at
  return interest === undefined || price === undefined ? interest ?? price : Math.min(interest, price)
}

/**
 * Applies everything that is due by the time of a command, each thing at its own time and in the order of these times.
 * Interest of an instant comes before the prices of that instant.
 *
 * @category schedule
 * @since 0.1.0
 */
export const applyDue = (work: Work): void => {
  const { at, emit, state } = work
  for (;;) {
    const investment = Agenda.next(state.due.interest)
    const step = Agenda.next(state.due.prices)
    if (investment !== undefined && investment.nextAt <= at && (step === undefined || investment.nextAt <= step.at)) {
      Lending.accrue(work, investment)
    } else if (step !== undefined && step.at <= at) {
      state.priceSteps.delete(step)
      Agenda.strike(state.due.prices)
      const market = state.markets.get(step.market)
      if (market !== undefined) Counterparty.movePrice({ state, at: step.at, emit }, market, step.price)
    } else return
  }
}
