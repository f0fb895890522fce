import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import * as Call from "../../../src/client/call/Call.ts"
import { ClientOrderId } from "../../../src/domain/Identifiers.ts"
import { StopLimitOrders } from "../../../src/endpoints/StopLimitOrders.ts"
import * as Exchange from "../../../src/Exchange.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { Control, make as makeControl } from "../../../src/sandbox/control/Control.ts"
import { ControlClient } from "../../../src/sandbox/control/ControlClient.ts"
import * as Example from "../../../src/sandbox/Example.ts"
import * as Faults from "../../../src/sandbox/gateway/Faults.ts"
import * as Journal from "../../../src/sandbox/store/Journal.ts"
import { make as makeVenue, Venue } from "../../../src/sandbox/venue/Venue.ts"
import { turn, until } from "../../support/clock.ts"
import { Base, type World, worlds } from "../../support/control.ts"
import { alice, bob, credentialsOf, inProcess, stopLimit } from "../../support/exchange.ts"
import { failsWith } from "../../support/fails.ts"
import { property } from "../../support/property.ts"
import { signed } from "../../support/signed.ts"

const balance = "/api/v4/main-account/balance"
const fee = "/api/v4/main-account/fee"

const symptom = (n: number): Faults.Symptom => ({ _tag: "Delay", millis: n })

describe("choosing a call's fault", () => {
  /**
   * Makes calls with these paths and keys in turn. Returns the delay of each call's symptom, or `undefined` for none.
   */
  const run = (faults: Faults.Faults, ...calls: ReadonlyArray<readonly [path: string, key?: string]>) =>
    calls.map(([path, key]) => {
      const found = faults.next(path, key)?.symptom
      return found?._tag === "Delay" ? found.millis : undefined
    })

  it("without a fault, no call gets a symptom", () => {
    assert.deepStrictEqual(run(Faults.make(0), ["/a"], ["/a"]), [undefined, undefined])
  })

  it("by default, a fault hits one call", () => {
    const faults = Faults.make(0)
    faults.add({ symptom: symptom(1) })
    assert.deepStrictEqual(run(faults, ["/a"], ["/a"]), [1, undefined])
  })

  it("a fault skips the first `skip` calls and hits the next `times` calls", () => {
    const faults = Faults.make(0)
    faults.add({ skip: 2, times: 3, symptom: symptom(1) })
    const calls = Array.from({ length: 7 }, (_, n) => [`/${n}`] as const)
    assert.deepStrictEqual(run(faults, ...calls), [undefined, undefined, 1, 1, 1, undefined, undefined])
  })

  it("a fault with a path and a key counts and hits only calls that match both", () => {
    const faults = Faults.make(0)
    faults.add({ path: "/a", apiKey: "k", skip: 1, symptom: symptom(1) })
    const calls = [["/a", "k"], ["/b", "k"], ["/a", "other"], ["/a"], ["/a", "k"], ["/a", "k"]] as const
    assert.deepStrictEqual(run(faults, ...calls), [undefined, undefined, undefined, undefined, 1, undefined])
  })

  it("a path with a placeholder selects every path that matches the placeholder", () => {
    const faults = Faults.make(0)
    faults.add({ path: "/depth/{market}", times: 9, symptom: symptom(1) })
    assert.deepStrictEqual(run(faults, ["/depth/BTC_USDT"], ["/depth"], ["/depth/A/B"]), [1, undefined, undefined])
  })

  it("a call is hit by the first fault that matches it and is due", () => {
    const faults = Faults.make(0)
    faults.add({ skip: 1, symptom: symptom(1) })
    faults.add({ path: "/a", times: 2, symptom: symptom(2) })
    assert.deepStrictEqual(run(faults, ["/a"], ["/a"], ["/a"], ["/a"]), [2, 1, 2, undefined])
  })

  it("`Faults.clear` removes all faults, and later faults start counting from zero", () => {
    const faults = Faults.make(0)
    faults.add({ times: 100, symptom: symptom(1) })
    assert.deepStrictEqual(run(faults, ["/a"]), [1])
    faults.clear()
    faults.add({ skip: 1, symptom: symptom(2) })
    assert.deepStrictEqual(run(faults, ["/a"], ["/a"]), [undefined, 2])
  })
})

describe("a venue's faults", () => {
  const call = (path = balance, account = alice) =>
    Venue.use((venue) => venue.handle(signed(Dialect.document, path, {}, account)))

  const usedNonces = Venue.use(({ state }) =>
    Effect.sync(() => [...state.keys.values()].reduce((sum, key) => sum + key.usedNonces.size, 0))
  )

  const addFault = (fault: Faults.Fault) => Control.use((control) => control.addFault(fault))

  const world = inProcess(Dialect.document)

  const outcomes: ReadonlyArray<readonly [string, Faults.Symptom, expected: object, applied: number]> = [
    ["reset before it is applied", Faults.reset, { _tag: "Reset" }, 0],
    ["applied, and its response lost", Faults.answerLost, { _tag: "Reset" }, 1],
    ["a gateway's 502 before it is applied", Faults.badGateway, { status: 502 }, 0],
    ["a gateway's 502 after it is applied", { _tag: "BadGateway", applied: true }, { status: 502 }, 1],
    [
      "a different response after it is applied",
      { _tag: "Answer", applied: true, status: 418, headers: {}, body: "tea" },
      { status: 418, body: "tea" },
      1
    ],
    ["refused because of the rate limit", { _tag: "Refuse", kind: "rateLimited" }, { status: 429 }, 0],
    ["refused for its nonce", { _tag: "Refuse", kind: "nonceUsed" }, { status: 429 }, 0],
    ["refused because the exchange is down", { _tag: "Refuse", kind: "unavailable" }, { status: 503 }, 0]
  ]
  for (const [name, fault, expected, applied] of outcomes) {
    it.effect(`a fault changes one call's response and effect: ${name}`, () =>
      Effect.gen(function*() {
        yield* addFault({ symptom: fault })
        const answer = yield* call()
        assert.deepInclude(answer, expected)
        assert.strictEqual(yield* usedNonces, applied)
        assert.deepInclude(yield* call(), { _tag: "Answer", status: 200 })
      }).pipe(Effect.provide(world)))
  }

  it.effect("a call with a delay fault is applied immediately and gets its response later", () =>
    Effect.gen(function*() {
      yield* addFault({ symptom: { _tag: "Delay", millis: 700 } })
      const fiber = yield* Effect.forkChild(call())
      yield* turn
      assert.strictEqual(yield* usedNonces, 1)
      yield* TestClock.adjust("699 millis")
      yield* turn
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      yield* turn
      assert.deepInclude(yield* Fiber.join(fiber), { status: 200 })
    }).pipe(Effect.provide(world)))

  it.effect("a fault with a path and a key hits only calls with both, until all faults are removed", () =>
    Effect.gen(function*() {
      yield* addFault({ path: balance, apiKey: bob.apiKey, times: 10, symptom: Faults.reset })
      const tags = yield* Effect.forEach(
        [call(), call(fee, bob), call(balance, bob), call(balance, bob)],
        (answer) => Effect.map(answer, ({ _tag }) => _tag)
      )
      assert.deepStrictEqual(tags, ["Answer", "Answer", "Reset", "Reset"])
      yield* Control.use(({ clearFaults }) => clearFaults)
      assert.strictEqual((yield* call(balance, bob))._tag, "Answer")
    }).pipe(Effect.provide(world)))

  it.effect("faults can also hit public calls, unknown paths and refused calls", () =>
    Effect.gen(function*() {
      const venue = yield* Venue
      yield* addFault({ times: 3, symptom: Faults.reset })
      const bare = { method: "GET", headers: {}, body: new Uint8Array(), from: "test" }
      for (const path of ["/api/v4/public/ping", "/nowhere", balance]) {
        assert.deepStrictEqual(yield* venue.handle({ ...bare, path }), { _tag: "Reset" })
      }
    }).pipe(Effect.provide(world)))
})

describe.each(worlds)("faults as callers see them (%s)", (_name, dialect, world) => {
  const test = <E>(name: string, effect: Effect.Effect<unknown, E, World>) =>
    it.live(name, () => Effect.provide(effect, world))

  const whole = "[\"pong\"]"

  /** The outcome that a ping's caller sees: the status followed by the text or `broken`, or just `no answer`. */
  const ping = Effect.gen(function*() {
    const response = yield* HttpClient.get(`${yield* Base}/api/v4/public/ping`)
    return yield* Effect.match(response.text, {
      onFailure: () => `${response.status} broken`,
      onSuccess: (text) => `${response.status} ${text}`
    })
  }).pipe(Effect.orElseSucceed(() => "no answer"))

  const fault = (symptom: Faults.Symptom) =>
    ControlClient.use((control) => control.addFault({ payload: { path: "/api/v4/public/ping", symptom } }))

  test(
    "a truncated body breaks the connection, and is never read as a shorter response",
    Effect.gen(function*() {
      for (const bytes of [0, 1, whole.length - 1, whole.length, 1000]) {
        yield* fault({ _tag: "Truncate", bytes })
        assert.strictEqual(yield* ping, "200 broken", String(bytes))
      }
      assert.strictEqual(yield* ping, `200 ${whole}`)
    })
  )

  test(
    "malformed JSON arrives as a complete HTTP response",
    Effect.gen(function*() {
      yield* fault({ _tag: "Malformed" })
      assert.strictEqual(yield* ping, "200 [\"po")
    })
  )

  test(
    "a slow body arrives in parts, but in full",
    Effect.gen(function*() {
      yield* fault({ _tag: "Slow", bytesPerSecond: 40 })
      const [time, text] = yield* Effect.timed(ping)
      assert.strictEqual(text, `200 ${whole}`)
      assert.isAtLeast(Duration.toMillis(time), 190)
    })
  )

  test(
    "a fault can send a gateway's HTML, or any response with any headers",
    Effect.gen(function*() {
      yield* fault(Faults.badGateway)
      assert.match(yield* ping, /^502 <html>/u)
      yield* fault({ _tag: "Answer", applied: false, status: 418, headers: { "x-tea": "1" }, body: "tea" })
      const response = yield* HttpClient.get(`${yield* Base}/api/v4/public/ping`)
      assert.deepStrictEqual([response.status, response.headers["x-tea"], yield* response.text], [418, "1", "tea"])
    })
  )

  test(
    "a delayed response and a late call both take at least the fault's delay",
    Effect.gen(function*() {
      for (const _tag of ["Delay", "Late"] as const) {
        yield* fault({ _tag, millis: 60 })
        const [time, text] = yield* Effect.timed(ping)
        assert.strictEqual(text, `200 ${whole}`)
        assert.isAtLeast(Duration.toMillis(time), 58)
      }
    })
  )

  /** The library's client, which does not know about the faults. */
  const client = Layer.unwrap(
    Effect.map(Base, (baseUrl) => Exchange.layer({ baseUrl, dialect, credentials: credentialsOf(alice) }))
  )

  const on = (path: string, symptom: Faults.Symptom, more: object = {}) =>
    ControlClient.use((control) => control.addFault({ payload: { path, symptom, ...more } }))

  const open = Effect.map(
    ControlClient.use((control) => control.openOrders({ query: { account: "alice" } })),
    (orders) => orders.map(({ clientOrderId }) => String(clientOrderId))
  )

  const place = (name: string) =>
    StopLimitOrders.use((orders) => orders.create({ ...stopLimit, clientOrderId: ClientOrderId.make(name) }))

  test(
    "the client distinguishes calls that were not applied, calls that may have been applied, and the two causes of HTTP 429",
    Effect.gen(function*() {
      const path = "/api/v4/order/stop_limit"
      yield* on(path, Faults.answerLost)
      assert.strictEqual((yield* failsWith("OutcomeUnknown")(place("lost"))).clientOrderId, "lost")
      yield* on(path, Faults.reset)
      yield* failsWith("OutcomeUnknown")(place("reset"))
      yield* on(path, { _tag: "BadGateway", applied: true })
      yield* failsWith("OutcomeUnknown")(place("gateway"))
      yield* on(path, { _tag: "Truncate", bytes: 20 })
      yield* failsWith("OutcomeUnknown")(place("truncated"))
      yield* on(path, { _tag: "Malformed" })
      const malformed = yield* Effect.flip(place("malformed"))
      assert.oneOf(malformed._tag, ["OutcomeUnknown", "AcceptedUnreadable"])
      yield* on(path, { _tag: "Refuse", kind: "rateLimited" })
      yield* failsWith("RateLimited")(place("limited"))
      yield* on(path, { _tag: "Refuse", kind: "unauthorized" })
      yield* failsWith("NotAuthorized")(place("unauthorized"))
      yield* on(path, { _tag: "Refuse", kind: "nonceUsed" })
      yield* failsWith("NonceRejected")(place("nonce"))
      yield* place("placed")
      assert.deepStrictEqual(yield* open, ["lost", "gateway", "truncated", "malformed", "placed"])
      const fired = yield* ControlClient.use((control) => control.faults())
      assert.deepStrictEqual(fired.map(({ fired }) => fired), [1, 1, 1, 1, 1, 1, 1, 1])
      const records = yield* ControlClient.use((control) => control.requests({ query: {} }))
      const told = records.filter((record) => record.path === path).map(({ command, fault, verdict }) =>
        `${fault?.symptom ?? "-"} ${verdict}${command === undefined ? "" : " applied"}`
      )
      assert.deepStrictEqual(told, [
        "Reset failed applied",
        "Reset failed",
        "BadGateway failed applied",
        "Truncate failed applied",
        "Malformed answered applied",
        "Refuse refused",
        "Refuse refused",
        "Refuse refused",
        "- answered applied"
      ])
    }).pipe(Effect.provide(client))
  )

  it.effect("a late call is carried out even if its caller no longer waits for it", () =>
    Effect.gen(function*() {
      const path = "/api/v4/order/stop_limit"
      yield* on(path, { _tag: "Late", millis: 4000 })
      const placed = yield* Effect.forkChild(
        failsWith("OutcomeUnknown")(Effect.provideService(place("late"), Call.Timeout, Duration.millis(50)))
      )
      yield* until(Effect.map(ControlClient.use((control) => control.faults()), ([fault]) => fault?.fired === 1))
      yield* TestClock.adjust("50 millis")
      assert.strictEqual((yield* Fiber.join(placed)).why, "timeout")
      assert.deepStrictEqual(yield* open, [])
      yield* TestClock.adjust("4 seconds")
      yield* until(Effect.map(open, ({ length }) => length === 1))
      assert.deepStrictEqual(yield* open, ["late"])
    }).pipe(Effect.provide(Layer.provideMerge(client, world))))
})

describe("random choices by faults", () => {
  const fired = (seed: number, probability: number, calls: number, id = 1) => {
    const faults = Faults.make(seed)
    for (let n = 1; n < id; n++) faults.add({ path: "/never", symptom: Faults.reset })
    faults.add({ times: calls, probability, symptom: Faults.reset })
    return Array.from({ length: calls }, () => faults.next("/", undefined) !== undefined)
  }

  property(
    "the same seed gives the same random choices",
    [fc.integer(), fc.double({ min: 0, max: 1, noNaN: true })],
    (seed, probability) =>
      Effect.sync(() => assert.deepStrictEqual(fired(seed, probability, 20), fired(seed, probability, 20)))
  )

  it("a different seed or a different fault gives different random choices", () => {
    assert.notDeepEqual(fired(1, 0.5, 64), fired(2, 0.5, 64))
    assert.notDeepEqual(fired(1, 0.5, 64, 1), fired(1, 0.5, 64, 2))
  })

  it("faults hit calls with the frequency given by their probability", () => {
    for (const probability of [0.1, 0.5, 0.9]) {
      const share = fired(7, probability, 4000).filter(Boolean).length / 4000
      assert.closeTo(share, probability, 0.03)
    }
    assert.isFalse(fired(7, 0, 100).includes(true))
    assert.isFalse(fired(7, 1, 100).includes(false))
  })
})

it.effect("a request that is delivered twice gets the same response twice, even if a fault hits the second delivery", () =>
  Effect.gen(function*() {
    const answers = new Map<string, string>()
    const deliveries = {
      known: (id: string) => answers.get(id),
      keep: (id: string, answer: string) => void answers.set(id, answer)
    }
    const venue = yield* makeVenue({
      dialect: Dialect.document,
      journal: (options) =>
        Effect.map(Journal.open(Journal.inMemory, options), (journal) => ({ ...journal, deliveries }))
    })
    yield* Effect.provideService(Example.setUp, Control, makeControl(venue))
    const call = { ...signed(Dialect.document, balance, {}, Example.alice), delivery: "one" }
    const first = yield* venue.handle(call)
    venue.faults.add({ symptom: { _tag: "BadGateway", applied: false } })
    assert.deepStrictEqual(yield* venue.handle(call), first)
  }))
