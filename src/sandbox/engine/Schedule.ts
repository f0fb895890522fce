/**
 * What happens as time passes, without a command: interest is paid, and prices follow their paths.
 *
 * @since 0.1.0
 */
import * as Lending from "./Lending.ts"
import * as Prices from "./Prices.ts"
import type { PriceStep, State } from "./State.ts"
import type { Work } from "./Work.ts"

const nextStep = ({ priceSteps }: State): PriceStep | undefined => {
  let first: PriceStep | undefined
  for (const step of priceSteps) if (first === undefined || step.at < first.at) first = step
  return first
}

/**
 * When the next thing is due, in Unix microseconds; `undefined` when nothing is to come.
 *
 * @category schedule
 * @since 0.1.0
 */
export const next = (state: State): number | undefined => {
  const interest = Lending.next(state)?.nextAt
  const price = nextStep(state)?.at
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
    const investment = Lending.next(state)
    const step = nextStep(state)
    if (investment !== undefined && investment.nextAt <= at && (step === undefined || investment.nextAt <= step.at)) {
      Lending.accrue(work, investment)
    } else if (step !== undefined && step.at <= at) {
      state.priceSteps.splice(state.priceSteps.indexOf(step), 1)
      const market = state.markets.get(step.market)
      if (market !== undefined) Prices.movePrice({ state, at: step.at, emit }, market, step.price)
    } else return
  }
}
