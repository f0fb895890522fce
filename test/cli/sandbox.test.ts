import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { spawn } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:net"
import { dirname, join } from "node:path"
import { stripVTControlCharacters } from "node:util"
import { until } from "../support/clock.ts"
import { run } from "../support/command.ts"
import { compiled, programOf, scratchFile } from "../support/files.ts"
import { serving } from "../support/server.ts"
import { itOnTerminal, onTerminal } from "../support/terminal.ts"

const children: Array<() => void> = []

/** Runs the command until it prints its first line, or until it exits if it prints nothing. */
const started = (...args: ReadonlyArray<string>) =>
  Effect.callback<{ readonly line: string; readonly said: string; readonly code: number | null }>((resume) => {
    const child = spawn(process.execPath, [programOf("main"), ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...compiled }
    })
    let out = ""
    let said = ""
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString()
      const [line = "", rest] = out.split("\n")
      if (rest !== undefined) resume(Effect.succeed({ line, said, code: null }))
    })
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString()
    })
    child.on("close", (code) => resume(Effect.succeed({ line: "", said, code })))
    children.push(() => child.kill("SIGKILL"))
  })

const killed = Effect.addFinalizer(() => Effect.sync(() => children.splice(0).forEach((kill) => kill())))

/** Starts a sandbox with these flags, and returns its journal and control token. */
const begun = Effect.fnUntraced(function*(args: ReadonlyArray<string>) {
  const { line, said } = yield* started("sandbox", "--memory", ...args)
  assert.notStrictEqual(line, "", said)
  const { controlToken, controlUrl } = JSON.parse(line) as {
    readonly controlToken: string
    readonly controlUrl: string
  }
  const response = yield* HttpClient.execute(
    HttpClientRequest.get(`${controlUrl}Journal`).pipe(HttpClientRequest.bearerToken(controlToken))
  )
  return { controlToken, journal: yield* response.text }
}, Effect.provide(FetchHttpClient.layer))

/** Ensures that port 8080 is in use, by this test or by another process. */
const usualPortTaken = Effect.acquireRelease(
  Effect.callback<Server>((resume) => {
    const server = createServer()
    server.once("error", () => resume(Effect.succeed(server)))
    server.listen(8080, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) => Effect.sync(() => server.close())
)

const runningIn = (states: string) => join(states, "effect-txc", "running")

/** Waits until a process announces that it accepts calls. Returns its journal folder, process id and URL. */
const holderIn = Effect.fnUntraced(function*(states: string) {
  const folder = runningIn(states)
  const text = () => {
    const [name] = existsSync(folder) ? readdirSync(folder) : []
    return name === undefined ? "" : readFileSync(join(folder, name), "utf8")
  }
  yield* until(Effect.sync(() => text() !== ""))
  return JSON.parse(text()) as { readonly data: string; readonly pid: number; readonly url: string }
})

describe("effect-txc sandbox", () => {
  it.live("sandboxes with the same seed and clock start with identical venues, and replaying the journal gives the same venue", () =>
    Effect.gen(function*() {
      yield* killed
      const counterparty = ["--counterparty", "BTC_USDT:levels=2,spread=0.2,refill=false", "--counterparty", "ETH_USDT"]
      const flags = ["--seed", "5", "--clock", "2026-01-01T00:00:00Z", ...counterparty]
      const first = yield* begun(flags)
      assert.include(first.journal, `{"at":${Date.UTC(2026, 0, 1) * 1000},"action":{"_tag":"OpenAccount"`)
      const quoted = `{"_tag":"SetCounterparty","market":"BTC_USDT","spread":"0.2","levels":2,"refill":false}`
      for (const part of [quoted, `{"_tag":"SetCounterparty","market":"ETH_USDT"}`]) assert.include(first.journal, part)
      const second = yield* begun(flags)
      assert.strictEqual(second.journal, first.journal)
      // Anyone who knows the token can control the sandbox, so no flag may determine the token.
      assert.notStrictEqual(second.controlToken, first.controlToken)
      const file = yield* scratchFile
      writeFileSync(file, first.journal)
      assert.strictEqual((yield* begun(["--replay", file])).journal, first.journal)
    }).pipe(Effect.scoped))

  it.live("`sandbox` refuses contradictory flags without creating any files", () =>
    Effect.gen(function*() {
      yield* killed
      const file = yield* scratchFile
      writeFileSync(file, "")
      const data = `${file}-data`
      const { code, said } = yield* started("sandbox", "--data", data, "--replay", file, "--empty")
      assert.deepStrictEqual([code, said.trim().split("\n").length], [2, 2])
      assert.match(said, /\nRemove --empty and --clock/u)
      assert.isFalse(existsSync(data))
    }).pipe(Effect.scoped))

  it.effect("`sandbox` explains why counterparty settings are invalid", () =>
    Effect.gen(function*() {
      for (
        const [value, said] of [
          ["BTC_USDT:sprad=1", "expected a market with settings"],
          ["BTC_USDT:levels=1.5", "expected a market with settings"],
          ["BTC_USDT:refill=maybe", "expected a market with settings"],
          ["BTC_USDT:levels", "expected a market with settings"],
          ["BTC_USDT:levels=51", "levels must be at most 50"],
          ["NO_SUCH", "market must be one of BTC_USDT"]
        ] as const
      ) {
        const { error, failed } = yield* run(["sandbox", "--memory", "--port", "0", "--counterparty", value])
        assert.include(`${error}${failed?.said}`, said, value)
      }
    }))

  it.live("`sandbox` explains how to fix an unusable journal folder or port", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      writeFileSync(file, "")
      const folder = yield* run(["sandbox", "--data", file])
      assert.strictEqual(
        folder.failed?.said,
        `${file} is a file, but the journal needs a folder\nPass another folder with --data, or use --memory to save nothing`
      )
      // In `/proc`, Node's recursive mkdir never returns.
      const unreal = yield* run(["sandbox", "--data", "/proc/effect-txc/data"])
      assert.match(unreal.failed?.said ?? "", /^The folder \/proc\/effect-txc\/data cannot be created: \w+/u)
      for (const command of ["sandbox", "host"]) {
        const both = yield* run([command, "--memory", "--data", file])
        assert.match(both.failed?.said ?? "", /^--memory keeps nothing, and --data names the folder .*\nLeave out /u)
      }
      const { port } = yield* serving(() => undefined)
      const taken = yield* run(["sandbox", "--memory", "--port", String(port)])
      assert.strictEqual(
        taken.failed?.said,
        `Port ${port} of 127.0.0.1 is in use\nChoose another port with --port, or any free port with --port 0`
      )
    }).pipe(Effect.scoped))

  itOnTerminal(
    "on a terminal, `sandbox` shows a panel and one line per call until Ctrl-C, and keeps a journal for the project",
    () =>
      Effect.gen(function*() {
        const home = dirname(yield* scratchFile)
        const project = join(home, "project")
        const inside = join(project, "src")
        mkdirSync(inside, { recursive: true })
        writeFileSync(join(project, "package.json"), "{}")
        yield* usualPortTaken
        const shown = yield* Effect.forkChild(onTerminal(["sandbox"], {
          folder: inside,
          environment: { HOME: home, XDG_STATE_HOME: join(home, "state") },
          steps: [["answered", "\u0003"]]
        }))
        const holder = yield* holderIn(join(home, "state"))
        assert.match(holder.data, /project-[0-9a-f]{8}$/u)
        const locked = yield* run(["sandbox", "--data", holder.data], {
          environment: { XDG_STATE_HOME: join(home, "state") }
        })
        assert.include(locked.failed?.said, `in use by process ${holder.pid}, which serves it on ${holder.url}\n`)
        assert.include(locked.failed?.said, "--memory")
        yield* HttpClient.get(`${holder.url}/api/v4/public/ping`).pipe(Effect.provide(FetchHttpClient.layer))

        const { code, output } = yield* Fiber.join(shown)
        const plain = stripVTControlCharacters(output)
        assert.notStrictEqual(plain, output, "the output is colored")
        for (
          const said of [
            holder.url,
            "port 8080 is in use",
            "#token=",
            "alice-sandbox-secret",
            `curl ${holder.url}`,
            "Ctrl-C",
            "journal.sqlite (new)"
          ]
        ) {
          assert.include(plain, said)
        }
        assert.match(plain, /\d\d:\d\d:\d\d +- +GET +\/api\/v4\/public\/ping +200 answered +\d+\.\d ms\n/u)
        assert.match(plain, /Stopped\. Run the same command to resume\.\n$/u)
        assert.deepStrictEqual([code, readdirSync(runningIn(join(home, "state")))], [130, []])
      }).pipe(Effect.scoped)
  )
})
