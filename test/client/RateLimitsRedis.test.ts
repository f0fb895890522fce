import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redis from "effect/persistence/Redis"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as RateLimits from "../../src/client/RateLimits.ts"
import * as RateLimitsRedis from "../../src/client/RateLimitsRedis.ts"
import { endpoint } from "../../src/endpoints/MainBalance.ts"
import { passing } from "../support/clock.ts"
import { failsWith } from "../support/fails.ts"
import { logsInto } from "../support/logs.ts"
import { command, itWithRedis, redisServer } from "../support/redis.ts"

const of: RateLimits.Of = { baseUrl: "https://exchange.invalid", apiKey: Redacted.make("a-key-that-programs-share") }
const eight: typeof endpoint = { ...endpoint, rateLimit: { calls: 8, perSeconds: 2 } }

/**
 * Runs a program on a clock that only the test advances, so limits and timeouts do not depend on the speed of Redis.
 */
const held = Effect.provide(TestClock.layer())

const atOnce = Effect.provideService(RateLimits.MaxWait, 0)

/** The rate limits of one program. */
const program = (redis: Layer.Layer<Redis.Redis, Redis.RedisError>) =>
  Effect.map(
    Layer.build(Layer.fresh(RateLimitsRedis.layer).pipe(Layer.provide(redis))),
    (context) => Context.get(context, RateLimits.RateLimits).bucket(of, eight)
  )

describe("sharing rate limits over Redis", () => {
  itWithRedis("programs share the rate limit, and Redis never stores the API key", () =>
    Effect.gen(function*() {
      const redis = yield* redisServer
      const programs = yield* Effect.forEach([1, 2, 3], () => program(redis.layer))
      const taken = yield* Effect.forEach(programs, ({ take }) => Effect.result(Effect.all([take, take, take])))
      const tags = taken.map(({ _tag }) => _tag)
      // The limit allows a burst of two calls, which is a quarter of eight.
      assert.deepStrictEqual(tags, ["Failure", "Failure", "Failure"])
      const names = (yield* command("KEYS", "*").pipe(Effect.provide(redis.layer))) as ReadonlyArray<string>
      assert.isAbove(names.length, 0)
      assert.notInclude(names.join(" "), "a-key-that-programs-share")
    }).pipe(atOnce, held))

  itWithRedis("programs that share a rate limit wait for each other", () =>
    Effect.gen(function*() {
      const redis = yield* redisServer
      const asked = { count: 0, pending: 0 }
      const programs = yield* Effect.forEach([1, 2, 3], () => program(counting(redis.layer, asked)))
      const turns: Array<number> = []
      const turn = (take: RateLimits.Bucket["take"]) =>
        Effect.andThen(take, Effect.map(Clock.currentTimeMillis, (now) => turns.push(now)))
      yield* Effect.forEach(programs, ({ take }) => Effect.forkChild(Effect.all([turn(take), turn(take)])))
      yield* until(() => turns.length === 2 && asked.count >= 3)
      while (turns.length < 6) {
        yield* until(() => asked.pending === 0)
        yield* TestClock.adjust(10)
      }
      // The first two calls are made immediately, and the others at intervals of 2,250 / 7 milliseconds.
      for (const [i, millis] of [0, 0, 321, 642, 964, 1285].entries()) {
        assert.isAtLeast(turns[i] ?? 0, millis)
        assert.isAtMost(turns[i] ?? Infinity, millis + 50)
      }
    }).pipe(held))

  const counting = (
    redis: Layer.Layer<Redis.Redis, Redis.RedisError>,
    asked: { count: number; pending: number }
  ): Layer.Layer<Redis.Redis, Redis.RedisError> =>
    Layer.effect(
      Redis.Redis,
      Effect.map(Redis.Redis, (redis): Redis.Redis["Service"] => {
        // Redis expires keys by its own clock, which is ahead of the test clock on a busy machine.
        const persist = Effect.flatMap(
          redis.send<ReadonlyArray<string>>("KEYS", "*"),
          Effect.forEach((key) => redis.send("PERSIST", key), { discard: true })
        )
        return {
          ...redis,
          eval: (script) => {
            const run = redis.eval(script)
            return (...args) =>
              Effect.suspend(() => {
                asked.count++
                asked.pending++
                return Effect.ensuring(Effect.tap(run(...args), persist), Effect.sync(() => asked.pending--))
              })
          }
        }
      })
    ).pipe(Layer.provide(redis))

  /** Waits in real time, for at least one event-loop turn, so that resumed calls can reach Redis. */
  const until = (condition: () => boolean): Effect.Effect<void> =>
    Effect.andThen(
      TestClock.withLive(Effect.sleep(1)),
      Effect.suspend(() => condition() ? Effect.void : until(condition))
    )

  const broken = (answer: Effect.Effect<never, Redis.RedisError>, asked: { count: number }) =>
    Layer.succeed(Redis.Redis, {
      send: () => answer,
      eval: () => () =>
        Effect.suspend(() => {
          asked.count++
          return answer
        }),
      subscribe: () => Effect.die("not asked"),
      reserve: answer
    })

  it.effect("a program that can't reach Redis counts calls locally, logs a warning, and later tries Redis again", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const asked = { count: 0 }
      const gone = broken(Effect.fail(new Redis.RedisError({ cause: new Error("connection refused") })), asked)
      const { take } = yield* program(gone)
      yield* Effect.gen(function*() {
        yield* take
        yield* take
        yield* failsWith("RateLimited")(take)
        assert.deepStrictEqual([asked.count, lines.length], [1, 1])
        assert.include(lines[0], "not shared")
        assert.notInclude(lines[0], "a-key-that-programs-share")
        yield* TestClock.adjust("5 seconds")
        yield* take
        assert.strictEqual(asked.count, 2)
      }).pipe(Effect.provide(logsInto(lines)))
    }).pipe(atOnce))

  it.effect("a program does not wait for Redis when Redis does not respond", () =>
    Effect.gen(function*() {
      const { take } = yield* program(broken(Effect.never, { count: 0 }))
      yield* passing(take)
      yield* take
      yield* failsWith("RateLimited")(take)
    }).pipe(atOnce, Effect.provide(logsInto([]))))
})
