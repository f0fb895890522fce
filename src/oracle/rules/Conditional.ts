/**
 * Rules about conditional orders, and about margin orders with take-profit and stop-loss. Only the live exchange's
 * documentation describes these calls.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import type * as Target from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as Kinds from "../world/Kinds.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { perpetual, priceText } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, Market, World } from "../world/World.ts"

/**
 * Returns the take-profit and stop-loss prices of an order, far from the market. A buy's take-profit is above the
 * market.
 */
const exitOf = (market: Market, side: Orders.Side) => {
  const [above, below] = [priceText(market, market.price * 1.05), priceText(market, market.price * 0.95)]
  return side === "buy" ? { takeProfit: above, stopLoss: below } : { takeProfit: below, stopLoss: above }
}

/** Places a margin order that rests far from the market, with take-profit and stop-loss. */
const rest = Effect.fnUntraced(function*(world: World, account: Account, more: Body = {}) {
  const market = yield* world.market
  const price = Orders.lowPrice(market)
  const exit = { takeProfit: priceText(market, market.price), stopLoss: priceText(market, market.price * 0.4) }
  const fields = { market: market.name, side: "buy", amount: "0.01", price, ...exit, ...more }
  const { answer, json } = yield* LiveCalls.object(world, account, Paths.collateralLimit, fields)
  return { answer, order: json, exit, market, oto: Json.isObject(json["oto"]) ? json["oto"] : {} }
})

/** From another account, fills an order that has a take-profit and a stop-loss. */
const filled = Effect.fnUntraced(function*(world: World, side: Orders.Side) {
  const [account, other] = [yield* world.trader, yield* world.open()]
  const market = yield* world.market
  const order = { market: market.name, amount: "0.01", price: priceText(market, market.price) }
  yield* Trading.placeOther(world, other, { ...order, side: Orders.opposite(side) }, Paths.collateralLimit)
  const exit = exitOf(market, side)
  const { json } = yield* LiveCalls.object(world, account, Paths.collateralLimit, { ...order, side, ...exit })
  return { account, market, exit, entry: json }
})

/** Returns the activation prices of an account's open orders on this side. */
const triggers = Effect.fnUntraced(function*(world: World, account: Account, side: Orders.Side) {
  const open = yield* Orders.list(world, account, Paths.activeOrders)
  return [...open.values()].filter((order) => order["side"] === side).map((order) => Number(order["activation_price"]))
})

/** Expects that the order is not found: HTTP 400, code 2, and errors that name the field. */
const notFound = (answer: Target.Answer, key: string) =>
  Verdict.expect(
    answer,
    `HTTP 400, code 2, errors that name ${key}`,
    answer.status === 400 && Json.isObject(answer.json) && answer.json["code"] === 2 &&
      Refusals.namedFields(answer).includes(key)
  )

/** Cancels an order with this call, and expects that the same call then finds no order and that no order is open. */
const cancels = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  path: string,
  key: "id" | "otoId",
  id: unknown
) {
  const { name: market } = yield* world.market
  const before = yield* LiveOrders.conditional(world, account)
  yield* Verdict.expect(before.answer, "one conditional order", before.records.length === 1)
  const { answer, items } = yield* LiveCalls.list(world, account, path, { market, [key]: id })
  yield* Verdict.expect(answer, "an empty list", items.length === 0)
  const open = yield* Orders.list(world, account, Paths.activeOrders)
  yield* Verdict.conclude("no open orders", [...open.keys()], open.size === 0)
  const left = yield* LiveOrders.conditional(world, account)
  yield* Verdict.expect(left.answer, "no conditional orders", left.records.length === 0)
  yield* notFound(yield* LiveCalls.call(world, account, path, { market, [key]: id }), key)
})

const isSame = (text: unknown, expected: string): boolean => Number(text) === Number(expected)

export const rules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.always("oto.answer", {
    statement: "Shows an order's take-profit, stop-loss and group id in oto",
    level: "SHOULD",
    check: Effect.fnUntraced(function*(world) {
      const { answer, exit, order, oto } = yield* rest(world, yield* world.trader)
      yield* Verdict.expect(
        answer,
        `oto with takeProfit ${exit.takeProfit}, stopLoss ${exit.stopLoss} and an otoId other than the order id`,
        isSame(oto["takeProfit"], exit.takeProfit) && isSame(oto["stopLoss"], exit.stopLoss) &&
          Kinds.integer.holds(oto["otoId"]) && oto["otoId"] !== order["orderId"]
      )
    })
  }),
  LiveCalls.section.always("oto.listed", {
    statement: "Lists an unfilled order as a conditional order of type oto, with its prices and the order itself",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.trader
      const { exit, order, oto } = yield* rest(world, account)
      const { answer, records } = yield* LiveOrders.conditional(world, account)
      const [record = {}] = records
      const entry = record["conditionalOrder"]
      yield* Verdict.expect(
        answer,
        "one record: type oto, the group's id, both prices, and the order",
        records.length === 1 && record["type"] === "oto" && record["id"] === oto["otoId"] &&
          isSame(record["takeProfitPrice"], exit.takeProfit) && isSame(record["stopLossPrice"], exit.stopLoss) &&
          Json.isObject(entry) && entry["orderId"] === order["orderId"]
      )
      const open = yield* Orders.list(world, account, Paths.activeOrders)
      yield* Verdict.conclude("only that order open", open.size, open.size === 1)
    })
  }),
  LiveCalls.section.forEach("oto.filled", {
    statement: "Places waiting orders at both prices once the order is filled, and no longer lists the order",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const { account, exit } = yield* filled(world, side)
      const found = yield* triggers(world, account, Orders.opposite(side))
      const expected = [Number(exit.takeProfit), Number(exit.stopLoss)]
      yield* Verdict.conclude(
        `orders that wait for ${expected.join(" and ")}`,
        found,
        found.length === 2 && expected.every((price) => found.includes(price))
      )
      const { answer, records } = yield* LiveOrders.conditional(world, account)
      yield* Verdict.expect(answer, "no conditional order", records.length === 0)
    })
  }),
  LiveCalls.section.forEach("oto.exit", {
    statement: "Closes the position when the price reaches one leg, and cancels the other leg",
    values: Orders.sides.flatMap((side) => (["takeProfit", "stopLoss"] as const).map((leg) => ({ side, leg }))),
    check: Effect.fnUntraced(function*(world, { leg, side }) {
      const { account, exit, market } = yield* filled(world, side)
      yield* Trading.movePrice(world, market, Number(exit[leg]))
      const open = yield* Orders.list(world, account, Paths.activeOrders)
      yield* Verdict.conclude("no open orders", [...open.keys()], open.size === 0)
      const { answer, items } = yield* LiveCalls.list(world, account, Paths.openPositions, { market: market.name })
      yield* Verdict.expect(answer, "no positions", items.length === 0)
    })
  }),
  LiveCalls.section.always("oto.cancel", {
    statement:
      "Cancels an order by its group id with oto-cancel, returns an empty list, and refuses a second oto-cancel",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.trader
      const { oto } = yield* rest(world, account)
      yield* cancels(world, account, Paths.cancelOto, "otoId", oto["otoId"])
    })
  }),
  LiveCalls.section.forEach("oto.side", {
    statement:
      "Refuses a leg on the wrong side of the order's price: HTTP 422, code 105 for takeProfit, 106 for stopLoss",
    level: "SHOULD",
    values: [["takeProfit", 105], ["stopLoss", 106]] as const,
    check: Effect.fnUntraced(function*(world, [key, code]) {
      const account = yield* world.trader
      const market = yield* world.market
      const wrong = market.price * (key === "takeProfit" ? 0.4 : 0.6)
      const fields = {
        market: market.name,
        side: "buy",
        amount: "0.01",
        price: Orders.lowPrice(market),
        [key]: priceText(market, wrong)
      }
      yield* LiveCalls.refuses(world, account, Paths.collateralLimit, fields, { codes: [code], key })
    })
  }),
  LiveCalls.section.always("conditional.listed", {
    statement: "Lists OTO and OCO orders, with camel-case keys in the legs, in pages of 100 that show the total",
    level: "SHOULD",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.trader
      const market = yield* world.market
      const fields = Orders.oco(market, "sell")
      const { order: pair } = yield* Orders.place(world, account, Paths.oco, fields)
      yield* rest(world, account)
      const all = yield* LiveOrders.conditional(world, account)
      yield* Verdict.expect(
        all.answer,
        "two records of types oto and oco, limit 100, offset 0, total 2",
        all.records.map(({ type }) => type).join() === "oto,oco" && all.json["limit"] === 100 &&
          all.json["offset"] === 0 && all.json["total"] === 2
      )
      const second = yield* LiveOrders.conditional(world, account, { limit: 1, offset: 1 })
      const [record = {}] = second.records
      const [stopLoss, takeProfit] = [record["stopLoss"], record["takeProfit"]]
      yield* Verdict.expect(
        second.answer,
        "the OCO order with its id and both legs, limit 1, offset 1, total 2",
        second.records.length === 1 && record["id"] === pair["id"] && second.json["total"] === 2 &&
          second.json["limit"] === 1 && second.json["offset"] === 1 &&
          Json.isObject(stopLoss) && isSame(stopLoss["activationPrice"], String(fields["activation_price"])) &&
          Json.isObject(takeProfit) && isSame(takeProfit["price"], String(fields["price"]))
      )
    })
  }),
  LiveCalls.section.always("conditional.pages", {
    statement: "Lists conditional orders of both types in pages of 100, which show limit, offset and total",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.trader
      const market = yield* world.market
      const { order: pair } = yield* Orders.place(world, account, Paths.oco, Orders.oco(market, "sell"))
      const { oto } = yield* rest(world, account)
      const expected = [`oco ${String(pair["id"])}`, `oto ${String(oto["otoId"])}`]
      const named = ({ id, type }: Body) => `${String(type)} ${String(id)}`
      const all = yield* LiveOrders.conditional(world, account)
      yield* Verdict.expect(
        all.answer,
        `${expected.join(", ")}, with limit 100, offset 0 and total 2`,
        all.records.map(named).toSorted().join() === expected.join() && all.json["limit"] === 100 &&
          all.json["offset"] === 0 && all.json["total"] === 2
      )
      const found: Array<string> = []
      for (const offset of [0, 1]) {
        const { answer, json, records } = yield* LiveOrders.conditional(world, account, { limit: 1, offset })
        yield* Verdict.expect(
          answer,
          `one record, with limit 1, offset ${offset} and total 2`,
          records.length === 1 && json["limit"] === 1 && json["offset"] === offset && json["total"] === 2
        )
        found.push(...records.map(named))
      }
      yield* Verdict.conclude(`${expected.join(", ")} on two pages`, found, found.toSorted().join() === expected.join())
    })
  }),
  LiveCalls.section.forEach("conditional.cancel", {
    statement: "Cancels the OTO or OCO order whose id conditional-cancel names, and returns an empty list",
    values: ["oco", "oto"] as const,
    check: Effect.fnUntraced(function*(world, kind) {
      const account = yield* world.trader
      const market = yield* world.market
      const id = kind === "oto"
        ? (yield* rest(world, account)).oto["otoId"]
        : (yield* Orders.place(world, account, Paths.oco, Orders.oco(market, "sell"))).order["id"]
      yield* cancels(world, account, Paths.cancelConditional, "id", id)
    })
  }),
  LiveCalls.section.forEach("conditional.isolation", {
    statement: "Refuses to cancel another account's conditional order, with oto-cancel and with conditional-cancel",
    values: [[Paths.cancelOto, "otoId"], [Paths.cancelConditional, "id"]] as const,
    check: Effect.fnUntraced(function*(world, [path, key]) {
      const [account, other] = [yield* world.trader, yield* world.open()]
      const { market, oto } = yield* rest(world, account)
      yield* notFound(yield* LiveCalls.call(world, other, path, { market: market.name, [key]: oto["otoId"] }), key)
      const { answer, records } = yield* LiveOrders.conditional(world, other)
      yield* Verdict.expect(answer, "no conditional order", records.length === 0)
      const open = yield* Orders.list(world, account, Paths.activeOrders)
      yield* Verdict.conclude("the order is open", open.size, open.size === 1)
    })
  }),
  LiveCalls.section.forEach("conditional.market", {
    statement: "Refuses to cancel a conditional order on a market other than the given one",
    values: [[Paths.cancelOto, "otoId"], [Paths.cancelConditional, "id"]] as const,
    check: Effect.fnUntraced(function*(world, [path, key]) {
      const account = yield* world.trader
      const { oto } = yield* rest(world, account)
      const answer = yield* LiveCalls.call(world, account, path, { market: perpetual, [key]: oto["otoId"] })
      yield* Refusals.any(answer, "because the order is on another market")
      const { answer: list, records } = yield* LiveOrders.conditional(world, account)
      yield* Verdict.expect(list, "one conditional order", records.length === 1)
    })
  }),
  LiveCalls.section.forEach("conditional.refusal", {
    statement:
      "Refuses to list conditional orders: code 31 for an unknown market, code 30 for an invalid limit or offset",
    profile: "read-only",
    values: [["market", "NO_SUCH", 31], ["limit", 0, 30], ["limit", 101, 30], ["offset", -1, 30]] as const,
    check: (world, [key, value, code]) =>
      Effect.flatMap(
        world.reader,
        (reader) => LiveCalls.refuses(world, reader, Paths.conditionalOrders, { [key]: value }, { codes: [code], key })
      )
  })
]
