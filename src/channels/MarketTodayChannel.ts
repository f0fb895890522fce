/** The statistics of a market since midnight UTC, whenever they have changed. Public. */
import { Decimal } from "../domain/Decimal.ts"
import { MarketName, marketName } from "../domain/Identifiers.ts"
import * as Channel from "../protocol/Channel.ts"
import { positional } from "../protocol/Positional.ts"
import * as Wire from "../protocol/Wire.ts"
import * as forms from "./forms.ts"
import * as topics from "./topics.ts"

export type { Market as Topic } from "./topics.ts"

/**
 * A market's statistics since midnight UTC. Prices are in the quote currency.
 *
 * @category models
 */
export interface Statistics {
  /** The price of the last trade. */
  readonly last: Decimal
  /** The price at midnight. */
  readonly open: Decimal
  /** The highest price. */
  readonly high: Decimal
  /** The lowest price. */
  readonly low: Decimal
  /** The traded volume, in the base currency. */
  readonly volume: Decimal
  /** The traded volume, in the quote currency. */
  readonly total: Decimal
}

/**
 * The statistics of a market since midnight UTC.
 *
 * @category models
 */
export interface MarketToday extends Statistics {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
}

const statistics = Wire.answer<Statistics>({
  open: Decimal,
  last: Decimal,
  high: Decimal,
  low: Decimal,
  volume: Decimal,
  total: Decimal
}, { keys: { total: "deal" } })

/**
 * `marketToday_subscribe`. Source: the live exchange's documentation, WebSocket, "Market today".
 *
 * @category channels
 */
export const channel = Channel.make({
  name: "MarketTodayChannel",
  wire: "marketToday",
  access: "public",
  sharing: "set",
  topic: topics.market,
  topics: topics.markets,
  keyOf: ({ market }) => market,
  update: forms.ofMarket<MarketToday>(statistics),
  about: ({ market }, message) => message.market === market ? message : undefined,
  first: "nothing",
  continuity: "value",
  pushes: { when: "changed", everyMillis: 1000 },
  queries: {
    get: Channel.query({
      // The only query whose method does not end with `_request`.
      method: "marketToday_query",
      params: positional<topics.Market>({ market: MarketName }),
      result: statistics.schema,
      example: { market: marketName("BTC_USDT") }
    })
  },
  source: "WebSocket, \"Market today\"",
  example: { market: marketName("BTC_USDT") }
})
