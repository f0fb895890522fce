import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { InvestmentId, PlanId, ticker } from "../../src/domain/Identifiers.ts"
import { Limit, Offset } from "../../src/domain/Paging.ts"
import { InterestPaymentHistory } from "../../src/endpoints/InterestPaymentHistory.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import {
  amountOf,
  asBob,
  btc,
  dialects,
  exchange,
  overHttp,
  payInterest,
  planA,
  planB,
  usdt
} from "../support/exchange.ts"
import { failsWith } from "../support/fails.ts"

/** Alice's payments: plan A pays 1 to 10 USDT, then plan B pays 11 to 15 BTC. */
const pay = Effect.forEach(
  Array.from({ length: 15 }, (_, index) => index + 1),
  (n) => n <= 10 ? payInterest("alice", planA, amountOf(n), usdt) : payInterest("alice", planB, amountOf(n), btc)
)

const amounts = (records: ReadonlyArray<{ readonly amount: string }>) => records.map(({ amount }) => amount)

describe.each(dialects)("interest payments over HTTP in the $name dialect", (dialect) => {
  it.live("a page of interest payments contains the requested payments, oldest first", () =>
    Effect.gen(function*() {
      yield* pay
      const history = yield* InterestPaymentHistory
      const page = yield* history.page({ limit: Limit.make(3), offset: Offset.make(9) })
      assert.deepStrictEqual([page.limit, page.offset], [3, 9])
      assert.deepStrictEqual(amounts(page.records), ["10", "11", "12"])
      assert.deepStrictEqual(page.records.map(({ ticker }) => ticker), [usdt, btc, btc])
      const [first] = page.records
      assert.strictEqual(first?.planId, planA)
      assert.isTrue(Number.isSafeInteger(first?.timestamp))
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))

  it.live("the default page of interest payments starts at index 0 and contains up to 100 payments", () =>
    Effect.gen(function*() {
      const page = yield* InterestPaymentHistory.use((history) => history.page())
      assert.deepStrictEqual(page, { limit: Limit.make(100), offset: Offset.make(0), records: [] })
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))

  it.live("interest payments can be filtered by plan and by ticker", () =>
    Effect.gen(function*() {
      yield* pay
      const history = yield* InterestPaymentHistory
      assert.deepStrictEqual(amounts((yield* history.page({ planId: planB })).records), ["11", "12", "13", "14", "15"])
      assert.strictEqual((yield* history.page({ ticker: usdt })).records.length, 10)
      assert.deepStrictEqual((yield* history.page({ planId: planA, ticker: btc })).records, [])
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))

  it.live("an interest payment's ticker, in responses and in the filter, is the plan's target currency", () =>
    Effect.gen(function*() {
      const control = yield* Control
      const plan = PlanId.make("plan-abroad")
      const [dailyPercent, amount] = [amountOf(1), amountOf(100)]
      const terms = { ticker: usdt, dailyPercent, days: 2, interestTicker: btc, interestRatio: amountOf(50_000) }
      yield* control.openPlan({ planId: plan, ...terms })
      yield* control.invest({ account: "alice", planId: plan, investmentId: InvestmentId.make("i"), amount })
      yield* control.advanceClock({ millis: 86_400_000 })
      const history = yield* InterestPaymentHistory
      const { records } = yield* history.page({ ticker: btc })
      assert.deepStrictEqual(records.map(({ amount, ticker }) => [amount, ticker] as unknown), [["0.00002", btc]])
      assert.deepStrictEqual((yield* history.page({ ticker: usdt })).records, [])
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))

  it.live("a stream of interest payments emits every payment once", () =>
    Effect.gen(function*() {
      yield* pay
      const history = yield* InterestPaymentHistory
      const whole = (yield* history.page()).records
      assert.strictEqual(whole.length, 15)
      assert.deepStrictEqual(yield* Stream.runCollect(history.stream()), whole)
      assert.deepStrictEqual(yield* Stream.runCollect(history.stream({ limit: Limit.make(4) })), whole)
      const ofB = yield* Stream.runCollect(history.stream({ planId: planB, limit: Limit.make(2) }))
      assert.deepStrictEqual(ofB, whole.slice(10))
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))

  it.live("a filter with an unknown plan or ticker fails with InvalidFields", () =>
    Effect.gen(function*() {
      const history = yield* InterestPaymentHistory
      const error = yield* history.page({ planId: PlanId.make("no such plan"), ticker: ticker("NONE") }).pipe(
        failsWith("InvalidFields")
      )
      assert.deepStrictEqual([error.origin, error.status, error.code], ["exchange", 400, 0])
      assert.deepStrictEqual(error.fields, {
        planId: ["The selected planId is invalid."],
        ticker: ["The selected ticker is invalid."]
      })
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))

  it.live("only business partners can read interest payments", () =>
    Effect.gen(function*() {
      const error = yield* asBob(InterestPaymentHistory.use((history) => history.page())).pipe(
        failsWith("NotAuthorized")
      )
      assert.deepStrictEqual([error.why, error.status], ["no-b2b-access", 403])
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))
})
