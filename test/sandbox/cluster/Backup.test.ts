/** Tests that PostgreSQL's own programs can back up a cluster. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import { spawn } from "node:child_process"
import type { Made } from "../../../src/sandbox/host/HostModels.ts"
import { until } from "../../support/clock.ts"
import { cluster, makeVenue, nodeOf } from "../../support/cluster.ts"
import { programOf, scratchFile } from "../../support/files.ts"
import { balance, call, keyOf, placeLimit } from "../../support/host.ts"
import { itWithPostgres, postgresProgram } from "../../support/postgres.ts"

/** Runs one of PostgreSQL's programs until it exits. */
const runs = (name: string, ...args: ReadonlyArray<string>) =>
  Effect.callback<void>((resume) => {
    const child = spawn(postgresProgram(name), args, { stdio: ["ignore", "ignore", "pipe"] })
    let said = ""
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString()
    })
    child.on("close", (code) => resume(code === 0 ? Effect.void : Effect.die(`${name}: ${said}`)))
  })

itWithPostgres(
  "a restored backup has every order acknowledged before the backup, and accepts no nonce used before then",
  () =>
    Effect.gen(function*() {
      const { database, nodes: [node = assert.fail()] } = yield* cluster(1)
      const venues = yield* Effect.forEach([1, 2, 3], () => makeVenue(node))
      const load = { isOver: false }
      /** The nonces of each venue's acknowledged orders. Each order's client order id contains its nonce. */
      const placed = venues.map((): Array<number> => [])
      const order = (baseUrl: string, made: Made, nonce: number) =>
        call(
          `${baseUrl}/v/${made.id}`,
          placeLimit,
          keyOf(made, "alice"),
          { market: "BTC_USDT", side: "buy", amount: "0.001", price: "9000", clientOrderId: `order-${nonce}` },
          { nonce }
        )
      const first = 6e15
      const trading = yield* Effect.forkChild(Effect.forEach(venues, (made, index) =>
        Effect.gen(function*() {
          for (let nonce = first; !load.isOver; nonce++) {
            if ((yield* order(node.baseUrl, made, nonce)).status === 200) placed[index]?.push(nonce)
            yield* Effect.sleep("20 millis")
          }
        }), { concurrency: "unbounded" }))
      const eachHas = (more: ReadonlyArray<number>) =>
        until(Effect.sync(() => placed.every(({ length }, index) => length >= (more[index] ?? 0) + 5)))

      yield* eachHas([])
      const before = placed.map((nonces) => [...nonces])
      const file = yield* scratchFile
      // The backup includes the list of nodes. The restored node must not mistake the running node for a node in its
      // own cluster.
      yield* runs("pg_dump", "--format", "custom", "--file", file, database.url)
      yield* eachHas(placed.map(({ length }) => length))
      load.isOver = true
      yield* Fiber.join(trading)

      const url = database.url.replace(/postgres$/u, "restored")
      yield* Effect.provide(Effect.flatMap(PgClient.PgClient, (sql) => sql`CREATE DATABASE restored`), database.layer)
      yield* runs("pg_restore", "--exit-on-error", "--dbname", url, file)
      const restored = yield* nodeOf({ url }, programOf("node"))
      yield* restored.start
      for (const [index, made] of venues.entries()) {
        const at = `${restored.baseUrl}/v/${made.id}`
        const used = before[index]?.at(-1) ?? assert.fail()
        yield* until(Effect.map(
          call(at, balance, keyOf(made, "bob"), { ticker: "BTC" }),
          ({ status }) => status === 200
        ))
        assert.include((yield* order(restored.baseUrl, made, used)).text, "Too many requests")
        const { text } = yield* call(at, "/api/v4/orders", keyOf(made, "alice"), { market: "BTC_USDT", limit: 100 }, {
          nonce: 7e15
        })
        for (const nonce of before[index] ?? []) assert.include(text, `order-${nonce}`)
        // Orders placed after the backup are lost.
        const last = placed[index]?.at(-1) ?? assert.fail()
        assert.notInclude(text, `order-${last}"`)
        assert.strictEqual((yield* order(restored.baseUrl, made, 7e15 + 1)).status, 200)
      }
    }).pipe(Effect.provide(FetchHttpClient.layer))
)
