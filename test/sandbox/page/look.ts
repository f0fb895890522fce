/** Tests the page's layout at several widths, its contrast, and its use by keyboard. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Page } from "playwright-core"
import { amount, price } from "../../../src/domain/Decimal.ts"
import { marketName } from "../../../src/domain/Identifiers.ts"
import { document } from "../../../src/protocol/Dialect.ts"
import * as Control from "../../../src/sandbox/control/Control.ts"
import * as Example from "../../../src/sandbox/Example.ts"
import * as Dashboard from "../../../src/sandbox/page/Dashboard.ts"
import { see, tab } from "../../support/browser.ts"
import { isLong } from "../../support/long.ts"
import {
  appears,
  call,
  go,
  itInFull,
  listOf,
  opened,
  pick,
  press,
  region,
  stopOrder,
  world
} from "../../support/page.ts"
import { handle, signed } from "../../support/signed.ts"

const areas = ["orders", "requests", "streams", "time", "faults"] as const

/** Fills the page with at least one of everything that it can show. */
const busy = Effect.gen(function*() {
  const control = yield* Control.Control
  yield* stopOrder("40200")
  yield* control.openPosition({
    account: "alice",
    market: marketName("BTC_PERP"),
    side: "sell",
    amount: amount("2"),
    price: price("39100.55")
  })
  yield* control.setFunding({ market: marketName("BTC_PERP"), intervalMinutes: 60 })
  yield* control.advanceClock({ millis: 3_600_000 })
  yield* call("/api/v4/order/collateral/oco", {
    market: "BTC_PERP",
    side: "sell",
    amount: "0.01",
    price: "42000",
    activation_price: "38000",
    stop_limit_price: "37900"
  })
  yield* call("/api/v4/order/new", { market: "BTC_USDT", side: "buy", amount: "0.123456", price: "39900.05" })
  yield* control.movePrice({ market: marketName("BTC_USDT"), price: price("39800") })
  yield* handle(
    signed(document, "/api/v4/order/new", { market: "BTC_USDT", side: "up", amount: "1", price: "2" }, Example.alice)
  )
  yield* control.addFault({ symptom: { _tag: "BadGateway", applied: false } })
  yield* handle(signed(document, "/api/v4/main-account/balance", {}, Example.alice)).pipe(Effect.ignoreCause)
  yield* control.addFault({ symptom: { _tag: "Reset", applied: true } })
  yield* control.moveMark({ market: marketName("BTC_PERP"), price: price("60500.5") })
  assert.strictEqual((yield* control.margin("alice")).state, "margin_call")
  yield* control.snapshot
})

/** Shows the position's market, and opens the owner's forms. */
const unfold = Effect.fnUntraced(function*(shown: Page) {
  yield* pick(shown, "Market", "BTC / PERP")
  for (
    const words of [
      "Play a price script",
      "Set mark, index and funding",
      "Margin policy and insurance of all accounts",
      "Add funds"
    ]
  )
    yield* see(() => shown.getByText(words).click())
  yield* appears(shown, "Insurance account, USDT")
})

/** Finds elements that are wider than their container, and neither scroll nor end in an ellipsis. */
export const cut = (shown: Page) =>
  see(() =>
    shown.evaluate(() => {
      const { documentElement } = globalThis.document
      const isCut = ({ clientWidth, scrollWidth }: Element) => scrollWidth > clientWidth + 1
      const found = [
        ...globalThis.document.querySelectorAll(
          "button, .scroll-x, .inside, .tabs, .tag, .row > .verdict, .field"
        ),
        // A long client order id, a call's fields, and its path, which is shown on a wide page, may end in an ellipsis.
        ...globalThis.document.querySelectorAll(
          ":is(.orders, .closed, .margins) .row:not(.head) > span:not([title]), " +
            `.requests .row:not(.head) > span:not(.why${globalThis.innerWidth < 1200 ? "" : ", .name"})`
        )
      ]
      // A word is broken if its rectangles are on more than one line.
      const broken: Array<string> = []
      const walker = globalThis.document.createTreeWalker(globalThis.document.body, NodeFilter.SHOW_TEXT)
      while (walker.nextNode() !== null) {
        const { currentNode } = walker
        if (currentNode.parentElement?.checkVisibility() !== true || currentNode.parentElement.closest("option"))
          continue
        for (const { 0: word, index } of (currentNode.textContent ?? "").matchAll(/(?:[^\s/-]|\u202F)+/gu)) {
          const range = globalThis.document.createRange()
          range.setStart(currentNode, index)
          range.setEnd(currentNode, index + word.length)
          if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(`broken: ${word}`)
        }
      }
      return [
        ...documentElement.scrollWidth > globalThis.innerWidth ? ["the page"] : [],
        ...broken,
        ...found.filter(isCut).map(({ className, textContent }) => `${className} ${textContent}`)
      ]
    })
  )

/**
 * Finds elements whose contrast is below WCAG 2.2 AA: text against its background, and field borders against the
 * background around them. Disabled controls are exempt.
 */
const pale = (shown: Page) =>
  see(() =>
    shown.evaluate(() => {
      type Colour = readonly [number, number, number, number]
      const parse = (text: string): Colour => {
        const [r = 0, g = 0, b = 0, a = 1] = (text.match(/[\d.]+/gu) ?? []).map(Number)
        return [r, g, b, a]
      }
      const over = ([r, g, b, a]: Colour, [r2, g2, b2]: Colour, opacity = 1): Colour => {
        const part = a * opacity
        return [r * part + r2 * (1 - part), g * part + g2 * (1 - part), b * part + b2 * (1 - part), 1]
      }
      const ancestors = (of: Element | null): ReadonlyArray<Element> =>
        of === null ? [] : [of, ...ancestors(of.parentElement)]
      const behind = (of: Element | null): Colour =>
        ancestors(of).toReversed().reduce<Colour>(
          (below, one) => over(parse(getComputedStyle(one).backgroundColor), below),
          [255, 255, 255, 1]
        )
      const opacityOf = (of: Element): number =>
        ancestors(of).reduce((product, one) => product * Number(getComputedStyle(one).opacity), 1)
      const light = ([r, g, b]: Colour): number => {
        const [x = 0, y = 0, z = 0] = [r, g, b].map((part) =>
          part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4
        )
        return 0.2126 * x + 0.7152 * y + 0.0722 * z
      }
      const contrast = (a: Colour, b: Colour): number => {
        const [less = 0, more = 0] = [light(a), light(b)].toSorted((x, y) => x - y)
        return (more + 0.05) / (less + 0.05)
      }
      const isShown = (one: Element): boolean =>
        one.checkVisibility({ visibilityProperty: true }) && one.closest(":disabled, .unseen, template") === null &&
        one.getBoundingClientRect().width > 2
      const found: Array<string> = []
      let seen = 0
      const hold = (what: string, colour: string, one: Element, back: Colour, least: number): void => {
        seen++
        const ratio = contrast(over(parse(colour), back, opacityOf(one)), back)
        if (ratio < least) found.push(`${what}: ${ratio.toFixed(2)} instead of ${least}`)
      }
      const walker = globalThis.document.createTreeWalker(globalThis.document.body, NodeFilter.SHOW_TEXT)
      while (walker.nextNode() !== null) {
        const text = walker.currentNode.textContent?.trim() ?? ""
        const one = walker.currentNode.parentElement
        if (text === "" || one === null || !isShown(one) || one.closest("script, style, option") !== null) continue
        const { color, fontSize, fontWeight } = getComputedStyle(one)
        const size = Number.parseFloat(fontSize)
        const isLarge = size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700)
        hold(`"${text.slice(0, 40)}"`, color, one, behind(one), isLarge ? 3 : 4.5)
      }
      for (const one of globalThis.document.querySelectorAll("input:not([type=range]), select")) {
        if (!isShown(one)) continue
        const style = getComputedStyle(one)
        hold(`the edge of ${one.ariaLabel}`, style.borderTopColor, one, behind(one.parentElement), 3)
        hold(`what is in ${one.ariaLabel}`, style.color, one, behind(one), 4.5)
        hold(`the placeholder of ${one.ariaLabel}`, getComputedStyle(one, "::placeholder").color, one, behind(one), 4.5)
      }
      // The focus ring and the chart are drawn on a card, so they are compared with the card.
      const card = globalThis.document.querySelector(".card") ?? globalThis.document.body
      for (const name of ["--accent", "--good", "--bad"]) {
        const probe = globalThis.document.createElement("i")
        probe.style.color = `var(${name})`
        card.append(probe)
        hold(name, getComputedStyle(probe).color, probe, behind(card), 3)
        probe.remove()
      }
      return { found, seen }
    })
  )

export const isPlain = Effect.fnUntraced(function*(shown: Page, where: string) {
  const { found, seen } = yield* pale(shown)
  assert.deepStrictEqual(found, [], where)
  assert.isAtLeast(seen, 10, where)
})

/** Moves through the page with the Tab key. Returns the controls that can't be reached or have no focus ring. */
const unreached = Effect.fnUntraced(function*(shown: Page) {
  yield* see(() =>
    shown.evaluate(() => {
      const usable = "button:not(:disabled), input, select, summary, a[href], [tabindex='0']"
      for (const one of globalThis.document.querySelectorAll<HTMLElement>(usable)) {
        if (one.checkVisibility() && one.tabIndex >= 0) one.dataset["unreached"] = ""
      }
      ;(globalThis.document.activeElement as HTMLElement | null)?.blur()
    })
  )
  const isReached = () =>
    shown.evaluate(() => {
      const one = globalThis.document.activeElement as HTMLElement
      const { outlineStyle, outlineWidth } = getComputedStyle(one)
      if (outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2) delete one.dataset["unreached"]
      return globalThis.document.querySelector("[data-unreached]") === null
    })
  for (let presses = 0; presses < 90; presses++) {
    yield* see(() => shown.keyboard.press("Tab"))
    if (yield* see(isReached)) break
  }
  return yield* see(() => shown.locator("[data-unreached]").evaluateAll((all) => all.map((one) => one.outerHTML)))
})

export const looks = (): void => {
  itInFull(
    "the page neither breaks words nor overflows at widths from 390 to 1920 pixels",
    () =>
      Effect.gen(function*() {
        yield* busy
        const { shown } = yield* opened
        yield* listOf(shown, "Open orders", 3)
        yield* unfold(shown)
        for (const width of isLong ? [390, 700, 860, 1000, 1199, 1200, 1440, 1920] : [390, 860, 1920]) {
          yield* see(() => shown.setViewportSize({ width, height: 900 }))
          for (const area of areas) {
            yield* go(shown, area)
            assert.deepStrictEqual(yield* cut(shown), [], `${area} at ${width}`)
          }
          yield* go(shown, "requests")
          yield* see(() => shown.getByRole("row", { name: /side/u }).first().click())
          yield* appears(shown.getByRole("dialog"), "one of buy, sell")
          assert.deepStrictEqual(yield* cut(shown), [], `the drawer at ${width}`)
          yield* see(() => shown.keyboard.press("Escape"))
        }
      }).pipe(Effect.scoped, Effect.provide(world))
  )

  itInFull("the page has enough contrast in every state, in light and dark mode", () =>
    Effect.gen(function*() {
      yield* busy
      const { baseUrl, shown } = yield* opened
      yield* listOf(shown, "Open orders", 3)
      yield* unfold(shown)
      const { page: locked } = yield* tab
      yield* see(() => locked.goto(baseUrl + Dashboard.path))
      const backgrounds = new Set<string>()
      for (const colorScheme of ["light", "dark"] as const) {
        yield* see(() => shown.emulateMedia({ colorScheme }))
        yield* see(() => locked.emulateMedia({ colorScheme }))
        yield* isPlain(locked, `locked, ${colorScheme}`)
        for (const area of areas) {
          yield* go(shown, area)
          yield* isPlain(shown, `${area}, ${colorScheme}`)
        }
        yield* go(shown, "requests")
        yield* see(() => shown.getByRole("row", { name: /side/u }).first().click())
        yield* appears(shown.getByRole("dialog"), "x-txc-signature")
        yield* isPlain(shown, `the drawer, ${colorScheme}`)
        yield* see(() => shown.keyboard.press("Escape"))
        const stale = (is: boolean) =>
          see(() => shown.locator("main").evaluate((main, is) => main.classList.toggle("stale", is), is))
        yield* stale(true)
        yield* isPlain(shown, `stale, ${colorScheme}`)
        yield* stale(false)
        backgrounds.add(
          yield* see(() => shown.evaluate(() => getComputedStyle(globalThis.document.body).backgroundColor))
        )
      }
      assert.strictEqual(backgrounds.size, 2)
      // The page's own setting overrides the system's setting.
      yield* see(() => shown.getByLabel("Theme").selectOption("light"))
      yield* see(() => shown.locator("html[data-theme=light]").waitFor())
    }).pipe(Effect.scoped, Effect.provide(world)))

  itInFull(
    "every control of the page can be reached by keyboard, and shows that it has the focus",
    () =>
      Effect.gen(function*() {
        yield* busy
        const { shown } = yield* opened
        yield* listOf(shown, "Open orders", 3)
        assert.deepStrictEqual(yield* unreached(shown), [])
        // The arrow keys move between areas.
        yield* see(() => shown.locator("#tab-orders").focus())
        for (const area of areas.slice(1)) {
          yield* see(() => shown.keyboard.press("ArrowRight"))
          yield* see(() => shown.locator(`#tab-${area}:focus[aria-selected=true]`).waitFor())
          if (isLong || area === "faults") assert.deepStrictEqual(yield* unreached(shown), [], area)
          yield* see(() => shown.locator(`#tab-${area}`).focus())
        }
        const nameless = yield* see(() =>
          shown.locator("button, input, select").evaluateAll((all) =>
            (all as unknown as ReadonlyArray<HTMLInputElement>).filter((one) =>
              (one.labels?.length ?? 0) === 0 && one.ariaLabel === null && one.textContent.trim() === ""
            ).map((one) => one.outerHTML)
          )
        )
        assert.deepStrictEqual(nameless, [])
        // A dialog keeps the focus inside, Escape closes it, and the focus then returns to where it was.
        yield* press(shown, "About")
        yield* appears(shown.getByRole("dialog"), "Lightweight Charts™")
        yield* see(() => shown.keyboard.press("Escape"))
        yield* see(() => shown.locator("button:focus").getByText("About").waitFor())
        yield* appears(region(shown, "Market"), "Play a price script")
      }).pipe(Effect.scoped, Effect.provide(world))
  )
}
