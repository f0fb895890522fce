/**
 * A real browser: an installed Chromium or Chrome, or the one that `TXC_TEST_BROWSER` names. All tests share one
 * browser, and each test has its own page.
 */
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { type Browser, chromium, type Page } from "playwright-core"

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

export const executable: string | undefined = process.env["TXC_TEST_BROWSER"] ?? places.find(existsSync)

/** The time in milliseconds until a wait for the page fails. It is long, because a test must not depend on the machine. */
const patience = 240_000

/** Waits until a condition is true, or until it has been false for a very long time. */
export const untilSeen = (holds: Effect.Effect<boolean>): Effect.Effect<void> =>
  Effect.gen(function*() {
    const end = performance.now() + patience
    while (!(yield* holds) && performance.now() < end) yield* Effect.sleep("50 millis")
  })

/** Wraps an action on the page as an effect. */
export const see = <A>(work: () => Promise<A>): Effect.Effect<A> => Effect.promise(work)

let launched: Promise<Browser> | undefined

/** Unused pages. Tests reuse them because opening a page takes longer than most tests. */
let free: Array<Page> = []

const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: executable ?? "",
    // These flags keep the browser from sending its own network requests.
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
  })

/** Closes the browser if a test has started it. */
export const closeBrowser = Effect.promise(() => {
  const open = launched
  launched = undefined
  free = []
  return open?.then((browser) => browser.close()) ?? Promise.resolve()
})

const viewport = { width: 1280, height: 720 }

const take = Effect.gen(function*() {
  const known = free.pop()
  if (known !== undefined) return known
  const browser = yield* see(() => launched ??= launch())
  const context = yield* see(() => browser.newContext({ permissions: ["clipboard-read", "clipboard-write"], viewport }))
  context.setDefaultTimeout(patience)
  return yield* see(() => context.newPage())
})

/** Resets a page for the next test. */
const giveBack = Effect.fnUntraced(function*(page: Page) {
  page.removeAllListeners()
  const others = page.context().pages().filter((other) => other !== page)
  yield* Effect.forEach(others, (other) => see(() => other.close()))
  yield* see(() => page.emulateMedia({ colorScheme: null }))
  yield* see(() => page.setViewportSize(viewport))
  // Clears the storage, because the next test may serve another sandbox on the same port.
  if (page.url().startsWith("http")) {
    yield* see(() =>
      page.evaluate(() => {
        localStorage.clear()
        sessionStorage.clear()
      })
    )
  }
  yield* see(() => page.goto("about:blank"))
  free.push(page)
})

/**
 * A browser page that records script errors, violations of its content security policy, and requests to other origins.
 */
export const tab = Effect.gen(function*() {
  const page = yield* Effect.acquireRelease(take, giveBack)
  const errors: Array<string> = []
  page.on("pageerror", (error) => errors.push(error.message))
  page.on("console", (message) => {
    if (message.type() === "error" && message.text().includes("Content Security Policy")) errors.push(message.text())
  })
  page.on("request", (request) => {
    const isOwn = request.isNavigationRequest() || /^(?:data|blob):/u.test(request.url()) ||
      new URL(request.url()).origin === new URL(page.url()).origin
    if (!isOwn) errors.push(`${page.url()} requests ${request.url()}`)
  })
  return { page, errors }
})
