/**
 * Rules about the events of orders over a WebSocket after several steps: partial fills as taker and as maker,
 * modifications, activations and cancellations. The messages must agree with the HTTP calls.
 */
import * as Effect from "effect/Effect"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import * as MarginPositions from "../world/MarginPositions.ts"
import { above, perpetual, priceText } from "../world/Markets.ts"
import * as Oco from "../world/OcoOrders.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as StreamOrders from "../world/StreamOrders.ts"
import * as Streams from "../world/Streams.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, World } from "../world/World.ts"

const pending = Streams.documented("Orders pending")

const { changed, created, finished } = StreamOrders.events

// -----------------------------------------------------------------------------
// Events
// -----------------------------------------------------------------------------

/** Expects that an event shows an order as the calls for open orders and order history do. */
const isAsCalled = Effect.fnUntraced(function*(world: World, account: Account, order: Body) {
  const { records } = yield* LiveOrders.open(world, account)
  const found = records.find(({ orderId }) => orderId === order["orderId"]) ??
    (yield* LiveOrders.ended(world, account)).records.find(({ orderId }) => orderId === order["orderId"])
  yield* StreamOrders.shows("the order of the HTTP calls", order, StreamOrders.termsOf(found))
  yield* StreamOrders.isModifiedNow(world, order)
})

/** The amounts of a stop order that trade after its activation. */
const parts = ["0.004", "0.006"] as const

const eventRules: ReadonlyArray<Rule.Rule> = [
  pending.forEach("streams.orders.steps", {
    statement:
      "Shows in each event the sums of all fills so far, as taker and as maker, with the time of the change in mtime",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* LiveOrders.customer(world)
      const [market, other] = [yield* world.market, yield* world.open()]
      const listening = yield* StreamOrders.listen(world, account, market)
      const sign = side === "buy" ? 1 : -1
      const offer = (amount: string, percent: number) =>
        StreamOrders.placeAt(world, other, market, [Orders.opposite(side), amount, sign * percent])
      yield* offer("0.01", 1)
      yield* offer("0.01", 2)
      const order = yield* StreamOrders.placeAt(world, account, market, [side, "0.05", sign * 2], {
        clientOrderId: world.unique("steps")
      })
      // Whether the first fills have events of their own is not documented.
      const isFilled = ({ order: { dealStock } }: StreamOrders.Event) => Number(dealStock) === 0.02
      const first = yield* StreamOrders.latest(listening, order["orderId"], 1, isFilled)
      yield* isAsCalled(world, account, first.order)
      yield* world.advance(StreamOrders.pause)
      yield* offer("0.01", 2)
      const second = yield* StreamOrders.latest(listening, order["orderId"], first.count + 1)
      yield* Verdict.conclude("event 2 after another fill", second, second.event === changed)
      yield* isAsCalled(world, account, second.order)
      yield* world.advance(StreamOrders.pause)
      const change = { market: market.name, orderId: order["orderId"], price: above(market, sign) }
      const modified = yield* LiveOrders.place(world, account, Paths.modifyOrder, change)
      const old = yield* StreamOrders.latest(listening, order["orderId"], second.count + 1)
      yield* Verdict.conclude("event 3 with the modified order", old, old.event === finished)
      yield* StreamOrders.isModifiedNow(world, old.order)
      yield* StreamOrders.shows("the modified order, with its fills", old.order, {
        ...StreamOrders.termsOf(second.order),
        status: "CANCELED"
      })
      const replaced = yield* StreamOrders.latest(listening, modified.order["orderId"], 1)
      yield* Verdict.conclude("event 1 with the replacement", replaced, replaced.event === created)
      yield* isAsCalled(world, account, replaced.order)
      yield* world.advance(StreamOrders.pause)
      yield* Trading.placeOther(
        world,
        account,
        { market: market.name, orderId: modified.order["orderId"] },
        Paths
          .cancelOrder
      )
      const last = yield* StreamOrders.latest(listening, modified.order["orderId"], replaced.count + 1)
      yield* Verdict.conclude("event 3 with the canceled replacement", last, last.event === finished)
      yield* isAsCalled(world, account, last.order)
    })
  }),
  pending.forEach("streams.orders.activated.filled", {
    statement:
      "Pushes events 2 and 3 with an activated stop order's fills; its id and type stay, and its status changes with "
      + "the first fill",
    values: Orders.sides.flatMap((side) =>
      ([[Paths.stopLimit, 3], [Paths.collateralStopLimit, 9]] as const).map(([path, type]) => ({ side, path, type }))
    ),
    check: Effect.fnUntraced(function*(world, { path, side, type }) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* world.market
      const listening = yield* StreamOrders.listen(world, account, market)
      const trigger = Trading.triggerPrice(side, 1)
      const price = priceText(market, Trading.restingLimit(side, trigger))
      const fields = Orders.stopLimit(market, side, {
        amount: "0.01",
        price,
        activation_price: priceText(market, trigger)
      })
      const { order } = yield* Orders.place(world, account, path, fields)
      yield* Trading.tradeAt(world, market, priceText(market, trigger))
      yield* StreamOrders.latest(listening, order["orderId"], 2)
      for (const amount of parts) {
        const taker = { market: market.name, side: Orders.opposite(side), amount, price }
        yield* Trading.placeOther(world, yield* world.open(), taker, Paths.collateralLimit)
      }
      const shown = yield* StreamOrders.expectEvents(listening, order["orderId"], [
        created,
        created,
        changed,
        finished
      ])
      for (const [at, taken] of [[1, []], [2, parts.slice(0, 1)], [3, parts]] as const) {
        const fills = taken.map((amount) => ({ amount: Number(amount), price: Number(price) }))
        yield* StreamOrders.shows("the stop order", shown[at] ?? {}, {
          ...LiveOrders.ordered("stop limit", fields),
          ...LiveOrders.filled("0.01", fills),
          activated: 1
        })
      }
      const raw = Streams.pushed(listening).map((params) => Streams.objectOf(Streams.listOf(params)[1])["type"])
      yield* Verdict.conclude(`type ${type} in every event`, raw, raw.every((one) => one === type))
      yield* StreamOrders.isModifiedNow(world, shown.at(-1) ?? {})
    })
  })
]

/** Places an order that shows a flag, or a side in hedge mode. Returns its market, its owner and its terms. */
const flagged = {
  ioc: Effect.fnUntraced(function*(world: World) {
    const [account, market] = [yield* LiveOrders.customer(world), yield* world.market]
    yield* StreamOrders.placeAt(world, yield* world.open(), market, ["sell", "0.01", 1])
    return {
      account,
      market: market.name,
      path: Paths.limitOrder,
      fields: { amount: "0.03", ioc: true, price: above(market, 1) }
    }
  }),
  reduceOnly: Effect.fnUntraced(function*(world: World) {
    const account = yield* MarginPositions.withPosition(world, "sell")
    return {
      account,
      market: perpetual,
      path: Paths.collateralLimit,
      fields: { amount: "0.01", reduceOnly: true, price: "36000" }
    }
  }),
  positionSide: Effect.fnUntraced(function*(world: World) {
    const account = yield* Trading.openHedged(world)
    return {
      account,
      market: perpetual,
      path: Paths.collateralLimit,
      fields: { amount: "0.01", positionSide: "LONG", price: "36000" }
    }
  })
} as const

const termRules: ReadonlyArray<Rule.Rule> = [
  pending.forEach("streams.orders.flags", {
    statement: "Shows ioc, reduce_only and position_side of an order; event 3 ends an ioc order that is filled in part",
    values: ["ioc", "reduceOnly", "positionSide"] as const,
    check: Effect.fnUntraced(function*(world, flag) {
      const { account, fields, market, path } = yield* flagged[flag](world)
      const listening = yield* StreamOrders.listen(world, account, { name: market })
      const { order } = yield* LiveOrders.place(world, account, path, { ...fields, market, side: "buy" })
      const isLast = ({ event }: StreamOrders.Event) => event === (flag === "ioc" ? finished : created)
      const shown = yield* StreamOrders.latest(listening, order["orderId"], 1, isLast)
      yield* isAsCalled(world, account, shown.order)
      const asked: Body = fields
      yield* StreamOrders.shows("the order", shown.order, { [flag]: asked[flag] })
    })
  }),
  pending.always("streams.orders.legs.ended", {
    statement: "Pushes event 3 with both legs of a canceled OCO order",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* world.market
      const listening = yield* StreamOrders.listen(world, account, market)
      const pair = yield* Trading.placeOther(world, account, Orders.oco(market, "buy"), Paths.oco)
      const legs = [Oco.leg(pair, "stop_loss"), Oco.leg(pair, "take_profit")]
      yield* world.advance(StreamOrders.pause)
      yield* Trading.placeOther(world, account, { market: market.name, orderId: pair["id"] }, Paths.cancelOco)
      for (const { orderId: id, price, timestamp } of legs) {
        const [, last = {}] = yield* StreamOrders.expectEvents(listening, id, [created, finished])
        const expected = { market: market.name, side: "buy", price, timestamp, dealStock: "0", status: "CANCELED" }
        yield* StreamOrders.shows("the canceled leg", last, expected)
        yield* StreamOrders.isModifiedNow(world, last)
      }
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...eventRules, ...termRules]
