/**
 * Runs everything that `npm test` checks, and prints the seconds of each step. `--long` runs the tests in the form that
 * takes too long for every change: more seeds, more values, and 300,000 histories of explorations. It leaves out the
 * types and lint, which have no longer form.
 */
import { spawn } from "node:child_process"

const isLong = process.argv.includes("--long")

/**
 * Checks with all of the oracle's rules: of targets that misbehave or differ from the sandbox, and by the command. They
 * take long, so only CI runs them.
 */
const wholeTargets =
  "test/{oracle/{Check,Connection,Fair,Features,Limits,Streams,Throttling,Undoing},cli/oracle}.test.ts"

/** Tests that a later step of CI runs with more values. */
const later = (process.env.TXC_TEST_LATER ?? "").split(" ").filter((name) => name !== "")

const without = [wholeTargets, ...later].map((name) => ` --exclude '${name}'`).join("")

/** The steps, in two lanes. The tests take longest. The second lane prints each step's output when the step has ended. */
const lanes = isLong ? [[["tests", "vitest run"]]] : [
  [["tests", `vitest run${without}`]],
  [
    // The linter also checks the types, with the compiler's own code. CI also runs the compiler itself.
    ["types and lint", "npm run --silent lint"],
    ["type tests", "npm run --silent test:types"]
  ]
]

const env = {
  ...process.env,
  ...(isLong ? { TXC_TEST_COMPLETE: "1" } : {})
}

const secondsSince = (start) => Math.round((performance.now() - start) / 1000)

const run = (command, isQuiet) =>
  new Promise((resolve) => {
    const child = spawn(command, { shell: true, stdio: isQuiet ? ["inherit", "pipe", "pipe"] : "inherit", env })
    const said = []
    child.stdout?.on("data", (text) => said.push(text))
    child.stderr?.on("data", (text) => said.push(text))
    child.on("close", (status) => {
      process.stdout.write(Buffer.concat(said))
      resolve(status ?? 1)
    })
  })

/** Runs steps one after another until one fails, and returns that step. */
const follow = async (steps, isQuiet = false) => {
  for (const [name, command] of steps) {
    const begun = performance.now()
    const status = await run(command, isQuiet)
    console.log(`--- ${name}: ${secondsSince(begun)} s`)
    if (status !== 0) return [`${name} (${command})`]
  }
  return []
}

const start = performance.now()
const failed = (await Promise.all(lanes.map((steps, lane) => follow(steps, lane > 0)))).flat()
console.log(`--- all: ${secondsSince(start)} s`)
for (const step of failed) console.error(`FAILED in: ${step}`)
process.exitCode = failed.length > 0 ? 1 : 0
