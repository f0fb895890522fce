/** What a bundler makes of a program that uses one endpoint. */
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"
import type { Row } from "../harness/report.ts"

/**
 * What a bundler can't know, and whoever bundles may tell it: reading a property does nothing else, writing one of an object
 * that nobody uses is of no use, and no global is looked up to see whether it is there.
 */
const pure = {
  propertyReadSideEffects: false,
  propertyWriteSideEffects: false,
  unknownGlobalSideEffects: false
} as const

interface Options {
  /** Whether the packages that the program imports are in the file. */
  readonly packages: boolean
  /** What the bundler may drop. */
  readonly treeshake: typeof pure | true
}

/** The program as one file. */
const minified = async (entry: string, { packages, treeshake }: Options) => {
  const build = await rolldown({
    input: fileURLToPath(new URL(`../bundled/${entry}`, import.meta.url)),
    platform: "node",
    logLevel: "silent",
    treeshake,
    external: (id) => !packages && /^[^./]/u.test(id)
  })
  const { output: [{ code }] } = await build.generate({ format: "esm", minify: true })
  await build.close()
  return code
}

const zipped = (code: string) => gzipSync(code, { level: 9 }).byteLength

const bundle = async (entry: string) => {
  const code = await minified(entry, { packages: true, treeshake: pure })
  return {
    minified: Buffer.byteLength(code),
    gzip: zipped(code),
    /** With what the bundler does when nobody tells it anything. */
    untold: zipped(await minified(entry, { packages: true, treeshake: true })),
    /** The part that is not of packages. */
    own: Buffer.byteLength(await minified(entry, { packages: false, treeshake: pure }))
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
        absolutes:
          `gzip: txc **${kilo(txc.gzip)}**, naive Effect client ${kilo(naive.gzip)} (with the bundler's defaults ` +
          `${kilo(txc.untold)} and ${kilo(naive.untold)}); minified ${kilo(txc.minified)}, ${
            kilo(txc.own)
          } of it our own`
      }],
      data: { txc, naive }
    }
  }
}]
