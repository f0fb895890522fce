/**
 * Rules about changes that an order's kind, its values or the account's funds do not allow, and about the funds and
 * terms of changed orders. Only the live exchange's documentation describes this call.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { above, allows, priceText } from "../world/Markets.ts"
import * as Oco from "../world/OcoOrders.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as RecordLists from "../world/RecordLists.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Trading from "../world/Trading.ts"
import * as Wallets from "../world/Wallets.ts"
import type { Account, Body, Market, World } from "../world/World.ts"

const { forEach } = LiveCalls.section

const modify = (world: World, account: Account, fields: Body) =>
  LiveCalls.call(world, account, Paths.modifyOrder, fields)

/** Returns an account's open orders, with the fields that the documentation describes. */
const openOf = Effect.fnUntraced(function*(world: World, account: Account) {
  const { records } = yield* LiveOrders.open(world, account)
  return records.map((record) => RecordLists.documented(RecordLists.open, record))
})

/** Expects that the open orders of an account, with all their values, are the same as before. */
const isUnchanged = Effect.fnUntraced(function*(world: World, account: Account, before: ReadonlyArray<Body>) {
  const open = yield* LiveOrders.open(world, account)
  yield* LiveOrders.lists(open, "the unchanged orders", "orderId", before)
})

type Kind = "limit" | "collateral limit" | "stop limit" | "stop market" | "stop market buy" | "trigger market"

/** Returns the call and the fields of an order of this kind, which waits far from the market. */
const draftOf = (market: Market, kind: Kind): readonly [path: string, fields: Body] => {
  const terms = { market: market.name, side: "sell", amount: "0.03" }
  const stop = { activation_price: above(market, -20) }
  switch (kind) {
    case "limit":
      return [Paths.limitOrder, { ...terms, price: above(market, 20) }]
    case "collateral limit":
      return [Paths.collateralLimit, { ...terms, price: above(market, 20) }]
    case "stop limit":
      return [Paths.stopLimit, { ...terms, ...stop, price: above(market, -22) }]
    case "stop market":
      return [Paths.stopMarket, { ...terms, ...stop }]
    case "stop market buy":
      return [Paths.stopMarket, { ...terms, side: "buy", amount: "800", activation_price: above(market, 20) }]
    case "trigger market":
      return [Paths.triggerMarket, { ...terms, ...stop }]
  }
}

/** Places an order of this kind. */
const place = Effect.fnUntraced(function*(world: World, kind: Kind) {
  const account = yield* LiveOrders.customer(world)
  const market = yield* world.market
  const [path, fields] = draftOf(market, kind)
  const { order } = yield* LiveOrders.place(world, account, path, fields)
  return { account, market, fields, id: order["orderId"], before: yield* openOf(world, account) }
})

/** Changes to a field that the kind of order does not have, with the codes of their refusals. */
const inapplicable: ReadonlyArray<readonly [kind: Kind, key: string, code: number]> = [
  ["collateral limit", "activationPrice", 158],
  ["stop market", "price", 159],
  ["trigger market", "price", 159],
  ["collateral limit", "total", 162],
  ["stop limit", "total", 162],
  ["stop market", "total", 162],
  ["stop market buy", "amount", 163]
]

/** Invalid values of changed fields. */
const wrong = [
  { kind: "limit", key: "market", values: ["NO_SUCH"], codes: [31] },
  { kind: "limit", key: "amount", values: ["ten", "0", "-0.02", "0.0000001"], codes: [1, 30, 32] },
  { kind: "collateral limit", key: "amount", values: ["ten", "0", "-0.02"], codes: [30, 32] },
  { kind: "limit", key: "price", values: ["ten", "0", "-40000"], codes: [30, 33] },
  { kind: "collateral limit", key: "price", values: ["ten", "0"], codes: [30, 33] },
  { kind: "stop limit", key: "activationPrice", values: ["ten", "0"], codes: [30] },
  { kind: "limit", key: "price", values: ["48000.0000000001"], codes: [1, 30, 33] },
  { kind: "stop limit", key: "activationPrice", values: ["30000.0000000001"], codes: [1, 30] }
] as const

/** A second spelling of a key that refusals may use. */
const spellings: Readonly<Record<string, string>> = { activationPrice: "activation_price" }

type Conditional = "stop_loss" | "take_profit" | "oto" | "exit"

/** Places a conditional order. Returns the id of the given part of it, and a new price for that part. */
const placeConditional = Effect.fnUntraced(function*(world: World, account: Account, part: Conditional) {
  const market = yield* world.market
  const terms = { market: market.name, side: "buy", amount: "0.02" }
  const exit = { takeProfit: above(market, 10), stopLoss: above(market, -60) }
  if (part === "oto") {
    const fields = { ...terms, price: Orders.lowPrice(market), ...exit }
    const { orderId } = yield* Trading.placeOther(world, account, fields, Paths.collateralLimit)
    return { orderId, price: priceText(market, market.price * 0.55) }
  }
  if (part === "exit") {
    yield* Trading.onMargin(world, account, { ...terms, side: "buy", price: above(market, 0) }, exit)
    const { records } = yield* LiveOrders.open(world, account)
    return { orderId: records[0]?.["orderId"], activationPrice: above(market, 15) }
  }
  const pair = yield* Trading.placeOther(world, account, Orders.oco(market, "sell"), Paths.oco)
  return { orderId: Oco.leg(pair, part)["orderId"], price: above(market, part === "take_profit" ? 85 : -45) }
})

const refusals: ReadonlyArray<Rule.Rule> = [
  forEach("live-changes.kind", {
    statement: "Refuses to change a field that an order of this kind does not have, with the field's code",
    values: inapplicable,
    check: Effect.fnUntraced(function*(world, [kind, key, code]) {
      const { account, before, id, market } = yield* place(world, kind)
      const value = key === "amount" ? "0.02" : key === "total" ? "900" : above(market, -25)
      const answer = yield* modify(world, account, { market: market.name, orderId: id, [key]: value })
      yield* Refusals.coded(answer, { status: 422, codes: [code] }, `because a ${kind} order has no ${key}`)
      yield* isUnchanged(world, account, before)
    })
  }),
  forEach("live-changes.conditional", {
    statement: "Refuses to change a leg of an OCO order, an order with exits, or an exit: code 155, or 160 for an exit",
    values: ["stop_loss", "take_profit", "oto", "exit"] as const,
    check: Effect.fnUntraced(function*(world, part) {
      const account = yield* LiveOrders.customer(world)
      const change = yield* placeConditional(world, account, part)
      const before = yield* openOf(world, account)
      const answer = yield* modify(world, account, { market: (yield* world.market).name, ...change })
      const codes = part === "exit" ? [155, 160] : [155]
      yield* Refusals.coded(answer, { status: 422, codes }, "because conditional orders can't be changed")
      yield* Verdict.expect(answer, "errors that name orderId", Refusals.namedFields(answer).includes("orderId"))
      yield* isUnchanged(world, account, before)
    })
  }),
  forEach("live-changes.values", {
    statement: "Refuses a change to an invalid value like a new order, and keeps the order unchanged",
    values: wrong,
    check: Effect.fnUntraced(function*(world, { codes, key, kind, values }) {
      const { account, before, id, market } = yield* place(world, kind)
      const valid = { market: market.name, orderId: id, ...(key === "market" ? { price: above(market, 22) } : {}) }
      for (const value of values) {
        const answer = yield* modify(world, account, { ...valid, [key]: value })
        const refusal = `HTTP 422 with code ${codes.join(" or ")}, or HTTP 400 with code 1`
        yield* Verdict.expect(
          answer,
          `${refusal}, and errors that name ${key}, because it is ${value}`,
          (answer.status === 422 && Refusals.hasCode(answer, codes) ||
            answer.status === 400 && Refusals.hasCode(answer, [1])) &&
            Refusals.namedFields(answer).some((named) => named === key || named === spellings[key])
        )
      }
      yield* isUnchanged(world, account, before)
    })
  }),
  forEach("live-changes.last-price", {
    statement: "Refuses to change an activation price to the last price: code 30 or 101",
    values: ["stop limit", "stop market", "trigger market"] as const,
    check: Effect.fnUntraced(function*(world, kind) {
      const { account, before, id, market } = yield* place(world, kind)
      const change = { market: market.name, orderId: id, activationPrice: priceText(market, market.price) }
      const answer = yield* modify(world, account, change)
      yield* Refusals.coded(answer, { status: 422, codes: [30, 101] }, "because it is the last price")
      yield* isUnchanged(world, account, before)
    })
  }),
  forEach("live-changes.no-funds", {
    statement: "Refuses a change that the balance does not cover, and keeps the order and its locked funds unchanged",
    values: [
      { path: Paths.limitOrder, side: "sell", change: { amount: "0.09" } },
      { path: Paths.limitOrder, side: "buy", change: { amount: "0.09" } },
      { path: Paths.limitOrder, side: "buy", change: { amount: "0.0009", price: "39000" } },
      { path: Paths.collateralLimit, side: "sell", change: { amount: "0.09" } }
    ],
    check: Effect.fnUntraced(function*(world, { change, path, side }) {
      const market = yield* world.market
      yield* allows(market, 0.0004, market.price * 0.6)
      const account = yield* Wallets.open(world, [
        ["trade", "USDT", "25"],
        ["trade", "BTC", "0.001"],
        ["collateral", "USDT", "25"]
      ])
      const price = above(market, side === "buy" ? -40 : 20)
      const fields = { market: market.name, side, amount: "0.0004", price }
      const { order: { orderId } } = yield* LiveOrders.place(world, account, path, fields)
      const before = yield* openOf(world, account)
      const locked = yield* LiveOrders.funds(world, account)
      const answer = yield* modify(world, account, { market: market.name, orderId, ...change })
      yield* Refusals.coded(answer, { status: 422, codes: [10, 17, 32] }, "because the account has too little")
      yield* isUnchanged(world, account, before)
      const after = yield* LiveOrders.funds(world, account)
      for (const ticker of [market.stock, market.money]) {
        yield* Verdict.expect(
          after.answer,
          `${Json.stringify(locked.of(ticker))} ${ticker}, as before the change`,
          Math.abs(after.of(ticker).freeze - locked.of(ticker).freeze) < 1e-9 &&
            Math.abs(after.of(ticker).available - locked.of(ticker).available) < 1e-9
        )
      }
    })
  }),
  forEach("live-changes.post-only", {
    statement: "Refuses to change a post-only order so that it would match immediately, and executes no trade",
    values: [Paths.limitOrder, Paths.collateralLimit],
    check: Effect.fnUntraced(function*(world, path) {
      const [account, other] = [yield* LiveOrders.customer(world), yield* world.open()]
      const market = yield* world.market
      const terms = { market: market.name, amount: "0.02" }
      yield* Trading.placeOther(world, other, { ...terms, side: "buy", price: above(market, -1) }, path)
      const fields = { ...terms, side: "sell", price: above(market, 5), postOnly: true }
      const { orderId } = yield* Trading.placeOther(world, account, fields, path)
      const answer = yield* modify(world, account, { market: market.name, orderId, price: above(market, -2) })
      yield* Refusals.coded(answer, { status: 400, codes: [13, 14] }, "because the order would match immediately")
      yield* LiveOrders.lists(yield* LiveOrders.executed(world, account), "no fills", "id", [])
    })
  })
]

/** Changes of orders that have no limit price. */
const unpriced: ReadonlyArray<readonly [kind: Kind, change: "activationPrice" | "amount" | "total"]> = [
  ["stop market", "activationPrice"],
  ["stop market", "amount"],
  ["stop market buy", "activationPrice"],
  ["stop market buy", "total"],
  ["trigger market", "activationPrice"],
  ["trigger market", "amount"]
]

/** Expects that this much of a currency is frozen. An order may lock up to one percent more, for its fee. */
const hasLocked = Effect.fnUntraced(function*(world: World, account: Account, ticker: string, least: number) {
  const { answer, of } = yield* LiveOrders.funds(world, account)
  yield* Verdict.expect(
    answer,
    `${least} ${ticker} in freeze, plus a fee`,
    of(ticker).freeze > least - 1e-6 && of(ticker).freeze <= least * 1.01
  )
})

const effects: ReadonlyArray<Rule.Rule> = [
  forEach("live-changes.stop-market", {
    statement:
      "Changes the activation price or the size of a stop-market order, keeps its other terms, locks its funds",
    values: unpriced,
    check: Effect.fnUntraced(function*(world, [kind, key]) {
      const { account, fields, id, market } = yield* place(world, kind)
      const isBuy = fields["side"] === "buy"
      const value = { activationPrice: above(market, isBuy ? 25 : -25), amount: "0.02", total: "900" }[key]
      const change = { market: market.name, orderId: id, [key]: value }
      const { answer, order } = yield* LiveOrders.place(world, account, Paths.modifyOrder, change)
      const amount = key === "activationPrice" ? String(fields["amount"]) : value
      const { activation_price } = fields
      const expected = {
        market: market.name,
        side: fields["side"],
        type: "stop market",
        amount,
        left: amount,
        dealStock: "0",
        activation_price: key === "activationPrice" ? value : activation_price,
        activated: 0
      }
      yield* LiveOrders.shows({ answer }, "the order", order, expected)
      yield* Verdict.expect(answer, "a different order id", order["orderId"] !== id)
      const open = yield* LiveOrders.open(world, account)
      yield* LiveOrders.lists(open, "the new order", "orderId", [{ ...expected, orderId: order["orderId"] }])
      if (kind === "trigger market") return
      yield* hasLocked(world, account, isBuy ? market.money : market.stock, Number(amount))
    })
  }),
  forEach("live-changes.locks", {
    statement: "Locks exactly the funds that a changed buy order needs at its new price and amount",
    values: [{ price: -15 }, { price: -30 }, { amount: "0.01" }, { price: -25, amount: "0.05" }],
    check: Effect.fnUntraced(function*(world, { amount = "0.03", price = -20 }) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* world.market
      const fields = { market: market.name, side: "buy", amount: "0.03", price: above(market, -20) }
      const { orderId } = yield* Trading.placeOther(world, account, fields)
      const change = { price: above(market, price), amount }
      yield* LiveOrders.place(world, account, Paths.modifyOrder, { market: market.name, orderId, ...change })
      yield* hasLocked(world, account, market.money, Number(amount) * Number(change.price))
      yield* world.call(account, Paths.cancelAll)
      yield* hasLocked(world, account, market.money, 0)
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...refusals, ...effects]
