/** The behaviour of an endpoint. Its path, method, access, limits and schemas come from the endpoint itself. */
import type * as Contract from "../../endpoints/all.ts"
import type { Dialect, RefusalKind } from "../../protocol/Dialect.ts"
import type * as Endpoint from "../../protocol/Endpoint.ts"
import type { Operation } from "../engine/Operation.ts"
import type { Applied, BulkDone, Refused, Violations } from "../engine/Reply.ts"
import type { Key, State } from "../engine/State.ts"

/** The context in which a call is answered. */
export interface Context {
  /** The dialect that the venue speaks. */
  readonly dialect: Dialect
  /** The state of the exchange. Handlers only read it. */
  readonly state: State
  /** The account of the caller; empty for public calls. */
  readonly account: string
  /** The key that signed the call, and the call's nonce if it has one; `undefined` for public calls. */
  readonly signed?: { readonly key: Key; readonly nonce: bigint | undefined } | undefined
  /** The time on the venue's clock, in Unix microseconds. */
  readonly at: number
  /** The time on the clock that callers see and that nonces are checked against, in Unix microseconds. */
  readonly serverTime: number
}

/** A handler of calls that change nothing. */
export interface Reading<E extends Endpoint.Any> {
  /** Absent, because a call that only reads has no operation. */
  readonly operation?: never
  /** Checks that only the exchange can make. None by default. */
  readonly check?: (request: Endpoint.Request<E>, context: Context) => Violations
  /** Builds the answer to a request. */
  readonly answer: (request: Endpoint.Request<E>, context: Context) => Endpoint.Response<E>
}

/** The refusals of a handler, by the engine's reason. */
export type Refusals = { readonly [Why in Refused["why"]]?: RefusalKind }

/** Converts one kind of engine reply to an answer. */
interface Answering<E extends Endpoint.Any, Tag extends Applied["_tag"]> {
  /** The tag of the engine's reply when the operation was applied. */
  readonly reply: Tag
  /** Builds the answer to a request from the engine's reply. */
  readonly answer: (reply: Extract<Applied, { readonly _tag: Tag }>, context: Context) => Endpoint.Response<E>
}

/** A handler of calls that change the state of the exchange. */
export type Mutating<E extends Endpoint.Any> =
  & {
    /** Builds the engine's operation from a request. */
    readonly operation: (request: Endpoint.Request<E>) => Operation
    /** The refusals for the engine's reasons, where they differ from the defaults. */
    readonly refusals?: Refusals
    /** Completes the engine's reasons for a refusal with details that the answer shows. */
    readonly explain?: (reasons: Violations, request: Endpoint.Request<E>, context: Context) => Violations
  }
  & { readonly [Tag in Applied["_tag"]]: Answering<E, Tag> }[Applied["_tag"]]

/** One order of a bulk request: the request for this order, or the reasons why it could not be read. */
export type Item<Q> = { readonly request: Q } | { readonly violations: Violations }

/** A bulk request whose orders are read one by one. */
export interface Items<Q> {
  /** The orders, in the order of the request. */
  readonly orders: ReadonlyArray<Item<Q>>
  /** Whether processing stops at the first order that is refused. */
  readonly stopOnFail?: boolean
}

/** Describes how one order of a bulk request is read. */
export interface Each {
  /** The endpoint that places or cancels one such order. */
  readonly endpoint: Endpoint.Any
  /** The fields of an order that this exchange does not simulate. An order that contains one is refused. */
  readonly notSimulated: ReadonlyArray<string>
}

/**
 * A handler of bulk calls, whose requests have their orders in `orders`. An order that can't be read is refused on its
 * own.
 */
export interface Itemised<E extends Endpoint.Any> {
  /** The handling of a single order in the bulk request. */
  readonly each: Each
  /** The operation that a call requests from the engine. */
  readonly operation: (request: Items<never>) => Operation
  /** Builds the answer to a request from the replies to its orders. */
  readonly answer: (reply: BulkDone, context: Context, request: Items<never>) => Endpoint.Response<E>
}

/**
 * The handler of an endpoint. Only a private endpoint that changes something can have a handler that changes the state.
 */
export type Handler<E extends Endpoint.Any> = E extends { readonly access: "private"; readonly mutates: true }
  ? "orders" extends keyof Endpoint.Request<E> ? Itemised<E> : Mutating<E>
  : Reading<E>

/** A handler for every endpoint of the contract. */
export type Handlers = { readonly [K in Contract.Name]: Handler<Contract.EndpointOf<K>> }

/** A group of handlers, typed by the contract. */
export const group = <K extends Contract.Name>(handlers: Pick<Handlers, K>): Pick<Handlers, K> => handlers
