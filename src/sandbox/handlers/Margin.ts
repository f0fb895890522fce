/** The handlers for the collateral account as a whole: its margin, leverage, position mode, and position history. */
import { PositionId, type Ticker } from "../../domain/Identifiers.ts"
import * as Margin from "../../domain/Margin.ts"
import { Limit, maxOffset, Offset } from "../../domain/Paging.ts"
import * as Time from "../../domain/Time.ts"
import type * as AdlQuantiles from "../../endpoints/AdlQuantiles.ts"
import type * as BorrowHistory from "../../endpoints/BorrowHistory.ts"
import * as ClosedPositions from "../../endpoints/ClosedPositions.ts"
import type * as CollateralBalanceSummary from "../../endpoints/CollateralBalanceSummary.ts"
import type * as FundingPayments from "../../endpoints/FundingPayments.ts"
import type * as PositionHistory from "../../endpoints/PositionHistory.ts"
import type * as Period from "../../protocol/Period.ts"
import * as Deleveraging from "../engine/Deleveraging.ts"
import * as Margins from "../engine/Margins.ts"
import type { Borrow, ClosedPosition, FundingPayment, PositionChange } from "../engine/Position.ts"
import type { Violations } from "../engine/Reply.ts"
import * as Units from "../engine/Units.ts"
import { type Context, group } from "./Handler.ts"
import * as KnownMarket from "./KnownMarket.ts"
import * as MarketFigures from "./MarketFigures.ts"
import * as Page from "./Page.ts"
import * as Records from "./Records.ts"

const changesByPosition = Records.indexBy(({ position }: PositionChange) => position.toString())
const changesByMarket = Records.indexBy(({ market }: PositionChange) => market)
const paymentsByMarket = Records.indexBy(({ market }: FundingPayment) => market)

/** `part` as a fraction of `value`, the value of all positions; a fixed large number if there are no positions. */
const fraction = (part: Units.Units, value: Units.Units) =>
  value === 0n ? Margin.noPositions : Units.toDecimal(Units.over(part, value))

/**
 * Checks that a request's period does not end before its start, or more than one second in the future. The current time
 * is the later of the venue's time and the time that callers see: the records' times are on the venue's clock, which
 * may be ahead.
 */
const times = (
  { endDate, startDate }: Period.Period,
  { at, serverTime }: Context
): Violations => {
  if (endDate === undefined) return []
  const latest = Math.floor(Math.max(at, serverTime) / 1e6) + 1
  if (endDate > latest) return [["endDate", { kind: "max", max: latest }]]
  return startDate === undefined || startDate <= endDate ? [] : [["endDate", { kind: "min", min: startDate }]]
}

/** Checks that a page of closed positions does not reach beyond the list's last record, at which the exchange ends it. */
const beyondEnd = (
  { limit = Limit.make(ClosedPositions.defaultLimit), offset = Offset.make(0) }: ClosedPositions.Request,
  { state }: Context
): Violations =>
  state.policy.furtherLimits === "enforced" && offset + limit > maxOffset
    ? [["offset", { kind: "max", max: maxOffset - limit }]]
    : []

const isListed = (ticker: Ticker | undefined, { state }: Context): boolean =>
  ticker === undefined || state.currencies.some((currency) => currency.ticker === ticker)

/** Returns a function that converts a position's change to a record in the position's history. */
export const changeAnswer = ({ state }: Context) => (change: PositionChange): PositionHistory.PositionChange => {
  const { amount, cost, liquidationPrice, market, realised } = change
  return {
    positionId: PositionId.make(change.position.toString()),
    market,
    openDate: Time.fromMicros(change.openedAt),
    modifyDate: Time.fromMicros(change.at),
    amount: Units.toDecimal(amount),
    basePrice: Units.toDecimal(amount === 0n ? 0n : Units.over(cost, amount < 0n ? -amount : amount)),
    realizedFunding: Units.toDecimal(change.funding),
    liquidationPrice: liquidationPrice === undefined
      ? null
      : MarketFigures.priceOf(state.markets.get(market), liquidationPrice),
    liquidationState: change.cause === "liquidation" ? "liquidation" : null,
    ...(change.order === undefined ? {} : {
      orderDetail: {
        id: change.order,
        tradeAmount: Units.toDecimal(change.traded),
        price: Units.toDecimal(change.price),
        tradeFee: Units.toDecimal(change.fee),
        fundingFee: Units.toDecimal(change.fundingFee),
        realizedPnl: Units.toDecimal(realised)
      }
    }),
    side: change.side,
    isHedge: change.side !== "BOTH"
  }
}

const closedAnswer = ({ state }: Context) => (position: ClosedPosition): ClosedPositions.ClosedPosition => {
  const market = state.markets.get(position.market)
  const average = (total: Units.Units, size: Units.Units) =>
    MarketFigures.priceOf(market, size === 0n ? 0n : Units.over(total, size))
  const gross = position.realised - position.fees
  return {
    positionId: PositionId.make(position.id.toString()),
    market: position.market,
    grossPnl: Units.toDecimal(gross),
    netPnl: Units.toDecimal(gross - position.funding),
    totalTradeFee: Units.toDecimal(position.fees),
    totalFunding: Units.toDecimal(position.funding),
    avgEntryPrice: average(position.openedFor, position.opened),
    avgExitPrice: average(position.closedFor, position.closed),
    closedSize: Units.toDecimal(position.closed),
    amount: Units.toDecimal(0n),
    side: position.side,
    isHedge: position.side !== "BOTH",
    openDate: MarketFigures.seconds(position.openedAt),
    closeDate: MarketFigures.seconds(position.closedAt)
  }
}

const paymentAnswer = (payment: FundingPayment): FundingPayments.FundingPayment => ({
  market: payment.market,
  fundingTime: MarketFigures.seconds(payment.at),
  fundingRate: Units.toDecimal(payment.rate),
  fundingAmount: Units.toDecimal(payment.amount),
  positionAmount: Units.toDecimal(payment.position),
  settlementPrice: Units.toDecimal(payment.price),
  rateCalculatedTime: MarketFigures.seconds(payment.ratedAt)
})

const borrowAnswer = ({ at, interest, principal, status, ticker }: Borrow): BorrowHistory.Borrow => ({
  asset: ticker,
  amount: Units.toDecimal(principal + interest),
  principal: Units.toDecimal(principal),
  interest: Units.toDecimal(interest),
  status,
  timestamp: MarketFigures.seconds(at)
})

/**
 * A collateral account's balances: of one asset or, by default, of the settlement currency and each asset held or owed.
 */
export const balancesOf = (
  { account, state }: Context,
  only?: Ticker
): ReadonlyArray<CollateralBalanceSummary.AssetBalance> =>
  Margins.assets(state, account, only)
    .map(({ availableWithBorrow, availableWithoutBorrow, balance, borrow, ticker }) => ({
      asset: ticker,
      balance: Units.toDecimal(balance),
      borrow: Units.toDecimal(borrow),
      availableWithoutBorrow: Units.toDecimal(availableWithoutBorrow),
      availableWithBorrow: Units.toDecimal(availableWithBorrow)
    }))

/** An account's auto-deleveraging grades on each futures market where it has a position. */
export const quantilesOf = ({ account, state }: Context): ReadonlyArray<AdlQuantiles.AdlQuantile> =>
  Deleveraging.quantiles(state, account).map(({ long = null, market, short = null }) => ({ market, long, short }))

const settings = group({
  CollateralSummary: {
    answer: (_, { account, state }) => {
      const { equity, freeMargin, leverage, maintenance, margin, pnl, unrealizedFunding, value } = Margins.of(
        state,
        account
      )
      return {
        equity: Units.toDecimal(equity),
        margin: Units.toDecimal(margin),
        freeMargin: Units.toDecimal(freeMargin),
        unrealizedFunding: Units.toDecimal(unrealizedFunding),
        pnl: Units.toDecimal(pnl),
        leverage,
        marginFraction: fraction(equity + pnl, value),
        maintenanceMarginFraction: fraction(maintenance, value)
      }
    }
  },
  CollateralBalanceSummary: {
    check: ({ ticker }, context) => isListed(ticker, context) ? [] : [["ticker", { kind: "known" }]],
    answer: ({ ticker }, context) => balancesOf(context, ticker)
  },
  CollateralLeverage: {
    operation: ({ leverage }) => ({ _tag: "SetLeverage", leverage }),
    reply: "LeverageSet",
    answer: ({ leverage }) => ({ leverage })
  },
  HedgeMode: {
    answer: (_, { account, state }) => ({ hedgeMode: state.accounts.get(account)?.hedgeMode ?? false })
  },
  HedgeModeUpdate: {
    operation: ({ hedgeMode }) => ({ _tag: "SetHedgeMode", hedgeMode }),
    reply: "HedgeModeSet",
    answer: ({ hedgeMode }) => ({ hedgeMode })
  }
})

const positions = group({
  ClosePosition: {
    operation: (request) => ({ _tag: "ClosePosition", ...request }),
    reply: "OrderPlaced",
    answer: () => undefined
  },
  PositionHistory: {
    check: (request, context) => [...KnownMarket.check(request, context), ...times(request, context)],
    answer: ({ market, positionId, ...page }, context) => {
      const { account, state } = context
      const all = state.positionChanges.get(account) ?? []
      const found = Records.shortest(
        all,
        positionId !== undefined && changesByPosition(all, positionId),
        market !== undefined && changesByMarket(all, market)
      )
      return Page.make(
        page,
        100,
        Records.latest(found, ({ at }) => at, page).filter((change) =>
          (market === undefined || change.market === market) &&
          (positionId === undefined || change.position.toString() === positionId)
        ),
        changeAnswer(context)
      ).records
    }
  },
  ClosedPositions: {
    check: (request, context) => [...times(request, context), ...beyondEnd(request, context)],
    answer: (page, context) =>
      Page.make(
        page,
        ClosedPositions.defaultLimit,
        Records.latest(context.state.closedPositions.get(context.account) ?? [], ({ closedAt }) => closedAt, page),
        closedAnswer(context)
      ).records
  },
  FundingPayments: {
    check: KnownMarket.checkListed,
    answer: ({ market, ...page }, { account, state }) => {
      const all = state.fundingPayments.get(account) ?? []
      const found = market === undefined ? all : paymentsByMarket(all, market)
      return Page.make(page, 100, Records.latest(found, ({ at }) => at), paymentAnswer)
    }
  },
  BorrowHistory: {
    check: ({ asset }, context) => isListed(asset, context) ? [] : [["asset", { kind: "known" }]],
    answer: ({ asset, endTime = Infinity, startTime = 0, ...page }, { account, state }) =>
      Page.make(
        page,
        50,
        Records.oldest(state.borrows.get(account) ?? [], ({ at }) => at, { startDate: startTime, endDate: endTime })
          .filter(({ ticker }) => asset === undefined || ticker === asset),
        borrowAnswer
      )
  },
  AdlQuantiles: { answer: (_, context) => quantilesOf(context) }
})

/** The handlers for the collateral account. */
export const margin: typeof settings & typeof positions = { ...settings, ...positions }
