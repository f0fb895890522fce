/**
 * The types of the client for `async` and `await`, derived from the contract: each service with promises and async
 * iterables instead of effects and streams, plain strings in requests, and branded strings in responses.
 */
import type * as Brand from "effect/Brand"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Result from "effect/Result"
import type * as Stream from "effect/Stream"
import type * as Channels from "./channels/all.ts"
import type * as DepthChannel from "./channels/DepthChannel.ts"
import type * as Item from "./client/session/Item.ts"
import type * as Contract from "./endpoints/all.ts"
import type * as LiveBook from "./LiveBook.ts"
import type * as LiveOrders from "./LiveOrders.ts"
import type * as LivePositions from "./LivePositions.ts"
import type * as LiveView from "./LiveView.ts"
import type { ChannelNames, EndpointNames } from "./PromiseServices.ts"
import type * as Reconciliation from "./Reconciliation.ts"

// -----------------------------------------------------------------------------
// Requests and responses
// -----------------------------------------------------------------------------

/**
 * A request with plain values: a plain string in place of each branded string, such as an amount or a market. The
 * client checks each value before it sends the request. An invalid value causes the same error as a refusal by the
 * exchange.
 *
 * @category models
 */
export type Plain<T> = T extends Brand.Brand<infer _> ? (T extends string ? string : number)
  : T extends string | number | boolean | undefined ? T
  : T extends ReadonlyArray<infer A> ? ReadonlyArray<Plain<A>>
  : { readonly [K in keyof T]: Plain<T[K]> }

/**
 * A method's parameters, with plain values.
 *
 * @category models
 */
export type PlainAll<P extends ReadonlyArray<unknown>> = { [K in keyof P]: Plain<P[K]> }

/**
 * An order's outcome in a bulk call, in the format of `Promise.allSettled`.
 *
 * @category models
 */
export type Settled<A, E> =
  | {
    readonly status: "fulfilled"
    /** The order. */
    readonly value: A
  }
  | {
    readonly status: "rejected"
    /** This order's error. */
    readonly reason: E
  }

/**
 * The plain form of a response: an `Option` becomes its value or `undefined`, a map has plain strings as keys, and each
 * order's outcome in a bulk call becomes a {@link Settled}. Everything else is the same as in the Effect service.
 *
 * @category models
 */
export type Answer<T> = T extends Option.None<infer _> ? undefined
  : T extends Option.Some<infer A> ? A
  : T extends ReadonlyMap<infer _, infer V> ? ReadonlyMap<string, V>
  : T extends ReadonlyArray<Result.Result<infer A, infer E>> ? ReadonlyArray<Settled<A, E>>
  : T extends Item.Event<infer E> ? Item.Event<Answer<E>>
  : T extends Item.Snapshot<infer S> ? Item.Snapshot<Answer<S>>
  : T extends LiveView.Whole<infer A> ? LiveView.Whole<Answer<A>>
  : T extends LiveView.Incomplete<infer A> ? LiveView.Incomplete<Answer<A>>
  : T

// -----------------------------------------------------------------------------
// Methods
// -----------------------------------------------------------------------------

/**
 * The options of a call or loop.
 *
 * @category models
 */
export interface CallOptions {
  /**
   * A signal that ends the call or the loop, which then fails with the signal's reason. With
   * `AbortSignal.timeout(2000)`, the call or loop ends after two seconds.
   *
   * A mutating call that was already sent fails with `OutcomeUnknown` instead, because the call may have been applied.
   */
  readonly signal?: AbortSignal | undefined
}

/**
 * A method that returns a promise or, for lists and streams, an async iterable.
 *
 * @category models
 */
export type Method<M> = M extends Effect.Effect<infer A, infer _> ? (options?: CallOptions) => Promise<Answer<A>>
  : M extends Stream.Stream<infer A, infer _> ? (options?: CallOptions) => AsyncIterable<Answer<A>>
  : M extends (...args: infer P) => Effect.Effect<infer A, infer _>
    ? (...args: [...PlainAll<P>, options?: CallOptions]) => Promise<Answer<A>>
  : M extends (...args: infer P) => Stream.Stream<infer A, infer _>
    ? (...args: [...PlainAll<P>, options?: CallOptions]) => AsyncIterable<Answer<A>>
  : never

/**
 * A service whose methods return promises and async iterables. The method `changes` is omitted, because it takes an
 * Effect schedule.
 *
 * @category models
 */
export type Promised<Shape, K extends keyof Shape = Exclude<keyof Shape, "changes">> = {
  readonly [M in K]: Method<Shape[M]>
}

type ShapeOf<Module, Name extends string> = Module extends { readonly [S in Name]: Context.Key<infer _, infer Shape> } ?
  Shape :
  never

/**
 * The endpoints with the given names, each under its name in camel case: `StopLimitOrders` is `stopLimitOrders`.
 *
 * The type maps `EndpointNames` without renaming its keys, because an editor shows no doc comment for a renamed key.
 *
 * @category models
 */
export type Endpoints<K extends Contract.Name> = {
  readonly [N in keyof Pick<EndpointNames, Uncapitalize<K>>]: Promised<
    ShapeOf<Contract.Contract[EndpointNames[N]], EndpointNames[N]>
  >
}

type ChannelKeys<Access extends "public" | "private"> = {
  readonly [N in keyof ChannelNames]: Channels.ChannelOf<ChannelNames[N]>["access"] extends Access ? N : never
}[keyof ChannelNames]

/**
 * The channels with the given access, each under its short name: `LastPriceChannel` is `lastPrice`.
 *
 * @category models
 */
export type ChannelsOf<Access extends "public" | "private"> = {
  readonly [N in keyof Pick<ChannelNames, ChannelKeys<Access>>]: Promised<
    ShapeOf<Channels.Contract[ChannelNames[N]], ChannelNames[N]>
  >
}

// -----------------------------------------------------------------------------
// The client
// -----------------------------------------------------------------------------

/**
 * The methods that close a client or a live view.
 *
 * @category models
 */
export interface Closing extends AsyncDisposable {
  /**
   * On a client, ends all loops and views, waits for the calls in progress, and closes the connections. On a view, ends
   * the view and its loops. Later calls fail with `ClientClosed`.
   */
  readonly close: () => Promise<void>
}

/**
 * A live view: the current state, kept up to date over the WebSocket. Trade only on a state whose `_tag` is `Whole`.
 *
 * @category models
 */
export interface View<A> extends Closing {
  /** The current state. */
  readonly get: (options?: CallOptions) => Promise<Answer<LiveView.State<A>>>
  /** Waits until the view is whole, and returns its value. */
  readonly whole: (options?: CallOptions) => Promise<Answer<A>>
  /**
   * The current state, and the state after each change. A slow reader gets only the latest state, and skips earlier
   * states.
   */
  readonly states: (options?: CallOptions) => AsyncIterable<Answer<LiveView.State<A>>>
}

/**
 * The live views that need no account.
 *
 * @category models
 */
export interface PublicViews {
  /** Follows a market's order book, which is sorted and never crossed. */
  readonly book: (topic: Plain<DepthChannel.Topic>) => View<LiveBook.Book>
}

/** The type in which a channel's service returns all balances. */
type BalancesOf<N extends "SpotBalanceChannel" | "MarginBalanceChannel"> = ShapeOf<Channels.Contract[N], N> extends
  { readonly all: (...args: never) => Effect.Effect<infer Balances, infer _> } ? Balances : never

/**
 * Selects the market to follow.
 *
 * @category models
 */
export interface MarketTopic {
  /** The market, such as `BTC_USDT`. */
  readonly market: string
}

/**
 * Selects the asset to follow.
 *
 * @category models
 */
export interface TickerTopic {
  /** The asset, such as `BTC`. Default: all assets. */
  readonly ticker?: string
}

/**
 * An account's live views.
 *
 * @category models
 */
export interface Views extends PublicViews {
  /** Follows a market's open orders, keyed by order id. */
  readonly orders: (topic: MarketTopic) => View<LiveOrders.OpenOrders>
  /** Follows the trade wallet's balances, which back spot orders. Default: all assets. */
  readonly spotBalances: (topic?: TickerTopic) => View<BalancesOf<"SpotBalanceChannel">>
  /** Follows the collateral wallet's balances, which back margin orders. Default: all assets. */
  readonly marginBalances: (topic?: TickerTopic) => View<BalancesOf<"MarginBalanceChannel">>
  /** Follows the open positions. */
  readonly positions: () => View<LivePositions.Positions>
}

/**
 * Finds out whether orders were placed after the responses to their calls were lost.
 *
 * @category models
 */
export interface Reconciling {
  /**
   * Searches for the order of an `OutcomeUnknown` immediately. If the order is not found, waits until its request can
   * no longer arrive, if that time is known and at most one minute away, and searches again. This method only sends
   * reads.
   */
  readonly reconcile: (
    lost: Plain<Reconciliation.Lost>,
    options?: CallOptions
  ) => Promise<Reconciliation.Verdict>
  /** Searches for each order of a bulk call, and returns one verdict per order. */
  readonly reconcileAll: (
    lost: Plain<Reconciliation.Lost>,
    options?: CallOptions
  ) => Promise<ReadonlyArray<Reconciliation.Verdict>>
}

/**
 * The public endpoints and channels, for market data without a key.
 *
 * @category models
 */
export interface PublicClient extends Endpoints<Contract.PublicName>, Closing {
  /** The channels over which the exchange pushes messages. Live dialect only. */
  readonly channels: ChannelsOf<"public">
  /** Live views of order books. Live dialect only. */
  readonly live: PublicViews
}

/**
 * All of an account's endpoints and channels.
 *
 * @category models
 */
export interface Client extends Endpoints<Contract.Name>, Closing {
  /** The channels over which the exchange pushes messages. Live dialect only. */
  readonly channels: ChannelsOf<"public" | "private">
  /** Live views of books, orders, balances and positions. Live dialect only. */
  readonly live: Views
  /** Finds out whether an order was placed after a call failed with `OutcomeUnknown`. */
  readonly reconciliation: Reconciling
}
