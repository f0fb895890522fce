import { assert, describe, it } from "@effect/vitest"
import { Amount } from "../../../src/domain/Decimal.ts"
import type { OrderSide } from "../../../src/domain/Order.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import {
  type Account,
  Desk,
  limit,
  market,
  modify,
  movePrice,
  oco,
  openPosition,
  progress
} from "../../support/engine.ts"
import { stop, transfer } from "../../support/engine.ts"

const perp = "BTC_PERP"

/** ann and sub have 1000 USDT of collateral, cat has 11 USDT, and ben has more than enough. */
const funded = (dialect: Dialect.Dialect = Dialect.document): Desk =>
  new Desk(dialect.policy).fund("ann", "collateral", "1000 USDT").fund("sub", "collateral", "1000 USDT")
    .fund("cat", "collateral", "11 USDT").fund("ben", "collateral", "100000 USDT")

/** Returns an account's position and its remaining collateral. */
const stands = (desk: Desk, account: Account) => [desk.position(account, perp), desk.free(account, "collateral")]

/** Trades with ben as the maker. */
const trade = (desk: Desk, account: Account, side: OrderSide, amount: string, price: string, reduceOnly = false) => {
  desk.place("ben", limit(perp, side === "buy" ? "sell" : "buy", amount, price))
  return desk.place(account, limit(perp, side, amount, price, { reduceOnly }))
}

describe("opening and closing positions", () => {
  it("a position is opened, increased, reduced and closed, with profits and losses exact to the last digit", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "1", "100")
    assert.deepStrictEqual(stands(desk, "ann"), ["1 for 100", "999.945 USDT"])
    trade(desk, "ann", "buy", "1", "110")
    assert.deepStrictEqual(stands(desk, "ann"), ["2 for 210", "999.8845 USDT"])
    trade(desk, "ann", "sell", "1", "120")
    assert.deepStrictEqual(stands(desk, "ann"), ["1 for 105", "1014.8185 USDT"])
    trade(desk, "ann", "sell", "1", "100")
    assert.deepStrictEqual(stands(desk, "ann"), [undefined, "1009.7635 USDT"])
  })

  it("an order can flip a position: one part closes it, and the rest opens the other side", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "1", "100")
    trade(desk, "ann", "sell", "3", "90")
    assert.deepStrictEqual(stands(desk, "ann"), ["-2 for 180", "989.7965 USDT"])
    trade(desk, "ann", "buy", "2", "80")
    assert.deepStrictEqual(stands(desk, "ann"), [undefined, "1009.7085 USDT"])
  })

  it("both sides of a trade pay the exchange a fee, either the taker fee or the maker fee", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "1", "100")
    assert.strictEqual(desk.house(), "0.065 USDT")
  })

  it("a position closes without a remainder even if its cost does not divide evenly", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "0.3", "100")
    trade(desk, "ann", "buy", "0.4", "100.1")
    for (const amount of ["0.1", "0.2", "0.4"]) trade(desk, "ann", "sell", amount, "100")
    // Bought for 70.04 and sold for 70, with a fee of 0.055 % on both.
    assert.deepStrictEqual(stands(desk, "ann"), [undefined, "999.882978 USDT"])
  })

  it("the margin of a position, a tenth of its cost, stays in the wallet but can't be transferred or locked", () => {
    const desk = funded()
    trade(desk, "cat", "buy", "1", "100")
    assert.strictEqual(desk.free("cat", "collateral"), "10.945 USDT")
    const away = (amount: string) => desk.call("cat", transfer("collateral", "main", "USDT", amount))
    assert.propertyVal(away("0.9451"), "why", "notEnoughBalance")
    assert.propertyVal(desk.call("cat", limit(perp, "buy", "0.1", "100")), "why", "notEnoughBalance")
    assert.strictEqual(away("0.945")._tag, "Done")
    assert.strictEqual(desk.free("cat", "main"), "0.945 USDT")
  })

  it("a margin position leaves the account's spot wallet unchanged", () => {
    const desk = funded().fund("ben", "trade", "10 BTC")
    desk.place("ben", limit("BTC_USDT", "sell", "1", "100"))
    desk.place("ann", limit("BTC_USDT", "buy", "1", "100", { collateral: true }))
    assert.strictEqual(desk.position("ann", "BTC_USDT"), "1 for 100")
    assert.deepStrictEqual([desk.free("ann", "collateral"), desk.free("ann", "trade")], ["999.9 USDT", ""])
    assert.strictEqual(desk.free("ben", "trade"), "9 BTC, 99.9 USDT")
  })

  it("a self-trade closes and reopens the position at the trade's price", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "1", "100")
    desk.place("ann", limit(perp, "buy", "2", "90"))
    desk.place("ann", limit(perp, "sell", "2", "90"))
    assert.strictEqual(desk.position("ann", perp), "1 for 90")
  })
})

describe("reduce-only orders", () => {
  const reduceOnly = { reduceOnly: true }

  it("a reduce-only order is capped at the position's size", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "1", "100")
    const order = desk.place("ann", limit(perp, "sell", "5", "120", reduceOnly))
    assert.deepStrictEqual([order.amount, progress(order)], ["1", "NEW 0 of 1"])
    assert.deepStrictEqual(desk.book(perp, "asks"), ["1 @ 120"])
  })

  it("a reduce-only order has its position's side; without reduceOnly, an OCO order has the side that it would open, and any other order has BOTH", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "2", "100")
    trade(desk, "sub", "sell", "2", "100")
    for (const [account, side, reduced] of [["ann", "sell", "LONG"], ["sub", "buy", "SHORT"]] as const) {
      const [price, trigger] = side === "sell" ? ["130", "90"] as const : ["70", "110"] as const
      assert.strictEqual(desk.place(account, limit(perp, side, "1", price, reduceOnly)).positionSide, reduced)
      assert.strictEqual(desk.place(account, limit(perp, side, "1", price)).positionSide, "BOTH")
      assert.strictEqual(desk.place(account, stop(perp, side, "1", trigger, trigger)).positionSide, "BOTH")
      const pair = desk.placeOco(account, oco(perp, side, "1", price, trigger, trigger, reduceOnly))
      assert.deepStrictEqual([pair.stopLoss.positionSide, pair.takeProfit.positionSide], [reduced, reduced])
      const plain = desk.placeOco(account, oco(perp, side, "1", price, trigger, trigger))
      assert.strictEqual(plain.takeProfit.positionSide, side === "buy" ? "LONG" : "SHORT")
    }
  })

  it("in the live dialect, every order has the position side BOTH", () => {
    const desk = funded(Dialect.live)
    trade(desk, "ann", "buy", "2", "100")
    const reducing = desk.place("ann", limit(perp, "sell", "1", "130", reduceOnly))
    const pair = desk.placeOco("ann", oco(perp, "sell", "1", "130", "90", "90"))
    const sides = [reducing, pair.stopLoss, pair.takeProfit].map(({ positionSide }) => positionSide)
    assert.deepStrictEqual(sides, ["BOTH", "BOTH", "BOTH"])
  })

  it("a reduce-only order needs no additional collateral", () => {
    const desk = funded()
    trade(desk, "cat", "buy", "1", "100")
    desk.place("cat", limit(perp, "sell", "1", "120", reduceOnly))
    assert.strictEqual(desk.locked("cat", "collateral"), "")
  })

  it("a reduce-only order is refused without a position, or if it would increase the position", () => {
    const desk = funded()
    const asked = [
      limit(perp, "buy", "1", "90", reduceOnly),
      market(perp, "buy", "1", reduceOnly),
      oco(perp, "buy", "1", "90", "110", "112", reduceOnly)
    ]
    for (const order of asked) assert.propertyVal(desk.call("ann", order), "why", "reduceOnly")
    trade(desk, "ann", "buy", "1", "100")
    for (const order of asked) assert.propertyVal(desk.call("ann", order), "why", "reduceOnly")
    trade(desk, "ann", "sell", "2", "100")
    for (const order of asked) assert.notProperty(desk.call("ann", order), "why")
  })

  it("a reduce-only order is refused on spot markets, even with a position on margin", () => {
    const desk = funded().fund("ben", "trade", "10 BTC", "1000 USDT")
    desk.place("ben", limit("BTC_USDT", "sell", "1", "100"))
    desk.place("ann", limit("BTC_USDT", "buy", "1", "100", { collateral: true }))
    desk.place("ben", limit("BTC_USDT", "buy", "1", "100"))
    assert.propertyVal(desk.call("ann", limit("BTC_USDT", "sell", "1", "100", reduceOnly)), "why", "reduceOnly")
    assert.strictEqual(desk.free("ann", "trade"), "")
  })

  it("a reduce-only order is refused because of its `reduceOnly` field if the policy does not support the field", () => {
    const announced = { ...Dialect.document, policy: { ...Dialect.document.policy, reduceOnly: "announced" as const } }
    const desk = funded(announced)
    const pair = oco(perp, "buy", "1", "90", "110", "112", reduceOnly)
    for (const asked of [limit(perp, "buy", "1", "90", reduceOnly), pair]) {
      assert.deepInclude(desk.call("ann", asked), { violations: [["reduceOnly", { kind: "accepted" }]] })
    }
  })

  it("a reduce-only order is canceled when the position closes", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "1", "100")
    const order = desk.place("ann", limit(perp, "sell", "1", "120", reduceOnly))
    const pair = desk.placeOco("ann", oco(perp, "sell", "1", "130", "90", "89", reduceOnly))
    trade(desk, "ann", "sell", "1", "105")
    assert.strictEqual(progress(order), "AUTO_CANCELED_REDUCE_ONLY 0 of 1")
    for (const leg of [pair.stopLoss, pair.takeProfit]) {
      assert.strictEqual(progress(leg), "AUTO_CANCELED_REDUCE_ONLY 0 of 1")
    }
    assert.deepStrictEqual([desk.book(perp, "asks"), desk.state.ocoOrders.size], [[], 0])
  })

  it("a reduce-only order is canceled when the position flips, even if the account is the maker", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "1", "100")
    const order = desk.place("ann", limit(perp, "sell", "1", "120", reduceOnly))
    desk.place("ann", limit(perp, "sell", "3", "110"))
    desk.place("ben", limit(perp, "buy", "3", "110"))
    assert.strictEqual(desk.position("ann", perp), "-2 for 220")
    assert.strictEqual(progress(order), "AUTO_CANCELED_REDUCE_ONLY 0 of 1")
  })

  it("two reduce-only orders together close no more than the position", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "1", "100")
    const [one, other] = ["110", "111"].map((price) => desk.place("ann", limit(perp, "sell", "1", price, reduceOnly)))
    desk.place("ben", limit(perp, "buy", "2", "120"))
    assert.deepStrictEqual([one?.status, other?.status], ["FILLED", "AUTO_CANCELED_REDUCE_ONLY"])
    assert.deepStrictEqual([desk.position("ann", perp), desk.book(perp, "bids")], [undefined, ["1 @ 120"]])
  })

  it("a reduce-only order can rest with more than the position's size, but fills at most that size", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "2", "100")
    const order = desk.place("ann", limit(perp, "sell", "2", "110", reduceOnly))
    trade(desk, "ann", "sell", "1.5", "105")
    desk.place("ben", limit(perp, "buy", "2", "110"))
    assert.isUndefined(desk.position("ann", perp))
    assert.strictEqual(progress(order), "AUTO_CANCELED_REDUCE_ONLY 0.5 of 2")
  })

  it("a price move fills a reduce-only order only up to the position's size", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "1", "100")
    for (const price of ["101", "102", "103"]) desk.place("ann", limit(perp, "sell", "0.6", price, reduceOnly))
    desk.send(movePrice(perp, "104"))
    assert.deepStrictEqual(desk.trades(perp).slice(1), ["0.6 @ 101", "0.4 @ 102"])
    assert.deepStrictEqual([desk.position("ann", perp), desk.book(perp, "asks")], [undefined, []])
  })

  it("a triggered reduce-only stop-loss fills only up to the position's size", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "2", "100")
    const { stopLoss } = desk.placeOco("ann", oco(perp, "sell", "2", "130", "90", "85", reduceOnly))
    trade(desk, "ann", "sell", "1.5", "105")
    desk.place("ben", limit(perp, "buy", "2", "89"))
    trade(desk, "cat", "buy", "0.1", "90")
    assert.isUndefined(desk.position("ann", perp))
    assert.strictEqual(progress(stopLoss), "AUTO_CANCELED_REDUCE_ONLY 0.5 of 2")
    assert.deepStrictEqual([desk.book(perp, "bids"), desk.book(perp, "asks")], [["1.5 @ 89"], []])
  })

  it("a reduce-only amount in quote currency is not capped when the order is placed, but the order buys back only the position", () => {
    const desk = funded()
    trade(desk, "ann", "sell", "0.5", "100")
    desk.place("ben", limit(perp, "sell", "2", "100"))
    const order = desk.place("ann", market(perp, "buy", "80", { quoteAmount: true, reduceOnly: true }))
    assert.isUndefined(desk.position("ann", perp))
    assert.strictEqual(progress(order), "AUTO_CANCELED_REDUCE_ONLY 0.5 of 80")
  })

  it("a market order locks the cost of only the amount that reduce-only makers can still sell, even if they offer more", () => {
    const desk = funded().fund("ben", "trade", "10 BTC").fund("cat", "trade", "204.99 USDT")
    desk.place("ben", limit("BTC_USDT", "sell", "1", "100"))
    desk.place("ann", limit("BTC_USDT", "buy", "1", "100", { collateral: true }))
    const reducing = limit("BTC_USDT", "sell", "1", "100", { collateral: true, reduceOnly: true })
    for (const _ of [1, 2]) desk.place("ann", reducing)
    desk.place("ben", limit("BTC_USDT", "sell", "1", "105"))
    assert.propertyVal(desk.call("cat", market("BTC_USDT", "buy", "2")), "why", "notEnoughBalance")
    desk.fund("cat", "trade", "0.01 USDT")
    assert.strictEqual(progress(desk.place("cat", market("BTC_USDT", "buy", "2"))), "FILLED 2 of 2")
    assert.strictEqual(desk.free("cat", "trade"), "1.998 BTC")
  })
})

describe("orders that close a position without being reduce-only", () => {
  const away = (desk: Desk, account: Account, amount: string) =>
    desk.call(account, transfer("collateral", "main", "USDT", amount))

  it("a closing order without reduceOnly locks margin only after another order has closed the position", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "1", "100")
    const order = desk.place("ann", limit(perp, "sell", "1", "120"))
    assert.strictEqual(desk.locked("ann", "collateral"), "")
    trade(desk, "ann", "sell", "1", "100", true)
    assert.deepStrictEqual([progress(order), desk.locked("ann", "collateral")], ["NEW 0 of 1", "12.066 USDT"])
    assert.propertyVal(away(desk, "ann", "999"), "why", "notEnoughBalance")
    desk.place("ben", limit(perp, "buy", "1", "120"))
    assert.deepStrictEqual(stands(desk, "ann"), ["-1 for 120", "999.878 USDT"])
  })

  it("a closing order without reduceOnly is accepted even if losses have used up the margin", () => {
    const desk = funded()
    trade(desk, "cat", "buy", "1", "100")
    trade(desk, "cat", "sell", "0.5", "92", true)
    // The rest of the position needs a margin of 4.6 USDT, and has an unrealized loss of 4 USDT.
    assert.deepStrictEqual(stands(desk, "cat"), ["0.5 for 50", "6.9197 USDT"])
    const order = desk.place("cat", limit(perp, "sell", "0.4", "100"))
    const reply = desk.call("cat", modify(order, { amount: Amount.make("0.5") }))
    assert.strictEqual(reply._tag, "OrderModified")
    desk.place("ben", limit(perp, "buy", "0.5", "100"))
    assert.isUndefined(desk.position("cat", perp))
  })

  it("when a position is closed, an order that would now open one is canceled if the wallet lacks the margin", () => {
    const desk = funded()
    trade(desk, "cat", "buy", "1", "100")
    const order = desk.place("cat", limit(perp, "sell", "1", "120"))
    trade(desk, "cat", "sell", "1", "100", true)
    assert.deepStrictEqual([progress(order), desk.locked("cat", "collateral")], ["CANCELED 0 of 1", ""])
  })

  it("when a position shrinks, the oldest closing orders still need no margin", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "2", "100")
    for (const price of ["120", "121"]) desk.place("ann", limit(perp, "sell", "1", price))
    desk.send(openPosition("ann", perp, "sell", "1", "100"))
    // Only the order at 121 locks margin: a tenth of 121, plus the fee of 0.055 %.
    assert.strictEqual(desk.locked("ann", "collateral"), "12.16655 USDT")
  })

  it("stop-limit and OCO orders lock no margin while they would close a position; after that, an OCO order locks margin once for both legs", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "2", "100")
    desk.place("ann", stop(perp, "sell", "1", "85", "90"))
    const pair = desk.placeOco("ann", oco(perp, "sell", "1", "130", "90", "85"))
    assert.strictEqual(desk.locked("ann", "collateral"), "")
    trade(desk, "ann", "sell", "2", "100", true)
    // The locks are the margin and the fee at 85 for the stop-limit order, and at 130 for the OCO order.
    assert.strictEqual(desk.locked("ann", "collateral"), "21.61825 USDT")
    desk.call("ann", { _tag: "CancelOco", market: pair.stopLoss.market, orderId: pair.id })
    assert.strictEqual(desk.locked("ann", "collateral"), "8.54675 USDT")
  })

  it("an order that flips a position releases the lock on its opening part only when that part trades", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "1", "100")
    desk.place("ann", limit(perp, "sell", "3", "100"))
    assert.strictEqual(desk.locked("ann", "collateral"), "20.11 USDT")
    desk.place("ben", limit(perp, "buy", "1", "100"))
    assert.deepStrictEqual([desk.position("ann", perp), desk.locked("ann", "collateral")], [undefined, "20.11 USDT"])
    desk.place("ben", limit(perp, "buy", "1", "100"))
    assert.deepStrictEqual([desk.position("ann", perp), desk.locked("ann", "collateral")], [
      "-1 for 100",
      "10.055 USDT"
    ])
  })
})

describe("the margin of orders that open positions", () => {
  it("a sell order locks margin for the price at which it trades, not for its limit", () => {
    const desk = funded()
    desk.place("ben", limit(perp, "buy", "1", "200"))
    assert.propertyVal(desk.call("cat", limit(perp, "sell", "1", "100")), "why", "notEnoughBalance")
    desk.fund("cat", "collateral", "9.11 USDT")
    desk.place("cat", limit(perp, "sell", "1", "100"))
    assert.deepStrictEqual(stands(desk, "cat"), ["-1 for 200", "20 USDT"])
  })

  it("a loss on the closing part does not use the margin of a resting order", () => {
    const desk = funded().fund("cat", "collateral", "44.0925 USDT")
    trade(desk, "cat", "buy", "1", "100")
    const order = desk.place("cat", limit(perp, "sell", "2", "50"))
    desk.place("ben", limit(perp, "buy", "2", "50"))
    assert.strictEqual(progress(order), "FILLED 2 of 2")
    assert.deepStrictEqual(stands(desk, "cat"), ["-1 for 50", "5.0275 USDT"])
  })

  it("a taker opens nothing if the loss on its closing part has used up the margin", () => {
    const desk = funded().fund("cat", "collateral", "10 USDT")
    trade(desk, "cat", "buy", "1", "100")
    desk.place("ben", limit(perp, "buy", "2", "50"))
    const order = desk.place("cat", limit(perp, "sell", "2", "50"))
    assert.strictEqual(progress(order), "PARTIAL_CANCELED 1 of 2")
    assert.deepStrictEqual([...stands(desk, "cat"), desk.locked("cat", "collateral")], [undefined, "", ""])
  })

  it("the owner can flip a losing position only if the collateral covers the loss and the new margin", () => {
    const desk = funded()
    trade(desk, "cat", "buy", "1", "100")
    const flip = openPosition("cat", perp, "sell", "2", "50")
    assert.propertyVal(desk.send(flip).reply, "why", "notEnoughBalance")
    // The mark price is still 100, so the short position starts with a loss of 50, and needs a margin of 10.
    desk.fund("cat", "collateral", "99.05 USDT")
    assert.propertyVal(desk.send(flip).reply, "why", "notEnoughBalance")
    desk.fund("cat", "collateral", "0.005 USDT")
    assert.strictEqual(desk.send(flip).reply._tag, "Done")
    assert.deepStrictEqual(stands(desk, "cat"), ["-1 for 50", "60 USDT"])
  })
})
