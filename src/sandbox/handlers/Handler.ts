/**
 * An endpoint's behavior in the sandbox. The path, method, access, limits and schemas come from the endpoint itself.
 */
import type * as Contract from "../../endpoints/all.ts"
import type { Dialect, RefusalKind } from "../../protocol/Dialect.ts"
import type * as Endpoint from "../../protocol/Endpoint.ts"
import type { Operation } from "../engine/Operation.ts"
import type { Applied, BulkDone, Refused, Violations } from "../engine/Reply.ts"
import type { Key, State } from "../engine/State.ts"

/** The context in which a call is handled. */
export interface Context {
  /** The venue's dialect. */
  readonly dialect: Dialect
  /** The exchange's state. Handlers only read the state. */
  readonly state: State
  /** The caller's account; empty for public calls. */
  readonly account: string
  /** The key that signed the call, and the call's nonce, if any; `undefined` for public calls. */
  readonly signed?: { readonly key: Key; readonly nonce: bigint | undefined } | undefined
  /** The time on the venue's clock, in Unix microseconds. */
  readonly at: number
  /** The time on the clock that callers see and that nonces are checked against, in Unix microseconds. */
  readonly serverTime: number
}

/** A handler of calls that change nothing. */
export interface Reading<E extends Endpoint.Any> {
  /** Always absent, because a call that only reads has no operation. */
  readonly operation?: never
  /** Checks that need the exchange's state or clocks. By default there are no checks. */
  readonly check?: (request: Endpoint.Request<E>, context: Context) => Violations
  /** Builds the response to a request. */
  readonly answer: (request: Endpoint.Request<E>, context: Context) => Endpoint.Response<E>
}

/** A handler's refusals, keyed by the engine's reason. */
export type Refusals = { readonly [Why in Refused["why"]]?: RefusalKind }

/** Converts one kind of engine reply to a response. */
interface Answering<E extends Endpoint.Any, Tag extends Applied["_tag"]> {
  /** The tag of the engine's reply if the operation was applied. */
  readonly reply: Tag
  /** Builds the response to a request from the engine's reply. */
  readonly answer: (reply: Extract<Applied, { readonly _tag: Tag }>, context: Context) => Endpoint.Response<E>
}

/** A handler of calls that change the exchange's state. */
export type Mutating<E extends Endpoint.Any> =
  & {
    /** Builds the engine's operation from a request. */
    readonly operation: (request: Endpoint.Request<E>) => Operation
    /** The refusals for the engine's reasons, where these refusals differ from the defaults. */
    readonly refusals?: Refusals
    /** Adds details to the engine's reasons for a refusal, for use in the response. */
    readonly explain?: (reasons: Violations, request: Endpoint.Request<E>, context: Context) => Violations
  }
  & { readonly [Tag in Applied["_tag"]]: Answering<E, Tag> }[Applied["_tag"]]

/** One order in a bulk request: the order's request, or the reasons why it could not be read. */
export type Item<Q> = { readonly request: Q } | { readonly violations: Violations }

/** A bulk request whose orders are read one by one. */
export interface Items<Q> {
  /** The orders, in the same sequence as in the request. */
  readonly orders: ReadonlyArray<Item<Q>>
  /** Whether processing stops at the first refused order. */
  readonly stopOnFail?: boolean
}

/**
 * A handler of bulk calls. The orders are in the request's field `orders`. Each order that can't be read gets its own
 * refusal.
 */
export interface Itemised<E extends Endpoint.Any> {
  /** The endpoint that places or cancels one such order. */
  readonly each: Endpoint.Any
  /** The engine operation that a call requests. */
  readonly operation: (request: Items<never>) => Operation
  /** Builds the response to a request from the replies to its orders. */
  readonly answer: (reply: BulkDone, context: Context, request: Items<never>) => Endpoint.Response<E>
}

/** The handler of an endpoint. Only private, mutating endpoints can have a handler that changes the state. */
export type Handler<E extends Endpoint.Any> = E extends { readonly access: "private"; readonly mutates: true }
  ? "orders" extends keyof Endpoint.Request<E> ? Itemised<E> : Mutating<E>
  : Reading<E>

/** A handler for every endpoint in the contract. */
export type Handlers = { readonly [K in Contract.Name]: Handler<Contract.EndpointOf<K>> }

/** A group of handlers, typed by the contract. */
export const group = <K extends Contract.Name>(handlers: Pick<Handlers, K>): Pick<Handlers, K> => handlers
