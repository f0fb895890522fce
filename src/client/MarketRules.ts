/**
 * The bounds of markets, checked before an order is sent: precision, least amount, least and greatest total (document,
 * Endpoints §2 and §3).
 *
 * @since 0.1.0
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

/**
 * The markets could not be loaded, so an order can't be checked.
 *
 * @category errors
 * @since 0.1.0
 */
export class MarketRulesUnavailable extends Schema.TaggedError<MarketRulesUnavailable>()("MarketRulesUnavailable", {
  reason: Schema.String
}) {}

/**
 * - `check`: the bounds that an order breaks; empty when it may be sent
 *
 * @category services
 * @since 0.1.0
 */
export class MarketRules extends Context.Service<MarketRules, {
  readonly check: (order: Market.Bounded) => Effect.Effect<ReadonlyArray<Violation>, MarketRulesUnavailable>
}>()("effect-txc/client/MarketRules") {}

const checkAgainst = (market: Market.Market | undefined, order: Market.Bounded): ReadonlyArray<Violation> =>
  Market.violations(market, order).map(([field, constraint]) => ({ field, constraint }))

type Table = ReadonlyMap<MarketName, Market.Market>

const toTable = (markets: ReadonlyArray<Market.Market>): Table =>
  new Map(markets.map((market) => [market.name, market]))

/**
 * Checks against markets known beforehand.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerFixed = (markets: ReadonlyArray<Market.Market>): Layer.Layer<MarketRules> => {
  const table = toTable(markets)
  return Layer.succeed(MarketRules, {
    check: (order) => Effect.succeed(checkAgainst(table.get(order.market), order))
  })
}

/**
 * Checks nothing: the exchange judges alone.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerNone: Layer.Layer<MarketRules> = Layer.succeed(MarketRules, { check: () => Effect.succeed([]) })

/**
 * Checks against the markets as the exchange describes them: loaded once at the first order and shared; refreshed in the
 * background when older than `timeToLive`, and at once when an order names a market that was not there. While they have
 * never been loaded, no order is sent. An order waits for them no longer than `timeout`, whoever loads them.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerCached = <E extends { readonly message: string }, R>(
  load: Effect.Effect<ReadonlyArray<Market.Market>, E, R>,
  options: { readonly timeToLive?: Duration.Input; readonly timeout?: Duration.Input } = {}
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

      /** Loads unless somebody else has loaded since `seen`. */
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
              new MarketRulesUnavailable({ reason: `the markets were not loaded within ${Duration.format(timeout)}` })
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

      const check = Effect.fnUntraced(function*(order: Market.Bounded) {
        const seen = state
        const now = yield* Clock.currentTimeMillis
        const current = seen ?? (yield* refresh(undefined))
        if (now - current.loadedAt >= timeToLive) yield* refreshInBackground(current)
        if (current.table.has(order.market) || current.loadedAt === now) {
          return checkAgainst(current.table.get(order.market), order)
        }
        return checkAgainst((yield* refresh(current)).table.get(order.market), order)
      })
      return { check }
    })
  )
