/**
 * Bundles the programs of an older release into `node_modules/.cache/older`, for tests of upgrades: the same source, with
 * the engine's version lowered by one.
 */
import { copyFileSync } from "node:fs"
import { rolldown } from "rolldown"
import { whole } from "./command.js"

const at = (path) => new URL(`../${path}`, import.meta.url).pathname

const folder = at("node_modules/.cache/older")

const older = {
  name: "older",
  transform: (code, id) =>
    id.endsWith("sandbox/engine/Engine.ts")
      ? code.replace(/^export const version = (\d+)$/mu, (_, version) => `export const version = ${version - 1}`)
      : null
}

const bundle = await rolldown({
  ...whole,
  plugins: [...whole.plugins, older],
  input: { main: at("src/cli/main.ts"), node: at("test/sandbox/cluster/node.ts") }
})
await bundle.write({ dir: folder, entryFileNames: "[name].mjs", chunkFileNames: "shared/[name].mjs" })
await bundle.close()
for (const beside of [folder, `${folder}/shared`]) copyFileSync(at("src/sandbox/page/page.html"), `${beside}/page.html`)
