/**
 * Applies the scheduled events that become due as time passes: interest and funding are paid, kill switches cancel
 * orders, and prices follow the paths that the owner has set.
 */
import * as Counterparty from "./Counterparty.ts"
import * as Fundings from "./Fundings.ts"
import * as Interest from "./Interest.ts"
import * as KillSwitches from "./KillSwitches.ts"
import * as Lending from "./Lending.ts"
import * as Liquidation from "./Liquidation.ts"
import type { PriceStep, State } from "./State.ts"
import * as TimerQueue from "./TimerQueue.ts"
import type { Work } from "./Work.ts"

/** Schedules a price move on a market. */
export const addPrice = ({ due, priceSteps }: State, step: PriceStep): void => {
  priceSteps.add(step)
  TimerQueue.add(due.prices, step.at, step)
}

/** The earlier of two times, either of which may be absent. */
const earlier = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? one ?? other : Math.min(one, other)

/** Whether no event is scheduled, as on an exchange without positions, investments, kill switches or price paths. */
const isIdle = ({ borrows, funding, interest, killSwitches, prices }: State["due"]): boolean =>
  interest.items.size === 0 && killSwitches.items.size === 0 && prices.items.size === 0 && funding.items.size === 0 &&
  borrows.items.size === 0

/** The time of the next scheduled event, in Unix microseconds; `undefined` if no event is scheduled. */
export const next = ({ due }: State): number | undefined =>
  isIdle(due) ? undefined : earlier(
    earlier(TimerQueue.next(due.interest)?.nextAt, TimerQueue.next(due.killSwitches)?.firesAt),
    earlier(
      TimerQueue.next(due.prices)?.at,
      earlier(TimerQueue.nextTime(due.funding), TimerQueue.nextTime(due.borrows))
    )
  )

/** Applies the next scheduled event, which is due at this time. */
const applyNext = ({ events, state }: Work, at: number): void => {
  const { due } = state
  const investment = TimerQueue.next(due.interest)
  if (investment?.nextAt === at) return Lending.accrue({ state, at, events }, investment)
  const killSwitch = TimerQueue.next(due.killSwitches)
  if (killSwitch?.firesAt === at) return KillSwitches.fire({ state, at, events }, killSwitch)
  const settled = TimerQueue.next(due.funding)
  if (settled !== undefined && TimerQueue.nextTime(due.funding) === at)
    return Fundings.settle({ state, at, events }, settled)
  const position = TimerQueue.next(due.borrows)
  if (position?.interestAt === at) return Interest.charge({ state, at, events }, position)
  const step = TimerQueue.next(due.prices)
  if (step === undefined) return
  state.priceSteps.delete(step)
  TimerQueue.pop(due.prices)
  const market = state.markets.get(step.market)
  if (market !== undefined) Counterparty.movePrice({ state, at, events }, market, step.price)
}

/**
 * Applies everything that is due by the time of a command, each event at its own time, earliest first. At the same
 * instant, interest on investments comes first, then kill switches, funding, interest on borrows, and prices. So an
 * order that a kill switch cancels at an instant does not trade at a price set at that instant. Each event may cause
 * margin calls and liquidations.
 */
export const applyDue = (work: Work): void => {
  const { state } = work
  let before = state.at
  for (;;) {
    const at = next(state)
    if (at === undefined || at > work.at) return Fundings.sample(state, before, work.at)
    Fundings.sample(state, before, at)
    before = at
    applyNext(work, at)
    const then = { ...work, at }
    Liquidation.settle(then)
    Counterparty.refill(then)
  }
}
