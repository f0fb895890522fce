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
import { failsWith } from "../support/fails.ts"
import { logsInto } from "../support/logs.ts"
import { command, itWithRedis, redisServer } from "../support/redis.ts"

const of: RateLimits.Of = { baseUrl: "https://exchange.invalid", apiKey: Redacted.make("a-key-that-programs-share") }
const eight: typeof endpoint = { ...endpoint, rateLimit: { calls: 8, perSeconds: 2 } }

const atOnce = Effect.provideService(RateLimits.MaxWait, 0)

/** A program with limits of its own. */
const program = (redis: Layer.Layer<Redis.Redis, Redis.RedisError>) =>
  Effect.map(
    Layer.build(Layer.fresh(RateLimitsRedis.layer).pipe(Layer.provide(redis))),
    (context) => Context.get(context, RateLimits.RateLimits).bucket(of, eight)
  )

describe("over Redis", () => {
  itWithRedis("programs share the limit, and the key is nowhere in Redis", () =>
    Effect.gen(function*() {
      const redis = yield* redisServer
      const programs = yield* Effect.forEach([1, 2, 3], () => program(redis.layer))
      const taken = yield* Effect.forEach(programs, ({ take }) => Effect.result(Effect.all([take, take, take])))
      const tags = taken.map(({ _tag }) => _tag)
      // Two at once, which is a quarter of eight.
      assert.deepStrictEqual(tags, ["Failure", "Failure", "Failure"])
      const names = (yield* command("KEYS", "*").pipe(Effect.provide(redis.layer))) as ReadonlyArray<string>
      assert.isAbove(names.length, 0)
      assert.notInclude(names.join(" "), "a-key-that-programs-share")
    }).pipe(atOnce))

  itWithRedis("and wait for each other", () =>
    Effect.gen(function*() {
      const redis = yield* redisServer
      const programs = yield* Effect.forEach([1, 2, 3], () => program(redis.layer))
      const begun = yield* Clock.currentTimeMillis
      const turn = (take: RateLimits.Bucket["take"]) =>
        Effect.andThen(take, Effect.map(Clock.currentTimeMillis, (now) => now - begun))
      const turns = yield* Effect.forEach(programs, ({ take }) => Effect.all([turn(take), turn(take)]), {
        concurrency: "unbounded"
      })
      const all = turns.flat().toSorted((a, b) => a - b)
      // The first two at once, then one every 2,250 / 7 milliseconds.
      for (const [i, millis] of [0, 0, 321, 642, 964, 1285].entries()) {
        assert.isAtLeast(all[i] ?? 0, millis - 25)
        assert.isAtMost(all[i] ?? Infinity, millis + 300)
      }
    }))

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

  it.effect("while Redis is gone a program counts for itself, says so, and asks again after a while", () =>
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

  it.live("so too while Redis does not answer, which it is not waited for", () =>
    Effect.gen(function*() {
      const { take } = yield* program(broken(Effect.never, { count: 0 }))
      yield* take
      yield* take
      yield* failsWith("RateLimited")(take)
    }).pipe(atOnce, Effect.provide(logsInto([]))))
})
