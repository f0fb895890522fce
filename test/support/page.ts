/** Helpers for testing the sandbox's page in a browser: a venue that serves the page, and a user's actions on it. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Locator, Page } from "playwright-core"
import { document } from "../../src/protocol/Dialect.ts"
import * as Control from "../../src/sandbox/control/Control.ts"
import * as Example from "../../src/sandbox/Example.ts"
import * as Dashboard from "../../src/sandbox/page/Dashboard.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import * as Server from "../../src/sandbox/server/Server.ts"
import { see, tab, untilSeen } from "./browser.ts"
import { isLong } from "./long.ts"
import { handle, signed } from "./signed.ts"

export const token = "the token of this page"

/** Defines a test that runs only in long test runs, as in CI, because a browser is slow. */
export const itInFull: typeof it.live = isLong ? it.live : Object.assign(() => undefined, it.live)

/** A venue with the example's accounts, and its control plane. */
export const worldWith = (options: Sandbox.Options) =>
  Layer.effectDiscard(Effect.andThen(Example.setUp, Control.Control.use((control) => control.begin))).pipe(
    Layer.provideMerge(Sandbox.layer(options)),
    Layer.orDie
  )

export const world = worldWith({})

export const addressOf = (baseUrl: string): string => `${baseUrl}${Dashboard.path}#token=${encodeURIComponent(token)}`

export const isLive = (shown: Page) => see(() => shown.locator("#link.live").waitFor())

/** Opens a venue's page in a tab, and waits until the page is live. */
export const look = Effect.fnUntraced(function*(baseUrl: string) {
  const { errors, page: shown } = yield* tab
  yield* see(() => shown.goto(addressOf(baseUrl)))
  yield* isLive(shown)
  return { errors, shown }
})

/**
 * Opens the page of the context's venue, and waits until the page is live. The test fails if the page records an error.
 */
export const opened = Effect.gen(function*() {
  const { baseUrl } = yield* Server.serve({ controlToken: token })
  const { errors, shown } = yield* look(baseUrl)
  yield* Effect.addFinalizer(() => Effect.sync(() => assert.deepStrictEqual(errors, [])))
  return { baseUrl, shown }
})

export const go = (shown: Page, area: "orders" | "requests" | "streams" | "time" | "faults") =>
  see(() => shown.locator(`#tab-${area}`).click())

export const press = (within: Page | Locator, name: string | RegExp) =>
  see(() => within.getByRole("button", { name, exact: true }).first().click())

/** Types into a field. */
export const write = (within: Page | Locator, label: string, text: string) =>
  see(() => within.getByLabel(label, { exact: true }).first().fill(text))

/** Selects an option in a field. */
export const pick = (within: Page | Locator, label: string, option: string) =>
  see(() => within.getByRole("combobox", { name: label, exact: true }).selectOption(option))

export const appears = (within: Page | Locator, text: string | RegExp) =>
  see(() => within.getByText(text).first().waitFor())

export const goes = (within: Page | Locator, text: string | RegExp) =>
  see(() => within.getByText(text).first().waitFor({ state: "detached" }))

export const region = (shown: Page, name: string): Locator => shown.getByRole("region", { name, exact: true })

/** Waits for a list with this name and this number of items. */
export const listOf = (shown: Page, name: string, count: number) =>
  see(() => shown.getByRole("grid", { name: `${name}: ${count}`, exact: true }).waitFor())

/** The text of each located element. Any whitespace, such as a thin space between thousands, becomes a single space. */
const textsOf = (found: Locator) =>
  Effect.map(see(() => found.allInnerTexts()), (texts) => texts.map((text) => text.replace(/\s+/gu, " ").trim()))

/** Waits until a locator finds exactly these strings, ignoring order numbers. */
export const reads = Effect.fnUntraced(function*(found: Locator, expected: ReadonlyArray<string>) {
  const texts = Effect.map(textsOf(found), (texts) => texts.map((text) => text.replace(/(?<=#|OCO )\d+/gu, "")))
  const isThere = Effect.map(texts, (texts) => texts.join("\n") === expected.join("\n"))
  yield* untilSeen(isThere)
  assert.deepStrictEqual(yield* texts, expected)
})

/** Waits until the selected element has the focus. Otherwise fails, and names the element that has the focus. */
export const hasFocus = Effect.fnUntraced(function*(shown: Page, selector: string) {
  const isThere = see(() =>
    shown.evaluate((selector) => globalThis.document.activeElement?.matches(selector), selector)
  )
  yield* untilSeen(Effect.map(isThere, (is) => is === true))
  const what = yield* see(() => shown.evaluate(() => globalThis.document.activeElement?.outerHTML.slice(0, 200)))
  assert.isTrue(yield* isThere, `${String(what)} instead of ${selector}`)
})

export const lastPrice = (shown: Page, price: RegExp) =>
  see(() => shown.getByLabel("Last price").getByText(price).waitFor())

/** Makes a call as alice. The test fails unless the exchange accepts the call. */
export const call = (path: string, fields: object) =>
  Effect.map(handle(signed(document, path, fields, Example.alice)), ({ json, status }) => {
    assert.strictEqual(status, 200, JSON.stringify(json))
    return json
  })

export const stopOrder = (activation: string) =>
  call("/api/v4/order/stop_limit", {
    market: "BTC_USDT",
    side: "buy",
    amount: "0.01",
    price: "41500",
    activation_price: activation,
    client_order_id: "my-stop"
  })
