import { defineConfig } from "vitest/config"
import { isLong } from "./test/support/long.ts"

const source = (path: string) => new URL(path, import.meta.url).pathname

export default defineConfig({
  resolve: {
    alias: [
      { find: /^effect-txc$/u, replacement: source("./src/index.ts") },
      { find: /^effect-txc\/node$/u, replacement: source("./src/node.ts") },
      { find: /^effect-txc\/redis$/u, replacement: source("./src/redis.ts") },
      { find: /^effect-txc\/cluster$/u, replacement: source("./src/cluster.ts") },
      { find: /^effect-txc\/sandbox$/u, replacement: source("./src/sandbox/index.ts") },
      { find: /^effect-txc\/sandbox\/vitest$/u, replacement: source("./src/sandbox/Vitest.ts") },
      { find: /^effect-txc\/oracle$/u, replacement: source("./src/oracle/index.ts") },
      { find: /^effect-txc\/oracle\/vitest$/u, replacement: source("./src/oracle/Vitest.ts") }
    ]
  },
  test: {
    // Programs that tests start compile what they import once, not once each.
    env: { NODE_COMPILE_CACHE: source("./node_modules/.cache/compiled") },
    include: ["test/**/*.test.ts"],
    // CI runs it by itself: it waits for leases to end.
    exclude: isLong ? [] : ["test/sandbox/cluster/Chaos.test.ts"],
    globalSetup: ["./.ci/page.js", "./.ci/programs.js"],
    // It ends a test that hangs, and nothing else: no test depends on how fast the machine is.
    testTimeout: 180_000,
    pool: "threads",
    // One for each of two cores. While a test waits for a lease or a browser, `npm test` has lint and the package to do; a third
    // worker would import and compile everything once more.
    maxWorkers: 2,
    // A worker imports Effect once, not once per file: a third of the time. No test replaces a module or a global.
    isolate: false
  }
})
