import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import packageJson from "./package.json" with { type: "json" }
import { isLong, isSample } from "./test/support/long.ts"
import { scratch } from "./test/support/scratch.ts"

type Target = string | { readonly default: string } | null

const exported: Readonly<Record<string, Target>> = packageJson.exports

const source = (path: string) => new URL(path, import.meta.url).pathname

/** `./domain/*` at `./dist/domain/*.js` is `src/domain/*.ts`. */
const aliasOf = ([entry, target]: readonly [string, Target]) =>
  target === null || typeof target === "string" ? [] : [{
    find: new RegExp(`^effect-txc${entry.slice(1).replace("*", "(.+)")}$`, "u"),
    replacement: source(target.default.replace("./dist/", "./src/").replace(/\.js$/u, ".ts")).replace("*", "$1")
  }]

/** The test files that take longest in a long test run, longest first. */
const longest = [
  "explore/Client",
  "client/transport/unsolicited",
  "liveViews",
  "explore/Gallery",
  "explore/GalleryContinued",
  "sandbox/cluster/Chaos",
  "sandbox/cluster/Node",
  "oracle/Connection",
  "oracle/Sandbox",
  "oracle/Mutants",
  "client/session/silence",
  "sandbox/engine/Invariants",
  "explore/Fleet",
  "explore/Maker",
  "explore/Host",
  "sandbox/page/Page",
  "Reconciliation"
]

/** Starts the longest files first, so that a long test run does not end with one file on one core. */
class LongestFirst extends BaseSequencer {
  override sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
      return rank < 0 ? longest.length : rank
    }
    // oxlint-disable-next-line unicorn/no-array-sort -- The sequencer has this method, not an array.
    return super.sort(files).then((sorted) => sorted.toSorted((one, other) => rankOf(one) - rankOf(other)))
  }
}

export default defineConfig({
  // What strangers import by the package's name is its source here.
  resolve: { alias: Object.entries(exported).flatMap(aliasOf) },
  test: {
    // Programs that tests start compile what they import once, not once each.
    env: {
      NODE_COMPILE_CACHE: source("./node_modules/.cache/compiled"),
      ...(scratch === undefined ? {} : { TMPDIR: scratch })
    },
    include: ["test/**/*.test.ts"],
    // CI runs them separately: they wait for leases to expire and for nodes to start and leave, or they load the whole
    // project in an editor.
    exclude: ["**/node_modules/**"].concat(
      isLong
        ? []
        : ["Chaos", "Engines", "Subscribers"].map((name) => `test/sandbox/cluster/${name}.test.ts`).concat(
          "test/sandbox/runACluster.test.ts",
          "test/editor/Editor.test.ts"
        )
    ),
    globalSetup: ["./test/support/scratch.ts", "./.ci/page.js", "./.ci/programs.js"],
    // It ends a test that hangs, and nothing else: no test depends on how fast the machine is.
    testTimeout: isLong ? 3_600_000 : 600_000,
    pool: "threads",
    // CI runs Vitest nine times, and each file is transformed only once.
    fsModuleCache: true,
    // More than two cores: half of the time, a test waits for a timeout, a lease, another process or a browser, and in a
    // long test run more often. Workers cost little, because what they import is compiled once, but they slow each other
    // down.
    maxWorkers: isLong && !isSample ? 4 : 3,
    // A worker imports Effect once, not once per file: a third of the time. No test replaces a module or a global.
    isolate: false,
    sequence: { sequencer: LongestFirst }
  }
})
