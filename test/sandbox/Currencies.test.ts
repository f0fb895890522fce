/** Tests that callers see the owner's currency settings. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Decimal from "../../src/domain/Decimal.ts"
import { ticker } from "../../src/domain/Identifiers.ts"
import { Assets } from "../../src/endpoints/Assets.ts"
import { Fees, type TransferFee } from "../../src/endpoints/Fees.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import { dialects, exchange, inProcess, usdt } from "../support/exchange.ts"
import { failsWith } from "../support/fails.ts"
import { property } from "../support/property.ts"

const amount = fc.constantFrom("0", "0.00000001", "1", "2.5", "1000000").map((text) => Decimal.Decimal.make(text))

const terms: fc.Arbitrary<Partial<TransferFee>> = fc.record({
  minFlex: amount,
  maxFlex: amount,
  percentFlex: amount,
  fixed: amount,
  minAmount: amount,
  maxAmount: amount
}, { requiredKeys: [], noNullPrototype: true })

const setting = fc.record({
  ticker: fc.constantFrom(ticker("BTC"), ticker("ETH"), usdt, ticker("SHIB")),
  canDeposit: fc.boolean(),
  canWithdraw: fc.boolean(),
  deposit: terms,
  withdraw: terms
}, { requiredKeys: ["ticker"], noNullPrototype: true })

const fees = Fees.use(({ list }) => list)

describe.each(dialects)("currency settings in the $name dialect", (dialect) => {
  property("callers see every switch and fee that the owner sets, and the other settings stay unchanged", [
    fc.array(setting, { minLength: 1, maxLength: 5 })
  ], (settings) =>
    Effect.gen(function*() {
      const control = yield* Control
      let expected = yield* fees
      for (const changes of settings) {
        yield* control.setCurrency(changes)
        expected = expected.map((fee) =>
          fee.ticker !== changes.ticker ? fee : {
            ...fee,
            ...changes,
            deposit: { ...fee.deposit, ...changes.deposit },
            withdraw: { ...fee.withdraw, ...changes.withdraw }
          }
        )
      }
      assert.deepStrictEqual(yield* fees, expected)
      const assets = yield* Assets.use(({ all }) => all)
      for (const { canDeposit, canWithdraw, deposit, ticker, withdraw } of expected) {
        assert.deepInclude(assets.get(ticker), {
          canDeposit,
          canWithdraw,
          minDeposit: deposit.minAmount,
          maxDeposit: deposit.maxAmount,
          minWithdraw: withdraw.minAmount,
          maxWithdraw: withdraw.maxAmount
        })
      }
    }).pipe(Effect.provide(exchange(inProcess(dialect)))), { runs: 40 })

  it.effect("an unknown currency or a negative fee is refused, and nothing changes", () =>
    Effect.gen(function*() {
      const control = yield* Control
      const before = yield* fees
      const unknown = yield* failsWith("ControlRefused")(control.setCurrency({ ticker: ticker("NOSUCH") }))
      assert.deepStrictEqual(unknown.fields, { ticker: "known" })
      const negative = { ticker: usdt, canDeposit: false, withdraw: { fixed: Decimal.of("-1") } }
      const refused = yield* failsWith("ControlRefused")(control.setCurrency(negative))
      assert.deepStrictEqual(refused.fields, { "withdraw.fixed": "min" })
      assert.deepStrictEqual(yield* fees, before)
    }).pipe(Effect.provide(exchange(inProcess(dialect)))))
})
