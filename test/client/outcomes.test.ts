import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as Credentials from "../../src/client/Credentials.ts"
import * as MarketRules from "../../src/client/MarketRules.ts"
import * as Nonce from "../../src/client/Nonce.ts"
import * as RateLimits from "../../src/client/RateLimits.ts"
import * as Region from "../../src/client/Region.ts"
import * as Signer from "../../src/client/Signer.ts"
import * as FetchTransport from "../../src/client/transport/FetchTransport.ts"
import * as HttpClientTransport from "../../src/client/transport/HttpClientTransport.ts"
import * as Transport from "../../src/client/transport/Transport.ts"
import * as UndiciTransport from "../../src/client/transport/UndiciTransport.ts"
import { ClientOrderId } from "../../src/domain/Identifiers.ts"
import { CancelAllOrders } from "../../src/endpoints/CancelAllOrders.ts"
import { Codes } from "../../src/endpoints/Codes.ts"
import { MainBalance } from "../../src/endpoints/MainBalance.ts"
import { Markets } from "../../src/endpoints/Markets.ts"
import { ServerStatus } from "../../src/endpoints/ServerStatus.ts"
import { StopLimitOrders } from "../../src/endpoints/StopLimitOrders.ts"
import * as Exchange from "../../src/Exchange.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import * as Faults from "../../src/sandbox/gateway/Faults.ts"
import {
  alice,
  clientOf,
  code,
  credentialsOf,
  dialects,
  disabled,
  eth,
  exchange,
  once,
  overHttp,
  Place,
  restricted,
  stopLimit
} from "../support/exchange.ts"
import { failsWith } from "../support/fails.ts"
import { privateCalls, Recorder } from "../support/http.ts"
import { isLong } from "../support/long.ts"
import { recorded } from "../support/transports.ts"

const clientOrderId = ClientOrderId.make("find-me")
const create = StopLimitOrders.use((orders) => orders.create({ ...stopLimit, clientOrderId }))
const balance = MainBalance.use(({ all }) => all)
const worth = MainBalance.use((balances) => balances.of(eth))
const ping = ServerStatus.use((status) => status.ping)

const open = Control.use((control) =>
  Effect.map(control.openOrders("alice"), (orders) => orders.map((order) => order.clientOrderId))
)

const stopLimitPath = "/api/v4/order/stop_limit"
const addFault = (fault: Faults.Fault) => Control.use((control) => control.addFault(fault))

/** The transports, with and without Effect's `HttpClient`. Each records the requests that it sends. */
const transports: Readonly<Record<string, Layer.Layer<Transport.Transport, never, HttpClient.HttpClient | Recorder>>> =
  {
    "an HttpClient": HttpClientTransport.layer,
    "undici's dispatch": recorded(UndiciTransport.layer),
    "the platform's fetch": recorded(FetchTransport.layer)
  }

const over = Object.entries(transports).flatMap(([name, transport]) =>
  dialects.map((dialect) => ({ name, transport, dialect }))
)

/** Every dialect and every transport at least once. Long test runs cover every pair. */
const pairs = over.filter(({ dialect, name }) =>
  isLong || name === (dialect.name === "live" ? "undici's dispatch" : "the platform's fetch") ||
  name === "an HttpClient"
)

/** A sandbox client that signs with the given signer. */
const signedBy = (
  signer: Signer.Signer["Service"],
  transport: (typeof transports)[string]
) =>
  Exchange.layerServices.pipe(
    Layer.provide([
      transport,
      Layer.succeed(Signer.Signer, signer),
      Nonce.layerWindow,
      RateLimits.layerNone,
      MarketRules.layerNone
    ]),
    Layer.provide(Layer.unwrap(Effect.map(Place, Region.layer))),
    Layer.orDie
  )

const goodSigner = Effect.provide(
  Signer.Signer,
  Layer.provide(Signer.layerNode, Credentials.layer(credentialsOf(alice)))
)

describe.each(pairs)("an exchange over HTTP in the $dialect.name dialect, with $name", ({ dialect, transport }) => {
  const keys = [
    ["an unknown key", { ...alice, apiKey: "nobody-has-this-key" }, "unauthenticated", 401, 10],
    ["a wrong secret", { ...alice, apiSecret: "not-alices-secret" }, "unauthenticated", 401, 10],
    ["a disabled key", disabled, "key-disabled", 401, 2],
    ["a key for other endpoints only", restricted, "endpoint-not-allowed", 401, 4]
  ] as const
  for (const [name, account, why, status, number] of keys) {
    it.live(`a call with ${name} fails as not authorized`, () =>
      Effect.gen(function*() {
        for (const call of [balance, create]) {
          const error = yield* failsWith("NotAuthorized")(call as typeof balance)
          assert.deepStrictEqual([error.why, error.status, error.code], [why, status, number])
          assert.deepStrictEqual([error.outcome, error.isRetryable], ["not-applied", false])
        }
        assert.strictEqual((yield* privateCalls).length, 2)
        assert.deepStrictEqual(yield* open, [])
      }).pipe(Effect.provide(clientOf(account, { transport }).pipe(Layer.provideMerge(overHttp(dialect))))))
  }

  it.live("a restricted key may call the endpoints that it is restricted to", () =>
    CancelAllOrders.use((orders) => orders.cancel()).pipe(
      Effect.provide(clientOf(restricted, { transport }).pipe(Layer.provideMerge(overHttp(dialect))))
    ))

  it.live("a reused nonce is refused, even on the second attempt if there is one", () =>
    Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const stuck = Layer.succeed(Nonce.Nonce, { window: true, use: (_of, call) => call(now) })
      yield* Effect.gen(function*() {
        yield* create
        const error = yield* failsWith("NonceRejected")(StopLimitOrders.use((orders) => orders.create(stopLimit)))
        assert.strictEqual(error.status, 429)
        assert.strictEqual((yield* privateCalls).length, transport === transports["undici's dispatch"] ? 3 : 2)
        assert.strictEqual((yield* open).length, 1)
      }).pipe(
        Effect.provide(
          Exchange.layerServices.pipe(
            Layer.provide([
              Signer.layerNode,
              stuck,
              RateLimits.layerNone,
              MarketRules.layerNone
            ]),
            Layer.provide(Layer.unwrap(Effect.map(Place, Region.layer))),
            Layer.provide(Credentials.layer(credentialsOf(alice))),
            Layer.provideMerge(transport)
          )
        )
      )
    }).pipe(Effect.provide(overHttp(dialect))))

  it.live("calls above the rate limit are refused: private calls are counted per key, and public calls per address", () =>
    Effect.gen(function*() {
      const control = yield* Control
      yield* control.limit({ calls: 2, perSeconds: 60 })
      for (const call of [balance, ping]) {
        const limited = Effect.asVoid(call as typeof balance)
        yield* limited
        yield* limited
        const error = yield* failsWith("RateLimited")(limited)
        assert.deepStrictEqual([error.status, error.reason.length > 0, error.outcome], [429, true, "not-applied"])
      }
      yield* control.limit(undefined)
      yield* balance
    }).pipe(once, Effect.provide(exchange(overHttp(dialect), { transport, rateLimits: RateLimits.layerNone }))))

  it.live("an order whose response was lost is found by its client order id", () =>
    Effect.gen(function*() {
      yield* addFault({ path: stopLimitPath, symptom: Faults.answerLost })
      const error = yield* failsWith("OutcomeUnknown")(create)
      assert.deepStrictEqual([error.why, error.outcome, error.isRetryable], ["connection-lost", "unknown", false])
      assert.deepStrictEqual([error.clientOrderId, error.market], [clientOrderId, stopLimit.market])
      assert.deepStrictEqual(yield* open, [clientOrderId])
      assert.strictEqual((yield* privateCalls).length, 1)
    }).pipe(Effect.provide(exchange(overHttp(dialect), { transport }))))

  it.live("a code's amount is credited to the balance even if the response arrives after the timeout", () =>
    Effect.gen(function*() {
      yield* addFault({ path: "/api/v4/main-account/codes/apply", symptom: { _tag: "Delay", millis: 30_000 } })
      const now = yield* Clock.currentTimeMillis
      const error = yield* Effect.gen(function*() {
        // The call's clock stands still until the sandbox has redeemed the code.
        yield* TestClock.setTime(now)
        const fiber = yield* Effect.forkChild(failsWith("OutcomeUnknown")(Codes.use((codes) => codes.apply({ code }))))
        while ((yield* TestClock.withLive(worth)) !== "2.5") yield* TestClock.withLive(Effect.sleep(5))
        yield* TestClock.adjust("10 seconds")
        return yield* Fiber.join(fiber)
      }).pipe(Effect.provide(TestClock.layer()))
      assert.strictEqual(error.why, "timeout")
    }).pipe(Effect.provide(exchange(overHttp(dialect), { transport }))))

  it.live("the outcome is unknown after a connection reset or a proxy's 502", () =>
    Effect.gen(function*() {
      for (const [symptom, why] of [[Faults.reset, "connection-lost"], [Faults.badGateway, "server-error"]] as const) {
        yield* addFault({ path: stopLimitPath, symptom })
        const error = yield* failsWith("OutcomeUnknown")(create)
        assert.strictEqual(error.why, why)
        assert.deepStrictEqual(yield* open, [])
      }
      yield* create
      assert.deepStrictEqual(yield* open, [clientOrderId])
    }).pipe(Effect.provide(exchange(overHttp(dialect), { transport }))))

  it.live("a read succeeds after two failed attempts, with a new signature for each attempt", () =>
    Effect.gen(function*() {
      yield* addFault({ symptom: Faults.badGateway })
      yield* addFault({ symptom: Faults.reset })
      assert.strictEqual((yield* balance).size, 2)
      const calls = yield* privateCalls
      assert.strictEqual(new Set(calls.map(({ body }) => body)).size, 3)
    }).pipe(Effect.provide(exchange(overHttp(dialect), { transport }))))

  it.live("no order is sent while the markets can't be loaded", () =>
    Effect.gen(function*() {
      yield* addFault({ path: "/api/v4/public/markets", times: 1, symptom: Faults.badGateway })
      const error = yield* failsWith("ExchangeUnreachable")(create).pipe(once)
      assert.deepStrictEqual([error.why, error.outcome], ["market-rules", "not-applied"])
      assert.strictEqual(error.endpoint, "StopLimitOrders.create")
      assert.include(error.reason, "502")
      assert.deepStrictEqual(yield* privateCalls, [])
      yield* create
      assert.deepStrictEqual(yield* open, [clientOrderId])
    }).pipe(Effect.provide(exchange(overHttp(dialect), { transport }))))

  it.live("nothing is sent if the signer fails", () =>
    Effect.gen(function*() {
      const { apiKey, scrub } = yield* goodSigner
      const failing: Signer.Signer["Service"] = {
        apiKey,
        scrub,
        sign: () => Effect.fail(new Signer.SigningFailed({ reason: `no access for ${alice.apiSecret}` }))
      }
      const sign = signedBy(failing, transport)
      const error = yield* failsWith("ExchangeUnreachable")(create).pipe(Effect.provide(sign))
      assert.deepStrictEqual([error.why, error.outcome], ["not-signed", "not-applied"])
      assert.strictEqual(error.reason, "no access for <redacted>")
      assert.deepStrictEqual(yield* Recorder, [])
      yield* Markets.use(({ all }) => all).pipe(Effect.provide(sign))
    }).pipe(Effect.provide(overHttp(dialect))))

  it.live("a client with a remote signer needs no API secret", () =>
    Effect.gen(function*() {
      const { scrub, sign } = yield* goodSigner
      const remote = {
        apiKey: Redacted.make(alice.apiKey),
        scrub,
        sign: (payload: string) => Effect.delay(sign(payload), 5)
      }
      assert.strictEqual((yield* balance.pipe(Effect.provide(signedBy(remote, transport)))).size, 2)
    }).pipe(Effect.provide(overHttp(dialect))))
})
