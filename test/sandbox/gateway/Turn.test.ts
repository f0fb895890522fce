import { assert, it } from "@effect/vitest"
import { setImmediate } from "node:timers/promises"
import * as Turn from "../../../src/sandbox/gateway/Turn.ts"

it("work is done at the end of its turn, in order; work that comes of it is done in the next one", async () => {
  const done: Array<number> = []
  const later = Turn.make()
  later(() => done.push(1))
  later(() => later(() => done.push(3)))
  later(() => done.push(2))
  assert.deepStrictEqual(done, [])
  await setImmediate()
  assert.deepStrictEqual(done, [1, 2])
  await setImmediate()
  assert.deepStrictEqual(done, [1, 2, 3])
})
