/** Pushes order books, their changes, and their best prices. */
import * as Result from "effect/Result"
import type * as BookTickerChannel from "../../channels/BookTickerChannel.ts"
import * as DepthChannel from "../../channels/DepthChannel.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { MarketName } from "../../domain/Identifiers.ts"
import * as Time from "../../domain/Time.ts"
import type { Trading } from "../engine/State.ts"
import * as Units from "../engine/Units.ts"
import * as Market from "../handlers/Market.ts"
import * as MarketFigures from "../handlers/MarketFigures.ts"
import { anyMarketsOf } from "./MarketSources.ts"
import * as Pace from "./Pace.ts"
import { group, type Outlet, type Subscription } from "./Source.ts"

type Topic = DepthChannel.Topic

/** The amounts on one side, keyed by price, best price first. */
type Side = ReadonlyMap<Units.Units, Units.Units>

/** The visible levels of a book: at most `limit` on each side. */
interface Window {
  readonly asks: Side
  readonly bids: Side
}

const sideOf = (trading: Trading | undefined, side: keyof Window, { limit, priceStep }: Topic): Side => {
  const step = Units.from(Decimal.Decimal.make(priceStep)) ?? 0n
  const exact = trading?.book[side] ?? []
  const levels = step === 0n ? exact : Market.aggregated(exact, side, step)
  return new Map(Iterator.from<MarketFigures.Level>(levels).take(limit).map(({ left, price }) => [price, left]))
}

const windowOf = (trading: Trading | undefined, topic: Topic): Window => ({
  asks: sideOf(trading, "asks", topic),
  bids: sideOf(trading, "bids", topic)
})

const levelsOf = (
  levels: Iterable<readonly [price: Units.Units, left: Units.Units]>
): ReadonlyArray<DepthChannel.Level> => Array.from(levels, ([price, left]) => MarketFigures.levelOf({ price, left }))

const isBefore = { asks: (a: Units.Units, b: Units.Units) => a < b, bids: (a: Units.Units, b: Units.Units) => a > b }

/**
 * The levels that differ between two windows, best price first. The amount of a level that has left the window is zero.
 */
const changesOf = (side: keyof Window, before: Side, now: Side): ReadonlyArray<DepthChannel.Level> => {
  const changed: Array<[Units.Units, Units.Units]> = []
  for (const [price, left] of now) if (before.get(price) !== left) changed.push([price, left])
  for (const price of before.keys()) if (!now.has(price)) changed.push([price, 0n])
  return levelsOf(changed.toSorted(([one], [other]) => isBefore[side](one, other) ? -1 : 1))
}

/** The state of a connection's subscription to an order book. */
interface Book {
  readonly topic: Topic
  readonly pace: Pace.Pace
  window: Window
  /** The latest message's `updateId`. */
  updateId: number
  /** The latest message's time, in Unix microseconds. */
  sentAt: number
}

const { pushes } = DepthChannel.channel

const repeatsAfter = (pushes.repeatsAfterMillis ?? Infinity) * 1000

class Books implements Subscription<Topic> {
  private readonly outlet: Outlet<DepthChannel.DepthMessage>
  private readonly books = new Map<MarketName, Book>()

  constructor(outlet: Outlet<DepthChannel.DepthMessage>) {
    this.outlet = outlet
  }

  listen(topics: ReadonlyArray<Topic>, asked: ReadonlyArray<Topic>): void {
    const markets = new Set(topics.map(({ market }) => market))
    for (const market of this.books.keys()) if (!markets.has(market)) this.books.delete(market)
    for (const topic of asked) {
      const book = {
        topic,
        pace: Pace.make(pushes, this.outlet),
        window: this.windowOf(topic),
        updateId: 0,
        sentAt: 0
      }
      this.books.set(topic.market, book)
      this.pushWhole(book)
      this.outlet.wakeAt(book.sentAt + repeatsAfter)
    }
  }

  applied({ markets }: { readonly markets: ReadonlySet<MarketName> }): void {
    for (const market of markets) this.books.get(market)?.pace.changed()
  }

  woken(at: number): void {
    for (const book of this.books.values()) {
      if (book.pace.isDue(at)) this.pushChanges(book)
      if (at - book.sentAt >= repeatsAfter) {
        book.window = this.windowOf(book.topic)
        this.pushWhole(book)
      }
      this.outlet.wakeAt(book.sentAt + repeatsAfter)
    }
  }

  private windowOf(topic: Topic): Window {
    return windowOf(this.outlet.context().state.trading.get(topic.market), topic)
  }

  private push(
    book: Book,
    isSnapshot: boolean,
    rest: Pick<DepthChannel.DepthMessage, "asks" | "bids" | "pastUpdateId">
  ): void {
    const { at } = this.outlet.context()
    const { market } = book.topic
    const { timestamp, updateId } = this.outlet.bookChange(market)
    book.updateId = updateId
    book.sentAt = at
    const message = { market, isSnapshot, timestamp, eventTime: Time.fromMicros(at), updateId, ...rest }
    if (isSnapshot) this.outlet.push(message, Object.values(book.topic).join(" "))
    else this.outlet.push(message)
  }

  private pushWhole(book: Book): void {
    const { asks, bids } = book.window
    this.push(book, true, { asks: levelsOf(asks), bids: levelsOf(bids) })
  }

  private pushChanges(book: Book): void {
    const now = this.windowOf(book.topic)
    const asks = changesOf("asks", book.window.asks, now.asks)
    const bids = changesOf("bids", book.window.bids, now.bids)
    book.window = now
    // A command that affects a market can leave the market's visible levels unchanged; then there is nothing to push.
    if (asks.length === 0 && bids.length === 0) return
    this.push(book, false, {
      ...(asks.length === 0 ? {} : { asks }),
      ...(bids.length === 0 ? {} : { bids }),
      pastUpdateId: book.updateId
    })
  }
}

/** The best price level on each side of a market's book. If a side has no orders, its price and its amount are zero. */
const bestOf = (trading: Trading | undefined) => {
  const [bid, ask] = [trading?.book.bids.first, trading?.book.asks.first]
  return {
    bid: Units.toDecimal(bid?.price ?? 0n),
    bidAmount: Units.toDecimal(bid?.left ?? 0n),
    ask: Units.toDecimal(ask?.price ?? 0n),
    askAmount: Units.toDecimal(ask?.left ?? 0n)
  }
}

const pushBest = (outlet: Outlet<BookTickerChannel.BookTicker>): Subscription<{ readonly market?: MarketName }> => {
  /** The latest best prices and amounts that were pushed, as text. */
  let known = new Map<MarketName, string>()
  const push = (market: MarketName, isFirst: boolean): void => {
    const { at, state } = outlet.context()
    const best = bestOf(state.trading.get(market))
    const text = Object.values(best).join(" ")
    if (!isFirst && text === known.get(market)) return
    known.set(market, text)
    const { timestamp, updateId } = outlet.bookChange(market)
    outlet.push({ timestamp, eventTime: Time.fromMicros(at), market, updateId, ...best })
  }
  return {
    listen: (topics, asked) => {
      const context = outlet.context()
      known = new Map([...anyMarketsOf(topics, context)].map((market) => [market, known.get(market) ?? ""]))
      for (const market of anyMarketsOf(asked, context)) push(market, true)
    },
    applied: ({ markets }) => {
      for (const market of markets) if (known.has(market)) push(market, false)
    }
  }
}

/** The sources for order books and best prices. */
export const bookSources = group({
  DepthChannel: {
    open: (outlet) => new Books(outlet),
    queries: {
      get: (topic, { at, state }) => {
        const { asks, bids } = windowOf(state.trading.get(topic.market), topic)
        return Result.succeed({ timestamp: Time.fromMicros(at), asks: levelsOf(asks), bids: levelsOf(bids) })
      }
    }
  },
  BookTickerChannel: { open: pushBest, queries: {} }
})
