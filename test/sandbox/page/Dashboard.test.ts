import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { amount } from "../../../src/domain/Decimal.ts"
import { ticker } from "../../../src/domain/Identifiers.ts"
import * as Control from "../../../src/sandbox/control/Control.ts"
import * as Example from "../../../src/sandbox/Example.ts"
import * as Server from "../../../src/sandbox/gateway/Server.ts"
import * as Dashboard from "../../../src/sandbox/page/Dashboard.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import { executable, page, see } from "../../support/browser.ts"
import { serving } from "../../support/server.ts"

const token = "the token of this page"

const world = Layer.effectDiscard(Effect.andThen(Example.setUp, Control.Control.use((control) => control.begin))).pipe(
  Layer.provideMerge(Sandbox.layer()),
  Layer.orDie
)

/** The page with its token, in a browser. */
const opened = Effect.gen(function*() {
  const { baseUrl } = yield* Server.serve({ controlToken: token })
  const { errors, page: shown } = yield* page
  yield* see(() => shown.goto(`${baseUrl}${Dashboard.path}#token=${encodeURIComponent(token)}`))
  return { baseUrl, errors, shown }
})

describe.skipIf(executable === undefined)("the page (needs Chromium)", () => {
  it.live("shows an account, moves a price, and tells of a refused call and why", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      const { baseUrl, errors, shown } = yield* opened
      yield* see(() => shown.getByText("document, ").waitFor())
      yield* see(() => shown.locator("#balances").getByText("100000").waitFor())

      yield* see(() => shown.getByLabel("Price of BTC_USDT").fill("40123"))
      yield* see(() => shown.locator("#prices").getByRole("button", { name: "Move" }).first().click())
      yield* see(() => shown.locator("#events").getByText("price 40123").waitFor())

      yield* see(() => fetch(`${baseUrl}/api/v4/public/pong`))
      yield* see(() => shown.locator("#requests").getByText("did you mean /api/v4/public/ping?").waitFor())

      yield* control.fund({ account: "alice", wallet: "main", ticker: ticker("BTC"), amount: amount("7.25") })
      yield* see(() => shown.locator("#balances").getByText("7.75").waitFor())
      assert.deepStrictEqual(errors, [])
    }).pipe(Effect.scoped, Effect.provide(world)))

  it.live("stops the clock, sets faults, and goes back to a snapshot", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      const { errors, shown } = yield* opened
      yield* see(() => shown.getByRole("button", { name: "Freeze" }).click())
      yield* see(() => shown.locator("#clock").getByText("frozen").waitFor())
      assert.isTrue((yield* control.clock).frozen)

      yield* see(() => shown.getByRole("button", { name: "Take a snapshot" }).click())
      yield* see(() => shown.locator("#snapshots button").waitFor())
      yield* control.fund({ account: "alice", wallet: "main", ticker: ticker("BTC"), amount: amount("1") })
      yield* see(() => shown.locator("#balances").getByText("1.5").waitFor())
      yield* see(() => shown.locator("#snapshots button").click())
      yield* see(() => shown.locator("#balances").getByText("0.5").waitFor())

      yield* see(() => shown.getByLabel("Path").fill("/api/v4/main-account/balance"))
      yield* see(() => shown.getByRole("button", { name: "Add" }).click())
      yield* see(() => shown.locator("#faults").getByText("Reset").waitFor())
      const [armed] = yield* control.faults
      assert.deepStrictEqual(armed?.fault, {
        path: "/api/v4/main-account/balance",
        symptom: { _tag: "Reset", applied: true }
      })
      assert.deepStrictEqual(errors, [])
    }).pipe(Effect.scoped, Effect.provide(world)))

  it.live("asks for the token when it has none, shows what others write as text, and no other page may hold it", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      yield* control.openAccount({ account: "<img src=x onerror=alert(1)>", b2b: false })
      const { baseUrl } = yield* Server.serve({ controlToken: token })
      const { errors, page: shown } = yield* page
      yield* see(() => shown.goto(baseUrl + Dashboard.path))
      yield* see(() => shown.getByLabel("Control token").waitFor())
      yield* see(() => shown.getByLabel("Control token").fill(token))
      yield* see(() => shown.getByRole("button", { name: "Open" }).click())
      yield* see(() => shown.locator("#balances").getByText("100000").waitFor())
      assert.strictEqual(yield* see(() => shown.locator("img").count()), 0)
      assert.include(yield* see(() => shown.locator("#account").innerHTML()), "&lt;img")
      assert.deepStrictEqual(errors, [])
      const other = yield* serving((response) => response.end(`<iframe src="${baseUrl}${Dashboard.path}"></iframe>`))
      yield* see(() => shown.goto(other.baseUrl))
      yield* see(() => shown.waitForLoadState("networkidle"))
      const framed = shown.frames().find((frame) => frame !== shown.mainFrame())
      assert.notInclude(yield* see(() => framed?.content() ?? Promise.resolve("")), "effect-txc sandbox")
      assert.isTrue(errors.some((error) => error.includes("frame-ancestors")))
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
      assert.strictEqual((yield* get((yield* Server.serve()).baseUrl))[0], 404)
    }).pipe(Effect.scoped, Effect.provide(world)))
})
