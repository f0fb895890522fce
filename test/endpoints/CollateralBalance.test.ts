import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { CollateralBalance } from "../../src/endpoints/CollateralBalance.ts"
import { dialects, eth, perp, raw, same, traders } from "../support/trading.ts"

describe.each(dialects)("the collateral balance in the $name dialect", (dialect) => {
  it.live("the collateral balance includes amounts locked in open orders, and is zero for assets that the account does not hold", () =>
    Effect.gen(function*() {
      yield* perp("buy", "1", "1000")
      same([...yield* CollateralBalance.use((balance) => balance.all)], [["USDT", "100000"]])
      same(yield* CollateralBalance.use((balance) => balance.of(eth)), "0")
      same((yield* raw("/api/v4/collateral-account/balance", {})).body, { USDT: "100000" })
    }).pipe(Effect.provide(traders(dialect))))
})
