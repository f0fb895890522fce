import { assert, it } from "@effect/vitest"
import { marketName } from "../../../src/domain/Identifiers.ts"
import * as MarketFigures from "../../../src/sandbox/handlers/MarketFigures.ts"
import { Desk, limit } from "../../support/engine.ts"

const market = marketName("BTC_USDT")

it("the 24-hour statistics include all trades, even those that are no longer stored", () => {
  const desk = new Desk().fund("ann", "trade", "20 BTC").fund("ben", "trade", "100000 USDT")
  desk.place("ann", limit(market, "sell", "20", "1000"))
  for (let trades = 0; trades < 1100; trades++) desk.place("ben", limit(market, "buy", "0.01", "1000"))
  const { state } = desk
  assert.isBelow(state.trading.get(market)?.trades.length ?? 0, 1100)
  const { total, volume } = MarketFigures.of({ at: state.at, state }, market)
  assert.deepStrictEqual([volume, total], ["11", "11000"])
  // There is one trade per second, so only the last hundred are less than a day old at this time.
  const later = MarketFigures.of({ at: state.at + (86_400 - 100) * 1e6, state }, market)
  assert.deepStrictEqual([later.volume, later.total], ["1", "1000"])
})
