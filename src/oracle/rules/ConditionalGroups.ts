/** Rules about several conditional orders of one account, which only the live exchange's documentation describes. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Comparison from "../world/Comparison.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { above } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as RecordLists from "../world/RecordLists.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, Market, World } from "../world/World.ts"

/** Returns orders with exits, all far from the market: one on each side, and one on the futures market. */
const drafts = (market: Market): ReadonlyArray<Body> => {
  const buy = { side: "buy", amount: "0.02", price: above(market, -30) }
  const ofBuy = { takeProfit: above(market, 10), stopLoss: above(market, -40) }
  const sell = { side: "sell", amount: "0.01", price: above(market, 30) }
  return [
    { market: market.name, ...buy, ...ofBuy },
    { market: market.name, ...sell, takeProfit: above(market, -10), stopLoss: above(market, 40) },
    {
      market: Orders.asPerpetual(market).name,
      ...buy,
      price: above(Orders.asPerpetual(market), -30),
      takeProfit: above(Orders.asPerpetual(market), 10),
      stopLoss: above(Orders.asPerpetual(market), -40)
    }
  ]
}

const orderIdOf = ({ conditionalOrder }: Body): unknown =>
  Json.isObject(conditionalOrder) ? conditionalOrder["orderId"] : undefined

/** Places the drafts and an OCO order. Returns their conditional orders. */
const several = Effect.fnUntraced(function*(world: World) {
  const account = yield* LiveOrders.customer(world)
  const market = yield* world.market
  yield* Trading.movePrice(world, Orders.asPerpetual(market), market.price)
  const orders = drafts(market)
  const ids: Array<unknown> = []
  for (const order of orders) {
    const placed = yield* LiveOrders.place(world, account, Paths.collateralLimit, order)
    const { stopLoss, takeProfit } = order
    const oto = Json.isObject(placed.order["oto"]) ? placed.order["oto"] : {}
    yield* LiveOrders.shows(placed, "oto", oto, { stopLoss, takeProfit })
    ids.push(placed.order["orderId"])
  }
  const pair = yield* Trading.placeOther(world, account, Orders.oco(market, "sell"), Paths.oco)
  const all = yield* LiveOrders.conditional(world, account)
  yield* Verdict.expect(all.answer, "four records", all.records.length === 4 && all.json["total"] === 4)
  for (const [index, { market: name, side, stopLoss, takeProfit }] of orders.entries()) {
    const record = all.records.find((one) => orderIdOf(one) === ids[index])
    yield* LiveOrders.shows(all, "a conditional order", record, {
      type: "oto",
      stopLossPrice: stopLoss,
      takeProfitPrice: takeProfit
    })
    const order = record?.["conditionalOrder"]
    yield* LiveOrders.shows(all, "its order", Json.isObject(order) ? order : {}, { market: name, side })
  }
  const groups = ids.map((id) => all.records.find((one) => orderIdOf(one) === id)?.["id"])
  return { account, market, all, ids, groups, pair: pair["id"] }
})

/** Expects exactly these conditional orders, and this number of open orders. */
const left = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  expected: ReadonlyArray<unknown>,
  count: number
) {
  const { answer, json, records } = yield* LiveOrders.conditional(world, account)
  yield* Verdict.expect(
    answer,
    `exactly the conditional orders ${expected.join(", ")}`,
    records.length === expected.length && expected.every((id) => records.some((record) => record["id"] === id)) &&
      json["total"] === expected.length
  )
  const open = yield* LiveOrders.open(world, account)
  yield* Verdict.expect(open.answer, `${count} open orders`, open.records.length === count)
})

export const rules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.always("conditional.several", {
    statement:
      "Lists each order with exits as a conditional order, also in pages that show the total, and cancels only the "
      + "conditional order that a call names",
    check: Effect.fnUntraced(function*(world) {
      const { account, all, groups: [buy, sell, future], market, pair } = yield* several(world)
      for (const [limit, offset] of [[2, 1], [3, 2], [100, 3]] as const) {
        const page = yield* LiveOrders.conditional(world, account, { limit, offset })
        yield* Verdict.expect(
          page.answer,
          `at most ${limit} of four records after the first ${offset}, with a total of 4`,
          page.json["total"] === 4 && page.json["limit"] === limit && page.json["offset"] === offset &&
            RecordLists.sameText(page.records, all.records.slice(offset, offset + limit))
        )
      }
      const here = yield* LiveOrders.conditional(world, account, { market: market.name, limit: 1, offset: 1 })
      yield* Verdict.expect(
        here.answer,
        "one of three records, with a total of 3",
        here.records.length === 1 && here.json["total"] === 3 && here.records[0]?.["id"] !== future
      )
      const whole = yield* LiveOrders.conditional(world, account, { market: market.name })
      yield* Verdict.expect(
        whole.answer,
        "the records of the complete list, without that of the other market",
        whole.json["total"] === 3 &&
          Comparison.textOfSet(whole.records) === Comparison.textOfSet(all.records.filter(({ id }) => id !== future))
      )
      const name = { market: market.name }
      yield* LiveCalls.list(world, account, Paths.cancelOto, { ...name, otoId: sell })
      yield* left(world, account, [buy, future, pair], 4)
      yield* LiveCalls.list(world, account, Paths.cancelConditional, { ...name, id: pair })
      yield* left(world, account, [buy, future], 2)
      yield* LiveCalls.list(world, account, Paths.cancelConditional, {
        market: Orders.asPerpetual(market).name,
        id: future
      })
      yield* left(world, account, [buy], 1)
    })
  })
]
