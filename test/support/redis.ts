/** A local Redis server for a test, in a folder that is removed after the test. */
import * as NodeRedis from "@effect/platform-node/NodeRedis"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redis from "effect/persistence/Redis"
import type * as Scope from "effect/Scope"
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { closedPort } from "./server.ts"

const isThere = spawnSync("redis-server", ["--version"]).status === 0

const reason = "there is no redis-server on the PATH: apt-get install redis-server"

if (!isThere) process.stderr.write(`Tests that need Redis are skipped: ${reason}\n`)

/**
 * Defines a test that needs redis-server. If it is not on the PATH, the test is reported as skipped, with the reason.
 */
export const itWithRedis = <E>(
  name: string,
  test: () => Effect.Effect<unknown, E, Scope.Scope>,
  timeout?: number
): void =>
  it.live.skipIf(!isThere)(
    isThere ? name : `${name} (${reason})`,
    // Drops the log of the Redis client, because the test interrupts its server on purpose.
    () => Effect.provide(test(), Logger.layer([])),
    timeout
  )

/**
 * A server that runs until the scope is closed. `stop` ends it immediately, and `start` restarts it on the same port
 * with empty memory.
 */
export interface Server {
  readonly port: number
  readonly layer: Layer.Layer<Redis.Redis, Redis.RedisError>
  readonly start: Effect.Effect<void>
  readonly stop: Effect.Effect<void>
}

export const redisServer: Effect.Effect<Server, never, Scope.Scope> = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "effect-txc-redis-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )
  let port = yield* closedPort
  let child: ReturnType<typeof spawn> | undefined

  const start = Effect.callback<void, string>((resume) => {
    const settings = { port, bind: "127.0.0.1", dir: folder, save: "", appendonly: "no" }
    const started = spawn(
      "redis-server",
      Object.entries(settings).flatMap(([name, value]) => [`--${name}`, `${value}`])
    )
    child = started
    started.on("error", (error) => resume(Effect.die(error)))
    let said = ""
    started.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes("Ready to accept connections")) resume(Effect.void)
    })
    started.on("close", () => resume(Effect.fail(said)))
  })
  const failed = (said: string) => Effect.die(new Error(`redis-server did not start: ${said}`))
  const stop = Effect.callback<void>((resume) => {
    if (child === undefined) return resume(Effect.void)
    child.on("close", () => resume(Effect.void))
    child.kill("SIGKILL")
    child = undefined
  })

  // Another program may have taken the port in the meantime.
  const elsewhere = Effect.map(closedPort, (closed) => {
    port = closed
  })
  const opening = Effect.retry(start, { times: 5, while: () => Effect.as(elsewhere, true) })
  yield* Effect.acquireRelease(Effect.catch(opening, failed), () => stop)
  return {
    port,
    layer: NodeRedis.layer({ url: `redis://127.0.0.1:${port}` }),
    start: Effect.catch(start, failed),
    stop
  }
})

/** Sends a Redis command. */
export const command = (name: string, ...args: ReadonlyArray<string>) =>
  Redis.Redis.use((redis) => redis.send(name, ...args))
