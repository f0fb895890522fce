/** Tests the page's account area: orders, positions and wallets. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { amount, price } from "../../../src/domain/Decimal.ts"
import { marketName } from "../../../src/domain/Identifiers.ts"
import * as Control from "../../../src/sandbox/control/Control.ts"
import { see } from "../../support/browser.ts"
import {
  appears,
  call,
  goes,
  hasFocus,
  itInFull,
  listOf,
  opened,
  pick,
  press,
  reads,
  region,
  stopOrder,
  world
} from "../../support/page.ts"

const limit = (side: "buy" | "sell", of: string, at: string) =>
  call("/api/v4/order/new", { market: "BTC_USDT", side, amount: of, price: at })

const perp = marketName("BTC_PERP")

export const orders = (): void => {
  it.live("an OCO order's legs are listed next to each other, and orders can be canceled by mouse and by keyboard", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      yield* control.movePrice({ market: perp, price: price("40000") })
      yield* call("/api/v4/order/collateral/oco", {
        market: "BTC_PERP",
        side: "sell",
        amount: "0.01",
        price: "42000",
        activation_price: "38000",
        stop_limit_price: "37900"
      })
      yield* limit("sell", "1", "40001")
      yield* control.movePrice({ market: marketName("BTC_USDT"), price: price("40000") })
      yield* limit("buy", "0.01", "39000")
      yield* stopOrder("40500")
      const { shown } = yield* opened
      const list = region(shown, "Open orders")
      yield* listOf(shown, "Open orders", 5)
      yield* reads(list.locator("[role=row]"), [
        "Order Market Amount Price Trigger Note Filled Id Action",
        "buy stop limit BTC_USDT spot 0.01 BTC 41 500 USDT waits for ≥ 40 500 USDT 0 % my-stop Cancel",
        "buy limit BTC_USDT spot 0.01 BTC 39 000 USDT 0 % # Cancel",
        "sell limit BTC_USDT spot 1 BTC 40 001 USDT 0 % # Cancel",
        "sell limit BTC_PERP futures 0.01 BTC 42 000 USDT OCO , take profit 0 % # Cancel",
        "sell stop limit BTC_PERP futures 0.01 BTC 37 900 USDT waits for ≤ 38 000 USDT OCO , stop loss 0 % # Cancel"
      ])

      yield* press(list, "Cancel order my-stop")
      yield* listOf(shown, "Open orders", 4)
      const closed = region(shown, "Closed orders").locator("[role=gridcell] + [role=gridcell]")
      yield* reads(closed, [
        "buy stop limit",
        "BTC_USDT spot",
        "0.01 BTC",
        "41 500 USDT",
        "canceled",
        "0 %",
        "my-stop"
      ])
      // The button has disappeared, but the focus stays in the list, so the keyboard still works there.
      const grid = shown.getByRole("grid", { name: /Open orders/u })
      yield* hasFocus(shown, "[role=grid]")
      yield* see(() => grid.press("ArrowDown"))
      yield* see(() => list.locator("[role=row][aria-selected=true]").getByText("39").first().waitFor())
      yield* see(() => grid.press("Delete"))
      yield* listOf(shown, "Open orders", 3)
      assert.isFalse((yield* control.openOrders("alice")).some(({ side }) => side === "buy"))

      // Canceling one leg also cancels the other leg, whichever client cancels it.
      const [stop] = (yield* control.openOrders("alice")).filter(({ activationPrice }) => activationPrice !== undefined)
      yield* press(list, `Cancel order ${stop?.id}`)
      yield* listOf(shown, "Open orders", 1)
      assert.strictEqual(yield* see(() => list.getByRole("gridcell").getByRole("button").count()), 1)
      assert.strictEqual(yield* see(() => shown.locator("[role=option] button, [role=listbox]").count()), 0)
    }).pipe(Effect.scoped, Effect.provide(world)))

  itInFull(
    "the page shows the profit of positions at the mark price, the orders that lock funds, and how much of each order is filled",
    () =>
      Effect.gen(function*() {
        const control = yield* Control.Control
        const { shown } = yield* opened
        const positions = region(shown, "Positions")
        yield* appears(positions, "None.")
        yield* control.openPosition({
          account: "alice",
          market: perp,
          side: "buy",
          amount: amount("0.2"),
          price: price("39100")
        })
        // The mark price follows the last price of BTC_USDT, not of BTC_PERP.
        yield* control.movePrice({ market: perp, price: price("41000") })
        yield* control.movePrice({ market: marketName("BTC_USDT"), price: price("39000") })
        const profit = positions.locator("[data-name=Mark], [data-name=Profit]")
        yield* reads(profit, ["39 000 USDT", "−20 USDT"])
        yield* control.movePrice({ market: marketName("BTC_USDT"), price: price("40000.5") })
        yield* reads(profit, ["40 000.5 USDT", "+180.1 USDT"])

        // A market order takes a quarter of bob's ask.
        yield* limit("buy", "0.5", "39500")
        yield* limit("sell", "0.04", "40100")
        const wallets = region(shown, "Balances")
        yield* reads(wallets.locator("tbody tr", { hasText: "trade" }), [
          "trade BTC 1.96 0.04 by sell limit #",
          "trade USDT 80 250 19 750 by buy limit #"
        ])
        yield* limit("buy", "0.01", "40100")
        yield* appears(region(shown, "Fills"), /maker/u)
        yield* appears(region(shown, "Open orders"), "25 %")

        yield* pick(shown, "Account", "bob")
        yield* appears(region(shown, "Open orders"), /^None\. Resting limit orders/u)
        yield* see(() => wallets.getByRole("row", { name: /^main ETH/u }).waitFor())
        yield* goes(wallets.getByRole("cell"), "trade")
      }).pipe(Effect.scoped, Effect.provide(world))
  )

  itInFull(
    "an order's dialog shows its history from placement to closing, its fills, its locks, and the call that placed it",
    () =>
      Effect.gen(function*() {
        const control = yield* Control.Control
        const { shown } = yield* opened
        yield* stopOrder("40200")
        yield* see(() => region(shown, "Open orders").getByRole("row", { name: /my-stop/u }).click())
        const order = shown.getByRole("dialog", { name: /^buy stop limit #/u })
        yield* appears(order, "415 USDT in the trade wallet")
        yield* appears(order, "BTC_USDT, spot")
        const life = order.getByRole("region", { name: "Life" }).locator("tr td:nth-child(2)")
        yield* reads(life, ["placed"])
        // The open dialog shows changes as they happen.
        yield* control.movePrice({ market: marketName("BTC_USDT"), price: price("40300") })
        yield* reads(
          life,
          [
            "placed",
            "triggered",
            "0.01 BTC at 40 300 USDT as taker, fee 0.00001 BTC",
            "closed filled"
          ].map((text) => text.replace(/^(?=0)/u, "filled "))
        )
        yield* appears(order, "nothing")
        yield* press(order, /^Request 1, StopLimitOrders\.create/u)
        const call = shown.getByRole("dialog", { name: /^Request 1: StopLimitOrders\.create/u })
        yield* press(call, /^Command \d+/u)
        yield* appears(shown, /^The exchange as it was after command/u)
        yield* press(shown, "Back to the present")
      }).pipe(Effect.scoped, Effect.provide(world))
  )
}
