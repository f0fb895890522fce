import { assert, describe, it } from "@effect/vitest"
import { Decimal, Dialect, Exchange, Identifiers, InterestPaymentHistory, StopLimitOrders } from "effect-txc"
import { Control, Example, Faults, InProcess, Sandbox } from "effect-txc/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"

const alice = { apiKey: Redacted.make(Example.alice.apiKey), apiSecret: Redacted.make(Example.alice.apiSecret) }

// Every test gets a fresh exchange with two funded accounts.
const world = Exchange.layer({ baseUrl: InProcess.baseUrl, dialect: Dialect.document, credentials: alice }).pipe(
  Layer.provideMerge(Layer.effectDiscard(Example.setUp)),
  Layer.provideMerge(Sandbox.layer({ seed: 1 }))
)

const order = {
  market: Identifiers.marketName("BTC_USDT"),
  side: "buy",
  amount: Decimal.amount("0.1"),
  price: Decimal.price("40100"),
  activationPrice: Decimal.price("40000"),
  clientOrderId: Identifiers.ClientOrderId.make("my-order-1")
} as const

describe("my bot", () => {
  it.effect("an order whose response was lost is open on the exchange", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      const orders = yield* StopLimitOrders.StopLimitOrders
      yield* control.addFault({ path: StopLimitOrders.endpoint.path, symptom: Faults.answerLost })
      const error = yield* Effect.flip(orders.create(order))
      assert.strictEqual(error._tag, "OutcomeUnknown")
      assert.strictEqual((yield* control.openOrders("alice")).length, 1)
    }).pipe(Effect.provide(world)))

  it.effect("the feed reports the activation of a stop order", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      const woken = yield* control.events("0").pipe(
        Stream.filter(({ event }) => event._tag === "OrderActivated"),
        Stream.runHead,
        Effect.forkChild
      )
      yield* (yield* StopLimitOrders.StopLimitOrders).create(order)
      yield* control.playPrices({
        market: order.market,
        steps: [{ afterMillis: 1000, price: Decimal.price("39000") }, {
          afterMillis: 1000,
          price: order.activationPrice
        }]
      })
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Fiber.join(woken))._tag, "Some")
    }).pipe(Effect.provide(world)))

  it.effect("an interest plan pays every day", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      const planId = Identifiers.PlanId.make("my-plan")
      const investmentId = Identifiers.InvestmentId.make("my-investment")
      const [ticker, amount] = [Identifiers.ticker("USDT"), Decimal.amount("500")]
      yield* control.openPlan({ planId, ticker, dailyPercent: Decimal.amount("0.1"), days: 30 })
      yield* control.invest({ account: "alice", planId, investmentId, amount })
      yield* TestClock.adjust("3 days")
      const history = yield* InterestPaymentHistory.InterestPaymentHistory
      const { records } = yield* history.page({ planId })
      assert.deepStrictEqual(records.map((payment) => String(payment.amount)), ["0.5", "0.5", "0.5"])
    }).pipe(Effect.provide(world)))
})
