/**
 * Checks that a mutating attempt is delivered at most once over every supported transport, no matter how the server
 * responds.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as TestClock from "effect/testing/TestClock"
import * as Http2 from "node:http2"
import type * as Net from "node:net"
import * as Zlib from "node:zlib"
import * as Undici from "undici"
import * as Call from "../../../src/client/call/Call.ts"
import * as FetchTransport from "../../../src/client/transport/FetchTransport.ts"
import * as Transport from "../../../src/client/transport/Transport.ts"
import * as UndiciTransport from "../../../src/client/transport/UndiciTransport.ts"
import { MainBalance } from "../../../src/endpoints/MainBalance.ts"
import { StopLimitOrders } from "../../../src/endpoints/StopLimitOrders.ts"
import { turn, until } from "../../support/clock.ts"
import { once, stopLimit } from "../../support/exchange.ts"
import { failsWith } from "../../support/fails.ts"
import { type Delivery, harming, rawAnswer } from "../../support/hostile.ts"
import { clientAt, clients, overClient, transports } from "../../support/transports.ts"

type Init = RequestInit & { readonly duplex?: unknown }

const overFetch = (fetch: FetchTransport.Fetch) => Layer.succeed(Transport.Transport, FetchTransport.fromFetch(fetch))

const retryAgent = () =>
  new Undici.RetryAgent(new Undici.Agent({ allowH2: false }), {
    methods: ["POST"],
    maxRetries: 2,
    minTimeout: 1,
    errorCodes: ["ECONNRESET", "ECONNREFUSED", "UND_ERR_SOCKET"]
  })

const create = StopLimitOrders.use((orders) => orders.create(stopLimit))
const balance = MainBalance.use(({ all }) => all)

const kept = ["connection: keep-alive"]
const refused = JSON.stringify({ code: 30, message: "Validation failed", errors: {} })
const used = JSON.stringify({ code: 0, message: "Too many requests.", errors: {} })

/** Returns the attempt to which a delivery belongs. Every attempt has a different signature, which identifies it. */
const attemptOf = ({ head }: Delivery): string => /^x-txc-signature: *(\w+)$/imu.exec(head)?.[1] ?? ""

const assertOnce = (deliveries: ReadonlyArray<Delivery>, attempts: number) => {
  assert.strictEqual(deliveries.length, attempts)
  assert.strictEqual(new Set(deliveries.map(attemptOf)).size, attempts)
  for (const { body, head } of deliveries) {
    const payload = /^x-txc-payload: *(\S+)$/imu.exec(head)?.[1] ?? ""
    assert.strictEqual(Buffer.from(payload, "base64").toString(), body, "the bytes that were signed")
    assert.match(head, /^content-length: /imu)
    assert.notMatch(head, /^transfer-encoding: /imu)
    assert.notMatch(head, /^expect: /imu)
  }
}

/** Responses that make some HTTP clients send a request again. */
const answers: Readonly<Record<string, string>> = {
  "421": rawAnswer(421, kept, refused),
  "421 and a closed connection": rawAnswer(421, ["connection: close"], refused),
  "401 with a challenge": rawAnswer(401, [...kept, "www-authenticate: Basic realm=\"x\""], "{}"),
  "407": rawAnswer(407, [...kept, "proxy-authenticate: Basic realm=\"x\""], "{}"),
  "408": rawAnswer(408, ["connection: close"], ""),
  "417": rawAnswer(417, kept, ""),
  "425": rawAnswer(425, kept, ""),
  "a gateway's 429": rawAnswer(429, [...kept, "retry-after: 0"], ""),
  "503 with Retry-After": rawAnswer(503, [...kept, "retry-after: 0"], ""),
  "307": rawAnswer(307, [...kept, "location: /api/v4/order/stop_limit"], ""),
  "308": rawAnswer(308, [...kept, "location: /api/v4/order/stop_limit"], ""),
  "103 and 421": `HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\n${rawAnswer(421, kept, refused)}`,
  "100 and 421": `HTTP/1.1 100 Continue\r\n\r\n${rawAnswer(421, kept, refused)}`
}

/** 512 MiB of zeros, compressed. */
const bomb = Zlib.gzipSync(Buffer.alloc(512 * 1024 * 1024), { level: 1 })

for (const [name, transport] of Object.entries(transports)) {
  describe(`deliveries over ${name}`, () => {
    for (const [title, bytes] of Object.entries(answers)) {
      it.live(`an order is not sent again after ${title}, and its outcome is unknown`, () =>
        Effect.gen(function*() {
          const { baseUrl, deliveries } = yield* harming((socket) => socket.write(bytes))
          const error = yield* failsWith("OutcomeUnknown")(create).pipe(Effect.provide(clientAt(baseUrl, transport)))
          assert.strictEqual(error.outcome, "unknown")
          assertOnce(deliveries, 1)
        }))
    }

    const closing: Readonly<Record<string, (socket: Net.Socket) => void>> = {
      "is closed": (socket) => socket.end(),
      "is reset": (socket) => socket.resetAndDestroy(),
      "breaks in the middle of the response": (socket) =>
        socket.write(rawAnswer(200, kept, refused).slice(0, -5), () => socket.destroy())
    }
    for (const [title, close] of Object.entries(closing)) {
      it.live(`a request is not resent over another connection after its reused connection ${title}`, () =>
        Effect.gen(function*() {
          let answered = 0
          const { baseUrl, deliveries } = yield* harming((socket) => {
            if (answered++ === 0) socket.write(rawAnswer(400, kept, refused))
            else close(socket)
          })
          yield* Effect.gen(function*() {
            yield* failsWith("ValidationFailed")(create)
            yield* failsWith("OutcomeUnknown")(create)
          }).pipe(Effect.provide(clientAt(baseUrl, transport)))
          assertOnce(deliveries, 2)
        }))
    }

    it.live("an order that the exchange applies despite a 421 is placed once, and its outcome is unknown", () =>
      Effect.gen(function*() {
        const seen = new Set<string>()
        const { baseUrl, deliveries } = yield* harming((socket, delivery) => {
          const isNew = !seen.has(attemptOf(delivery))
          seen.add(attemptOf(delivery))
          socket.write(isNew ? rawAnswer(421, kept, refused) : rawAnswer(429, kept, used))
        })
        yield* failsWith("OutcomeUnknown")(create).pipe(Effect.provide(clientAt(baseUrl, transport)))
        assertOnce(deliveries, 1)
      }))

    it.live("an order with a refused nonce is attempted a second time only over a fresh connection", () =>
      Effect.gen(function*() {
        const connections = name === "undici's dispatch" ? [0, 1] : [0]
        const { baseUrl, deliveries } = yield* harming((socket) => socket.write(rawAnswer(429, kept, used)))
        yield* failsWith("NonceRejected")(create).pipe(Effect.provide(clientAt(baseUrl, transport)))
        assertOnce(deliveries, connections.length)
        assert.deepStrictEqual(deliveries.map(({ connection }) => connection), connections)
      }))

    it.live("a read is retried after its nonce was refused", () =>
      Effect.gen(function*() {
        const { baseUrl, deliveries } = yield* harming((socket) => socket.write(rawAnswer(429, kept, used)))
        yield* failsWith("NonceRejected")(balance).pipe(Effect.provide(clientAt(baseUrl, transport)))
        assertOnce(deliveries, 2)
      }))

    // -------------------------------------------------------------------------
    // Limits
    // -------------------------------------------------------------------------

    const endless: Readonly<Record<string, string>> = {
      "in chunks": "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
      "that lasts until the connection closes": "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n",
      "with a false length": "HTTP/1.1 200 OK\r\ncontent-length: 900000000000\r\n\r\n"
    }
    for (const [title, head] of Object.entries(endless)) {
      it.live(`an endless response ${title} is read only up to the limit, and its connection is closed`, () =>
        Effect.gen(function*() {
          const piece = " ".repeat(65_536)
          const chunk = title === "in chunks" ? `10000\r\n${piece}\r\n` : piece
          const closed: Array<number> = []
          const { baseUrl, deliveries } = yield* harming((socket) => {
            let sent = 0
            const more = () => {
              while (!socket.destroyed && socket.write(chunk)) sent += chunk.length
            }
            socket.on("drain", more)
            socket.on("close", () => closed.push(sent))
            socket.write(head)
            more()
          })
          yield* Effect.gen(function*() {
            const error = yield* failsWith("OutcomeUnknown")(create)
            assert.deepStrictEqual([error.why, error.status], ["unreadable-answer", 200])
            assert.include(error.reason, "more than 1000000 bytes")
            const read = yield* failsWith("UnexpectedResponse")(balance).pipe(once)
            assert.include(read.problem, "more than 1000000 bytes")
            yield* until(Effect.sync(() => closed.length === 2))
          }).pipe(
            Effect.provideService(Transport.MaxAnswerBytes, 1_000_000),
            Effect.provide(clientAt(baseUrl, transport))
          )
          assert.strictEqual(deliveries.length, 2)
          // Unread bytes fill the buffers of client and server.
          for (const sent of closed) assert.isBelow(sent, 32_000_000)
        }))
    }

    it.live("a gzip bomb is not decompressed beyond the limit", () =>
      Effect.gen(function*() {
        const { baseUrl } = yield* harming((socket) => {
          socket.write(
            `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`
          )
          socket.write(bomb)
        })
        const before = process.memoryUsage().rss
        let most = before
        const watching = Effect.sync(() => most = Math.max(most, process.memoryUsage().rss)).pipe(
          Effect.repeat(Schedule.spaced("5 millis"))
        )
        const error = yield* Effect.raceFirst(failsWith("OutcomeUnknown")(create), watching).pipe(
          Effect.provideService(Transport.MaxAnswerBytes, 1_000_000),
          Effect.provide(clientAt(baseUrl, transport))
        )
        if (typeof error === "number") return assert.fail("watched for ever")
        // Some clients decompress the response. Others return the raw bytes, which exceed the limit or are not JSON.
        assert.strictEqual(error.why, "unreadable-answer")
        assert.isBelow(most - before, 256 * 1024 * 1024)
      }))

    it.live("a response of exactly the maximum size is read, but a response one byte larger is not", () =>
      Effect.gen(function*() {
        const body = `${" ".repeat(998)}{}`
        const { baseUrl } = yield* harming((socket) => socket.write(rawAnswer(200, kept, body)))
        yield* Effect.gen(function*() {
          assert.strictEqual((yield* Effect.provideService(balance, Transport.MaxAnswerBytes, 1000)).size, 0)
          yield* failsWith("UnexpectedResponse")(Effect.provideService(balance, Transport.MaxAnswerBytes, 999))
        }).pipe(once, Effect.provide(clientAt(baseUrl, transport)))
      }))
  })
}

// -----------------------------------------------------------------------------
// Clients that retry
// -----------------------------------------------------------------------------

describe("a client that retries", () => {
  for (const [name, http] of Object.entries(clients)) {
    it.live(`an order is delivered once even if ${name} retries automatically`, () =>
      Effect.gen(function*() {
        const { baseUrl, deliveries } = yield* harming((socket) => socket.write(rawAnswer(503, kept, refused)))
        const retrying = Layer.effect(
          HttpClient.HttpClient,
          Effect.map(HttpClient.HttpClient, HttpClient.retryTransient({ schedule: Schedule.recurs(3) }))
        )
        const error = yield* failsWith("OutcomeUnknown")(create).pipe(
          Effect.provide(clientAt(baseUrl, overClient(Layer.provide(retrying, http))))
        )
        assert.include(error.reason, "a second time, which was refused")
        assertOnce(deliveries, 1)
      }))
  }

  /** Transports that retry a request. Here, the retry fails because the server no longer accepts connections. */
  const retrying: Readonly<Record<string, Layer.Layer<Transport.Transport>>> = {
    ...Object.fromEntries(
      Object.entries(clients).map(([name, http]) => [
        `HttpClient.retry over ${name}`,
        overClient(Layer.provide(
          Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, HttpClient.retry({ times: 2 }))),
          http
        ))
      ])
    ),
    "a fetch over a retrying agent": overFetch((url, init) =>
      Undici.fetch(url, { ...init as Undici.RequestInit, dispatcher: retryAgent() }) as never
    ),
    "a dispatcher that retries": Layer.sync(
      Transport.Transport,
      () => UndiciTransport.fromDispatcher(retryAgent())
    ),
    "a fetch that retries": overFetch((url, init) =>
      globalThis.fetch(url, init).catch(() => globalThis.fetch(url, { method: "POST", headers: init.headers ?? {} }))
    ),
    "a fetch that reads its body and writes it again": overFetch((url, { body, duplex: _duplex, ...init }: Init) =>
      new Response(body ?? null).text().then((text) => {
        const again = { ...init, body: text }
        return globalThis.fetch(url, again).catch(() => globalThis.fetch(url, again))
      })
    ),
    "a fetch that copies its request": overFetch((url, init) => {
      const request = new Request(url, init)
      const copy = request.clone()
      return globalThis.fetch(request).catch(() => globalThis.fetch(copy))
    })
  }
  for (const [name, transport] of Object.entries(retrying)) {
    it.live(`an order's outcome is unknown if ${name} can't connect a second time`, () =>
      Effect.gen(function*() {
        const { baseUrl, deliveries, stop } = yield* harming((socket) => {
          stop()
          socket.resetAndDestroy()
        })
        const error = yield* failsWith("OutcomeUnknown")(create).pipe(
          Effect.provideService(Call.Timeout, "5 seconds"),
          Effect.provide(clientAt(baseUrl, transport))
        )
        assert.strictEqual(error.why, "connection-lost")
        assertOnce(deliveries, 1)
      }))
  }
})

// -----------------------------------------------------------------------------
// HTTP/2
// -----------------------------------------------------------------------------

describe("undici over HTTP/2", () => {
  const overHttp2 = { useH2c: true, allowH2: true }
  const http2 = NodeHttpClient.layerUndiciOptions(overHttp2)

  /** Servers that read a request and then report that they have not processed it. */
  const disowning: Readonly<Record<string, (stream: Http2.ServerHttp2Stream) => void>> = {
    REFUSED_STREAM: (stream) => stream.close(Http2.constants.NGHTTP2_REFUSED_STREAM),
    GOAWAY: (stream) => stream.session?.goaway(Http2.constants.NGHTTP2_NO_ERROR, 0)
  }
  for (const [title, disown] of Object.entries(disowning)) {
    it.effect(`an order is not sent again after ${title}, and its outcome is unknown`, () =>
      Effect.gen(function*() {
        const bodies: Array<string> = []
        const sessions = new Set<Http2.ServerHttp2Session>()
        const server = Http2.createServer()
        server.on("session", (session) => sessions.add(session))
        server.on("stream", (stream) => {
          let body = ""
          stream.on("error", () => {})
          stream.on("data", (bytes: Buffer) => body += bytes.toString())
          stream.on("end", () => {
            bodies.push(body)
            disown(stream)
          })
        })
        yield* Effect.acquireRelease(
          Effect.callback<void>((resume) => {
            server.listen(0, "127.0.0.1", () => resume(Effect.void))
          }),
          () =>
            Effect.sync(() => {
              for (const session of sessions) session.destroy()
              server.close()
            })
        )
        const { port } = server.address() as Net.AddressInfo
        const unknown = yield* failsWith("OutcomeUnknown")(create).pipe(
          Effect.provideService(Call.Timeout, "2 seconds"),
          Effect.provide(clientAt(`http://127.0.0.1:${port}`, overClient(http2))),
          Effect.forkChild
        )
        yield* until(Effect.sync(() => bodies.length === 1))
        yield* turn
        yield* TestClock.adjust("2 seconds")
        yield* Fiber.join(unknown)
        assert.strictEqual(bodies.length, 1)
      }))
  }
})

// -----------------------------------------------------------------------------
// Runtimes without streamed bodies
// -----------------------------------------------------------------------------

const cannotStream = (request: HttpClientRequest.HttpClientRequest) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.EncodeError({ request, description: "not supported in this runtime" })
  })

describe("a client that cannot send a streamed body", () => {
  it.effect("a client that cannot send a streamed body sends nothing, and the error says how to fix it", () =>
    Effect.gen(function*() {
      // Effect's client over `fetch` fails in this way if the runtime's `fetch` accepts no streams.
      const runtime = HttpClient.make((request) =>
        request.body._tag === "Stream"
          ? Effect.fail(cannotStream(request))
          : Effect.succeed(HttpClientResponse.fromWeb(request, new Response("{}")))
      )
      const client = clientAt("http://localhost", overClient(Layer.succeed(HttpClient.HttpClient, runtime)))
      const error = yield* failsWith("ExchangeUnreachable")(create).pipe(Effect.provide(client))
      assert.deepStrictEqual([error.why, error.outcome], ["other", "not-applied"])
      assert.include(error.reason, "NodeHttpClient.layerUndici")
      assert.strictEqual((yield* Effect.provide(balance, client)).size, 0, "reads are not affected")
    }))
})
