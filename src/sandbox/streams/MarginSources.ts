/** Pushes the prices on which margin depends, and an account's margin calls, borrows and ADL grades. */
import * as AdlQuantileChannel from "../../channels/AdlQuantileChannel.ts"
import type * as BorrowEventsChannel from "../../channels/BorrowEventsChannel.ts"
import * as BorrowsChannel from "../../channels/BorrowsChannel.ts"
import type * as PositionEventsChannel from "../../channels/PositionEventsChannel.ts"
import * as PremiumIndexChannel from "../../channels/PremiumIndexChannel.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { type MarketName, PositionId } from "../../domain/Identifiers.ts"
import * as Time from "../../domain/Time.ts"
import * as Fundings from "../engine/Fundings.ts"
import type { Borrow, PositionChange } from "../engine/Position.ts"
import * as ReferencePrices from "../engine/ReferencePrices.ts"
import * as Units from "../engine/Units.ts"
import * as Margin from "../handlers/Margin.ts"
import { positionOf, realizedOf } from "./AccountSources.ts"
import { anyMarketsOf } from "./MarketSources.ts"
import * as Pace from "./Pace.ts"
import { type Command, type Context, group, invalidArgument, type Outlet, type Subscription } from "./Source.ts"

const indexOf = ({ at, state }: Context, market: MarketName): PremiumIndexChannel.PremiumIndex | undefined => {
  const index = ReferencePrices.index(state, market)
  const mark = ReferencePrices.mark(state, market)
  const nextAt = Fundings.nextAt(state, market, at)
  return index === undefined || mark === undefined || nextAt === undefined ? undefined : {
    market,
    markPrice: Units.toDecimal(mark),
    indexPrice: Units.toDecimal(index),
    fundingRate: Units.toDecimal(Fundings.rateOf(state, market)),
    nextFundingTime: Time.fromMicros(nextAt),
    eventTime: Time.fromMicros(at)
  }
}

const pushIndexes = (
  outlet: Outlet<PremiumIndexChannel.PremiumIndex | ReadonlyArray<PremiumIndexChannel.PremiumIndex>>
): Subscription<{ readonly market?: MarketName }> => {
  const pace = Pace.make(PremiumIndexChannel.channel.pushes, outlet)
  let topics: ReadonlyArray<{ readonly market?: MarketName }> = []
  return {
    listen: (all) => {
      topics = all
    },
    woken: (at) => {
      if (!pace.isDue(at)) return
      const context = outlet.context()
      const indexes = [...anyMarketsOf(topics, context)].flatMap((market) => indexOf(context, market) ?? [])
      if (indexes.length === 0) return
      // A subscription to all markets gets one message; a subscription to named markets gets a message for each market.
      if (topics.some(({ market }) => market === undefined)) outlet.push(indexes)
      else for (const index of indexes) outlet.push(index)
    }
  }
}

/** The changes that a command's liquidations have made to the account's positions, oldest first. */
const liquidated = ({ events }: Command, { account, state }: Context): ReadonlyArray<PositionChange> => {
  const count = events.filter((event) => event._tag === "PositionChanged" && event.account === account).length
  return count === 0
    ? []
    : (state.positionChanges.get(account) ?? []).slice(-count).filter(({ cause }) => cause === "liquidation")
}

const isCalled = ({ events }: Command, { account }: Context): boolean =>
  events.some((event) => event._tag === "MarginCalled" && event.account === account)

/** A position after a liquidation has reduced or closed it. */
const changedPosition = (change: PositionChange, context: Context): PositionEventsChannel.PositionEvent["position"] => {
  const open = [...context.state.positionsOf.get(context.account) ?? []].find(({ id }) => id === change.position)
  if (open !== undefined) return positionOf(open, context, "liquidation")
  const closed = context.state.closedPositions.get(context.account)?.findLast(({ id }) => id === change.position)
  const { amount, basePrice, liquidationState, market, modifyDate, openDate } = Margin.changeAnswer(context)(change)
  return {
    positionId: PositionId.make(change.position.toString()),
    market,
    openDate,
    modifyDate,
    amount,
    total: Units.toDecimal(change.cost),
    basePrice,
    ...(closed === undefined ? {} : { pnl: realizedOf(closed) }),
    unrealizedPnl: Decimal.zero,
    liquidationState: liquidationState ?? null,
    positionSide: change.side
  }
}

const pushPositionEvents = (outlet: Outlet<PositionEventsChannel.PositionEvent>): Subscription<object> => ({
  listen: () => undefined,
  applied: (command) => {
    const context = outlet.context()
    for (const change of liquidated(command, context)) {
      outlet.push({ event: "liquidation", position: changedPosition(change, context) })
    }
    if (!isCalled(command, context)) return
    for (const position of context.state.positionsOf.get(context.account) ?? []) {
      outlet.push({ event: "margin_call", position: positionOf(position, context) })
    }
  }
})

const borrowOf = ({ at, principal, ticker }: Borrow, modifiedAt: number): BorrowsChannel.Borrow => ({
  ticker,
  openDate: Time.fromMicros(at),
  modifyDate: Time.fromMicros(modifiedAt),
  amount: Units.toDecimal(-principal),
  unrealizedFunding: Decimal.zero
})

/** The amounts that the account's open positions borrow. */
const borrowsOf = ({ account, state }: Context): ReadonlyArray<BorrowsChannel.Borrow> =>
  [...state.positionsOf.get(account) ?? []].flatMap(({ borrow, changedAt }) =>
    borrow === undefined ? [] : [borrowOf(borrow, changedAt)]
  )

const pushBorrows = (outlet: Outlet<ReadonlyArray<BorrowsChannel.Borrow>>): Subscription<object> => {
  const pace = Pace.make(BorrowsChannel.channel.pushes, outlet)
  return {
    listen: () => undefined,
    woken: (at) => {
      if (pace.isDue(at)) outlet.push(borrowsOf(outlet.context()), "all")
    }
  }
}

const pushBorrowEvents = (outlet: Outlet<BorrowEventsChannel.BorrowEvent>): Subscription<object> => ({
  listen: () => undefined,
  applied: (command) => {
    const context = outlet.context()
    const { account, state } = context
    for (const { amount, at, position } of liquidated(command, context)) {
      const borrow = state.borrows.get(account)?.findLast((borrow) => borrow.position === position)
      if (borrow === undefined) continue
      // The borrow of a closed position keeps its last principal, although nothing is borrowed any longer.
      const left = amount === 0n ? { ...borrow, principal: 0n } : borrow
      outlet.push({ event: "liquidation", borrow: borrowOf(left, at) })
    }
    if (!isCalled(command, context)) return
    for (const borrow of borrowsOf(context)) outlet.push({ event: "margin_call", borrow })
  }
})

const pushQuantiles = (
  outlet: Outlet<ReadonlyArray<AdlQuantileChannel.AdlQuantile>>
): Subscription<AdlQuantileChannel.Topic> => {
  const pace = Pace.make(AdlQuantileChannel.channel.pushes, outlet)
  let markets: ReadonlySet<MarketName> = new Set()
  const push = (markets: ReadonlySet<MarketName>): void =>
    outlet.push(Margin.quantilesOf(outlet.context()).filter(({ market }) => markets.has(market)), "all")
  return {
    listen: (topics, asked) => {
      markets = anyMarketsOf(topics, outlet.context())
      if (asked.length > 0) push(markets)
    },
    woken: (at) => {
      if (pace.isDue(at)) push(markets)
    }
  }
}

/** The sources for mark prices, margin calls, borrows and ADL grades. */
export const marginSources = group({
  PremiumIndexChannel: {
    check: ({ market }, { state }) =>
      market === undefined || state.markets.get(market)?.type === "futures" ? undefined : invalidArgument,
    open: pushIndexes,
    queries: {}
  },
  PositionEventsChannel: { open: pushPositionEvents, queries: {} },
  BorrowsChannel: { open: pushBorrows, queries: {} },
  BorrowEventsChannel: { open: pushBorrowEvents, queries: {} },
  AdlQuantileChannel: { open: pushQuantiles, queries: {} }
})
