/** Two markets, trades on them, and the public channels that push messages about these trades. */
import * as Effect from "effect/Effect"
import * as Verdict from "../Verdict.ts"
import * as Channels from "./Channels.ts"
import { above, priceText } from "./Markets.ts"
import * as Orders from "./Orders.ts"
import type * as Sockets from "./Sockets.ts"
import * as Streams from "./Streams.ts"
import * as Trading from "./Trading.ts"
import type { Account, Market, World } from "./World.ts"

/** A public channel whose messages are about one market. */
interface Kind {
  readonly channel: string
  /** The parameters that subscribe to one market alone. */
  readonly params: (market: string) => ReadonlyArray<unknown>
  /** The market that a message is about. */
  readonly marketOf: (params: unknown) => unknown
  /** Whether a subscription may name several markets. */
  readonly isOfSet: boolean
}

const first = (params: unknown): unknown => Streams.listOf(params)[0]

/** The public channels that push a message after an order has rested in the book and has traded in part. */
const kinds: ReadonlyArray<Kind> = [
  {
    channel: "depth",
    params: (market) => [market, 100, "0", false],
    marketOf: (params) => Streams.listOf(params)[2],
    isOfSet: false
  },
  { channel: "trades", params: (market) => [market], marketOf: first, isOfSet: true },
  { channel: "lastprice", params: (market) => [market], marketOf: first, isOfSet: true },
  { channel: "market", params: (market) => [market], marketOf: first, isOfSet: true },
  { channel: "marketToday", params: (market) => [market], marketOf: first, isOfSet: true },
  {
    channel: "bookTicker",
    params: (market) => [market],
    marketOf: (params) => Streams.listOf(first(params))[2],
    isOfSet: false
  },
  {
    channel: "candles",
    params: (market) => [market, 60],
    marketOf: (params) => Streams.listOf(first(params))[7],
    isOfSet: false
  }
]

/** Returns the market channels that the target declares. Skips the rule if the target declares none. */
export const served = Effect.fnUntraced(function*({ declares }: World) {
  const found = kinds.filter(({ channel }) => declares(`${Channels.webSocket}/${channel}`))
  return found.length === 0 ? yield* Verdict.skip("the target declares none of these channels") : found
})

/** Returns the market to trade on, and another market with the same price. */
export const pair = Effect.fnUntraced(function*(world: World) {
  const market = yield* world.market
  const other = (yield* world.markets).find(({ name }) => name !== market.name)
  if (other === undefined) return yield* Verdict.skip("needs a second market")
  yield* world.control("MovePrice", { market: other.name, price: priceText(other, other.price) })
  return { market, other }
})

/** Options of a trade between two accounts. */
interface Terms {
  /** The account whose order rests; a new one by default. */
  readonly maker?: Account
  /** The taker's side; `buy` by default. */
  readonly side?: Orders.Side
  /** The amount that is taken; 0.01 by default. */
  readonly taken?: string
}

/** Makes a new account take an amount from an order of 0.02. The rest of the order stays in the book. */
export const trade = Effect.fnUntraced(function*(
  world: World,
  market: Market,
  percent: number,
  { maker: given, side = "buy", taken = "0.01" }: Terms = {}
) {
  const [maker, taker] = [given ?? (yield* world.open()), yield* world.open()]
  for (const { id } of [maker, taker]) {
    yield* world.control("Fund", { account: id, wallet: "trade", ticker: market.stock, amount: "10" })
  }
  const price = above(market, percent)
  const fields = { market: market.name, price }
  const made = yield* Trading.placeOther(world, maker, { ...fields, amount: "0.02", side: Orders.opposite(side) })
  const took = yield* Trading.placeOther(world, taker, { ...fields, amount: taken, side })
  return { maker, taker, made, took, price: Number(price), amount: Number(taken), side }
})

/** Subscribes to a channel for one market alone. */
export const listen = (connection: Sockets.Connection, { channel, params }: Kind, market: Pick<Market, "name">) =>
  Streams.subscribe(connection, channel, ...params(market.name))

/** Expects a message about a market. */
export const tells = (listening: Streams.Listening, { channel, marketOf }: Kind, { name }: Pick<Market, "name">) =>
  Streams.seesOne(
    listening,
    `a message of ${channel} about ${name}`,
    (params) => marketOf(params) === name ? true : undefined
  )

/** Expects no message about a market. */
export const isSilent = (listening: Streams.Listening, { marketOf }: Kind, { name }: Market) =>
  Streams.hasNone(listening, `about ${name}`, (params) => marketOf(params) === name)
