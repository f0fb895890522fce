/** What a bundler makes of a program that uses one endpoint. */
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"
import type { Row } from "../harness/report.ts"

const bundle = async (entry: string) => {
  const build = await rolldown({
    input: fileURLToPath(new URL(`../bundled/${entry}`, import.meta.url)),
    platform: "node",
    logLevel: "silent"
  })
  const { output: [{ code, modules }] } = await build.generate({ format: "esm", minify: true })
  await build.close()
  const parts = Object.entries(modules).map(([id, { renderedLength }]) => ({ id, length: renderedLength }))
  const length = (kept: typeof parts) => kept.reduce((sum, { length }) => sum + length, 0)
  return {
    minified: Buffer.byteLength(code),
    gzip: gzipSync(code, { level: 9 }).byteLength,
    /** The part that is not of packages, by the length of the text before it is minified. */
    ownShare: length(parts.filter(({ id }) => !id.includes("/node_modules/"))) / length(parts)
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
          `${kilo(txc.minified)}, about ${kilo(txc.minified * txc.ownShare)} of it our own`
      }],
      data: { txc, naive }
    }
  }
}]
