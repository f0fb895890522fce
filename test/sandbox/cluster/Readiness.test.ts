import { assert, it } from "@effect/vitest"
import * as Readiness from "../../../src/sandbox/cluster/Readiness.ts"

const healthy: Readiness.Vitals = {
  isServed: true,
  isStopping: false,
  shards: 1,
  stages: [{ id: "a", stage: "waking", since: 1 }],
  now: 30_000
}

it("a node is ready if it accepts calls, is not stopping, has shards, and has no stuck venue; otherwise it reports why not", () => {
  assert.deepStrictEqual(Readiness.troublesOf(healthy), [])
  const said = (change: Partial<Readiness.Vitals>, ...words: ReadonlyArray<RegExp>) => {
    const troubles = Readiness.troublesOf({ ...healthy, ...change })
    assert.strictEqual(troubles.length, words.length)
    for (const [index, word] of words.entries()) assert.match(troubles[index] ?? "", word)
  }
  said({ isStopping: true, shards: 0 }, /is stopping/u)
  said({ isServed: false, shards: 0 }, /accepts no calls/u, /holds no shards/u)
  said({ now: 45_001 }, /The venue a has been waking for 45 seconds/u)
})
