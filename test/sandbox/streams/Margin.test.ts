/** Tests what the margin channels push: mark prices, positions, margin calls, liquidations, loans and ADL grades. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { Control } from "../../../src/sandbox/control/Control.ts"
import { Venue } from "../../../src/sandbox/venue/Venue.ts"
import { alice, bob, btcPerp, btcUsdt, usdt } from "../../support/exchange.ts"
import { authorized, call, connect, durable, world } from "./client.ts"

const adjust = (time: `${number} ${"millis" | "seconds"}`) => Effect.andThen(TestClock.adjust(time), durable)

const movePrice = (price: string, market = btcPerp) =>
  Control.use((control) => control.movePrice({ market, price: Decimal.Price.make(price) }))

const fund = Control.use((control) =>
  Effect.forEach(
    [alice, bob],
    ({ account }) =>
      control.fund({
        account,
        wallet: "collateral",
        ticker: usdt,
        amount: Decimal.amount(account === bob.account ? "500000" : "100000")
      })
  )
)

const collateral = (side: "buy" | "sell", amount: string, price: string, of = alice, market = "BTC_PERP") =>
  call("/api/v4/order/collateral/limit", { market, side, amount, price }, of)

/** Alice buys from bob. */
const trade = (amount: string, price: string, market = "BTC_PERP") =>
  Effect.andThen(collateral("sell", amount, price, bob, market), collateral("buy", amount, price, alice, market))

type Pushed = ReadonlyArray<readonly [method: string | undefined, params: unknown]>

const of = <A>(pushes: Pushed, channel: string): ReadonlyArray<A> =>
  pushes.flatMap(([method, params]) => method === `${channel}_update` ? [params as A] : [])

describe("margin channels", () => {
  it.effect("a market's premium index is pushed twice a second, with mark price, index price and funding", () =>
    Effect.gen(function*() {
      const client = yield* connect()
      yield* client.send("premiumIndex_subscribe", "BTC_PERP")
      yield* movePrice("1000")
      yield* Control.use((control) =>
        control.moveMark({ market: btcPerp, price: Decimal.price("990") }).pipe(
          Effect.andThen(control.moveIndex({ market: btcPerp, price: Decimal.price("980") })),
          Effect.andThen(control.setFunding({ market: btcPerp, rate: Decimal.of("0.001") }))
        )
      )
      yield* adjust("500 millis")
      same(yield* client.pushed, [["premiumIndex_update", ["BTC_PERP", "990", "980", "0.001", 28_800_000, 500]]])
      yield* adjust("500 millis")
      assert.lengthOf(yield* client.pushed, 1)
    }).pipe(Effect.provide(world)))

  it.effect("a subscription to all premium indexes gets a list, even if there is only one futures market", () =>
    Effect.gen(function*() {
      const client = yield* connect()
      yield* client.send("premiumIndex_subscribe")
      yield* movePrice("1000")
      yield* adjust("500 millis")
      const [[, rows] = []] = yield* client.pushed
      same(rows, [["BTC_PERP", "1000", "1000", "0.0001", 28_800_000, 500]])
    }).pipe(Effect.provide(world)))

  it.effect("positions are pushed with margin, profit and liquidation price, and margin calls and liquidations are pushed immediately", () =>
    Effect.gen(function*() {
      yield* fund
      const client = yield* authorized()
      for (const channel of ["positionsMargin", "positionsAccountMargin", "ADLQuantile"]) {
        yield* client.send(`${channel}_subscribe`)
      }
      yield* trade("1800", "1000")
      yield* adjust("1 seconds")
      type Position = Readonly<Record<string, string | null>>
      const [whole] = of<{ readonly records: ReadonlyArray<Position> }>(yield* client.pushed, "positionsMargin")
      const [position] = whole?.records ?? []
      assert.deepInclude(position, {
        amount: "1800",
        margin: "180000",
        pnl: "0",
        // The taker fee of 0.055 %.
        realized_pnl: "-990",
        liq_stage: null,
        position_side: "BOTH"
      })
      assert.approximately(Number(position?.["liq_price"]), (1_800_000 - 199_010) / (1800 * 0.95), 0.1)
      yield* movePrice("945")
      const called = of<readonly [number, Position]>(yield* client.pushed, "positionsAccountMargin")
      same(called.map(([event, { amount, liq_stage: stage }]) => [event, amount, stage]), [[1, "1800", "margin_call"]])
      yield* movePrice("920")
      const closed = of<readonly [number, Position]>(yield* client.pushed, "positionsAccountMargin")
      assert.isNotEmpty(closed)
      for (const [event, { id, liq_stage: stage }] of closed) {
        same([event, id, stage], [2, position?.["id"], "liquidation"])
      }
      // A loss of 79 to 80 per unit, and the fees.
      const { amount, realized_pnl: realized } = closed.at(-1)?.[1] ?? {}
      same(amount, "0")
      assert.isBelow(Number(realized), -990 - 1800 * 79)
      assert.isAbove(Number(realized), -990 * 2 - 1800 * 80)
    }).pipe(Effect.provide(world)))

  it.effect("ADL grades are pushed on subscription and every 30 seconds, for the subscribed markets", () =>
    Effect.gen(function*() {
      yield* fund
      yield* trade("1", "1000")
      yield* movePrice("1100")
      const client = yield* authorized()
      const [, first] = yield* client.send("ADLQuantile_subscribe")
      same(first?.params, [["BTC_PERP", 0, null]])
      yield* adjust("30 seconds")
      same(of<unknown>(yield* client.pushed, "ADLQuantile"), [first?.params])
      const [, other] = yield* client.send("ADLQuantile_subscribe", "ETH_PERP")
      assert.isUndefined(other?.params)
    }).pipe(Effect.provide(world)))

  it.effect("the margin balance of an asset that the account does not hold shows how much can be borrowed", () =>
    Effect.gen(function*() {
      yield* fund
      yield* Control.use((control) => control.movePrice({ market: btcUsdt, price: Decimal.price("1000") }))
      const client = yield* authorized()
      const [answer] = yield* client.send("balanceMargin_request", "BTC")
      same(answer?.result, {
        BTC: { balance: "0", borrow: "0", available_without_borrow: "0", available_with_borrow: "2000" }
      })
    }).pipe(Effect.provide(world)))

  it.effect("the loans of margin positions are pushed every 1.5 seconds", () =>
    Effect.gen(function*() {
      yield* fund
      const client = yield* authorized()
      yield* client.send("borrowsMargin_subscribe")
      yield* trade("1", "1000", "BTC_USDT")
      yield* adjust("1500 millis")
      type Borrows = { readonly records: ReadonlyArray<Readonly<Record<string, unknown>>> }
      const [borrows] = of<Borrows>(yield* client.pushed, "borrowsMargin")
      same(borrows?.records.map(({ amount, asset }) => [asset, amount]), [["USDT", "-900"]])
    }).pipe(Effect.provide(world)))

  it.effect("the margin call and the liquidation of a loan are pushed as they happen, and only to the loan's account", () =>
    Effect.gen(function*() {
      yield* fund
      const [client, other] = [yield* authorized(), yield* authorized(bob)]
      for (const connection of [client, other]) yield* connection.send("borrowsAccountMargin_subscribe")
      yield* trade("1000", "1000", "BTC_USDT")
      type Borrow = Readonly<Record<string, unknown>>
      const events = Effect.map(
        client.pushed,
        (all) =>
          of<readonly [number, Borrow]>(all, "borrowsAccountMargin").map(([event, { amount, asset }]) =>
            [event, asset, amount] as const
          )
      )
      same(yield* events, [])
      // The equity of 59,000 is less than one and a half times the maintenance margin of 43,000.
      yield* movePrice("860", btcUsdt)
      same(yield* events, [[1, "USDT", "-900000"]])
      // A quarter of the position is closed, and the rest stays under a margin call.
      yield* movePrice("840", btcUsdt)
      same(yield* events, [[2, "USDT", "-675000"], [1, "USDT", "-675000"]])
      // The entire position is closed, in two parts.
      yield* movePrice("805", btcUsdt)
      same(yield* events, [[2, "USDT", "-506250"], [2, "USDT", "0"]])
      same(of(yield* other.pushed, "borrowsAccountMargin"), [])
    }).pipe(Effect.provide(world)))

  it.effect("the feed contains each loan's interest once a day, and the payment changes the collateral balance", () =>
    Effect.gen(function*() {
      yield* fund
      yield* trade("1", "1000", "BTC_USDT")
      const before = (yield* call("/api/v4/collateral-account/balance")).json["USDT"]
      const { feed } = yield* Venue
      const entries = yield* feed.after()
      yield* adjust("86400 seconds")
      yield* adjust("86400 seconds")
      yield* movePrice("77", btcPerp)
      const events = (yield* Stream.runCollect(
        Stream.takeUntil(entries, ({ event }) => event._tag === "PriceMoved" && event.price === "77")
      )).map(({ event }) => event)
      const paid = events.flatMap((event) => event._tag === "BorrowInterestPaid" ? [event] : [])
      // The long position has borrowed 900 USDT, and the short position 1 BTC, worth 1,000 USDT. The interest on each
      // loan is 0.0585 %.
      same(
        paid.map(({ account, amount, market }) => `${account} ${market} ${amount}`).toSorted(),
        ["alice", "alice", "bob", "bob"].map((account) =>
          `${account} BTC_USDT ${account === "bob" ? "0.585" : "0.5265"}`
        )
      )
      const after = events.findLast((event) => event._tag === "BalanceChanged" && event.account === "alice")
      assert.deepInclude(after, { wallet: "collateral", ticker: usdt })
      assert.approximately(Number(before) - Number(after?._tag === "BalanceChanged" ? after.free : 0), 2 * 0.5265, 1e-9)
    }).pipe(Effect.provide(world)))

  it.effect("in hedge mode, positions, orders and liquidations have position sides", () =>
    Effect.gen(function*() {
      yield* fund
      yield* call("/api/v4/collateral-account/hedge-mode/update", { hedgeMode: true })
      const client = yield* authorized()
      for (const channel of ["positionsMargin", "positionsAccountMargin"]) yield* client.send(`${channel}_subscribe`)
      yield* client.send("ordersPending_subscribe", "BTC_PERP")
      const sided = (side: "buy" | "sell", amount: string, price: string, positionSide: string) =>
        call("/api/v4/order/collateral/limit", { market: "BTC_PERP", side, amount, price, positionSide })
      yield* collateral("sell", "1500", "1000", bob)
      yield* sided("buy", "1500", "1000", "LONG")
      yield* collateral("buy", "100", "1000", bob)
      yield* sided("sell", "100", "1000", "SHORT")
      yield* sided("sell", "10", "1500", "LONG")
      yield* adjust("1 seconds")
      const pushes = yield* client.pushed
      type Sided = Readonly<Record<string, unknown>>
      const sidesOf = (all: ReadonlyArray<Sided>) =>
        all.map((one) => `${String(one["position_side"])} ${String(one["amount"])}`)
      const whole = of<{ readonly records: ReadonlyArray<Sided> }>(pushes, "positionsMargin").at(-1)
      same(sidesOf(whole?.records ?? []).toSorted(), ["LONG 1500", "SHORT -100"])
      const orders = of<readonly [number, Sided]>(pushes, "ordersPending")
      same(orders.map(([event, order]) => [event, ...sidesOf([order])]), [
        [3, "LONG 1500"],
        [3, "SHORT 100"],
        [1, "LONG 10"]
      ])
      yield* movePrice("890")
      const closed = yield* client.pushed
      const liquidated = of<readonly [number, Sided]>(closed, "positionsAccountMargin").filter(([event]) => event === 2)
      assert.include(liquidated.map(([, one]) => one["position_side"]), "SHORT")
      // The order that closes the long side is closed together with the position.
      const ended = of<readonly [number, Sided]>(closed, "ordersPending").filter(([, order]) =>
        order["amount"] === "10"
      )
      same(ended.map(([event, order]) => [event, order["status"], order["position_side"]]), [
        [3, "AUTO_CANCELED_LIQUIDATION", "LONG"]
      ])
    }).pipe(Effect.provide(world)))
})

const same = (actual: unknown, expected: unknown): void => assert.deepStrictEqual(actual, expected)
