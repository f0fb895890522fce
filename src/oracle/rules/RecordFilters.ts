/**
 * Rules about the filters of order and fill history, alone, together and with pages. Only the live exchange's
 * documentation describes these calls.
 */
import * as Effect from "effect/Effect"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Comparison from "../world/Comparison.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { basePrice, perpetual } from "../world/Markets.ts"
import * as Paths from "../world/Paths.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, World } from "../world/World.ts"

const { always } = LiveCalls.section

const place = (world: World, account: Account, fields: Body) =>
  Trading.placeOther(world, account, { amount: "0.01", ...fields }, Paths.collateralLimit)

/** A closed order, as the history must select it. */
interface Past {
  readonly orderId: unknown
  readonly clientOrderId: string
  readonly market: string
  readonly status: "FILLED" | "CANCELED"
  readonly isLate: boolean
}

/**
 * Returns an account with a canceled and two filled orders on each of two markets, each in a second of its own, and the
 * same again an hour later. Returns the orders, the newest first, and a time between both periods.
 */
const past = Effect.fnUntraced(function*(world: World) {
  const [account, other] = [yield* LiveOrders.customer(world), yield* world.open()]
  const market = yield* world.market
  yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
  const orders: Array<Past> = []
  let between = 0
  for (const isLate of [false, true]) {
    if (isLate) {
      yield* world.advance(1_800_000)
      between = Math.floor((yield* world.now) / 1000)
      yield* world.advance(1_800_000)
    }
    for (const status of ["FILLED", "CANCELED", "FILLED"] as const) {
      for (const name of [market.name, perpetual]) {
        yield* world.advance(1000)
        const clientOrderId = world.unique("past")
        const price = String(status === "FILLED" ? basePrice : basePrice * 0.8)
        if (status === "FILLED") yield* place(world, other, { market: name, side: "sell", price })
        const { orderId } = yield* place(world, account, { market: name, side: "buy", price, clientOrderId })
        if (status === "CANCELED") {
          yield* Trading.placeOther(world, account, { market: name, orderId }, Paths.cancelOrder)
        }
        orders.unshift({ orderId, clientOrderId, market: name, status, isLate })
      }
    }
  }
  const now = Math.ceil((yield* world.now) / 1000)
  return { account, market: market.name, orders, between, now }
})

/** Returns each record as text. In a list of one market's fills, the records do not show the market. */
const textsOf = (records: ReadonlyArray<Body>): ReadonlyArray<string> =>
  records.map((record) => Comparison.textOfSet([{ ...record, market: undefined }]))

/**
 * Expects the records of exactly these orders, each as in the complete list: in this sequence if they are on one
 * market.
 */
const selects = Effect.fnUntraced(function*(
  { answer, records }: LiveOrders.Shown,
  fields: Body,
  expected: ReadonlyArray<Past>,
  whole: ReadonlyArray<Body>
) {
  const [found, ids] = [records.map(({ orderId }) => orderId), expected.map(({ orderId }) => orderId)]
  const sequence = "market" in fields
  yield* Verdict.expect(
    answer,
    `the records of orders ${ids.join(", ")} for ${Comparison.textOf(fields)}`,
    found.length === ids.length && ids.every((id, index) => sequence ? found[index] === id : found.includes(id))
  )
  const known = new Set(textsOf(whole))
  yield* Verdict.expect(
    answer,
    `the same values as in the complete list for ${Comparison.textOf(fields)}`,
    textsOf(records).every((text) => known.has(text))
  )
})

/** Combinations of filters and pages, with the past orders that they select. */
const combinations = (
  { between, market, now, orders }: Effect.Success<ReturnType<typeof past>>
): ReadonlyArray<
  readonly [fields: Body, of: (order: Past) => boolean, page?: readonly [limit: number, offset: number]]
> => [
  [{ market }, (order) => order.market === market, [3, 2]],
  [{ market: perpetual, startDate: between }, (order) => order.market === perpetual && order.isLate, [3, 1]],
  [{ market, startDate: between - 7200, endDate: between }, (order) => order.market === market && !order.isLate, [
    2,
    1
  ]],
  [{ startDate: between }, ({ isLate }) => isLate, [4, 3]],
  [{ startDate: between - 7200, endDate: between }, ({ isLate }) => !isLate],
  [{ endDate: between }, ({ isLate }) => !isLate],
  [{ startDate: now + 60 - 86_400 }, () => orders.length > 0]
]

export const rules: ReadonlyArray<Rule.Rule> = [
  always("pages.filters.orders", {
    statement:
      "Selects closed orders by market, status and period together, before it cuts the page; by id, whatever the rest",
    check: Effect.fnUntraced(function*(world) {
      const story = yield* past(world)
      const { account, between, market, now, orders } = story
      const { records: whole } = yield* LiveOrders.ended(world, account, { limit: 100 })
      const isOn = (name: string, status: string) => (order: Past) => order.market === name && order.status === status
      for (
        const [fields, of, page] of [
          ...combinations(story),
          [{ market, status: "FILLED" }, isOn(market, "FILLED"), [2, 1]],
          [{ market: perpetual, status: "CANCELED" }, isOn(perpetual, "CANCELED"), [2, 1]],
          // The documentation says that an end in the future counts as now.
          [{ startDate: between, endDate: now + 3600 }, ({ isLate }: Past) => isLate, [4, 1]],
          [{ status: "CANCELED" }, ({ status }: Past) => status === "CANCELED", [2, 1]],
          [
            { status: "FILLED", startDate: between },
            ({ isLate, status }: Past) => isLate && status === "FILLED",
            [3, 1]
          ]
        ] as const satisfies ReturnType<typeof combinations>
      ) {
        const [limit, offset] = page ?? [100, 0]
        const expected = orders.filter(of).slice(offset, offset + limit)
        const asked = page === undefined ? fields : { ...fields, limit, offset }
        yield* selects(yield* LiveOrders.ended(world, account, asked), asked, expected, whole)
      }
      // The documentation says that a call for one order ignores the status and the period.
      for (const order of orders.filter(({ isLate }, index) => !isLate && index % 2 === 0)) {
        const status = order.status === "FILLED" ? "CANCELED" : "FILLED"
        for (const id of [{ orderId: order.orderId }, { clientOrderId: order.clientOrderId }]) {
          const fields = { market: order.market, status, startDate: between, ...id }
          yield* selects(yield* LiveOrders.ended(world, account, fields), fields, [order], whole)
        }
      }
    })
  }),
  always("pages.filters.fills", {
    statement: "Selects fills by market and period together, before it cuts the page",
    check: Effect.fnUntraced(function*(world) {
      const story = yield* past(world)
      const { records: whole } = yield* LiveOrders.executed(world, story.account, { limit: 100 })
      const filled = story.orders.filter(({ status }) => status === "FILLED")
      for (const [fields, of, page] of combinations(story)) {
        const [limit, offset] = page ?? [100, 0]
        const expected = filled.filter(of).slice(offset, offset + limit)
        const asked = page === undefined ? fields : { ...fields, limit, offset }
        yield* selects(yield* LiveOrders.executed(world, story.account, asked), asked, expected, whole)
      }
    })
  })
]
