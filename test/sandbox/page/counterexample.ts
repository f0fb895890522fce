/** Tests the page of a sandbox that replays a counterexample from an exploration. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Dashboard from "../../../src/sandbox/page/Dashboard.ts"
import { see, tab } from "../../support/browser.ts"
import { run } from "../../support/command.ts"
import { compiled, programOf } from "../../support/files.ts"
import { appears, go, isLive, itInFull, listOf, press } from "../../support/page.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "counterexample-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

interface Served {
  readonly url: string
  readonly controlToken: string
}

/** Serves a sandbox that replays a file, as the command does. Returns the first line of the sandbox's output. */
const replayed = Effect.fnUntraced(function*(file: string) {
  const args = ["sandbox", "--memory", "--json", "--dialect", "live", "--port", "0", "--replay", file]
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [programOf("main"), ...args], {
        stdio: ["ignore", "pipe", "inherit"],
        env: { ...process.env, ...compiled }
      })
    ),
    (started) => Effect.sync(() => started.kill("SIGKILL"))
  )
  const line = yield* Effect.callback<string>((resume) => {
    let said = ""
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes("\n")) resume(Effect.succeed(said.slice(0, said.indexOf("\n"))))
    })
    child.once("close", (code) => resume(Effect.die(`the sandbox exited with ${code}: ${said}`)))
  })
  return JSON.parse(line) as Served
})

export const counterexample = (): void => {
  itInFull(
    "the command replays a counterexample, and the page can go back to the state before the violation",
    () =>
      Effect.gen(function*() {
        const at = yield* folder
        yield* run(["explore", "test/explore/programs.ts", "--only", "racing", "--save", at])
        const { controlToken, url } = yield* replayed(join(at, "racing.json"))
        const { errors, page: shown } = yield* tab
        yield* see(() => shown.goto(`${url}${Dashboard.path}#token=${encodeURIComponent(controlToken)}`))
        yield* isLive(shown)
        // The program is supposed to keep at most two orders open.
        yield* go(shown, "orders")
        yield* listOf(shown, "Open orders", 3)
        yield* go(shown, "time")
        const slider = shown.getByRole("slider", { name: "Command" })
        const before = Number(yield* see(() => slider.getAttribute("max"))) - 1
        yield* see(() => slider.fill(String(before)))
        yield* appears(shown, new RegExp(`^The exchange as it was after command ${before}, `, "u"))
        yield* go(shown, "orders")
        yield* listOf(shown, "Open orders", 2)
        yield* press(shown, "Back to the present")
        yield* listOf(shown, "Open orders", 3)
        assert.deepStrictEqual(errors, [])
      }).pipe(Effect.scoped)
  )
}
