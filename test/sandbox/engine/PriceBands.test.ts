import { assert, describe, it } from "@effect/vitest"
import { Price } from "../../../src/domain/Decimal.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import type { Operation } from "../../../src/sandbox/engine/Operation.ts"
import { Desk, limit, modify, movePrice, oco, stop, stopMarket } from "../../support/engine.ts"

const btc = "BTC_USDT"

/** Returns an exchange on which BTC_USDT was last traded at 100, so its price band is from 10 to 500. */
const funded = (policy = Dialect.live.policy): Desk => {
  const desk = new Desk(policy).fund("ann", "trade", "100 BTC", "100000 USDT").fund("ann", "collateral", "100000 USDT")
  desk.send(movePrice(btc, "100"))
  return desk
}

/** Returns the prices outside the band, with the limits that they violate. */
const outside = (desk: Desk, operation: Operation): ReadonlyArray<string> => {
  const reply = desk.call("ann", operation)
  if (reply._tag !== "Invalid") return []
  return reply.violations.map(([field, constraint]) =>
    constraint.kind === "priceBand" ? `${field} ${constraint.side} ${constraint.bound}` : assert.fail(constraint.kind)
  )
}

describe("the price band", () => {
  it("a limit price may be at most five times and at least one tenth of the last price, for buys and sells alike", () => {
    const desk = funded()
    for (const side of ["buy", "sell"] as const) {
      assert.deepStrictEqual(outside(desk, limit(btc, side, "1", "500.01")), ["price above 500"])
      assert.deepStrictEqual(outside(desk, limit(btc, side, "1", "9.99")), ["price below 10"])
      assert.deepStrictEqual(outside(desk, limit(btc, side, "1", side === "buy" ? "10" : "500")), [])
    }
  })

  it("the price band also limits activation prices, and both prices of a stop order are checked", () => {
    const desk = funded()
    assert.deepStrictEqual(outside(desk, stop(btc, "buy", "1", "501", "9")), [
      "price above 500",
      "activationPrice below 10"
    ])
    assert.deepStrictEqual(outside(desk, stopMarket(btc, "buy", "50", "501")), ["activationPrice above 500"])
    assert.deepStrictEqual(outside(desk, oco(btc, "sell", "1", "501", "9", "8")), [
      "price above 500",
      "activationPrice below 10",
      "stopLimitPrice below 10"
    ])
  })

  it("a stop order at the best price has no limit price that the band could refuse", () => {
    const desk = funded()
    const atBest = stop(btc, "buy", "1", "501", "120", { bboRole: "counterparty" })
    assert.deepStrictEqual(outside(desk, atBest), [])
  })

  it("an order can't be modified to a price outside the band, but a resting order stays when the band moves away", () => {
    const desk = funded()
    const order = desk.place("ann", limit(btc, "buy", "1", "20"))
    assert.deepStrictEqual(outside(desk, modify(order, { price: Price.make("501") })), ["price above 500"])
    desk.send(movePrice(btc, "300"))
    assert.deepStrictEqual(desk.book(btc, "bids"), ["1 @ 20"])
    assert.deepStrictEqual(outside(desk, limit(btc, "buy", "1", "20")), ["price below 30"])
  })

  it("there is no price band in the document's dialect, or before a market has a last price", () => {
    assert.deepStrictEqual(outside(funded(), limit("ETH_USDT", "buy", "0.001", "5000000")), [])
    assert.deepStrictEqual(outside(funded(Dialect.document.policy), limit(btc, "sell", "0.1", "90000000")), [])
  })
})
