import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { networkInterfaces } from "node:os"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { prefix } from "../../../src/sandbox/control/ControlApi.ts"
import type { Head } from "../../../src/sandbox/gateway/Message.ts"
import * as Host from "../../../src/sandbox/host/Host.ts"
import * as HostServer from "../../../src/sandbox/host/HostServer.ts"
import * as Names from "../../../src/sandbox/server/Names.ts"
import * as Server from "../../../src/sandbox/server/Server.ts"
import { Venue } from "../../../src/sandbox/venue/Venue.ts"
import { dialects, inProcess } from "../../support/exchange.ts"
import { lastBody, rawOf, say, statuses, withoutEffect } from "../../support/hostile.ts"
import { signed } from "../../support/signed.ts"

const ping = "/api/v4/public/ping"
const token = "the token of this test"

const headOf = (headers: Head["headers"], path = ping): Head => ({ method: "GET", path, headers, from: "127.0.0.1" })

/** Returns the statuses with which requests for these names are refused, or `undefined` for accepted names. */
const judged = (names: Names.Names, hosts: ReadonlyArray<string>) =>
  hosts.map((host) => names.refusal(headOf({ host }))?.status)

describe("host names that a server accepts", () => {
  it("a server on the loopback interface accepts only loopback names", () => {
    const names = Names.make("127.0.0.1", () => "127.0.0.1", [])
    const accepted = [
      "localhost",
      "LOCALHOST:80",
      "localhost.",
      "a.b.localhost:1",
      "127.0.0.1:8080",
      "127.9.8.7",
      "[::1]:1"
    ]
    assert.deepStrictEqual(judged(names, accepted), accepted.map(() => undefined))
    const refused = [
      "example.com",
      "localhost.example.com",
      "127.0.0.1.example.com",
      "notlocalhost",
      "10.0.0.7",
      "[::2]",
      "0.0.0.0",
      "a@localhost",
      "localhost:x",
      ":8080",
      "[::1",
      "localhost/x",
      "example.com, localhost"
    ]
    assert.deepStrictEqual(judged(names, refused), refused.map(() => 421))
    // After an accepted name, a wrong name is still refused.
    assert.deepStrictEqual(judged(names, ["localhost", "example.com", "localhost"]), [undefined, 421, undefined])
  })

  it("the allowed names and the address on which the server listens are accepted, however they are written", () => {
    const names = Names.make("FE80::0:1", () => "fe80::1", ["Sandbox", "exchange.example.com:8443"])
    const accepted = ["sandbox:8080", "SANDBOX", "exchange.example.com", "exchange.example.com.:1", "[fe80::1]:8080"]
    assert.deepStrictEqual(judged(names, accepted), accepted.map(() => undefined))
    assert.deepStrictEqual(judged(names, ["sandbox.example.com", "[fe80::2]"]), [421, 421])
  })

  it("a server on every interface accepts this machine's addresses, and no other address", () => {
    const own = Object.values(networkInterfaces()).flat().flatMap((found) =>
      found === undefined ? [] : [found.family === "IPv6" ? `[${found.address}]` : found.address]
    )
    for (const address of ["0.0.0.0", "::"]) {
      const names = Names.make(address, () => address, [])
      assert.deepStrictEqual(judged(names, own), own.map(() => undefined))
      assert.deepStrictEqual(judged(names, ["203.0.113.7", "[2001:db8::7]", "example.com"]), [421, 421, 421])
    }
    assert.isUndefined(Names.make("0.0.0.0", () => "0.0.0.0", []).refusal(headOf({ host: "0.0.0.0:8080" })))
  })

  it("a page from another site or with an opaque origin is refused", () => {
    const names = Names.make("127.0.0.1", () => "127.0.0.1", ["sandbox"])
    const status = (origin: string) => names.refusal(headOf({ host: "localhost:8080", origin }))?.status
    for (const origin of ["http://localhost:8080", "http://localhost:3000", "https://sandbox", "http://127.0.0.1"]) {
      assert.isUndefined(status(origin), origin)
    }
    for (const origin of ["https://example.com", "null", "", "file://", "chrome-extension://abc", "http://10.0.0.7"]) {
      assert.strictEqual(status(origin), 403, origin)
    }
  })

  it("requests without a host are accepted, because a browser always sends a host", () => {
    const names = Names.make("127.0.0.1", () => "127.0.0.1", [])
    assert.isUndefined(names.refusal(headOf({})))
  })
})

describe.each(dialects)("misdirected requests in the $name dialect", (dialect) => {
  it.live("a page whose DNS name points to the sandbox can neither trade nor read, and the refusal states the remedy", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* Server.serve({ controlToken: token, allowHosts: ["sandbox"] })
      const order = { market: "BTC_USDT", side: "sell", amount: "0.1", price: "1000" }
      const trade = signed(dialect, "/api/v4/order/new", order)
      const asked = (headers: Readonly<Record<string, string>>, request: Pick<typeof trade, "method" | "path">) =>
        say(
          baseUrl,
          Buffer.from(
            rawOf({ ...trade, ...request, headers: { ...trade.headers, ...headers } })
              .toString("latin1").replace("host: localhost\r\n", ""),
            "latin1"
          )
        )
      const paths = [
        trade,
        { method: "GET", path: ping },
        { method: "GET", path: "/" },
        { method: "GET", path: "/openapi.json" },
        { method: "GET", path: `${prefix}Status` },
        { method: "GET", path: `${prefix}Events` },
        { method: "OPTIONS", path: trade.path }
      ]
      for (const request of paths) {
        for (
          const [headers, status] of [
            [{ host: "rebound.example.com" }, 421],
            [{ host: "rebound.example.com", origin: "http://rebound.example.com" }, 421],
            [{ host: "localhost", origin: "http://rebound.example.com" }, 403]
          ] as const
        ) {
          const bearer = { ...headers, authorization: `Bearer ${token}` }
          const said = yield* withoutEffect(dialect, asked(bearer, request))
          assert.deepStrictEqual(statuses(said), [status], `${request.path} ${said}`)
          assert.include(lastBody(said), "--allow-host")
        }
      }
      assert.deepStrictEqual(statuses(yield* asked({ host: "sandbox:80", origin: "http://sandbox" }, trade)), [200])
    }).pipe(Effect.provide(inProcess(dialect))))
})

it.live("the body of a misdirected request is not read, and the caller can read the refusal", () =>
  Effect.gen(function*() {
    const { baseUrl } = yield* Server.serve()
    const body = "x".repeat(4 * Server.maxBody)
    const said = yield* say(
      baseUrl,
      `POST ${ping} HTTP/1.1\r\nhost: example.com\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    )
    assert.deepStrictEqual(statuses(said), [421])
    assert.strictEqual((yield* Venue).callLog.after(0).length, 0)
  }).pipe(Effect.provide(inProcess(Dialect.document))))

it.live("a host refuses unknown names on its own paths, its venues' paths and its venues' ports", () =>
  Effect.gen(function*() {
    const host = yield* Host.Host
    const { baseUrl } = yield* HostServer.serve({ allowHosts: ["hosts"] })
    const venue = yield* host.make({ port: true })
    const asked = (url: string, name: string, path: string) =>
      Effect.map(say(url, `GET ${path} HTTP/1.1\r\nhost: ${name}\r\nconnection: close\r\n\r\n`), statuses)
    for (
      const [url, path] of [[baseUrl, `/v/${venue.id}${ping}`], [baseUrl, "/"], [venue.portUrl ?? "", ping]] as const
    ) {
      for (const name of ["example.com", `${venue.id}.example.com`, "10.0.0.7"]) {
        assert.deepStrictEqual(yield* asked(url, name, path), [421], `${name} ${path}`)
      }
      for (const name of ["hosts", "localhost", "127.0.0.1"]) {
        assert.deepStrictEqual(yield* asked(url, name, path), [200], `${name} ${path}`)
      }
    }
  }).pipe(Effect.scoped, Effect.provide(Host.layer())))
