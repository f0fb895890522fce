import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Net from "node:net"
import { Duplex } from "node:stream"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { most } from "../../../src/sandbox/gateway/OpenConnections.ts"
import * as Bounds from "../../../src/sandbox/server/Bounds.ts"
import * as Upgrades from "../../../src/sandbox/server/Upgrades.ts"
import * as WebSockets from "../../../src/sandbox/server/WebSockets.ts"
import { maxWaiting } from "../../../src/sandbox/streams/Bounds.ts"
import { until } from "../../support/clock.ts"
import { overHttp, Place } from "../../support/exchange.ts"
import { property } from "../../support/property.ts"
import { Connections, durable, limit, world } from "../streams/client.ts"

/** Returns a socket whose client reads nothing. */
const unread = () => new Duplex({ read: () => undefined, write: () => undefined })

const headFrom = (from: string) => ({ method: "GET", path: "/ws", headers: {}, from })

describe("the WebSockets of a process", () => {
  it("one address can open at most half of the allowed WebSockets, and all addresses together at most the allowed number", () => {
    const { open } = WebSockets.make()
    const statusesFrom = (from: string, count: number) =>
      Array.from({ length: count }, () => open(unread(), headFrom(from))?.status)
    const half = Bounds.maxWebSockets / 2
    assert.deepStrictEqual(new Set(statusesFrom("a", half)), new Set([undefined]))
    assert.deepStrictEqual(statusesFrom("a", 1), [429])
    assert.deepStrictEqual(new Set(statusesFrom("b", half - 1)), new Set([undefined]))
    assert.deepStrictEqual([...statusesFrom("c", 2), ...statusesFrom("b", 1)], [undefined, 503, 503])
    // The process is at its limit, so even an address at its own limit gets 503 instead of 429.
    assert.deepStrictEqual(statusesFrom("a", 1), [503])
  })

  property(
    "the bytes waiting for all clients are bounded, and the connection with the most waiting bytes is closed first",
    [fc.array(fc.tuple(fc.nat({ max: 4 }), fc.integer({ min: 1, max: 60 })), { maxLength: 40 })],
    (writes) =>
      Effect.sync(() => {
        const { open, wrote } = WebSockets.make(100)
        const sockets = Array.from({ length: 5 }, unread)
        for (const socket of sockets) open(socket, headFrom("a"))
        const alive = () => sockets.filter(({ destroyed }) => !destroyed)
        for (const [index, bytes] of writes) {
          const socket = sockets[index]
          if (socket === undefined || socket.destroyed) continue
          socket.write(Buffer.alloc(bytes))
          const before = alive().map(({ writableLength }) => writableLength)
          wrote(bytes)
          const after = alive().map(({ writableLength }) => writableLength)
          const sum = (lengths: ReadonlyArray<number>) => lengths.reduce((total, length) => total + length, 0)
          assert.isAtMost(sum(after), 100)
          if (sum(before) <= 100) assert.lengthOf(after, before.length)
          else assert.isAtMost(Math.max(0, ...after), Math.max(...before))
          assert.isAtLeast(after.length, before.length - 1)
        }
      })
  )
})

const upgradeHeaders = {
  host: "localhost",
  connection: "upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ=="
}

const upgrade = [
  "GET /ws HTTP/1.1",
  ...Object.entries(upgradeHeaders).map(([name, value]) => `${name}: ${value}`),
  "\r\n"
].join("\r\n")

/** Builds a client's text frame, masked with zeros. */
const frameOf = (text: string): Buffer => {
  const payload = Buffer.from(text)
  const length = payload.length < 126 ? [0x80 | payload.length] : [0xfe, payload.length >> 8, payload.length & 0xff]
  return Buffer.concat([Buffer.from([0x81, ...length, 0, 0, 0, 0]), payload])
}

/** Opens a WebSocket from a loopback address, and returns the status of the response. */
const connect = Effect.fnUntraced(function*(baseUrl: string, from: string) {
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Net.connect(
        { port: Number(new URL(baseUrl).port), host: "127.0.0.1", localAddress: from },
        () => socket.write(upgrade)
      )
    ),
    (socket) => Effect.sync(() => socket.resetAndDestroy())
  )
  socket.on("error", () => {})
  const status = yield* Effect.callback<number>((resume) => {
    socket.once("data", (chunk: Buffer) => resume(Effect.succeed(Number(chunk.toString().slice(9, 12)))))
  })
  return { socket, status }
})

describe("an honest caller alongside an abusive one", () => {
  it.live(
    "an honest caller is served while another address has as many connections as it can get",
    () =>
      Effect.gen(function*() {
        const { baseUrl } = yield* Place
        const opened = yield* Effect.forEach(
          Array.from({ length: most.ofAddress + 3 }),
          () => connect(baseUrl, "127.0.0.1"),
          { concurrency: 50 }
        )
        const refused = opened.filter(({ status }) => status !== 101)
        assert.deepStrictEqual(refused.map(({ status }) => status), [429, 429, 429])
        assert.strictEqual((yield* connect(baseUrl, "127.0.0.2")).status, 101)
        opened.find(({ status }) => status === 101)?.socket.resetAndDestroy()
        yield* until(
          Effect.map(Effect.scoped(connect(baseUrl, "127.0.0.1")), ({ status }) => status === 101)
        )
      }).pipe(Effect.scoped, Effect.provide(overHttp(Dialect.live))),
    600_000
  )

  it.effect("an honest caller gets responses while a client that sends many requests and reads nothing is disconnected", () =>
    Effect.gen(function*() {
      const { connect } = yield* Connections
      const { wrote } = WebSockets.make()
      const begin = (socket: Duplex) => {
        const upgrade = { ...headFrom("a"), headers: upgradeHeaders }
        Upgrades.begin(upgrade, socket, Buffer.alloc(0), {
          refusal: () => undefined,
          admit: () => undefined,
          wrote,
          receive: (_, resume) => resume({ _tag: "Upgraded", connect, decline: () => undefined })
        })
        return (id: number, method: string, ...params: ReadonlyArray<unknown>) =>
          socket.push(frameOf(JSON.stringify({ id, method, params })))
      }
      const greedy = unread()
      const read: Array<string> = []
      const honest = new Duplex({
        read: () => undefined,
        write: (chunk: Buffer, _encoding, done) => {
          read.push(chunk.toString())
          done()
        }
      })
      const [ask, ping] = [begin(greedy), begin(honest)]
      for (let price = 1; price <= 100; price++) yield* limit("sell", "0.01", `${1000 + price}.12`)
      let most = 0
      for (let id = 1; !greedy.destroyed; id++) {
        ask(id, "depth_request", "BTC_USDT", 100, "0")
        yield* durable
        most = Math.max(most, greedy.writableLength)
        assert.isAtMost(id, 9000)
      }
      assert.isAtMost(most, maxWaiting)
      assert.isAtLeast(most, maxWaiting * 0.9)
      ping(7, "ping")
      yield* durable
      assert.include(read.at(-1), "\"result\":\"pong\",\"id\":7")
    }).pipe(Effect.provide(world)))

  it.live("a slow client behind another process also gets the close frame", () =>
    Effect.gen(function*() {
      const read: Array<string> = []
      const waiting: Array<() => void> = []
      const socket = new Duplex({
        read: () => undefined,
        write: (chunk: Buffer, _encoding, done) => {
          waiting.push(() => {
            read.push(chunk.toString())
            done()
          })
        }
      })
      const far = new Duplex({
        allowHalfOpen: false,
        read: () => undefined,
        write: (_chunk, _encoding, done) => done()
      })
      Upgrades.begin({ ...headFrom("a"), headers: upgradeHeaders }, socket, Buffer.alloc(0), {
        refusal: () => undefined,
        admit: () => undefined,
        wrote: () => undefined,
        receive: (_, resume) => resume({ _tag: "Tunneled", far })
      })
      far.push("a message")
      far.push("the close frame")
      far.push(null)
      yield* Effect.callback<void>((resume) => void far.once("close", () => resume(Effect.void)))
      assert.isFalse(socket.destroyed)
      yield* until(Effect.sync(() => {
        waiting.shift()?.()
        return socket.writableFinished
      }))
      assert.deepStrictEqual(read.join(" "), "a message the close frame")
      yield* until(Effect.sync(() => socket.destroyed))
    }))
})
