import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ClientOrderId, OrderId } from "../../src/domain/Identifiers.ts"
import { Limit, Offset } from "../../src/domain/Paging.ts"
import { OrderDeals, type Request } from "../../src/endpoints/OrderDeals.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import { asBob, btcUsdt, dialects, limit, price, raw, same, traders } from "../support/trading.ts"

const path = "/api/v4/trade-account/order"

const page = (request: Request) => OrderDeals.use((deals) => deals.page(request))

describe.each(dialects)("order deals in the $name dialect", (dialect) => {
  it.live("both sides of a trade get a deal, which contains the counterparty's order id", () =>
    Effect.gen(function*() {
      const mine = yield* limit("sell", "2", "1000", { clientOrderId: ClientOrderId.make("mine") })
      const theirs = yield* asBob(limit("buy", "1", "1100"))
      const [{ timestamp, tradeId, ...deal } = { timestamp: 0, tradeId: "" }] =
        (yield* page({ orderId: mine.orderId })).records
      same(timestamp >= mine.timestamp, true)
      const common = { amount: "1", price: "1000", total: "1000", ...(dialect.name === "live" ? { rpi: false } : {}) }
      same(deal, {
        ...common,
        clientOrderId: "mine",
        counterpartyOrderId: theirs.orderId,
        role: "maker",
        fee: "1",
        feeAsset: "USDT"
      })
      same((yield* asBob(page({ orderId: theirs.orderId }))).records, [{
        ...common,
        timestamp,
        tradeId,
        clientOrderId: theirs.sentClientOrderId,
        counterpartyOrderId: mine.orderId,
        role: "taker",
        fee: "0.001",
        feeAsset: "BTC"
      }])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("an order that is unknown, has not traded, or belongs to another account has no deals", () =>
    Effect.gen(function*() {
      const { orderId } = yield* limit("sell", "1", "1000")
      same((yield* page({ orderId })).records, [])
      yield* asBob(limit("buy", "1", "1000"))
      same((yield* page({ orderId })).records.length, 1)
      same((yield* asBob(page({ orderId }))).records, [])
      same((yield* page({ orderId: OrderId.make("987654321") })).records, [])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("an order's deals are listed by page, latest first", () =>
    Effect.gen(function*() {
      const { orderId } = yield* limit("sell", "3", "1000")
      for (let index = 0; index < 3; index++) yield* asBob(limit("buy", "1", "1000"))
      yield* limit("sell", "1", "1000")
      yield* asBob(limit("buy", "1", "1000"))
      const all = (yield* page({ orderId })).records.map(({ tradeId }) => tradeId)
      same(all, all.toSorted((one, other) => Number(other) - Number(one)))
      same(all.length, 3)
      const second = yield* page({ orderId, limit: Limit.make(1), offset: Offset.make(1) })
      same([second.limit, second.offset, second.records.map(({ tradeId }) => tradeId)], [1, 1, [all[1]]])
      const streamed = yield* OrderDeals.use((deals) =>
        deals.stream({ orderId, limit: Limit.make(2) }).pipe(Stream.map(({ tradeId }) => tradeId), Stream.runCollect)
      )
      same(streamed, all)
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a deal with the simulated market has a counterparty order id that belongs to no order", () =>
    Effect.gen(function*() {
      const { orderId } = yield* limit("sell", "1", "1000")
      yield* Control.use((control) => control.movePrice({ market: btcUsdt, price: price("1001") }))
      const [deal] = (yield* page({ orderId })).records
      same(String(deal?.counterpartyOrderId), deal?.tradeId)
      const next = yield* limit("sell", "1", "2000")
      same(Number(next.orderId) > Number(deal?.counterpartyOrderId), true)
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a deals response contains its offset and limit, and the limit is 50 by default", () =>
    Effect.gen(function*() {
      const { orderId } = yield* limit("sell", "1", "1000")
      // Some clients send order ids as strings, and also send unlisted fields.
      const fields = { [dialect.keys.orderId]: String(orderId), market: "BTC_USDT" }
      same((yield* raw(path, fields)).body, { limit: 50, offset: 0, records: [] })
    }).pipe(Effect.provide(traders(dialect))))
})
