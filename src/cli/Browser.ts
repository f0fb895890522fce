/** Opens a page in the user's browser. */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
// oxlint-disable-next-line effecttsgo/node-builtin-import -- Effect's module ends a process with its scope; a browser must stay open.
import { spawn } from "node:child_process"

/** Returns the program that opens a URL in the default browser, with its arguments. */
const opener = (url: string): readonly [program: string, ...args: ReadonlyArray<string>] => {
  switch (process.platform) {
    case "darwin":
      return ["open", url]
    case "win32":
      // `start` takes its first quoted argument as a window title, so an empty title comes first.
      return ["cmd", "/c", "start", "", url]
    default:
      return ["xdg-open", url]
  }
}

/** The time after which a program counts as successful even if it is still running: it may be the browser itself. */
const patience = "3 seconds"

const opened = (url: string): Effect.Effect<boolean> =>
  Effect.callback<boolean>((resume) => {
    const [program, ...args] = opener(url)
    // The browser is detached, so that it outlives this process.
    const child = spawn(program, args, { stdio: "ignore", detached: true })
    child.once("error", () => resume(Effect.succeed(false)))
    child.once("exit", (code) => resume(Effect.succeed(code === 0)))
    child.unref()
  }).pipe(Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.succeed(true) }))

/** Opens a URL in the default browser. If that fails, prints the URL on standard error. */
export const open = (url: string): Effect.Effect<void> =>
  Effect.flatMap(
    opened(url),
    (isOpen) => isOpen ? Effect.void : Console.error(`No browser could be opened; open ${url}`)
  )
