/** Rules about placed orders, shared by stop-limit and OCO orders. */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import { type OrderEntry, rulesOf } from "./OrderEntry.ts"
import * as Orders from "./Orders.ts"
import type { Body, World } from "./World.ts"

/** Expects that all orders have different ids, and that all OCO pairs do too. A pair may have the id of an order. */
const areUnique = (world: World, orders: ReadonlyArray<Body>) => {
  const ids = [orders.flatMap((order) => Orders.idsOf(world, order)), orders.flatMap(pairIdsOf)]
  return Verdict.conclude("distinct ids", ids, ids.every((ids) => new Set(ids).size === ids.length))
}

const pairIdsOf = ({ id }: Body): ReadonlyArray<string> => id === undefined ? [] : [String(id)]

/** Returns all rules about the orders that one call places. */
export const rules = (entry: OrderEntry): ReadonlyArray<Rule.Rule> => {
  const { draft, id, isAsSubmitted, path } = entry
  const { always, forAll, forEach } = rulesOf(entry)
  return [
    forEach(`${id}.total.exact`, {
      statement: "Shows an order with its submitted amount and prices",
      values: Orders.sides,
      check: Effect.fnUntraced(function*(world, side) {
        const market = yield* world.market
        const account = yield* world.trader
        // Places another order first, because a faulty response could repeat that order's values.
        yield* Orders.place(world, account, path, draft(market, Orders.opposite(side)))
        const fields = draft(market, side)
        const { answer, order } = yield* Orders.place(world, account, path, fields)
        yield* Verdict.expect(answer, `the values of ${Json.stringify(fields)}`, isAsSubmitted(order, fields))
      })
    }),
    forAll(`${id}.ids.unique`, {
      statement: "Gives every order a different id",
      values: fc.integer({ min: 2, max: 5 }),
      check: Effect.fnUntraced(function*(world, count) {
        const market = yield* world.market
        const account = yield* world.trader
        const orders: Array<Body> = []
        for (let index = 0; index < count; index++) {
          const { order } = yield* Orders.place(world, account, path, draft(market, index % 2 === 0 ? "buy" : "sell"))
          orders.push(order)
        }
        yield* areUnique(world, orders)
      })
    }),
    always(`${id}.ids.accounts`, {
      statement: "Gives orders of different accounts different ids",
      profile: "control",
      level: "SHOULD",
      check: Effect.fnUntraced(function*(world) {
        const market = yield* world.market
        const placed = yield* Effect.forEach(
          [yield* world.trader, yield* world.open()],
          (account) => Orders.place(world, account, path, draft(market, "buy"))
        )
        yield* areUnique(world, placed.map(({ order }) => order))
      })
    }),
    forAll(`${id}.parallel`, {
      statement: "Places all orders that arrive at the same time, each with a different id",
      profile: "control",
      // The target may refuse calls whose nonces arrive out of sequence, because the document does not say whether
      // nonces must increase.
      level: "SHOULD",
      values: fc.integer({ min: 2, max: 8 }),
      check: Effect.fnUntraced(function*(world, count) {
        const market = yield* world.market
        const account = { ...(yield* world.trader), isExclusive: false }
        const placed = yield* Effect.forEach(
          Array.from({ length: count }),
          () => Orders.place(world, account, path, draft(market, "buy")),
          { concurrency: "unbounded" }
        )
        yield* areUnique(world, placed.map(({ order }) => order))
      })
    })
  ]
}
