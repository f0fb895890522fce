import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import * as RateLimits from "../src/client/RateLimits.ts"
import * as Region from "../src/client/Region.ts"
import * as HttpClientTransport from "../src/client/transport/HttpClientTransport.ts"
import { MainBalance } from "../src/endpoints/MainBalance.ts"
import * as Exchange from "../src/Exchange.ts"
import * as Dialect from "../src/protocol/Dialect.ts"
import { Control } from "../src/sandbox/control/Control.ts"
import * as ServerClock from "../src/ServerClock.ts"
import { passing } from "./support/clock.ts"
import { alice, credentialsOf, inProcess, once, Place } from "./support/exchange.ts"
import { failsWith } from "./support/fails.ts"
import { answering, html, json, privateCalls, Recorder } from "./support/http.ts"
import { logsInto } from "./support/logs.ts"
import { property } from "./support/property.ts"

const balance = MainBalance.use(({ all }) => all)

/** Sets the exchange's clock `millis` ahead, or behind if negative. */
const skewed = (millis: number) => Control.use((control) => control.skewClock({ millis }))

/** An HTTP client that delays every request by `latency` milliseconds. */
const slow = (latency: number) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, (http) =>
      HttpClient.make((request) => Effect.delay(http.execute(request), latency)))
  )

const corrected = Layer.unwrap(
  Effect.map(Place, (place) =>
    Exchange.layer({ ...place, credentials: credentialsOf(alice) }).pipe(
      Layer.provide(ServerClock.layer(place, { interval: "1 minute" }))
    ))
)

const uncorrected = Layer.unwrap(
  Effect.map(Place, (place) => Exchange.layer({ ...place, credentials: credentialsOf(alice) }))
)

const open = Layer.unwrap(
  Effect.map(
    Place,
    (place) =>
      Layer.provide(Exchange.layerPublic, [Region.layer(place), HttpClientTransport.layer, RateLimits.layerNone])
  )
)

const there = inProcess(Dialect.live)

describe("an exchange whose clock differs from the client's clock", () => {
  for (const skew of [-3_600_000, -7000, 7000, 86_400_000]) {
    it.effect(`an exchange whose clock is off by ${skew / 1000} seconds rejects uncorrected nonces and accepts corrected nonces`, () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(1_700_000_000_000)
        yield* skewed(skew)
        yield* failsWith("NonceRejected")(passing(balance.pipe(Effect.provide(uncorrected), once)))
        assert.strictEqual((yield* passing(balance.pipe(Effect.provide(corrected), once))).size, 2)
      }).pipe(Effect.provide(there)))
  }

  property(
    "the measured clock offset is accurate to within half a second plus half the round trip",
    [fc.integer({ min: -1e7, max: 1e7 }), fc.integer({ min: 0, max: 4000 }), fc.integer({ min: 0, max: 999 })],
    (skew, latency, millis) =>
      Effect.gen(function*() {
        yield* TestClock.adjust(1_700_000_000_000 / 1000 + millis)
        yield* skewed(skew)
        const { offset, uncertainty } = yield* passing(
          ServerClock.measure.pipe(Effect.provide(open.pipe(Layer.provide(slow(latency))))),
          500
        )
        assert.isAtMost(Math.abs(offset - skew), uncertainty + 1)
        assert.isAtMost(uncertainty, 500 + latency / 2 + 2000)
      }).pipe(Effect.provide(there), Effect.orDie),
    { runs: 50 }
  )

  it.effect("the clock offset is measured again at every interval", () => {
    const logged: Array<string> = []
    return Effect.gen(function*() {
      yield* TestClock.setTime(1_700_000_000_000)
      const timesAsked = Effect.map(Recorder, (sent) => sent.filter(({ path }) => path.endsWith("/time")).length)
      yield* Effect.gen(function*() {
        assert.strictEqual(yield* timesAsked, 1)
        yield* skewed(60_000)
        yield* TestClock.adjust("59 seconds")
        yield* failsWith("NonceRejected")(once(balance))
        assert.strictEqual(yield* timesAsked, 1)
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* timesAsked, 2)
        assert.strictEqual((yield* once(balance)).size, 2)
      }).pipe(Effect.provide(corrected))
    }).pipe(Effect.provide([there, logsInto(logged)]))
  })
})

describe("the measured clock offset", () => {
  const time = 1_700_000_000

  it.effect("a clock offset within the measurement's uncertainty is ignored", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(time * 1000 + 400)
      yield* balance.pipe(
        Effect.provide(
          Exchange.layer({ baseUrl: "https://x.invalid", dialect: Dialect.live, credentials: credentialsOf(alice) })
            .pipe(Layer.provide(ServerClock.layer({ baseUrl: "https://x.invalid", dialect: Dialect.live })))
        )
      )
      const [sent] = yield* privateCalls
      assert.include(sent?.body, `"nonce":${time * 1000 + 400},`)
    }).pipe(Effect.provide(answering(({ path }) => json(200, path.endsWith("/time") ? { time } : {})))))

  it.effect("the ServerClock layer fails if the offset can't be measured", () =>
    Effect.gen(function*() {
      const built = Layer.build(ServerClock.layer({ baseUrl: "https://x.invalid", dialect: Dialect.live }))
      yield* failsWith("UnexpectedResponse")(once(Effect.scoped(built)))
    }).pipe(Effect.provide(answering(() => html(502)))))
})
