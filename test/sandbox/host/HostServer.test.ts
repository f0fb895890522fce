import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Http from "node:http"
import { dirname } from "node:path"
import { ticker } from "../../../src/domain/Identifiers.ts"
import * as MainBalance from "../../../src/endpoints/MainBalance.ts"
import * as Exchange from "../../../src/Exchange.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as Host from "../../../src/sandbox/host/Host.ts"
import * as HostServer from "../../../src/sandbox/host/HostServer.ts"
import { until } from "../../support/clock.ts"
import { credentialsOf } from "../../support/exchange.ts"
import { scratchFile } from "../../support/files.ts"
import * as Calls from "../../support/host.ts"
import { raw, say, statuses } from "../../support/hostile.ts"
import { closedPort, listens } from "../../support/server.ts"

const { keyOf, own, parse, ping, send } = Calls

/**
 * Sends a GET request whose `Host` header differs from its destination, as browsers and curl do for `{id}.localhost`.
 */
const named = (baseUrl: string, host: string, path: string) =>
  Effect.callback<number | undefined>((resume) => {
    Http.get(`${baseUrl}${path}`, { headers: { host } }, (response) => {
      response.resume()
      resume(Effect.succeed(response.statusCode))
    })
  })

const served = (options: Host.Options = {}) =>
  Layer.merge(Layer.orDie(Layer.fresh(Host.layer(options))), NodeHttpClient.layerUndici)

/** Returns the address and the token of the host's control plane. */
const planeOf = (baseUrl: string, { token }: Host.Host["Service"]) => ({
  controlUrl: `${baseUrl}/control/v1/`,
  controlToken: token
})

describe("a host over HTTP", () => {
  it.live("clients reach a venue by its path, its host name or its port", () =>
    Effect.gen(function*() {
      const host = yield* Host.Host
      const { baseUrl } = yield* HostServer.serve()
      const plane = planeOf(baseUrl, host)
      const answered = yield* own(plane, "POST", "Venues", { owner: "team", port: true, dialect: "document" })
      const venue = parse(answered) as unknown as Host.Made
      assert.strictEqual(venue.url, `${baseUrl}/v/${venue.id}`)
      assert.strictEqual(venue.controlUrl, `${venue.url}/control/v1/`)
      assert.strictEqual(venue.nameUrl, `http://${venue.id}.localhost:${new URL(baseUrl).port}`)
      const exchange = (baseUrl: string) =>
        Exchange.layer({ baseUrl, dialect: Dialect.document, credentials: credentialsOf(keyOf(venue, "alice")) })
      for (const url of [venue.url, venue.portUrl ?? ""]) {
        const balance = MainBalance.MainBalance.use(({ of }) => of(ticker("BTC")))
        assert.strictEqual(yield* Effect.provide(balance, Layer.fresh(exchange(url))), "0.5")
      }
      assert.strictEqual(yield* named(baseUrl, new URL(venue.nameUrl ?? "").host, ping), 200)
      assert.strictEqual(yield* named(venue.portUrl ?? "", new URL(venue.nameUrl ?? "").host, ping), 200)
      const other = parse(yield* own(plane, "POST", "Venues")) as unknown as Host.Made
      assert.strictEqual(yield* named(venue.portUrl ?? "", `${other.id}.localhost`, ping), 421)
      assert.strictEqual(yield* named(baseUrl, "example.com", `/v/${venue.id}${ping}`), 421)
      const [{ since, ...listed } = assert.fail()] = JSON.parse(
        (yield* own(plane, "GET", "Venues?owner=team")).text
      ) as ReadonlyArray<Host.Summary>
      assert.deepStrictEqual<unknown>(listed, { ...pick(venue), awake: true, stage: "awake" })
      assert.isAtLeast(since ?? 0, venue.madeAt)
      yield* own(plane, "DELETE", `Venues/${venue.id}`)
      assert.strictEqual((yield* send("GET", venue.url + ping)).status, 404)
      // Another server may have taken the port.
      yield* until(Effect.map(listens(venue.portUrl ?? ""), (listening) => !listening))
    }).pipe(Effect.scoped, Effect.provide(served())))

  it.live("requests with absolute URLs, over HTTP/1.0 or without a host are routed correctly", () =>
    Effect.gen(function*() {
      const host = yield* Host.Host
      const { baseUrl } = yield* HostServer.serve()
      const { id } = yield* host.make({})
      const asked = (line: string, header = "localhost") =>
        Effect.map(
          say(baseUrl, `${line}\r\n${header === "" ? "" : `host: ${header}\r\n`}connection: close\r\n\r\n`),
          (said) => statuses(said)[0] ?? /^HTTP\/1\.\d (\d{3})/u.exec(said)?.[1]
        )
      const path = `/v/${id}${ping}`
      assert.strictEqual(yield* asked(`GET ${path} HTTP/1.1`), 200)
      assert.strictEqual(yield* asked(`GET http://localhost${path} HTTP/1.1`, "example.com"), 200)
      assert.strictEqual(yield* asked(`GET http://example.com${path} HTTP/1.1`), 421)
      assert.strictEqual(yield* asked(`GET http://${id}.localhost${ping} HTTP/1.1`), 200)
      assert.strictEqual(yield* asked(`GET ${path} HTTP/1.0`, ""), 200)
      assert.strictEqual(yield* asked(`GET /v/${id} HTTP/1.1`), 308)
      assert.include(statuses(yield* say(baseUrl, raw("GET / HTTP/1.1", [["connection", "close"]]))), 200)
    }).pipe(Effect.scoped, Effect.provide(served())))

  it.live("a restarted host reopens its venues' ports, and serves a venue without its port if the port is taken", () =>
    Effect.gen(function*() {
      const folder = dirname(yield* scratchFile)
      const start = Effect.gen(function*() {
        const host = yield* Host.Host
        const { baseUrl } = yield* HostServer.serve()
        return { host, baseUrl }
      })
      const venue = yield* Effect.gen(function*() {
        const { host } = yield* start
        return yield* host.make({ port: true })
      }).pipe(Effect.scoped, Effect.provide(served({ folder })))
      // Another server may have taken the port.
      yield* until(Effect.map(listens(venue.portUrl ?? ""), (listening) => !listening))
      yield* Effect.gen(function*() {
        const { host } = yield* start
        assert.strictEqual((yield* host.find(venue.id)).portUrl, venue.portUrl)
        assert.strictEqual((yield* send("GET", venue.portUrl + ping)).status, 200)
      }).pipe(Effect.scoped, Effect.provide(served({ folder })))
      const taken = Http.createServer()
      yield* Effect.callback<void>((resume) => {
        // If another program has taken the port in the meantime, it is taken as well.
        taken.once("error", () => resume(Effect.void))
        taken.listen(Number(new URL(venue.portUrl ?? "").port), "127.0.0.1", () => resume(Effect.void))
      })
      yield* Effect.gen(function*() {
        const { host } = yield* start
        assert.isUndefined((yield* host.find(venue.id)).portUrl)
        assert.strictEqual((yield* send("GET", (yield* host.find(venue.id)).url + ping)).status, 200)
      }).pipe(
        Effect.scoped,
        Effect.provide(served({ folder })),
        Effect.ensuring(Effect.sync(() => taken.close()))
      )
    }).pipe(Effect.scoped))

  it.live("when a host refuses to create a venue, it names the limit or the invalid field, and creates no venue", () =>
    Effect.gen(function*() {
      const host = yield* Host.Host
      const { baseUrl } = yield* HostServer.serve()
      const plane = planeOf(baseUrl, host)
      assert.strictEqual((yield* own(plane, "POST", "Venues", { port: true })).status, 200)
      const over = yield* own(plane, "POST", "Venues", { port: true })
      assert.strictEqual(over.status, 429)
      assert.include(over.text, "--max-ports")
      for (
        const [fields, message] of [
          [{ dialect: "other" }, "dialect"],
          [{ clock: -1 }, "clock"],
          [{ owner: "" }, "owner"],
          [{ timeToLiveMillis: 0 }, "timeToLiveMillis"],
          [{ diallect: "live" }, "has no field \\\"diallect\\\""]
        ] as const
      ) {
        const refused = yield* own(plane, "POST", "Venues", fields)
        assert.strictEqual(refused.status, 400, refused.text)
        assert.include(refused.text, message)
      }
      assert.strictEqual((yield* host.list()).length, 1)
      assert.strictEqual((yield* own(plane, "DELETE", "Venues/none")).status, 404)
      const document = parse(yield* own(plane, "GET", "openapi.json"))
      assert.includeMembers(Object.keys(document["paths"] as object), [
        "/control/v1/Venues",
        "/control/v1/Venues/{id}/Copy"
      ])
    }).pipe(Effect.scoped, Effect.provide(served({ maxPorts: 1 }))))

  it.live("a host with a public URL uses that URL for its venues, and accepts requests whose Host header matches the URL", () =>
    Effect.gen(function*() {
      const host = yield* Host.Host
      const port = yield* closedPort
      yield* HostServer.serve({ port, publicUrl: "https://exchange.example.com/" })
      const venue = yield* host.make({})
      assert.strictEqual(venue.url, `https://exchange.example.com/v/${venue.id}`)
      const local = `http://127.0.0.1:${port}`
      assert.strictEqual(yield* named(local, "exchange.example.com", `/v/${venue.id}${ping}`), 200)
      assert.strictEqual(yield* named(local, "other.example.com", `/v/${venue.id}${ping}`), 421)
    }).pipe(Effect.scoped, Effect.provide(served())))

  it.live("a venue's forks are served under its path, and only with its token", () =>
    Effect.gen(function*() {
      const host = yield* Host.Host
      const { baseUrl } = yield* HostServer.serve()
      const [venue, other] = [yield* host.make({}), yield* host.make({})] as const
      const fork = parse(yield* own(venue, "POST", "Fork")) as unknown as {
        id: number
        url: string
        controlUrl: string
      }
      assert.strictEqual(fork.url, `${baseUrl}/v/${venue.id}/fork/1`)
      assert.strictEqual((yield* send("GET", fork.url + ping)).status, 200)
      const of = (controlToken: string) => ({ controlUrl: fork.controlUrl, controlToken })
      assert.strictEqual(
        (yield* own(of(venue.controlToken), "POST", "MovePrice", { market: "BTC_USDT", price: "1" })).status,
        200
      )
      assert.strictEqual((yield* own(of(other.controlToken), "GET", "Status")).status, 401)
      const next = parse(yield* own(of(venue.controlToken), "POST", "Fork"))
      assert.strictEqual(next["url"], `${baseUrl}/v/${venue.id}/fork/2`)
      assert.strictEqual((yield* send("GET", String(next["url"]) + ping)).status, 200)
      assert.deepInclude(yield* host.status, { awake: 3 })
      assert.isFalse(yield* host.sleep(venue.id))
      yield* own(venue, "DELETE", `Forks/${fork.id}`)
      assert.strictEqual((yield* send("GET", fork.url + ping)).status, 404)
      assert.strictEqual((yield* send("GET", String(next["url"]) + ping)).status, 404)
      assert.isTrue(yield* host.sleep(venue.id))
    }).pipe(Effect.scoped, Effect.provide(served())))
})

/** Returns a venue's summary. */
const pick = ({ dialect, id, madeAt, owner, url }: Host.Made) => ({ id, owner, url, dialect, madeAt })
