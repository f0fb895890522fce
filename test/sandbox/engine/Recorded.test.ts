import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as Engine from "../../../src/sandbox/engine/Engine.ts"
import * as Saved from "../../../src/sandbox/engine/Saved.ts"
import * as State from "../../../src/sandbox/engine/State.ts"
import { canonical } from "../../support/engine.ts"
import { conditionalHistory, history } from "./histories.ts"

/** How many commands a history has, and after how many the state counts too. */
const [length, between] = [400, 50]

/**
 * What the engine has made of a history: a hash of each reply, all events, and the states on the way. No command of these
 * histories is newer than version 2. Version 3 makes the same of them, but where a price move triggers a stop order whose
 * limit allows the new price: that has changed half of the hashes, and nothing else has.
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

/** The same of one history with kill switches and exits: the replies and all events. */
const recordedConditional = {
  document: "d6d07b395b76779570c86129aee4542cc3bc196ce4207e7309fddc131e6029a6",
  live: "610c6e785971404f6ad03827e0e4c4476b26b5be22e3c3e8e530ea87b884ef6f"
}

/** What version 3 keeps beside what version 2 has kept. */
const added: ReadonlySet<string> = new Set(["counterparty", "killSwitches", "oto", "exits"])

/** With the fields in the order of the alphabet: in which order an object has them says nothing. */
const sorted = (value: unknown): unknown => {
  if (value instanceof Map) return [...value].map(sorted)
  if (value instanceof Set) return [...value].map(sorted)
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).filter(([key]) => !added.has(key)).toSorted(([one], [other]) => one < other ? -1 : 1)
      .map(([key, part]) => [key, sorted(part)])
  )
}

describe("an engine of version 3", () => {
  for (const { name, policy } of [Dialect.document, Dialect.live]) {
    recorded[name].forEach((expected, index) =>
      it.effect(`makes of history ${index + 1} what it always has, by the policy of the ${name} dialect`, () =>
        Effect.sync(() => {
          assert.strictEqual(Engine.version, 3)
          const state = State.make(policy)
          const next = history(index + 1)
          const hash = createHash("sha256")
          for (let count = 1; count <= length; count++) {
            hash.update(canonical(sorted(Engine.apply(state, next(state)))))
            if (count % between === 0) hash.update(canonical(sorted(Saved.save(state))))
          }
          assert.strictEqual(hash.digest("hex"), expected)
        }))
    )
  }

  for (const { name, policy } of [Dialect.document, Dialect.live]) {
    it.effect(`makes of kill switches and exits what it always has, by the policy of the ${name} dialect`, () =>
      Effect.sync(() => {
        const state = State.make(policy)
        const next = conditionalHistory(1)
        const hash = createHash("sha256")
        const seen = { fired: 0, exits: 0 }
        for (let count = 1; count <= 600; count++) {
          const done = Engine.apply(state, next(state))
          hash.update(canonical(sorted(done)))
          seen.fired += done.events.filter(({ _tag }) => _tag === "KillSwitchFired").length
          seen.exits = Math.max(seen.exits, state.exits.size)
        }
        assert.isAbove(seen.fired, 9)
        assert.isAbove(seen.exits, 2)
        assert.strictEqual(hash.digest("hex"), recordedConditional[name])
      }))
  }
})
