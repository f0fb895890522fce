import { assert, describe, it } from "@effect/vitest"
import type { OrderSide } from "../../../src/domain/Order.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { type Account, Desk, limit, market, movePrice, oco, openPosition, progress } from "../../support/engine.ts"
import { stop, transfer } from "../../support/engine.ts"

const perp = "BTC_PERP"

/** ann and sub have 1000 USDT of collateral, cat 11; ben has more than enough. */
const funded = (dialect: Dialect.Dialect = Dialect.document): Desk =>
  new Desk(dialect.policy).fund("ann", "collateral", "1000 USDT").fund("sub", "collateral", "1000 USDT")
    .fund("cat", "collateral", "11 USDT").fund("ben", "collateral", "100000 USDT")

/** The position and the collateral that is left. */
const stands = (desk: Desk, account: Account) => [desk.position(account, perp), desk.free(account, "collateral")]

/** Trades with ben, as the taker. */
const trade = (desk: Desk, account: Account, side: OrderSide, amount: string, price: string, reduceOnly = false) => {
  desk.place("ben", limit(perp, side === "buy" ? "sell" : "buy", amount, price))
  return desk.place(account, limit(perp, side, amount, price, { reduceOnly }))
}

describe("a position", () => {
  it("is opened, increased, reduced and closed; its gains and losses are exact to the last digit", () => {
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

  it("flips: one part closes it, the rest opens the other way", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "1", "100")
    trade(desk, "ann", "sell", "3", "90")
    assert.deepStrictEqual(stands(desk, "ann"), ["-2 for 180", "989.7965 USDT"])
    trade(desk, "ann", "buy", "2", "80")
    assert.deepStrictEqual(stands(desk, "ann"), [undefined, "1009.7085 USDT"])
  })

  it("both sides pay their fee to the house: the taker's and the maker's", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "1", "100")
    assert.strictEqual(desk.house(), "0.065 USDT")
  })

  it("is closed without remainder when its cost does not divide", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "0.3", "100")
    trade(desk, "ann", "buy", "0.4", "100.1")
    for (const amount of ["0.1", "0.2", "0.4"]) trade(desk, "ann", "sell", amount, "100")
    // Bought for 70.04, sold for 70, and 0.055 % of both.
    assert.deepStrictEqual(stands(desk, "ann"), [undefined, "999.882978 USDT"])
  })

  it("loses no more than the wallet holds: the rest is the lender's", () => {
    const desk = funded()
    trade(desk, "cat", "buy", "1", "100")
    trade(desk, "cat", "sell", "1", "50", true)
    assert.deepStrictEqual(stands(desk, "cat"), [undefined, ""])
  })

  it("keeps a tenth of its cost in the wallet: it can be neither moved nor locked", () => {
    const desk = funded()
    trade(desk, "cat", "buy", "1", "100")
    assert.strictEqual(desk.free("cat", "collateral"), "10.945 USDT")
    const away = (amount: string) => desk.call("cat", transfer("collateral", "main", "USDT", amount))
    assert.propertyVal(away("0.9451"), "why", "notEnoughBalance")
    assert.propertyVal(desk.call("cat", limit(perp, "buy", "0.1", "100")), "why", "notEnoughBalance")
    assert.strictEqual(away("0.945")._tag, "Done")
    assert.strictEqual(desk.free("cat", "main"), "0.945 USDT")
  })

  it("of a collateral market is separate from the spot wallets: it moves no coins", () => {
    const desk = funded().fund("ben", "trade", "10 BTC")
    desk.place("ben", limit("BTC_USDT", "sell", "1", "100"))
    desk.place("ann", limit("BTC_USDT", "buy", "1", "100", { collateral: true }))
    assert.strictEqual(desk.position("ann", "BTC_USDT"), "1 for 100")
    assert.deepStrictEqual([desk.free("ann", "collateral"), desk.free("ann", "trade")], ["999.9 USDT", ""])
    assert.strictEqual(desk.free("ben", "trade"), "9 BTC, 99.9 USDT")
  })

  it("is closed and opened anew by a trade with oneself, at the price of that trade", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "1", "100")
    desk.place("ann", limit(perp, "buy", "2", "90"))
    desk.place("ann", limit(perp, "sell", "2", "90"))
    assert.strictEqual(desk.position("ann", perp), "1 for 90")
  })
})

describe("reduce-only", () => {
  const reduceOnly = { reduceOnly: true }

  it("is capped to the position", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "1", "100")
    const order = desk.place("ann", limit(perp, "sell", "5", "120", reduceOnly))
    assert.deepStrictEqual([order.amount, progress(order)], ["1", "NEW 0 of 1"])
    assert.deepStrictEqual(desk.book(perp, "asks"), ["1 @ 120"])
  })

  it("names the side that it reduces; an order that may open names none, and an OCO order the side that it opens", () => {
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

  it("needs no collateral of its own", () => {
    const desk = funded()
    trade(desk, "cat", "buy", "1", "100")
    desk.place("cat", limit(perp, "sell", "1", "120", reduceOnly))
    assert.strictEqual(desk.locked("cat", "collateral"), "")
  })

  it("is refused without a position, and on the position's own side", () => {
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

  it("is refused on the spot, which has no positions, even beside one on margin", () => {
    const desk = funded().fund("ben", "trade", "10 BTC", "1000 USDT")
    desk.place("ben", limit("BTC_USDT", "sell", "1", "100"))
    desk.place("ann", limit("BTC_USDT", "buy", "1", "100", { collateral: true }))
    desk.place("ben", limit("BTC_USDT", "buy", "1", "100"))
    assert.propertyVal(desk.call("ann", limit("BTC_USDT", "sell", "1", "100", reduceOnly)), "why", "reduceOnly")
    assert.strictEqual(desk.free("ann", "trade"), "")
  })

  it("is refused by its field where the policy only announces it", () => {
    const announced = { ...Dialect.document, policy: { ...Dialect.document.policy, reduceOnly: "announced" as const } }
    const desk = funded(announced)
    const pair = oco(perp, "buy", "1", "90", "110", "112", reduceOnly)
    for (const asked of [limit(perp, "buy", "1", "90", reduceOnly), pair]) {
      assert.deepInclude(desk.call("ann", asked), { violations: [["reduceOnly", { kind: "accepted" }]] })
    }
  })

  it("is canceled when the position closes", () => {
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

  it("is canceled when the position flips, by a maker too", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "1", "100")
    const order = desk.place("ann", limit(perp, "sell", "1", "120", reduceOnly))
    desk.place("ann", limit(perp, "sell", "3", "110"))
    desk.place("ben", limit(perp, "buy", "3", "110"))
    assert.strictEqual(desk.position("ann", perp), "-2 for 220")
    assert.strictEqual(progress(order), "AUTO_CANCELED_REDUCE_ONLY 0 of 1")
  })

  it("two of them together reduce no more than the position", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "1", "100")
    const [one, other] = ["110", "111"].map((price) => desk.place("ann", limit(perp, "sell", "1", price, reduceOnly)))
    desk.place("ben", limit(perp, "buy", "2", "120"))
    assert.deepStrictEqual([one?.status, other?.status], ["FILLED", "AUTO_CANCELED_REDUCE_ONLY"])
    assert.deepStrictEqual([desk.position("ann", perp), desk.book(perp, "bids")], [undefined, ["1 @ 120"]])
  })

  it("rests with more than is left to reduce, and then takes only that", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "2", "100")
    const order = desk.place("ann", limit(perp, "sell", "2", "110", reduceOnly))
    trade(desk, "ann", "sell", "1.5", "105")
    desk.place("ben", limit(perp, "buy", "2", "110"))
    assert.isUndefined(desk.position("ann", perp))
    assert.strictEqual(progress(order), "AUTO_CANCELED_REDUCE_ONLY 0.5 of 2")
  })

  it("is filled by a moving price as far as there is something to reduce", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "1", "100")
    for (const price of ["101", "102", "103"]) desk.place("ann", limit(perp, "sell", "0.6", price, reduceOnly))
    desk.send(movePrice(perp, "104"))
    assert.deepStrictEqual(desk.trades(perp).slice(1), ["0.6 @ 101", "0.4 @ 102"])
    assert.deepStrictEqual([desk.position("ann", perp), desk.book(perp, "asks")], [undefined, []])
  })

  it("a triggered stop-loss takes only what there is to reduce", () => {
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

  it("an amount in quote currency is not capped: it buys the position back, and no more", () => {
    const desk = funded()
    trade(desk, "ann", "sell", "0.5", "100")
    desk.place("ben", limit(perp, "sell", "2", "100"))
    const order = desk.place("ann", market(perp, "buy", "80", { quoteAmount: true, reduceOnly: true }))
    assert.isUndefined(desk.position("ann", perp))
    assert.strictEqual(progress(order), "AUTO_CANCELED_REDUCE_ONLY 0.5 of 80")
  })

  it("a market order on the spot locks what such makers really sell, not what they offer", () => {
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

describe("a plain order that closes a position", () => {
  const away = (desk: Desk, account: Account, amount: string) =>
    desk.call(account, transfer("collateral", "main", "USDT", amount))

  it("locks nothing while it closes, and its margin once the position is closed otherwise", () => {
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

  it("is canceled when there is no margin for it", () => {
    const desk = funded()
    trade(desk, "cat", "buy", "1", "100")
    const order = desk.place("cat", limit(perp, "sell", "1", "120"))
    trade(desk, "cat", "sell", "1", "100", true)
    assert.deepStrictEqual([progress(order), desk.locked("cat", "collateral")], ["CANCELED 0 of 1", ""])
  })

  it("of several, the oldest keep what is left to close", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "2", "100")
    for (const price of ["120", "121"]) desk.place("ann", limit(perp, "sell", "1", price))
    desk.send(openPosition("ann", perp, "sell", "1", "100"))
    // A tenth of 121, and 0.055 % of it.
    assert.strictEqual(desk.locked("ann", "collateral"), "12.16655 USDT")
  })

  it("is a stop-limit or an OCO order too, which locks once for both legs", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "2", "100")
    desk.place("ann", stop(perp, "sell", "1", "85", "90"))
    const pair = desk.placeOco("ann", oco(perp, "sell", "1", "130", "90", "85"))
    assert.strictEqual(desk.locked("ann", "collateral"), "")
    trade(desk, "ann", "sell", "2", "100", true)
    // Of 85 and of 130.
    assert.strictEqual(desk.locked("ann", "collateral"), "21.61825 USDT")
    desk.call("ann", { _tag: "CancelOco", market: pair.stopLoss.market, orderId: pair.id })
    assert.strictEqual(desk.locked("ann", "collateral"), "8.54675 USDT")
  })

  it("gives back the lock of its opening part only when that part trades", () => {
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

describe("the margin of what an order opens", () => {
  it("is that of the price at which a sale trades, not of its limit", () => {
    const desk = funded()
    desk.place("ben", limit(perp, "buy", "1", "200"))
    assert.propertyVal(desk.call("cat", limit(perp, "sell", "1", "100")), "why", "notEnoughBalance")
    desk.fund("cat", "collateral", "9.11 USDT")
    desk.place("cat", limit(perp, "sell", "1", "100"))
    assert.deepStrictEqual(stands(desk, "cat"), ["-1 for 200", "20 USDT"])
  })

  it("is its own: the loss of what the order closes does not touch it while the order rests", () => {
    const desk = funded().fund("cat", "collateral", "10 USDT")
    trade(desk, "cat", "buy", "1", "100")
    const order = desk.place("cat", limit(perp, "sell", "2", "50"))
    desk.place("ben", limit(perp, "buy", "2", "50"))
    assert.strictEqual(progress(order), "FILLED 2 of 2")
    assert.deepStrictEqual(stands(desk, "cat"), ["-1 for 50", "5.0225 USDT"])
  })

  it("is not there when the loss of what a taker closes has eaten it: the order closes, and opens nothing", () => {
    const desk = funded().fund("cat", "collateral", "10 USDT")
    trade(desk, "cat", "buy", "1", "100")
    desk.place("ben", limit(perp, "buy", "2", "50"))
    const order = desk.place("cat", limit(perp, "sell", "2", "50"))
    assert.strictEqual(progress(order), "PARTIAL_CANCELED 1 of 2")
    assert.deepStrictEqual([...stands(desk, "cat"), desk.locked("cat", "collateral")], [undefined, "", ""])
  })

  it("is there when the owner opens a position over another one that loses", () => {
    const desk = funded()
    trade(desk, "cat", "buy", "1", "100")
    const flip = openPosition("cat", perp, "sell", "2", "50")
    assert.propertyVal(desk.send(flip).reply, "why", "notEnoughBalance")
    desk.fund("cat", "collateral", "44.06 USDT")
    assert.strictEqual(desk.send(flip).reply._tag, "Done")
    assert.deepStrictEqual(stands(desk, "cat"), ["-1 for 50", "5.005 USDT"])
  })
})
