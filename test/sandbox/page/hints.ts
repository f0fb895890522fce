/** Tests the page's hints for new users. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"
import * as Control from "../../../src/sandbox/control/Control.ts"
import { see, tab } from "../../support/browser.ts"
import { runningElsewhere } from "../../support/elsewhere.ts"
import { moduleUrl } from "../../support/files.ts"
import { isLong } from "../../support/long.ts"
import { appears, hasFocus, isLive, itInFull, lastPrice, opened, press, region, world } from "../../support/page.ts"

/** Follows the three hints one after another, and checks that the page marks each hint as completed. */
const follow = Effect.fnUntraced(function*(shown: Page, origin: string) {
  const before = yield* see(() => shown.getByLabel("Last price").innerText())
  yield* press(shown, "Move the price…")
  yield* hasFocus(shown, "#market input")
  yield* see(() => shown.keyboard.type("40321"))
  yield* see(() => shown.keyboard.press("Enter"))
  yield* appears(shown, "✓ Move the price…")
  yield* lastPrice(shown, /40\s321/u)

  yield* press(shown, "Fail the next call")
  yield* appears(region(shown, "Faults"), "armed")
  const time = `${origin}/api/v4/public/time`
  yield* appears(region(shown, "First steps"), `curl ${time}`)
  assert.strictEqual((yield* see(() => fetch(time))).status, 502)
  yield* appears(shown, "✓ Fail the next call")
  yield* appears(region(shown, "Faults"), "used up")
  assert.strictEqual((yield* see(() => fetch(time))).status, 200)

  yield* press(shown, "Go back in time…")
  yield* hasFocus(shown, "#area input[type=range]")
  yield* see(() => shown.keyboard.press("ArrowLeft"))
  yield* press(shown, "Restore")
  yield* appears(shown, "✓ Go back in time…")
  yield* see(() => shown.getByLabel("Last price").getByText(before, { exact: true }).waitFor())
})

export const hints = (): void => {
  it.live("the page marks each of its three hints as completed when a new user has followed it", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      const { baseUrl, shown } = yield* opened
      yield* follow(shown, baseUrl)
      assert.strictEqual((yield* control.faults)[0]?.fired, 1)
    }).pipe(Effect.scoped, Effect.provide(world)))

  const start = isLong ? ["npm", "start"] : [process.execPath, fileURLToPath(moduleUrl("cli/start.ts"))]

  itInFull(
    `a new user completes the three hints at the address that \`${isLong ? "npm start" : "src/cli/start.ts"}\` prints`,
    () =>
      Effect.gen(function*() {
        const [program = "", ...args] = start
        // The program first prints the address, and prints this text once its own calls are done.
        const printed = /^Watch and control it: (\S+)[^]*keeps serving/mu
        const { found } = yield* runningElsewhere(program, args, printed)
        const { errors, page: shown } = yield* tab
        yield* see(() => shown.goto(found))
        yield* isLive(shown)
        yield* follow(shown, new URL(found).origin)
        assert.deepStrictEqual(errors, [])
      }).pipe(Effect.scoped)
  )
}
