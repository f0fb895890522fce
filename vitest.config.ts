import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    pool: "threads",
    maxWorkers: 2,
    // A worker imports Effect once, not once per file: a third of the time. No test replaces a module or a global.
    isolate: false
  }
})
