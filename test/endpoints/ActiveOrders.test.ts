import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ClientOrderId, marketName } from "../../src/domain/Identifiers.ts"
import { Limit, Offset } from "../../src/domain/Paging.ts"
import { ActiveOrders, type Request } from "../../src/endpoints/ActiveOrders.ts"
import { StopLimitOrders } from "../../src/endpoints/StopLimitOrders.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import {
  amount,
  asBob,
  btcPerp,
  btcUsdt,
  dialects,
  failsWith,
  limit,
  perp,
  price,
  raw,
  same,
  traders
} from "../support/trading.ts"

const page = (request?: Request) => ActiveOrders.use((orders) => orders.page(request))

describe.each(dialects)("open orders in the $name dialect", (dialect) => {
  it.live("the list of open orders contains only the account's own orders, latest first", () =>
    Effect.gen(function*() {
      const clientOrderId = ClientOrderId.make("mine")
      const rests = yield* limit("buy", "1", "1000", { clientOrderId })
      const margin = yield* perp("buy", "1", "900")
      const waits = yield* StopLimitOrders.use((orders) =>
        orders.create({
          market: btcUsdt,
          side: "sell",
          amount: amount("1"),
          price: price("500"),
          activationPrice: price("501")
        })
      )
      yield* asBob(limit("buy", "1", "999"))
      const all = yield* page()
      same([all.offset, all.limit], [0, 50])
      const ids = (found: typeof all) => found.records.map((order) => order.orderId)
      same(ids(all), [waits.orderId, margin.orderId, rests.orderId])
      same(all.records.map((order) => [order.type, order.status, order.positionSide, order.activated]), [
        ["stop limit", "NEW", undefined, false],
        ["limit", "NEW", "BOTH", undefined],
        ["limit", "NEW", undefined, undefined]
      ])
      same(ids(yield* page({ market: btcPerp })), [margin.orderId])
      same(ids(yield* page({ market: btcUsdt, orderId: rests.orderId })), [rests.orderId])
      same(ids(yield* page({ market: btcUsdt, clientOrderId })), [rests.orderId])
      same(ids(yield* page({ market: btcUsdt, clientOrderId: ClientOrderId.make("other") })), [])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("open orders are sent as a plain list with the dialect's keys and values", () =>
    Effect.gen(function*() {
      const clientOrderId = ClientOrderId.make("mine")
      yield* limit("buy", "1", "1000", { clientOrderId })
      yield* perp("buy", "1", "900")
      const { body } = yield* raw("/api/v4/orders", {})
      assert.isArray(body)
      const [margin, spot] = body as ReadonlyArray<Record<string, unknown>>
      const [id, client, left, type, status] = dialect === Dialect.document
        ? ["order_id", "client_order_id", "deal_stock", "limit", "NEW"]
        : ["orderId", "clientOrderId", "dealStock", "margin limit", "OPEN"]
      assert.isNumber(spot?.[id ?? ""])
      same([spot?.[client ?? ""], spot?.[left ?? ""], spot?.["type"], spot?.["status"]], ["mine", "0", "limit", status])
      same([margin?.["type"], margin?.["status"]], [type, status])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a stream reads all pages of open orders even though the responses do not contain the offset or limit", () =>
    Effect.gen(function*() {
      for (let index = 0; index < 7; index++) yield* limit("buy", "0.01", `${1000 + index}`)
      const second = yield* page({ limit: Limit.make(3), offset: Offset.make(3) })
      same([second.limit, second.offset, second.records.map((order) => order.price)], [3, 3, ["1003", "1002", "1001"]])
      const prices = (limit: Limit) =>
        ActiveOrders.use((orders) =>
          orders.stream({ limit }).pipe(Stream.map((order) => order.price), Stream.runCollect)
        )
      const all = ["1006", "1005", "1004", "1003", "1002", "1001", "1000"]
      same(yield* prices(Limit.make(3)), all)
      same(yield* prices(Limit.make(7)), all)
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a request for the open orders of an unknown market is refused", () =>
    Effect.gen(function*() {
      const error = yield* failsWith("ValidationFailed")(page({ market: marketName("NO_SUCH") }))
      same(
        [error.origin, error.status, error.code, error.fields],
        dialect === Dialect.document
          ? ["exchange", 400, 30, { market: ["Market is not available."] }]
          : ["exchange", 422, 31, { market: ["Market is not available."] }]
      )
    }).pipe(Effect.provide(traders(dialect))))
})
