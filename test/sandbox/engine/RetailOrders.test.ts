import { assert, describe, it } from "@effect/vitest"
import { Price } from "../../../src/domain/Decimal.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import type { Operation } from "../../../src/sandbox/engine/Operation.ts"
import * as Saved from "../../../src/sandbox/engine/Saved.ts"
import {
  type Account,
  canonical,
  Desk,
  hash,
  limit,
  market,
  modify,
  movePrice,
  progress,
  text
} from "../../support/engine.ts"

const btc = "BTC_USDT"
const rpi = { rpi: true }
const retail = { retail: true }

/** ann and ben may place RPI orders, which rest only for retail orders; cat may place retail orders. */
const funded = (): Desk => {
  const desk = new Desk(Dialect.live.policy)
  for (const account of ["ann", "ben", "cat"] as const) {
    desk.fund(account, "trade", "100 BTC", "10000 USDT").fund(account, "collateral", "10000 USDT")
    desk.send({ _tag: "SetAccount", account, rpi: account !== "cat", retail: account === "cat" })
  }
  return desk
}

/** Returns the asks that no public view shows, as `"left @ price"`. */
const hidden = ({ state }: Desk): ReadonlyArray<string> =>
  [...Saved.save(state).trading.values()].flatMap(({ book }) =>
    book.rpi.asks.flatMap(({ orders, price }) => orders.map(({ left }) => `${text(left)} @ ${text(price)}`))
  )

const refusal = (desk: Desk, account: Account, operation: Operation): string => {
  const reply = desk.call(account, operation)
  if (reply._tag === "Refused") return `${reply.why} ${reply.violations.map(([field]) => field).join()}`
  if (reply._tag !== "Invalid") return assert.fail(canonical(reply))
  return reply.violations.map(([field, { kind }]) => `${field} ${kind}`).join()
}

describe("orders that rest only for retail orders (RPI)", () => {
  it("RPI orders are not in the public book, and trade only with retail orders", () => {
    const desk = funded()
    const maker = desk.place("ann", limit(btc, "sell", "1", "100", rpi))
    assert.deepStrictEqual([desk.book(btc, "asks"), hidden(desk)], [[], ["1 @ 100"]])
    assert.strictEqual(progress(desk.place("ben", limit(btc, "buy", "1", "101"))), "NEW 0 of 1")
    assert.strictEqual(progress(desk.place("ben", market(btc, "buy", "1"))), "CANCELED 0 of 1")
    assert.strictEqual(progress(desk.place("cat", limit(btc, "buy", "0.4", "100", retail))), "FILLED 0.4 of 0.4")
    assert.deepStrictEqual([progress(maker), hidden(desk)], ["PARTIAL_FILLED 0.4 of 1", ["0.6 @ 100"]])
    const [trade] = desk.state.trading.get(maker.market)?.trades ?? []
    assert.strictEqual(trade?.rpi, true)
  })

  it("at the same price, all other orders trade before RPI orders, but a better price always comes first", () => {
    const desk = funded()
    const early = desk.place("ann", limit(btc, "sell", "1", "100", rpi))
    const late = desk.place("ben", limit(btc, "sell", "1", "100"))
    const better = desk.place("ann", limit(btc, "sell", "1", "99", rpi))
    desk.place("cat", limit(btc, "buy", "1.5", "100", retail))
    assert.deepStrictEqual([early, late, better].map(progress), [
      "NEW 0 of 1",
      "PARTIAL_FILLED 0.5 of 1",
      "FILLED 1 of 1"
    ])
    desk.place("cat", limit(btc, "buy", "1", "100", retail))
    assert.deepStrictEqual([early, late].map(progress), ["PARTIAL_FILLED 0.5 of 1", "FILLED 1 of 1"])
  })

  it("RPI orders never take liquidity, even when their price is modified", () => {
    const desk = funded()
    desk.place("ben", limit(btc, "buy", "1", "100"))
    assert.strictEqual(refusal(desk, "ann", limit(btc, "sell", "1", "100", rpi)), "notMaker rpi")
    const order = desk.place("ann", limit(btc, "sell", "1", "101", rpi))
    assert.strictEqual(refusal(desk, "ann", modify(order, { price: Price.make("99") })), "notMaker rpi")
    const reply = desk.call("ann", modify(order, { price: Price.make("102") }))
    assert.strictEqual(reply._tag === "OrderModified" && reply.order.rpi, true)
    assert.deepStrictEqual(hidden(desk), ["1 @ 102"])
  })

  it("the owner's price moves fill RPI orders like any other orders, and a saved state includes them", () => {
    const desk = funded()
    const order = desk.place("ann", limit(btc, "sell", "1", "100", rpi))
    const kept = Saved.load(Saved.save(desk.state), desk.state.policy)
    assert.strictEqual(hash(kept), hash(desk.state))
    desk.send(movePrice(btc, "100"))
    assert.strictEqual(progress(order), "NEW 0 of 1")
    desk.send(movePrice(btc, "100.01"))
    assert.strictEqual(progress(order), "FILLED 1 of 1")
  })

  it("only accounts that the owner allows may place RPI or retail orders", () => {
    const desk = funded()
    assert.strictEqual(refusal(desk, "cat", limit(btc, "sell", "1", "100", rpi)), "rpi admitted")
    assert.strictEqual(refusal(desk, "ann", limit(btc, "sell", "1", "100", retail)), "retail admitted")
    assert.strictEqual(refusal(desk, "sub", limit(btc, "sell", "1", "100", retail)), "retail admitted")
    desk.send({ _tag: "SetAccount", account: "cat", rpi: true })
    desk.place("cat", limit(btc, "sell", "1", "100", rpi))
    desk.place("cat", limit(btc, "buy", "1", "90", retail))
    const unknown = desk.send({ _tag: "SetAccount", account: "nobody", rpi: true })
    assert.strictEqual(unknown.reply._tag, "Invalid")
  })
})

describe("limit orders at the best price", () => {
  const quoted = (): Desk => {
    const desk = funded()
    desk.place("ben", limit(btc, "buy", "1", "99"))
    desk.place("ben", limit(btc, "sell", "1", "101"))
    return desk
  }

  /** A limit order whose price comes from the book. */
  const atBest = (side: "buy" | "sell", bboRole: "queue" | "counterparty", options: object = {}) => {
    const { price: _price, ...order } = limit(btc, side, "2", "1")
    return { ...order, bboRole, ...options }
  }

  it("a limit order with the bbo role `queue` rests at the best price on its own side, and is post-only", () => {
    const desk = quoted()
    const [buy, sell] = [desk.place("ann", atBest("buy", "queue")), desk.place("ann", atBest("sell", "queue"))]
    assert.deepStrictEqual([buy.price, buy.postOnly, sell.price, sell.postOnly], ["99", true, "101", true])
    assert.deepStrictEqual(desk.book(btc, "bids"), ["1 @ 99", "2 @ 99"])
    assert.strictEqual(refusal(desk, "ann", atBest("buy", "queue", { ioc: true })), "ioc exclusive")
  })

  it("a limit order with the bbo role `counterparty` trades only at the best price on the other side, whatever price it states", () => {
    const desk = quoted()
    desk.place("ben", limit(btc, "sell", "5", "102"))
    const rests = desk.place("ann", atBest("buy", "counterparty", { price: "500000" }))
    assert.deepStrictEqual([rests.price, progress(rests)], ["101", "PARTIAL_FILLED 1 of 2"])
    assert.deepStrictEqual(desk.book(btc, "bids"), ["1 @ 101", "1 @ 99"])
    const ends = desk.place("ann", atBest("sell", "counterparty", { ioc: true, stp: "cancel_old" }))
    assert.deepStrictEqual([ends.price, ends.status], ["101", "CANCELED"])
  })

  it("a limit order at the best price is refused if its side of the book is empty, or has only RPI orders", () => {
    const desk = funded()
    desk.place("ann", limit(btc, "sell", "1", "100", rpi))
    assert.strictEqual(refusal(desk, "ben", atBest("sell", "queue")), "noQuote bboRole")
    assert.strictEqual(refusal(desk, "ben", atBest("buy", "counterparty")), "noQuote bboRole")
    assert.strictEqual(desk.state.openOrders.countOf("ben"), 0)
  })

  it("an order with neither a price nor a bbo role is refused because its price is missing", () => {
    const { bboRole: _bboRole, ...order } = atBest("buy", "queue")
    assert.strictEqual(refusal(funded(), "ann", order), "price required")
  })
})
