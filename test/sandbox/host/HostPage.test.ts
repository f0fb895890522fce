import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chromium } from "playwright-core"
import * as Host from "../../../src/sandbox/host/Host.ts"
import * as HostServer from "../../../src/sandbox/host/HostServer.ts"
import { executable } from "../../support/browser.ts"

const see = <A>(work: () => Promise<A>) => Effect.promise(work)

/** A browser for the test, and the errors that its pages report. */
const browser = Effect.gen(function*() {
  const opened = yield* Effect.acquireRelease(
    see(() => chromium.launch({ executablePath: executable ?? "", args: ["--no-sandbox", "--disable-gpu"] })),
    (opened) => see(() => opened.close())
  )
  const errors: Array<string> = []
  const context = yield* see(() => opened.newContext())
  context.on("weberror", (error) => errors.push(error.error().message))
  context.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) errors.push(message.text())
  })
  return { context, errors }
})

it.live("the host's page lists, creates and ends venues, and opens each on its own origin", ({ skip }) =>
  Effect.suspend(() => {
    if (executable === undefined) skip("no browser is installed")
    return Effect.gen(function*() {
      const host = yield* Host.Host
      const { baseUrl } = yield* HostServer.serve()
      const { context, errors } = yield* browser
      const page = yield* see(() => context.newPage())
      yield* see(() => page.goto(`${baseUrl}/`))
      yield* see(() => page.getByLabel("The host's control token").fill(host.token))
      yield* see(() => page.getByRole("button", { name: "Open", exact: true }).click())
      yield* see(() => page.getByText("0 of 10000 venues, 0 of 200 awake").waitFor())
      yield* see(() => page.getByLabel("Owner").fill("me"))
      yield* see(() => page.getByRole("button", { name: "Make a venue" }).click())
      yield* see(() => page.getByRole("cell", { name: "me", exact: true }).waitFor())
      const [made] = yield* host.list("me")
      const id = made?.id ?? ""

      const [named] = yield* see(() =>
        Promise.all([
          context.waitForEvent("page"),
          page.getByRole("button", { name: `Open ${id}` }).click()
        ])
      )
      yield* see(() => named.locator("#link.live").waitFor())
      assert.strictEqual(new URL(named.url()).hostname, `${id}.localhost`)
      assert.isTrue(yield* see(() => named.evaluate(() => window.opener === null)))

      // Under a path, the venue shares its origin with others, so their pages must not be able to read its token.
      const { controlToken, url } = yield* host.find(id)
      const under = yield* see(() => context.newPage())
      yield* see(() => under.goto(`${url}/#token=${controlToken}`))
      yield* see(() => under.locator("#link.live").waitFor())
      assert.strictEqual(under.url(), `${url}/`)
      const stored = yield* see(() =>
        under.evaluate(() =>
          JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state])
        )
      )
      assert.strictEqual(stored, `[{},{},"",null]`)

      page.on("dialog", (dialog) => void dialog.accept())
      yield* see(() => page.getByRole("button", { name: `End ${id}` }).click())
      yield* see(() => page.getByText("0 of 10000 venues, 0 of 200 awake").waitFor())
      assert.deepStrictEqual(yield* host.list(), [])
      assert.deepStrictEqual(errors, [])
    }).pipe(Effect.scoped, Effect.provide(Host.layer()))
  }))
