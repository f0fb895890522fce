import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The name of a file that does not exist yet, in a directory that is removed with the scope. */
export const scratchFile = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "effect-txc-"))),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true }))
  ),
  (directory) => join(directory, "venue.sqlite")
)

/** Lets test programs share Node's compile cache of the library: each starts in half the time. */
export const compiled = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL("../../node_modules/.cache/compiled/", import.meta.url))
}

/** A program for its own process, bundled before the tests; `main` is the command. See `.ci/programs.js`. */
export const programOf = (name: "main" | "drawing" | "hosted" | "node" | "served"): string =>
  fileURLToPath(new URL(`../../node_modules/.cache/programs/${name}.mjs`, import.meta.url))

/** The source of a module of the library, for a program in another process. */
export const moduleUrl = (path: string): string => new URL(`../../src/${path}`, import.meta.url).href

/**
 * Runs a program in another process to its end; returns its output and its exit. No file that it writes can exceed
 * `blocks` blocks of 512 bytes.
 */
export const runElsewhere = (program: string, { blocks }: { readonly blocks?: number } = {}) =>
  Effect.callback<{ readonly output: string; readonly ended: number | string | null }>((resume) => {
    const command = [process.execPath, "--input-type=module", "--eval", program]
    const limit = blocks === undefined ? "" : `ulimit -f ${blocks} && `
    const child = spawn("sh", ["-c", `${limit}exec "$0" "$@"`, ...command], { stdio: ["ignore", "pipe", "inherit"] })
    let output = ""
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString()
    })
    child.on("close", (code, signal) => resume(Effect.succeed({ output, ended: signal ?? code })))
    return Effect.sync(() => child.kill())
  })
