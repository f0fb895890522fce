/** Tests that the page remembers the user's choices, and that the keyboard reaches every area. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Page } from "playwright-core"
import { see } from "../../support/browser.ts"
import {
  call,
  go,
  goes,
  hasFocus,
  isLive,
  itInFull,
  listOf,
  opened,
  pick,
  press,
  world,
  write
} from "../../support/page.ts"

const type = (shown: Page, ...keys: ReadonlyArray<string>) =>
  Effect.forEach(keys, (key) => see(() => shown.keyboard.press(key)))

const isChosen = (shown: Page, area: string) => see(() => shown.locator(`#tab-${area}[aria-selected=true]`).waitFor())

export const choices = (): void => {
  itInFull(
    "the area, account, market, interval, filter, ticket, theme and hidden hints survive a reload, and the status stays visible",
    () =>
      Effect.gen(function*() {
        const { shown } = yield* opened
        yield* pick(shown, "Account", "bob")
        yield* pick(shown, "Market", "ETH / USDT")
        yield* press(shown, "1 h")
        yield* press(shown, "Hide")
        yield* see(() => shown.getByLabel("Theme").selectOption("dark"))
        yield* go(shown, "requests")
        yield* write(shown, "Filter by text", "ping")
        yield* write(shown, "Amount, ETH", "0.25")
        yield* see(() => shown.reload())
        yield* isLive(shown)
        yield* isChosen(shown, "requests")
        const valueOf = (name: string) => see(() => shown.getByRole("combobox", { name, exact: true }).inputValue())
        assert.strictEqual(yield* see(() => shown.getByLabel("Filter by text").inputValue()), "ping")
        assert.strictEqual(yield* see(() => shown.getByLabel("Amount, ETH").inputValue()), "0.25")
        // The status stays visible while the page is scrolling. Over the chart, the wheel changes the chart's scale
        // instead.
        yield* see(() => shown.mouse.move(5, 5))
        yield* see(() => shown.mouse.wheel(0, 5000))
        yield* see(() => shown.waitForFunction(() => globalThis.scrollY > 0))
        assert.isAtLeast((yield* see(() => shown.locator("#link").boundingBox()))?.y ?? -1, 0)
        assert.strictEqual(yield* valueOf("Market"), "ETH_USDT")
        yield* see(() => shown.getByRole("button", { name: "1 h", pressed: true }).waitFor())
        yield* see(() => shown.locator("html[data-theme=dark]").waitFor())
        yield* goes(shown, "Fail the next call")
        yield* go(shown, "orders")
        assert.strictEqual(yield* valueOf("Account"), "bob")
      }).pipe(Effect.scoped, Effect.provide(world))
  )

  itInFull(
    "shortcut keys reach every area, the search and the price, and are listed, but do nothing while the user is typing",
    () =>
      Effect.gen(function*() {
        const { shown } = yield* opened
        yield* call("/api/v4/main-account/balance", {})
        for (const area of ["time", "faults", "requests", "orders"]) {
          yield* type(shown, "g", area.slice(0, 1))
          yield* isChosen(shown, area)
          yield* hasFocus(shown, `#tab-${area}`)
        }
        yield* type(shown, "/")
        yield* isChosen(shown, "requests")
        yield* hasFocus(shown, "input[type=search]")
        // In an input field, shortcut keys type text instead.
        yield* type(shown, "g", "o", "?")
        assert.strictEqual(yield* see(() => shown.getByLabel("Filter by text").inputValue()), "go?")
        yield* write(shown, "Filter by text", "")
        yield* see(() => shown.locator("#tab-requests").focus())
        yield* type(shown, "?")
        yield* see(() => shown.getByRole("dialog", { name: "Keys" }).getByText("Find a call").waitFor())
        // While a dialog is open, shortcut keys do nothing.
        yield* type(shown, "g", "o", "Escape")
        yield* isChosen(shown, "requests")
        yield* type(shown, "g", "m")
        yield* hasFocus(shown, "#market input")
      }).pipe(Effect.scoped, Effect.provide(world))
  )

  itInFull("a call's details lead to the previous and the next call", () =>
    Effect.gen(function*() {
      const { shown } = yield* opened
      for (const price of ["39001", "39002"]) {
        yield* call("/api/v4/order/new", { market: "BTC_USDT", side: "buy", amount: "0.01", price })
      }
      yield* go(shown, "requests")
      yield* listOf(shown, "Requests", 2)
      yield* see(() => shown.getByRole("row", { name: /answered.*price 39001/u }).click())
      const drawer = (number: number) => shown.getByRole("dialog", { name: new RegExp(`^Request ${number}:`, "u") })
      assert.isTrue(yield* see(() => drawer(1).getByRole("button", { name: "Older ›" }).isDisabled()))
      yield* press(drawer(1), "‹ Newer")
      yield* see(() => drawer(2).getByText("39002", { exact: true }).first().waitFor())
      assert.isTrue(yield* see(() => drawer(2).getByRole("button", { name: "‹ Newer" }).isDisabled()))
      yield* press(drawer(2), "Older ›")
      yield* see(() => drawer(1).getByText("39001", { exact: true }).first().waitFor())
    }).pipe(Effect.scoped, Effect.provide(world)))
}
