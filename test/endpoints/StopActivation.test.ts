import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { OrderSide } from "../../src/domain/Order.ts"
import { ActiveOrders } from "../../src/endpoints/ActiveOrders.ts"
import { OrderHistory } from "../../src/endpoints/OrderHistory.ts"
import { StopLimitOrders } from "../../src/endpoints/StopLimitOrders.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import {
  amount,
  asBob,
  btc,
  btcUsdt,
  dialects,
  limit,
  price,
  same,
  statuses,
  trade,
  traders,
  usdt
} from "../support/trading.ts"

const stop = (side: OrderSide, of: string, at: string, activation: string, more: object = {}) =>
  StopLimitOrders.use((orders) =>
    orders.create({
      market: btcUsdt,
      side,
      amount: amount(of),
      price: price(at),
      activationPrice: price(activation),
      ...more
    })
  )

const move = (to: string) => Control.use((control) => control.movePrice({ market: btcUsdt, price: price(to) }))

const open = Effect.map(
  ActiveOrders.use((orders) => orders.page()),
  ({ records }) => records.map(({ activated, left, status }) => [activated, status, left])
)

describe.each(dialects)("stop order activation in the $name dialect", (dialect) => {
  it.live("moving the price triggers a stop order, which trades at the new price within its limit", () =>
    Effect.gen(function*() {
      yield* move("1000")
      yield* stop("buy", "1", "1105", "1100")
      same(yield* trade(usdt), ["98895", "1105"])
      yield* move("1099.99")
      same(yield* open, [[false, "NEW", "1"]])
      yield* move("1100")
      same(yield* open, [])
      same(yield* statuses, ["FILLED"])
      same([yield* trade(btc), yield* trade(usdt)], [["10.999", "0"], ["98900", "0"]])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a triggered stop order rests at its limit until the price reaches that limit", () =>
    Effect.gen(function*() {
      yield* move("1000")
      yield* stop("buy", "1", "1095", "1100")
      yield* move("1100")
      same(yield* open, [[true, "NEW", "1"]])
      yield* move("1050")
      same([yield* open, yield* statuses], [[], ["FILLED"]])
      same(yield* trade(usdt), ["98905", "0"])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a trade triggers a stop order, which trades immediately against the book", () =>
    Effect.gen(function*() {
      yield* move("1000")
      yield* stop("sell", "1", "800", "900")
      yield* asBob(limit("buy", "0.4", "890"))
      yield* asBob(limit("buy", "0.1", "900"))
      // This sell trades at 900, which triggers the stop order.
      const trigger = yield* limit("sell", "0.1", "900")
      same(trigger.status, "FILLED")
      same(yield* open, [[true, "PARTIAL_FILLED", "0.6"]])
      yield* asBob(limit("buy", "0.6", "800"))
      same(yield* statuses, ["FILLED", "FILLED"])
      const [stopped] = (yield* OrderHistory.use((history) => history.page())).records
      same([stopped?.type, stopped?.dealMoney, stopped?.activationPrice], ["stop limit", "836", "900"])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a triggered stop order can trigger another stop order", () =>
    Effect.gen(function*() {
      yield* move("1000")
      yield* asBob(limit("buy", "1", "890"))
      yield* asBob(limit("buy", "1", "850"))
      yield* stop("sell", "1", "880", "900")
      yield* stop("sell", "1", "840", "890")
      yield* asBob(limit("sell", "1", "900"))
      yield* asBob(limit("buy", "1", "900"))
      same(yield* open, [])
      same(yield* statuses, ["FILLED", "FILLED"])
      same(yield* trade(usdt), ["101738.26", "0"])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a stop order's trigger direction depends on its side in the document's dialect, and on the last price in the live dialect", () =>
    Effect.gen(function*() {
      yield* move("1000")
      // A buy stop below the last price triggers immediately in the document's dialect. In the live dialect, the order
      // waits until the price falls.
      const { activationCondition } = yield* stop("buy", "1", "990", "900")
      const document = dialect === Dialect.document
      same(activationCondition, document ? "gte" : "lte")
      same(yield* open, [[document, "NEW", "1"]])
      yield* move("900")
      // In the document's dialect, the order rested at 990 and fills now. In the live dialect, the order was triggered
      // just now.
      same([yield* open, yield* statuses], [[], ["FILLED"]])
      same(yield* trade(usdt), [document ? "99010" : "99100", "0"])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a stop order at the best price joins its own side of the book, or takes the opposite side", () =>
    Effect.gen(function*() {
      yield* move("1000")
      yield* asBob(limit("buy", "1", "990"))
      yield* asBob(limit("sell", "1", "1010"))
      yield* stop("buy", "0.5", "1200", "1005", { bboRole: "queue" })
      yield* stop("buy", "0.5", "1200", "1005", { bboRole: "counterparty" })
      yield* move("1005")
      const [queued] = (yield* ActiveOrders.use((orders) => orders.page())).records
      same([queued?.status, queued?.postOnly], ["NEW", true])
      same(yield* statuses, ["FILLED"])
      const [taken] = (yield* OrderHistory.use((history) => history.page())).records
      same(taken?.dealMoney, "505")
      assert.deepStrictEqual(yield* trade(btc), ["10.4995", "0"])
    }).pipe(Effect.provide(traders(dialect))))
})
