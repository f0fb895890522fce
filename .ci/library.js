/**
 * What of the library runs: one file for each entry point, and those that they share. A runtime opens a few files instead
 * of a hundred. Bundlers are given the modules, which they can shake: see "exports" in package.json.
 */
import { readFileSync } from "node:fs"
import { isAbsolute } from "node:path"
import { fileURLToPath } from "node:url"

const root = new URL("..", import.meta.url)
const { exports } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"))

/** The module of each entry point: `sandbox/index` for `./dist/sandbox/index.js`. */
const entries = Object.values(exports).flatMap(({ module = "" }) =>
  /^\.\/dist\/(.*)\.js$/u.exec(module)?.slice(1) ?? []
)

export default {
  input: Object.fromEntries(entries.map((name) => [name, fileURLToPath(new URL(`src/${name}.ts`, root))])),
  platform: "node",
  // All packages: they are the user's.
  external: (id) => !id.startsWith(".") && !isAbsolute(id),
  output: {
    dir: fileURLToPath(new URL("dist/run", root)),
    format: "esm",
    chunkFileNames: "shared/[name].js",
    sourcemap: true,
    // The modules have the documentation. Here it would only be read past at every start.
    comments: { jsdoc: false, legal: false, annotation: true }
  }
}
