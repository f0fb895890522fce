/** Tests the page's market area: every way to move the price, and the chart's markers. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Page } from "playwright-core"
import { price } from "../../../src/domain/Decimal.ts"
import { marketName } from "../../../src/domain/Identifiers.ts"
import * as Control from "../../../src/sandbox/control/Control.ts"
import { see, untilSeen } from "../../support/browser.ts"
import {
  appears,
  call,
  goes,
  itInFull,
  lastPrice,
  opened,
  pick,
  press,
  reads,
  region,
  stopOrder,
  world,
  write
} from "../../support/page.ts"

/**
 * Drags the handle of the last price up by 80 pixels, until no order waits for its activation price. The chart may move
 * the handle while the mouse approaches it, so a drag can miss it.
 */
const dragUntilTriggered = (shown: Page) => {
  const handle = shown.getByRole("slider", { name: /Price of/u })
  const waiting = shown.getByText("waits for").first()
  return untilSeen(Effect.gen(function*() {
    yield* see(() => handle.hover())
    yield* see(() => shown.mouse.down())
    const box = yield* see(() => handle.boundingBox())
    if (box !== null) yield* see(() => shown.mouse.move(box.x + box.width / 2, box.y - 80, { steps: 3 }))
    yield* see(() => shown.mouse.up())
    const isTriggered = waiting.waitFor({ state: "detached", timeout: 10_000 }).then(() => true, () => false)
    return yield* see(() => isTriggered)
  }))
}

export const market = (): void => {
  itInFull(
    "the page asks for confirmation before it sets a price far from the last one, and the move can be undone together with its effects",
    () =>
      Effect.gen(function*() {
        const control = yield* Control.Control
        const { shown } = yield* opened
        yield* press(shown, "+1 %")
        yield* lastPrice(shown, /40\s400/u)
        const { sequence } = yield* control.status
        const candles = yield* control.candles(marketName("BTC_USDT"), 60)
        yield* write(shown, "New price of BTC_USDT", "404")
        yield* press(shown, "Move")
        const dialog = shown.getByRole("dialog", { name: "Move BTC_USDT by −99 %?" })
        yield* appears(dialog, /From 40\s400 to 404\./u)
        yield* press(dialog, "Cancel")
        assert.strictEqual((yield* control.status).sequence, sequence)
        yield* press(shown, "Move")
        yield* press(dialog, "Move")
        yield* lastPrice(shown, /^404$/u)
        yield* press(shown, "+1 %")
        yield* press(shown, "Undo with 1 later command")
        yield* lastPrice(shown, /40\s400/u)
        assert.deepStrictEqual(yield* control.candles(marketName("BTC_USDT"), 60), candles)
        yield* goes(shown, /^Undo/u)
        // The page asks for confirmation only before price moves of more than 20 %.
        yield* write(shown, "New price of BTC_USDT", "48480")
        yield* press(shown, "Move")
        yield* lastPrice(shown, /48\s480/u)
        // The page also asks for confirmation before it plays a script.
        yield* see(() => shown.getByText("Play a price script").click())
        yield* write(shown, "Prices, in order", "1, 2, 3")
        yield* write(shown, "Milliseconds between prices", "0")
        yield* press(shown, "Play…")
        yield* press(shown.getByRole("dialog", { name: "Play 3 prices on BTC_USDT?" }), "Play")
        yield* lastPrice(shown, /^3$/u)
        yield* press(shown, /^Undo/u)
        yield* lastPrice(shown, /48\s480/u)
      }).pipe(Effect.scoped, Effect.provide(world))
  )

  itInFull(
    "the page shows every client's actions, and a dragged price triggers a stop order",
    () =>
      Effect.gen(function*() {
        const control = yield* Control.Control
        const { shown } = yield* opened
        yield* stopOrder("40200")
        const orders = region(shown, "Open orders")
        yield* appears(orders, "buy stop limit")
        yield* appears(orders, /waits for ≥ 40\s?200/u)
        yield* appears(region(shown, "Balances"), /by buy stop limit/u)

        yield* dragUntilTriggered(shown)
        const [order] = yield* control.openOrders("alice")
        const fills = yield* control.fills("alice")
        assert.isTrue(order?.activated ?? fills.length > 0)

        // Another client moves the price. The page shows the new price without losing the focus.
        const field = shown.getByLabel("New price of BTC_USDT")
        yield* see(() => field.focus())
        yield* control.movePrice({ market: marketName("BTC_USDT"), price: price("40123") })
        yield* lastPrice(shown, /40\s123/u)
        assert.isTrue(yield* see(() => field.evaluate((one) => one === globalThis.document.activeElement)))
        yield* see(() => shown.keyboard.type("40500"))
        yield* see(() => shown.keyboard.press("Enter"))
        yield* lastPrice(shown, /40\s500/u)
      }).pipe(Effect.scoped, Effect.provide(world))
  )

  itInFull(
    "the page steps the price, plays a price script, and shows the book and the trades of each market",
    () =>
      Effect.gen(function*() {
        const control = yield* Control.Control
        const { shown } = yield* opened
        yield* press(shown, "+1 %")
        yield* lastPrice(shown, /40\s400/u)
        yield* see(() => shown.getByRole("slider", { name: /Price of/u }).press("PageDown"))
        yield* lastPrice(shown, /39\s996/u)

        yield* call("/api/v4/order/new", { market: "BTC_USDT", side: "sell", amount: "0.25", price: "41000" })
        yield* call("/api/v4/order/new", { market: "BTC_USDT", side: "buy", amount: "0.5", price: "39000" })
        const book = region(shown, "Order book")
        yield* reads(book.locator("tr"), [
          "Price, USDT Amount, BTC",
          "● 41 000.00 0.25",
          "Spread 2 000 USDT 5.13 %",
          "● 39 000.00 0.50"
        ])
        yield* see(() => book.getByRole("img", { name: "of which 0.25 by alice", exact: true }).waitFor())
        yield* pick(shown, "Account", "bob")
        yield* reads(book.locator("tbody tr"), ["41 000.00 0.25", "Spread 2 000 USDT 5.13 %", "39 000.00 0.50"])

        yield* see(() => shown.getByText("Play a price script").click())
        yield* write(shown, "Prices, in order", "40100 and 41000.5, then 40250")
        yield* write(shown, "Milliseconds between prices", "0")
        yield* appears(shown, /3 prices in 0 ms: 40\s100 → 41\s000\.5 → 40\s250/u)
        yield* press(shown, "Play…")
        yield* press(shown.getByRole("dialog"), "Play")
        yield* lastPrice(shown, /40\s250/u)
        yield* reads(region(shown, "Latest trades").locator("tbody td + td"), ["41 000.00", "0.25"])
        const candles = yield* control.candles(marketName("BTC_USDT"), 60)
        assert.include(candles.map(({ high }) => String(high)), "41000.5")

        yield* press(shown, "1 m")
        assert.strictEqual(
          yield* see(() => shown.getByRole("button", { name: "1 m", exact: true }).getAttribute("aria-pressed")),
          "true"
        )
        yield* pick(shown, "Market", "ETH / USDT")
        yield* appears(region(shown, "Order book"), /Nobody quotes ETH_USDT/u)
        yield* write(shown, "New price of ETH_USDT", "2500.55")
        yield* press(shown, "Move")
        yield* lastPrice(shown, /2\s500\.55/u)
        // A price that is invalid for the market is refused with an explanation, and the market does not move.
        yield* write(shown, "New price of ETH_USDT", "-3")
        yield* press(shown, "Move")
        yield* appears(shown.getByRole("alert"), /price/u)
        yield* lastPrice(shown, /2\s500\.55/u)
      }).pipe(Effect.scoped, Effect.provide(world))
  )

  itInFull(
    "a user can turn the counterparty on and place orders of each kind, and the order form explains a refusal",
    () =>
      Effect.gen(function*() {
        const control = yield* Control.Control
        const { shown } = yield* opened
        const book = region(shown, "Order book")
        const ticket = shown.getByRole("form", { name: "Place an order" })
        yield* appears(book, /Nobody quotes BTC_USDT/u)
        yield* pick(ticket, "Kind of order", "Market")
        yield* write(ticket, "Amount, BTC", "0.01")
        yield* press(ticket, "Buy")
        yield* appears(
          ticket.getByRole("alert"),
          /^Market buy: canceled, because no order .* let the counterparty quote/u
        )
        yield* pick(ticket, "Kind of order", "Limit")
        yield* see(() => book.getByRole("switch").check())
        yield* appears(book, /^Spread/u)
        const kinds = see(() => ticket.getByLabel("Kind of order").locator("option").allInnerTexts())
        assert.deepStrictEqual(yield* kinds, [
          "Limit",
          "Market by total",
          "Market",
          "Stop limit",
          "Stop market",
          "Margin limit",
          "Margin market",
          "Margin stop limit",
          "Margin stop market",
          "Margin OCO"
        ])
        yield* write(ticket, "Amount, BTC", "0.01")
        yield* write(ticket, "Price, USDT", "39000")
        yield* appears(ticket, /^Total 390 USDT\. Free in the trade wallet: 2 BTC, 100\s000 USDT/u)
        // Pressing Enter does not choose a side, so it places no order.
        yield* see(() => ticket.getByLabel("Price, USDT").press("Enter"))
        yield* see(() => ticket.getByText(/^Options/u).click())
        yield* write(ticket, "Client order id", "mine")
        yield* see(() => ticket.getByLabel("Post only").check())
        yield* press(ticket, "Buy")
        yield* appears(ticket, /^Limit buy: placed/u)
        yield* press(ticket, /^Order \d+/u)
        const order = shown.getByRole("dialog", { name: /^buy limit #/u })
        yield* appears(order, "390 USDT in the trade wallet")
        yield* appears(order, "post only")
        yield* press(order, "Close")
        // Uses the same client order id again.
        yield* press(ticket, "Sell")
        yield* appears(ticket.getByRole("alert"), /^Limit sell, refused with HTTP 400: .*client/iu)
        yield* write(ticket, "Client order id", "")
        yield* pick(ticket, "Kind of order", "Market")
        yield* press(ticket, "Sell")
        yield* appears(ticket, /^Market sell: placed and filled/u)
        yield* appears(region(shown, "Fills"), "sell, taker")
        yield* pick(ticket, "Kind of order", "Margin OCO")
        yield* write(ticket, "Price, USDT", "42000")
        yield* write(ticket, "Activation price, USDT", "38000")
        yield* write(ticket, "Stop limit price, USDT", "37900")
        yield* press(ticket, "Sell")
        yield* appears(ticket, /^Margin OCO sell: placed/u)
        assert.deepStrictEqual((yield* control.openOrders("alice")).map(({ kind, type }) => `${kind} ${type}`), [
          "spot limit",
          "margin stop limit",
          "margin limit"
        ])
        yield* pick(shown, "Market", "BTC / PERP")
        assert.notInclude(yield* kinds, "Limit")
        assert.isTrue((yield* control.requests()).every(({ endpoint }) => endpoint?.endsWith("Orders.create")))
      }).pipe(Effect.scoped, Effect.provide(world))
  )
}
