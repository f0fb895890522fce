/** A real browser: Debian's Chromium, where it is installed. All tests share one, and each has a tab of its own. */
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

export const executable: string | undefined = process.env["TXC_TEST_BROWSER"] ?? places.find(existsSync)

let launched: Promise<Browser> | undefined

const browser = Effect.promise(() =>
  launched ??= chromium.launch({
    executablePath: executable ?? "",
    // Nothing of the browser's own goes out to the network.
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
  })
)

/** Ends the browser, if a test has started it. For `afterAll` of the file whose tests use it. */
export const closeBrowser = async (): Promise<void> => {
  const open = launched
  launched = undefined
  await (await open)?.close()
}

/** A tab that fails the test when its own program fails, or breaks its policy. It knows nothing of other tabs. */
export const tab = Effect.fnUntraced(function*(options: BrowserContextOptions = {}) {
  const shared = yield* browser
  const context = yield* Effect.acquireRelease(
    Effect.promise(() => shared.newContext(options)),
    (context) => Effect.promise(() => context.close())
  )
  const page: Page = yield* Effect.promise(() => context.newPage())
  const errors: Array<string> = []
  page.on("pageerror", (error) => errors.push(error.message))
  page.on("console", (message) => {
    if (message.type() === "error" && message.text().includes("Content Security Policy")) errors.push(message.text())
  })
  return { page, errors }
})

/** Does something with the page. */
export const see = <A>(work: () => Promise<A>): Effect.Effect<A> => Effect.promise(work)
