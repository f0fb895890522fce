/** What importers get, by the package's own name: every entry point that runs without a test runner, and a stream. */
import * as Effect from "effect/Effect"
import assert from "node:assert"
import { readFileSync } from "node:fs"

const { exports, name } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))

const entries = Object.keys(exports).filter((entry) => !entry.endsWith(".json") && !entry.endsWith("/vitest"))

// The client loads streams when it makes one: nothing else of this program has loaded them before.
const { Pages } = await import(name)
const stream = Pages.stream("stream", () => Effect.succeed({ offset: 0, limit: 100, records: ["only"] }))
const { runCollect } = await import("effect/Stream")
assert.deepStrictEqual(await Effect.runPromise(runCollect(stream)), ["only"])

await Promise.all(entries.map((entry) => import(name + entry.slice(1))))
