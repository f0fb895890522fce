import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TradeBalance } from "../../src/endpoints/TradeBalance.ts"
import { dialects, eth, limit, same, traders } from "../support/trading.ts"

describe.each(dialects)("the trade balance in the $name dialect", (dialect) => {
  it.live("the trade balance separates available from locked amounts, and is zero for assets that the account does not hold", () =>
    Effect.gen(function*() {
      yield* limit("buy", "1", "1000")
      const trading = yield* TradeBalance.use((balance) => balance.all)
      same([...trading], [["BTC", { available: "10", freeze: "0" }], ["USDT", { available: "99000", freeze: "1000" }]])
      same(yield* TradeBalance.use((balance) => balance.of(eth)), { available: "0", freeze: "0" })
    }).pipe(Effect.provide(traders(dialect))))
})
