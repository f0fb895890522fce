import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import * as Identifiers from "../../src/domain/Identifiers.ts"
import { clientOrderId, marketName } from "../support/arbitraries.ts"
import { property } from "../support/property.ts"
import { brokenConstraints, examples, noTexts } from "./examples.ts"

const stringRule = { kind: "type", type: "string" } as const
const formatRule = { kind: "format" } as const
const notEmptyRule = { kind: "notEmpty" } as const
const charactersRule = {
  kind: "characters",
  allowed: "latin letters, numbers, dashes, dots and underscores"
} as const

const noStrings = noTexts.map((value) => [value, stringRule] as const)

examples("OrderId", Identifiers.OrderId, {
  accepted: ["0", "7", "4180284841", "9007199254740993", "1".repeat(40)],
  refused: [...noStrings, ...["", "-1", "01", "1.0", "1e3", " 1", "abc"].map((text) => [text, formatRule] as const)]
})

examples("ClientOrderId", Identifiers.ClientOrderId, {
  accepted: ["a", "0", "order-1.2_3", "-", "...", "A".repeat(100)],
  refused: [
    ...noStrings,
    ["", notEmptyRule],
    ...["a b", "a\n", "a/b", "ö", "№1", "a,b", "🙂"].map((text) => [text, charactersRule] as const)
  ]
})

examples("Ticker", Identifiers.Ticker, {
  accepted: ["BTC", "1INCH", "USD_VISAMASTER", "a.b-c"],
  refused: [...noStrings, ...["", "_BTC", "-BTC", "B TC", "BTC\n", "BTÇ"].map((text) => [text, formatRule] as const)]
})

examples("MarketName", Identifiers.MarketName, {
  accepted: ["BTC_USDT", "1INCH_BTC", "BTC_PERP", "A.B_C-D"],
  refused: [
    ...noStrings,
    ...["", "BTC", "BTC-USDT", "BTC_", "_USDT", "BTC_USDT_X", "BTC__USDT", "BTC USDT", " BTC_USDT", "BTC_USDT\n"]
      .map((text) => [text, formatRule] as const)
  ]
})

for (
  const [name, schema] of [
    ["PlanId", Identifiers.PlanId],
    ["InvestmentId", Identifiers.InvestmentId],
    ["SubAccountId", Identifiers.SubAccountId],
    ["UserId", Identifiers.UserId],
    ["ApiKeyId", Identifiers.ApiKeyId],
    ["ApiKey", Identifiers.ApiKey]
  ] as const
) {
  examples(name, schema, {
    accepted: ["1", "8e667b4a-0b71-4988-8af5-9474dbfaeb51", " ", "\n", "ключ"],
    refused: [...noStrings, ["", notEmptyRule]]
  })
}

examples("ExternalId", Identifiers.ExternalId, { accepted: ["", "id 1"], refused: noStrings })

describe("identifier constructors", () => {
  property(
    "`parseClientOrderId` and `parseMarketName` return valid text unchanged",
    [clientOrderId, marketName],
    (id, market) =>
      Effect.sync(() => {
        assert.deepStrictEqual(Identifiers.parseClientOrderId(id), Result.succeed(id))
        assert.deepStrictEqual(Identifiers.parseMarketName(market), Result.succeed(market))
      })
  )

  property("a client order id with one invalid character is rejected", [
    clientOrderId,
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }).filter((character) => !/[A-Za-z0-9._-]/u.test(character)),
    fc.nat()
  ], (id, character, at) =>
    Effect.sync(() => {
      const spoiled = id.slice(0, at % (id.length + 1)) + character + id.slice(at % (id.length + 1))
      assert.deepStrictEqual(brokenConstraints(Identifiers.ClientOrderId, spoiled), [charactersRule])
    }))

  it("`marketName` and `ticker` preserve the literal's text", () => {
    assert.strictEqual<string>(Identifiers.marketName("BTC_USDT"), "BTC_USDT")
    assert.strictEqual<string>(Identifiers.ticker("BTC"), "BTC")
  })
})
