/** All the contract's endpoints, and the type that each endpoint's module must satisfy. */
import type * as Context from "effect/Context"
import type * as Layer from "effect/Layer"
import type * as Call from "../client/call/Call.ts"
import type { MarketRules } from "../client/MarketRules.ts"
import type * as Endpoint from "../protocol/Endpoint.ts"
import * as contract from "./contract.ts"

/**
 * The endpoint modules, keyed by name.
 *
 * @category models
 */
export type Contract = typeof contract

/**
 * The name of an endpoint's module and service, such as `StopLimitOrders`.
 *
 * @category models
 */
export type Name = keyof Contract

/**
 * The static members common to all endpoint service classes.
 *
 * @category models
 */
export interface Service {
  /** The key that identifies the service in an Effect context. */
  readonly key: string
  /** Provides the service. Requires `Call` or `PublicCall`, and `MarketRules` if the service places orders. */
  readonly layer: Layer.Layer<never, never, Call.Call | Call.PublicCall | MarketRules>
}

/**
 * The exports that every endpoint module must have: the endpoint itself as a value, and a service with a layer.
 *
 * @category models
 */
export type Module<Name extends string> =
  & {
    readonly endpoint: Endpoint.Any
  }
  & {
    readonly [Service in Name]: {
      readonly key: string
      readonly layer: Layer.Layer<never, never, Call.Call | Call.PublicCall | MarketRules>
    }
  }

/**
 * The endpoint with a given name.
 *
 * @category models
 */
export type EndpointOf<K extends Name> = Contract[K]["endpoint"]

/**
 * The service identifier for a given name.
 *
 * @category models
 */
export type ServiceOf<K extends Name> = {
  readonly [N in K]: Contract[N] extends { readonly [S in N]: Context.Key<infer Identifier, infer _> } ? Identifier
    : never
}[K]

/**
 * The names of the public endpoints.
 *
 * @category models
 */
export type PublicName = {
  readonly [K in Name]: EndpointOf<K>["access"] extends "public" ? K : never
}[Name]

/** Proves that every module of the contract is complete: an incomplete module causes a type error that names it. */
const modules: { readonly [K in Name]: Module<K> } = contract

/** The endpoint names in the contract. */
const names = Object.keys(modules) as ReadonlyArray<Name>

/**
 * An endpoint's sort key. The document's endpoints come first, sorted by clause. Numbers are padded with zeros, so that
 * §10 follows §9.
 */
const placeOf = ({ clause, path }: Endpoint.Any): string =>
  (clause.includes("§") ? `0 ${clause} ${path}` : `1 ${path}`).replace(/[0-9]+/gu, (digits) => digits.padStart(4, "0"))

/**
 * An endpoint with its contract name and its service's layer.
 *
 * @category models
 */
export interface Entry {
  /** The name of the endpoint's module and service. */
  readonly name: Name
  /** The endpoint's description: its path, access and schemas. */
  readonly endpoint: Endpoint.Any
  /** The key that identifies the service in an Effect context. */
  readonly key: string
  /** Provides the service. */
  readonly layer: Service["layer"]
}

const entryOf = <K extends Name>(name: K): Entry => {
  const module = modules[name]
  const service: Service = module[name]
  return { name, endpoint: module.endpoint, key: service.key, layer: service.layer }
}

/**
 * Every endpoint: first the document's endpoints, sorted by clause, then all others, sorted by path.
 *
 * @category endpoints
 */
export const entries: ReadonlyArray<Entry> = names
  .map((name) => {
    const entry = entryOf(name)
    return { entry, place: placeOf(entry.endpoint) }
  })
  // Using an `Intl.Collator` here would add five milliseconds to every process start.
  .toSorted((one, other) => one.place < other.place ? -1 : 1)
  .map(({ entry }) => entry)

/**
 * The endpoints of {@link entries}.
 *
 * @category endpoints
 */
export const all: ReadonlyArray<Endpoint.Any> = entries.map(({ endpoint }) => endpoint)
