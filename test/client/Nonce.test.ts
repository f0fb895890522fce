import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import * as Credentials from "../../src/client/Credentials.ts"
import * as MarketRules from "../../src/client/MarketRules.ts"
import * as Nonce from "../../src/client/Nonce.ts"
import * as NonceSequence from "../../src/client/NonceSequence.ts"
import * as RateLimits from "../../src/client/RateLimits.ts"
import * as Region from "../../src/client/Region.ts"
import * as Signer from "../../src/client/Signer.ts"
import * as HttpClientTransport from "../../src/client/transport/HttpClientTransport.ts"
import { MainBalance } from "../../src/endpoints/MainBalance.ts"
import { StopLimitOrders } from "../../src/endpoints/StopLimitOrders.ts"
import * as Exchange from "../../src/Exchange.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import { passing } from "../support/clock.ts"
import { alice, credentialsOf, exchange, inProcess, once, stopLimit } from "../support/exchange.ts"
import { failsWith } from "../support/fails.ts"
import { type Answering, answering, fieldsOf, json, privateCalls, type Recorder } from "../support/http.ts"
import { property } from "../support/property.ts"

const balance = MainBalance.use(({ all }) => all)

const many = (calls: number) =>
  Effect.forEach(Array.from({ length: calls }), () => balance, { concurrency: "unbounded" })

/** Collects the nonces that the server receives, in order of arrival. */
const arrived = Effect.map(privateCalls, (calls) => calls.map((call) => Number(fieldsOf(call)["nonce"])))

const isIncreasing = (numbers: ReadonlyArray<number>) => numbers.every((n, i) => i === 0 || n > (numbers[i - 1] ?? n))

const client = (
  dialect: Dialect.Dialect,
  nonce: Layer.Layer<Nonce.Nonce>,
  http: Layer.Layer<HttpClient.HttpClient | Recorder>
) =>
  Exchange.layerServices.pipe(
    Layer.provide([HttpClientTransport.layer, Signer.layerNode, nonce, RateLimits.layerNone, MarketRules.layerNone]),
    Layer.provide([Credentials.layer(credentialsOf(alice)), Region.layer({ baseUrl: "http://localhost", dialect })]),
    Layer.provideMerge(http)
  )

const empty = answering(() => json(200, {}))

/** Delays each response by the next of `delays`, in milliseconds. After the last delay, starts again with the first. */
const slow = (delays: ReadonlyArray<number>): Answering => (_sent, index) =>
  Effect.delay(Effect.sync(() => json(200, {})), delays[index % delays.length] ?? 0)

describe("nonces on the wire", () => {
  const only = Effect.gen(function*() {
    yield* TestClock.setTime(1_700_000_000_000)
    yield* balance
    const [call] = yield* privateCalls
    return call ?? assert.fail("nothing was sent")
  })

  it.effect("document: a nonce is sent as a string of digits that counts microseconds", () =>
    Effect.gen(function*() {
      assert.include((yield* only).body, "\"nonce\":\"1700000000000000\"}")
    }).pipe(Effect.provide(client(Dialect.document, Nonce.layerWindow, empty))))

  it.effect("live: in window mode, a nonce is sent as an integer in milliseconds, with `nonceWindow`", () =>
    Effect.gen(function*() {
      assert.include((yield* only).body, "\"nonce\":1700000000000,\"nonceWindow\":true}")
    }).pipe(Effect.provide(client(Dialect.live, Nonce.layerWindow, empty))))

  it.effect("live: in increasing mode, a nonce is sent as an integer in milliseconds, without `nonceWindow`", () =>
    Effect.gen(function*() {
      assert.include((yield* only).body, "\"nonce\":1700000000000}")
    }).pipe(Effect.provide(client(Dialect.live, Nonce.layerIncreasing, empty))))
})

describe("a clock that shows a fraction of a millisecond", () => {
  for (const dialect of [Dialect.document, Dialect.live]) {
    for (const [name, layer] of Object.entries({ window: Nonce.layerWindow, increasing: Nonce.layerIncreasing })) {
      it.effect(`a nonce is an integer even when the clock shows a fraction of a millisecond (${dialect.name}, ${name})`, () =>
        Effect.gen(function*() {
          yield* TestClock.setTime(1_700_000_000_000 + 2 ** -12)
          yield* many(2)
          const first = dialect.name === "live" ? 1_700_000_000_000 : 1_700_000_000_000_000
          assert.deepStrictEqual(yield* arrived, [first, first + 1])
        }).pipe(Effect.provide(client(dialect, layer, empty))))
    }
  }
})

describe("unique nonces", () => {
  for (const [name, layer] of Object.entries({ window: Nonce.layerWindow, increasing: Nonce.layerIncreasing })) {
    it.effect(`thousands of parallel calls get unique nonces in ${name} mode even while the clock stands still`, () =>
      Effect.gen(function*() {
        yield* many(3000)
        const nonces = yield* arrived
        assert.strictEqual(new Set(nonces).size, 3000)
        assert.isTrue(isIncreasing(nonces))
      }).pipe(Effect.provide(client(Dialect.document, layer, empty))))
  }

  it.live("the sandbox accepts the nonces of thousands of parallel calls on a real clock", () =>
    Effect.gen(function*() {
      yield* Control.use((control) => control.limit({ calls: 10_000, perSeconds: 1 }))
      yield* many(1500)
      assert.strictEqual(new Set(yield* arrived).size, 1500)
    }).pipe(once, Effect.provide(exchange(inProcess(Dialect.live), { rateLimits: RateLimits.layerNone }))))

  it.effect("two clients with the same key in one program never use the same nonce", () =>
    Effect.gen(function*() {
      const make = Exchange.layer({
        baseUrl: "http://localhost",
        dialect: Dialect.document,
        credentials: credentialsOf(alice)
      })
      const other = Exchange.layer({
        baseUrl: "http://localhost",
        dialect: Dialect.document,
        credentials: credentialsOf(alice)
      })
      const both = Layer.merge(
        Layer.effectDiscard(many(50)).pipe(Layer.provide(make)),
        Layer.effectDiscard(many(50)).pipe(Layer.provide(other))
      )
      yield* Layer.build(both)
      assert.strictEqual(new Set(yield* arrived).size, 100)
    }).pipe(Effect.provide(empty)))

  it.effect("every API key has a separate sequence of nonces", () =>
    Effect.gen(function*() {
      const nonces = yield* Nonce.Nonce
      const take = (apiKey: string) =>
        nonces.use({ apiKey: Redacted.make(apiKey), unit: "milliseconds" }, (nonce) => Effect.succeed(nonce))
      assert.deepStrictEqual([yield* take("a"), yield* take("b"), yield* take("a")], [0, 0, 1])
    }).pipe(Effect.provide(Nonce.layerWindow)))
})

describe("increasing nonces", () => {
  property(
    "increasing nonces arrive in order, no matter how long the calls take",
    [fc.array(fc.nat(200), { minLength: 1, maxLength: 10 }), fc.integer({ min: 1, max: 30 })],
    (delays, calls) =>
      Effect.gen(function*() {
        yield* passing(many(calls))
        const nonces = yield* arrived
        assert.strictEqual(nonces.length, calls)
        assert.isTrue(isIncreasing(nonces))
      }).pipe(Effect.provide(client(Dialect.live, Nonce.layerIncreasing, answering(slow(delays))))),
    { runs: 50 }
  )

  it.effect("increasing mode makes one call at a time, even after a failed call", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(Effect.forEach([1, 2, 3], () => Effect.result(balance), {
        concurrency: "unbounded"
      }))
      for (const arrivals of [1, 2, 3]) {
        yield* TestClock.adjust(arrivals === 1 ? "1 millis" : "10 seconds")
        assert.strictEqual((yield* privateCalls).length, arrivals)
      }
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(fiber)
    }).pipe(once, Effect.provide(client(Dialect.live, Nonce.layerIncreasing, answering(() => Effect.never)))))
})

describe("nonces and the clock", () => {
  it.effect("no nonce is more than two seconds ahead of the clock: calls wait instead", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(many(2100))
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* privateCalls).length, NonceSequence.maxAhead + 2)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(fiber)
      assert.strictEqual(new Set(yield* arrived).size, 2100)
    }).pipe(Effect.provide(client(Dialect.live, Nonce.layerWindow, empty))))

  /** A clock that a test can set forwards and backwards. Sleeping advances the clock. */
  const settable = Effect.map(Clock.Clock, (clock) => {
    const time = { now: 10_000_000 }
    const made: Clock.Clock = {
      ...clock,
      currentTimeMillisUnsafe: () => time.now,
      currentTimeMillis: Effect.sync(() => time.now),
      sleep: (duration) =>
        Effect.sync(() => {
          time.now += duration.value._tag === "Millis" ? duration.value.millis : 0
        })
    }
    return { time, clock: made }
  })

  it.effect("if the clock is set back, calls continue (up to 2 seconds back), wait (up to 4 seconds) or fail (more)", () =>
    Effect.gen(function*() {
      const { clock, time } = yield* settable
      const next = NonceSequence.sequence("microseconds")().pipe(Effect.provideService(Clock.Clock, clock))
      time.now = 10_000
      assert.strictEqual(yield* next, 10_000_000)
      time.now = 8_001
      assert.strictEqual(yield* next, 10_000_001)
      assert.strictEqual(time.now, 8_001)
      time.now = 6_000
      assert.strictEqual(yield* next, 10_000_002)
      assert.strictEqual(time.now, 8_001)
      time.now = 5_999
      assert.match((yield* Effect.flip(next)).reason, /clock was set back by 5 seconds/u)
      assert.strictEqual(time.now, 5_999, "the call does not wait")
      time.now = 11_000
      assert.strictEqual(yield* next, 11_000_000)
    }))

  for (const [mode, nonces] of Object.entries({ window: Nonce.layerWindow, increasing: Nonce.layerIncreasing })) {
    it.effect(`after the clock is set back by an hour, calls fail immediately and send nothing, in ${mode} mode`, () =>
      Effect.gen(function*() {
        const { clock, time } = yield* settable
        yield* Effect.gen(function*() {
          yield* balance
          time.now -= 3_600_000
          for (const call of [balance, StopLimitOrders.use((orders) => orders.create(stopLimit))]) {
            const error = yield* failsWith("ExchangeUnreachable")(call as typeof balance)
            assert.deepStrictEqual([error.why, error.outcome], ["nonce", "not-applied"])
            assert.include(error.reason, "clock was set back by 3600 seconds")
          }
          assert.strictEqual((yield* privateCalls).length, 1)
          // Sleeping on this clock never completes.
        }).pipe(once, Effect.provideService(Clock.Clock, { ...clock, sleep: () => Effect.never }))
      }).pipe(Effect.provide(client(Dialect.live, nonces, empty))))
  }

  property(
    "every nonce is greater than the previous one and close to the clock, no matter how the clock moves",
    [
      fc.constantFrom("milliseconds", "microseconds"),
      fc.array(fc.oneof(fc.constant(0), fc.integer({ min: -5000, max: 5000 })), { maxLength: 100 })
    ],
    (unit, steps) =>
      Effect.gen(function*() {
        const { clock, time } = yield* settable
        const next = NonceSequence.sequence(unit)()
        const perMillisecond = unit === "milliseconds" ? 1 : 1000
        let last = -1
        let latest = time.now
        for (const step of steps) {
          time.now = Math.max(0, time.now + step)
          const result = yield* Effect.result(Effect.provideService(next, Clock.Clock, clock))
          latest = Math.max(latest, time.now)
          if (Result.isFailure(result)) {
            assert.isAbove(latest - time.now, NonceSequence.maxSetBack)
            continue
          }
          const nonce = result.success
          assert.isAbove(nonce, last)
          assert.isAtLeast(nonce, time.now * perMillisecond)
          assert.isAtMost(nonce, (time.now + NonceSequence.maxAhead) * perMillisecond)
          last = nonce
        }
      })
  )
})
