import { describe, expect, it } from "tstyche"
import * as Identifiers from "../../src/domain/Identifiers.ts"
import type * as Paging from "../../src/domain/Paging.ts"

declare const wide: string

describe("the constructor marketName", () => {
  it("marketName accepts a literal in the form BASE_QUOTE", () => {
    expect(Identifiers.marketName).type.toBeCallableWith("BTC_USDT")
    expect(Identifiers.marketName("BTC_USDT")).type.toBe<Identifiers.MarketName>()
    expect(Identifiers.parseMarketName).type.toBeCallableWith(wide)
  })

  it("marketName does not compile with any other literal", () => {
    expect(Identifiers.marketName).type.not.toBeCallableWith("")
    expect(Identifiers.marketName).type.not.toBeCallableWith("BTC")
    expect(Identifiers.marketName).type.not.toBeCallableWith("BTC-USDT")
    expect(Identifiers.marketName).type.not.toBeCallableWith("BTC_")
    expect(Identifiers.marketName).type.not.toBeCallableWith("_USDT")
    expect(Identifiers.marketName).type.not.toBeCallableWith("BTC_USDT_X")
    expect(Identifiers.marketName).type.not.toBeCallableWith("BTC _USDT")
    expect(Identifiers.marketName).type.not.toBeCallableWith(wide)
  })

  it("the compiler's message explains a mistake in marketName", () => {
    // @ts-expect-error is not BASE_QUOTE
    Identifiers.marketName("BTC-USDT")
    // @ts-expect-error takes a literal; for other text, use parseMarketName()
    Identifiers.marketName(wide)
  })
})

describe("the constructor ticker", () => {
  it("`ticker` accepts a name without spaces", () => {
    expect(Identifiers.ticker).type.toBeCallableWith("USD_VISAMASTER")
    expect(Identifiers.ticker).type.not.toBeCallableWith("")
    expect(Identifiers.ticker).type.not.toBeCallableWith("B TC")
    expect(Identifiers.ticker).type.not.toBeCallableWith(wide)
  })
})

describe("identifier brands", () => {
  it("no identifier is assignable to another, and no plain string or number is assignable to an identifier", () => {
    expect<Identifiers.OrderId>().type.not.toBeAssignableTo<Identifiers.ClientOrderId>()
    expect<Identifiers.ClientOrderId>().type.not.toBeAssignableTo<Identifiers.OrderId>()
    expect<Identifiers.SubAccountId>().type.not.toBeAssignableTo<Identifiers.UserId>()
    expect<Identifiers.ApiKeyId>().type.not.toBeAssignableTo<Identifiers.ApiKey>()
    expect<Identifiers.Ticker>().type.not.toBeAssignableTo<Identifiers.MarketName>()
    expect<string>().type.not.toBeAssignableTo<Identifiers.OrderId>()
    expect<number>().type.not.toBeAssignableTo<Identifiers.OrderId>()
    expect<Paging.Limit>().type.not.toBeAssignableTo<Paging.Offset>()
    expect<number>().type.not.toBeAssignableTo<Paging.Limit>()
  })
})
