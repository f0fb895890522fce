/**
 * Bundles the command. It imports Effect, which every user of the package has, and the package's own modules from
 * `dist`. The bundle contains everything else: the optional packages, and the package's modules that import one.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

/**
 * The used part of undici: agents and their requests. Its index also loads `fetch`, caches, mocks and WebSockets, which
 * no bundler can drop.
 */
const partOfUndici = {
  name: "part-of-undici",
  resolveId: (id) => id === "undici" ? { id: "\0undici" } : null,
  load: (id) =>
    id === "\0undici"
      ? [
        `import Agent from "undici/lib/dispatcher/agent.js"`,
        `import Dispatcher from "undici/lib/dispatcher/dispatcher.js"`,
        `import api from "undici/lib/api/index.js"`,
        // Undici's own index does the same.
        "Object.assign(Dispatcher.prototype, api)",
        "export { Agent }",
        "export default { Agent }"
      ].join("\n")
      : /platform-node[\\/]dist[\\/]Undici\.js$/u.test(id)
      ? `export { Agent } from "undici"`
      // A second parser, which is only used when UNDICI_USE_MILO is set.
      : /undici[\\/]lib[\\/]milo[\\/]/u.test(id)
      ? `export const setup = () => { throw new Error("UNDICI_USE_MILO: the command has only undici's own parser") }`
      : null
}

/** The settings of a bundle that contains all its imports, such as the command. */
export const whole = { platform: "node", plugins: [partOfUndici] }

const imports = new Map(
  globSync("src/**/*.ts", { cwd: root, exclude: ["src/cli/**", "src/sandbox/page/app/**"] }).map((path) => {
    const text = readFileSync(join(root, path), "utf8")
    return [path, [...text.matchAll(/^(?:import|export)\s(?!type )[^"]*?from "([^"]+)"/gmu)].map(([, from]) => from)]
  })
)

const isOptional = (from) => !/^(?:\.|node:|effect\/)/u.test(from)

/** Whether a module imports an optional package, directly or through another module. */
const needsOptional = (path, seen = new Set()) => {
  if (seen.has(path)) return false
  seen.add(path)
  return imports.get(path).some((from) =>
    isOptional(from) || (from.startsWith(".") && needsOptional(join(dirname(path), from), seen))
  )
}

/** Keeps the package's own modules outside the bundle. */
const ownModules = {
  name: "own-modules",
  resolveId: (id, importer) => {
    if (/^effect\//u.test(id)) return { id, external: true }
    if (importer === undefined || !id.startsWith(".")) return null
    const path = join(dirname(importer), id).slice(root.length)
    if (!imports.has(path) || needsOptional(path)) return null
    const built = join(root, path.replace(/^src/u, "dist").replace(/\.ts$/u, ".js"))
    if (!existsSync(built)) throw new Error(`${built} is not built`)
    return { id: built, external: "relative" }
  }
}

export default {
  ...whole,
  input: join(root, "src/cli/main.ts"),
  plugins: [partOfUndici, ownModules],
  output: { dir: join(root, "dist/cli"), format: "esm", minify: true, chunkFileNames: "chunks/[name].js" }
}
