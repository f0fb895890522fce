import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import type * as Http from "node:http"
import * as ConnectionFailure from "../../../src/client/transport/ConnectionFailure.ts"
import * as Transport from "../../../src/client/transport/Transport.ts"
import { MainBalance } from "../../../src/endpoints/MainBalance.ts"
import { Markets } from "../../../src/endpoints/Markets.ts"
import { ServerStatus } from "../../../src/endpoints/ServerStatus.ts"
import { StopLimitOrders } from "../../../src/endpoints/StopLimitOrders.ts"
import { alice, once, stopLimit } from "../../support/exchange.ts"
import { failsWith } from "../../support/fails.ts"
import { answering } from "../../support/http.ts"
import { refusingPort, serving } from "../../support/server.ts"
import { clientAt, overClient, transports } from "../../support/transports.ts"

// -----------------------------------------------------------------------------
// Socket error codes
// -----------------------------------------------------------------------------

describe("ConnectionFailure", () => {
  const request = HttpClientRequest.post("https://exchange.invalid")
  const transport = (cause: unknown) =>
    ConnectionFailure.ofError(
      new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })
    )
  const coded = (code: string, syscall?: string) =>
    Object.assign(new Error(`failed: ${code}`), syscall === undefined ? { code } : { code, syscall })

  const proofs = [
    ["ENOTFOUND", "getaddrinfo", "dns"],
    ["EAI_AGAIN", "getaddrinfo", "dns"],
    ["ECONNREFUSED", "connect", "refused"],
    ["EHOSTUNREACH", "connect", "unreachable"],
    ["ENETUNREACH", "connect", "unreachable"],
    ["UND_ERR_CONNECT_TIMEOUT", undefined, "unreachable"],
    ["CERT_HAS_EXPIRED", undefined, "tls"],
    ["SELF_SIGNED_CERT_IN_CHAIN", undefined, "tls"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", undefined, "tls"]
  ] as const

  for (const [code, syscall, why] of proofs) {
    it(`${code} proves that nothing was sent, however deeply it is nested in causes`, () => {
      const expected = { why, reason: `failed: ${code}` }
      assert.deepStrictEqual(transport(coded(code, syscall)), expected)
      assert.deepStrictEqual(transport(new TypeError("fetch failed", { cause: coded(code, syscall) })), expected)
    })
  }

  for (const code of ["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL", "ENOTFOUND", "EPROTO"]) {
    it(`${code} on an established connection does not prove that nothing was sent`, () => {
      for (const syscall of ["read", "write", undefined]) assert.isUndefined(transport(coded(code, syscall)).why)
    })
  }

  it("several failed addresses prove that nothing was sent only if each failure proves it", () => {
    const tried = (...errors: ReadonlyArray<Error>) =>
      Object.assign(new AggregateError(errors), { code: "ECONNREFUSED" })
    const refused = coded("ECONNREFUSED", "connect")
    assert.strictEqual(transport(tried(refused, coded("ENETUNREACH", "connect"))).why, "refused")
    assert.isUndefined(transport(tried(refused, coded("ECONNRESET", "read"))).why)
  })

  for (const code of ["ECONNRESET", "EPIPE", "ETIMEDOUT", "UND_ERR_SOCKET", "UND_ERR_HEADERS_TIMEOUT", "constructor"]) {
    it(`${code} alone does not prove that nothing was sent`, () => {
      assert.deepStrictEqual(transport(coded(code)), { why: undefined, reason: `failed: ${code}` })
    })
  }

  it("an invalid URL proves that nothing was sent", () => {
    const reason = new HttpClientError.InvalidUrlError({ request, description: "no URL" })
    assert.strictEqual(ConnectionFailure.ofError(new HttpClientError.HttpClientError({ reason })).why, "other")
  })

  it("circular, missing and primitive causes do not prove that nothing was sent", () => {
    const circle: { cause?: unknown } = {}
    circle.cause = circle
    for (const cause of [circle, undefined, null, "text", 5]) assert.isUndefined(transport(cause).why)
  })
})

// -----------------------------------------------------------------------------
// Real sockets
// -----------------------------------------------------------------------------

const create = StopLimitOrders.use((orders) => orders.create(stopLimit))
const balance = MainBalance.use(({ all }) => all)

/** Makes a call on a test clock. The clock advances past the call's timeout as soon as `isUnderWay` returns `true`. */
const timingOut = <A, E, R>(call: Effect.Effect<A, E, R>, isUnderWay: () => boolean): Effect.Effect<A, E, R> =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(call)
    while (!isUnderWay()) yield* TestClock.withLive(Effect.sleep(5))
    yield* TestClock.adjust("10 seconds")
    return yield* Fiber.join(fiber)
  }).pipe(Effect.provide(TestClock.layer()))

const reply = (response: Http.ServerResponse, status: number, headers: Http.OutgoingHttpHeaders, body = "") => {
  response.writeHead(status, headers)
  response.end(body)
}

for (const [name, transport] of Object.entries(transports)) {
  describe(`calls over a socket, with ${name}`, () => {
    it.live("a redirect is never followed, and its target receives nothing", () =>
      Effect.gen(function*() {
        const other = yield* serving((response) => reply(response, 200, {}, "{}"))
        for (const status of [301, 302, 303, 307, 308]) {
          const { baseUrl, received } = yield* serving((response, { path }) =>
            reply(response, status, { location: other.baseUrl + path })
          )
          yield* Effect.gen(function*() {
            const error = yield* failsWith("OutcomeUnknown")(create)
            assert.deepStrictEqual([error.why, error.status], ["redirected", status])
            yield* failsWith("UnexpectedResponse")(balance)
            yield* failsWith("UnexpectedResponse")(ServerStatus.use(({ ping }) => ping))
          }).pipe(Effect.provide(clientAt(baseUrl, transport)))
          assert.strictEqual(received.length, 3)
        }
        assert.deepStrictEqual(other.received, [])
      }))

    it.live("only private calls send the API key's headers, and no call sends trace headers", () =>
      Effect.gen(function*() {
        const { baseUrl, received } = yield* serving((response, { method }) =>
          reply(response, 200, { "content-type": "application/json" }, method === "GET" ? "[\"pong\"]" : "{}")
        )
        yield* Effect.gen(function*() {
          yield* ServerStatus.use(({ ping }) => ping)
          yield* balance
          yield* Effect.flip(Markets.use(({ all }) => all)).pipe(once)
        }).pipe(Effect.withSpan("a span of the caller"), Effect.provide(clientAt(baseUrl, transport)))
        const [ping, post, markets] = received
        for (const { headers } of received) {
          for (const header of ["traceparent", "tracestate", "b3", "x-b3-traceid"]) assert.notProperty(headers, header)
        }
        for (const open of [ping, markets]) {
          assert.strictEqual(open?.method, "GET")
          assert.deepStrictEqual(Object.keys(open?.headers ?? {}).filter((header) => header.startsWith("x-txc")), [])
        }
        assert.deepStrictEqual([post?.method, post?.path], ["POST", "/api/v4/main-account/balance"])
        assert.strictEqual(post?.headers["content-type"], "application/json")
        assert.strictEqual(post?.headers["x-txc-apikey"], alice.apiKey)
        assert.strictEqual(post?.headers["x-txc-payload"], post?.body.toString("base64"))
        assert.strictEqual(post?.headers["content-length"], post?.body.length.toString())
      }))

    // Node's client reads the body before it connects, so a body that was read counts as possibly delivered.
    if (name.startsWith("node:http")) {
      it.live("after a failed connection, an order's outcome is unknown, but a read fails with ExchangeUnreachable", () =>
        Effect.gen(function*() {
          const client = clientAt(`http://127.0.0.1:${yield* refusingPort}`, transport)
          const error = yield* failsWith("OutcomeUnknown")(create).pipe(Effect.provide(client))
          assert.strictEqual(error.why, "connection-lost")
          yield* failsWith("ExchangeUnreachable")(balance).pipe(once, Effect.provide(client))
        }))
    } else {
      it.live("a call over a refused connection is reported as not sent", () =>
        Effect.gen(function*() {
          const client = clientAt(`http://127.0.0.1:${yield* refusingPort}`, transport)
          for (const call of [create, balance]) {
            const error = yield* failsWith("ExchangeUnreachable")(call as typeof create).pipe(
              once,
              Effect.provide(client)
            )
            assert.deepStrictEqual([error.why, error.outcome, error.isRetryable], ["refused", "not-applied", true])
          }
        }))

      it.live("a call to an unknown host is reported as not sent", () =>
        Effect.gen(function*() {
          const error = yield* failsWith("ExchangeUnreachable")(create)
          assert.strictEqual(error.why, "dns")
        }).pipe(Effect.provide(clientAt("https://exchange.invalid", transport))))

      it.live("an https call to a server without TLS is reported as not sent", () =>
        Effect.gen(function*() {
          const { port, received } = yield* serving((response) => reply(response, 200, {}, "{}"))
          const error = yield* failsWith("ExchangeUnreachable")(create).pipe(
            Effect.provide(clientAt(`https://127.0.0.1:${port}`, transport))
          )
          assert.strictEqual(error.why, "tls")
          assert.deepStrictEqual(received, [])
        }))
    }

    it.live("a call whose connection is reset is reported as possibly applied", () =>
      Effect.gen(function*() {
        const { baseUrl, received } = yield* serving((response) => response.socket?.resetAndDestroy())
        yield* Effect.gen(function*() {
          const error = yield* failsWith("OutcomeUnknown")(create)
          assert.deepStrictEqual([error.why, error.outcome], ["connection-lost", "unknown"])
          assert.strictEqual(received.length, 1, "sent once")
          const read = yield* failsWith("ExchangeUnreachable")(balance).pipe(once)
          assert.deepStrictEqual([read.why, read.outcome], ["connection-lost", "not-applied"])
        }).pipe(Effect.provide(clientAt(baseUrl, transport)))
      }))

    it.live("a call is reported as possibly applied if its response is cut off", () =>
      Effect.gen(function*() {
        const { baseUrl, received } = yield* serving((response) => {
          response.writeHead(200, { "content-type": "application/json", "content-length": "1000" })
          response.write("{\"order_id\":17", () => response.socket?.destroy())
        })
        yield* Effect.gen(function*() {
          const error = yield* failsWith("OutcomeUnknown")(create)
          assert.strictEqual(error.why, "connection-lost")
          assert.strictEqual(received.length, 1, "sent once")
          const read = yield* failsWith("ExchangeUnreachable")(balance).pipe(once)
          assert.strictEqual(read.why, "connection-lost")
        }).pipe(Effect.provide(clientAt(baseUrl, transport)))
      }))

    it.live("a call to a server that does not respond fails at its timeout", () =>
      Effect.gen(function*() {
        const { baseUrl, received } = yield* serving(() => {})
        yield* Effect.gen(function*() {
          const error = yield* timingOut(failsWith("OutcomeUnknown")(create), () => received.length === 1)
          assert.strictEqual(error.why, "timeout")
          assert.strictEqual(received.length, 1)
          const read = yield* timingOut(failsWith("ExchangeUnreachable")(balance), () => received.length === 2)
          assert.strictEqual(read.why, "timeout")
        }).pipe(once, Effect.provide(clientAt(baseUrl, transport)))
      }))

    it.live("a call with an endless response fails at its timeout", () =>
      Effect.gen(function*() {
        let begun = false
        const { baseUrl } = yield* serving((response) => {
          response.writeHead(200, { "content-type": "application/json" })
          response.write("{", () => begun = true)
        })
        const error = yield* timingOut(failsWith("OutcomeUnknown")(create), () => begun).pipe(
          Effect.provide(clientAt(baseUrl, transport))
        )
        assert.strictEqual(error.why, "timeout")
      }))
  })
}

describe("calls over Effect's clients", () => {
  class One extends Context.Service<One, Transport.Transport["Service"]>()("test/One") {}
  class Two extends Context.Service<Two, Transport.Transport["Service"]>()("test/Two") {}

  it.effect("two exchange clients in one program can use different HTTP clients", () =>
    Effect.gen(function*() {
      const transports = [yield* One, yield* Two]
      const texts = yield* Effect.forEach(transports, (transport) =>
        transport.send({
          method: "GET",
          url: "https://exchange.invalid/",
          headers: {},
          once: false,
          timeout: "1 seconds",
          maxAnswerBytes: 10
        }))
      assert.deepStrictEqual(texts.map(({ text }) => text), ["one", "two"])
    }).pipe(Effect.provide(Layer.mergeAll(
      Layer.effect(One, Transport.Transport).pipe(Layer.provide(overClient(answering(() => new Response("one"))))),
      Layer.effect(Two, Transport.Transport).pipe(Layer.provide(overClient(answering(() => new Response("two")))))
    ))))
})
