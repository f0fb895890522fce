import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as Engine from "../../../src/sandbox/engine/Engine.ts"
import * as Saved from "../../../src/sandbox/engine/Saved.ts"
import * as State from "../../../src/sandbox/engine/State.ts"
import { canonical } from "../../support/engine.ts"
import { conditionalHistory, history, marginHistory } from "./histories.ts"
import { Summary } from "./recorded.ts"

/** The number of commands in a history, and the number of commands between two hashes of the state. */
const [length, between] = [400, 50]

/**
 * The recorded results of version 9 of the engine: for each history, one hash of all replies, all events and some
 * states. They may change only with the version. Candles are excluded, because they follow from the events, and have
 * their own test.
 */
const recorded = {
  document: [
    "7f15fa3ec00e23bc9fcd3dbf583ac906173b88b6829278c12650e8c683466686",
    "d398411203eb094832b141e9ef6c416589c181aaa4dbf4028e761532e6e6dbfc",
    "3e7d454c0a7348a654bcb77cd347931f208c2f0563cac10bc50e77ae188b2c4d",
    "2581e3d59ef2866badee2ffacfcb1402ee57ba00e3bb9da2f927339a070cd8fd",
    "2c38d9eeac7b04be02d0f3af8458752a3d419771c8d44ce912d3448398825c42"
  ],
  live: [
    "03e03ff803fa8a0781703eb69c831cd7a187358ee57ffba984cc5f5bc1825feb",
    "69807abdd5cb7a55895c4471890e5121950fae30ce9c9fe8865665d24b56f306",
    "16f2c8a460af793e2985bf47ad97e91143678a97dc9aa56a29e559424eebb79b",
    "32e731f4d9521166f015e97eaa25de747eaf5245bbc871889ec1e8b728d48f4a",
    "f5603a3ec6914f5eac91737eb6936456dfd7eb8a82a78f5f6ddd6b5b45bc872d"
  ]
}

/** The hashes of another history, with the counterparty. */
const recordedWithCounterparty = {
  document: "db4ef2dbe7d96a9436b9d2a274ec0fd6a187c148efc359ff4dacc7373896a118",
  live: "14b230e11d7f19ee65d94c432565851d36ae85c4058292f80dab06917b461faf"
}

/** The hashes of another history, with stop-market orders, modified orders and bulk commands. */
const recordedWithNewer = {
  document: "6a458da1aacbe273f0db3b4e1c57317f6df1a6298b671dcbd9a7b424755ad762",
  live: "e708b84b9c13c9c8b481312eae291e765bc5d1ceaf33f2aa92259d1148e91e38"
}

/** The hashes of the replies and events in a history with kill switches, take-profits and stop-losses. */
const recordedConditional = {
  document: "71840475884343d3e9e371733f8d12b20fe547254c2331aa07c3ad2763ce5d00",
  live: "1de80c9fd1235435a33c117f15afa10c785acaaa625a4fd3afbeb27a94854ec4"
}

/** The hashes of the replies, the events and the final state in a history about margin. */
const recordedMargin = {
  document: "8c77cd78cbbe3d77d6aad36340aa880a21e96341e6e29f07998561cf876a6b39",
  live: "bc385c820e393e3b97c3b50dbc7057dc8cd306e4154567fd111657b3bb39dee1"
}

/**
 * Checks whether a field was added after the recording: a field about kill switches, take-profits and stop-losses, or
 * retail orders, or the id of the order on the other side of a trade.
 */
const isAdded = (key: string, value: unknown): boolean =>
  ["killSwitches", "oto", "exits", "rpi", "retail"].includes(key) ||
  (key === "counterparty" && typeof value !== "object")

/** Renames the constraint `step` to `precision`, its name when these results were recorded. */
const named = (key: string, value: unknown): unknown => key === "kind" && value === "step" ? "precision" : value

/** Sorts fields by name, because their order has no meaning. */
const sorted = <A>(value: A): A => sort(value) as A

const sort = (value: unknown): unknown => {
  if (value instanceof Map) return [...value].map(sort)
  if (value instanceof Set) return [...value].map(sort)
  if (Array.isArray(value)) return value.map(sort)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).filter(([key, value]) => !isAdded(key, value)).toSorted(([one], [other]) =>
      one < other ? -1 : 1
    )
      .map(([key, part]) => [key, sort(named(key, part))])
  )
}

const withoutCandles = ({ candles: _candles, ...saved }: Saved.Saved): object => saved

for (const { name, policy } of [Dialect.document, Dialect.live]) {
  const all = [...recorded[name], recordedWithCounterparty[name], recordedWithNewer[name]]
  all.forEach((expected, index) =>
    it.effect(`history ${index + 1} gives its recorded results under the policy of the ${name} dialect`, () =>
      Effect.sync(() => {
        assert.strictEqual(Engine.version, 9)
        const state = State.make(policy)
        const next = history(index + 1, {
          counterparty: index >= recorded[name].length,
          newer: index > recorded[name].length
        })
        const hash = createHash("sha256")
        const summary = new Summary()
        for (let count = 1; count <= length; count++) {
          const command = next(state)
          const done = sorted(Engine.apply(state, command))
          hash.update(canonical(done))
          summary.add(command, done)
          if (count % between > 0) continue
          const saved = sorted(withoutCandles(Saved.save(state)))
          hash.update(canonical(saved))
          summary.addState(count, saved)
        }
        summary.compare(`${name} ${index + 1}`, state)
        assert.strictEqual(hash.digest("hex"), expected)
      }))
  )

  it.effect(`kill switches, take-profits and stop-losses give their recorded results under the policy of the ${name} dialect`, () =>
    Effect.sync(() => {
      const state = State.make(policy)
      const next = conditionalHistory(1)
      const hash = createHash("sha256")
      const summary = new Summary()
      const seen = { fired: 0, exits: 0 }
      for (let count = 1; count <= 600; count++) {
        const command = next(state)
        const done = Engine.apply(state, command)
        hash.update(canonical(sorted(done)))
        summary.add(command, sorted(done))
        seen.fired += done.events.filter(({ _tag }) => _tag === "KillSwitchFired").length
        seen.exits = Math.max(seen.exits, state.exits.size)
      }
      assert.isAbove(seen.fired, 9)
      assert.isAbove(seen.exits, 2)
      summary.compare(`${name} conditional`, state)
      assert.strictEqual(hash.digest("hex"), recordedConditional[name])
    }))

  it.effect(`margin, funding and liquidations give their recorded results under the policy of the ${name} dialect`, () =>
    Effect.sync(() => {
      const state = State.make(policy)
      const next = marginHistory(1)
      const hash = createHash("sha256")
      const summary = new Summary()
      const seen = new Set<string>()
      for (let count = 1; count <= 900; count++) {
        const command = next(state)
        const done = Engine.apply(state, command)
        hash.update(canonical(done))
        summary.add(command, done)
        for (const { _tag } of done.events) seen.add(_tag)
      }
      hash.update(canonical(withoutCandles(Saved.save(state))))
      assert.includeMembers([...seen], ["LiquidationStarted", "FundingPaid", "BorrowInterestPaid"])
      summary.compare(`${name} margin`, state)
      assert.strictEqual(hash.digest("hex"), recordedMargin[name])
    }))
}
