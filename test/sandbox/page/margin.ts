/** Tests margin on the page: the chart's lines, the account's margin and events, and the owner's actions. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Locator, Page } from "playwright-core"
import { marketName, ticker } from "../../../src/domain/Identifiers.ts"
import * as Control from "../../../src/sandbox/control/Control.ts"
import { see, untilSeen } from "../../support/browser.ts"
import {
  appears,
  go,
  goes,
  hasFocus,
  itInFull,
  opened,
  pick,
  press,
  reads,
  region,
  world,
  write
} from "../../support/page.ts"
import { amount, price } from "../../support/trading.ts"

const perp = marketName("BTC_PERP")

/** Gives an account a long position of 0.1 BTC at 40000 USDT, and shows the account and the market. */
const held = Effect.fnUntraced(function*(shown: Page, account: string) {
  const control = yield* Control.Control
  yield* control.openPosition({ account, market: perp, side: "buy", amount: amount("0.1"), price: price("40000") })
  yield* pick(shown, "Market", "BTC / PERP")
  yield* pick(shown, "Account", account)
  yield* appears(region(shown, "Positions"), "long")
})

/** Waits until the chart has pixels of a color, or has none. */
const draws = Effect.fnUntraced(function*(shown: Page, variable: string, is: boolean) {
  const count = see(() =>
    shown.evaluate((variable) => {
      const probe = globalThis.document.createElement("i")
      probe.style.color = `var(${variable})`
      globalThis.document.body.append(probe)
      const [r, g, b] = (getComputedStyle(probe).color.match(/\d+/gu) ?? []).map(Number)
      probe.remove()
      let found = 0
      for (const canvas of globalThis.document.querySelectorAll<HTMLCanvasElement>(".canvas canvas")) {
        const { data } = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] }
        for (let at = 0; at < data.length; at += 4) {
          if (data[at] === r && data[at + 1] === g && data[at + 2] === b) found++
        }
      }
      return found
    }, variable)
  )
  // Even a single label on the price scale has hundreds of pixels.
  const isThere = Effect.map(count, (pixels) => pixels > 100)
  yield* untilSeen(Effect.map(isThere, (isShown) => isShown === is))
  assert.strictEqual(yield* isThere, is, variable)
})

/** Finds the cells of the only position, without the time of the next funding and the action. */
const cells = (shown: Page): Locator => region(shown, "Positions").locator("tbody td:nth-last-child(n + 3)")

const events = (shown: Page): Locator => region(shown, "Margin events").locator("[role=gridcell]:last-child")

const setMark = Effect.fnUntraced(function*(shown: Page, to: string) {
  const form = shown.getByRole("form", { name: "Set the mark price" })
  yield* write(form, "Mark price, USDT", to)
  yield* press(form, "Set")
})

export const margin = (): void => {
  itInFull(
    "a user can move the mark price until an account gets a margin call and is liquidated, and see its earlier margin",
    () =>
      Effect.gen(function*() {
        const control = yield* Control.Control
        yield* control.fund({ account: "bob", wallet: "collateral", ticker: ticker("USDT"), amount: amount("1000") })
        const { shown } = yield* opened
        yield* held(shown, "bob")
        const opening = ["BTC_PERP", "long", "0.1 BTC", "40 000 USDT"]
        yield* reads(cells(shown), [...opening, "40 000 USDT", "31 578.94 USDT", "0 USDT", "none"])
        const figures = region(shown, "Margin").locator(".figures > div")
        yield* reads(figures, [
          "Equity, without profit 1 000 USDT",
          "Unrealized profit 0 USDT",
          "Margin used 400 USDT",
          "Free margin 600 USDT",
          "Maintenance margin 200 USDT",
          "Value of positions 4 000 USDT",
          "Margin fraction 25 %",
          "Maintenance fraction 5 %"
        ])
        yield* see(() => shown.getByText("Set mark, index and funding").click())
        yield* setMark(shown, "32300")
        const called = [...opening, "32 300 USDT", "31 578.94 USDT", "−770 USDT", "none"].with(
          0,
          "BTC_PERP margin call"
        )
        yield* reads(cells(shown), called)
        yield* appears(region(shown, "Margin").getByRole("alert"), /^Margin call: equity plus profit is 230 USDT/u)
        yield* appears(region(shown, "Market"), "bob: margin call")

        // The chart's lines can be hidden.
        const lines = { "--mark": "the mark price", "--index": "the index price", "--bad": "the position of bob" }
        for (const [colour, name] of Object.entries(lines)) {
          yield* draws(shown, colour, true)
          yield* see(() => shown.getByLabel(`Show ${name} in the chart`).uncheck())
          yield* draws(shown, colour, false)
        }

        // The page asks for confirmation, because the move is large. The move liquidates the account, which then has a
        // debt.
        const { sequence } = yield* control.status
        yield* setMark(shown, "25000")
        const dialog = shown.getByRole("dialog", { name: "Move the mark price of BTC_PERP by −23 %?" })
        yield* press(dialog, "Cancel")
        assert.strictEqual((yield* control.status).sequence, sequence)
        yield* press(shown.getByRole("form", { name: "Set the mark price" }), "Set")
        yield* press(dialog, "Move")
        yield* appears(region(shown, "Positions"), "None.")
        const owed = (yield* control.balances("bob")).find(({ debt }) => debt !== undefined)?.debt
        const story = ["Margin call: too little equity for the positions", "Position on BTC_PERP is now long 0.1 BTC"]
        yield* reads(events(shown), [
          "Margin restored: no margin call, no liquidation",
          `Debt left: the account owes ${owed} USDT`,
          "Position on BTC_PERP closed",
          "Position on BTC_PERP is now long 0.075 BTC",
          "Liquidation: the exchange closes positions",
          ...story
        ])
        yield* appears(region(shown, "Fills"), "sell, taker, liquidation")

        // Selecting the margin call's row shows the exchange as it was at that time.
        yield* see(() => events(shown).getByText(/^Margin call/u).click())
        yield* appears(shown, new RegExp(`^The exchange as it was after command ${sequence}, `, "u"))
        yield* go(shown, "orders")
        yield* reads(cells(shown), called)
        yield* reads(events(shown), story)
        yield* appears(region(shown, "Margin").getByRole("alert"), /^Margin call/u)
        assert.isTrue(yield* see(() => shown.getByLabel("Leverage of bob").isDisabled()))
        yield* press(shown, "Back to the present")
        yield* appears(region(shown, "Positions"), "None.")
        yield* press(shown, /^Undo/u)
        yield* reads(cells(shown), called)

        // Profitable positions on the other side absorb the part of a liquidation that the book can't take.
        yield* control.setMargin({ liquidity: "book" })
        yield* control.openPosition({ account: "alice", market: perp, side: "sell", amount: amount("0.2") })
        yield* control.moveMark({ market: perp, price: price("31000") })
        yield* pick(shown, "Account", "alice")
        yield* appears(region(shown, "Fills"), "buy, maker, ADL")
        yield* appears(
          region(shown, "Margin events"),
          /^Deleveraged \(ADL\): 0\.025 BTC on BTC_PERP closed at 3\d\s[\d.]+ USDT by order #\d+$/u
        )
      }).pipe(Effect.scoped, Effect.provide(world))
  )

  itInFull(
    "a user closes a position from its row, after a confirmation, and learns how much the book could not take",
    () =>
      Effect.gen(function*() {
        const control = yield* Control.Control
        const { shown } = yield* opened
        yield* held(shown, "alice")
        const close = region(shown, "Positions").getByRole("button", { name: "Close the long position on BTC_PERP" })
        const dialog = shown.getByRole("dialog", { name: "Close the long position of alice on BTC_PERP?" })
        const { sequence } = yield* control.status
        // The dialog opens and closes by keyboard, and the focus returns to the button.
        yield* see(() => close.focus())
        yield* see(() => shown.keyboard.press("Enter"))
        yield* appears(dialog, /^A market order sells 0\.1 BTC at the best prices in the order book\./u)
        yield* see(() => shown.keyboard.press("Escape"))
        yield* hasFocus(shown, "[aria-label='Close the long position on BTC_PERP']")
        assert.strictEqual((yield* control.status).sequence, sequence)

        // The book is empty, so nothing is closed.
        yield* see(() => close.click())
        yield* press(dialog, "Close position")
        yield* appears(
          shown.getByRole("alert"),
          /^The book had too few orders: 0\.1 of 0\.1 BTC is still open\. Let the counterparty quote/u
        )
        // The switch stays as the user has set it, even if the page is updated before the sandbox responds.
        const quotes = shown.getByRole("switch", { name: "The counterparty quotes" })
        const states: Array<boolean> = []
        yield* see(() =>
          shown.route("**/SetCounterparty", (route) =>
            shown.getByRole("button", { name: "+0.1 %", exact: true }).click()
              .then(() => shown.getByLabel("Last price").getByText(/40\s040/u).waitFor())
              .then(() => quotes.isChecked())
              .then((isOn) => {
                states.push(isOn)
                return route.continue()
              }))
        )
        yield* see(() => quotes.click())
        yield* appears(region(shown, "Order book"), /^Spread/u)
        yield* see(() => shown.unroute("**/SetCounterparty"))
        assert.deepStrictEqual([...states, yield* see(() => quotes.isChecked())], [true, true])
        yield* see(() => close.click())
        yield* press(dialog, "Close position")
        yield* appears(region(shown, "Positions"), "None.")
        assert.deepStrictEqual(yield* control.positions("alice"), [])
        yield* see(() => shown.getByRole("alert").waitFor({ state: "detached" }))
        yield* reads(events(shown).first(), ["Position on BTC_PERP closed"])

        // Each side of a hedge is closed on its own.
        const side = (which: "buy" | "sell", of: string) =>
          control.openPosition({ account: "alice", market: perp, side: which, amount: amount(of) })
        yield* see(() => shown.getByRole("switch", { name: "Hedge mode" }).click())
        yield* see(() => shown.getByRole("switch", { name: "Hedge mode", checked: true }).waitFor())
        yield* side("buy", "0.2")
        yield* side("sell", "0.1")
        yield* press(region(shown, "Positions"), "Close the short position on BTC_PERP")
        yield* press(shown.getByRole("dialog"), "Close position")
        yield* see(() => region(shown, "Positions").getByRole("row", { name: /short/u }).waitFor({ state: "detached" }))
        assert.deepStrictEqual((yield* control.positions("alice")).map(({ amount }) => amount), ["0.2"])

        // While the page shows the past, nothing can be closed.
        yield* see(() => events(shown).last().click())
        yield* appears(shown, /^The exchange as it was after command/u)
        yield* go(shown, "orders")
        assert.isTrue(yield* see(() => close.isDisabled()))
      }).pipe(Effect.scoped, Effect.provide(world))
  )

  itInFull(
    "the owner sets the index, the funding and the margin policy, and changes an account's leverage",
    () =>
      Effect.gen(function*() {
        const control = yield* Control.Control
        const { shown } = yield* opened
        yield* held(shown, "alice")
        const header = region(shown, "Market").getByRole("group", { name: "Mark, index and funding" })
        yield* see(() => shown.getByText("Set mark, index and funding").click())
        const index = shown.getByRole("form", { name: "Set the index price" })
        yield* write(index, "Index price, USDT", "40100")
        yield* press(index, "Set")
        // The mark price follows the index.
        yield* appears(header, /^Mark 40\s100 USDT/u)
        yield* appears(header, /^Index 40\s100 USDT set by you/u)
        yield* press(index, "Follow BTC_USDT")
        yield* appears(header, /^Index 40\s000 USDT/u)
        yield* goes(header, "set by you")

        const funding = shown.getByRole("form", { name: "Set the funding" })
        yield* write(funding, "Funding rate per settlement, %", "-0.05")
        yield* write(funding, "Interval, minutes", "60")
        yield* press(funding, "Set")
        yield* appears(header, /^−0\.05 % in 00:\d\d:\d\d/u)
        yield* appears(header, "shorts pay longs")
        assert.strictEqual((yield* control.markets).find(({ market }) => market === perp)?.fundingRate, "-0.0005")
        yield* control.advanceClock({ millis: 3_600_000 })
        yield* reads(events(shown), [
          "Funding on BTC_PERP: received 2 USDT",
          "Position on BTC_PERP is now long 0.1 BTC"
        ])
        yield* appears(region(shown, "Positions"), "received 2 USDT")
        yield* press(funding, "Compute the rate")
        yield* goes(header, "set by you")

        yield* see(() => shown.getByLabel("Leverage of alice").selectOption("20"))
        yield* press(shown.getByRole("dialog", { name: "Change the leverage of alice to 20×?" }), "Change")
        yield* reads(events(shown).first(), ["Leverage is now 20×"])
        yield* appears(region(shown, "Margin"), /^200 USDT$/u)
        // A refusal is shown with the exchange's own message.
        yield* see(() => shown.getByRole("switch", { name: "Hedge mode" }).click())
        yield* appears(shown.getByRole("alert"), /^Refused with HTTP \d+: /u)
        assert.isFalse(yield* see(() => shown.getByRole("switch", { name: "Hedge mode" }).isChecked()))

        yield* see(() => shown.getByText("Margin policy and insurance of all accounts").click())
        yield* write(shown, "Margin call, multiple of maintenance margin", "0.5")
        yield* press(shown, "Change…")
        const dialog = shown.getByRole("dialog", { name: "Change the margin policy?" })
        yield* press(dialog, "Change")
        yield* appears(shown.getByRole("alert"), /callRatio/u)
        yield* write(shown, "Margin call, multiple of maintenance margin", "2")
        yield* press(shown, "Change…")
        yield* press(dialog, "Change")
        yield* appears(shown, /^The margin policy is changed/u)
        yield* write(shown, "Insurance account, USDT", "1500")
        yield* press(shown.getByRole("form", { name: "Set the insurance account" }), "Set")
        yield* appears(shown, /^It has 1\s500 USDT\.$/u)
        const { insurance, policy } = yield* control.venueMargin
        assert.deepStrictEqual<unknown>([policy.callRatio, insurance], ["2", [{ ticker: "USDT", amount: "1500" }]])
        yield* go(shown, "time")
        yield* appears(region(shown, "Timeline"), /^the insurance account now has 1\s500 USDT$/u)
        yield* appears(region(shown, "Timeline"), "the margin policy changes")
      }).pipe(Effect.scoped, Effect.provide(world))
  )
}
