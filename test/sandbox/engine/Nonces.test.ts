import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { ApiKey } from "../../../src/domain/Identifiers.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as Nonces from "../../../src/sandbox/engine/Nonces.ts"
import { Desk } from "../../support/engine.ts"
import { type Account, alice, bob, dialects, inProcess } from "../../support/exchange.ts"
import { property } from "../../support/property.ts"
import { handle, signedText } from "../../support/signed.ts"

const path = "/api/v4/main-account/balance"

/** Uses a nonce. Returns `accepted`, or the status and message of the refusal. */
const use = (nonce: number | string, nonceWindow?: boolean, account: Account = alice) =>
  Effect.map(
    handle(signedText(path, JSON.stringify({ request: path, nonce, nonceWindow }), account)),
    ({ json, status }) => status === 200 ? "accepted" : `${status} ${String(json["message"])}`
  )

const used = "429 Too many requests."
const outside = "400 Your nonce is more than 5 seconds lesser than the current nonce"

const now = 1_700_000_000_000

describe.each(dialects)("nonces in the $name dialect", (dialect) => {
  it.effect("a key can use a nonce only once, even in different calls", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* use("17"), "accepted")
      assert.strictEqual(yield* use("17"), used)
      const other = "/api/v4/main-account/fee"
      const { status } = yield* handle(signedText(other, JSON.stringify({ request: other, nonce: "17" })))
      assert.strictEqual(status, 429)
      assert.strictEqual(yield* use("17", undefined, bob), "accepted")
    }).pipe(Effect.provide(inProcess(dialect))))

  it.effect("a call refused for its fields uses up its nonce, but a call refused for its signature does not", () =>
    Effect.gen(function*() {
      const list = "/api/v4/sub-account/list"
      const invalid = yield* handle(signedText(list, JSON.stringify({ request: list, nonce: "5", limit: 0 })))
      assert.deepStrictEqual([invalid.status, invalid.json["code"]], [400, 0])
      assert.strictEqual(yield* use("5"), used)
      assert.match(yield* use("6", undefined, { ...alice, apiSecret: bob.apiSecret }), /^401/u)
      assert.strictEqual(yield* use("6"), "accepted")
    }).pipe(Effect.provide(inProcess(dialect))))
})

describe("unique nonces in the document's dialect", () => {
  it.effect("unique nonces of any size are accepted in any order, whatever the clock shows", () =>
    Effect.gen(function*() {
      for (const nonce of ["99999999999999999999", "3", "1", "2", "0"]) {
        assert.strictEqual(yield* use(nonce), "accepted")
      }
      assert.strictEqual(yield* use("99999999999999999999"), used)
      assert.strictEqual(yield* use("99999999999999999998"), "accepted", "no digit is lost")
    }).pipe(Effect.provide(inProcess(Dialect.document))))

  it.effect("leading zeros do not make a nonce different, with or without a nonce window", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* use("7"), "accepted")
      assert.strictEqual(yield* use("007"), used)
      assert.strictEqual(yield* use("7", true), used)
    }).pipe(Effect.provide(inProcess(Dialect.document))))
})

describe("increasing nonces in the live dialect", () => {
  it.effect("an increasing nonce must be numerically greater than the previous nonce", () =>
    Effect.gen(function*() {
      const said = yield* Effect.forEach([9, 10, 10, 9, 11, 100, 99, "101"], (nonce) => use(nonce))
      assert.deepStrictEqual(said, ["accepted", "accepted", used, used, "accepted", "accepted", used, "accepted"])
    }).pipe(Effect.provide(inProcess(Dialect.live))))
})

describe("the nonce window in the live dialect", () => {
  const edges = [
    [-5001, outside],
    [-5000, "accepted"],
    [-4999, "accepted"],
    [0, "accepted"],
    [5000, "accepted"],
    [5001, outside]
  ] as const
  for (const [distance, expected] of edges) {
    it.effect(`a windowed nonce that is ${distance} ms from the clock gets the result ${expected}`, () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(now)
        assert.strictEqual(yield* use(now + distance, true), expected)
      }).pipe(Effect.provide(inProcess(Dialect.live))))
  }

  it.effect("the nonce window moves with the clock", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      assert.strictEqual(yield* use(now + 6000, true), outside)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* use(now + 6000, true), "accepted")
      assert.strictEqual(yield* use(now - 4000, true), "accepted")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* use(now - 3999, true), outside)
    }).pipe(Effect.provide(inProcess(Dialect.live))))

  property(
    "windowed nonces are accepted in any order, but each nonce only once",
    [fc.array(fc.integer({ min: -5000, max: 5000 }), { maxLength: 30 })],
    (distances) =>
      Effect.gen(function*() {
        yield* TestClock.setTime(now)
        const seen = new Set<number>()
        for (const distance of distances) {
          assert.strictEqual(yield* use(now + distance, true), seen.has(distance) ? used : "accepted")
          seen.add(distance)
        }
      }).pipe(Effect.provide(inProcess(Dialect.live))),
    { runs: 50 }
  )

  it.effect("a windowed nonce raises the lower limit for increasing nonces", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      assert.strictEqual(yield* use(now + 10, true), "accepted")
      assert.strictEqual(yield* use(now + 5), used)
      assert.strictEqual(yield* use(now + 11), "accepted")
      assert.strictEqual(yield* use(now + 5, true), "accepted")
    }).pipe(Effect.provide(inProcess(Dialect.live))))

  it.effect("a nonce used as an increasing nonce can't be reused as a windowed nonce", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      assert.strictEqual(yield* use(now), "accepted")
      assert.strictEqual(yield* use(now, true), used)
    }).pipe(Effect.provide(inProcess(Dialect.live))))

  it.effect("only `nonceWindow: true` enables the nonce window", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      for (const value of ["true", "false", 1, 0, null, {}, []]) {
        assert.strictEqual(yield* use(now, value as never), "400 Invalid nonceWindow.")
      }
      assert.strictEqual(yield* use(now + 1_000_000, false), "accepted")
      assert.strictEqual(yield* use(now, false), used)
    }).pipe(Effect.provide(inProcess(Dialect.live))))
})

it.effect("the document's dialect has no nonce window, and ignores its field like any unknown field", () =>
  Effect.gen(function*() {
    for (const [nonce, value] of Object.entries([true, "true", 1, null])) {
      assert.strictEqual(yield* use(nonce, value as never), "accepted")
    }
  }).pipe(Effect.provide(inProcess(Dialect.document))))

describe("the nonces stored for a key", () => {
  const newKey = () => ({ ...(new Desk().state.keys.get(ApiKey.make("ann")) ?? assert.fail()), usedNonces: new Map() })

  type Key = ReturnType<typeof newKey>

  const useWith = (key: Key, value: number | bigint, window = true) =>
    Nonces.use(Dialect.live.policy, key, { value: BigInt(value), window }, 0)

  it("all nonces in the window are stored with the key, up to a limit", () => {
    const key = newKey()
    for (let i = 0; i <= 50_000; i++) {
      if (useWith(key, now + i) !== "used" || key.usedNonces.size > 20_002) assert.fail(`${i}`)
    }
    for (let i = 0; i <= 50_000; i++) if (useWith(key, now + i) === "used") assert.fail(`${i} again`)
  })

  it("increasing nonces in microseconds do not affect the nonce window", () => {
    const key = newKey()
    for (let i = 0; i <= 30_000; i++) useWith(key, BigInt(now + i) * 1000n, false)
    assert.strictEqual(useWith(key, now), "used")
    assert.strictEqual(useWith(key, now), "nonceUsed")
  })

  /** The calls of a caller whose clock never goes back, with nonces anywhere in the window. */
  const calls = fc.record({
    pace: fc.constantFrom(0, 1, 3, 40),
    width: fc.constantFrom(0, 50, 5000),
    increasing: fc.constantFrom(0, 10),
    seed: fc.integer()
  })

  property(
    "no nonce is accepted twice, and no new nonce in the window is refused",
    [calls],
    (drawn) =>
      Effect.sync(() => {
        const { increasing, pace, seed, width } = drawn
        let state = seed >>> 0
        const draw = (below: number) => {
          state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
          return Math.floor(state / 2 ** 32 * below)
        }
        const key = newKey()
        const seen = new Set<number>()
        let [clock, greatest] = [now, 0]
        for (let i = 0; i < 45_000; i++) {
          clock += draw(pace + 1)
          const window = draw(100) >= increasing
          const value = clock + draw(2 * width + 1) - width
          const isNew = window ? !seen.has(value) : value > greatest
          if (useWith(key, value, window) !== (isNew ? "used" : "nonceUsed"))
            assert.fail(`${value} of ${clock}, ${window}`)
          if (isNew)
            seen.add(value)
          greatest = Math.max(greatest, value)
        }
        for (const value of seen) if (useWith(key, value) === "used") assert.fail(`${value} again`)
      }),
    { runs: 60, timeout: 600_000 }
  )
})
