import { assert, describe, it } from "@effect/vitest"
import type { BboRole } from "../../../src/domain/Order.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { call, Desk, limit, movePrice, openPosition, progress, stop, stopMarket } from "../../support/engine.ts"

const btc = "BTC_USDT"

/**
 * A desk on which every account except cat has funds. The last price is 100, unless a test sets another.
 */
const funded = (options: { readonly dialect?: Dialect.Dialect; readonly last?: string } = {}): Desk => {
  const { dialect = Dialect.document, last = "100" } = options
  const desk = new Desk(dialect.policy)
  for (const account of ["ann", "ben", "sub"] as const) desk.fund(account, "trade", "10 BTC", "10000 USDT")
  if (last !== "") desk.send(movePrice(btc, last))
  return desk
}

describe("stop activation in the document's policy", () => {
  it("in the document's policy, a buy stop is triggered at or above its activation price", () => {
    const desk = funded()
    const order = desk.place("ann", stop(btc, "buy", "1", "120", "110"))
    assert.deepInclude(order.stop, { condition: "gte", activated: false })
    desk.send(movePrice(btc, "109.99"))
    assert.isUndefined(order.queued)
    desk.send(movePrice(btc, "110"))
    assert.deepStrictEqual([progress(order), order.stop?.activated], ["FILLED 1 of 1", true])
  })

  it("in the document's policy, a sell stop is triggered at or below its activation price", () => {
    const desk = funded()
    const order = desk.place("ann", stop(btc, "sell", "1", "80", "90"))
    assert.deepInclude(order.stop, { condition: "lte", activated: false })
    desk.send(movePrice(btc, "90.01"))
    assert.isUndefined(order.queued)
    desk.send(movePrice(btc, "90"))
    assert.deepStrictEqual([progress(order), order.stop?.activated], ["FILLED 1 of 1", true])
  })

  it("a stop order whose activation price is already reached is triggered immediately", () => {
    const desk = funded()
    assert.deepInclude(desk.place("ann", stop(btc, "buy", "1", "95", "90")).stop, { activated: true })
    assert.deepInclude(desk.place("ann", stop(btc, "sell", "1", "105", "110")).stop, { activated: true })
    assert.deepStrictEqual([desk.book(btc, "bids"), desk.book(btc, "asks")], [["1 @ 95"], ["1 @ 105"]])
  })

  it("no stop order is triggered while its market has no price", () => {
    const desk = funded({ last: "" })
    assert.deepInclude(desk.place("ann", stop(btc, "buy", "1", "95", "90")).stop, { activated: false })
    assert.deepStrictEqual(desk.book(btc, "bids"), [])
  })
})

describe("stop activation in the live policy", () => {
  const live = { dialect: Dialect.live }

  it("in the live policy, the current price determines whether a rise or a fall triggers a stop order", () => {
    const desk = funded(live)
    const below = desk.place("ann", stop(btc, "buy", "1", "95", "90"))
    const above = desk.place("ben", stop(btc, "sell", "1", "105", "110"))
    assert.deepStrictEqual([below.stop?.condition, above.stop?.condition], ["lte", "gte"])
    assert.deepStrictEqual([below.stop?.activated, above.stop?.activated], [false, false])
    desk.send(movePrice(btc, "90"))
    desk.send(movePrice(btc, "110"))
    assert.deepStrictEqual([below.stop?.activated, above.stop?.activated], [true, true])
    assert.deepStrictEqual(desk.trades(btc), ["1 @ 90", "1 @ 110"])
  })

  it("in the live policy, a stop order's side determines its trigger direction if there is no price", () => {
    const desk = funded({ ...live, last: "" })
    assert.strictEqual(desk.place("ann", stop(btc, "buy", "1", "95", "90")).stop?.condition, "gte")
  })
})

describe("triggering stop orders", () => {
  it("a stop order locks its cost, and is not in the book before it is triggered", () => {
    const desk = funded()
    desk.place("ann", stop(btc, "buy", "2", "120", "110"))
    assert.deepStrictEqual([desk.locked("ann", "trade"), desk.book(btc, "bids")], ["240 USDT", []])
  })

  it("a trade triggers a stop order, which keeps its id and type and trades like a limit order", () => {
    const desk = funded()
    const order = desk.place("ann", stop(btc, "buy", "1", "120", "110"))
    const id = order.id
    for (const price of ["110", "112"]) desk.place("ben", limit(btc, "sell", "1", price))
    desk.place("sub", limit(btc, "buy", "1", "110"))
    assert.deepStrictEqual([order.id, order.type, progress(order)], [id, "stop limit", "FILLED 1 of 1"])
    assert.deepStrictEqual(desk.trades(btc), ["1 @ 110", "1 @ 112"])
    assert.strictEqual(desk.free("ann", "trade"), "10.999 BTC, 9888 USDT")
  })

  it("a stop order's trades trigger other stop orders in turn", () => {
    const desk = funded()
    for (const price of ["95", "90"]) desk.place("ben", limit(btc, "buy", "1", price))
    desk.place("ben", limit(btc, "buy", "1", "99"))
    const second = desk.place("ann", stop(btc, "sell", "1", "90", "95"))
    const first = desk.place("sub", stop(btc, "sell", "1", "95", "99"))
    const { events } = desk.send(call("ann", limit(btc, "sell", "1", "99")))
    assert.deepStrictEqual(
      events.flatMap((event) => event._tag === "OrderActivated" ? [event.order] : []),
      [first.id, second.id]
    )
    assert.deepStrictEqual(desk.trades(btc), ["1 @ 99", "1 @ 95", "1 @ 90"])
    assert.deepStrictEqual([progress(first), progress(second)], ["FILLED 1 of 1", "FILLED 1 of 1"])
  })

  it("a stop order is triggered by a trade past its activation price, even if the same taker moves the price back", () => {
    const desk = funded()
    const order = desk.place("ann", stop(btc, "sell", "1", "94", "96"))
    for (const price of ["95", "105"]) desk.place("ben", limit(btc, "sell", "1", price))
    desk.place("sub", limit(btc, "buy", "2", "105"))
    assert.deepStrictEqual([desk.trades(btc), order.stop?.activated], [["1 @ 95", "1 @ 105"], true])
    assert.deepStrictEqual(desk.book(btc, "asks"), ["1 @ 94"])
  })

  it("a triggered stop order prevents self-trades", () => {
    const desk = funded()
    const own = desk.place("ann", limit(btc, "sell", "1", "115"))
    const order = desk.place("ann", stop(btc, "buy", "1", "120", "110", { stp: "cancel_new" }))
    desk.trade(btc, "110")
    assert.deepStrictEqual([progress(order), progress(own)], ["CANCELED 0 of 1", "NEW 0 of 1"])
    assert.strictEqual(desk.locked("ann", "trade"), "1 BTC")
  })
})

describe("stop orders triggered by the owner's price move", () => {
  it("a stop order triggered by a price move trades with the outside market if its limit allows", () => {
    const desk = funded()
    const [buy, sell] = [stop(btc, "buy", "2", "120", "110"), stop(btc, "sell", "1", "80", "90")]
    const orders = [desk.place("ann", buy), desk.place("ben", sell)]
    desk.send(movePrice(btc, "111"))
    desk.send(movePrice(btc, "89"))
    assert.deepStrictEqual(orders.map(progress), ["FILLED 2 of 2", "FILLED 1 of 1"])
    assert.deepStrictEqual(desk.trades(btc), ["2 @ 111", "1 @ 89"])
    assert.deepStrictEqual([desk.free("ann", "trade"), desk.locked("ann", "trade")], ["11.998 BTC, 9778 USDT", ""])
  })

  it("a stop order triggered by a price move takes the orders at that price first, and is always the taker", () => {
    const desk = funded()
    const resting = desk.place("ben", limit(btc, "sell", "0.5", "110"))
    const order = desk.place("ann", stop(btc, "buy", "2", "120", "110"))
    const { events } = desk.send(movePrice(btc, "110"))
    const traded = events.flatMap((event) => event._tag === "Traded" ? [[event.maker, event.taker, event.side]] : [])
    assert.deepStrictEqual(traded, [[resting.id, order.id, "buy"], [undefined, order.id, "buy"]])
    assert.deepStrictEqual(desk.trades(btc), ["0.5 @ 110", "1.5 @ 110"])
  })

  it("a triggered stop order rests if its limit does not allow the new price", () => {
    const desk = funded()
    const order = desk.place("ann", stop(btc, "buy", "1", "105", "110"))
    desk.send(movePrice(btc, "110"))
    assert.deepStrictEqual([progress(order), desk.book(btc, "bids")], ["NEW 0 of 1", ["1 @ 105"]])
  })

  it("all stop orders triggered by a price move trade at the new price, oldest first", () => {
    const desk = funded()
    const activations = ["96", "98", "97"]
    const orders = activations.map((at) => desk.place("ann", stop(btc, "sell", "1", "50", at)))
    const { events } = desk.send(movePrice(btc, "95"))
    const activated = events.flatMap((event) => event._tag === "OrderActivated" ? [event.order] : [])
    assert.deepStrictEqual(activated, orders.map(({ id }) => id))
    assert.deepStrictEqual(desk.trades(btc), ["1 @ 95", "1 @ 95", "1 @ 95"])
  })

  it("a triggered stop order opens only the part of a position that the collateral covers", () => {
    const desk = funded().fund("cat", "collateral", "12 USDT")
    desk.send(openPosition("cat", btc, "sell", "0.5", "100"))
    const order = desk.place("cat", stop(btc, "buy", "1", "120", "110", { collateral: true }))
    // Closing the position loses 9 USDT. The remaining collateral does not cover the margin of a new one.
    desk.send(movePrice(btc, "118"))
    assert.deepStrictEqual([progress(order), desk.position("cat", btc)], ["PARTIAL_CANCELED 0.5 of 1", undefined])
  })
})

describe("stop-market orders", () => {
  it("a stop-market order locks its total or amount, trades at the price set by the owner, and is a taker", () => {
    const desk = funded()
    const [buy, sell] = [stopMarket(btc, "buy", "220", "110"), stopMarket(btc, "sell", "2", "90")]
    const orders = [desk.place("ann", buy), desk.place("ben", sell)]
    assert.deepStrictEqual([desk.locked("ann", "trade"), desk.locked("ben", "trade")], ["220 USDT", "2 BTC"])
    desk.send(movePrice(btc, "110"))
    desk.send(movePrice(btc, "89"))
    assert.deepStrictEqual(desk.trades(btc), ["2 @ 110", "2 @ 89"])
    assert.deepStrictEqual(orders.map(({ price, status, type }) => [price, status, type]), [
      [undefined, "FILLED", "stop market"],
      [undefined, "FILLED", "stop market"]
    ])
    assert.deepStrictEqual([desk.free("ann", "trade"), desk.locked("ann", "trade")], ["11.998 BTC, 9780 USDT", ""])
  })

  it("a stop-market order triggered by a trade fills within the taker band, and its remainder is canceled", () => {
    const desk = funded()
    const order = desk.place("ann", stopMarket(btc, "sell", "2", "95"))
    for (const price of ["95", "94", "80"]) desk.place("ben", limit(btc, "buy", "1", price))
    desk.place("sub", limit(btc, "sell", "1", "95"))
    // The bid at 80 is beyond the taker band.
    assert.deepStrictEqual(desk.trades(btc), ["1 @ 95", "1 @ 94"])
    assert.deepStrictEqual([progress(order), desk.locked("ann", "trade")], ["CANCELED_TAKER_BAND 1 of 2", ""])
  })

  it("a stop-market order is canceled if a trade triggers it and the book is empty", () => {
    const desk = funded()
    const order = desk.place("ann", stopMarket(btc, "buy", "100", "105"))
    desk.trade(btc, "105")
    assert.deepStrictEqual([progress(order), desk.locked("ann", "trade")], ["CANCELED 0 of 100", ""])
  })

  it("a stop-market buy spends its total, except for a remainder that can't buy the smallest amount", () => {
    const desk = funded()
    const order = desk.place("ann", stopMarket(btc, "buy", "100", "103"))
    desk.send(movePrice(btc, "103"))
    assert.deepStrictEqual([order.status, desk.trades(btc)], ["FILLED", ["0.970873 @ 103"]])
    assert.strictEqual(desk.locked("ann", "trade"), "")
  })

  it("a stop-market order's trades trigger other stop orders", () => {
    const desk = funded()
    for (const price of ["95", "90"]) desk.place("ben", limit(btc, "buy", "1", price))
    const second = desk.place("ann", stopMarket(btc, "sell", "1", "95"))
    const first = desk.place("sub", stopMarket(btc, "sell", "1", "99"))
    desk.trade(btc, "99")
    assert.deepStrictEqual([progress(first), progress(second)], ["FILLED 1 of 1", "FILLED 1 of 1"])
    assert.deepStrictEqual(desk.trades(btc), ["1 @ 99", "1 @ 95", "1 @ 90"])
  })

  it("the amount of a stop-market order that affects a position is in the base currency", () => {
    const desk = funded().fund("cat", "collateral", "100 USDT")
    const order = desk.place("cat", stopMarket(btc, "buy", "2", "110", { collateral: true }))
    // The margin is a tenth of 220, plus the fee.
    assert.strictEqual(desk.locked("cat", "collateral"), "22.22 USDT")
    desk.send(movePrice(btc, "110"))
    assert.deepStrictEqual([progress(order), desk.position("cat", btc)], ["FILLED 2 of 2", "2 for 220"])
    assert.strictEqual(desk.locked("cat", "collateral"), "")
  })

  it("a reduce-only stop-market order locks nothing, and closes the position", () => {
    const desk = funded().fund("cat", "collateral", "100 USDT")
    desk.send(openPosition("cat", btc, "buy", "2", "100"))
    const reducing = { collateral: true, reduceOnly: true }
    const order = desk.place("cat", stopMarket(btc, "sell", "5", "90", reducing))
    assert.deepStrictEqual([order.amount, desk.locked("cat", "collateral")], ["2", ""])
    desk.send(movePrice(btc, "85"))
    assert.deepStrictEqual([progress(order), desk.position("cat", btc)], ["FILLED 2 of 2", undefined])
    const refused = desk.call("cat", stopMarket(btc, "sell", "5", "80", reducing))
    assert.propertyVal(refused, "why", "reduceOnly")
  })

  it("a spot stop-market order is refused on a futures market", () => {
    const refused = funded().call("ann", stopMarket("BTC_PERP", "buy", "200", "110"))
    assert.deepInclude(refused, { _tag: "Invalid", violations: [["market", { kind: "known" }]] })
  })
})

describe("stop orders at the best bid or offer", () => {
  /**
   * Places sub's buy stop order with a limit of 100, and triggers it with a trade at 105. ben's bid and ask, if given,
   * are in the book.
   */
  const triggered = (bboRole: BboRole, ben: { readonly bid?: string; readonly ask?: string }) => {
    const desk = funded({ last: "104" })
    if (ben.bid !== undefined) desk.place("ben", limit(btc, "buy", "1", ben.bid))
    if (ben.ask !== undefined) desk.place("ben", limit(btc, "sell", "2", ben.ask))
    const order = desk.place("sub", stop(btc, "buy", "1", "100", "105", { bboRole }))
    desk.place("ann", limit(btc, "sell", "1", "105"))
    desk.place("ben", limit(btc, "buy", "1", "105", { ioc: true }))
    return { desk, order }
  }

  it("a stop order with the bbo role `queue` joins the best price on its side, behind the other orders at that price", () => {
    const desk = funded({ last: "104" })
    desk.place("ben", limit(btc, "buy", "1", "98"))
    const order = desk.place("ann", stop(btc, "buy", "2", "100", "105", { bboRole: "queue" }))
    desk.send(movePrice(btc, "105"))
    assert.deepStrictEqual([desk.book(btc, "bids"), order.postOnly], [["1 @ 98", "2 @ 98"], true])
    assert.strictEqual(desk.locked("ann", "trade"), "200 USDT")
  })

  it("a stop order with the bbo role `queue` goes no further than its own price", () => {
    const { desk } = triggered("queue", { bid: "101", ask: "110" })
    assert.deepStrictEqual(desk.book(btc, "bids"), ["1 @ 101", "1 @ 100"])
  })

  it("a stop order with the bbo role `queue` is canceled if there is no order to join", () => {
    const desk = funded({ last: "104" })
    const order = desk.place("ann", stop(btc, "buy", "2", "100", "105", { bboRole: "queue" }))
    desk.send(movePrice(btc, "105"))
    assert.deepStrictEqual([progress(order), desk.locked("ann", "trade")], ["CANCELED 0 of 2", ""])
  })

  it("a stop order with the bbo role `counterparty` takes the best price on the other side, and its remainder rests at that price", () => {
    const desk = funded({ last: "96" })
    desk.place("ben", limit(btc, "sell", "1", "99"))
    desk.place("ben", limit(btc, "sell", "1", "100"))
    const order = desk.place("ann", stop(btc, "buy", "2", "100", "97", { bboRole: "counterparty" }))
    desk.send(movePrice(btc, "97"))
    assert.deepStrictEqual([progress(order), desk.trades(btc)], ["PARTIAL_FILLED 1 of 2", ["1 @ 99"]])
    assert.deepStrictEqual(desk.book(btc, "bids"), ["1 @ 99"])
  })

  it("a stop order with the bbo role `counterparty` goes no further than its own price", () => {
    const { desk, order } = triggered("counterparty", { ask: "110" })
    assert.deepStrictEqual([progress(order), desk.book(btc, "bids")], ["NEW 0 of 1", ["1 @ 100"]])
  })

  it("a stop order with the bbo role `counterparty` is canceled if there is no order with which it can trade", () => {
    const { desk, order } = triggered("counterparty", { bid: "99" })
    assert.deepStrictEqual([progress(order), desk.locked("sub", "trade")], ["CANCELED 0 of 1", ""])
  })

  describe("under the live policy, the best price replaces the order's own", () => {
    /** Places sub's buy stop order of 1 with a limit of 100 next to ben's bid of 101 and ask of 110, and triggers it. */
    const replaced = (bboRole: BboRole, balance: string) => {
      const desk = new Desk(Dialect.live.policy)
      desk.fund("ann", "trade", "10 BTC")
      desk.fund("ben", "trade", "10 BTC", "10000 USDT")
      desk.fund("sub", "trade", balance)
      desk.send(movePrice(btc, "104"))
      desk.place("ben", limit(btc, "buy", "1", "101"))
      desk.place("ben", limit(btc, "sell", "2", "110"))
      const order = desk.place("sub", stop(btc, "buy", "1", "100", "105", { bboRole }))
      desk.place("ann", limit(btc, "sell", "1", "105"))
      desk.place("ben", limit(btc, "buy", "1", "105", { ioc: true }))
      return { desk, order }
    }

    it("a stop order with the bbo role `queue` rests at the best price, although it is worse, and locks its cost", () => {
      const { desk, order } = replaced("queue", "1000 USDT")
      assert.deepStrictEqual([desk.book(btc, "bids"), order.price], [["1 @ 101", "1 @ 101"], "101"])
      assert.strictEqual(desk.locked("sub", "trade"), "101 USDT")
    })

    it("a stop order with the bbo role `counterparty` trades at the best price, although it is worse", () => {
      const { desk, order } = replaced("counterparty", "1000 USDT")
      assert.deepStrictEqual([progress(order), desk.trades(btc).at(-1)], ["FILLED 1 of 1", "1 @ 110"])
      assert.strictEqual(desk.locked("sub", "trade"), "")
    })

    it("a stop order with a bbo role is canceled if its account can't pay the best price", () => {
      const { desk, order } = replaced("counterparty", "109 USDT")
      assert.deepStrictEqual([progress(order), desk.locked("sub", "trade")], ["CANCELED 0 of 1", ""])
    })
  })
})
