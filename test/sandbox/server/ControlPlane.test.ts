import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { amount, price } from "../../../src/domain/Decimal.ts"
import { ApiKey, marketName, ticker } from "../../../src/domain/Identifiers.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as Calling from "../../../src/sandbox/control/Calling.ts"
import * as ControlApi from "../../../src/sandbox/control/ControlApi.ts"
import * as ControlClient from "../../../src/sandbox/control/ControlClient.ts"
import * as Example from "../../../src/sandbox/Example.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import * as InProcess from "../../../src/sandbox/server/InProcess.ts"
import * as Server from "../../../src/sandbox/server/Server.ts"
import * as Venue from "../../../src/sandbox/venue/Venue.ts"
import { unplain } from "../../support/plain.ts"

/** Fails if a message for people contains technical terms from a schema or a stack trace. */
const isPlain = (said: string) => assert.notMatch(said, unplain)

const token = "the token of this test"

const btcUsdt = marketName("BTC_USDT")

/** The base URL of a test's sandbox. */
class Base extends Context.Service<Base, string>()("test/Base") {}

type World = Base | HttpClient.HttpClient | ControlClient.ControlClient | Venue.Venue

/** The same sandbox, both in process and over HTTP. */
const worlds: ReadonlyArray<readonly [string, Layer.Layer<World>]> = [
  [
    "in process",
    ControlClient.layer({ url: InProcess.baseUrl, token: Redacted.make(token) }).pipe(
      Layer.provideMerge(Layer.effectDiscard(Example.setUp)),
      Layer.provideMerge(Sandbox.layer({ controlToken: token })),
      Layer.merge(Layer.succeed(Base, InProcess.baseUrl)),
      Layer.orDie
    )
  ],
  [
    "over HTTP",
    Layer.unwrap(Effect.map(Base, (url) => ControlClient.layer({ url, token: Redacted.make(token) }))).pipe(
      Layer.provideMerge(NodeHttpClient.layerUndici),
      Layer.provideMerge(
        Layer.effect(Base, Effect.map(Server.serve({ controlToken: token }), ({ baseUrl }) => baseUrl))
      ),
      Layer.provideMerge(Layer.effectDiscard(Example.setUp)),
      Layer.provideMerge(Sandbox.layer()),
      Layer.orDie
    )
  ]
]

interface Options {
  readonly method?: "POST" | "PUT" | "GET" | "DELETE" | "OPTIONS"
  readonly authorization?: string
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a request to the control plane. Returns the status and the body as text. */
const send = Effect.fnUntraced(function*(name: string, body: string, options: Options = {}) {
  const base = yield* Base
  const method = options.method ?? "POST"
  const request = HttpClientRequest.make(method)(base + ControlApi.prefix + name).pipe(
    (request) =>
      method === "POST" || method === "PUT"
        ? HttpClientRequest.bodyText(request, body, options.type ?? "application/json")
        : request,
    HttpClientRequest.setHeaders({ authorization: options.authorization ?? `Bearer ${token}`, ...options.headers })
  )
  const response = yield* HttpClient.execute(request)
  return [response.status, yield* response.text] as const
})

const status = (name: string, body: string, options: Options = {}) =>
  Effect.map(send(name, body, options), ([status]) => status)

const fund = JSON.stringify({ account: "bob", wallet: "trade", ticker: "BTC", amount: "1.5" })

const held = ControlClient.ControlClient.use((control) =>
  Effect.map(
    control.balances({ query: { account: "bob" } }),
    (balances) => balances.filter(({ wallet }) => wallet === "trade").map(({ free, ticker }) => `${free} ${ticker}`)
  )
)

describe.each(worlds)("the control plane (%s)", (_name, world) => {
  const test = <E>(name: string, effect: Effect.Effect<unknown, E, World>) =>
    it.live(name, () => Effect.provide(effect, world))

  test(
    "the control plane carries out owner actions",
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* send("Fund", fund), [200, "{}"])
      assert.deepStrictEqual(yield* held, ["1.5 BTC"])
      assert.strictEqual(yield* status("MovePrice", `{"market":"BTC_USDT","price":"40000"}`), 200)
      const control = yield* ControlClient.ControlClient
      yield* control.stepPrice({ payload: { market: btcUsdt, by: amount("1.5") } })
      const [, text] = yield* send("Clock", "", { method: "GET" })
      assert.isFalse((JSON.parse(text) as { frozen: boolean }).frozen)
    })
  )

  test(
    "a control plane refusal names the invalid fields and their constraints",
    Effect.gen(function*() {
      const nobody = JSON.stringify({ account: "nobody", wallet: "main", ticker: "BTC", amount: "1" })
      const [refused, body] = yield* send("Fund", nobody)
      const { message, ...refusal } = JSON.parse(body) as { readonly message: string }
      assert.deepStrictEqual([refused, refusal as unknown], [400, {
        _tag: "ControlRefused",
        action: "Fund",
        fields: { account: "known" }
      }])
      assert.match(message, /^Fund was refused: account must be one of alice, bob, /u)
      const [malformed, said] = yield* send("Fund", JSON.stringify({ account: "bob", wallet: "purse" }))
      assert.deepStrictEqual([malformed, JSON.parse(said)], [400, {
        _tag: "Malformed",
        message: "wallet must be one of main, trade, collateral"
      }])
    })
  )

  test(
    "the control plane refuses unknown operations and invalid JSON",
    Effect.gen(function*() {
      assert.strictEqual(yield* status("NoSuch", "{}"), 404)
      assert.strictEqual(yield* status("Call", `{"apiKey":"k","operation":{"_tag":"Nothing"}}`), 404)
      assert.strictEqual(yield* status("Fund", "{"), 400)
      assert.strictEqual(yield* status("Fund", "[]"), 400)
      assert.strictEqual(yield* status("Fund", fund, { method: "PUT" }), 404)
      assert.deepStrictEqual(yield* held, [])
    })
  )

  test(
    "every control plane operation explains in plain English what is wrong with its fields",
    Effect.gen(function*() {
      const { control, views } = ControlApi.ControlApi.groups
      for (const [operation, fields] of Calling.fieldsOf([control, views])) {
        const [method = "", path = ""] = operation.split(" ")
        const name = path.slice(ControlApi.prefix.length).replace(/:\w+/u, "!")
        const withAll = (value: unknown) => fields.map((field) => [String(field), value] as const)
        if (method === "GET") {
          const query = new URLSearchParams(withAll("!").map(([field, value]) => [field, String(value)]))
          if (name !== "Events") isPlain((yield* send(`${name}?${query}`, "", { method }))[1])
        } else if (method === "POST" && name !== "Journal") {
          for (const value of [null, "!", -1, [], {}]) {
            isPlain((yield* send(name, JSON.stringify(Object.fromEntries(withAll(value)))))[1])
          }
          for (const body of ["{", "[]", `"x"`]) {
            const [refused, said] = yield* send(name, body)
            assert.strictEqual(refused, 400, name)
            isPlain(said)
          }
        }
      }
    })
  )

  test(
    "the control plane refuses an unknown field instead of ignoring it",
    Effect.gen(function*() {
      const symptom = { _tag: "Reset", applied: false }
      const [refused, said] = yield* send("Faults", JSON.stringify({ probabilty: 0.1, symptom }))
      assert.deepStrictEqual([refused, JSON.parse(said)], [400, {
        _tag: "Malformed",
        message: "/control/v1/Faults has no field \"probabilty\""
      }])
      assert.deepStrictEqual(yield* ControlClient.ControlClient.use((control) => control.faults()), [])
      assert.strictEqual(yield* status("FreezeClock", `{"at":1}`), 400)
      assert.strictEqual(yield* status("Requests?afer=1", "", { method: "GET" }), 400)
      assert.strictEqual(yield* status("Requests?after=1", "", { method: "GET" }), 200)
      assert.strictEqual(yield* status("Clock?now", "", { method: "GET" }), 400)
    })
  )

  test(
    "a missing body is treated as an empty object, and the refusal of another content type names the required one",
    Effect.gen(function*() {
      const bare = Effect.fnUntraced(function*(name: string) {
        const request = HttpClientRequest.post((yield* Base) + ControlApi.prefix + name).pipe(
          HttpClientRequest.bearerToken(token)
        )
        const response = yield* HttpClient.execute(request)
        return [response.status, yield* response.text] as const
      })
      assert.deepStrictEqual(yield* bare("FreezeClock"), [200, "{}"])
      const [refused, said] = yield* bare("Fund")
      assert.deepStrictEqual([refused, /account/u.test(said)], [400, true])
      const [unread, why] = yield* send("FreezeClock", "{}", { type: "application/x-www-form-urlencoded" })
      assert.deepStrictEqual([unread, /Content-Type: application\/json/u.test(why)], [415, true])
    })
  )

  test(
    "requests without the control token, from a form, or from another origin are refused",
    Effect.gen(function*() {
      const { apiKey, apiSecret } = Example.alice
      for (const authorization of ["", "Bearer ", "Bearer no", `Bearer ${apiSecret}`, token, `bearer ${token}`]) {
        assert.strictEqual(yield* status("Fund", fund, { authorization }), 401, authorization)
        assert.strictEqual(yield* status("Requests", "", { method: "GET", authorization }), 401, authorization)
        assert.strictEqual(yield* status("openapi.json", "", { method: "GET", authorization }), 401, authorization)
      }
      const headers = { "x-txc-apikey": apiKey }
      assert.strictEqual(yield* status("Fund", fund, { headers, authorization: "" }), 401)
      for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
        assert.oneOf(yield* status("Fund", fund, { type }), [400, 415], type)
      }
      for (const origin of ["https://evil.example", "null", "http://127.0.0.1:1"]) {
        assert.strictEqual(yield* status("Fund", fund, { headers: { origin } }), 403, origin)
        assert.strictEqual(yield* status("Fund", "", { method: "OPTIONS", headers: { origin } }), 403, origin)
      }
      assert.deepStrictEqual(yield* held, [])
    })
  )

  test(
    "the control token gives no access to the exchange",
    Effect.gen(function*() {
      const request = HttpClientRequest.post(`${yield* Base}/api/v4/main-account/balance`).pipe(
        HttpClientRequest.bodyText("{}", "application/json"),
        HttpClientRequest.bearerToken(token)
      )
      const { status } = yield* HttpClient.execute(request)
      assert.strictEqual(status, Dialect.document.refusals.payloadMissing.status)
    })
  )

  test(
    "the owner can set, count and remove faults",
    Effect.gen(function*() {
      const control = yield* ControlClient.ControlClient
      const { faults } = yield* Venue.Venue
      const symptom = { _tag: "Reset", applied: true } as const
      const path = "/api/v4/public/orderbook/BTC_USDT"
      const { id } = yield* control.addFault({ payload: { path, times: 5, symptom } })
      assert.deepStrictEqual(faults.next(path, undefined), { id, symptom })
      assert.deepStrictEqual(yield* control.faults(), [{
        id,
        fault: { path, times: 5, symptom },
        matched: 1,
        fired: 1
      }])
      assert.strictEqual(yield* status("Faults", `{"symptom":{"_tag":"NoSuch"}}`), 400)
      yield* control.removeFault({ params: { id } })
      const refused = yield* Effect.flip(control.removeFault({ params: { id } }))
      assert.strictEqual(refused._tag, "ControlRefused")
      yield* control.addFault({ payload: { symptom } })
      yield* control.clearFaults()
      assert.isUndefined(faults.next(path, undefined))
    })
  )

  test(
    "a fault or a limit on a path that no endpoint has is refused, and the refusal suggests a path",
    Effect.gen(function*() {
      const symptom = { _tag: "Reset", applied: true }
      const limit = { calls: 1, perSeconds: 1 }
      const cases = [
        ["Faults", { path: "/api/v4/order/stoplimit", symptom }, "did you mean /api/v4/order/stop_limit?"],
        ["Faults", { path: "/nothing/like/it", symptom }, "see /control/v1/Endpoints"],
        ["Limit", { path: "/api/v4/main-account/balances", limit }, "did you mean /api/v4/main-account/balance?"],
        // Public calls are counted together, so a limit can't name a public path.
        ["Limit", { path: "/api/v4/public/ping", limit }, `"public" or "public v1"`]
      ] as const
      for (const [name, payload, remedy] of cases) {
        const [refused, said] = yield* send(name, JSON.stringify(payload))
        const { message } = JSON.parse(said) as { readonly message: string }
        assert.deepStrictEqual([refused, message.split("; ")[0]], [400, `no endpoint has the path ${payload.path}`])
        assert.include(message, remedy)
      }
      assert.deepStrictEqual(yield* ControlClient.ControlClient.use((control) => control.faults()), [])
      assert.strictEqual(yield* status("Limit", JSON.stringify({ path: "public", limit })), 200)
    })
  )

  test(
    "the OpenAPI document describes every operation, and states that each operation needs the token",
    Effect.gen(function*() {
      const [found, text] = yield* send("openapi.json", "", { method: "GET" })
      assert.strictEqual(found, 200)
      const spec = JSON.parse(text) as {
        readonly openapi: string
        readonly paths: Readonly<Record<string, object>>
        readonly security: unknown
        readonly components: { readonly securitySchemes: unknown }
      }
      assert.match(spec.openapi, /^3\.1/u)
      assert.deepStrictEqual(spec.security, [{ token: [] }])
      assert.deepStrictEqual(spec.components.securitySchemes, { token: { type: "http", scheme: "bearer" } })
      const operations = Object.values(spec.paths).flatMap((path) => Object.keys(path)).length
      const { control, views } = ControlApi.ControlApi.groups
      assert.strictEqual(operations, Object.keys({ ...control.endpoints, ...views.endpoints }).length)
      assert.isTrue(Object.keys(spec.paths).every((path) => path.startsWith(ControlApi.prefix)))
      // An operation with its own `security: []` would not need the token.
      for (
        const operation of Object.values(spec.paths).flatMap((path) => Object.values(path) as ReadonlyArray<object>)
      ) {
        assert.notProperty(operation, "security")
      }
    })
  )

  test(
    "a journal exported from one sandbox and replayed in another has the same digest there",
    Effect.gen(function*() {
      const control = yield* ControlClient.ControlClient
      const [, journal] = yield* send("Journal", "", { method: "GET" })
      const { digest, sequence } = yield* control.status()
      assert.strictEqual(journal.split("\n").length - 1, sequence)
      yield* Effect.gen(function*() {
        const other = yield* ControlClient.ControlClient
        yield* other.replay({ payload: journal })
        assert.deepInclude(yield* other.status(), { digest, sequence })
        const refused = yield* Effect.flip(other.replay({ payload: journal }))
        assert.strictEqual(refused._tag, "ControlRefused")
      }).pipe(
        Effect.provide(
          ControlClient.layer({ url: InProcess.baseUrl, token: Redacted.make(token) }).pipe(
            Layer.provide(Sandbox.layer({ controlToken: token })),
            Layer.fresh
          )
        )
      )
    })
  )

  test(
    "the feed streams events, and continues from where a reader stopped",
    Effect.gen(function*() {
      const control = yield* ControlClient.ControlClient
      const { sequence } = yield* control.snapshot({ payload: {} })
      for (const to of ["100", "101", "102"]) {
        yield* control.movePrice({ payload: { market: btcUsdt, price: price(to as "100") } })
      }
      const read = (headers: { readonly "last-event-id"?: string }, count: number) =>
        control.events({ query: {}, headers }).pipe(
          Effect.flatMap((events) => Stream.runCollect(Stream.take(events, count)))
        )
      const all = yield* read({ "last-event-id": String(sequence) }, 3)
      assert.deepStrictEqual(all.map(({ data, id }) => [id, data.event]), [
        [`${sequence + 1}.1`, { _tag: "PriceMoved", market: btcUsdt, price: price("100") }],
        [`${sequence + 2}.1`, { _tag: "PriceMoved", market: btcUsdt, price: price("101") }],
        [`${sequence + 3}.1`, { _tag: "PriceMoved", market: btcUsdt, price: price("102") }]
      ])
      assert.deepStrictEqual(yield* read({ "last-event-id": all[1]?.id ?? "" }, 1), all.slice(2))
      for (const id of ["nowhere", "999999.1"]) {
        const gone = yield* Effect.flip(read({ "last-event-id": id }, 1))
        assert.strictEqual(gone._tag, "FeedGone")
      }
      assert.strictEqual(yield* status("Events?after=nowhere", "", { method: "GET" }), 410)
    })
  )

  test(
    "the control plane lists the calls with their outcomes",
    Effect.gen(function*() {
      const control = yield* ControlClient.ControlClient
      yield* HttpClient.get(`${yield* Base}/api/v4/public/pong`)
      const [request] = yield* control.requests({ query: {} })
      assert.deepInclude(request, { number: 1, refused: "notFound", hint: "did you mean /api/v4/public/ping?" })
      assert.deepStrictEqual(yield* control.requests({ query: { after: 1 } }), [])
    })
  )
})

describe("forks over HTTP", () => {
  const [, world] = worlds[1] ?? assert.fail()

  it.live("a fork is a separate venue on its own port", () =>
    Effect.gen(function*() {
      const control = yield* ControlClient.ControlClient
      const { controlUrl, url } = yield* control.fork({ payload: {} })
      assert.notStrictEqual(url, yield* Base)
      assert.strictEqual(controlUrl, url + ControlApi.prefix)
      const forked = ControlClient.layer({ url, token: Redacted.make(token) })
      const keyOf = (name: string) => ({
        payload: { account: "bob", apiKey: ApiKey.make(name), apiSecret: "s", title: "t", type: "1", enabled: true }
      })
      yield* Effect.gen(function*() {
        const other = yield* ControlClient.ControlClient
        assert.deepStrictEqual(yield* other.status(), { ...(yield* control.status()), fork: 1 })
        yield* other.fund({ payload: { account: "bob", wallet: "trade", ticker: ticker("BTC"), amount: amount("7") } })
        yield* other.addKey(keyOf("only-in-the-fork"))
        assert.deepStrictEqual(yield* held, ["7 BTC"])
      }).pipe(Effect.provide(forked))
      assert.deepStrictEqual(yield* held, [])
      yield* control.addKey(keyOf("only-in-the-fork"))
    }).pipe(Effect.provide(world)))
})
