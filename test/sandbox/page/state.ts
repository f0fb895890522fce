/** Tests the page's notices about its connection, and several pages that are open at the same time. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { DatabaseSync } from "node:sqlite"
import type { Page } from "playwright-core"
import { vi } from "vitest"
import { price } from "../../../src/domain/Decimal.ts"
import { marketName } from "../../../src/domain/Identifiers.ts"
import * as Control from "../../../src/sandbox/control/Control.ts"
import * as Host from "../../../src/sandbox/host/Host.ts"
import * as HostServer from "../../../src/sandbox/host/HostServer.ts"
import * as Dashboard from "../../../src/sandbox/page/Dashboard.ts"
import * as Server from "../../../src/sandbox/server/Server.ts"
import { see, tab } from "../../support/browser.ts"
import { runningElsewhere } from "../../support/elsewhere.ts"
import { programOf, scratchFile } from "../../support/files.ts"
import {
  addressOf,
  appears,
  go,
  isLive,
  itInFull,
  lastPrice,
  listOf,
  look,
  opened,
  press,
  region,
  stopOrder,
  token,
  world,
  worldWith,
  write
} from "../../support/page.ts"
import { serving } from "../../support/server.ts"

const btcUsdt = marketName("BTC_USDT")

const command = programOf("main")

/** Opens an address in another tab of the same browser profile. The tabs share their connections. */
const another = Effect.fnUntraced(function*(beside: Page, address: string) {
  const page = yield* see(() => beside.context().newPage())
  yield* see(() => page.goto(address))
  return page
})

/** Makes a page believe that it is hidden or visible, because a headless browser never hides a page. */
const hide = (shown: Page, hidden: boolean) =>
  see(() =>
    shown.evaluate((hidden) => {
      Object.defineProperty(globalThis.document, "hidden", { configurable: true, value: hidden })
      globalThis.document.dispatchEvent(new Event("visibilitychange"))
    }, hidden)
  )

export const state = (): void => {
  itInFull(
    "a page shows that it is disconnected, reconnects automatically, and asks for the token if it has none",
    () =>
      Effect.gen(function*() {
        const control = yield* Control.Control
        const first = yield* Scope.make()
        const { baseUrl } = yield* Scope.provide(Server.serve({ controlToken: token }), first)
        const port = Number(new URL(baseUrl).port)
        const { errors, page: shown } = yield* tab
        yield* see(() => shown.goto(baseUrl + Dashboard.path))
        yield* see(() => shown.getByLabel("Control token").last().fill("another"))
        yield* press(shown, "Open")
        yield* see(() => shown.getByLabel("Control token").last().fill(token))
        yield* press(shown, "Open")
        yield* isLive(shown)
        yield* Scope.close(first, Exit.void)
        yield* appears(shown, /the state of \d+ s ago/u)
        yield* see(() => shown.locator("main.stale").waitFor())
        // The page's clock stops while the connection is down.
        yield* go(shown, "time")
        const clock = yield* see(() => shown.locator("#clock").innerText())
        yield* appears(shown, /the state of (?:[2-9]|\d\d+) s ago/u)
        assert.strictEqual(yield* see(() => shown.locator("#clock").innerText()), clock)
        assert.strictEqual(yield* see(() => shown.locator(".clock").count()), 0)
        yield* go(shown, "orders")
        yield* control.openAccount({ account: "<img src=x onerror=alert(1)>", b2b: false })
        yield* Server.serve({ controlToken: token, port })
        yield* isLive(shown)
        const accounts = shown.getByRole("combobox", { name: "Account" })
        assert.include(yield* see(() => accounts.innerHTML()), "&lt;img")
        assert.strictEqual(yield* see(() => shown.locator("img").count()), 0)
        // The page stores the user's choices, but keeps a typed token only in memory.
        yield* go(shown, "time")
        const stored = yield* see(() =>
          shown.evaluate(() =>
            globalThis.document.cookie + JSON.stringify([{ ...localStorage }, { ...sessionStorage }])
          )
        )
        assert.include(stored, "time")
        assert.notInclude(stored, token)
        assert.deepStrictEqual(errors, [])

        const other = yield* serving((response) => response.end(`<iframe src="${baseUrl}${Dashboard.path}"></iframe>`))
        yield* see(() => shown.goto(other.baseUrl))
        yield* see(() => shown.waitForLoadState("networkidle"))
        assert.isTrue(errors.some((error) => error.includes("frame-ancestors")))
      }).pipe(Effect.scoped, Effect.provide(world))
  )

  itInFull(
    "a page continues automatically when its killed sandbox is restarted with the same data and port",
    () =>
      Effect.gen(function*() {
        const data = `${yield* scratchFile}-data`
        const flags = [command, "sandbox", "--json", "--data", data, "--seed", "7"]
        const first = yield* runningElsewhere(process.execPath, flags, /^Watch and control it: (\S+)/mu)
        const { origin, port } = new URL(first.found)
        const { errors, page: shown } = yield* tab
        yield* see(() => shown.goto(first.found))
        yield* isLive(shown)
        yield* write(shown, "New price of BTC_USDT", "40444")
        yield* press(shown, "Move")
        yield* lastPrice(shown, /40\s444/u)
        yield* see(() => fetch(`${origin}/api/v4/public/pong`))
        yield* go(shown, "requests")
        yield* listOf(shown, "Requests", 1)

        yield* first.kill
        yield* see(() => shown.locator("main.stale").waitFor())
        const again = yield* runningElsewhere(
          process.execPath,
          [...flags, "--port", port],
          /^Watch and control it: (\S+)/mu
        )
        assert.strictEqual(again.found, first.found)
        yield* isLive(shown)
        yield* see(() => shown.locator("main:not(.stale)").waitFor())
        yield* lastPrice(shown, /40\s444/u)
        assert.strictEqual(yield* see(() => shown.getByRole("alert").count()), 0)
        // The killed process has lost its calls, so the page no longer shows them.
        yield* go(shown, "requests")
        yield* see(() => fetch(`${origin}/api/v4/public/time`))
        yield* appears(region(shown, "Requests"), "ServerTime.get")
        yield* listOf(shown, "Requests", 1)
        yield* write(shown, "New price of BTC_USDT", "40555")
        yield* press(shown, "Move")
        yield* lastPrice(shown, /40\s555/u)
        assert.deepStrictEqual(errors, [])
      }).pipe(Effect.scoped)
  )

  itInFull(
    "the page shows that the sandbox has stopped when its journal can no longer be written",
    () =>
      Effect.gen(function*() {
        const file = yield* scratchFile
        yield* Effect.gen(function*() {
          const control = yield* Control.Control
          const { shown } = yield* opened
          const exec = Reflect.get(DatabaseSync.prototype, "exec") as (this: DatabaseSync, statement: string) => void
          yield* Effect.acquireRelease(
            Effect.sync(() =>
              vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(function(this: DatabaseSync, statement) {
                // Other tests in this file use their own journals at the same time.
                if (this.location() === file) throw new Error("database or disk is full")
                return exec.call(this, statement)
              })
            ),
            (spy) => Effect.sync(() => spy.mockRestore())
          )
          yield* Effect.ignore(control.movePrice({ market: btcUsdt, price: price("41000") }))
          yield* see(() => shown.locator("#link.stopped").waitFor())
          yield* appears(shown.getByRole("alert"), /The sandbox has stopped/u)
          yield* see(() => shown.locator("main.stale").waitFor())
          yield* lastPrice(shown, /40\s000/u)
        }).pipe(Effect.scoped, Effect.provide(worldWith({ file })))
      }).pipe(Effect.scoped)
  )

  itInFull(
    "a page whose in-memory sandbox was restarted explains why it is locked, and opens at the new address",
    () =>
      Effect.gen(function*() {
        const flags = [command, "sandbox", "--json", "--memory"]
        const first = yield* runningElsewhere(process.execPath, flags, /^Watch and control it: (\S+)/mu)
        const { errors, page: shown } = yield* tab
        yield* see(() => shown.goto(first.found))
        yield* isLive(shown)
        yield* first.kill
        yield* see(() => shown.locator("main.stale").waitFor())
        const again = yield* runningElsewhere(
          process.execPath,
          [...flags, "--port", new URL(first.found).port],
          /^Watch and control it: (\S+)/mu
        )
        yield* appears(shown.getByRole("alert"), /started again, and has a new token/u)
        yield* see(() => shown.getByLabel("Control token").last().fill("another"))
        yield* press(shown, "Open")
        yield* appears(shown.getByRole("alert"), /This token does not open this sandbox/u)
        // The new address differs only in its fragment, so the browser does not reload the page.
        yield* see(() => shown.goto(again.found))
        yield* isLive(shown)
        yield* see(() => shown.reload())
        yield* isLive(shown)
        assert.deepStrictEqual(errors, [])
      }).pipe(Effect.scoped)
  )

  itInFull("seven tabs of one browser are live at the same time", () =>
    Effect.gen(function*() {
      const { baseUrl, shown } = yield* opened
      const others = yield* Effect.forEach(Array.from({ length: 6 }), () => another(shown, addressOf(baseUrl)))
      yield* Effect.forEach(others, isLive)
      yield* press(others.at(-1) ?? shown, "+1 %")
      yield* Effect.forEach([shown, ...others], (one) => lastPrice(one, /40\s400/u))
    }).pipe(Effect.scoped, Effect.provide(world)))

  itInFull(
    "a host's page stays usable while a browser shows seven pages of its venues",
    () =>
      Effect.gen(function*() {
        const host = yield* Host.Host
        const { baseUrl } = yield* HostServer.serve()
        const venues = yield* Effect.all([host.make({ example: true }), host.make({ example: true })])
        const { errors, page: shown } = yield* tab
        yield* see(() => shown.goto(`${baseUrl}/#token=${host.token}`))
        const pages = yield* Effect.forEach(Array.from({ length: 7 }), (_, index) => {
          const { controlToken, url } = venues[index % 2] ?? venues[0]
          return another(shown, `${url}/#token=${controlToken}`)
        })
        yield* Effect.forEach(pages, isLive)
        yield* press(shown, "Create a venue")
        yield* see(() => shown.getByRole("row").nth(3).waitFor())
        assert.deepStrictEqual(errors, [])
      }).pipe(Effect.scoped, Effect.provide(Host.layer()))
  )

  itInFull(
    "a hidden page sends no requests, and shows the current state when it is visible again",
    () =>
      Effect.gen(function*() {
        const control = yield* Control.Control
        const { baseUrl, shown } = yield* opened
        yield* hide(shown, true)
        // The page finishes the reads that it began while it was visible.
        let asked = 0
        shown.on("request", () => asked++)
        const waited = Effect.andThen(Effect.sync(() => asked = 0), Effect.sleep("1.5 seconds"))
        yield* Effect.repeat(waited, { until: () => asked === 0, times: 20 })
        yield* control.movePrice({ market: btcUsdt, price: price("40404") })
        yield* see(() => fetch(`${baseUrl}/api/v4/public/time`))
        // In the meantime, another page reads the price twice.
        const { shown: other } = yield* look(baseUrl)
        yield* lastPrice(other, /40\s404/u)
        yield* press(other, "+1 %")
        yield* lastPrice(other, /40\s808/u)
        assert.strictEqual(asked, 0)
        yield* hide(shown, false)
        yield* lastPrice(shown, /40\s808/u)
        yield* go(shown, "requests")
        yield* listOf(shown, "Requests", 1)
      }).pipe(Effect.scoped, Effect.provide(world))
  )

  itInFull("two pages show each other's changes and the changes made by another client", () =>
    Effect.gen(function*() {
      const { baseUrl, shown } = yield* opened
      const { errors, shown: other } = yield* look(baseUrl)
      yield* press(shown, "+1 %")
      yield* lastPrice(other, /40\s400/u)
      yield* stopOrder("40900")
      yield* Effect.forEach([shown, other], (one) => appears(region(one, "Open orders"), "my-stop"))
      yield* go(other, "time")
      yield* press(other, "Freeze")
      yield* see(() => shown.locator(".clock").getByText("frozen").waitFor())
      yield* go(other, "faults")
      yield* press(region(other, "New fault"), "Fail the next call to any endpoint")
      yield* see(() => shown.locator("#tab-faults .count").getByText("1").waitFor())
      yield* go(shown, "faults")
      yield* press(region(shown, "Faults"), "Remove fault 1")
      yield* appears(region(other, "Faults"), /^None\./u)
      yield* go(shown, "orders")
      yield* press(shown, "Cancel order my-stop")
      yield* go(other, "orders")
      yield* appears(region(other, "Open orders"), /^None\. Resting limit orders/u)
      assert.deepStrictEqual(errors, [])
    }).pipe(Effect.scoped, Effect.provide(world)))
}
