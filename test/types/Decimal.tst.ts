import { describe, expect, it } from "tstyche"
import * as Decimal from "../../src/domain/Decimal.ts"

declare const wide: string
declare const either: "1" | "2"
declare const goodOrBad: "1" | "1e5"
declare const numeric: `${number}`

type Ten = "1234567890"
type Sixty = `${Ten}${Ten}${Ten}${Ten}${Ten}${Ten}`
declare const characters64: `${Sixty}1234`
declare const characters65: `${Sixty}12345`
declare const fraction64: `0.${Sixty}12`
declare const fraction65: `0.${Sixty}123`

describe("Decimal.of", () => {
  it("Decimal.of accepts a decimal as a string literal", () => {
    expect(Decimal.of).type.toBeCallableWith("0")
    expect(Decimal.of).type.toBeCallableWith("-0")
    expect(Decimal.of).type.toBeCallableWith("1.50")
    expect(Decimal.of).type.toBeCallableWith("-12.034")
    expect(Decimal.of).type.toBeCallableWith(either)
    expect(Decimal.of).type.toBeCallableWith(characters64)
    expect(Decimal.of).type.toBeCallableWith(fraction64)
    expect(Decimal.of("1.50")).type.toBe<Decimal.Decimal>()
  })

  it("Decimal.of does not compile with a literal that is not a decimal", () => {
    expect(Decimal.of).type.not.toBeCallableWith("")
    expect(Decimal.of).type.not.toBeCallableWith("abc")
    expect(Decimal.of).type.not.toBeCallableWith("01")
    expect(Decimal.of).type.not.toBeCallableWith("-01")
    expect(Decimal.of).type.not.toBeCallableWith("1e5")
    expect(Decimal.of).type.not.toBeCallableWith("+1")
    expect(Decimal.of).type.not.toBeCallableWith("-")
    expect(Decimal.of).type.not.toBeCallableWith("--1")
    expect(Decimal.of).type.not.toBeCallableWith(".5")
    expect(Decimal.of).type.not.toBeCallableWith("5.")
    expect(Decimal.of).type.not.toBeCallableWith("1.2.3")
    expect(Decimal.of).type.not.toBeCallableWith("1 ")
    expect(Decimal.of).type.not.toBeCallableWith(" 1")
    expect(Decimal.of).type.not.toBeCallableWith("１")
    expect(Decimal.of).type.not.toBeCallableWith(1)
    expect(Decimal.of).type.not.toBeCallableWith(characters65)
    expect(Decimal.of).type.not.toBeCallableWith(fraction65)
  })

  it("Decimal.of does not accept a string known only at run time, but Decimal.parse does", () => {
    expect(Decimal.of).type.not.toBeCallableWith(wide)
    expect(Decimal.of).type.not.toBeCallableWith(numeric)
    expect(Decimal.of).type.not.toBeCallableWith(goodOrBad)
    expect(Decimal.parse).type.toBeCallableWith(wide)
  })

  it("the compiler's message explains a mistake in Decimal.of", () => {
    // @ts-expect-error is not a decimal: digits, optionally
    Decimal.of("01")
    // @ts-expect-error write the number in quotes; for text known only at run time use Decimal.parse(text)
    Decimal.of(wide)
    // @ts-expect-error write the number in quotes; for text known only at run time use Decimal.parse(text)
    Decimal.of(0.1)
    // @ts-expect-error a decimal has at most 64 characters
    Decimal.of(characters65)
  })
})

describe("Decimal.price and Decimal.amount", () => {
  it("prices and amounts must be greater than zero", () => {
    expect(Decimal.price).type.toBeCallableWith("60000.50")
    expect(Decimal.amount).type.toBeCallableWith("0.00000001")
    expect(Decimal.price("60000.50")).type.toBe<Decimal.Price>()
    expect(Decimal.amount("1")).type.toBe<Decimal.Amount>()

    expect(Decimal.price).type.not.toBeCallableWith("0")
    expect(Decimal.price).type.not.toBeCallableWith("0.00")
    expect(Decimal.price).type.not.toBeCallableWith("-0")
    expect(Decimal.price).type.not.toBeCallableWith("-1")
    expect(Decimal.amount).type.not.toBeCallableWith("0")
    expect(Decimal.amount).type.not.toBeCallableWith("-0.5")
  })

  it("prices and amounts must be decimals", () => {
    expect(Decimal.price).type.not.toBeCallableWith("1e5")
    expect(Decimal.amount).type.not.toBeCallableWith("01")
    expect(Decimal.amount).type.not.toBeCallableWith("")
    expect(Decimal.amount).type.not.toBeCallableWith(goodOrBad)
    expect(Decimal.price).type.not.toBeCallableWith(characters65)
  })

  it("`price` and `amount` do not accept a string known only at run time, but `parsePrice` and `parseAmount` do", () => {
    expect(Decimal.price).type.not.toBeCallableWith(wide)
    expect(Decimal.amount).type.not.toBeCallableWith(wide)
    expect(Decimal.price).type.not.toBeCallableWith(numeric)
    expect(Decimal.parsePrice).type.toBeCallableWith(wide)
    expect(Decimal.parseAmount).type.toBeCallableWith(wide)
  })

  it("the compiler's message explains what is wrong with the argument of `price` or `amount`", () => {
    // @ts-expect-error is zero: prices and amounts are greater than zero
    Decimal.price("0.0")
    // @ts-expect-error is negative: prices and amounts are greater than zero
    Decimal.amount("-1")
    // @ts-expect-error write the number in quotes; for text known only at run time use Decimal.parseAmount(text)
    Decimal.amount(0.1)
    // @ts-expect-error for text known only at run time use Decimal.parseAmount(text)
    Decimal.amount(wide)
    // @ts-expect-error write the number in quotes; for text known only at run time use Decimal.parsePrice(text)
    Decimal.price(60_000)
    // @ts-expect-error for text known only at run time use Decimal.parsePrice(text)
    Decimal.price(wide)
  })
})

describe("Decimal.feeRate", () => {
  it("Decimal.feeRate accepts zero and positive decimals", () => {
    expect(Decimal.feeRate).type.toBeCallableWith("0")
    expect(Decimal.feeRate).type.toBeCallableWith("-0.0")
    expect(Decimal.feeRate).type.toBeCallableWith("0.001")
    expect(Decimal.feeRate).type.not.toBeCallableWith("-0.001")
    expect(Decimal.feeRate).type.not.toBeCallableWith("")
  })

  it("Decimal.feeRate does not accept a string known only at run time", () => {
    expect(Decimal.feeRate).type.not.toBeCallableWith(wide)
  })
})

describe("decimal brands", () => {
  it("prices, amounts and fee rates are decimals, and are not assignable to each other", () => {
    expect<Decimal.Price>().type.toBeAssignableTo<Decimal.Decimal>()
    expect<Decimal.Amount>().type.toBeAssignableTo<Decimal.Decimal>()
    expect<Decimal.FeeRate>().type.toBeAssignableTo<Decimal.Decimal>()
    expect<Decimal.Price>().type.not.toBeAssignableTo<Decimal.Amount>()
    expect<Decimal.Amount>().type.not.toBeAssignableTo<Decimal.Price>()
    expect<Decimal.Decimal>().type.not.toBeAssignableTo<Decimal.Price>()
    expect<Decimal.FeeRate>().type.not.toBeAssignableTo<Decimal.Amount>()
  })

  it("a decimal is a string, but a string is not a decimal", () => {
    expect<Decimal.Decimal>().type.toBeAssignableTo<string>()
    expect<string>().type.not.toBeAssignableTo<Decimal.Decimal>()
    expect<"1.5">().type.not.toBeAssignableTo<Decimal.Decimal>()
    expect<number>().type.not.toBeAssignableTo<Decimal.Decimal>()
  })
})
