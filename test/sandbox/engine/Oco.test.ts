import { assert, describe, it } from "@effect/vitest"
import { ClientOrderId, MarketName } from "../../../src/domain/Identifiers.ts"
import type { VenuePolicy } from "../../../src/domain/VenuePolicy.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import type { Operation } from "../../../src/sandbox/engine/Operation.ts"
import type { OcoOrder } from "../../../src/sandbox/engine/Order.ts"
import { cancel, Desk, limit, movePrice, oco, progress } from "../../support/engine.ts"

const btc = "BTC_USDT"

/** A buy order that takes profit at 90, and stops its loss at 110 with a limit of 112. The market's price is 100. */
const asked = oco(btc, "buy", "1", "90", "110", "112")

const funded = (policy?: VenuePolicy): Desk => {
  const desk = new Desk(policy).fund("ann", "collateral", "1000 USDT").fund("ben", "trade", "10 BTC", "10000 USDT")
  desk.send(movePrice(btc, "100"))
  return desk
}

const placed = () => {
  const desk = funded()
  const pair = desk.placeOco("ann", asked)
  return { desk, pair }
}

const legs = ({ stopLoss, takeProfit }: OcoOrder) => [progress(stopLoss), progress(takeProfit)]

const cancelOco = (pair: OcoOrder, market = pair.stopLoss.market): Operation => ({
  _tag: "CancelOco",
  market,
  orderId: pair.id
})

const isPair = (desk: Desk, pair: OcoOrder) => desk.state.ocoOrders.has(pair.id)

describe("OCO orders", () => {
  it("an OCO order, its stop-loss and its take-profit have consecutive identifiers", () => {
    const { pair } = placed()
    assert.deepStrictEqual([pair.stopLoss.id, pair.takeProfit.id].map((id) => Number(id) - Number(pair.id)), [1, 2])
  })

  it("an OCO order starts with its take-profit in the book and an untriggered stop-loss", () => {
    const { desk, pair } = placed()
    assert.deepStrictEqual(desk.book(btc, "bids"), ["1 @ 90"])
    assert.deepStrictEqual(legs(pair), ["NEW 0 of 1", "NEW 0 of 1"])
    assert.isFalse(pair.stopLoss.stop.activated)
  })

  it("an OCO order locks funds only for its more expensive leg: a tenth of the leg's cost, plus the fee", () => {
    const { desk } = placed()
    assert.strictEqual(desk.locked("ann", "collateral"), "11.312 USDT")
  })

  it("a filled take-profit cancels the stop-loss", () => {
    const { desk, pair } = placed()
    desk.place("ben", limit(btc, "sell", "1", "90"))
    assert.deepStrictEqual(legs(pair), ["CANCELED 0 of 1", "FILLED 1 of 1"])
    assert.deepStrictEqual([isPair(desk, pair), desk.locked("ann", "collateral")], [false, ""])
    desk.send(movePrice(btc, "115"))
    assert.isFalse(pair.stopLoss.stop.activated)
    assert.strictEqual(desk.position("ann", btc), "1 for 90")
  })

  it("a triggered stop-loss cancels the take-profit, and trades with the funds locked by the take-profit", () => {
    const { desk, pair } = placed()
    desk.place("ben", limit(btc, "sell", "0.5", "111"))
    for (const side of ["sell", "buy"] as const) desk.place("ben", limit(btc, side, "0.1", "110"))
    assert.deepStrictEqual(legs(pair), ["PARTIAL_FILLED 0.5 of 1", "CANCELED 0 of 1"])
    assert.deepStrictEqual([isPair(desk, pair), desk.locked("ann", "collateral")], [false, "5.656 USDT"])
    assert.deepStrictEqual(desk.book(btc, "bids"), ["0.5 @ 112"])
    desk.send(movePrice(btc, "80"))
    assert.deepStrictEqual(legs(pair), ["FILLED 1 of 1", "CANCELED 0 of 1"])
    assert.strictEqual(desk.locked("ann", "collateral"), "")
  })

  it("a partly filled take-profit cancels the stop-loss, and its remainder stays in the book", () => {
    const { desk, pair } = placed()
    desk.place("ben", limit(btc, "sell", "0.4", "90"))
    assert.deepStrictEqual(legs(pair), ["CANCELED 0 of 1", "PARTIAL_FILLED 0.4 of 1"])
    assert.propertyVal(desk.call("ann", cancelOco(pair)), "why", "orderNotFound")
    desk.call("ann", cancel(pair.takeProfit))
    assert.deepStrictEqual(legs(pair), ["CANCELED 0 of 1", "PARTIAL_CANCELED 0.4 of 1"])
    assert.strictEqual(desk.locked("ann", "collateral"), "")
  })

  it("canceling an OCO order cancels both legs", () => {
    const { desk, pair } = placed()
    const reply = desk.call("ann", cancelOco(pair))
    assert.strictEqual(reply._tag, "OcoCanceled")
    assert.deepStrictEqual(legs(pair), ["CANCELED 0 of 1", "CANCELED 0 of 1"])
    assert.deepStrictEqual([isPair(desk, pair), desk.locked("ann", "collateral")], [false, ""])
  })

  for (const leg of ["stopLoss", "takeProfit"] as const) {
    it(`canceling the ${leg} of an OCO order cancels the other leg`, () => {
      const { desk, pair } = placed()
      desk.call("ann", cancel(pair[leg]))
      assert.deepStrictEqual(legs(pair), ["CANCELED 0 of 1", "CANCELED 0 of 1"])
      assert.deepStrictEqual([isPair(desk, pair), desk.locked("ann", "collateral")], [false, ""])
    })
  }

  it("an OCO order can't be canceled by another account, or on another market", () => {
    const { desk, pair } = placed()
    assert.propertyVal(desk.call("ben", cancelOco(pair)), "why", "orderNotFound")
    const elsewhere = cancelOco(pair, MarketName.make("BTC_PERP"))
    assert.propertyVal(desk.call("ann", elsewhere), "why", "orderNotFound")
    assert.isTrue(isPair(desk, pair))
  })

  it("an OCO order whose activation price is already reached triggers its stop-loss immediately", () => {
    const desk = funded()
    const pair = desk.placeOco("ann", oco(btc, "buy", "1", "90", "95", "96"))
    assert.deepStrictEqual([pair.stopLoss.stop.activated, pair.takeProfit.status], [true, "CANCELED"])
    assert.deepStrictEqual(desk.book(btc, "bids"), ["1 @ 96"])
  })

  it("in the live policy, an OCO order is refused if its stop-loss would wait for a better price", () => {
    const desk = funded(Dialect.live.policy)
    for (
      const [side, takeProfit, right, wrong] of [["buy", "90", "101", "99"], ["sell", "110", "99", "101"]] as const
    ) {
      assert.propertyVal(desk.call("ann", oco(btc, side, "1", takeProfit, wrong, wrong)), "why", "wrongStopLoss")
      assert.deepStrictEqual([desk.state.ocoOrders.size, desk.locked("ann", "collateral")], [0, ""])
      desk.call("ann", cancelOco(desk.placeOco("ann", oco(btc, side, "1", takeProfit, right, right))))
    }
  })

  it("an OCO order whose take-profit would trade immediately is refused", () => {
    const desk = funded()
    desk.place("ben", limit(btc, "sell", "1", "90"))
    assert.propertyVal(desk.call("ann", asked), "why", "notMaker")
    assert.deepStrictEqual([desk.state.ocoOrders.size, desk.locked("ann", "collateral")], [0, ""])
  })

  it("both legs of an OCO order have its client order id, which another order can't reuse", () => {
    const desk = funded()
    const own = { ...asked, clientOrderId: ClientOrderId.make("mine") }
    const { stopLoss, takeProfit } = desk.placeOco("ann", own)
    assert.deepStrictEqual([stopLoss.clientOrderId, takeProfit.clientOrderId], [own.clientOrderId, own.clientOrderId])
    assert.deepInclude(desk.call("ann", own), { violations: [["clientOrderId", { kind: "unique" }]] })
  })

  it("a price sweep that reaches both legs of an OCO order fills only one of them", () => {
    const desk = funded()
    const pair = desk.placeOco("ann", oco(btc, "sell", "1", "105", "95", "94"))
    for (const price of ["95", "106"]) desk.place("ben", limit(btc, "sell", "1", price))
    desk.place("ben", limit(btc, "buy", "3", "106"))
    assert.deepStrictEqual(desk.trades(btc), ["1 @ 95", "1 @ 105", "1 @ 106"])
    assert.deepStrictEqual(legs(pair), ["CANCELED 0 of 1", "FILLED 1 of 1"])
    assert.isFalse(pair.stopLoss.stop.activated)
    assert.strictEqual(desk.position("ann", btc), "-1 for 105")
  })
})
