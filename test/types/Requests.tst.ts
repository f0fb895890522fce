import type * as Effect from "effect/Effect"
import { describe, expect, it } from "tstyche"
import * as Decimal from "../../src/domain/Decimal.ts"
import * as Identifiers from "../../src/domain/Identifiers.ts"
import type { ActivationCondition, BboRole, OrderSide, OrderStatus } from "../../src/domain/Order.ts"
import type { Unrecognised } from "../../src/domain/Unrecognised.ts"
import type * as CancelAllOrders from "../../src/endpoints/CancelAllOrders.ts"
import type * as CollateralOcoOrders from "../../src/endpoints/CollateralOcoOrders.ts"
import type * as StopLimitOrders from "../../src/endpoints/StopLimitOrders.ts"
import type * as SubAccountApiKeys from "../../src/endpoints/SubAccountApiKeys.ts"

declare const stopLimit: StopLimitOrders.StopLimitOrders["Service"]
declare const collateralOco: CollateralOcoOrders.CollateralOcoOrders["Service"]
declare const clientOrderId: Identifiers.ClientOrderId

const market = Identifiers.marketName("BTC_USDT")
const amount = Decimal.amount("0.1")
const price = Decimal.price("60000")

describe("the request for a stop-limit order", () => {
  const request = { market, side: "buy", amount, price, activationPrice: price } as const

  it("a stop-limit order accepts its required and optional fields", () => {
    expect(stopLimit.create).type.toBeCallableWith(request)
    expect(stopLimit.create).type.toBeCallableWith({ ...request, clientOrderId, bboRole: "queue", stp: "cancel_both" })
  })

  it("a stop-limit order does not accept a plain string or number in place of a branded value", () => {
    expect(stopLimit.create).type.not.toBeCallableWith({ ...request, market: "BTC_USDT" })
    expect(stopLimit.create).type.not.toBeCallableWith({ ...request, amount: "0.1" })
    expect(stopLimit.create).type.not.toBeCallableWith({ ...request, amount: 0.1 })
    expect(stopLimit.create).type.not.toBeCallableWith({ ...request, price: "60000" })
    expect(stopLimit.create).type.not.toBeCallableWith({ ...request, activationPrice: "60000" })
    expect(stopLimit.create).type.not.toBeCallableWith({ ...request, clientOrderId: "my-1" })
  })

  it("a stop-limit order does not accept one branded value in place of another", () => {
    expect(stopLimit.create).type.not.toBeCallableWith({ ...request, amount: price })
    expect(stopLimit.create).type.not.toBeCallableWith({ ...request, price: amount })
    expect(stopLimit.create).type.not.toBeCallableWith({ ...request, price: Decimal.of("1") })
    expect(stopLimit.create).type.not.toBeCallableWith({ ...request, market: Identifiers.ticker("BTC") })
  })

  it("a stop-limit order does not accept an unlisted value", () => {
    expect(stopLimit.create).type.not.toBeCallableWith({ ...request, side: "BUY" })
    expect(stopLimit.create).type.not.toBeCallableWith({ ...request, bboRole: 1 })
    expect(stopLimit.create).type.not.toBeCallableWith({ ...request, stp: "cb" })
  })

  it("a stop-limit order does not compile without a required field", () => {
    expect(stopLimit.create).type.not.toBeCallableWith({ side: "buy", amount, price, activationPrice: price })
    expect(stopLimit.create).type.not.toBeCallableWith({ market, amount, price, activationPrice: price })
    expect(stopLimit.create).type.not.toBeCallableWith({ market, side: "buy", price, activationPrice: price })
    expect(stopLimit.create).type.not.toBeCallableWith({ market, side: "buy", amount, activationPrice: price })
    expect(stopLimit.create).type.not.toBeCallableWith({ market, side: "buy", amount, price })
    expect(stopLimit.create).type.not.toBeCallableWith({})
  })

  it("a stop-limit order does not accept an unknown field or a field's wire name", () => {
    expect(stopLimit.create).type.not.toBeCallableWith({ ...request, stopLimitPrice: price })
    expect(stopLimit.create).type.not.toBeCallableWith({ ...request, reduceOnly: true })
    expect(stopLimit.create).type.not.toBeCallableWith({ ...request, client_order_id: "my-1" })
    expect(stopLimit.create).type.not.toBeCallableWith({ ...request, nonce: 1 })
  })

  it("an optional field of a stop-limit order can't be undefined", () => {
    expect(stopLimit.create).type.not.toBeCallableWith({ ...request, clientOrderId: undefined })
  })

  it("a stop-limit order has exactly these fields", () => {
    expect<StopLimitOrders.AtPrice>().type.toBe<{
      readonly market: Identifiers.MarketName
      readonly side: OrderSide
      readonly amount: Decimal.Amount
      readonly price: Decimal.Price
      readonly activationPrice: Decimal.Price
      readonly clientOrderId?: Identifiers.ClientOrderId
      readonly bboRole?: BboRole
      readonly stp?: "no" | "cancel_both" | "cancel_new" | "cancel_old"
    }>()
  })

  it("a stop-limit order needs a price or a bboRole", () => {
    const { price: _, ...atBest } = request
    expect(stopLimit.create).type.toBeCallableWith({ ...atBest, bboRole: "queue" })
    expect(stopLimit.create).type.not.toBeCallableWith(atBest)
  })
})

describe("the request for a collateral OCO order", () => {
  const request = { market, side: "sell", amount, price, activationPrice: price, stopLimitPrice: price } as const

  it("a collateral OCO order accepts its required and optional fields", () => {
    expect(collateralOco.create).type.toBeCallableWith(request)
    expect(collateralOco.create).type.toBeCallableWith({ ...request, clientOrderId, reduceOnly: true })
  })

  it("a collateral OCO order does not accept a plain string or another branded value", () => {
    expect(collateralOco.create).type.not.toBeCallableWith({ ...request, stopLimitPrice: "1" })
    expect(collateralOco.create).type.not.toBeCallableWith({ ...request, amount: "1" })
    expect(collateralOco.create).type.not.toBeCallableWith({ ...request, amount: price })
    expect(collateralOco.create).type.not.toBeCallableWith({ ...request, stopLimitPrice: amount })
    expect(collateralOco.create).type.not.toBeCallableWith({ ...request, reduceOnly: "true" })
  })

  it("a collateral OCO order does not compile without a required field", () => {
    expect(collateralOco.create).type.not.toBeCallableWith({
      market,
      side: "sell",
      amount,
      price,
      activationPrice: price
    })
  })

  it("a collateral OCO order does not accept an unknown field", () => {
    expect(collateralOco.create).type.not.toBeCallableWith({ ...request, bboRole: "queue" })
    expect(collateralOco.create).type.not.toBeCallableWith({ ...request, stop_limit_price: price })
  })

  it("a collateral OCO order has exactly these fields", () => {
    expect<CollateralOcoOrders.Request>().type.toBe<{
      readonly market: Identifiers.MarketName
      readonly side: OrderSide
      readonly amount: Decimal.Amount
      readonly price: Decimal.Price
      readonly activationPrice: Decimal.Price
      readonly stopLimitPrice: Decimal.Price
      readonly clientOrderId?: Identifiers.ClientOrderId
      readonly reduceOnly?: boolean
      readonly stp?: "no" | "cancel_both" | "cancel_new" | "cancel_old"
      readonly positionSide?: "LONG" | "SHORT" | "BOTH"
    }>()
  })
})

describe("the request to cancel all orders", () => {
  it("canceling all orders accepts the types spot, margin and futures", () => {
    expect<CancelAllOrders.Request>().type.toBe<{
      readonly market?: Identifiers.MarketName
      readonly type?: ReadonlyArray<"spot" | "margin" | "futures">
      readonly positionSide?: "LONG" | "SHORT" | "BOTH"
    }>()
  })
})

describe("responses of the exchange", () => {
  it("responses preserve undocumented values, which the type distinguishes from documented ones", () => {
    expect<NonNullable<StopLimitOrders.StopLimitOrder["status"]>>().type.toBe<
      OrderStatus | "MAINTENANCE" | Unrecognised
    >()
    expect<NonNullable<StopLimitOrders.StopLimitOrder["activationCondition"]>>()
      .type.toBe<ActivationCondition | Unrecognised>()
    expect<string>().type.not.toBeAssignableTo<StopLimitOrders.StopLimitOrder["type"]>()
  })

  it("responses have booleans in place of the wire's 0 and 1, and no price for market orders", () => {
    expect<StopLimitOrders.StopLimitOrder["activated"]>().type.toBe<boolean | undefined>()
    expect<StopLimitOrders.StopLimitOrder["price"]>().type.toBe<Decimal.Decimal | undefined>()
    expect<CollateralOcoOrders.CollateralOcoOrder["takeProfit"]["price"]>().type.toBe<Decimal.Decimal>()
    expect<CollateralOcoOrders.CollateralOcoOrder["stopLoss"]["activated"]>().type.toBe<boolean>()
    expect<CollateralOcoOrders.CollateralOcoOrder["takeProfit"]>().type.not.toHaveProperty("activationPrice")
  })

  it("a created order's response states whether the exchange echoed the client order id", () => {
    expect<Effect.Success<ReturnType<typeof stopLimit.create>>>().type.toBeAssignableTo<{
      readonly orderId: Identifiers.OrderId
      readonly clientOrderIdEcho: "echoed" | "missing" | "never-echoed"
    }>()
  })

  it("a listed API key has no secret", () => {
    expect<SubAccountApiKeys.SubAccountApiKey>().type.not.toHaveProperty("apiSecret")
    expect<SubAccountApiKeys.SubAccountApiKey>().type.toHaveProperty("apiKey")
  })
})
