/**
 * Rules about open reduce-only orders whose position is closed. Only the live exchange's documentation describes these
 * calls.
 */
import * as Effect from "effect/Effect"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import * as MarginPositions from "../world/MarginPositions.ts"
import { priceText } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, Market, World } from "../world/World.ts"

/** The calls that place a reduce-only order that waits for its trigger, or a pair of which one leg does. */
const waiting = [Paths.collateralStopLimit, Paths.triggerMarket, Paths.oco]

/** Every combination of a call, a side and a way to close the position. */
const cases = (paths: ReadonlyArray<string>) =>
  paths.flatMap((path) =>
    Orders.sides.flatMap((side) => (["order", "call"] as const).map((how) => ({ path, side, how })))
  )

/** The amount of each position and each order. */
const amount = "0.02"

/** Returns a reduce-only order that waits far from the market. */
const draft = (market: Market, path: string, side: Orders.Side): Body => {
  if (path === Paths.oco) return Orders.oco(market, side, { amount, reduceOnly: true })
  const at = (percent: number) => priceText(market, market.price * (1 + (side === "buy" ? percent : -percent) / 100))
  const terms = { market: market.name, side, amount, reduceOnly: true }
  return {
    ...terms,
    ...(path === Paths.triggerMarket ? {} : { price: at(path === Paths.collateralStopLimit ? 12 : -10) }),
    ...(path === Paths.collateralStopLimit || path === Paths.triggerMarket ? { activation_price: at(10) } : {})
  }
}

/** Closes an account's only position: with an order on this side, or with the call that closes positions. */
const close = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  market: Market,
  side: Orders.Side,
  how: "order" | "call"
) {
  if (how === "order") {
    yield* Trading.openPosition(world, account, side, amount)
    return
  }
  const { positions: [position = {}] } = yield* LiveCalls.openPositions(world, account)
  const price = priceText(market, market.price)
  const rest = { market: market.name, side: Orders.opposite(side), amount, price }
  yield* Trading.placeOther(world, yield* world.open(), rest, Paths.collateralLimit)
  const { positionId } = position
  const answer = yield* MarginPositions.closing(world, account, { market: market.name, positionId })
  yield* Verdict.expect(answer, "HTTP 200", answer.status === 200 && Refusals.isSuccess(answer))
})

/** Places a reduce-only order, closes its position, and expects that the order is canceled. */
const ends = Effect.fnUntraced(function*(world: World, { how, path, side }: ReturnType<typeof cases>[number]) {
  const account = yield* LiveOrders.customer(world)
  const market = yield* world.market
  yield* Trading.openPosition(world, account, Orders.opposite(side), amount)
  const fields = draft(market, path, side)
  yield* LiveOrders.submit(world, account, path, fields)
  const open = yield* LiveOrders.open(world, account)
  const count = path === Paths.oco ? 2 : 1
  const isReducing = open.records.every(({ reduceOnly, side: of }) => of === side && reduceOnly === true)
  yield* Verdict.expect(open.answer, `${count} reduce-only orders`, open.records.length === count && isReducing)
  yield* close(world, account, market, side, how)
  yield* LiveOrders.lists(yield* LiveOrders.open(world, account), "no open orders", "orderId", [])
  const history = yield* LiveOrders.ended(world, account)
  for (const { orderId } of open.records) {
    yield* LiveOrders.shows(
      history,
      "the reduce-only order",
      history.records.find((ended) => ended["orderId"] === orderId),
      { status: "AUTO_CANCELED_REDUCE_ONLY", side, dealStock: "0" }
    )
  }
})

const { forEach } = LiveCalls.section

export const rules: ReadonlyArray<Rule.Rule> = [
  forEach("reduce-only.ended", {
    statement:
      "Cancels every open reduce-only limit order when its position is closed, with status AUTO_CANCELED_REDUCE_ONLY",
    values: cases([Paths.collateralLimit, Paths.collateralBulk]),
    check: ends
  }),
  forEach("reduce-only.ended.waiting", {
    statement: "Cancels reduce-only stop and OCO orders when their position is closed, with AUTO_CANCELED_REDUCE_ONLY",
    level: "SHOULD",
    values: cases(waiting),
    check: ends
  })
]
