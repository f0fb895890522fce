import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The path of a file that does not exist yet, in a directory that is removed when the scope closes. */
export const scratchFile = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "effect-txc-"))),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true }))
  ),
  (directory) => join(directory, "venue.sqlite")
)

/** Environment variables that let test programs share Node's compile cache, so that they start twice as fast. */
export const compiled = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL("../../node_modules/.cache/compiled/", import.meta.url))
}

/**
 * Returns the path of a program that was bundled before the tests, to run in another process. `main` is the
 * `effect-txc` command. See `.ci/programs.js`.
 */
export const programOf = (name: "main" | "drawing" | "hosted" | "node" | "served"): string =>
  fileURLToPath(new URL(`../../node_modules/.cache/programs/${name}.mjs`, import.meta.url))

/** Returns the URL of a library module's source, for a program in another process. */
export const moduleUrl = (path: string): string => new URL(`../../src/${path}`, import.meta.url).href

/**
 * Runs a program in another process until it exits. Returns its output, and its exit code or signal. The program can't
 * write a file larger than `blocks` blocks of 512 bytes.
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
