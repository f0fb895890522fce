import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ClientOrderId, OrderId } from "../../src/domain/Identifiers.ts"
import { Limit, Offset } from "../../src/domain/Paging.ts"
import { ActiveOrders } from "../../src/endpoints/ActiveOrders.ts"
import { CancelOcoOrder } from "../../src/endpoints/CancelOcoOrder.ts"
import { CancelOrder } from "../../src/endpoints/CancelOrder.ts"
import { CollateralOcoOrders, type Leg } from "../../src/endpoints/CollateralOcoOrders.ts"
import { OrderHistory } from "../../src/endpoints/OrderHistory.ts"
import { UnexecutedOcoOrders } from "../../src/endpoints/UnexecutedOcoOrders.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import {
  amount,
  asBob,
  btcPerp,
  btcUsdt,
  collateral,
  dialects,
  failsWith,
  perp,
  price,
  raw,
  same,
  traders
} from "../support/trading.ts"

/** Places an OCO sell order with a take-profit at 1200, and a stop-loss that triggers at 900 with a limit of 890. */
const create = (of = "1", more: object = {}) =>
  CollateralOcoOrders.use((orders) =>
    orders.create({
      market: btcPerp,
      side: "sell",
      amount: amount(of),
      price: price("1200"),
      activationPrice: price("900"),
      stopLimitPrice: price("890"),
      ...more
    })
  )

const page = UnexecutedOcoOrders.use((orders) => orders.page())

const open = Effect.map(
  ActiveOrders.use((orders) => orders.page()),
  ({ records }) => records.map(({ left, orderId, status }) => [orderId, status, left])
)

const ended = Effect.map(
  OrderHistory.use((history) => history.page()),
  ({ records }) => records.map(({ orderId, status }) => [orderId, status])
)

const move = (to: string) => Control.use((control) => control.movePrice({ market: btcPerp, price: price(to) }))

const cancel = (orderId: OrderId, market = btcPerp) =>
  CancelOcoOrder.use((orders) => orders.cancel({ market, orderId }))

describe.each(dialects)("OCO orders in the $name dialect", (dialect) => {
  /** A leg as it appears in lists, where the live exchange omits the fees. */
  const listedLeg = <A extends Leg>({ makerFee, takerFee, ...leg }: A) =>
    dialect === Dialect.document ? { ...leg, makerFee, takerFee } : leg

  it.live("an OCO pair is listed with both legs until it is canceled", () =>
    Effect.gen(function*() {
      const { clientOrderIdEcho: _, sentClientOrderId: __, ...created } = yield* create()
      const { stopLoss, takeProfit } = created
      const listed = { ...created, stopLoss: listedLeg(stopLoss), takeProfit: listedLeg(takeProfit) }
      same(yield* page, { offset: 0, limit: 50, records: [listed] })
      same((yield* asBob(page)).records, [])
      const market = UnexecutedOcoOrders.use((orders) => orders.page({ market: btcUsdt }))
      same((yield* market).records, [])
      const canceled = yield* cancel(created.id)
      same(
        [canceled.id, canceled.stopLoss.status, canceled.takeProfit.status],
        [created.id, "CANCELED", "CANCELED"]
      )
      same([(yield* page).records, yield* open], [[], []])
      same(yield* collateral, "100000")
    }).pipe(Effect.provide(traders(dialect))))

  it.live("both legs of an OCO pair are sent with the dialect's keys and values", () =>
    Effect.gen(function*() {
      yield* create("1", { clientOrderId: ClientOrderId.make("mine") })
      const { body } = yield* raw("/api/v4/oco-orders", {})
      assert.isArray(body)
      const [pair] = body as ReadonlyArray<Record<string, Record<string, unknown>>>
      const { keys } = dialect
      same(
        [pair?.["stop_loss"]?.["type"], pair?.["take_profit"]?.["type"], pair?.["take_profit"]?.[keys.clientOrderId]],
        dialect === Dialect.document ? ["stop limit", "limit", "mine"] : ["margin stop limit", "margin limit", ""]
      )
      const orders = (yield* raw("/api/v4/orders", {})).body as ReadonlyArray<Record<string, unknown>>
      same(
        orders.map((order) => [order["type"], order[keys.clientOrderId]]),
        dialect === Dialect.document
          ? [["limit", "mine"], ["stop limit", "mine"]]
          : [["margin limit", ""], ["margin stop limit", ""]]
      )
    }).pipe(Effect.provide(traders(dialect))))

  it.live("in the live dialect, a leg states whether it is reduce-only, and has a position side only on a futures market", () =>
    Effect.gen(function*() {
      yield* create()
      yield* create("1", { market: btcUsdt })
      const isLive = dialect === Dialect.live
      const { body } = yield* raw("/api/v4/oco-orders", {})
      const pairs = body as ReadonlyArray<Record<string, Record<string, unknown>>>
      const legs = pairs.flatMap(({ stop_loss, take_profit }) => [stop_loss, take_profit])
      same(legs.map((leg) => leg?.["reduceOnly"]), legs.map(() => isLive ? false : undefined))
      const [onSpot, onFutures] = isLive ? [undefined, "BOTH"] : ["SHORT", "SHORT"]
      same(legs.map((leg) => leg?.["positionSide"]), [onSpot, onSpot, onFutures, onFutures])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a take-profit that trades cancels the stop-loss, even if it trades only partly", () =>
    Effect.gen(function*() {
      const { stopLoss, takeProfit } = yield* create()
      yield* asBob(perp("buy", "0.4", "1200"))
      same(yield* open, [[takeProfit.orderId, "PARTIAL_FILLED", "0.6"]])
      same(yield* ended, [[stopLoss.orderId, "CANCELED"]])
      same((yield* page).records, [])
      yield* move("800")
      same(yield* open, [[takeProfit.orderId, "PARTIAL_FILLED", "0.6"]])
      yield* asBob(perp("buy", "0.6", "1200"))
      same(yield* ended, [[takeProfit.orderId, "FILLED"], [stopLoss.orderId, "CANCELED"]])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a triggered stop-loss cancels the take-profit", () =>
    Effect.gen(function*() {
      yield* move("1000")
      const { id, stopLoss, takeProfit } = yield* create()
      yield* asBob(perp("buy", "0.1", "900"))
      yield* asBob(perp("buy", "1", "880"))
      // A trade at 900 triggers the stop-loss, while the best bid is below the stop-loss's limit.
      yield* asBob(perp("sell", "0.1", "900"))
      same(yield* open, [[stopLoss.orderId, "NEW", "1"]])
      same(yield* ended, [[takeProfit.orderId, "CANCELED"]])
      same((yield* page).records, [])
      const error = yield* failsWith("RequestRejected")(cancel(id))
      same([error.status, error.code], [400, 2])
      yield* asBob(perp("buy", "1", "890"))
      same(yield* ended, [[stopLoss.orderId, "FILLED"], [takeProfit.orderId, "CANCELED"]])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("canceling one leg of an OCO pair cancels the other leg", () =>
    Effect.gen(function*() {
      for (const leg of ["stopLoss", "takeProfit"] as const) {
        const { orderId } = (yield* create())[leg]
        yield* CancelOrder.use((orders) => orders.cancel({ market: btcPerp, orderId }))
        same([yield* open, (yield* page).records], [[], []])
      }
      same(yield* collateral, "100000")
    }).pipe(Effect.provide(traders(dialect))))

  it.live("closing the position cancels the legs of a reduce-only OCO pair", () =>
    Effect.gen(function*() {
      yield* perp("buy", "1", "1000")
      yield* asBob(perp("sell", "1", "1000"))
      const { reduceOnly, stopLoss, takeProfit } = yield* create("5", { reduceOnly: true })
      same([reduceOnly, stopLoss.amount, takeProfit.amount], [true, "1", "1"])
      yield* asBob(perp("buy", "1", "990"))
      yield* perp("sell", "1", "990")
      same(yield* open, [])
      const statuses = (yield* ended).map(([, status]) => status)
      assert.isTrue(statuses.includes("AUTO_CANCELED_REDUCE_ONLY"))
    }).pipe(Effect.provide(traders(dialect))))

  it.live("canceling an unknown OCO pair, or another account's pair, is refused", () =>
    Effect.gen(function*() {
      const { id, takeProfit } = yield* create()
      const refused = failsWith("RequestRejected")
      const errors = [
        yield* refused(cancel(OrderId.make("999999"))),
        yield* refused(cancel(id, btcUsdt)),
        // A leg's order id does not identify the pair.
        yield* refused(cancel(takeProfit.orderId)),
        yield* asBob(refused(cancel(id)))
      ]
      for (const { code, fields } of errors) same([code, fields], [2, { orderId: ["Unexecuted order was not found."] }])
      same((yield* page).records.length, 1)
    }).pipe(Effect.provide(traders(dialect))))

  it.live("OCO pairs are listed by page", () =>
    Effect.gen(function*() {
      for (const  of of["0.1", "0.2", "0.3", "0.4", "0.5"]) yield* create(of)
      const service = yield* UnexecutedOcoOrders
      const { records } = yield* service.page({ limit: Limit.make(2), offset: Offset.make(1) })
      same(records.map(({ takeProfit }) => takeProfit.amount), ["0.4", "0.3"])
      const all = yield* service.stream({ limit: Limit.make(2) }).pipe(
        Stream.map(({ takeProfit }) => takeProfit.amount),
        Stream.runCollect
      )
      same(all, ["0.5", "0.4", "0.3", "0.2", "0.1"])
    }).pipe(Effect.provide(traders(dialect))))
})
