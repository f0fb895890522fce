/** Faults in closed positions, in their records and funding, and in the leverage and mode of a collateral account. */
import * as ActiveOrders from "../../../src/endpoints/ActiveOrders.ts"
import * as AdlQuantiles from "../../../src/endpoints/AdlQuantiles.ts"
import * as CancelOrder from "../../../src/endpoints/CancelOrder.ts"
import * as ClosedPositions from "../../../src/endpoints/ClosedPositions.ts"
import * as ClosePosition from "../../../src/endpoints/ClosePosition.ts"
import * as CollateralBulkLimitOrders from "../../../src/endpoints/CollateralBulkLimitOrders.ts"
import * as CollateralLeverage from "../../../src/endpoints/CollateralLeverage.ts"
import * as CollateralOcoOrders from "../../../src/endpoints/CollateralOcoOrders.ts"
import * as CollateralSummary from "../../../src/endpoints/CollateralSummary.ts"
import * as Fills from "../../../src/endpoints/Fills.ts"
import * as FundingPayments from "../../../src/endpoints/FundingPayments.ts"
import * as HedgeMode from "../../../src/endpoints/HedgeMode.ts"
import * as HedgeModeUpdate from "../../../src/endpoints/HedgeModeUpdate.ts"
import * as OpenPositions from "../../../src/endpoints/OpenPositions.ts"
import * as PositionHistory from "../../../src/endpoints/PositionHistory.ts"
import * as UnexecutedOcoOrders from "../../../src/endpoints/UnexecutedOcoOrders.ts"
import * as Json from "../../../src/protocol/Json.ts"
import { accepting, otherCode, times } from "./Margin.ts"
import {
  answering,
  asking,
  type Change,
  changing,
  type Fields,
  jsonOf,
  type Mutant,
  mutant,
  withBody
} from "./Mutant.ts"

const close = ClosePosition.endpoint.path
const closed = ClosedPositions.endpoint.path
const history = PositionHistory.endpoint.path
const funding = FundingPayments.endpoint.path
const active = ActiveOrders.endpoint.path
const positions = OpenPositions.endpoint.path
const leverage = CollateralLeverage.endpoint.path
const summary = CollateralSummary.endpoint.path
const update = HedgeModeUpdate.endpoint.path

/** Changes the fields in calls to a path for which `when` is true. */
const askingWhen = (path: string, when: (fields: Fields) => boolean, change: (fields: Fields) => Fields): Change =>
  asking(path, (fields) => when(fields) ? change(fields) : fields)

/** Changes each record of a list. */
const record = (path: string, change: (record: Fields) => Fields): Change =>
  answering(
    path,
    "success",
    (json) => Array.isArray(json) ? json.map((one) => Json.isObject(one) ? change(one) : one) : json
  )

/** Refuses an invalid leverage, but changes the leverage anyway, to 5. */
const refusedButMade: Change = {
  make: () => {
    let isWrong = false
    return {
      ...asking(leverage, (fields) => {
        isWrong = ![1, 2, 3, 5, 10, 20, 50, 100].includes(Number(fields["leverage"]))
        return isWrong ? { ...fields, leverage: 5 } : fields
      }).make?.(),
      answer: (answer, { path }) =>
        path === leverage && isWrong
          ? withBody({ ...answer, status: 422 }, {
            code: 30,
            message: "Validation failed",
            errors: { leverage: ["No."] }
          })
          : answer
    }
  }
}

const rows: ReadonlyArray<readonly [id: string, fault: string, breaks: string, Change]> = [
  [
    "close-elsewhere",
    "a position is closed, whichever market the call names",
    "positions.close.refusal",
    asking(close, (fields) => ({ ...fields, market: "BTC_PERP" }))
  ],
  ["close-foreign", "closing another account's position succeeds", "positions.close.refusal", accepting(close, [])],
  [
    "close-exits",
    "the exits of a closed position stay listed",
    "positions.close.trades",
    {
      make: () => {
        let [last, isClosed] = [undefined as unknown, false]
        return {
          answer: (answer, { path }) => {
            isClosed ||= path === close
            if (path !== active || answer.status !== 200) return answer
            if (isClosed) return withBody(answer, last)
            last = jsonOf(answer)
            return answer
          }
        }
      }
    }
  ],
  [
    "close-maker",
    "the fill that closes a position has the maker role",
    "positions.close.trades",
    changing(Fills.endpoint.path, ["*", "role"], () => 1)
  ],
  [
    "closed-hedge",
    "closed positions are never shown as hedged",
    "positions.close.hedged",
    changing(closed, ["*", "isHedge"], () => false)
  ],
  [
    "history-side",
    "changes of positions always show BOTH",
    "positions.close.hedged",
    changing(history, ["*", "side"], () => "BOTH")
  ],
  [
    "closed-first-price",
    "the average entry price is the first one",
    "positions.closed.parts",
    changing(closed, ["*", "avgEntryPrice"], () => "40000")
  ],
  [
    "closed-last-price",
    "the average exit price is the last one",
    "positions.closed.parts",
    changing(closed, ["*", "avgExitPrice"], () => "39600")
  ],
  [
    "closed-last-size",
    "the closed size is that of the last fill",
    "positions.closed.parts",
    changing(closed, ["*", "closedSize"], () => "0.03")
  ],
  [
    "closed-fees",
    "the trading fees are those of closing",
    "positions.closed.parts",
    record(closed, (one) => ({
      ...one,
      totalTradeFee: String(Number(one["totalTradeFee"]) / 2),
      grossPnl: String(Number(one["grossPnl"]) + Number(one["totalTradeFee"]) / 2)
    }))
  ],
  [
    "closed-opened",
    "the time of opening is that of closing",
    "positions.closed.parts",
    record(closed, (one) => ({ ...one, openDate: one["closeDate"] }))
  ],
  [
    "closed-long",
    "closed positions show LONG in one-way mode",
    "positions.closed.parts",
    changing(closed, ["*", "side"], () => "LONG")
  ],
  [
    "history-fee",
    "changes show twice the fee",
    "positions.history.parts",
    changing(history, ["*", "orderDetail", "tradeFee"], times(2))
  ],
  [
    "history-times",
    "changes show the time of opening as their own",
    "positions.history.parts",
    record(history, (one) => ({ ...one, modifyDate: one["openDate"] }))
  ],
  [
    "history-opened",
    "changes show their own time as that of opening",
    "positions.history.parts",
    record(history, (one) => ({ ...one, openDate: one["modifyDate"] }))
  ],
  [
    "history-traded",
    "changes show the position's size as the traded amount",
    "positions.history.parts",
    record(history, (one) => ({ ...one, orderDetail: { ...one["orderDetail"] as Fields, tradeAmount: one["amount"] } }))
  ],
  [
    "history-entry",
    "changes show the first entry price",
    "positions.history.parts",
    changing(history, ["*", "basePrice"], () => "40000")
  ],
  [
    "funding-first-size",
    "funding payments show the first size of a position",
    "positions.funding.parts",
    changing(funding, ["records", "*", "positionAmount"], (size) => Number(size) < 0 ? "-0.02" : "0.02")
  ],
  [
    "funding-rate",
    "funding payments show another rate than the public history",
    "positions.funding.public",
    changing(funding, ["records", "*", "fundingRate"], (rate) => String(Number(rate) + 0.0001))
  ],
  [
    "funding-price",
    "funding payments show another price than the public history",
    "positions.funding.public",
    changing(funding, ["records", "*", "settlementPrice"], times(1.01))
  ],
  [
    "funding-50",
    "a page has 50 funding payments by default",
    "positions.funding.default",
    asking(funding, (fields) => ({ limit: 50, ...fields }))
  ],
  [
    "pages-negative",
    "a negative offset is read as zero",
    "positions.pages",
    askingWhen(closed, ({ offset }) => offset === -1, (fields) => ({ ...fields, offset: 0 }))
  ],
  [
    "pages-market",
    "an unknown market has no funding payments",
    "positions.pages",
    accepting(funding, { limit: 100, offset: 0, records: [] })
  ],
  ["leverage-refused", "a refused leverage is set to 5", "margin.leverage.kept", refusedButMade],
  [
    "leverage-fraction",
    "a fraction as leverage is rounded",
    "margin.leverage.kept",
    askingWhen(leverage, (fields) => fields["leverage"] === 5.5, (fields) => ({ ...fields, leverage: 5 }))
  ],
  [
    "leverage-margin",
    "the margin of a position ignores the leverage",
    "margin.leverage.margin",
    changing(positions, ["*", "margin"], () => "80")
  ],
  [
    "leverage-uncovered",
    "a leverage that the collateral does not cover is replaced by one that it does",
    "margin.leverage.uncovered",
    askingWhen(leverage, (fields) => fields["leverage"] === 1, (fields) => ({ ...fields, leverage: 10 }))
  ],
  [
    "leverage-uncovered-code",
    "such a leverage is refused with code 30",
    "margin.leverage.uncovered",
    otherCode(leverage, 30)
  ],
  [
    "hedge-text",
    "hedge mode can be a text",
    "margin.hedge.invalid",
    askingWhen(update, ({ hedgeMode }) => hedgeMode === "true", (fields) => ({ ...fields, hedgeMode: true }))
  ],
  [
    "hedge-busy-code",
    "switching the mode with futures orders is refused with code 30",
    "margin.hedge.busy",
    otherCode(update, 30)
  ],
  [
    "hedge-busy",
    "the mode can be switched with futures orders",
    "margin.hedge.busy",
    accepting(update, { hedgeMode: true })
  ],
  [
    "hedge-busy-shown",
    "a refused switch of the mode is shown as done",
    "margin.hedge.busy",
    {
      make: () => {
        let isRefused = false
        return {
          answer: (answer, { path }) => {
            isRefused ||= path === update && answer.status >= 400
            const json = jsonOf(answer)
            return path === HedgeMode.endpoint.path && isRefused && Json.isObject(json)
              ? withBody(answer, { hedgeMode: json["hedgeMode"] !== true })
              : answer
          }
        }
      }
    }
  ],
  [
    "sides-listed",
    "open orders always show BOTH",
    "margin.sides.waiting",
    changing(active, ["*", "positionSide"], () => "BOTH")
  ],
  [
    "sides-canceled",
    "canceled orders always show BOTH",
    "margin.sides.waiting",
    changing(CancelOrder.endpoint.path, ["positionSide"], () => "BOTH")
  ],
  [
    "sides-leg",
    "the stop-loss in the list of OCO orders shows BOTH",
    "margin.sides.pair",
    changing(UnexecutedOcoOrders.endpoint.path, ["*", "stop_loss", "positionSide"], () => "BOTH")
  ],
  [
    "sides-pair",
    "an OCO order without a side trades the long position",
    "margin.sides.pair",
    askingWhen(
      CollateralOcoOrders.endpoint.path,
      ({ positionSide }) => positionSide === undefined,
      (fields) => ({ ...fields, positionSide: "LONG" })
    )
  ],
  [
    "sides-bulk",
    "a bulk order without a side has the side of the first one",
    "margin.sides.bulk",
    asking(CollateralBulkLimitOrders.endpoint.path, (fields) => ({
      ...fields,
      orders: (Array.isArray(fields["orders"]) ? fields["orders"] : []).map((order) => ({
        positionSide: "LONG",
        ...order as Fields
      }))
    }))
  ],
  [
    "sides-beyond",
    "an order that closes more than a long position opens a short one",
    "margin.sides.beyond",
    {
      make: () => {
        let isClosing = false
        return {
          answer: (answer, request) => {
            isClosing ||= new TextDecoder().decode(request.body).includes("\"amount\":\"0.05\",\"positionSide\"")
            return request.path === positions && isClosing
              ? withBody(answer, [{ amount: "-0.03", positionSide: "BOTH" }])
              : answer
          }
        }
      }
    }
  ],
  [
    "sides-exits",
    "the exit of a long position opens a short one",
    "margin.sides.exits",
    {
      make: () => {
        let reads = 0
        return {
          answer: (answer, { path }) =>
            path === positions && answer.status === 200 && ++reads > 1
              ? withBody(answer, [{ amount: "-0.02", positionSide: "SHORT" }])
              : answer
        }
      }
    }
  ],
  [
    "close-other",
    "closing one position closes all of the account's positions",
    "positions.close.market",
    {
      make: () => {
        let isClosed = false
        return {
          answer: (answer, { path }) => {
            isClosed ||= path === close && answer.status === 200
            return path === positions && isClosed ? withBody(answer, []) : answer
          }
        }
      }
    }
  ],
  [
    "close-foreign-code",
    "closing another account's position is refused with code 2",
    "positions.close.refusal",
    answering(close, "refusal", (json) => Json.isObject(json) && json["code"] === 104 ? { ...json, code: 2 } : json)
  ],
  [
    "percent-ratio",
    "pnlPercent is a ratio",
    "positions.unrealized",
    changing(positions, ["*", "pnlPercent"], times(0.01))
  ],
  [
    "liquidation-side",
    "the liquidation price is on the other side of the entry price",
    "positions.liquidation",
    changing(
      positions,
      ["*", "liquidationPrice"],
      (price) => typeof price === "string" ? String(80_000 - Number(price)) : price
    )
  ],
  [
    "summary-free",
    "a tenth of the collateral is never free",
    "margin.summary.idle",
    changing(summary, ["freeMargin"], times(0.9))
  ],
  [
    "summary-equity",
    "the equity is that of the first summary",
    "margin.summary.idle",
    changing(summary, ["equity"], () => "10000")
  ],
  [
    "adl-margin",
    "positions on margin markets have an ADL grade",
    "margin.adl.none",
    answering(AdlQuantiles.endpoint.path, "success", () => [{ market: "BTC_USDT", long: 0, short: null }])
  ]
]

export const mutants: ReadonlyArray<Mutant> = rows.map(([id, fault, breaks, change]) =>
  mutant(`position-effects-${id}`, fault, { breaks: [breaks], dialects: ["live"], ...change })
)
