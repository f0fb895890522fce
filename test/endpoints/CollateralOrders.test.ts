import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { OrderSide } from "../../src/domain/Order.ts"
import { ActiveOrders } from "../../src/endpoints/ActiveOrders.ts"
import { CancelOrder } from "../../src/endpoints/CancelOrder.ts"
import { CollateralMarketOrders } from "../../src/endpoints/CollateralMarketOrders.ts"
import { OpenPositions } from "../../src/endpoints/OpenPositions.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import {
  amount,
  asBob,
  btcPerp,
  btcUsdt,
  collateral,
  dialects,
  ethUsdt,
  failsWith,
  perp,
  price,
  raw,
  same,
  statuses,
  traders
} from "../support/trading.ts"

const market = (side: OrderSide, of: string, more: object = {}) =>
  CollateralMarketOrders.use((orders) => orders.create({ market: btcPerp, side, amount: amount(of), ...more }))

const positions = OpenPositions.use((positions) => positions.list())

const move = (to: string) => Control.use((control) => control.movePrice({ market: btcPerp, price: price(to) }))

describe.each(dialects)("collateral orders in the $name dialect", (dialect) => {
  it.live("when two accounts open and close opposite positions, their profit, loss and fees are right", () =>
    Effect.gen(function*() {
      const resting = yield* perp("buy", "1", "1000")
      same([resting.type, resting.status, resting.positionSide], ["limit", "NEW", "BOTH"])
      const short = yield* asBob(market("sell", "1"))
      same([short.type, short.status, short.dealMoney], ["market", "FILLED", "1000"])
      const [long] = yield* positions
      same([long?.market, long?.amount, long?.basePrice, long?.margin, long?.positionSide], [
        "BTC_PERP",
        "1",
        "1000",
        "100",
        "BOTH"
      ])
      same((yield* asBob(positions)).map(({ amount }) => amount), ["-1"])
      yield* move("1100")
      const gains = Effect.map(
        positions,
        (all) =>
          all.map(({ liquidationPrice, pnlPercent, unrealizedFunding, unrealizedPnl }) => [
            unrealizedPnl,
            pnlPercent,
            unrealizedFunding,
            liquidationPrice
          ])
      )
      same(yield* gains, [["100", "10", "0", null]])
      // The short is liquidated when 100999.45 minus the price is five percent of the price.
      same(yield* asBob(gains), [["-100", "-10", "0", "96189.9"]])
      yield* asBob(perp("buy", "1", "1100"))
      yield* market("sell", "1")
      same([yield* positions, yield* asBob(positions)], [[], []])
      // The maker fee is 0.01 %, and the taker fee is 0.055 %.
      same([yield* collateral, yield* asBob(collateral)], ["100099.295", "99899.34"])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a reduce-only order is reduced to the size of the opposite position, and refused if there is none", () =>
    Effect.gen(function*() {
      const refused = failsWith("ReduceOnlyRejected")
      const status = dialect === Dialect.document ? 400 : 422
      const error = yield* refused(perp("sell", "1", "1000", { reduceOnly: true }))
      same([error.status, error.code, Object.keys(error.fields)], [status, 116, ["reduceOnly"]])
      yield* perp("buy", "1", "1000")
      yield* asBob(market("sell", "1"))
      yield* refused(market("buy", "1", { reduceOnly: true }))
      const clipped = yield* perp("sell", "3", "1200", { reduceOnly: true })
      same([clipped.amount, clipped.left, clipped.reduceOnly], ["1", "1", true])
      yield* CancelOrder.use((orders) => orders.cancel({ market: btcPerp, orderId: clipped.orderId }))
      yield* asBob(perp("buy", "2", "1000"))
      const closed = yield* market("sell", "2", { reduceOnly: true })
      same([closed.status, closed.dealStock], ["FILLED", "1"])
      same(yield* positions, [])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("closing a position cancels its pending reduce-only order", () =>
    Effect.gen(function*() {
      yield* perp("buy", "1", "1000")
      yield* asBob(market("sell", "1"))
      yield* perp("sell", "1", "1200", { reduceOnly: true })
      yield* asBob(perp("buy", "1", "990"))
      yield* market("sell", "1")
      same((yield* ActiveOrders.use((orders) => orders.page())).records, [])
      assert.sameMembers([...yield* statuses], ["FILLED", "AUTO_CANCELED_REDUCE_ONLY", "FILLED"])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a collateral order on a spot-only market is refused", () =>
    Effect.gen(function*() {
      const { body, status } = yield* raw("/api/v4/order/collateral/limit", {
        market: "SHIB_USDT",
        side: "buy",
        amount: "100000",
        price: "0.001"
      })
      same([status, (body as { readonly errors: unknown }).errors], [
        dialect === Dialect.document ? 400 : 422,
        { market: ["Market is not available."] }
      ])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("in dialects that distinguish margin orders, the order type in a response marks a margin order", () =>
    Effect.gen(function*() {
      const { body } = yield* raw("/api/v4/order/collateral/limit", {
        market: "BTC_USDT",
        side: "buy",
        amount: "1",
        price: "1000"
      })
      same((body as { readonly type: string }).type, dialect === Dialect.document ? "limit" : "margin limit")
      const list = (market: typeof btcUsdt) => OpenPositions.use((positions) => positions.list({ market }))
      same([yield* list(btcUsdt), yield* list(ethUsdt)], [[], []])
    }).pipe(Effect.provide(traders(dialect))))
})
