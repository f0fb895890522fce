/** Measures the bundle size of a program with one endpoint. */
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { bundlers } from "../harness/bundlers.ts"
import type { Row } from "../harness/report.ts"

const pathOf = (entry: string) => fileURLToPath(new URL(`../bundled/${entry}`, import.meta.url))

/** Returns the size of a program after gzip in bytes, keyed by bundler. */
const sizes = async (entry: string): Promise<ReadonlyMap<string, number>> => {
  const found = new Map<string, number>()
  for (const [name, bundle] of Object.entries(bundlers)) {
    found.set(name, gzipSync(await bundle(pathOf(entry)), { level: 9 }).byteLength)
  }
  return found
}

const kilo = (bytes: number) => `${(bytes / 1000).toFixed(1)} KB`

const listed = (all: ReadonlyMap<string, number>) =>
  [...all].map(([name, bytes]) => `${name} ${kilo(bytes)}`).join(", ")

export const rows: ReadonlyArray<Row> = [{
  name: "bundle",
  title: "bundle of one endpoint over fetch, minified and gzipped",
  run: async () => {
    const txc = await sizes("endpoint.js")
    const naive = await sizes("naive.js")
    const ratios = [...txc].map(([name, bytes]) => bytes / (naive.get(name) ?? Number.NaN)).toSorted((a, b) => a - b)
    const [min = 0, , median = 0, , max = 0] = ratios
    return {
      lines: [{
        what: "bundle of one endpoint over fetch, minified and gzipped",
        against: "naive Effect client",
        ratios: { size: { min, median, max } },
        absolutes: `txc: **${listed(txc)}**; naive Effect client: ${listed(naive)}`
      }],
      data: { txc: Object.fromEntries(txc), naive: Object.fromEntries(naive) }
    }
  }
}]
