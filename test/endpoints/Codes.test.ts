import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Code, Passphrase } from "../../src/domain/Code.ts"
import { Codes } from "../../src/endpoints/Codes.ts"
import { MainBalance } from "../../src/endpoints/MainBalance.ts"
import {
  asBob,
  btc,
  code,
  codeOfAlice,
  dialects,
  eth,
  exchange,
  overHttp,
  passphrase,
  protectedCode
} from "../support/exchange.ts"
import { failsWith } from "../support/fails.ts"

const balance = MainBalance.use((balances) => balances.of(eth))

const unknown = { code: ["The selected code is invalid."] }

describe.each(dialects)("codes over HTTP in the $name dialect", (dialect) => {
  it.live("applying a code credits its amount to the main balance", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* balance, "0")
      const applied = yield* Codes.use((codes) => codes.apply({ code }))
      assert.deepStrictEqual([applied.ticker, applied.amount], [eth, "2.5"])
      assert.isNotEmpty(applied.message)
      assert.isNotEmpty(applied.externalId)
      assert.strictEqual(yield* balance, "2.5")
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))

  it.live("applying a code a second time is refused and credits nothing", () =>
    Effect.gen(function*() {
      const codes = yield* Codes
      yield* codes.apply({ code })
      const error = yield* failsWith("InvalidFields")(codes.apply({ code }))
      assert.deepStrictEqual(error.fields, { code: ["The code has already been applied."] })
      assert.strictEqual(yield* balance, "2.5")
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))

  it.live("an account can't apply a code that it created", () =>
    Effect.gen(function*() {
      const error = yield* failsWith("InvalidFields")(Codes.use((codes) => codes.apply({ code: codeOfAlice })))
      assert.deepStrictEqual(error.fields, { code: ["This code was created by you."] })
      const applied = yield* asBob(Codes.use((codes) => codes.apply({ code: codeOfAlice })))
      assert.deepStrictEqual([applied.ticker, applied.amount], [btc, "1"])
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))

  it.live("a code is refused when its passphrase is wrong, missing or unexpected", () =>
    Effect.gen(function*() {
      const codes = yield* Codes
      const wrong = yield* failsWith("InvalidFields")(
        codes.apply({ code: protectedCode, passphrase: Passphrase.make("wrong") })
      )
      assert.deepStrictEqual(wrong.fields, unknown)
      const missing = yield* failsWith("InvalidFields")(codes.apply({ code: protectedCode }))
      assert.deepStrictEqual(missing.fields, unknown)
      const needless = yield* failsWith("InvalidFields")(codes.apply({ code, passphrase }))
      assert.deepStrictEqual(needless.fields, unknown)
      assert.strictEqual(yield* balance, "0")
      assert.strictEqual((yield* codes.apply({ code: protectedCode, passphrase })).amount, "0.25")
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))

  it.live("applying an unknown code fails with InvalidFields", () =>
    Effect.gen(function*() {
      const error = yield* failsWith("InvalidFields")(Codes.use((codes) => codes.apply({ code: Code.make("none") })))
      assert.deepStrictEqual([error.origin, error.status, error.code], ["exchange", 400, 0])
      assert.deepStrictEqual(error.fields, unknown)
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))
})
