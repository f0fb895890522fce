/** Rules about the times in lists. Only the live exchange's documentation describes most of these lists. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Books from "../world/Books.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { basePrice } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, World } from "../world/World.ts"

/** The event that a time belongs to: `first`, when the orders were placed, or `second`, when they traded or closed. */
type When = "first" | "second"

/** The times that lists show, and the event that each belongs to. */
const sources: ReadonlyArray<{
  readonly path: string
  readonly keys: Readonly<Record<string, When>>
}> = [
  { path: Paths.activeOrders, keys: { timestamp: "first" } },
  { path: Paths.orderHistory, keys: { ctime: "first", ftime: "second" } },
  { path: Paths.orderDeals, keys: { time: "second" } },
  { path: Paths.fills, keys: { time: "second" } },
  { path: Paths.ocoOrders, keys: { timestamp: "first" } },
  { path: Paths.conditionalOrders, keys: { timestamp: "first" } },
  { path: Paths.openPositions, keys: { openDate: "first", modifyDate: "second" } }
]

/** The time between the two events, in milliseconds. */
const pause = 7000

/** Both events happen this many milliseconds after a whole second, so that their times have fractions. */
const fraction = 337

/** Returns all values of this key, at any depth. */
const valuesOf = (json: unknown, key: string): ReadonlyArray<unknown> =>
  Array.isArray(json)
    ? json.flatMap((item) => valuesOf(item, key))
    : Json.isObject(json)
    ? Object.entries(json).flatMap(([name, value]) => name === key ? [value] : valuesOf(value, key))
    : []

const nowOf = (world: World) => Effect.map(world.now, (now) => now / 1000)

/** Places orders of each kind at a first time. At a second time, orders trade and one is canceled. */
const scenario = Effect.fnUntraced(function*(world: World, account: Account) {
  const other = yield* world.open()
  const market = yield* world.market
  yield* world.advance(Math.ceil(2000 + fraction - (yield* world.now) % 1000))
  const first = yield* nowOf(world)
  const order = (side: Orders.Side, percent: number, amount: string) => ({
    market: market.name,
    side,
    amount,
    price: Books.near(market, percent)
  })
  const open = yield* Trading.placeOther(world, account, order("sell", 1, "0.02"))
  const ends = yield* Trading.placeOther(world, account, order("sell", 3, "0.02"))
  yield* Orders.place(world, account, Paths.oco, Orders.oco(market, "buy"))
  const margin = { ...order("buy", 0, "0.01"), price: String(basePrice) }
  yield* Trading.placeOther(world, account, margin, Paths.collateralLimit)
  yield* Trading.placeOther(world, other, { ...margin, side: "sell" }, Paths.collateralLimit)
  yield* world.advance(pause)
  const second = yield* nowOf(world)
  yield* Trading.placeOther(world, other, order("buy", 1, "0.01"))
  yield* Trading.placeOther(world, account, margin, Paths.collateralLimit)
  yield* Trading.placeOther(world, other, { ...margin, side: "sell" }, Paths.collateralLimit)
  yield* world.call(account, Paths.cancelOrder, { market: market.name, orderId: ends["orderId"] })
  yield* world.advance(pause)
  return { market, open, ends, times: { first, second } }
})

/** Returns the part of a response whose times are known. */
const partOf = (json: unknown, path: string, open: Body, ends: Body): unknown => {
  const all = Json.isObject(json) && !Array.isArray(json["records"]) ? Object.values(json).flat() : json
  if (!Array.isArray(all)) return json
  const isOf = (id: unknown) => (item: unknown) => Json.isObject(item) && (item["orderId"] === id || item["id"] === id)
  if (path === Paths.activeOrders) return all.filter(isOf(open["orderId"]))
  if (path === Paths.orderHistory) return all.filter(isOf(ends["orderId"]))
  return path === Paths.fills
    ? all.filter((item) => Json.isObject(item) && item["orderId"] === open["orderId"])
    : all
}

export const rules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.forEach("times.listed", {
    statement: "Shows in every list when an order was placed, traded or closed, in fractional Unix seconds",
    values: sources,
    check: (world, { keys, path }) =>
      world.whileFrozen(Effect.gen(function*() {
        const account = yield* LiveOrders.customer(world)
        const { ends, market, open, times } = yield* scenario(world, account)
        const fields = path === Paths.orderDeals ? { orderId: open["orderId"] } : { market: market.name }
        const answer = yield* LiveCalls.call(world, account, path, fields)
        const part = partOf(answer.json, path, open, ends)
        for (const [key, when] of Object.entries(keys)) {
          const shown = valuesOf(part, key)
          yield* Verdict.conclude(
            `${key} ${times[when]}`,
            { [key]: shown },
            shown.length > 0 && shown.every((time) => typeof time === "number" && Math.abs(time - times[when]) < 0.01),
            answer
          )
        }
      }))
  })
]
