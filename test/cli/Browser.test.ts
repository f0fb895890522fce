import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { stripVTControlCharacters } from "node:util"
import { scratchFile } from "../support/files.ts"
import { itOnTerminal, onTerminal } from "../support/terminal.ts"

/**
 * Starts a sandbox with `--open` and only `programs` on the PATH. One of the programs then stops the sandbox. If none
 * of them can run, Ctrl-C stops the sandbox. Returns the sandbox's output and the URL of its page.
 */
const openedWith = (folder: string, programs: string) =>
  Effect.map(
    onTerminal(["sandbox", "--memory", "--port", "0", "--open"], {
      folder,
      columns: 200,
      environment: { PATH: programs, XDG_STATE_HOME: folder },
      steps: [["No browser", "\u0003"]]
    }),
    ({ output }) => {
      const plain = stripVTControlCharacters(output)
      return { plain, page: /Page +(\S+)/u.exec(plain)?.[1] ?? "" }
    }
  )

describe("Browser", () => {
  itOnTerminal("`sandbox --open` opens its page in the browser", () =>
    Effect.gen(function*() {
      const folder = dirname(yield* scratchFile)
      const seen = join(folder, "seen")
      // The command opens the browser with `xdg-open` on Linux and with `open` on macOS.
      for (const name of ["xdg-open", "open"]) {
        writeFileSync(join(folder, name), `#!/bin/sh\necho "$1" > ${seen}\nkill -INT $PPID\n`)
        chmodSync(join(folder, name), 0o755)
      }
      const { page, plain } = yield* openedWith(folder, folder)
      assert.match(page, /^http:\/\/127\.0\.0\.1:\d+\/#token=\S+$/u)
      assert.strictEqual(readFileSync(seen, "utf8").trim(), page)
      assert.notInclude(plain, "No browser")
    }).pipe(Effect.scoped))

  itOnTerminal("`sandbox --open` prints the page's address if no browser can be opened", () =>
    Effect.gen(function*() {
      const folder = dirname(yield* scratchFile)
      const empty = join(folder, "empty")
      mkdirSync(empty)
      const { page, plain } = yield* openedWith(folder, empty)
      assert.include(plain, `No browser could be opened; open ${page}`)
    }).pipe(Effect.scoped))
})
