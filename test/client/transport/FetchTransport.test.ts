/** Tests that concern only `FetchTransport`. The other files in this folder test all transports. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { fileURLToPath } from "node:url"
import * as Zlib from "node:zlib"
import { rolldown } from "rolldown"
import * as FetchTransport from "../../../src/client/transport/FetchTransport.ts"
import * as Transport from "../../../src/client/transport/Transport.ts"
import { StopLimitOrders } from "../../../src/endpoints/StopLimitOrders.ts"
import { closeBrowser, executable, see, tab } from "../../support/browser.ts"
import { stopLimit } from "../../support/exchange.ts"
import { failsWith } from "../../support/fails.ts"
import { harming, rawAnswer } from "../../support/hostile.ts"
import { serving } from "../../support/server.ts"
import { clientAt } from "../../support/transports.ts"

const create = StopLimitOrders.use((orders) => orders.create(stopLimit))
const refused = JSON.stringify({ code: 30, message: "Validation failed", errors: {} })

const request: Transport.Request = {
  method: "POST",
  url: "http://127.0.0.1/",
  headers: { "content-type": "application/json" },
  body: new TextEncoder().encode("{}"),
  once: true,
  timeout: "10 seconds",
  maxAnswerBytes: 1000
}

const over = (fetch: FetchTransport.Fetch) => Layer.succeed(Transport.Transport, FetchTransport.fromFetch(fetch))

const waitingTimers = () => process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length

describe("the transport over the platform's fetch", () => {
  // This test comes first because the first call creates objects that later calls share.
  it.live("a call that has received its response does not keep the process alive", () =>
    Effect.gen(function*() {
      const before = waitingTimers()
      const { send } = FetchTransport.fromFetch(() => Promise.resolve(new Response("{}")))
      yield* send(request)
      assert.strictEqual(waitingTimers(), before)
    }))

  const text = JSON.stringify({ a: "ä".repeat(400) })
  for (const [encoding, bytes] of [["gzip", Zlib.gzipSync(text)], ["br", Zlib.brotliCompressSync(text)]] as const) {
    const head = `HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\n`

    it.live(`a response compressed with ${encoding} is decompressed if it is intact and fits the limit`, () =>
      Effect.gen(function*() {
        const { baseUrl, deliveries } = yield* harming((socket) => {
          const body = deliveries.length < 3 ? bytes : Buffer.from("neither of them")
          socket.write(`${head}content-length: ${body.length}\r\n\r\n`)
          socket.write(body)
        })
        const { send } = yield* Transport.Transport
        const maxAnswerBytes = Buffer.byteLength(text)
        const sent = (maxAnswerBytes: number) => send({ ...request, url: baseUrl, maxAnswerBytes })
        assert.strictEqual((yield* sent(maxAnswerBytes)).text, text)
        const tooLarge = yield* Effect.flip(sent(maxAnswerBytes - 1))
        assert.deepStrictEqual(tooLarge.proof, { kind: "too-large", status: 200 })
        assert.deepStrictEqual((yield* Effect.flip(sent(maxAnswerBytes))).proof, { kind: "lost" })
      }).pipe(Effect.provide(FetchTransport.layer)))
  }

  it.live("consecutive orders share connections", () =>
    Effect.gen(function*() {
      const { baseUrl, deliveries } = yield* harming((socket) => socket.write(rawAnswer(400, [], refused)))
      yield* Effect.gen(function*() {
        for (let order = 0; order < 10; order++) yield* failsWith("ValidationFailed")(create)
      }).pipe(Effect.provide(clientAt(baseUrl, FetchTransport.layer)))
      // An order can start before the previous order has released its connection.
      assert.isAtMost(new Set(deliveries.map(({ connection }) => connection)).size, 3)
    }))

  it.live("interrupting a call aborts its request", () =>
    Effect.gen(function*() {
      let signal: AbortSignal | null | undefined
      const fetch: FetchTransport.Fetch = (_url, init) => {
        signal = init.signal
        return Promise.race([])
      }
      const fiber = yield* Effect.forkChild(FetchTransport.fromFetch(fetch).send(request))
      yield* Effect.yieldNow
      assert.isFalse(signal?.aborted)
      yield* Fiber.interrupt(fiber)
      assert.isTrue(signal?.aborted)
    }))
})

describe("a fetch function that retries", () => {
  /** Sends a request again after a 503. */
  const retrying: FetchTransport.Fetch = (url, init) =>
    globalThis.fetch(url, init).then((answer) => answer.status === 503 ? globalThis.fetch(url, init) : answer)

  it.live("an order is delivered once over a fetch that retries, and its outcome is unknown", () =>
    Effect.gen(function*() {
      const { baseUrl, deliveries } = yield* harming((socket) => socket.write(rawAnswer(503, [], refused)))
      yield* failsWith("OutcomeUnknown")(create).pipe(Effect.provide(clientAt(baseUrl, over(retrying))))
      assert.strictEqual(deliveries.length, 1)
    }))
})

describe("a platform whose fetch accepts no streamed body", () => {
  /** Sends a stream as the text "[object ReadableStream]", as some browsers do. */
  class Request {
    readonly body = null
    readonly headers = new Headers({ "content-type": "text/plain;charset=UTF-8" })
  }

  const refusing = function() {
    throw new TypeError("a stream is not a body")
  }

  for (const [how, platform] of [["sends streams as text", Request], ["rejects streams", refusing]] as const) {
    it.effect(`no order is sent over a fetch that ${how}, and the error says how to fix it`, () =>
      Effect.gen(function*() {
        let sent = 0
        const { send } = FetchTransport.fromFetch(() => {
          sent++
          return Promise.resolve(new Response("{}"))
        })
        const { Request } = globalThis
        globalThis.Request = platform as never
        const order = send(request)
        globalThis.Request = Request
        const { proof, reason } = yield* Effect.flip(order)
        assert.deepStrictEqual(proof, { kind: "not-sent", why: "other" })
        assert.include(reason, "UndiciTransport.layer")
        assert.strictEqual(sent, 0)
        assert.strictEqual((yield* send({ ...request, once: false })).text, "{}", "reads are not affected")
      }))
  }
})

describe.skipIf(executable === undefined)("a browser", () => {
  it.live(
    "no order is sent over HTTP/1.1, where browsers can't send streams, and the error says how to fix it",
    () =>
      Effect.gen(function*() {
        const { baseUrl, received } = yield* serving((response) =>
          response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>")
        )
        const input = fileURLToPath(new URL("../../support/browserOrder.ts", import.meta.url))
        const bundle = yield* Effect.acquireRelease(
          Effect.promise(() => rolldown({ input, platform: "browser" })),
          (bundle) => Effect.promise(() => bundle.close())
        )
        const { output } = yield* Effect.promise(() => bundle.generate({ format: "iife", name: "browserOrder" }))
        const { page } = yield* tab
        yield* see(() => page.goto(baseUrl))
        yield* see(() => page.addScriptTag({ content: output[0].code }))
        const outcome = (once: boolean) =>
          see(() =>
            page.evaluate<{ readonly kind: string; readonly reason: string }>(
              `browserOrder.outcome(${JSON.stringify(baseUrl)}, ${once})`
            )
          )
        const refused = yield* outcome(true)
        assert.strictEqual(refused.kind, "not-sent", refused.reason)
        assert.include(refused.reason, "only over HTTP/2")
        assert.deepStrictEqual(received.filter(({ body }) => body.length > 0), [])
        assert.deepStrictEqual(yield* outcome(false), { kind: "answered", reason: "200" }, "reads are not affected")
      }).pipe(Effect.scoped, Effect.ensuring(closeBrowser)),
    600_000
  )
})
