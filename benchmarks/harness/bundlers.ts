/** Bundles a program with five bundlers, each with only minification switched on. */
import { rollup } from "@rollup/wasm-node"
import { build as esbuild } from "esbuild"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { rolldown } from "rolldown"
import { minify } from "rolldown/utils"
import { build as vite } from "vite"
import webpack from "webpack"

/** Joins a bundler's output: one file, or a file and the chunks that it loads later. */
const joined = (output: ReadonlyArray<{ readonly type: string; readonly code?: string }>): string =>
  output.map(({ code = "" }) => code).join("")

/** Resolves packages for Rollup, which cannot resolve them itself. */
const packages = {
  name: "packages",
  resolveId: (id: string) =>
    id.startsWith("effect/") ? fileURLToPath(import.meta.resolve(id)) : id.startsWith("node:") ? false as const : null
}

const withWebpack = async (entry: string): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), "txc-webpack-"))
  const compiler = webpack({
    mode: "production",
    entry,
    target: "node",
    experiments: { outputModule: true },
    output: { path: folder, filename: "bundle.mjs", library: { type: "module" } },
    performance: false
  })
  const stats = await promisify<webpack.Stats | undefined>((done) => compiler?.run(done))()
  if (stats?.hasErrors() !== false) throw new Error(stats?.toString("errors-only"))
  const files = Object.keys(stats.compilation.assets)
  const code = files.map((file) => readFileSync(join(folder, file), "utf8")).join("")
  rmSync(folder, { recursive: true })
  return code
}

/** The bundlers, keyed by name. Each bundles the program `entry` and returns the code. */
export const bundlers: Readonly<Record<string, (entry: string) => Promise<string>>> = {
  esbuild: async (entry) => {
    const { outputFiles } = await esbuild({
      entryPoints: [entry],
      bundle: true,
      minify: true,
      format: "esm",
      platform: "node",
      write: false
    })
    return outputFiles.map(({ text }) => text).join("")
  },
  Vite: async (entry) => {
    const built = await vite({
      configFile: false,
      logLevel: "silent",
      ssr: { noExternal: true },
      build: { ssr: entry, write: false, minify: true, rollupOptions: { input: entry } }
    })
    return joined((Array.isArray(built) ? built : [built]).flatMap((one) => "output" in one ? one.output : []))
  },
  Rollup: async (entry) => {
    const bundle = await rollup({ input: entry, plugins: [packages], onLog: () => {} })
    const { output } = await bundle.generate({ format: "esm" })
    await bundle.close()
    // Rollup has no minifier.
    return (await minify("bundle.js", joined(output), { module: true })).code
  },
  Rolldown: async (entry) => {
    const bundle = await rolldown({ input: entry, platform: "node", logLevel: "silent" })
    const { output } = await bundle.generate({ format: "esm", minify: true })
    await bundle.close()
    return joined(output)
  },
  webpack: withWebpack
}
