import { assert, describe, it } from "@effect/vitest"
import { ApiKey, ApiKeyId } from "../../../src/domain/Identifiers.ts"
import { UnixSeconds } from "../../../src/domain/Time.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as Nonces from "../../../src/sandbox/engine/Nonces.ts"
import type * as State from "../../../src/sandbox/engine/State.ts"

const now = 1_700_000_000_000

const newKey = (): State.Key => ({
  id: ApiKeyId.make("id"),
  account: "ann",
  apiKey: ApiKey.make("ann"),
  apiSecret: "",
  title: "",
  type: "",
  endpoints: undefined,
  enabled: true,
  lastActivity: UnixSeconds.make(0),
  usedNonces: new Set(),
  greatestNonce: -1n
})

/** Uses nonces of a key, now unless another time is given; both in milliseconds. */
const using = ({ rules }: Dialect.Dialect, key = newKey()) => (value: number, window = false, at = now) =>
  Nonces.use(rules, key, { value: BigInt(value), window }, at * 1000)

describe("unique nonces", () => {
  it("are taken in any order, each once", () => {
    const use = using(Dialect.document)
    assert.deepStrictEqual([use(5), use(3), use(5), use(3), use(4)], ["used", "used", "nonceUsed", "nonceUsed", "used"])
  })
})

describe("increasing nonces", () => {
  it("are greater than every one before", () => {
    const use = using(Dialect.live)
    assert.deepStrictEqual([use(5), use(5), use(4), use(6)], ["used", "nonceUsed", "nonceUsed", "used"])
  })
})

describe("nonces of the window", () => {
  it("are taken in any order, each once", () => {
    const use = using(Dialect.live)
    assert.deepStrictEqual([use(now + 1, true), use(now, true), use(now + 1, true)], ["used", "used", "nonceUsed"])
  })

  it("are within five seconds of the clock, before or after", () => {
    const use = using(Dialect.live)
    const distances = [-5001, -5000, 5000, 5001]
    assert.deepStrictEqual(distances.map((distance) => use(now + distance, true)), [
      "nonceOutsideWindow",
      "used",
      "used",
      "nonceOutsideWindow"
    ])
  })

  it("can't be one that was used without it", () => {
    const use = using(Dialect.live)
    assert.deepStrictEqual([use(now), use(now + 1), use(now, true)], ["used", "used", "nonceUsed"])
  })

  it("raise what a nonce without it has to be greater than", () => {
    const use = using(Dialect.live)
    assert.deepStrictEqual([use(now, true), use(now), use(now + 1)], ["used", "nonceUsed", "used"])
  })

  it("are forgotten when they are too old to be used again, and not before", () => {
    const key = newKey()
    const use = using(Dialect.live, key)
    for (let i = 0; i < 30_000; i++) assert.strictEqual(use(now + i, true, now + i), "used")
    assert.isTrue(key.usedNonces.size < 20_001)
    for (let i = 25_000; i < 30_000; i++) assert.strictEqual(use(now + i, true, now + 30_000), "nonceUsed")
  })
})
