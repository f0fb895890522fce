import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Bytes from "../../src/protocol/Bytes.ts"
import { property } from "../support/property.ts"

describe("encoding bytes as text", () => {
  property(
    "Bytes encodes Latin-1 and Base64 exactly as Node's Buffer does",
    [fc.uint8Array({ maxLength: 40 })],
    (bytes) =>
      Effect.sync(() => {
        const buffer = Buffer.from(bytes)
        assert.strictEqual(Bytes.oneByOne(bytes), buffer.toString("latin1"))
        assert.strictEqual(Bytes.toBase64(bytes), buffer.toString("base64"))
      })
  )
})
