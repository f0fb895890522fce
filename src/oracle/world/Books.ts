/**
 * The order book and the depth of a market, level by level. Only the live exchange's documentation describes their
 * calls.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Verdict from "../Verdict.ts"
import * as LivePublicCalls from "./LivePublicCalls.ts"
import { basePrice, priceText } from "./Markets.ts"
import * as Paths from "./Paths.ts"
import type { Market, World } from "./World.ts"

/** The calls that show the levels of a book. */
export const paths = [Paths.orderBook, Paths.depth] as const

/** Whether two amounts are equal, apart from floating-point rounding. */
export const isClose = (one: number | undefined, other: number): boolean => Math.abs((one ?? Number.NaN) - other) < 1e-8

/** Returns the price `percent` % above the base price, or below it if `percent` is negative. */
export const near = (market: Pick<Market, "moneyPrecision" | "tick">, percent: number): string =>
  priceText(market, basePrice * (1 + percent / 100))

/** One level: its price, and the amount that rests at it. */
export type Level = readonly [price: number, amount: number]

const decimal = /^(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/u

const isLevel = (level: unknown): level is ReadonlyArray<unknown> =>
  Array.isArray(level) && level.length === 2 &&
  level.every((part) => typeof part === "string" && decimal.test(part) && Number(part) > 0)

const isRising = (prices: ReadonlyArray<number>): boolean =>
  prices.every((price, index) => index === 0 || price > (prices[index - 1] ?? 0))

/**
 * Reads the book of a market. Its levels must be pairs of decimals above zero, best first, with all bids below all
 * asks.
 */
export const read = Effect.fnUntraced(function*(
  world: World,
  path: typeof paths[number],
  market: string,
  query: LivePublicCalls.Query = {}
) {
  const answer = yield* LivePublicCalls.get(world, `${path}/${market}`, query)
  const json = Json.isObject(answer.json) ? answer.json : {}
  const side = (key: "asks" | "bids"): ReadonlyArray<Level> =>
    (Array.isArray(json[key]) ? json[key].filter(isLevel) : []).map((
      [price, amount]
    ) => [Number(price), Number(amount)])
  const [asks, bids] = [side("asks"), side("bids")]
  yield* Verdict.expect(
    answer,
    `HTTP 200 with ticker_id ${market}, and asks and bids as pairs of decimals above zero`,
    answer.status === 200 && json["ticker_id"] === market && Array.isArray(json["asks"]) &&
      Array.isArray(json["bids"]) && json["asks"].length === asks.length && json["bids"].length === bids.length
  )
  yield* Verdict.expect(
    answer,
    "the best levels first, and all bids below all asks",
    isRising([...bids.toReversed(), ...asks].map(([price]) => price))
  )
  return { answer, json, asks, bids }
})

/** Returns the amount at a price, or zero if there is no such level. */
export const amountAt = (levels: ReadonlyArray<Level>, price: string): number =>
  levels.find(([at]) => at === Number(price))?.[1] ?? 0
