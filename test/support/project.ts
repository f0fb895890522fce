/** A user's project in which the package is installed: a folder in which the source stands in for the built package. */
import * as Effect from "effect/Effect"
import { spawn, spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { programOf, scratchFile } from "./files.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** Reads one of this project's files. */
export const readSource = (path: string): string => readFileSync(join(root, path), "utf8")

/** The package's manifest, with each file in `dist` replaced by its source. */
const manifest = readSource("package.json")
  .replaceAll(/"types": .*\n/gu, "")
  .replaceAll(/\.\/dist\/(?:run\/)?(.*)\.js"/gu, `./src/$1.ts"`)

const command = `#!/bin/sh\nexec "${process.execPath}" "${programOf("main")}" "$@"\n`

/** Creates a new folder with these files, in which `effect-txc` and all packages of this project are installed. */
export const make = Effect.fnUntraced(function*(files: Readonly<Record<string, string>>) {
  const folder = dirname(yield* scratchFile)
  const modules = join(folder, "node_modules")
  mkdirSync(join(modules, ".bin"), { recursive: true })
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (!name.startsWith(".")) symlinkSync(join(root, "node_modules", name), join(modules, name))
  }
  symlinkSync(join(root, "node_modules/.bin/vitest"), join(modules, ".bin/vitest"))
  mkdirSync(join(modules, "effect-txc"))
  symlinkSync(join(root, "src"), join(modules, "effect-txc/src"))
  const all = {
    ...files,
    "package.json": `{ "type": "module", "scripts": { "test": "effect-txc call MainBalance.all" } }`,
    "node_modules/effect-txc/package.json": manifest,
    "node_modules/.bin/effect-txc": command
  }
  for (const [path, text] of Object.entries(all)) writeFileSync(join(folder, path), text)
  chmodSync(join(modules, ".bin/effect-txc"), 0o755)
  return folder
})

/** The environment for programs in a user's project. They run with this process's Node. */
const inherited = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"]}` }

/** A program's output on both streams, and its exit code. */
export interface Ran {
  readonly output: string
  readonly ended: number | string | null
}

/** Runs a program in the folder of a user's project until it exits or the effect is interrupted. */
export const run = (
  folder: string,
  [program = "", ...args]: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {}
): Effect.Effect<Ran> =>
  Effect.callback((resume) => {
    const child = spawn(program, args, {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...inherited,
        TXC_COMMAND: join(folder, "node_modules/.bin/effect-txc"),
        NO_COLOR: "1",
        PYTHONDONTWRITEBYTECODE: "1",
        npm_config_loglevel: "error",
        ...environment
      }
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString()
      })
    }
    child.on("close", (code, signal) => resume(Effect.succeed({ output, ended: signal ?? code })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** Lists the programs that are not installed on this machine. */
export const missing = (programs: ReadonlyArray<string>): ReadonlyArray<string> =>
  programs.filter((program) => spawnSync("sh", ["-c", `command -v ${program}`]).status !== 0)
