import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Net from "node:net"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as Quotas from "../../../src/sandbox/server/Quotas.ts"
import * as Server from "../../../src/sandbox/server/Server.ts"
import { until } from "../../support/clock.ts"
import { inProcess } from "../../support/exchange.ts"
import { property } from "../../support/property.ts"

const ofAll = 10
const ofOne = ofAll * Server.shareOfAddress

describe("quotas", () => {
  property(
    "no address exceeds its quota, all together do not exceed the total, and returned amounts are free again",
    [fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.integer({ min: 1, max: 6 }), fc.boolean()))],
    (steps) =>
      Effect.sync(() => {
        const quotas = Quotas.make(ofAll)
        const held: Array<readonly [string, number]> = []
        const sumOf = (entries: ReadonlyArray<readonly [string, number]>) => entries.reduce((sum, [, n]) => sum + n, 0)
        for (const [address, amount, isTaking] of steps) {
          if (isTaking) {
            const isFree = sumOf(held) + amount <= ofAll
            const isWithin = sumOf(held.filter(([other]) => other === address)) + amount <= ofOne
            assert.strictEqual(quotas.take(address, amount), isFree && isWithin)
            if (isFree && isWithin) held.push([address, amount])
          } else {
            const given = held.pop()
            if (given !== undefined) quotas.giveBack(...given)
          }
        }
        for (const given of held) quotas.giveBack(...given)
        for (const address of ["a", "b"]) assert.isTrue(quotas.take(address, ofOne))
      })
  )
})

/** Connections from a loopback address, each sending this, and the server's reaction to each. */
const attack = (baseUrl: string, from: string, count: number, said: (n: number) => string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const open = new Set<Net.Socket>()
      const held = { open, closed: 0, connected: 0, all: Array.from({ length: count }, () => new Net.Socket()) }
      for (const [n, socket] of held.all.entries()) {
        open.add(socket)
        socket.on("error", () => {})
        socket.on("close", () => {
          open.delete(socket)
          held.closed++
        })
        socket.on("connect", () => {
          held.connected++
          socket.write(said(n))
        })
        socket.connect({ port: Number(new URL(baseUrl).port), host: "127.0.0.1", localAddress: from })
        socket.resume()
      }
      return held
    }),
    ({ all }) =>
      Effect.sync(() => {
        for (const socket of all) socket.resetAndDestroy()
      })
  )

/** The answer to a caller from this address, or `"closed"`. */
const pinged = (baseUrl: string, from: string) =>
  Effect.callback<string>((resume) => {
    let text = ""
    const socket = Net.connect({ port: Number(new URL(baseUrl).port), host: "127.0.0.1", localAddress: from })
    socket.on("connect", () => socket.write("GET /api/v4/public/ping HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"))
    socket.on("data", (chunk: Buffer) => text += chunk.toString())
    socket.on("error", () => {})
    socket.on("close", () => resume(Effect.succeed(text === "" ? "closed" : text.slice(0, 12))))
    return Effect.sync(() => socket.destroy())
  })

const share = Server.maxConnections * Server.shareOfAddress

describe("one address", () => {
  it.live(
    "one address with 2000 half-sent headers gets no more than its quota and shuts out no other",
    () =>
      Effect.gen(function*() {
        const { baseUrl } = yield* Server.serve()
        const held = yield* attack(baseUrl, "127.0.0.1", 2000, () => "GET /api/v4/public/ping HTTP/1.1\r\nx: ")
        yield* until(Effect.sync(() => held.connected === 2000 && held.open.size === share))
        assert.strictEqual(yield* pinged(baseUrl, "127.0.0.2"), "HTTP/1.1 200")
        assert.strictEqual(yield* pinged(baseUrl, "127.0.0.1"), "closed")
        for (const socket of held.all) socket.destroy()
        yield* until(Effect.map(pinged(baseUrl, "127.0.0.1"), (answer) => answer === "HTTP/1.1 200"))
      }).pipe(Effect.scoped, Effect.provide(inProcess(Dialect.document))),
    60_000
  )

  it.live(
    "one address with calls that never end leaves slots and room for bodies to the others",
    () =>
      Effect.gen(function*() {
        const { baseUrl } = yield* Server.serve()
        const half = "x".repeat(Server.maxBody / 2)
        const head = `POST /api/v4/order/new HTTP/1.1\r\nhost: a\r\ncontent-length: ${Server.maxBody}\r\n\r\n`
        const held = yield* attack(baseUrl, "127.0.0.1", share, (n) => head + (n < 130 ? half : ""))
        yield* until(Effect.sync(() => held.connected === share))
        // The room is already full when the other address is tried.
        yield* until(Effect.sync(() => held.closed >= 130 - Server.maxPending * Server.shareOfAddress / half.length))
        const other = `${head}${"y".repeat(Server.maxBody)}`
        const answered = yield* Effect.callback<string>((resume) => {
          const socket = Net.connect({
            port: Number(new URL(baseUrl).port),
            host: "127.0.0.1",
            localAddress: "127.0.0.2"
          }, () => socket.write(other))
          socket.once("data", (chunk: Buffer) => resume(Effect.succeed(chunk.toString().slice(0, 12))))
          socket.on("error", () => resume(Effect.succeed("closed")))
          return Effect.sync(() => socket.destroy())
        })
        assert.strictEqual(answered, "HTTP/1.1 400")
      }).pipe(Effect.scoped, Effect.provide(inProcess(Dialect.document))),
    60_000
  )

  it.live(
    "silent connections and half-sent headers are closed after the header timeout",
    () =>
      Effect.gen(function*() {
        const { baseUrl } = yield* Server.serve({ headersTimeout: 500, requestTimeout: 3_600_000 })
        const silent = yield* attack(baseUrl, "127.0.0.1", 5, () => "")
        const half = yield* attack(baseUrl, "127.0.0.1", 5, () => "GET / HTTP/1.1\r\nx")
        yield* until(Effect.sync(() => silent.closed === 5 && half.closed === 5))
      }).pipe(Effect.scoped, Effect.provide(inProcess(Dialect.document))),
    60_000
  )
})
