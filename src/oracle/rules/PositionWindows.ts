/**
 * Rules about selecting the records of positions by time and page, and about the times of funding. Only the live
 * exchange's documentation describes these calls.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Books from "../world/Books.ts"
import * as Comparison from "../world/Comparison.ts"
import * as Kinds from "../world/Kinds.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import * as MarginPositions from "../world/MarginPositions.ts"
import { basePrice, perpetual } from "../world/Markets.ts"
import { isNear, number } from "../world/Numbers.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as RecordLists from "../world/RecordLists.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, World } from "../world/World.ts"

const { always, forEach } = LiveCalls.section

const day = 86_400_000

/** Advances the clock by six minutes, because the target's clock may be slow. Returns the Unix second in the middle. */
const between = Effect.fnUntraced(function*(world: World) {
  const now = (yield* world.now) / 1000
  yield* world.advance(360_000)
  return Math.floor(now) + 180
})

const trade = (world: World, account: Account, side: Orders.Side, amount: string) =>
  Trading.onMargin(world, account, { market: perpetual, side, amount, price: String(basePrice) })

/**
 * Opens a futures position and closes half of it; then opens and closes a margin position; then closes the rest of the
 * futures position. Returns the times between these parts.
 */
const overlapping = Effect.fnUntraced(function*(world: World) {
  const account = yield* LiveOrders.customer(world)
  yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
  const start = yield* between(world)
  yield* trade(world, account, "buy", "0.02")
  yield* trade(world, account, "sell", "0.01")
  const { positions: [{ positionId: outer } = {}] } = yield* LiveCalls.openPositions(world, account)
  const one = yield* between(world)
  const { name } = yield* Trading.openPosition(world, account, "buy", "0.01")
  const { positions } = yield* LiveCalls.openPositions(world, account, { market: name })
  const [{ positionId: inner } = {}] = positions
  yield* Trading.openPosition(world, account, "sell", "0.01")
  const two = yield* between(world)
  yield* trade(world, account, "sell", "0.01")
  return { account, name, outer, inner, start, one, two }
})

type Lives = Effect.Success<ReturnType<typeof overlapping>>

/** Expects that the changes of positions satisfy all filters at once. */
const changes = Effect.fnUntraced(function*(world: World, lives: Lives) {
  const { account, inner, name, one, outer, start, two } = lives
  const windows: ReadonlyArray<readonly [fields: Body, outers: number, inners: number]> = [
    [{}, 3, 2],
    [{ market: perpetual }, 3, 0],
    [{ market: name }, 0, 2],
    [{ positionId: outer }, 3, 0],
    [{ startDate: start, endDate: one }, 2, 0],
    [{ startDate: one, endDate: two }, 0, 2],
    [{ startDate: two }, 1, 0],
    [{ endDate: two }, 2, 2],
    [{ market: perpetual, startDate: two }, 1, 0],
    [{ market: perpetual, endDate: two }, 2, 0],
    [{ positionId: outer, endDate: two }, 2, 0],
    [{ positionId: inner, market: name, startDate: one }, 0, 2],
    [{ positionId: inner, startDate: two }, 0, 0]
  ]
  const all = yield* LiveCalls.records(world, account, Paths.positionHistory, {})
  const texts = new Set(all.records.map(Comparison.textOf))
  for (const [fields, outers, inners] of windows) {
    const { answer, records } = yield* LiveCalls.records(world, account, Paths.positionHistory, fields)
    const countOf = (id: unknown) => records.filter(({ positionId }) => positionId === id).length
    yield* Verdict.expect(
      answer,
      `${outers} changes of position ${String(outer)} and ${inners} of position ${String(inner)} for ${
        Comparison.textOf(fields)
      }, as in the whole list`,
      countOf(outer) === outers && countOf(inner) === inners && records.length === outers + inners &&
        records.every((record) => texts.has(Comparison.textOf(record)))
    )
  }
})

/** Makes an account open and close `count` positions with bulk orders that trade at once. */
const manyClosed = Effect.fnUntraced(function*(world: World, account: Account, count: number) {
  const [ask, bid] = [String(basePrice + 10), String(basePrice - 10)]
  yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
  for (const [side, price] of [["sell", ask], ["buy", bid]] as const) {
    const rest = { market: perpetual, side, amount: "0.2", price }
    yield* Trading.placeOther(world, yield* world.open(), rest, Paths.collateralLimit)
  }
  const order = { market: perpetual, amount: "0.001", ioc: true }
  const pair = [{ ...order, side: "buy", price: ask }, { ...order, side: "sell", price: bid }]
  for (let made = 0; made < count; made += 10) {
    const orders = Array.from({ length: 10 }, () => pair).flat()
    yield* LiveCalls.list(world, account, Paths.collateralBulk, { orders })
  }
})

/** The number of closed positions that the live exchange lists by default. */
const defaultLimit = 50

const windowRules: ReadonlyArray<Rule.Rule> = [
  always("positions.windows", {
    statement:
      "Lists positions by the time they were closed, latest first, each with the amounts of its whole life, and the "
      + "changes of positions that satisfy all of market, positionId, startDate and endDate",
    check: Effect.fnUntraced(function*(world) {
      const lives = yield* overlapping(world)
      const { account, inner, one, outer, start, two } = lives
      const read = (fields: Body) => LiveCalls.records(world, account, Paths.closedPositions, fields)
      const all = yield* read({})
      const windows: ReadonlyArray<readonly [fields: Body, expected: ReadonlyArray<unknown>]> = [
        [{}, [outer, inner]],
        [{ limit: 2, offset: 1 }, [inner]],
        [{ startDate: start }, [outer, inner]],
        [{ startDate: two }, [outer]],
        [{ startDate: one, endDate: two }, [inner]],
        [{ endDate: two }, [inner]],
        [{ startDate: start, endDate: one }, []]
      ]
      for (const [fields, expected] of windows) {
        const { answer, records } = yield* read(fields)
        const found = expected.map((id) => all.records.find(({ positionId }) => positionId === id))
        yield* Verdict.expect(
          answer,
          `the positions ${expected.join(", ")} for ${Json.stringify(fields)}, as in the whole list`,
          records.map(({ positionId }) => positionId).join() === expected.join() &&
            RecordLists.sameText(records, found)
        )
      }
      const record = all.records.find(({ positionId }) => positionId === outer) ?? {}
      yield* Verdict.expect(
        all.answer,
        `the position ${String(outer)} with closedSize 0.02`,
        Books.isClose(number(record, "closedSize"), 0.02)
      )
      yield* changes(world, lives)
    })
  }),
  always("positions.closed.default", {
    statement: `Lists the ${defaultLimit} positions that were closed last by default, and up to 100 on request`,
    check: Effect.fnUntraced(function*(world) {
      const account = yield* LiveOrders.customer(world)
      yield* manyClosed(world, account, defaultLimit + 5)
      const all = yield* LiveCalls.records(world, account, Paths.closedPositions, { limit: 100 })
      if (all.records.length < defaultLimit) {
        return yield* Verdict.skip(`needs ${Paths.collateralBulk} to trade at once`)
      }
      yield* Verdict.expect(all.answer, `more than ${defaultLimit} positions`, all.records.length > defaultLimit)
      const { answer, records } = yield* LiveCalls.records(world, account, Paths.closedPositions, {})
      yield* Verdict.expect(
        answer,
        `the first ${defaultLimit} of ${all.records.length} positions`,
        RecordLists.sameText(records, all.records.slice(0, defaultLimit))
      )
      yield* Verdict.expect(
        all.answer,
        "positions in descending order of closeDate, then of positionId",
        all.records.every((record, index) => {
          const before = all.records[index - 1] ?? record
          const gap = number(before, "closeDate") - number(record, "closeDate")
          return index === 0 || gap > 0 || (gap === 0 && number(before, "positionId") > number(record, "positionId"))
        })
      )
    })
  })
]

const fundingRules: ReadonlyArray<Rule.Rule> = [
  always("positions.funding.times", {
    statement: "Pays funding at the announced time and then once per funding interval, only on the requested market",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* MarginPositions.withPosition(world, "sell")
      const { name } = yield* Trading.openPosition(world, account, "buy", "0.01")
      const futures = yield* world.get(Paths.futures)
      const listed = Json.isObject(futures.json) ? futures.json["result"] : futures.json
      const terms = (Array.isArray(listed) ? listed.filter(Json.isObject) : [])
        .find(({ ticker_id: ticker }) => ticker === perpetual)
      const [next, minutes] = [
        Number(terms?.["next_funding_rate_timestamp"]),
        Number(terms?.["funding_interval_minutes"])
      ]
      if (!(next > 0 && minutes > 0)) return yield* Verdict.skip(`needs ${Paths.futures} to announce funding`)
      const start = yield* world.now
      yield* world.advance(day)
      const of = (market: string, page: Body = {}) =>
        LiveCalls.records(world, account, Paths.fundingHistory, { market, ...page })
      const { answer, records } = yield* of(perpetual)
      const step = minutes * 60
      const elapsed = (start + day - next) / 1000
      const count = Math.floor(elapsed / step) + 1
      // The last payment may be due within a minute or two of the call.
      const isWhole = records.length === count || Math.abs(elapsed % step - step / 2) > step / 2 - 120
      yield* Verdict.expect(
        answer,
        `${count} payments, at ${next / 1000} and then every ${step} seconds, the newest first`,
        isWhole && records.length > 0 &&
          records.toReversed().every((record, index) =>
            record["market"] === perpetual && isNear(number(record, "fundingTime"), next / 1000 + index * step, 60) &&
            number(record, "rateCalculatedTime") <= number(record, "fundingTime")
          )
      )
      const elsewhere = yield* of(name)
      yield* Verdict.expect(elsewhere.answer, `no payments on ${name}`, elsewhere.records.length === 0)
      for (const [limit, offset] of [[2, 1], [3, 2], [100, 1]] as const) {
        const page = yield* of(perpetual, { limit, offset })
        yield* Verdict.expect(
          page.answer,
          `at most ${limit} payments after the first ${offset}`,
          RecordLists.sameText(page.records, records.slice(offset, offset + limit))
        )
      }
    })
  }),
  forEach("positions.exits.one", {
    statement: "Shows only the exit that a position has: its price and its id",
    values: Orders.sides.flatMap((side) => (["takeProfit", "stopLoss"] as const).map((leg) => ({ side, leg }))),
    check: Effect.fnUntraced(function*(world, { leg, side }) {
      const other = leg === "takeProfit" ? "stopLoss" : "takeProfit"
      const away = (side === "buy") === (leg === "takeProfit") ? 1.2 : 0.8
      const account = yield* LiveOrders.customer(world)
      yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
      const order = { market: perpetual, side, amount: "0.02", price: String(basePrice) }
      yield* Trading.onMargin(world, account, order, { [leg]: String(basePrice * away) })
      const { answer, positions: [position = {}] } = yield* LiveCalls.openPositions(world, account)
      const tpsl = Json.isObject(position["tpsl"]) ? position["tpsl"] : {}
      yield* Verdict.expect(
        answer,
        `a tpsl with ${leg} ${basePrice * away} and an id, and no ${other}`,
        number(tpsl, leg) === basePrice * away && Kinds.integer.holds(tpsl[`${leg}Id`]) &&
          Number(tpsl[other] ?? 0) === 0 && Number(tpsl[`${other}Id`] ?? 0) === 0
      )
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...windowRules, ...fundingRules]
