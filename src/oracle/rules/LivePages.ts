/**
 * Rules about pages of orders and trades. Only the live exchange's documentation describes the bounds of these pages.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { priceText } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Trading from "../world/Trading.ts"
import type { Body, World } from "../world/World.ts"

const maxOffset = 2 ** 32 - 1

const histories = [Paths.fills, Paths.orderHistory]
const lists = [Paths.activeOrders, Paths.conditionalOrders, Paths.ocoOrders]

const defaultLimit = 50

/** Expects the default number of records without a limit, and all records, which are one more, with a higher limit. */
const isFull = Effect.fnUntraced(function*(
  read: (page: Body) => Effect.Effect<LiveOrders.Shown, Verdict.CheckError>
) {
  for (const [page, count] of [[{}, defaultLimit], [{ limit: 100 }, defaultLimit + 1]] as const) {
    const { answer, records } = yield* read(page)
    const expected = `${count} of ${defaultLimit + 1} records for ${Json.stringify(page)}`
    yield* Verdict.expect(answer, expected, records.length === count)
  }
})

/** Expects that a call for one order shows it, even if it is not on the first page of the complete list. */
const isFound = Effect.fnUntraced(function*(
  read: (page: Body) => Effect.Effect<LiveOrders.Shown, Verdict.CheckError>,
  market: string,
  ids: ReadonlyArray<unknown>
) {
  for (const orderId of ids) {
    for (const page of [{}, { limit: 1 }]) {
      const { answer, records } = yield* read({ market, orderId, ...page })
      yield* Verdict.expect(
        answer,
        `only the order ${String(orderId)}`,
        records.length === 1 && records[0]?.["orderId"] === orderId
      )
    }
  }
})

const accepts = Effect.fnUntraced(function*(world: World, path: string, fields: Body) {
  const answer = yield* LiveCalls.call(world, yield* world.reader, path, fields)
  yield* Verdict.expect(answer, "HTTP 200", answer.status === 200)
})

const acceptsOffsets = Effect.fnUntraced(function*(world: World, path: string) {
  for (const offset of [10_001, maxOffset]) yield* accepts(world, path, { offset })
})

const refuses = (world: World, path: string, key: string, value: number) =>
  Effect.flatMap(world.reader, (reader) => LiveCalls.refuses(world, reader, path, { [key]: value }, { key }))

export const rules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.forEach("live-pages.offset.accepts", {
    statement: `Accepts an offset up to ${maxOffset} in lists of open orders`,
    profile: "read-only",
    values: lists,
    check: acceptsOffsets
  }),
  LiveCalls.section.forEach("live-pages.offset.histories", {
    statement: `Accepts an offset up to ${maxOffset} in histories of orders and trades`,
    level: "SHOULD",
    profile: "read-only",
    values: histories,
    check: acceptsOffsets
  }),
  LiveCalls.section.forEach("live-pages.offset.max", {
    statement: `Refuses an offset above ${maxOffset} in lists of open orders: HTTP 422, code 30`,
    profile: "read-only",
    values: lists,
    check: (world, path) => refuses(world, path, "offset", maxOffset + 1)
  }),
  LiveCalls.section.forEach("live-pages.limit", {
    statement: "Accepts a limit up to 500 in the histories of orders and trades, and up to 100 in lists of open orders",
    profile: "read-only",
    values: [...lists.map((path) => [path, 100] as const), ...histories.map((path) => [path, 500] as const)],
    check: (world, [path, limit]) => accepts(world, path, { limit })
  }),
  LiveCalls.section.always("live-pages.limit.default", {
    statement: `Lists ${defaultLimit} open or past orders by default, and more with a higher limit`,
    check: Effect.fnUntraced(function*(world) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* world.market
      const price = Orders.lowPrice(market)
      const order = { market: market.name, side: "buy", amount: Orders.amountFor(market, Number(price)), price }
      const ids: Array<unknown> = []
      for (let count = 0; count <= defaultLimit; count++) {
        ids.push((yield* Trading.placeOther(world, account, order))["orderId"])
      }
      const edges = [ids[0], ids.at(-1)]
      const open = (page: Body) => LiveOrders.open(world, account, page)
      yield* isFull(open)
      yield* isFound(open, market.name, edges)
      yield* world.call(account, Paths.cancelAll)
      const ended = (page: Body) => LiveOrders.ended(world, account, page)
      yield* isFull(ended)
      yield* isFound(ended, market.name, edges)
    })
  }),
  LiveCalls.section.always("live-pages.limit.default.oco", {
    statement: `Lists ${defaultLimit} OCO orders by default, and up to 100 conditional orders`,
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.trader
      const fields = Orders.oco(yield* world.market, "sell")
      for (let count = 0; count <= defaultLimit; count++) yield* Trading.placeOther(world, account, fields, Paths.oco)
      yield* isFull((page) => LiveCalls.records(world, account, Paths.ocoOrders, page))
      const { answer, json, records } = yield* LiveOrders.conditional(world, account)
      yield* Verdict.expect(
        answer,
        `all ${defaultLimit + 1} orders, because the default limit of conditional orders is 100`,
        records.length === defaultLimit + 1 && json["total"] === defaultLimit + 1
      )
    })
  }),
  LiveCalls.section.always("live-pages.limit.default.fills", {
    statement: `Lists ${defaultLimit} fills, or deals of an order, by default, and more with a higher limit`,
    check: Effect.fnUntraced(function*(world) {
      const [maker, account] = [yield* world.open(), yield* world.open()]
      const market = yield* world.market
      const terms = { market: market.name, price: priceText(market, market.price) }
      const { orderId } = yield* Trading.placeOther(world, maker, { ...terms, side: "sell", amount: "1" })
      for (let count = 0; count <= defaultLimit; count++) {
        yield* Trading.placeOther(world, account, { ...terms, side: "buy", amount: "0.001" })
      }
      yield* isFull((page) => LiveOrders.executed(world, account, { market: market.name, ...page }))
      yield* isFull((page) => LiveOrders.deals(world, maker, orderId, page))
    })
  }),
  LiveCalls.section.forEach("live-pages.limit.max", {
    statement: "Refuses a limit above 500 in the histories, and above 100 in lists of open orders: HTTP 422, code 30",
    profile: "read-only",
    values: [...lists.map((path) => [path, 101] as const), ...histories.map((path) => [path, 501] as const)],
    check: (world, [path, limit]) => refuses(world, path, "limit", limit)
  })
]
