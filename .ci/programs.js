/**
 * Bundles the programs that tests start in their own processes: the command, as it is published, and the tests' own
 * programs. Without bundles, each process would resolve, read and link hundreds of modules, which takes three times as
 * long. Bundles that are newer than their source are not built again.
 */
import { copyFileSync, existsSync, globSync, statSync } from "node:fs"
import { rolldown } from "rolldown"
import { whole } from "./command.js"

const at = (path) => new URL(`../${path}`, import.meta.url).pathname

const folder = at("node_modules/.cache/programs")
const page = at("src/sandbox/page/page.html")

const programs = {
  main: at("src/cli/main.ts"),
  drawing: at("test/support/drawing.ts"),
  hosted: at("test/support/hosted.ts"),
  node: at("test/sandbox/cluster/node.ts"),
  served: at("test/support/served.ts")
}

const inputs = globSync([at("src/**/*.ts"), at("test/support/*.ts"), at("test/sandbox/cluster/node.ts")]).concat(
  page,
  at("package-lock.json"),
  at(".ci/command.js"),
  at(".ci/programs.js")
)

const isOld = () => {
  const built = Object.keys(programs).map((name) => `${folder}/${name}.mjs`)
  if (!built.every(existsSync)) return true
  const oldest = Math.min(...built.map((file) => statSync(file).mtimeMs))
  return inputs.some((file) => statSync(file).mtimeMs > oldest)
}

/** Vitest runs this before the tests, and after building the page, which is copied. */
export const setup = async () => {
  if (!isOld()) return
  const bundle = await rolldown({ ...whole, input: programs })
  await bundle.write({ dir: folder, entryFileNames: "[name].mjs", chunkFileNames: "shared/[name].mjs" })
  await bundle.close()
  // The page is read from the folder of the program that serves it.
  for (const beside of [folder, `${folder}/shared`]) copyFileSync(page, `${beside}/page.html`)
}
