import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Decimal from "../../src/domain/Decimal.ts"
import { PublicFees } from "../../src/endpoints/PublicFees.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import { btc, dialects, rawPublic, same, traders } from "../support/trading.ts"

const none = Decimal.zero

describe.each(dialects)("public fees in the $name dialect", (dialect) => {
  it.live("the public fee list shows the fees that the sandbox's owner has set, and whether deposits and withdrawals are enabled", () =>
    Effect.gen(function*() {
      yield* Control.use((control) =>
        control.setCurrency({
          ticker: btc,
          canDeposit: true,
          canWithdraw: false,
          deposit: { minFlex: none, maxFlex: none, percentFlex: none, fixed: none, minAmount: none, maxAmount: none },
          withdraw: {
            minFlex: Decimal.of("1"),
            maxFlex: Decimal.of("2"),
            percentFlex: Decimal.of("0.5"),
            fixed: Decimal.of("0.0004"),
            minAmount: Decimal.of("0.001"),
            maxAmount: Decimal.of("3")
          }
        })
      )
      const fees = yield* PublicFees.use(({ all }) => all)
      same(fees.get("BTC"), {
        ticker: "BTC",
        name: "Bitcoin",
        providers: [],
        canDeposit: true,
        canWithdraw: false,
        canDepositByCall: true,
        canWithdrawByCall: false,
        deposit: { _tag: "Asset", terms: { minAmount: "0", maxAmount: "0" } },
        withdraw: {
          _tag: "Asset",
          terms: {
            minAmount: "0.001",
            maxAmount: "3",
            fixed: "0.0004",
            flexible: { percent: "0.5", min: "1", max: "2" }
          }
        }
      })
      const { body } = yield* rawPublic("/api/v4/public/fee")
      same((body as { readonly BTC: object }).BTC, {
        ticker: "BTC",
        name: "Bitcoin",
        providers: [],
        is_depositable: true,
        is_withdrawal: false,
        is_api_depositable: true,
        is_api_withdrawal: false,
        deposit: { min_amount: "0", max_amount: "0", fixed: null, flex: null },
        withdraw: {
          min_amount: "0.001",
          max_amount: "3",
          fixed: "0.0004",
          flex: { percent: "0.5", min_fee: "1", max_fee: "2" }
        }
      })
    }).pipe(Effect.provide(traders(dialect))))
})
