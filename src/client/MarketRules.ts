/**
 * Checks orders, before the client sends them, against their markets' rules: steps, minimum amount, minimum and maximum
 * total (the document, Endpoints §2 and §3).
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import { MarketRules, Markets } from "effect-txc"
 *
 * // Reloads the markets every ten minutes instead of every five.
 * export const marketRules = Layer.unwrap(
 *   Effect.map(Markets.Markets, ({ all }) => MarketRules.layerCached(all, { timeToLive: "10 minutes" }))
 * )
 * ```
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import type { MarketName } from "../domain/Identifiers.ts"
import * as Market from "../domain/Market.ts"
import type { Violation } from "../protocol/Violation.ts"

export type { Violation } from "../protocol/Violation.ts"

/**
 * The markets could not be loaded, so an order can't be checked.
 *
 * @category errors
 */
export class MarketRulesUnavailable extends Schema.TaggedError<MarketRulesUnavailable>()("MarketRulesUnavailable", {
  reason: Schema.String
}) {
  /** The reason, included in the call's error. */
  declare readonly reason: string
}

/**
 * Checks orders against their markets' rules.
 *
 * @category services
 */
export class MarketRules extends Context.Service<MarketRules, {
  /**
   * Returns the rules that an order breaks; the list is empty when the order may be sent. Fails when the markets can't
   * be loaded.
   */
  readonly check: (order: Market.Bounded) => Effect.Effect<ReadonlyArray<Violation>, MarketRulesUnavailable>
}>()("effect-txc/client/MarketRules") {}

const checkAgainst = (market: Market.Market | undefined, order: Market.Bounded): ReadonlyArray<Violation> =>
  Market.violations(market, order).map(([field, constraint]) => ({ field, constraint }))

type Table = ReadonlyMap<MarketName, Market.Market>

const toTable = (markets: ReadonlyArray<Market.Market>): Table =>
  new Map(markets.map((market) => [market.name, market]))

/**
 * Checks orders against a fixed list of markets. The client refuses an order for a market that is not in the list.
 *
 * @category layers
 */
export const layerFixed = (markets: ReadonlyArray<Market.Market>): Layer.Layer<MarketRules> => {
  const table = toTable(markets)
  return Layer.succeed(MarketRules, {
    check: (order) => Effect.succeed(checkAgainst(table.get(order.market), order))
  })
}

/**
 * Leaves all checks to the exchange.
 *
 * @category layers
 */
export const layerNone: Layer.Layer<MarketRules> = Layer.succeed(MarketRules, { check: () => Effect.succeed([]) })

/**
 * Options for the market cache.
 *
 * @category models
 */
export interface CacheOptions {
  /**
   * The age at which the cached markets become stale. The first order after that reloads them in the background.
   * Default: five minutes.
   */
  readonly timeToLive?: Duration.Input
  /** The maximum time that an order waits for the markets to load. Default: thirty seconds. */
  readonly timeout?: Duration.Input
}

/**
 * Checks orders against the exchange's markets, which are loaded for the first order and shared by all orders. An order
 * that finds the markets older than `timeToLive` starts a reload in the background. An order for an unknown market
 * waits for a reload. The client sends no order until it has loaded the markets once.
 *
 * @category layers
 */
export const layerCached = <E extends { readonly message: string }, R>(
  load: Effect.Effect<ReadonlyArray<Market.Market>, E, R>,
  options: CacheOptions = {}
): Layer.Layer<MarketRules, never, R> =>
  Layer.effect(
    MarketRules,
    Effect.gen(function*() {
      const scope = yield* Effect.scope
      const context = yield* Effect.context<R>()
      const timeToLive = Duration.toMillis(options.timeToLive ?? "5 minutes")
      const timeout = Duration.fromInputUnsafe(options.timeout ?? "30 seconds")
      const one = yield* Semaphore.make(1)
      let state: { readonly table: Table; readonly loadedAt: number } | undefined
      let refreshing = false

      /** Loads the markets, unless they were loaded for another order after the caller read the state `seen`. */
      const refresh = (seen: typeof state) =>
        one.withPermits(1)(Effect.suspend(() =>
          state !== seen && state !== undefined ? Effect.succeed(state) : load.pipe(
            Effect.provideContext(context),
            Effect.mapError((error) => new MarketRulesUnavailable({ reason: error.message })),
            Effect.flatMap((markets) =>
              Effect.map(Clock.currentTimeMillis, (loadedAt) => state = { table: toTable(markets), loadedAt })
            )
          )
        )).pipe(Effect.timeoutOrElse({
          duration: timeout,
          orElse: () =>
            Effect.fail(
              new MarketRulesUnavailable({
                reason: `the markets were not loaded within ${Duration.toMillis(timeout)} ms`
              })
            )
        }))

      const refreshInBackground = (seen: typeof state) => {
        if (refreshing) return Effect.void
        refreshing = true
        return refresh(seen).pipe(
          Effect.catch((error) => Effect.logWarning("The markets could not be refreshed", error.reason)),
          Effect.ensuring(Effect.sync(() => refreshing = false)),
          Effect.forkIn(scope)
        )
      }

      const checkLoading = Effect.fnUntraced(function*(order: Market.Bounded, now: number) {
        const current = state ?? (yield* refresh(undefined))
        if (now - current.loadedAt >= timeToLive) yield* refreshInBackground(current)
        if (current.table.has(order.market) || current.loadedAt === now) {
          return checkAgainst(current.table.get(order.market), order)
        }
        return checkAgainst((yield* refresh(current)).table.get(order.market), order)
      })

      const check = (order: Market.Bounded) =>
        Clock.clockWith((clock) => {
          const now = clock.currentTimeMillisUnsafe()
          const market = state?.table.get(order.market)
          return state !== undefined && market !== undefined && now - state.loadedAt < timeToLive
            ? Effect.succeed(checkAgainst(market, order))
            : checkLoading(order, now)
        })
      return { check }
    })
  )
