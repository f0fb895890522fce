/** What importers get, by the package's own name: every entry point that runs without a test runner. */
import { readFileSync } from "node:fs"

const { exports, name } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))

const entries = Object.keys(exports).filter((entry) => !entry.endsWith(".json") && !entry.endsWith("/vitest"))

await Promise.all(entries.map((entry) => import(name + entry.slice(1))))
