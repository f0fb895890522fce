import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { dirname, join } from "node:path"
import * as ControlOperations from "../../src/cli/ControlOperations.ts"
import * as Running from "../../src/cli/Running.ts"
import { ControlApi } from "../../src/sandbox/control/ControlApi.ts"
import * as Example from "../../src/sandbox/Example.ts"
import * as Host from "../../src/sandbox/host/Host.ts"
import * as HostServer from "../../src/sandbox/host/HostServer.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import * as Server from "../../src/sandbox/server/Server.ts"
import { run } from "../support/command.ts"
import { scratchFile } from "../support/files.ts"
import { refusingPort } from "../support/server.ts"

const controlToken = "control-token"

/** Creates a separate state folder, and the environment that points to it. */
const state = Effect.map(scratchFile, (file) => ({ XDG_STATE_HOME: dirname(file) }))

const folderOf = ({ XDG_STATE_HOME }: { readonly XDG_STATE_HOME: string }) =>
  join(XDG_STATE_HOME, "effect-txc", "running")

const announce = (environment: Readonly<Record<string, string>>, server: Running.Announced) =>
  Running.announce(server).pipe(
    Effect.provide(Layer.merge(NodeServices.layer, ConfigProvider.layer(ConfigProvider.fromUnknown(environment))))
  )

/** Serves the venue from the context as `effect-txc sandbox` does, and returns how to reach it. */
const served = Effect.gen(function*() {
  const environment = yield* state
  yield* Example.setUp
  const { baseUrl } = yield* Server.serve({ controlToken })
  yield* announce(environment, { kind: "sandbox", url: baseUrl, controlToken })
  return { baseUrl, environment }
})

const scoped = <A, E, R>(effect: Effect.Effect<A, E, R>) => effect.pipe(Effect.scoped, Effect.provide(Sandbox.layer()))

const balanceIn = (out: string, wallet: string, ticker: string): string | undefined =>
  (JSON.parse(out) as ReadonlyArray<Readonly<Record<string, string>>>)
    .find((balance) => balance["wallet"] === wallet && balance["ticker"] === ticker)?.["free"]

describe("effect-txc control", () => {
  it.effect("`control` has a subcommand for every control-plane operation, and no two flags of a subcommand share a name", () =>
    Effect.gen(function*() {
      const operations = Object.values(ControlApi.groups).flatMap(({ endpoints }) => Object.keys(endpoints))
      assert.sameMembers(ControlOperations.all.map(({ name }) => name), operations)
      const { out } = yield* run(["control", "--help"])
      for (const { alias, command, fields, name } of ControlOperations.all) {
        if (name !== "status")
          assert.match(out, new RegExp(`\n  ${command}${alias === undefined ? "" : `, ${alias}`} `, "u"))
        const names = [...fields.map(({ name }) => name), "url", "token", "venue", "json", "help"]
        assert.deepStrictEqual(names, [...new Set(names)], command)
      }
    }))

  it.live("`control` finds the running sandbox, and accepts required fields as arguments and other fields as flags", () =>
    scoped(Effect.gen(function*() {
      const { environment } = yield* served
      const control = (...args: ReadonlyArray<string>) => run(["control", ...args], { environment })
      const before = balanceIn((yield* control("balances", "alice")).out, "main", "USDT")
      const funded = yield* control("fund", "alice", "main", "USDT", "1000")
      assert.deepStrictEqual([funded.out, funded.error, funded.failed], ["{}", "", undefined])
      assert.strictEqual(
        balanceIn((yield* control("balances", "alice")).out, "main", "USDT"),
        String(Number(before) + 1000)
      )
      yield* control("price", "BTC_USDT", "41000")
      yield* control("step-price", "BTC_USDT", "-100")
      yield* control("fault", "Reset", "--applied", "true", "--path", "/api/v4/order/new", "--times", "2")
      // Stream faults share some of these flags, but accept other values.
      yield* control("fault", "Refuse", "--kind", "nonceUsed")
      yield* control("fault", "Cut", "--channel", "depth", "--close", "true")
      const [fault, refusal, cut] = JSON.parse((yield* control("faults")).out) as ReadonlyArray<
        { readonly fault: { readonly symptom: object; readonly path?: string; readonly times?: number } }
      >
      assert.deepStrictEqual(refusal?.fault.symptom, { _tag: "Refuse", kind: "nonceUsed" })
      assert.deepStrictEqual(cut?.fault.symptom, { _tag: "Cut", close: true })
      assert.deepStrictEqual(fault?.fault, {
        path: "/api/v4/order/new",
        times: 2,
        symptom: { _tag: "Reset", applied: true }
      })
      yield* control("freeze-clock")
      yield* control("set-clock", "2190-01-01T00:00:00Z")
      yield* control("advance-clock", "1 hour")
      const { at } = JSON.parse((yield* control("clock")).out) as { readonly at: number }
      assert.strictEqual(at, Date.UTC(2190, 0, 1, 1) * 1000)
      yield* control("limit", "/api/v4/order/new", "--calls", "2", "--per-seconds", "1")
      const { sequence } = JSON.parse((yield* control("snapshot")).out) as { readonly sequence: number }
      yield* control("fund", "alice", "main", "USDT", "1")
      assert.strictEqual((yield* control("restore", String(sequence))).out, "{}")
      const lines = (yield* control("journal")).out.split("\n")
      const status = JSON.parse((yield* control("status")).out) as ReadonlyArray<object>
      assert.deepInclude(status[0], { kind: "sandbox", state: "document", commands: lines.length })
    })))

  it.live("`control` prints tables on a terminal with 80 columns, and JSON with --json", () =>
    scoped(Effect.gen(function*() {
      const { environment } = yield* served
      const person = { columns: 80 }
      for (const operation of ["accounts", "markets", "status", "endpoints", "commands", "counterparty"]) {
        const { out } = yield* run(["control", operation], { environment, person })
        const lines = out.split("\n")
        assert.isAbove(lines.length, 1, operation)
        for (const line of lines) assert.isAtMost(line.length, 80, line)
        JSON.parse((yield* run(["control", operation, "--json"], { environment, person })).out)
      }
      const done = yield* run(["control", "begin"], { environment, person })
      assert.strictEqual(done.out, "done")
    })))

  it.live("`control` names the wrong argument and suggests a similar name", () =>
    scoped(Effect.gen(function*() {
      const { environment } = yield* served
      const cases: ReadonlyArray<readonly [said: string, ...args: ReadonlyArray<string>]> = [
        ["There is no command \"pric\"; did you mean price?\nSee effect-txc control --help", "pric"],
        ["<wallet> cannot be \"man\"; did you mean main?", "fund", "alice", "man", "USDT", "1"],
        ["<amount> cannot be \"-3\": expected more than 0", "fund", "alice", "main", "USDT", "-3"],
        ["<amount> cannot be \"x\": expected a decimal number", "fund", "alice", "main", "USDT", "x"],
        ["There is no account alise; did you mean alice?", "fund", "alise", "main", "USDT", "1"],
        ["There is no market BTC_USD; did you mean BTC_USDT?", "depth", "BTC_USD"],
        ["<at> cannot be \"tomorrow\": expected a time", "set-clock", "tomorrow"],
        ["--applied is missing: it needs true or false\nSee effect-txc control fault --help", "fault", "Reset"],
        ["--applied does not apply here", "fault", "Malformed", "--applied", "true"],
        ["<symptom> cannot be \"reset\"; did you mean Reset?", "fault", "reset"],
        ["There is no flag --spred; did you mean --spread?", "set-counterparty", "BTC_USDT", "--spred", "1"]
      ]
      for (const [said, ...args] of cases) {
        const { error, failed, out } = yield* run(["control", ...args], { environment })
        assert.include(error === "" ? failed?.said : error, said)
        assert.strictEqual(out, "")
      }
    })))

  it.live("`control` explains how to choose a sandbox if none or several run, and requires a token for a remote sandbox", () =>
    scoped(Effect.gen(function*() {
      const { baseUrl, environment } = yield* served
      const elsewhere = yield* state
      const none = yield* run(["control", "clock"], { environment: elsewhere })
      assert.strictEqual(none.failed?.tag, "Refused")
      assert.include(none.failed?.said, "No sandbox is running on this machine\nStart one with effect-txc sandbox")
      assert.strictEqual((yield* run(["control", "status"], { environment: elsewhere })).out, "[]")

      const unknown = yield* run(["control", "clock", "--url", baseUrl], { environment: elsewhere })
      assert.include(unknown.failed?.said, `The control token of ${baseUrl} is not known`)
      const wrong = yield* run(["control", "clock", "--url", baseUrl, "--token", "x"], { environment: elsewhere })
      assert.deepStrictEqual([wrong.failed?.tag, wrong.failed?.said.split("\n")[0]], [
        "ControlFailed",
        `${baseUrl} does not accept the token`
      ])
      for (const url of [baseUrl, `${baseUrl}/`, `${baseUrl}/control/v1/`]) {
        const environment = { ...elsewhere, TXC_CONTROL_TOKEN: controlToken }
        assert.include((yield* run(["control", "clock", "--url", url], { environment })).out, "\"frozen\"")
      }

      const other = `http://127.0.0.1:${yield* refusingPort}`
      yield* announce(environment, { kind: "sandbox", url: other, controlToken })
      const two = yield* run(["control", "clock"], { environment })
      assert.strictEqual(two.failed?.tag, "Refused")
      assert.include(two.failed?.said, "2 sandboxes are running on this machine\nChoose one with --url: ")
      const named = yield* run(["control", "clock"], { environment: { ...environment, TXC_BASE_URL: baseUrl } })
      assert.include(named.out, "\"frozen\"")
      const silent = yield* run(["control", "clock", "--url", other], { environment })
      assert.include(silent.failed?.said, `No sandbox responds at ${other}`)
      assert.include((yield* run(["control", "status"], { environment })).out, "does not respond")
    })))

  it.live("`control` rejects --venue while no host is running", () =>
    Effect.gen(function*() {
      const environment = yield* state
      yield* announce(environment, { kind: "sandbox", url: "http://127.0.0.1:1", controlToken })
      const { failed } = yield* run(["control", "clock", "--venue", "x"], { environment })
      assert.include(failed?.said, "only a host has venues")
    }).pipe(Effect.scoped))

  it.live("`control` uses the host's venue that --venue names, or the host's only venue", () =>
    Effect.gen(function*() {
      const environment = yield* state
      const host = yield* Host.open({ token: controlToken })
      const { baseUrl } = yield* Effect.provideService(HostServer.serve(), Host.Host, host)
      yield* announce(environment, { kind: "host", url: baseUrl, controlToken })
      const none = yield* run(["control", "clock"], { environment })
      assert.include(none.failed?.said, "is a host with no venues\nCreate one: curl -X POST")
      const first = yield* host.make({})
      assert.include((yield* run(["control", "clock"], { environment })).out, "\"frozen\"")
      const second = yield* host.make({ dialect: "live" })
      const many = yield* run(["control", "clock"], { environment })
      assert.include(many.failed?.said, "is a host with 2 venues\nChoose one with --venue")
      const wrong = yield* run(["control", "clock", "--venue", `${first.id}x`], { environment })
      assert.include(wrong.failed?.said, `has no venue ${first.id}x; did you mean ${first.id}?`)
      const status = yield* run(["control", "status", "--venue", second.id], { environment })
      assert.include(status.out, "\"dialect\": \"live\"")
      const listed = JSON.parse((yield* run(["control", "status"], { environment })).out) as ReadonlyArray<object>
      assert.deepStrictEqual(listed.map((server) => "kind" in server && server.kind), ["host", "venue", "venue"])
    }).pipe(Effect.scoped))
})

describe("announcements of running servers", () => {
  it.live("a server's announcement is readable only by the user, and disappears with the server", () =>
    Effect.gen(function*() {
      const environment = yield* state
      const folder = folderOf(environment)
      yield* Effect.scoped(Effect.gen(function*() {
        yield* announce(environment, { kind: "sandbox", url: "http://127.0.0.1:8080", controlToken })
        const [file = ""] = readdirSync(folder)
        assert.deepStrictEqual([statSync(folder).mode & 0o777, statSync(join(folder, file)).mode & 0o777], [
          0o700,
          0o600
        ])
      }))
      assert.deepStrictEqual(readdirSync(folder), [])
    }).pipe(Effect.scoped))

  it.live("announcements of killed servers are removed; unreadable announcements, and those of other machines, are ignored", () =>
    Effect.gen(function*() {
      const environment = yield* state
      const folder = folderOf(environment)
      mkdirSync(folder, { recursive: true })
      const server = { kind: "sandbox", url: "http://127.0.0.1:1", controlToken, pid: 2 ** 22 + 1, machine: hostname() }
      const write = (name: string, content: unknown) => writeFileSync(join(folder, name), JSON.stringify(content))
      write("killed.json", server)
      write("elsewhere.json", { ...server, machine: "another" })
      write("half.json", { kind: "sandbox" })
      assert.strictEqual((yield* run(["control", "status"], { environment })).out, "[]")
      assert.isFalse(existsSync(join(folder, "killed.json")))
      assert.sameMembers(readdirSync(folder), ["elsewhere.json", "half.json"])
    }).pipe(Effect.scoped))
})
