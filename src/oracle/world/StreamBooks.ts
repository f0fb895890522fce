/** Order books built level by level from the messages of a WebSocket. */
import * as Effect from "effect/Effect"
import * as Verdict from "../Verdict.ts"
import * as Books from "./Books.ts"
import * as Kinds from "./Kinds.ts"
import { above } from "./Markets.ts"
import * as Orders from "./Orders.ts"
import * as Paths from "./Paths.ts"
import type * as Sockets from "./Sockets.ts"
import * as Streams from "./Streams.ts"
import * as Trading from "./Trading.ts"
import type { Body, Market, World } from "./World.ts"

/** The sides of a book. */
export const sides = ["asks", "bids"] as const

/** One side of a book: amounts, keyed by price. */
type Side = Map<number, number>

/** An order book. */
export interface Book {
  readonly asks: Side
  readonly bids: Side
}

/** A message about a book. */
export interface Message {
  readonly isSnapshot: boolean
  readonly body: Body
  readonly market: unknown
}

/** Returns the messages about the book of a market. */
export const messagesOf = (pushed: ReadonlyArray<unknown>, market: string): ReadonlyArray<Message> =>
  pushed.map(Streams.listOf).flatMap(([isSnapshot, body, name]) =>
    name === market ? [{ isSnapshot: isSnapshot === true, body: Streams.objectOf(body), market: name }] : []
  )

/** Returns a side's levels, or an empty list if the side is missing. */
export const levels = (body: Body, side: typeof sides[number]): ReadonlyArray<Books.Level> =>
  Streams.listOf(body[side]).map((level) => {
    const [price, amount] = Streams.listOf(level)
    return [Number(price), Number(amount)]
  })

/** Returns the book after a message. */
const next = (book: Book, { body, isSnapshot }: Message): Book => {
  const sideAfter = (side: typeof sides[number]): Side => {
    const after: Side = new Map(isSnapshot ? [] : book[side])
    for (const [price, amount] of levels(body, side)) {
      if (amount === 0) after.delete(price)
      else after.set(price, amount)
    }
    return after
  }
  return { asks: sideAfter("asks"), bids: sideAfter("bids") }
}

/** Returns the book's state after each message. */
export const states = (messages: ReadonlyArray<Message>): ReadonlyArray<Book> => {
  let book: Book = { asks: new Map(), bids: new Map() }
  return messages.map((message) => book = next(book, message))
}

const decimal = /^(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/u

const isLevel = (level: unknown): boolean =>
  Array.isArray(level) && level.length === 2 && level.every((part) => typeof part === "string" && decimal.test(part))

const isRising = (prices: ReadonlyArray<number>): boolean =>
  prices.every((price, at) => at === 0 || price > (prices[at - 1] ?? 0))

/** Expects complete levels, best first, at most `limit` on each side. A side without levels may be missing. */
export const isWhole = Effect.fnUntraced(function*(what: string, body: Body, limit: number) {
  const [asks, bids] = [levels(body, "asks"), levels(body, "bids")]
  yield* Verdict.conclude(
    `${what}: at most ${limit} levels on each side, best first, each a price and an amount as decimals above zero`,
    body,
    sides.every((side) => body[side] === undefined || Array.isArray(body[side])) &&
      sides.every((side) => Streams.listOf(body[side]).every(isLevel)) &&
      [...asks, ...bids].every(([, amount]) => amount > 0) && asks.length <= limit && bids.length <= limit &&
      isRising(asks.map(([price]) => price)) && isRising(bids.map(([price]) => price).toReversed())
  )
})

/** Expects that a change has levels as pairs of decimals. A side without changes may be missing. */
export const areLevels = (body: Body) =>
  Verdict.conclude(
    "each level as a price and an amount, both as decimals",
    body,
    sides.every((side) => Streams.listOf(body[side]).every(isLevel))
  )

/** The kind of value in each field of a message. */
export const bodyKinds = { timestamp: Kinds.time, update_id: Kinds.integer, event_time: Kinds.time } as const

/** Describes a book for a verdict. */
export const describe = (book: Book | undefined): unknown =>
  book === undefined ? "none" : sides.map((side) => [side, [...book[side]]])

const isSame = (one: Side, other: Side): boolean =>
  one.size === other.size && [...one].every(([price, amount]) => Books.isClose(other.get(price), amount))

/** Expects that a book equals the book that a call shows, once both books have stopped changing. */
export const equalsRest = (
  world: World,
  market: Market,
  limit: number,
  connection: Sockets.Connection,
  current: Effect.Effect<Book | undefined, Verdict.CheckError>
) =>
  Streams.settles(
    connection,
    `the book of ${Paths.orderBook}/${market.name}`,
    Effect.gen(function*() {
      const shown = yield* Books.read(world, Paths.orderBook, market.name, { limit })
      const rest: Book = { asks: new Map(shown.asks), bids: new Map(shown.bids) }
      const book = yield* current
      const holds = book !== undefined && sides.every((side) => isSame(book[side], rest[side]))
      return { holds, got: { streams: describe(book), call: describe(rest) } }
    })
  )

/** The prices of {@link fill}, in percent from the market's price, best first. */
const percents = { sell: [0.7, 1.1, 1.6], buy: [-0.7, -1.1, -1.6] } as const

/** Fills a book with three levels on each side. Returns a function that places another order. */
export const fill = Effect.fnUntraced(function*(world: World) {
  const market = yield* world.market
  const account = yield* world.open()
  const place = (side: Orders.Side, percent: number, amount: string) =>
    Trading.placeOther(world, account, {
      market: market.name,
      side,
      amount,
      price: above(market, percent)
    })
  for (const side of Orders.sides) {
    for (const [at, percent] of percents[side].entries()) yield* place(side, percent, `0.0${at + 1}`)
  }
  return { market, account, place }
})

// -----------------------------------------------------------------------------
// Subscriptions
// -----------------------------------------------------------------------------

/** A wait that is longer than the interval between a book's changes, in milliseconds. */
export const changeEvery = 150

/** Returns the messages about the book of a market that a subscription has received. */
export const received = (listening: Streams.Listening, { name }: Pick<Market, "name">) =>
  messagesOf(Streams.pushed(listening), name)

/** Subscribes to a book, and waits for its snapshot. */
export const subscribe = Effect.fnUntraced(
  function*(world: World, market: Market, limit: number, step = "0", adds = true) {
    const connection = yield* world.connect
    // The first message may precede the acknowledgement. This connection has no other book, so every message counts.
    const from = connection.messages.length
    const listening = { ...yield* Streams.subscribe(connection, "depth", market.name, limit, step, adds), from }
    const [first] = yield* Streams.sees(listening, `a message about ${market.name}`, (pushed) => {
      const found = messagesOf(pushed, market.name)
      return found.length > 0 ? found : undefined
    })
    return { listening, first }
  }
)

/** Returns the changes in messages, without the first book and repeated complete books. */
export const changesIn = (all: ReadonlyArray<Message>) => all.filter(({ isSnapshot }) => !isSnapshot)

/**
 * Returns a book's states: the first complete book, then the book after each change. Repeated books are ignored,
 * because they would hide a missing change.
 */
export const followed = (listening: Streams.Listening, market: Market) => {
  const all = received(listening, market)
  return states([...all.slice(0, 1), ...changesIn(all.slice(1))])
}

/** Waits until more than `count` changes have been pushed. */
export const more = (listening: Streams.Listening, market: Market, count: number) =>
  Streams.sees(
    listening,
    `a change of the book of ${market.name}`,
    (pushed) => changesIn(messagesOf(pushed, market.name)).length > count ? true : undefined
  )
