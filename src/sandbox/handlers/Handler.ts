/** What an endpoint does in this exchange. Path, method, access, limits and schemas come from the endpoint itself. */
import type * as Contract from "../../endpoints/all.ts"
import type { Dialect, RefusalKind } from "../../protocol/Dialect.ts"
import type * as Endpoint from "../../protocol/Endpoint.ts"
import type { Operation } from "../engine/Operation.ts"
import type { Applied, BulkDone, Refused, Violations } from "../engine/Reply.ts"
import type { State } from "../engine/State.ts"

/** What is known when a call is answered. */
export interface Context {
  /** The dialect that the venue speaks. */
  readonly dialect: Dialect
  /** The state of the exchange, to be read only. */
  readonly state: State
  /** The account that calls; empty for public calls. */
  readonly account: string
  /** The time by the clock of the venue, in Unix microseconds. */
  readonly at: number
  /** The time by the clock that callers see, and that judges their nonces, in Unix microseconds. */
  readonly serverTime: number
}

/** A handler of calls that change nothing. */
export interface Reading<E extends Endpoint.Any> {
  /** There is none: the engine is asked to do nothing. */
  readonly operation?: never
  /** The fields that the source of the dialect lists and this exchange does not simulate: a request with one is refused. */
  readonly notSimulated?: ReadonlyArray<keyof Endpoint.Request<E> & string>
  /** What only the exchange can find wrong with a request. Nothing, when it is left out. */
  readonly check?: (request: Endpoint.Request<E>, context: Context) => Violations
  /** The answer. */
  readonly answer: (request: Endpoint.Request<E>, context: Context) => Endpoint.Response<E>
}

/** The refusals of a handler, by the engine's reason. */
export type Refusals = { readonly [Why in Refused["why"]]?: RefusalKind }

/** How a handler answers once the engine has replied with this tag. */
interface Answering<E extends Endpoint.Any, Tag extends Applied["_tag"]> {
  /** What the engine replies to the operation when it applies it. */
  readonly reply: Tag
  /** The answer. */
  readonly answer: (reply: Extract<Applied, { readonly _tag: Tag }>, context: Context) => Endpoint.Response<E>
}

/** A handler of calls that change the state of the exchange. */
export type Mutating<E extends Endpoint.Any> =
  & {
    /** What a call asks the engine to do. */
    readonly operation: (request: Endpoint.Request<E>) => Operation
    /** The fields that the source of the dialect lists and this exchange does not simulate: a request with one is refused. */
    readonly notSimulated?: ReadonlyArray<keyof Endpoint.Request<E> & string>
    /** The dialect's refusals, where they are not those of the engine's own reasons. */
    readonly refusals?: Refusals
  }
  & { readonly [Tag in Applied["_tag"]]: Answering<E, Tag> }[Applied["_tag"]]

/** One order of a request that has many, as it was read: its own request, or what is wrong with it. */
export type Item<Q> = { readonly request: Q } | { readonly violations: Violations }

/** A request that has many orders, each of which was read by itself. */
export interface Items<Q> {
  /** The orders, in their order. */
  readonly orders: ReadonlyArray<Item<Q>>
  /** Whether the first order that is refused is the last one. */
  readonly stopOnFail?: boolean
}

/** How one of many orders is read. */
export interface Each {
  /** The call that takes one such order. */
  readonly endpoint: Endpoint.Any
  /** The fields of an order that this exchange does not simulate: an order with one is refused. */
  readonly notSimulated: ReadonlyArray<string>
}

/** A handler of calls with many orders in `orders`. An order that can't be read is refused by itself. */
export interface Itemised<E extends Endpoint.Any> {
  /** How one such order is read. */
  readonly each: Each
  /** What a call asks the engine to do. */
  readonly operation: (request: Items<never>) => Operation
  /** The answer. */
  readonly answer: (reply: BulkDone, context: Context, request: Items<never>) => Endpoint.Response<E>
}

/** The handler of an endpoint. Only a private endpoint that mutates has a handler that changes anything. */
export type Handler<E extends Endpoint.Any> = E extends { readonly access: "private"; readonly mutates: true }
  ? "orders" extends keyof Endpoint.Request<E> ? Itemised<E> : Mutating<E>
  : Reading<E>

/** A handler for every endpoint of the contract. */
export type Handlers = { readonly [K in Contract.Name]: Handler<Contract.EndpointOf<K>> }

/** Some of the handlers. They are typed by the contract, whatever the endpoints' files keep to themselves. */
export const group = <K extends Contract.Name>(handlers: Pick<Handlers, K>): Pick<Handlers, K> => handlers
