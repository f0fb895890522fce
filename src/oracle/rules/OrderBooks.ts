/** Rules about the order book and depth calls, which only the live exchange's documentation describes. */
import * as Effect from "effect/Effect"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Books from "../world/Books.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LivePublicCalls from "../world/LivePublicCalls.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Trading from "../world/Trading.ts"
import type { World } from "../world/World.ts"

const { always, forEach } = LiveCalls.section

/**
 * Returns the tolerance for the time of a book, in seconds. Without the control plane, this machine's clock may differ
 * from the target's.
 */
const slackOf = ({ profile }: Pick<World, "profile">): number => profile === "control" ? 5 : 60

/** Three prices on each side, best first, in percent from the base price. */
const percents = { buy: [-0.7, -1.1, -1.6], sell: [0.7, 1.1, 1.6] } as const

/**
 * Fills both sides of a book with orders of two accounts: 0.01 and 0.02 at the best price of `percents`, 0.04 from the
 * first account at the second price, and 0.08 from the other account at the third.
 */
const rest = Effect.fnUntraced(function*(world: World) {
  const market = yield* world.market
  const [one, two] = [yield* world.open(), yield* world.open()]
  for (const side of Orders.sides) {
    const [best, second, third] = percents[side]
    for (
      const [account, percent, amount] of [[one, best, "0.01"], [two, best, "0.02"], [one, second, "0.04"], [
        two,
        third,
        "0.08"
      ]] as const
    ) {
      yield* Trading.placeOther(world, account, {
        market: market.name,
        side,
        amount,
        price: Books.near(market, percent)
      })
    }
  }
  const prices = {
    buy: percents.buy.map((percent) => Books.near(market, percent)),
    sell: percents.sell.map((percent) => Books.near(market, percent))
  }
  return { market, one, two, prices }
})

const sideOf = (side: Orders.Side): "asks" | "bids" => side === "buy" ? "bids" : "asks"

const levelRules: ReadonlyArray<Rule.Rule> = [
  forEach("book.levels", {
    statement: "Counts each open order at its price, on its side of its market's book, and in no other market's book",
    values: Books.paths,
    check: Effect.fnUntraced(function*(world, path) {
      const { name, stock } = yield* world.market
      const others = (yield* world.markets).filter((market) => market.name !== name).map((market) => market.name)
      const before = yield* Books.read(world, path, name)
      const elsewhere = yield* Effect.forEach(others, (other) => Books.read(world, path, other))
      const { prices } = yield* rest(world)
      const book = yield* Books.read(world, path, name)
      for (const side of Orders.sides) {
        const [key, other] = [sideOf(side), sideOf(Orders.opposite(side))]
        const added = prices[side].map((price) => Books.amountAt(book[key], price) - Books.amountAt(before[key], price))
        yield* Verdict.expect(
          book.answer,
          `0.03, 0.04 and 0.08 ${stock} more at ${prices[side].join(", ")}, only in ${key}`,
          added.every((amount, index) => Books.isClose(amount, [0.03, 0.04, 0.08][index] ?? 0)) &&
            prices[side].every((price) => Books.amountAt(book[other], price) === 0)
        )
      }
      for (const [index, other] of others.entries()) {
        const { answer, asks, bids } = yield* Books.read(world, path, other)
        const same = [elsewhere[index]?.asks, elsewhere[index]?.bids]
        yield* Verdict.expect(answer, `an unchanged book of ${other}`, sameText([asks, bids], same))
      }
    })
  }),
  forEach("book.changes", {
    statement: "Removes traded and canceled amounts from their levels, and levels without orders from the book",
    values: Books.paths.flatMap((path) => Orders.sides.map((side) => ({ path, side }))),
    check: Effect.fnUntraced(function*(world, { path, side }) {
      const { market, one, prices: { [side]: prices } } = yield* rest(world)
      const [best = "", second = ""] = prices
      const key = sideOf(side)
      const before = yield* Books.read(world, path, market.name)
      const [full, other] = [Books.amountAt(before[key], best), Books.amountAt(before[key], second)]
      const taker = yield* world.open()
      const take = { market: market.name, side: Orders.opposite(side), price: best }
      yield* Trading.placeOther(world, taker, { ...take, amount: "0.025" })
      const partly = yield* Books.read(world, path, market.name)
      yield* Verdict.expect(
        partly.answer,
        `0.025 less at ${best}, and an unchanged amount at ${second}`,
        Books.isClose(full - Books.amountAt(partly[key], best), 0.025) &&
          Books.isClose(Books.amountAt(partly[key], second), other)
      )
      yield* Trading.placeOther(world, taker, { ...take, amount: "0.005" })
      yield* world.call(one, Paths.cancelAll, { market: market.name })
      const last = yield* Books.read(world, path, market.name)
      yield* Verdict.expect(
        last.answer,
        `0.03 less at ${best}, and 0.04 less at ${second}`,
        Books.isClose(full - Books.amountAt(last[key], best), 0.03) &&
          Books.isClose(other - Books.amountAt(last[key], second), 0.04)
      )
    })
  }),
  forEach("book.time", {
    statement: "Shows the current time in a book, in Unix seconds",
    profile: "read-only",
    values: Books.paths,
    check: Effect.fnUntraced(function*(world, path) {
      const { name } = yield* world.market
      const { answer, json } = yield* Books.read(world, path, name)
      const now = (yield* world.now) / 1000
      yield* Verdict.expect(
        answer,
        `a timestamp near ${Math.floor(now)}, in whole seconds`,
        Number.isSafeInteger(json["timestamp"]) && Math.abs(Number(json["timestamp"]) - now) < slackOf(world)
      )
    })
  })
]

const sameText = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const queryRules: ReadonlyArray<Rule.Rule> = [
  always("book.limit", {
    statement: "Lists the best levels of each side, up to the limit; a limit of 0 stands for the default",
    check: Effect.fnUntraced(function*(world) {
      const { market: { name } } = yield* rest(world)
      const all = yield* Books.read(world, Paths.orderBook, name)
      for (const limit of [1, 2, 100, 0]) {
        const { answer, asks, bids } = yield* Books.read(world, Paths.orderBook, name, { limit })
        const best = (levels: ReadonlyArray<Books.Level>) => limit === 0 ? levels : levels.slice(0, limit)
        yield* Verdict.expect(
          answer,
          limit === 0 ? "the complete book" : `the ${limit} best levels of each side`,
          sameText([asks, bids], [best(all.asks), best(all.bids)])
        )
      }
    })
  }),
  always("book.grouping", {
    statement: "Groups prices by level: 0 groups nothing; a higher level shows the same total amount at fewer prices",
    level: "SHOULD",
    check: Effect.fnUntraced(function*(world) {
      const { market: { name } } = yield* rest(world)
      const all = yield* Books.read(world, Paths.orderBook, name)
      const none = yield* Books.read(world, Paths.orderBook, name, { level: 0 })
      yield* Verdict.expect(none.answer, "the complete book", sameText([none.asks, none.bids], [all.asks, all.bids]))
      const sum = (levels: ReadonlyArray<Books.Level>) => levels.reduce((sum, [, amount]) => sum + amount, 0)
      const { answer, asks, bids } = yield* Books.read(world, Paths.orderBook, name, { level: 5 })
      for (const [coarse, fine] of [[asks, all.asks], [bids, all.bids]] as const) {
        yield* Verdict.expect(
          answer,
          `fewer than ${fine.length} levels with ${sum(fine)} in all`,
          coarse.length < fine.length && Books.isClose(sum(coarse), sum(fine))
        )
      }
    })
  }),
  forEach("book.refusal", {
    statement: "Refuses an unknown market or a malformed limit: HTTP 422, and an object that names the field",
    profile: "read-only",
    values: [["market", LivePublicCalls.noMarket, {}], ["limit", undefined, { limit: "ten" }]] as const,
    check: Effect.fnUntraced(function*(world, [field, market, query]) {
      const name = market ?? (yield* world.market).name
      yield* LivePublicCalls.refuses(world, `${Paths.orderBook}/${name}`, query, field)
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...levelRules, ...queryRules]
