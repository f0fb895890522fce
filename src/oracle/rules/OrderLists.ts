/**
 * Rules about the filters, pages and refusals of order and fill lists. Only the live exchange's documentation describes
 * these calls.
 */
import * as Effect from "effect/Effect"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { above, perpetual } from "../world/Markets.ts"
import * as Paths from "../world/Paths.ts"
import * as Records from "../world/Records.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, World } from "../world/World.ts"

/** A list of orders or fills. */
interface List {
  readonly path: string
  readonly read: (world: World, account: Account, fields: Body) => Effect.Effect<LiveOrders.Shown, Verdict.CheckError>
  /** The key whose values identify the scenario's records. */
  readonly key: "orderId" | "id"
  /**
   * The key of the time by which the documentation sorts the list; absent where it does not say how the list is sorted.
   */
  readonly sortedBy?: string
}

const active: List = { path: Paths.activeOrders, read: LiveOrders.open, key: "orderId" }
const history: List = { path: Paths.orderHistory, read: LiveOrders.ended, key: "orderId", sortedBy: "ftime" }
const fills: List = { path: Paths.fills, read: LiveOrders.executed, key: "id", sortedBy: "time" }

const all: ReadonlyArray<List> = [active, history, fills]

const expect = (shown: LiveOrders.Shown, what: string, ids: ReadonlyArray<unknown>) =>
  LiveOrders.lists(shown, what, "orderId", ids.map((orderId) => ({ orderId })))

/** Returns the ids of the orders that a list shows or, for a list of fills, the ids of the filled orders. */
const idsIn = (list: List, { canceled, filled, open }: Effect.Success<ReturnType<typeof Records.populated>>["ids"]) =>
  list === active ? open : list === fills ? filled : canceled.flatMap((id, index) => [id, filled[index]])

/** Places an order at a better price than the older open orders, and makes it trade before the best one of those. */
const tradeNewestFirst = Effect.fnUntraced(function*(world: World, account: Account, other: Account) {
  const market = yield* world.market
  const terms = { market: market.name, amount: "0.01" }
  const [better, older] = [above(market, -19), above(market, -20)]
  yield* Trading.placeOther(world, account, { ...terms, side: "buy", price: better }, Paths.collateralLimit)
  for (const price of [better, older]) {
    yield* world.advance(1000)
    yield* Trading.placeOther(world, other, { ...terms, side: "sell", price }, Paths.collateralLimit)
  }
})

const selectionRules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.forEach("order-lists.market", {
    statement: "Lists the records of all markets, or only those of the given market",
    values: all,
    check: Effect.fnUntraced(function*(world, list) {
      const { account, ids, market } = yield* Records.populated(world)
      const expected = idsIn(list, ids)
      const count = expected.length * 2 / 3
      yield* expect(yield* list.read(world, account, {}), "all records", expected)
      yield* expect(yield* list.read(world, account, { market }), `records on ${market}`, expected.slice(0, count))
      const rest = yield* list.read(world, account, { market: perpetual })
      yield* expect(rest, `records on ${perpetual}`, expected.slice(count))
    })
  }),
  LiveCalls.section.forEach("order-lists.pages", {
    statement: "Pages records by limit and offset: each is on one page only, and a page past the last record is empty",
    values: all,
    check: Effect.fnUntraced(function*(world, list) {
      const { account, ids, market } = yield* Records.populated(world)
      const expected = idsIn(list, ids)
      const size = expected.length * 2 / 3
      const found: Array<Body> = []
      let { answer } = yield* list.read(world, account, { market })
      for (let offset = 0; offset < size; offset++) {
        const page = yield* list.read(world, account, { market, limit: 1, offset })
        yield* Verdict.expect(page.answer, "one record", page.records.length === 1)
        found.push(...page.records)
        answer = page.answer
      }
      yield* expect({ answer, records: found }, "all records", expected.slice(0, size))
      for (const offset of [size, size + 1, 1000]) {
        yield* expect(yield* list.read(world, account, { market, limit: 2, offset }), "no records", [])
      }
      const last = yield* list.read(world, account, { market, limit: 2, offset: size - 1 })
      yield* expect(last, "the last record", found.slice(-1).map(({ orderId }) => orderId))
    })
  }),
  LiveCalls.section.always("order-lists.pages.all", {
    statement: "Pages the open orders of all markets: each is on one page only, and a page past the last one is empty",
    check: Effect.fnUntraced(function*(world) {
      const { account, ids } = yield* Records.populated(world)
      const found: Array<Body> = []
      let { answer } = yield* LiveOrders.open(world, account)
      for (let offset = 0; offset < ids.open.length; offset++) {
        const page = yield* LiveOrders.open(world, account, { limit: 1, offset })
        yield* Verdict.expect(page.answer, "one record", page.records.length === 1)
        found.push(...page.records)
        answer = page.answer
      }
      yield* expect({ answer, records: found }, "all open orders", ids.open)
      for (const offset of [ids.open.length, 1000]) {
        yield* expect(yield* LiveOrders.open(world, account, { offset }), "no records", [])
      }
    })
  }),
  LiveCalls.section.forEach("order-lists.newest-first", {
    statement: "Sorts the records of a market by time, newest first",
    values: [history, fills],
    check: Effect.fnUntraced(function*(world, list) {
      const { account, ids, market, other } = yield* Records.populated(world)
      if (list === fills) yield* tradeNewestFirst(world, account, other)
      const { answer, records } = yield* list.read(world, account, { market })
      if (list === fills)
        yield* Verdict.expect(answer, "the older order first", records[0]?.["orderId"] === ids.open[0])
      const times = records.map((record) => Number(record[list.sortedBy ?? ""]))
      const isSorted = times.every((time, index) => index === 0 || (times[index - 1] ?? 0) >= time)
      yield* Verdict.expect(answer, "the newest record first", times.length > 1 && isSorted)
    })
  }),
  LiveCalls.section.forEach("order-lists.dates", {
    statement: "Lists only the records from startDate to endDate, in whole seconds",
    values: [history, fills],
    check: Effect.fnUntraced(function*(world, list) {
      const { account, between, ids } = yield* Records.populated(world, 1)
      const expected = idsIn(list, ids)
      const [early, late] = [expected.slice(0, expected.length / 3), expected.slice(expected.length / 3)]
      const [start, end] = [between - 7200, between + 7200]
      const before = yield* list.read(world, account, { startDate: start, endDate: between })
      yield* expect(before, "the records of the first hour", early)
      const after = yield* list.read(world, account, { startDate: between, endDate: end })
      yield* expect(after, "the records of the second hour", late)
    })
  }),
  LiveCalls.section.forEach("order-lists.status", {
    statement: "Lists in order history only the orders of the given status",
    values: ["FILLED", "CANCELED", "ALL"] as const,
    check: Effect.fnUntraced(function*(world, status) {
      const { account, ids: { canceled, filled } } = yield* Records.populated(world)
      const expected = { FILLED: filled, CANCELED: canceled, ALL: [...filled, ...canceled] }[status]
      yield* expect(yield* LiveOrders.ended(world, account, { status }), `orders of status ${status}`, expected)
    })
  })
]

const otherRules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.forEach("order-lists.isolation", {
    statement: "Lists no records of other accounts, even by their order id or client order id",
    values: all,
    check: Effect.fnUntraced(function*(world, list) {
      const { account, ids, market } = yield* Records.populated(world)
      const stranger = yield* world.open()
      const own = yield* list.read(world, account, { market })
      const by = { market, clientOrderId: own.records[0]?.["clientOrderId"] }
      yield* expect(yield* list.read(world, account, {}), "all records", idsIn(list, ids))
      yield* expect(yield* list.read(world, stranger, {}), "no records", [])
      if (list === active) yield* expect(yield* list.read(world, stranger, by), "no records", [])
      else yield* LiveCalls.refuses(world, stranger, list.path, by, { key: "orderHistory" })
      if (list === fills) return
      for (const orderId of idsIn(list, ids).slice(0, 1)) {
        yield* expect(yield* list.read(world, stranger, { market, orderId }), "no records", [])
      }
    })
  }),
  LiveCalls.section.forEach("order-lists.unknown-id", {
    statement: "Shows no closed order for an unknown order id, and refuses an unknown client order id with code 30",
    profile: "read-only",
    values: ["orderId", "clientOrderId", "fills"] as const,
    check: Effect.fnUntraced(function*(world, key) {
      const account = yield* world.reader
      const { name: market } = yield* world.market
      if (key === "orderId") {
        const fields = { market, orderId: Number.MAX_SAFE_INTEGER }
        return yield* expect(yield* LiveOrders.ended(world, account, fields), "no orders", [])
      }
      const path = key === "fills" ? Paths.fills : Paths.orderHistory
      const fields = { market, clientOrderId: world.unique("unknown") }
      yield* LiveCalls.refuses(world, account, path, fields, { key: "orderHistory" })
    })
  }),
  LiveCalls.section.forEach("order-lists.refusal", {
    statement: "Refuses to list records: code 31 for an unknown market, code 30 for an invalid limit or offset",
    profile: "read-only",
    values: all.flatMap(({ path }) =>
      ([["market", "NO_SUCH", 31], ["limit", 0, 30], ["limit", "ten", 30], ["offset", -1, 30]] as const).map(
        ([key, value, code]) => ({ path, key, value, code })
      )
    ),
    check: (world, { code, key, path, value }) =>
      Effect.flatMap(
        world.reader,
        (reader) => LiveCalls.refuses(world, reader, path, { [key]: value }, { codes: [code], key })
      )
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...selectionRules, ...otherRules]
