import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { ControlClient } from "../../../src/sandbox/control/ControlClient.ts"
import * as CallLog from "../../../src/sandbox/gateway/CallLog.ts"
import { answerLost } from "../../../src/sandbox/gateway/Faults.ts"
import type { Request } from "../../../src/sandbox/gateway/Message.ts"
import * as Records from "../../../src/sandbox/gateway/RequestRecord.ts"
import { routes } from "../../../src/sandbox/handlers/Routes.ts"
import { Venue } from "../../../src/sandbox/venue/Venue.ts"
import { inProcess, post, token, type World, worlds } from "../../support/control.ts"
import {
  type Account,
  addKey,
  alice,
  bob,
  code,
  codeOfAlice,
  disabled,
  emptySubAccount,
  passphrase,
  protectedCode,
  restricted
} from "../../support/exchange.ts"
import { property } from "../../support/property.ts"
import { freshNonce, hmac, read, signed, signedText } from "../../support/signed.ts"

const stopLimit = "/api/v4/order/stop_limit"

const order = { market: "BTC_USDT", side: "buy", amount: "0.5", price: "1000", activation_price: "990.5" }

describe.each(worlds)("the call log (%s)", (_name, dialect, world) => {
  const test = <E>(name: string, effect: Effect.Effect<unknown, E, World>) =>
    it.live(name, () => Effect.provide(effect, world))

  const requests = ControlClient.use((control) => control.requests({ query: {} }))

  test(
    "a call's record contains the call's fields, its outcome, and the number of its command",
    Effect.gen(function*() {
      const { sequence } = yield* ControlClient.use((control) => control.status())
      yield* post(signed(dialect, stopLimit, order))
      yield* post(signed(dialect, stopLimit, { ...order, amount: "9999" }))
      yield* post(signed(dialect, stopLimit, { ...order, side: "up", nonsense: "x" }))
      yield* post(signed(dialect, stopLimit, order, disabled))
      const records = yield* requests
      assert.deepStrictEqual(records.map(({ number }) => number), [1, 2, 3, 4])
      assert.deepStrictEqual(records.map(({ verdict }) => verdict), ["answered", "refused", "refused", "refused"])
      const [placed, unaffordable, invalid, off] = records
      assert.deepInclude(placed, {
        method: "POST",
        path: stopLimit,
        account: "alice",
        key: "key of alice",
        endpoint: "StopLimitOrders.create",
        status: 200,
        command: sequence + 1
      })
      assert.deepStrictEqual(placed?.fields, {
        market: "BTC_USDT",
        side: "buy",
        amount: "0.5",
        price: "1000",
        activationPrice: "990.5"
      })
      assert.isDefined(placed?.nonce)
      assert.deepInclude(unaffordable, { refused: "notEnoughBalance", command: sequence + 2 })
      assert.deepInclude(invalid, { refused: "invalid", command: sequence + 3 })
      assert.deepStrictEqual(invalid?.violations, { side: "oneOf" })
      assert.deepStrictEqual(invalid?.expected, { side: "one of buy, sell" })
      assert.deepStrictEqual(invalid?.ignored, ["nonsense"])
      assert.deepInclude(off, { refused: "keyDisabled", status: dialect.refusals.keyDisabled.status })
      assert.isUndefined(off?.command)
      // The times come from the venue's clock, so they never decrease.
      const times = records.map(({ at }) => at)
      assert.deepStrictEqual(times, times.toSorted((a, b) => a - b))
    })
  )

  test(
    "a call's record contains the fault that hit the call, and the response that the caller received",
    Effect.gen(function*() {
      const control = yield* ControlClient
      const lost = yield* control.addFault({ payload: { path: stopLimit, symptom: answerLost } })
      const refuse = yield* control.addFault({
        payload: { path: stopLimit, skip: 1, symptom: { _tag: "Refuse", kind: "rateLimited" } }
      })
      const gateway = yield* control.addFault({
        payload: { path: stopLimit, skip: 1, symptom: { _tag: "BadGateway", applied: false } }
      })
      const { sequence } = yield* control.status()
      yield* Effect.ignore(post(signed(dialect, stopLimit, order)))
      yield* post(signed(dialect, stopLimit, order))
      yield* post(signed(dialect, stopLimit, order))
      yield* post(signed(dialect, stopLimit, order))
      const [first, second, third, fourth] = yield* requests
      assert.deepInclude(first, { verdict: "failed", command: sequence + 1, fault: { id: lost.id, symptom: "Reset" } })
      assert.isUndefined(first?.status)
      assert.deepInclude(second, { verdict: "answered", command: sequence + 2 })
      assert.deepInclude(third, { verdict: "refused", status: 429, fault: { id: refuse.id, symptom: "Refuse" } })
      assert.isUndefined(third?.command)
      assert.deepInclude(fourth, { verdict: "failed", status: 502, fault: { id: gateway.id, symptom: "BadGateway" } })
      assert.deepStrictEqual((yield* control.faults()).map(({ fired, matched }) => [matched, fired]), [
        [4, 1],
        [3, 1],
        [2, 1]
      ])
      assert.deepStrictEqual((yield* control.openOrders({ query: { account: "alice" } })).length, 2)
    })
  )
})

describe("records of calls", () => {
  it.effect("a call's recorded duration is measured with a clock that the owner can't set", () =>
    Effect.gen(function*() {
      const venue = yield* Venue
      let nanos = 0n
      const clock = yield* Clock.Clock
      const ticking: Clock.Clock = Object.assign(Object.create(clock) as Clock.Clock, {
        monotonicTimeNanosUnsafe: () => nanos += 2_500_000n
      })
      yield* Effect.callback((resume) =>
        venue.receive(signed(Dialect.document, stopLimit, order), ticking, () => resume(Effect.void))
      )
      assert.strictEqual(venue.callLog.after(0)[0]?.millis, 2.5)
    }).pipe(Effect.provide(inProcess())))
})

describe("the latest calls in the log", () => {
  const record: Omit<Records.RequestRecord, "number"> = {
    at: 0,
    millis: 0,
    method: "GET",
    path: "/",
    from: "",
    verdict: "answered"
  }

  it("the call log stores the latest calls, and finds each call by its number", () => {
    const requests = CallLog.make()
    assert.deepStrictEqual(requests.after(0), [])
    for (let n = 1; n <= 3 * CallLog.kept; n++) {
      requests.add(record.at, () => record)
      const kept = requests.after(0)
      if (n % 997 > 0) continue
      assert.strictEqual(kept.length, Math.min(n, CallLog.kept))
      assert.strictEqual(kept.at(-1)?.number, n)
      assert.deepStrictEqual(requests.after(n - 3).map(({ number }) => number), [n - 2, n - 1, n])
      assert.deepStrictEqual(requests.after(n), [])
    }
  })
})

describe("secrets in the call log", () => {
  /** An account whose secret could be the name of a field. */
  const carol: Account = { account: "alice", apiKey: "carol-key-0001", apiSecret: "carol_secret_0001" }
  const secrets = [alice, bob, carol, disabled, restricted].map(({ apiSecret }) => apiSecret)
  const held = [...secrets, String(code), String(protectedCode), String(codeOfAlice), String(passphrase), token]

  /** Any text that a caller might send, including text that must be hidden. */
  const anything = fc.oneof(
    fc.constantFrom(...secrets),
    fc.constantFrom(...secrets).map((secret) => `x${secret}y`),
    fc.string({ unit: "grapheme", maxLength: 20 }),
    fc.constantFrom("BTC", "BTC_USDT", "buy", "1")
  )
  const value = fc.oneof(
    anything,
    fc.integer(),
    fc.array(anything, { maxLength: 3 }),
    fc.dictionary(anything, anything)
  )
  const paths = routes.map(({ endpoint }) => endpoint.path)

  const request: fc.Arbitrary<(dialect: Dialect.Dialect) => Request> = fc.record({
    path: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...paths) },
      { weight: 2, arbitrary: fc.constantFrom(...paths.filter((path) => path.includes("codes"))) },
      fc.constantFrom(...secrets).map((secret) => `/api/v4/${secret}`),
      fc.constantFrom(...secrets).map((secret) => `/api/v4/public/orderbook/${secret}`)
    ),
    method: fc.constantFrom("POST", "GET"),
    account: fc.constantFrom(alice, bob, carol, disabled, restricted),
    fields: fc.dictionary(
      fc.oneof(fc.constantFrom("code", "passphrase", "ticker", "market", "clientOrderId", "client_order_id"), anything),
      value
    ),
    codes: fc.option(
      fc.record({ code: fc.constantFrom(code, protectedCode, codeOfAlice), passphrase: fc.constant(passphrase) }),
      {
        nil: {}
      }
    ),
    query: fc.dictionary(fc.constantFrom("limit", "market", "ticker"), anything),
    damage: fc.constantFrom(
      "nothing",
      "signature",
      "payload",
      "body",
      "key",
      "secret of another",
      "base64",
      "upper",
      "envelope"
    )
  }).map(({ account, codes, fields, method, path, query, damage }) => (dialect) => {
    const envelope = { request: damage === "envelope" ? account.apiSecret : path, nonce: freshNonce(dialect) }
    const whole = signedText(path, JSON.stringify({ ...fields, ...codes, ...envelope }), account)
    const payload = String(whole.headers["x-txc-payload"])
    const headers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      signature: { "x-txc-signature": account.apiSecret },
      payload: { "x-txc-payload": account.apiSecret, "x-txc-signature": hmac(account.apiSecret, account.apiSecret) },
      key: { "x-txc-apikey": account.apiSecret },
      "secret of another": { "x-txc-signature": hmac(bob.apiSecret, payload) },
      base64: { "x-txc-signature": Buffer.from(hmac(account.apiSecret, payload), "hex").toString("base64") },
      upper: { "x-txc-signature": hmac(account.apiSecret, payload).toUpperCase() }
    }
    return {
      ...whole,
      method,
      query: new URLSearchParams(query).toString(),
      headers: { ...whole.headers, ...headers[damage], authorization: `Bearer ${token}` },
      ...(damage === "body" ? { body: Buffer.from(JSON.stringify({ [account.apiSecret]: 1, ...codes })) } : {})
    }
  })

  it.effect("the record of a call hides the call's code and passphrase", () =>
    Effect.gen(function*() {
      const path = "/api/v4/main-account/codes/apply"
      yield* post(signed(Dialect.document, path, { code: protectedCode, passphrase }))
      yield* post(signed(Dialect.document, path, { code: "no such code", passphrase: 7 }))
      const records = yield* ControlClient.use((control) => control.requests({ query: {} }))
      const fields = { code: "***", passphrase: "***" }
      assert.deepStrictEqual(records.map((record) => record.fields), [fields, fields])
    }).pipe(Effect.provide(inProcess())))

  it.effect("a secret that a call created stays hidden even if its key is removed before the record is read", () =>
    Effect.gen(function*() {
      const { handle } = yield* Venue
      const dialect = Dialect.document
      const key = { subAccountId: emptySubAccount, title: "short-lived", type: 2 }
      const made = read(yield* handle(signed(dialect, "/api/v4/sub-account/api-key/create", key)))
      const { apiSecret } = made === "reset" ? assert.fail("no answer") : made.json as { readonly apiSecret: string }
      yield* handle(signed(dialect, stopLimit, { ...order, market: `x${apiSecret}y` }))
      yield* handle(signed(dialect, "/api/v4/sub-account/delete", { id: emptySubAccount }))
      const records = yield* ControlClient.use((control) => control.requests({ query: {} }))
      assert.deepStrictEqual(records.map(({ status }) => status), [200, 400, 200])
      assert.strictEqual(records[1]?.fields?.["market"], "x***y")
    }).pipe(Effect.provide(inProcess())))

  it.effect("secrets in long strings are hidden before the strings are truncated", () =>
    Effect.gen(function*() {
      const { handle } = yield* Venue
      const texts = [100, 190, 2000].map((length) => `${"x".repeat(length)}${alice.apiSecret}${"y".repeat(length)}`)
      for (const market of texts) yield* handle(signed(Dialect.document, stopLimit, { ...order, market }))
      const records = yield* ControlClient.use((control) => control.requests({ query: {} }))
      assert.deepStrictEqual(
        records.map(({ fields }) => fields?.["market"]),
        [100, 190, 2000].map((length) => `${`${"x".repeat(length)}***${"y".repeat(length)}`.slice(0, 200)}…`)
      )
    }).pipe(Effect.provide(inProcess())))

  property(
    "neither the call log nor the feed contains a secret, whatever is sent",
    [fc.constantFrom(Dialect.document, Dialect.live), fc.array(request, { minLength: 1, maxLength: 8 })],
    (dialect, sent) =>
      Effect.gen(function*() {
        const venue = yield* Venue
        const control = yield* ControlClient
        yield* addKey(carol)
        const headers: Array<string> = []
        const bodies: Array<string> = []
        for (const make of sent) {
          const request = make(dialect)
          for (const name of ["x-txc-signature", "x-txc-payload"]) headers.push(String(request.headers[name]))
          bodies.push(Buffer.from(request.body).toString("base64"))
          yield* venue.handle(request)
        }
        const records = yield* control.requests({ query: {} })
        assert.strictEqual(records.length, sent.length)
        const feed = yield* venue.feed.after("0")
        let seen = 0
        const entries = yield* Stream.runCollect(
          Stream.takeUntil(feed, ({ event }) => event._tag === "Requested" && ++seen === sent.length)
        )
        const written = JSON.stringify([records, entries])
        for (const secret of [...held, ...headers, ...bodies].filter((text) => text.length > 3)) {
          assert.isFalse(written.includes(JSON.stringify(secret).slice(1, -1)), secret)
        }
      }).pipe(Effect.provide(inProcess({ dialect }))),
    { runs: 60 }
  )
})
