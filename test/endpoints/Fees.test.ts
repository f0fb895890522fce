import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Fees } from "../../src/endpoints/Fees.ts"
import { dialects, exchange, overHttp, usdt } from "../support/exchange.ts"

describe.each(dialects)("currency fees over HTTP in the $name dialect", (dialect) => {
  it.live("every currency is listed with its deposit and withdrawal fees", () =>
    Effect.gen(function*() {
      const fees = yield* Fees.use(({ list }) => list)
      assert.sameMembers(fees.map(({ ticker }) => ticker as string), ["BTC", "ETH", "USDT", "SHIB"])
      assert.deepStrictEqual(fees.find(({ ticker }) => ticker === usdt) as unknown, {
        ticker: "USDT",
        name: "Tether US",
        canDeposit: true,
        canWithdraw: true,
        deposit: { minFlex: "0", maxFlex: "0", percentFlex: "0", fixed: "0", minAmount: "5", maxAmount: "0" },
        withdraw: { minFlex: "0", maxFlex: "0", percentFlex: "0", fixed: "1", minAmount: "10", maxAmount: "1000000" }
      })
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))
})
