/**
 * The daily values of a market in each of the summaries that show it. Only the live exchange's documentation describes
 * these calls.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as LivePublicCalls from "./LivePublicCalls.ts"
import * as Paths from "./Paths.ts"
import type { Body, World } from "./World.ts"

/** The keys of the values that every summary of a market shows, under common names. */
const figures = {
  ticker: { last: "last_price", volume: "base_volume", deal: "quote_volume", change: "change" },
  summary: {
    last: "last",
    volume: "volume",
    deal: "deal",
    change: "change",
    bid: "bid",
    ask: "ask",
    low: "low",
    high: "high"
  },
  summaries: {
    last: "last",
    volume: "vol",
    deal: "deal",
    change: "change",
    bid: "bid",
    ask: "ask",
    low: "low",
    high: "high"
  },
  futures: {
    last: "last_price",
    volume: "stock_volume",
    deal: "money_volume",
    bid: "bid",
    ask: "ask",
    low: "low",
    high: "high"
  }
} as const

/** A summary of markets. */
export type Source = keyof typeof figures

/** Returns the entry of an object under this key, or an empty result. */
export const entryOf = (json: unknown, key: string): Body =>
  Json.isObject(json) && Json.isObject(json[key]) ? json[key] : {}

/** Returns a market's entry in a summary, or an empty result if the summary does not list the market. */
const entryIn = Effect.fnUntraced(function*(world: World, source: Source, market: string) {
  switch (source) {
    case "ticker": {
      const { answer, value } = yield* LivePublicCalls.object(world, Paths.tickers)
      return { answer, entry: entryOf(value, market) }
    }
    case "summary": {
      const { answer, value } = yield* LivePublicCalls.result(world, Paths.marketSummary, { market })
      return { answer, entry: Json.isObject(value) ? value : {} }
    }
    case "summaries": {
      const { answer, value } = yield* LivePublicCalls.result(world, Paths.marketSummaries)
      return { answer, entry: entryOf(entryOf(value, market), "ticker") }
    }
    case "futures": {
      const { answer, value } = yield* LivePublicCalls.results(world, Paths.futures)
      return { answer, entry: value.filter(Json.isObject).find(({ ticker_id: name }) => name === market) ?? {} }
    }
  }
})

/** Returns a market's values in a summary, under common names. Values that the summary does not show are absent. */
export const read = Effect.fnUntraced(function*(world: World, source: Source, market: string) {
  const { answer, entry } = yield* entryIn(world, source, market)
  const numbers = Object.entries(figures[source]).map(([name, key]) =>
    [name, Number(entry[key] ?? Number.NaN)] as const
  )
  return { answer, entry, numbers: Object.fromEntries(numbers) }
})
