import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Decimal from "../../src/domain/Decimal.ts"
import { ticker } from "../../src/domain/Identifiers.ts"
import { MainBalance } from "../../src/endpoints/MainBalance.ts"
import { type Balance, Transfers } from "../../src/endpoints/Transfers.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import {
  amount,
  asBob,
  collateral,
  dialects,
  failsWith,
  limit,
  perp,
  raw,
  same,
  trade,
  traders,
  usdt
} from "../support/trading.ts"

const transfer = (from: Balance, to: Balance, of: string, asset = usdt) =>
  Transfers.use((transfers) => transfers.create({ ticker: asset, amount: amount(of), from, to }))

const main = MainBalance.use((balance) => Effect.map(balance.of(usdt), Decimal.normalize))

describe.each(dialects)("transfers in the $name dialect", (dialect) => {
  it.live("a transfer moves an amount between any two balances", () =>
    Effect.gen(function*() {
      yield* transfer("main", "spot", "100.5")
      same([yield* main, yield* trade(usdt)], ["899.5", ["100100.5", "0"]])
      yield* transfer("spot", "collateral", "0.25")
      same([yield* trade(usdt), yield* collateral], [["100100.25", "0"], "100000.25"])
      yield* transfer("collateral", "main", "100000.25")
      same([yield* main, yield* collateral], ["100899.75", "0"])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("on the live exchange, a transfer may name a method instead of balances, but balances take precedence", () =>
    Effect.gen(function*() {
      const send = (fields: object) => raw("/api/v4/main-account/transfer", { ticker: "USDT", ...fields })
      if (dialect === Dialect.document) {
        return same((yield* send({ amount: "1", method: "deposit" })).status, 400)
      }
      const done = { status: 201, body: [] }
      same(yield* send({ amount: "100", method: "deposit" }), done)
      same([yield* main, yield* trade(usdt)], ["900", ["100100", "0"]])
      same(yield* send({ amount: "40", method: "withdraw" }), done)
      same([yield* main, yield* trade(usdt)], ["940", ["100060", "0"]])
      same(yield* send({ amount: "240", method: "collateral-deposit" }), done)
      same([yield* main, yield* collateral], ["700", "100240"])
      same(yield* send({ amount: "100240", method: "collateral-withdraw" }), done)
      same([yield* main, yield* collateral], ["100940", "0"])
      same(yield* send({ amount: "940", method: "withdraw", from: "main", to: "collateral" }), done)
      same([yield* main, yield* collateral], ["100000", "940"])

      same(yield* send({ amount: "100060.01", method: "withdraw" }), {
        status: 422,
        body: {
          code: 3,
          message: "Inner validation failed",
          errors: {
            amount: ["You don't have such amount for transfer (available 100060, in amount: 100060.01)"]
          }
        }
      })
      same(yield* send({ amount: "1", method: "spot" }), {
        status: 400,
        body: { code: 0, message: "Validation failed", errors: { method: ["The selected method is invalid."] } }
      })
    }).pipe(Effect.provide(traders(dialect))))

  it.live("the response to a transfer is an empty list", () =>
    Effect.gen(function*() {
      const request = { ticker: "USDT", amount: "1", from: "main", to: "spot" }
      same(yield* raw("/api/v4/main-account/transfer", request), {
        status: dialect === Dialect.document ? 200 : 201,
        body: []
      })
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a transfer of funds locked by open orders or needed by positions is refused", () =>
    Effect.gen(function*() {
      const refused = failsWith("RequestRejected")
      yield* limit("buy", "50", "1000")
      yield* transfer("spot", "main", "50000")
      yield* perp("buy", "1", "1000")
      yield* asBob(perp("sell", "1", "1000"))
      const errors = [
        yield* refused(transfer("spot", "main", "0.01")),
        yield* refused(transfer("collateral", "main", "99900")),
        yield* refused(transfer("main", "spot", "51000.01"))
      ]
      const status = dialect === Dialect.document ? 400 : 422
      const amounts = [
        "available 0, in amount: 0.01",
        "available 99899.9, in amount: 99900",
        "available 51000, in amount: 51000.01"
      ]
      for (const [index, error] of errors.entries()) {
        const amount = [`You don't have such amount for transfer (${amounts[index]})`]
        same([error.status, error.code, error.fields], [status, 3, { amount }])
      }
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a transfer from a balance to itself, or of an unknown asset, is refused", () =>
    Effect.gen(function*() {
      const refused = failsWith("InvalidFields")
      const local = yield* refused(transfer("main", "main", "1"))
      same([local.origin, local.fields], ["local", { to: ["The to and from must be different."] }])
      const request = { ticker: "USDT", amount: "1", from: "main", to: "main" }
      same(yield* raw("/api/v4/main-account/transfer", request), {
        status: 400,
        body: { code: 0, message: "Validation failed", errors: { to: ["The to and from must be different."] } }
      })
      const unknown = yield* refused(transfer("main", "spot", "1", ticker("NOSUCH")))
      same([unknown.origin, unknown.fields], ["exchange", { ticker: ["The selected ticker is invalid."] }])
    }).pipe(Effect.provide(traders(dialect))))
})
