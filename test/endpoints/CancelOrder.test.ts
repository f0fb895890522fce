import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ClientOrderId, OrderId } from "../../src/domain/Identifiers.ts"
import { CancelOrder, type Request } from "../../src/endpoints/CancelOrder.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import {
  asBob,
  btcUsdt,
  dialects,
  ethUsdt,
  failsWith,
  limit,
  partlyCanceled,
  raw,
  same,
  statuses,
  trade,
  traders,
  usdt
} from "../support/trading.ts"

const cancel = (request: Request) => CancelOrder.use((orders) => orders.cancel(request))

const mine = ClientOrderId.make("mine")

describe.each(dialects)("canceling an order in the $name dialect", (dialect) => {
  it.live("an open order can be canceled with its order id or its client order id", () =>
    Effect.gen(function*() {
      const { orderId } = yield* limit("buy", "1", "1000")
      same((yield* cancel({ market: btcUsdt, orderId })).status, "CANCELED")
      const other = yield* limit("buy", "1", "1000", { clientOrderId: mine })
      const canceled = yield* cancel({ market: btcUsdt, clientOrderId: mine })
      same([canceled.orderId, canceled.clientOrderId, canceled.status], [other.orderId, "mine", "CANCELED"])
      same(yield* statuses, ["CANCELED", "CANCELED"])
      same(yield* trade(usdt), ["100000", "0"])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("canceling a partly filled order cancels only its unfilled part", () =>
    Effect.gen(function*() {
      const { orderId } = yield* limit("buy", "1", "1000")
      yield* asBob(limit("sell", "0.25", "1000"))
      const { dealStock, left, status } = yield* cancel({ market: btcUsdt, orderId })
      same([status, dealStock, left], [partlyCanceled(dialect), "0.25", "0.75"])
      same(yield* trade(usdt), ["99750", "0"])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a cancellation is refused if the order is unknown, closed, on another market, or owned by another account", () =>
    Effect.gen(function*() {
      const { orderId } = yield* limit("buy", "1", "1000")
      const requests: ReadonlyArray<Request> = [
        { market: btcUsdt, orderId: OrderId.make("999999") },
        { market: ethUsdt, orderId },
        { market: btcUsdt, clientOrderId: mine }
      ]
      const refused = failsWith("RequestRejected")
      const errors = [
        ...yield* Effect.forEach(requests, (request) => refused(cancel(request))),
        yield* asBob(refused(cancel({ market: btcUsdt, orderId })))
      ]
      for (const { code, fields, status } of errors) {
        same([status, code, fields], [400, 2, { orderId: ["Unexecuted order was not found."] }])
      }
      yield* cancel({ market: btcUsdt, orderId })
      yield* failsWith("RequestRejected")(cancel({ market: btcUsdt, orderId }))
    }).pipe(Effect.provide(traders(dialect))))

  it.live("client and exchange refuse a cancellation with neither or both identifiers, and nothing is canceled", () =>
    Effect.gen(function*() {
      const { orderId } = yield* limit("buy", "1", "1000")
      const status = dialect === Dialect.document ? 400 : 422
      const { keys } = dialect
      // Untyped JavaScript could send these requests, although the types require exactly one identifier.
      const neither = { market: btcUsdt } as unknown as Request
      const both = { market: btcUsdt, orderId, clientOrderId: mine } as unknown as Request
      const wire = [
        { market: "BTC_USDT" },
        { market: "BTC_USDT", [keys.orderId]: Number(orderId), [keys.clientOrderId]: "mine" }
      ]
      for (const [index, request] of [neither, both].entries()) {
        const error = yield* failsWith("ValidationFailed")(cancel(request))
        same([error.origin, error.status, error.code, Object.keys(error.fields)], ["local", status, 30, ["orderId"]])
        same(yield* raw("/api/v4/order/cancel", wire[index] ?? {}), {
          status,
          body: { code: 30, message: "Validation failed", errors: { [keys.orderId]: error.fields.orderId } }
        })
      }
      same((yield* cancel({ market: btcUsdt, orderId })).status, "CANCELED")
    }).pipe(Effect.provide(traders(dialect))))

  it.live("an order id may be sent as a number or as a string of digits", () =>
    Effect.gen(function*() {
      for (const as of [Number, String]) {
        const { orderId } = yield* limit("buy", "1", "1000")
        const { status } = yield* raw("/api/v4/order/cancel", {
          market: "BTC_USDT",
          [dialect.keys.orderId]: as(orderId)
        })
        same(status, 200)
      }
      const wrong = yield* raw("/api/v4/order/cancel", { market: "BTC_USDT", [dialect.keys.orderId]: "x1" })
      same(wrong.status, dialect === Dialect.document ? 400 : 422)
    }).pipe(Effect.provide(traders(dialect))))
})
