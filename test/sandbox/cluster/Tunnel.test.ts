import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Net from "node:net"
import type { Duplex } from "node:stream"
import { setImmediate } from "node:timers/promises"
import * as Frames from "../../../src/sandbox/cluster/Frames.ts"
import * as Tunnel from "../../../src/sandbox/cluster/Tunnel.ts"
import { until } from "../../support/clock.ts"
import { property } from "../../support/property.ts"

/** The two ends of a connection. Both ends close with the scope. */
const connected = Effect.gen(function*() {
  const server = Net.createServer()
  const ends = Effect.callback<readonly [Net.Socket, Net.Socket]>((resume) => {
    server.listen(0, "127.0.0.1", () => {
      const near = Net.connect((server.address() as Net.AddressInfo).port, "127.0.0.1")
      server.once("connection", (far) => resume(Effect.succeed([near, far])))
    })
  })
  return yield* Effect.acquireRelease(ends, (both) =>
    Effect.sync(() => {
      for (const end of both) end.destroy()
      server.close()
    }))
})

/** The two ends of a tunnel, and the messages that the second end receives. */
const opened = Effect.gen(function*() {
  const [near, far] = yield* connected
  const messages: Array<string> = []
  const one = Tunnel.open(near, () => undefined)
  const two = Tunnel.open(far, (message) => messages.push(Buffer.from(message).toString()))
  yield* Effect.addFinalizer(() => Effect.sync(() => one.bytes.destroy()))
  return { one, two, near, far, messages }
})

const closed = (stream: Duplex) =>
  Effect.callback<void>((resume) => {
    if (stream.closed) return resume(Effect.void)
    stream.once("close", () => resume(Effect.void))
  })

/** Reads until the stream ends. */
const all = (stream: Duplex) =>
  Effect.callback<Buffer>((resume) => {
    const chunks: Array<Buffer> = []
    stream.on("data", (chunk: Buffer) => chunks.push(chunk))
    stream.on("end", () => resume(Effect.succeed(Buffer.concat(chunks))))
  })

const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 8 })

describe("tunnels between nodes", () => {
  property(
    "a tunnel delivers all bytes in order in both directions, after the messages sent before them",
    [chunks, chunks],
    (there, back) =>
      Effect.scoped(Effect.gen(function*() {
        const { messages, one, two } = yield* opened
        const [atOne, atTwo] = [all(one.bytes), all(two.bytes)]
        one.send(Buffer.from("a message"))
        for (const chunk of there) one.bytes.write(chunk)
        for (const chunk of back) two.bytes.write(chunk)
        const [first, second] = yield* Effect.all([atOne, atTwo, Effect.sync(() => one.bytes.end())], {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(messages, ["a message"])
        assert.deepStrictEqual(second, Buffer.concat(there))
        assert.deepStrictEqual(first, Buffer.concat(back).subarray(0, first.length))
      })),
    { runs: 30 }
  )

  it.live("bytes wait at a tunnel's writing end while the other end does not read, and no bytes are lost", () =>
    Effect.gen(function*() {
      const { far, one, two } = yield* opened
      const size = 64 * 1024
      let written = 0
      const chunk = Buffer.alloc(size, "x")
      // The operating system buffers a few megabytes first.
      while (one.bytes.writableLength < 2 ** 20) {
        one.bytes.write(chunk)
        written += size
        yield* Effect.promise(() => setImmediate())
      }
      yield* until(Effect.sync(() => far.isPaused()))
      // The reading end preserves the bytes that it had read when its buffer was full.
      assert.isAtMost(two.bytes.readableLength, 4 * size)
      let read = 0
      two.bytes.on("data", ({ length }: Buffer) => {
        read += length
      })
      yield* until(Effect.sync(() => read === written))
      assert.strictEqual(one.bytes.writableLength, 0)
    }))

  it.live("a slow reader gets a tunnel's last bytes after the connection has closed", () =>
    Effect.gen(function*() {
      const { far, one, two } = yield* opened
      one.bytes.end("the last")
      yield* closed(far)
      assert.strictEqual((yield* all(two.bytes)).toString(), "the last")
      yield* closed(two.bytes)
    }).pipe(Effect.scoped))

  it.live("closing either end of a tunnel closes the other end", () =>
    Effect.gen(function*() {
      for (const at of [0, 1]) {
        const { one, two } = yield* opened
        const [leaving, left] = at === 0 ? [one, two] : [two, one]
        leaving.bytes.destroy()
        yield* closed(left.bytes)
      }
      const { far, one } = yield* opened
      far.resetAndDestroy()
      yield* closed(one.bytes)
    }))

  it.live("a tunnel closes when the other end falls silent, but not while its own reader is slow", () =>
    Effect.gen(function*() {
      const [near, far] = yield* connected
      let beats = 0
      far.on("data", (bytes: Buffer) => {
        beats += Frames.decoder()(bytes).length
      })
      const { bytes } = Tunnel.open(near, () => undefined, 5)
      // The reader does not read, so the tunnel stops reading from the connection.
      far.write(Frames.encode(Frames.kinds.part, Buffer.alloc(2 ** 20)))
      yield* until(Effect.sync(() => near.isPaused()))
      const before = beats
      yield* until(Effect.sync(() => beats > before + 10))
      assert.isFalse(bytes.closed)
      bytes.resume()
      yield* closed(bytes)
    }))
})
