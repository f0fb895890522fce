/** Builds the published form of the library into `benchmarks/dist`. */
import { execFileSync } from "node:child_process"
import { rmSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** The folder of the built library. */
export const folder = fileURLToPath(new URL("../dist", import.meta.url))

/** Runs a command from the root's `node_modules`, in the root folder. */
const run = (command: string, ...args: ReadonlyArray<string>): void => {
  execFileSync(`${root}node_modules/.bin/${command}`, args, { cwd: root, stdio: ["ignore", "ignore", "inherit"] })
}

/** Builds the library with the same steps as the root's `build:library` script. */
export const build = (): void => {
  rmSync(folder, { recursive: true, force: true })
  run("tsc", "-p", "src", "--noCheck", "--outDir", folder, "--declaration", "false", "--declarationMap", "false")
  run("babel", folder, "--out-dir", folder, "--config-file", "./.ci/babel.js")
  // Tells bundlers that no module of the package has side effects.
  writeFileSync(`${folder}/package.json`, JSON.stringify({ type: "module", sideEffects: [] }))
}
