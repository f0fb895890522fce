/**
 * What of the library runs: one file for each entry point, and those that they share. A runtime opens a few files instead
 * of a hundred. Bundlers are given the modules, which they can shake, and so is what is not like Node: see "exports" in
 * package.json.
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

/** A module, and all that it imports where it begins. */
const startOf = (id, graph, found = new Set()) => {
  if (found.has(id) || isPackage(id)) return found
  found.add(id)
  for (const imported of graph.getModuleInfo(id).importedIds) startOf(imported, graph, found)
  return found
}

/** All packages: they are the user's. */
const isPackage = (id) => !id.startsWith(".") && !isAbsolute(id)

let client

/**
 * What every program with the client loads is one file: what several files import of packages, each of them resolves.
 * The client's own entry point is a list of what that file exports.
 */
const chunkOf = (id, graph) => {
  client ??= startOf(fileURLToPath(new URL("src/index.ts", root)), graph)
  return client.has(id) && !id.endsWith("src/index.ts") ? "client" : null
}

const stream = "effect/Stream"

/** Stands in for `effect/Stream` where the client imports it. */
const later = "\0later"

/** Whether a module of the client imports streams. */
const isStream = (id, importer = "") => id === stream && /\/src\/(?:client|endpoints)\//u.test(importer)

/**
 * Lets the client load `effect/Stream` with its first stream. Most programs only call, and start sooner without it: nothing else that
 * a call does without is as large. The client takes only functions of it, which can be loaded when they are called.
 */
const streamsLater = {
  name: "streams-later",
  resolveId: (id, importer) => isStream(id, importer) ? { id: later, moduleSideEffects: false } : undefined,
  load: async (id) => {
    if (id !== later) return undefined
    const functions = Object.entries(await import(stream)).filter(([, value]) => typeof value === "function")
    return [
      // No import of `node:module`: some test runners replace it, and what they give loads no ES module.
      `const load = () => process.getBuiltinModule("node:module").createRequire(import.meta.url)("${stream}")`,
      // Some have names that no variable may have.
      ...functions.map(([name]) =>
        `const its_${name} = (...given) => load().${name}(...given); export { its_${name} as ${name} }`
      )
    ].join("\n")
  }
}

/** An engine keeps a text with other characters as twice as many bytes. */
const inAscii = {
  name: "in-ascii",
  generateBundle: (_options, bundle) => {
    for (const file of Object.values(bundle)) {
      file.code = file.code?.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    }
  }
}

export default {
  plugins: [streamsLater, inAscii],
  input: Object.fromEntries(entries.map((name) => [name, fileURLToPath(new URL(`src/${name}.ts`, root))])),
  platform: "node",
  external: (id, importer) => isPackage(id) && id !== later && !isStream(id, importer),
  output: {
    dir: fileURLToPath(new URL("dist/run", root)),
    format: "esm",
    codeSplitting: { groups: [{ name: chunkOf, debugName: "client" }] },
    chunkFileNames: "shared/[name].js",
    sourcemap: true,
    // The modules have the documentation. Here it would only be read past at every start.
    comments: { jsdoc: false, legal: false, annotation: true }
  }
}
