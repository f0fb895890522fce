import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redis from "effect/persistence/Redis"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { execFileSync, spawn } from "node:child_process"
import { openSync, readFileSync } from "node:fs"
import * as Digest from "../../src/client/Digest.ts"
import { Nonce, type Of } from "../../src/client/Nonce.ts"
import { leaseMillis, margin } from "../../src/client/NonceLease.ts"
import * as NonceRedis from "../../src/client/NonceRedis.ts"
import { maxAhead, maxSetBack } from "../../src/client/NonceSequence.ts"
import { passing } from "../support/clock.ts"
import { failsWith } from "../support/fails.ts"
import { programOf, scratchFile } from "../support/files.ts"
import { command, itWithRedis, redisServer, type Server } from "../support/redis.ts"

const apiKey = "a-key-that-many-programs-share"
const of: Of = { apiKey: Redacted.make(apiKey), unit: "milliseconds" }

/**
 * A Redis server that already has a record of the key. Without a record, programs would have to wait, in case Redis had
 * lost their leases.
 */
const server = Effect.gen(function*() {
  const redis = yield* redisServer
  yield* Effect.gen(function*() {
    const info = String(yield* command("INFO", "server"))
    const run = /run_id:(\w+)/u.exec(info)?.[1] ?? assert.fail(info)
    for (const unit of ["milliseconds", "microseconds"]) {
      yield* command("HSET", `effect-txc:nonce:${unit}:${yield* Digest.ofApiKey(apiKey)}`, "run", run, "from", "0")
    }
  }).pipe(Effect.provide(redis.layer))
  return redis
})

/** Starts a program in the test's own process. `end` closes the program. */
const program = Effect.fnUntraced(function*(redis: Server, layer: Layer.Layer<Nonce, never, Redis.Redis>) {
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  const context = yield* Layer.buildWithScope(Layer.fresh(layer).pipe(Layer.provide(redis.layer)), scope)
  const nonces = Context.get(context, Nonce)
  return { draw: nonces.use(of, Effect.succeed), use: nonces.use, end: Scope.close(scope, Exit.void) }
})

const sharing = (redis: Server, programs: number) => program(redis, NonceRedis.layerWindow({ programs }))

/** Starts a program that draws nonces in a separate process. */
const elsewhere = Effect.fnUntraced(function*(
  redis: Server,
  mode: "window" | "increasing",
  programs: number,
  unit: Of["unit"] = "milliseconds"
) {
  const file = yield* scratchFile
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [programOf("drawing"), `${redis.port}`, mode, `${programs}`, unit, apiKey], {
        stdio: ["ignore", openSync(file, "w"), "inherit"]
      })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  // The last line may be incomplete if the process was killed.
  const lines = Effect.sync(() => readFileSync(file, "utf8").split("\n").slice(0, -1))
  return {
    kill: (signal: "SIGKILL" | "SIGCONT") => Effect.sync(() => child.kill(signal)),
    /** Suspends the process, and waits until its output and its Redis commands have arrived. */
    stop: Effect.gen(function*() {
      child.kill("SIGSTOP")
      const state = Effect.sync(() => execFileSync("ps", ["-o", "stat=", "-p", `${child.pid}`]).toString())
      yield* until(Effect.map(state, (state) => state.startsWith("T")))
      // Redis serves its clients in turn, so after these pings it has read every command of the stopped process.
      yield* Effect.replicateEffect(command("PING"), 3).pipe(Effect.provide(redis.layer))
    }),
    lines,
    nonces: Effect.map(lines, (all) => all.filter((line) => !line.startsWith("-")).map(Number)),
    errors: Effect.map(lines, (all) => all.filter((line) => line.startsWith("-")))
  }
})

type Elsewhere = Effect.Success<ReturnType<typeof elsewhere>>

const until = <E>(condition: Effect.Effect<boolean, E>): Effect.Effect<void, E> =>
  Effect.flatMap(condition, (is) => is ? Effect.void : Effect.andThen(Effect.sleep(50), until(condition)))

const drawsMoreThan = (count: number) => (process: Elsewhere) =>
  until(Effect.map(process.nonces, (nonces) => nonces.length > count))

const drawsAgain = Effect.fnUntraced(function*(process: Elsewhere) {
  yield* drawsMoreThan((yield* process.nonces).length)(process)
})

const assertDistinct = Effect.fnUntraced(function*(processes: ReadonlyArray<Elsewhere>) {
  const all = (yield* Effect.forEach(processes, ({ nonces }) => nonces)).flat()
  assert.strictEqual(new Set(all).size, all.length)
  return all.length
})

/** Runs an effect on a clock that is `millis` ahead, or behind if `millis` is negative. */
const ahead = (millis: number) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Clock.Clock, (clock) =>
    Effect.provideService(effect, Clock.Clock, {
      ...clock,
      sleep: (duration) => clock.sleep(duration),
      currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + millis
    }))

/** Runs an effect on a clock that stands still at `millis`. Sleeping advances the clock immediately. */
const heldAt = (millis: number) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Clock.Clock, (clock) => {
    let now = millis
    return Effect.provideService(effect, Clock.Clock, {
      ...clock,
      currentTimeMillisUnsafe: () => now,
      currentTimeMillis: Effect.sync(() => now),
      sleep: (duration) =>
        Effect.sync(() => {
          now += Duration.toMillis(duration)
        })
    })
  })

/** Draws a nonce, retrying without limit until the program has a lease. */
const drawAtLast = (draw: Effect.Effect<number, unknown>) => Effect.retry(draw, Schedule.spaced(50))

const hashOf = Effect.map(Digest.ofApiKey(apiKey), (digest) => `effect-txc:nonce:milliseconds:${digest}`)

/** Reads a field of the key's record in Redis. */
const known = (redis: Server, field: string) =>
  Effect.flatMap(hashOf, (hash) => Effect.map(command("HGET", hash, field).pipe(Effect.provide(redis.layer)), Number))

/** Reads when the lease on a nonce's class ends, in Unix milliseconds. */
const endOf = (redis: Server, nonce: number, programs: number) => known(redis, `end:${nonce % programs}`)

const isIncreasing = (numbers: ReadonlyArray<number>) => numbers.every((n, i) => i === 0 || n > (numbers[i - 1] ?? n))

// These tests run concurrently because they mostly wait for leases. Each test has its own Redis server.
describe.concurrent("sharing nonces over Redis in window mode", () => {
  itWithRedis(
    "programs never draw the same nonce, even if one is killed, or suspended for longer than its lease",
    () =>
      Effect.gen(function*() {
        const redis = yield* server
        const [killed, stopped] = yield* Effect.all([elsewhere(redis, "window", 2), elsewhere(redis, "window", 2)])
        yield* Effect.forEach([killed, stopped], drawsMoreThan(1500), { concurrency: 2 })
        yield* killed.kill("SIGKILL")
        yield* stopped.stop
        const before = yield* stopped.nonces
        const errorsBefore = (yield* stopped.errors).length

        // Successors take over both classes of nonces once the leases have ended.
        const successors = yield* Effect.all([elsewhere(redis, "window", 2), elsewhere(redis, "window", 2)])
        yield* Effect.forEach(successors, drawsMoreThan(700), { concurrency: 2 })

        // First, the resumed program fails with `NonceUnavailable`. A check below shows that later nonces are unique.
        yield* stopped.kill("SIGCONT")
        yield* until(Effect.map(stopped.errors, (errors) => errors.length > errorsBefore + 5))
        // The reason depends on whether the program has already requested a new lease from Redis or is still waiting
        // for a response.
        assert.match(
          (yield* stopped.errors)[errorsBefore] ?? "",
          /the lease on nonces has ended|all 2 classes of nonces are leased to other programs|Redis/u
        )

        // The resumed program draws nonces again once another program has ended.
        yield* successors[0].kill("SIGKILL")
        yield* drawsAgain(stopped)
        yield* Effect.forEach([stopped, successors[1]], drawsAgain)

        const all = [killed, stopped, ...successors]
        assert.isAbove(yield* assertDistinct(all), 4000)
        for (const process of all) assert.isTrue(isIncreasing(yield* process.nonces))
        // Each successor has one class of nonces, and its lease begins after its predecessor's lease ends.
        const heirs = yield* Effect.forEach(successors, ({ nonces }) => nonces)
        for (const nonces of heirs) assert.strictEqual(new Set(nonces.map((nonce) => nonce % 2)).size, 1)
        const [rest] = before.map((nonce) => nonce % 2)
        const heir = heirs.find(([nonce = 0]) => nonce % 2 === rest) ?? assert.fail("no program took the class over")
        assert.isAbove(heir[0] ?? 0, before.at(-1) ?? Infinity)
      })
  )

  itWithRedis("nonces that count microseconds are also distinct among several programs", () =>
    Effect.gen(function*() {
      const redis = yield* server
      const processes = yield* Effect.forEach([1, 2, 3], () => elsewhere(redis, "window", 3, "microseconds"))
      yield* Effect.forEach(processes, drawsMoreThan(3000), { concurrency: 3 })
      yield* Effect.forEach(processes, ({ kill }) => kill("SIGKILL"))
      yield* assertDistinct(processes)
    }))

  itWithRedis(
    "a Redis server that has lost its data never leases nonces that it may have leased before",
    () =>
      Effect.gen(function*() {
        const redis = yield* server
        const old = yield* sharing(redis, 2)
        const end = yield* endOf(redis, yield* old.draw, 2)
        yield* redis.stop
        yield* redis.start
        // Redis has lost the leases, so either program can get either class from here on.
        const young = yield* sharing(redis, 2)
        // Although Redis has lost the lease, the old program may draw nonces until the lease ends, but not later.
        const last = yield* heldAt(end - 100)(old.draw)
        assert.isBelow(last, end)
        const error = yield* failsWith("NonceUnavailable")(ahead(leaseMillis + 1000)(old.draw))
        assert.match(error.reason, /Redis/u)
        // The new lease begins after the old one.
        assert.isAbove(yield* drawAtLast(young.draw), Math.max(end, last))
      })
  )

  itWithRedis(
    "a Redis server that replaces another one, or restarts with saved data, never leases nonces that may already be leased",
    () =>
      Effect.gen(function*() {
        const redis = yield* server
        const hash = yield* hashOf
        const send = (...args: Parameters<typeof command>) => command(...args).pipe(Effect.provide(redis.layer))
        yield* send("HSET", hash, "run", "of-another-server")
        const { draw } = yield* sharing(redis, 2)
        const before = yield* Clock.currentTimeMillis
        const fiber = yield* Effect.forkChild(draw)
        yield* until(Effect.map(send("HGET", hash, "run"), (run) => run !== "of-another-server"))
        const after = yield* Clock.currentTimeMillis
        const quarantine = leaseMillis + margin
        const from = yield* known(redis, "from")
        assert.isAtLeast(from, before + quarantine)
        assert.isAtMost(from, after + quarantine)
        assert.isUndefined(fiber.pollUnsafe())
        yield* Fiber.interrupt(fiber)
      })
  )

  itWithRedis(
    "a program that ends releases its class of nonces, and its successor's nonces are greater",
    () =>
      Effect.gen(function*() {
        const redis = yield* server
        let last = 0
        for (let i = 0; i < 3; i++) {
          const { draw, end } = yield* sharing(redis, 1)
          const drawn = yield* Effect.forEach(Array.from({ length: 50 }), () => draw, { concurrency: "unbounded" })
          assert.isTrue(isIncreasing([last, ...drawn]))
          last = drawn.at(-1) ?? Infinity
          yield* end
          yield* failsWith("NonceUnavailable")(draw)
        }
      })
  )

  itWithRedis(
    "a burst of calls is queued, so no nonce is more than two seconds ahead, and every program gets its share",
    () =>
      Effect.gen(function*() {
        const redis = yield* server
        const { draw } = yield* sharing(redis, 100)
        const first = yield* draw
        const drawn = yield* Effect.forEach(
          Array.from({ length: 40 }),
          () => Effect.flatMap(draw, (nonce) => Effect.map(Clock.currentTimeMillis, (now) => [nonce, nonce - now])),
          { concurrency: "unbounded" }
        ).pipe(heldAt(first))
        assert.deepStrictEqual(drawn.map(([nonce]) => nonce), drawn.map((_, i) => first + 100 * (i + 1)))
        assert.isTrue(drawn.every(([, ahead = Infinity]) => ahead <= maxAhead))
        assert.strictEqual(Math.max(...drawn.map(([, ahead = 0]) => ahead)), maxAhead)
      })
  )

  itWithRedis("a program whose lease has ended fails with NonceUnavailable", () =>
    Effect.gen(function*() {
      const redis = yield* server
      const { draw } = yield* sharing(redis, 2)
      const end = yield* endOf(redis, yield* draw, 2)
      yield* heldAt(end - 100)(draw)
      yield* failsWith("NonceUnavailable")(ahead(leaseMillis + 1)(draw))
    }))

  itWithRedis(
    "a program draws greater nonces than its predecessor, even if its clock is behind the predecessor's",
    () =>
      Effect.gen(function*() {
        const redis = yield* server
        const before = yield* sharing(redis, 1)
        const drawn = yield* Effect.forEach(Array.from({ length: 50 }), () => Effect.delay(before.draw, 5))
        yield* before.end
        const { draw } = yield* sharing(redis, 1)
        assert.isAbove(yield* ahead(-1500)(draw), drawn.at(-1) ?? Infinity)
      })
  )

  itWithRedis(
    "until its clock has caught up, a program whose clock is far behind Redis's clock fails and states the reason",
    () =>
      Effect.gen(function*() {
        const redis = yield* server
        const before = yield* sharing(redis, 1)
        const last = yield* before.draw
        yield* before.end
        const { draw } = yield* sharing(redis, 1)
        // The new lease begins after the predecessor's last nonce, which is far ahead of this clock.
        const error = yield* failsWith("NonceUnavailable")(ahead(-3_600_000)(draw))
        assert.match(error.reason, /clock is \d{4} seconds behind that of Redis/u)
        // If the clock is behind by a smaller amount, the program waits.
        assert.isAbove(yield* heldAt(last - maxAhead - maxSetBack + 1000)(draw), last)
        assert.isAbove(yield* draw, last)
      })
  )

  itWithRedis(
    "a program whose clock is set back fails and states the reason, and later draws nonces greater than its last one",
    () =>
      Effect.gen(function*() {
        const { draw } = yield* sharing(yield* server, 2)
        const first = yield* draw
        const error = yield* failsWith("NonceUnavailable")(ahead(-3_600_000)(draw))
        assert.match(error.reason, /clock was set back by 3600 seconds/u)
        assert.isAbove(yield* draw, first)
      })
  )

  itWithRedis(
    "programs with different `programs` settings for the same key never get nonces at the same time",
    () =>
      Effect.gen(function*() {
        const redis = yield* server
        const two = yield* sharing(redis, 2)
        const three = yield* sharing(redis, 3)
        const last = yield* two.draw
        // The program with the other setting gets nonces once the first program has ended.
        const first = yield* Effect.forkChild(three.draw)
        yield* Effect.sleep(300)
        assert.isUndefined(first.pollUnsafe())
        assert.strictEqual(yield* known(redis, "programs"), 2)
        yield* two.end
        assert.isAbove(yield* Fiber.join(first), last)
      })
  )

  itWithRedis("Redis never stores the key itself", () =>
    Effect.gen(function*() {
      const redis = yield* server
      yield* (yield* sharing(redis, 2)).draw
      yield* (yield* program(redis, NonceRedis.layerIncreasing)).draw
      const names = (yield* command("KEYS", "*").pipe(Effect.provide(redis.layer))) as ReadonlyArray<string>
      assert.strictEqual(names.length, 3)
      for (const name of names) {
        const held = JSON.stringify(yield* command("HGETALL", name).pipe(Effect.provide(redis.layer)))
        assert.notInclude(name + held, apiKey)
      }
    }))
})

describe.concurrent("sharing nonces over Redis in increasing mode", () => {
  itWithRedis(
    "all programs together make one call at a time, in the order of the nonces",
    () =>
      Effect.gen(function*() {
        const redis = yield* redisServer
        const programs = yield* Effect.forEach([1, 2, 3], () => program(redis, NonceRedis.layerIncreasing))
        const seen: Array<number> = []
        let inside = 0
        const call = (nonce: number) =>
          Effect.gen(function*() {
            assert.strictEqual(++inside, 1)
            seen.push(nonce)
            yield* Effect.sleep(2)
            inside--
          })
        const calls = Array.from({ length: 60 }, (_, i) => programs[i % 3]?.use(of, call) ?? assert.fail())
        yield* Effect.all(calls, { concurrency: "unbounded" })
        assert.strictEqual(seen.length, 60)
        assert.isTrue(isIncreasing(seen))
      })
  )

  itWithRedis(
    "when a program is suspended during a call, the other programs continue once its lock has expired",
    () =>
      Effect.gen(function*() {
        const redis = yield* redisServer
        const dying = yield* elsewhere(redis, "increasing", 0)
        yield* drawsMoreThan(50)(dying)
        const other = yield* program(redis, NonceRedis.layerIncreasing)
        const key = `effect-txc:increasing:milliseconds:${yield* Digest.ofApiKey(apiKey)}`
        yield* dying.stop
        // Sets the lock as if the program had been stopped in the middle of a call.
        const till = (yield* Clock.currentTimeMillis) + 1000
        yield* command("HSET", key, "till", `${till}`).pipe(Effect.provide(redis.layer))
        const nonce = yield* other.draw
        assert.isAtLeast(yield* Clock.currentTimeMillis, till)
        assert.isAbove(nonce, (yield* dying.nonces).at(-1) ?? Infinity)
        // The resumed program continues with a greater nonce.
        const { length } = yield* dying.nonces
        yield* dying.kill("SIGCONT")
        yield* drawsMoreThan(length + 5)(dying)
        const next = (yield* dying.nonces)[length + 1]
        assert.isAbove(next ?? 0, nonce)
        assert.isTrue(isIncreasing(yield* dying.nonces))
      })
  )
})

describe("sharing nonces over a failing Redis", () => {
  const broken = (answer: Effect.Effect<never, Redis.RedisError>) =>
    Layer.succeed(Redis.Redis, {
      send: () => answer,
      eval: () => () => answer,
      subscribe: () => Effect.die("not asked"),
      reserve: answer
    })
  const states = {
    "is gone": broken(Effect.fail(new Redis.RedisError({ cause: new Error("connection refused") }))),
    "does not answer": broken(Effect.never)
  }
  const modes = { window: NonceRedis.layerWindow({ programs: 2 }), increasing: NonceRedis.layerIncreasing }
  for (const [state, redis] of Object.entries(states)) {
    for (const [mode, layer] of Object.entries(modes)) {
      it.effect(`in ${mode} mode, a call fails with a typed error and sends nothing when Redis ${state}`, () =>
        Effect.gen(function*() {
          const call = Nonce.use((nonces) => nonces.use(of, () => Effect.die("called")))
          const error = yield* passing(failsWith("NonceUnavailable")(call))
          assert.match(error.reason, /Redis/u)
        }).pipe(Effect.provide(Layer.provide(layer, redis))))
    }
  }

  it("layerWindow rejects an invalid number of programs", () => {
    for (const programs of [0, -1, 1.5, Number.NaN, 1001]) {
      const built = Effect.runSyncExit(
        Effect.scoped(Layer.build(NonceRedis.layerWindow({ programs }).pipe(Layer.provide(states["is gone"]))))
      )
      assert.isTrue(Exit.isFailure(built))
    }
  })
})
