import { describe, expect, it } from "tstyche"
import type * as Item from "../../src/client/session/Item.ts"
import type * as Decimal from "../../src/domain/Decimal.ts"
import type { OrderId } from "../../src/domain/Identifiers.ts"
import type * as Market from "../../src/domain/Market.ts"
import type { CallOptions, Client, createClient, PublicClient, Settled } from "../../src/promise.ts"

declare const client: Client
declare const make: typeof createClient
declare const signal: AbortSignal

const order = { market: "BTC_USDT", side: "buy", amount: "0.1", price: "100" } as const
const place = { baseUrl: "http://127.0.0.1:8080", dialect: "document" } as const

describe("createClient", () => {
  it("a client without a key has only public calls", () => {
    expect(make()).type.toBe<Client>()
    expect(make({ region: "eu", apiKey: "", apiSecret: "" })).type.toBe<Client>()
    expect(make(place)).type.toBe<PublicClient>()
    expect<"limitOrders" | "reconciliation">().type.not.toBeAssignableTo<keyof PublicClient>()
    expect<keyof PublicClient["channels"]>().type.not.toBeAssignableFrom<"spotBalance">()
    expect<keyof PublicClient["live"]>().type.toBe<"book">()
  })

  it("createClient requires a region or a base URL with a dialect, and a key only with its secret", () => {
    expect(make).type.not.toBeCallableWith({ apiKey: "", apiSecret: "" })
    expect(make).type.not.toBeCallableWith({ baseUrl: place.baseUrl, apiKey: "", apiSecret: "" })
    expect(make).type.not.toBeCallableWith({ ...place, apiKey: "" })
  })

  it("requests accept plain strings, and only the endpoint's fields and values", () => {
    expect(client.limitOrders.create).type.toBeCallableWith(order)
    expect(client.limitOrders.create).type.toBeCallableWith(order, { signal })
    expect(client.limitOrders.create).type.not.toBeCallableWith({ ...order, amount: 0.1 })
    expect(client.limitOrders.create).type.not.toBeCallableWith({ ...order, side: "long" })
    expect(client.limitOrders.create).type.not.toBeCallableWith({ ...order, activationPrice: "1" })
    expect(client.limitOrders.create).type.not.toBeCallableWith({ market: "BTC_USDT" })
    expect<Parameters<Client["mainBalance"]["of"]>>().type.toBe<[ticker: string, options?: CallOptions]>()
    expect<Parameters<Client["mainBalance"]["all"]>>().type.toBe<[options?: CallOptions]>()
  })

  it("responses have branded values, and no Effect types", () => {
    const created = client.limitOrders.create(order)
    expect<Awaited<typeof created>["orderId"]>().type.toBe<OrderId>()
    expect(client.mainBalance.all()).type.toBe<Promise<ReadonlyMap<string, Decimal.Decimal>>>()
    expect(client.markets.get("BTC_USDT")).type.toBe<Promise<Market.Market | undefined>>()
    const bulk = client.bulkLimitOrders.create({ orders: [order] })
    expect<Awaited<typeof bulk>[number]>().type.toBeAssignableTo<Settled<unknown, Error>>()
  })

  it("an order id from a response can be used in the next request", () => {
    const cancel = (id: OrderId) => client.cancelOrder.cancel({ market: "BTC_USDT", orderId: id })
    expect(cancel).type.toBeCallableWith("1" as OrderId)
  })

  it("lists and channels are async iterables", () => {
    expect(client.activeOrders.stream({ market: "BTC_USDT" })).type.toBeAssignableTo<
      AsyncIterable<{ readonly orderId: OrderId }>
    >()
    expect(client.channels.positions.stream()).type.toBeAssignableTo<AsyncIterable<Item.Item<unknown, unknown>>>()
    const balances = client.channels.spotBalance.stream({ ticker: "USDT" })
    expect(balances).type.toBeAssignableTo<
      AsyncIterable<
        Item.Item<ReadonlyMap<string, { readonly available: string }>, ReadonlyMap<string, unknown>>
      >
    >()
    expect<keyof Client["mainBalance"]>().type.toBe<"all" | "of">()
  })

  it("every method of every endpoint returns a promise or an async iterable", () => {
    type Services = Omit<Client, "close" | "channels" | "live" | typeof Symbol.asyncDispose>
    type Methods = { [K in keyof Services]: Services[K][keyof Services[K]] }[keyof Services]
    expect<Methods>().type.toBeAssignableTo<(...args: never) => Promise<unknown> | AsyncIterable<unknown>>()
    type Channels = { [K in keyof Client["channels"]]: Client["channels"][K][keyof Client["channels"][K]] }
    expect<Channels[keyof Channels]>().type.toBeAssignableTo<
      (...args: never) => Promise<unknown> | AsyncIterable<unknown>
    >()
  })

  it("live views show complete values with plain keys", () => {
    expect(client.live.spotBalances().whole()).type.toBeAssignableTo<Promise<ReadonlyMap<string, object>>>()
    expect(client.live.orders({ market: "BTC_USDT" }).states()).type.toBeAssignableTo<
      AsyncIterable<{ readonly _tag: "Whole" | "Incomplete" }>
    >()
  })
})
