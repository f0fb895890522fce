import { describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ClientOrderId } from "../../src/domain/Identifiers.ts"
import { Limit } from "../../src/domain/Paging.ts"
import { CancelAllOrders } from "../../src/endpoints/CancelAllOrders.ts"
import { OrderHistory, type Request } from "../../src/endpoints/OrderHistory.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import { asBob, btcPerp, btcUsdt, dialects, limit, perp, raw, same, traders } from "../support/trading.ts"

const page = (request?: Request) => OrderHistory.use((history) => history.page(request))

describe.each(dialects)("order history in the $name dialect", (dialect) => {
  it.live("an account without closed orders has an empty order history", () =>
    Effect.gen(function*() {
      yield* limit("buy", "1", "1000")
      same((yield* page()).records, [])
      same((yield* raw("/api/v4/trade-account/order/history", {})).body, [])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("the order history shows each order's outcome", () =>
    Effect.gen(function*() {
      const clientOrderId = ClientOrderId.make("mine")
      const { orderId, timestamp } = yield* limit("sell", "1", "1000", { clientOrderId })
      yield* asBob(limit("buy", "1", "1000"))
      const [{ ftime, ...order } = { ftime: 0 }] = (yield* page()).records
      same(ftime >= timestamp, true)
      same(order, {
        orderId,
        clientOrderId: "mine",
        market: "BTC_USDT",
        side: "sell",
        type: "limit",
        timestamp,
        dealMoney: "1000",
        dealStock: "1",
        dealFee: "1",
        ...(dialect === Dialect.live ? { feeAsset: "USDT" } : {}),
        amount: "1",
        price: "1000",
        takerFee: "0.001",
        makerFee: "0.001",
        postOnly: false,
        ioc: false,
        status: "FILLED",
        stp: "no",
        rpi: false,
        reduceOnly: false
      })
    }).pipe(Effect.provide(traders(dialect))))

  it.live("the order history is listed for one market, one order or the whole account, latest first", () =>
    Effect.gen(function*() {
      const clientOrderId = ClientOrderId.make("mine")
      const first = yield* limit("buy", "1", "1000", { clientOrderId })
      const second = yield* perp("buy", "1", "900")
      yield* CancelAllOrders.use((orders) => orders.cancel())
      const ids = (request?: Request) =>
        Effect.map(page(request), ({ records }) => records.map((order) => [order.orderId, order.market]))
      same(yield* ids(), [[second.orderId, "BTC_PERP"], [first.orderId, "BTC_USDT"]])
      same(yield* ids({ market: btcUsdt }), [[first.orderId, "BTC_USDT"]])
      same(yield* ids({ orderId: second.orderId }), [[second.orderId, "BTC_PERP"]])
      same(yield* ids({ clientOrderId }), [[first.orderId, "BTC_USDT"]])
      same(yield* ids({ market: btcPerp, clientOrderId }), [])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("the order history refuses a client order id that no closed order has, but returns nothing for an unknown order id", () =>
    Effect.gen(function*() {
      const clientOrderId = ClientOrderId.make("mine")
      const { orderId } = yield* limit("buy", "1", "1000", { clientOrderId })
      const { clientOrderId: key, orderId: idKey } = dialect.keys
      const search = (fields: object) => raw("/api/v4/trade-account/order/history", fields)
      const unknown = {
        code: 30,
        message: "Validation failed",
        errors: { orderHistory: ["OrderHistory was not found."] }
      }
      same(yield* search({ [key]: "mine" }), { status: dialect === Dialect.live ? 422 : 400, body: unknown })
      same((yield* search({ [idKey]: Number(orderId) })).body, [])
      yield* CancelAllOrders.use((orders) => orders.cancel())
      // If both ids are sent, the exchange order id takes precedence.
      for (const fields of [{ [key]: "mine" }, { [idKey]: Number(orderId), [key]: "other" }]) {
        same(Object.keys((yield* search(fields)).body as object), ["BTC_USDT"])
      }
    }).pipe(Effect.provide(traders(dialect))))

  it.live("the order history is listed by page across all markets", () =>
    Effect.gen(function*() {
      for (let index = 0; index < 3; index++) {
        yield* limit("buy", "0.01", `${1000 + index}`)
        yield* perp("buy", "0.01", `${900 + index}`)
      }
      yield* CancelAllOrders.use((orders) => orders.cancel())
      const prices = yield* OrderHistory.use((history) =>
        history.stream({ limit: Limit.make(2) }).pipe(Stream.map((order) => order.price), Stream.runCollect)
      )
      same(prices, ["902", "1002", "901", "1001", "900", "1000"])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("the order history is sent grouped by market, with the dialect's keys and values", () =>
    Effect.gen(function*() {
      yield* limit("buy", "0.01", "1000")
      yield* perp("buy", "0.01", "900")
      yield* CancelAllOrders.use((orders) => orders.cancel())
      const { body } = yield* raw("/api/v4/trade-account/order/history", {})
      const groups = body as Readonly<Record<string, ReadonlyArray<Record<string, unknown>>>>
      same(Object.keys(groups).toSorted(), ["BTC_PERP", "BTC_USDT"])
      const [spot] = groups["BTC_USDT"] ?? []
      const [margin] = groups["BTC_PERP"] ?? []
      const { keys } = dialect
      same(
        ["id", "ctime", "ftime", keys.clientOrderId, keys.dealStock, "market"].map((key) => typeof spot?.[key]),
        ["number", "number", "number", "string", "string", "undefined"]
      )
      same([spot?.["type"], margin?.["type"]], ["limit", dialect === Dialect.document ? "limit" : "margin limit"])
    }).pipe(Effect.provide(traders(dialect))))
})

it.live("a refused status lists the statuses by their names on the wire", () =>
  Effect.gen(function*() {
    const { body } = yield* raw("/api/v4/trade-account/order/history", { status: "OPEN" })
    same(body, {
      code: 30,
      message: "Validation failed",
      errors: {
        status: ["Status field should contain only 'ALL' or 'FILLED' or 'CANCELED' or 'PARTIALLY_FILLED' values."]
      }
    })
  }).pipe(Effect.provide(traders(Dialect.live))))

it.live("the order history's period has at most 31 days, and starts at most six months ago", () =>
  Effect.gen(function*() {
    const now = Date.UTC(2030, 7, 31, 12) / 1000
    const day = 86_400
    const control = yield* Control
    yield* control.freezeClock
    yield* control.setClock({ at: now * 1e6 })
    yield* control.skewClock({ millis: now * 1000 - (yield* Clock.currentTimeMillis) })
    const search = (fields: object) => raw("/api/v4/trade-account/order/history", fields)
    const refused = (min: number) => ({
      status: 422,
      body: {
        code: 30,
        message: "Validation failed",
        errors: { startDate: [`StartDate should be at least ${min}.`] }
      }
    })
    const month = now - 31 * day
    const floor = Date.UTC(2030, 1, 28) / 1000
    for (const end of [{}, { endDate: now }, { endDate: now + day }]) {
      same(yield* search({ startDate: month, ...end }), { status: 200, body: [] })
      same(yield* search({ startDate: month - 1, ...end }), refused(month))
    }
    same((yield* search({ startDate: month - day, endDate: now - day })).status, 200)
    same(yield* search({ startDate: month - day - 1, endDate: now - day }), refused(month - day))
    same((yield* search({ startDate: floor, endDate: floor + day })).status, 200)
    same(yield* search({ startDate: floor - 1, endDate: floor + day }), refused(floor))
    // A search for a single order ignores the period.
    same(yield* search({ startDate: 1, orderId: 1 }), { status: 200, body: [] })
  }).pipe(Effect.provide(traders(Dialect.live))))

it.live("a caller whose clock is behind may ask for the 31 days before its own time", () =>
  Effect.gen(function*() {
    const control = yield* Control
    yield* control.freezeClock
    const start = Date.UTC(2030, 7, 31, 12)
    yield* control.setClock({ at: start * 1000 })
    yield* control.skewClock({ millis: start - 3_600_000 - (yield* Clock.currentTimeMillis) })
    const startDate = start / 1000 - 31 * 86_400 - 3600
    const search = (fields: object) =>
      Effect.map(raw("/api/v4/trade-account/order/history", fields), ({ status }) => status)
    // The callers' clock runs while the test does.
    same(yield* search({ startDate: startDate + 120 }), 200)
    same(yield* search({ startDate: startDate - 1 }), 422)
  }).pipe(Effect.provide(traders(Dialect.live))))

for (const dialect of dialects) {
  const isLive = dialect === Dialect.live
  it.live(
    `in the ${dialect.name} dialect, an order history without a start lists ${isLive ? "one month" : "every order"}`,
    () =>
      Effect.gen(function*() {
        const control = yield* Control
        yield* control.freezeClock
        yield* control.setClock({ at: Date.UTC(2030, 6, 31) * 1000 })
        const { orderId } = yield* limit("buy", "1", "1000")
        yield* CancelAllOrders.use((orders) => orders.cancel())
        const ids = (request: Request) =>
          Effect.map(page(request), ({ records }) => records.map((order) => order.orderId))
        // One month before August 31 is July 31.
        yield* control.setClock({ at: Date.UTC(2030, 7, 31) * 1000 })
        same(yield* ids({}), [orderId])
        yield* control.setClock({ at: Date.UTC(2030, 7, 31, 0, 0, 1) * 1000 })
        same(yield* ids({}), isLive ? [] : [orderId])
        same(yield* ids({ orderId }), [orderId])
      }).pipe(Effect.provide(traders(dialect)))
  )
}
