/** Orders that trade with each other in a sandbox, and checks of the result. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Verdict from "../Verdict.ts"
import * as Dialects from "./Dialects.ts"
import * as LiveCalls from "./LiveCalls.ts"
import { basePrice, perpetual, priceText } from "./Markets.ts"
import * as Orders from "./Orders.ts"
import * as Paths from "./Paths.ts"
import * as Refusals from "./Refusals.ts"
import type { Account, Body, Market, World } from "./World.ts"

/** Moves a market's price. */
export const movePrice = (world: World, market: Market, price: number) =>
  world.control("MovePrice", { market: market.name, price: priceText(market, price) })

/** Returns the price that is `percent` % away from the base price: above it for a buy, below it for a sell. */
export const triggerPrice = (side: Orders.Side, percent: number): number =>
  basePrice * (1 + (side === "buy" ? percent : -percent) / 100)

/**
 * Returns a limit price at which a stop order rests after its activation, because the market's price does not reach it
 * on the way to the trigger.
 */
export const restingLimit = (side: Orders.Side, trigger: number): number =>
  side === "buy" ? trigger * 0.6 : trigger * 1.5

/** Places a stop-limit order with this trigger. */
export const placeStop = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  side: Orders.Side,
  trigger: number,
  limit = trigger
) {
  const market = yield* world.market
  const { order } = yield* Orders.place(
    world,
    account,
    Paths.stopLimit,
    Orders.stopLimit(market, side, {
      amount: "0.01",
      price: priceText(market, limit),
      activation_price: priceText(market, trigger)
    })
  )
  return { market, order, id: order[Dialects.keys(world.dialect).orderId] }
})

/** Places an order through a call that only the live exchange describes. Skips the value if the target refuses it. */
export const placeOther = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  fields: Body,
  path = Paths.limitOrder
) {
  const answer = yield* world.call(account, path, fields)
  if (!Refusals.isSuccess(answer)) return yield* Verdict.skip(`needs ${path}: ${Verdict.describe(answer)}`)
  return yield* Orders.objectOf(answer)
})

/** Expects that an order, open or closed, has this status. */
export const hasStatus = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  order: Body,
  expected: keyof ReturnType<typeof Dialects.statuses>
) {
  const word = Dialects.statuses(world.dialect)[expected]
  const { status } = yield* Orders.find(world, account, order[Dialects.keys(world.dialect).orderId])
  yield* Verdict.conclude(`status ${word}`, `status ${String(status)}`, status === word)
})

/**
 * Makes one account offer an amount at the market price, by default for sale. The returned `taker` is another account,
 * which has no trades and can take the amount.
 */
export const offer = Effect.fnUntraced(function*(world: World, amount: string, side: Orders.Side = "sell") {
  const [maker, taker] = [yield* world.trader, yield* world.open({ b2b: false })]
  const market = yield* world.market
  const price = priceText(market, market.price)
  const made = yield* placeOther(world, maker, { market: market.name, side, amount, price })
  return { maker, taker, market, price, made }
})

/** Makes two new accounts trade 0.01 with each other at this price. */
export const tradeAt = Effect.fnUntraced(function*(world: World, market: Market, price: string) {
  const [maker, taker] = [yield* world.open(), yield* world.open()]
  const fields = { market: market.name, amount: "0.01", price }
  yield* placeOther(world, maker, { ...fields, side: "sell" })
  yield* placeOther(world, taker, { ...fields, side: "buy" })
})

/** Makes one account sell 0.02, and another buy `amount` of it, or the other way round. */
export const take = Effect.fnUntraced(function*(world: World, amount: string, side: Orders.Side = "buy") {
  const offered = yield* offer(world, "0.02", Orders.opposite(side))
  const { market, price, taker } = offered
  const took = yield* placeOther(world, taker, { market: market.name, price, side, amount })
  return { ...offered, took }
})

/** The maximum number of orders in one bulk call. */
const mostInBulk = 20

/** The amount that {@link ladder} offers at each price. */
const rung = 0.001

/**
 * Makes an account offer a small amount at each of `count` prices just above the market's price, or bid just below it.
 * Returns the prices, best first.
 */
export const ladder = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  market: Market,
  count: number,
  side: Orders.Side = "sell"
) {
  const away = side === "sell" ? 1 : -1
  const prices = Array.from(
    { length: count },
    (_, index) => priceText(market, market.price * (1 + 0.0001 * away) + index * market.tick * away)
  )
  for (let first = 0; first < count; first += mostInBulk) {
    const orders = prices.slice(first, first + mostInBulk).map((price) => ({
      market: market.name,
      side,
      amount: String(rung),
      price
    }))
    const answer = yield* world.call(account, Paths.bulk, { orders })
    const items = Array.isArray(answer.json) ? answer.json.filter(Json.isObject) : []
    if (items.filter(({ result }) => Json.isObject(result)).length < orders.length) {
      return yield* Verdict.skip(`needs ${Paths.bulk}: ${Verdict.describe(answer)}`)
    }
  }
  return prices
})

/** Makes `count` trades at different prices with one order, which takes everything that another account offers. */
export const sweep = Effect.fnUntraced(function*(world: World, market: Market, count: number) {
  const prices = yield* ladder(world, yield* world.open(), market, count)
  const order = { market: market.name, side: "buy", amount: (count * rung).toFixed(3), price: prices.at(-1) }
  yield* placeOther(world, yield* world.open(), order)
  return prices
})

/** Makes an account trade with a new account on a margin or futures market. Returns the first account's order. */
export const onMargin = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  order: { readonly market: string; readonly side: Orders.Side; readonly amount: string; readonly price: string },
  more: Body = {}
) {
  const other = { ...order, side: Orders.opposite(order.side) }
  yield* placeOther(world, yield* world.open(), other, Paths.collateralLimit)
  return yield* placeOther(world, account, { ...order, ...more }, Paths.collateralLimit)
})

/** Opens an account in hedge mode, and moves the price of the futures market to the base price. */
export const openHedged = Effect.fnUntraced(function*(world: World) {
  const account = yield* world.open()
  yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
  const answer = yield* LiveCalls.call(world, account, Paths.updateHedgeMode, { hedgeMode: true })
  yield* Verdict.expect(answer, "HTTP 200", answer.status === 200 && Refusals.isSuccess(answer))
  return account
})

/** Gives an account a position of `amount` BTC by trading with another account. */
export const openPosition = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  side: Orders.Side,
  amount: string
) {
  const market = yield* world.market
  const counterparty = yield* world.open()
  const order = { market: market.name, amount, price: priceText(market, market.price) }
  const maker = yield* world.call(counterparty, Paths.collateralLimit, { ...order, side: Orders.opposite(side) })
  const taker = yield* world.call(account, Paths.collateralLimit, { ...order, side })
  if (!Refusals.isSuccess(maker) || !Refusals.isSuccess(taker)) {
    return yield* Verdict.skip(`needs ${Paths.collateralLimit} to open a position`)
  }
  return market
})
