import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Passphrase } from "../../src/domain/Code.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import { ticker } from "../../src/domain/Identifiers.ts"
import { CodeCreation } from "../../src/endpoints/CodeCreation.ts"
import { Codes } from "../../src/endpoints/Codes.ts"
import { MainBalance } from "../../src/endpoints/MainBalance.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { amount, asBob, dialects, eth, failsWith, raw, same, traders, usdt } from "../support/trading.ts"

const main = MainBalance.use((balance) => Effect.map(balance.of(usdt), Decimal.normalize))

const code = (of: string, more: object = {}) =>
  CodeCreation.use((codes) => codes.create({ ticker: usdt, amount: amount(of), ...more }))

describe.each(dialects)("creating codes in the $name dialect", (dialect) => {
  const created = dialect === Dialect.document ? 200 : 201

  it.live("a code moves an amount from its creator to the account that applies the code", () =>
    Effect.gen(function*() {
      const first = yield* code("100")
      const second = yield* code("50", { passphrase: Passphrase.make("sesame") })
      assert.notStrictEqual(first.code, second.code)
      assert.match(first.code, /^WB[0-9a-f-]{36}USDT$/u)
      same([first.message, yield* main], ["Code was successfully created", "850"])
      yield* failsWith("InvalidFields")(Codes.use((codes) => codes.apply({ code: first.code })))
      const apply = (request: object) => Codes.use((codes) => codes.apply({ code: second.code, ...request }))
      yield* asBob(apply({ code: first.code }))
      yield* asBob(failsWith("InvalidFields")(apply({})))
      yield* asBob(apply({ passphrase: Passphrase.make("sesame") }))
      same(yield* asBob(main), "1150")
    }).pipe(Effect.provide(traders(dialect))))

  it.live("creating a code is refused if its amount exceeds the balance or its asset is unknown", () =>
    Effect.gen(function*() {
      const error = yield* failsWith("RequestRejected")(code("1000.01"))
      same([error.status, error.code, error.fields], [created === 200 ? 400 : 422, 5, {
        amount: ["Not enough balance."]
      }])
      const unknown = yield* failsWith("InvalidFields")(code("1", { ticker: ticker("NOSUCH") }))
      same(unknown.fields, { ticker: ["The selected ticker is invalid."] })
      yield* failsWith("RequestRejected")(code("1", { ticker: eth }))
      same(yield* main, "1000")
    }).pipe(Effect.provide(traders(dialect))))

  it.live("the response to creating a code contains the code, a message and the transaction id", () =>
    Effect.gen(function*() {
      const { body, status } = yield* raw("/api/v4/main-account/codes", { ticker: "USDT", amount: "1" })
      same([status, Object.keys(body as object).toSorted()], [created, ["code", "external_id", "message"]])
    }).pipe(Effect.provide(traders(dialect))))
})
