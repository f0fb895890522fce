/** The best bid and the best ask of a market, or of all markets, whenever they change. Public. */
import * as Schema from "effect/Schema"
import { Decimal } from "../domain/Decimal.ts"
import { MarketName, marketName } from "../domain/Identifiers.ts"
import { UnixTime } from "../domain/Time.ts"
import * as Channel from "../protocol/Channel.ts"
import { positional } from "../protocol/Positional.ts"
import * as forms from "./forms.ts"
import * as topics from "./topics.ts"

export type { AnyMarket as Topic } from "./topics.ts"

/**
 * The best bid and the best ask of a market. Prices are in the quote currency, amounts in the base currency.
 *
 * @category models
 */
export interface BookTicker {
  /** The time of the change, in Unix seconds with a fraction. */
  readonly timestamp: UnixTime
  /** The time when the exchange sent the message, in Unix seconds with a fraction. */
  readonly eventTime: UnixTime
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
  /** The number of this state of the book. It never decreases. */
  readonly updateId: number
  /** The best bid's price. */
  readonly bid: Decimal
  /** The amount at the best bid. */
  readonly bidAmount: Decimal
  /** The best ask's price. */
  readonly ask: Decimal
  /** The amount at the best ask. */
  readonly askAmount: Decimal
}

const bookTicker = positional<BookTicker>({
  timestamp: UnixTime,
  eventTime: UnixTime,
  market: MarketName,
  updateId: Schema.Int,
  bid: Decimal,
  bidAmount: Decimal,
  ask: Decimal,
  askAmount: Decimal
})

/**
 * `bookTicker_subscribe`. Source: the live exchange's documentation, WebSocket, "Book ticker".
 *
 * @category channels
 */
export const channel = Channel.make({
  name: "BookTickerChannel",
  wire: "bookTicker",
  access: "public",
  sharing: "set",
  topic: topics.anyMarket,
  topics: topics.oneOrAllMarkets,
  keyOf: ({ market = "" }) => market,
  update: forms.single(bookTicker),
  about: ({ market }, message) => market === undefined || message.market === market ? message : undefined,
  first: "value",
  continuity: "value",
  pushes: { when: "changed", everyMillis: 0 },
  queries: {},
  source: "WebSocket, \"Book ticker\"",
  example: { market: marketName("BTC_USDT") }
})
