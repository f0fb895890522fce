/** A real browser: Debian's Chromium, where it is installed. All tests share one, and each has a tab of its own. */
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core"

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

export const executable: string | undefined = process.env["TXC_TEST_BROWSER"] ?? places.find(existsSync)

interface Open {
  readonly browser: Browser
  readonly context: BrowserContext
}

let launched: Promise<Open> | undefined

/** One process runs all tabs: it is started once, and has compiled the page's program once. */
const launch = async (): Promise<Open> => {
  const browser = await chromium.launch({
    executablePath: executable ?? "",
    // Nothing of the browser's own goes out to the network.
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--process-per-site"
    ]
  })
  return { browser, context: await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] }) }
}

/** Ends the browser, if a test has started it. For `afterAll` of the file whose tests use it. */
export const closeBrowser = async (): Promise<void> => {
  const open = launched
  launched = undefined
  await (await open)?.browser.close()
}

/** A tab, and what goes wrong in it: errors of the page's own program, and what its policy forbids. */
export const tab = Effect.gen(function*() {
  const { context } = yield* Effect.promise(() => launched ??= launch())
  const page: Page = yield* Effect.acquireRelease(
    Effect.promise(() => context.newPage()),
    (page) => Effect.promise(() => page.close())
  )
  const errors: Array<string> = []
  page.on("pageerror", (error) => errors.push(error.message))
  page.on("console", (message) => {
    if (message.type() === "error" && message.text().includes("Content Security Policy")) errors.push(message.text())
  })
  return { page, errors }
})

/** Does something with the page. */
export const see = <A>(work: () => Promise<A>): Effect.Effect<A> => Effect.promise(work)
