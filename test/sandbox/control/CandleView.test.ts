import { assert, describe, it } from "@effect/vitest"
import type { Decimal } from "../../../src/domain/Decimal.ts"
import { marketName } from "../../../src/domain/Identifiers.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as CandleView from "../../../src/sandbox/control/CandleView.ts"
import * as Candles from "../../../src/sandbox/engine/Candles.ts"
import * as State from "../../../src/sandbox/engine/State.ts"
import * as Units from "../../../src/sandbox/engine/Units.ts"

const market = marketName("BTC_USDT")

const units = (text: string) => Units.from(text as Decimal) ?? 0n

/** Returns a state after these prices, each with its time in Unix seconds and its traded amount. */
const after = (...prices: ReadonlyArray<readonly [at: number, price: string, volume?: string]>): State.State => {
  const state = State.make(Dialect.document.policy)
  const candles = state.trading.get(market)?.candles ?? []
  for (const [at, price, volume = "0"] of prices) Candles.add(candles, at * 1e6, units(price), units(volume), 0n)
  return state
}

describe("candles for the owner", () => {
  it("every price updates the current candle, and the next interval starts a new one", () => {
    const state = after([60, "100"], [60, "130"], [61, "90", "2"], [61, "110", "1"], [121, "120"])
    assert.deepStrictEqual(
      CandleView.candles(state, market, 60).map(({ at, close, high, low, open, volume }) => [
        at,
        [open, high, low, close, volume].join()
      ]),
      [[60, "100,130,90,110,3"], [120, "120,120,120,120,0"]]
    )
    assert.deepStrictEqual(CandleView.candles(state, market, 1).map(({ at }) => at), [60, 61, 121])
    assert.deepStrictEqual(CandleView.candles(state, market, 900).map(({ at, volume }) => [at, volume]), [[0, "3"]])
    assert.deepStrictEqual(CandleView.candles(state, marketName("NO_SUCH"), 1), [])
  })

  it("the owner sees the latest 500 candles", () => {
    const state = after(...Array.from({ length: 5000 }, (_, at) => [at, "100"] as const))
    const shown = CandleView.candles(state, market, 1)
    assert.deepStrictEqual([shown.length, shown[0]?.at, shown.at(-1)?.at], [500, 4500, 4999])
  })
})
