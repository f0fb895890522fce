/** Tests of the page's notices about its connection, and of several pages at once. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { DatabaseSync } from "node:sqlite"
import { vi } from "vitest"
import { price } from "../../../src/domain/Decimal.ts"
import { marketName } from "../../../src/domain/Identifiers.ts"
import * as Control from "../../../src/sandbox/control/Control.ts"
import * as Dashboard from "../../../src/sandbox/page/Dashboard.ts"
import * as Server from "../../../src/sandbox/server/Server.ts"
import { see, tab } from "../../support/browser.ts"
import { runningElsewhere } from "../../support/elsewhere.ts"
import { programOf, scratchFile } from "../../support/files.ts"
import {
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

export const state = (): void => {
  itInFull(
    "a page says that it is disconnected, reconnects by itself, and asks for the token if it does not have one",
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
        // The page keeps the token only in memory.
        const kept = yield* see(() =>
          shown.evaluate(() =>
            globalThis.document.cookie + JSON.stringify([{ ...localStorage }, { ...sessionStorage }])
          )
        )
        assert.strictEqual(kept, "[{},{}]")
        assert.deepStrictEqual(errors, [])

        const other = yield* serving((response) => response.end(`<iframe src="${baseUrl}${Dashboard.path}"></iframe>`))
        yield* see(() => shown.goto(other.baseUrl))
        yield* see(() => shown.waitForLoadState("networkidle"))
        assert.isTrue(errors.some((error) => error.includes("frame-ancestors")))
      }).pipe(Effect.scoped, Effect.provide(world))
  )

  itInFull(
    "the page notices that the sandbox was killed, and shows the new state of the restarted one",
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
        // Each process has its own control token.
        yield* see(() => shown.goto("about:blank"))
        yield* see(() => shown.goto(again.found))
        yield* isLive(shown)
        yield* see(() => shown.locator("main:not(.stale)").waitFor())
        yield* lastPrice(shown, /40\s444/u)
        assert.strictEqual(yield* see(() => shown.getByRole("alert").count()), 0)
        // The killed process has lost its calls, and the page no longer shows them.
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
    "the page says that the sandbox has stopped when its journal can no longer be written",
    () =>
      Effect.gen(function*() {
        const file = yield* scratchFile
        yield* Effect.gen(function*() {
          const control = yield* Control.Control
          const { shown } = yield* opened
          yield* Effect.acquireRelease(
            Effect.sync(() =>
              vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(() => {
                throw new Error("database or disk is full")
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

  itInFull("two pages show each other's changes, and those of another client", () =>
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
      yield* press(region(other, "New fault"), "Fail the next call")
      yield* see(() => shown.locator("#tab-faults .count").getByText("1").waitFor())
      yield* go(shown, "faults")
      yield* press(region(shown, "Faults"), "Remove fault 1")
      yield* appears(region(other, "Faults"), /^None\./u)
      yield* go(shown, "orders")
      yield* press(shown, "Cancel order my-stop")
      yield* go(other, "orders")
      yield* appears(region(other, "Open orders"), /^None\. Limit orders/u)
      assert.deepStrictEqual(errors, [])
    }).pipe(Effect.scoped, Effect.provide(world)))
}
