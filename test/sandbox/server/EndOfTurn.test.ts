import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as EndOfTurn from "../../../src/sandbox/server/EndOfTurn.ts"

const turn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

it.effect("work scheduled in a turn runs in order at the turn's end, and work scheduled by that work runs in the next turn", () =>
  Effect.gen(function*() {
    const done: Array<number> = []
    const later = EndOfTurn.make()
    later(() => done.push(1))
    later(() => later(() => done.push(3)))
    later(() => done.push(2))
    assert.deepStrictEqual(done, [])
    yield* turn
    assert.deepStrictEqual(done, [1, 2])
    yield* turn
    assert.deepStrictEqual(done, [1, 2, 3])
  }))
