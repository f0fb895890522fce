/** Rules about the orders that a call places: the same for stop-limit and OCO orders. */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import type { OrderEntry } from "./OrderEntry.ts"
import * as Orders from "./Orders.ts"

const areUnique = (ids: ReadonlyArray<string>) =>
  Verdict.conclude("identifiers that differ", ids, new Set(ids).size === ids.length)

/** The rules about the orders that one call places. */
export const rules = ({ clause, draft, id, isAsSubmitted, path }: OrderEntry): ReadonlyArray<Rule.Rule> => [
  Rule.forEach({
    id: `${id}.total.exact`,
    statement: "An order shows the amount and the prices that it was submitted with",
    clause,
    profile: "mutating",
    values: Orders.sides,
    check: (world, side) =>
      Effect.gen(function*() {
        const market = yield* world.market
        const fields = draft(market, side)
        const { answer, order } = yield* Orders.place(world, yield* world.trader, path, fields)
        yield* Verdict.expect(answer, `the values of ${JSON.stringify(fields)}`, isAsSubmitted(order, fields))
      })
  }),
  Rule.forAll({
    id: `${id}.ids.unique`,
    statement: "Every order has an identifier of its own",
    clause,
    values: fc.integer({ min: 2, max: 5 }),
    check: (world, count) =>
      Effect.gen(function*() {
        const market = yield* world.market
        const account = yield* world.trader
        const ids: Array<string> = []
        for (let index = 0; index < count; index++) {
          const { order } = yield* Orders.place(world, account, path, draft(market, index % 2 === 0 ? "buy" : "sell"))
          ids.push(...Orders.idsOf(world, order))
        }
        yield* areUnique(ids)
      })
  }),
  Rule.always({
    id: `${id}.ids.accounts`,
    statement: "Orders of different accounts have different identifiers",
    clause,
    level: "SHOULD",
    check: (world) =>
      Effect.gen(function*() {
        const market = yield* world.market
        const placed = yield* Effect.forEach(
          [yield* world.trader, yield* world.open()],
          (account) => Orders.place(world, account, path, draft(market, "buy"))
        )
        yield* areUnique(placed.flatMap(({ order }) => Orders.idsOf(world, order)))
      })
  }),
  Rule.forAll({
    id: `${id}.parallel`,
    statement: "Orders that are placed at the same time are all placed, each with an identifier of its own",
    clause,
    // Nonces that overtake each other may be refused: the document does not say in which order they may come.
    level: "SHOULD",
    values: fc.integer({ min: 2, max: 8 }),
    check: (world, count) =>
      Effect.gen(function*() {
        const market = yield* world.market
        const account = { ...(yield* world.trader), isExclusive: false }
        const placed = yield* Effect.forEach(
          Array.from({ length: count }),
          () => Orders.place(world, account, path, draft(market, "buy")),
          { concurrency: "unbounded" }
        )
        yield* areUnique(placed.flatMap(({ order }) => Orders.idsOf(world, order)))
      })
  })
]
