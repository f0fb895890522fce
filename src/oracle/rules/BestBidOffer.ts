/**
 * Rules about the effect of `bboRole` once a stop-limit order is triggered (document, Endpoints §3). The document names
 * the two methods; their effect is this project's stance.
 */
import * as Effect from "effect/Effect"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Dialects from "../world/Dialects.ts"
import { priceText } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Trading from "../world/Trading.ts"
import type { World } from "../world/World.ts"

const clause = "Endpoints §3"

/**
 * Triggers a stop order of 0.02 with this `bboRole` and a limit far beyond the market. Before that, another account
 * places an order of 0.01 on the stop order's side, and two orders of 0.01 on the other side at different prices.
 */
const trigger = Effect.fnUntraced(function*(world: World, side: Orders.Side, bboRole: 1 | 2) {
  const [account, other] = [yield* world.trader, yield* world.open()]
  const market = yield* world.market
  const opposite = Orders.opposite(side)
  const priceAt = (percent: number) => priceText(market, Trading.triggerPrice(side, percent))
  const offer = (side: Orders.Side, percent: number) =>
    Trading.placeOther(world, other, { market: market.name, side, amount: "0.01", price: priceAt(percent) })
  // If a call of an earlier attempt got no response, the price may still meet the trigger.
  yield* Trading.movePrice(world, market, market.price)
  const { order } = yield* Orders.place(
    world,
    account,
    Paths.stopLimit,
    Orders.stopLimit(market, side, { amount: "0.02", activation_price: priceAt(5), price: priceAt(40), bboRole })
  )
  yield* offer(side, 4)
  yield* offer(opposite, 6)
  yield* offer(opposite, 7)
  yield* Trading.movePrice(world, market, Trading.triggerPrice(side, 5))
  const { dealMoney, dealStock, orderId } = Dialects.keys(world.dialect)
  const filled = Effect.map(
    Orders.find(world, account, order[orderId]),
    (found) => [Number(found[dealStock]), Number(found[dealMoney])] as const
  )
  return { filled, market, opposite, other, priceAt }
})

/** Expects that an order has filled `amount` at this price. */
const isFilled = ([stock, money]: readonly [number, number], amount: number, price: string) =>
  Verdict.conclude(
    `${amount} filled at ${price}`,
    `${stock} filled for ${money}`,
    Math.abs(stock - amount) < 1e-9 && Math.abs(money - amount * Number(price)) < 1e-6
  )

export const rules: ReadonlyArray<Rule.Rule> = [
  Rule.forEach({
    id: "stop-limit.bbo.queue",
    statement: "Leaves a triggered order with bboRole 1 resting at the best price of its own side",
    clause,
    level: "SHOULD",
    live: Rule.documented("it is placed at the best price of its own side"),
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const { filled, market, opposite, other, priceAt } = yield* trigger(world, side, 1)
      yield* isFilled(yield* filled, 0, priceAt(4))
      // Fills the order of 0.01 that rested first, and half of the triggered order of 0.02.
      const taker = { market: market.name, side: opposite, amount: "0.02", price: priceAt(4) }
      yield* Trading.placeOther(world, other, taker)
      yield* isFilled(yield* filled, 0.01, priceAt(4))
    })
  }),
  Rule.forEach({
    id: "stop-limit.bbo.counterparty",
    statement: "Fills a triggered order with bboRole 2 at the best price of the other side, and at no worse price",
    clause,
    level: "SHOULD",
    live: Rule.documented("it is placed at the best price of the other side"),
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const { filled, priceAt } = yield* trigger(world, side, 2)
      yield* isFilled(yield* filled, 0.01, priceAt(6))
    })
  })
]
