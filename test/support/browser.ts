/** A real browser: Debian's Chromium, where it is installed. All tests share one, and each has a page of its own. */
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { type Browser, chromium, type Page } from "playwright-core"

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

export const executable: string | undefined = process.env["TXC_TEST_BROWSER"] ?? places.find(existsSync)

let launched: Promise<Browser> | undefined

/** Pages that no test uses now. To start one and its process costs more than most tests do with it. */
let free: Array<Page> = []

const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: executable ?? "",
    // Nothing of the browser's own goes out to the network.
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
  })

/** Ends the browser, if a test has started it. For `afterAll` of the file whose tests use it. */
export const closeBrowser = async (): Promise<void> => {
  const open = launched
  launched = undefined
  free = []
  await (await open)?.close()
}

const viewport = { width: 1280, height: 720 }

const take = async (): Promise<Page> => {
  const known = free.pop()
  if (known !== undefined) return known
  const browser = await (launched ??= launch())
  const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"], viewport })
  return context.newPage()
}

/** The next test finds the page as if it were new. */
const giveBack = async (page: Page): Promise<void> => {
  page.removeAllListeners()
  await Promise.all(page.context().pages().map((other) => other === page ? undefined : other.close()))
  await page.emulateMedia({ colorScheme: null })
  await page.setViewportSize(viewport)
  await page.goto("about:blank")
  free.push(page)
}

/** A page of the browser, and what goes wrong in it: errors of the page's own program, and what its policy forbids. */
export const tab = Effect.gen(function*() {
  const page = yield* Effect.acquireRelease(Effect.promise(take), (page) => Effect.promise(() => giveBack(page)))
  const errors: Array<string> = []
  page.on("pageerror", (error) => errors.push(error.message))
  page.on("console", (message) => {
    if (message.type() === "error" && message.text().includes("Content Security Policy")) errors.push(message.text())
  })
  return { page, errors }
})

/** Does something with the page. */
export const see = <A>(work: () => Promise<A>): Effect.Effect<A> => Effect.promise(work)
