/** Programs from an older release, whose engine has another version. */
import * as Effect from "effect/Effect"
import { execFile, spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { compiled } from "./files.ts"

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** Bundles the programs, and returns the path of one of them. See `.ci/older.js`. */
export const olderProgram = (name: "main" | "node"): string => {
  const built = spawnSync(process.execPath, [at(".ci/older.js")], { encoding: "utf8" })
  if (built.status !== 0) throw new Error(built.stderr)
  return at(`node_modules/.cache/older/${name}.mjs`)
}

/**
 * Runs the command from the older release, and returns its output. The test's own event loop keeps turning: it has to
 * see that a server closed an unused connection, or the next call would fail.
 */
export const runOlder = (program: string, args: ReadonlyArray<string>): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() =>
      promisify(execFile)(process.execPath, [program, ...args], { env: { ...process.env, ...compiled } })
    ),
    ({ stdout }) => stdout
  )
