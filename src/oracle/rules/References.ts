/**
 * Rules about a futures market's index price and mark price. Only the live exchange's documentation describes them. It
 * does not say how the exchange computes its index, except that the spot market's last price stands in for it, and the
 * futures market's own last price only if the spot market has none.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LivePublicCalls from "../world/LivePublicCalls.ts"
import { basePrice, perpetual } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Trading from "../world/Trading.ts"
import * as Wallets from "../world/Wallets.ts"
import type { Account, World } from "../world/World.ts"

const { always, forEach } = LiveCalls.section

/** Returns the prices of the futures market. */
const prices = Effect.fnUntraced(function*(world: World) {
  const { answer, value } = yield* LivePublicCalls.results(world, Paths.futures)
  const market = value.filter(Json.isObject).find(({ ticker_id: name }) => name === perpetual) ?? {}
  const number = (key: string) => Number(market[key] ?? Number.NaN)
  return { answer, last: number("last_price"), index: number("index_price"), mark: number("mark_price") }
})

const isSame = (one: number, other: number): boolean => Math.abs(one - other) < 1e-6 * Math.abs(other)

/** A day, in milliseconds. */
const day = 86_400_000

/** Makes two new accounts trade on the futures market at a price, which becomes its last price. */
const moveLast = Effect.fnUntraced(function*(world: World, price: number) {
  const order = { market: perpetual, side: "buy", amount: "0.01", price: String(Math.round(price)) } as const
  yield* Trading.onMargin(world, yield* world.open(), order)
})

/**
 * Gives an account a position of 0.02 at the base price. Then moves the futures market's last price away from the base
 * price by trades, while the spot market, and with it the index price, stays there. Returns the prices and the position.
 */
const apart = Effect.fnUntraced(function*(world: World, account: Account, side: Orders.Side, factor: number) {
  yield* Trading.movePrice(world, yield* world.market, basePrice)
  yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
  yield* Trading.onMargin(world, account, { market: perpetual, side, amount: "0.02", price: String(basePrice) })
  yield* moveLast(world, basePrice * factor)
  const { last, mark } = yield* prices(world)
  if (!(mark > 0) || isSame(mark, last)) return yield* Verdict.skip("needs a mark price unlike the last price")
  const { positions: [position = {}] } = yield* LiveCalls.openPositions(world, account)
  return { last, mark, position }
})

export const rules: ReadonlyArray<Rule.Rule> = [
  always("futures.index", {
    statement: "Shows an index price that does not follow the futures market's own trades while its spot market has a "
      + "last price",
    check: Effect.fnUntraced(function*(world) {
      const spot = yield* world.market
      yield* Trading.movePrice(world, spot, basePrice)
      yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
      const before = yield* prices(world)
      for (const percent of [2, -3]) {
        const price = String(Math.round(basePrice * (1 + percent / 100)))
        const order = { market: perpetual, side: "buy", amount: "0.01", price } as const
        yield* world.control("MovePrice", { market: perpetual, price })
        yield* Trading.onMargin(world, yield* world.open(), order)
        const { answer, index, last } = yield* prices(world)
        yield* Verdict.expect(
          answer,
          `a last_price of ${price}, and an index_price of about ${before.index}`,
          isSame(last, Number(price)) && Math.abs(index - before.index) < 0.25 * Math.abs(last - before.index)
        )
      }
    })
  }),
  forEach("futures.mark.profit", {
    statement: "Values a futures position, and the account, at the market's mark price, not at its last price",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* world.open()
      const { mark } = yield* apart(world, account, side, 1.03)
      const { answer, positions: [position = {}] } = yield* LiveCalls.openPositions(world, account)
      const summary = yield* LiveCalls.object(world, account, Paths.collateralSummary, {})
      const { mark: after } = yield* prices(world)
      if (after !== mark) return yield* Verdict.skip("the mark price has moved")
      const profit = (mark - basePrice) * 0.02 * (side === "buy" ? 1 : -1)
      yield* Verdict.expect(
        answer,
        `an unrealizedPnl of ${profit}`,
        Math.abs(Number(position["unrealizedPnl"]) - profit) < 0.02 + Math.abs(profit) * 0.01
      )
      yield* Verdict.expect(
        summary.answer,
        `a pnl of ${profit}`,
        Math.abs(Number(summary.json["pnl"]) - profit) < 0.02 + Math.abs(profit) * 0.01
      )
    })
  }),
  forEach("futures.mark.liquidation", {
    statement: "Does not liquidate a futures position whose liquidation price only the last price has reached, but not "
      + "the mark price",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* Wallets.open(world, [["collateral", "USDT", "300"]])
      const away = side === "buy" ? -1 : 1
      const { mark, position } = yield* apart(world, account, side, 1 + away * 0.005)
      const bound = Number(position["liquidationPrice"])
      const isSafe = (price: number) => (price - bound) * away < -0.02 * basePrice
      if (!(bound > 0) || !isSafe(mark))
        return yield* Verdict.skip("needs a liquidation price away from the mark price")
      yield* moveLast(world, bound + away * 0.05 * basePrice)
      yield* world.advance(5000)
      const { last, mark: after } = yield* prices(world)
      if (isSafe(last) || !isSafe(after)) return yield* Verdict.skip("needs a mark price unlike the last price")
      const { answer, positions } = yield* LiveCalls.openPositions(world, account)
      yield* Verdict.expect(
        answer,
        `the position, at a mark price of ${after} and with a liquidationPrice of ${bound}`,
        positions.length === 1 && Number(positions[0]?.["amount"]) === -away * 0.02
      )
    })
  }),
  always("positions.funding.mark", {
    statement: "Settles funding at the market's mark price, not at its last price",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.open()
      const { last, mark } = yield* apart(world, account, "buy", 1.03)
      yield* world.advance(day)
      const after = yield* prices(world)
      if (after.last !== last || after.mark !== mark) return yield* Verdict.skip("the prices have moved")
      const { answer, records: [payment] } = yield* LiveCalls.records(world, account, Paths.fundingHistory, {
        market: perpetual
      })
      if (payment === undefined) return yield* Verdict.skip("needs a funding payment within a day")
      yield* Verdict.expect(answer, `a settlementPrice of ${mark}`, isSame(Number(payment["settlementPrice"]), mark))
    })
  })
]
