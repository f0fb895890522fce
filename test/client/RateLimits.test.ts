import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import * as Credentials from "../../src/client/Credentials.ts"
import * as MarketRules from "../../src/client/MarketRules.ts"
import * as Nonce from "../../src/client/Nonce.ts"
import * as RateLimitBuckets from "../../src/client/RateLimitBuckets.ts"
import * as RateLimits from "../../src/client/RateLimits.ts"
import * as Region from "../../src/client/Region.ts"
import * as Signer from "../../src/client/Signer.ts"
import * as HttpClientTransport from "../../src/client/transport/HttpClientTransport.ts"
import { CancelAllOrders } from "../../src/endpoints/CancelAllOrders.ts"
import { Codes, endpoint as codes } from "../../src/endpoints/Codes.ts"
import { Fees } from "../../src/endpoints/Fees.ts"
import { endpoint as balanceEndpoint, MainBalance } from "../../src/endpoints/MainBalance.ts"
import { endpoint as pingEndpoint, ServerStatus } from "../../src/endpoints/ServerStatus.ts"
import { endpoint as timeEndpoint } from "../../src/endpoints/ServerTime.ts"
import * as Exchange from "../../src/Exchange.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import type * as Endpoint from "../../src/protocol/Endpoint.ts"
import * as Limits from "../../src/sandbox/gateway/Limits.ts"
import { passing, turn } from "../support/clock.ts"
import { alice, code, credentialsOf, dialects, exchange, inProcess, once } from "../support/exchange.ts"
import { failsWith } from "../support/fails.ts"
import { type Answering, answering, html, json, privateCalls, Recorder, refusal } from "../support/http.ts"
import { property } from "../support/property.ts"

const of: RateLimits.Of = { baseUrl: "https://exchange.invalid", apiKey: Redacted.make("key") }

/** Creates an endpoint with the given rate limit. */
const limitedTo = (rateLimit: Endpoint.RateLimit): Endpoint.Any => ({ ...balanceEndpoint, rateLimit })

const patiently = Effect.provideService(RateLimits.MaxWait, "10 hours")
const atOnce = Effect.provideService(RateLimits.MaxWait, 0)

const bucketOf = (endpoint: Endpoint.Any, whose = of) =>
  RateLimits.RateLimits.use((limits) => Effect.sync(() => limits.bucket(whose, endpoint)))

/** Bursts: the number of calls in each burst, and the burst's delay after the previous one, in milliseconds. */
const bursts = fc.array(fc.tuple(fc.integer({ min: 1, max: 80 }), fc.nat(3000)), { minLength: 1, maxLength: 6 })

const limits = fc.record({ calls: fc.integer({ min: 1, max: 60 }), perSeconds: fc.integer({ min: 1, max: 10 }) })

/** Measures when the calls get their turns, in milliseconds after the start. */
const turns = (endpoint: Endpoint.Any, planned: ReadonlyArray<readonly [calls: number, gap: number]>) =>
  Effect.gen(function*() {
    const { take } = yield* bucketOf(endpoint)
    const at: Array<number> = []
    const begun = yield* Clock.currentTimeMillis
    const one = Effect.flatMap(take, () => Effect.map(Clock.currentTimeMillis, (now) => at.push(now - begun)))
    let start = 0
    const delayed = planned.flatMap(([calls, gap]) => {
      start += gap
      const begin = start
      return Array.from({ length: calls }, () => Effect.delay(one, begin))
    })
    yield* passing(Effect.all(delayed, { concurrency: "unbounded" }))
    return at
  }).pipe(patiently, Effect.provide(RateLimits.layerMemory))

describe("staying within rate limits", () => {
  property(
    "calls stay within the rate limit, even by the sandbox's count, and wait no longer than needed",
    [limits, bursts],
    (limit, planned) =>
      Effect.gen(function*() {
        const at = yield* turns(limitedTo(limit), planned)
        assert.strictEqual(at.length, planned.reduce((sum, [calls]) => sum + calls, 0))
        const window = limit.perSeconds * 1000 + RateLimitBuckets.slack
        for (const [i, from] of at.entries()) {
          const within = at.slice(i).filter((time) => time < from + window).length
          assert.isAtMost(within, limit.calls, `from ${from} on`)
        }
        const counted = Limits.make()
        for (const millis of at) assert.isTrue(counted.admit("caller", "/", limit, millis * 1000))
        const last = planned.reduce((sum, [, gap]) => sum + gap, 0)
        const all = window / (limit.calls - Math.max(1, Math.floor(limit.calls / 4)) + 1)
        // The test clock advances in steps of 100 milliseconds.
        assert.isAtMost(at.at(-1) ?? Infinity, last + at.length * all + 100)
      }),
    { runs: 60 }
  )

  for (const dialect of dialects) {
    property(
      `in the ${dialect.name} dialect, the sandbox refuses none of the client's calls for exceeding a rate limit`,
      [fc.array(fc.tuple(fc.integer({ min: 1, max: 100 }), fc.nat(1500)), { minLength: 1, maxLength: 4 })],
      (planned) =>
        Effect.gen(function*() {
          const call = Effect.flip(Codes.use((codes) => codes.apply({ code })))
          let start = 0
          const calls = planned.flatMap(([calls, gap]) => {
            start += gap
            return Array.from({ length: calls }, () => Effect.delay(Effect.result(call), start))
          })
          const results = yield* passing(Effect.all(calls, { concurrency: "unbounded" }))
          const refused = results.filter(({ _tag, ...rest }) =>
            _tag === "Success" && "success" in rest && rest.success._tag === "RateLimited"
          )
          assert.deepStrictEqual(refused, [])
          assert.strictEqual((yield* privateCalls).length, calls.length)
        }).pipe(patiently, Effect.provide(exchange(inProcess(dialect)))),
      { runs: 10 }
    )
  }
})

describe("the turns of attempts", () => {
  /** Allows one call immediately, and then one call every 1,250 milliseconds. */
  const one = limitedTo({ calls: 1, perSeconds: 1 })

  it.effect("attempts get their turns in order and report how long they waited", () =>
    Effect.gen(function*() {
      const { take } = yield* bucketOf(one)
      const waited = yield* passing(Effect.all([take, take, take], { concurrency: "unbounded" }), 50)
      assert.deepStrictEqual(waited, [0, 1250, 2500])
      // After another 1,250 milliseconds, the next call need not wait.
      yield* TestClock.adjust(1250)
      assert.strictEqual(yield* atOnce(take), 0)
    }).pipe(Effect.provide(RateLimits.layerMemory)))

  it.effect("an attempt with a maximum wait of zero fails immediately and reports when to retry", () =>
    Effect.gen(function*() {
      const { take } = yield* bucketOf(one)
      yield* take
      const error = yield* failsWith("RateLimited")(take)
      assert.deepStrictEqual([error.origin, error.outcome, error.isRetryable], ["local", "not-applied", true])
      assert.deepStrictEqual([error.retryAfter, error.body], [1250, undefined])
      yield* TestClock.adjust(1249)
      yield* failsWith("RateLimited")(take)
      yield* TestClock.adjust(1)
      yield* take
    }).pipe(atOnce, Effect.provide(RateLimits.layerMemory)))

  it.effect("an attempt fails immediately if the queue exceeds its maximum wait, and otherwise waits", () =>
    Effect.gen(function*() {
      const { take } = yield* bucketOf(one)
      const fiber = yield* Effect.forkChild(
        Effect.forEach([1, 2, 3, 4], () => Effect.result(take), { concurrency: "unbounded" })
      )
      yield* TestClock.adjust(1)
      assert.isUndefined(fiber.pollUnsafe())
      const error = yield* failsWith("RateLimited")(take)
      assert.strictEqual(error.retryAfter, 3750)
      yield* TestClock.adjust(3000)
      const tags = (yield* Fiber.join(fiber)).map(({ _tag }) => _tag)
      assert.deepStrictEqual(tags, ["Success", "Success", "Success", "Failure"])
    }).pipe(Effect.provideService(RateLimits.MaxWait, 2600), Effect.provide(RateLimits.layerMemory)))

  it.effect("an interrupted call leaves the rate-limit queue", () =>
    Effect.gen(function*() {
      const { take } = yield* bucketOf(one)
      yield* take
      const gone = yield* Effect.forkChild(take)
      const stays = yield* Effect.forkChild(take)
      yield* TestClock.adjust(1000)
      yield* Fiber.interrupt(gone)
      yield* TestClock.adjust(250)
      assert.strictEqual(yield* Fiber.join(stays), 1250)
    }).pipe(Effect.provide(RateLimits.layerMemory)))

  property(
    "calls keep their order when other calls leave the rate-limit queue",
    // Calls leave the queue between two turns, never in the same millisecond as a turn.
    [fc.array(fc.option(fc.nat(1200).map((tens) => 10 * tens + 1)), { minLength: 1, maxLength: 8 })],
    (leaving) =>
      Effect.gen(function*() {
        const { take } = yield* bucketOf(one)
        yield* take
        const at: Array<readonly [index: number, millis: number]> = []
        for (const [index, after] of leaving.entries()) {
          const waiting = yield* Effect.forkChild(Effect.map(take, (millis) => at.push([index, millis])))
          if (after !== null) yield* Effect.forkChild(Effect.delay(Fiber.interrupt(waiting), after))
        }
        yield* TestClock.adjust("15 seconds")
        // Every 1,250 milliseconds, the first call in the queue gets its turn.
        const expected: typeof at = []
        for (const [index, after] of leaving.entries()) {
          const turn = (expected.length + 1) * 1250
          if (after === null || after > turn) expected.push([index, turn])
        }
        assert.deepStrictEqual(at, expected)
      }).pipe(Effect.provide(RateLimits.layerMemory))
  )

  it.effect("rate limits are separate for each key, exchange and endpoint, and shared by all public calls", () =>
    Effect.gen(function*() {
      const once = { rateLimit: { calls: 1, perSeconds: 1 } }
      const distinct = [
        [balanceEndpoint, of],
        [codes, of],
        [balanceEndpoint, { ...of, apiKey: Redacted.make("other") }],
        [balanceEndpoint, { ...of, baseUrl: "https://other.invalid" }],
        [pingEndpoint, { baseUrl: of.baseUrl }]
      ] as const
      for (const [endpoint, whose] of distinct) yield* (yield* bucketOf({ ...endpoint, ...once }, whose)).take
      const repeated = [...distinct, [timeEndpoint, { baseUrl: of.baseUrl }] as const]
      for (const [endpoint, whose] of repeated) {
        yield* failsWith("RateLimited")((yield* bucketOf({ ...endpoint, ...once }, whose)).take)
      }
    }).pipe(atOnce, Effect.provide(RateLimits.layerMemory)))

  it.effect("layerNone does not limit calls", () =>
    Effect.gen(function*() {
      const { take } = yield* bucketOf(one)
      for (let i = 0; i < 100; i++) yield* take
    }).pipe(atOnce, Effect.provide(RateLimits.layerNone)))
})

// -----------------------------------------------------------------------------
// Refusals by the exchange
// -----------------------------------------------------------------------------

const balance = MainBalance.use(({ all }) => all)
const fees = Fees.use(({ list }) => list)
const cancelAll = CancelAllOrders.use((orders) => orders.cancel())
const ping = ServerStatus.use((status) => status.ping)

const tooMany = () => refusal(429, 0, "Too Many Attempts.")

const client = (answer: Answering) =>
  Exchange.layerServices.pipe(
    Layer.provide([
      HttpClientTransport.layer,
      Signer.layerNode,
      Nonce.layerWindow,
      RateLimits.layerMemory,
      MarketRules.layerNone
    ]),
    Layer.provide([
      Credentials.layer(credentialsOf(alice)),
      Region.layer({ baseUrl: of.baseUrl, dialect: Dialect.document })
    ]),
    Layer.provideMerge(answering(answer)),
    Layer.orDie
  )

const sent = Recorder.use((recorded) => Effect.sync(() => recorded.length))

describe("refusals by the exchange", () => {
  /** Advances the clock by each step, in milliseconds. Returns the number of attempts after each step. */
  const attemptsAfter = (millis: ReadonlyArray<number>) =>
    Effect.forEach(millis, (step) => Effect.andThen(TestClock.adjust(step), sent))

  it.effect("a rate-limited read is retried three times, after about one, two and four seconds", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(failsWith("RateLimited")(balance))
      assert.deepStrictEqual(yield* attemptsAfter([1, 998, 260, 1740, 752, 3248, 1752]), [1, 1, 2, 2, 3, 3, 4])
      const error = yield* Fiber.join(fiber)
      assert.deepStrictEqual([error.origin, error.status, error.reason], ["exchange", 429, "Too Many Attempts."])
      assert.include(error.body, "Too Many Attempts.")
      assert.isAtLeast(error.retryAfter ?? 0, 8000)
      assert.isAtMost(error.retryAfter ?? 0, 10_000)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* sent, 4)
    }).pipe(Effect.provide(client(tooMany))))

  it.effect("a retried read returns its response", () =>
    Effect.gen(function*() {
      yield* passing(balance)
      assert.strictEqual(yield* sent, 2)
    }).pipe(Effect.provide(client((_sent, index) => index === 0 ? tooMany() : json(200, {})))))

  it.effect("a rate-limited read with a maximum wait of zero is not retried", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* failsWith("RateLimited")(balance)).origin, "exchange")
      assert.strictEqual((yield* failsWith("RateLimited")(balance)).origin, "local")
      assert.strictEqual(yield* sent, 1)
    }).pipe(atOnce, Effect.provide(client(tooMany))))

  for (
    const [name, answer, tag] of [
      ["the exchange's error body", tooMany, "RateLimited"],
      ["HTML", () => html(429), "OutcomeUnknown"]
    ] as const
  ) {
    it.effect(`a mutating call is not retried after a 429 with ${name}, and the next call has to wait`, () =>
      Effect.gen(function*() {
        assert.strictEqual((yield* Effect.flip(cancelAll))._tag, tag)
        assert.strictEqual(yield* sent, 1)
        const next = yield* Effect.forkChild(Effect.flip(cancelAll))
        assert.deepStrictEqual(yield* attemptsAfter([999, 251]), [1, 2])
        yield* Fiber.join(next)
      }).pipe(Effect.provide(client(answer))))
  }

  it.effect("a rate-limited private call pauses only its endpoint, and a rate-limited public call pauses all public calls", () =>
    Effect.gen(function*() {
      yield* failsWith("RateLimited")(cancelAll)
      yield* failsWith("RateLimited")(fees)
      assert.strictEqual(yield* sent, 2)
      yield* failsWith("RateLimited")(ping)
      yield* failsWith("RateLimited")(ping)
      assert.strictEqual(yield* sent, 3)
    }).pipe(atOnce, Effect.provide(client(tooMany))))

  it.effect("a refused nonce does not pause any calls", () =>
    Effect.gen(function*() {
      yield* failsWith("NonceRejected")(cancelAll)
      yield* failsWith("NonceRejected")(cancelAll)
      assert.strictEqual(yield* sent, 2)
    }).pipe(atOnce, Effect.provide(client(() => refusal(429, 0, "Too many requests.")))))

  const retryAfter = (value: string) => () =>
    new Response("{\"code\":0,\"message\":\"Slow.\"}", { status: 429, headers: { "retry-after": value } })
  for (const value of ["20", "Thu, 01 Jan 1970 00:00:20 GMT"]) {
    it.effect(`Retry-After: ${value} pauses calls for slightly longer than the header states`, () =>
      Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(balance)
        assert.deepStrictEqual(yield* attemptsAfter([1, 19_998, 5002]), [1, 1, 2])
        yield* Fiber.join(fiber)
      }).pipe(Effect.provide(client((_sent, index) => index === 0 ? retryAfter(value)() : json(200, {})))))
  }

  for (const when of ["before a call starts to wait", "while a call waits"]) {
    it.effect(`after a refusal, setting the clock back ${when} at most doubles the pause`, () =>
      Effect.gen(function*() {
        let back = 0
        const real = yield* Clock.Clock
        const clock: Clock.Clock = {
          ...real,
          currentTimeMillisUnsafe: () => real.currentTimeMillisUnsafe() - back,
          sleep: (duration) => real.sleep(duration)
        }
        const setBack = Effect.sync(() => {
          back = 3_600_000
        })
        const { refused, take } = yield* bucketOf(balanceEndpoint)
        yield* Effect.gen(function*() {
          const pause = yield* refused("20")
          assert.isAtMost(pause, 25_000)
          if (when.startsWith("before")) yield* setBack
          const call = yield* Effect.forkChild(take)
          yield* Effect.yieldNow
          if (when.startsWith("while")) yield* setBack
          yield* TestClock.adjust(pause - 1)
          assert.isUndefined(call.pollUnsafe())
          // A call that was already waiting may wait twice as long, because it reads the clock only when its wait ends.
          yield* TestClock.adjust(when.startsWith("while") ? pause + 1 : 1)
          assert.isDefined(call.pollUnsafe())
        }).pipe(Effect.provideService(Clock.Clock, clock))
      }).pipe(Effect.provide(RateLimits.layerMemory), Effect.provideService(RateLimits.MaxWait, "2 minutes")))
  }

  it.effect("a pause longer than a call's maximum wait fails the call immediately", () =>
    Effect.gen(function*() {
      const error = yield* failsWith("RateLimited")(balance)
      assert.strictEqual(error.origin, "local")
      assert.isAtLeast(error.retryAfter ?? 0, 40_000)
      assert.strictEqual(yield* sent, 1)
    }).pipe(Effect.provide(client(retryAfter("40")))))

  it.effect("simultaneous rate-limit refusals are counted as one", () => {
    const latch = Latch.makeUnsafe()
    return Effect.gen(function*() {
      const calls = Array.from({ length: 20 }, () => Effect.flip(cancelAll))
      const refused = yield* Effect.forkChild(Effect.all(calls, { concurrency: "unbounded" }))
      while ((yield* sent) < 20) yield* turn
      yield* latch.open
      yield* Fiber.join(refused)
      const next = yield* Effect.forkChild(Effect.flip(cancelAll))
      assert.deepStrictEqual(yield* attemptsAfter([999, 251]), [20, 21])
      yield* Fiber.join(next)
    }).pipe(Effect.provide(client(() => Effect.map(latch.await, tooMany))))
  })
})

describe("an exchange client's rate limits", () => {
  const many = Effect.forEach(Array.from({ length: 300 }), () => Effect.result(balance), { concurrency: "unbounded" })
  const make = (shared: Exchange.Shared = {}) =>
    Exchange.layer({ ...of, dialect: Dialect.document, credentials: credentialsOf(alice), ...shared }).pipe(
      Layer.provideMerge(answering(() => json(200, {})))
    )

  it.effect("by default, a client stays within the rate limits", () =>
    Effect.gen(function*() {
      yield* many
      assert.strictEqual(yield* sent, 250)
    }).pipe(atOnce, once, Effect.provide(make())))

  it.effect("a maximum wait of 20 ms lets one more call through, and all other calls fail", () =>
    Effect.gen(function*() {
      const results = yield* passing(many, 1)
      // One more call is allowed every 10,250 / 751 milliseconds, so exactly one within 20 milliseconds.
      assert.strictEqual(results.filter(({ _tag }) => _tag === "Success").length, 251)
      assert.strictEqual(yield* sent, 251)
    }).pipe(Effect.provideService(RateLimits.MaxWait, 20), once, Effect.provide(make())))

  it.effect("a client can leave rate limiting to the server", () =>
    Effect.gen(function*() {
      yield* many
      assert.strictEqual(yield* sent, 300)
    }).pipe(atOnce, once, Effect.provide(make({ rateLimits: RateLimits.layerNone }))))

  it.effect("two clients with the same key share the rate limits", () =>
    Effect.gen(function*() {
      const recorded = yield* Layer.build(answering(() => json(200, {})))
      const half = Effect.forEach(Array.from({ length: 200 }), () => Effect.result(balance), { concurrency: 1 })
      const one = () =>
        Layer.effectDiscard(half).pipe(
          Layer.provide(Exchange.layer({ ...of, dialect: Dialect.document, credentials: credentialsOf(alice) }))
        )
      yield* Layer.build(Layer.merge(one(), one())).pipe(Effect.provideContext(recorded))
      assert.strictEqual(yield* Effect.provideContext(sent, recorded), 250)
    }).pipe(atOnce, once))
})
