/**
 * Rules about the queue at a price for every kind of order that can rest or take. According to the live exchange's
 * documentation, the engine prefers no order type, no product and no kind of request. Only that documentation describes
 * these calls.
 */
import * as Effect from "effect/Effect"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Books from "../world/Books.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { priceText } from "../world/Markets.ts"
import * as Oco from "../world/OcoOrders.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, World } from "../world/World.ts"

const { forEach } = LiveCalls.section

/** The account, the market and the terms with which a rule places orders of several kinds. */
interface Setting {
  readonly world: World
  readonly account: Account
  /** The taker's side. Resting orders are on the opposite side. */
  readonly side: Orders.Side
  readonly amount: string
  /** Returns the price `percent` % away from the market's: worse for a taker if `percent` is above zero. */
  readonly at: (percent: number) => string
  /** The name of the market. */
  readonly market: string
}

const settingOf = Effect.fnUntraced(function*(world: World, side: Orders.Side, amount: string) {
  const on = yield* world.market
  const at = (percent: number) => priceText(on, on.price * (1 + (side === "buy" ? percent : -percent) / 100))
  const account = yield* LiveOrders.customer(world)
  const setting: Setting = { world, account, side, amount, at, market: on.name }
  return { on, setting }
})

/** Places an order, and returns its id. */
const placed = Effect.fnUntraced(function*(
  { account, market, world }: Setting,
  path: string,
  fields: Body
): Effect.fn.Return<unknown, Verdict.CheckError> {
  const { order } = yield* LiveOrders.place(world, account, path, { market, ...fields })
  return order["orderId"]
})

/** Places a stop order that waits for the price `percent` % away, and makes the market trade at that price. */
const triggered = Effect.fnUntraced(function*(setting: Setting, path: string, percent: number, fields: Body) {
  const id = yield* placed(setting, path, { amount: setting.amount, activation_price: setting.at(percent), ...fields })
  yield* Trading.tradeAt(setting.world, yield* setting.world.market, setting.at(percent))
  return id
})

/** Places an OCO order, and returns the id of one of its legs. */
const leg = Effect.fnUntraced(function*(
  { account, amount, at, market, side, world }: Setting,
  which: "stop_loss" | "take_profit",
  takeProfit: number,
  stop: readonly [trigger: number, limit: number]
) {
  const pair = yield* Trading.placeOther(world, account, {
    market,
    side: Orders.opposite(side),
    amount,
    price: at(takeProfit),
    activation_price: at(stop[0]),
    stop_limit_price: at(stop[1])
  }, Paths.oco)
  return Oco.leg(pair, which)["orderId"]
})

type Place = (setting: Setting) => Effect.Effect<unknown, Verdict.CheckError>

/** Returns the fields of a limit order that rests at a price. */
const resting = ({ amount, at, side }: Setting, percent = 1): Body => ({
  side: Orders.opposite(side),
  amount,
  price: at(percent)
})

/** The kinds of orders that can rest 1 % away from the market's price. */
const makers: Readonly<Record<string, { readonly path: string; readonly place: Place }>> = {
  bulk: { path: Paths.limitOrder, place: (setting) => placed(setting, Paths.bulk, resting(setting)) },
  "post-only": {
    path: Paths.limitOrder,
    place: (setting) => placed(setting, Paths.limitOrder, { ...resting(setting), postOnly: true })
  },
  changed: {
    path: Paths.limitOrder,
    place: Effect.fnUntraced(function*(setting: Setting) {
      const orderId = yield* placed(setting, Paths.limitOrder, resting(setting, 3))
      return yield* placed(setting, Paths.modifyOrder, { orderId, price: setting.at(1) })
    })
  },
  "stop-limit": {
    path: Paths.limitOrder,
    place: (setting) => triggered(setting, Paths.stopLimit, -0.25, resting(setting))
  },
  "collateral stop-limit": {
    path: Paths.collateralLimit,
    place: (setting) => triggered(setting, Paths.collateralStopLimit, -0.25, resting(setting))
  },
  "take-profit": { path: Paths.collateralLimit, place: (setting) => leg(setting, "take_profit", 1, [-4, -5]) },
  "stop-loss": {
    path: Paths.collateralLimit,
    place: Effect.fnUntraced(function*(setting: Setting) {
      const id = yield* leg(setting, "stop_loss", 6, [-0.25, 1])
      yield* Trading.tradeAt(setting.world, yield* setting.world.market, setting.at(-0.25))
      return id
    })
  }
}

/** Returns the fields of a limit order that takes up to a price. */
const taking = ({ amount, at, side }: Setting): Body => ({ side, amount, price: at(3) })

/** Returns the fields of a market order in the quote currency if it buys, and in the base currency if it sells. */
const inMoney = ({ amount, at, side }: Setting): Body => ({
  side,
  amount: side === "buy" ? (Number(amount) * Number(at(1))).toFixed(2) : amount
})

/** The kinds of orders that can take an amount. */
const takers: Readonly<Record<string, Place>> = {
  market: (setting) => placed(setting, Paths.marketOrder, inMoney(setting)),
  "stock market": ({ amount, side, ...setting }) =>
    placed({ ...setting, amount, side }, Paths.stockMarketOrder, { side, amount }),
  "collateral market": ({ amount, side, ...setting }) =>
    placed({ ...setting, amount, side }, Paths.collateralMarketOrder, { side, amount }),
  ioc: (setting) => placed(setting, Paths.limitOrder, { ...taking(setting), ioc: true }),
  bulk: (setting) => placed(setting, Paths.bulk, taking(setting)),
  changed: Effect.fnUntraced(function*(setting: Setting) {
    const orderId = yield* placed(setting, Paths.limitOrder, { ...taking(setting), price: setting.at(-1) })
    return yield* placed(setting, Paths.modifyOrder, { orderId, price: setting.at(3) })
  }),
  "stop-limit": (setting) => triggered(setting, Paths.stopLimit, 0.5, taking(setting)),
  "stop-market": (setting) => triggered(setting, Paths.stopMarket, 0.5, inMoney(setting)),
  "collateral stop-limit": (setting) => triggered(setting, Paths.collateralStopLimit, 0.5, taking(setting)),
  "collateral stop-market": (setting) => triggered(setting, Paths.triggerMarket, 0.5, { side: setting.side }),
  "stop-loss": Effect.fnUntraced(function*(setting: Setting) {
    const id = yield* leg({ ...setting, side: Orders.opposite(setting.side) }, "stop_loss", -6, [0.5, 3])
    yield* Trading.tradeAt(setting.world, yield* setting.world.market, setting.at(0.5))
    return id
  })
}

/** Whether an order of a kind is on the collateral balance. */
const isCollateral = (kind: string): boolean => kind.startsWith("collateral") || kind === "stop-loss"

/** Returns the side of the taker in a rule's value. `matching.priority` checks both sides. */
const sideOf = (index: number): Orders.Side => index % 2 === 0 ? "buy" : "sell"

/** An order, with the account that owns it. */
interface Owned {
  readonly account: Account
  readonly id: unknown
}

/** Makes a new account offer an amount to takers. */
const offer = Effect.fnUntraced(function*(
  { at, market, side, world }: Setting,
  path: string,
  percent: number,
  amount: string
): Effect.fn.Return<Owned, Verdict.CheckError> {
  const account = yield* world.open()
  const fields = { market, side: Orders.opposite(side), amount, price: at(percent) }
  const order = yield* Trading.placeOther(world, account, fields, path)
  return { account, id: order["orderId"] }
})

/** Expects that exactly these amounts of the orders have traded. */
const haveTraded = Effect.fnUntraced(function*(
  world: World,
  orders: ReadonlyArray<Owned>,
  expected: ReadonlyArray<number>
) {
  const traded = yield* Effect.forEach(
    orders,
    ({ account, id }) => Effect.map(Orders.find(world, account, id), ({ dealStock }) => Number(dealStock))
  )
  yield* Verdict.conclude(
    `fills of ${expected.join(", ")}`,
    traded,
    traded.every((amount, index) => Books.isClose(amount, expected[index] ?? 0))
  )
})

export const rules: ReadonlyArray<Rule.Rule> = [
  forEach("matching.kinds", {
    statement: "Queues every kind of order at its price behind the earlier and before the later orders, and fills it "
      + "there as the maker",
    values: Object.entries(makers).map(([kind, maker], index) => ({ kind, side: sideOf(index), ...maker })),
    check: Effect.fnUntraced(function*(world, { path, place, side }) {
      const { setting } = yield* settingOf(world, side, "0.02")
      const { account, at, market } = setting
      const earlier = yield* offer(setting, path, 1, "0.01")
      const middle = { account, id: yield* place(setting) }
      const later = yield* offer(setting, path, 1, "0.03")
      const orders = [earlier, middle, later]
      const take = Effect.fnUntraced(function*(amount: string) {
        yield* LiveOrders.takeAt(world, { market, side, amount, price: at(2) }, path)
      })
      yield* take("0.005")
      yield* haveTraded(world, orders, [0.005, 0, 0])
      yield* take("0.012")
      yield* haveTraded(world, orders, [0.01, 0.007, 0])
      yield* take("0.02")
      yield* haveTraded(world, orders, [0.01, 0.02, 0.007])
      const fills = yield* LiveOrders.executed(world, account)
      const fill = { side: Orders.opposite(side), price: at(1), role: 1 }
      yield* LiveOrders.lists(fills, "its fills as maker", "amount", [
        { ...fill, amount: "0.007" },
        { ...fill, amount: "0.013" }
      ])
    })
  }),
  forEach("matching.takers", {
    statement: "Matches every kind of incoming or triggered order with the best price first, and at one price with the "
      + "earliest order first, as the taker",
    values: Object.entries(takers).map(([kind, take], index) => ({ kind, side: sideOf(index), take })),
    check: Effect.fnUntraced(function*(world, { kind, side, take }) {
      const { setting } = yield* settingOf(world, side, "0.025")
      const path = isCollateral(kind) ? Paths.collateralLimit : Paths.limitOrder
      const orders = [
        yield* offer(setting, path, 2, "0.02"),
        yield* offer(setting, path, 1, "0.01"),
        yield* offer(setting, path, 1, "0.03"),
        yield* offer(setting, path, 1.5, "0.02")
      ]
      yield* take(setting)
      yield* haveTraded(world, orders, [0, 0.01, 0.015, 0])
      const fills = yield* LiveOrders.executed(world, setting.account)
      const fill = { side, price: setting.at(1), role: 2 }
      yield* LiveOrders.lists(fills, "its fills as taker", "amount", [
        { ...fill, amount: "0.01" },
        { ...fill, amount: "0.015" }
      ])
    })
  }),
  forEach("matching.products", {
    statement: "Queues the orders of a spot market and its margin orders in one book, by price and then by time",
    values: [Paths.limitOrder, Paths.collateralLimit],
    check: Effect.fnUntraced(function*(world, path) {
      const { setting } = yield* settingOf(world, path === Paths.limitOrder ? "buy" : "sell", "0.02")
      const { at, market, side } = setting
      const orders = [
        yield* offer(setting, Paths.collateralLimit, 1, "0.01"),
        yield* offer(setting, Paths.limitOrder, 1, "0.02"),
        yield* offer(setting, Paths.collateralLimit, 1, "0.03"),
        yield* offer(setting, Paths.limitOrder, 0.5, "0.011")
      ]
      const take = (amount: string) => LiveOrders.takeAt(world, { market, side, amount, price: at(2) }, path)
      yield* take("0.016")
      yield* haveTraded(world, orders, [0.005, 0, 0, 0.011])
      yield* take("0.03")
      yield* haveTraded(world, orders, [0.01, 0.02, 0.005, 0.011])
    })
  }),
  forEach("matching.stp.queue", {
    statement: "Applies stp only to the orders of its own account whose turn comes: earlier orders trade, and with co "
      + "later ones, too",
    values: (["cn", "co", "cb"] as const).map((stp, index) => ({ stp, side: sideOf(index) })),
    check: Effect.fnUntraced(function*(world, { side, stp }) {
      const { setting } = yield* settingOf(world, side, "0.02")
      const { account, at } = setting
      const own = yield* placed(setting, Paths.limitOrder, resting(setting, 1.5))
      const orders = [
        yield* offer(setting, Paths.limitOrder, 1, "0.015"),
        { account, id: own },
        yield* offer(setting, Paths.limitOrder, 1.5, "0.03")
      ]
      const take = (amount: string) => placed(setting, Paths.limitOrder, { side, amount, price: at(2), stp })
      yield* take("0.01")
      yield* haveTraded(world, orders, [0.01, 0, 0])
      const open = yield* LiveOrders.open(world, account)
      yield* LiveOrders.lists(open, "the order whose turn has not come", "orderId", [{ orderId: own }])
      if (stp !== "co") return
      yield* take("0.025")
      yield* haveTraded(world, orders, [0.015, 0, 0.02])
      yield* LiveOrders.lists(yield* LiveOrders.open(world, account), "no open orders", "orderId", [])
    })
  })
]
