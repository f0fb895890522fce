/** Tests the page's requests area: the list of calls, and the details of a call. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { document } from "../../../src/protocol/Dialect.ts"
import * as Control from "../../../src/sandbox/control/Control.ts"
import * as Example from "../../../src/sandbox/Example.ts"
import { Venue } from "../../../src/sandbox/venue/Venue.ts"
import { see } from "../../support/browser.ts"
import {
  appears,
  call,
  go,
  hasFocus,
  itInFull,
  listOf,
  opened,
  pick,
  press,
  reads,
  region,
  world,
  write
} from "../../support/page.ts"
import { handle, signed } from "../../support/signed.ts"

const order = { market: "BTC_USDT", side: "buy", amount: "0.01", price: "39000" }

const refusedOrder = (change: object) =>
  Effect.map(
    handle(signed(document, "/api/v4/order/new", { ...order, ...change }, Example.alice)),
    ({ status }) => assert.strictEqual(status, 400)
  )

/** Runs a shell script with alice's key in its environment, and returns its output. */
const inShell = (lines: string) =>
  Effect.callback<string>((resume) => {
    const env = { ...process.env, TXC_API_KEY: Example.alice.apiKey, TXC_API_SECRET: Example.alice.apiSecret }
    const child = spawn("sh", ["-c", lines], { stdio: ["ignore", "pipe", "inherit"], env })
    let out = ""
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString()
    })
    child.on("close", () => resume(Effect.succeed(out)))
  })

export const requests = (): void => {
  it.live("the page lists other programs' calls but not its own, and shows why a call was refused", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      const { baseUrl, shown } = yield* opened
      yield* go(shown, "requests")
      yield* see(() => fetch(`${baseUrl}/api/v4/public/pong`))
      yield* refusedOrder({ market: "<b>no</b>" })
      const list = shown.getByRole("grid", { name: /^Requests/u })
      yield* appears(list, /did you mean \/api\/v4\/public\/ping/u)
      yield* write(shown, "Filter by text", "<b>no</b>")
      yield* listOf(shown, "Requests", 1)
      yield* see(() => list.focus())
      yield* see(() => shown.keyboard.press("ArrowDown"))
      yield* see(() => shown.keyboard.press("Enter"))
      const drawer = shown.getByRole("dialog", { name: /LimitOrders\.create/u })
      yield* appears(drawer, "<b>no</b>")
      yield* appears(drawer, "x-txc-signature")
      yield* appears(drawer, /Validation failed/u)
      assert.notInclude(yield* see(() => drawer.innerHTML()), "<b>no</b>")
      const text = yield* see(() => drawer.innerText())
      for (const secret of [Example.alice.apiKey, Example.alice.apiSecret]) assert.notInclude(text, secret)
      yield* press(drawer, "Repeat")
      yield* see(() => shown.getByRole("grid", { name: "Requests: 2" }).waitFor({ state: "attached" }))
      yield* press(drawer, "Fail the next LimitOrders.create")
      yield* press(drawer, "Close")
      // Closing the dialog returns the focus to the list of calls.
      yield* hasFocus(shown, "[role=grid]")
      const venue = yield* Venue
      const failed = yield* venue.handle(signed(document, "/api/v4/order/new", order, Example.alice))
      assert.deepInclude(failed, { _tag: "Answer", status: 502 })
      assert.isTrue((yield* control.requests()).every(({ path }) => path.startsWith("/api/")))
    }).pipe(Effect.scoped, Effect.provide(world)))

  itInFull(
    "the page shows expected and sent values side by side, filters calls, and groups errors",
    () =>
      Effect.gen(function*() {
        const { shown } = yield* opened
        yield* refusedOrder({ side: "up", amount: "0.00000001" })
        yield* refusedOrder({ amount: "0.1234567", price: "39000.123" })
        yield* refusedOrder({ amount: "0.7654321", price: "39000.321" })
        yield* refusedOrder({ amount: "0.000002" })
        yield* call("/api/v4/main-account/balance", {})
        yield* handle(signed(document, "/api/v4/main-account/balance", {}, Example.bob))
        yield* go(shown, "requests")
        yield* listOf(shown, "Requests", 6)

        const expects = Effect.fnUntraced(function*(row: RegExp, rows: ReadonlyArray<string>) {
          yield* see(() => shown.getByRole("row", { name: row }).first().click())
          yield* reads(region(shown, "Why it was refused").locator("tbody tr"), rows)
          yield* see(() => shown.keyboard.press("Escape"))
        })
        yield* expects(/side \(oneOf\)/u, ["side oneOf one of buy, sell up"])
        yield* expects(/price \(step\)/u, [
          "amount step a multiple of 0.000001 0.7654321",
          "price step a multiple of 0.01 39000.321"
        ])
        yield* expects(/amount \(min/u, ["amount minTotal at least 0.00001; amount × price of at least 5 0.000002"])

        yield* pick(shown, "Filter by verdict", "answered")
        yield* listOf(shown, "Requests", 2)
        yield* pick(shown, "Filter by account", "bob")
        yield* listOf(shown, "Requests", 1)
        yield* pick(shown, "Filter by endpoint", "LimitOrders.create")
        yield* appears(region(shown, "Requests"), /^No matching calls/u)
        yield* pick(shown, "Filter by account", "every account")
        yield* see(() => region(shown, "Grouped errors").getByRole("button", { name: /^2× LimitOrders/u }).click())
        yield* listOf(shown, "Requests", 4)
        yield* write(shown, "Filter by text", "0.1234567")
        yield* listOf(shown, "Requests", 1)
      }).pipe(Effect.scoped, Effect.provide(world))
  )

  itInFull("the page states whether a failed call was applied", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      const { shown } = yield* opened
      const fails = Effect.fnUntraced(function*(applied: boolean, path: string, fields: object) {
        yield* control.addFault({ symptom: { _tag: "BadGateway", applied }, times: 1 })
        yield* handle(signed(document, path, fields, Example.alice)).pipe(Effect.ignoreCause)
      })
      yield* fails(true, "/api/v4/order/new", order)
      yield* fails(false, "/api/v4/order/new", order)
      yield* fails(true, "/api/v4/order/new", { ...order, amount: "1000" })
      yield* fails(true, "/api/v4/main-account/balance", {})
      yield* go(shown, "requests")
      yield* listOf(shown, "Requests", 4)
      const verdicts = region(shown, "Requests").locator(".row:not(.head) .verdict")
      yield* reads(verdicts, ["failed", "failed, not applied", "failed, not applied", "failed, applied"])
      yield* see(() => shown.getByRole("row", { name: /failed, applied/u }).click())
      yield* appears(shown.getByRole("dialog"), /^The call was applied: only its response was lost/u)
      assert.strictEqual(yield* control.countOfOpenOrders("alice"), 1)
    }).pipe(Effect.scoped, Effect.provide(world)))

  itInFull(
    "a call copied as a shell script runs with a key from the environment and a new nonce",
    () =>
      Effect.gen(function*() {
        const control = yield* Control.Control
        const { shown } = yield* opened
        yield* call("/api/v4/order/new", { ...order, remark: "it's $HOME \\ \"mine\"" })
        yield* go(shown, "requests")
        yield* see(() => shown.getByRole("row", { name: /answered/u }).first().click())
        const drawer = shown.getByRole("dialog")
        yield* see(() => drawer.getByRole("button", { name: "Copy as curl" }).click())
        yield* see(() => shown.getByRole("status").getByText("Copied").waitFor({ state: "attached" }))
        const lines = yield* see(() => shown.evaluate(() => navigator.clipboard.readText()))
        for (const secret of [Example.alice.apiKey, Example.alice.apiSecret]) assert.notInclude(lines, secret)
        const answers = [yield* inShell(lines), yield* inShell(lines)]
        for (const answer of answers) assert.deepInclude(JSON.parse(answer), { market: "BTC_USDT", price: "39000" })
        assert.strictEqual(yield* control.countOfOpenOrders("alice"), 3)
        yield* see(() => shown.getByRole("grid", { name: "Requests: 3" }).waitFor({ state: "attached" }))
      }).pipe(Effect.scoped, Effect.provide(world))
  )
}
