/** Programs from an older release, whose engine has another version. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { compiled } from "./files.ts"

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** Bundles the programs, and returns the path of one of them. See `.ci/older.js`. */
export const olderProgram = (name: "main" | "node"): string => {
  const built = spawnSync(process.execPath, [at(".ci/older.js")], { encoding: "utf8" })
  if (built.status !== 0) throw new Error(built.stderr)
  return at(`node_modules/.cache/older/${name}.mjs`)
}

/** Runs the command from the older release, and returns its output. */
export const runOlder = (program: string, args: ReadonlyArray<string>): string => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [program, ...args], {
    encoding: "utf8",
    env: { ...process.env, ...compiled }
  })
  if (status !== 0) throw new Error(stderr)
  return stdout
}
