import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Price } from "../../src/domain/Decimal.ts"
import { OrderId } from "../../src/domain/Identifiers.ts"
import { Limit, Offset } from "../../src/domain/Paging.ts"
import { ActiveOrders } from "../../src/endpoints/ActiveOrders.ts"
import { CancelConditionalOrder } from "../../src/endpoints/CancelConditionalOrder.ts"
import { CancelOrder } from "../../src/endpoints/CancelOrder.ts"
import { CancelOtoOrder } from "../../src/endpoints/CancelOtoOrder.ts"
import { CollateralMarketOrders } from "../../src/endpoints/CollateralMarketOrders.ts"
import { CollateralOcoOrders } from "../../src/endpoints/CollateralOcoOrders.ts"
import { CollateralStopLimitOrders } from "../../src/endpoints/CollateralStopLimitOrders.ts"
import { CollateralTriggerMarketOrders } from "../../src/endpoints/CollateralTriggerMarketOrders.ts"
import { ConditionalOrders, endpoint, type Request } from "../../src/endpoints/ConditionalOrders.ts"
import { ModifyOrder } from "../../src/endpoints/ModifyOrder.ts"
import { OpenPositions } from "../../src/endpoints/OpenPositions.ts"
import { OrderHistory } from "../../src/endpoints/OrderHistory.ts"
import { UnexecutedOcoOrders } from "../../src/endpoints/UnexecutedOcoOrders.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Endpoint from "../../src/protocol/Endpoint.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import {
  amount,
  asBob,
  btcPerp,
  btcUsdt,
  dialects,
  ethUsdt,
  failsWith,
  perp,
  price,
  raw,
  same,
  traders
} from "../support/trading.ts"

const live = Dialect.live

/** A take-profit at 1200 and a stop-loss at 800, for a buy. */
const exit = { takeProfit: price("1200"), stopLoss: price("800") }

const movedTo = (to: string) => Control.use((control) => control.movePrice({ market: btcPerp, price: price(to) }))

const page = (request?: Request) => ConditionalOrders.use((orders) => orders.page(request))

const records = Effect.map(page(), ({ records }) => records)

const position = Effect.map(
  OpenPositions.use((positions) => positions.list({ market: btcPerp })),
  ([position]) => position
)

/** Summarizes the open orders, latest first: side, type, amount, activation price and condition. */
const open = Effect.map(
  ActiveOrders.use((orders) => orders.page()),
  ({ records }) =>
    records.map(({ activationCondition, activationPrice, amount, side, type }) =>
      [side, type, amount, activationPrice, activationCondition].join(" ")
    )
)

/** Summarizes the closed orders, latest first: side, type, status and filled amount. */
const ended = Effect.map(
  OrderHistory.use((history) => history.page()),
  ({ records }) => records.map(({ dealStock, side, status, type }) => [side, type, status, dealStock].join(" "))
)

const market = (side: "buy" | "sell", of: string, more: object = {}) =>
  CollateralMarketOrders.use((orders) => orders.create({ market: btcPerp, side, amount: amount(of), ...more }))

describe("orders with a take-profit and a stop-loss, in the live dialect", () => {
  it.live("an order with a take-profit and a stop-loss stays a single conditional order until it is filled", () =>
    Effect.gen(function*() {
      yield* movedTo("1000")
      const entry = yield* perp("buy", "2", "900", exit)
      const { oto } = entry
      same(Number(entry.orderId) - Number(oto?.otoId), 1)
      same(oto, { otoId: oto?.otoId, takeProfit: "1200", stopLoss: "800" })
      const { limit, offset, records, total } = yield* page()
      same([limit, offset, total], [100, 0, 1])
      const { clientOrderId: _id, sentClientOrderId: _sent, ...order } = entry
      same(records.map((record) => record.type === "oto" ? { ...record, order: record.order.orderId } : record), [{
        type: "oto",
        id: oto?.otoId,
        takeProfitPrice: "1200",
        stopLossPrice: "800",
        order: order.orderId
      }])
      same(yield* open, ["buy limit 2  "])
      same(yield* ActiveOrders.use((orders) => Effect.map(orders.page(), ({ records }) => records[0]?.oto)), oto)
      same(yield* UnexecutedOcoOrders.use((orders) => Effect.map(orders.page(), ({ records }) => records)), [])
    }).pipe(Effect.provide(traders(live))))

  it.live("an order with a take-profit and a stop-loss can't be modified, because modifying it would drop both", () =>
    Effect.gen(function*() {
      yield* movedTo("1000")
      const refused = (orderId: OrderId, changes: { price: Price } | { activationPrice: Price }) =>
        ModifyOrder.use((orders) => orders.modify({ market: btcPerp, orderId, ...changes })).pipe(
          failsWith("RequestRejected"),
          Effect.map(({ code, fields }) => [code, Object.keys(fields)])
        )
      const { orderId } = yield* perp("buy", "2", "900", exit)
      same(yield* refused(orderId, { price: price("950") }), [155, ["orderId"]])
      same((yield* records).length, 1)
      yield* movedTo("890")
      const legs = yield* ActiveOrders.use((orders) => orders.page())
      for (const leg of legs.records) {
        same(yield* refused(leg.orderId, { activationPrice: price("850") }), [155, ["orderId"]])
      }
      same(yield* open, ["sell stop market 2 800 lte", "sell stop market 2 1200 gte"])
    }).pipe(Effect.provide(traders(live))))

  it.live("a filled order places its take-profit and stop-loss as stop-market orders, and the position shows both", () =>
    Effect.gen(function*() {
      yield* movedTo("1000")
      yield* perp("buy", "2", "900", exit)
      yield* movedTo("890")
      same(yield* records, [])
      same(yield* open, ["sell stop market 2 800 lte", "sell stop market 2 1200 gte"])
      const tpsl = (yield* position)?.tpsl
      same([tpsl?.takeProfit, tpsl?.stopLoss], ["1200", "800"])
      same(Number(tpsl?.stopLossId) - Number(tpsl?.takeProfitId), 1)
    }).pipe(Effect.provide(traders(live))))

  it.live("a stop-loss closes the position at its trigger price and cancels the take-profit", () =>
    Effect.gen(function*() {
      yield* movedTo("1000")
      yield* perp("buy", "2", "900", exit)
      yield* movedTo("890")
      yield* movedTo("790")
      same(yield* ended, ["sell stop market FILLED 2", "sell stop market CANCELED 0", "buy limit FILLED 2"])
      same([yield* position, yield* open], [undefined, []])
    }).pipe(Effect.provide(traders(live))))

  it.live("a short position has its take-profit below the entry price and its stop-loss above it", () =>
    Effect.gen(function*() {
      yield* movedTo("1000")
      yield* asBob(perp("buy", "2", "1000"))
      const entry = yield* market("sell", "2", { takeProfit: price("900"), stopLoss: price("1100") })
      same(entry.status, "FILLED")
      same(entry.oto?.takeProfit, "900")
      same(yield* open, ["buy stop market 2 1100 gte", "buy stop market 2 900 lte"])
      yield* movedTo("900")
      same(yield* ended, ["buy stop market FILLED 2", "buy stop market CANCELED 0", "sell market FILLED 2"])
    }).pipe(Effect.provide(traders(live))))

  it.live("an order may have only a take-profit or only a stop-loss", () =>
    Effect.gen(function*() {
      yield* movedTo("1000")
      yield* perp("buy", "2", "900", { stopLoss: price("800") })
      yield* movedTo("890")
      same(yield* open, ["sell stop market 2 800 lte"])
      const tpsl = (yield* position)?.tpsl
      same([tpsl?.stopLoss, tpsl?.takeProfit], ["800", undefined])
      yield* movedTo("800")
      same(yield* position, undefined)
    }).pipe(Effect.provide(traders(live))))

  it.live("stop orders on margin place their take-profit and stop-loss once they are filled", () =>
    Effect.gen(function*() {
      yield* movedTo("1000")
      const common = { market: btcPerp, side: "buy", amount: amount("1"), activationPrice: price("1100") } as const
      const exit = { takeProfit: price("1300"), stopLoss: price("900") }
      yield* CollateralStopLimitOrders.use((orders) => orders.create({ ...common, ...exit, price: price("1150") }))
      yield* CollateralTriggerMarketOrders.use((orders) => orders.create({ ...common, ...exit }))
      same((yield* page()).total, 2)
      yield* movedTo("1100")
      same(yield* records, [])
      same(yield* open, [
        "sell stop market 1 900 lte",
        "sell stop market 1 1300 gte",
        "sell stop market 1 900 lte",
        "sell stop market 1 1300 gte"
      ])
      yield* movedTo("1300")
      same([yield* position, yield* open], [undefined, []])
    }).pipe(Effect.provide(traders(live))))

  it.live("a partly filled order has no take-profit or stop-loss yet, and never gets them if it is canceled", () =>
    Effect.gen(function*() {
      yield* movedTo("1000")
      const entry = yield* perp("buy", "2", "1000", exit)
      yield* asBob(perp("sell", "0.5", "1000"))
      same(yield* open, ["buy limit 2  "])
      yield* CancelOtoOrder.use((orders) => orders.cancel({ market: btcPerp, otoId: entry.oto?.otoId as never }))
      same([yield* open, yield* records], [[], []])
      same((yield* position)?.amount, "0.5")
      same((yield* position)?.tpsl, null)
    }).pipe(Effect.provide(traders(live))))

  it.live("an order that only reduces a position places no take-profit or stop-loss", () =>
    Effect.gen(function*() {
      yield* movedTo("1000")
      yield* asBob(perp("buy", "2", "1000"))
      yield* market("sell", "2")
      yield* asBob(perp("sell", "1", "1000"))
      yield* market("buy", "1", exit)
      same(yield* open, [])
      same((yield* position)?.amount, "-1")
    }).pipe(Effect.provide(traders(live))))

  it.live("canceling a take-profit leaves the stop-loss open, and closing the position cancels both", () =>
    Effect.gen(function*() {
      yield* movedTo("1000")
      yield* asBob(perp("sell", "4", "1000"))
      yield* market("buy", "2", exit)
      yield* market("buy", "2", exit)
      const tpsl = (yield* position)?.tpsl
      yield* CancelOrder.use((orders) => orders.cancel({ market: btcPerp, orderId: tpsl?.takeProfitId as never }))
      same((yield* open).length, 3)
      same(Object.keys((yield* position)?.tpsl ?? {}), ["stopLossId", "stopLoss"])
      yield* asBob(perp("buy", "4", "1000"))
      yield* market("sell", "4", { reduceOnly: true })
      same([yield* position, yield* open], [undefined, []])
      same((yield* ended).slice(0, 4).toSorted(), [
        "sell market FILLED 4",
        "sell stop market AUTO_CANCELED_REDUCE_ONLY 0",
        "sell stop market AUTO_CANCELED_REDUCE_ONLY 0",
        "sell stop market AUTO_CANCELED_REDUCE_ONLY 0"
      ])
    }).pipe(Effect.provide(traders(live))))

  it.live("a take-profit or stop-loss is refused on the wrong side, off the tick size, or with reduceOnly", () =>
    Effect.gen(function*() {
      yield* movedTo("1000")
      const refused = (more: object) => Effect.flip(perp("buy", "1", "900", more))
      const code = (error: object) => (error as { readonly code?: number }).code
      const fields = (error: object) => (error as { readonly fields?: object }).fields
      const [wrong, both, fine, reducing] = [
        yield* refused({ takeProfit: price("900") }),
        yield* refused({ takeProfit: price("800"), stopLoss: price("1000") }),
        yield* refused({ stopLoss: price("800.01") }),
        yield* refused({ ...exit, reduceOnly: true })
      ]
      same([code(wrong), fields(wrong)], [105, { takeProfit: ["Wrong activation price for take profit."] }])
      same([code(both), fields(both)], [30, {
        takeProfit: ["Wrong activation price for take profit."],
        stopLoss: ["Wrong activation price for stop loss."]
      }])
      same(code(yield* refused({ stopLoss: price("900") })), 106)
      same(Object.keys(fields(fine) ?? {}), ["stopLoss"])
      same([code(reducing), Object.keys(fields(reducing) ?? {})], [30, ["reduceOnly"]])
      same(yield* open, [])
    }).pipe(Effect.provide(traders(live))))
})

describe.each(dialects)("conditional orders in the $name dialect", (dialect) => {
  const oco = (at = btcUsdt) =>
    CollateralOcoOrders.use((orders) =>
      orders.create({
        market: at,
        side: "sell",
        amount: amount("1"),
        price: price("1200"),
        activationPrice: price("800"),
        stopLimitPrice: price("790")
      })
    )

  it.live("conditional orders, including OCO orders, are listed by page, latest first, for one market or all", () =>
    Effect.gen(function*() {
      yield* movedTo("1000")
      const ids: Array<string> = []
      for (let index = 0; index < 3; index++) {
        ids.unshift((yield* oco()).id)
        if (dialect.name === "document") continue
        ids.unshift(String((yield* perp("buy", "1", "900", exit)).oto?.otoId))
      }
      const all = yield* page()
      same([all.total, all.records.map(({ id }): string => id)], [ids.length, ids])
      const second = yield* page({ limit: Limit.make(1), offset: Offset.make(1) })
      same([second.total, second.records.map(({ id }): string => id)], [ids.length, ids.slice(1, 2)])
      same((yield* page({ market: btcUsdt })).total, 3)
      same((yield* page({ market: btcPerp })).total, ids.length - 3)
      same((yield* asBob(page())).total, 0)
      const streamed = yield* ConditionalOrders.use((orders) =>
        orders.stream({ limit: Limit.make(2) }).pipe(Stream.map(({ id }): string => id), Stream.runCollect)
      )
      same(streamed, ids)
      const first = all.records.at(-1)
      assert.isTrue(
        first?.type === "oco" && first.stopLoss.activationPrice === "800" && first.takeProfit.price === "1200"
      )
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a request for the conditional orders of an unknown or spot-only market is refused", () =>
    Effect.gen(function*() {
      for (const market of ["NO_SUCH", "SHIB_USDT"]) {
        const { code, fields } = yield* failsWith("ValidationFailed")(page({ market: market as typeof btcUsdt }))
        same([code, fields], [dialect.name === "live" ? 31 : 30, { market: ["Market is not available."] }])
      }
      same((yield* page({ market: ethUsdt })).total, 0)
    }).pipe(Effect.provide(traders(dialect))))

  it.live("CancelConditionalOrder cancels both legs of an OCO order, and refuses an id that is unknown or another account's", () =>
    Effect.gen(function*() {
      const { id, stopLoss } = yield* oco()
      const cancel = (id: string, market = btcUsdt) =>
        CancelConditionalOrder.use((orders) => orders.cancel({ market, id: OrderId.make(id) }))
      const missing = failsWith("RequestRejected")
      const errors = [
        yield* missing(cancel(stopLoss.orderId)),
        yield* missing(cancel(id, btcPerp)),
        yield* missing(asBob(cancel(id))),
        yield* missing(cancel("987654321"))
      ]
      for (const { code, fields } of errors) same([code, fields], [2, { id: ["Unexecuted order was not found."] }])
      yield* missing(CancelOtoOrder.use((orders) => orders.cancel({ market: btcUsdt, otoId: id })))
      same(yield* raw("/api/v4/order/conditional-cancel", { market: "BTC_USDT", id: String(id) }), {
        status: 200,
        body: []
      })
      yield* missing(cancel(id))
      same(yield* open, [])
    }).pipe(Effect.provide(traders(dialect))))
})

describe("canceling orders with a take-profit and a stop-loss", () => {
  it.live("an order with a take-profit and a stop-loss can be canceled with its OTO id or its order id", () =>
    Effect.gen(function*() {
      yield* movedTo("1000")
      const otoOf = Effect.map(perp("buy", "1", "900", exit), ({ oto, orderId }) =>
        [
          oto?.otoId as OrderId,
          orderId
        ] as const)
      const [first] = yield* otoOf
      const cancelOto = (otoId: OrderId, market = btcPerp) =>
        CancelOtoOrder.use((orders) => orders.cancel({ market, otoId }))
      const cancelOrder = (orderId: OrderId) => CancelOrder.use((orders) => orders.cancel({ market: btcPerp, orderId }))
      const missing = failsWith("RequestRejected")
      same((yield* missing(cancelOrder(first))).code, 2)
      same((yield* missing(asBob(cancelOto(first)))).fields, { otoId: ["Unexecuted order was not found."] })
      yield* cancelOto(first)
      same((yield* missing(cancelOto(first))).code, 2)
      const [second] = yield* otoOf
      yield* CancelConditionalOrder.use((orders) => orders.cancel({ market: btcPerp, id: second }))
      const [third, order] = yield* otoOf
      same((yield* cancelOrder(order)).oto?.otoId, third)
      yield* missing(cancelOto(third))
      same([yield* open, yield* records], [[], []])
    }).pipe(Effect.provide(traders(live))))
})

describe("keys in older documentation", () => {
  const leg = {
    clientOrderId: "",
    market: "BTC_USDT",
    side: "buy",
    timestamp: 1594605801.49815,
    dealMoney: "0",
    dealStock: "0",
    amount: "2",
    left: "2",
    dealFee: "0",
    post_only: false,
    mtime: 1662478154.941582,
    price: "19928.79"
  }

  it("conditional orders with the keys from older documentation are decoded", () => {
    const { decodeResponse } = Endpoint.codec(endpoint, live)
    const { records } = Result.getOrThrow(decodeResponse({
      limit: 100,
      offset: 0,
      total: 1,
      records: [{
        id: 17,
        type: "oco",
        stop_loss: {
          ...leg,
          orderId: 18,
          type: "margin stop limit",
          activation_price: "29928.79",
          activation_condition: "gte",
          activated: 0
        },
        take_profit: { ...leg, orderId: 19, type: "margin limit" }
      }]
    }))
    const [pair] = records
    if (pair?.type !== "oco") return assert.fail("no pair")
    same([pair.stopLoss.activationPrice, pair.stopLoss.activationCondition], ["29928.79", "gte"])
    same([pair.stopLoss.postOnly, pair.takeProfit.margin], [false, true])
  })
})
