/** Tests whether a sandbox run by npm ends or keeps running when npm ends. Uses a real npm and its shell. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as NpmParent from "../../src/cli/NpmParent.ts"
import { until } from "../support/clock.ts"
import { compiled, programOf, scratchFile } from "../support/files.ts"

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The environment of npm, which runs the command with the Node of this test. */
const environment = { ...process.env, ...compiled, PATH: `${dirname(process.execPath)}:${process.env["PATH"]}` }

const scripts = {
  foreground: "effect-txc sandbox --memory --json --port 0",
  background: "effect-txc sandbox --memory --json --port 0 &"
}

/** A project whose scripts start a sandbox. */
const project = Effect.gen(function*() {
  const folder = dirname(yield* scratchFile)
  const bin = join(folder, "node_modules", ".bin")
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts }))
  writeFileSync(join(folder, "effect-txc.mjs"), `#!/usr/bin/env node\nimport ${JSON.stringify(programOf("main"))}\n`, {
    mode: 0o755
  })
  symlinkSync(join(folder, "effect-txc.mjs"), join(bin, "effect-txc"))
  return folder
})

/** Waits until a sandbox has announced itself in a folder. Returns its process id. */
const sandboxIn = Effect.fnUntraced(function*(folder: string) {
  // The file may have been created, but not written yet.
  const pid = () => {
    const [name] = existsSync(folder) ? readdirSync(folder) : []
    return name === undefined ? undefined : /"pid":(\d+)/u.exec(readFileSync(join(folder, name), "utf8"))?.[1]
  }
  yield* until(Effect.sync(() => pid() !== undefined))
  return Number(pid())
})

/**
 * Starts a program without a terminal in its own process group. Returns the program, and the process id of the sandbox.
 */
const started = Effect.fnUntraced(function*(program: string, ...args: ReadonlyArray<string>) {
  const folder = yield* project
  const states = join(folder, "state")
  const child = yield* Effect.sync(() =>
    spawn(program, args, {
      cwd: folder,
      detached: true,
      stdio: "ignore",
      env: { ...environment, XDG_STATE_HOME: states }
    })
  )
  // The sandbox stays in npm's process group, even after npm has ended.
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      if (isAlive(-(child.pid ?? 0))) process.kill(-(child.pid ?? 0), "SIGKILL")
    })
  )
  const pid = yield* sandboxIn(join(states, "effect-txc", "running"))
  return { child, pid }
})

const hasEnded = (child: ChildProcess) => until(Effect.sync(() => child.exitCode !== null || child.signalCode !== null))

/** Longer than the sandbox needs to notice that npm has ended. */
const aWhile = Effect.sleep("2500 millis")

describe("a sandbox run by npm", { concurrent: true }, () => {
  for (const signal of ["SIGTERM", "SIGHUP", "SIGKILL"] as const) {
    it.live(`a sandbox run by npm ends when npm gets ${signal}`, () =>
      Effect.gen(function*() {
        const { child, pid } = yield* started("npm", "run", "foreground")
        child.kill(signal)
        yield* until(Effect.sync(() => !isAlive(pid)))
      }).pipe(Effect.scoped))
  }

  it.live(
    "a sandbox that an npm script started in the background keeps running after npm has ended",
    () =>
      Effect.gen(function*() {
        const { child, pid } = yield* started("npm", "run", "background")
        yield* hasEnded(child)
        yield* aWhile
        assert.isTrue(isAlive(pid))
      }).pipe(Effect.scoped)
  )

  it.live(
    "a sandbox without a terminal survives a hangup that ends npm, as it would under nohup",
    () =>
      Effect.gen(function*() {
        const { child, pid } = yield* started("npm", "run", "foreground")
        process.kill(-(child.pid ?? 0), "SIGHUP")
        yield* hasEnded(child)
        yield* aWhile
        assert.isTrue(isAlive(pid))
      }).pipe(Effect.scoped)
  )

  it.live("a sandbox keeps running after the shell that started it has ended", () =>
    Effect.gen(function*() {
      const { child, pid } = yield* started("sh", "-c", `node_modules/.bin/${scripts.background}`)
      yield* hasEnded(child)
      process.kill(pid, "SIGHUP")
      yield* aWhile
      assert.isTrue(isAlive(pid))
    }).pipe(Effect.scoped))

  it("scripts that run nothing but a sandbox are distinguished from all other scripts", () => {
    for (
      const script of [
        "effect-txc",
        "'effect-txc'",
        "\"effect-txc\"",
        "effect-txc sandbox --port 8080",
        "node src/cli/start.ts"
      ]
    )
      assert.isTrue(NpmParent.isAlone(script), script)
    for (
      const script of [
        "",
        "vitest",
        "effect-txc sandbox &",
        "effect-txc sandbox & vitest",
        "effect-txc sandbox || true",
        "(effect-txc sandbox)",
        "node start.js"
      ]
    )
      assert.isFalse(NpmParent.isAlone(script), script)
  })
})
