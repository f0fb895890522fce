/**
 * Tests the page under load. The page's work per second is limited, regardless of how many records there are and how
 * often they change.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ApiKey, marketName, ticker } from "../../../src/domain/Identifiers.ts"
import * as Control from "../../../src/sandbox/control/Control.ts"
import * as Example from "../../../src/sandbox/Example.ts"
import { Venue } from "../../../src/sandbox/venue/Venue.ts"
import { see } from "../../support/browser.ts"
import { isLong } from "../../support/long.ts"
import { appears, go, itInFull, lastPrice, listOf, opened, press, region, world, write } from "../../support/page.ts"
import { amount, price } from "../../support/trading.ts"

const openOrders = 10_000
const calls = isLong ? 100_000 : 6000
const moves = isLong ? 1500 : 150

const btcUsdt = marketName("BTC_USDT")

const placeOrders = Effect.gen(function*() {
  const control = yield* Control.Control
  const venue = yield* Venue
  yield* control.fund({ account: "alice", wallet: "trade", ticker: ticker("USDT"), amount: amount("100000000") })
  for (let n = 0; n < openOrders; n++) {
    yield* venue.perform({
      _tag: "Call",
      apiKey: ApiKey.make(Example.alice.apiKey),
      operation: {
        _tag: "PlaceLimit",
        market: btcUsdt,
        side: "buy",
        amount: amount("0.001"),
        price: price(String(10_000 + n)),
        collateral: false
      }
    })
  }
})

const makeCalls = Effect.gen(function*() {
  const venue = yield* Venue
  const ping = { method: "GET", path: "/api/v4/public/ping", headers: {}, body: new Uint8Array(), from: "test" }
  yield* Control.Control.use((control) => control.limit({ calls: 1_000_000, perSeconds: 1 }))
  for (let n = 0; n < calls; n++) yield* venue.handle(ping)
})

export const load = (): void => {
  itInFull(
    `the page stays usable with ${openOrders} open orders, ${calls} calls and a price that moves fifty times a second`,
    () =>
      Effect.gen(function*() {
        const control = yield* Control.Control
        yield* placeOrders
        yield* makeCalls
        const { shown } = yield* opened
        yield* listOf(shown, "Open orders", openOrders)
        let asked = 0
        shown.on("request", () => asked++)
        // Counts how often the price is drawn, and records when counting starts.
        yield* see(() =>
          shown.getByLabel("Last price").evaluate((output) => {
            const counted = { draws: 0, from: performance.now() }
            new MutationObserver(() => counted.draws++).observe(output, { characterData: true, subtree: true })
            Object.assign(globalThis, { counted })
          })
        )
        const moving = Effect.gen(function*() {
          for (let n = 1; n <= moves; n++) {
            yield* control.movePrice({ market: btcUsdt, price: price(String(40_000 + n)) })
            yield* Effect.sleep(20)
          }
        })
        const using = Effect.gen(function*() {
          const list = region(shown, "Open orders")
          // Scrolling to the end loads and shows the oldest order.
          yield* see(() => list.getByRole("grid").press("End"))
          yield* see(() => list.locator("[role=gridcell]", { hasText: /^10\s000 USDT$/u }).waitFor())
          yield* go(shown, "requests")
          // The page first shows all calls that the sandbox stores.
          yield* listOf(shown, "Requests", 2000)
          // The page states the total number of calls.
          yield* appears(shown, /^2\s000 of 2\s000, the latest of \d/u)
          yield* write(shown, "Filter by text", "no such text")
          yield* appears(region(shown, "Requests"), /^No matching calls/u)
          yield* go(shown, "faults")
          yield* press(region(shown, "New fault"), "Fail the next call to any endpoint")
          yield* see(() => region(shown, "Faults").getByText("armed").waitFor())
        })
        yield* Effect.all([moving, using], { concurrency: "unbounded" })
        yield* lastPrice(shown, new RegExp(String(40_000 + moves).replace(/(?=...$)/u, "\\s"), "u"))
        const { draws, elements, millis } = yield* see(() =>
          shown.evaluate(() => {
            const { counted } = globalThis as unknown as { readonly counted: { draws: number; from: number } }
            const elements = globalThis.document.querySelectorAll("*").length
            return { draws: counted.draws, millis: performance.now() - counted.from, elements }
          })
        )
        assert.isAtMost(draws, millis / 100 + 2)
        assert.isAtMost(asked, (millis / 450 + 2) * 22)
        assert.isAtMost(elements, 1500)
      }).pipe(Effect.scoped, Effect.provide(world)),
    isLong ? 600_000 : undefined
  )
}
