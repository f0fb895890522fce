/** A real browser: Debian's Chromium, where it is installed. */
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { type Browser, chromium, type Page } from "playwright-core"

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

export const executable: string | undefined = process.env["TXC_TEST_BROWSER"] ?? places.find(existsSync)

const browser = Effect.acquireRelease(
  Effect.promise(() =>
    chromium.launch({
      executablePath: executable ?? "",
      // Nothing of the browser's own goes out to the network.
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
    })
  ),
  (browser: Browser) => Effect.promise(() => browser.close())
)

/** A page that fails the test when its own program fails. */
export const page = Effect.gen(function*() {
  const opened: Page = yield* Effect.flatMap(browser, (browser) => Effect.promise(() => browser.newPage()))
  const errors: Array<string> = []
  opened.on("pageerror", (error) => errors.push(error.message))
  opened.on("console", (message) => {
    if (message.type() === "error" && message.text().includes("Content Security Policy")) errors.push(message.text())
  })
  return { page: opened, errors }
})

/** Does something with the page. */
export const see = <A>(work: () => Promise<A>): Effect.Effect<A> => Effect.promise(work)
