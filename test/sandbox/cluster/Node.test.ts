/** Tests two nodes in the test's process. Each node forwards requests for a venue to the venue's own node. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Check from "../../../src/oracle/Check.ts"
import * as Report from "../../../src/oracle/Report.ts"
import * as Target from "../../../src/oracle/Target.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as Node from "../../../src/sandbox/cluster/Node.ts"
import * as Nodes from "../../../src/sandbox/cluster/Nodes.ts"
import * as Tables from "../../../src/sandbox/cluster/Tables.ts"
import * as Host from "../../../src/sandbox/host/Host.ts"
import * as HostServer from "../../../src/sandbox/host/HostServer.ts"
import { until } from "../../support/clock.ts"
import { cluster, takenBy, token } from "../../support/cluster.ts"
import { balance, call, keyOf, own, parse, ping, placeLimit, send } from "../../support/host.ts"
import { link } from "../../support/link.ts"
import { isLong } from "../../support/long.ts"
import { itWithPostgres, postgresServer, type Server } from "../../support/postgres.ts"
import { closedPort } from "../../support/server.ts"
import { dial } from "../streams/dial.ts"

/** Starts a node that accepts calls until its scope is closed. */
const started = Effect.fnUntraced(function*({ url }: Pick<Server, "url">) {
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  const nodePort = yield* closedPort
  const context = yield* Scope.provide(
    Layer.build(Layer.fresh(Node.layer({ url, clusterPort: yield* closedPort, nodePort }))),
    scope
  )
  const host = Context.get(context, Host.Host)
  const { baseUrl } = yield* Effect.provideContext(HostServer.serve({ drainTimeout: 5000 }), context).pipe(
    Scope.provide(scope)
  )
  const look = (path: string) => send("GET", `http://127.0.0.1:${nodePort}${path}`)
  return { host, baseUrl, look, address: `127.0.0.1:${nodePort}`, leave: Scope.close(scope, Exit.void) }
})

/** Returns the venue with its URLs at another node. */
const over = (made: Host.Made, baseUrl: string) => ({
  ...made,
  url: `${baseUrl}/v/${made.id}`,
  controlUrl: `${baseUrl}/v/${made.id}/control/v1/`
})

/** Reads the first entries after a position in the feed. */
const feed = (venue: Host.Made, after: string, count: number) =>
  Effect.promise(async () => {
    const response = await fetch(`${venue.controlUrl}Events`, {
      headers: { authorization: `Bearer ${venue.controlToken}`, "last-event-id": after }
    })
    let text = ""
    const decoder = new TextDecoder()
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes, { stream: true })
      const ids = [...text.matchAll(/^id: (.*)$/gmu)].map(([, id]) => id ?? "")
      if (ids.length >= count) return ids.slice(0, count)
    }
    return []
  })

/** Creates a token for the venue's WebSocket. */
const tokenFor = (venue: Host.Made) =>
  Effect.map(
    call(venue.url, "/api/v4/profile/websocket_token", keyOf(venue, "alice")),
    (answered) => String(parse(answered)["websocket_token"])
  )

/** Connects to the venue's WebSocket, and subscribes to the token's account. */
const subscribed = Effect.fnUntraced(function*(venue: Host.Made, token: string) {
  const client = yield* dial(`${venue.url.replace("http", "ws")}/ws`)
  assert.isNull((yield* client.ask("authorize", token, "public")).error)
  assert.isNull((yield* client.ask("ordersPending_subscribe", "BTC_USDT")).error)
  return client
})

/** Returns the sum of a metric's values at a node. */
const metric = (node: { readonly look: (path: string) => ReturnType<typeof send> }, name: string) =>
  Effect.map(
    node.look("/metrics"),
    ({ text }) => Number(new RegExp(`^effect_txc_${name}\\S* (\\d+)`, "mu").exec(text)?.[1])
  )

/** Creates twenty venues, and returns one that is assigned to the node with this address. */
const madeFor = Effect.fnUntraced(function*(host: Host.Host["Service"], address: string, dialect: "live" | "document") {
  const all = yield* Effect.forEach(Array.from({ length: 20 }), () => host.make({ dialect }))
  const isTheirs = ({ id }: Host.Made) => Effect.map(host.placement.ownerOf(id), (owner) => owner === address)
  yield* until(Effect.map(Effect.filter(all, isTheirs), (theirs) => theirs.length > 0))
  const [made = assert.fail()] = yield* Effect.filter(all, isTheirs)
  return made
})

itWithPostgres(
  "every node accepts requests for any venue, and a node that leaves loses nothing",
  () =>
    Effect.gen(function*() {
      const server = yield* postgresServer
      yield* Effect.provide(Tables.migrate, server.layer)
      const one = yield* started(server)
      const two = yield* started(server)
      yield* until(Effect.map(Effect.all([one.look("/ready"), two.look("/ready")]), (looks) =>
        looks.every(({ status }) =>
          status === 200
        )))
      assert.strictEqual(two.host.token, one.host.token)

      // The venue belongs to the second node. The test creates and uses the venue through the first node.
      const made = yield* madeFor(one.host, two.address, "live")
      const here = over(made, one.baseUrl)
      const there = over(made, two.baseUrl)
      const alice = keyOf(made, "alice")
      const order = { market: "BTC_USDT", side: "buy", amount: "0.001", price: "9000" }
      assert.deepInclude(yield* send("GET", here.url + ping), { status: 200, text: `["pong"]` })
      assert.deepInclude(yield* call(here.url, placeLimit, alice, order), { status: 200 })
      assert.strictEqual(
        (yield* own(there, "GET", "OpenOrders?account=alice")).text.match(/"price":"9000"/gu)?.length,
        1
      )

      // The control plane, faults, forks, snapshots and the page also work through either node.
      assert.deepInclude(
        yield* own(here, "POST", "Fund", { account: "alice", wallet: "main", ticker: "BTC", amount: "7" }),
        {
          status: 200
        }
      )
      assert.include((yield* call(there.url, balance, alice, { ticker: "BTC" })).text, "7")
      assert.deepInclude(yield* own(here, "POST", "Faults", { symptom: { _tag: "Reset", applied: false }, times: 1 }), {
        status: 200
      })
      assert.strictEqual(Exit.isFailure(yield* Effect.exit(call(here.url, balance, alice, { ticker: "BTC" }))), true)
      const { url: forkUrl } = parse(yield* own(here, "POST", "Fork", {}))
      assert.include(String(forkUrl), `/v/${made.id}/fork/`)
      const forked = here.url + new URL(String(forkUrl)).pathname.slice(`/v/${made.id}`.length)
      assert.deepInclude(yield* call(forked, placeLimit, alice, order), { status: 200 })
      assert.deepInclude(yield* own(here, "POST", "Snapshot", {}), { status: 200 })
      const page = yield* send("GET", `${here.url}/`)
      assert.strictEqual(page.status, 200)
      assert.include(page.text, "<html")
      assert.deepInclude(yield* own({ ...here, controlToken: "wrong" }, "GET", "Accounts"), { status: 401 })
      assert.include((yield* two.look("/metrics")).text, "requests_taken")

      // A feed continues on another node, and also after the venue has moved.
      const before = yield* feed(there, "0", 3)
      assert.strictEqual(before.length, 3)
      assert.deepStrictEqual(yield* feed(here, before[0] ?? "", 2), before.slice(1))
      // A WebSocket reaches the venue through either node, with a token from either node. Even many WebSockets do not
      // delay calls.
      const places = [
        ...Array.from({ length: 70 }, () =>
          here),
        there,
        there
      ]
      const token = yield* tokenFor(there)
      const clients = yield* Effect.forEach(places, (venue) => subscribed(venue, token), { concurrency: 16 })
      const { orderId } = parse(yield* call(here.url, placeLimit, alice, { ...order, price: "9001" }))
      for (const { next } of clients) {
        const { params } = yield* next("ordersPending_update")
        assert.deepInclude((params as ReadonlyArray<object>)[1], { id: orderId })
      }
      yield* until(Effect.map(metric(one, "sockets_passed_on"), (count) => count === 70))
      yield* until(Effect.map(metric(two, "sockets_open"), (count) => count >= 72))
      // Faults and limits move with the venue too, including the calls counted so far.
      const refusing = {
        symptom: { _tag: "Refuse", kind: "rateLimited" },
        path: "/api/v4/trade-account/executed-history"
      }
      assert.deepInclude(yield* own(there, "POST", "Faults", refusing), { status: 200 })
      const limit = { calls: 2, perSeconds: 1000 }
      assert.deepInclude(yield* own(there, "POST", "Limit", { path: balance, limit }), { status: 200 })
      // Earlier calls count only if their window has not ended.
      const last = yield* call(there.url, balance, alice, { ticker: "BTC" }).pipe(
        Effect.repeat({ until: ({ status }) => status === 429, times: 2 })
      )
      assert.deepInclude(last, { status: 429 })
      const faults = (yield* own(there, "GET", "Faults")).text
      assert.include(faults, refusing.path)
      yield* two.leave
      for (const { closed } of clients) assert.strictEqual(yield* closed, 1006)
      assert.strictEqual((yield* own(here, "GET", "Faults")).text, faults)
      // The token is still valid at the venue's new node.
      const { ask } = yield* subscribed(here, token)
      const pending = yield* ask("ordersPending_request", "BTC_USDT", 0, 100)
      assert.include(JSON.stringify(pending.result), `"id":${String(orderId)},`)
      assert.deepInclude(yield* call(here.url, balance, alice, { ticker: "BTC" }), { status: 429 })
      assert.deepStrictEqual(yield* feed(here, before[0] ?? "", 2), before.slice(1))
      assert.strictEqual(
        (yield* own(here, "GET", "OpenOrders?account=alice")).text.match(/"price":"9000"/gu)?.length,
        1
      )
      assert.deepInclude(yield* call(here.url, placeLimit, alice, order), { status: 200 })

      // A deleted venue is gone, even from a node on which it was awake a second ago.
      const three = yield* started(server)
      yield* three.host.end(made.id)
      assert.deepInclude(yield* call(here.url, placeLimit, alice, order), { status: 404 })
      assert.deepInclude(yield* send("GET", over(made, three.baseUrl).url + ping), { status: 404 })
    }).pipe(Effect.provide(FetchHttpClient.layer))
)

itWithPostgres(
  "a node that has lost a venue without noticing acknowledges no commands and serves no reads",
  () =>
    Effect.gen(function*() {
      const server = yield* postgresServer
      yield* Effect.provide(Tables.migrate, server.layer)
      const wire = yield* link(Number(new URL(server.url).port))
      const one = yield* started({ url: server.url.replace(/:\d+\//u, `:${wire.port}/`) })
      const made = over(yield* one.host.make({ dialect: "live" }), one.baseUrl)
      const alice = keyOf(made, "alice")
      /** Makes it look as if another node had taken over the venue and released it. */
      const lose = Effect.provide(
        Effect.flatMap(
          PgClient.PgClient,
          (sql) => sql`UPDATE txc_venue SET epoch = epoch + 1 WHERE venue = ${made.id}`
        ),
        server.layer
      )
      const refuse = { symptom: { _tag: "Refuse", kind: "rateLimited" } }
      const looks = Effect.fnUntraced(function*(operation: string) {
        const { status, text } = yield* own(made, "GET", operation)
        assert.strictEqual(status, 200)
        return text
      })

      // Most of these actions change only memory. Their connections still break, because the actions may have been
      // carried out.
      const attempts = [
        own(made, "POST", "Faults", refuse),
        own(made, "DELETE", "Faults"),
        own(made, "DELETE", "Faults/1"),
        own(made, "POST", "Limit", { limit: { calls: 1, perSeconds: 1 } }),
        own(made, "DELETE", "Forks/1"),
        own(made, "POST", "Requests/1/Again", {}),
        // Based on its outdated state, the node would refuse this action.
        own(made, "POST", "Restore", { sequence: 1_000_000 }),
        own(made, "POST", "Fund", { account: "alice", wallet: "main", ticker: "BTC", amount: "7" })
      ]
      for (const attempt of attempts) {
        assert.strictEqual(yield* looks("Faults"), "[]")
        yield* lose
        assert.isTrue(Exit.isFailure(yield* Effect.exit(attempt)))
      }
      assert.strictEqual(yield* looks("Faults"), "[]")

      // Faults and call records from before the takeover affect neither reads nor calls.
      for (
        const look of [
          looks("Faults"),
          looks("Requests"),
          Effect.map(call(made.url, balance, alice, { ticker: "BTC" }), ({ status }) => String(status))
        ]
      ) {
        assert.deepInclude(yield* own(made, "POST", "Faults", refuse), { status: 200 })
        assert.deepInclude(yield* call(made.url, balance, alice, { ticker: "BTC" }), { status: 429 })
        yield* lose
        assert.include(["[]", "200"], yield* look)
      }

      // The node sends nothing more over a WebSocket, and closes it.
      const { ask, closed } = yield* subscribed(made, yield* tokenFor(made))
      yield* lose
      const ended = { _tag: "Ended" }
      assert.deepStrictEqual(
        yield* Effect.raceFirst(ask("ordersPending_request", "BTC_USDT", 0, 100), Effect.as(closed, ended)),
        ended
      )

      // A node whose database does not respond, or is read-only, is not ready.
      assert.deepInclude(yield* one.look("/ready"), { status: 200 })
      yield* wire.cut("silent")
      const silent = yield* one.look("/ready")
      assert.strictEqual(silent.status, 503)
      // On a busy machine, the node may have lost its venues by then, and reports that as well.
      assert.include(silent.text, "The database has not responded for 2 seconds\n")
      yield* wire.mend
      yield* until(Effect.map(one.look("/ready"), ({ status }) => status === 200))
      const standby = (isReadOnly: boolean) =>
        Effect.provide(
          Effect.gen(function*() {
            const sql = yield* PgClient.PgClient
            yield* sql.unsafe(`ALTER SYSTEM SET default_transaction_read_only = ${isReadOnly}`)
            yield* sql`SELECT pg_reload_conf()`
          }),
          server.layer
        )
      yield* standby(true)
      yield* until(Effect.map(one.look("/ready"), ({ text }) => text.includes("The database is read-only")))
      // The node's reports can't be written, and the failures are counted as errors.
      yield* until(
        Effect.map(one.look("/metrics"), ({ text }) => /^effect_txc_database_errors\{kind="\w+"\} [1-9]/mu.test(text))
      )
      yield* standby(false)
      yield* until(Effect.map(one.look("/ready"), ({ status }) => status === 200))
    }).pipe(Effect.provide(FetchHttpClient.layer))
)

itWithPostgres(
  "an operator can see the nodes, the venues and their stages, and can drain a node",
  () =>
    Effect.gen(function*() {
      const server = yield* postgresServer
      yield* Effect.provide(Tables.migrate, server.layer)
      const one = yield* started(server)
      const two = yield* started(server)
      yield* until(Effect.map(Effect.all([one.look("/ready"), two.look("/ready")]), (looks) =>
        looks.every(({ status }) =>
          status === 200
        )))
      const made = yield* madeFor(one.host, two.address, "live")
      const placed = Effect.map(one.host.list(), (all) => {
        const { node, since, stage } = all.find(({ id }) =>
          id === made.id
        ) ?? assert.fail()
        return { node, stage, isDated: since !== undefined }
      })
      assert.deepStrictEqual(yield* placed, { node: undefined, stage: "asleep", isDated: false })
      assert.deepInclude(yield* send("GET", over(made, one.baseUrl).url + ping), { status: 200 })
      assert.deepStrictEqual(yield* placed, { node: two.address, stage: "awake", isDated: true })
      const metrics = (yield* one.look("/metrics")).text
      assert.match(metrics, /^effect_txc_request_seconds_bucket\{le="8.192"\} [1-9]/mu)
      assert.match(metrics, /^effect_txc_venues_halted\S* 0/mu)

      // Querying the database directly gives the same result.
      const nodes = Effect.provide(Effect.flatMap(PgClient.PgClient, Nodes.list), server.layer)
      assert.sameMembers((yield* nodes).map(({ node }) => node), [one.address, two.address])
      yield* until(Effect.map(nodes, (all) => all.every(({ state }) => state === "ready")))
      assert.strictEqual((yield* nodes).reduce((sum, { shards }) => sum + shards, 0), 60)

      assert.include((yield* Effect.flip(one.host.drain("10.0.0.7:1"))).message, "There is no node 10.0.0.7:1")
      yield* one.host.drain(two.address)
      yield* two.host.drained
      assert.deepInclude((yield* one.host.status).nodes?.find(({ node }) => node === two.address), {
        state: "draining"
      })
      const leaving = yield* Effect.forkChild(two.leave)
      yield* until(Effect.map(two.look("/ready"), ({ text }) => text.includes("is stopping")))
      yield* Fiber.join(leaving)
      assert.deepStrictEqual((yield* one.host.status).nodes?.map(({ node }) => node), [one.address])
      assert.deepStrictEqual(yield* placed, { node: undefined, stage: "asleep", isDated: true })
      // The venues of a node that has vanished are listed as lost.
      yield* send("GET", over(made, one.baseUrl).url + ping)
      yield* Effect.provide(
        Effect.flatMap(PgClient.PgClient, (sql) => sql`UPDATE txc_venue SET node = '10.0.0.7:1'`),
        server.layer
      )
      assert.deepStrictEqual(yield* placed, { node: "10.0.0.7:1", stage: "lost", isDated: true })
    }).pipe(Effect.provide(FetchHttpClient.layer))
)

itWithPostgres(
  "clusters in two schemas of one database share nothing",
  () =>
    Effect.gen(function*() {
      const server = yield* postgresServer
      const made = []
      for (const schema of ["one", "Two"]) {
        const url = `${server.url}?options=-c%20search_path%3D%22${schema}%22`
        yield* Effect.provide(
          Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(`CREATE SCHEMA "${schema}"`)),
          server.layer
        )
        yield* Effect.provide(Tables.migrate, Node.database(url))
        const node = yield* started({ url })
        yield* until(Effect.map(node.look("/ready"), ({ status }) => status === 200))
        made.push({ node, venue: over(yield* node.host.make(), node.baseUrl) })
      }
      for (const { node, venue } of made) {
        assert.deepInclude(yield* send("GET", venue.url + ping), { status: 200, text: `["pong"]` })
        assert.deepStrictEqual((yield* node.host.list()).map(({ id }) => id), [venue.id])
      }
    }).pipe(Effect.provide(FetchHttpClient.layer))
)

if (isLong) {
  itWithPostgres(
    "the oracle finds no deviation in a venue that it calls through another node",
    () =>
      Effect.gen(function*() {
        const server = yield* postgresServer
        yield* Effect.provide(Tables.migrate, server.layer)
        const one = yield* started(server)
        const two = yield* started(server)
        for (const dialect of [Dialect.document, Dialect.live]) {
          const made = yield* madeFor(one.host, two.address, dialect.name)
          const { controlToken, controlUrl, url } = over(made, one.baseUrl)
          const target = yield* Target.fromLayer(NodeHttpClient.layerUndici, {
            baseUrl: url,
            dialect,
            control: { url: controlUrl, token: Redacted.make(controlToken) }
          })
          const report = yield* Check.check(target, { profile: "control", seed: 7, runs: 1 })
          const broken = report.results.filter(({ outcome }) =>
            outcome._tag === "Broken" || outcome._tag === "CouldNotRun"
          )
          assert.deepStrictEqual(broken.map(Report.line), [])
          assert.isAbove(report.results.filter(({ outcome }) => outcome._tag === "Held").length, 20)
        }
      })
  )
}

// -----------------------------------------------------------------------------
// The published ccxt through a cluster
// -----------------------------------------------------------------------------

const folder = fileURLToPath(new URL("../../ccxt", import.meta.url))

/** Runs ccxt's tests in a separate process. Returns the last part of their output. */
const suite = (address: string) =>
  Effect.callback<string>((resume) => {
    const env = { ...process.env, TXC_HOSTED: address, TXC_HOST_TOKEN: token }
    execFile("npm", ["run", "--silent", "test:one"], { cwd: folder, env, maxBuffer: 2 ** 26 }, (_failure, output) =>
      resume(Effect.succeed(output)))
  })

const itWithCcxt: typeof itWithPostgres = isLong && existsSync(`${folder}/node_modules/ccxt`)
  ? itWithPostgres
  : () => undefined

// ccxt's tests know only the first node. About half of their venues belong to the second node.
itWithCcxt("ccxt trades through one node, no matter which node has the venue", () =>
  Effect.gen(function*() {
    const { nodes: [one = assert.fail(), two = assert.fail()] } = yield* cluster(2)
    const output = yield* suite(one.baseUrl)
    assert.match(output, /^ℹ fail 0$/mu, output)
    assert.notMatch(output, /^ℹ pass 0$/mu)
    assert.isAbove(yield* takenBy(two), 0, "the other node had venues too")
  }))
