import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Http from "node:http"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as Host from "../../../src/sandbox/host/Host.ts"
import * as HostServer from "../../../src/sandbox/host/HostServer.ts"
import * as Server from "../../../src/sandbox/server/Server.ts"
import { Place } from "../../support/exchange.ts"
import { overHttp } from "../../support/exchange.ts"
import { limit, token } from "./client.ts"
import { dial } from "./dial.ts"

const served = overHttp(Dialect.live)

const key = "dGhlIHNhbXBsZSBub25jZQ=="

/** Sends a GET request with these headers. Returns the status and body of the response. */
const upgrading = (url: string, headers: Readonly<Record<string, string>>) =>
  Effect.callback<string>((resume) => {
    const connection = "upgrade" in headers ? { connection: "upgrade" } : {}
    Http.get(url, { headers: { ...headers, ...connection }, agent: false }, (response) => {
      response.setEncoding("utf8")
      let body = ""
      response.on("data", (chunk: string) => body += chunk)
      response.on("end", () => resume(Effect.succeed(`${response.statusCode} ${body}`)))
    })
  })

const url = Effect.map(Place, ({ baseUrl }) => `${baseUrl.replace("http", "ws")}/ws`)

describe("WebSockets on the sandbox's port", () => {
  it.live("an authorized client receives its order, and the changes of an order book", () =>
    Effect.gen(function*() {
      const client = yield* dial(yield* url)
      assert.deepStrictEqual(yield* client.ask("ping"), { error: null, result: "pong", id: 1 })
      assert.deepStrictEqual(yield* client.ask("ordersPending_subscribe", "BTC_USDT"), {
        error: { code: 6, message: "require authentication" },
        result: null,
        id: 2
      })
      yield* client.ask("authorize", yield* token(), "public")
      yield* client.ask("ordersPending_subscribe", "BTC_USDT")
      yield* client.ask("depth_subscribe", "BTC_USDT", 5, "0", true)
      const id = yield* limit("sell", "1.5", "41000")
      const { params } = yield* client.next("ordersPending_update")
      assert.deepInclude((params as ReadonlyArray<object>)[1], { id, market: "BTC_USDT", side: 1, left: "1.5" })
      const [isSnapshot] = (yield* client.next("depth_update")).params as ReadonlyArray<unknown>
      assert.isTrue(isSnapshot)
      const [isWhole, body] = (yield* client.next("depth_update")).params as ReadonlyArray<unknown>
      assert.isFalse(isWhole)
      assert.deepInclude(body, { asks: [["41000", "1.5"]] })
      yield* client.send("no JSON")
      assert.strictEqual(yield* client.closed, 1006)
    }).pipe(Effect.provide(Layer.fresh(served))))

  it.live("pings get pongs, upgrades on other paths are ignored, and a stopped server closes its connections", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const { baseUrl } = yield* Server.serve().pipe(Scope.provide(scope))
      const client = yield* dial(`${baseUrl.replace("http", "ws")}/ws`)
      assert.strictEqual((yield* client.ask("ping")).result, "pong")
      for (const upgrade of ["h2c", "websocket"]) {
        assert.strictEqual(yield* upgrading(`${baseUrl}/api/v4/public/ping`, { upgrade }), "200 [\"pong\"]")
      }
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(yield* client.closed, 1006)
    }).pipe(Effect.scoped, Effect.provide(Layer.fresh(served))))

  it.live("a request that is not a valid WebSocket handshake is refused with an explanation", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* Place
      const websocket = { upgrade: "websocket", "sec-websocket-version": "13", "sec-websocket-key": key }
      const refused = [
        ["426 .*Connect to it with a WebSocket client", `${baseUrl}/ws`, {}],
        ["426 .*must be 13", `${baseUrl}/ws`, { ...websocket, "sec-websocket-version": "8" }],
        ["400 .*sixteen bytes", `${baseUrl}/ws`, { ...websocket, "sec-websocket-key": "short" }],
        ["421 .*does not accept the name", `${baseUrl}/ws`, { ...websocket, host: "example.com" }],
        ["403 .*other sites", `${baseUrl}/ws`, { ...websocket, origin: "https://example.com" }]
      ] as const
      for (const [answer, url, headers] of refused) {
        assert.match(yield* upgrading(url, headers), new RegExp(`^${answer}`, "u"))
      }
    }).pipe(Effect.provide(Layer.fresh(served))))

  it.live("the document's dialect has no WebSocket", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* Place
      const websocket = { upgrade: "websocket", "sec-websocket-version": "13", "sec-websocket-key": key }
      assert.match(yield* upgrading(`${baseUrl}/ws`, websocket), /^501 .*--dialect live/u)
    }).pipe(Effect.provide(Layer.fresh(overHttp(Dialect.document)))))

  it.live("a host serves a venue's WebSocket under the venue's path, and closes it when the venue is deleted", () =>
    Effect.gen(function*() {
      const host = yield* Host.Host
      yield* HostServer.serve()
      const { id, url } = yield* host.make({ dialect: "live" })
      const client = yield* dial(`${url.replace("http", "ws")}/ws`)
      assert.strictEqual((yield* client.ask("ping")).result, "pong")
      yield* client.ask("lastprice_subscribe", "BTC_USDT")
      yield* host.end(id)
      assert.strictEqual(yield* client.closed, 1006)
      const websocket = { upgrade: "websocket", "sec-websocket-version": "13", "sec-websocket-key": key }
      assert.match(yield* upgrading(`${url}/ws`, websocket), /^404 /u)
    }).pipe(Effect.scoped, Effect.provide(Layer.fresh(Host.layer()))))
})
