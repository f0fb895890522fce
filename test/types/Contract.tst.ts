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

describe("an endpoint's module", () => {
  it("has the endpoint's value, and under its own name the service with a layer", () => {
    expect({ endpoint, X: service }).type.toBeAssignableTo<Module<"X">>()
    const more = { endpoint, X: service, Request: null }
    expect(more).type.toBeAssignableTo<Module<"X">>()
  })

  it("is not complete without the endpoint's value", () => {
    expect({ X: service }).type.not.toBeAssignableTo<Module<"X">>()
    expect({ endpoint: { ...endpoint, path: undefined }, X: service }).type.not.toBeAssignableTo<Module<"X">>()
  })

  it("is not complete without a service", () => {
    expect({ endpoint }).type.not.toBeAssignableTo<Module<"X">>()
  })

  it("is not complete with a service of another name", () => {
    expect({ endpoint, Y: service }).type.not.toBeAssignableTo<Module<"X">>()
  })

  it("is not complete with a service that has no layer, or no key", () => {
    expect({ endpoint, X: { key: service.key } }).type.not.toBeAssignableTo<Module<"X">>()
    expect({ endpoint, X: { layer: service.layer } }).type.not.toBeAssignableTo<Module<"X">>()
  })

  it("is not complete with a layer that may fail, or that needs more than calls and market rules", () => {
    const failing = { ...service, layer: null as unknown as Layer.Layer<"X", "failure", Call.Call> }
    const needy = { ...service, layer: null as unknown as Layer.Layer<"X", never, "something else"> }
    expect({ endpoint, X: failing }).type.not.toBeAssignableTo<Module<"X">>()
    expect({ endpoint, X: needy }).type.not.toBeAssignableTo<Module<"X">>()
  })

  it("is what the compiler names when the contract holds one that is not complete", () => {
    const contract = { X: { endpoint, X: service }, Forgotten: { endpoint } }
    // @ts-expect-error Property 'Forgotten' is missing in type
    const modules: { readonly [K in keyof typeof contract]: Module<K> } = contract
    use(modules)
  })
})

/** What is total over the contract: handlers, fixtures, the tables of the page of services. */
type Total = { readonly [K in Name]: K }

declare const total: Total

describe("a table that is total over the contract", () => {
  it("has every name", () => {
    expect(total).type.toBeAssignableTo<Total>()
    expect<keyof Total>().type.toBe<keyof Contract>()
  })

  it("does not compile without a name, and the compiler says which", () => {
    const { StopLimitOrders: _, ...others } = total
    // @ts-expect-error Property 'StopLimitOrders' is missing in type
    const table: Total = others
    use(table)
  })

  it("does not compile with a name that the contract does not have", () => {
    // @ts-expect-error 'StopLossOrders' does not exist in type
    const table: Total = { ...total, StopLossOrders: "StopLossOrders" }
    use(table)
  })
})

describe("the calls that the sandbox does not serve", () => {
  type Subject = (typeof Unserved.subjects)[number]

  it("do not compile with the path of an endpoint", () => {
    expect<EndpointOf<"CancelOrder">["path"]>().type.toBe<"/api/v4/order/cancel">()
    expect<{ name: "x"; paths: ["/api/v4/convert/confirm"] }>().type.toBeAssignableTo<Subject>()
    expect<{ name: "x"; paths: ["/api/v4/order/cancel"] }>().type.not.toBeAssignableTo<Subject>()
  })
})

// -----------------------------------------------------------------------------
// A type that is `any` or `never` would make every check of it succeed
// -----------------------------------------------------------------------------

type IsAny<T> = 0 extends 1 & T ? true : false

type IsNever<T> = [T] extends [never] ? true : false

/** The name where the type says nothing, otherwise `never`. */
type Blank<K, T> = IsAny<T> extends true ? K : IsNever<T> extends true ? K : never

type Blanks<Of extends { readonly [K in Name]: unknown }> = { readonly [K in Name]: Blank<K, Of[K]> }[Name]

type Failures = { readonly [K in Name]: Endpoint.Failure<EndpointOf<K>> }

describe("no type of the contract is any or never", () => {
  it("and this is how one would be found", () => {
    expect<Blanks<{ readonly [K in Name]: K extends "Fees" ? Awaited<ReturnType<Body["json"]>> : Failures[K] }>>()
      .type.toBe<"Fees">()
    expect<Blanks<{ readonly [K in Name]: K extends "Fees" ? never : Failures[K] }>>().type.toBe<"Fees">()
  })

  it("of the names", () => {
    expect<Blank<"Name", Name>>().type.toBe<never>()
    expect<Blank<"PublicName", PublicName>>().type.toBe<never>()
    expect<string>().type.not.toBeAssignableTo<Name>()
  })

  it("of the endpoints", () => {
    expect<Blanks<{ readonly [K in Name]: EndpointOf<K> }>>().type.toBe<never>()
    expect<Blanks<{ readonly [K in Name]: EndpointOf<K>["access"] }>>().type.toBe<never>()
    expect<Blanks<{ readonly [K in Name]: EndpointOf<K>["mutates"] }>>().type.toBe<never>()
  })

  it("of requests, answers and failures", () => {
    expect<Blanks<{ readonly [K in Name]: Endpoint.Request<EndpointOf<K>> }>>().type.toBe<never>()
    expect<Blanks<{ readonly [K in Name]: Endpoint.Response<EndpointOf<K>> }>>().type.toBe<never>()
    expect<Blanks<Failures>>().type.toBe<never>()
  })

  it("of the fields of requests", () => {
    type Fields<Q> = { readonly [F in keyof Q]-?: Blank<F, Q[F]> }[keyof Q]
    expect<{ readonly [K in Name]: Fields<Endpoint.Request<EndpointOf<K>>> }[Name]>().type.toBe<never>()
  })

  it("of the services, and each module has the one of its own name", () => {
    expect<Blanks<{ readonly [K in Name]: ServiceOf<K> }>>().type.toBe<never>()
    expect<ServiceOf<"StopLimitOrders">>().type.toBe<StopLimitOrders.StopLimitOrders>()
    expect<ServiceOf<"StopLimitOrders" | "Markets">>().type.toBe<StopLimitOrders.StopLimitOrders | Markets.Markets>()
  })
})
