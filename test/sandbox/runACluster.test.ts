import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { programOf, scratchFile } from "../support/files.ts"
import { olderProgram } from "../support/older.ts"
import { itWithPostgres, postgresProgram, postgresServer } from "../support/postgres.ts"
import * as Project from "../support/project.ts"
import { closedPort } from "../support/server.ts"

const page = Project.readSource("src/sandbox/docs/run-a-cluster.md")

const blocks = [...page.matchAll(/```sh\n(.*?)```\n\n```text\n(.*?)```/gsu)].map(([, script = "", shown = ""]) => ({
  script,
  shown
}))

/** Removes the parts of an output that differ in every run. */
const masked = (output: string): string =>
  output.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d|\b[0-9a-f]{64}\b|\d+ commands/gu, "*")
    .replaceAll(/\b(?=[a-z]*\d)[a-z0-9]{12}\b/gu, "a-venue-of-12").replaceAll(/ +/gu, " ")

/** Removes the columns whose values depend on which shards the venue and the nodes get. */
const placed = (output: string): string =>
  output.replaceAll(/^(\S+ ready \* \d+ (?:\d+)) \d+$/gmu, "$1").replaceAll(/(awake \* \d+) 127.*/gu, "$1")

/** Kills a process, unless it has already exited. */
const stop = (id: number): void => {
  try {
    process.kill(id, "SIGKILL")
  } catch {
    // Killing a process fails if it has already exited.
  }
}

itWithPostgres(
  "the commands on the page about running a cluster print the output that the page shows",
  () =>
    Effect.gen(function*() {
      assert.strictEqual(blocks.length, page.match(/```sh/gu)?.length)
      const { url } = yield* postgresServer
      const folder = dirname(yield* scratchFile)
      // A node outlives the npx process that started it, so each node writes its process id to a file.
      const started = join(folder, "started")
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          for (const id of readFileSync(started, "utf8").trim().split("\n")) stop(Number(id))
        })
      )
      for (
        const [release, program] of [["release-1", olderProgram("main")], ["release-2", programOf("main")]] as const
      ) {
        const bin = join(folder, release, "node_modules/.bin")
        mkdirSync(bin, { recursive: true })
        writeFileSync(join(folder, release, "package.json"), "{}")
        writeFileSync(
          join(bin, "effect-txc"),
          `#!/bin/sh\n[ "$2" != --port ] || echo $$ >> "${started}"\nexec "${process.execPath}" "${program}" "$@"\n`
        )
        chmodSync(join(bin, "effect-txc"), 0o755)
      }
      // Both lists of ports are in ascending order, because the command sorts nodes by address.
      const numbers = [...new Set(page.match(/\b(?:80|73|74)\d\d\b/gu))].toSorted()
      const free = (yield* Effect.forEach(numbers, () => closedPort)).map(String).toSorted()
      const ports = numbers.map((port, at) => [port, free[at] ?? ""] as const)
      const swap = (text: string, pairs: ReadonlyArray<readonly [string, string]>) =>
        pairs.reduce((swapped, [from, to]) => swapped.replaceAll(from, to), text)
      const script = blocks.map(({ script }, at) => `echo "=== ${at}"\n${script}`).join("")
        .replace("PGPORT=5432 PGUSER=postgres", `PGPORT=${new URL(url).port} PGUSER=txc`)
      const whole = `set -e\nexport PATH="${dirname(process.execPath)}:${
        dirname(postgresProgram("pg_dump"))
      }:$PATH"\ntrap 'kill $(jobs -p) 2>/dev/null' EXIT\n${swap(script, ports)}`
      const { ended, output } = yield* Project.run(folder, ["bash", "-c", whole])
      const back = ports.map(([port, used]) => [used, port] as const)
      const printed = swap(output, back).split(/=== \d+\n/u).slice(1)
      for (const [at, { script, shown }] of blocks.entries()) {
        assert.strictEqual(placed(masked(printed[at] ?? "")), placed(masked(shown)), `${script}\n${output}`)
      }
      assert.strictEqual(ended, 0, output)
    })
)
