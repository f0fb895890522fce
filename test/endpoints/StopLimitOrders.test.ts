import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Decimal from "../../src/domain/Decimal.ts"
import { ClientOrderId } from "../../src/domain/Identifiers.ts"
import { CancelAllOrders } from "../../src/endpoints/CancelAllOrders.ts"
import { type Request, StopLimitOrders } from "../../src/endpoints/StopLimitOrders.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import { Venue } from "../../src/sandbox/venue/Venue.ts"
import { asBob, btcPerp, btcUsdt, dialects, ethUsdt, exchange, overHttp, stopLimit } from "../support/exchange.ts"
import { failsWith } from "../support/fails.ts"
import { fieldsOf, privateCalls } from "../support/http.ts"

const create = (request: Request) => StopLimitOrders.use((orders) => orders.create(request))

const openIds = Control.use((control) =>
  Effect.map(control.openOrders("alice"), (orders) => orders.map(({ id }) => id))
)

describe.each(dialects)("stop-limit orders over HTTP in the $name dialect", (dialect) => {
  it.live("a stop-limit order opens, and the response matches the request", () =>
    Effect.gen(function*() {
      const before = (yield* Clock.currentTimeMillis) / 1000
      const { clientOrderIdEcho, orderId, sentClientOrderId, timestamp, ...order } = yield* create({
        ...stopLimit,
        clientOrderId: ClientOrderId.make("my-order.1_a"),
        bboRole: "counterparty",
        stp: "cancel_both"
      })
      assert.deepStrictEqual([clientOrderIdEcho, sentClientOrderId as string], ["echoed", "my-order.1_a"])
      assert.isTrue(timestamp >= before - 1 && timestamp <= before + 10)
      assert.deepStrictEqual(order as unknown, {
        clientOrderId: "my-order.1_a",
        market: "BTC_USDT",
        side: "buy",
        type: "stop limit",
        dealMoney: "0",
        dealStock: "0",
        amount: "0.5",
        left: "0.5",
        dealFee: "0",
        price: "1000.00",
        postOnly: false,
        ioc: false,
        status: "NEW",
        stp: "cancel_both",
        rpi: false,
        reduceOnly: false,
        activated: false,
        activationCondition: "gte",
        activationPrice: "990.5"
      })
      const [open] = yield* Control.use((control) => control.openOrders("alice"))
      assert.strictEqual(open?.id, orderId)
      const { state } = yield* Venue
      assert.strictEqual(state.openOrders.get(orderId)?.stop?.bboRole, "counterparty")
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))

  it.live("the response to a stop-limit order has a position side only on a futures market", () =>
    Effect.gen(function*() {
      const onSpot = yield* create(stopLimit)
      assert.notProperty(onSpot, "positionSide")
      const onFutures = yield* create({ ...stopLimit, market: btcPerp })
      assert.deepInclude(onFutures, { positionSide: "BOTH", type: "stop limit" })
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))

  it.live("optional fields that are omitted are not sent, except the client order id", () =>
    Effect.gen(function*() {
      const order = yield* create({ ...stopLimit, side: "sell" })
      assert.deepStrictEqual([order.stp, order.activationCondition], ["no", "lte"])
      const [sent] = yield* privateCalls
      const fields = [
        "market",
        "side",
        "amount",
        "price",
        "activation_price",
        dialect.keys.clientOrderId,
        "request",
        "nonce"
      ]
      assert.sameMembers(
        Object.keys(fieldsOf(sent ?? assert.fail("nothing was sent"))),
        dialect === Dialect.live ? [...fields, "nonceWindow"] : fields
      )
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))

  it.live("a client order id that is in use is refused, and no order is placed", () =>
    Effect.gen(function*() {
      const clientOrderId = ClientOrderId.make("mine")
      yield* create({ ...stopLimit, clientOrderId })
      const error = yield* failsWith("ValidationFailed")(create({ ...stopLimit, clientOrderId }))
      assert.deepStrictEqual(
        [error.origin, error.status, error.code],
        dialect === Dialect.document ? ["exchange", 400, 30] : ["exchange", 422, 36]
      )
      assert.deepStrictEqual(Object.keys(error.fields), ["clientOrderId"])
      assert.strictEqual((yield* openIds).length, 1)
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))

  it.live("a client order id can be reused only when the dialect allows it", () =>
    Effect.gen(function*() {
      const clientOrderId = ClientOrderId.make("mine")
      const reused = (market = btcUsdt) =>
        create({ ...stopLimit, market, clientOrderId }).pipe(
          Effect.as("accepted" as const),
          Effect.catchTag("ValidationFailed", () => Effect.succeed("refused" as const))
        )
      assert.strictEqual(yield* reused(), "accepted")
      const elsewhere = yield* reused(ethUsdt)
      yield* CancelAllOrders.use((orders) => orders.cancel())
      const afterwards = yield* reused()
      // Depending on the dialect, a client order id is unique per account forever, or only among the market's open
      // orders.
      const expected = dialect === Dialect.document ? "refused" : "accepted"
      assert.deepStrictEqual([elsewhere, afterwards], [expected, expected])
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))

  it.live("a stop-limit order locks its funds until it is canceled", () =>
    Effect.gen(function*() {
      // The orders need all of Alice's 100000 USDT, then all of her 2 BTC.
      const all = { ...stopLimit, amount: Decimal.amount("100"), price: Decimal.price("1000") } as const
      const allBtc = { ...stopLimit, side: "sell", amount: Decimal.amount("2") } as const
      yield* create(all)
      yield* create(allBtc)
      for (
        const more of [{ ...stopLimit, amount: Decimal.amount("0.005") }, { ...allBtc, amount: Decimal.amount("1") }]
      ) {
        const error = yield* failsWith("RequestRejected")(create(more))
        assert.deepStrictEqual([error.status, error.code], [400, 10])
        assert.deepStrictEqual(error.fields, { amount: ["Not enough balance."] })
      }
      assert.strictEqual((yield* openIds).length, 2)
      yield* CancelAllOrders.use((orders) => orders.cancel())
      yield* create(all)
      yield* create(allBtc)
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))

  it.live("a stop-limit order that exceeds the balance is refused", () =>
    Effect.gen(function*() {
      const error = yield* failsWith("RequestRejected")(asBob(create(stopLimit)))
      assert.strictEqual(error.reason, "Inner validation failed")
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))
})
