/** Tests the collateral account: leverage, summary, position mode, closing positions and their history. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Decimal from "../../src/domain/Decimal.ts"
import { marketName, PositionId, ticker } from "../../src/domain/Identifiers.ts"
import { leverages } from "../../src/domain/Margin.ts"
import type { OrderSide } from "../../src/domain/Order.ts"
import { Limit, Offset } from "../../src/domain/Paging.ts"
import { UnixSeconds } from "../../src/domain/Time.ts"
import { ActiveOrders } from "../../src/endpoints/ActiveOrders.ts"
import { AdlQuantiles } from "../../src/endpoints/AdlQuantiles.ts"
import { BorrowHistory } from "../../src/endpoints/BorrowHistory.ts"
import { ClosedPositions } from "../../src/endpoints/ClosedPositions.ts"
import { ClosePosition } from "../../src/endpoints/ClosePosition.ts"
import { CollateralBalanceSummary } from "../../src/endpoints/CollateralBalanceSummary.ts"
import { CollateralLeverage, type Leverage } from "../../src/endpoints/CollateralLeverage.ts"
import { CollateralLimitOrders } from "../../src/endpoints/CollateralLimitOrders.ts"
import { CollateralMarketOrders } from "../../src/endpoints/CollateralMarketOrders.ts"
import { CollateralSummary } from "../../src/endpoints/CollateralSummary.ts"
import { FundingPayments } from "../../src/endpoints/FundingPayments.ts"
import { HedgeMode } from "../../src/endpoints/HedgeMode.ts"
import { HedgeModeUpdate } from "../../src/endpoints/HedgeModeUpdate.ts"
import { OpenPositions, type Position } from "../../src/endpoints/OpenPositions.ts"
import { OrderHistory } from "../../src/endpoints/OrderHistory.ts"
import { PositionHistory } from "../../src/endpoints/PositionHistory.ts"
import * as LiveOrders from "../../src/LiveOrders.ts"
import * as LivePositions from "../../src/LivePositions.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import * as InProcess from "../../src/sandbox/server/InProcess.ts"
import * as Streams from "../../src/Streams.ts"
import { passing } from "../support/clock.ts"
import {
  amount,
  asBob,
  btcPerp,
  btcUsdt,
  dialects,
  failsWith,
  perp,
  price,
  raw,
  same,
  traders,
  usdt
} from "../support/trading.ts"

const market = (side: OrderSide, of: string, more: object = {}) =>
  CollateralMarketOrders.use((orders) => orders.create({ market: btcPerp, side, amount: amount(of), ...more }))

const positions = OpenPositions.use((positions) => positions.list())
const summary = CollateralSummary.use(({ get }) => get)
const setLeverage = (leverage: Leverage) => CollateralLeverage.use(({ set }) => set({ leverage }))
const setHedge = (hedgeMode: boolean) => HedgeModeUpdate.use(({ set }) => set({ hedgeMode }))
const close = (request: Parameters<typeof ClosePosition.Service.close>[0]) =>
  ClosePosition.use((service) => service.close(request))
const closeOne = ({ market, positionId }: Position) => close({ market, positionId })
const move = (to: string) => Control.use((control) => control.movePrice({ market: btcPerp, price: price(to) }))
const fundLargely = (account: string) =>
  Control.use((control) => control.fund({ account, wallet: "collateral", ticker: usdt, amount: amount("300000000") }))
const margin = (options: object) => Control.use((control) => control.setMargin(options))

/** Alice buys from bob, so her position is long and his is short. */
const trade = (of: string, at: string) => Effect.andThen(asBob(perp("sell", of, at)), perp("buy", of, at))

const sum = (terms: ReadonlyArray<Decimal.Decimal>) =>
  Decimal.normalize(terms.reduce((one, other) => Result.getOrThrow(Decimal.add(one, other)), Decimal.zero))

const refusedWith =
  (code: number, dialect: Dialect.Dialect, fields: ReadonlyArray<string>) =>
  <A, E extends { readonly _tag: string; readonly code?: unknown }, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.map(Effect.flip(effect), (error) => {
      const { otherFields = {}, ...shown } = error as unknown as Readonly<Record<string, object>>
      assert.deepInclude(shown, { code, status: dialect === Dialect.document ? 400 : 422 } as never)
      const known = { ...shown["fields"], ...shown["errors"], ...otherFields }
      same(Object.keys(known), fields)
    })

describe.each(dialects)("the collateral account in the $name dialect", (dialect) => {
  it.live("every leverage can be set, and the account summary shows it", () =>
    Effect.gen(function*() {
      same((yield* summary).leverage, 10)
      for (const leverage of leverages) {
        yield* setLeverage(leverage)
        same((yield* summary).leverage, leverage)
      }
      same(yield* raw("/api/v4/collateral-account/leverage", { leverage: 5 }), { status: 200, body: { leverage: 5 } })
      const { status } = yield* raw("/api/v4/collateral-account/leverage", { leverage: 4 })
      same([status, (yield* summary).leverage], [dialect === Dialect.document ? 400 : 422, 5])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a leverage whose margin exceeds the collateral is refused with code 17, and nothing changes", () =>
    Effect.gen(function*() {
      yield* trade("500", "1000")
      const before = yield* summary
      same([before.leverage, before.margin], [10, "50000"])
      yield* setLeverage(2).pipe(refusedWith(17, dialect, ["leverage"]))
      same(yield* summary, before)
      yield* setLeverage(20)
      same((yield* summary).margin, "25000")
    }).pipe(Effect.provide(traders(dialect))))

  it.live("positions and orders block a change of leverage with code 113 if the margin policy requires it", () =>
    Effect.gen(function*() {
      yield* margin({ leverageChange: "refused" })
      yield* setLeverage(20)
      const order = yield* perp("buy", "1", "900")
      yield* setLeverage(5).pipe(refusedWith(113, dialect, ["leverage"]))
      same([(yield* summary).leverage, order.status], [20, "NEW"])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("the free margin is equity minus margin plus profit, and the margin fractions are relative to the positions' value", () =>
    Effect.gen(function*() {
      const empty = yield* summary
      same([empty.equity, empty.margin, empty.marginFraction], ["100000", "0", "1000000000000000000000"])
      yield* trade("10", "1000")
      yield* perp("buy", "1", "900")
      yield* move("1100")
      const {
        equity,
        freeMargin,
        leverage,
        maintenanceMarginFraction,
        margin,
        marginFraction,
        pnl,
        unrealizedFunding
      } = yield* summary
      // 10 BTC at 1,100 and the order for 900, divided by 10, plus the order's fee. The maintenance margin is half of
      // the positions' margin.
      same([leverage, margin, pnl, unrealizedFunding], [10, "1190.495", "1000", "0"])
      same(maintenanceMarginFraction, "0.05")
      same(sum([equity, pnl]), sum([freeMargin, margin]))
      const fraction = (Number(equity) + Number(pnl)) / 11000
      assert.approximately(Number(marginFraction), fraction, 1e-12)
      const [detail] = yield* CollateralBalanceSummary.use(({ list }) => list({ ticker: usdt }))
      same([detail?.asset, detail?.balance, detail?.borrow], ["USDT", equity, "0"])
      // An asset that the account does not hold can be borrowed too.
      yield* Control.use((control) => control.movePrice({ market: btcUsdt, price: price("1000") }))
      const [other] = yield* CollateralBalanceSummary.use(({ list }) => list({ ticker: ticker("ETH") }))
      const [bitcoin] = yield* CollateralBalanceSummary.use(({ list }) => list({ ticker: ticker("BTC") }))
      same([other?.balance, other?.availableWithBorrow], ["0", "0"])
      const free = (yield* summary).freeMargin
      same([bitcoin?.balance, bitcoin?.availableWithoutBorrow], ["0", "0"])
      assert.approximately(Number(bitcoin?.availableWithBorrow), Number(free) * 10 / 1000, 1e-9)
      assert.isTrue(Number(detail?.availableWithoutBorrow) <= Number(freeMargin))
    }).pipe(Effect.provide(traders(dialect))))

  it.live("hedge mode switches on and off, but can't switch on (code 113) while there are futures positions or orders", () =>
    Effect.gen(function*() {
      const mode = HedgeMode.use(({ get }) => get)
      same(yield* mode, false)
      yield* setHedge(true)
      same(yield* mode, true)
      yield* setHedge(true)
      yield* setHedge(false)
      const order = yield* perp("buy", "1", "900")
      yield* setHedge(true).pipe(refusedWith(113, dialect, ["hedgeMode"]))
      same((yield* raw("/api/v4/collateral-account/hedge-mode/update", { hedgeMode: true })).body, {
        code: 113,
        message: "Validation failed",
        errors: { hedgeMode: ["Position side cannot be changed if there exists futures positions or orders"] }
      })
      same([yield* mode, order.status], [false, "NEW"])
      yield* raw("/api/v4/order/cancel", { market: "BTC_PERP", [dialect.keys.orderId]: Number(order.orderId) })
      yield* trade("1", "1000")
      yield* setHedge(true).pipe(refusedWith(113, dialect, ["hedgeMode"]))
      const [position] = yield* positions
      assert.isDefined(position)
      if (position === undefined) return
      yield* asBob(perp("buy", "1", "1000"))
      yield* closeOne(position)
      yield* setHedge(true)
      same((yield* raw("/api/v4/collateral-account/hedge-mode", {})).body, { hedgeMode: true })
    }).pipe(Effect.provide(traders(dialect))))

  it.live("closing a position trades exactly its amount, and closing an unknown position is refused with code 104", () =>
    Effect.gen(function*() {
      yield* trade("2", "1000")
      const [position] = yield* positions
      const [other] = yield* asBob(positions)
      assert.isDefined(position)
      assert.isDefined(other)
      if (position === undefined || other === undefined) return
      const { positionId } = position
      for (const id of [PositionId.make("999999"), other.positionId]) {
        yield* close({ market: btcPerp, positionId: id }).pipe(refusedWith(104, dialect, ["positionId"]))
      }
      yield* close({ market: btcUsdt, positionId }).pipe(refusedWith(104, dialect, ["positionId"]))
      yield* close({ market: btcPerp, positionId, positionSide: "LONG" }).pipe(
        refusedWith(104, dialect, ["positionId"])
      )
      const exit = yield* perp("sell", "2", "1500", { reduceOnly: true })
      yield* asBob(perp("buy", "5", "1100"))
      same(
        yield* raw("/api/v4/collateral-account/position/close", { market: "BTC_PERP", positionId: Number(positionId) }),
        {
          status: 200,
          body: []
        }
      )
      same([yield* positions, (yield* ActiveOrders.use(({ page }) => page())).records], [[], []])
      same((yield* asBob(positions)).map(({ amount }) => amount), [])
      yield* close({ market: btcPerp, positionId }).pipe(refusedWith(104, dialect, ["positionId"]))
      const { records: [latest, next] } = yield* OrderHistory.use(({ page }) => page())
      const ended = [latest, next].map((order) => [order?.orderId === exit.orderId, order?.dealStock])
      same(new Set(ended.map(String)), new Set(["true,0", "false,2"]))
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a position's history has a record for each change, and the sums match those of the closed position", () =>
    Effect.gen(function*() {
      yield* trade("1", "1000")
      yield* trade("1", "1100")
      yield* asBob(perp("buy", "0.5", "1200"))
      yield* market("sell", "0.5")
      yield* asBob(perp("buy", "1.5", "1300"))
      yield* market("sell", "1.5")
      const { records: history } = yield* PositionHistory.use(({ page }) => page({ market: btcPerp }))
      same(history.map(({ amount }) => amount), ["0", "1.5", "2", "1"])
      same(history.map(({ basePrice }) => basePrice), ["0", "1050", "1050", "1000"])
      same(history.map(({ orderDetail }) => [orderDetail?.tradeAmount, orderDetail?.price]), [
        ["1.5", "1300"],
        ["0.5", "1200"],
        ["1", "1100"],
        ["1", "1000"]
      ])
      // 0.5 × 150 and 1.5 × 250, minus the taker fee of 0.055 %.
      same(history.map(({ orderDetail }) => orderDetail?.realizedPnl), ["373.9275", "74.67", "-0.605", "-0.55"])
      same(new Set(history.map(({ side, isHedge }) => `${side} ${isHedge}`)), new Set(["BOTH false"]))
      same(history.map(({ orderDetail }) => orderDetail?.fundingFee), ["0", "0", "0", "0"])
      same(history[0]?.liquidationPrice, null)
      const { records: [closed, ...others] } = yield* ClosedPositions.use(({ page }) => page())
      assert.isDefined(closed)
      if (closed === undefined) return
      same([others, closed.positionId], [[], history[0]?.positionId])
      const details = history.flatMap(({ orderDetail }) => orderDetail === undefined ? [] : [orderDetail])
      same(Decimal.normalize(closed.grossPnl), sum(details.flatMap(({ realizedPnl }) => realizedPnl ?? [])))
      same(Decimal.normalize(closed.totalTradeFee), sum(details.map(({ tradeFee }) => tradeFee)))
      same([closed.grossPnl, closed.netPnl, closed.totalFunding], ["447.4425", "447.4425", "0"])
      same([closed.avgEntryPrice, closed.avgExitPrice, closed.closedSize, closed.amount], ["1050", "1275", "2", "0"])
      const { closeDate } = closed
      const between = (startDate: number, endDate?: number) =>
        ClosedPositions.use(({ page }) =>
          page({
            startDate: UnixSeconds.make(startDate),
            ...(endDate === undefined ? {} : { endDate: UnixSeconds.make(endDate) })
          })
        )
      same((yield* between(closeDate, closeDate)).records.length, 1)
      same((yield* between(closeDate - 9, closeDate - 1)).records, [])
      yield* between(closeDate, closeDate - 1).pipe(refusedWith(30, dialect, ["endDate"]))
      yield* between(closeDate, closeDate + 60).pipe(refusedWith(30, dialect, ["endDate"]))
      const { records: paged } = yield* PositionHistory.use(({ page }) =>
        page({ limit: Limit.make(2), offset: Offset.make(1) })
      )
      same(paged.map(({ amount }) => amount), ["1.5", "2"])
      const all = yield* PositionHistory.use(({ stream }) => Stream.runCollect(stream({ limit: Limit.make(2) })))
      same(all.map(({ amount }) => amount), ["0", "1.5", "2", "1"])
      const other = { positionId: PositionId.make("999999") }
      same((yield* PositionHistory.use(({ page }) => page(other))).records, [])
      yield* PositionHistory.use(({ page }) => page({ market: marketName("NO_SUCH") })).pipe(
        refusedWith(dialect === Dialect.document ? 30 : 31, dialect, ["market"])
      )
    }).pipe(Effect.provide(traders(dialect))))

  it.effect("with a positive funding rate, longs pay shorts at the mark price, and both accounts see the payment", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_900_022_400_000)
      yield* trade("2", "1000")
      const payments = FundingPayments.use(({ page }) => page({ market: btcPerp }))
      same(yield* payments, { offset: 0, limit: 100, records: [] })
      yield* Control.use((control) => control.setFunding({ market: btcPerp, rate: Decimal.of("0.001") }))
      yield* move("1100")
      yield* TestClock.adjust("8 hours")
      const at = 1_900_022_400 - 1_900_022_400 % 28_800 + 28_800
      const [paid] = (yield* payments).records
      same(paid, {
        market: btcPerp,
        fundingTime: at,
        fundingRate: "0.001",
        fundingAmount: "-2.2",
        positionAmount: "2",
        settlementPrice: "1100",
        rateCalculatedTime: at - 28_800
      })
      const { records: [received] } = yield* asBob(payments)
      same([received?.fundingAmount, received?.positionAmount], ["2.2", "-2"])
      same((yield* FundingPayments.use(({ page }) => page())).records.length, 1)
      same((yield* positions).map(({ funding, unrealizedFunding }) => [funding, unrealizedFunding]), [["0", "0"]])
      yield* asBob(perp("buy", "2", "1100"))
      yield* market("sell", "2")
      const { records: [closed] } = yield* ClosedPositions.use(({ page }) => page())
      same([closed?.grossPnl, closed?.totalFunding, closed?.netPnl], ["197.69", "2.2", "195.49"])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a crash causes a margin call and then a liquidation, which cancels the open orders and marks its own", () =>
    Effect.gen(function*() {
      yield* trade("900", "1000")
      const [open] = yield* positions
      assert.isDefined(open)
      if (open?.liquidationPrice === undefined || open.liquidationPrice === null) {
        return assert.fail("there is no liquidation price")
      }
      // Solves 99,505 + 900 × (P − 1,000) = 900 × P / 20 for P.
      assert.approximately(Number(open.liquidationPrice), (900_000 - 99_505) / (900 * 0.95), 0.1)
      const { records: [opened] } = yield* PositionHistory.use(({ page }) => page())
      same(opened?.liquidationPrice, open.liquidationPrice)
      const resting = yield* perp("buy", "1", "700")
      yield* move("945")
      same((yield* positions).map(({ liquidationState }) => liquidationState), ["margin_call"])
      yield* move("920")
      const { records } = yield* OrderHistory.use(({ page }) => page())
      const canceled = records.find(({ orderId }) => orderId === resting.orderId)
      same(canceled?.status, "AUTO_CANCELED_LIQUIDATION")
      const marked = records.filter(({ clientOrderId }) => /^liquidation_[0-9]+_!$/u.test(clientOrderId ?? ""))
      assert.isNotEmpty(marked)
      for (const { clientOrderId, orderId, type } of marked) {
        same([clientOrderId, type], [`liquidation_${orderId}_!`, "market"])
      }
      const { records: history } = yield* PositionHistory.use(({ page }) => page())
      same(history[0]?.liquidationState, "liquidation")
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a futures position has a deleveraging grade on its own side, and an account without positions has none", () =>
    Effect.gen(function*() {
      same(yield* AdlQuantiles.use(({ list }) => list), [])
      yield* trade("1", "1000")
      yield* move("1100")
      const [grade, ...others] = yield* AdlQuantiles.use(({ list }) => list)
      same([others, grade?.market, grade?.short], [[], "BTC_PERP", null])
      assert.include([0, 1, 2, 3, 4], grade?.long)
      const [short] = yield* asBob(AdlQuantiles.use(({ list }) => list))
      same([short?.long, typeof short?.short], [null, "number"])
    }).pipe(Effect.provide(traders(dialect))))

  it.effect("a position on a margin market borrows funds, pays interest, and repays its loan when it closes", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_900_022_400_000)
      const spot = (side: OrderSide) =>
        CollateralLimitOrders.use(({ create }) =>
          create({ market: btcUsdt, side, amount: amount("1"), price: price("1000") })
        )
      yield* asBob(spot("sell"))
      yield* spot("buy")
      yield* TestClock.adjust("25 hours")
      const borrows = BorrowHistory.use(({ page }) => page())
      const { records: [active, ...others] } = yield* borrows
      same([others, active?.asset, active?.principal, active?.status], [[], "USDT", "900", "active"])
      same([active?.interest, active?.amount], ["0.5265", "900.5265"])
      const [position] = yield* positions
      same([position?.market, position?.funding], ["BTC_USDT", "0.5265"])
      yield* asBob(spot("buy"))
      yield* spot("sell")
      same((yield* borrows).records.map(({ status }) => status), ["repaid"])
      const { records: history } = yield* PositionHistory.use(({ page }) => page())
      same(history.map(({ realizedFunding }) => realizedFunding), ["0.5265", "0"])
      same(history.map(({ orderDetail }) => orderDetail?.fundingFee), ["0.5265", "0"])
      same((yield* BorrowHistory.use(({ page }) => page({ asset: ticker("BTC") }))).records, [])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("an order that would make a position larger than the market's brackets allow is refused with code 111", () =>
    Effect.gen(function*() {
      yield* Effect.forEach(["alice", "bob"], fundLargely)
      yield* setLeverage(1)
      yield* asBob(setLeverage(1))
      // The largest allowed position is 100,000,000 USDT, and the largest allowed order is 10,000,000 USDT.
      for (let count = 0; count < 10; count++) yield* trade("10000", "1000")
      yield* perp("buy", "1", "900").pipe(refusedWith(111, dialect, ["amount"]))
      same((yield* perp("sell", "1", "1100")).status, "NEW")
    }).pipe(Effect.provide(traders(dialect))))

  it.live("an order is refused with code 112 if all open orders together would make the position too large", () =>
    Effect.gen(function*() {
      yield* Effect.forEach(["alice", "bob"], fundLargely)
      yield* trade("1000", "1000")
      const [resting] = yield* Effect.forEach(Array.from({ length: 11 }), () => perp("buy", "9000", "1000"))
      const order = { market: "BTC_PERP", side: "buy", amount: "1", price: "900" }
      same(yield* raw("/api/v4/order/collateral/limit", order), {
        status: dialect === Dialect.document ? 400 : 422,
        body: {
          code: 112,
          message: "Validation failed",
          errors: { amount: ["Value of pending orders is too big"] }
        }
      })
      yield* perp("buy", "1", "900").pipe(refusedWith(112, dialect, ["amount"]))
      same((yield* perp("sell", "1", "1100")).status, "NEW")
      yield* raw("/api/v4/order/cancel", { market: "BTC_PERP", [dialect.keys.orderId]: Number(resting?.orderId) })
      same((yield* perp("buy", "1", "900")).status, "NEW")
    }).pipe(Effect.provide(traders(dialect))))

  it.live("an order that would flip the position is refused with code 115 if the margin policy requires it", () =>
    Effect.gen(function*() {
      yield* trade("1", "1000")
      yield* margin({ opposite: "refused" })
      yield* perp("sell", "2", "1200").pipe(refusedWith(115, dialect, ["amount"]))
      same((yield* perp("sell", "1", "1200")).status, "NEW")
    }).pipe(Effect.provide(traders(dialect))))
})

describe("position sides in the live dialect", () => {
  const traded = (more: object, side: OrderSide = "buy") => perp(side, "1", "900", more)

  it.live("in hedge mode, an order needs LONG or SHORT (code 114), and each side is a separate position", () =>
    Effect.gen(function*() {
      yield* setHedge(true)
      yield* traded({}).pipe(refusedWith(114, Dialect.live, ["positionSide"]))
      yield* traded({ positionSide: "BOTH" }).pipe(refusedWith(114, Dialect.live, ["positionSide"]))
      yield* asBob(perp("sell", "2", "1000"))
      const long = yield* perp("buy", "2", "1000", { positionSide: "LONG" })
      yield* asBob(perp("buy", "1", "1000"))
      const short = yield* perp("sell", "1", "1000", { positionSide: "SHORT" })
      same([long, short].map(({ positionSide, status }) => [positionSide, status]), [["LONG", "FILLED"], [
        "SHORT",
        "FILLED"
      ]])
      const open = yield* positions
      same(
        open.map(({ amount, positionSide }) => `${positionSide} ${amount}`).toSorted(),
        ["LONG 2", "SHORT -1"]
      )
      const grades = yield* AdlQuantiles.use(({ list }) => list)
      same(grades.map(({ long, short }) => [typeof long, typeof short]), [["number", "number"]])
      // A sell order on the long side only closes the position, so it is reduced to the position's size.
      const closing = yield* perp("sell", "5", "1500", { positionSide: "LONG" })
      same([closing.amount, closing.positionSide], ["2", "LONG"])
      const shorts = open.find(({ positionSide }) => positionSide === "SHORT")
      if (shorts === undefined) return assert.fail("there is no short position")
      yield* close({ market: btcPerp, positionId: shorts.positionId, positionSide: "LONG" }).pipe(
        refusedWith(104, Dialect.live, ["positionId"])
      )
      yield* asBob(perp("sell", "1", "1000"))
      yield* close({ market: btcPerp, positionId: shorts.positionId, positionSide: "SHORT" })
      same((yield* positions).map(({ positionSide }) => positionSide), ["LONG"])
      yield* perp("buy", "1", "900", { positionSide: "SHORT" }).pipe(
        failsWith("ReduceOnlyRejected"),
        Effect.map(({ code }) => same(code, 116))
      )
      const { records: [closed] } = yield* ClosedPositions.use(({ page }) => page())
      same([closed?.side, closed?.isHedge], ["SHORT", true])
    }).pipe(Effect.provide(traders(Dialect.live))))

  it.live("in hedge mode, each of a market's positions shows its own take-profit and stop-loss", () =>
    Effect.gen(function*() {
      yield* setHedge(true)
      yield* asBob(perp("sell", "2", "1000"))
      yield* perp("buy", "2", "1000", { positionSide: "LONG", takeProfit: price("1500"), stopLoss: price("800") })
      yield* asBob(perp("buy", "1", "1000"))
      yield* perp("sell", "1", "1000", { positionSide: "SHORT" })
      const exits = Effect.map(
        positions,
        (open) =>
          open.map(({ positionSide, tpsl }) => `${positionSide} ${tpsl?.takeProfit} ${tpsl?.stopLoss}`).toSorted()
      )
      same(yield* exits, ["LONG 1500 800", "SHORT undefined undefined"])
      yield* asBob(perp("buy", "1", "1000"))
      yield* perp("sell", "1", "1000", { positionSide: "SHORT", takeProfit: price("700") })
      same(yield* exits, ["LONG 1500 800", "SHORT 700 undefined"])
    }).pipe(Effect.provide(traders(Dialect.live))))

  it.effect("in hedge mode, live views show the positions and orders of both sides, even after the connection was cut", () =>
    Effect.gen(function*() {
      yield* setHedge(true)
      const [views, orders] = [yield* LivePositions.make, yield* LiveOrders.make({ market: btcPerp })]
      const sides = (all: LivePositions.Positions) =>
        all.map(({ amount, positionSide }) => `${positionSide} ${amount}`).toSorted().join()
      /** Waits until the view is complete and shows these positions. A call must return the same positions. */
      const shows = (expected: string) =>
        views.changes.pipe(
          Stream.filter((state) => state._tag === "Whole" && sides(state.value) === expected),
          Stream.runHead,
          Effect.andThen(Effect.map(positions, (open) => same(sides(open), expected)))
        )
      yield* asBob(perp("sell", "3", "1000"))
      yield* perp("buy", "3", "1000", { positionSide: "LONG" })
      yield* shows("LONG 3")
      yield* Control.use((control) =>
        Effect.flatMap(control.connections, Effect.forEach(({ id }) => control.cutConnection({ id })))
      )
      yield* asBob(perp("buy", "2", "1000"))
      yield* perp("sell", "2", "1000", { positionSide: "SHORT" })
      const closing = yield* perp("sell", "1", "1500", { positionSide: "LONG" })
      yield* shows("LONG 3,SHORT -2")
      const { order } = yield* orders.find(({ order }) => order.orderId === closing.orderId)
      same([order.positionSide, order.amount], ["LONG", "1"])
      yield* asBob(perp("buy", "1", "1500"))
      yield* shows("LONG 2,SHORT -2")
    }).pipe(
      Effect.scoped,
      Effect.provide(Layer.provide(Streams.layerInProcess, InProcess.layerDialer)),
      passing,
      Effect.provide(traders(Dialect.live))
    ))

  it.live("in one-way mode, LONG and SHORT are ignored, or refused with code 114 if the margin policy requires it", () =>
    Effect.gen(function*() {
      same((yield* traded({ positionSide: "LONG" })).positionSide, "BOTH")
      yield* margin({ oneWaySides: "refused" })
      yield* traded({ positionSide: "LONG" }).pipe(refusedWith(114, Dialect.live, ["positionSide"]))
      same((yield* traded({ positionSide: "BOTH" })).positionSide, "BOTH")
    }).pipe(Effect.provide(traders(Dialect.live))))
})
