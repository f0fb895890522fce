/** Tests venues of an older release in a cluster of newer nodes. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import { dirname, join } from "node:path"
import * as Engine from "../../../src/sandbox/engine/Engine.ts"
import type { Made } from "../../../src/sandbox/host/HostModels.ts"
import { until } from "../../support/clock.ts"
import { cluster, makeVenue, nodeOf, token } from "../../support/cluster.ts"
import { run } from "../../support/command.ts"
import { scratchFile } from "../../support/files.ts"
import { balance, call, keyOf, own, placeLimit, send } from "../../support/host.ts"
import { olderProgram, runOlder } from "../../support/older.ts"
import { itWithPostgres } from "../../support/postgres.ts"

const order = { market: "BTC_USDT", side: "buy", amount: "0.001", price: "9000" }

itWithPostgres(
  "nodes of two releases serve venues of both releases, and a venue can move to the newer release without losing its account",
  () =>
    Effect.gen(function*() {
      const { database, nodes: [node = assert.fail()] } = yield* cluster(1)
      const older = olderProgram("main")
      const asOlder = (...args: ReadonlyArray<string>) => runOlder(older, ["host", ...args, "--cluster", database.url])
      const asNewer = (...args: ReadonlyArray<string>) =>
        Effect.map(
          run(["host", ...args, "--cluster", database.url]),
          ({ failed, out }) => failed === undefined ? out : failed.said
        )
      assert.include(yield* asOlder("--migrate"), "already have")
      const olderNodes = yield* Effect.forEach([1, 2], () => nodeOf(database, olderProgram("node")))
      yield* Effect.forEach(olderNodes, ({ start }) => start, { concurrency: "unbounded" })
      const [one = assert.fail(), other = assert.fail()] = olderNodes
      const at = ({ baseUrl }: { readonly baseUrl: string }, { id }: Made) => `${baseUrl}/v/${id}`
      const venues = yield* Effect.forEach([1, 2], () => makeVenue(one))
      const [made = assert.fail(), left = assert.fail()] = venues
      const newer = yield* makeVenue(node)
      // Nodes that start together need a second or two to agree on their venues.
      yield* Effect.sleep("3 seconds")

      // Every node serves calls to every venue. Calls to venues of the other release are forwarded.
      const answers = Effect.fnUntraced(function*(from: { readonly baseUrl: string }, venue: Made) {
        const answer = yield* call(at(from, venue), balance, keyOf(venue, "bob"), { ticker: "BTC" })
        assert.strictEqual(answer.status, 200, answer.text)
      })
      for (const from of [one, other, node]) {
        for (const venue of [...venues, newer]) yield* answers(from, venue)
      }
      /** Waits until the status shows a venue as awake: a node reports its venues at intervals. */
      const shownAwake = ({ id }: Made, version: number) => {
        const isAwake = new RegExp(`^${id} +\\S+ +awake +\\S+ +${version} `, "mu")
        return until(Effect.map(asNewer("status"), (status) => isAwake.test(status)))
      }
      yield* shownAwake(made, Engine.version - 1)
      yield* shownAwake(newer, Engine.version)

      // The older release exports a venue, and the newer release imports it, unless the venue was called after the
      // export.
      const folder = dirname(yield* scratchFile)
      const [stale, data] = [join(folder, "stale"), join(folder, "exported")]
      yield* asOlder("export", made.id, "--data", stale)
      const used = 9e15
      const place = call(at(node, made), placeLimit, keyOf(made, "alice"), order, { nonce: used })
      assert.strictEqual((yield* place).status, 200)
      const account = (nonce: number) => call(at(node, made), balance, keyOf(made, "alice"), {}, { nonce })
      const { text: before } = yield* account(used + 1)
      assert.include(before, "main_balance")
      assert.include(yield* asNewer("import", "--data", stale), "a different history")
      assert.include(yield* asNewer("import", "--data", folder), "is not an exported venue")
      yield* asOlder("export", made.id, "--data", data)
      assert.include(yield* asNewer("import", "--data", data), `The cluster has the venue ${made.id}`)
      assert.include(yield* asNewer("import", "--data", data), "already has it")
      for (const from of [one, other, node]) yield* answers(from, made)
      assert.include((yield* place).text, "Too many requests")
      assert.strictEqual((yield* account(used + 2)).text, before)
      assert.match(yield* asNewer("check", made.id), /intact/u)
      yield* shownAwake(made, Engine.version)

      // If no node runs the venue's release, calls to the venue are refused, and the refusal states the remedy.
      yield* Effect.forEach(olderNodes, ({ ended, signal }) => Effect.andThen(signal("SIGTERM"), ended), {
        concurrency: "unbounded"
      })
      const asked = send("GET", `${at(node, left)}/api/v4/public/ping`)
      yield* until(Effect.map(asked, ({ status }) => status === 503))
      const { text } = yield* asked
      assert.include(text, "no node of that version is running. Run a node of that release next to this one, or export")
      assert.include(text, `host export ${left.id} --data FOLDER`)
      const ready = yield* send("GET", `${node.vitals}/ready`)
      assert.strictEqual(ready.status, 200)
      assert.include(ready.text, `Engine ${Engine.version - 1} wrote 1 of the venues, such as ${left.id}`)
      const plane = { controlUrl: `${node.baseUrl}/control/v1/`, controlToken: token }
      const copied = yield* own(plane, "POST", `Venues/${left.id}/Copy`, {})
      assert.strictEqual(copied.status, 503)
      assert.include(copied.text, `engine ${Engine.version - 1} wrote it`)
      assert.include(yield* asNewer("check", left.id), "Check it with that release")
    }).pipe(Effect.provide(FetchHttpClient.layer))
)
