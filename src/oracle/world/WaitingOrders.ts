/** Orders that wait far from the market, for every call that can place such an order. */
import * as Effect from "effect/Effect"
import type * as Rule from "../Rule.ts"
import * as LiveOrders from "./LiveOrders.ts"
import { digits, priceText } from "./Markets.ts"
import * as Orders from "./Orders.ts"
import * as Paths from "./Paths.ts"
import type { Body, Market, World } from "./World.ts"

/** A call that places an order far from the market, where the order waits. */
export interface Entry {
  readonly path: string
  /** The type that responses show. */
  readonly type: string
  readonly side: Orders.Side
  /** Whether the order has a limit price, an activation price or both. */
  readonly prices: "limit" | "stop" | "both"
  /** Fields with values that differ from their defaults. */
  readonly more?: Body
}

/** A limit order. */
export const limit = { type: "limit", prices: "limit" } as const
const stopLimit = { type: "stop limit", prices: "both" } as const
const stopMarket = { type: "stop market", prices: "stop" } as const

/** Each call, with the default and with a different value of each option. */
export const entries: ReadonlyArray<Entry> = [
  { ...limit, path: Paths.limitOrder, side: "buy" },
  { ...limit, path: Paths.limitOrder, side: "sell", more: { postOnly: true, stp: "cn" } },
  { ...limit, path: Paths.collateralLimit, side: "sell" },
  { ...limit, path: Paths.collateralLimit, side: "buy", more: { postOnly: true, stp: "co" } },
  { ...limit, path: Paths.collateralLimit, side: "sell", more: { reduceOnly: true } },
  { ...limit, path: Paths.bulk, side: "sell", more: { postOnly: true, stp: "cb" } },
  { ...limit, path: Paths.collateralBulk, side: "buy", more: { stp: "cn" } },
  { ...stopLimit, path: Paths.stopLimit, side: "sell", more: { stp: "cb" } },
  { ...stopLimit, path: Paths.collateralStopLimit, side: "buy", more: { stp: "co" } },
  { ...stopMarket, path: Paths.stopMarket, side: "sell", more: { stp: "cn" } },
  { ...stopMarket, path: Paths.triggerMarket, side: "buy", more: { stp: "cb" } }
]

/**
 * Returns the entries that the profile allows. Entries that reduce a position are left out for a real account, which
 * has no position to reduce.
 */
export const allowed = ({ profile }: Rule.Setting): ReadonlyArray<Entry> =>
  entries.filter(({ more }) => profile === "control" || more?.["reduceOnly"] === undefined)

/**
 * Returns the amount of each order in a sandbox, in the base currency. If the market's step allows, it is not a round
 * number, so that a target that rounds it is noticed.
 */
export const amountOn = ({ step, stockPrecision }: Market): string =>
  digits(Math.round(0.030_007 / step) * step, stockPrecision)

/**
 * Returns the fields of an order that waits far from the market price: a buy limit order below the price, a buy stop
 * order above it, and the reverse for sells.
 */
export const fieldsOf = (world: World, market: Market, { more, prices, side }: Entry): Body => {
  // On a real account, a step may be a large part of the price.
  const odd = world.profile === "control" ? 37 * market.tick : 0
  const at = (buy: number, sell: number) => priceText(market, market.price * (side === "buy" ? buy : sell) + odd)
  const limit = prices === "limit" ? at(0.5, 1.8) : at(1.85, 0.52)
  return {
    market: market.name,
    side,
    amount: world.profile === "control" ? amountOn(market) : Orders.amountFor(market, Number(limit)),
    ...(prices === "stop" ? {} : { price: limit }),
    ...(prices === "limit" ? {} : { activation_price: at(1.9, 0.5) }),
    ...(more === undefined ? {} : { ...more, clientOrderId: world.unique("Order.with-a_long-id") })
  }
}

/**
 * From another account, fills 0.01 of an order. `expected` is the order as responses must show it once it is canceled.
 */
export const partlyFilled = Effect.fnUntraced(function*(world: World, side: Orders.Side, path: string) {
  const account = yield* LiveOrders.customer(world)
  const market = yield* world.market
  const amount = amountOn(market)
  const price = priceText(market, market.price * (side === "buy" ? 0.99 : 1.01))
  const fields = { market: market.name, side, amount, price, clientOrderId: world.unique("partly"), stp: "co" }
  const { order } = yield* LiveOrders.place(world, account, path, fields)
  yield* LiveOrders.takeAt(world, { market: market.name, side: Orders.opposite(side), amount: "0.01", price }, path)
  const expected = {
    ...LiveOrders.ordered("limit", fields),
    ...LiveOrders.identity(order),
    ...LiveOrders.filled(amount, [{ amount: 0.01, price: Number(price) }], "CANCELED")
  }
  return { account, fields, order, expected }
})
