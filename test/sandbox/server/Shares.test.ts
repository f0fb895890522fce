import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Net from "node:net"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { Control } from "../../../src/sandbox/control/Control.ts"
import * as Server from "../../../src/sandbox/server/Server.ts"
import { until } from "../../support/clock.ts"
import { inProcess } from "../../support/exchange.ts"

/** Opens connections from a loopback address, sends `said` on each connection, and counts the server's reactions. */
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

/** Returns the beginning of the response to a ping from this address, or `"closed"`. */
const pinged = (baseUrl: string, from: string) =>
  Effect.callback<string>((resume) => {
    let text = ""
    const socket = Net.connect({ port: Number(new URL(baseUrl).port), host: "127.0.0.1", localAddress: from })
    socket.on("connect", () =>
      socket.write("GET /api/v4/public/ping HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"))
    socket.on("data", (chunk: Buffer) =>
      text += chunk.toString())
    socket.on("error", () => {})
    socket.on("close", () => resume(Effect.succeed(text === "" ? "closed" : text.slice(0, 12))))
    return Effect.sync(() => socket.destroy())
  })

/** Returns the beginning of the response to these bytes from this address, or `"closed"`. */
const answered = (baseUrl: string, from: string, sent: string) =>
  Effect.callback<string>((resume) => {
    const socket = Net.connect(
      { port: Number(new URL(baseUrl).port), host: "127.0.0.1", localAddress: from },
      () => socket.write(sent)
    )
    socket.once("data", (chunk: Buffer) => resume(Effect.succeed(chunk.toString().slice(0, 12))))
    socket.on("error", () => resume(Effect.succeed("closed")))
    socket.on("close", () => resume(Effect.succeed("closed")))
    return Effect.sync(() => socket.destroy())
  })

const share = Server.maxConnections * Server.shareOfAddress

/** The maximum number of calls from one address that may be waiting for their responses. */
const calls = Server.maxUnanswered.ofAll * Server.shareOfAddress

describe("one address's share of a server", () => {
  it.live(
    "an address with too many half-sent headers gets only its quota, and is still served, like other addresses",
    () =>
      Effect.gen(function*() {
        const { baseUrl } = yield* Server.serve()
        const held = yield* attack(baseUrl, "127.0.0.1", share + 500, () => "GET /api/v4/public/ping HTTP/1.1\r\nx: ")
        yield* until(Effect.sync(() => held.connected === share + 500 && held.open.size === share))
        assert.strictEqual(yield* pinged(baseUrl, "127.0.0.2"), "HTTP/1.1 200")
        for (let call = 0; call < 20; call++) {
          assert.strictEqual(yield* pinged(baseUrl, "127.0.0.1"), "HTTP/1.1 200")
        }
        // Each call has closed only the oldest half-open connection.
        assert.isAtLeast(held.open.size, share - 20)
      }).pipe(Effect.scoped, Effect.provide(inProcess(Dialect.document))),
    600_000
  )

  it.live(
    "half-open connections of two addresses neither lock out a third address nor displace idle connections",
    () =>
      Effect.gen(function*() {
        const { baseUrl } = yield* Server.serve({ headersTimeout: 3_600_000, requestTimeout: 3_600_000 })
        const get = "GET /api/v4/public/ping HTTP/1.1\r\nhost: localhost\r\n\r\n"
        const idle = yield* attack(baseUrl, "127.0.0.1", 3, () => get)
        let answered = 0
        for (const socket of idle.all) socket.once("data", () => answered++)
        yield* until(Effect.sync(() => answered === 3))
        const first = yield* attack(baseUrl, "127.0.0.1", share, () => "GET / HTTP/1.1\r\nx")
        const second = yield* attack(baseUrl, "127.0.0.2", share, () => "GET / HTTP/1.1\r\nx")
        yield* until(Effect.sync(() => idle.open.size + first.open.size === share && second.open.size === share))
        for (const from of ["127.0.0.3", "127.0.0.1", "127.0.0.2"]) {
          assert.strictEqual(yield* pinged(baseUrl, from), "HTTP/1.1 200", from)
        }
        assert.strictEqual(idle.open.size, 3)
      }).pipe(Effect.scoped, Effect.provide(inProcess(Dialect.document))),
    600_000
  )

  it.live(
    "calls whose bodies never arrive make room for a call from the same address, but calls waiting for responses do not",
    () =>
      Effect.gen(function*() {
        const { baseUrl } = yield* Server.serve({ headersTimeout: 3_600_000, requestTimeout: 3_600_000 })
        const post = "POST /api/v4/order/new HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{"
        const slow = yield* attack(baseUrl, "127.0.0.1", calls, () => post)
        yield* until(Effect.sync(() => slow.connected === calls))
        for (let call = 0; call < 20; call++) {
          assert.strictEqual(yield* pinged(baseUrl, "127.0.0.1"), "HTTP/1.1 200")
        }
        assert.isAtLeast(slow.open.size, calls - 20)
        for (const socket of slow.all) socket.resetAndDestroy()
        const control = yield* Control
        const path = "/api/v4/public/ping"
        const most = Server.maxUnanswered.ofCaller
        yield* control.addFault({ path, times: most, symptom: { _tag: "Delay", millis: 3_600_000 } })
        const get = `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`
        const waiting = yield* attack(baseUrl, "127.0.0.1", most, () => get)
        yield* until(Effect.map(control.faults, ([fault]) => fault?.fired === most))
        assert.strictEqual(yield* pinged(baseUrl, "127.0.0.1"), "HTTP/1.1 429")
        assert.strictEqual(yield* pinged(baseUrl, "127.0.0.2"), "HTTP/1.1 200")
        assert.strictEqual(waiting.open.size, most)
      }).pipe(Effect.scoped, Effect.provide(inProcess(Dialect.document))),
    600_000
  )

  it.live(
    "an address with calls that never end leaves room for other addresses' calls and bodies",
    () =>
      Effect.gen(function*() {
        const { baseUrl } = yield* Server.serve()
        const half = "x".repeat(Server.maxBody / 2)
        const head = `POST /api/v4/order/new HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${Server.maxBody}\r\n\r\n`
        const held = yield* attack(baseUrl, "127.0.0.1", calls, (n) => head + (n < 130 ? half : ""))
        yield* until(Effect.sync(() => held.connected === calls))
        // The first address uses its entire quota before the other address sends anything.
        yield* until(Effect.sync(() => held.closed >= 130 - Server.maxPending * Server.shareOfAddress / half.length))
        const other = `${head}${"y".repeat(Server.maxBody)}`
        assert.strictEqual(yield* answered(baseUrl, "127.0.0.2", other), "HTTP/1.1 400")
      }).pipe(Effect.scoped, Effect.provide(inProcess(Dialect.document))),
    600_000
  )

  it.live(
    "half-sent bodies make room for a body from the same address, and the oldest are refused",
    () =>
      Effect.gen(function*() {
        const { baseUrl } = yield* Server.serve({ headersTimeout: 3_600_000, requestTimeout: 3_600_000 })
        const half = "x".repeat(Server.maxBody / 2)
        const head = `POST /api/v4/order/new HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${Server.maxBody}\r\n\r\n`
        const room = Server.maxPending * Server.shareOfAddress / half.length
        const held = yield* attack(baseUrl, "127.0.0.1", 2 * room, () => head + half)
        yield* until(Effect.sync(() => held.closed >= room))
        for (let call = 1; call <= 5; call++) {
          assert.strictEqual(yield* answered(baseUrl, "127.0.0.1", head + "y".repeat(Server.maxBody)), "HTTP/1.1 400")
        }
        // A new body displaces only a few other bodies, not all of them.
        assert.isAbove(held.open.size, 0)
      }).pipe(Effect.scoped, Effect.provide(inProcess(Dialect.document))),
    600_000
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
    600_000
  )
})
