/**
 * What happens by itself as time goes by: interest, and the prices that are being played.
 *
 * @since 0.1.0
 */
import * as Lending from "./Lending.ts"
import * as Matching from "./Matching.ts"
import type { PriceStep, State } from "./State.ts"

const nextStep = ({ priceSteps }: State): PriceStep | undefined => {
  let first: PriceStep | undefined
  for (const step of priceSteps) if (first === undefined || step.at < first.at) first = step
  return first
}

/**
 * When something happens by itself next, in Unix microseconds.
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
 * Lets everything happen that has come due by now, each thing at its own time and in the order of these times; interest
 * comes before prices of the same instant.
 *
 * @category schedule
 * @since 0.1.0
 */
export const settle = (work: Matching.Work): void => {
  const { at, emit, state } = work
  for (;;) {
    const investment = Lending.next(state)
    const step = nextStep(state)
    if (investment !== undefined && investment.nextAt <= at && (step === undefined || investment.nextAt <= step.at)) {
      Lending.accrue(work, investment)
    } else if (step !== undefined && step.at <= at) {
      state.priceSteps.splice(state.priceSteps.indexOf(step), 1)
      const market = state.markets.get(step.market)
      if (market !== undefined) Matching.movePrice({ state, at: step.at, emit }, market, step.price)
    } else return
  }
}
