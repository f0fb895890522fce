/** The authorisation of WebSocket connections, and the isolation of accounts and connections. */
import * as Effect from "effect/Effect"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Channels from "../world/Channels.ts"
import * as StreamMarkets from "../world/StreamMarkets.ts"
import * as Streams from "../world/Streams.ts"
import type { Account, World } from "../world/World.ts"

const { always, forEach } = Streams.documented("Authorization")

/** The code of a private request on a connection without authorisation. */
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
  ["positionsMargin_subscribe", () => []]
]

/** The private channels that a trade makes push something, with the parameters that subscribe to a market. */
const channels: ReadonlyArray<readonly [channel: string, params: (market: string) => ReadonlyArray<unknown>]> = [
  ["ordersPending", (market) => [market]],
  ["ordersExecuted", (market) => [[market], 0]],
  ["deals", (market) => [[market]]],
  ["balanceSpot", () => []]
]

/** Subscribes an account to all private channels that the target declares. */
const listen = Effect.fnUntraced(function*(world: World, account: Account, market: string) {
  const connection = yield* Streams.authorized(world, account)
  const declared = channels.filter(([channel]) => world.declares(`${Channels.webSocket}/${channel}`))
  return yield* Effect.forEach(
    declared,
    ([channel, params]) => Streams.subscribe(connection, channel, ...params(market))
  )
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
    statement: "Acknowledges a valid token, and then answers private requests of its account",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const token = yield* Streams.token(world, yield* world.reader)
      const connection = yield* world.connect
      yield* Streams.isAcknowledgement(yield* Streams.ask(connection, "authorize", token, "public"))
      yield* Streams.ask(connection, ...request)
    })
  }),
  forEach("streams.authorize.wrong", {
    statement: "Refuses a wrong token with code 1 or 11, and private requests after it with code 6",
    profile: "read-only",
    values: ["tampered", "made-up"],
    check: Effect.fnUntraced(function*(world, how) {
      const token = how === "tampered" ? yield* Streams.token(world, yield* world.reader) : "no-such-token"
      const wrong = how === "tampered" ? `${token.slice(0, -1)}${token.endsWith("0") ? "1" : "0"}` : token
      const connection = yield* world.connect
      yield* Streams.refuses(connection, [1, 11], "authorize", wrong, "public")
      yield* Streams.refuses(connection, [requiresAuthorization], ...request)
    })
  }),
  always("streams.authorize.connection", {
    statement: "Authorises only the connection that sent the token",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const other = yield* world.connect
      const connection = yield* Streams.authorized(world, yield* world.reader)
      yield* Streams.refuses(other, [requiresAuthorization], ...request)
      yield* Streams.refuses(yield* world.connect, [requiresAuthorization], ...request)
      yield* Streams.ask(connection, ...request)
    })
  }),
  forEach("streams.private", {
    statement: "Refuses private requests on a connection without authorisation with code 6",
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
      const [account, stranger] = [yield* world.open(), yield* world.open()]
      const strange = yield* listen(world, stranger, market.name)
      const own = yield* listen(world, account, market.name)
      const [one] = strange
      if (one === undefined) return yield* Verdict.skip("the target declares no private channels")
      yield* StreamMarkets.trade(world, market, 1, { maker: account, taken: "0.02" })
      yield* Streams.pass(world)
      for (const listening of own) yield* Streams.seesOne(listening, "a message about the account's trade", () => true)
      yield* Streams.linger(one.connection)
      for (const listening of strange) yield* Streams.hasNone(listening, "about another account", () => true)
    })
  })
]
