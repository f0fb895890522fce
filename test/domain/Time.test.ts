import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Time from "../../src/domain/Time.ts"
import { micros } from "../support/arbitraries.ts"
import { bordered } from "../support/borders.ts"
import { property } from "../support/property.ts"
import { examples } from "./examples.ts"

const integerRule = { kind: "type", type: "integer" } as const

examples("UnixSeconds", Time.UnixSeconds, {
  accepted: [0, 1646839596, -1],
  refused: ["1646839596", 1646839596.5, NaN, null, 1n, true].map((value) => [value, integerRule])
})

describe("UnixTime", () => {
  it("UnixTime accepts zero or a positive number of seconds, with or without a fraction", () => {
    for (const time of [0, 1700000000, 1669334361.97947, 1669338402.712101]) {
      assert.strictEqual<number>(Schema.decodeSync(Time.UnixTime)(time), time)
    }
    for (const other of [-1, -0.000001, NaN, Infinity, "1700000000", null, 1n]) {
      assert.throws(() => Schema.decodeUnknownSync(Time.UnixTime)(other))
    }
  })

  it("toMicros returns exact microseconds despite floating-point seconds", () => {
    assert.strictEqual(Time.toMicros(Time.UnixTime.make(1669338402.712101)), 1669338402712101)
    assert.strictEqual<number>(Time.fromMicros(1669338402712101), 1669338402.712101)
  })

  property(
    "microseconds are preserved by conversion to seconds and back until the year 2100",
    [micros],
    (n) => Effect.sync(() => assert.strictEqual(Time.toMicros(Time.fromMicros(n)), n))
  )

  // 2^32 seconds is in the year 2106. For later times, a double is too coarse for microseconds.
  property("toMicros and fromMicros are exact until the year 2106", [
    bordered({ min: 4_102_444_800_000_000, max: 2 ** 32 * 1_000_000 - 1 })
  ], (n) => Effect.sync(() => assert.strictEqual(Time.toMicros(Time.fromMicros(n)), n)))
})
