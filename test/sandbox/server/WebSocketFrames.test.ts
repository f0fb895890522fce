import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as WebSocketFrames from "../../../src/sandbox/server/WebSocketFrames.ts"
import { property } from "../../support/property.ts"

/** Builds a frame as a client would write it. */
const frame = (first: number, payload: Buffer, mask: Buffer | undefined = Buffer.from([1, 2, 3, 4])): Buffer => {
  const { length } = payload
  const short = length < 126 ? length : length <= 0xffff ? 126 : 127
  const long = Buffer.alloc(short === 126 ? 2 : short === 127 ? 8 : 0)
  if (short === 126) long.writeUInt16BE(length)
  if (short === 127) long.writeBigUInt64BE(BigInt(length))
  const masked = mask === undefined ? payload : payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0))
  return Buffer.concat([
    Buffer.from([first, (mask === undefined ? 0 : 0x80) | short]),
    long,
    mask ?? Buffer.alloc(0),
    masked
  ])
}

const readAll = (bytes: Buffer, sizes: ReadonlyArray<number>, longest = 100_000) => {
  const reader = new WebSocketFrames.Reader(longest)
  const found: Array<WebSocketFrames.Received> = []
  let at = 0
  for (let turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? bytes.length
    found.push(...reader.read(bytes.subarray(at, at + size)))
    at += size
  }
  return found
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 })

/** Splits a string into frames, with pings between them. */
const message = fc.tuple(
  fc.oneof(fc.string({ unit: "binary", maxLength: 300 }), fc.constant("€".repeat(30_000))).filter((text) =>
    text.isWellFormed()
  ),
  fc.array(fc.nat({ max: 300 }), { maxLength: 3 }),
  fc.uint8Array({ minLength: 4, maxLength: 4 })
).map(([text, cuts, mask]) => {
  const whole = Buffer.from(text)
  const ends = [...cuts.map((cut) => Math.min(cut, whole.length)).toSorted((one, other) => one - other), whole.length]
  const frames = ends.flatMap((end, index) => {
    const isLast = index === ends.length - 1
    const part = whole.subarray(ends[index - 1] ?? 0, end)
    const data = frame((isLast ? 0x80 : 0) | (index === 0 ? 1 : 0), part, Buffer.from(mask))
    return isLast ? [data] : [data, frame(0x89, Buffer.from("ping"), Buffer.from(mask))]
  })
  return { text, bytes: Buffer.concat(frames), pings: ends.length - 1 }
})

describe("WebSocket frames", () => {
  property(
    "messages are read in full, however they are split into frames and chunks",
    [fc.array(message, { maxLength: 4 }), sizes],
    (messages, sizes) => {
      const found = readAll(Buffer.concat(messages.map(({ bytes }) => bytes)), sizes)
      assert.deepStrictEqual(
        found.flatMap((received) => received._tag === "Message" ? [received.text] : []),
        messages.map(({ text }) => text)
      )
      const pings = messages.reduce((sum, { pings }) => sum + pings, 0)
      assert.strictEqual(found.filter(({ _tag }) => _tag === "Ping").length, pings)
      assert.strictEqual(found.length, messages.length + pings)
      return Effect.void
    }
  )

  it("input that violates the protocol is reported as invalid, and nothing is read after it", () => {
    const text = Buffer.from("text")
    const broken = {
      "without a mask": Buffer.concat([Buffer.from([0x81, 4]), text]),
      "with a reserved bit": frame(0xc1, text),
      "binary": frame(0x82, text),
      "of an unknown kind": frame(0x83, text),
      "a continuation without a first frame": frame(0x80, text),
      "a message that begins within another message": Buffer.concat([frame(0x01, text), frame(0x81, text)]),
      "a ping in parts": frame(0x09, text),
      "a ping that is too long": frame(0x89, Buffer.alloc(126)),
      "not UTF-8": frame(0x81, Buffer.from([0xff])),
      "too long": frame(0x81, Buffer.alloc(101)),
      "too long in parts": Buffer.concat([frame(0x01, Buffer.alloc(60)), frame(0x80, Buffer.alloc(41))]),
      "endless": Buffer.concat([frame(0x01, text), ...Array.from({ length: 200 }, () => frame(0x00, Buffer.alloc(0)))])
    }
    for (const [name, bytes] of Object.entries(broken)) {
      const found = readAll(Buffer.concat([bytes, frame(0x81, text)]), [bytes.length], 100)
      assert.deepStrictEqual(found, [{ _tag: "Invalid" }], name)
    }
  })

  property("reading arbitrary bytes never throws", [fc.uint8Array({ maxLength: 200 }), sizes], (bytes, sizes) => {
    const tags = readAll(Buffer.from(bytes), sizes, 100).map(({ _tag }) => _tag)
    assert.isFalse(tags.slice(0, -1).includes("Invalid"))
    return Effect.void
  })

  it("a server accepts the key from RFC 6455's example", () => {
    assert.include(WebSocketFrames.accept("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    assert.isTrue(WebSocketFrames.isKey("dGhlIHNhbXBsZSBub25jZQ=="))
    assert.isFalse(WebSocketFrames.isKey("c2hvcnQ="))
  })
})
