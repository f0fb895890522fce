import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as State from "../../../src/sandbox/engine/State.ts"
import * as Secrets from "../../../src/sandbox/gateway/Secrets.ts"
import * as Journal from "../../../src/sandbox/store/Journal.ts"
import * as Outbox from "../../../src/sandbox/store/Outbox.ts"
import * as SavedStates from "../../../src/sandbox/store/SavedStates.ts"
import * as Executor from "../../../src/sandbox/venue/Executor.ts"
import * as Halt from "../../../src/sandbox/venue/Halt.ts"

const { policy } = Dialect.document

/** Closes a venue after its command number `sequence`. Returns the command number of the journal's last snapshot. */
const concluded = Effect.fnUntraced(function*(
  sequence: number,
  snapshotAt: number | undefined,
  isHalted: boolean,
  sleeps = false
) {
  const journal = yield* Journal.open(Journal.inMemory, { rules: "test" })
  const state = State.make(policy)
  const halt = Halt.make()
  if (isHalted) halt.halt()
  const executor = yield* Executor.make({
    file: Journal.inMemory,
    history: { state, sequence, origin: 0 },
    journal,
    states: SavedStates.make(policy),
    outbox: Outbox.make(() => undefined),
    secrets: Secrets.make(state),
    halt,
    sleeps,
    snapshotAt
  })
  yield* executor.conclude
  return (yield* journal.snapshot)?.sequence
}, Effect.scoped)

describe("closing a journal", () => {
  it.effect("a journal with many commands since its last snapshot gets a new snapshot on closing, unless its venue has halted", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* concluded(40_000, 30_000, false), 40_000)
      assert.isUndefined(yield* concluded(40_000, 30_001, false))
      assert.isUndefined(yield* concluded(40_000, undefined, false))
      assert.isUndefined(yield* concluded(40_000, 30_000, true))
    }))

  it.effect("a venue that falls asleep needs fewer new commands for a snapshot than a venue that closes, but more if its history is long", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* concluded(500, 0, false, true), 500)
      assert.isUndefined(yield* concluded(499, 0, false, true))
      assert.isUndefined(yield* concluded(40_000, 37_000, false, true))
      assert.strictEqual(yield* concluded(40_000, 36_000, false, true), 40_000)
    }))
})
