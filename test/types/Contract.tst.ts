import type * as Layer from "effect/Layer"
import { describe, expect, it } from "tstyche"
import type * as Call from "../../src/client/call/Call.ts"
import type { Contract, EndpointOf, Module, Name, PublicName, ServiceOf } from "../../src/endpoints/all.ts"
import type * as Markets from "../../src/endpoints/Markets.ts"
import type * as StopLimitOrders from "../../src/endpoints/StopLimitOrders.ts"
import type * as Endpoint from "../../src/protocol/Endpoint.ts"
import type * as Unserved from "../../src/sandbox/gateway/Unserved.ts"

declare const endpoint: Endpoint.Any
declare const service: { readonly key: string; readonly layer: Layer.Layer<"X", never, Call.Call> }
declare const use: (value: unknown) => void

describe("endpoint modules", () => {
  it("an endpoint module exports the endpoint, and a service with a layer under the module's name", () => {
    expect({ endpoint, X: service }).type.toBeAssignableTo<Module<"X">>()
    const more = { endpoint, X: service, Request: null }
    expect(more).type.toBeAssignableTo<Module<"X">>()
  })

  it("an endpoint module is incomplete without its endpoint", () => {
    expect({ X: service }).type.not.toBeAssignableTo<Module<"X">>()
    expect({ endpoint: { ...endpoint, path: undefined }, X: service }).type.not.toBeAssignableTo<Module<"X">>()
  })

  it("an endpoint module is incomplete without a service", () => {
    expect({ endpoint }).type.not.toBeAssignableTo<Module<"X">>()
  })

  it("an endpoint module is incomplete if its service has a different name", () => {
    expect({ endpoint, Y: service }).type.not.toBeAssignableTo<Module<"X">>()
  })

  it("an endpoint module is incomplete if its service has no layer or no key", () => {
    expect({ endpoint, X: { key: service.key } }).type.not.toBeAssignableTo<Module<"X">>()
    expect({ endpoint, X: { layer: service.layer } }).type.not.toBeAssignableTo<Module<"X">>()
  })

  it("an endpoint module is incomplete if its layer can fail or has other requirements", () => {
    const failing = { ...service, layer: null as unknown as Layer.Layer<"X", "failure", Call.Call> }
    const needy = { ...service, layer: null as unknown as Layer.Layer<"X", never, "something else"> }
    expect({ endpoint, X: failing }).type.not.toBeAssignableTo<Module<"X">>()
    expect({ endpoint, X: needy }).type.not.toBeAssignableTo<Module<"X">>()
  })

  it("the compiler names an incomplete module in the contract", () => {
    const contract = { X: { endpoint, X: service }, Forgotten: { endpoint } }
    // @ts-expect-error Property 'Forgotten' is missing in type
    const modules: { readonly [K in keyof typeof contract]: Module<K> } = contract
    use(modules)
  })
})

/** A table with one entry per endpoint, such as the handlers or the fixtures. */
type Total = { readonly [K in Name]: K }

declare const total: Total

describe("tables with one entry per endpoint", () => {
  it("a table with one entry per endpoint has every endpoint's name", () => {
    expect(total).type.toBeAssignableTo<Total>()
    expect<keyof Total>().type.toBe<keyof Contract>()
  })

  it("a table with one entry per endpoint does not compile if an entry is missing, and the compiler names it", () => {
    const { StopLimitOrders: _, ...others } = total
    // @ts-expect-error Property 'StopLimitOrders' is missing in type
    const table: Total = others
    use(table)
  })

  it("a table with one entry per endpoint does not compile with an unknown name", () => {
    // @ts-expect-error 'StopLossOrders' does not exist in type
    const table: Total = { ...total, StopLossOrders: "StopLossOrders" }
    use(table)
  })
})

describe("the list of calls that the sandbox does not serve", () => {
  type Subject = (typeof Unserved.subjects)[number]

  it("the list of unserved calls does not compile if it contains the path of an endpoint in the contract", () => {
    expect<EndpointOf<"CancelOrder">["path"]>().type.toBe<"/api/v4/order/cancel">()
    expect<{ name: "x"; paths: ["/api/v4/convert/confirm"] }>().type.toBeAssignableTo<Subject>()
    expect<{ name: "x"; paths: ["/api/v4/order/cancel"] }>().type.not.toBeAssignableTo<Subject>()
  })
})

// -----------------------------------------------------------------------------
// Types that are `any` or `never`, which would pass every other check
// -----------------------------------------------------------------------------

type IsAny<T> = 0 extends 1 & T ? true : false

type IsNever<T> = [T] extends [never] ? true : false

/** Returns the name if the type is `any` or `never`, and otherwise `never`. */
type Blank<K, T> = IsAny<T> extends true ? K : IsNever<T> extends true ? K : never

type Blanks<Of extends { readonly [K in Name]: unknown }> = { readonly [K in Name]: Blank<K, Of[K]> }[Name]

type Failures = { readonly [K in Name]: Endpoint.Failure<EndpointOf<K>> }

describe("no type in the contract is `any` or `never`", () => {
  it("the check itself detects a type that is `any` or `never`", () => {
    expect<Blanks<{ readonly [K in Name]: K extends "Fees" ? Awaited<ReturnType<Body["json"]>> : Failures[K] }>>()
      .type.toBe<"Fees">()
    expect<Blanks<{ readonly [K in Name]: K extends "Fees" ? never : Failures[K] }>>().type.toBe<"Fees">()
  })

  it("no name in the contract is `any` or `never`", () => {
    expect<Blank<"Name", Name>>().type.toBe<never>()
    expect<Blank<"PublicName", PublicName>>().type.toBe<never>()
    expect<string>().type.not.toBeAssignableTo<Name>()
  })

  it("no endpoint is `any` or `never`", () => {
    expect<Blanks<{ readonly [K in Name]: EndpointOf<K> }>>().type.toBe<never>()
    expect<Blanks<{ readonly [K in Name]: EndpointOf<K>["access"] }>>().type.toBe<never>()
    expect<Blanks<{ readonly [K in Name]: EndpointOf<K>["mutates"] }>>().type.toBe<never>()
  })

  it("no request, response or failure is `any` or `never`", () => {
    expect<Blanks<{ readonly [K in Name]: Endpoint.Request<EndpointOf<K>> }>>().type.toBe<never>()
    expect<Blanks<{ readonly [K in Name]: Endpoint.Response<EndpointOf<K>> }>>().type.toBe<never>()
    expect<Blanks<Failures>>().type.toBe<never>()
  })

  it("no request field is `any` or `never`", () => {
    type Fields<Q> = { readonly [F in keyof Q]-?: Blank<F, Q[F]> }[keyof Q]
    expect<{ readonly [K in Name]: Fields<Endpoint.Request<EndpointOf<K>>> }[Name]>().type.toBe<never>()
  })

  it("no service is `any` or `never`, and each module has the service with its own name", () => {
    expect<Blanks<{ readonly [K in Name]: ServiceOf<K> }>>().type.toBe<never>()
    expect<ServiceOf<"StopLimitOrders">>().type.toBe<StopLimitOrders.StopLimitOrders>()
    expect<ServiceOf<"StopLimitOrders" | "Markets">>().type.toBe<StopLimitOrders.StopLimitOrders | Markets.Markets>()
  })
})
