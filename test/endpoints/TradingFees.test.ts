import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Markets } from "../../src/endpoints/Markets.ts"
import { TradingFees } from "../../src/endpoints/TradingFees.ts"
import { btcPerp, dialects, exchange, overHttp } from "../support/exchange.ts"

describe.each(dialects)("trading fees over HTTP in the $name dialect", (dialect) => {
  it.live("the account's trading fees match the fees in the list of markets", () =>
    Effect.gen(function*() {
      const { customFees, ...defaults } = yield* TradingFees.use(({ get }) => get)
      const markets = yield* Markets.use(({ all }) => all)
      assert.deepStrictEqual(
        [...customFees],
        markets.map(({ makerFee, name, takerFee }) => [name, { maker: makerFee, taker: takerFee }])
      )
      assert.deepStrictEqual(customFees.get(btcPerp) as unknown, { maker: "0.01", taker: "0.055" })
      assert.deepStrictEqual(defaults as unknown, {
        maker: "0.1",
        taker: "0.1",
        futuresMaker: "0.1",
        futuresTaker: "0.1",
        rpiMakerPremium: null,
        futuresRpiMakerPremium: null
      })
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))
})
