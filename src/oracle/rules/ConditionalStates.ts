/**
 * Rules about conditional orders after a change of their state: cancellations by other calls, partial fills and
 * refusals. Only the live exchange's documentation describes these orders.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { above } from "../world/Markets.ts"
import * as Oco from "../world/OcoOrders.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Trading from "../world/Trading.ts"
import * as Wallets from "../world/Wallets.ts"
import type { Account, Body, Market, World } from "../world/World.ts"

const { always, forEach } = LiveCalls.section

const exitOf = (market: Market) => ({ takeProfit: above(market, 0), stopLoss: above(market, -60) })

/** Places a buy order with exits, which rests far below the market. */
const placeOto = Effect.fnUntraced(function*(world: World, account: Account, market: Market, more: Body = {}) {
  const terms = { market: market.name, side: "buy", amount: "0.02", price: Orders.lowPrice(market) }
  const { answer, order } = yield* LiveOrders.place(world, account, Paths.collateralLimit, {
    ...terms,
    ...exitOf(market),
    ...more
  })
  return { answer, order, oto: Json.isObject(order["oto"]) ? order["oto"] : {} }
})

/** Places an OCO order and an order with exits. */
const placeBoth = Effect.fnUntraced(function*(world: World) {
  const account = yield* LiveOrders.customer(world)
  const market = yield* world.market
  const { order: pair } = yield* Orders.place(world, account, Paths.oco, Orders.oco(market, "sell"))
  return { account, market, pair, ...yield* placeOto(world, account, market) }
})

/** Expects that an account has no open orders and no conditional orders. */
const hasNothing = Effect.fnUntraced(function*(world: World, account: Account) {
  yield* LiveOrders.lists(yield* LiveOrders.open(world, account), "no open orders", "orderId", [])
  const { answer, json, records } = yield* LiveOrders.conditional(world, account)
  yield* Verdict.expect(answer, "no conditional orders, total 0", records.length === 0 && json["total"] === 0)
  const { answer: list, items } = yield* LiveCalls.list(world, account, Paths.ocoOrders, {})
  yield* Verdict.expect(list, "no OCO orders", items.length === 0)
})

/** The calls that cancel one conditional order, with the key of its id. */
const cancels = [
  { path: Paths.cancelOco, key: "orderId" },
  { path: Paths.cancelConditional, key: "id" },
  { path: Paths.cancelOto, key: "otoId" }
] as const

const listRules: ReadonlyArray<Rule.Rule> = [
  forEach("conditional.cancel-all", {
    statement: "No longer lists a conditional order once cancel-all or a kill switch has canceled its orders",
    values: [{}, { type: ["margin"] }, "kill switch"] as const,
    check: (world, how) =>
      world.whileFrozen(Effect.gen(function*() {
        const { account, market, oto, pair } = yield* placeBoth(world)
        const before = yield* LiveOrders.conditional(world, account)
        yield* Verdict.expect(before.answer, "two conditional orders", before.records.length === 2)
        if (how === "kill switch") {
          yield* LiveCalls.object(world, account, Paths.killSwitch, { market: market.name, timeout: "5" })
          yield* world.advance(6000)
        } else yield* LiveCalls.call(world, account, Paths.cancelAll, how)
        yield* hasNothing(world, account)
        for (
          const [path, key, id] of [[Paths.cancelOco, "orderId", pair["id"]], [
            Paths.cancelOto,
            "otoId",
            oto["otoId"]
          ]] as const
        ) {
          const answer = yield* LiveCalls.call(world, account, path, { market: market.name, [key]: id })
          yield* Refusals.exactly(answer, { status: 400, codes: [2] }, "because the order is canceled")
        }
      }))
  }),
  always("conditional.order-cancel", {
    statement: "No longer lists an order with exits that the call for single orders has canceled",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* world.market
      const { order, oto } = yield* placeOto(world, account, market)
      const before = yield* LiveOrders.conditional(world, account)
      yield* Verdict.expect(before.answer, "one conditional order", before.records.length === 1)
      const id = { market: market.name, orderId: order["orderId"] }
      yield* LiveOrders.place(world, account, Paths.cancelOrder, id)
      yield* hasNothing(world, account)
      const answer = yield* LiveCalls.call(world, account, Paths.cancelOto, {
        market: market.name,
        otoId: oto["otoId"]
      })
      yield* Refusals.exactly(answer, { status: 400, codes: [2] }, "because the order is canceled")
    })
  }),
  always("conditional.markets", {
    statement: "Selects conditional orders of both types by market, and lists only OCO orders among the OCO orders",
    check: Effect.fnUntraced(function*(world) {
      const { account, market, oto, pair } = yield* placeBoth(world)
      const elsewhere = Orders.asPerpetual(market)
      const other = yield* placeOto(world, account, elsewhere)
      for (
        const [name, ids] of [[market.name, [pair["id"], oto["otoId"]]], [elsewhere.name, [
          other.oto["otoId"]
        ]]] as const
      ) {
        const { answer, json, records } = yield* LiveOrders.conditional(world, account, { market: name })
        yield* Verdict.expect(
          answer,
          `exactly the conditional orders ${ids.join(", ")}, and their number as total`,
          records.length === ids.length && ids.every((id) => records.some((record) => record["id"] === id)) &&
            json["total"] === ids.length
        )
      }
      const { answer, items } = yield* LiveCalls.list(world, account, Paths.ocoOrders, {})
      yield* Verdict.expect(
        answer,
        `only the OCO order ${String(pair["id"])}`,
        items.length === 1 && Json.isObject(items[0]) && items[0]["id"] === pair["id"]
      )
    })
  }),
  forEach("conditional.cancel-refusal", {
    statement: "Refuses to cancel a conditional order without an id or on an unknown market, and cancels nothing",
    values: cancels.flatMap((call) =>
      (["no id", "no market", "an unknown market"] as const).map((wrong) => ({ ...call, wrong }))
    ).filter(({ path, wrong }) => path !== Paths.cancelOco || wrong !== "an unknown market"),
    check: Effect.fnUntraced(function*(world, { key, path, wrong }) {
      const { account, market, oto, pair } = yield* placeBoth(world)
      const id = { [key]: path === Paths.cancelOto ? oto["otoId"] : pair["id"] }
      const fields = wrong === "no id"
        ? { market: market.name }
        : { ...id, ...(wrong === "no market" ? {} : { market: "NO_SUCH" }) }
      const answer = yield* LiveCalls.call(world, account, path, fields)
      const codes = wrong === "no id" ? [30] : [30, 31]
      yield* Refusals.exactly(answer, { status: 422, codes }, `because it has ${wrong}`)
      const { answer: list, records } = yield* LiveOrders.conditional(world, account)
      yield* Verdict.expect(list, "two conditional orders", records.length === 2)
    })
  }),
  always("conditional.part", {
    statement: "Shows the fills of a partly filled conditional order as the list of open orders does",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* world.market
      const price = above(market, -1)
      const { order } = yield* placeOto(world, account, market, { price, takeProfit: above(market, 10) })
      // The target must not show a cached list from before the fill.
      yield* LiveOrders.conditional(world, account)
      const fields = { market: market.name, side: "sell", amount: "0.005", price }
      yield* LiveOrders.takeAt(world, fields, Paths.collateralLimit)
      const open = yield* LiveOrders.open(world, account, { market: market.name, orderId: order["orderId"] })
      const expected = {
        orderId: order["orderId"],
        ...LiveOrders.filled("0.02", [{ amount: 0.005, price: Number(price) }])
      }
      yield* LiveOrders.lists(open, "the order", "orderId", [expected])
      const { answer, records } = yield* LiveOrders.conditional(world, account)
      for (const { conditionalOrder } of records) {
        const shown = Json.isObject(conditionalOrder) ? LiveOrders.toOrder(conditionalOrder) : {}
        yield* LiveOrders.shows({ answer }, "the order", shown, expected)
      }
    })
  }),
  always("oco-orders.reduce-only.closed", {
    statement:
      "Opens no position with a reduce-only OCO order whose stop-loss is triggered after its position has closed",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* Trading.openPosition(world, account, "buy", "0.02")
      const fields = Orders.oco(market, "sell", { amount: "0.02", reduceOnly: true })
      yield* Orders.place(world, account, Paths.oco, fields)
      yield* Trading.openPosition(world, account, "sell", "0.02")
      // The price moves past the trigger, where no order can trade at the limit, then back across the limit.
      for (const factor of [0.45, 0.6]) yield* Trading.movePrice(world, market, market.price * factor)
      const { answer, positions } = yield* LiveCalls.openPositions(world, account)
      yield* Verdict.expect(answer, "no position", positions.length === 0)
    })
  }),
  forEach("oco-orders.executed.cancel", {
    statement: "Refuses to cancel an OCO order once its take-profit is filled: HTTP 400, code 2",
    values: cancels.slice(0, 2),
    check: Effect.fnUntraced(function*(world, { key, path }) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* world.market
      const { order: pair } = yield* Orders.place(world, account, Paths.oco, Orders.oco(market, "sell"))
      const { amount, price } = Oco.leg(pair, "take_profit")
      yield* LiveOrders.takeAt(world, { market: market.name, side: "buy", amount, price }, Paths.collateralLimit)
      const answer = yield* LiveCalls.call(world, account, path, { market: market.name, [key]: pair["id"] })
      yield* Refusals.exactly(answer, { status: 400, codes: [2] }, "because the order is executed")
      yield* hasNothing(world, account)
    })
  })
]

const legs = ["takeProfit", "stopLoss"] as const

/** Margin orders that wait far from the market, each with the call that places it. */
const entries: ReadonlyArray<readonly [path: string, fields: (market: Market) => Body]> = [
  [Paths.collateralLimit, (market) => ({ price: above(market, -20) })],
  [Paths.collateralMarketOrder, () => ({})],
  [Paths.collateralStopLimit, (market) => ({ price: above(market, 22), activation_price: above(market, 20) })],
  [Paths.triggerMarket, (market) => ({ activation_price: above(market, 20) })]
]

const exitRules: ReadonlyArray<Rule.Rule> = [
  forEach("oto.single", {
    statement: "Shows only the exit that an order asks for, in the response and in the list of conditional orders",
    values: legs,
    check: Effect.fnUntraced(function*(world, leg) {
      const account = yield* world.trader
      const market = yield* world.market
      const other = leg === "takeProfit" ? "stopLoss" : "takeProfit"
      const { answer, oto } = yield* placeOto(world, account, market, { [other]: undefined })
      const price = exitOf(market)[leg]
      yield* Verdict.expect(
        answer,
        `oto with ${leg} ${price} and no ${other}`,
        Number(oto[leg]) === Number(price) && Number(oto[other] ?? 0) === 0
      )
      const { answer: list, records: [record = {}] } = yield* LiveOrders.conditional(world, account)
      yield* Verdict.expect(
        list,
        `${leg}Price ${price} and no ${other}Price`,
        Number(record[`${leg}Price`]) === Number(price) && Number(record[`${other}Price`] ?? 0) === 0
      )
    })
  }),
  forEach("oto.waiting", {
    statement: "Shows the exits of a waiting stop order in its response, and cancels the order by its group's id",
    values: entries.slice(2),
    check: Effect.fnUntraced(function*(world, [path, draft]) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* world.market
      const exit = { takeProfit: above(market, 40), stopLoss: above(market, -20) }
      const fields = { market: market.name, side: "buy", amount: "0.02", ...draft(market), ...exit }
      const { answer, order } = yield* LiveOrders.place(world, account, path, fields)
      const oto = Json.isObject(order["oto"]) ? order["oto"] : {}
      yield* LiveOrders.shows({ answer }, "oto", oto, exit)
      const { items } = yield* LiveCalls.list(world, account, Paths.cancelOto, {
        market: market.name,
        otoId: oto["otoId"]
      })
      yield* Verdict.conclude("an empty list", items, items.length === 0)
      yield* hasNothing(world, account)
    })
  }),
  forEach("oto.reduce-only.calls", {
    statement: "Refuses reduceOnly together with take-profit or stop-loss in every call: HTTP 422, code 30",
    values: entries.flatMap(([path, draft]) => legs.map((leg) => ({ path, draft, leg }))),
    check: Effect.fnUntraced(function*(world, { draft, leg, path }) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* Trading.openPosition(world, account, "sell", "0.02")
      const exit = { [leg]: above(market, leg === "takeProfit" ? 40 : -40) }
      const fields = { market: market.name, side: "buy", amount: "0.01", reduceOnly: true, ...draft(market), ...exit }
      const answer = yield* LiveCalls.call(world, account, path, fields)
      yield* Refusals.exactly(answer, { status: 422, codes: [30] }, `because reduceOnly and ${leg} exclude each other`)
      yield* LiveOrders.lists(yield* LiveOrders.open(world, account), "no open orders", "orderId", [])
    })
  })
]

/** Orders that wait for their trigger, with the funds that each would need. */
const unfunded: ReadonlyArray<readonly [path: string, fields: (market: Market) => Body]> = [
  [Paths.stopLimit, (market) => ({ side: "sell", price: above(market, -22), activation_price: above(market, -20) })],
  [Paths.stopLimit, (market) => ({ side: "buy", price: above(market, 22), activation_price: above(market, 20) })],
  [Paths.stopMarket, (market) => ({ side: "sell", activation_price: above(market, -20) })],
  [Paths.stopMarket, (market) => ({ side: "buy", amount: "1000", activation_price: above(market, 20) })],
  [Paths.oco, (market) => Orders.oco(market, "sell")]
]

/**
 * Returns the amounts that the target shows as available to an order. Skips the rule if the target declares that it
 * lacks the balance call, because then nothing shows that the balance is too low.
 */
const balanceFor = Effect.fnUntraced(function*(world: World, account: Account, path: string, { money, stock }: Market) {
  if (path === Paths.oco) {
    const { json } = yield* LiveCalls.object(world, account, Paths.collateralBalance, {})
    return [json[money], json[stock]].map((units) => Number(units ?? 0))
  }
  const { of } = yield* LiveOrders.funds(world, account)
  return [of(money).available, of(stock).available]
})

const fundRules: ReadonlyArray<Rule.Rule> = [
  forEach("conditional.no-funds", {
    statement: "Refuses a stop or OCO order that the balance does not cover, and places nothing",
    values: unfunded.flatMap(([path, draft]) => [false, true].map((some) => ({ path, draft, some }))),
    check: Effect.fnUntraced(function*(world, { draft, path, some }) {
      const account = yield* Wallets.open(world, some ? Wallets.little : [])
      const market = yield* world.market
      const amount = path === Paths.oco ? { amount: "0.1" } : {}
      const fields = { market: market.name, amount: "0.1", ...draft(market), ...amount }
      const [money = 0, stock = 0] = yield* balanceFor(world, account, path, market)
      yield* Verdict.conclude("at most the funds that were credited", { money, stock }, money <= 200 && stock <= 0.005)
      const answer = yield* LiveCalls.call(world, account, path, fields)
      yield* Refusals.coded(
        answer,
        { status: 400, codes: [10, 17, 32, 152, 153] },
        "because the account has too little"
      )
      yield* LiveOrders.lists(yield* LiveOrders.open(world, account), "no open orders", "orderId", [])
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...listRules, ...exitRules, ...fundRules]
