/** Faults in the collateral account's calls, which only the live exchange documents. */
import * as AdlQuantiles from "../../../src/endpoints/AdlQuantiles.ts"
import * as ClosedPositions from "../../../src/endpoints/ClosedPositions.ts"
import * as ClosePosition from "../../../src/endpoints/ClosePosition.ts"
import * as CollateralLeverage from "../../../src/endpoints/CollateralLeverage.ts"
import * as CollateralSummary from "../../../src/endpoints/CollateralSummary.ts"
import * as FundingPayments from "../../../src/endpoints/FundingPayments.ts"
import * as HedgeMode from "../../../src/endpoints/HedgeMode.ts"
import * as HedgeModeUpdate from "../../../src/endpoints/HedgeModeUpdate.ts"
import * as PositionHistory from "../../../src/endpoints/PositionHistory.ts"
import * as Json from "../../../src/protocol/Json.ts"
import { answering, asking, type Change, changing, type Mutant, mutant, withBody, without } from "./Mutant.ts"

const leverage = CollateralLeverage.endpoint.path
const summary = CollateralSummary.endpoint.path
const [funding, history, closed] = [
  FundingPayments.endpoint.path,
  PositionHistory.endpoint.path,
  ClosedPositions.endpoint.path
]

/** Multiplies a decimal. */
export const times = (factor: number) => (value: unknown): unknown => String(Number(value) * factor)

/** Turns refusals of calls to a path into successes with this body. */
export const accepting = (path: string, body: unknown): Change => ({
  make: () => ({
    answer: (answer, request) =>
      request.path === path && answer.status >= 400 ? withBody({ ...answer, status: 200 }, body) : answer
  })
})

/** Replaces the code of refusals. */
export const otherCode = (path: string, code: number): Change =>
  answering(path, "refusal", (json) => Json.isObject(json) ? { ...json, code } : json)

const rows: ReadonlyArray<readonly [id: string, fault: string, breaks: string, Change]> = [
  [
    "leverage-echo",
    "a leverage change always returns 10",
    "margin.leverage",
    changing(leverage, ["leverage"], () => 10)
  ],
  [
    "leverage-summary",
    "the summary always shows a leverage of 10",
    "margin.leverage",
    changing(summary, ["leverage"], () => 10)
  ],
  [
    "leverage-ignored",
    "the leverage is always set to 5",
    "margin.leverage",
    asking(leverage, (fields) => ({ ...fields, leverage: 5 }))
  ],
  ["leverage-any", "every leverage is accepted", "margin.leverage-refusal", accepting(leverage, { leverage: 4 })],
  [
    "free-equity",
    "the free margin is the equity",
    "margin.free",
    changing(summary, [], (json) => Json.isObject(json) ? { ...json, freeMargin: json["equity"] } : json)
  ],
  ["free-pnl", "the pnl has the opposite sign", "margin.free", changing(summary, ["pnl"], times(-1))],
  [
    "free-without-pnl",
    "the free margin leaves out the pnl",
    "margin.free",
    changing(
      summary,
      [],
      (json) =>
        Json.isObject(json) ? { ...json, freeMargin: String(Number(json["equity"]) - Number(json["margin"])) } : json
    )
  ],
  ["pnl-sign", "the pnl has the opposite sign", "margin.pnl", changing(summary, ["pnl"], times(-1))],
  ["pnl-zero", "the pnl is always zero", "margin.pnl", changing(summary, ["pnl"], () => "0")],
  [
    "hedge-off",
    "hedge mode is always shown as off",
    "margin.hedge",
    changing(HedgeMode.endpoint.path, ["hedgeMode"], () => false)
  ],
  [
    "hedge-on",
    "hedge mode can't be switched off",
    "margin.hedge",
    asking(HedgeModeUpdate.endpoint.path, (fields) => ({ ...fields, hedgeMode: true }))
  ],
  [
    "hedge-always",
    "hedge mode can be switched with open positions",
    "margin.hedge-refusal",
    accepting(HedgeModeUpdate.endpoint.path, { hedgeMode: true })
  ],
  [
    "hedge-code",
    "a refused change of hedge mode has code 30",
    "margin.hedge-refusal",
    otherCode(HedgeModeUpdate.endpoint.path, 30)
  ],
  ["close-unknown", "closing an unknown position succeeds", "margin.close", accepting(ClosePosition.endpoint.path, [])],
  [
    "close-code",
    "closing an unknown position is refused with code 30",
    "margin.close",
    otherCode(ClosePosition.endpoint.path, 30)
  ],
  [
    "history-latest",
    "the history has only the latest change",
    "margin.history",
    answering(history, "success", (json) => Array.isArray(json) ? json.slice(0, 1) : json)
  ],
  [
    "history-amount",
    "the history shows double the traded amount",
    "margin.history",
    changing(history, ["*", "orderDetail", "tradeAmount"], times(2))
  ],
  [
    "history-price",
    "the history shows a price of 1",
    "margin.history",
    changing(history, ["*", "orderDetail", "price"], () => "1")
  ],
  [
    "closed-net",
    "netPnl is one too high",
    "margin.closed",
    changing(closed, ["*", "netPnl"], (net) => String(Number(net) + 1))
  ],
  [
    "closed-size",
    "a closed position shows half its size",
    "margin.closed",
    changing(closed, ["*", "closedSize"], times(0.5))
  ],
  ["closed-none", "closed positions are not listed", "margin.closed", answering(closed, "success", () => [])],
  [
    "closed-milliseconds",
    "closed positions show their dates in milliseconds",
    "margin.closed.terms",
    changing(closed, ["*", "closeDate"], (date) => Number(date) * 1000)
  ],
  [
    "closed-prices",
    "entry and exit price of closed positions are swapped",
    "margin.closed.terms",
    changing(closed, ["*"], (record) =>
      Json.isObject(record)
        ? { ...record, avgEntryPrice: record["avgExitPrice"], avgExitPrice: record["avgEntryPrice"] }
        : record)
  ],
  [
    "closed-funding",
    "netPnl adds the funding instead of deducting it",
    "margin.closed.funding",
    changing(closed, ["*"], (record) =>
      Json.isObject(record)
        ? { ...record, netPnl: String(Number(record["grossPnl"]) + Number(record["totalFunding"])) }
        : record)
  ],
  [
    "closed-first-page",
    "every page of closed positions is the first",
    "margin.closed.pages",
    asking(closed, (fields) => without(fields, "offset"))
  ],
  [
    "closed-oldest-first",
    "each page of closed positions is in reverse order",
    "margin.closed.pages",
    answering(closed, "success", (json) => Array.isArray(json) ? json.toReversed() : json)
  ],
  [
    "history-all-positions",
    "the history ignores the position that the call names",
    "margin.history.position",
    asking(history, (fields) => without(fields, "positionId"))
  ],
  [
    "funding-oldest-first",
    "funding payments are listed oldest first",
    "margin.funding.order",
    changing(funding, ["records"], (records) => Array.isArray(records) ? records.toReversed() : records)
  ],
  [
    "funding-sign",
    "funding payments have the opposite sign",
    "margin.funding",
    changing(funding, ["records", "*", "fundingAmount"], times(-1))
  ],
  [
    "funding-unsigned",
    "funding shows position amounts without a sign",
    "margin.funding",
    changing(funding, ["records", "*", "positionAmount"], (amount) => String(Math.abs(Number(amount))))
  ],
  ["funding-none", "there are no funding payments", "margin.funding", changing(funding, ["records"], () => [])],
  [
    "adl-one-based",
    "ADL grades are 5 too high",
    "margin.adl",
    changing(
      AdlQuantiles.endpoint.path,
      ["*"],
      (grade) => Json.isObject(grade) ? { ...grade, long: 5, short: null } : grade
    )
  ],
  [
    "adl-both",
    "ADL grades both sides",
    "margin.adl",
    changing(
      AdlQuantiles.endpoint.path,
      ["*"],
      (grade) => Json.isObject(grade) ? { ...grade, long: 0, short: 0 } : grade
    )
  ],
  [
    "fraction-zero",
    "the margin fraction without positions is zero",
    "margin.fraction",
    changing(summary, ["marginFraction"], (fraction) => Number(fraction) >= 1e20 ? "0" : fraction)
  ],
  ["pages-closed", "any limit of closed positions is accepted", "margin.pages", accepting(closed, [])],
  [
    "pages-funding",
    "any limit of funding payments is accepted",
    "margin.pages",
    accepting(funding, { limit: 100, offset: 0 })
  ]
]

export const mutants: ReadonlyArray<Mutant> = rows.map(([id, fault, breaks, change]) =>
  mutant(`margin-${id}`, fault, { breaks: [breaks], dialects: ["live"], ...change })
)
