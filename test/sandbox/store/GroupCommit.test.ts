import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { setImmediate } from "node:timers/promises"
import * as Journal from "../../../src/sandbox/store/Journal.ts"
import { scratchFile } from "../../support/files.ts"

/**
 * Appends a command in one turn of the event loop and another in the next turn. Returns the number of durable commands
 * after each group.
 */
const groups = Effect.fnUntraced(function*(file: string) {
  const groups: Array<number> = []
  const journal = yield* Journal.open(file, { rules: "test", onCommitted: (sequence) => groups.push(sequence) })
  const append = (account: string) =>
    Effect.callback<void>((resume) => {
      journal.append({ at: 0, action: { _tag: "OpenAccount", account, b2b: false } })
      journal.whenCommitted(() => resume(Effect.void))
    })
  const next = Effect.andThen(Effect.promise(() => setImmediate()), append("second"))
  yield* Effect.all([append("first"), next], { concurrency: "unbounded" })
  return groups
})

it.live("on disk, commands from two consecutive turns of the event loop are committed as one group", () =>
  Effect.gen(function*() {
    assert.deepStrictEqual(yield* groups(yield* scratchFile), [2])
    assert.deepStrictEqual(yield* groups(Journal.inMemory), [1, 2])
  }).pipe(Effect.scoped))
