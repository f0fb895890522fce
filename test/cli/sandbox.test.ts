import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { spawn } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { moduleUrl, scratchFile } from "../support/files.ts"

const main = fileURLToPath(moduleUrl("cli/main.ts"))

const children: Array<() => void> = []

/** Runs the command until its first line, or its end when there is none. */
const started = (...args: ReadonlyArray<string>) =>
  Effect.callback<{ readonly line: string; readonly said: string; readonly code: number | null }>((resume) => {
    const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "pipe"] })
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

/** The journal of the sandbox that these flags begin, and its control token. */
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

describe("effect-txc sandbox", () => {
  it.live("the same seed and the same clock begin the same venue, and so does its journal", () =>
    Effect.gen(function*() {
      yield* killed
      const flags = ["--seed", "5", "--clock", "2026-01-01T00:00:00Z"]
      const first = yield* begun(flags)
      assert.include(first.journal, `{"at":${Date.UTC(2026, 0, 1) * 1000},"action":{"_tag":"OpenAccount"`)
      assert.deepStrictEqual(yield* begun(flags), first)
      const file = yield* scratchFile
      writeFileSync(file, first.journal)
      assert.strictEqual((yield* begun(["--replay", file])).journal, first.journal)
    }).pipe(Effect.scoped))

  it.live("refuses flags that say two things, in a line, and leaves nothing behind", () =>
    Effect.gen(function*() {
      yield* killed
      const file = yield* scratchFile
      writeFileSync(file, "")
      const data = `${file}-data`
      const { code, said } = yield* started("sandbox", "--data", data, "--replay", file, "--empty")
      assert.deepStrictEqual([code, said.trim().split("\n").length], [1, 1])
      assert.match(said, /leave out --empty and --clock/u)
      assert.isFalse(existsSync(data))
    }).pipe(Effect.scoped))
})
