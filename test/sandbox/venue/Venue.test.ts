import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { PlanId } from "../../../src/domain/Identifiers.ts"
import { all } from "../../../src/endpoints/all.ts"
import { InterestPaymentHistory } from "../../../src/endpoints/InterestPaymentHistory.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { Control } from "../../../src/sandbox/control/Control.ts"
import { routes } from "../../../src/sandbox/handlers/Routes.ts"
import { Venue } from "../../../src/sandbox/venue/Venue.ts"
import {
  alice,
  amountOf,
  bob,
  btc,
  dialects,
  exchange,
  inProcess,
  openSubAccount,
  payInterest,
  usdt
} from "../../support/exchange.ts"
import { privateCalls } from "../../support/http.ts"
import { property } from "../../support/property.ts"
import { freshNonce, handle, signed } from "../../support/signed.ts"

const bare = { headers: {}, body: new Uint8Array(), from: "test" }

it("a venue has exactly one route for each endpoint", () => {
  assert.sameMembers(routes.map(({ endpoint }) => endpoint.name), all.map(({ name }) => name))
})

describe.each(dialects)("unserved requests in the $name dialect", (dialect) => {
  const privately = (code: number, message: string) => ({ code, message, errors: {} })
  const publicly = (message: string) => ({ success: false, message, params: [] })
  const rows: ReadonlyArray<readonly [method: string, path: string, status: number, json: object]> = [
    ["POST", "/api/v4/nothing", 404, privately(0, "Not found.")],
    ["GET", "/", 404, privately(0, "Not found.")],
    ["POST", "/api/v4/main-account/balance/", 404, privately(0, "Not found.")],
    ["POST", "/API/V4/main-account/balance", 404, privately(0, "Not found.")],
    ["GET", "/api/v4/public/nothing", 404, publicly("Not found.")],
    ["GET", "/api/v4/main-account/balance", 405, privately(0, "Method not allowed.")],
    ["PUT", "/api/v4/main-account/balance", 405, privately(0, "Method not allowed.")],
    ["HEAD", "/api/v4/main-account/balance", 405, privately(0, "Method not allowed.")],
    ["DELETE", "/api/v4/sub-account/delete", 405, privately(0, "Method not allowed.")],
    ["POST", "/api/v4/public/ping", 405, publicly("Method not allowed.")],
    ["HEAD", "/api/v4/public/ping", 405, publicly("Method not allowed.")]
  ]
  for (const [method, path, status, json] of rows) {
    it.effect(`${method} ${path} gets a response with status ${status}`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* handle({ ...bare, method, path }), { status, json: json as never })
      }).pipe(Effect.provide(inProcess(dialect))))
  }
})

/** Reads the pages of a list, up to and including the first page that is not full. */
const pagesOf = (dialect: Dialect.Dialect, path: string, records: string, limit: number, filter: object = {}) =>
  Effect.gen(function*() {
    const found: Array<unknown> = []
    for (let offset = 0;; offset += limit) {
      const { json, status } = yield* handle(signed(dialect, path, { ...filter, limit, offset }))
      assert.strictEqual(status, 200)
      assert.deepStrictEqual([json["limit"], json["offset"]], [limit, offset])
      const page = json[records] as ReadonlyArray<unknown>
      assert.isAtMost(page.length, limit)
      found.push(...page)
      if (page.length < limit) return found
    }
  })

describe("the pages of a list", () => {
  const size = fc.integer({ min: 0, max: 250 })
  const limit = fc.integer({ min: 1, max: 100 })
  const anyDialect = fc.constantFrom<Array<"document" | "live">>("document", "live")

  property(
    "pages of interest payments list every payment once, in order",
    [anyDialect, size, limit],
    (name, size, limit) => {
      const dialect = Dialect.byName[name]
      return Effect.gen(function*() {
        yield* Control.use((control) => control.limit({ calls: 1e6, perSeconds: 1 }))
        const planOf = (n: number) => PlanId.make(`plan-${n % 3}`)
        yield* Effect.forEach(
          Array.from({ length: size }, (_, n) => n),
          (n) => payInterest("alice", planOf(n), amountOf(n + 1), n % 2 === 0 ? usdt : btc),
          { concurrency: "unbounded" }
        )
        const path = "/api/v4/main-account/smart/interest-payment-history"
        const read = (filter: object = {}) =>
          Effect.map(
            pagesOf(dialect, path, "records", limit, filter),
            (records) => records.map((record) => Number((record as { readonly amount: string }).amount))
          )
        const whole = Array.from({ length: size }, (_, n) => n + 1)
        assert.deepStrictEqual(yield* read(), whole)
        assert.deepStrictEqual(yield* read({ ticker: "BTC" }), whole.filter((n) => n % 2 === 0))
        if (size > 0) {
          assert.deepStrictEqual(yield* read({ planId: "plan-0" }), whole.filter((n) => (n - 1) % 3 === 0))
        }
      }).pipe(Effect.provide(inProcess(dialect)))
    },
    { runs: 15 }
  )

  property(
    "pages of sub-accounts list every sub-account once, in order",
    [anyDialect, size, limit],
    (name, size, limit) => {
      const dialect = Dialect.byName[name]
      return Effect.gen(function*() {
        yield* Control.use((control) => control.limit({ calls: 1e6, perSeconds: 1 }))
        const ids = Array.from({ length: size }, (_, n) => `number-${n}`)
        yield* Effect.forEach(ids, (id) => openSubAccount("alice", id as never), { concurrency: "unbounded" })
        const read = (filter: object = {}) =>
          Effect.map(
            pagesOf(dialect, "/api/v4/sub-account/list", "data", limit, filter),
            (records) => records.map((record) => (record as { readonly id: string }).id)
          )
        assert.deepStrictEqual(yield* read(), ["sub-empty", "sub-funded", ...ids])
        assert.deepStrictEqual(yield* read({ search: "NUMBER-1" }), ids.filter((id) => id.startsWith("number-1")))
      }).pipe(Effect.provide(inProcess(dialect)))
    },
    { runs: 15 }
  )

  it.effect("a page beyond the end of a list is empty, even at the highest allowed offset", () =>
    Effect.gen(function*() {
      const path = "/api/v4/sub-account/list"
      for (const offset of [2, 100, 10_000]) {
        const { json } = yield* handle(signed(Dialect.document, path, { offset }))
        assert.deepStrictEqual(json, { offset, limit: 30, data: [] })
      }
    }).pipe(Effect.provide(inProcess(Dialect.document))))

  it.effect("the client's stream reads up to the highest offset that the exchange allows, and not beyond it", () =>
    Effect.gen(function*() {
      const venue = yield* Venue
      yield* Control.use((control) => control.limit({ calls: 1e6, perSeconds: 1 }))
      yield* payInterest("alice", PlanId.make("plan"), amountOf(1))
      // Builds the state that 10,099 more commands would produce, without executing them.
      const payments = venue.state.payments.get("alice") ?? assert.fail()
      const [first = assert.fail()] = payments
      while (payments.length < 10_100) payments.push({ ...first, amount: amountOf(payments.length + 1) })
      const amounts: Array<number> = []
      const error = yield* InterestPaymentHistory.use((history) =>
        Stream.runForEach(history.stream(), ({ amount }) => Effect.sync(() => amounts.push(Number(amount))))
      ).pipe(Effect.flip)
      assert.strictEqual(error._tag, "PageCeilingReached")
      assert.deepStrictEqual(amounts, Array.from({ length: 10_100 }, (_, n) => n + 1))
      assert.strictEqual((yield* privateCalls).length, 101)
    }).pipe(Effect.provide(exchange(inProcess(Dialect.document)))))
})

describe("simultaneous calls to a venue", () => {
  it.effect("a code in many simultaneous calls is redeemed only once", () =>
    Effect.gen(function*() {
      const path = "/api/v4/main-account/codes/apply"
      const answers = yield* Effect.forEach(
        Array.from({ length: 30 }, () => signed(Dialect.document, path, { code: "code-of-bob" })),
        handle,
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 1)
      const { json } = yield* handle(signed(Dialect.document, "/api/v4/main-account/balance"))
      assert.deepStrictEqual(json["ETH"], { main_balance: "2.5" })
    }).pipe(Effect.provide(inProcess(Dialect.document))))

  it.effect("when many simultaneous calls use the same nonce, exactly one is accepted", () =>
    Effect.gen(function*() {
      const path = "/api/v4/order/cancel/all"
      const request = signed(Dialect.live, path)
      const answers = yield* Effect.forEach(Array.from({ length: 30 }, () => request), handle, {
        concurrency: "unbounded"
      })
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 1)
      assert.strictEqual(answers.filter(({ status }) => status === 429).length, 29)
    }).pipe(Effect.provide(inProcess(Dialect.live))))

  it.effect("two venues do not share their used nonces", () =>
    Effect.gen(function*() {
      const nonce = freshNonce(Dialect.document)
      const once = Effect.map(
        handle(signed(Dialect.document, "/api/v4/main-account/balance", { nonce }, alice)),
        ({ status }) => status
      )
      const one = Effect.provide(once, inProcess(Dialect.document))
      assert.deepStrictEqual([yield* one, yield* one], [200, 200])
    }))

  it.effect("an account can't list another account's API keys", () =>
    Effect.gen(function*() {
      const { json } = yield* handle(signed(Dialect.document, "/api/v4/sub-account/api-key/list", {}, bob))
      assert.deepStrictEqual(json["data"], [])
    }).pipe(Effect.provide(inProcess(Dialect.document))))
})
