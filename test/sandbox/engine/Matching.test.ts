import { assert, describe, it } from "@effect/vitest"
import { ticker } from "../../../src/domain/Identifiers.ts"
import type { SelfTradePrevention } from "../../../src/domain/Order.ts"
import * as Ledger from "../../../src/sandbox/engine/Ledger.ts"
import { cancel, Desk, limit, market, movePrice, progress, units } from "../../support/engine.ts"

const btc = "BTC_USDT"

/** Returns a desk on which every account except cat has 10 BTC and 10000 USDT. */
const funded = (): Desk => {
  const desk = new Desk()
  for (const account of ["ann", "ben", "sub"] as const) desk.fund(account, "trade", "10 BTC", "10000 USDT")
  return desk
}

describe("limit orders", () => {
  it("the remainder of a partly filled limit order rests, and can be canceled", () => {
    const desk = funded()
    const maker = desk.place("ann", limit(btc, "sell", "1", "100"))
    const taker = desk.place("ben", limit(btc, "buy", "0.4", "100"))
    assert.deepStrictEqual([progress(maker), progress(taker)], ["PARTIAL_FILLED 0.4 of 1", "FILLED 0.4 of 0.4"])
    assert.deepStrictEqual(desk.book(btc, "asks"), ["0.6 @ 100"])
    desk.call("ann", cancel(maker))
    assert.strictEqual(progress(maker), "PARTIAL_CANCELED 0.4 of 1")
    assert.deepStrictEqual([desk.free("ann", "trade"), desk.locked("ann", "trade")], ["9.6 BTC, 10039.96 USDT", ""])
  })

  it("a limit order takes resting orders in price-time priority", () => {
    const desk = funded()
    const dear = desk.place("ann", limit(btc, "sell", "1", "101"))
    const first = desk.place("ben", limit(btc, "sell", "1", "100"))
    const second = desk.place("ann", limit(btc, "sell", "1", "100"))
    desk.place("sub", limit(btc, "buy", "1.5", "101"))
    assert.deepStrictEqual([progress(first), progress(second)], ["FILLED 1 of 1", "PARTIAL_FILLED 0.5 of 1"])
    assert.strictEqual(progress(dear), "NEW 0 of 1")
    desk.place("sub", limit(btc, "buy", "1", "101"))
    assert.deepStrictEqual(desk.trades(btc), ["1 @ 100", "0.5 @ 100", "0.5 @ 100", "0.5 @ 101"])
  })

  it("a partly filled order keeps its place in the queue", () => {
    const desk = funded()
    const first = desk.place("ann", limit(btc, "sell", "2", "100"))
    desk.place("ben", limit(btc, "sell", "2", "100"))
    for (const _ of [1, 2]) desk.place("sub", limit(btc, "buy", "1", "100"))
    assert.strictEqual(progress(first), "FILLED 2 of 2")
  })

  it("a limit order locks its cost, and releases the amount that a better price saves", () => {
    const desk = funded()
    desk.place("ann", limit(btc, "sell", "1", "100"))
    assert.strictEqual(desk.locked("ann", "trade"), "1 BTC")
    desk.place("ben", limit(btc, "buy", "2", "110"))
    assert.deepStrictEqual(desk.trades(btc), ["1 @ 100"])
    assert.strictEqual(desk.locked("ben", "trade"), "110 USDT")
    assert.strictEqual(desk.free("ben", "trade"), "10.999 BTC, 9790 USDT")
  })

  it("the fee is charged on the asset received, and goes to the exchange", () => {
    const desk = funded()
    const maker = desk.place("ann", limit(btc, "sell", "0.123457", "99.99"))
    const taker = desk.place("ben", limit(btc, "buy", "0.123457", "99.99"))
    assert.deepStrictEqual([maker.dealFee, taker.dealFee], [12344465430000000n, 123457000000000n])
    assert.strictEqual(desk.house(), "0.000123457 BTC, 0.01234446543 USDT")
  })

  it("closed orders share a single empty lock object", () => {
    const desk = funded()
    const part = desk.place("ann", limit(btc, "sell", "2", "100"))
    const orders = [desk.place("ann", limit(btc, "sell", "1", "99")), desk.place("ben", limit(btc, "sell", "1", "98"))]
    desk.place("sub", limit(btc, "buy", "3", "100"))
    assert.deepStrictEqual(orders[0]?.locked, { wallet: "trade", ticker: ticker("BTC"), units: 0n })
    assert.strictEqual(orders[0]?.locked, orders[1]?.locked)
    assert.strictEqual(part.locked?.units, units("1"))
  })

  it("a spot trade may change the sequence of the lender's balances, but not their amounts", () => {
    const desk = funded()
    const held = () => [...Ledger.balances(desk.state.ledger, "lender")]
    desk.place("ann", limit(btc, "sell", "1", "100"))
    // The outside market takes ann's order, so the lender pays USDT and receives BTC.
    desk.send(movePrice(btc, "101"))
    assert.deepStrictEqual(held(), [["BTC", units("1")], ["USDT", units("-100")]])
    desk.place("ann", limit(btc, "sell", "1", "102"))
    desk.place("ben", limit(btc, "buy", "1", "102"))
    // The trade passes BTC through the lender, which moves BTC to the end of the lender's balances.
    assert.deepStrictEqual(held(), [["USDT", units("-100")], ["BTC", units("1")]])
  })

  it("a limit order that costs more than the wallet holds is refused", () => {
    const desk = new Desk().fund("ann", "trade", "99.99 USDT")
    assert.propertyVal(desk.call("ann", limit(btc, "buy", "1", "100")), "why", "notEnoughBalance")
    assert.strictEqual(desk.free("ann", "trade"), "99.99 USDT")
  })

  it("an immediate-or-cancel order cancels the part that does not fill immediately", () => {
    const desk = funded()
    const none = desk.place("ann", limit(btc, "buy", "1", "100", { ioc: true }))
    desk.place("ben", limit(btc, "sell", "1", "100"))
    const part = desk.place("ann", limit(btc, "buy", "3", "100", { ioc: true }))
    assert.deepStrictEqual([progress(none), progress(part)], ["CANCELED 0 of 1", "PARTIAL_CANCELED 1 of 3"])
    assert.deepStrictEqual([desk.book(btc, "bids"), desk.locked("ann", "trade")], [[], ""])
  })

  it("a post-only order is refused if it would trade, and otherwise rests", () => {
    const desk = funded()
    desk.place("ben", limit(btc, "sell", "1", "100"))
    const reply = desk.call("ann", limit(btc, "buy", "1", "100", { postOnly: true }))
    assert.deepInclude(reply, { why: "notMaker", violations: [["postOnly", { kind: "maker" }]] })
    assert.strictEqual(progress(desk.place("ann", limit(btc, "buy", "1", "99.99", { postOnly: true }))), "NEW 0 of 1")
    assert.deepStrictEqual(desk.trades(btc), [])
  })

  it("an order can't be both immediate-or-cancel and post-only", () => {
    const reply = funded().call("ann", limit(btc, "buy", "1", "99", { postOnly: true, ioc: true }))
    assert.deepInclude(reply, { violations: [["ioc", { kind: "exclusive", with: "postOnly" }]] })
  })
})

describe("market orders", () => {
  it("a market sell trades through all the price levels that it needs", () => {
    const desk = funded()
    for (const price of ["100", "99", "98"]) desk.place("ben", limit(btc, "buy", "1", price))
    const order = desk.place("ann", market(btc, "sell", "2.5"))
    assert.strictEqual(progress(order), "FILLED 2.5 of 2.5")
    assert.deepStrictEqual(desk.trades(btc), ["1 @ 100", "1 @ 99", "0.5 @ 98"])
    assert.strictEqual(desk.free("ann", "trade"), "7.5 BTC, 10247.752 USDT")
  })

  it("a market buy by total releases a remainder that can't buy the smallest amount", () => {
    const desk = funded()
    desk.place("ben", limit(btc, "sell", "9", "30"))
    const order = desk.place("ann", market(btc, "buy", "100", { quoteAmount: true }))
    assert.deepStrictEqual([order.type, progress(order)], ["market", "FILLED 3.333333 of 100"])
    assert.deepStrictEqual([order.dealMoney, order.left], [99999990000000000000n, 10000000000000n])
    assert.strictEqual(desk.free("ann", "trade"), "13.329999667 BTC, 9900.00001 USDT")
  })

  it("a market buy trades whole units on a market without fractional amounts", () => {
    const desk = new Desk().fund("ben", "trade", "1000000 SHIB").fund("ann", "trade", "10 USDT")
    desk.place("ben", limit("SHIB_USDT", "sell", "1000000", "0.00001"))
    assert.strictEqual(
      progress(desk.place("ann", market("SHIB_USDT", "buy", "5.0000099", { quoteAmount: true }))),
      "FILLED 500000 of 5.0000099"
    )
    assert.strictEqual(desk.free("ann", "trade"), "499500 SHIB, 5 USDT")
  })

  it("a market buy is canceled, not filled, if its total can't buy the smallest amount", () => {
    const desk = funded()
    desk.place("ben", limit(btc, "sell", "0.00001", "9000000"))
    const order = desk.place("ann", market(btc, "buy", "5", { quoteAmount: true }))
    assert.strictEqual(progress(order), "CANCELED 0 of 5")
    assert.strictEqual(desk.free("ann", "trade"), "10 BTC, 10000 USDT")
  })

  it("a market order is canceled if the book is empty", () => {
    const desk = funded()
    const orders = [market(btc, "buy", "1"), market(btc, "sell", "1"), market(btc, "buy", "50", { quoteAmount: true })]
    for (const asked of orders) assert.strictEqual(desk.place("ann", asked).status, "CANCELED")
    assert.deepStrictEqual([desk.free("ann", "trade"), desk.locked("ann", "trade")], ["10 BTC, 10000 USDT", ""])
  })

  it("the unfilled part of a market order is canceled once the book is used up", () => {
    const desk = funded()
    desk.place("ben", limit(btc, "buy", "1", "100"))
    assert.strictEqual(progress(desk.place("ann", market(btc, "sell", "2"))), "PARTIAL_CANCELED 1 of 2")
    assert.strictEqual(desk.locked("ann", "trade"), "")
  })

  it("a market order locks its cost at the book's prices, and is refused if the wallet holds less", () => {
    const desk = funded().fund("cat", "trade", "204.99 USDT")
    for (const price of ["100", "105"]) desk.place("ben", limit(btc, "sell", "1", price))
    assert.propertyVal(desk.call("cat", market(btc, "buy", "2")), "why", "notEnoughBalance")
    desk.fund("cat", "trade", "0.01 USDT")
    assert.strictEqual(progress(desk.place("cat", market(btc, "buy", "2"))), "FILLED 2 of 2")
    assert.strictEqual(desk.free("cat", "trade"), "1.998 BTC")
  })

  it("the amount of a market sell is in the base currency, whatever the request states", () => {
    const desk = new Desk().fund("ann", "trade", "10000 SHIB")
    const reply = desk.call("ann", market("SHIB_USDT", "sell", "1000.5", { quoteAmount: true }))
    assert.deepInclude(reply, { violations: [["amount", { kind: "step", step: "1" }]] })
  })

  it("a market order stops at the taker band, which is ten percent from the best price", () => {
    const desk = funded()
    for (const price of ["100", "110", "110.01"]) desk.place("ben", limit(btc, "sell", "1", price))
    assert.strictEqual(progress(desk.place("ann", market(btc, "buy", "3"))), "CANCELED_TAKER_BAND 2 of 3")
    for (const price of ["100", "90", "89.99"]) desk.place("sub", limit(btc, "buy", "1", price))
    assert.strictEqual(progress(desk.place("ann", market(btc, "sell", "3"))), "CANCELED_TAKER_BAND 2 of 3")
    assert.strictEqual(desk.locked("ann", "trade"), "")
  })

  it("a market buy by total stops at the taker band", () => {
    const desk = funded()
    for (const price of ["100", "111"]) desk.place("ben", limit(btc, "sell", "1", price))
    const order = desk.place("ann", market(btc, "buy", "200", { quoteAmount: true }))
    assert.strictEqual(progress(order), "CANCELED_TAKER_BAND 1 of 200")
    assert.strictEqual(desk.free("ann", "trade"), "10.999 BTC, 9900 USDT")
  })
})

describe("self-trade prevention", () => {
  /** Places an order of ann's that would take her own resting order and then ben's. */
  const meet = (stp: SelfTradePrevention) => {
    const desk = funded()
    const own = desk.place("ann", limit(btc, "sell", "1", "100"))
    desk.place("ben", limit(btc, "sell", "1", "100"))
    const order = desk.place("ann", limit(btc, "buy", "2", "100", { stp }))
    return [progress(own), progress(order), ...desk.book(btc, "asks"), ...desk.book(btc, "bids")]
  }

  it("with stp `no`, an account's orders trade with each other", () => {
    assert.deepStrictEqual(meet("no"), ["FILLED 1 of 1", "FILLED 2 of 2"])
  })

  it("with stp `cancel_old`, the old order is canceled, and the new one continues", () => {
    assert.deepStrictEqual(meet("cancel_old"), ["CANCELED 0 of 1", "PARTIAL_FILLED 1 of 2", "1 @ 100"])
  })

  it("with stp `cancel_new`, the new order is canceled", () => {
    assert.deepStrictEqual(meet("cancel_new"), ["NEW 0 of 1", "CANCELED 0 of 2", "1 @ 100", "1 @ 100"])
  })

  it("with stp `cancel_both`, both orders are canceled", () => {
    assert.deepStrictEqual(meet("cancel_both"), ["CANCELED 0 of 1", "CANCELED 0 of 2", "1 @ 100"])
  })

  for (const stp of ["cancel_new", "cancel_both"] as const) {
    it(`with stp \`${stp}\`, the order's earlier trades remain`, () => {
      const desk = funded()
      desk.place("ben", limit(btc, "sell", "1", "99"))
      desk.place("ann", limit(btc, "sell", "1", "100"))
      assert.strictEqual(progress(desk.place("ann", limit(btc, "buy", "3", "100", { stp }))), "PARTIAL_CANCELED 1 of 3")
      assert.deepStrictEqual(desk.book(btc, "bids"), [])
    })
  }

  it("with stp `cancel_old`, a new order cancels all resting orders of its own account that it would take, even if it can't rest itself", () => {
    const desk = funded()
    for (const price of ["98", "99", "100"]) desk.place("ann", limit(btc, "sell", "1", price))
    desk.place("ben", limit(btc, "sell", "1", "100"))
    const order = desk.place("ann", limit(btc, "buy", "5", "101", { stp: "cancel_old", ioc: true }))
    assert.strictEqual(progress(order), "PARTIAL_CANCELED 1 of 5")
    assert.deepStrictEqual([desk.book(btc, "asks"), desk.book(btc, "bids"), desk.locked("ann", "trade")], [[], [], ""])
  })

  it("with stp `cancel_old`, a market order locks only the cost of trades with other accounts' orders", () => {
    const desk = funded()
    desk.place("ann", limit(btc, "sell", "0.5", "100"))
    desk.place("ben", limit(btc, "sell", "0.5", "105"))
    desk.place("ann", market(btc, "buy", "0.5", { stp: "cancel_old" }))
    assert.strictEqual(desk.free("ann", "trade"), "10.4995 BTC, 9947.5 USDT")
  })

  it("self-trade prevention treats a sub-account and its parent as different accounts", () => {
    const desk = funded()
    desk.place("sub", limit(btc, "sell", "1", "100"))
    const order = desk.place("ann", limit(btc, "buy", "1", "100", { stp: "cancel_both" }))
    assert.strictEqual(progress(order), "FILLED 1 of 1")
  })
})

describe("moving the price", () => {
  it("a price move fills bids above and asks below the new price, each at its own price, but no orders at the new price", () => {
    const desk = funded()
    const prices = ["101", "100", "99"]
    const [over, at, under] = prices.map((price) => desk.place("ann", limit(btc, "buy", "1", price)))
    desk.send(movePrice(btc, "100"))
    assert.deepStrictEqual([over, at, under].map((order) => order?.status), ["FILLED", "NEW", "NEW"])
    assert.deepStrictEqual(desk.trades(btc), ["1 @ 101"])
    assert.strictEqual(desk.free("ann", "trade"), "10.999 BTC, 9700 USDT")
    const ask = desk.place("ben", limit(btc, "sell", "1", "102"))
    desk.send(movePrice(btc, "103"))
    assert.strictEqual(progress(ask), "FILLED 1 of 1")
  })

  it("price moves trade with the outside market, and every asset is conserved", () => {
    const desk = funded()
    desk.place("ann", limit(btc, "sell", "1", "100"))
    desk.send(movePrice(btc, "101"))
    for (const [ticker, total] of Ledger.totals(desk.state.ledger)) assert.strictEqual(total, 0n, ticker)
  })
})
