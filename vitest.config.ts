import { defineConfig } from "vitest/config"

const source = (path: string) => new URL(path, import.meta.url).pathname

export default defineConfig({
  resolve: {
    alias: [
      { find: /^effect-txc$/u, replacement: source("./src/index.ts") },
      { find: /^effect-txc\/redis$/u, replacement: source("./src/redis.ts") },
      { find: /^effect-txc\/sandbox$/u, replacement: source("./src/sandbox/index.ts") }
    ]
  },
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    pool: "threads",
    maxWorkers: 2,
    // A worker imports Effect once, not once per file: a third of the time. No test replaces a module or a global.
    isolate: false
  }
})
