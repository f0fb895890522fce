import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Frames from "../../../src/sandbox/cluster/Frames.ts"
import { property } from "../../support/property.ts"

const frame = fc.record({ kind: fc.nat(255), bytes: fc.uint8Array({ maxLength: 600 }) })

const plain = ({ bytes, kind }: Frames.Frame) => ({ kind, bytes: Array.from(bytes) })

property(
  "frames are decoded wherever their bytes are split, and each frame is emitted as soon as it is complete",
  [fc.array(frame, { maxLength: 8 }), fc.array(fc.nat(300), { maxLength: 20 })],
  (frames, cuts) =>
    Effect.sync(() => {
      const encoded = frames.map(({ bytes, kind }) => Frames.encode(kind, bytes))
      const all = Buffer.concat(encoded)
      const ends = encoded.map((_, index) => encoded.slice(0, index + 1).reduce((sum, { length }) => sum + length, 0))
      const decode = Frames.decoder()
      const found: Array<Frames.Frame> = []
      let at = 0
      for (const cut of [...cuts, all.length]) {
        const to = Math.min(all.length, at + cut)
        found.push(...decode(all.subarray(at, to)))
        at = to
        assert.strictEqual(found.length, ends.filter((end) => end <= at).length)
      }
      assert.deepStrictEqual(found.map(plain), frames.map(plain))
    })
)
