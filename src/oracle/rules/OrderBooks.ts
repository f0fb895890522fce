/** Rules about the order book and depth calls, which only the live exchange's documentation describes. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Books from "../world/Books.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LivePublicCalls from "../world/LivePublicCalls.ts"
import { basePrice, priceText } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as RecordLists from "../world/RecordLists.ts"
import * as Trading from "../world/Trading.ts"
import type { Body, Market, World } from "../world/World.ts"

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
        yield* Verdict.expect(answer, `an unchanged book of ${other}`, RecordLists.sameText([asks, bids], same))
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

const sides = ["asks", "bids"] as const

/** Returns the sum of all levels' amounts. */
const sum = (levels: ReadonlyArray<Books.Level>): number => levels.reduce((sum, [, amount]) => sum + amount, 0)

/**
 * Returns a book as text, with prices grouped at this level. The prices are not checked, because at a high level they
 * may be zero, or lie on the other side of the market.
 */
const raw = Effect.fnUntraced(function*(world: World, name: string, level: number) {
  const answer = yield* LivePublicCalls.get(world, `${Paths.orderBook}/${name}`, { level })
  const book: Body = Json.isObject(answer.json) ? answer.json : {}
  const levels = (side: typeof sides[number]): ReadonlyArray<Books.Level> => {
    const shown = book[side]
    return Array.isArray(shown)
      ? shown.map((level) => Array.isArray(level) ? [Number(level[0]), Number(level[1])] : [Number.NaN, Number.NaN])
      : []
  }
  return { answer, text: Json.stringify(sides.map((side) => book[side])), asks: levels("asks"), bids: levels("bids") }
})

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
          RecordLists.sameText([asks, bids], [best(all.asks), best(all.bids)])
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
      yield* Verdict.expect(
        none.answer,
        "the complete book",
        RecordLists.sameText([none.asks, none.bids], [all.asks, all.bids])
      )
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
  always("book.ungrouped", {
    statement: "Groups nothing at level 0, never loses an amount at a higher level, and counts a level outside 0 to 10 "
      + "as the nearest one",
    check: Effect.fnUntraced(function*(world) {
      const { market: { name, tick }, market, one, prices } = yield* rest(world)
      // Two prices so close to each other that even a low grouping level combines them.
      for (const steps of [1, 2]) {
        const price = priceText(market, Number(prices.sell[1]) + steps * tick)
        yield* Trading.placeOther(world, one, { market: name, side: "sell", amount: "0.01", price })
      }
      const all = yield* Books.read(world, Paths.orderBook, name)
      const none = yield* Books.read(world, Paths.orderBook, name, { level: 0 })
      yield* Verdict.expect(
        none.answer,
        "the complete book",
        RecordLists.sameText([none.asks, none.bids], [all.asks, all.bids])
      )
      let before: Record<typeof sides[number], ReadonlyArray<Books.Level>> = all
      for (const level of [1, 2, 3, 4, 5]) {
        const book = yield* raw(world, name, level)
        yield* Verdict.expect(
          book.answer,
          `asks of ${sum(all.asks)} and bids of ${sum(all.bids)} in all, at no more prices than at level ${level - 1}`,
          sides.every((side) =>
            Books.isClose(sum(book[side]), sum(all[side])) && book[side].length <= before[side].length
          )
        )
        before = book
      }
      for (const [level, nearest] of [[-3, 0], [11, 10]] as const) {
        const [one, other] = [yield* raw(world, name, level), yield* raw(world, name, nearest)]
        yield* Verdict.expect(
          one.answer,
          `HTTP 200 with the levels of level ${nearest}: ${other.text}`,
          one.answer.status === 200 && one.text === other.text
        )
      }
    })
  }),
  forEach("book.refusal", {
    statement:
      "Refuses an unknown market, or a malformed limit or level: HTTP 422, and an object that names the field; "
      + "may respond to a malformed level with asks and bids of null",
    profile: "read-only",
    values: [["market", LivePublicCalls.noMarket, {}], ["limit", undefined, { limit: "ten" }], ["level", undefined, {
      level: "two"
    }]] as const,
    check: Effect.fnUntraced(function*(world, [field, market, query]) {
      const name = market ?? (yield* world.market).name
      if (field === "level") {
        const { json } = yield* LivePublicCalls.get(world, `${Paths.orderBook}/${name}`, query)
        if (Json.isObject(json) && json["asks"] === null && json["bids"] === null) return
      }
      yield* LivePublicCalls.refuses(world, `${Paths.orderBook}/${name}`, query, field)
    })
  })
]

/** Returns the prices on both sides of the market depth. */
const depth = Effect.fnUntraced(function*(world: World, { name }: Pick<Market, "name">) {
  const { answer, value } = yield* LivePublicCalls.object(world, `${Paths.depth}/${name}`)
  const prices = (side: string): ReadonlyArray<number> => {
    const levels = value[side]
    return Array.isArray(levels) ? levels.map((level) => Number(Array.isArray(level) ? level[0] : Number.NaN)) : []
  }
  return { answer, asks: prices("asks"), bids: prices("bids") }
})

const depthRules: ReadonlyArray<Rule.Rule> = [
  forEach("depth.band", {
    statement: "Lists exactly the depth levels within 2% of the market's own last price, best first",
    values: ["first", "second"] as const,
    check: Effect.fnUntraced(function*(world, which) {
      const first = yield* world.market
      const market = which === "first" ? first : (yield* world.markets).find(({ name }) => name !== first.name)
      if (market === undefined) return yield* Verdict.skip("needs a second market")
      const account = yield* world.open()
      const last = which === "first" ? basePrice : basePrice / 20
      const at = (percent: number) => priceText(market, last * (1 + percent / 100))
      if (which === "second") {
        yield* world.control("MovePrice", { market: market.name, price: at(0) })
        yield* world.control("Fund", { account: account.id, wallet: "trade", ticker: market.stock, amount: "10" })
      }
      for (const percent of [-1.9, -1, -2.5, 1, 1.9, 2.5]) {
        const side = percent < 0 ? "buy" : "sell"
        yield* Trading.placeOther(world, account, { market: market.name, side, amount: "0.05", price: at(percent) })
      }
      const { answer, asks, bids } = yield* depth(world, market)
      const has = (prices: ReadonlyArray<number>, percent: number) => prices.includes(Number(at(percent)))
      const isNear = (price: number) => Math.abs(price / last - 1) <= 0.02
      const isRising = (prices: ReadonlyArray<number>) =>
        prices.every((price, index) => index === 0 || price > (prices[index - 1] ?? 0))
      yield* Verdict.expect(
        answer,
        "levels at 1 and 1.9 % on both sides, and none beyond 2 %",
        has(asks, 1) && has(asks, 1.9) && has(bids, -1) && has(bids, -1.9) && [...asks, ...bids].every(isNear)
      )
      yield* Verdict.expect(answer, "the best levels first", isRising(asks) && isRising(bids.toReversed()))
    })
  }),
  always("depth.moves", {
    statement: "Lists depth levels around the latest last price, not around an earlier one",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      const account = yield* world.open()
      const at = (percent: number) => priceText(market, basePrice * (1 + percent / 100))
      for (const [side, percent] of [["buy", -1.9], ["sell", 2.5]] as const) {
        yield* Trading.placeOther(world, account, { market: market.name, side, amount: "0.01", price: at(percent) })
      }
      const before = yield* depth(world, market)
      yield* Verdict.expect(before.answer, `a bid at ${at(-1.9)}`, before.bids.includes(Number(at(-1.9))))
      yield* Trading.tradeAt(world, market, at(1))
      const { answer, asks, bids } = yield* depth(world, market)
      yield* Verdict.expect(
        answer,
        `around ${at(1)}, an ask at ${at(2.5)} and no bid at ${at(-1.9)}`,
        asks.includes(Number(at(2.5))) && !bids.includes(Number(at(-1.9)))
      )
    })
  }),
  always("depth.refusal", {
    statement: "Refuses the depth of an unknown market: HTTP 422, and an object that names the field",
    profile: "read-only",
    check: (world) => LivePublicCalls.refuses(world, `${Paths.depth}/${LivePublicCalls.noMarket}`, {}, "market")
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...levelRules, ...queryRules, ...depthRules]
