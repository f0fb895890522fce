/**
 * Rules about order statuses (document, "Order status"). The document shows no call that lists orders, so these rules
 * use the live exchange's lists.
 */
import * as Effect from "effect/Effect"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Dialects from "../world/Dialects.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { priceText } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Section from "../world/Section.ts"
import * as Trading from "../world/Trading.ts"

const section = Section.of({ clause: "Order status" })

const live = Rule.other("OPEN and PARTIALLY_FILLED; a canceled order does not show whether it was partially filled")

export const rules: ReadonlyArray<Rule.Rule> = [
  section.forEach("status.new", {
    statement: "Shows NEW for an order that is accepted and not yet matched",
    live,
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* world.trader
      const { order } = yield* Trading.placeStop(world, account, side, Trading.triggerPrice(side, 50))
      yield* Trading.hasStatus(world, account, order, "NEW")
    })
  }),
  section.forEach("status.filled", {
    statement: "Shows FILLED for a fully executed order, to maker and taker",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const { made, maker, taker, took } = yield* Trading.take(world, "0.02", side)
      yield* Trading.hasStatus(world, maker, made, "FILLED")
      yield* Trading.hasStatus(world, taker, took, "FILLED")
      const { dealStock, orderId } = Dialects.keys(world.dialect)
      for (const [account, { [orderId]: id }] of [[maker, made], [taker, took]] as const) {
        // The document shows no list of orders, so a list may lack `left`.
        const { [dealStock]: filled, left = "0" } = yield* Orders.find(world, account, id)
        yield* Verdict.conclude("0.02 filled, 0 left", { filled, left }, Number(filled) === 0.02 && Number(left) === 0)
      }
    })
  }),
  Rule.forEach({
    id: "status.filled.left",
    statement: "Shows \"0\" as left for a filled order, and the unfilled amount for a resting order",
    clause: "Stop-limit order (response)",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const { made, maker, took } = yield* Trading.take(world, "0.005", side)
      yield* Verdict.conclude("left \"0\"", { left: took["left"] }, took["left"] === "0")
      const { dealStock, orderId } = Dialects.keys(world.dialect)
      const rests = yield* Orders.find(world, maker, made[orderId])
      yield* Verdict.conclude(
        "left 0.015 of 0.02 and 0.005 filled",
        { left: rests["left"], [dealStock]: rests[dealStock] },
        Number(rests["left"]) === 0.015 && Number(rests[dealStock]) === 0.005
      )
    })
  }),
  section.forEach("status.canceled", {
    statement: "Shows CANCELED for an order canceled before any execution",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* world.trader
      const { order } = yield* Trading.placeStop(world, account, side, Trading.triggerPrice(side, 50))
      yield* world.call(account, Paths.cancelAll)
      yield* Trading.hasStatus(world, account, order, "CANCELED")
    })
  }),
  section.forEach("status.partial-filled", {
    statement: "Shows PARTIAL_FILLED for a partially executed order with an active remainder",
    live,
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const { made, maker } = yield* Trading.take(world, "0.005", side)
      yield* Trading.hasStatus(world, maker, made, "PARTIAL_FILLED")
      const open = yield* Orders.list(world, maker, Paths.activeOrders)
      const id = String(made[Dialects.keys(world.dialect).orderId])
      yield* Verdict.conclude("still open", [...open.keys()], open.has(id))
    })
  }),
  section.forEach("status.partial-canceled", {
    statement: "Shows PARTIAL_CANCELED for a partially filled order with a canceled remainder",
    live,
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const { made, maker } = yield* Trading.take(world, "0.005", side)
      yield* world.call(maker, Paths.cancelAll)
      yield* Trading.hasStatus(world, maker, made, "PARTIAL_CANCELED")
    })
  }),
  section.always("status.taker-band", {
    statement: "Shows CANCELED_TAKER_BAND for an order filled up to the taker band, with a canceled remainder",
    level: "SHOULD",
    live: Rule.documented("CANCELED_TAKER_BAND, when a market order would execute beyond the taker band"),
    check: Effect.fnUntraced(function*(world) {
      const [maker, taker] = [yield* world.trader, yield* LiveOrders.customer(world)]
      const market = yield* world.market
      const near = {
        market: market.name,
        side: "sell",
        amount: "0.01",
        price: priceText(market, market.price)
      }
      yield* Trading.placeOther(world, maker, near)
      yield* Trading.placeOther(world, maker, { ...near, price: priceText(market, market.price * 3) })
      // The quote amount covers the near order and part of the far one.
      const money = priceText(market, market.price * 0.03)
      const swept = yield* Trading.placeOther(
        world,
        taker,
        { market: market.name, side: "buy", amount: money },
        Paths.marketOrder
      )
      const { dealStock } = Dialects.keys(world.dialect)
      yield* Verdict.conclude(
        "0.01 filled, also in the response to the order",
        { [dealStock]: swept[dealStock], left: swept["left"], status: swept["status"] },
        Number(swept[dealStock]) === 0.01 && Number(swept["left"]) > 0 && swept["status"] !== "FILLED"
      )
      yield* Trading.hasStatus(world, taker, swept, "CANCELED_TAKER_BAND")
    })
  }),
  section.forEach("status.auto-canceled-reduce-only", {
    statement: "Shows AUTO_CANCELED_REDUCE_ONLY for a pending reduce-only order whose position was closed",
    level: "SHOULD",
    live: Rule.documented("AUTO_CANCELED_REDUCE_ONLY, when the position closes"),
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* world.trader
      const opposite = Orders.opposite(side)
      const market = yield* Trading.openPosition(world, account, side, "0.01")
      const price = priceText(market, market.price * (opposite === "sell" ? 1.5 : 0.6))
      const pending = yield* Trading.placeOther(
        world,
        account,
        { market: market.name, side: opposite, amount: "0.01", price, reduceOnly: true },
        Paths.collateralLimit
      )
      yield* Trading.openPosition(world, account, opposite, "0.01")
      yield* Trading.hasStatus(world, account, pending, "AUTO_CANCELED_REDUCE_ONLY")
    })
  })
]
