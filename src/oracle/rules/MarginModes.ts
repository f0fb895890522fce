/**
 * Rules about a collateral account's leverage and position mode, and about its summary without positions. Only the live
 * exchange's documentation describes these calls.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import * as MarginPositions from "../world/MarginPositions.ts"
import { basePrice, perpetual } from "../world/Markets.ts"
import { number } from "../world/Numbers.ts"
import * as Oco from "../world/OcoOrders.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Trading from "../world/Trading.ts"
import * as Wallets from "../world/Wallets.ts"
import type { Account, Body, World } from "../world/World.ts"

const { always, forEach } = LiveCalls.section

const setLeverage = (world: World, account: Account, leverage: unknown) =>
  LiveCalls.call(world, account, Paths.leverage, { leverage })

/** Expects that the account's summary shows this leverage. */
const hasLeverage = Effect.fnUntraced(function*(world: World, account: Account, leverage: unknown) {
  const { answer, json } = yield* MarginPositions.summary(world, account)
  yield* Verdict.expect(answer, `a leverage of ${String(leverage)}`, json["leverage"] === leverage)
})

/** Expects that the account is in hedge mode, or in one-way mode. */
const hasMode = Effect.fnUntraced(function*(world: World, account: Account, hedgeMode: boolean) {
  const { answer, json } = yield* LiveCalls.object(world, account, Paths.hedgeMode, {})
  yield* Verdict.expect(answer, `hedgeMode ${String(hedgeMode)}`, json["hedgeMode"] === hedgeMode)
})

const setMode = (world: World, account: Account, hedgeMode: unknown) =>
  LiveCalls.call(world, account, Paths.updateHedgeMode, { hedgeMode })

const leverageRules: ReadonlyArray<Rule.Rule> = [
  forEach("margin.leverage.kept", {
    statement: "Keeps the leverage when it refuses a change, and refuses a fraction, a negative or a missing leverage",
    values: [undefined, 4, 5.5, -5, 101],
    check: Effect.fnUntraced(function*(world, leverage) {
      const account = yield* world.open()
      yield* setLeverage(world, account, 20)
      yield* Refusals.any(yield* setLeverage(world, account, leverage), `because the leverage is ${String(leverage)}`)
      yield* hasLeverage(world, account, 20)
    })
  }),
  always("margin.leverage.margin", {
    statement: "Needs more margin for the same position at a lower leverage",
    check: Effect.fnUntraced(function*(world) {
      const margins: Array<number> = []
      yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
      for (const leverage of [2, 20]) {
        const account = yield* world.open()
        yield* setLeverage(world, account, leverage)
        yield* MarginPositions.open(world, account, "buy")
        const { positions: [position = {}] } = yield* LiveCalls.openPositions(world, account)
        margins.push(number(position, "margin"))
      }
      const [low = 0, high = 0] = margins
      yield* Verdict.conclude("more margin at a leverage of 2 than at 20", margins, low > 2 * high && high > 0)
    })
  }),
  always("margin.leverage.uncovered", {
    statement: "Refuses a leverage at which the collateral does not cover the margin: code 17, or 113 for any change",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* Wallets.open(world, [["collateral", "USDT", "100"]])
      yield* setLeverage(world, account, 20)
      yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
      yield* MarginPositions.open(world, account, "buy")
      const answer = yield* setLeverage(world, account, 1)
      yield* Refusals.coded(answer, { status: 422, codes: [17, 113] }, "because the position would need 800 USDT")
      yield* hasLeverage(world, account, 20)
    })
  })
]

const modeRules: ReadonlyArray<Rule.Rule> = [
  forEach("margin.hedge.invalid", {
    statement: "Refuses a hedge mode that is missing or not a boolean: code 30, and keeps the mode",
    values: [undefined, "true", "on", 1],
    check: Effect.fnUntraced(function*(world, hedgeMode) {
      const account = yield* world.open()
      const { json } = yield* LiveCalls.object(world, account, Paths.hedgeMode, {})
      const answer = yield* setMode(world, account, hedgeMode)
      yield* Refusals.coded(answer, { status: 422, codes: [30] }, `because hedgeMode is ${String(hedgeMode)}`)
      yield* hasMode(world, account, json["hedgeMode"] === true)
    })
  }),
  forEach("margin.hedge.busy", {
    statement: "Refuses to switch the position mode while there is a futures position or order, and keeps the mode",
    values: [["order", false], ["position", true], ["order", true]] as const,
    check: Effect.fnUntraced(function*(world, [what, hedgeMode]) {
      const account = yield* Trading.openHedged(world)
      if (!hedgeMode) yield* setMode(world, account, false)
      const positionSide = hedgeMode ? { positionSide: "LONG" } : {}
      const order = { market: perpetual, side: "buy", amount: "0.02" } as const
      if (what === "position") {
        yield* Trading.onMargin(world, account, { ...order, price: String(basePrice) }, positionSide)
      } else {
        const fields = { ...order, price: String(basePrice * 0.8), ...positionSide }
        yield* Trading.placeOther(world, account, fields, Paths.collateralLimit)
      }
      const answer = yield* setMode(world, account, !hedgeMode)
      yield* Refusals.coded(answer, { status: 422, codes: [113] }, `because there is a futures ${what}`)
      yield* hasMode(world, account, hedgeMode)
    })
  })
]

const waits = (side: Orders.Side, factor: number): string =>
  String(Math.round(basePrice * (side === "buy" ? factor : 2 - factor)))

/** Futures orders that wait. */
const waiting: ReadonlyArray<readonly [path: string, fields: (side: Orders.Side) => Body]> = [
  [Paths.collateralLimit, (side) => ({ price: waits(side, 0.8) })],
  [Paths.collateralStopLimit, (side) => ({ price: waits(side, 1.25), activation_price: waits(side, 1.2) })],
  [Paths.triggerMarket, (side) => ({ activation_price: waits(side, 1.2) })]
]

/** The side that opens each position. */
const opens = [["buy", "LONG"], ["sell", "SHORT"]] as const

const sideRules: ReadonlyArray<Rule.Rule> = [
  forEach("margin.sides.waiting", {
    statement: "In hedge mode, shows an open order's position side in its response, the lists and its cancellation",
    values: waiting.flatMap(([path, fields]) =>
      opens.map(([side, positionSide]) => ({ path, fields, side, positionSide }))
    ),
    check: Effect.fnUntraced(function*(world, { fields, path, positionSide, side }) {
      const account = yield* Trading.openHedged(world)
      const order = { market: perpetual, side, amount: "0.02", positionSide, ...fields(side) }
      const placed = yield* LiveOrders.place(world, account, path, order)
      const id = { market: perpetual, orderId: placed.order["orderId"] }
      const open = yield* LiveOrders.open(world, account)
      yield* LiveOrders.lists(open, "the order", "orderId", [{ ...id, side, positionSide }])
      const canceled = yield* LiveOrders.place(world, account, Paths.cancelOrder, id)
      for (const { answer, order } of [placed, canceled]) {
        yield* LiveOrders.shows({ answer }, "the order", order, { ...id, side, positionSide })
      }
      const ended = (yield* LiveOrders.ended(world, account, id)).records
      yield* Verdict.conclude(
        `positionSide ${positionSide} in order history, if it is shown`,
        ended,
        ended.every(({ positionSide: shown = positionSide }) => shown === positionSide)
      )
    })
  }),
  forEach("margin.sides.pair", {
    statement: "In hedge mode, shows an OCO order's position side on both legs, and refuses one without it: code 114",
    values: opens,
    check: Effect.fnUntraced(function*(world, [side, positionSide]) {
      const account = yield* Trading.openHedged(world)
      const order = { market: perpetual, side, amount: "0.02", price: waits(side, 0.8) }
      const fields = { ...order, activation_price: waits(side, 1.2), stop_limit_price: waits(side, 1.25) }
      const refused = yield* LiveCalls.call(world, account, Paths.oco, fields)
      yield* Refusals.coded(refused, { status: 422, codes: [114] }, "because it has no position side")
      const pair = yield* Trading.placeOther(world, account, { ...fields, positionSide }, Paths.oco)
      const { answer, items } = yield* LiveCalls.list(world, account, Paths.ocoOrders, {})
      for (const shown of [pair, ...items.filter(Json.isObject)]) {
        yield* Verdict.conclude(
          `both legs with positionSide ${positionSide}, if it is shown`,
          shown,
          Oco.both(shown, ({ positionSide: of = positionSide }) => of === positionSide),
          answer
        )
      }
    })
  }),
  forEach("margin.sides.beyond", {
    statement: "In hedge mode, opens no position of the other side with an order that closes more than there is",
    values: opens,
    check: Effect.fnUntraced(function*(world, [side, positionSide]) {
      const account = yield* Trading.openHedged(world)
      const order = { market: perpetual, price: String(basePrice) }
      yield* Trading.onMargin(world, account, { ...order, side, amount: "0.02" }, { positionSide })
      const closing = { ...order, amount: "0.05", positionSide }
      yield* Trading.placeOther(world, yield* world.open(), { ...order, side, amount: "0.05" }, Paths.collateralLimit)
      // The target may refuse the order, or reduce it to the position's size.
      yield* LiveCalls.call(world, account, Paths.collateralLimit, { ...closing, side: Orders.opposite(side) })
      const { answer, positions } = yield* LiveCalls.openPositions(world, account)
      const others = positions.filter((position) => position["positionSide"] !== positionSide)
      yield* Verdict.expect(answer, `no position other than ${positionSide}`, others.length === 0)
    })
  }),
  forEach("margin.sides.exits", {
    statement: "In hedge mode, closes the position with the exit of its order, and opens none of the other side",
    values: opens,
    check: Effect.fnUntraced(function*(world, [side, positionSide]) {
      const account = yield* Trading.openHedged(world)
      const order = { market: perpetual, side, amount: "0.02", price: String(basePrice) } as const
      const exit = { takeProfit: waits(side, 1.1), stopLoss: waits(side, 0.9) }
      yield* Trading.onMargin(world, account, order, { positionSide, ...exit })
      const before = yield* LiveCalls.openPositions(world, account)
      yield* Verdict.expect(
        before.answer,
        `one position, with positionSide ${positionSide}`,
        before.positions.length === 1 && before.positions[0]?.["positionSide"] === positionSide
      )
      yield* world.control("MovePrice", { market: perpetual, price: exit.takeProfit })
      const { answer, positions } = yield* LiveCalls.openPositions(world, account)
      yield* Verdict.expect(answer, "no position", positions.length === 0)
    })
  }),
  always("margin.sides.bulk", {
    statement: "In hedge mode, refuses a bulk order without a position side with code 114, and places the others",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* Trading.openHedged(world)
      const order = { market: perpetual, side: "buy", amount: "0.02", price: waits("buy", 0.8) }
      const orders = [{ ...order, positionSide: "LONG" }, order]
      const { answer, items } = yield* LiveCalls.list(world, account, Paths.collateralBulk, { orders })
      const error = Json.isObject(items[1]) ? items[1]["error"] : undefined
      yield* Verdict.expect(answer, "code 114 in the second item", Json.isObject(error) && error["code"] === 114)
      const { answer: list, records } = yield* LiveOrders.open(world, account)
      yield* Verdict.expect(list, "one open order", records.length === 1)
    })
  })
]

const stateRules: ReadonlyArray<Rule.Rule> = [
  always("margin.summary.idle", {
    statement: "Shows the collateral as equity and freeMargin, and no margin, pnl or funding, without positions",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* Wallets.open(world, [["collateral", "USDT", "10000"]])
      for (const equity of [10_000, 10_321]) {
        const { answer, json } = yield* MarginPositions.summary(world, account)
        yield* Verdict.expect(
          answer,
          `equity and freeMargin ${equity}, and margin, pnl and unrealizedFunding 0`,
          ["equity", "freeMargin"].every((key) => number(json, key) === equity) &&
            ["margin", "pnl", "unrealizedFunding"].every((key) => number(json, key) === 0)
        )
        yield* world.control("Fund", { account: account.id, wallet: "collateral", ticker: "USDT", amount: "321" })
      }
    })
  }),
  always("margin.adl.none", {
    statement: "Grades no position on a margin market",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.open()
      yield* Trading.openPosition(world, account, "buy", "0.01")
      const { answer, items } = yield* LiveCalls.list(world, account, Paths.adlQuantile, {})
      yield* Verdict.expect(answer, "an empty list", items.length === 0)
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...leverageRules, ...modeRules, ...sideRules, ...stateRules]
