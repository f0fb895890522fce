/**
 * Rules about balances and positions that a call names one by one: they are the same as in the complete list, also
 * while orders are open. Only the live exchange's documentation describes these calls.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Comparison from "../world/Comparison.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { above, basePrice, perpetual } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, World } from "../world/World.ts"

/** Returns an account with open spot and margin orders, and with positions on a margin and on the futures market. */
const busy = Effect.fnUntraced(function*(world: World) {
  const account = yield* LiveOrders.customer(world)
  const market = yield* world.market
  yield* Trading.openPosition(world, account, "buy", "0.02")
  yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
  const order = { market: perpetual, side: "sell", amount: "0.01", price: String(basePrice) } as const
  const exits = { takeProfit: String(basePrice * 0.8), stopLoss: String(basePrice * 1.2) }
  yield* Trading.onMargin(world, account, order, exits)
  const far = { market: market.name, amount: "0.01" }
  yield* Trading.placeOther(world, account, { ...far, side: "buy", price: Orders.lowPrice(market) })
  yield* Trading.placeOther(world, account, { ...far, side: "sell", price: above(market, 30) })
  yield* Trading.placeOther(
    world,
    account,
    { ...far, side: "buy", price: Orders.lowPrice(market) },
    Paths.collateralLimit
  )
  return account
})

/** The entries of a list, each with the field that selects it and its form in the response for this field alone. */
type Entries = ReadonlyArray<readonly [filter: Body, alone: unknown]>

/** Returns the entries of a map from assets to balances. */
const ofMap = (alone: (ticker: string, balance: unknown) => unknown) => (json: unknown): Entries =>
  Object.entries(Json.isObject(json) ? json : {}).map(([ticker, balance]) => [{ ticker }, alone(ticker, balance)])

/** Returns the groups of records that have the same value of a field. */
const ofRecords = (key: string, filter: string) => (json: unknown): Entries => {
  const records = Array.isArray(json) ? json.filter(Json.isObject) : []
  return [...new Set(records.map((record) => record[key]))].map((value) => [
    { [filter]: value },
    records.filter((record) => record[key] === value)
  ])
}

/** The calls that show all entries, or those that a field selects. */
const sources: ReadonlyArray<{ readonly path: string; readonly entries: (json: unknown) => Entries }> = [
  { path: Paths.mainBalance, entries: ofMap((_, balance) => balance) },
  { path: Paths.tradeBalance, entries: ofMap((_, balance) => balance) },
  { path: Paths.collateralBalance, entries: ofMap((ticker, balance) => ({ [ticker]: balance })) },
  { path: Paths.balanceSummary, entries: ofRecords("asset", "ticker") },
  { path: Paths.openPositions, entries: ofRecords("market", "market") }
]

/** Whether a value has the expected fields, entries and amounts, in whatever notation and sequence. */
const isSame = (shown: unknown, expected: unknown): boolean => {
  if (Array.isArray(expected)) {
    return Array.isArray(shown) && shown.length === expected.length &&
      expected.every((one) => shown.some((other) => isSame(other, one)))
  }
  return Json.isObject(expected)
    ? Json.isObject(shown) && Object.entries(expected).every(([key, value]) => isSame(shown[key], value))
    : shown === expected || (typeof shown === "string" && shown !== "" && Number(shown) === Number(expected))
}

/** Whether a response shows no amount other than zero: a closed position, or a balance of nothing. */
const isNothing = (json: unknown): boolean =>
  Array.isArray(json) && json.every((one) => Json.isObject(one) && Number(one["amount"] ?? 0) === 0)

/**
 * Expects each entry of the complete list, alone, as the list shows it before and afterwards. Expects no records for a
 * filter that had some `earlier` and no longer has any.
 */
const agrees = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  path: string,
  entries: (json: unknown) => Entries,
  earlier: Entries = []
) {
  const before = yield* LiveCalls.call(world, account, path, {})
  const found = entries(before.json)
  yield* Verdict.expect(before, "at least one entry", found.length > 0)
  const shown = yield* Effect.forEach(found, ([filter]) => LiveCalls.call(world, account, path, filter))
  const after = yield* LiveCalls.call(world, account, path, {})
  // A price that changes meanwhile changes profits and margins.
  if (Comparison.textOfSet([before.json]) !== Comparison.textOfSet([after.json])) return found
  for (const [index, [filter, alone]] of found.entries()) {
    const answer = shown[index]
    if (answer === undefined) continue
    yield* Verdict.expect(
      answer,
      `for ${Json.stringify(filter)}, as in the complete list: ${Comparison.textOf(alone)}`,
      isSame(answer.json, alone)
    )
  }
  const gone = earlier.filter(([filter]) => found.every(([other]) => !isSame(other, filter)))
  for (const [filter, alone] of gone) {
    const answer = yield* LiveCalls.call(world, account, path, filter)
    const isGone = !Array.isArray(alone) || isNothing(answer.json)
    yield* Verdict.expect(answer, `nothing for ${Json.stringify(filter)}, as in the complete list`, isGone)
  }
  return found
})

/** Moves funds, cancels all orders and closes the futures position. */
const change = Effect.fnUntraced(function*(world: World, account: Account) {
  for (const to of ["spot", "collateral"]) {
    yield* LiveCalls.call(world, account, Paths.transfer, { ticker: "USDT", amount: "5", from: "main", to })
  }
  yield* Trading.onMargin(world, account, {
    market: perpetual,
    side: "buy",
    amount: "0.01",
    price: String(basePrice)
  })
  yield* world.call(account, Paths.cancelAll)
})

export const rules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.always("records.alone", {
    statement:
      "Shows for one asset or market the same balances and positions as in the complete list, while orders are "
      + "open and positions need margin, and after all of them have changed",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* busy(world)
      const found = yield* Effect.forEach(sources, ({ entries, path }) => agrees(world, account, path, entries))
      yield* change(world, account)
      for (const [index, { entries, path }] of sources.entries()) {
        yield* agrees(world, account, path, entries, found[index])
      }
    })
  })
]
