/** Faults in positions that change several times, in accounts with several positions, and in the selection of records. */
import * as ActiveOrders from "../../../src/endpoints/ActiveOrders.ts"
import * as AdlQuantiles from "../../../src/endpoints/AdlQuantiles.ts"
import * as BorrowHistory from "../../../src/endpoints/BorrowHistory.ts"
import * as CancelOtoOrder from "../../../src/endpoints/CancelOtoOrder.ts"
import * as ClosedPositions from "../../../src/endpoints/ClosedPositions.ts"
import * as ClosePosition from "../../../src/endpoints/ClosePosition.ts"
import * as CollateralBalance from "../../../src/endpoints/CollateralBalance.ts"
import * as CollateralBalanceSummary from "../../../src/endpoints/CollateralBalanceSummary.ts"
import * as CollateralLeverage from "../../../src/endpoints/CollateralLeverage.ts"
import * as CollateralLimitOrders from "../../../src/endpoints/CollateralLimitOrders.ts"
import * as CollateralMarketOrders from "../../../src/endpoints/CollateralMarketOrders.ts"
import * as CollateralStopLimitOrders from "../../../src/endpoints/CollateralStopLimitOrders.ts"
import * as CollateralSummary from "../../../src/endpoints/CollateralSummary.ts"
import * as ConditionalOrders from "../../../src/endpoints/ConditionalOrders.ts"
import * as FundingPayments from "../../../src/endpoints/FundingPayments.ts"
import * as HedgeModeUpdate from "../../../src/endpoints/HedgeModeUpdate.ts"
import * as OpenPositions from "../../../src/endpoints/OpenPositions.ts"
import * as OrderHistory from "../../../src/endpoints/OrderHistory.ts"
import * as PositionHistory from "../../../src/endpoints/PositionHistory.ts"
import * as Json from "../../../src/protocol/Json.ts"
import { times } from "./Margin.ts"
import {
  answering,
  asking,
  type Change,
  changing,
  type Fields,
  fieldsOf,
  jsonOf,
  type Mutant,
  mutant,
  withBody,
  withFields,
  without
} from "./Mutant.ts"

const positions = OpenPositions.endpoint.path
const history = PositionHistory.endpoint.path
const closed = ClosedPositions.endpoint.path
const close = ClosePosition.endpoint.path
const funding = FundingPayments.endpoint.path
const active = ActiveOrders.endpoint.path
const adl = AdlQuantiles.endpoint.path
const limit = CollateralLimitOrders.endpoint.path
const conditional = ConditionalOrders.endpoint.path

const objects = (json: unknown): ReadonlyArray<Fields> => Array.isArray(json) ? json.filter(Json.isObject) : []

/** Changes each record of a list. */
const record = (path: string, change: (record: Fields, all: ReadonlyArray<Fields>) => Fields): Change =>
  answering(path, "success", (json) => objects(json).map((one, _index, all) => change(one, all)))

/** Changes the fields in calls to a path for which `when` is true. */
const askingWhen = (path: string, when: (fields: Fields) => boolean, change: (fields: Fields) => Fields): Change =>
  asking(path, (fields) => when(fields) ? change(fields) : fields)

/** Changes each open position, given the same position as it was shown before. */
const remembering = (change: (now: Fields, before: Fields) => Fields): Change => ({
  make: () => {
    const shown = new Map<unknown, Fields>()
    return {
      answer: (answer, { path }) => {
        if (path !== positions || answer.status !== 200) return answer
        return withBody(
          answer,
          objects(jsonOf(answer)).map((now) => {
            const next = change(now, shown.get(now["positionId"]) ?? now)
            shown.set(now["positionId"], next)
            return next
          })
        )
      }
    }
  }
})

const amountOf = ({ amount }: Fields): number => Math.abs(Number(amount))

/** Selects closed positions by the time they were opened. */
const byOpening: Change = {
  make: () => ({
    request: (request, venue) =>
      request.path === closed
        ? withFields(venue, request, (fields) => without(fields, "startDate", "endDate"))
        : request,
    answer: (answer, request) => {
      if (request.path !== closed || answer.status !== 200) return answer
      const { endDate = Infinity, startDate = 0 } = fieldsOf(request) ?? {}
      return withBody(
        answer,
        objects(jsonOf(answer)).filter(({ openDate }) =>
          Number(openDate) >= Number(startDate) && Number(openDate) <= Number(endDate)
        )
      )
    }
  })
}

/** Changes responses to a path, given how many positions the call has closed. */
const onceClosed = (path: string, change: (json: unknown, count: number) => unknown): Change => ({
  make: () => {
    let count = 0
    return {
      answer: (answer, request) => {
        if (request.path === close && answer.status === 200) count++
        return request.path === path && answer.status === 200 ? withBody(answer, change(jsonOf(answer), count)) : answer
      }
    }
  }
})

const isFuture = ({ endDate }: Fields): boolean => Number(endDate) > 3_000_000_000

const rows: ReadonlyArray<readonly [id: string, fault: string, breaks: string, Change]> = [
  [
    "steps-entry",
    "once a position was reduced, its entry price no longer changes",
    "positions.steps",
    remembering((now, before) =>
      before["isReduced"] === true || amountOf(now) < amountOf(before)
        ? { ...now, basePrice: before["basePrice"], isReduced: true }
        : now
    )
  ],
  [
    "steps-modified",
    "a reduction doesn't change the time of the last change",
    "positions.steps",
    remembering((now, before) => amountOf(now) < amountOf(before) ? { ...now, modifyDate: before["modifyDate"] } : now)
  ],
  [
    "steps-recorded",
    "changes of positions on margin markets show an entry price that is five too high",
    "positions.steps",
    record(history, (one) =>
      one["market"] === "BTC_USDT" && Number(one["basePrice"]) > 0
        ? { ...one, basePrice: String(Number(one["basePrice"]) + 5) }
        : one)
  ],
  [
    "steps-unrealized",
    "the unrealized profit is that of the first size",
    "positions.steps",
    remembering((now) => ({
      ...now,
      unrealizedPnl: String(Number(now["unrealizedPnl"]) * 2),
      pnlPercent: String(Number(now["pnlPercent"]) * 2)
    }))
  ],
  [
    "steps-closed-size",
    "the size of a closed position is its largest size",
    "positions.steps.closed",
    record(closed, (one) => ({ ...one, closedSize: String(Math.min(0.06, Number(one["closedSize"]))) }))
  ],
  [
    "steps-closed-entry",
    "the average entry price of a closed position is the last one of the open position",
    "positions.steps.closed",
    record(closed, (one) => Number(one["closedSize"]) > 0.06 ? { ...one, avgEntryPrice: "39800" } : one)
  ],
  [
    "steps-closed-exit",
    "the average exit price of a closed position is the best one of the last order",
    "positions.steps.closed",
    record(closed, (one) => ({ ...one, avgExitPrice: "39600" }))
  ],
  [
    "steps-closed-balance",
    "closing a position adds 20 USDT more to the collateral than its profit",
    "positions.steps.closed",
    onceClosed(
      CollateralBalance.endpoint.path,
      (json, count) => Json.isObject(json) ? { ...json, USDT: String(Number(json["USDT"]) + 20 * count) } : json
    )
  ],
  [
    "sides-entry",
    "the short position shows the entry price of the long one",
    "positions.sides.steps",
    record(positions, (one, all) => ({
      ...one,
      basePrice: all.find(({ positionSide }) => positionSide === "LONG")?.["basePrice"] ?? one["basePrice"]
    }))
  ],
  [
    "sides-modified",
    "a fill changes the time of both positions",
    "positions.sides.steps",
    record(positions, (one, all) => ({
      ...one,
      modifyDate: Math.max(...all.map(({ modifyDate }) => Number(modifyDate)))
    }))
  ],
  [
    "sides-graded",
    "only the long position of a market is graded",
    "positions.sides.steps",
    record(adl, (one) => one["long"] === null ? one : { ...one, short: null })
  ],
  [
    "sides-graded-closed",
    "closed positions are still graded",
    "positions.sides.steps",
    {
      make: () => {
        let last: unknown = []
        return {
          answer: (answer, { path }) => {
            if (path !== adl || answer.status !== 200) return answer
            const json = jsonOf(answer)
            if (objects(json).length > 0) last = json
            return withBody(answer, last)
          }
        }
      }
    }
  ],
  [
    "sides-closed-profit",
    "the profit of a closed short position has the sign of a long one",
    "positions.sides.steps",
    record(closed, (one) => one["side"] === "SHORT" ? { ...one, grossPnl: times(-1)(one["grossPnl"]) } : one)
  ],
  [
    "sides-funding",
    "only the long position has funding payments",
    "positions.sides.funding",
    changing(
      funding,
      ["records"],
      (records) => objects(records).filter(({ positionAmount }) => Number(positionAmount) > 0)
    )
  ],
  [
    "sides-net",
    "the net profit of a closed short position is one too high",
    "positions.sides.steps",
    record(closed, (one) => one["side"] === "SHORT" ? { ...one, netPnl: String(Number(one["netPnl"]) + 1) } : one)
  ],
  [
    "sides-funding-shown",
    "a futures position shows a funding of one",
    "positions.sides.funding",
    record(positions, (one) => one["market"] === "BTC_PERP" ? { ...one, funding: "1" } : one)
  ],
  [
    "steps-recorded-late",
    "changes of positions show times three seconds late",
    "positions.steps",
    record(history, (one) => ({ ...one, modifyDate: Number(one["modifyDate"]) + 3 }))
  ],
  [
    "steps-closed-late",
    "closed positions show times three seconds late",
    "positions.steps.closed",
    record(closed, (one) => ({ ...one, closeDate: Number(one["closeDate"]) + 3 }))
  ],
  [
    "summary-equity",
    "the equity of an account with positions leaves out the margin",
    "margin.summary.sums",
    changing(CollateralSummary.endpoint.path, [], (json) =>
      Json.isObject(json)
        ? { ...json, equity: String(Number(json["equity"]) - Number(json["margin"])) }
        : json)
  ],
  [
    "balances-negative",
    "the amount available without a borrow is negative",
    "margin.balances",
    record(CollateralBalanceSummary.endpoint.path, (one) => ({
      ...one,
      availableWithoutBorrow: times(-1)(one["availableWithoutBorrow"])
    }))
  ],
  [
    "borrows-page",
    "an offset of borrows is rounded down to whole pages",
    "margin.borrows-order",
    asking(BorrowHistory.endpoint.path, (fields) => {
      const { limit = 100, offset = 0 } = fields
      return { ...fields, offset: Math.floor(Number(offset) / Number(limit)) * Number(limit) }
    })
  ],
  [
    "borrows-combined",
    "borrows are selected by asset or by time, but not by both",
    "margin.borrows-order",
    askingWhen(
      BorrowHistory.endpoint.path,
      ({ asset }) => asset !== undefined,
      (fields) => without(fields, "startTime", "endTime")
    )
  ],
  [
    "closed-most",
    "a page has at most 50 closed positions",
    "positions.closed.default",
    askingWhen(closed, ({ limit }) => Number(limit) > 50, (fields) => ({ ...fields, limit: 50 }))
  ],
  [
    "summary-percent",
    "only the first of several positions shows its own percentage",
    "margin.summary.sums",
    record(positions, (one, all) => ({ ...one, pnlPercent: all[0]?.["pnlPercent"] }))
  ],
  [
    "sides-reduce-only",
    "reduceOnly is ignored in hedge mode",
    "reduce-only.sides",
    askingWhen(limit, ({ positionSide }) => positionSide !== undefined, (fields) => without(fields, "reduceOnly"))
  ],
  [
    "close-all-exits",
    "closing a position cancels the exits of all positions",
    "positions.close.exits",
    onceClosed(active, (json, count) => count > 0 ? [] : json)
  ],
  [
    "summary-margin",
    "the margin of the account is that of its first position",
    "margin.summary.sums",
    changing(CollateralSummary.endpoint.path, ["margin"], times(0.6))
  ],
  [
    "summary-pnl",
    "the profit of the account leaves out losses",
    "margin.summary.sums",
    changing(CollateralSummary.endpoint.path, ["pnl"], (pnl) => Number(pnl) < 0 ? "0" : pnl)
  ],
  [
    "one-way-side",
    "the response to an order shows LONG for a buy in one-way mode",
    "margin.side-one-way.placed",
    changing(limit, ["positionSide"], () => "LONG")
  ],
  [
    "one-way-market",
    "the response to a market order shows the side of the request in one-way mode",
    "margin.side-one-way.placed",
    {
      make: () => ({
        answer: (answer, request) => {
          const { positionSide = "BOTH" } = fieldsOf(request) ?? {}
          const json = jsonOf(answer)
          return request.path === CollateralMarketOrders.endpoint.path && Json.isObject(json)
            ? withBody(answer, { ...json, positionSide })
            : answer
        }
      })
    }
  ],
  ["windows-opened", "closed positions are selected by the time they were opened", "positions.windows", byOpening],
  [
    "windows-sorted",
    "closed positions are sorted by their ids",
    "positions.windows",
    answering(
      closed,
      "success",
      (json) => objects(json).toSorted((one, other) => Number(other["positionId"]) - Number(one["positionId"]))
    )
  ],
  [
    "windows-page",
    "an offset is rounded down to whole pages",
    "positions.windows",
    asking(closed, (fields) => {
      const { limit = 50, offset = 0 } = fields
      return { ...fields, offset: Math.floor(Number(offset) / Number(limit)) * Number(limit) }
    })
  ],
  [
    "windows-combined",
    "changes of positions are selected by market or by time, but not by both",
    "positions.windows",
    askingWhen(history, ({ market }) => market !== undefined, (fields) => without(fields, "startDate", "endDate"))
  ],
  [
    "windows-period",
    "the end of a period is ignored if it has a start",
    "positions.windows",
    askingWhen(history, ({ startDate }) => startDate !== undefined, (fields) => without(fields, "endDate"))
  ],
  [
    "closed-default",
    "a page has 100 closed positions by default",
    "positions.closed.default",
    asking(closed, (fields) => ({ limit: 100, ...fields }))
  ],
  [
    "closed-ties",
    "positions that were closed in the same second are listed in the order of their ids",
    "positions.closed.default",
    answering(
      closed,
      "success",
      (json) =>
        objects(json).toSorted((one, other) =>
          Number(other["closeDate"]) - Number(one["closeDate"]) ||
          Number(one["positionId"]) - Number(other["positionId"])
        )
    )
  ],
  [
    "funding-late",
    "funding payments show a time an hour late",
    "positions.funding.times",
    changing(funding, ["records", "*", "fundingTime"], (time) => String(Number(time) + 3600))
  ],
  [
    "funding-page",
    "an offset is rounded down to whole pages",
    "positions.funding.times",
    asking(funding, (fields) => {
      const { limit = 100, offset = 0 } = fields
      return { ...fields, offset: Math.floor(Number(offset) / Number(limit)) * Number(limit) }
    })
  ],
  [
    "funding-market",
    "funding payments of all markets are listed",
    "positions.funding.times",
    askingWhen(funding, ({ market }) => market === "BTC_USDT", (fields) => ({ ...fields, market: "BTC_PERP" }))
  ],
  [
    "exits-both",
    "a position with a take-profit shows the same price as its stop-loss",
    "positions.exits.one",
    changing(
      positions,
      ["*", "tpsl"],
      (tpsl) => Json.isObject(tpsl) && tpsl["takeProfit"] ? { ...tpsl, stopLoss: tpsl["takeProfit"] } : tpsl
    )
  ],
  [
    "exits-none",
    "a position with only a stop-loss shows no exits",
    "positions.exits.one",
    changing(positions, ["*", "tpsl"], (tpsl) => Json.isObject(tpsl) && tpsl["takeProfit"] ? tpsl : null)
  ],
  [
    "reduce-only-buys",
    "reduceOnly is ignored for stop-limit orders that buy",
    "reduce-only.parts",
    askingWhen(
      CollateralStopLimitOrders.endpoint.path,
      ({ side }) => side === "buy",
      (fields) => without(fields, "reduceOnly")
    )
  ],
  [
    "reduce-only-trades",
    "a reduce-only order that trades at once shows the amount of its request",
    "reduce-only.parts",
    answering(
      limit,
      "success",
      (json, request) =>
        Json.isObject(json) && json["left"] === "0" ? { ...json, amount: fieldsOf(request)?.["amount"] } : json
    )
  ],
  [
    "conditional-canceled",
    "canceling an order with exits cancels all conditional orders",
    "conditional.several",
    {
      make: () => {
        let isCanceled = false
        return {
          answer: (answer, { path }) => {
            isCanceled ||= path === CancelOtoOrder.endpoint.path && answer.status === 200
            const json = jsonOf(answer)
            return path === conditional && isCanceled && Json.isObject(json)
              ? withBody(answer, { ...json, records: [], total: 0 })
              : answer
          }
        }
      }
    }
  ],
  [
    "conditional-total",
    "the total of conditional orders is that of the page",
    "conditional.several",
    answering(
      conditional,
      "success",
      (json) => Json.isObject(json) ? { ...json, total: objects(json["records"]).length } : json
    )
  ],
  [
    "conditional-sell",
    "conditional orders that sell show their exits the wrong way round",
    "conditional.several",
    changing(conditional, ["records", "*"], (one) => {
      if (!Json.isObject(one) || !Json.isObject(one["conditionalOrder"])) return one
      return one["conditionalOrder"]["side"] === "sell"
        ? { ...one, stopLossPrice: one["takeProfitPrice"], takeProfitPrice: one["stopLossPrice"] }
        : one
    })
  ],
  [
    "pages-future",
    "a period of closed positions can end in the future",
    "positions.pages",
    askingWhen(closed, isFuture, (fields) => without(fields, "endDate"))
  ],
  [
    "pages-history-future",
    "a period of changes can end in the future",
    "positions.pages",
    askingWhen(history, isFuture, (fields) => without(fields, "endDate"))
  ],
  [
    "pages-history-limit",
    "a limit of changes above 100 is read as 100",
    "positions.pages",
    askingWhen(history, ({ limit }) => limit === 101, (fields) => ({ ...fields, limit: 100 }))
  ],
  [
    "leverage-text",
    "a leverage can be a text",
    "margin.leverage-refusal",
    asking(CollateralLeverage.endpoint.path, (fields) => ({ ...fields, leverage: Number(fields["leverage"]) }))
  ],
  [
    "hedge-number",
    "hedge mode can be a number",
    "margin.hedge.invalid",
    askingWhen(
      HedgeModeUpdate.endpoint.path,
      ({ hedgeMode }) => hedgeMode === 1,
      (fields) => ({ ...fields, hedgeMode: true })
    )
  ],
  [
    "liquidation-status",
    "an order canceled by a liquidation has the status CANCELED",
    "status.auto-canceled-liquidation",
    changing(
      OrderHistory.endpoint.path,
      ["*", "*", "status"],
      (status) => status === "AUTO_CANCELED_LIQUIDATION" ? "CANCELED" : status
    )
  ],
  [
    "liquidation-open",
    "an order stays open after the liquidation of its position",
    "status.auto-canceled-liquidation",
    {
      make: () => {
        let placed: unknown
        return {
          answer: (answer, { path }) => {
            if (path === limit) placed = jsonOf(answer)
            return path === active && placed !== undefined ? withBody(answer, [placed]) : answer
          }
        }
      }
    }
  ]
]

export const mutants: ReadonlyArray<Mutant> = rows.map(([id, fault, breaks, change]) =>
  mutant(`position-steps-${id}`, fault, { ...change, breaks: [breaks], dialects: ["live"] })
)
