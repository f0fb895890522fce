/** Rules about the authorization of WebSocket connections, and the isolation of accounts and connections. */
import * as Effect from "effect/Effect"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Channels from "../world/Channels.ts"
import type * as Sockets from "../world/Sockets.ts"
import * as StreamMarkets from "../world/StreamMarkets.ts"
import * as Streams from "../world/Streams.ts"
import type { Account, Market, World } from "../world/World.ts"

const { always, forEach } = Streams.documented("Authorization")

/** The error code for a private request on a connection without authorization. */
const requiresAuthorization = 6

/** A private request that every account may make. */
const request = ["balanceSpot_request"] as const

/** All private requests that rules make, with parameters for a market. */
const requests: ReadonlyArray<readonly [method: string, params: (market: string) => ReadonlyArray<unknown>]> = [
  ["balanceSpot_request", () => []],
  ["balanceSpot_subscribe", () => []],
  ["balanceMargin_request", () => []],
  ["balanceMargin_subscribe", () => []],
  ["ordersPending_request", (market) => [market, 0, 100]],
  ["ordersPending_subscribe", (market) => [market]],
  ["ordersExecuted_request", (market) => [{ market, order_types: [1] }, 0, 100]],
  ["ordersExecuted_subscribe", (market) => [[market], 0]],
  ["deals_request", (market) => [market, 0, 100]],
  ["deals_subscribe", (market) => [[market]]],
  ["positionsMargin_subscribe", () => []],
  ["positionsAccountMargin_subscribe", () => []],
  ["borrowsMargin_subscribe", () => []],
  ["borrowsAccountMargin_subscribe", () => []]
]

/** A private channel that pushes a message after every trade of the account. */
interface Kind {
  readonly channel: string
  /** The parameters of a subscription to one market alone, for channels that push messages about markets. */
  readonly params: (market: string) => ReadonlyArray<unknown>
  readonly isOfMarket: boolean
}

const kinds: ReadonlyArray<Kind> = [
  { channel: "ordersPending", params: (market) => [market], isOfMarket: true },
  { channel: "ordersExecuted", params: (market) => [[market], 0], isOfMarket: true },
  { channel: "deals", params: (market) => [[market]], isOfMarket: true },
  { channel: "balanceSpot", params: () => [], isOfMarket: false }
]

/** Returns the private channels that the target declares. Skips the rule if the target declares none. */
const served = Effect.fnUntraced(function*({ declares }: World, isOfMarket = false) {
  const found = kinds.filter((kind) =>
    declares(`${Channels.webSocket}/${kind.channel}`) && (kind.isOfMarket || !isOfMarket)
  )
  return found.length === 0 ? yield* Verdict.skip("the target declares no private channels") : found
})

/** Subscribes a connection to channels, for one market. */
const listen = (connection: Sockets.Connection, found: ReadonlyArray<Kind>, { name }: Market) =>
  Effect.forEach(found, ({ channel, params }) => Streams.subscribe(connection, channel, ...params(name)))

/** Makes an account trade, and expects a message about the trade on each channel. */
const trade = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  market: Market,
  all: ReadonlyArray<Streams.Listening>
) {
  yield* StreamMarkets.trade(world, market, 1, { maker: account, taken: "0.02" })
  yield* Streams.pass(world)
  for (const listening of all) yield* Streams.seesOne(listening, "a message about the trade", () => true)
})

export const rules: ReadonlyArray<Rule.Rule> = [
  always("streams.token", {
    statement: "Creates a token as a string that is not empty",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      yield* Streams.token(world, yield* world.reader)
    })
  }),
  always("streams.authorize.accepted", {
    statement: "Acknowledges a valid token, and then responds to private requests of its account",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const token = yield* Streams.token(world, yield* world.reader)
      const connection = yield* world.connect
      yield* Streams.isAcknowledgement(yield* Streams.ask(connection, "authorize", token, "public"))
      yield* Streams.ask(connection, ...request)
    })
  }),
  forEach("streams.authorize.wrong", {
    statement: "Refuses a wrong token with code 1 or 11, and later private requests with code 6",
    profile: "read-only",
    values: ["shortened", "made-up"],
    check: Effect.fnUntraced(function*(world, how) {
      const token = how === "shortened" ? yield* Streams.token(world, yield* world.reader) : ""
      // Removes the middle of the token, because some token formats ignore a few bits at the end.
      const third = Math.ceil(token.length / 3)
      const wrong = token === "" ? "no-such-token" : token.slice(0, third) + token.slice(2 * third)
      const connection = yield* world.connect
      yield* Streams.refuses(connection, [1, 11], "authorize", wrong, "public")
      yield* Streams.refuses(connection, [requiresAuthorization], ...request)
    })
  }),
  always("streams.authorize.connection", {
    statement: "Authorizes only the connection that sent the token",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const other = yield* world.connect
      const connection = yield* Streams.authorized(world, yield* world.reader)
      yield* Streams.refuses(other, [requiresAuthorization], ...request)
      yield* Streams.refuses(yield* world.connect, [requiresAuthorization], ...request)
      yield* Streams.ask(connection, ...request)
    })
  }),
  always("streams.authorize.public", {
    statement: "Serves public requests and subscriptions on an authorized connection, too",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const { name } = yield* world.market
      const connection = yield* Streams.authorized(world, yield* world.reader)
      yield* Streams.ask(connection, "lastprice_request", name)
      yield* Streams.isAcknowledgement(yield* Streams.ask(connection, "lastprice_subscribe", name))
      const listening = { connection, channel: "depth", from: connection.messages.length }
      yield* Streams.isAcknowledgement(yield* Streams.ask(connection, "depth_subscribe", name, 10, "0", true))
      yield* Streams.seesOne(
        listening,
        `the book of ${name}`,
        (params) => Streams.listOf(params)[2] === name || undefined
      )
    })
  }),
  forEach("streams.private", {
    statement: "Refuses private requests on a connection without authorization: code 6",
    profile: "read-only",
    values: requests,
    check: Effect.fnUntraced(function*(world, [method, params]) {
      const { name } = yield* world.market
      yield* Streams.refuses(yield* world.connection, [requiresAuthorization], method, ...params(name))
    })
  }),
  always("streams.accounts", {
    statement: "Pushes the orders, deals and balances of an account to its own connections only",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      const found = yield* served(world)
      const [account, stranger] = [yield* world.open(), yield* world.open()]
      const connection = yield* Streams.authorized(world, stranger)
      const strange = yield* listen(connection, found, market)
      const own = yield* listen(yield* Streams.authorized(world, account), found, market)
      yield* trade(world, account, market, own)
      yield* Streams.linger(connection)
      for (const listening of strange) yield* Streams.hasNone(listening, "about another account", () => true)
    })
  }),
  always("streams.private.markets", {
    statement: "Pushes only orders and deals on the markets of the channel's latest subscription",
    check: Effect.fnUntraced(function*(world) {
      const { market, other } = yield* StreamMarkets.pair(world)
      const found = yield* served(world, true)
      const account = yield* world.open()
      const connections = [
        yield* Streams.authorized(world, account),
        yield* Streams.authorized(world, account)
      ] as const
      yield* listen(connections[0], found, other)
      const silent = yield* listen(connections[0], found, market)
      const witness = yield* listen(connections[1], found, other)
      yield* trade(world, account, other, witness)
      yield* Streams.linger(connections[0])
      for (const listening of silent) yield* Streams.hasNone(listening, `about ${other.name}`, () => true)
      yield* trade(world, account, market, silent)
    })
  }),
  always("streams.private.unsubscribe.others", {
    statement: "Keeps a connection's subscriptions to other private channels when one subscription ends",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      const found = yield* served(world)
      const account = yield* world.open()
      const connection = yield* Streams.authorized(world, account)
      yield* listen(connection, found, market)
      for (const [at, { channel }] of found.entries()) {
        const { reply } = yield* Streams.ask(connection, `${channel}_unsubscribe`)
        const others = found.slice(at + 1).map(({ channel }) => ({ connection, channel, from: reply.at + 1 }))
        if (others.length > 0) yield* trade(world, account, market, others)
      }
    })
  }),
  always("streams.private.unsubscribe", {
    statement: "Pushes no messages of a private channel after acknowledging the end of the subscription",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      const found = yield* served(world)
      const account = yield* world.open()
      const connection = yield* Streams.authorized(world, account)
      const witness = yield* listen(yield* Streams.authorized(world, account), found, market)
      yield* listen(connection, found, market)
      const left = yield* Effect.forEach(found, ({ channel }) =>
        Effect.gen(function*() {
          const acknowledged = yield* Streams.ask(connection, `${channel}_unsubscribe`)
          yield* Streams.isAcknowledgement(acknowledged)
          return { connection, channel, from: acknowledged.reply.at + 1 }
        }))
      yield* trade(world, account, market, witness)
      yield* Streams.linger(connection)
      for (const listening of left) {
        yield* Streams.hasNone(listening, "after the end of its subscription", () => true)
      }
    })
  })
]
