import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as Engine from "../../../src/sandbox/engine/Engine.ts"
import * as Saved from "../../../src/sandbox/engine/Saved.ts"
import * as State from "../../../src/sandbox/engine/State.ts"
import { canonical } from "../../support/engine.ts"
import { conditionalHistory, history } from "./histories.ts"
import { Summary } from "./recorded.ts"

/** The number of commands of a history, and after how many of them the state is hashed. */
const [length, between] = [400, 50]

/**
 * The recorded results of version 3 of the engine: for each history, a hash of each reply, all events, and some states.
 * They are the same as long as the version is. Candles are excluded: they follow from the events, and have their own
 * test.
 */
const recorded = {
  document: [
    "af7a0b3f99287976cabdbd0815494c260117a468aee419b698a6baeb2fd7da44",
    "74c43822cb4ebec56c52f157d8d002b8341c8f6c7e4b38af6acb2e7153d56b24",
    "d2cd80a1a473a1899e5bb59ad37b0af99b678f0897d2fe094b78a824420cf994",
    "cd88d2db5b8038957012b3e577da6e01346f334bc5979fa00c1e04b6c89738ee",
    "4f7c0ea55bca6c6596c1edd7546f96eb404e09258938dd6249fb507b55af96e3"
  ],
  live: [
    "5ac0069bae7936a757c2e142aaefd5996131b62713769a7d9e03e1d2b65207e7",
    "163b41bb2cbc9953b3031b4903044584fc566ed368d296c92108bb8404b62bcc",
    "7f27a7e01597eda0414ef7fbbbd0b472da043615d390bc4401cb9699ba09ae27",
    "4a425e30fb055a44983f1f0df2639d264bc9ab73a5f6572482f634d0960f2c9e",
    "bdf1d264218cafce38efe83dff5a3a9ed7745350e8f1ece17775ad9d73bd6c34"
  ]
}

/** The hashes of another history, with the counterparty. */
const recordedWithCounterparty = {
  document: "2f5ef82ee6d1d8b0c8d5cb3ba20e9bdfb2b800082c1c88e52f790ed023e0f8f2",
  live: "aa5dd3544a6432ca5001369d45d94da6e92cf57ca408668cb9ca8d6c3bcbeb79"
}

/** The hashes of another history, with stop-market orders, modified orders and bulk commands. */
const recordedWithNewer = {
  document: "b7c50ca59850b6413a8421be0de5ec1629c742859c4199092110fd790efc590d",
  live: "ce8590c0e6ef223b1cf6f114fb7b6f6ba23c06f6082fc7c2ae8c6f791aa58e2f"
}

/** The hashes of a history with kill switches and exits: the replies and all events. */
const recordedConditional = {
  document: "d6d07b395b76779570c86129aee4542cc3bc196ce4207e7309fddc131e6029a6",
  live: "610c6e785971404f6ad03827e0e4c4476b26b5be22e3c3e8e530ea87b884ef6f"
}

/** Fields added after the recording: kill switches, exits, and the other order of a fill's trade. */
const isAdded = (key: string, value: unknown): boolean =>
  ["killSwitches", "oto", "exits"].includes(key) || (key === "counterparty" && typeof value !== "object")

/** A value off its market's step had another name when these were recorded. */
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
    it.effect(`history ${index + 1} comes to what it always has, by the policy of the ${name} dialect`, () =>
      Effect.sync(() => {
        assert.strictEqual(Engine.version, 3)
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

  it.effect(`kill switches and exits do what they always have, by the policy of the ${name} dialect`, () =>
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
}
