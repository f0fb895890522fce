/** The tour's chapters on money: fees, balances, codes and transfers. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { Passphrase } from "../../domain/Code.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { ticker } from "../../domain/Identifiers.ts"
import { CodeCreation } from "../../endpoints/CodeCreation.ts"
import { Codes } from "../../endpoints/Codes.ts"
import { Fees } from "../../endpoints/Fees.ts"
import { MainBalance } from "../../endpoints/MainBalance.ts"
import { TradeBalance } from "../../endpoints/TradeBalance.ts"
import { Transfers } from "../../endpoints/Transfers.ts"
import * as Example from "../../sandbox/Example.ts"
import { is } from "./Fixture.ts"
import { fails, succeeds } from "./Row.ts"

/** The tour's calls for fees, the main balance and codes. */
export const rows = Effect.gen(function*() {
  const fees = yield* Fees
  const balance = yield* MainBalance
  const codes = yield* Codes

  return [
    succeeds("Fees.list", "", fees.list, (all) => `${all.length} currencies`),
    succeeds(
      "MainBalance.all",
      "",
      balance.all,
      (all) => [...all].map(([asset, held]) => `${held} ${asset}`).join(", ")
    ),
    succeeds(
      "MainBalance.of",
      "ETH, which the response omits",
      balance.of(ticker("ETH")),
      (held) => is("0", held) ? "0" : undefined
    ),
    succeeds(
      "Codes.apply",
      "a code for 2.5 ETH",
      codes.apply({ code: Example.code }),
      ({ amount, ticker }) => is("2.5", amount) ? `${amount} ${ticker}` : undefined
    ),
    succeeds("MainBalance.of", "ETH", balance.of(ticker("ETH")), (held) => is("2.5", held) ? held : undefined),
    fails("Codes.apply", "the same code again", codes.apply({ code: Example.code }), "InvalidFields"),
    fails(
      "Codes.apply",
      "a protected code, without passphrase",
      codes.apply({ code: Example.protectedCode }),
      "InvalidFields"
    ),
    fails(
      "Codes.apply",
      "a passphrase of 26 characters",
      // The cast imitates a caller in plain JavaScript, where no type limits a passphrase to 25 characters.
      codes.apply({ code: Example.protectedCode, passphrase: "x".repeat(26) as Passphrase }),
      "InvalidFields"
    ),
    succeeds(
      "Codes.apply",
      "a protected code, with passphrase",
      codes.apply({ code: Example.protectedCode, passphrase: Example.passphrase }),
      ({ amount, ticker }) => is("0.25", amount) ? `${amount} ${ticker}` : undefined
    ),
    succeeds(
      "MainBalance.changes",
      "one reading",
      balance.changes(Schedule.recurs(0)).pipe(Stream.runCollect),
      (changes) =>
        changes.length === 3 ? changes.map(({ after, ticker }) => `${ticker} ${after}`).join(", ") : undefined
    )
  ] as const
})

/** The tour's calls that transfer between balances, and create codes. */
export const moves = Effect.gen(function*() {
  const transfers = yield* Transfers
  const tradeBalance = yield* TradeBalance
  const codes = yield* CodeCreation
  const usdt = ticker("USDT")

  return [
    succeeds(
      "Transfers.create",
      "100 USDT from main to spot",
      Effect.andThen(
        transfers.create({ ticker: usdt, amount: Decimal.amount("100"), from: "main", to: "spot" }),
        tradeBalance.of(usdt)
      ),
      ({ available }) => is("100100", available) ? `${available} USDT to trade with` : undefined
    ),
    fails(
      "Transfers.create",
      "more than the balance",
      transfers.create({ ticker: usdt, amount: Decimal.amount("1000000"), from: "main", to: "spot" }),
      "RequestRejected"
    ),
    succeeds(
      "CodeCreation.create",
      "for 10 USDT",
      codes.create({ ticker: usdt, amount: Decimal.amount("10") }),
      ({ message }) => message
    )
  ] as const
})
