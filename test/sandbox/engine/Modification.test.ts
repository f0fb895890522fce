import { assert, describe, it } from "@effect/vitest"
import { Amount, Price } from "../../../src/domain/Decimal.ts"
import { ClientOrderId, type OrderId } from "../../../src/domain/Identifiers.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import type { Modify } from "../../../src/sandbox/engine/Operation.ts"
import type { Order } from "../../../src/sandbox/engine/Order.ts"
import { type Account, canonical, Desk, limit, movePrice, oco, openPosition, progress } from "../../support/engine.ts"
import { modify, stop, stopMarket } from "../../support/engine.ts"
import { apartFromActivity } from "./invariants.ts"

const btc = "BTC_USDT"

const funded = (dialect: Dialect.Dialect = Dialect.document): Desk => {
  const desk = new Desk(dialect.policy)
  for (const account of ["ann", "ben", "sub"] as const) {
    desk.fund(account, "trade", "10 BTC", "10000 USDT").fund(account, "collateral", "100 USDT")
  }
  desk.send(movePrice(btc, "100"))
  return desk
}

const changed = (desk: Desk, order: Order, changes: Partial<Modify>): Order => {
  const reply = desk.call(order.account as Account, modify(order, changes))
  return reply._tag === "OrderModified" ? reply.order : assert.fail(canonical(reply))
}

/** Checks that a change is refused and leaves the state unchanged. Returns the refusal's violations or reason. */
const refused = (desk: Desk, order: Order, changes: Partial<Modify>) => {
  const before = apartFromActivity(desk.state)
  const { events, reply } = desk.send({
    _tag: "Call",
    apiKey: order.account as never,
    operation: modify(order, changes)
  })
  assert.isEmpty(events)
  assert.strictEqual(apartFromActivity(desk.state), before)
  return reply._tag === "Invalid"
    ? reply.violations.map(([field, { kind }]) => `${field}: ${kind}`).join()
    : reply._tag === "Refused"
    ? reply.why
    : assert.fail(canonical(reply))
}

const amount = (text: string) => ({ amount: Amount.make(text) })
const price = (text: string) => ({ price: Price.make(text) })
const activation = (text: string) => ({ activationPrice: Price.make(text) })

describe("modifying limit orders", () => {
  it("a modified order is canceled, and a new one with the same client order id replaces it", () => {
    const desk = funded()
    const own = { clientOrderId: ClientOrderId.make("mine"), stp: "cancel_old" as const, postOnly: true }
    const order = desk.place("ann", limit(btc, "buy", "2", "90", own))
    const next = changed(desk, order, { ...amount("3"), ...price("95") })
    assert.isAbove(Number(next.id), Number(order.id))
    assert.deepStrictEqual([progress(order), progress(next)], ["CANCELED 0 of 2", "NEW 0 of 3"])
    assert.deepInclude(next, { clientOrderId: own.clientOrderId, stp: "cancel_old", postOnly: true, type: "limit" })
    assert.deepStrictEqual([desk.book(btc, "bids"), desk.locked("ann", "trade")], [["3 @ 95"], "285 USDT"])
    assert.isAbove(next.placedAt, order.placedAt)
  })

  it("a modified order keeps the fields that the change omits", () => {
    const desk = funded()
    const order = desk.place("ann", limit(btc, "buy", "2.50", "90"))
    const next = changed(desk, order, price("91"))
    assert.deepStrictEqual([next.amount, next.price, next.stp], ["2.50", "91", "no"])
    assert.deepStrictEqual(changed(desk, next, { ...amount("1"), stp: "cancel_new" }).price, "91")
  })

  it("a modified order loses its place in the queue, even if nothing changes", () => {
    const desk = funded()
    const first = desk.place("ann", limit(btc, "sell", "1", "110"))
    const second = desk.place("ben", limit(btc, "sell", "1", "110"))
    changed(desk, first, amount("1"))
    desk.place("sub", limit(btc, "buy", "1", "110"))
    assert.strictEqual(progress(second), "FILLED 1 of 1")
  })

  it("the new amount of a modified order includes its filled part", () => {
    const desk = funded()
    const order = desk.place("ann", limit(btc, "sell", "3", "110"))
    desk.place("ben", limit(btc, "buy", "1", "110"))
    const next = changed(desk, order, price("120"))
    assert.deepStrictEqual([progress(order), progress(next)], ["PARTIAL_CANCELED 1 of 3", "NEW 0 of 2"])
    const other = desk.place("ann", limit(btc, "sell", "3", "110"))
    desk.place("ben", limit(btc, "buy", "1", "110"))
    assert.strictEqual(progress(changed(desk, other, amount("5"))), "NEW 0 of 4")
    assert.strictEqual(desk.locked("ann", "trade"), "6 BTC")
  })

  it("the new amount of an order must be greater than its filled part", () => {
    const desk = funded()
    const order = desk.place("ann", limit(btc, "sell", "3", "110"))
    desk.place("ben", limit(btc, "buy", "1", "110"))
    for (const size of ["1", "0.5"]) assert.strictEqual(refused(desk, order, amount(size)), "amount: aboveFilled")
  })

  it("a modified order trades immediately if its new price crosses the book", () => {
    const desk = funded()
    desk.place("ben", limit(btc, "sell", "1", "101"))
    const order = desk.place("ann", limit(btc, "buy", "2", "90"))
    const next = changed(desk, order, price("102"))
    assert.deepStrictEqual([progress(next), desk.trades(btc)], ["PARTIAL_FILLED 1 of 2", ["1 @ 101"]])
    assert.deepStrictEqual([desk.book(btc, "bids"), desk.locked("ann", "trade")], [["1 @ 102"], "102 USDT"])
  })

  it("a modified order is funded from the old order's lock and the free balance", () => {
    const desk = new Desk().fund("ann", "trade", "200 USDT")
    const order = desk.place("ann", limit(btc, "buy", "2", "90"))
    assert.strictEqual(refused(desk, order, price("100.01")), "notEnoughBalance")
    const next = changed(desk, order, price("100"))
    assert.deepStrictEqual([desk.locked("ann", "trade"), desk.free("ann", "trade")], ["200 USDT", ""])
    changed(desk, next, amount("0.5"))
    assert.deepStrictEqual([desk.locked("ann", "trade"), desk.free("ann", "trade")], ["50 USDT", "150 USDT"])
  })

  it("a post-only order is not modified to a price at which it would trade", () => {
    const desk = funded()
    desk.place("ben", limit(btc, "sell", "1", "101"))
    const order = desk.place("ann", limit(btc, "buy", "2", "90", { postOnly: true }))
    assert.strictEqual(refused(desk, order, price("101")), "notMaker")
  })

  it("a modified order must respect its market's limits", () => {
    const desk = funded()
    const order = desk.place("ann", limit(btc, "buy", "2", "90"))
    assert.strictEqual(refused(desk, order, price("90.001")), "price: step")
    assert.strictEqual(
      refused(desk, order, amount("0.0000001")),
      "amount: step,amount: minAmount,amount: minTotal"
    )
    assert.strictEqual(refused(desk, order, price("0.01")), "amount: minTotal")
  })

  it("a limit order can't be given an activation price or a total", () => {
    const desk = funded()
    const order = desk.place("ann", limit(btc, "buy", "2", "90"))
    assert.strictEqual(refused(desk, order, activation("120")), "activationPrice: inapplicable")
    assert.strictEqual(refused(desk, order, { total: Amount.make("50") }), "total: inapplicable")
  })

  it("an order that is closed, is on another market, or belongs to another account can't be modified", () => {
    const desk = funded()
    const order = desk.place("ann", limit(btc, "buy", "2", "90"))
    assert.strictEqual(refused(desk, { ...order, account: "ben" }, price("91")), "orderNotFound")
    assert.strictEqual(refused(desk, { ...order, market: "ETH_USDT" as never }, price("91")), "orderNotFound")
    const next = changed(desk, order, price("91"))
    assert.strictEqual(refused(desk, order, price("92")), "orderNotFound")
    assert.strictEqual(progress(next), "NEW 0 of 2")
  })

  it("an order can be modified repeatedly, identified by its client order id", () => {
    const desk = funded()
    const clientOrderId = ClientOrderId.make("mine")
    desk.place("ann", limit(btc, "buy", "2", "90", { clientOrderId }))
    for (const to of ["91", "92"]) {
      const reply = desk.call("ann", { _tag: "Modify", market: btc as never, clientOrderId, ...price(to) })
      assert.propertyVal(reply, "_tag", "OrderModified")
    }
    assert.deepStrictEqual(desk.book(btc, "bids"), ["2 @ 92"])
  })
})

describe("modifying orders that affect a position", () => {
  it("a modified margin order locks only the difference between its new margin and the old lock", () => {
    const desk = new Desk().fund("ann", "collateral", "25 USDT")
    const order = desk.place("ann", limit(btc, "buy", "2", "100", { collateral: true }))
    assert.strictEqual(desk.locked("ann", "collateral"), "20.2 USDT")
    assert.strictEqual(refused(desk, order, amount("2.5")), "notEnoughBalance")
    changed(desk, order, { ...amount("2.4"), ...price("101") })
    assert.strictEqual(desk.locked("ann", "collateral"), "24.4824 USDT")
  })

  it("an order that closes a position locks no margin, before or after it is modified", () => {
    const desk = new Desk().fund("ann", "collateral", "11 USDT")
    desk.send(openPosition("ann", btc, "buy", "1", "100"))
    const order = desk.place("ann", limit(btc, "sell", "1", "110", { collateral: true }))
    const next = changed(desk, order, price("120"))
    assert.deepStrictEqual([next.closing, desk.locked("ann", "collateral")], [order.quantity, ""])
    assert.strictEqual(refused(desk, next, amount("2")), "notEnoughBalance")
  })

  it("a modified reduce-only order is capped at the position's size", () => {
    const desk = funded()
    desk.send(openPosition("ann", btc, "buy", "1", "100"))
    const order = desk.place("ann", limit(btc, "sell", "0.5", "110", { collateral: true, reduceOnly: true }))
    const next = changed(desk, order, amount("5"))
    assert.deepStrictEqual([next.amount, next.reduceOnly, next.positionSide], ["1", true, "LONG"])
  })

  it("a leg of an OCO order can't be modified", () => {
    const desk = funded()
    const { stopLoss, takeProfit } = desk.placeOco("ann", oco(btc, "buy", "1", "90", "110", "112"))
    for (const leg of [stopLoss, takeProfit]) assert.strictEqual(refused(desk, leg, price("91")), "orderId: modifiable")
  })
})

describe("modifying stop orders", () => {
  it("a modified stop order waits for its new activation price, and adjusts its lock", () => {
    const desk = funded()
    const order = desk.place("ann", stop(btc, "buy", "1", "120", "110"))
    const next = changed(desk, order, { ...price("115"), ...activation("112") })
    assert.deepInclude(next.stop, { price: Price.make("112"), condition: "gte", activated: false })
    assert.strictEqual(desk.locked("ann", "trade"), "115 USDT")
    desk.send(movePrice(btc, "111"))
    assert.strictEqual(progress(next), "NEW 0 of 1")
    desk.send(movePrice(btc, "112"))
    assert.deepStrictEqual([progress(order), progress(next)], ["CANCELED 0 of 1", "FILLED 1 of 1"])
  })

  it("a modified stop order is triggered immediately if its new activation price is already reached", () => {
    const desk = funded()
    const order = desk.place("ann", stop(btc, "buy", "1", "90", "110"))
    assert.deepInclude(changed(desk, order, activation("99")).stop, { activated: true })
    assert.deepStrictEqual(desk.book(btc, "bids"), ["1 @ 90"])
  })

  it("in the live policy, an activation price gets its direction from the last price, and must differ from it", () => {
    const desk = funded(Dialect.live)
    const order = desk.place("ann", stop(btc, "buy", "1", "90", "110"))
    assert.deepInclude(changed(desk, order, activation("95")).stop, { condition: "lte", activated: false })
    const other = desk.place("ann", stop(btc, "buy", "1", "90", "110"))
    assert.strictEqual(refused(desk, other, activation("100")), "activationPrice: notLastPrice")
  })

  it("a triggered stop order that is modified stays triggered, and rests in the book", () => {
    const desk = funded()
    const order = desk.place("ann", stop(btc, "buy", "1", "90", "110"))
    desk.send(movePrice(btc, "110"))
    assert.strictEqual(refused(desk, order, activation("120")), "activationPrice: inapplicable")
    const next = changed(desk, order, price("95"))
    assert.deepStrictEqual([next.type, next.stop?.activated, desk.book(btc, "bids")], ["stop limit", true, ["1 @ 95"]])
  })

  it("a stop-market order can't be given a price, and a spot buy takes a new total instead of a new amount", () => {
    const desk = funded()
    const buy = desk.place("ann", stopMarket(btc, "buy", "220", "110"))
    assert.strictEqual(refused(desk, buy, price("120")), "price: inapplicable")
    assert.strictEqual(refused(desk, buy, amount("1")), "amount: inapplicable")
    const next = changed(desk, buy, { total: Amount.make("330"), ...activation("111") })
    assert.deepStrictEqual([next.type, next.amount, desk.locked("ann", "trade")], ["stop market", "330", "330 USDT"])
    const sell = desk.place("ben", stopMarket(btc, "sell", "2", "90"))
    assert.strictEqual(refused(desk, sell, { total: Amount.make("330") }), "total: inapplicable")
    assert.strictEqual(progress(changed(desk, sell, amount("3"))), "NEW 0 of 3")
  })
})

describe("identifiers of modified orders", () => {
  it("every modification gives the order a new id, and only the latest id is open", () => {
    const desk = funded()
    let order = desk.place("ann", limit(btc, "buy", "1", "90"))
    const seen: Array<OrderId> = [order.id]
    for (const to of ["91", "92", "93"]) seen.push((order = changed(desk, order, price(to))).id)
    assert.strictEqual(new Set(seen).size, 4)
    assert.deepStrictEqual([...desk.state.openOrders.values()].map(({ id }) => id), [order.id])
  })
})
