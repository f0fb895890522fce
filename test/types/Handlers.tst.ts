import { describe, expect, it } from "tstyche"
import type * as Contract from "../../src/endpoints/all.ts"
import type * as Endpoint from "../../src/protocol/Endpoint.ts"
import type { account } from "../../src/sandbox/handlers/Account.ts"
import type { handlers } from "../../src/sandbox/handlers/all.ts"
import type { Handler, Handlers, Mutating, Reading } from "../../src/sandbox/handlers/Handler.ts"
import type { lending } from "../../src/sandbox/handlers/Lending.ts"
import type { market } from "../../src/sandbox/handlers/Market.ts"
import type { trading } from "../../src/sandbox/handlers/Trading.ts"

type Of<K extends Contract.Name> = Handler<Contract.EndpointOf<K>>

describe("the sandbox's handlers", () => {
  it("the sandbox has exactly one handler for each name in the contract", () => {
    expect<keyof typeof handlers>().type.toBe<Contract.Name>()
  })

  it("no handler is in two groups, because merging the groups would lose one of its definitions", () => {
    type Trading = keyof typeof trading
    type Account = keyof typeof account
    type Lending = keyof typeof lending
    type Market = keyof typeof market
    expect<Trading & (Account | Lending | Market)>().type.toBe<never>()
    expect<Account & (Lending | Market)>().type.toBe<never>()
    expect<Lending & Market>().type.toBe<never>()
  })

  it("the table of handlers does not compile if a handler is missing", () => {
    expect<typeof handlers>().type.toBeAssignableTo<Handlers>()
    expect<Omit<typeof handlers, "Codes">>().type.not.toBeAssignableTo<Handlers>()
    expect<Omit<typeof handlers, "ServerTime">>().type.not.toBeAssignableTo<Handlers>()
  })

  it("a handler does not compile with a response of the wrong type", () => {
    expect({ answer: () => ["pong"] as const }).type.toBeAssignableTo<Of<"ServerStatus">>()
    expect({ answer: () => ["ping"] as const }).type.not.toBeAssignableTo<Of<"ServerStatus">>()
    expect({
      operation: () => ({ _tag: "Nothing" as const }),
      reply: "Done" as const,
      answer: () => undefined
    }).type.toBeAssignableTo<Of<"CancelAllOrders">>()
    expect({
      operation: () => ({ _tag: "Nothing" as const }),
      reply: "Done" as const,
      answer: () => undefined
    }).type.not.toBeAssignableTo<Of<"LimitOrders">>()
  })

  it("a handler returns the reply that it declares", () => {
    expect({
      operation: () => ({ _tag: "Nothing" as const }),
      reply: "Done" as const,
      answer: (_reply: { readonly _tag: "OrderPlaced" }) => undefined
    }).type.not.toBeAssignableTo<Of<"CancelAllOrders">>()
  })
})

describe("mutating handlers", () => {
  it("private endpoints that change state have a mutating handler", () => {
    expect<Of<"StopLimitOrders">>().type.toBe<Mutating<Contract.EndpointOf<"StopLimitOrders">>>()
    expect<Of<"MainBalance">>().type.toBe<Reading<Contract.EndpointOf<"MainBalance">>>()
  })

  it("a public endpoint can't have a mutating handler", () => {
    type Public = Endpoint.Endpoint<object, string, "public", true, never>
    expect<Handler<Public>>().type.toBe<Reading<Public>>()
    expect<Mutating<Public>>().type.not.toBeAssignableTo<Handler<Public>>()
    expect({
      operation: () => ({ _tag: "Nothing" as const }),
      reply: "Done" as const,
      answer: () => ["pong"] as const
    }).type.not.toBeAssignableTo<Of<"ServerStatus">>()
    expect<Mutating<Contract.EndpointOf<"Tickers">>>().type.not.toBeAssignableTo<Of<"Tickers">>()
  })
})
