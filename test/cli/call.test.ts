import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Example from "../../src/sandbox/Example.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import * as Server from "../../src/sandbox/server/Server.ts"
import { run } from "../support/command.ts"
import { refusingPort } from "../support/server.ts"

const order = ["call", "LimitOrders.create", `{"market":"BTC_USDT","side":"buy","amount":"0.1","price":"30000"}`]

const environmentOf = (baseUrl: string) => ({
  TXC_BASE_URL: baseUrl,
  TXC_DIALECT: "document",
  TXC_API_KEY: Example.alice.apiKey,
  TXC_API_SECRET: Example.alice.apiSecret
})

const served = Effect.gen(function*() {
  yield* Example.setUp
  const { baseUrl } = yield* Server.serve()
  return environmentOf(baseUrl)
})

describe("effect-txc call", () => {
  it.live("`call` asks for confirmation before it sends a mutating call to an exchange that may be live", () =>
    Effect.gen(function*() {
      // A declined call must not be sent. If it were, it would fail with `ExchangeUnreachable`.
      const environment = environmentOf(`https://127.0.0.1:${yield* refusingPort}`)
      const declined = yield* run(order, { environment, person: { answer: "n" } })
      assert.strictEqual(declined.failed?.tag, "Refused")
      assert.include(declined.drawn, "POST /api/v4/order/new")
      assert.include(declined.drawn, `"price":"30000"`)
      const agreed = yield* run(order, { environment, person: { answer: "Yes" } })
      assert.strictEqual(agreed.failed?.tag, "ExchangeUnreachable")

      const unasked = yield* run(order, { environment })
      assert.strictEqual(unasked.failed?.tag, "Refused")
      assert.match(unasked.failed?.said ?? "", /^Nothing was sent: .*no terminal is available to ask\nPass --yes /u)
      const told = yield* run([...order, "--yes"], { environment })
      assert.strictEqual(told.failed?.tag, "ExchangeUnreachable")
      assert.deepStrictEqual([declined.out, agreed.out, told.drawn], ["", "", ""])

      const read = yield* run(["call", "ServerStatus.ping"], { environment, person: { answer: "n" } })
      assert.deepStrictEqual([read.failed?.tag, read.drawn], ["ExchangeUnreachable", ""])
    }))

  it.live("`call` does not ask for confirmation on a sandbox, and suggests a similar name for an unknown market", () =>
    Effect.gen(function*() {
      const environment = yield* served
      const created = yield* run(order, { environment, person: { answer: "n" } })
      assert.strictEqual(created.failed, undefined)
      assert.include(created.out, `"price": "30000"`)
      for (const market of ["BTC_USDC", "btcusdt"]) {
        const { failed } = yield* run(["call", "OrderBooks.get", `{"market":"${market}"}`], { environment })
        assert.include(failed?.said, `\nThere is no market ${market}; did you mean BTC_USDT?`)
      }
      const tooLittle = yield* run([...order.slice(0, 2), order[2]?.replace("0.1", "0.0001") ?? ""], { environment })
      assert.notInclude(tooLittle.failed?.said, "There is no market")
    }).pipe(Effect.scoped, Effect.provide(Sandbox.layer())))

  it.live("`call` lists the settings that are missing", () =>
    Effect.gen(function*() {
      const nowhere = yield* run(["call", "ServerStatus.ping"])
      assert.match(nowhere.failed?.said ?? "", /set either TXC_REGION.*\n.*effect-txc sandbox$/u)
      const { TXC_API_KEY: _, ...keyless } = environmentOf("http://127.0.0.1:9")
      const anonymous = yield* run(["call", "MainBalance.all"], { environment: keyless })
      assert.match(anonymous.failed?.said ?? "", /^The API key is missing; set TXC_API_KEY\n.*effect-txc sandbox$/u)
    }))
})

describe("effect-txc sign", () => {
  it.live("`sign` prints headers on standard output, and a working curl command on standard error", () =>
    Effect.gen(function*() {
      const environment = yield* served
      const body = `{"request":"/api/v4/main-account/balance","nonce":"1700000000000"}`
      const { error, out } = yield* run(["sign", body], { environment })
      const headers = Object.fromEntries(out.split("\n").map((line) => line.split(": ") as [string, string]))
      assert.deepStrictEqual(Object.keys(headers), ["Content-type", "X-TXC-APIKEY", "X-TXC-PAYLOAD", "X-TXC-SIGNATURE"])
      const words = [...error.matchAll(/'([^']*)'/gu)].map(([, word]) => word)
      const [url, ...others] = words
      assert.strictEqual(url, `${environment.TXC_BASE_URL}/api/v4/main-account/balance`)
      assert.deepStrictEqual(others, [...out.split("\n"), body])
      assert.notInclude(out + error, Example.alice.apiSecret)
      const { status } = yield* HttpClientRequest.post(url ?? "", { headers }).pipe(
        HttpClientRequest.bodyText(body, "application/json"),
        HttpClient.execute,
        Effect.provide(FetchHttpClient.layer)
      )
      assert.strictEqual(status, 200)
      const elsewhere = yield* run(["sign", body], { environment: { ...environment, TXC_BASE_URL: "" } })
      assert.include(elsewhere.error, `curl -s "$TXC_BASE_URL"'/api/v4/main-account/balance'`)
    }).pipe(Effect.scoped, Effect.provide(Sandbox.layer())))
})
