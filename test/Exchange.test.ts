import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as RateLimits from "../src/client/RateLimits.ts"
import * as Region from "../src/client/Region.ts"
import * as HttpClientTransport from "../src/client/transport/HttpClientTransport.ts"
import { MainBalance } from "../src/endpoints/MainBalance.ts"
import { Markets } from "../src/endpoints/Markets.ts"
import { ServerStatus } from "../src/endpoints/ServerStatus.ts"
import { StopLimitOrders } from "../src/endpoints/StopLimitOrders.ts"
import * as Exchange from "../src/Exchange.ts"
import * as Dialect from "../src/protocol/Dialect.ts"
import { alice, bob, clientOf, credentialsOf, inProcess, overHttp, Place, stopLimit } from "./support/exchange.ts"
import { failsWith } from "./support/fails.ts"
import { answering, fieldsOf, json, privateCalls, Recorder } from "./support/http.ts"

const balance = MainBalance.use(({ all }) => all)

const assets = Effect.map(balance, (balances) => [...balances.keys()] as ReadonlyArray<string>)

const empty = answering(() => json(200, {}))

const keys = { TXC_API_KEY: alice.apiKey, TXC_API_SECRET: alice.apiSecret }

const configured = <Out, E, In>(layer: Layer.Layer<Out, E, In>, env: Readonly<Record<string, string>>) =>
  Layer.provide(layer, ConfigProvider.layer(ConfigProvider.fromUnknown(env)))

describe("Exchange.layer", () => {
  it.effect("choosing a region selects its server and the live dialect", () =>
    Effect.gen(function*() {
      yield* balance
      const [sent] = yield* privateCalls
      assert.strictEqual(sent?.url, "https://whitebit.eu/api/v4/main-account/balance")
      assert.strictEqual(fieldsOf(sent ?? assert.fail())["nonceWindow"], true)
    }).pipe(
      Effect.provide(
        Exchange.layer({ region: "eu", credentials: credentialsOf(alice) }).pipe(Layer.provideMerge(empty))
      )
    ))

  it.effect("a base URL may include a path, which is not part of the signed request", () =>
    Effect.gen(function*() {
      yield* balance
      const [sent] = yield* privateCalls
      assert.strictEqual(sent?.url, "https://example.com/proxy/api/v4/main-account/balance")
      assert.strictEqual(fieldsOf(sent ?? assert.fail())["request"], "/api/v4/main-account/balance")
    }).pipe(
      Effect.provide(
        Exchange.layer({
          baseUrl: "https://example.com/proxy/",
          dialect: Dialect.document,
          credentials: credentialsOf(alice)
        }).pipe(Layer.provideMerge(empty))
      )
    ))

  it.effect("building an exchange with an invalid base URL or invalid credentials fails", () =>
    Effect.gen(function*() {
      const build = (options: Exchange.Options) =>
        Effect.scoped(Layer.build(Layer.provide(Exchange.layer(options), empty)))
      const { credentials, dialect } = { credentials: credentialsOf(alice), dialect: Dialect.live }
      yield* failsWith("InvalidBaseUrl")(build({ baseUrl: "http://example.com", dialect, credentials }))
      yield* failsWith("InvalidCredentials")(
        build({ region: "eu", credentials: { ...credentials, apiSecret: Redacted.make("cut off\n") } })
      )
    }))

  it.effect("exchanges for two accounts stay separate, even when one program builds them together", () =>
    Effect.gen(function*() {
      class Alice extends Context.Service<Alice, Context.Context<Exchange.Services>>()("test/Alice") {}
      class Bob extends Context.Service<Bob, Context.Context<Exchange.Services>>()("test/Bob") {}
      const place = yield* Place
      const of = (account: typeof alice) => Exchange.layer({ ...place, credentials: credentialsOf(account) })
      const whose = <Self>(
        tag: Context.Key<Self, Context.Context<Exchange.Services>>,
        layer: Layer.Layer<Exchange.Services, unknown, HttpClient.HttpClient>
      ) => Layer.effect(tag, Effect.context<Exchange.Services>()).pipe(Layer.provide(layer))
      const both = yield* Layer.build(Layer.merge(whose(Alice, of(alice)), whose(Bob, of(bob))))
      assert.deepStrictEqual(yield* Effect.provideContext(assets, Context.get(both, Alice)), ["USDT", "BTC"])
      assert.deepStrictEqual(yield* Effect.provideContext(assets, Context.get(both, Bob)), ["ETH"])
    }).pipe(Effect.provide(inProcess(Dialect.document))))

  it.effect("two accounts in one program have separate nonces and limits", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_700_000_000_000)
      const [one, other] = yield* Effect.all([Layer.build(clientOf(alice)), Layer.build(Layer.fresh(clientOf(bob)))])
      const calls = (services: typeof one, count: number) =>
        Effect.forEach(Array.from({ length: count }), () => Effect.asVoid(balance), { concurrency: "unbounded" }).pipe(
          Effect.provideContext(services),
          Effect.provideService(RateLimits.MaxWait, 0),
          Effect.exit
        )
      // Alice makes as many calls as her limit allows, then one more.
      assert.isTrue(Exit.isSuccess(yield* calls(one, 250)))
      assert.isTrue(Exit.isFailure(yield* calls(one, 1)))
      assert.isTrue(Exit.isSuccess(yield* calls(other, 250)))
      const sent = yield* privateCalls
      const nonces = (account: typeof alice) =>
        sent.filter(({ headers }) => headers["x-txc-apikey"] === account.apiKey).map((call) => fieldsOf(call)["nonce"])
      assert.strictEqual(new Set(nonces(alice)).size, 250)
      assert.deepStrictEqual(nonces(alice), nonces(bob))
    }).pipe(Effect.scoped, Effect.provide(inProcess(Dialect.live))))

  it.effect("two exchanges in one program each load their own markets", () =>
    Effect.gen(function*() {
      const order = StopLimitOrders.use((orders) => orders.create(stopLimit))
      yield* Effect.provide(order, clientOf(alice))
      // Each exchange takes its own nonces from the clock, so the clock must advance.
      yield* TestClock.adjust(1)
      yield* Effect.provide(order, clientOf(alice))
      const sent = yield* Recorder
      assert.strictEqual(sent.filter(({ method }) => method === "GET").length, 2)
    }).pipe(Effect.provide(inProcess(Dialect.document))))
})

describe("Exchange.layerConfig", () => {
  it.live("layerConfig builds an exchange from configuration alone", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* Place
      const found = yield* assets.pipe(
        Effect.provide(
          configured(Exchange.layerConfig, { ...keys, TXC_BASE_URL: baseUrl, TXC_DIALECT: "live" })
        )
      )
      assert.deepStrictEqual(found, ["USDT", "BTC"])
    }).pipe(Effect.provide(overHttp(Dialect.live))))

  const bad: ReadonlyArray<readonly [string, Readonly<Record<string, string>>, string, string]> = [
    ["no region", keys, "InvalidBaseUrl", "set either TXC_REGION"],
    ["a base URL without a dialect", { ...keys, TXC_BASE_URL: "https://a.example" }, "InvalidBaseUrl", "TXC_DIALECT"],
    [
      "a region and a base URL",
      { ...keys, TXC_REGION: "eu", TXC_BASE_URL: "https://a.example", TXC_DIALECT: "live" },
      "InvalidBaseUrl",
      "set either"
    ],
    [
      "http to another machine",
      { ...keys, TXC_BASE_URL: "http://a.example", TXC_DIALECT: "live" },
      "InvalidBaseUrl",
      "plain http"
    ],
    ["no key", { TXC_REGION: "eu", TXC_API_SECRET: alice.apiSecret }, "InvalidCredentials", "set TXC_API_KEY"],
    ["no secret", { TXC_REGION: "eu", TXC_API_KEY: alice.apiKey }, "InvalidCredentials", "set TXC_API_SECRET"],
    ["an empty key", { ...keys, TXC_REGION: "eu", TXC_API_KEY: "" }, "InvalidCredentials", "set TXC_API_KEY"],
    [
      "a line break in the secret",
      { ...keys, TXC_REGION: "eu", TXC_API_SECRET: `${alice.apiSecret}\n` },
      "InvalidCredentials",
      "The API secret has spaces, line breaks"
    ],
    ["an unknown region", { ...keys, TXC_REGION: "us" }, "InvalidBaseUrl", "set TXC_REGION to global or eu"]
  ]
  for (const [name, env, tag, words] of bad) {
    it.effect(`layerConfig rejects ${name}`, () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(
          Effect.scoped(Layer.build(Layer.provide(configured(Exchange.layerConfig, env), empty)))
        )
        assert.strictEqual(error._tag, tag)
        assert.include(error.message, words)
        assert.notInclude(error.message, alice.apiSecret)
      }))
  }
})

describe("Exchange.layerPublic", () => {
  it.effect("layerPublic needs no credentials", () =>
    Effect.gen(function*() {
      const place = yield* Place
      const found = yield* Effect.all([
        ServerStatus.use(({ ping }) => ping),
        Effect.map(Markets.use(({ all }) => all), (all) => all.length)
      ]).pipe(
        Effect.provide(
          Layer.provide(Exchange.layerPublic, [Region.layer(place), HttpClientTransport.layer, RateLimits.layerMemory])
        )
      )
      assert.deepStrictEqual(found, ["pong", 5])
      assert.deepStrictEqual(yield* privateCalls, [])
    }).pipe(Effect.provide(inProcess(Dialect.document))))
})
