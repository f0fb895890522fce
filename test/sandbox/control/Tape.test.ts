import { assert, describe, it } from "@effect/vitest"
import type { Decimal } from "../../../src/domain/Decimal.ts"
import { marketName } from "../../../src/domain/Identifiers.ts"
import * as Tape from "../../../src/sandbox/control/Tape.ts"
import * as Units from "../../../src/sandbox/engine/Units.ts"

const market = marketName("BTC_USDT")

const units = (text: string) => Units.from(text as Decimal) ?? 0n

const moved = (to: string) => ({ _tag: "PriceMoved" as const, market, price: units(to) })

const traded = (at: string, amount: string) => ({
  _tag: "Traded" as const,
  market,
  price: units(at),
  amount: units(amount),
  side: "buy" as const,
  maker: undefined,
  taker: undefined
})

describe("a tape", () => {
  it("grows a candle with every price, and begins another when its interval is over", () => {
    const tape = Tape.make()
    tape.happened(60e6, [moved("100"), moved("130")])
    tape.happened(61e6, [traded("90", "2"), traded("110", "1")])
    tape.happened(121e6, [moved("120")])
    assert.deepStrictEqual(
      tape.candles(market, 60, 200e6).map(({ at, close, high, low, open, volume }) => [
        at,
        open,
        high,
        low,
        close,
        volume
      ]),
      [[60, "100", "130", "90", "110", "3"], [120, "120", "120", "120", "120", "0"]]
    )
    assert.deepStrictEqual(tape.candles(market, 1, 200e6).map(({ at }) => at), [60, 61, 121])
  })

  it("forgets what came later when the clock went back", () => {
    const tape = Tape.make()
    for (const at of [60e6, 120e6, 180e6]) tape.happened(at, [moved("100")])
    assert.deepStrictEqual(tape.candles(market, 60, 130e6).map(({ at }) => at), [60, 120])
    tape.happened(130e6, [moved("90")])
    assert.deepStrictEqual(tape.candles(market, 60, 1e9).map(({ at, low }) => [at, low]), [[60, "100"], [120, "90"]])
  })

  it("keeps so many candles at most", () => {
    const tape = Tape.make()
    for (let at = 0; at < 5000; at++) tape.happened(at * 1e6, [moved("100")])
    const kept = tape.candles(market, 1, 1e12)
    assert.strictEqual(kept.length, 500)
    assert.strictEqual(kept.at(-1)?.at, 4999)
  })
})
