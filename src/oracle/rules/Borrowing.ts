/**
 * Rules about a collateral account's detailed balances and loans, which only the live exchange's documentation
 * describes.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Books from "../world/Books.ts"
import * as Kinds from "../world/Kinds.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import { number } from "../world/Numbers.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as RecordLists from "../world/RecordLists.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, World } from "../world/World.ts"

const { always, forEach } = LiveCalls.section

const day = 86_400_000

const amounts = ["balance", "borrow", "availableWithoutBorrow", "availableWithBorrow"] as const

/** Returns the detailed balances, keyed by asset. */
const balancesOf = Effect.fnUntraced(function*(world: World, account: Account, fields: Body = {}) {
  const { answer, records } = yield* LiveCalls.records(world, account, Paths.balanceSummary, fields)
  return { answer, balances: new Map(records.map((record) => [record["asset"], record])), count: records.length }
})

const borrowsOf = (world: World, account: Account, fields: Body = {}) =>
  LiveCalls.records(world, account, Paths.borrowHistory, fields)

/**
 * Returns the asset that a position on this market borrows: the quote currency for a long one, the base for a short
 * one.
 */
const borrowed = (side: Orders.Side, { money, stock }: { readonly money: string; readonly stock: string }): string =>
  side === "buy" ? money : stock

/** Returns an account's only borrow, which must be active and in this asset. */
const theBorrow = Effect.fnUntraced(function*(world: World, account: Account, asset: string) {
  const { answer, records } = yield* borrowsOf(world, account)
  const [record = {}] = records
  yield* Verdict.expect(
    answer,
    `one active borrow, of ${asset}`,
    records.length === 1 && record["asset"] === asset && record["status"] === "active"
  )
  return { answer, record }
})

const balanceRules: ReadonlyArray<Rule.Rule> = [
  forEach("margin.balances", {
    statement:
      "Shows the same balances as the call for collateral balances. The amount available without a borrow is no "
      + "more than the balance, and no more than the amount available with a borrow",
    values: [[], ["USDT"]],
    check: Effect.fnUntraced(function*(world, [ticker]: ReadonlyArray<string>) {
      const account = yield* world.open()
      yield* world.control("Fund", { account: account.id, wallet: "collateral", ticker: "BTC", amount: "1" })
      const { answer, balances, count } = yield* balancesOf(world, account, ticker === undefined ? {} : { ticker })
      const { json } = yield* LiveCalls.object(world, account, Paths.collateralBalance, {})
      yield* Verdict.expect(
        answer,
        ticker === undefined ? "an entry for each asset, BTC and USDT included" : `one entry, of ${ticker}`,
        balances.has("USDT") && balances.size === count && (ticker === undefined ? balances.has("BTC") : count === 1)
      )
      for (const [asset, entry] of balances) {
        yield* Verdict.expect(
          answer,
          `amounts of ${String(asset)} as decimals, with a balance of ${String(json[String(asset)] ?? 0)}`,
          amounts.every((key) => Kinds.decimal.holds(entry[key])) &&
            Books.isClose(number(entry, "balance"), Number(json[String(asset)] ?? 0)) &&
            number(entry, "borrow") === 0 &&
            // An account without positions and orders can use what it has.
            (number(entry, "balance") === 0 || number(entry, "availableWithoutBorrow") > 0) &&
            number(entry, "availableWithoutBorrow") <= number(entry, "balance") &&
            number(entry, "availableWithoutBorrow") <= number(entry, "availableWithBorrow")
        )
      }
    })
  }),
  always("margin.balances-refusal", {
    statement: "Refuses the balances of an unknown asset, with errors that name ticker",
    profile: "read-only",
    check: (world) =>
      Effect.flatMap(
        world.reader,
        (account) => LiveCalls.refuses(world, account, Paths.balanceSummary, { ticker: "NO_SUCH" }, { key: "ticker" })
      )
  }),
  forEach("margin.borrowed", {
    statement: "Shows a margin position's borrow principal in the asset's balance, until the position is closed",
    level: "SHOULD",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* world.open()
      const asset = borrowed(side, yield* Trading.openPosition(world, account, side, "0.02"))
      const { record } = yield* theBorrow(world, account, asset)
      const open = yield* balancesOf(world, account)
      const principal = number(record, "principal")
      yield* Verdict.expect(
        open.answer,
        `a borrow of ${principal} ${asset} and of nothing else`,
        principal > 0 && Books.isClose(number(open.balances.get(asset) ?? {}, "borrow"), principal) &&
          [...open.balances].every(([other, entry]) => other === asset || number(entry, "borrow") === 0)
      )
      yield* Trading.openPosition(world, account, Orders.opposite(side), "0.02")
      const { answer, balances } = yield* balancesOf(world, account)
      yield* Verdict.expect(
        answer,
        "no borrow once the position is closed",
        [...balances.values()].every((entry) => number(entry, "borrow") === 0)
      )
    })
  })
]

const borrowRules: ReadonlyArray<Rule.Rule> = [
  forEach("margin.borrows", {
    statement:
      "Lists a margin position's borrow with its interest: as active until the position is closed, then as repaid",
    level: "SHOULD",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* world.open()
      const asset = borrowed(side, yield* Trading.openPosition(world, account, side, "0.02"))
      const now = (yield* world.now) / 1000
      const { answer, record } = yield* theBorrow(world, account, asset)
      yield* Verdict.expect(
        answer,
        `a borrow taken within a minute of ${Math.floor(now)}, without interest so far`,
        Kinds.integer.holds(record["timestamp"]) && Math.abs(number(record, "timestamp") - now) < 60 &&
          number(record, "interest") === 0 && number(record, "principal") > 0 &&
          Books.isClose(number(record, "amount"), number(record, "principal"))
      )
      yield* world.advance(day)
      const later = yield* theBorrow(world, account, asset)
      const interest = number(later.record, "interest")
      yield* Verdict.expect(
        later.answer,
        "the same borrow with a day's interest, less than one percent of the principal",
        later.record["timestamp"] === record["timestamp"] && interest > 0 &&
          interest < 0.01 * number(record, "principal") && number(later.record, "amount") >= number(record, "amount")
      )
      yield* Trading.openPosition(world, account, Orders.opposite(side), "0.02")
      const closed = yield* borrowsOf(world, account)
      yield* Verdict.expect(
        closed.answer,
        `one repaid borrow, of ${asset}`,
        closed.records.length === 1 &&
          closed.records.every((one) => one["asset"] === asset && one["status"] === "repaid")
      )
    })
  }),
  always("margin.borrows-order", {
    statement:
      "Lists borrows in the requested asset and period in pages, oldest first, as repaid once they are paid back",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.open()
      for (const side of Orders.sides) {
        yield* Trading.openPosition(world, account, side, "0.02")
        yield* Trading.openPosition(world, account, Orders.opposite(side), "0.02")
        yield* world.advance(5000)
      }
      const { answer, records } = yield* borrowsOf(world, account)
      if (records.length < 2) return yield* Verdict.skip("needs margin positions that borrow")
      const now = (yield* world.now) / 1000
      yield* Verdict.expect(
        answer,
        "repaid borrows of the last minutes, with a decimal above zero as amount",
        records.every((record) =>
          record["status"] === "repaid" && Kinds.seconds.holds(record["timestamp"]) &&
          Math.abs(number(record, "timestamp") - now) < 300 && Kinds.positiveDecimal.holds(record["amount"]) &&
          ["interest", "principal"].every((key) => Kinds.decimal.holds(record[key]))
        )
      )
      const times = records.map((record) => number(record, "timestamp"))
      const [first = {}, second = {}] = records
      yield* Verdict.expect(
        answer,
        "borrows in the order of their timestamps",
        times.every((time, at) => at === 0 || time >= (times[at - 1] ?? 0)) && first["asset"] !== second["asset"]
      )
      const asked: ReadonlyArray<readonly [fields: Body, expected: ReadonlyArray<Body>]> = [
        [{ asset: second["asset"] }, records.filter(({ asset }) => asset === second["asset"])],
        [{ startTime: number(first, "timestamp") + 1 }, records.slice(1)],
        [{ endTime: number(first, "timestamp") }, records.slice(0, 1)],
        [{ limit: 1 }, records.slice(0, 1)],
        [{ limit: 1, offset: 1 }, records.slice(1, 2)],
        [{ asset: second["asset"], limit: 1 }, [second]],
        [{ limit: 2, offset: 1 }, records.slice(1, 3)],
        [
          { asset: first["asset"], startTime: number(first, "timestamp") + 1 },
          records.slice(1).filter(({ asset }) => asset === first["asset"])
        ],
        [
          { startTime: number(first, "timestamp") + 1, endTime: number(second, "timestamp") },
          records.slice(1).filter((record) => number(record, "timestamp") <= number(second, "timestamp"))
        ]
      ]
      for (const [fields, expected] of asked) {
        const found = yield* borrowsOf(world, account, fields)
        yield* Verdict.expect(
          found.answer,
          `the borrows of ${Json.stringify(expected.map(({ asset }) => asset))} for ${Json.stringify(fields)}`,
          RecordLists.sameText(found.records, expected)
        )
      }
    })
  }),
  forEach("margin.borrows-pages", {
    statement: "Refuses a page of borrows if its limit is not 1 to 100, or if its endTime is before its startTime",
    profile: "read-only",
    values: [
      { fields: { limit: 0 }, key: "limit" },
      { fields: { limit: 101 }, key: "limit" },
      { fields: { startTime: 1_800_000_000, endTime: 1_700_000_000 }, key: "endTime" }
    ],
    check: Effect.fnUntraced(function*(world, { fields, key }) {
      const answer = yield* LiveCalls.call(world, yield* world.reader, Paths.borrowHistory, fields)
      yield* Verdict.expect(
        answer,
        `HTTP 400 or 422 with code 30 and errors that name ${key}`,
        [400, 422].includes(answer.status) && Refusals.hasCode(answer, [30]) &&
          Refusals.namedFields(answer).includes(key)
      )
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...balanceRules, ...borrowRules]
