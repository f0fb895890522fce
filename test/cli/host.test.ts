import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import { spawn } from "node:child_process"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Engine from "../../src/sandbox/engine/Engine.ts"
import * as Host from "../../src/sandbox/host/Host.ts"
import * as HostRouter from "../../src/sandbox/host/HostRouter.ts"
import * as InProcess from "../../src/sandbox/server/InProcess.ts"
import { run } from "../support/command.ts"
import { compiled, programOf, scratchFile } from "../support/files.ts"
import { balance, call, keyOf, own, placeLimit } from "../support/host.ts"

interface First {
  readonly url: string
  readonly controlUrl: string
  readonly controlToken: string
}

/**
 * Starts the command as a parent process would, and reads its first line of output. `end` closes its standard input and
 * waits for the exit code.
 */
const started = (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>> = {}) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly first: First; readonly end: Effect.Effect<number | null> }>((resume) => {
      const child = spawn(process.execPath, [programOf("main"), "host", "--until-stdin-ends", ...args], {
        stdio: ["pipe", "pipe", "inherit"],
        env: { ...process.env, ...compiled, ...environment }
      })
      const ended = new Promise<number | null>((resolve) => {
        child.on("close", resolve)
      })
      const end = Effect.promise(() => {
        child.stdin.end()
        return ended
      })
      let text = ""
      child.stdout.on("data", (chunk: Buffer) => {
        text += chunk.toString()
        const line = /^(\{.*\})\n/u.exec(text)?.[1]
        if (line !== undefined) resume(Effect.succeed({ first: JSON.parse(line) as First, end }))
      })
      child.on("close", (code) => resume(Effect.die(`the command has ended with ${code}: ${text}`)))
    }),
    ({ end }) => end
  )

/** A client for the venues of a host in this process. */
const inProcess = (host: Host.Host["Service"]) =>
  Layer.effect(HttpClient.HttpClient, Effect.flatMap(HostRouter.make(host), InProcess.make))

const make = ({ controlToken, controlUrl }: First) =>
  Effect.promise(async () => {
    const answer = await fetch(`${controlUrl}Venues`, {
      method: "POST",
      headers: { authorization: `Bearer ${controlToken}` }
    })
    return await answer.json() as { readonly url: string }
  })

describe("effect-txc host", () => {
  it.live("`host` prints its address, keeps its venues and token across restarts, and stops with its parent process", () =>
    Effect.gen(function*() {
      const folder = join(dirname(yield* scratchFile), "venues")
      const states = { XDG_STATE_HOME: dirname(folder) }
      const { end, first } = yield* started(["--data", folder], states)
      const { url } = yield* make(first)
      const path = new URL(url).pathname
      const pong = (first: First) =>
        Effect.promise(() => fetch(`${first.url}${path}/api/v4/public/ping`).then((answer) => answer.text()))
      assert.strictEqual(yield* pong(first), `["pong"]`)
      const refused = yield* run(["host", "--data", folder], { environment: states })
      assert.include(refused.failed?.said, `which serves it on ${first.url}`)
      assert.strictEqual(yield* end, 0)
      const again = yield* started(["--data", folder])
      assert.strictEqual(again.first.controlToken, first.controlToken)
      assert.strictEqual(yield* pong(again.first), `["pong"]`)
      assert.strictEqual(yield* again.end, 0)
      const given = yield* started(["--memory"], { TXC_HOST_TOKEN: "a token of mine" })
      assert.strictEqual(given.first.controlToken, "a token of mine")
    }).pipe(Effect.scoped))

  it.live("a venue exported from a stopped host continues in another host with the same token, keys and orders", () =>
    Effect.gen(function*() {
      const folder = dirname(yield* scratchFile)
      const [one, other, data] = [join(folder, "one"), join(folder, "other"), join(folder, "exported")]
      const out = (args: ReadonlyArray<string>) =>
        Effect.map(run(["host", ...args]), ({ failed, out }) => failed === undefined ? out : assert.fail(failed.said))
      const said = (args: ReadonlyArray<string>) =>
        Effect.map(run(["host", ...args]), ({ failed }) => failed?.said ?? assert.fail("it did not fail"))
      const order = { market: "BTC_USDT", side: "buy", amount: "0.001", price: "9000" }
      const made = yield* Effect.scoped(Effect.gen(function*() {
        const host = yield* Host.open({ folder: one })
        const fresh = yield* host.make({ dialect: "live" })
        const used = yield* host.make({ dialect: "live", owner: "desk" })
        assert.include(yield* said(["export", used.id, "--from", one, "--data", data]), "in use by a running host")
        const { status } = yield* Effect.provide(
          call(used.url, placeLimit, keyOf(used, "alice"), order),
          inProcess(host)
        )
        assert.strictEqual(status, 200)
        return { fresh, used }
      }))
      const { fresh: { id: fresh }, used } = made
      assert.include(yield* said(["export", fresh, "--from", one, "--data", join(folder, "none")]), "never called")
      assert.include(yield* said(["export", "none", "--from", one, "--data", join(folder, "none")]), "no venue none")
      assert.include(yield* out(["export", used.id, "--from", one, "--data", data]), `--data ${data} --into FOLDER`)
      assert.include(yield* out(["import", "--into", other, "--data", data]), `has the venue ${used.id}`)
      // Importing the same history again has no effect.
      yield* out(["import", "--into", other, "--data", data])
      yield* Effect.scoped(Effect.gen(function*() {
        const host = yield* Host.open({ folder: other })
        assert.deepStrictEqual((yield* host.list("desk")).map(({ id }) => id), [used.id])
        const again = yield* host.find(used.id)
        assert.deepStrictEqual([again.controlToken, again.keys], [used.controlToken, used.keys])
        const client = inProcess(host)
        const { text } = yield* Effect.provide(own(again, "GET", "OpenOrders?account=alice"), client)
        assert.strictEqual(text.match(/"price":"9000"/gu)?.length, 1)
        yield* Effect.provide(call(again.url, placeLimit, keyOf(again, "alice"), order), client)
      }))
      assert.include(yield* said(["import", "--into", other, "--data", data]), "a different history")
    }).pipe(Effect.scoped))

  it.live("a venue from an older engine version is refused until its exported journal has been imported", () =>
    Effect.gen(function*() {
      const folder = dirname(yield* scratchFile)
      const [at, data] = [join(folder, "host"), join(folder, "exported")]
      const serving = <A, E>(use: (host: Host.Host["Service"]) => Effect.Effect<A, E, HttpClient.HttpClient>) =>
        Effect.scoped(
          Effect.flatMap(Host.open({ folder: at }), (host) => Effect.provide(use(host), inProcess(host)))
        )
      const made = yield* serving((host) =>
        Effect.tap(host.make(), (made) => call(made.url, balance, keyOf(made, "alice"), { ticker: "BTC" }))
      )
      const ran = (args: ReadonlyArray<string>) => run(["host", ...args, "--data", data])
      assert.isUndefined((yield* ran(["export", made.id, "--from", at])).failed)
      // Makes the record look like one written by the previous release.
      const database = new DatabaseSync(join(at, "venues", made.id, "journal.sqlite"))
      database.exec(
        `UPDATE venue SET rules = replace(rules, 'engine ${Engine.version}', 'engine ${Engine.version - 1}')`
      )
      database.close()
      const refused = yield* serving(() => own(made, "GET", "Status"))
      assert.strictEqual(refused.status, 503)
      assert.include(refused.text, `effect-txc host export ${made.id} --from ${at}`)
      const other = ["export", made.id, "--from", at, "--data", join(folder, "other")]
      assert.include((yield* run(["host", ...other])).failed?.said, `engine ${Engine.version - 1} wrote it`)
      assert.isUndefined((yield* ran(["import", "--into", at])).failed)
      const { status } = yield* serving(() => call(made.url, balance, keyOf(made, "alice"), { ticker: "BTC" }))
      assert.strictEqual(status, 200)
    }).pipe(Effect.scoped))

  it.effect("`host` rejects flags that have no effect in a cluster", () =>
    Effect.gen(function*() {
      const cluster = ["--cluster", "postgres://db.internal/effect_txc"]
      for (const flags of [["--data", "venues"], ["--memory"]]) {
        const { failed } = yield* run(["host", ...cluster, ...flags])
        assert.include(failed?.said, `${flags[0]} and a cluster exclude each other`)
      }
    }))

  it.effect("`host` rejects flags that set a limit to zero", () =>
    Effect.gen(function*() {
      const { error } = yield* run(["host", "--max-awake", "0"])
      assert.include(error, `--max-awake cannot be "0"`)
    }))
})
