import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { Control } from "../../src/sandbox/Control.ts"
import * as Faults from "../../src/sandbox/Faults.ts"
import { Venue } from "../../src/sandbox/Venue.ts"
import { turn } from "../support/clock.ts"
import { alice, bob, inProcess } from "../support/exchange.ts"
import { signed } from "../support/signed.ts"

const balance = "/api/v4/main-account/balance"
const fee = "/api/v4/main-account/fee"

const symptom = (n: number): Faults.Symptom => ({ _tag: "Delay", millis: n })

describe("next", () => {
  /** What goes wrong with calls of these paths and keys, one after the other. */
  const run = (faults: Faults.Faults, ...calls: ReadonlyArray<readonly [path: string, key?: string]>) =>
    calls.map(([path, key]) => {
      const found = faults.next(path, key)?.symptom
      return found?._tag === "Delay" ? found.millis : undefined
    })

  it("nothing goes wrong when nothing was added", () => {
    assert.deepStrictEqual(run(Faults.make(0), ["/a"], ["/a"]), [undefined, undefined])
  })

  it("happens once unless said otherwise", () => {
    const faults = Faults.make(0)
    faults.add({ symptom: symptom(1) })
    assert.deepStrictEqual(run(faults, ["/a"], ["/a"]), [1, undefined])
  })

  it("passes the first `skip` and hits the next `times`", () => {
    const faults = Faults.make(0)
    faults.add({ skip: 2, times: 3, symptom: symptom(1) })
    const calls = Array.from({ length: 7 }, (_, n) => [`/${n}`] as const)
    assert.deepStrictEqual(run(faults, ...calls), [undefined, undefined, 1, 1, 1, undefined, undefined])
  })

  it("counts and hits only calls of its path and its key", () => {
    const faults = Faults.make(0)
    faults.add({ path: "/a", apiKey: "k", skip: 1, symptom: symptom(1) })
    const calls = [["/a", "k"], ["/b", "k"], ["/a", "other"], ["/a"], ["/a", "k"], ["/a", "k"]] as const
    assert.deepStrictEqual(run(faults, ...calls), [undefined, undefined, undefined, undefined, 1, undefined])
  })

  it("the first that matches and is due comes first", () => {
    const faults = Faults.make(0)
    faults.add({ skip: 1, symptom: symptom(1) })
    faults.add({ path: "/a", times: 2, symptom: symptom(2) })
    assert.deepStrictEqual(run(faults, ["/a"], ["/a"], ["/a"], ["/a"]), [2, 1, 2, undefined])
  })

  it("nothing goes wrong after clear, and what is added then counts from there", () => {
    const faults = Faults.make(0)
    faults.add({ times: 100, symptom: symptom(1) })
    assert.deepStrictEqual(run(faults, ["/a"]), [1])
    faults.clear()
    faults.add({ skip: 1, symptom: symptom(2) })
    assert.deepStrictEqual(run(faults, ["/a"], ["/a"]), [undefined, 2])
  })
})

describe("of a venue", () => {
  const call = (path = balance, account = alice) =>
    Venue.use((venue) => venue.handle(signed(Dialect.document, path, {}, account)))

  const usedNonces = Venue.use(({ state }) =>
    Effect.sync(() => [...state.keys.values()].reduce((sum, key) => sum + key.usedNonces.size, 0))
  )

  const addFault = (fault: Faults.Fault) => Control.use((control) => control.addFault(fault))

  const world = inProcess(Dialect.document)

  const outcomes: ReadonlyArray<readonly [string, Faults.Symptom, expected: object, applied: number]> = [
    ["reset before it is applied", Faults.reset, { _tag: "Reset" }, 0],
    ["applied, and its answer lost", Faults.answerLost, { _tag: "Reset" }, 1],
    ["a gateway's 502 before it is applied", Faults.badGateway, { status: 502 }, 0],
    ["a gateway's 502 after it is applied", { _tag: "BadGateway", applied: true }, { status: 502 }, 1],
    [
      "another answer after it is applied",
      { _tag: "Answer", applied: true, status: 418, headers: {}, body: "tea" },
      { status: 418, body: "tea" },
      1
    ],
    ["refused for a rate limit", { _tag: "Refuse", kind: "rateLimited" }, { status: 429 }, 0],
    ["refused for its nonce", { _tag: "Refuse", kind: "nonceUsed" }, { status: 429 }, 0],
    ["refused because the exchange is down", { _tag: "Refuse", kind: "unavailable" }, { status: 503 }, 0]
  ]
  for (const [name, fault, expected, applied] of outcomes) {
    it.effect(name, () =>
      Effect.gen(function*() {
        yield* addFault({ symptom: fault })
        const answer = yield* call()
        assert.deepInclude(answer, expected)
        assert.strictEqual(yield* usedNonces, applied)
        assert.deepInclude(yield* call(), { _tag: "Answer", status: 200 })
      }).pipe(Effect.provide(world)))
  }

  it.effect("a delay: applied at once, answered later", () =>
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

  it.effect("by path and by key, and not by what a request says", () =>
    Effect.gen(function*() {
      yield* addFault({ path: balance, apiKey: bob.apiKey, times: 10, symptom: Faults.reset })
      const tags = yield* Effect.forEach([call(), call(fee, bob), call(balance, bob), call(balance, bob)], (answer) =>
        Effect.map(answer, ({ _tag }) => _tag))
      assert.deepStrictEqual(tags, ["Answer", "Answer", "Reset", "Reset"])
      yield* Control.use(({ clearFaults }) =>
        clearFaults
      )
      assert.strictEqual((yield* call(balance, bob))._tag, "Answer")
    }).pipe(Effect.provide(world)))

  it.effect("public calls, unknown paths and refusals go wrong too", () =>
    Effect.gen(function*() {
      const venue = yield* Venue
      yield* addFault({ times: 3, symptom: Faults.reset })
      const bare = { method: "GET", headers: {}, body: new Uint8Array(), from: "test" }
      for (const path of ["/api/v4/public/ping", "/nowhere", balance]) {
        assert.deepStrictEqual(yield* venue.handle({ ...bare, path }), { _tag: "Reset" })
      }
    }).pipe(Effect.provide(world)))
})
