/** Tests what the page tells a user whose orders are refused, and how the user can add the missing funds. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { marketName } from "../../../src/domain/Identifiers.ts"
import * as Control from "../../../src/sandbox/control/Control.ts"
import { see } from "../../support/browser.ts"
import {
  appears,
  itInFull,
  lastPrice,
  listOf,
  opened,
  pick,
  press,
  reads,
  region,
  world,
  write
} from "../../support/page.ts"

export const funds = (): void => {
  itInFull(
    "after a refused order, the page suggests adding funds, has a form that adds them, and can show the refused call",
    () =>
      Effect.gen(function*() {
        const control = yield* Control.Control
        const { shown } = yield* opened
        const ticket = shown.getByRole("form", { name: "Place an order" })
        yield* pick(shown, "Market", "BTC / PERP")
        yield* pick(shown, "Place the order as", "bob")
        yield* appears(ticket, "Nothing free in the collateral wallet. Add funds, under Wallets.")
        yield* write(ticket, "Amount, BTC", "0.01")
        yield* write(ticket, "Price, USDT", "39000")
        yield* press(ticket, "Buy")
        yield* appears(ticket.getByRole("alert"), /: Inner validation failed\. amount: Not enough balance\. Add funds/u)
        yield* press(ticket, /^Request \d+$/u)
        yield* see(() => shown.getByRole("dialog", { name: /: CollateralLimitOrders\.create$/u }).waitFor())
        yield* appears(region(shown, "Call"), "bob")
        yield* see(() => shown.keyboard.press("Escape"))

        yield* see(() => shown.locator("#tab-orders").click())
        yield* see(() => shown.getByText("Add funds", { exact: true }).click())
        const form = shown.getByRole("form", { name: "Add funds" })
        yield* pick(shown, "Wallet", "collateral")
        yield* write(form, "Funds to add, USDT", "1\u202F000.5")
        yield* see(() => shown.keyboard.press("Enter"))
        yield* reads(region(shown, "Balances").locator("tbody tr").last(), ["collateral USDT 1 000.5"])
        assert.strictEqual(yield* see(() => form.getByLabel("Funds to add, USDT").inputValue()), "")
        yield* press(ticket, "Buy")
        yield* appears(ticket.getByRole("status"), "Margin limit buy: placed")
        yield* listOf(shown, "Open orders", 1)
        assert.strictEqual((yield* control.openOrders("bob")).length, 1)
      }).pipe(Effect.scoped, Effect.provide(world))
  )

  itInFull(
    "number fields accept numbers copied from the page, and keep an amount only while its currency stays the same",
    () =>
      Effect.gen(function*() {
        const control = yield* Control.Control
        const { shown } = yield* opened
        const ticket = shown.getByRole("form", { name: "Place an order" })
        yield* write(ticket, "Amount, BTC", "0.5")
        yield* write(ticket, "Price, USDT", " 39\u202F900.5 ")
        yield* appears(ticket, /^Total 19\s950\.25 USDT\./u)
        yield* press(ticket, "Buy")
        yield* listOf(shown, "Open orders", 1)
        assert.strictEqual((yield* control.openOrders("alice"))[0]?.price, "39900.5")
        yield* write(shown, "New price of BTC_USDT", "40 100")
        yield* press(shown, "Move")
        yield* lastPrice(shown, /40\s100/u)
        // Text that is not a plain number is refused at once, without a request to confirm a large move.
        yield* write(shown, "New price of BTC_USDT", "4e9")
        yield* press(shown, "Move")
        yield* appears(shown.getByRole("alert"), /^price must/u)
        yield* write(shown, "New price of BTC_USDT", "40,100")
        yield* press(shown, "Move")
        yield* appears(shown.getByRole("alert"), /^price must be a decimal number, such as/u)
        assert.strictEqual(
          (yield* control.markets).find(({ market }) => market === marketName("BTC_USDT"))?.price,
          "40100"
        )

        const value = (label: string) => see(() => ticket.getByLabel(label, { exact: true }).inputValue())
        yield* pick(shown, "Kind of order", "StockMarketOrders.create")
        assert.strictEqual(yield* value("Amount, BTC"), "0.5")
        yield* pick(shown, "Kind of order", "MarketOrders.create")
        assert.strictEqual(yield* value("Amount, USDT to buy, BTC to sell"), "")
        yield* pick(shown, "Kind of order", "LimitOrders.create")
        yield* write(ticket, "Amount, BTC", "0.5")
        yield* pick(shown, "Market", "BTC / PERP")
        yield* pick(shown, "Market", "BTC / USDT")
        assert.deepStrictEqual([yield* value("Amount, BTC"), (yield* value("Price, USDT")).trim()], [
          "0.5",
          "39\u202F900.5"
        ])
        yield* pick(shown, "Market", "ETH / USDT")
        yield* see(() => ticket.getByLabel("Amount, ETH", { exact: true }).waitFor())
        assert.deepStrictEqual([yield* value("Amount, ETH"), yield* value("Price, USDT")], ["", ""])
      }).pipe(Effect.scoped, Effect.provide(world))
  )
}
