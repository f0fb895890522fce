import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { Amount, Price } from "../../../src/domain/Decimal.ts"
import { PlanId } from "../../../src/domain/Identifiers.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { Control } from "../../../src/sandbox/control/Control.ts"
import * as Times from "../../../src/sandbox/engine/Times.ts"
import * as NewVenue from "../../../src/sandbox/host/NewVenue.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import type { JournalError } from "../../../src/sandbox/store/Journal.ts"
import type { ControlRefused } from "../../../src/sandbox/venue/ControlRefused.ts"
import { Venue } from "../../../src/sandbox/venue/Venue.ts"
import { post, send, worlds } from "../../support/control.ts"
import { btcUsdt, inProcess, setUp, usdt } from "../../support/exchange.ts"
import { failsWith } from "../../support/fails.ts"
import { scratchFile } from "../../support/files.ts"
import { handle, signed } from "../../support/signed.ts"

const order = { market: "BTC_USDT", side: "sell", amount: "0.1", price: "1000" }

const [lastMillis, tooLate] = [Times.latest / 1000, Date.UTC(2256, 0, 1)]

describe("a machine whose clock is beyond the journal's range", () => {
  it.effect("a venue refuses calls and owner actions while the machine's clock is too far ahead, and its journal can be opened again", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      const venue = <A, E>(effect: Effect.Effect<A, E, Venue | Control>) =>
        Effect.provide(effect, Layer.fresh(Sandbox.layer({ file })))
      const sequence = yield* venue(Effect.gen(function*() {
        yield* setUp
        yield* TestClock.setTime(lastMillis)
        const last = yield* handle(signed(Dialect.document, "/api/v4/order/new", order))
        assert.strictEqual(last.status, 200)
        const { sequence } = yield* Venue
        const before = sequence()
        yield* TestClock.setTime(tooLate)
        const call = yield* handle(signed(Dialect.document, "/api/v4/order/new", order))
        assert.strictEqual(call.status, Dialect.document.refusals.unavailable.status)
        const control = yield* Control
        for (
          const refused of [
            control.movePrice({ market: btcUsdt, price: Price.make("1") }),
            control.freezeClock,
            control.clock,
            control.restore(0)
          ]
        ) assert.include((yield* failsWith("JournalError")(refused)).reason, "clock")
        assert.strictEqual(sequence(), before)
        return before
      }))
      // The venue can be opened, but events that came due in the meantime are not recorded.
      yield* venue(Effect.gen(function*() {
        const call = yield* handle(signed(Dialect.document, "/api/v4/order/new", order))
        assert.strictEqual(call.status, Dialect.document.refusals.unavailable.status)
        assert.strictEqual((yield* Venue).sequence(), sequence)
      }))
      yield* TestClock.setTime(lastMillis)
      assert.strictEqual(yield* venue(Venue.use((venue) => Effect.succeed(venue.sequence()))), sequence)
    }))

  it.effect("a host creates no venue while the machine's clock is too far ahead", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(tooLate)
      assert.strictEqual((yield* failsWith("NotMade")(NewVenue.record(undefined, {}))).field, "clock")
    }))
})

describe("a venue whose clock has passed the last supported year", () => {
  const path = "/api/v4/main-account/balance"
  const called = Effect.map(handle(signed(Dialect.document, path)), ({ status }) => status)

  it.effect("a venue beyond the last year can be reset or restored, even after it was closed, and then handles events again", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      const venue = <A, E>(effect: Effect.Effect<A, E, Venue | Control>) =>
        Effect.provide(effect, Layer.fresh(Sandbox.layer({ file })))
      const runOut = Effect.gen(function*() {
        const control = yield* Control
        yield* control.setClock({ at: Times.latest - 1_000_000 })
        yield* TestClock.adjust("2 seconds")
        assert.strictEqual(yield* called, Dialect.document.refusals.unavailable.status)
        assert.include((yield* failsWith("JournalError")(control.clock)).reason, "Reset")
      })
      yield* venue(Effect.gen(function*() {
        yield* setUp
        const control = yield* Control
        const { sequence } = yield* control.status
        yield* control.begin
        yield* runOut
        yield* control.reset
        assert.strictEqual(yield* called, 200)
        yield* runOut
        yield* control.restore(sequence)
        assert.strictEqual(yield* called, 200)
        yield* runOut
      }))
      yield* venue(Effect.gen(function*() {
        const control = yield* Control
        assert.strictEqual(yield* called, Dialect.document.refusals.unavailable.status)
        yield* control.reset
        assert.strictEqual(yield* called, 200)
        yield* control.playPrices({ market: btcUsdt, steps: [{ afterMillis: 1000, price: Price.make("7") }] })
        yield* TestClock.adjust("1 seconds")
        assert.isUndefined(yield* control.nextDue)
      }))
    }))

  it.effect("a refusal to move the clock back, or beyond the last year, states the limit that the clock must respect", () =>
    Effect.gen(function*() {
      const control = yield* Control
      const remedyOf = <A>(action: Effect.Effect<A, ControlRefused | JournalError>) =>
        Effect.map(failsWith("ControlRefused")(action), ({ fields, message }) => [fields, message.split(/: |\. /u)[1]])
      const last = "a venue's last time is the end of 2199 (7258118400000000)"
      yield* setUp
      for (const at of [Times.latest, Times.latest + 1, Number.MAX_VALUE]) {
        assert.deepStrictEqual(yield* remedyOf(control.setClock({ at })), [{ at: "max" }, last])
      }
      const back = yield* remedyOf(control.advanceClock({ millis: -1 }))
      assert.deepStrictEqual(back, [{ millis: "min" }, "the clock only moves forward"])
      yield* control.freezeClock
      yield* control.setClock({ at: Times.latest })
      assert.deepStrictEqual(yield* remedyOf(control.advanceClock({ millis: 1 })), [{ millis: "max" }, last])
      assert.deepStrictEqual(yield* remedyOf(control.runClock), [{ clock: "max" }, last])
      const steps = [{ afterMillis: 1, price: Price.make("1") }]
      assert.deepStrictEqual(yield* remedyOf(control.playPrices({ market: btcUsdt, steps })), [{ steps: "max" }, last])
      assert.strictEqual(yield* called, 200)
    }).pipe(Effect.provide(Layer.fresh(Sandbox.layer()))))
})

it.effect("no price can be scheduled after the last year, whether in one step or in many", () =>
  Effect.gen(function*() {
    const control = yield* Control
    const [before, play] = [
      yield* control.status,
      (...steps: ReadonlyArray<number>) =>
        control.playPrices({
          market: btcUsdt,
          steps: steps.map((afterMillis) => ({ afterMillis, price: Price.make("1") }))
        })
    ]
    for (const millis of [Number.MAX_SAFE_INTEGER, 2 ** 53, Times.longestMillis + 1]) {
      assert.deepStrictEqual((yield* failsWith("ControlRefused")(play(millis))).fields, {
        "steps.0.afterMillis": "format"
      })
    }
    assert.strictEqual((yield* control.status).sequence, before.sequence)
    const [half, rest] = [Times.longestMillis, lastMillis % Times.longestMillis]
    const whole = Array.from({ length: Math.floor(lastMillis / half) }, () => half)
    assert.deepStrictEqual((yield* failsWith("ControlRefused")(play(...whole, rest + 1))).fields, { steps: "max" })
    assert.isUndefined(yield* control.nextDue)
    yield* play(...whole, rest)
    assert.strictEqual(yield* control.nextDue, half * 1000)
    const days = Times.longestMillis / 86_400_000 + 1
    const plan = { planId: PlanId.make("p"), ticker: usdt, dailyPercent: Amount.make("1"), days }
    assert.deepStrictEqual((yield* failsWith("ControlRefused")(control.openPlan(plan))).fields, { days: "format" })
  }).pipe(Effect.provide(inProcess(Dialect.document))))

it.effect("a journal with a time or a skew out of range is not imported", () =>
  Effect.gen(function*() {
    const control = yield* Control
    const clock = (clock: string) => `{"at":0,"action":{"_tag":"SetClock","clock":${clock}}}`
    for (
      const line of [
        `{"at":${Times.latest + 1},"action":{"_tag":"Begin"}}`,
        `{"at":-1,"action":{"_tag":"Begin"}}`,
        clock(`{"_tag":"Frozen","at":${Times.latest + 1}}`),
        clock(`{"_tag":"Running","ahead":${Times.latest + 1}}`),
        `{"at":0,"action":{"_tag":"SetSkew","skew":${Times.largestSkew * 1000 + 1}}}`
      ]
    )
      assert.deepStrictEqual((yield* failsWith("ControlRefused")(control.replay([line]))).fields, {
        "line 1": "format"
      })
    yield* control.replay([`{"at":${Times.latest},"action":{"_tag":"Begin"}}`])
  }).pipe(Effect.provide(Layer.fresh(Sandbox.layer()))))

describe.each(worlds)("durations beyond the limit (%s)", (_name, dialect, world) => {
  it.live("durations beyond the limit are refused, and the next due event can still be read", () =>
    Effect.gen(function*() {
      const long = Times.longestMillis + 1
      const step = (millis: number) => `{"market":"BTC_USDT","steps":[{"afterMillis":${millis},"price":"1"}]}`
      for (
        const [operation, body] of [
          ["PlayPrices", step(2 ** 53 - 1)],
          ["PlayPrices", step(long)],
          ["Faults", `{"symptom":{"_tag":"Delay","millis":${long}}}`],
          ["Faults", `{"symptom":{"_tag":"Late","millis":${long}}}`],
          ["Limit", `{"limit":{"calls":1,"perSeconds":${long}}}`]
        ] as const
      ) assert.strictEqual((yield* send("POST", operation, body))[0], 400, body)
      assert.deepStrictEqual(yield* send("GET", "NextDue"), [200, "{}"])
      assert.strictEqual((yield* post(signed(dialect, "/api/v4/main-account/balance"))).status, 200)
    }).pipe(Effect.provide(world)))
})
