/** A sandbox's account with records of every kind, for rules about lists. */
import * as Effect from "effect/Effect"
import * as LiveOrders from "./LiveOrders.ts"
import { perpetual, priceText } from "./Markets.ts"
import * as Orders from "./Orders.ts"
import * as Paths from "./Paths.ts"
import * as Trading from "./Trading.ts"
import type { Body, World } from "./World.ts"

/**
 * Returns an account with three open orders, three canceled ones, and three fills, each of a separate order. One record
 * of each list is on a futures market. After the first record of each list, `hours` hours pass.
 */
export const populated = Effect.fnUntraced(function*(world: World, hours = 0) {
  const account = yield* LiveOrders.customer(world)
  const other = yield* world.open()
  const { name, ...market } = yield* world.market
  const at = (percent: number) => priceText(market, market.price * (1 + percent / 100))
  const place = (market: string, fields: Body, caller = account) =>
    LiveOrders.place(world, caller, Paths.collateralLimit, {
      market,
      side: "buy",
      amount: "0.01",
      clientOrderId: world.unique("record"),
      ...fields
    })
  const ids: { open: Array<unknown>; canceled: Array<unknown>; filled: Array<unknown> } = {
    open: [],
    canceled: [],
    filled: []
  }
  let between = 0
  for (const [index, market] of [name, name, perpetual].entries()) {
    const { order: open } = yield* place(market, { price: at(-20 - index) })
    const { order: canceled } = yield* place(market, { price: at(-30 - index) })
    yield* Trading.placeOther(world, account, { market, orderId: canceled["orderId"] }, Paths.cancelOrder)
    yield* place(market, { side: "sell", price: at(index) }, other)
    const { order: filled } = yield* place(market, { price: at(index) })
    ids.open.push(open["orderId"])
    ids.canceled.push(canceled["orderId"])
    ids.filled.push(filled["orderId"])
    if (index === 0 && hours > 0) {
      between = Math.floor((yield* world.now) / 1000) + hours * 1800
      yield* world.advance(hours * 3_600_000)
    }
  }
  return { account, other, market: name, ids, between }
})

/**
 * Returns a {@link populated} account that also has more spot orders, stop, OCO and conditional orders, and a kill
 * switch.
 */
export const stocked = Effect.fnUntraced(function*(world: World) {
  const { account, other, ...rest } = yield* populated(world, 1)
  const market = yield* world.market
  const { name } = market
  const terms = { market: name, amount: "0.01" }
  const at = (factor: number) => priceText(market, market.price * factor)
  const place = (path: string, fields: Body) => Trading.placeOther(world, account, { ...terms, ...fields }, path)
  yield* place(Paths.limitOrder, { side: "buy", price: at(0.8) })
  yield* place(Paths.limitOrder, { side: "sell", price: at(1.3), amount: "0.02" })
  yield* place(Paths.stopLimit, { side: "buy", price: at(1.4), activation_price: at(1.3) })
  yield* place(Paths.limitOrder, { side: "sell", price: at(1.01), amount: "0.03" })
  yield* Trading.placeOther(world, other, { ...terms, side: "buy", price: at(1.01) })
  for (const side of Orders.sides) yield* place(Paths.oco, Orders.oco(market, side))
  const elsewhere = Orders.asPerpetual(market)
  // A rule may have moved this price beyond the legs' prices.
  yield* Trading.movePrice(world, elsewhere, elsewhere.price)
  yield* place(Paths.oco, Orders.oco(elsewhere, "buy", { amount: "0.01" }))
  yield* place(Paths.collateralLimit, { side: "buy", price: at(0.7), takeProfit: at(1.1), stopLoss: at(0.6) })
  yield* world.call(account, Paths.killSwitch, { market: name, timeout: "600" })
  return { ...rest, account }
})
