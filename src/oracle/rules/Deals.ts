/** Rules about an order's deals, which only the live exchange's documentation describes. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as Paths from "../world/Paths.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, World } from "../world/World.ts"

/** Returns the order id in a live response. */
const idOf = (order: Body): unknown => order["orderId"]

/** Reads a page of an order's deals. */
const page = Effect.fnUntraced(function*(world: World, account: Account, fields: Body) {
  const { answer, json } = yield* LiveCalls.object(world, account, Paths.orderDeals, fields)
  const records = json["records"]
  yield* Verdict.expect(answer, "a list of records", Array.isArray(records))
  return { answer, json, deals: Array.isArray(records) ? records.filter(Json.isObject) : [] }
})

/** The id of an order that does not exist. */
const nobodys = Number.MAX_SAFE_INTEGER

/** Invalid fields of a page request. */
const wrong: ReadonlyArray<readonly [key: string, value: unknown]> = [
  ["orderId", undefined],
  ["orderId", "x1"],
  ["limit", 0],
  ["offset", -1]
]

export const rules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.always("deals.trade", {
    statement:
      "Shows a trade as a deal of both orders, with the same id, amount, price and total, and with each order's own role",
    check: Effect.fnUntraced(function*(world) {
      const { made, maker, price, taker, took } = yield* Trading.take(world, "0.01")
      const [mine, theirs] = [
        yield* page(world, maker, { orderId: idOf(made) }),
        yield* page(world, taker, { orderId: idOf(took) })
      ]
      const expected = { amount: 0.01, price: Number(price), deal: 0.01 * Number(price) }
      for (const [{ answer, deals }, role] of [[mine, 1], [theirs, 2]] as const) {
        const [deal = {}] = deals
        yield* Verdict.expect(
          answer,
          `one deal of ${Json.stringify(expected)} with role ${role}`,
          deals.length === 1 && deal["role"] === role &&
            Object.entries(expected).every(([key, value]) => Math.abs(Number(deal[key]) - value) < 1e-9)
        )
      }
      yield* Verdict.conclude(
        "the same id",
        [mine.deals, theirs.deals],
        mine.deals[0]?.["id"] === theirs.deals[0]?.["id"]
      )
    })
  }),
  LiveCalls.section.always("deals.counterparty", {
    statement: "Shows the other order's id in dealOrderId",
    check: Effect.fnUntraced(function*(world) {
      const { made, maker, taker, took } = yield* Trading.take(world, "0.01")
      for (const [account, own, other] of [[maker, made, took], [taker, took, made]] as const) {
        const { answer, deals } = yield* page(world, account, { orderId: idOf(own) })
        yield* Verdict.expect(
          answer,
          `dealOrderId ${String(idOf(other))}`,
          deals.length === 1 && deals[0]?.["dealOrderId"] === idOf(other)
        )
      }
    })
  }),
  LiveCalls.section.always("deals.pages", {
    statement: "Pages deals by limit and offset, with a default limit of 50",
    check: Effect.fnUntraced(function*(world) {
      const { made, maker, market, price, taker } = yield* Trading.take(world, "0.01")
      yield* Trading.placeOther(world, taker, { market: market.name, price, side: "buy", amount: "0.005" })
      const all = yield* page(world, maker, { orderId: idOf(made) })
      yield* Verdict.expect(
        all.answer,
        "two deals, limit 50, offset 0",
        all.deals.length === 2 && all.json["limit"] === 50 && all.json["offset"] === 0
      )
      const first = yield* page(world, maker, { orderId: idOf(made), limit: 1 })
      yield* Verdict.expect(
        first.answer,
        "the first deal, limit 1, offset 0",
        first.deals.length === 1 && first.json["limit"] === 1 && first.json["offset"] === 0 &&
          first.deals[0]?.["id"] === all.deals[0]?.["id"]
      )
      const rest = yield* page(world, maker, { orderId: idOf(made), limit: 1, offset: 1 })
      yield* Verdict.expect(
        rest.answer,
        "the second deal, limit 1, offset 1",
        rest.deals.length === 1 && rest.json["limit"] === 1 && rest.json["offset"] === 1 &&
          rest.deals[0]?.["id"] === all.deals[1]?.["id"]
      )
      for (const offset of [2, 1000]) {
        const none = yield* page(world, maker, { orderId: idOf(made), limit: 2, offset })
        yield* Verdict.expect(none.answer, "no deals after the last one", none.deals.length === 0)
      }
    })
  }),
  LiveCalls.section.always("deals.unknown", {
    statement: "Lists no deals for an unknown order, without an error",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const { answer, deals } = yield* page(world, yield* world.reader, { orderId: nobodys })
      yield* Verdict.expect(answer, "no records", deals.length === 0)
    })
  }),
  LiveCalls.section.always("deals.isolation", {
    statement: "Lists no deals for another account's order",
    check: Effect.fnUntraced(function*(world) {
      const { made, taker } = yield* Trading.take(world, "0.01")
      const { answer, deals } = yield* page(world, taker, { orderId: idOf(made) })
      yield* Verdict.expect(answer, "no records", deals.length === 0)
    })
  }),
  LiveCalls.section.forEach("deals.refusal", {
    statement: "Refuses a missing order id, or a malformed order id, limit or offset: HTTP 422, code 30",
    profile: "read-only",
    values: wrong,
    check: (world, [key, value]) =>
      Effect.flatMap(
        world.reader,
        (reader) => LiveCalls.refuses(world, reader, Paths.orderDeals, { orderId: nobodys, [key]: value }, { key })
      )
  })
]
