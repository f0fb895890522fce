/** Faults in the detailed balances, the borrows and the hedge mode of a collateral account. */
import * as BorrowHistory from "../../../src/endpoints/BorrowHistory.ts"
import * as CollateralBalanceSummary from "../../../src/endpoints/CollateralBalanceSummary.ts"
import * as CollateralLimitOrders from "../../../src/endpoints/CollateralLimitOrders.ts"
import * as OpenPositions from "../../../src/endpoints/OpenPositions.ts"
import * as Json from "../../../src/protocol/Json.ts"
import { accepting, otherCode, times } from "./Margin.ts"
import { answering, asking, type Change, changing, type Fields, type Mutant, mutant } from "./Mutant.ts"

const balances = CollateralBalanceSummary.endpoint.path
const borrows = BorrowHistory.endpoint.path
const limit = CollateralLimitOrders.endpoint.path

const without = (path: string, ...keys: ReadonlyArray<string>): Change =>
  asking(path, (fields) => Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.includes(key))))

const entry = (change: (entry: Fields) => Fields): Change =>
  changing(balances, ["*"], (entry) => Json.isObject(entry) ? change(entry) : entry)

const borrow = (change: (borrow: Fields) => Fields): Change =>
  changing(borrows, ["records", "*"], (borrow) => Json.isObject(borrow) ? change(borrow) : borrow)

const opposite: Readonly<Record<string, string>> = { LONG: "SHORT", SHORT: "LONG" }

const rows: ReadonlyArray<readonly [id: string, fault: string, breaks: string, Change]> = [
  ["balances-all", "the detailed balances ignore the ticker", "margin.balances", without(balances, "ticker")],
  ["balances-none", "there are no detailed balances", "margin.balances", answering(balances, "success", () => [])],
  [
    "balances-half",
    "the detailed balances are half the balances",
    "margin.balances",
    changing(balances, ["*", "balance"], times(0.5))
  ],
  [
    "balances-numbers",
    "the detailed balances are numbers",
    "margin.balances",
    changing(balances, ["*", "balance"], Number)
  ],
  [
    "balances-swapped",
    "the amounts available with and without a borrow are swapped",
    "margin.balances",
    entry(({ availableWithBorrow, availableWithoutBorrow, ...rest }) => ({
      ...rest,
      availableWithBorrow: availableWithoutBorrow,
      availableWithoutBorrow: availableWithBorrow
    }))
  ],
  [
    "balances-borrow",
    "an account without positions has borrowed its balance",
    "margin.balances",
    entry((entry) => ({ ...entry, borrow: entry["balance"] }))
  ],
  ["balances-unknown", "an unknown asset has no balance", "margin.balances-refusal", accepting(balances, [])],
  ["balances-code", "an unknown asset is refused with code 1", "margin.balances-refusal", otherCode(balances, 1)],
  ["borrowed-none", "no borrow is shown", "margin.borrowed", changing(balances, ["*", "borrow"], () => "0")],
  [
    "borrowed-sign",
    "the borrowed amount is negative",
    "margin.borrowed",
    changing(balances, ["*", "borrow"], times(-1))
  ],
  [
    "borrowed-all",
    "the borrowed amount is shown for every asset",
    "margin.borrowed",
    answering(balances, "success", (json) => {
      const all = Array.isArray(json) ? json.filter(Json.isObject) : []
      const borrow = all.find(({ borrow }) => borrow !== "0")?.["borrow"] ?? "0"
      return [...all, { ...all[0], asset: "ETH" }].map((one) => ({ ...one, borrow }))
    })
  ],
  ["borrows-none", "there are no borrows", "margin.borrows", changing(borrows, ["records"], () => [])],
  [
    "borrows-asset",
    "every borrow is in ETH",
    "margin.borrows",
    changing(borrows, ["records", "*", "asset"], () => "ETH")
  ],
  [
    "borrows-active",
    "a borrow stays active forever",
    "margin.borrows",
    changing(borrows, ["records", "*", "status"], () => "active")
  ],
  [
    "borrows-free",
    "borrows bear no interest",
    "margin.borrows",
    changing(borrows, ["records", "*", "interest"], () => "0")
  ],
  [
    "borrows-prepaid",
    "the first day's interest is shown immediately",
    "margin.borrows",
    borrow((borrow) => ({
      ...borrow,
      interest: borrow["interest"] === "0" ? times(0.0005)(borrow["principal"]) : borrow["interest"]
    }))
  ],
  [
    "borrows-millis",
    "the timestamp of a borrow is in milliseconds",
    "margin.borrows",
    changing(borrows, ["records", "*", "timestamp"], (time) => Number(time) * 1000)
  ],
  [
    "borrows-latest",
    "borrows are listed latest first",
    "margin.borrows-order",
    changing(borrows, ["records"], (records) => Array.isArray(records) ? records.toReversed() : records)
  ],
  ["borrows-assets", "the asset filter of borrows is ignored", "margin.borrows-order", without(borrows, "asset")],
  ["borrows-start", "startTime of borrows is ignored", "margin.borrows-order", without(borrows, "startTime")],
  ["borrows-end", "endTime of borrows is ignored", "margin.borrows-order", without(borrows, "endTime")],
  ["borrows-limit", "the limit of borrows is ignored", "margin.borrows-order", without(borrows, "limit")],
  ["borrows-offset", "the offset of borrows is ignored", "margin.borrows-order", without(borrows, "offset")],
  [
    "borrows-any",
    "every page of borrows is accepted",
    "margin.borrows-pages",
    accepting(borrows, { limit: 100, offset: 0, records: [] })
  ],
  ["borrows-code", "a page of borrows is refused with code 1", "margin.borrows-pages", otherCode(borrows, 1)],
  [
    "sides-both",
    "every position shows positionSide BOTH",
    "margin.sides",
    changing(OpenPositions.endpoint.path, ["*", "positionSide"], () => "BOTH")
  ],
  ["sides-echo", "every order shows side BOTH", "margin.sides", changing(limit, ["positionSide"], () => "BOTH")],
  [
    "sides-opposite",
    "LONG is read as SHORT, and SHORT as LONG",
    "margin.sides",
    asking(limit, (fields) => {
      const side = opposite[String(fields["positionSide"])]
      return side === undefined ? fields : { ...fields, positionSide: side }
    })
  ],
  [
    "sides-one",
    "only the long positions are listed",
    "margin.sides",
    answering(
      OpenPositions.endpoint.path,
      "success",
      (json) =>
        Array.isArray(json) ? json.filter((one) => !Json.isObject(one) || one["positionSide"] !== "SHORT") : json
    )
  ],
  [
    "sides-any",
    "an order without positionSide is reported as placed",
    "margin.side-required",
    accepting(limit, { orderId: 1 })
  ],
  ["sides-code", "an order without positionSide is refused with code 30", "margin.side-required", otherCode(limit, 30)]
]

export const mutants: ReadonlyArray<Mutant> = rows.map(([id, fault, breaks, change]) =>
  mutant(`margin-${id}`, fault, { breaks: [breaks], dialects: ["live"], ...change })
)
