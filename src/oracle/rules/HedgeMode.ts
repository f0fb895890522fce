/** Rules about orders and positions in hedge mode, which only the live exchange's documentation describes. */
import * as Effect from "effect/Effect"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Books from "../world/Books.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import { basePrice, perpetual } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, World } from "../world/World.ts"

const { always, forEach } = LiveCalls.section

/** Expects exactly one position per side, with these signed amounts. */
const has = Effect.fnUntraced(function*(world: World, account: Account, amounts: Readonly<Record<string, number>>) {
  const { answer, positions } = yield* LiveCalls.openPositions(world, account)
  yield* Verdict.expect(
    answer,
    `positions of ${JSON.stringify(amounts)} by positionSide`,
    positions.length === Object.keys(amounts).length &&
      Object.entries(amounts).every(([side, amount]) =>
        positions.some((one) => one["positionSide"] === side && Books.isClose(Number(one["amount"]), amount))
      )
  )
})

/** The calls that place orders on the futures market, with their price fields. */
const kinds: ReadonlyArray<readonly [path: string, fields: Body]> = [
  [Paths.collateralLimit, { price: String(basePrice) }],
  [Paths.collateralMarketOrder, {}],
  [Paths.collateralStopLimit, { price: String(basePrice * 1.3), activation_price: String(basePrice * 1.2) }],
  [Paths.triggerMarket, { activation_price: String(basePrice * 1.2) }]
]

export const rules: ReadonlyArray<Rule.Rule> = [
  always("margin.sides", {
    statement:
      "In hedge mode, keeps a long and a short position per futures market, and trades the one that positionSide names",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* Trading.openHedged(world)
      for (
        const [side, positionSide, amount, after, path] of [
          ["buy", "LONG", "0.03", { LONG: 0.03 }, Paths.collateralLimit],
          ["sell", "SHORT", "0.02", { LONG: 0.03, SHORT: -0.02 }, Paths.collateralLimit],
          ["sell", "LONG", "0.01", { LONG: 0.02, SHORT: -0.02 }, Paths.collateralMarketOrder],
          ["buy", "SHORT", "0.02", { LONG: 0.02 }, Paths.collateralLimit]
        ] as const
      ) {
        const order = { market: perpetual, amount, price: String(basePrice) }
        const other = { ...order, side: Orders.opposite(side) }
        yield* Trading.placeOther(world, yield* world.open(), other, Paths.collateralLimit)
        const { price: _price, ...unpriced } = order
        const fields = { ...(path === Paths.collateralLimit ? order : unpriced), side, positionSide }
        const { answer, json } = yield* LiveCalls.object(world, account, path, fields)
        yield* Verdict.expect(answer, `positionSide ${positionSide}`, json["positionSide"] === positionSide)
        yield* has(world, account, after)
      }
    })
  }),
  forEach("margin.side-required", {
    statement: "Refuses a futures order in hedge mode without a positionSide, or with positionSide BOTH: code 114",
    values: kinds.flatMap(([path, fields]) =>
      [{}, { positionSide: "BOTH" }].map((side) => ({ path, fields: { ...fields, ...side } }))
    ),
    check: Effect.fnUntraced(function*(world, { fields, path }) {
      const account = yield* Trading.openHedged(world)
      const order = { market: perpetual, side: "buy", amount: "0.01", ...fields }
      yield* LiveCalls.refuses(world, account, path, order, { codes: [114], key: "positionSide" })
    })
  })
]
