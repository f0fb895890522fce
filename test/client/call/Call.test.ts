import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as Call from "../../../src/client/call/Call.ts"
import * as Credentials from "../../../src/client/Credentials.ts"
import * as Nonce from "../../../src/client/Nonce.ts"
import { ClientOrderId } from "../../../src/domain/Identifiers.ts"
import { Limit } from "../../../src/domain/Paging.ts"
import { CancelAllOrders } from "../../../src/endpoints/CancelAllOrders.ts"
import { Codes } from "../../../src/endpoints/Codes.ts"
import { CollateralOcoOrders } from "../../../src/endpoints/CollateralOcoOrders.ts"
import { DeleteSubAccount } from "../../../src/endpoints/DeleteSubAccount.ts"
import { Fees } from "../../../src/endpoints/Fees.ts"
import { InterestPaymentHistory } from "../../../src/endpoints/InterestPaymentHistory.ts"
import { MainBalance } from "../../../src/endpoints/MainBalance.ts"
import { Markets } from "../../../src/endpoints/Markets.ts"
import { ServerStatus } from "../../../src/endpoints/ServerStatus.ts"
import { StopLimitOrders } from "../../../src/endpoints/StopLimitOrders.ts"
import { SubAccounts } from "../../../src/endpoints/SubAccounts.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import type * as Errors from "../../../src/protocol/Errors.ts"
import {
  alice,
  answeredOverHttpClient,
  code,
  emptySubAccount,
  oco,
  once,
  passphrase,
  stopLimit,
  ways
} from "../../support/exchange.ts"
import { failsWith } from "../../support/fails.ts"
import { fieldsOf, html, json, privateCalls, Recorder, refusal } from "../../support/http.ts"

const clientOrderId = ClientOrderId.make("mine-1")

const placeStop = StopLimitOrders.use((orders) => orders.create({ ...stopLimit, clientOrderId }))
const placeOco = CollateralOcoOrders.use((orders) => orders.create({ ...oco, clientOrderId, reduceOnly: true }))
const cancelAll = CancelAllOrders.use((orders) => orders.cancel())
const applyCode = Codes.use((codes) => codes.apply({ code, passphrase }))
const deleteSubAccount = DeleteSubAccount.use((service) => service.delete({ id: emptySubAccount }))
const interest = InterestPaymentHistory.use((history) => history.page({ limit: Limit.make(5) }))
const subAccounts = SubAccounts.use((service) => service.page())
const balance = MainBalance.use(({ all }) => all)
const fees = Fees.use(({ list }) => list)
const ping = ServerStatus.use((status) => status.ping)
const markets = Markets.use(({ all }) => all)

const mutating = { placeStop, placeOco, cancelAll, applyCode, deleteSubAccount }
const reading = { interest, subAccounts, balance, fees }
const open = { ping, markets }

/** The error's tag, its outcome, and whether the call can be retried. */
const verdict = (error: Errors.CallError) => [error._tag, error.outcome, error.isRetryable] as const

// -----------------------------------------------------------------------------
// Classification of responses
// -----------------------------------------------------------------------------

type Verdict = ReturnType<typeof verdict>

/** A response, and its expected classification for a mutating call and for a read. */
const answers: ReadonlyArray<readonly [name: string, () => Response | "lost", mutating: Verdict, reading: Verdict]> = [
  [
    "502 with HTML",
    () => html(502),
    ["OutcomeUnknown", "unknown", false],
    ["UnexpectedResponse", "not-applied", true]
  ],
  [
    "503 with the exchange's own error body",
    () => refusal(503, 0, "The exchange has stopped."),
    ["OutcomeUnknown", "unknown", false],
    ["UnexpectedResponse", "not-applied", true]
  ],
  [
    "408",
    () => html(408),
    ["OutcomeUnknown", "unknown", false],
    ["UnexpectedResponse", "not-applied", false]
  ],
  [
    "421 with the exchange's own error body",
    () => refusal(421, 30, "Validation failed"),
    ["OutcomeUnknown", "unknown", false],
    ["UnexpectedResponse", "not-applied", false]
  ],
  [
    "307",
    () => new Response(null, { status: 307, headers: { location: "https://elsewhere.invalid/" } }),
    ["OutcomeUnknown", "unknown", false],
    ["UnexpectedResponse", "not-applied", false]
  ],
  [
    "a broken connection",
    () => "lost",
    ["OutcomeUnknown", "unknown", false],
    ["ExchangeUnreachable", "not-applied", true]
  ],
  [
    "200 with HTML",
    () => html(200),
    ["OutcomeUnknown", "unknown", false],
    ["UnexpectedResponse", "not-applied", false]
  ],
  [
    "200 with half a JSON text",
    () => new Response("{\"order_id\": 12"),
    ["OutcomeUnknown", "unknown", false],
    ["UnexpectedResponse", "not-applied", false]
  ],
  [
    "429 with HTML",
    () => html(429),
    ["OutcomeUnknown", "unknown", false],
    ["RateLimited", "not-applied", true]
  ],
  [
    "404 with HTML",
    () => html(404),
    ["OutcomeUnknown", "unknown", false],
    ["UnexpectedResponse", "not-applied", false]
  ],
  [
    "429 with an error body",
    () => refusal(429, 0, "Too Many Attempts."),
    ["RateLimited", "not-applied", true],
    ["RateLimited", "not-applied", true]
  ],
  [
    "401",
    () => refusal(401, 10, "Unauthorized request."),
    ["NotAuthorized", "not-applied", false],
    ["NotAuthorized", "not-applied", false]
  ],
  [
    "403",
    () => refusal(403, 0, "You don't have permission to use this endpoint."),
    ["NotAuthorized", "not-applied", false],
    ["NotAuthorized", "not-applied", false]
  ],
  [
    "400 with another code",
    () => refusal(400, 10, "Inner validation failed", { amount: ["Not enough balance."] }),
    ["RequestRejected", "not-applied", false],
    ["RequestRejected", "not-applied", false]
  ],
  [
    "400 without a code",
    () => json(400, { message: "No." }),
    ["OutcomeUnknown", "unknown", false],
    ["RequestRejected", "not-applied", false]
  ]
]

describe.each(ways)("calls with services $way", ({ answered }) => {
  describe("classifying responses", () => {
    for (const [name, answer, ofMutating, ofReading] of answers) {
      for (const [call, effect] of Object.entries({ ...mutating, ...reading })) {
        it.effect(`after ${name}, ${call} ends with the expected classification and is not retried`, () =>
          Effect.gen(function*() {
            const error = yield* Effect.flip(effect as typeof placeStop)
            assert.deepStrictEqual(verdict(error), Object.hasOwn(mutating, call) ? ofMutating : ofReading)
            assert.strictEqual((yield* privateCalls).length, 1)
          }).pipe(once, Effect.provide(answered(answer))))
      }
    }

    const ofPublic: ReadonlyArray<readonly [string, () => Response | "lost", Verdict]> = [
      ["success: false", () => json(200, { success: false, message: "No.", params: [1] }), [
        "PublicRequestRejected",
        "not-applied",
        false
      ]],
      ["422 with messages by field", () => json(422, { message: { market: ["Unknown."] } }), [
        "PublicRequestRejected",
        "not-applied",
        false
      ]],
      ["429 with an error body", () => json(429, { success: false, message: "Slow.", params: [] }), [
        "RateLimited",
        "not-applied",
        true
      ]],
      ["429 with HTML", () => html(429), ["RateLimited", "not-applied", true]],
      ["502 with HTML", () => html(502), ["UnexpectedResponse", "not-applied", true]],
      ["another body", () => json(200, { pong: true }), ["UnexpectedResponse", "not-applied", false]],
      ["a broken connection", () => "lost", ["ExchangeUnreachable", "not-applied", true]]
    ]
    for (const [name, answer, expected] of ofPublic) {
      for (const [call, effect] of Object.entries(open)) {
        it.effect(`${call} fails with the expected error after ${name}`, () =>
          Effect.gen(function*() {
            const error = yield* Effect.flip(effect as typeof ping)
            assert.deepStrictEqual(verdict(error), expected)
            assert.strictEqual((yield* Recorder).length, 1)
          }).pipe(once, Effect.provide(answered(answer))))
      }
    }
  })

  describe("the fields of errors", () => {
    it.effect("ValidationFailed uses the request's field names, and keeps the exchange's names for unknown fields", () =>
      Effect.gen(function*() {
        const error = yield* failsWith("ValidationFailed")(placeStop)
        assert.deepStrictEqual(error.fields, {
          clientOrderId: ["taken", "ugly"],
          activationPrice: ["too low"]
        })
        assert.deepStrictEqual(error.otherFields, { lending: ["what?"], __proto__x: ["5"] })
        assert.deepStrictEqual([error.status, error.code, error.origin], [400, 30, "exchange"])
        assert.include(error.body, "too low")
        assert.include(error.message, "clientOrderId: taken; ugly; activationPrice: too low")
      }).pipe(
        Effect.provide(answered(() =>
          refusal(400, 30, "Validation failed", {
            client_order_id: ["taken", "ugly"],
            activation_price: "too low",
            lending: ["what?"],
            __proto__x: [5]
          })
        ))
      ))

    for (const numbered of [30, 31, 36, 43]) {
      it.effect(`ValidationFailed keeps the live exchange's code ${numbered}`, () =>
        Effect.gen(function*() {
          const error = yield* failsWith("ValidationFailed")(placeStop)
          assert.deepStrictEqual([error.status, error.code], [422, numbered])
          assert.deepStrictEqual(error.fields, { clientOrderId: ["no"] })
        }).pipe(
          Effect.provide(
            answered(() => refusal(422, numbered, "Validation failed", { clientOrderId: ["no"] }), Dialect.live)
          )
        ))
    }

    it.effect("InvalidFields uses the request's field names", () =>
      Effect.gen(function*() {
        const error = yield* failsWith("InvalidFields")(applyCode)
        assert.deepStrictEqual(error.fields, { passphrase: ["too long"] })
        assert.deepStrictEqual([error.status, error.code], [400, 0])
      }).pipe(Effect.provide(answered(() => refusal(400, 0, "Validation failed", { passphrase: ["too long"] })))))

    it.effect("code 116 becomes ReduceOnlyRejected for a reduce-only request, and RequestRejected for any other request", () =>
      Effect.gen(function*() {
        const error = yield* failsWith("ReduceOnlyRejected")(placeOco)
        assert.deepStrictEqual([error.code, error.fields], [116, { reduceOnly: ["no position"] }])
        assert.deepStrictEqual(verdict(error), ["ReduceOnlyRejected", "not-applied", false])
        const other = yield* failsWith("RequestRejected")(placeStop)
        assert.deepStrictEqual([other.code, other.otherFields], [116, { reduceOnly: ["no position"] }])
      }).pipe(
        Effect.provide(answered(() => refusal(400, 116, "Validation failed", { reduceOnly: ["no position"] })))
      ))

    it.effect("RequestRejected contains the entire refusal", () =>
      Effect.gen(function*() {
        const error = yield* failsWith("RequestRejected")(placeStop)
        assert.deepStrictEqual([error.status, error.code, error.reason], [422, 10, "Inner validation failed"])
        assert.deepStrictEqual(error.fields, { amount: ["Not enough balance."] })
      }).pipe(
        Effect.provide(answered(() => refusal(422, 10, "Inner validation failed", { amount: ["Not enough balance."] })))
      ))

    it.effect("PublicRequestRejected contains the message and the parameters", () =>
      Effect.gen(function*() {
        const error = yield* failsWith("PublicRequestRejected")(ping)
        assert.deepStrictEqual([error.status, error.reason, error.params], [400, "Invalid.", ["a", 1]])
      }).pipe(Effect.provide(answered(() => json(400, { success: false, message: "Invalid.", params: ["a", 1] })))))

    const authorisations = [
      [401, 10, placeStop, "unauthenticated"],
      [401, 0, placeStop, "unauthenticated"],
      [401, 2, placeStop, "key-disabled"],
      [401, 4, placeStop, "endpoint-not-allowed"],
      [401, 77, placeStop, "not-permitted"],
      [403, 0, placeStop, "not-permitted"],
      [403, 0, interest, "no-b2b-access"]
    ] as const
    for (const [status, number, call, why] of authorisations) {
      it.effect(`NotAuthorized for status ${status} with code ${number} has the reason ${why}`, () =>
        Effect.gen(function*() {
          const error = yield* failsWith("NotAuthorized")(call as typeof placeStop)
          assert.deepStrictEqual([error.why, error.status, error.code, error.reason], [why, status, number, "No."])
        }).pipe(Effect.provide(answered(() => refusal(status, number, "No.")))))
    }

    it.effect("AcceptedUnreadable contains every order id, including ids above 2^53", () =>
      Effect.gen(function*() {
        const error = yield* failsWith("AcceptedUnreadable")(placeOco)
        assert.deepStrictEqual(error.orderIds as ReadonlyArray<string>, ["9007199254740993", "2", "3"])
        assert.deepStrictEqual(verdict(error), ["AcceptedUnreadable", "applied", false])
        assert.strictEqual(error.status, 200)
        assert.include(error.body, "stop_loss")
        assert.strictEqual((yield* privateCalls).length, 1)
      }).pipe(
        Effect.provide(answered(() =>
          new Response(
            "{\"id\":9007199254740993,\"stop_loss\":{\"order_id\":2,\"amount\":5},\"take_profit\":{\"order_id\":3}}"
          )
        ))
      ))

    it.effect("OutcomeUnknown contains the order's identifiers and the scrubbed request", () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(1_700_000_000_123)
        const error = yield* failsWith("OutcomeUnknown")(placeStop)
        assert.deepStrictEqual([error.why, error.status, error.body], ["server-error", 502, yield* text(html(502))])
        assert.deepStrictEqual([error.clientOrderId, error.market], [clientOrderId, stopLimit.market])
        assert.deepStrictEqual(Redacted.value(error.request), { ...stopLimit, clientOrderId })
        assert.strictEqual(error.sentAt, 1_700_000_000_123_000)
        assert.deepStrictEqual([error.key, error.nonceForm], [
          yield* Credentials.fingerprint(Redacted.make(alice.apiKey)),
          "unique"
        ])
        const [sent] = yield* privateCalls
        assert.strictEqual(fieldsOf(sent ?? assert.fail("nothing was sent"))["nonce"], error.nonce.toString())
        const ofCode = yield* failsWith("OutcomeUnknown")(applyCode)
        assert.notInclude(String(ofCode) + JSON.stringify(ofCode), passphrase)
      }).pipe(Effect.provide(answered(() => html(502)))))

    const text = (response: Response) => Effect.promise(() => response.text())

    const causes = [
      ["timeout", () => Effect.never],
      ["connection-lost", () => "lost" as const],
      ["redirected", () => new Response(null, { status: 302 })],
      ["server-error", () => html(500)],
      ["unreadable-answer", () => json(200, "yes")]
    ] as const
    for (const [why, answer] of causes) {
      it.effect(`OutcomeUnknown reports ${why}`, () =>
        Effect.gen(function*() {
          const fiber = yield* Effect.forkChild(failsWith("OutcomeUnknown")(placeStop))
          yield* TestClock.adjust("10 seconds")
          assert.strictEqual((yield* Fiber.join(fiber)).why, why)
          yield* TestClock.adjust("1 hour")
          assert.strictEqual((yield* privateCalls).length, 1)
        }).pipe(Effect.provide(answered(answer))))
    }

    it.effect("an error shortens a long body", () =>
      Effect.gen(function*() {
        const error = yield* failsWith("UnexpectedResponse")(balance)
        assert.isBelow(error.body.length, 5000)
        assert.include(error.body, "(100000 characters)")
      }).pipe(Effect.provide(answered(() => new Response("x".repeat(100_000))))))

    it.effect("a response with a page other than the requested one is an UnexpectedResponse", () =>
      Effect.gen(function*() {
        const error = yield* failsWith("UnexpectedResponse")(interest)
        assert.deepStrictEqual(verdict(error), ["UnexpectedResponse", "not-applied", false])
        assert.include(error.problem, "limit 5 was requested, but the response has limit 6")
        assert.strictEqual((yield* privateCalls).length, 1)
      }).pipe(Effect.provide(answered(() => json(200, { limit: 6, offset: 0, records: [] })))))

    it.effect("Effect.catchTags catches each error by its tag", () =>
      Effect.gen(function*() {
        const caught = placeStop.pipe(
          Effect.map(() => "created" as const),
          Effect.catchTags({
            ValidationFailed: ({ fields }) => Effect.succeed(`fields ${Object.keys(fields).join()}`),
            RequestRejected: ({ reason }) => Effect.succeed(`rejected ${reason}`),
            NotAuthorized: ({ why }) => Effect.succeed(why),
            NonceRejected: ({ reason }) => Effect.succeed(reason),
            RateLimited: ({ reason }) => Effect.succeed(reason),
            AcceptedUnreadable: ({ orderIds }) => Effect.succeed(orderIds.join()),
            OutcomeUnknown: ({ why }) => Effect.succeed(why),
            ExchangeUnreachable: ({ why }) => Effect.succeed(why)
          })
        )
        assert.strictEqual(yield* caught, "fields amount")
      }).pipe(Effect.provide(answered(() => refusal(400, 30, "Validation failed", { amount: ["no"] })))))
  })

  // -----------------------------------------------------------------------------
  // Attempts
  // -----------------------------------------------------------------------------

  const nonceUsed = () => refusal(429, 0, "Too many requests.")
  const created = () => json(200, [])

  /** Asserts that a read makes three attempts: one immediately, and the others after about 100 and 200 milliseconds. */
  const threeAttempts = Effect.gen(function*() {
    const count = Effect.map(privateCalls, (calls) => calls.length)
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(yield* count, 1)
    yield* TestClock.adjust("70 millis")
    assert.strictEqual(yield* count, 1)
    yield* TestClock.adjust("60 millis")
    assert.strictEqual(yield* count, 2)
    yield* TestClock.adjust("100 millis")
    assert.strictEqual(yield* count, 2)
    yield* TestClock.adjust("150 millis")
    assert.strictEqual(yield* count, 3)
    yield* TestClock.adjust("1 hour")
    assert.strictEqual(yield* count, 3)
  })

  /**
   * Asserts that all attempts send the same request, and that each attempt has a different nonce, payload and
   * signature.
   */
  const freshEachTime = Effect.gen(function*() {
    const calls = yield* privateCalls
    const distinct = (of: (call: (typeof calls)[number]) => unknown) => new Set(calls.map(of)).size
    assert.strictEqual(distinct((call) => fieldsOf(call)["nonce"]), calls.length)
    assert.strictEqual(distinct(({ headers }) => headers["x-txc-payload"]), calls.length)
    assert.strictEqual(distinct(({ headers }) => headers["x-txc-signature"]), calls.length)
    assert.strictEqual(distinct((call) => JSON.stringify({ ...fieldsOf(call), nonce: "" })), 1)
  })

  describe("a call's attempts", () => {
    for (const [call, effect] of Object.entries(mutating)) {
      it.effect(`after a refused nonce, ${call} is retried once with a new nonce`, () =>
        Effect.gen(function*() {
          const error = yield* failsWith("NonceRejected")(effect as typeof placeStop)
          assert.deepStrictEqual(verdict(error), ["NonceRejected", "not-applied", true])
          assert.strictEqual((yield* privateCalls).length, 2)
          yield* freshEachTime
        }).pipe(Effect.provide(answered(nonceUsed))))
    }

    for (const [call, effect] of Object.entries(mutating)) {
      it.effect(`after a refused nonce, ${call} is not retried over a transport that can't open a fresh connection`, () =>
        Effect.gen(function*() {
          const error = yield* failsWith("NonceRejected")(effect as typeof placeStop)
          assert.deepStrictEqual(verdict(error), ["NonceRejected", "not-applied", true])
          assert.strictEqual((yield* privateCalls).length, 1)
        }).pipe(Effect.provide(answeredOverHttpClient(nonceUsed))))
    }

    it.effect("a call that can't get a nonce is not sent", () =>
      Effect.gen(function*() {
        const error = yield* failsWith("ExchangeUnreachable")(cancelAll)
        assert.deepStrictEqual([error.why, error.reason, error.outcome], ["nonce", "none left", "not-applied"])
        assert.strictEqual((yield* privateCalls).length, 0)
      }).pipe(
        Effect.provide(answered(created, Dialect.live, {
          window: true,
          use: () => Effect.fail(new Nonce.NonceUnavailable({ reason: "none left" }))
        }))
      ))

    it.effect("a nonce outside the window is treated as a refused nonce", () =>
      Effect.gen(function*() {
        yield* failsWith("NonceRejected")(cancelAll)
        assert.strictEqual((yield* privateCalls).length, 2)
      }).pipe(
        Effect.provide(
          answered(
            () => refusal(400, 9, "Your nonce is more than 5 seconds lesser than the current nonce"),
            Dialect.live
          )
        )
      ))

    it.effect("a call succeeds if its second attempt succeeds", () =>
      Effect.gen(function*() {
        yield* cancelAll
        assert.strictEqual((yield* privateCalls).length, 2)
        yield* freshEachTime
      }).pipe(Effect.provide(answered((_sent, index) => index === 0 ? nonceUsed() : created()))))

    it.effect("a mutating call that was retried after a refused nonce is not retried again", () =>
      Effect.gen(function*() {
        yield* failsWith("OutcomeUnknown")(cancelAll)
        assert.strictEqual((yield* privateCalls).length, 2)
      }).pipe(Effect.provide(answered((_sent, index) => index === 0 ? nonceUsed() : html(502)))))

    const passing = [
      ["a 502", () => html(502), "UnexpectedResponse"],
      ["a broken connection", () => "lost" as const, "ExchangeUnreachable"]
    ] as const
    for (const [name, answer, tag] of passing) {
      for (const [call, effect] of Object.entries(reading)) {
        it.effect(`${call} is attempted three times if every attempt ends in ${name}`, () =>
          Effect.gen(function*() {
            const fiber = yield* Effect.forkChild(Effect.flip(effect as typeof balance))
            yield* threeAttempts
            assert.strictEqual((yield* Fiber.join(fiber))._tag, tag)
            yield* freshEachTime
          }).pipe(Effect.provide(answered(answer))))
      }
    }

    const refusedNonces = [
      ["even if it is refused again", nonceUsed, 2],
      ["even if another attempt fails in between", (index: number) => index === 1 ? html(502) : nonceUsed(), 3]
    ] as const
    for (const [when, answer, attempts] of refusedNonces) {
      for (const [call, effect] of Object.entries(reading)) {
        it.effect(`${call} gets only one retry for a refused nonce, ${when}`, () =>
          Effect.gen(function*() {
            const fiber = yield* Effect.forkChild(Effect.flip(effect as typeof balance))
            yield* TestClock.adjust("1 hour")
            assert.strictEqual((yield* Fiber.join(fiber))._tag, "NonceRejected")
            assert.strictEqual((yield* privateCalls).length, attempts)
            yield* freshEachTime
          }).pipe(
            Effect.provideService(Call.ReadRetry, Array.from({ length: 5 }, () => 0)),
            Effect.provide(answered((_sent, index) => answer(index)))
          ))
      }
    }

    const final: ReadonlyArray<readonly [string, () => Response]> = [
      ["a response that does not decode", () => json(200, { BTC: 5 })],
      ["a redirect", () => new Response(null, { status: 307 })],
      ["a refused key", () => refusal(401, 10, "Unauthorized request.")],
      ["a rejection", () => refusal(400, 10, "No.")]
    ]
    for (const [name, answer] of final) {
      for (const [call, effect] of Object.entries(reading)) {
        it.effect(`${call} is not retried after ${name}`, () =>
          Effect.gen(function*() {
            const fiber = yield* Effect.forkChild(Effect.flip(effect as typeof balance))
            yield* TestClock.adjust("1 hour")
            yield* Fiber.join(fiber)
            assert.strictEqual((yield* privateCalls).length, 1)
          }).pipe(Effect.provide(answered(answer))))
      }
    }

    it.effect("a read succeeds if its last attempt succeeds", () =>
      Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(balance)
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* Fiber.join(fiber)).size, 0)
        assert.strictEqual((yield* privateCalls).length, 3)
      }).pipe(Effect.provide(answered((_sent, index) => index < 2 ? html(502) : json(200, {})))))

    it.effect("a read is retried after about 100 and then about 200 milliseconds", () =>
      Effect.gen(function*() {
        yield* Effect.forkChild(Effect.flip(balance))
        for (
          const [millis, attempts] of [[79, 1], [121 - 79, 2], [239 - 121, 2], [361 - 239, 3], [10_000, 3]] as const
        ) {
          yield* TestClock.adjust(millis)
          assert.strictEqual((yield* privateCalls).length, attempts)
        }
      }).pipe(Effect.provide(answered(() => html(502)))))

    it.effect("a public read is retried after a 502", () =>
      Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(Effect.flip(ping))
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(fiber)
        assert.strictEqual((yield* Recorder).length, 3)
      }).pipe(Effect.provide(answered(() => html(502)))))

    it.effect("ReadRetry replaces the backoff of a single call", () =>
      Effect.gen(function*() {
        yield* Effect.flip(balance).pipe(Effect.provideService(Call.ReadRetry, Array.from({ length: 6 }, () => 0)))
        assert.strictEqual((yield* privateCalls).length, 7)
        yield* Effect.flip(balance).pipe(once)
        assert.strictEqual((yield* privateCalls).length, 8)
      }).pipe(Effect.provide(answered(() => html(502)))))

    it.effect("ReadRetry does not affect mutating calls", () =>
      Effect.gen(function*() {
        for (const effect of Object.values(mutating)) {
          yield* Effect.flip(effect as typeof placeStop).pipe(
            Effect.provideService(Call.ReadRetry, Array.from({ length: 6 }, () => 0))
          )
        }
        assert.strictEqual((yield* privateCalls).length, Object.keys(mutating).length)
      }).pipe(Effect.provide(answered(() => html(502)))))
  })

  describe("a call's timeout", () => {
    const silent = answered(() => Effect.never)
    const fails = (effect: typeof balance | typeof placeStop, after: Duration.Input) =>
      Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(Effect.result(effect as typeof balance).pipe(once))
        yield* TestClock.adjust(Duration.toMillis(after) - 1)
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust("1 millis")
        return Result.getOrThrow(Result.flip(yield* Fiber.join(fiber)))
      })

    it.effect("the timeout is ten seconds by default", () =>
      Effect.gen(function*() {
        const error = yield* fails(balance, "10 seconds")
        assert.strictEqual(error._tag === "ExchangeUnreachable" && error.why, "timeout")
      }).pipe(Effect.provide(silent)))

    it.effect("the timeout can be set for one call", () =>
      Effect.gen(function*() {
        const error = yield* fails(placeStop, "50 millis").pipe(Effect.provideService(Call.Timeout, "50 millis"))
        assert.deepStrictEqual(verdict(error), ["OutcomeUnknown", "unknown", false])
        assert.include(error.message, "50 ms")
      }).pipe(Effect.provide(silent)))

    it.effect("the timeout covers the entire response, up to its last byte", () =>
      Effect.gen(function*() {
        const error = yield* fails(placeStop, "10 seconds")
        assert.strictEqual(error._tag, "OutcomeUnknown")
      }).pipe(
        Effect.provide(answered(() =>
          new Response(new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode("{")) }))
        ))
      ))

    it.effect("an interrupted call is not retried", () =>
      Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(balance)
        yield* TestClock.adjust("1 second")
        yield* Fiber.interrupt(fiber)
        yield* TestClock.adjust("1 hour")
        assert.strictEqual((yield* privateCalls).length, 1)
      }).pipe(Effect.provide(silent)))
  })
})
