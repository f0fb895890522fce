import { assert, describe, it } from "@effect/vitest"
import { ClientOrderId, MarketName } from "../../../src/domain/Identifiers.ts"
import type { CancelAllType } from "../../../src/domain/Order.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import type { Operation } from "../../../src/sandbox/engine/Operation.ts"
import { cancel, Desk, limit, market, oco, progress, stop } from "../../support/engine.ts"

const btc = "BTC_USDT"

const mine = { clientOrderId: ClientOrderId.make("mine") }

const funded = (dialect: Dialect.Dialect = Dialect.document): Desk => {
  const desk = new Desk(dialect.policy)
  for (const account of ["ann", "ben"] as const) {
    desk.fund(account, "trade", "10 BTC", "10 ETH", "10000 USDT").fund(account, "collateral", "1000 USDT")
  }
  return desk
}

const isUsed = (desk: Desk, operation: Operation): boolean => {
  const reply = desk.call("ann", operation)
  if (reply._tag === "Invalid") assert.deepStrictEqual(reply.violations, [["clientOrderId", { kind: "unique" }]])
  return reply._tag === "Invalid"
}

const everyKind = (name: string) => [
  limit(name, "buy", "1", "50", mine),
  market(name, "sell", "1", mine),
  stop(name, "buy", "1", "50", "200", mine),
  oco(name, "buy", "1", "50", "200", "201", mine)
]

describe("client order ids", () => {
  for (const { name, policy } of [Dialect.document, Dialect.live]) {
    it(`in the ${name} dialect, two open orders of an account on a market can't share a client order id, whatever their kinds`, () => {
      for (const first of everyKind(btc).filter(({ _tag }) => _tag !== "PlaceMarket")) {
        const desk = funded({ ...Dialect.document, policy })
        assert.isFalse(isUsed(desk, first))
        for (const second of everyKind(btc)) assert.isTrue(isUsed(desk, second), `${first._tag}, ${second._tag}`)
      }
    })

    it(`in the ${name} dialect, another account can use the same client order id`, () => {
      const desk = funded({ ...Dialect.document, policy })
      desk.place("ben", limit(btc, "buy", "1", "50", mine))
      assert.isFalse(isUsed(desk, limit(btc, "buy", "1", "50", mine)))
    })

    it(`in the ${name} dialect, a refused order does not use up its client order id`, () => {
      const desk = funded({ ...Dialect.document, policy })
      desk.call("ann", limit(btc, "buy", "1", "999999", mine))
      assert.isFalse(isUsed(desk, limit(btc, "buy", "1", "50", mine)))
    })
  }

  it("in the document's dialect, a client order id is used up forever, on every market", () => {
    const desk = funded(Dialect.document)
    desk.call("ann", cancel(desk.place("ann", limit(btc, "buy", "1", "50", mine))))
    assert.isTrue(isUsed(desk, limit(btc, "buy", "1", "50", mine)))
    assert.isTrue(isUsed(desk, limit("ETH_USDT", "buy", "1", "50", mine)))
  })

  it("in the live dialect, a client order id can be used again on another market, and once its order is closed", () => {
    const desk = funded(Dialect.live)
    const order = desk.place("ann", limit(btc, "buy", "1", "50", mine))
    assert.isFalse(isUsed(desk, limit("ETH_USDT", "buy", "1", "50", mine)))
    desk.call("ann", cancel(order))
    assert.isFalse(isUsed(desk, limit(btc, "buy", "1", "50", mine)))
  })
})

describe("order ids", () => {
  it("a refused order does not use up an order id", () => {
    const desk = funded()
    desk.place("ben", limit(btc, "sell", "1", "100"))
    const before = desk.state.lastId
    const refused = [
      limit(btc, "buy", "1", "999999"),
      limit(btc, "buy", "1", "100", { postOnly: true }),
      market(btc, "sell", "11"),
      stop(btc, "buy", "1", "999999", "200"),
      oco(btc, "buy", "1", "100", "200", "201"),
      oco(btc, "buy", "1", "50", "200", "999999")
    ]
    for (const operation of refused) assert.strictEqual(desk.call("ann", operation)._tag, "Refused")
    assert.strictEqual(desk.state.lastId, before)
  })
})

describe("canceling one order", () => {
  it("an order can be canceled with its client order id", () => {
    const desk = funded()
    const order = desk.place("ann", limit(btc, "buy", "1", "50", mine))
    assert.strictEqual(desk.call("ann", { _tag: "Cancel", market: order.market, ...mine })._tag, "OrderCanceled")
    assert.strictEqual(progress(order), "CANCELED 0 of 1")
  })

  it("an order that is closed, is on another market, or belongs to another account is not found", () => {
    const desk = funded()
    const order = desk.place("ann", limit(btc, "buy", "1", "50", mine))
    const elsewhere = MarketName.make("ETH_USDT")
    assert.propertyVal(desk.call("ben", cancel(order)), "why", "orderNotFound")
    assert.propertyVal(desk.call("ben", { _tag: "Cancel", market: order.market, ...mine }), "why", "orderNotFound")
    assert.propertyVal(desk.call("ann", { ...cancel(order), market: elsewhere }), "why", "orderNotFound")
    desk.call("ann", cancel(order))
    assert.propertyVal(desk.call("ann", cancel(order)), "why", "orderNotFound")
  })

  it("a cancellation without an identifier finds nothing", () => {
    const desk = funded()
    const order = desk.place("ann", limit(btc, "buy", "1", "50"))
    assert.propertyVal(desk.call("ann", { _tag: "Cancel", market: order.market }), "why", "orderNotFound")
    assert.strictEqual(order.status, "NEW")
  })
})

describe("canceling all orders", () => {
  /**
   * Places an order of each kind for ann and one for ben, then cancels all of ann's orders that match. Returns the
   * names of ann's remaining orders.
   */
  const left = (operation: { readonly market?: MarketName; readonly type?: ReadonlyArray<CancelAllType> }) => {
    const desk = funded()
    const orders = {
      spot: desk.place("ann", limit(btc, "buy", "1", "50")),
      stop: desk.place("ann", stop(btc, "buy", "1", "50", "200")),
      eth: desk.place("ann", limit("ETH_USDT", "buy", "1", "50")),
      margin: desk.place("ann", limit(btc, "buy", "1", "50", { collateral: true })),
      pair: desk.placeOco("ann", oco(btc, "buy", "1", "50", "200", "201")).takeProfit,
      perp: desk.place("ann", limit("BTC_PERP", "buy", "1", "50"))
    }
    const bens = desk.place("ben", limit(btc, "buy", "1", "50"))
    assert.strictEqual(desk.call("ann", { _tag: "CancelAll", ...operation })._tag, "Done")
    assert.strictEqual(bens.status, "NEW")
    return Object.entries(orders).filter(([, { status }]) => status === "NEW").map(([name]) => name).join(" ")
  }

  const market = MarketName.make(btc)

  it("cancel-all cancels orders on all markets and of all kinds", () => assert.strictEqual(left({}), ""))
  it("cancel-all can be limited to the orders on one market", () => assert.strictEqual(left({ market }), "eth perp"))
  it("cancel-all can be limited to spot orders", () => assert.strictEqual(left({ type: ["spot"] }), "margin pair perp"))
  it("cancel-all can be limited to margin orders", () =>
    assert.strictEqual(left({ type: ["margin"] }), "spot stop eth perp"))
  it("cancel-all can be limited to futures orders", () =>
    assert.strictEqual(left({ type: ["futures"] }), "spot stop eth margin pair"))
  it("cancel-all can be limited to orders of two kinds", () =>
    assert.strictEqual(left({ type: ["margin", "futures"] }), "spot stop eth"))
  it("cancel-all can be limited to orders of one kind on one market", () =>
    assert.strictEqual(left({ market, type: ["spot"] }), "eth margin pair perp"))

  it("cancel-all refuses an unknown market", () => {
    const reply = funded().call("ann", { _tag: "CancelAll", market: MarketName.make("XYZ_USDT") })
    assert.deepInclude(reply, { violations: [["market", { kind: "known" }]] })
  })

  it("cancel-all releases all locked funds", () => {
    const desk = funded()
    desk.place("ann", limit(btc, "sell", "1", "100"))
    desk.place("ben", limit(btc, "buy", "0.3", "100"))
    desk.placeOco("ann", oco(btc, "buy", "1", "50", "200", "201"))
    desk.call("ann", { _tag: "CancelAll" })
    assert.deepStrictEqual([desk.locked("ann", "trade"), desk.locked("ann", "collateral")], ["", ""])
    assert.strictEqual(desk.state.openOrders.size, 0)
  })
})
