import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as Call from "../../src/client/call/Call.ts"
import * as Credentials from "../../src/client/Credentials.ts"
import * as Intents from "../../src/client/Intents.ts"
import * as MarketRules from "../../src/client/MarketRules.ts"
import * as Nonce from "../../src/client/Nonce.ts"
import * as RateLimits from "../../src/client/RateLimits.ts"
import * as Region from "../../src/client/Region.ts"
import * as Signer from "../../src/client/Signer.ts"
import * as HttpClientTransport from "../../src/client/transport/HttpClientTransport.ts"
import { ClientOrderId } from "../../src/domain/Identifiers.ts"
import { CancelAllOrders } from "../../src/endpoints/CancelAllOrders.ts"
import { MainBalance } from "../../src/endpoints/MainBalance.ts"
import { StopLimitOrders } from "../../src/endpoints/StopLimitOrders.ts"
import * as Exchange from "../../src/Exchange.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import type * as Errors from "../../src/protocol/Errors.ts"
import { alice, answered, credentialsOf, stopLimit } from "../support/exchange.ts"
import { failsWith } from "../support/fails.ts"
import { answering, fieldsOf, html, json, privateCalls, Recorder, refusal, type Sent } from "../support/http.ts"
import { logsInto } from "../support/logs.ts"

const clientOrderId = ClientOrderId.make("mine")
const place = StopLimitOrders.use((orders) => orders.create({ ...stopLimit, clientOrderId }))
const cancelAll = CancelAllOrders.use((orders) => orders.cancel())

/** A call to an intent hook: the hook's name and its arguments. */
type Noted = ["record", Intents.Intent] | ["settled", Intents.Intent, Errors.Outcome]

const recorder = (noted: Array<Noted>, more: Partial<Intents.Service> = {}) =>
  Intents.layer({
    record: (intent) => Effect.sync(() => void noted.push(["record", intent])),
    settled: (intent, outcome) => Effect.sync(() => void noted.push(["settled", intent, outcome])),
    ...more
  })

const outcomes = (noted: ReadonlyArray<Noted>) => noted.map(([what, , outcome]) => outcome ?? what)

describe("an order's intent", () => {
  it.effect("an intent is recorded with all of the order's identifiers before anything is sent", () => {
    const noted: Array<Noted> = []
    let sent: ReadonlyArray<Sent> = []
    const sentBefore: Array<number> = []
    const watching = recorder(noted, {
      record: (intent) =>
        Effect.sync(() => {
          sentBefore.push(sent.length)
          noted.push(["record", intent])
        })
    })
    return Effect.gen(function*() {
      sent = yield* Recorder
      yield* TestClock.setTime(1_700_000_000_000)
      const error = yield* failsWith("OutcomeUnknown")(place)
      const [[, { request, ...intent }] = assert.fail("nothing was recorded")] = noted
      const { clientOrderId, endpoint, key, market = assert.fail("no market"), nonce, nonceForm, sentAt } = error
      assert.deepStrictEqual(intent, { clientOrderId, endpoint, key, market, nonce, nonceForm, sentAt } as never)
      assert.deepStrictEqual(Redacted.value(request), Redacted.value(error.request))
      assert.strictEqual(key, yield* Credentials.fingerprint(Redacted.make(alice.apiKey)))
      assert.strictEqual(fieldsOf(sent[0] ?? assert.fail("nothing was sent"))["nonce"], nonce.toString())
      assert.deepStrictEqual([sentBefore, sent.length], [[0], 1])
      assert.deepStrictEqual(outcomes(noted), ["record", "unknown"])
    }).pipe(Effect.provide(answered(() => html(502)).pipe(Layer.provide(watching))))
  })

  const endings: ReadonlyArray<readonly [string, () => Response | "lost", ReadonlyArray<string>]> = [
    ["applied", () => json(200, []), ["record", "applied"]],
    ["refused", () => refusal(400, 10, "Inner validation failed"), ["record", "not-applied"]],
    ["refused twice for its nonce", () => refusal(429, 0, "Too many requests."), [
      "record",
      "not-applied",
      "record",
      "not-applied"
    ]],
    ["left without a response", () => "lost", ["record", "unknown"]]
  ]
  for (const [name, answer, expected] of endings) {
    it.effect(`an intent is settled when the call is ${name}`, () => {
      const noted: Array<Noted> = []
      return Effect.gen(function*() {
        yield* Effect.exit(cancelAll)
        assert.deepStrictEqual(outcomes(noted), expected)
        for (let index = 0; index < noted.length; index += 2) {
          assert.strictEqual(noted[index]?.[1], noted[index + 1]?.[1])
        }
        const nonces = noted.map(([, { nonce }]) => nonce)
        assert.strictEqual(new Set(nonces).size, noted.length / 2)
      }).pipe(Effect.provide(answered(answer).pipe(Layer.provide(recorder(noted)))))
    })
  }

  it.effect("the intent of an accepted order with an unreadable response is settled as applied", () => {
    const noted: Array<Noted> = []
    return Effect.gen(function*() {
      yield* failsWith("AcceptedUnreadable")(place)
      assert.deepStrictEqual(outcomes(noted), ["record", "applied"])
    }).pipe(Effect.provide(answered(() => json(200, { order_id: 7 })).pipe(Layer.provide(recorder(noted)))))
  })

  it.effect("no intent is recorded for a read or for a call that the client refuses", () => {
    const noted: Array<Noted> = []
    return Effect.gen(function*() {
      yield* MainBalance.use(({ all }) => all)
      yield* Effect.flip(StopLimitOrders.use((orders) => orders.create({ ...stopLimit, market: "x" as never })))
      assert.deepStrictEqual(noted, [])
    }).pipe(Effect.provide(answered(() => json(200, {})).pipe(Layer.provide(recorder(noted)))))
  })

  it.effect("a call whose intent can't be recorded is not sent", () => {
    const noted: Array<Noted> = []
    const failing = recorder(noted, {
      record: () => Effect.fail(new Intents.IntentNotRecorded({ reason: "the disk is full" }))
    })
    return Effect.gen(function*() {
      const error = yield* failsWith("ExchangeUnreachable")(place)
      assert.deepStrictEqual([error.why, error.reason, error.outcome], [
        "not-recorded",
        "the disk is full",
        "not-applied"
      ])
      assert.strictEqual(error.clientOrderId, clientOrderId)
      assert.deepStrictEqual(yield* privateCalls, [])
      assert.deepStrictEqual(outcomes(noted), ["not-applied"])
    }).pipe(Effect.provide(answered(() => json(200, {})).pipe(Layer.provide(failing))))
  })

  it.effect("a call whose intent is not recorded in time is not sent", () => {
    const hanging = recorder([], { record: () => Effect.never })
    return Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(failsWith("ExchangeUnreachable")(place))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).why, "not-recorded")
      assert.deepStrictEqual(yield* privateCalls, [])
    }).pipe(Effect.provide(answered(() => json(200, {})).pipe(Layer.provide(hanging))))
  })

  it.effect("a caller gets the response even if the outcome can't be recorded", () => {
    const logged: Array<string> = []
    const failing = recorder([], { settled: () => Effect.die("the disk is full") })
    return Effect.gen(function*() {
      yield* cancelAll
      assert.match(logged.join("\n"), /level=ERROR.*CancelAllOrders\.cancel: its outcome, applied.*the disk is full/su)
    }).pipe(
      Effect.provide([answered(() => json(200, [])).pipe(Layer.provide(failing)), logsInto(logged)])
    )
  })
})

describe("interrupted fibers", () => {
  it.effect("a call that is interrupted in flight is settled as unknown and logged", () => {
    const noted: Array<Noted> = []
    const logged: Array<string> = []
    return Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(place)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* privateCalls).length, 1)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(outcomes(noted), ["record", "unknown"])
      assert.match(logged.join("\n"), /level=WARN.*StopLimitOrders\.create was interrupted.*mine/u)
    }).pipe(
      Effect.provide([answered(() => Effect.never).pipe(Layer.provide(recorder(noted))), logsInto(logged)])
    )
  })

  it.effect("a call that is interrupted while its intent is being recorded is not sent and is settled as not applied", () => {
    const noted: Array<Noted> = []
    return Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const slow = recorder(noted, {
        record: () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
      })
      yield* Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(place)
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(outcomes(noted), ["not-applied"])
        assert.deepStrictEqual(yield* privateCalls, [])
      }).pipe(Effect.provide(answered(() => json(200, {})).pipe(Layer.provide(slow))))
    })
  })

  it.effect("a call that is interrupted during signing is not sent and is settled as not applied", () => {
    const noted: Array<Noted> = []
    const logged: Array<string> = []
    return Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(place)
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(outcomes(noted), ["record", "not-applied"])
      assert.deepStrictEqual(yield* privateCalls, [])
      assert.deepStrictEqual(logged, [])
    }).pipe(Effect.provide([signedBy(() => Effect.never, noted), logsInto(logged)]))
  })
})

/** Creates a client with a remote signer. */
const signedBy = (sign: Signer.Signer["Service"]["sign"], noted: Array<Noted>) =>
  Exchange.layerServices.pipe(
    Layer.provide([
      HttpClientTransport.layer,
      Layer.succeed(Signer.Signer, { ...credentialsOf(alice), scrub: (text) => text, sign }),
      Nonce.layerWindow,
      RateLimits.layerNone,
      MarketRules.layerNone,
      Region.layer({ baseUrl: "https://exchange.invalid", dialect: Dialect.live }),
      recorder(noted)
    ]),
    Layer.provideMerge(answering(() => json(200, []))),
    Layer.orDie
  )

describe("a remote signer that never returns", () => {
  it.effect("a call fails at its timeout when the signer never returns, and nothing is sent", () => {
    const noted: Array<Noted> = []
    return Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(
        failsWith("ExchangeUnreachable")(cancelAll.pipe(
          Call.withTimeout("2 seconds")
        ))
      )
      yield* TestClock.adjust("2 seconds")
      const error = yield* Fiber.join(fiber)
      assert.deepStrictEqual([error.why, error.reason, error.outcome], [
        "not-signed",
        "no signature within 2000 ms",
        "not-applied"
      ])
      assert.deepStrictEqual(outcomes(noted), ["record", "not-applied"])
      assert.deepStrictEqual(yield* privateCalls, [])
    }).pipe(Effect.provide(signedBy(() => Effect.never, noted)))
  })

  it.effect("a call whose signature arrives after the timeout is not sent", () => {
    const noted: Array<Noted> = []
    return Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(failsWith("ExchangeUnreachable")(cancelAll))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Fiber.join(fiber)).why, "not-signed")
      assert.deepStrictEqual(yield* privateCalls, [])
    }).pipe(Effect.provide(signedBy(() => Effect.delay(Effect.succeed("late"), "15 seconds"), noted)))
  })
})

describe("a call's timeout", () => {
  const after = (layerHas: Layer.Layer<never>) => answered(() => Effect.never).pipe(Layer.provide(layerHas))
  const took = (call: typeof cancelAll) =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(failsWith("OutcomeUnknown")(call))
      let seconds = 0
      while (fiber.pollUnsafe() === undefined) {
        yield* TestClock.adjust("1 second")
        seconds++
      }
      return seconds
    })

  it.effect("a call's own timeout takes precedence over the layer's", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* took(cancelAll), 3)
      assert.strictEqual(yield* took(cancelAll.pipe(Call.withTimeout("5 seconds"))), 5)
    }).pipe(Effect.provide(after(Layer.succeed(Call.Timeout, "3 seconds")))))

  it.effect("a call times out after ten seconds by default", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* took(cancelAll), 10)
    }).pipe(Effect.provide(after(Layer.empty))))
})
