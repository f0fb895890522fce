/**
 * Everything that `npm test` checks, one step after the other, with the seconds that each took. `--long` also draws what
 * takes too long at every change: more seeds and more values.
 */
import { spawnSync } from "node:child_process"

const steps = [
  ["types", "npm run --silent typecheck"],
  ["lint", "npm run --silent lint"],
  ["tests", "vitest run"],
  ["type tests", "npm run --silent test:types"],
  ["package", "npm run --silent package:check"]
]

const env = process.argv.includes("--long") ? { ...process.env, TXC_TEST_COMPLETE: "1" } : process.env

const secondsSince = (start) => Math.round((performance.now() - start) / 1000)

const start = performance.now()
for (const [name, command] of steps) {
  const begun = performance.now()
  const { status } = spawnSync(command, { shell: true, stdio: "inherit", env })
  console.log(`--- ${name}: ${secondsSince(begun)} s`)
  if (status !== 0) {
    console.error(`FAILED in: ${name} (${command})`)
    process.exit(status ?? 1)
  }
}
console.log(`--- all: ${secondsSince(start)} s`)
