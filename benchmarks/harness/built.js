/**
 * Resolves imports of the library's source to its compiled build. TypeScript checks the source, but Node does not have
 * to strip types at start.
 */
import { registerHooks } from "node:module"

const source = new URL("../../src/", import.meta.url).href
const target = new URL("../dist/", import.meta.url).href

/** The package's import names, as the examples in the docs use them. */
const entries = { "effect-txc": "index.js", "effect-txc/sandbox": "sandbox/index.js" }

registerHooks({
  resolve: (specifier, context, nextResolve) => {
    const entry = entries[specifier]
    if (entry !== undefined) return { url: target + entry, format: "module", shortCircuit: true }
    const resolved = nextResolve(specifier, context)
    if (!resolved.url.startsWith(source)) return resolved
    return { ...resolved, url: target + resolved.url.slice(source.length).replace(/\.ts$/u, ".js"), format: "module" }
  }
})
