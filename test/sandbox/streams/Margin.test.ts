/** Tests what the margin channels push: mark prices, positions, margin calls, liquidations, loans and ADL grades. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { Control } from "../../../src/sandbox/control/Control.ts"
import { alice, bob, btcPerp, btcUsdt, usdt } from "../../support/exchange.ts"
import { authorized, call, connect, durable, world } from "./client.ts"

const adjust = (time: `${number} ${"millis" | "seconds"}`) => Effect.andThen(TestClock.adjust(time), durable)

const movePrice = (price: string) =>
  Control.use((control) => control.movePrice({ market: btcPerp, price: Decimal.Price.make(price) }))

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
        // The taker's fee of 0.055 %.
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
      // The loss of 80 or less per unit, and the fees.
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

  it.effect("the margin balance of an asset that the account does not hold shows what it can borrow", () =>
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
})

const same = (actual: unknown, expected: unknown): void => assert.deepStrictEqual(actual, expected)
