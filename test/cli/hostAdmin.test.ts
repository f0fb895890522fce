import * as PgClient from "@effect/sql-pg/PgClient"
import { assert } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import { spawn } from "node:child_process"
import { dirname, join } from "node:path"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Node from "../../src/sandbox/cluster/Node.ts"
import * as PostgresJournal from "../../src/sandbox/cluster/PostgresJournal.ts"
import * as Tables from "../../src/sandbox/cluster/Tables.ts"
import * as Host from "../../src/sandbox/host/Host.ts"
import * as HostServer from "../../src/sandbox/host/HostServer.ts"
import * as Venue from "../../src/sandbox/venue/Venue.ts"
import { until } from "../support/clock.ts"
import { run } from "../support/command.ts"
import { compiled, programOf, scratchFile } from "../support/files.ts"
import { call, keyOf, own, placeLimit } from "../support/host.ts"
import { killed } from "../support/killed.ts"
import { itWithPostgres, postgresServer } from "../support/postgres.ts"
import { closedPort } from "../support/server.ts"

/** Starts a node as an operator would, and waits until it accepts calls. */
const nodeElsewhere = (url: string, nodePort: number, clusterPort: number) =>
  Effect.gen(function*() {
    const ports = ["--port", "0", "--node-port", String(nodePort), "--cluster-port", String(clusterPort)]
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [programOf("main"), "host", "--cluster", url, "--json", ...ports], {
          stdio: ["ignore", "pipe", "ignore"],
          env: { ...process.env, ...compiled, TXC_HOST_TOKEN: "secret" }
        })
      ),
      killed
    )
    const ended = Deferred.makeUnsafe<number | string | null>()
    child.on("close", (code, signal) => Deferred.doneUnsafe(ended, Exit.succeed(signal ?? code)))
    const baseUrl = yield* Effect.callback<string>((resume) => {
      child.stdout.once("data", (line: Buffer) => {
        resume(Effect.succeed((JSON.parse(line.toString().split("\n")[0] ?? "") as { readonly url: string }).url))
      })
    })
    return { baseUrl, ended: Deferred.await(ended) }
  })

itWithPostgres(
  "a drained node's process exits with code 0 even if a feed is open",
  () =>
    Effect.gen(function*() {
      const { layer, url } = yield* postgresServer
      yield* Effect.provide(Tables.migrate, layer)
      const nodePort = yield* closedPort
      const { baseUrl, ended } = yield* nodeElsewhere(url, nodePort, yield* closedPort)
      const ask = (path: string, token: string, method: "GET" | "POST" = "GET") =>
        HttpClient.execute(HttpClientRequest.make(method)(baseUrl + path).pipe(HttpClientRequest.bearerToken(token)))
      const answer = yield* ask("/control/v1/Venues", "secret", "POST")
      const { controlToken, id } = (yield* answer.json) as unknown as Host.Made
      const follow = ask(`/v/${id}/control/v1/Events`, controlToken)
      const feed = yield* Effect.repeat(follow, { until: ({ status }) => status === 200 })
      const reading = yield* Effect.forkChild(Effect.exit(feed.text))
      const drained = yield* run(["host", "drain", `127.0.0.1:${nodePort}`, "--cluster", url])
      assert.isUndefined(drained.failed)
      assert.strictEqual(yield* ended, 0)
      yield* Fiber.join(reading)
      const status = yield* run(["host", "status", "--cluster", url])
      assert.notInclude(status.out, `127.0.0.1:${nodePort}`)
      assert.include(status.out, id)
    }).pipe(Effect.provide(FetchHttpClient.layer))
)

itWithPostgres(
  "an operator can list nodes and venues, export and check a journal, and drain a node, through a URL or the database",
  () =>
    Effect.gen(function*() {
      const { layer, url } = yield* postgresServer
      yield* Effect.provide(Tables.migrate, layer)
      const nodePort = yield* closedPort
      const address = `127.0.0.1:${nodePort}`
      const context = yield* Layer.build(Node.layer({ url, nodePort, clusterPort: yield* closedPort, token: "secret" }))
      const host = Context.get(context, Host.Host)
      const { baseUrl } = yield* Effect.provideContext(HostServer.serve(), context)
      const made = yield* host.make({ owner: "ci", dialect: "live" })
      const order = { market: "BTC_USDT", side: "buy", amount: "0.001", price: "9000" }
      const place = Effect.suspend(() => call(made.url, placeLimit, keyOf(made, "alice"), order))
      yield* until(Effect.map(place, ({ status }) => status === 200))
      yield* host.make({ owner: "another" })
      // The node reports its load every second. A venue that is still waking already counts as awake.
      yield* until(Effect.map(host.status, ({ nodes = [] }) => nodes[0]?.state === "ready" && nodes[0].awake === 1))
      yield* until(Effect.map(host.list("ci"), ([venue]) => venue?.stage === "awake"))
      const sql = (statement: string) =>
        Effect.provide(Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(statement, [made.id])), layer)
      const atDatabase = ["--cluster", url]
      const printed = (args: ReadonlyArray<string>) =>
        Effect.map(
          run(["host", ...args], { environment: { TXC_HOST_TOKEN: "secret" } }),
          ({ failed, out }) => failed === undefined ? out : assert.fail(failed.said)
        )

      for (const where of [atDatabase, ["--url", baseUrl]]) {
        const text = yield* printed(["status", ...where])
        assert.match(text, new RegExp(`^${address} +ready +\\S+ +\\d+ +60 +1`, "mu"))
        assert.match(text, new RegExp(`^${made.id} +ci +awake +\\S+ +\\d+ +${address}$`, "mu"))
        assert.match(text, / +another +asleep +- +\d+ +-$/mu)
        assert.strictEqual(JSON.parse(yield* printed(["status", "--json", ...where])).venues.length, 2)
      }
      const refused = yield* run(["host", "status", "--url", baseUrl], { environment: { TXC_HOST_TOKEN: "wrong" } })
      assert.include(refused.failed?.said, "TXC_HOST_TOKEN")

      // An exported journal contains the venue's complete history. The venue keeps running after the export.
      const data = join(dirname(yield* scratchFile), "exported")
      assert.match(yield* printed(["export", made.id, "--data", data, ...atDatabase]), /--dialect live/u)
      const before = yield* Effect.provide(PostgresJournal.commandsOf(made.id, undefined), layer)
      const opened = yield* Effect.scoped(Effect.gen(function*() {
        const venue = yield* Venue.make({ dialect: Dialect.live, file: join(data, "journal.sqlite") })
        return { orders: venue.state.openOrders.size, sequence: venue.journal.sequence() }
      }))
      assert.strictEqual(opened.orders, 1)
      assert.isAtLeast(opened.sequence, before.length)
      assert.include(
        (yield* run(["host", "export", made.id, "--data", data, ...atDatabase])).failed?.said,
        "exists already"
      )
      assert.include((yield* run(["host", "check", "none", ...atDatabase])).failed?.said, "no venue none")
      assert.deepInclude(yield* place, { status: 200 })

      // A check compares a replay with the snapshot, and finds a command that was changed.
      assert.match(yield* printed(["check", made.id, ...atDatabase]), /intact: \d+ commands.*no snapshot/u)
      // A venue that falls asleep writes a snapshot once it has executed this many commands.
      yield* Effect.forEach(
        Array.from({ length: 300 }),
        (_, move) => own(made, "POST", "MovePrice", { market: "BTC_USDT", price: String(40_000 + move) }),
        { concurrency: 30, discard: true }
      )
      assert.isTrue(yield* host.sleep(made.id))
      assert.match(
        yield* printed(["check", made.id, ...atDatabase]),
        /the state after command \d+ equals the snapshot/u
      )
      yield* sql("UPDATE txc_journal SET command = replace(command, '9000', '9001') WHERE venue = $1")
      assert.match((yield* run(["host", "check", made.id, ...atDatabase])).failed?.said ?? "", /damaged/u)

      assert.include((yield* run(["host", "drain", "10.0.0.7:1", ...atDatabase])).failed?.said, "There is no node")
      assert.include(
        (yield* run(["host", "drain", "10.0.0.7:1", "--url", baseUrl], { environment: { TXC_HOST_TOKEN: "secret" } }))
          .failed?.said,
        "There is no node"
      )
      yield* printed(["drain", address, ...atDatabase])
      yield* host.drained
    }).pipe(Effect.provide(FetchHttpClient.layer))
)
