/** Rules about orders and positions in hedge mode, which only the live exchange's documentation describes. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Books from "../world/Books.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { basePrice, perpetual } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, World } from "../world/World.ts"

const { always, forEach } = LiveCalls.section

/** Expects exactly one position per side, with these signed amounts. */
const has = Effect.fnUntraced(function*(world: World, account: Account, amounts: Readonly<Record<string, number>>) {
  const { answer, positions } = yield* LiveCalls.openPositions(world, account)
  yield* Verdict.expect(
    answer,
    `positions of ${Json.stringify(amounts)} by positionSide`,
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
  [Paths.triggerMarket, { activation_price: String(basePrice * 1.2) }],
  [Paths.oco, {
    price: String(basePrice * 0.8),
    activation_price: String(basePrice * 1.2),
    stop_limit_price: String(basePrice * 1.3)
  }]
]

/** The orders that wait as buys. For the limit order, rules choose a price below the market. */
const waiting = kinds.filter(([path]) => path !== Paths.collateralMarketOrder)

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
      const answer = yield* LiveCalls.call(world, account, path, order)
      // The documentation does not show which field the errors name.
      yield* Refusals.coded(answer, { status: 422, codes: [114] }, "because positionSide must be LONG or SHORT")
    })
  }),
  forEach("positions.flipped", {
    statement: "Shows in one-way mode a position of the rest, at its own entry price, if an order is larger than the "
      + "position that it closes; or refuses the order with code 115",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* world.open()
      yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
      const first = { market: perpetual, side, amount: "0.02", price: String(basePrice) }
      yield* Trading.onMargin(world, account, first)
      const better = String(basePrice + (side === "buy" ? 400 : -400))
      const against = { market: perpetual, side, amount: "0.05", price: better }
      yield* Trading.placeOther(world, yield* world.open(), against, Paths.collateralLimit)
      const larger = { ...against, side: Orders.opposite(side) }
      const answer = yield* LiveCalls.call(world, account, Paths.collateralLimit, larger)
      if (!Refusals.isSuccess(answer)) return yield* Refusals.coded(answer, { status: 422, codes: [115] }, "or placed")
      const { answer: list, positions } = yield* LiveCalls.openPositions(world, account)
      yield* Verdict.expect(
        list,
        `one position of 0.03 with a basePrice of ${better}`,
        positions.length === 1 &&
          positions.every(({ amount, basePrice: entry }) =>
            Books.isClose(Math.abs(Number(amount)), 0.03) && Math.abs(Number(entry) - Number(better)) < 0.5
          )
      )
    })
  }),
  forEach("margin.close.side", {
    statement: "In hedge mode, closes only the position that the call names, and records its side in both histories",
    values: ["LONG", "SHORT"] as const,
    check: Effect.fnUntraced(function*(world, closed) {
      const account = yield* Trading.openHedged(world)
      const price = String(basePrice)
      for (const [side, positionSide, amount] of [["buy", "LONG", "0.02"], ["sell", "SHORT", "0.01"]] as const) {
        yield* Trading.onMargin(world, account, { market: perpetual, side, amount, price }, { positionSide })
      }
      yield* has(world, account, { LONG: 0.02, SHORT: -0.01 })
      const { positions } = yield* LiveCalls.openPositions(world, account)
      const { positionId } = positions.find(({ positionSide }) => positionSide === closed) ?? {}
      const rest = { market: perpetual, side: closed === "LONG" ? "buy" : "sell", amount: "0.02", price }
      yield* Trading.placeOther(world, yield* world.open(), rest, Paths.collateralLimit)
      const fields = { market: perpetual, positionId, positionSide: closed }
      const answer = yield* LiveCalls.call(world, account, Paths.closePosition, fields)
      yield* Verdict.expect(answer, "HTTP 200", answer.status === 200 && Refusals.isSuccess(answer))
      yield* has(world, account, closed === "LONG" ? { SHORT: -0.01 } : { LONG: 0.02 })
      for (const path of [Paths.closedPositions, Paths.positionHistory]) {
        const { answer, records } = yield* LiveCalls.records(world, account, path, {})
        const own = records.filter((record) => record["positionId"] === positionId)
        yield* Verdict.expect(
          answer,
          `the position ${String(positionId)} with side ${closed} and isHedge true`,
          own.length > 0 && own.every(({ isHedge, side }) => side === closed && isHedge === true)
        )
      }
    })
  }),
  forEach("margin.side-shown", {
    statement: "In hedge mode, lists each open order with the positionSide of its request",
    values: waiting.flatMap(([path, fields]) =>
      (["LONG", "SHORT"] as const).map((positionSide) => ({ path, fields, positionSide }))
    ),
    check: Effect.fnUntraced(function*(world, { fields, path, positionSide }) {
      const account = yield* Trading.openHedged(world)
      const amount = "0.01"
      if (positionSide === "SHORT") {
        const entry = { market: perpetual, side: "sell", amount, price: String(basePrice) }
        yield* Trading.placeOther(world, yield* world.open(), { ...entry, side: "buy" }, Paths.collateralLimit)
        yield* Trading.placeOther(world, account, { ...entry, positionSide }, Paths.collateralLimit)
      }
      const price = path === Paths.collateralLimit ? { price: String(basePrice * 0.8) } : {}
      const order = { market: perpetual, side: "buy", amount, ...fields, ...price, positionSide }
      yield* LiveCalls.object(world, account, path, order)
      const { answer, records } = yield* LiveOrders.open(world, account)
      yield* Verdict.expect(
        answer,
        `open orders with positionSide ${positionSide}`,
        records.length === (path === Paths.oco ? 2 : 1) &&
          records.every((record) => record["positionSide"] === positionSide && record["side"] === "buy")
      )
    })
  }),
  forEach("margin.side-one-way", {
    statement: "In one-way mode, lists each open futures order with positionSide BOTH, if it shows one",
    values: waiting.map(([path, fields]) => ({ path, fields })),
    check: Effect.fnUntraced(function*(world, { fields, path }) {
      const account = yield* world.open()
      yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
      const off = yield* LiveCalls.call(world, account, Paths.updateHedgeMode, { hedgeMode: false })
      yield* Verdict.expect(off, "HTTP 200", Refusals.isSuccess(off))
      const price = path === Paths.collateralLimit ? { price: String(basePrice * 0.8) } : {}
      yield* LiveCalls.object(world, account, path, {
        market: perpetual,
        side: "buy",
        amount: "0.01",
        ...fields,
        ...price
      })
      const { answer, records } = yield* LiveOrders.open(world, account)
      yield* Verdict.expect(
        answer,
        "open orders with positionSide BOTH, or without one",
        records.length > 0 && records.every(({ positionSide = "BOTH" }) => positionSide === "BOTH")
      )
    })
  }),
  forEach("margin.side-required.bulk", {
    statement: "Shows an error with code 114 in place of a bulk order without a positionSide in hedge mode",
    values: [{}, { positionSide: "BOTH" }],
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* Trading.openHedged(world)
      const order = { market: perpetual, side: "buy", amount: "0.01", price: String(basePrice * 0.8) }
      const orders = [{ ...order, ...side }, { ...order, positionSide: "LONG" }]
      const { answer, items } = yield* LiveCalls.list(world, account, Paths.collateralBulk, { orders })
      const [refused, placed] = items.map((item) => Json.isObject(item) ? item : {})
      const error = refused?.["error"]
      yield* Verdict.expect(
        answer,
        "an error with code 114, and a result",
        Json.isObject(error) && error["code"] === 114 && Json.isObject(placed?.["result"])
      )
    })
  })
]
