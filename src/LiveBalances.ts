/**
 * Keeps an account's balances up to date: the balances of its trade wallet, which backs spot orders, or of its
 * collateral wallet, which backs margin orders and positions.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Identifiers, LiveBalances } from "effect-txc"
 *
 * export const program = Effect.scoped(Effect.gen(function*() {
 *   const view = yield* LiveBalances.spot()
 *   const usdt = (yield* view.whole).get(Identifiers.ticker("USDT"))
 *   yield* Effect.log(`${usdt?.available} USDT can be spent`)
 * }))
 * ```
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import * as MarginBalanceChannel from "./channels/MarginBalanceChannel.ts"
import * as SpotBalanceChannel from "./channels/SpotBalanceChannel.ts"
import type * as Item from "./client/session/Item.ts"
import type * as StreamErrors from "./client/session/StreamErrors.ts"
import type { Ticker } from "./domain/Identifiers.ts"
import type { Balance } from "./endpoints/TradeBalance.ts"
import * as LiveView from "./LiveView.ts"

/**
 * Live balances, keyed by asset. A missing asset has a balance of zero.
 *
 * @category models
 */
export type LiveBalances<B> = LiveView.LiveView<ReadonlyMap<Ticker, B>, StreamErrors.PrivateFailure>

/**
 * The balances to follow.
 *
 * @category models
 */
export interface Options extends LiveView.Options {
  /** The asset, such as `USDT`. Default: all assets. */
  readonly ticker?: Ticker
  /**
   * The interval at which the view reads the balances again. The exchange pushes each change once, without a sequence
   * number, so only another read can find a change that the exchange failed to push. Default: one minute.
   */
  readonly recheckEvery?: Duration.Input
}

const viewOf = <B>(
  stream: Stream.Stream<Item.Item<ReadonlyMap<Ticker, B>, ReadonlyMap<Ticker, B>>, StreamErrors.PrivateFailure>,
  options: LiveView.Options
) => {
  let balances: ReadonlyMap<Ticker, B> = new Map()
  const set = (all: ReadonlyMap<Ticker, B>) => {
    balances = all
    return true
  }
  return LiveView.make(stream, {
    begin: set,
    apply: (changed) => set(new Map([...balances, ...changed])),
    value: () => balances
  }, options)
}

/**
 * Creates a live view of the trade wallet's balances. The view lasts as long as its scope.
 *
 * @category constructors
 */
export const spot: (
  options?: Options
) => Effect.Effect<LiveBalances<Balance>, never, SpotBalanceChannel.SpotBalanceChannel | Scope.Scope> = Effect.fn(
  "LiveBalances.spot"
)(function*({ recheckEvery = "1 minute", ...topic } = {}) {
  const { stream } = yield* SpotBalanceChannel.SpotBalanceChannel
  return yield* viewOf(stream(topic), { recheckEvery })
})

/**
 * Creates a live view of the collateral wallet's balances. The view lasts as long as its scope.
 *
 * @category constructors
 */
export const margin: (
  options?: Options
) => Effect.Effect<
  LiveBalances<MarginBalanceChannel.MarginBalance>,
  never,
  MarginBalanceChannel.MarginBalanceChannel | Scope.Scope
> = Effect.fn("LiveBalances.margin")(function*({ recheckEvery = "1 minute", ...topic } = {}) {
  const { stream } = yield* MarginBalanceChannel.MarginBalanceChannel
  return yield* viewOf(stream(topic), { recheckEvery })
})
