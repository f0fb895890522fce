import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { Locator, Page } from "playwright-core"
import { amount, price } from "../../../src/domain/Decimal.ts"
import { marketName, ticker } from "../../../src/domain/Identifiers.ts"
import { document } from "../../../src/protocol/Dialect.ts"
import * as Control from "../../../src/sandbox/control/Control.ts"
import * as Example from "../../../src/sandbox/Example.ts"
import * as Server from "../../../src/sandbox/gateway/Server.ts"
import * as Dashboard from "../../../src/sandbox/page/Dashboard.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import { executable, page, see } from "../../support/browser.ts"
import { isLong } from "../../support/long.ts"
import { serving } from "../../support/server.ts"
import { handle, signed } from "../../support/signed.ts"

const token = "the token of this page"

const world = Layer.effectDiscard(Effect.andThen(Example.setUp, Control.Control.use((control) => control.begin))).pipe(
  Layer.provideMerge(Sandbox.layer()),
  Layer.orDie
)

const addressOf = (baseUrl: string): string => `${baseUrl}${Dashboard.path}#token=${encodeURIComponent(token)}`

const isLive = (shown: Page) => see(() => shown.locator("#link.live").waitFor())

/** The page with its token, in a browser, once it is live. */
const opened = Effect.gen(function*() {
  const { baseUrl } = yield* Server.serve({ controlToken: token })
  const { errors, page: shown } = yield* page
  yield* see(() => shown.goto(addressOf(baseUrl)))
  yield* isLive(shown)
  return { baseUrl, errors, shown }
})

const go = (shown: Page, area: "orders" | "requests" | "time" | "faults") =>
  see(() => shown.locator(`#tab-${area}`).click())

const press = (within: Page | Locator, name: string | RegExp) =>
  see(() => within.getByRole("button", { name, exact: true }).first().click())

const appears = (within: Page | Locator, text: string | RegExp) => see(() => within.getByText(text).first().waitFor())

const region = (shown: Page, name: string): Locator => shown.getByRole("region", { name, exact: true })

const stopOrder = (activation: string) =>
  handle(signed(document, "/api/v4/order/stop_limit", {
    market: "BTC_USDT",
    side: "buy",
    amount: "0.01",
    price: "41500",
    activation_price: activation,
    clientOrderId: "my-stop"
  }, Example.alice))

/** Drags the price up by so many pixels. */
const dragUp = (shown: Page, by: number) =>
  Effect.gen(function*() {
    const box = yield* see(() => shown.getByRole("slider", { name: /Price of/u }).boundingBox())
    const [x, y] = [(box?.x ?? 0) + 30, box?.y ?? 0]
    yield* see(() => shown.mouse.move(x, y))
    yield* see(() => shown.mouse.down())
    yield* see(() => shown.mouse.move(x, y - by, { steps: 3 }))
    yield* see(() => shown.mouse.up())
  })

describe.skipIf(executable === undefined)("the page (needs Chromium)", () => {
  it.live("shows what any client does, and a stop order triggers because the price was dragged", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      const { errors, shown } = yield* opened
      yield* stopOrder("40200")
      const orders = region(shown, "Open orders")
      yield* appears(orders, "buy stop limit")
      yield* appears(orders, /waits for ≥ 40\s?200/u)
      yield* appears(region(shown, "Balances"), /by buy stop limit/u)

      yield* dragUp(shown, 80)
      yield* see(() => shown.getByText("waits for").waitFor({ state: "detached" }))
      const [order] = yield* control.openOrders("alice")
      const fills = yield* control.fills("alice")
      assert.isTrue(order?.activated ?? fills.length > 0)

      // Another client moves it: the page shows it, and keeps the focus where it was.
      yield* see(() => shown.getByLabel("New price of BTC_USDT").focus())
      yield* control.movePrice({ market: marketName("BTC_USDT"), price: price("40123") })
      yield* see(() => shown.getByLabel("Last price").getByText(/40\s123/u).waitFor())
      assert.isTrue(
        yield* see(() =>
          shown.getByLabel("New price of BTC_USDT").evaluate((one) => one === globalThis.document.activeElement)
        )
      )
      yield* see(() => shown.keyboard.type("40500"))
      yield* see(() => shown.keyboard.press("Enter"))
      yield* see(() => shown.getByLabel("Last price").getByText(/40\s500/u).waitFor())
      assert.deepStrictEqual(errors, [])
    }).pipe(Effect.scoped, Effect.provide(world)))

  it.live("lists the calls of others but not its own, and shows why one was refused", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      const { baseUrl, errors, shown } = yield* opened
      yield* go(shown, "requests")
      yield* see(() => fetch(`${baseUrl}/api/v4/public/pong`))
      yield* handle(
        signed(
          document,
          "/api/v4/order/new",
          { market: "<b>no</b>", side: "buy", amount: "1", price: "2" },
          Example.alice
        )
      )
      const list = shown.getByRole("listbox", { name: /Requests/u })
      yield* appears(list, /did you mean \/api\/v4\/public\/ping/u)
      yield* see(() => shown.getByLabel("Only with text").fill("<b>no</b>"))
      yield* see(() => shown.getByRole("listbox", { name: "Requests: 1" }).waitFor())
      yield* see(() => list.focus())
      yield* see(() => shown.keyboard.press("ArrowDown"))
      yield* see(() => shown.keyboard.press("Enter"))
      const drawer = shown.getByRole("dialog", { name: /LimitOrders\.create/u })
      yield* appears(drawer, "<b>no</b>")
      yield* appears(drawer, "x-txc-signature")
      yield* appears(drawer, /Validation failed/u)
      assert.notInclude(yield* see(() => drawer.innerHTML()), "<b>no</b>")
      yield* press(drawer, "Make again")
      yield* see(() => shown.getByRole("listbox", { name: "Requests: 2" }).waitFor({ state: "attached" }))
      assert.isTrue((yield* control.requests()).every(({ path }) => path.startsWith("/api/")))
      assert.deepStrictEqual(errors, [])
    }).pipe(Effect.scoped, Effect.provide(world)))

  it.live("fails the next call, and a newcomer's three hints come true", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      const { baseUrl, errors, shown } = yield* opened
      yield* press(shown, "Move the price")
      yield* see(() => shown.locator("input:focus").waitFor())
      yield* see(() => shown.keyboard.type("40321"))
      yield* see(() => shown.keyboard.press("Enter"))
      yield* appears(shown, "✓ Move the price")

      yield* press(shown, "Fail the next call")
      yield* see(() => shown.locator("#area button.main").click())
      yield* appears(region(shown, "Faults"), "armed")
      assert.strictEqual((yield* see(() => fetch(`${baseUrl}/api/v4/public/time`))).status, 502)
      yield* appears(shown, "✓ Fail the next call")
      yield* appears(region(shown, "Faults"), "used up")

      yield* press(shown, "Go back in time")
      const { sequence } = yield* control.status
      yield* see(() => shown.getByRole("slider", { name: "Command" }).fill(String(sequence - 1)))
      yield* press(shown, "Restore")
      yield* appears(shown, "✓ Go back in time")
      yield* see(() => shown.getByLabel("Last price").getByText(/40\s000/u).waitFor())
      assert.deepStrictEqual(errors, [])
    }).pipe(Effect.scoped, Effect.provide(world)))

  it.live("stops the clock, forks, and goes back to a snapshot after a reload; a reset asks and can be undone", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      const { errors, shown } = yield* opened
      const main = region(shown, "Balances").getByRole("row", { name: /^main BTC/u })
      yield* go(shown, "time")
      yield* press(shown, "Freeze")
      yield* appears(region(shown, "Clock"), "frozen")
      yield* press(shown, "Take a snapshot")
      yield* see(() => region(shown, "Snapshots").getByRole("listitem").waitFor())
      yield* press(shown, "Fork here")
      yield* appears(region(shown, "Forks"), /http:\/\//u)
      yield* control.fund({ account: "alice", wallet: "main", ticker: ticker("BTC"), amount: amount("1") })
      yield* see(() => shown.reload())
      yield* isLive(shown)
      yield* see(() => main.getByText("1.5").waitFor())
      yield* go(shown, "time")
      yield* press(region(shown, "Snapshots"), /^Restore/u)
      yield* go(shown, "orders")
      yield* see(() => main.getByText("0.5").waitFor())

      yield* control.fund({ account: "alice", wallet: "main", ticker: ticker("BTC"), amount: amount("2") })
      yield* see(() => main.getByText("2.5").waitFor())
      yield* go(shown, "time")
      yield* press(shown, "Reset…")
      yield* press(shown.getByRole("dialog"), "Reset")
      yield* press(shown, "Undo the reset")
      yield* go(shown, "orders")
      yield* see(() => main.getByText("2.5").waitFor())
      assert.deepStrictEqual(errors, [])
    }).pipe(Effect.scoped, Effect.provide(world)))

  it.live("says that it is disconnected, and goes on when the server is back; asks for a token that it does not have", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      const first = yield* Scope.make()
      const { baseUrl } = yield* Scope.provide(Server.serve({ controlToken: token }), first)
      const port = Number(new URL(baseUrl).port)
      const { errors, page: shown } = yield* page
      yield* see(() => shown.goto(baseUrl + Dashboard.path))
      yield* see(() => shown.getByLabel("Control token").last().fill("another"))
      yield* press(shown, "Open")
      yield* see(() => shown.getByLabel("Control token").last().fill(token))
      yield* press(shown, "Open")
      yield* isLive(shown)
      yield* Scope.close(first, Exit.void)
      yield* appears(shown, /What you see is \d+ s old/u)
      yield* see(() => shown.locator("main.stale").waitFor())
      yield* control.openAccount({ account: "<img src=x onerror=alert(1)>", b2b: false })
      yield* Server.serve({ controlToken: token, port })
      yield* isLive(shown)
      const accounts = shown.getByRole("combobox", { name: "Account" })
      assert.include(yield* see(() => accounts.innerHTML()), "&lt;img")
      assert.strictEqual(yield* see(() => shown.locator("img").count()), 0)
      assert.deepStrictEqual(errors, [])

      const other = yield* serving((response) => response.end(`<iframe src="${baseUrl}${Dashboard.path}"></iframe>`))
      yield* see(() => shown.goto(other.baseUrl))
      yield* see(() => shown.waitForLoadState("networkidle"))
      assert.isTrue(errors.some((error) => error.includes("frame-ancestors")))
    }).pipe(Effect.scoped, Effect.provide(world)))

  it.live("has no word that is cut and nothing beside the screen, from 390 to 1920 pixels, light and dark", () =>
    Effect.gen(function*() {
      const { errors, shown } = yield* opened
      yield* stopOrder("40200")
      const backgrounds = new Set<string>()
      for (const colorScheme of ["light", "dark"] as const) {
        yield* see(() => shown.emulateMedia({ colorScheme }))
        for (const width of isLong ? [390, 1024, 1920] : [390, 1024]) {
          yield* see(() => shown.setViewportSize({ width, height: 900 }))
          for (const area of ["orders", "requests", "time", "faults"] as const) {
            yield* go(shown, area)
            const beside = yield* see(() =>
              shown.evaluate(() => globalThis.document.documentElement.scrollWidth - globalThis.innerWidth)
            )
            assert.isAtMost(beside, 0, `${area} at ${width}`)
            const cut = yield* see(() =>
              shown.locator("button").evaluateAll((buttons) =>
                buttons.filter((button) => button.scrollWidth > button.clientWidth + 1).map((button) =>
                  button.textContent
                )
              )
            )
            assert.deepStrictEqual(cut, [], `${area} at ${width}`)
          }
        }
        backgrounds.add(
          yield* see(() => shown.evaluate(() => getComputedStyle(globalThis.document.body).backgroundColor))
        )
      }
      assert.strictEqual(backgrounds.size, 2)
      assert.deepStrictEqual(errors, [])
    }).pipe(Effect.scoped, Effect.provide(world)))
})

describe("the page", () => {
  it.live("is there for everybody, holds no secret, and is not there without a control plane", () =>
    Effect.gen(function*() {
      const get = (baseUrl: string) =>
        see(() => fetch(baseUrl + Dashboard.path).then((got) => got.text().then((text) => [got.status, text] as const)))
      const [status, text] = yield* get((yield* Server.serve({ controlToken: token })).baseUrl)
      assert.strictEqual(status, 200)
      assert.notInclude(text, token)
      for (const bundled of ["preact", "lightweight-charts", "TradingView, Inc.", "Apache License"]) {
        assert.include(text, bundled)
      }
      assert.strictEqual((yield* get((yield* Server.serve()).baseUrl))[0], 404)
    }).pipe(Effect.scoped, Effect.provide(world)))
})
