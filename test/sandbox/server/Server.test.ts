import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Http from "node:http"
import * as Net from "node:net"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { Control } from "../../../src/sandbox/control/Control.ts"
import * as Faults from "../../../src/sandbox/gateway/Faults.ts"
import type { Request } from "../../../src/sandbox/gateway/Message.ts"
import * as Server from "../../../src/sandbox/server/Server.ts"
import { Venue } from "../../../src/sandbox/venue/Venue.ts"
import { until } from "../../support/clock.ts"
import { inProcess } from "../../support/exchange.ts"
import { failsWith } from "../../support/fails.ts"
import { read, signed, signedText } from "../../support/signed.ts"

const balance = "/api/v4/main-account/balance"

interface Got {
  readonly status: number
  readonly headers: Http.IncomingHttpHeaders
  readonly text: string
}

/** Sends one request with plain `node:http`. Returns `"reset"` if the connection breaks. */
const send = (
  baseUrl: string,
  { body, headers, method, path }: Pick<Request, "method" | "path" | "body"> & { readonly headers?: Request["headers"] }
) =>
  Effect.callback<Got | "reset">((resume) => {
    const request = Http.request(
      baseUrl + path,
      { method, headers: { ...headers, "content-length": body.length } as Http.OutgoingHttpHeaders, agent: false },
      (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("error", () => resume(Effect.succeed("reset")))
        response.on("end", () =>
          resume(Effect.succeed({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString()
          })))
      }
    )
    request.on("error", () => resume(Effect.succeed("reset")))
    request.end(body)
    return Effect.sync(() => request.destroy())
  })

const got = (answer: Got | "reset"): Got => answer === "reset" ? assert.fail("the connection was reset") : answer

const world = inProcess(Dialect.document)

const empty = new Uint8Array()

describe("Server.serve", () => {
  it.live("the server sends the venue's responses as JSON with a correct Content-Length", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* Server.serve()
      const venue = yield* Venue
      const { headers, status, text } = got(yield* send(baseUrl, signed(Dialect.document, balance)))
      const direct = read(yield* venue.handle(signed(Dialect.document, balance)))
      assert.deepStrictEqual({ status, json: JSON.parse(text) as unknown }, direct as unknown)
      assert.strictEqual(headers["content-type"], "application/json")
      assert.strictEqual(headers["content-length"], Buffer.byteLength(text).toString())
    }).pipe(Effect.provide(world)))

  it.live("header names are case-insensitive, and an unexpected query is ignored", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* Server.serve()
      const request = signed(Dialect.document, balance)
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name.toUpperCase(), value])
      )
      assert.strictEqual(got(yield* send(baseUrl, { ...request, headers })).status, 200)
      const ping = { method: "GET", path: "/api/v4/public/ping?x=1", body: empty }
      assert.strictEqual(got(yield* send(baseUrl, ping)).text, "[\"pong\"]")
    }).pipe(Effect.provide(world)))

  it.live("unknown paths and wrong methods get an error, whose body is omitted for HEAD", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* Server.serve()
      const unknown = got(yield* send(baseUrl, { method: "POST", path: "/nowhere", body: empty }))
      assert.deepStrictEqual([unknown.status, JSON.parse(unknown.text)], [404, {
        code: 0,
        message: "Not found.",
        errors: {}
      }])
      for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS", "GET"]) {
        assert.strictEqual(got(yield* send(baseUrl, { method, path: balance, body: empty })).status, 405)
      }
      const head = got(yield* send(baseUrl, { method: "HEAD", path: "/api/v4/public/ping", body: empty }))
      assert.deepStrictEqual([head.status, head.text], [405, ""])
    }).pipe(Effect.provide(world)))

  it.live("a body of the maximum length is read, but a body one byte longer is refused", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* Server.serve()
      const path = "/api/v4/order/cancel/all"
      const padded = (length: number) => {
        const text = `{"pad":"${"x".repeat(length - 10)}"}`
        assert.strictEqual(text.length, length)
        return new TextEncoder().encode(text)
      }
      // The payload header for such a body would exceed the header limit, so this checks only the body's length.
      const longest = got(yield* send(baseUrl, { method: "POST", path, body: padded(Server.maxBody) }))
      assert.deepStrictEqual([longest.status, longest.text.includes("Payload not provided.")], [400, true])
      const longer = got(yield* send(baseUrl, { method: "POST", path, body: padded(Server.maxBody + 1) }))
      assert.deepStrictEqual([longer.status, JSON.parse(longer.text)], [413, {
        code: 0,
        message: "The request body is too large.",
        errors: {}
      }])
    }).pipe(Effect.provide(world)))

  it.live("a signed body of several kilobytes is accepted", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* Server.serve()
      const text = JSON.stringify({ request: balance, nonce: "1", pad: "x".repeat(6000) })
      assert.strictEqual(got(yield* send(baseUrl, signedText(balance, text))).status, 200)
    }).pipe(Effect.provide(world)))

  it.live("hundreds of simultaneous calls each get their own response", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* Server.serve()
      const path = "/api/v4/sub-account/list"
      const limits = Array.from({ length: 200 }, (_, n) => n % 100 + 1)
      const answers = yield* Effect.forEach(
        limits,
        (limit) => send(baseUrl, signed(Dialect.document, path, { limit })),
        { concurrency: 50 }
      )
      assert.deepStrictEqual(
        answers.map((answer) => (JSON.parse(got(answer).text) as { readonly limit: number }).limit),
        limits
      )
    }).pipe(Effect.provide(world)))

  it.live("a reset fault resets the connection, and the next call is served", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* Server.serve()
      yield* Control.use((control) => control.addFault({ symptom: Faults.reset }))
      assert.strictEqual(yield* send(baseUrl, signed(Dialect.document, balance)), "reset")
      assert.strictEqual(got(yield* send(baseUrl, signed(Dialect.document, balance))).status, 200)
    }).pipe(Effect.provide(world)))

  it.live("a caller that disconnects or does not use HTTP does no harm", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* Server.serve()
      const { port } = new URL(baseUrl)
      for (const said of ["POST /api/v4 HTTP/1.1\r\ncontent-length: 100\r\n\r\nhalf", "hello\r\n\r\n"]) {
        yield* Effect.callback<void>((resume) => {
          const socket = Net.connect(Number(port), "127.0.0.1", () => socket.end(said))
          socket.on("close", () => resume(Effect.void))
          socket.on("error", () => {})
          socket.resume()
          return Effect.sync(() => socket.destroy())
        }).pipe(Effect.timeoutOption("50 millis"))
      }
      assert.strictEqual(got(yield* send(baseUrl, signed(Dialect.document, balance))).status, 200)
    }).pipe(Effect.provide(world)))

  it.live("`Server.serve` returns its URL, and fails if the port is taken", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* Server.serve()
      const port = Number(new URL(baseUrl).port)
      assert.strictEqual(baseUrl, `http://127.0.0.1:${port}`)
      const error = yield* failsWith("ListenFailed")(Server.serve({ port }))
      assert.deepStrictEqual([error.host, error.port], ["127.0.0.1", port])
      assert.include(error.message, "EADDRINUSE")
    }).pipe(Effect.provide(world)))

  it.live("the server listens only on the given address", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* Server.serve({ host: "::1" })
      assert.match(baseUrl, /^http:\/\/\[::1\]:\d+$/u)
      assert.strictEqual(got(yield* send(baseUrl, signed(Dialect.document, balance))).status, 200)
      const elsewhere = baseUrl.replace("[::1]", "127.0.0.1")
      assert.strictEqual(yield* send(elsewhere, signed(Dialect.document, balance)), "reset")
    }).pipe(Effect.provide(world)))
})

describe("the server's scope", () => {
  it.live("closing the server's scope closes the server immediately, and the venue continues", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const { baseUrl } = yield* Scope.provide(Server.serve(), scope)
      const control = yield* Control
      yield* control.addFault({ symptom: { _tag: "Delay", millis: 3_600_000 } })
      const idle = Net.connect(Number(new URL(baseUrl).port), "127.0.0.1")
      idle.on("error", () => {})
      const waiting = yield* Effect.forkChild(send(baseUrl, signed(Dialect.document, balance)))
      yield* until(Effect.map(control.faults, ([fault]) => fault?.fired === 1))
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(yield* Fiber.join(waiting), "reset")
      assert.strictEqual(yield* send(baseUrl, signed(Dialect.document, balance)), "reset")
      const again = yield* Server.serve({ port: Number(new URL(baseUrl).port) })
      assert.strictEqual(got(yield* send(again.baseUrl, signed(Dialect.document, balance))).status, 200)
    }).pipe(Effect.provide(world)))
})
