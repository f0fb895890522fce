/**
 * Writes groups of commands to a journal, and waits for each group. Arguments: a database URL for PostgreSQL, and a
 * file for SQLite.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as PostgresJournal from "../../src/sandbox/cluster/PostgresJournal.ts"
import * as Tables from "../../src/sandbox/cluster/Tables.ts"
import * as Journal from "../../src/sandbox/store/Journal.ts"
import { serve } from "../harness/children.ts"
import type { Sample } from "../harness/operation.ts"

/** The journal to write to, the number of groups, and the number of commands in each group. */
export interface Message {
  readonly to: "postgres" | "sqlite"
  readonly groups: number
  readonly commands: number
}

const [url = "", file = ""] = process.argv.slice(2)

const runtime = ManagedRuntime.make(PgClient.layer({ url: Redacted.make(url), maxConnections: 4 }))
const scoped = <A, E>(effect: Effect.Effect<A, E, PgClient.PgClient | Scope.Scope>) =>
  runtime.runPromise(Scope.provide(effect, runtime.scope))

await scoped(Tables.migrate)
const journals = {
  postgres: await scoped(PostgresJournal.open("bench", { rules: "bench" })),
  sqlite: await scoped(Journal.open(file, { rules: "bench" }))
}

serve("ready", async ({ commands, groups, to }: Message): Promise<Sample> => {
  const before = process.cpuUsage()
  const start = performance.now()
  await scoped(Effect.gen(function*() {
    for (let group = 0; group < groups; group++) {
      for (let at = 0; at < commands; at++) {
        journals[to].append({ at, action: { _tag: "OpenAccount", account: "an account of the bench", b2b: false } })
      }
      yield* journals[to].committed
    }
  }))
  const wall = (performance.now() - start) * 1000
  const { system, user } = process.cpuUsage(before)
  return { cpu: (user + system) / groups, wall: wall / groups }
})
