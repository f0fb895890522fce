/**
 * Rules about pages of records: a page is a slice of its list, whatever its limit and offset, and filters apply before
 * the page is cut. The live exchange's documentation describes most of these lists, the document describes three.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import type * as Target from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as Lists from "../world/Lists.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import * as MarginPositions from "../world/MarginPositions.ts"
import { above, basePrice, perpetual } from "../world/Markets.ts"
import { number } from "../world/Numbers.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Section from "../world/Section.ts"
import * as Streams from "../world/Streams.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, World } from "../world/World.ts"

const { always, forEach } = LiveCalls.section

/** The number of records of each list. */
const count = 4

/** Pages of a list of four records whose offset is not a multiple of the limit. */
const pages = [{ limit: 2, offset: 1 }, { limit: 3, offset: 1 }, { limit: 2, offset: 3 }] as const

/** Reads a page of a list. */
type Read = (page: Body) => Effect.Effect<LiveOrders.Shown, Verdict.CheckError>

/** Places an order on a spot or futures market. All orders are funded by the collateral balance. */
const place = (world: World, account: Account, fields: Body) =>
  Trading.placeOther(world, account, { amount: "0.01", ...fields }, Paths.collateralLimit)

/** Returns the spot market and the futures market by turns. */
const alternating = Effect.fnUntraced(function*(world: World) {
  const market = yield* world.market
  yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
  return Array.from({ length: count }, (_, index) => index % 2 === 0 ? market.name : perpetual)
})

const sameMarket = Effect.fnUntraced(function*(world: World) {
  const { name } = yield* world.market
  return Array.from({ length: count }, () => name)
})

/** Places an order on each of these markets, far from its price. */
const wait = Effect.fnUntraced(function*(world: World, account: Account, markets: ReadonlyArray<string>) {
  for (const [index, market] of markets.entries()) {
    yield* place(world, account, { market, side: "buy", price: String(basePrice * 0.7 + index) })
  }
  return account
})

/** Opens an account with an order on each of these markets. */
const waiting = (world: World, markets: ReadonlyArray<string>) =>
  Effect.flatMap(LiveOrders.customer(world), (account) => wait(world, account, markets))

/**
 * Makes an account take a part of another account's order every second, on each of these markets in turn. Returns the
 * first of the other account's orders.
 */
const traded = Effect.fnUntraced(function*(world: World, markets: ReadonlyArray<string>) {
  const [maker, taker] = [yield* LiveOrders.customer(world), yield* LiveOrders.customer(world)]
  const terms = { price: String(basePrice) }
  const [made = {}] = yield* Effect.forEach(
    new Set(markets),
    (market) => place(world, maker, { ...terms, market, side: "sell", amount: "0.05" })
  )
  for (const market of markets) {
    yield* world.advance(1000)
    yield* place(world, taker, { ...terms, market, side: "buy" })
  }
  return { maker, taker, made }
})

const pairs = Effect.fnUntraced(function*(world: World) {
  const account = yield* LiveOrders.customer(world)
  const market = yield* world.market
  for (let index = 0; index < count; index++) {
    yield* Trading.placeOther(world, account, Orders.oco(market, "sell"), Paths.oco)
  }
  return account
})

const closed = Effect.fnUntraced(function*(world: World) {
  const account = yield* MarginPositions.withPosition(world, "buy")
  for (let index = 0; index < count; index++) {
    if (index > 0) yield* MarginPositions.open(world, account, "buy")
    yield* world.advance(2000)
    yield* MarginPositions.closed(world, account, "buy")
  }
  return account
})

const listOf = (world: World, account: Account, path: string, fields: Body): Read => (page) =>
  LiveCalls.records(world, account, path, { ...fields, ...page })

/** Sorts records of several markets by time, newest first. */
const newestFirst = ({ answer, records }: LiveOrders.Shown, key: string): LiveOrders.Shown => ({
  answer,
  records: records.toSorted((one, other) => number(other, key) - number(one, key))
})

/** Every list of the live exchange with a limit and an offset, the key of its records' ids, and a way to fill it. */
const lists: ReadonlyArray<{
  readonly name: string
  readonly key: string
  readonly fill: (world: World) => Effect.Effect<Read, Verdict.CheckError>
}> = [
  {
    name: "open orders of a market",
    key: "orderId",
    fill: Effect.fnUntraced(function*(world) {
      const account = yield* waiting(world, yield* sameMarket(world))
      const { name: market } = yield* world.market
      return (page) => LiveOrders.open(world, account, { market, ...page })
    })
  },
  {
    name: "open orders",
    key: "orderId",
    fill: Effect.fnUntraced(function*(world) {
      const account = yield* waiting(world, yield* alternating(world))
      return (page) => LiveOrders.open(world, account, page)
    })
  },
  {
    name: "closed orders of a market",
    key: "orderId",
    fill: Effect.fnUntraced(function*(world) {
      const { taker } = yield* traded(world, yield* sameMarket(world))
      const { name: market } = yield* world.market
      return (page) => LiveOrders.ended(world, taker, { market, ...page })
    })
  },
  {
    name: "closed orders",
    key: "orderId",
    fill: Effect.fnUntraced(function*(world) {
      const { taker } = yield* traded(world, yield* alternating(world))
      return (page) => Effect.map(LiveOrders.ended(world, taker, page), (shown) => newestFirst(shown, "ftime"))
    })
  },
  {
    name: "fills of a market",
    key: "id",
    fill: Effect.fnUntraced(function*(world) {
      const { taker } = yield* traded(world, yield* sameMarket(world))
      const { name: market } = yield* world.market
      return (page) => LiveOrders.executed(world, taker, { market, ...page })
    })
  },
  {
    name: "fills",
    key: "id",
    fill: Effect.fnUntraced(function*(world) {
      const { maker } = yield* traded(world, yield* alternating(world))
      return (page) => Effect.map(LiveOrders.executed(world, maker, page), (shown) => newestFirst(shown, "time"))
    })
  },
  {
    name: "deals of an order",
    key: "id",
    fill: Effect.fnUntraced(function*(world) {
      const { made, maker } = yield* traded(world, yield* sameMarket(world))
      return (page) => LiveOrders.deals(world, maker, made["orderId"], page)
    })
  },
  {
    name: "OCO orders",
    key: "id",
    fill: Effect.fnUntraced(function*(world) {
      return listOf(world, yield* pairs(world), Paths.ocoOrders, {})
    })
  },
  {
    name: "conditional orders",
    key: "id",
    fill: Effect.fnUntraced(function*(world) {
      return listOf(world, yield* pairs(world), Paths.conditionalOrders, { market: (yield* world.market).name })
    })
  },
  {
    name: "closed positions",
    key: "positionId",
    fill: Effect.fnUntraced(function*(world) {
      return listOf(world, yield* closed(world), Paths.closedPositions, {})
    })
  },
  {
    name: "borrows",
    key: "timestamp",
    fill: Effect.fnUntraced(function*(world) {
      const account = yield* world.open()
      for (let index = 0; index < count; index++) {
        yield* world.advance(2000)
        for (const side of Orders.sides) yield* Trading.openPosition(world, account, side, "0.01")
      }
      const read = listOf(world, account, Paths.borrowHistory, {})
      const { records } = yield* read({ limit: 100 })
      return records.length < count ? yield* Verdict.skip("needs margin positions that borrow") : read
    })
  },
  {
    name: "funding payments",
    key: "fundingTime",
    fill: Effect.fnUntraced(function*(world) {
      const account = yield* MarginPositions.withPosition(world, "buy")
      // Every market settles funding at least once a day.
      yield* world.advance(count * 86_400_000)
      return listOf(world, account, Paths.fundingHistory, { market: perpetual })
    })
  }
]

/** Expects that pages show exactly the records of the list that their limit and offset select. */
const areSlices = Effect.fnUntraced(function*<E>(
  name: string,
  key: string,
  read: (page: { readonly limit: number; readonly offset: number }) => Effect.Effect<
    { readonly answer?: Target.Answer; readonly records: ReadonlyArray<Body> },
    E
  >
) {
  const whole = yield* read({ limit: 100, offset: 0 })
  const ids = whole.records.map((record) => record[key])
  const isWhole = ids.length >= count && new Set(ids).size === ids.length
  yield* Verdict.conclude(`${count} ${name} or more, each with its own ${key}`, ids, isWhole, whole.answer)
  for (const { limit, offset } of pages) {
    const { answer, records } = yield* read({ limit, offset })
    const [found, expected] = [records.map((record) => record[key]), ids.slice(offset, offset + limit)]
    yield* Verdict.conclude(
      `the ${name} with ${key} ${expected.join(", ")}, because limit is ${limit} and offset is ${offset}`,
      found,
      found.length === expected.length && expected.every((id) => found.includes(id)),
      answer
    )
  }
})

const slices: ReadonlyArray<Rule.Rule> = [
  forEach("pages.slices", {
    statement: "Shows on a page exactly the `limit` records that follow the first `offset` records of the list",
    values: lists,
    check: Effect.fnUntraced(function*(world, { fill, key, name }) {
      yield* areSlices(name, key, yield* fill(world))
    })
  }),
  Streams.documented("Orders pending, Orders executed, Deals").always("streams.pages.slices", {
    statement: "Responds to a request for orders or deals with the `limit` records that follow the first `offset` ones",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      const { taker } = yield* traded(world, yield* sameMarket(world))
      yield* wait(world, taker, yield* sameMarket(world))
      const connection = yield* Streams.authorized(world, taker)
      const limitOrders = { market: market.name, order_types: [1, 7] }
      for (
        const [method, filter] of [
          ["ordersPending_request", market.name],
          ["ordersExecuted_request", limitOrders],
          ["deals_request", market.name]
        ] as const
      ) {
        yield* areSlices(
          `records of ${method}`,
          "id",
          ({ limit, offset }) =>
            Effect.map(Streams.ask(connection, method, filter, offset, limit), ({ result }) => ({
              records: Streams.listOf(Streams.objectOf(result)["records"]).map(Streams.objectOf)
            }))
        )
      }
    })
  }),
  ...Lists.all.map((list) =>
    Section.of({ clause: list.clause, profile: "read-only" }).forEach(`${list.id}.pages.slices`, {
      statement: "Shows on a page the `limit` records between the first `offset` records and the rest of the list",
      values: pages,
      check: Effect.fnUntraced(function*(world, { limit, offset }) {
        const texts = (records: ReadonlyArray<unknown>) => records.map((record) => Json.stringify(record))
        const whole = texts((yield* Lists.distinct(world, list)).records)
        if (whole.length <= offset + limit || whole.length === 100) {
          return yield* Verdict.skip(Verdict.lacksRecords.tooFew)
        }
        const first = yield* Lists.page(world, list, { limit: offset })
        const { answer, records } = yield* Lists.page(world, list, { limit, offset })
        const rest = yield* Lists.page(world, list, { limit: 100, offset: offset + limit })
        const shown = texts([...first.records, ...records, ...rest.records])
        yield* Verdict.expect(
          answer,
          `the ${limit} records after the first ${offset} and before the last ${whole.length - offset - limit}`,
          records.length === limit && shown.toSorted().join() === whole.toSorted().join()
        )
      })
    })
  )
]

// -----------------------------------------------------------------------------
// Filters
// -----------------------------------------------------------------------------

const filterRules: ReadonlyArray<Rule.Rule> = [
  always("pages.filters.conditional", {
    statement: "Counts as the total of a market's conditional orders those on other pages, but not those elsewhere",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* pairs(world)
      const market = yield* world.market
      const exits = { takeProfit: above(market, 20), stopLoss: above(market, -40) }
      yield* place(world, account, { market: market.name, side: "buy", price: above(market, -20), ...exits })
      const elsewhere = Orders.asPerpetual(market)
      yield* Trading.movePrice(world, elsewhere, elsewhere.price)
      yield* Trading.placeOther(world, account, Orders.oco(elsewhere, "sell", { amount: "0.01" }), Paths.oco)
      for (
        const [page, size] of [[{ limit: 2, offset: 1 }, 2], [{ limit: 3, offset: 4 }, 1], [{ offset: 9 }, 0]] as const
      ) {
        const { answer, json, records } = yield* LiveOrders.conditional(world, account, {
          market: market.name,
          ...page
        })
        yield* Verdict.expect(
          answer,
          `${size} of a total of ${count + 1}, for ${Json.stringify(page)}`,
          records.length === size && json["total"] === count + 1
        )
      }
      const oco = yield* LiveCalls.list(world, account, Paths.ocoOrders, { market: market.name, limit: 3, offset: 2 })
      yield* Verdict.expect(oco.answer, `two of ${count} OCO orders`, oco.items.length === count - 2)
    })
  })
]

// -----------------------------------------------------------------------------
// Large pages
// -----------------------------------------------------------------------------

/** More records than fit on a page whose limit is at most 100. */
const many = 101

const largeRules: ReadonlyArray<Rule.Rule> = [
  always("pages.large", {
    statement:
      "Lists more than 100 fills or closed orders for a limit above 100, and fills of equal time on one page only",
    check: Effect.fnUntraced(function*(world) {
      const [maker, taker] = [yield* LiveOrders.customer(world), yield* world.open()]
      const market = yield* world.market
      const prices = yield* Trading.ladder(world, maker, market, many)
      const fields = { market: market.name, side: "buy", amount: (many * 0.001).toFixed(3), price: prices.at(-1) }
      yield* Trading.placeOther(world, taker, fields)
      const fills = yield* LiveOrders.executed(world, taker, { market: market.name, limit: 500 })
      const ended = yield* LiveOrders.ended(world, maker, { market: market.name, limit: 500 })
      for (const { answer, records } of [fills, ended]) {
        yield* Verdict.conclude(`${many} records`, `${records.length} records`, records.length === many, answer)
      }
      // All fills belong to one order, so their times may be equal.
      const pages = yield* Effect.forEach(
        [0, 30, 60, 90],
        (offset) => LiveOrders.executed(world, taker, { market: market.name, limit: 30, offset })
      )
      const ids = pages.flatMap(({ records }) => records.map(({ id }) => id))
      yield* Verdict.conclude(`${many} fills on four pages`, ids, ids.length === many && new Set(ids).size === many)
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...slices, ...filterRules, ...largeRules]
