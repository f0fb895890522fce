/** A day on an exchange, with owner actions and signed calls. Its result does not depend on when it runs. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Amount, price } from "../../src/domain/Decimal.ts"
import { InvestmentId, PlanId } from "../../src/domain/Identifiers.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import { ControlClient } from "../../src/sandbox/control/ControlClient.ts"
import { post } from "./control.ts"
import { type Account, alice, bob, btcUsdt, setUp, usdt } from "./exchange.ts"
import { signedText } from "./signed.ts"

/** Sets up the story's venue, which starts at the same time in every run. */
export const begin = Effect.gen(function*() {
  yield* Control.use((control) => control.setClock({ at: 1_700_000_000_000_000 }))
  yield* setUp
})

/** Runs the story. Returns the journal, its digest, and the response to every call. */
export const story = Effect.gen(function*() {
  const control = yield* ControlClient
  const answers: Array<string> = []
  let nonce = 1_700_000_000_000
  const call = Effect.fnUntraced(function*(path: string, fields: object, account: Account = alice) {
    const answered = yield* Effect.match(
      post(signedText(path, JSON.stringify({ ...fields, request: path, nonce: String(++nonce) }), account)),
      { onFailure: () => "no answer", onSuccess: ({ body, status }) => `${status} ${body}` }
    )
    answers.push(answered)
  })
  const order = (side: string, amount: string, at: string, account?: Account) =>
    call("/api/v4/order/new", { market: "BTC_USDT", side, amount, price: at }, account)

  yield* control.addFault({ payload: { times: 100, probability: 0.3, symptom: { _tag: "Reset", applied: true } } })
  yield* control.addFault({
    payload: { times: 100, probability: 0.3, symptom: { _tag: "BadGateway", applied: false } }
  })
  yield* control.setCounterparty({ payload: { market: btcUsdt, amount: Amount.make("0.1"), levels: 2, seed: 3 } })
  yield* control.movePrice({ payload: { market: btcUsdt, price: price("1000") } })
  const planId = PlanId.make("a-plan")
  yield* control.openPlan({ payload: { planId, ticker: usdt, dailyPercent: Amount.make("0.3"), days: 2 } })
  const investmentId = InvestmentId.make("an-investment")
  yield* control.invest({ payload: { account: "alice", planId, investmentId, amount: Amount.make("100") } })
  yield* control.playPrices({
    payload: {
      market: btcUsdt,
      steps: [{ afterMillis: 1000, price: price("980") }, { afterMillis: 86_400_000, price: price("1020") }]
    }
  })
  for (let n = 0; n < 12; n++) {
    yield* order(n % 3 === 0 ? "sell" : "buy", "0.1", String(990 + n))
    yield* control.advanceClock({ payload: { millis: 700 } })
    yield* order("sell", "0.05", String(985 + n), bob)
  }
  yield* call("/api/v4/main-account/codes", { ticker: "USDT", amount: "5", passphrase: "open" })
  yield* call("/api/v4/sub-account/create", {
    alias: "new",
    email: "new@example.com",
    shareKyc: true,
    permissions: { spotEnabled: true, collateralEnabled: true }
  })
  yield* control.skewClock({ payload: { millis: 2000 } })
  yield* control.setClock({ payload: { at: 1_700_000_000_000_000 + 3 * 86_400_000_000 } })
  const { sequence } = yield* control.snapshot({ payload: {} })
  yield* call("/api/v4/order/cancel/all", {})
  yield* control.restore({ payload: { sequence } })
  yield* call("/api/v4/order/cancel/all", { market: "BTC_USDT" })
  const { digest } = yield* control.status()
  const journal = yield* Stream.mkString(Stream.decodeText(yield* control.journal()))
  return { journal, digest, answers }
})
