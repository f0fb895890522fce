/**
 * The wallets of an account: main, trade and collateral. Only the live exchange's documentation describes all of
 * them.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "./LiveCalls.ts"
import * as Paths from "./Paths.ts"
import type { Account, World } from "./World.ts"

/**
 * The balances of an account, keyed by wallet and asset. `main.USDT`, `trade.USDT` and `collateral.USDT` include locked
 * funds; `frozen.USDT` is the part of `trade.USDT` that open orders lock.
 */
export type Balances = ReadonlyMap<string, number>

/** Expected balance changes. A pair is an inclusive range. Balances without an entry must not change. */
export type Changes = Readonly<Record<string, number | readonly [from: number, to: number]>>

/** Amounts that differ by less than this are considered equal. */
const precision = 1e-8

const number = (value: unknown, key: string): number => Json.isObject(value) ? Number(value[key]) : Number.NaN

/** Reads all balances of an account. */
export const read = Effect.fnUntraced(function*(
  world: World,
  account: Account
): Effect.fn.Return<Balances, Verdict.CheckError> {
  const main = yield* LiveCalls.object(world, account, Paths.mainBalance, {})
  const trade = yield* LiveCalls.object(world, account, Paths.tradeBalance, {})
  const collateral = yield* LiveCalls.object(world, account, Paths.collateralBalance, {})
  return new Map([
    ...Object.entries(main.json).map(([ticker, entry]) => [`main.${ticker}`, number(entry, "main_balance")] as const),
    ...Object.entries(trade.json).flatMap(([ticker, entry]) =>
      [
        [`trade.${ticker}`, number(entry, "available") + number(entry, "freeze")],
        [`frozen.${ticker}`, number(entry, "freeze")]
      ] as const
    ),
    ...Object.entries(collateral.json).map(([ticker, units]) => [`collateral.${ticker}`, Number(units)] as const)
  ])
})

/** Returns the balances that differ, with their differences. */
const differences = (before: Balances, after: Balances): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...new Set([...before.keys(), ...after.keys()])]
      .map((key) => [key, (after.get(key) ?? 0) - (before.get(key) ?? 0)] as const)
      .filter(([, change]) => !(Math.abs(change) < precision))
      .map(([key, change]) => [key, Number(change.toFixed(10))])
  )

const isWithin = (change: number, expected: Changes[string]): boolean => {
  const [from, to] = typeof expected === "number" ? [expected, expected] : expected
  return change > from - precision && change < to + precision
}

/** Expects that the balances of an account have changed in exactly one of these ways. */
export const expectOneOf = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  before: Balances,
  ways: ReadonlyArray<Changes>
) {
  const changes = differences(before, yield* read(world, account))
  const isAsIn = (way: Changes) =>
    [...new Set([...Object.keys(changes), ...Object.keys(way)])]
      .every((key) => isWithin(changes[key] ?? 0, way[key] ?? 0))
  yield* Verdict.conclude(
    `balance changes ${ways.map((way) => Json.stringify(way)).join(" or ")}`,
    changes,
    ways.some(isAsIn)
  )
})

/** Expects that the balances of an account have changed in exactly this way. */
export const expectChanges = (world: World, account: Account, before: Balances, changes: Changes) =>
  expectOneOf(world, account, before, [changes])

/** An account's funds: an amount for each wallet and asset. */
export type Funds = ReadonlyArray<readonly [wallet: "main" | "trade" | "collateral", ticker: string, amount: string]>

/** Funds that cover at most half of any order that a rule expects to be refused for lack of funds. */
export const little: Funds = [["trade", "USDT", "200"], ["trade", "BTC", "0.005"], ["collateral", "USDT", "20"]]

/** Opens an account with these funds only, so that its balances are small enough to be compared exactly. */
export const open = Effect.fnUntraced(function*(world: World, funds: Funds) {
  const account = yield* world.open({ isFunded: false })
  for (const [wallet, ticker, amount] of funds) {
    yield* world.control("Fund", { account: account.id, wallet, ticker, amount })
  }
  return account
})

/** Opens an account that can buy and sell on spot and margin markets. */
export const openTrader = (world: World) =>
  open(world, [["trade", "BTC", "1"], ["trade", "USDT", "10000"], ["collateral", "USDT", "10000"]])
