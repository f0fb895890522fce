import { afterAll, assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Control from "../../../src/sandbox/control/Control.ts"
import * as Dashboard from "../../../src/sandbox/page/Dashboard.ts"
import * as Protocol from "../../../src/sandbox/page/Protocol.ts"
import * as InProcess from "../../../src/sandbox/server/InProcess.ts"
import * as Server from "../../../src/sandbox/server/Server.ts"
import { closeBrowser, executable, see } from "../../support/browser.ts"
import { token, world } from "../../support/page.ts"
import { choices } from "./choices.ts"
import { counterexample } from "./counterexample.ts"
import { faults } from "./faults.ts"
import { funds } from "./funds.ts"
import { hints } from "./hints.ts"
import { load } from "./load.ts"
import { looks } from "./look.ts"
import { margin } from "./margin.ts"
import { market } from "./market.ts"
import { orders } from "./orders.ts"
import { requests } from "./requests.ts"
import { state } from "./state.ts"
import { streams } from "./streams.ts"
import { time } from "./time.ts"

afterAll(() => Effect.runPromise(closeBrowser))

describe.skipIf(executable === undefined)("the page (needs Chromium)", { concurrent: true }, () => {
  state()
  choices()
  hints()
  load()
  looks()
  margin()
  market()
  orders()
  requests()
  streams()
  time()
  faults()
  funds()
  counterexample()
})

describe("the sandbox's page", () => {
  it.live("the page is public, contains no secrets, and is not served without a control plane", () =>
    Effect.gen(function*() {
      const get = (baseUrl: string) =>
        see(() => fetch(baseUrl + Dashboard.path).then((got) => got.text().then((text) => [got.status, text] as const)))
      const [status, text] = yield* get((yield* Server.serve({ controlToken: token })).baseUrl)
      assert.strictEqual(status, 200)
      assert.notInclude(text, token)
      for (const bundled of ["preact", "lightweight-charts", "TradingView, Inc.", "Apache License"]) {
        assert.include(text, bundled)
      }
      assert.strictEqual((yield* get((yield* Server.serve()).baseUrl))[0], 404)
    }).pipe(Effect.scoped, Effect.provide(world)))

  it.live("a HEAD request, for the page or any other read, gets the response to GET without its body", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* Server.serve({ controlToken: token })
      const asked = Effect.fnUntraced(function*(method: "GET" | "HEAD", path: string) {
        const authorization = `Bearer ${token}`
        const headers = path.startsWith("/control/v1") ? { authorization } : {}
        const got = yield* see(() => fetch(baseUrl + path, { method, headers }))
        const { connection: _, date: _date, "keep-alive": _alive, ...all } = Object.fromEntries(got.headers)
        return { status: got.status, headers: all, length: (yield* see(() => got.text())).length }
      })
      for (const path of [Dashboard.path, "/control/", Protocol.path, "/control/v1/Markets"]) {
        const { length, ...whole } = yield* asked("GET", path)
        assert.isAbove(length, 0)
        assert.strictEqual(whole.status, 200)
        assert.deepStrictEqual(yield* asked("HEAD", path), { ...whole, length: 0 }, path)
      }
      const unauthorised = yield* see(() => fetch(`${baseUrl}/control/v1/Markets`, { method: "HEAD" }))
      assert.strictEqual(unauthorised.status, 401)
    }).pipe(Effect.scoped, Effect.provide(world)))

  it.effect("HEAD requests also work in process, without a socket", () =>
    Effect.gen(function*() {
      const { status, text } = yield* HttpClient.execute(HttpClientRequest.head(InProcess.baseUrl + Protocol.path))
      assert.deepStrictEqual([status, yield* text], [200, ""])
      yield* Control.Control
    }).pipe(Effect.provide(world)))
})
