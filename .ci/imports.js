/** Imports and requires every path of the package by its public name, except those that need a test runner. */
import assert from "node:assert"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"

const require = createRequire(import.meta.url)

const list = readFileSync(new URL("../test/package/exports.txt", import.meta.url), "utf8")
const [paths] = list.split("\n\n")
const listed = paths.split("\n").map((line) => line.split(" = ")).filter(([entry]) => !entry.endsWith("/vitest"))

/** Whether a module has values: names of types are in brackets. */
const hasValues = (file) => list.split("\n").find((line) => line.startsWith(`${file}: `))?.match(/[ ,]\w/u) !== null

for (const [entry, file] of listed) {
  // A module that awaits at its top level, directly or in a dependency, can't be required.
  assert.strictEqual(Object.keys(require(entry)).length > 0, hasValues(file), entry)
  assert.strictEqual(require(entry), await import(entry), entry)
}

// Both import paths must load the same module.
const [{ Call }, alone] = await Promise.all([import("effect-txc"), import("effect-txc/client/Call")])
assert.strictEqual(Call.Call, alone.Call)

// A path that is not listed can't be imported.
for (
  const path of [
    "client/call/Attempt",
    "client/Observation",
    "domain/Check",
    "channels/all",
    "endpoints/all",
    "protocol/Classify"
  ]
) {
  await assert.rejects(import(`effect-txc/${path}`), { code: "ERR_PACKAGE_PATH_NOT_EXPORTED" })
}
