/** Prepares the exchange once, so that every history can start from a copy. */
import * as Effect from "effect/Effect"
import * as Decimal from "../domain/Decimal.ts"
import { ApiKey, marketName, ticker } from "../domain/Identifiers.ts"
import * as Control from "../sandbox/control/Control.ts"
import * as Example from "../sandbox/Example.ts"

const [btc, eth, usdt] = [ticker("BTC"), ticker("ETH"), ticker("USDT")]

/** Credits funds to an account's trade and collateral wallets. */
const fund = Effect.fnUntraced(function*(account: string, coins: Decimal.Amount, money: Decimal.Amount) {
  const { fund } = yield* Control.Control
  yield* fund({ account, wallet: "trade", ticker: btc, amount: coins })
  yield* fund({ account, wallet: "trade", ticker: eth, amount: coins })
  yield* fund({ account, wallet: "trade", ticker: usdt, amount: money })
  yield* fund({ account, wallet: "collateral", ticker: usdt, amount: money })
})

/**
 * Prepares the default exchange. The program's account, `alice`, has 10 BTC, 10 ETH and 1,000,000 USDT in its trade
 * wallet, and 1,000,000 USDT as collateral. A second account, `bob`, has more. All markets have prices, and a
 * counterparty quotes `BTC_USDT` and `BTC_PERP`.
 *
 * @category constructors
 */
export const setUp = Effect.gen(function*() {
  const control = yield* Control.Control
  for (const { account, apiKey, apiSecret } of [Example.alice, Example.bob]) {
    yield* control.openAccount({ account, b2b: true })
    yield* control.addKey({ account, apiKey: ApiKey.make(apiKey), apiSecret, title: account, type: "2", enabled: true })
  }
  yield* fund("alice", Decimal.amount("10"), Decimal.amount("1000000"))
  yield* fund("bob", Decimal.amount("100000"), Decimal.amount("10000000000"))
  for (const [market, price] of Example.prices) yield* control.movePrice({ market: marketName(market), price })
  for (const market of ["BTC_USDT", "BTC_PERP"] as const) {
    yield* control.setCounterparty({ market: marketName(market), seed: 1 })
  }
})
