/**
 * Handles lists that show a change only some time after the change. The document does not describe these lists, so it
 * does not say how soon they show an order, a fill or a balance. The live exchange's documentation says that market
 * data is cached for a second. So outdated lists and market data break no rule.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Json from "../../protocol/Json.ts"
import * as Target from "../Target.ts"
import * as Paths from "./Paths.ts"
import type { World } from "./World.ts"

/** The time, in milliseconds, within which a list must show a change. */
export const bound = 500

/** The time, in milliseconds, within which market data must show a change. */
export const cached = 1200

/** The market data that the live exchange caches for up to a second. */
const marketData: ReadonlyArray<string> = [
  Paths.tickers,
  Paths.orderBook,
  Paths.depth,
  Paths.trades,
  Paths.futures,
  Paths.candles,
  Paths.tradeHistory,
  Paths.marketSummary,
  Paths.marketSummaries
]

const isMarketData = (path: string): boolean =>
  marketData.some((one) => path === one || (Paths.ofMarkets.includes(one) && path.startsWith(`${one}/`)))

/** Matches the times in a response that change even if nothing has happened. */
const times = /"(?:timestamp|at)":[0-9.]+/gu

/**
 * The calls that may show a change late. They include the main balance, because applying a code only starts the
 * transaction that changes it.
 */
const late: ReadonlyArray<string> = [
  Paths.activeOrders,
  Paths.orderHistory,
  Paths.orderDeals,
  Paths.fills,
  Paths.ocoOrders,
  Paths.tradeBalance,
  Paths.openPositions,
  Paths.positionHistory,
  Paths.closedPositions,
  Paths.fundingHistory,
  Paths.borrowHistory,
  Paths.adlQuantile,
  Paths.collateralSummary,
  Paths.conditionalOrders,
  Paths.mainBalance,
  Paths.collateralBalance,
  Paths.balanceSummary,
  Paths.subAccounts,
  Paths.apiKeys
]

/** Whether the lists of a target are known to be late. All rules of a check share this state. */
export interface Lateness {
  isKnown: boolean
}

/** The calls of one rule, and whether their responses were late. */
export interface Settling extends Pick<World, "call" | "attempt" | "control" | "get"> {
  /** Clears the reads of the previous run. */
  readonly begin: Effect.Effect<void>
  /**
   * Whether a list or market data has changed since this run read it. If so, the run has evaluated a late response, and
   * from then on every read waits until the responses have settled.
   */
  readonly wasLate: Effect.Effect<boolean>
}

/** Makes the calls of one rule. If the target's lists are known to be late, a read waits until they have settled. */
export const make = (
  { attempt, call, control, get }: Pick<World, "call" | "attempt" | "control" | "get">,
  lateness: Lateness
): Settling => {
  /** The latest response of each list that this run has read. */
  const shown = new Map<string, { readonly text: string; readonly again: ReturnType<World["call"]> }>()
  /** The latest response of each market-data call that this run has made. */
  const published = new Map<string, { readonly text: string; readonly again: ReturnType<World["get"]> }>()
  let changedAt = -Infinity
  let isOnTime = false
  let isCached = false
  const change = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.ensuring(effect, Effect.map(Target.now, (now) => changedAt = now))
  const settled = (time: number) =>
    Effect.flatMap(Target.now, (now) => Effect.sleep(Math.max(0, changedAt + time - now)))

  const read: World["call"] = (account, path, fields = {}, tampering) =>
    Effect.gen(function*() {
      if (lateness.isKnown) yield* settled(bound)
      const again = call(account, path, fields, tampering)
      const answer = yield* again
      const key = Json.stringify([Redacted.value(account.apiKey), path, fields])
      if (tampering === undefined) shown.set(key, { text: answer.text, again })
      return answer
    })

  const readMarketData: World["get"] = (path, query, headers) =>
    Effect.gen(function*() {
      if (isCached) yield* settled(cached)
      const again = get(path, query, headers)
      const answer = yield* again
      published.set(`${path}?${query ?? ""}`, { text: answer.text, again })
      return answer
    })

  const wasLate = Effect.gen(function*() {
    if (isOnTime || shown.size + published.size === 0) return false
    if (!lateness.isKnown && shown.size > 0) {
      yield* settled(bound)
      for (const { again, text } of shown.values()) {
        if ((yield* again).text !== text) return lateness.isKnown = true
      }
    }
    if (!isCached && published.size > 0) {
      yield* settled(cached)
      for (const { again, text } of published.values()) {
        if ((yield* again).text.replace(times, "") !== text.replace(times, "")) return isCached = true
      }
    }
    isOnTime = true
    return false
  })

  return {
    call: (account, path, fields, tampering) =>
      late.includes(path)
        ? read(account, path, fields, tampering)
        : change(call(account, path, fields, tampering)),
    attempt: (account, path, fields, tampering) => change(attempt(account, path, fields, tampering)),
    control: (action, fields) => change(control(action, fields)),
    get: (path, query, headers) =>
      isMarketData(path) ? readMarketData(path, query, headers) : get(path, query, headers),
    begin: Effect.sync(() => {
      shown.clear()
      published.clear()
    }),
    wasLate: Effect.orElseSucceed(wasLate, () => false)
  }
}
