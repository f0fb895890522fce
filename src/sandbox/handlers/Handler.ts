/** The behaviour of an endpoint. Path, method, access, limits and schemas come from the endpoint itself. */
import type * as Contract from "../../endpoints/all.ts"
import type { Dialect, RefusalKind } from "../../protocol/Dialect.ts"
import type * as Endpoint from "../../protocol/Endpoint.ts"
import type { Operation } from "../engine/Operation.ts"
import type { Applied, BulkDone, Refused, Violations } from "../engine/Reply.ts"
import type { State } from "../engine/State.ts"

/** The context in which a call is answered. */
export interface Context {
  /** The dialect that the venue speaks. */
  readonly dialect: Dialect
  /** The state of the exchange. Handlers only read it. */
  readonly state: State
  /** The account of the caller; empty for public calls. */
  readonly account: string
  /** The time by the clock of the venue, in Unix microseconds. */
  readonly at: number
  /** The time by the clock that callers see and that judges their nonces, in Unix microseconds. */
  readonly serverTime: number
}

/** A handler of calls that change nothing. */
export interface Reading<E extends Endpoint.Any> {
  /** A reading call has no operation. */
  readonly operation?: never
  /** The fields that the dialect's source lists and this exchange does not simulate. A request with one is refused. */
  readonly notSimulated?: ReadonlyArray<keyof Endpoint.Request<E> & string>
  /** Checks that only the exchange can make. None by default. */
  readonly check?: (request: Endpoint.Request<E>, context: Context) => Violations
  /** The answer. */
  readonly answer: (request: Endpoint.Request<E>, context: Context) => Endpoint.Response<E>
}

/** The refusals of a handler, by the engine's reason. */
export type Refusals = { readonly [Why in Refused["why"]]?: RefusalKind }

/** The answer to one kind of reply. */
interface Answering<E extends Endpoint.Any, Tag extends Applied["_tag"]> {
  /** The tag of the engine's reply to an operation that was applied. */
  readonly reply: Tag
  /** The answer. */
  readonly answer: (reply: Extract<Applied, { readonly _tag: Tag }>, context: Context) => Endpoint.Response<E>
}

/** A handler of calls that change the state of the exchange. */
export type Mutating<E extends Endpoint.Any> =
  & {
    /** The operation that a call asks the engine for. */
    readonly operation: (request: Endpoint.Request<E>) => Operation
    /**
     * The fields that the dialect's source lists and this exchange does not simulate. A request with one is refused.
     */
    readonly notSimulated?: ReadonlyArray<keyof Endpoint.Request<E> & string>
    /** The dialect's refusals, where they differ from the defaults of the engine's reasons. */
    readonly refusals?: Refusals
  }
  & { readonly [Tag in Applied["_tag"]]: Answering<E, Tag> }[Applied["_tag"]]

/** One order of a bulk request: its own request, or the reasons why it could not be read. */
export type Item<Q> = { readonly request: Q } | { readonly violations: Violations }

/** A bulk request whose orders are read one by one. */
export interface Items<Q> {
  /** The orders, as in the request. */
  readonly orders: ReadonlyArray<Item<Q>>
  /** Whether processing stops at the first order that is refused. */
  readonly stopOnFail?: boolean
}

/** The way in which one order of a bulk request is read. */
export interface Each {
  /** The endpoint that places or cancels one such order. */
  readonly endpoint: Endpoint.Any
  /** The fields of an order that this exchange does not simulate. An order with one is refused. */
  readonly notSimulated: ReadonlyArray<string>
}

/** A handler of bulk calls, with the orders in `orders`. An order that can't be read is refused alone. */
export interface Itemised<E extends Endpoint.Any> {
  /** The way in which one order is read. */
  readonly each: Each
  /** The operation that a call asks the engine for. */
  readonly operation: (request: Items<never>) => Operation
  /** The answer. */
  readonly answer: (reply: BulkDone, context: Context, request: Items<never>) => Endpoint.Response<E>
}

/** The handler of an endpoint. Only a private endpoint that mutates can have one that changes the state. */
export type Handler<E extends Endpoint.Any> = E extends { readonly access: "private"; readonly mutates: true }
  ? "orders" extends keyof Endpoint.Request<E> ? Itemised<E> : Mutating<E>
  : Reading<E>

/** A handler for every endpoint of the contract. */
export type Handlers = { readonly [K in Contract.Name]: Handler<Contract.EndpointOf<K>> }

/** A group of handlers, typed by the contract. */
export const group = <K extends Contract.Name>(handlers: Pick<Handlers, K>): Pick<Handlers, K> => handlers
