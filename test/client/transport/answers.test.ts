/** Tests how transports read a server's responses, byte by byte, and how the undici transport uses its connections. */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import * as Http from "node:http"
import * as Https from "node:https"
import * as Net from "node:net"
import type { Duplex } from "node:stream"
import * as Timers from "node:timers/promises"
import * as Zlib from "node:zlib"
import { Agent, type Dispatcher, interceptors, ProxyAgent, RetryAgent, type RetryHandler } from "undici"
import * as FetchTransport from "../../../src/client/transport/FetchTransport.ts"
import * as Transport from "../../../src/client/transport/Transport.ts"
import * as UndiciTransport from "../../../src/client/transport/UndiciTransport.ts"
import { certificate } from "../../support/certificate.ts"
import { turn, until } from "../../support/clock.ts"
import { harming, rawAnswer } from "../../support/hostile.ts"
import { property } from "../../support/property.ts"
import { overClient, overDispatcher, transports } from "../../support/transports.ts"

const body = Buffer.from("{\"amount\":\"0.1\"}")

const request = (baseUrl: string, more: Partial<Transport.Request> = {}): Transport.Request => ({
  method: "POST",
  url: `${baseUrl}/api/v4/order/new`,
  headers: { "content-type": "application/json" },
  body,
  once: true,
  timeout: "10 seconds",
  maxAnswerBytes: 100_000,
  ...more
})

const send = (baseUrl: string, more: Partial<Transport.Request> = {}) =>
  Transport.Transport.use((transport) => transport.send(request(baseUrl, more)))

const proofOf = (baseUrl: string, more: Partial<Transport.Request> = {}) =>
  Effect.map(Effect.flip(send(baseUrl, more)), ({ proof }) => proof)

/** Starts a server that sends these pieces as the response to every request. Each piece is written separately. */
const writing = (...pieces: ReadonlyArray<Uint8Array | string>) =>
  harming((socket) => {
    for (const piece of pieces) socket.write(piece)
  })

const ending = (...pieces: ReadonlyArray<Uint8Array | string>) =>
  harming((socket) => {
    for (const piece of pieces) socket.write(piece)
    socket.end()
  })

const head = (...headers: ReadonlyArray<string>) => ["HTTP/1.1 200 OK", ...headers, "", ""].join("\r\n")

const chunked = (pieces: ReadonlyArray<Uint8Array>) =>
  Buffer.concat([
    Buffer.from(head("transfer-encoding: chunked")),
    ...pieces.flatMap((piece) => [Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")]),
    Buffer.from("0\r\n\r\n")
  ])

// -----------------------------------------------------------------------------
// Responses
// -----------------------------------------------------------------------------

const decompressing = {
  "undici's dispatch": UndiciTransport.layer,
  "a dispatcher that was supplied": overDispatcher
}

const all = {
  ...decompressing,
  "the platform's fetch": FetchTransport.layer,
  "Effect's fetch": overClient(FetchHttpClient.layer)
}

describe.each(Object.entries(all))("responses over %s", (_name, transport) => {
  const answers: ReadonlyArray<
    readonly [title: string, status: number, text: string, ...bytes: ReadonlyArray<string>]
  > = [
    ["a length", 200, "{}", head("content-length: 2"), "{}"],
    [
      "chunks and trailers",
      200,
      "{\"a\":1}",
      head("transfer-encoding: chunked"),
      "3\r\n{\"a\r\n",
      "4\r\n\":1}\r\n",
      "0\r\nx: y\r\n\r\n"
    ],
    ["an early hint", 200, "{}", "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n", head("content-length: 2"), "{}"],
    ["no content", 204, "", "HTTP/1.1 204 No Content\r\n\r\n"],
    ["status 304", 304, "", "HTTP/1.1 304 Not Modified\r\netag: \"x\"\r\n\r\n"],
    ["an empty body", 500, "", rawAnswer(500, [], "")],
    ["a byte order mark", 200, "{}", head("content-length: 5"), "\ufeff{}"]
  ]
  for (const [title, status, text, ...bytes] of answers) {
    it.effect(`a response with ${title} is read correctly`, () =>
      Effect.gen(function*() {
        const { baseUrl } = yield* writing(...bytes)
        const answer = yield* send(baseUrl)
        assert.deepStrictEqual([answer.status, answer.text], [status, text])
      }).pipe(Effect.provide(transport)))
  }

  it.effect("an HTTP/1.0 response ends when its connection closes", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* ending("HTTP/1.0 200 OK\r\n\r\n", "{\"a\":", "1}")
      assert.strictEqual((yield* send(baseUrl)).text, "{\"a\":1}")
    }).pipe(Effect.provide(transport)))

  it.effect("transports convert header names to lower case, and join repeated headers", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* writing(rawAnswer(200, ["Retry-After: 7", "X-Seen: a", "x-seen: b"], "{}"))
      const { headers } = yield* send(baseUrl)
      assert.deepStrictEqual([headers["retry-after"], headers["x-seen"]], ["7", "a, b"])
    }).pipe(Effect.provide(transport)))

  const half: Readonly<Record<string, ReadonlyArray<string>>> = {
    "no byte": [],
    "half of the status line": ["HTTP/1."],
    "half of the headers": ["HTTP/1.1 200 OK\r\ncontent-le"],
    "an early hint": ["HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n"],
    "half of the declared length": [head("content-length: 10"), "{\"a\""],
    "half of the chunks": [head("transfer-encoding: chunked"), "3\r\n{\"a\r\n"],
    "bytes that are not HTTP": ["SSH-2.0-OpenSSH_9.6\r\n"],
    "a flood of headers": [`HTTP/1.1 200 OK\r\n${"x: y\r\n".repeat(100_000)}`]
  }
  for (const [title, bytes] of Object.entries(half)) {
    it.effect(`a request is reported as possibly delivered if the connection ends after ${title}`, () =>
      Effect.gen(function*() {
        const { baseUrl, deliveries } = yield* ending(...bytes)
        assert.deepStrictEqual(yield* proofOf(baseUrl), { kind: "lost" })
        assert.strictEqual(deliveries.length, 1)
      }).pipe(Effect.provide(transport)))
  }

  it.effect("a request is reported as possibly delivered if its connection breaks at the response's first byte", () =>
    Effect.gen(function*() {
      let isFirst = true
      const { baseUrl, deliveries } = yield* harming(
        (socket) => socket.write(rawAnswer(200, [], "{}")),
        (socket) => {
          if (!isFirst) socket.resetAndDestroy()
          isFirst = false
        }
      )
      yield* send(baseUrl)
      assert.deepStrictEqual(yield* proofOf(baseUrl), { kind: "lost" })
      assert.isAtMost(deliveries.length, 2)
    }).pipe(Effect.provide(transport)))

  it.effect("a call whose response arrives byte by byte fails at its timeout", () =>
    Effect.gen(function*() {
      const answering: Array<Net.Socket> = []
      const { baseUrl } = yield* harming((socket) => {
        socket.write(head("content-length: 1000000"))
        answering.push(socket)
      })
      const drop = Effect.sync(() => answering.forEach((socket) => socket.write(" ")))
      const proof = yield* Effect.forkChild(proofOf(baseUrl))
      for (let drops = 0; drops < 20; drops++) {
        yield* until(Effect.sync(() => answering.length === 1))
        yield* drop
        assert.isUndefined(proof.pollUnsafe())
        yield* TestClock.adjust("500 millis")
      }
      assert.deepStrictEqual(yield* Fiber.join(proof), { kind: "timeout" })
    }).pipe(Effect.provide(transport)))

  it.effect("interrupting a request aborts it and closes its connection", () =>
    Effect.gen(function*() {
      let isClosed = false
      const { baseUrl, deliveries } = yield* harming((socket) => socket.on("close", () => isClosed = true))
      const fiber = yield* Effect.forkChild(send(baseUrl))
      yield* until(Effect.sync(() => deliveries.length === 1))
      yield* Fiber.interrupt(fiber)
      yield* until(Effect.sync(() => isClosed))
    }).pipe(Effect.provide(transport)))

  it.effect("a request to an invalid URL is reported as not sent", () =>
    Effect.gen(function*() {
      for (const url of ["", "no URL", "http://", "http://127.0.0.1:99999/x"]) {
        assert.strictEqual((yield* proofOf("", { url })).kind, "not-sent", url)
      }
    }).pipe(Effect.provide(transport)))

  const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 12 }), { maxLength: 6 })
  const cutText = fc.tuple(fc.string({ unit: "binary", minLength: 2 }), fc.nat()).map(([text, at]) => {
    const bytes = Buffer.from(text)
    const cut = 1 + at % (bytes.length - 1)
    return [bytes.subarray(0, cut), bytes.subarray(cut)]
  })
  property(
    "a response's text does not depend on how its bytes are split",
    [fc.oneof(pieces, cutText)],
    (pieces) =>
      Effect.gen(function*() {
        const { baseUrl } = yield* writing(chunked(pieces))
        assert.strictEqual((yield* send(baseUrl)).text, new TextDecoder().decode(Buffer.concat(pieces)))
      }).pipe(Effect.provide(transport)),
    { runs: 50 }
  )
})

// -----------------------------------------------------------------------------
// Interim responses
// -----------------------------------------------------------------------------

describe("interim responses", () => {
  const interim = fc.constantFrom(
    "HTTP/1.1 100 Continue\r\n\r\n",
    "HTTP/1.1 100 Continue\r\nx-seen: HTTP/1.1 100\r\n\r\n",
    "HTTP/1.1 102 Processing\r\n\r\n",
    "HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\n"
  )
  const final = "HTTP/1.1 100 Continue\r\n\r\n"
  const preceded = fc.record({
    before: fc.array(interim, { minLength: 1, maxLength: 4 }),
    cuts: fc.array(fc.nat(200), { maxLength: 5 })
  })

  /** Writes text in pieces, which the client reads separately. */
  const inPieces = (socket: Net.Socket, text: string, cuts: ReadonlyArray<number>) => {
    const ends = [...new Set(cuts.filter((cut) => cut < text.length)), text.length].toSorted((a, b) => a - b)
    return Effect.forEach(
      ends,
      (end, index) => Effect.andThen(Effect.sync(() => socket.write(text.slice(ends[index - 1] ?? 0, end))), turns(3))
    )
  }
  const turns = (count: number) => Effect.replicateEffect(Effect.promise(() => Timers.setImmediate()), count)

  for (const [name, transport] of Object.entries(transports)) {
    const isRead = name === "undici's dispatch" || name.startsWith("node:http")
    property(
      isRead
        ? `${name} skips interim responses and reads the final response`
        : `${name} skips interim responses, or reports the outcome as unknown`,
      [preceded],
      ({ before, cuts }) =>
        Effect.gen(function*() {
          const run = Effect.runForkWith(yield* Effect.context())
          // The body may look like the beginning of another response.
          const { baseUrl } = yield* harming((socket) =>
            run(inPieces(socket, before.join("") + rawAnswer(200, ["connection: keep-alive"], final), cuts))
          )
          for (let sent = 0; sent < 2; sent++) {
            const told = yield* Effect.match(send(baseUrl), {
              onSuccess: ({ status, text }) => `${status} ${text}`,
              onFailure: ({ proof }) => proof.kind
            })
            if (isRead || told !== "lost") assert.strictEqual(told, `200 ${final}`)
          }
        }).pipe(Effect.provide(transport)),
      { runs: 500, short: 20 }
    )
  }

  it.effect("a request is reported as possibly delivered if an interim response has too many headers", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* writing(`HTTP/1.1 100 Continue\r\n${"x: y\r\n".repeat(100_000)}`)
      assert.deepStrictEqual(yield* proofOf(baseUrl), { kind: "lost" })
    }).pipe(Effect.provide(UndiciTransport.layer)))
})

// -----------------------------------------------------------------------------
// Compression that the client did not request
// -----------------------------------------------------------------------------

describe.each(Object.entries(decompressing))("unrequested compression over %s", (_name, transport) => {
  const text = `{"a":"${"ä".repeat(1000)}"}`
  const encodings = [
    ["gzip", Zlib.gzipSync(text)],
    ["x-gzip", Zlib.gzipSync(text)],
    ["GZIP", Zlib.gzipSync(text)],
    ["deflate", Zlib.deflateSync(text)],
    ["br", Zlib.brotliCompressSync(text)],
    ["identity", Buffer.from(text)]
  ] as const
  const encoded = (encoding: string, bytes: Buffer) =>
    writing(head(`content-encoding: ${encoding}`, `content-length: ${bytes.length}`), bytes)

  for (const [encoding, bytes] of encodings) {
    it.effect(`a response with content encoding ${encoding} is decoded if it fits the limit, and refused if it does not`, () =>
      Effect.gen(function*() {
        const { baseUrl } = yield* encoded(encoding, bytes)
        const maxAnswerBytes = Buffer.byteLength(text)
        assert.strictEqual((yield* send(baseUrl, { maxAnswerBytes })).text, text)
        assert.deepStrictEqual(yield* proofOf(baseUrl, { maxAnswerBytes: maxAnswerBytes - 1 }), {
          kind: "too-large",
          status: 200
        })
      }).pipe(Effect.provide(transport)))
  }

  it.effect("a response that cannot be decompressed is treated as lost", () =>
    Effect.gen(function*() {
      const [, gzip] = encodings[0]
      const broken = [
        ["gzip", gzip.subarray(0, -10)],
        ["gzip", Buffer.from(text)],
        ["zstd", gzip],
        ["constructor", gzip],
        ["gzip, br", gzip]
      ] as const
      for (const [encoding, bytes] of broken) {
        const { baseUrl } = yield* encoded(encoding, bytes)
        const { proof, reason } = yield* Effect.flip(send(baseUrl))
        assert.deepStrictEqual(proof, { kind: "lost" })
        assert.include(reason, encoding)
      }
    }).pipe(Effect.provide(transport)))

  it.effect("a response without a body is not decompressed", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* encoded("gzip", Buffer.alloc(0))
      assert.strictEqual((yield* send(baseUrl)).text, "")
    }).pipe(Effect.provide(transport)))
})

/** Starts a proxy and returns its URL. The given handler serves the proxy's tunnels. */
const proxying = Effect.fnUntraced(function*(connect: (socket: Duplex, to: string) => void) {
  const sockets = new Set<Duplex>()
  const server = Http.createServer()
  server.on("connect", ({ url = "" }, socket) => {
    sockets.add(socket)
    connect(socket, url)
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.sync(() => {
        server.close()
        for (const socket of sockets) socket.destroy()
      })
  )
  return `http://127.0.0.1:${(server.address() as Net.AddressInfo).port}`
})

// -----------------------------------------------------------------------------
// Connections
// -----------------------------------------------------------------------------

describe("the connections of undici's dispatcher", () => {
  const { layer, layerWith } = UndiciTransport
  const single = layerWith({ connections: 1 })

  it.effect("a request that times out while it waits for a connection is never sent", () =>
    Effect.gen(function*() {
      const sockets: Array<Net.Socket> = []
      const { baseUrl, deliveries } = yield* harming((socket) => sockets.push(socket))
      const first = yield* Effect.forkChild(send(baseUrl))
      yield* until(Effect.sync(() => deliveries.length === 1))
      const late = yield* Effect.forkChild(proofOf(baseUrl, { timeout: 20 }))
      yield* turn
      yield* TestClock.adjust(20)
      assert.deepStrictEqual(yield* Fiber.join(late), { kind: "not-sent", why: "unreachable" })
      const interrupted = yield* Effect.forkChild(send(baseUrl))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(interrupted)
      const last = yield* Effect.forkChild(send(baseUrl, { body: Buffer.from("last") }))
      const answer = () => sockets.at(-1)?.write(rawAnswer(200, [], "{}"))
      answer()
      yield* Fiber.join(first)
      yield* until(Effect.sync(() => deliveries.length === 2))
      answer()
      yield* Fiber.join(last)
      assert.deepStrictEqual(deliveries.map(({ body }) => body), [body.toString(), "last"])
    }).pipe(Effect.provide(single)))

  it.effect("an idle connection is reused", () =>
    Effect.gen(function*() {
      const { baseUrl, deliveries } = yield* writing(rawAnswer(200, [], "{}"))
      for (let sent = 0; sent < 3; sent++) yield* send(baseUrl)
      assert.deepStrictEqual(deliveries.map(({ connection }) => connection), [0, 0, 0])
    }).pipe(Effect.provide(single)))

  it.effect("an idle connection is closed after the configured time", () =>
    Effect.gen(function*() {
      // The configured time does not interrupt a request in flight.
      const asking: Array<Net.Socket> = []
      const { baseUrl, deliveries, sockets } = yield* harming((socket) => asking.push(socket))
      const slowly = TestClock.withLive(Effect.sleep(200)).pipe(
        Effect.andThen(Effect.sync(() => asking.pop()?.write(rawAnswer(200, [], "{}"))))
      )
      yield* Effect.forkScoped(Effect.forever(slowly))
      yield* send(baseUrl)
      yield* until(Effect.sync(() => sockets.size === 0))
      yield* send(baseUrl)
      assert.deepStrictEqual(deliveries.map(({ connection }) => connection), [0, 1])
    }).pipe(Effect.provide(layerWith({ keepAlive: 50 }))))

  it.effect("a request over a closing connection is delivered at most once, and reported as not sent only if it was not sent", () =>
    Effect.gen(function*() {
      let answered = 0
      const { baseUrl, deliveries } = yield* harming((socket) => {
        socket.write(rawAnswer(200, ["connection: keep-alive"], "{}"))
        if (answered++ % 2 === 0) socket.end()
        else setImmediate(() => socket.end())
      })
      for (let sent = 0; sent < 20; sent++) {
        const text = `request ${sent}`
        const proof = yield* Effect.match(send(baseUrl, { body: Buffer.from(text) }), {
          onSuccess: () => "answered",
          onFailure: ({ proof }) => proof.kind
        })
        const times = deliveries.filter(({ body }) => body === text).length
        if (proof === "lost") assert.isAtMost(times, 1)
        else assert.deepStrictEqual([proof, times], times === 0 ? ["not-sent", 0] : ["answered", 1])
      }
    }).pipe(Effect.provide(single)))

  it.effect("a request is sent only if the server's certificate is trusted or need not be verified", () =>
    Effect.gen(function*() {
      let asked = 0
      const server = Https.createServer(certificate, (_request, response) => {
        asked++
        response.end("{}")
      })
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => {
          server.listen(0, "127.0.0.1", () => resume(Effect.void))
        }),
        () =>
          Effect.sync(() => {
            server.close()
            server.closeAllConnections()
          })
      )
      const baseUrl = `https://127.0.0.1:${(server.address() as Net.AddressInfo).port}`
      const stranger = yield* proofOf(baseUrl).pipe(Effect.provide(layer))
      assert.deepStrictEqual([stranger, asked], [{ kind: "not-sent", why: "tls" }, 0])
      for (const tls of [{ ca: certificate.cert }, { rejectUnauthorized: false }]) {
        const answers = yield* Effect.replicateEffect(send(baseUrl), 3).pipe(Effect.provide(layerWith({ tls })))
        assert.deepStrictEqual(answers.map(({ text }) => text), ["{}", "{}", "{}"])
      }
      assert.strictEqual(asked, 6)
    }))

  it.effect("a request that is waiting for a connection is never sent after the transport closes", () =>
    Effect.gen(function*() {
      const { baseUrl, deliveries } = yield* harming(() => {})
      const [first, second] = yield* Effect.scoped(Effect.gen(function*() {
        const { send } = Context.get(yield* Layer.build(single), Transport.Transport)
        const proof = Effect.map(Effect.flip(send(request(baseUrl))), ({ proof }) => proof.kind)
        const first = yield* Effect.forkDetach(proof)
        yield* until(Effect.sync(() => deliveries.length === 1))
        return [first, yield* Effect.forkDetach(proof)] as const
      }))
      assert.deepStrictEqual([yield* Fiber.join(first), yield* Fiber.join(second)], ["lost", "not-sent"])
      yield* turn
      assert.strictEqual(deliveries.length, 1)
    }))

  it.effect("a closing transport completes requests in flight, sends no new requests, and closes its connections", () =>
    Effect.gen(function*() {
      const sockets: Array<Net.Socket> = []
      const server = yield* harming((socket) => sockets.push(socket))
      const { baseUrl, deliveries } = server
      const scope = yield* Scope.make()
      const { send } = Context.get(yield* Layer.buildWithScope(layer, scope), Transport.Transport)
      const answered = yield* Effect.forkChild(send(request(baseUrl)))
      yield* until(Effect.sync(() => deliveries.length === 1))
      const silent = yield* Effect.forkChild(Effect.flip(send(request(baseUrl))))
      yield* until(Effect.sync(() => deliveries.length === 2))
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      sockets[0]?.write(rawAnswer(200, [], "{}"))
      assert.strictEqual((yield* Fiber.join(answered)).text, "{}")
      assert.deepStrictEqual((yield* Fiber.join(silent)).proof, { kind: "lost" })
      yield* Fiber.join(closing)
      const late = yield* Effect.flip(send(request(baseUrl)))
      assert.deepStrictEqual(late.proof, { kind: "not-sent", why: "other" })
      yield* until(Effect.sync(() => server.sockets.size === 0))
      assert.strictEqual(deliveries.length, 2)
    }))

  it.effect("a request is reported as not sent if the connection is not established in time", () =>
    Effect.gen(function*() {
      // The server never completes the TLS handshake.
      const { baseUrl } = yield* harming(() => {})
      assert.deepStrictEqual(yield* proofOf(baseUrl.replace("http", "https")), { kind: "not-sent", why: "unreachable" })
    }).pipe(Effect.provide(UndiciTransport.layerWith({ connectTimeout: 50 }))))

  it.effect("requests go through a proxy that is passed as a dispatcher", () =>
    Effect.gen(function*() {
      const { baseUrl, deliveries } = yield* writing(rawAnswer(200, [], "{}"))
      const asked: Array<string> = []
      const proxy = yield* proxying((socket, to) => {
        asked.push(to)
        const [host, port] = to.split(":")
        const onward = Net.connect(Number(port), host)
        onward.on("error", () => socket.destroy())
        socket.on("error", () => onward.destroy())
        socket.write("HTTP/1.1 200 Connected\r\n\r\n")
        socket.pipe(onward)
        onward.pipe(socket)
      })
      const dispatcher = new ProxyAgent({ uri: proxy, proxyTunnel: true })
      const { text } = yield* UndiciTransport.fromDispatcher(dispatcher).send(request(baseUrl))
      assert.strictEqual(text, "{}")
      assert.deepStrictEqual([asked, deliveries.length], [[baseUrl.slice("http://".length)], 1])
      yield* Effect.promise(() => dispatcher.destroy())
    }))
})

// -----------------------------------------------------------------------------
// Dispatchers that resend requests
// -----------------------------------------------------------------------------

describe("a dispatcher that resends a request", () => {
  const eager: RetryHandler.RetryOptions = { methods: ["POST"], minTimeout: 1, maxTimeout: 1 }
  const supplied = (dispatcher: Dispatcher) =>
    Layer.succeed(Transport.Transport, UndiciTransport.fromDispatcher(dispatcher))

  const retrying: Readonly<Record<string, string>> = {
    "an error": rawAnswer(503, ["connection: keep-alive"], "{}"),
    "a lost connection": "",
    "half a response": rawAnswer(200, ["etag: \"x\""], "{\"order_id\":1}").slice(0, -3)
  }
  for (const [title, bytes] of Object.entries(retrying)) {
    it.effect(`a request is delivered once over a dispatcher that retries after ${title}`, () =>
      Effect.gen(function*() {
        const { baseUrl, deliveries } = yield* ending(bytes)
        assert.deepStrictEqual(yield* proofOf(baseUrl), { kind: "resent" })
        assert.strictEqual(deliveries.length, 1)
      }).pipe(Effect.provide(supplied(new RetryAgent(new Agent({ allowH2: false }), eager)))))
  }

  it.effect("a dispatcher that follows redirects sends nothing to the redirect's target", () =>
    Effect.gen(function*() {
      const other = yield* writing(rawAnswer(200, [], "{}"))
      const { baseUrl, deliveries } = yield* writing(rawAnswer(307, [`location: ${other.baseUrl}/`], ""))
      assert.deepStrictEqual(yield* proofOf(baseUrl), { kind: "resent" })
      assert.deepStrictEqual([deliveries.length, other.deliveries.length], [1, 0])
    }).pipe(Effect.provide(supplied(
      new Agent({ allowH2: false }).compose(interceptors.redirect({ maxRedirections: 3 }))
    ))))
})
