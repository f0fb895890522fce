import { describe, expect, it } from "tstyche"
import * as OrderService from "../../src/client/make/OrderService.ts"
import type { ClientOrderId, MarketName } from "../../src/domain/Identifiers.ts"
import * as Market from "../../src/domain/Market.ts"
import { endpoint, LimitOrders } from "../../src/endpoints/LimitOrders.ts"
import { endpoint as serverTime } from "../../src/endpoints/ServerTime.ts"
import * as Endpoint from "../../src/protocol/Endpoint.ts"
import type * as OrderAnswer from "../../src/protocol/OrderAnswer.ts"
import type * as Wire from "../../src/protocol/Wire.ts"

interface One {
  readonly market: MarketName
  readonly clientOrderId?: ClientOrderId
}

interface Many {
  readonly orders: ReadonlyArray<One>
}

declare const schemas: <Request>() => {
  readonly request: () => Wire.Shape<Request>
  readonly response: () => never
  readonly example: () => Request
}

const order = {
  name: "NewOrders.create",
  path: "/api/v4/order/brand-new",
  access: "private",
  mutates: true,
  refusals: ["ValidationFailed"]
} as const

describe("endpoints that change orders", () => {
  it("an endpoint that changes orders does not compile without `places`", () => {
    // @ts-expect-error Property 'places' is missing in type
    Endpoint.make({ ...order, ...schemas<One>() })
    expect(Endpoint.make({ ...order, places: "order", ...schemas<One>() }).places).type.toBe<"order">()
    expect(Endpoint.make({ ...order, places: "nothing", ...schemas<One>() }).places).type.toBe<"nothing">()
  })

  it("only an endpoint whose request contains orders can state that it places orders", () => {
    expect(Endpoint.make({ ...order, places: "orders", ...schemas<Many>() }).places).type.toBe<"orders">()
    // @ts-expect-error Type 'string' is not assignable to type 'never'
    Endpoint.make({ ...order, places: "orders", ...schemas<One>() })
    // @ts-expect-error Type 'string' is not assignable to type 'never'
    Endpoint.make({ ...order, places: "order", ...schemas<Many>() })
    // @ts-expect-error Type 'string' is not assignable to type 'never'
    Endpoint.make({ ...order, places: "order", ...schemas<{ readonly market: MarketName }>() })
  })
})

describe("endpoints that change no orders", () => {
  it("an endpoint that changes no orders does not compile with `places`", () => {
    // @ts-expect-error Type 'string' is not assignable to type 'never'
    Endpoint.make({ ...order, mutates: false, places: "order", ...schemas<One>() })
    expect(Endpoint.make({ ...order, mutates: false, ...schemas<One>() }).places).type.toBe<"nothing">()
    expect(serverTime.places).type.toBe<"nothing">()
  })
})

describe("the service of an endpoint that places orders", () => {
  it("an endpoint that places no orders can't have an order service", () => {
    const kind: OrderService.Kind<Endpoint.Request<typeof endpoint>, OrderAnswer.Order> = {
      bounds: (request) => Market.limit({ ...request, collateral: false }),
      legs: (order, request) => [[order, "limit", request]]
    }
    expect(OrderService.layer).type.toBeCallableWith(LimitOrders, endpoint, kind)
    expect(OrderService.layer).type.not.toBeCallableWith(LimitOrders, { ...endpoint, places: "nothing" as const }, kind)
  })
})
