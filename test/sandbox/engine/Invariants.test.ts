import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as Saved from "../../../src/sandbox/engine/Saved.ts"
import { canonical, Desk, hash } from "../../support/engine.ts"
import { isLong } from "../../support/long.ts"
import { property } from "../../support/property.ts"
import { actionOf, draft, funded, verbs } from "./drafts.ts"
import { indexed } from "./indexed.ts"
import { apartFromActivity, Follower } from "./invariants.ts"

/**
 * The short version uses a fixed seed, because a new failure would be a list of hundreds of commands, which takes
 * minutes to shrink.
 */
const seed = isLong ? undefined : 1

/** The timeout of a property. The long version takes minutes per property. */
const timeout = isLong ? 600_000 : undefined

const drafts = (most: number) => fc.array(draft, { minLength: most / 2, maxLength: most, size: "max" })

/** Returns the total debt of all accounts. */
const owed = ({ state: { ledger } }: Desk): bigint =>
  [...ledger.debts.values()].flatMap((debts) => [...debts.values()]).reduce((sum, debt) => sum + debt, 0n)

for (const { name, policy } of [Dialect.document, Dialect.live]) {
  describe(`invariants under the policy of the ${name} dialect`, () => {
    property("every invariant holds after every command", [drafts(400)], (drafts) =>
      Effect.sync(() => {
        const desk = funded(new Desk(policy))
        const follower = new Follower(desk.state)
        for (const draft of drafts) {
          const settled = desk.settle()
          if (settled.events.length > 0) follower.check(settled)
          const action = actionOf(desk, draft)
          follower.check(desk.send(action), action)
        }
        follower.checkAll()
      }), { runs: 200, short: 3, seed, timeout })

    property(
      "after every command, each index equals a full scan",
      [drafts(120)],
      (drafts) =>
        Effect.sync(() => {
          const desk = funded(new Desk(policy))
          for (const draft of drafts) {
            desk.send(actionOf(desk, draft))
            indexed(desk.state)
          }
        }),
      { runs: 120, short: 2, seed, timeout }
    )

    property("the same commands give the same replies, events and state", [drafts(200)], (drafts) =>
      Effect.sync(() => {
        const [one, other] = [funded(new Desk(policy)), funded(new Desk(policy))]
        for (const draft of drafts) {
          const action = actionOf(one, draft)
          if (draft.verb === "day") actionOf(other, draft)
          assert.strictEqual(canonical(one.send(action)), canonical(other.send(action)))
        }
        assert.strictEqual(hash(one.state), hash(other.state))
      }), { runs: 120, short: 4, seed, timeout })

    property(
      "saving and loading a state does not change the later replies, events and state",
      [drafts(160)],
      (drafts) =>
        Effect.sync(() => {
          const [one, other] = [funded(new Desk(policy)), funded(new Desk(policy))]
          for (const [index, draft] of drafts.entries()) {
            const action = actionOf(one, draft)
            if (draft.verb === "day") actionOf(other, draft)
            if (index % 5 === 0) other.state = Saved.load(structuredClone(Saved.save(other.state)), policy)
            assert.strictEqual(canonical(one.send(action)), canonical(other.send(action)))
          }
          assert.strictEqual(hash(one.state), hash(other.state))
        }),
      { runs: 120, short: 3, seed, timeout }
    )

    it("the random commands include every kind of command, and cause debts, margin calls and liquidations", () => {
      const [applied, seen] = [new Set<string>(), new Set<string>()]
      let [losses, payments] = [0, 0]
      for (const list of fc.sample(drafts(400), { numRuns: 8, seed: 3 })) {
        const desk = funded(new Desk(policy))
        for (const draft of list) {
          const before = owed(desk)
          const { events, reply } = desk.send(actionOf(desk, draft))
          if (reply._tag !== "Refused" && reply._tag !== "Invalid") applied.add(draft.verb)
          for (const { _tag } of events) seen.add(_tag)
          if (owed(desk) > before) losses++
          if (owed(desk) < before) payments++
        }
      }
      // The sub-account always holds funds, so deleting it is always refused.
      assert.deepStrictEqual([...new Set(verbs)].filter((verb) => !applied.has(verb)), ["deleteSubAccount"])
      const rare = ["LiquidationStarted", "MarginRestored", "Deleveraged", "DebtLeft", "InsurancePaid"]
      assert.includeMembers([...seen], [...rare, "FundingPaid", "BorrowInterestPaid"])
      assert.isAbove(losses, 5)
      assert.isAbove(payments, 5)
    })

    property("a refused call changes nothing", [drafts(60)], (drafts) =>
      Effect.sync(() => {
        const desk = funded(new Desk(policy))
        for (const draft of drafts) {
          desk.settle()
          const action = actionOf(desk, draft)
          const before = apartFromActivity(desk.state)
          const { reply } = desk.send(action)
          if (reply._tag === "Refused" || reply._tag === "Invalid") {
            assert.strictEqual(apartFromActivity(desk.state), before, canonical(reply))
          }
        }
      }), { runs: 120, short: 5, seed, timeout })
  })
}
