import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as Engine from "../../../src/sandbox/engine/Engine.ts"
import * as Saved from "../../../src/sandbox/engine/Saved.ts"
import * as State from "../../../src/sandbox/engine/State.ts"
import { canonical } from "../../support/engine.ts"
import { history } from "./histories.ts"

/** How many commands a history has, and after how many the state counts too. */
const [length, between] = [400, 50]

/**
 * What version 3 of the engine has made of a history: a hash of each reply, all events, and the states on the way. As long
 * as the version is the same, so are these. Candles are not part of it: they follow from the events, and have a test of
 * their own.
 */
const recorded = {
  document: [
    "c4852bff263f3d462414dffe2c7ef3d652811403f65bbe8df8fecc2a069995c3",
    "74c43822cb4ebec56c52f157d8d002b8341c8f6c7e4b38af6acb2e7153d56b24",
    "d2cd80a1a473a1899e5bb59ad37b0af99b678f0897d2fe094b78a824420cf994",
    "cd88d2db5b8038957012b3e577da6e01346f334bc5979fa00c1e04b6c89738ee",
    "4f7c0ea55bca6c6596c1edd7546f96eb404e09258938dd6249fb507b55af96e3"
  ],
  live: [
    "15868d1d1774195bf43cb2c3bc020028ff2819915625242f9fc35795bf41c396",
    "c52ca7eee5c662f791edeb1ae10734613500d5dc67dd72fc3a9ec28752f96a87",
    "37adfca918ee6ba429162ae56617df3e5dcacb5eba4831c6801f607b2a782611",
    "af91e5416a0b0e4c6b696699e9b2fd2c8b970f89127bce96866880c969daec36",
    "bdf1d264218cafce38efe83dff5a3a9ed7745350e8f1ece17775ad9d73bd6c34"
  ]
}

/** The same of one more history, which tells of the counterparty too. */
const recordedWithCounterparty = {
  document: "2f5ef82ee6d1d8b0c8d5cb3ba20e9bdfb2b800082c1c88e52f790ed023e0f8f2",
  live: "411fdf63a4281f54c33240ff9658dca2550c68d2516ccc4bd7d6c5805b2e007f"
}

/** With the fields in the order of the alphabet: in which order an object has them says nothing. */
const sorted = (value: unknown): unknown => {
  if (value instanceof Map) return [...value].map(sorted)
  if (value instanceof Set) return [...value].map(sorted)
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).toSorted(([one], [other]) => one < other ? -1 : 1).map(([key, part]) => [key, sorted(part)])
  )
}

const withoutCandles = (saved: Saved.Saved): object => ({ ...saved, candles: undefined })

describe("an engine of version 3", () => {
  for (const { name, policy } of [Dialect.document, Dialect.live]) {
    const all = [...recorded[name], recordedWithCounterparty[name]]
    all.forEach((expected, index) =>
      it.effect(`makes of history ${index + 1} what it always has, by the policy of the ${name} dialect`, () =>
        Effect.sync(() => {
          assert.strictEqual(Engine.version, 3)
          const state = State.make(policy)
          const next = history(index + 1, index === recorded[name].length)
          const hash = createHash("sha256")
          for (let count = 1; count <= length; count++) {
            hash.update(canonical(sorted(Engine.apply(state, next(state)))))
            if (count % between === 0) hash.update(canonical(sorted(withoutCandles(Saved.save(state)))))
          }
          assert.strictEqual(hash.digest("hex"), expected)
        }))
    )
  }
})
