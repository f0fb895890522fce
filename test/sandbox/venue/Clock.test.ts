import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { Amount, Price, price } from "../../../src/domain/Decimal.ts"
import { InvestmentId, marketName, PlanId } from "../../../src/domain/Identifiers.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { Control } from "../../../src/sandbox/control/Control.ts"
import { ControlClient } from "../../../src/sandbox/control/ControlClient.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import { Venue } from "../../../src/sandbox/venue/Venue.ts"
import { turn } from "../../support/clock.ts"
import { Base, inProcess, post, send, type World, worlds } from "../../support/control.ts"
import { btcUsdt, usdt } from "../../support/exchange.ts"
import { failsWith } from "../../support/fails.ts"
import { signed, signedText } from "../../support/signed.ts"

const balance = "/api/v4/main-account/balance"

const read = ControlClient.use((control) => control.clock())

/** Reads the server time that callers see, in seconds. */
const told = Effect.gen(function*() {
  const response = yield* HttpClient.get(`${yield* Base}/api/v4/public/time`)
  return ((yield* response.json) as { readonly time: number }).time
})

describe.each(worlds)("the venue's clock (%s)", (_name, dialect, world) => {
  const test = <E>(name: string, effect: Effect.Effect<unknown, E, World>) =>
    it.live(name, () => Effect.provide(effect, world))

  test(
    "the owner can freeze the clock, set it, and let it run again",
    Effect.gen(function*() {
      const control = yield* ControlClient
      const before = yield* read
      assert.isFalse(before.frozen)
      yield* control.freezeClock({ payload: {} })
      const frozen = yield* read
      assert.isTrue(frozen.frozen)
      assert.isAtLeast(frozen.at, before.at)
      yield* Effect.sleep("20 millis")
      assert.deepStrictEqual(yield* read, frozen)
      yield* control.advanceClock({ payload: { millis: 1500 } })
      assert.deepStrictEqual(yield* read, { ...frozen, at: frozen.at + 1_500_000 })
      const later = frozen.at + 365 * 86_400_000_000
      yield* control.setClock({ payload: { at: later } })
      assert.deepStrictEqual(yield* read, { ...frozen, at: later })
      // The server time still follows the machine's clock, because nonces are checked against that clock.
      assert.approximately(yield* told, Math.floor((yield* Clock.currentTimeMillis) / 1000), 1)
      const start = yield* Clock.currentTimeMillis
      yield* control.runClock({ payload: {} })
      yield* Effect.sleep("20 millis")
      const running = yield* read
      const elapsed = (yield* Clock.currentTimeMillis) - start
      assert.isFalse(running.frozen)
      assert.isAtLeast(running.at, later + 15_000)
      assert.isAtMost(running.at, later + (elapsed + 1) * 1000)
      yield* control.advanceClock({ payload: { millis: 3_600_000 } })
      assert.isAtLeast((yield* read).at, running.at + 3_600_000_000)
      assert.isFalse((yield* read).frozen)
    })
  )

  test(
    "the clock can't be set back, or beyond the times that the journal can store",
    Effect.gen(function*() {
      const control = yield* ControlClient
      yield* control.freezeClock({ payload: {} })
      const before = yield* read
      const set = (at: number) => failsWith("ControlRefused")(control.setClock({ payload: { at } }))
      assert.deepStrictEqual((yield* set(before.at - 1)).fields, { at: "min" })
      assert.deepStrictEqual((yield* set(Date.UTC(2200, 0, 1) * 1000 + 1)).fields, { at: "max" })
      for (const millis of [1e14, Number.MAX_SAFE_INTEGER]) {
        const error = yield* failsWith("ControlRefused")(control.advanceClock({ payload: { millis } }))
        assert.deepStrictEqual(error.fields, { millis: "max" })
        const ahead = yield* failsWith("ControlRefused")(control.skewClock({ payload: { millis } }))
        assert.deepStrictEqual(ahead.fields, { millis: "max" })
        const behind = yield* failsWith("ControlRefused")(control.skewClock({ payload: { millis: -millis } }))
        assert.deepStrictEqual(behind.fields, { millis: "min" })
      }
      for (const body of [`{"millis":-1}`, `{"millis":1.5}`, `{"millis":"1"}`, "{}", `{"millis":null}`]) {
        assert.strictEqual((yield* send("POST", "AdvanceClock", body))[0], 400, body)
      }
      assert.deepStrictEqual(yield* read, before)
      yield* control.setClock({ payload: { at: Date.UTC(2200, 0, 1) * 1000 } })
      assert.strictEqual((yield* post(signed(dialect, balance))).status, 200)
    })
  )

  test(
    "a clock skew changes only the server time and the check of nonces",
    Effect.gen(function*() {
      const control = yield* ControlClient
      yield* control.freezeClock({ payload: {} })
      const { at } = yield* read
      const isTold = Effect.fnUntraced(function*(skewSeconds: number) {
        assert.approximately(yield* told, Math.floor((yield* Clock.currentTimeMillis) / 1000) + skewSeconds, 1)
      })
      yield* control.skewClock({ payload: { millis: 60_000 } })
      assert.deepStrictEqual(yield* read, { at, frozen: true, skewMillis: 60_000 })
      yield* isTold(60)
      if (dialect === Dialect.live) {
        const windowed = Effect.fnUntraced(function*(ahead: number) {
          const nonce = (yield* Clock.currentTimeMillis) + ahead
          const request = signedText(balance, JSON.stringify({ request: balance, nonce, nonceWindow: true }))
          return (yield* post(request)).status
        })
        const { status } = dialect.refusals.nonceOutsideWindow
        assert.strictEqual(yield* windowed(0), status)
        assert.strictEqual(yield* windowed(60_000), 200)
        yield* control.skewClock({ payload: { millis: -60_000 } })
        assert.strictEqual(yield* windowed(-60_000), 200)
        assert.strictEqual(yield* windowed(0), status)
      }
      yield* control.skewClock({ payload: { millis: -3_600_000 } })
      yield* isTold(-3600)
      // Events follow the venue's own clock.
      yield* control.playPrices({ payload: { market: btcUsdt, steps: [{ afterMillis: 1000, price: price("123") }] } })
      const { state } = yield* Venue
      yield* control.advanceClock({ payload: { millis: 999 } })
      assert.isUndefined(state.trading.get(btcUsdt)?.lastPrice)
      yield* control.advanceClock({ payload: { millis: 1 } })
      assert.strictEqual(state.trading.get(btcUsdt)?.lastPrice, 123n * 10n ** 18n)
      assert.strictEqual(state.at, at + 1_000_000)
    })
  )
})

describe("the venue's clock in process", () => {
  const start = 1_000_000

  /** The times and amounts of alice's interest payments. */
  const interest = Venue.use((venue) =>
    Effect.sync(() =>
      [...venue.state.payments.get("alice") ?? []].map(({ amount, timestamp }) => [Number(timestamp), String(amount)])
    )
  )

  const plan = Control.use((control) =>
    Effect.andThen(
      control.openPlan({ planId: PlanId.make("plan"), ticker: usdt, dailyPercent: Amount.make("1"), days: 2 }),
      control.invest({
        account: "alice",
        planId: PlanId.make("plan"),
        investmentId: InvestmentId.make("investment"),
        amount: Amount.make("100")
      })
    )
  )

  const lastPrice = Venue.use(({ state }) => Effect.sync(() => state.trading.get(btcUsdt)?.lastPrice))

  it.effect("a running venue clock follows the test clock", () =>
    Effect.gen(function*() {
      const control = yield* Control
      yield* TestClock.adjust(start)
      assert.deepStrictEqual(yield* control.clock, { at: start * 1000, frozen: false, skewMillis: 0 })
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* control.clock).at, (start + 1) * 1000)
      yield* control.freezeClock
      yield* TestClock.adjust(5000)
      assert.strictEqual((yield* control.clock).at, (start + 1) * 1000)
      yield* control.runClock
      yield* TestClock.adjust(10)
      assert.strictEqual((yield* control.clock).at, (start + 11) * 1000)
    }).pipe(Effect.provide(inProcess())))

  it.effect("scheduled events happen on time without a call, each as a separate command", () =>
    Effect.gen(function*() {
      const control = yield* Control
      const venue = yield* Venue
      yield* plan
      yield* control.playPrices({
        market: btcUsdt,
        steps: [{ afterMillis: 1000, price: Price.make("101") }, { afterMillis: 500, price: Price.make("102") }]
      })
      yield* turn
      assert.isUndefined(yield* lastPrice)
      yield* TestClock.adjust(999)
      yield* turn
      assert.isUndefined(yield* lastPrice)
      yield* TestClock.adjust(1)
      yield* turn
      assert.strictEqual(yield* lastPrice, 101n * 10n ** 18n)
      yield* TestClock.adjust(500)
      yield* turn
      assert.strictEqual(yield* lastPrice, 102n * 10n ** 18n)
      yield* TestClock.adjust("2 days")
      yield* turn
      assert.deepStrictEqual(yield* interest, [[86_400, "1"], [172_800, "1"]])
      assert.strictEqual(venue.state.investments.size, 0)
      const lines = (yield* Stream.runCollect(Stream.unwrap(venue.journal.lines))).slice(-4)
      assert.deepStrictEqual(
        lines.map((line) => (JSON.parse(line) as { action: { _tag: string } }).action._tag),
        ["Pass", "Pass", "Pass", "Pass"]
      )
    }).pipe(Effect.provide(inProcess())))

  it.effect("funding is settled on time while a position is open, without a call", () =>
    Effect.gen(function*() {
      const control = yield* Control
      const venue = yield* Venue
      const market = marketName("BTC_PERP")
      const settled = () => venue.state.funding.get(market)?.settled.length
      yield* control.openAccount({ account: "holder", b2b: false })
      yield* control.fund({ account: "holder", wallet: "collateral", ticker: usdt, amount: Amount.make("1000") })
      yield* control.movePrice({ market, price: Price.make("100") })
      yield* control.setFunding({ market, intervalMinutes: 10 })
      yield* control.openPosition({ account: "holder", market, side: "buy", amount: Amount.make("1") })
      yield* turn
      yield* TestClock.adjust("10 minutes")
      yield* turn
      assert.strictEqual(settled(), 1)
      yield* control.setFunding({ market, intervalMinutes: 1 })
      yield* turn
      yield* TestClock.adjust("1 minute")
      yield* turn
      assert.strictEqual(settled(), 2)
    }).pipe(Effect.provide(inProcess())))

  it.effect("scheduled events wait while the clock is frozen, and continue once it runs again", () =>
    Effect.gen(function*() {
      const control = yield* Control
      yield* control.playPrices({ market: btcUsdt, steps: [{ afterMillis: 1000, price: Price.make("101") }] })
      yield* TestClock.adjust(400)
      yield* control.freezeClock
      yield* TestClock.adjust("1 day")
      yield* turn
      assert.isUndefined(yield* lastPrice)
      yield* control.runClock
      yield* TestClock.adjust(599)
      yield* turn
      assert.isUndefined(yield* lastPrice)
      yield* TestClock.adjust(1)
      yield* turn
      assert.strictEqual(yield* lastPrice, 101n * 10n ** 18n)
    }).pipe(Effect.provide(inProcess())))

  it.effect("events scheduled after the restored command become due again", () =>
    Effect.gen(function*() {
      const control = yield* Control
      yield* control.playPrices({ market: btcUsdt, steps: [{ afterMillis: 1000, price: Price.make("101") }] })
      const sequence = yield* control.snapshot
      yield* TestClock.adjust(1000)
      yield* turn
      assert.strictEqual(yield* lastPrice, 101n * 10n ** 18n)
      yield* control.restore(sequence)
      yield* turn
      // After the restore, the event has become due again, and the price has moved again.
      assert.strictEqual(yield* lastPrice, 101n * 10n ** 18n)
    }).pipe(Effect.provide(inProcess())))

  it.effect("times and durations that are negative or not integers are refused", () =>
    Effect.gen(function*() {
      const control = yield* Control
      const venue = yield* Venue
      const sequence = venue.sequence()
      yield* control.freezeClock
      for (const millis of [Number.NaN, Number.POSITIVE_INFINITY, 0.00001, -1]) {
        yield* failsWith("ControlRefused")(control.advanceClock({ millis }))
      }
      for (const at of [Number.NaN, Number.POSITIVE_INFINITY, 1.5]) {
        yield* failsWith("ControlRefused")(control.setClock({ at }))
      }
      yield* failsWith("ControlRefused")(control.skewClock({ millis: Number.NaN }))
      const error = yield* failsWith("ControlRefused")(
        control.openPlan({ planId: PlanId.make("p"), ticker: usdt, dailyPercent: Amount.make("1"), days: 0.5 })
      )
      assert.deepStrictEqual(Object.keys(error.fields), ["days"])
      const steps = [{ afterMillis: -1, price: Price.make("1") }]
      yield* failsWith("ControlRefused")(control.playPrices({ market: btcUsdt, steps }))
      assert.strictEqual((yield* control.status).sequence, sequence + 1)
    }).pipe(Effect.provide(inProcess())))

  it.effect("the clock of an empty venue can be set to any start time, and then stands still", () =>
    Effect.gen(function*() {
      const control = yield* Control
      yield* TestClock.adjust("1 day")
      const at = 3_600_000_000
      yield* control.setClock({ at })
      assert.deepStrictEqual(yield* control.clock, { at, frozen: true, skewMillis: 0 })
      yield* failsWith("ControlRefused")(control.setClock({ at: at - 1 }))
      const [line] = yield* Stream.runCollect(Stream.unwrap((yield* Venue).journal.lines))
      assert.strictEqual(line, `{"at":${at},"action":{"_tag":"SetClock","clock":{"_tag":"Frozen","at":${at}}}}`)
    }).pipe(Effect.provide(Sandbox.layer())))

  it.live("the clock runs in real time even without any calls", () =>
    Effect.gen(function*() {
      const control = yield* Control
      yield* control.playPrices({ market: btcUsdt, steps: [{ afterMillis: 30, price: Price.make("101") }] })
      while ((yield* lastPrice) === undefined) yield* Effect.sleep("5 millis")
      assert.strictEqual((yield* control.status).sequence, (yield* Venue).sequence())
    }).pipe(Effect.provide(inProcess())))
})
