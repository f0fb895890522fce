import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ClientOrderId } from "../../src/domain/Identifiers.ts"
import { CollateralOcoOrders, type Request } from "../../src/endpoints/CollateralOcoOrders.ts"
import { StopLimitOrders } from "../../src/endpoints/StopLimitOrders.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import { dialects, exchange, oco, overHttp, stopLimit } from "../support/exchange.ts"
import { failsWith } from "../support/fails.ts"
import { logsInto } from "../support/logs.ts"

const create = (request: Request) => CollateralOcoOrders.use((orders) => orders.create(request))

const open = Control.use((control) => control.openOrders("alice"))

describe.each(dialects)("collateral OCO orders over HTTP in the $name dialect", (dialect) => {
  it.live("both legs of a collateral OCO order open, and the response matches the request", () =>
    Effect.gen(function*() {
      const { clientOrderIdEcho, id, reduceOnly, stopLoss, takeProfit } = yield* create({
        ...oco,
        clientOrderId: ClientOrderId.make("pair-0")
      })
      const isLive = dialect === Dialect.live
      assert.deepStrictEqual([clientOrderIdEcho, reduceOnly], [isLive ? "never-echoed" : "echoed", false])
      const leg = {
        market: "BTC_USDT",
        side: "sell",
        dealMoney: "0",
        dealStock: "0",
        amount: "0.01",
        left: "0.01",
        takerFee: "0.001",
        makerFee: "0.001",
        dealFee: "0",
        postOnly: false,
        ...(isLive ? { margin: true, reduceOnly: false } : { clientOrderId: "pair-0" }),
        status: "NEW",
        stp: "no",
        positionSide: isLive ? "BOTH" : "SHORT"
      }
      const { mtime, orderId: limitId, timestamp, ...limit } = takeProfit
      assert.deepStrictEqual(limit as unknown, { ...leg, type: "limit", price: "40000" })
      const { mtime: stopMtime, orderId: stopId, timestamp: stopTimestamp, ...stop } = stopLoss
      assert.deepStrictEqual(stop as unknown, {
        ...leg,
        type: "stop limit",
        price: "41500",
        activationPrice: "41000",
        activationCondition: "lte",
        activated: false
      })
      assert.deepStrictEqual([mtime, stopMtime, stopTimestamp], [timestamp, timestamp, timestamp])
      assert.strictEqual(new Set([id, limitId, stopId]).size, 3)
      assert.sameMembers((yield* open).map((order) => order.id), [limitId, stopId])
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))

  it.live("both legs of an OCO order echo the client order id in the document's dialect, but not in the live dialect", () => {
    const logged: Array<string> = []
    return Effect.gen(function*() {
      const clientOrderId = ClientOrderId.make("pair-1")
      const order = yield* create({ ...oco, clientOrderId })
      const legs = [order.stopLoss.clientOrderId, order.takeProfit.clientOrderId]
      if (dialect === Dialect.document) {
        assert.strictEqual(order.clientOrderIdEcho, "echoed")
        assert.deepStrictEqual(legs, [clientOrderId, clientOrderId])
      } else {
        assert.strictEqual(order.clientOrderIdEcho, "never-echoed")
        assert.deepStrictEqual(legs, [undefined, undefined])
      }
      assert.deepStrictEqual(logged, [])
      assert.deepStrictEqual((yield* open).map((order) => order.clientOrderId), [clientOrderId, clientOrderId])
    }).pipe(Effect.provide([exchange(overHttp(dialect)), logsInto(logged)]))
  })

  it.live("an OCO order can't reuse a stop-limit order's client order id", () =>
    Effect.gen(function*() {
      const clientOrderId = ClientOrderId.make("shared")
      yield* StopLimitOrders.use((orders) => orders.create({ ...stopLimit, clientOrderId }))
      const error = yield* failsWith("ValidationFailed")(create({ ...oco, clientOrderId }))
      assert.deepStrictEqual(Object.keys(error.fields), ["clientOrderId"])
      assert.strictEqual((yield* open).length, 1)
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))

  it.live("a reduce-only OCO order without a position is refused with code 116", () =>
    Effect.gen(function*() {
      for (const side of ["buy", "sell"] as const) {
        const error = yield* failsWith("ReduceOnlyRejected")(create({ ...oco, side, reduceOnly: true }))
        assert.strictEqual(error.code, 116)
        assert.strictEqual(error.status, dialect === Dialect.document ? 400 : 422)
        assert.deepStrictEqual(error.fields, { reduceOnly: ["Reduce-only: Position doesn't exist or wrong side"] })
      }
      assert.deepStrictEqual(yield* open, [])
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))
})
