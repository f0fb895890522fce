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
 * The recorded results of version 8 of the engine: for each history, a hash of each reply, all events, and some states.
 * They may change only with the version. Candles are excluded: they follow from the events, and have their own test.
 */
const recorded = {
  document: [
    "c24339724cf7df0980e59b41ad435367a31997eb9e26daf7fe8ef26f9dba86c8",
    "36c33e7fd002bba88c4bb905ba378e9ee234228d3e377d0eafe0393d078c3745",
    "386c39d8224455914f5968758c58bab33ba99b3c28c8b2711254f12d8272a1e6",
    "c63231a14fcdb3eb48fe56cc99f2e142de7acb37d3a6647fd15de39745220caf",
    "05caaa9af0202c677e6d76de9c63a928d73d31276af366ee117dd9b15e79232c"
  ],
  live: [
    "b0c0984fd280b4a8e6518ce9494fbeb214dd0b1aa932004ba93fac56643dfb63",
    "5bbe74143cc08434f053249f2329f2a608a061f77b12a9d42ebf33d5ab7175a9",
    "8ab99398a864e0ca48d7105866e45da295471803afe00e39af9f93a17f645269",
    "919b46b7df173803a7d45fb61f598b9def06300285e4f930ba894fc41bc5c16a",
    "4cb75022058dbc7fcf3e10ebb4f76227f42006126fcc0ee1dfd857f4187dc361"
  ]
}

/** The hashes of another history, with the counterparty. */
const recordedWithCounterparty = {
  document: "9d6560edd0ebecbb38a8e88bdbe6700de2bdccfce5e617e2db8931e18757dafd",
  live: "1265e49c90cf0168d63960fa4c9e7639fbf25f0c3b49fbd4cf5d5df560266dd2"
}

/** The hashes of another history, with stop-market orders, modified orders and bulk commands. */
const recordedWithNewer = {
  document: "105a539bb9730cec3be96c22d536364e890e3100ca5fe65e4650fcf1cbdcb369",
  live: "48f317c03e113157bed1b57dc5d47e0a6fd0fd60270decfea47fb0d92eb8683b"
}

/** The hashes of a history with kill switches and exits: the replies and all events. */
const recordedConditional = {
  document: "c280766630c5f411d684df2fcb2896b9bc1c68048894974ada7d07c36c63c2e9",
  live: "f9285ac9a05e9489be021936e7aef1ffdba5263a6ecb78bb44dfbe6b54e888e0"
}

/** The hashes of a history about margin: the replies, all events, and the final state. */
const recordedMargin = {
  document: "69870bfd351ff2bc0cbcf0ca6b298387a2d1db14ec4fe3f453316ad36c4d7b5c",
  live: "0ccb0bfdbe1feff0fe63771bb4044bda4e1c24c5625c95b340e2aae9d68d7288"
}

/** Fields added after the recording: kill switches, exits, retail flags, and the other order of a trade. */
const isAdded = (key: string, value: unknown): boolean =>
  ["killSwitches", "oto", "exits", "rpi", "retail"].includes(key) ||
  (key === "counterparty" && typeof value !== "object")

/** The constraint `step` was named `precision` when these results were recorded. */
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
        assert.strictEqual(Engine.version, 7)
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

  it.effect(`kill switches and exits give their recorded results under the policy of the ${name} dialect`, () =>
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
