import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { Control } from "../../../src/sandbox/control/Control.ts"
import * as Limits from "../../../src/sandbox/gateway/Limits.ts"
import { Venue } from "../../../src/sandbox/venue/Venue.ts"
import { type Account, alice, bob, dialects, inProcess } from "../../support/exchange.ts"
import { read, signed } from "../../support/signed.ts"

const three = { calls: 3, perSeconds: 10 }

describe("admitting calls within a limit", () => {
  const at = (seconds: number) => seconds * 1e6

  it("a limit admits its number of calls in each time window", () => {
    const limits = Limits.make()
    const admitted = [0, 1, 9.999999, 9.999999, 10, 10, 19, 19.999999, 20].map((seconds) =>
      limits.admit("caller", "/a", three, at(seconds))
    )
    assert.deepStrictEqual(admitted, [true, true, true, false, true, true, true, false, true])
  })

  it("calls are counted separately for each caller and each path", () => {
    const limits = Limits.make()
    const once = { calls: 1, perSeconds: 10 }
    const calls = [["a", "/x"], ["a", "/y"], ["b", "/x"], ["a", "/x"]] as const
    assert.deepStrictEqual(calls.map(([caller, path]) => limits.admit(caller, path, once, 0)), [
      true,
      true,
      true,
      false
    ])
  })

  it("a limit for one path overrides a limit for all paths, which overrides the documented limit", () => {
    const limits = Limits.make()
    limits.override({ calls: 2, perSeconds: 10 })
    limits.override({ calls: 0, perSeconds: 10 }, "/closed")
    assert.isFalse(limits.admit("caller", "/closed", three, 0))
    const admitted = [1, 2, 3, 4].map(() => limits.admit("caller", "/open", three, 0))
    assert.deepStrictEqual(admitted, [true, true, false, false])
    limits.override(undefined)
    assert.isTrue(limits.admit("other", "/open", three, 0))
    limits.override(undefined, "/closed")
    assert.isTrue(limits.admit("other", "/closed", three, 0))
  })

  it("`Limits.forget` removes the counted calls, but not the limits", () => {
    const limits = Limits.make()
    limits.override({ calls: 1, perSeconds: 10 })
    assert.deepStrictEqual([1, 2].map(() => limits.admit("caller", "/a", three, 0)), [true, false])
    limits.forget()
    assert.deepStrictEqual([1, 2].map(() => limits.admit("caller", "/a", three, 0)), [true, false])
  })

  it("a limit drops only the counts of callers that have made no call for a full window", () => {
    const limits = Limits.make()
    for (let caller = 0; caller < 20_000; caller++) {
      assert.isTrue(limits.admit(`caller-${caller}`, "/a", { calls: 1, perSeconds: 1 }, caller * 200))
    }
    assert.isFalse(limits.admit("caller-19999", "/a", { calls: 1, perSeconds: 1 }, 20_000 * 200))
  })
})

for (const dialect of dialects) {
  describe(`rate limits in the ${dialect.name} dialect`, () => {
    const balance = "/api/v4/main-account/balance"

    const call = (path = balance, account: Account = alice) =>
      Venue.use((venue) => Effect.map(venue.handle(signed(dialect, path, {}, account)), read))

    const ping = (from = "one") =>
      Venue.use((venue) =>
        Effect.map(
          venue.handle({ method: "GET", path: "/api/v4/public/ping", headers: {}, body: new Uint8Array(), from }),
          read
        )
      )

    const statuses = <A extends { readonly status: number } | "reset">(
      calls: ReadonlyArray<Effect.Effect<A, never, Venue>>
    ) =>
      Effect.map(Effect.all(calls), (answers) => answers.map((answer) => answer === "reset" ? answer : answer.status))

    it.effect("a key's calls are counted per path, by the venue's clock", () =>
      Effect.gen(function*() {
        const control = yield* Control
        yield* control.limit(three, balance)
        assert.deepStrictEqual(yield* statuses([call(), call(), call(), call()]), [200, 200, 200, 429])
        assert.deepStrictEqual(yield* call(), {
          status: 429,
          json: { code: 0, message: "Too Many Attempts.", errors: {} }
        })
        assert.deepStrictEqual(yield* statuses([call("/api/v4/main-account/fee"), call(balance, bob)]), [200, 200])
        yield* TestClock.adjust("9999 millis")
        assert.deepStrictEqual(yield* statuses([call()]), [429])
        yield* TestClock.adjust("1 millis")
        assert.deepStrictEqual(yield* statuses([call(), call(), call(), call()]), [200, 200, 200, 429])
      }).pipe(Effect.provide(inProcess(dialect))))

    it.effect("calls made before a reset are no longer counted, even though the clock goes back", () =>
      Effect.gen(function*() {
        const control = yield* Control
        yield* control.limit({ calls: 1, perSeconds: 10 }, balance)
        yield* control.freezeClock
        yield* control.begin
        assert.deepStrictEqual(yield* statuses([call(), call()]), [200, 429])
        yield* control.reset
        assert.deepStrictEqual(yield* statuses([call(), call()]), [200, 429])
      }).pipe(Effect.provide(inProcess(dialect))))

    it.effect("calls with a wrong signature are not counted for the key", () =>
      Effect.gen(function*() {
        yield* Control.use((control) => control.limit({ calls: 1, perSeconds: 10 }, balance))
        const forged = call(balance, { ...alice, apiSecret: "a wrong secret" })
        assert.deepStrictEqual(yield* statuses([forged, forged, call(), call()]), [401, 401, 200, 429])
      }).pipe(Effect.provide(inProcess(dialect))))

    it.effect("a call refused by a rate limit does not use up its nonce", () =>
      Effect.gen(function*() {
        const control = yield* Control
        const venue = yield* Venue
        yield* control.limit({ calls: 0, perSeconds: 10 })
        const request = signed(dialect, balance)
        assert.deepStrictEqual(yield* statuses([Effect.map(venue.handle(request), read)]), [429])
        yield* control.limit(undefined)
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual(yield* statuses([Effect.map(venue.handle(request), read)]), [200])
      }).pipe(Effect.provide(inProcess(dialect))))

    it.effect("public calls are counted per address", () =>
      Effect.gen(function*() {
        yield* Control.use((control) => control.limit({ calls: 2, perSeconds: 10 }))
        assert.deepStrictEqual(yield* statuses([ping(), ping(), ping(), ping("another")]), [200, 200, 429, 200])
        assert.deepStrictEqual(yield* ping(), {
          status: 429,
          json: { success: false, message: "Too Many Attempts.", params: [] }
        })
      }).pipe(Effect.provide(inProcess(dialect))))

    it.effect("codes can be redeemed 60 times a second, as documented", () =>
      Effect.gen(function*() {
        const apply = call("/api/v4/main-account/codes/apply")
        const answers = yield* statuses(Array.from({ length: 61 }, () => apply))
        assert.deepStrictEqual([...new Set(answers.slice(0, 60)), answers[60]], [400, 429])
      }).pipe(Effect.provide(inProcess(dialect))))
  })
}
