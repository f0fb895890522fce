/** The last price of a market, whenever it has changed. Public. */
import { Decimal } from "../domain/Decimal.ts"
import { MarketName, marketName } from "../domain/Identifiers.ts"
import * as Channel from "../protocol/Channel.ts"
import { positional } from "../protocol/Positional.ts"
import * as topics from "./topics.ts"

export type { Market as Topic } from "./topics.ts"

/**
 * The last price of a market.
 *
 * @category models
 */
export interface LastPrice {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
  /** The price of the market's last trade, in the quote currency. */
  readonly price: Decimal
}

const update = positional<LastPrice>({ market: MarketName, price: Decimal })

/**
 * `lastprice_subscribe`. Source: the live exchange's documentation, WebSocket, "Last price".
 *
 * @category channels
 */
export const channel = Channel.make({
  name: "LastPriceChannel",
  wire: "lastprice",
  access: "public",
  sharing: "set",
  topic: topics.market,
  topics: topics.markets,
  keyOf: ({ market }) => market,
  update,
  about: ({ market }, message) => message.market === market ? message : undefined,
  first: "nothing",
  continuity: "value",
  pushes: { when: "changed", everyMillis: 1000 },
  queries: {
    get: Channel.query({
      method: "lastprice_request",
      params: positional<topics.Market>({ market: MarketName }),
      result: Decimal,
      example: { market: marketName("BTC_USDT") }
    })
  },
  source: "WebSocket, \"Last price\"",
  example: { market: marketName("BTC_USDT") }
})
