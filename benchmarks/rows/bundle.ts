/** What a bundler makes of a program that uses one endpoint. */
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"
import type { Row } from "../harness/report.ts"

/** The program as one file; without the packages that it imports, where they are left out. */
const minified = async (entry: string, packages: "with" | "without" = "with") => {
  const build = await rolldown({
    input: fileURLToPath(new URL(`../bundled/${entry}`, import.meta.url)),
    platform: "node",
    logLevel: "silent",
    external: (id) => packages === "without" && /^[^./]/u.test(id)
  })
  const { output: [{ code }] } = await build.generate({ format: "esm", minify: true })
  await build.close()
  return code
}

const bundle = async (entry: string) => {
  const code = await minified(entry)
  return {
    minified: Buffer.byteLength(code),
    gzip: gzipSync(code, { level: 9 }).byteLength,
    /** The part that is not of packages. */
    own: Buffer.byteLength(await minified(entry, "without"))
  }
}

const kilo = (bytes: number) => `${(bytes / 1000).toFixed(1)} KB`

export const rows: ReadonlyArray<Row> = [{
  name: "bundle",
  title: "bundle of one endpoint, minified and gzip",
  run: async () => {
    const txc = await bundle("endpoint.js")
    const naive = await bundle("naive.js")
    const ratio = txc.gzip / naive.gzip
    return {
      lines: [{
        what: "bundle of one endpoint, minified and gzip",
        against: "a naive Effect client's",
        ratios: { size: { min: ratio, median: ratio, max: ratio } },
        absolutes: `gzip: txc **${kilo(txc.gzip)}**, naive Effect client ${kilo(naive.gzip)}; minified ` +
          `${kilo(txc.minified)}, ${kilo(txc.own)} of it our own`
      }],
      data: { txc, naive }
    }
  }
}]
