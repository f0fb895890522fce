import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import * as Net from "node:net"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { prefix } from "../../../src/sandbox/control/ControlApi.ts"
import type { Request } from "../../../src/sandbox/gateway/Message.ts"
import * as Server from "../../../src/sandbox/server/Server.ts"
import { Venue } from "../../../src/sandbox/venue/Venue.ts"
import { until } from "../../support/clock.ts"
import { controlToken, servedElsewhere } from "../../support/elsewhere.ts"
import { alice, inProcess } from "../../support/exchange.ts"
import { raw, sending } from "../../support/hostile.ts"
import { isLong } from "../../support/long.ts"
import { signed } from "../../support/signed.ts"

const dialect = Dialect.document

/** The time limit in milliseconds. It is long enough for a busy machine, so only a test that hangs reaches it. */
const timeout = 600_000
const ping = "/api/v4/public/ping"
const placing = "/api/v4/order/new"
const seed = process.env["TXC_TEST_SEED"]
const authorization = `Bearer ${controlToken}`

/** A request with the longest accepted body. */
const longest: Request = {
  method: "POST",
  path: placing,
  headers: {},
  body: new Uint8Array(Server.maxBody),
  from: "test"
}

/** Starts a sandbox in another process, with functions for its owner's requests. */
const overseen = Effect.fnUntraced(function*() {
  const sandbox = yield* servedElsewhere()
  // Connections are not kept alive, because the server would close idle connections during a long attack.
  const send = yield* sending(sandbox.baseUrl, { keepAlive: false })
  const answer = Effect.fnUntraced(function*(request: Request) {
    const answer = yield* send(request)
    return answer === "broken" ? assert.fail(`${request.method} ${request.path} gets no response`) : answer
  })
  const own = (method: string, name: string, body: string = "") =>
    answer({
      method,
      path: prefix + name,
      headers: { authorization, "content-type": "application/json" },
      body: new TextEncoder().encode(body),
      from: "test"
    })
  /** Waits until the server has recovered from an attack and has room for calls and their bodies again. */
  const hasRoom = until(
    Effect.map(send(longest), (answer) => answer !== "broken" && answer.status !== dialect.refusals.unavailable.status)
  )
  const digest = Effect.map(own("GET", "Status"), ({ text }) => text)
  /** Checks that the state is unchanged, and that well-formed calls still get responses. */
  const unharmed = Effect.fnUntraced(function*(before: string) {
    assert.strictEqual(yield* digest, before)
    const { status, text } = yield* answer(signed(dialect, "/api/v4/trade-account/balance"))
    assert.deepStrictEqual([status, JSON.parse(text)], [200, {
      BTC: { available: "2", freeze: "0" },
      USDT: { available: "100000", freeze: "0" }
    }])
    return yield* digest
  })
  return { ...sandbox, answer, own, hasRoom, digest, unharmed, port: Number(new URL(sandbox.baseUrl).port) }
})

const connect = (port: number) =>
  Effect.callback<Net.Socket>((resume) => {
    const socket = Net.connect({ port, host: "127.0.0.1", allowHalfOpen: true }, () => resume(Effect.succeed(socket)))
    socket.on("error", () => resume(Effect.succeed(socket)))
  })

/** Writes data, and waits until the operating system has taken it or the connection is closed. */
const write = (socket: Net.Socket, bytes: string | Uint8Array) =>
  Effect.callback<void>((resume) => {
    const go = () => resume(Effect.void)
    if (socket.destroyed) return go()
    socket.once("close", go)
    socket.write(bytes, () => {
      socket.off("close", go)
      go()
    })
  })

// -----------------------------------------------------------------------------

// Arbitrary bytes
// -----------------------------------------------------------------------------

const line = fc.oneof(
  fc.constantFrom(
    `GET ${ping} HTTP/1.1`,
    `POST ${placing} HTTP/1.1`,
    `GET ${prefix}Clock HTTP/1.1`,
    `GET ${prefix}Events?after=0 HTTP/1.1`,
    `GET ${prefix}Journal HTTP/1.1`,
    `POST ${prefix}Fund HTTP/1.1`,
    `POST ${prefix}Journal HTTP/1.1`,
    `GET ${prefix}Events?after=%00 HTTP/1.1`,
    `GET ${prefix}%zz//\\[ HTTP/1.1`,
    `GET http://[::1/ HTTP/1.1`,
    `GET //${ping} HTTP/1.1`,
    `GET ${ping} HTTP/1.0`,
    `GET ${ping} HTTP/2.0`,
    "PRI * HTTP/2.0",
    "CONNECT localhost:80 HTTP/1.1",
    `GET /${"a".repeat(90_000)} HTTP/1.1`,
    `GET ${ping}?${"a=b&".repeat(20_000)} HTTP/1.1`
  ),
  fc.tuple(
    fc.constantFrom("GET", "POST", "HEAD", "TRACE", "OPTIONS", "PUT", "DELETE", "PROPFIND", "G\u0000T", ""),
    fc.oneof(fc.constantFrom(ping, placing, `${prefix}Fund`, `${prefix}nowhere`, "*", ""), fc.webPath(), fc.string())
  ).map(([method, path]) => `${method} ${path} HTTP/1.1`),
  fc.string({ unit: "binary", maxLength: 60 })
)

const header = fc.oneof(
  fc.constantFrom<readonly [string, string]>(
    ["authorization", authorization],
    ["authorization", authorization],
    ["authorization", "Bearer wrong"],
    ["content-type", "application/json"],
    ["content-type", "multipart/form-data"],
    ["content-type", "x".repeat(5000)],
    ["transfer-encoding", "chunked"],
    ["transfer-encoding", "chunked, gzip"],
    ["content-length", "-1"],
    ["content-length", "10"],
    ["content-length", "1e3"],
    ["content-length", "99999999999999999999"],
    ["expect", "100-continue"],
    ["expect", "nothing"],
    ["connection", "upgrade"],
    ["upgrade", "websocket"],
    ["origin", "https://elsewhere.example"],
    ["host", "two"],
    ["last-event-id", "999999.1"],
    ["x-txc-apikey", alice.apiKey],
    ["x-txc-payload", "e30="],
    ["x-txc-signature", "0".repeat(128)],
    ["__proto__", "x"],
    ["x-long", "y".repeat(95_000)]
  ),
  fc.tuple(fc.string({ maxLength: 10 }), fc.string({ unit: "binary", maxLength: 20 }))
)

/** Request bodies that are not valid control plane commands. */
const body = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(
    "",
    "{}",
    "{\"account\":",
    "{\"account\":\"alice\",\"account\":\"alice\"}",
    `{"account":${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
    "\xff\xfe{]",
    "0\r\n\r\n",
    "5\r\nab",
    "fffffffffffffffff\r\n",
    "-1\r\n",
    "1\r\nx\r\n".repeat(5000),
    "x".repeat(Server.maxBody),
    "x".repeat(Server.maxBody + 1)
  ).map((text) => Buffer.from(text, "latin1"))
)

const message = fc.tuple(line, fc.array(header, { maxLength: 5 }), body, fc.boolean()).map(
  ([line, headers, body, told]) =>
    raw(line, told ? [...headers, ["content-length", String(body.length)]] : headers, body)
)

const conversation = fc.record({
  messages: fc.array(message, { minLength: 1, maxLength: 4 }),
  cuts: fc.array(fc.nat(), { maxLength: 3 }),
  isReading: fc.boolean(),
  end: fc.constantFrom("reset", "half", "silent")
})

/** Sends the messages in pieces, whatever the server responds. */
const converse = Effect.fnUntraced(
  function*(
    port: number,
    { cuts, end, isReading, messages }: typeof conversation extends fc.Arbitrary<infer A> ? A : never
  ) {
    const socket = yield* Effect.acquireRelease(connect(port), (socket) => Effect.sync(() => socket.resetAndDestroy()))
    if (isReading) socket.resume()
    const bytes = Buffer.concat(messages)
    const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
    for (const [index, place] of places.slice(1).entries()) {
      socket.write(bytes.subarray(places[index], place))
      yield* Effect.sleep(1)
    }
    if (end === "half") socket.end()
    if (end !== "reset") yield* Effect.sleep(20)
  },
  Effect.scoped
)

describe("arbitrary bytes on sockets", () => {
  it.live(
    "whatever bytes arrive, a server preserves its state and stays within its memory limit",
    () =>
      Effect.gen(function*() {
        const sandbox = yield* overseen()
        let digest = yield* sandbox.digest
        const context = yield* Effect.context()
        const run = (conversations: ReadonlyArray<Parameters<typeof converse>[1]>) =>
          Effect.runPromiseWith(context)(Effect.gen(function*() {
            yield* Effect.forEach(conversations, (drawn) => converse(sandbox.port, drawn), { concurrency: "unbounded" })
            yield* sandbox.hasRoom
            digest = yield* sandbox.unharmed(digest)
          }))
        yield* Effect.promise(() =>
          fc.assert(fc.asyncProperty(fc.array(conversation, { minLength: 1, maxLength: 12 }), run), {
            numRuns: isLong ? 100 : 4,
            ...(seed === undefined ? {} : { seed: Number(seed) })
          })
        )
        assert.isBelow(yield* sandbox.peak, Server.maxMemory)
      }).pipe(Effect.scoped),
    timeout
  )
})

// -----------------------------------------------------------------------------

// Large amounts
// -----------------------------------------------------------------------------

/** Opens connections that stay open until the attack is over. */
const connections = (port: number, count: number) =>
  Effect.forEach(
    Array.from({ length: count }),
    () => Effect.acquireRelease(connect(port), (socket) => Effect.sync(() => socket.resetAndDestroy())),
    { concurrency: 64 }
  )

const each = <A>(count: number, sockets: ReadonlyArray<Net.Socket>, bytes: (index: number) => A & (string | Buffer)) =>
  Effect.forEach(
    sockets,
    (socket, n) =>
      Effect.forEach(Array.from({ length: count }), (_, index) => write(socket, bytes(n * count + index)), {
        discard: true
      }),
    { concurrency: "unbounded", discard: true }
  )

/** Waits until a number stays unchanged over many readings. */
const standsStill = (number: () => number) => {
  let last = -1
  let looks = 0
  return until(Effect.sync(() => {
    const found = number()
    looks = found === last ? looks + 1 : 0
    last = found
    return looks > 200
  }))
}

/** Waits until the server stops reading data from its callers. */
const takesNoMore = (sockets: ReadonlyArray<Net.Socket>) =>
  standsStill(() => {
    let taken = 0
    for (const { bytesWritten, writableLength } of sockets) taken += bytesWritten - writableLength
    return taken
  })

const reading = (sockets: ReadonlyArray<Net.Socket>) => {
  for (const socket of sockets) socket.resume()
  return sockets
}

const get = (path: string) => raw(`GET ${path} HTTP/1.1`)

const chunked = raw(`POST ${placing} HTTP/1.1`, [["transfer-encoding", "chunked"]])

type Attack = (
  port: number,
  own: (method: string, name: string, body?: string) => Effect.Effect<{ readonly text: string }>
) => Effect.Effect<unknown, never, import("effect/Scope").Scope>

const attacks: ReadonlyArray<readonly [name: string, attack: Attack]> = [
  [
    "thousands of paths of the maximum length",
    (port) =>
      Effect.flatMap(
        connections(port, 8),
        (sockets) => each(isLong ? 1200 : 300, reading(sockets), (index) => get(`/${index}/${"a".repeat(90_000)}`))
      )
  ],
  [
    "queries of the maximum length",
    (port) =>
      Effect.flatMap(
        connections(port, 8),
        (sockets) =>
          each(isLong ? 300 : 100, reading(sockets), (index) =>
            get(`/api/v4/public/orderbook/BTC_USDT?${index}${"a".repeat(90_000)}`))
      )
  ],
  ["bodies that arrive byte by byte", (port) =>
    Effect.gen(function*() {
      const sockets = reading(yield* connections(port, 24))
      yield* each(1, sockets, () => chunked)
      yield* each(40, sockets, () => Buffer.from("1\r\nx\r\n".repeat(10_000)))
    })],
  ["many simultaneous incomplete bodies of the maximum length", (port) =>
    Effect.gen(function*() {
      const sockets = reading(yield* connections(port, 150))
      yield* each(1, sockets, () => raw(`POST ${placing} HTTP/1.1`, [["content-length", String(Server.maxBody)]]))
      yield* each(1, sockets, () => Buffer.alloc(Server.maxBody - 1))
    })],
  ["incomplete headers of the maximum length on every connection", (port) =>
    Effect.gen(function*() {
      const sockets = reading(yield* connections(port, 1500))
      yield* each(1, sockets, () => Buffer.from(`GET ${ping} HTTP/1.1\r\nx-long: ${"y".repeat(90_000)}`))
    })],
  [
    "bodies that wait behind a slow response, on connections that break",
    (port, own) =>
      Effect.gen(function*() {
        yield* own(
          "POST",
          "Faults",
          JSON.stringify({ path: ping, times: 80, symptom: { _tag: "Delay", millis: 3_600_000 } })
        )
        const sockets = yield* connections(port, 80)
        const long = raw(
          `POST ${placing} HTTP/1.1`,
          [["content-length", String(Server.maxBody)]],
          Buffer.alloc(Server.maxBody)
        )
        yield* each(1, sockets, () => Buffer.concat([get(ping), long]))
        yield* until(Effect.map(own("GET", "Faults"), ({ text }) => text.includes("\"fired\":80")))
      })
  ]
]

describe("large amounts of data on sockets", () => {
  it.live(
    "however much data arrives, a server stays within its memory limit and frees the memory afterwards",
    () =>
      Effect.gen(function*() {
        const sandbox = yield* overseen()
        let digest = yield* sandbox.digest
        for (const [name, attack] of attacks) {
          yield* Effect.scoped(attack(sandbox.port, sandbox.own))
          yield* sandbox.hasRoom
          yield* sandbox.own("DELETE", "Faults")
          digest = yield* sandbox.unharmed(digest)
          assert.isBelow(yield* sandbox.peak, Server.maxMemory, name)
          const { status } = yield* sandbox.answer(longest)
          assert.strictEqual(status, 400, name)
        }
      }).pipe(Effect.scoped),
    timeout
  )

  it.live(
    "a server stops handling calls on a connection if the caller does not read the responses",
    () =>
      Effect.gen(function*() {
        const sandbox = yield* overseen()
        const digest = yield* sandbox.digest
        const many = Buffer.from(`GET ${ping} HTTP/1.1\r\nhost: localhost\r\n\r\n`.repeat(20_000))
        const attack = Effect.flatMap(
          connections(sandbox.port, 30),
          (sockets) => Effect.raceFirst(each(50, sockets, () => many), takesNoMore(sockets))
        )
        yield* Effect.scoped(attack)
        yield* sandbox.hasRoom
        yield* sandbox.unharmed(digest)
        assert.isBelow(yield* sandbox.peak, Server.maxMemory / 2)
      }).pipe(Effect.scoped),
    timeout
  )

  it.live("a server stops reading the feed for readers that have stopped reading", () =>
    Effect.gen(function*() {
      const venue = yield* Venue
      const [entry] = yield* Effect.flatMap(venue.feed.after("0"), (entries) =>
        Stream.runCollect(Stream.take(entries, 1)))
      let taken = 0
      // There are far more entries than the system buffers for a connection.
      const entries = Stream.fromIterable(Array.from({ length: 200_000 }, () =>
        entry ?? assert.fail())).pipe(
          Stream.rechunk(100),
          Stream.tap(() => Effect.sync(() => taken++))
        )
      const feed = { ...venue.feed, after: () => Effect.succeed(entries) }
      const { baseUrl } = yield* Server.serve({ controlToken }).pipe(Effect.provideService(Venue, { ...venue, feed }))
      const [socket] = yield* connections(Number(new URL(baseUrl).port), 1)
      socket?.write(raw(`GET ${prefix}Events HTTP/1.1`, [["authorization", authorization]]))
      yield* until(Effect.sync(() => taken > 0))
      yield* standsStill(() => taken)
      assert.isBelow(taken, 100_000)
    }).pipe(Effect.scoped, Effect.provide(inProcess(dialect))), timeout)
})
