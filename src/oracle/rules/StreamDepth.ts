/** Rules about order books over a WebSocket: a snapshot, and then a chain of changes. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Books from "../world/Books.ts"
import * as Kinds from "../world/Kinds.ts"
import { above } from "../world/Markets.ts"
import * as Numbers from "../world/Numbers.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as StreamBooks from "../world/StreamBooks.ts"
import * as StreamMarkets from "../world/StreamMarkets.ts"
import * as Streams from "../world/Streams.ts"
import * as Trading from "../world/Trading.ts"
import type { Body, World } from "../world/World.ts"

const { always, forEach } = Streams.documented("Depth")

/** The limits that a subscription may have. */
const limits = [1, 5, 10, 20, 30, 50, 100]

/** The tolerance for the time that a change shows, in seconds. */
const slack = 60

/** Returns the market that a check uses. In a sandbox, the market's book has three levels on each side. */
const filled = (world: World) =>
  world.profile === "control" ? Effect.map(StreamBooks.fill(world), ({ market }) => market) : world.market

/** Expects that a message was sent at about this time, in seconds. */
const isSentAt = (now: number, body: Body) =>
  Verdict.conclude(`an event_time of about ${now}`, body, Math.abs(Number(body["event_time"]) - now) < slack)

/**
 * Subscribes to a filled book, and changes it: adds to a level, adds levels, takes from a level, and removes levels.
 * Each change is pushed before the next one is made.
 */
const changes = Effect.fnUntraced(function*(world: World, limit: number) {
  const { account, market, place } = yield* StreamBooks.fill(world)
  const { listening } = yield* StreamBooks.subscribe(world, market, limit)
  const taker = yield* world.open()
  const take = (amount: string) =>
    Trading.placeOther(world, taker, {
      market: market.name,
      side: "buy",
      amount,
      price: above(market, 0.5)
    })
  const placed: Array<Body> = []
  const placeAt = (side: Orders.Side, percent: number, amount: string) =>
    Effect.map(place(side, percent, amount), (order) => placed.push(order))
  const cancel = (index: number) =>
    Effect.suspend(() => {
      const fields = { market: market.name, orderId: placed[index]?.["orderId"] }
      return world.call(account, Paths.cancelOrder, fields)
    })
  const steps = [
    placeAt("sell", 0.5, "0.05"),
    placeAt("buy", -0.5, "0.04"),
    place("sell", 0.5, "0.02"),
    take("0.03"),
    cancel(0),
    cancel(1),
    take("0.02"),
    place("sell", 0.7, "0.02")
  ]
  for (const [done, step] of steps.entries()) {
    yield* step
    yield* Streams.pass(world, StreamBooks.changeEvery)
    yield* StreamBooks.more(listening, market, done)
  }
  return { listening, market }
})

/** Two orders per side, which belong to the same group if the price step is 0.1. */
const grouped = [
  ["sell", "40100.03", "0.06"],
  ["sell", "40100.04", "0.07"],
  ["buy", "39900.06", "0.06"],
  ["buy", "39900.07", "0.07"]
] as const

/** Expects that the two {@link grouped} orders of a side form one level, at either end of their group. */
const isGrouped = (side: typeof StreamBooks.sides[number], levels: Iterable<Books.Level>) => {
  const low = side === "asks" ? 40_100 : 39_900
  const group = [...levels].filter(([price]) => Math.abs(price - low - 0.05) < 0.1)
  return Verdict.conclude(
    `in ${side} one level of 0.13 at ${low} or ${low + 0.1}`,
    group,
    group.length === 1 && Books.isClose(group[0]?.[1], 0.13) &&
      [low, low + 0.1].some((price) => Books.isClose(group[0]?.[0], price))
  )
}

const snapshotRules: ReadonlyArray<Rule.Rule> = [
  forEach("streams.depth.snapshot", {
    statement:
      "Begins a subscription with the complete book: at most the given number of levels on each side, best first",
    profile: "read-only",
    values: limits,
    check: Effect.fnUntraced(function*(world, limit) {
      const market = yield* filled(world)
      const { first, listening } = yield* StreamBooks.subscribe(world, market, limit)
      const body = first?.body ?? {}
      yield* Verdict.conclude(
        "first a complete book (true), without a past_update_id",
        Streams.pushed(listening)[0] ?? null,
        first?.isSnapshot === true && (body["past_update_id"] ?? null) === null
      )
      yield* Streams.hasKinds("a book", body, StreamBooks.bodyKinds)
      yield* StreamBooks.isWhole("a book", body, limit)
      yield* isSentAt((yield* world.now) / 1000, body)
      // Outside a sandbox, the book may change between the message and the call, so they cannot be compared.
      if (world.profile !== "control") return
      const current = Effect.sync(() => StreamBooks.states(StreamBooks.received(listening, market)).at(-1))
      yield* StreamBooks.equalsRest(world, market, limit, listening.connection, current)
    })
  }),
  always("streams.depth.order", {
    statement: "Sorts the levels of a book by price, even where the prices have different numbers of digits",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      const account = yield* world.open()
      yield* Trading.movePrice(world, market, 9999.9)
      const prices = { sell: ["10100", "9999.95", "10000"], buy: ["9999.85", "2000.5", "9000"] } as const
      for (const side of Orders.sides) {
        for (const price of prices[side]) {
          yield* Trading.placeOther(world, account, { market: market.name, side, amount: "0.02", price })
        }
      }
      const { first } = yield* StreamBooks.subscribe(world, market, 100)
      yield* StreamBooks.isWhole("a book", first?.body ?? {}, 100)
      const { result } = yield* Streams.ask(yield* world.connection, "depth_request", market.name, 100, "0")
      yield* StreamBooks.isWhole("a book", Streams.objectOf(result), 100)
    })
  }),
  always("streams.depth.step", {
    statement:
      "Groups a book by the price step: every price is a multiple of the step, with the sum of its group's amounts",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* filled(world)
      if (world.profile === "control") {
        const account = yield* world.open()
        for (const [side, price, amount] of grouped) {
          yield* Trading.placeOther(world, account, { market: market.name, side, amount, price })
        }
      }
      const { first } = yield* StreamBooks.subscribe(world, market, 100, "0.1")
      const body = first?.body ?? {}
      const prices = StreamBooks.sides.flatMap((side) => StreamBooks.levels(body, side)).map(([price]) => price)
      const isMultiple = (price: number) => Math.abs(price * 10 - Math.round(price * 10)) < 1e-6
      yield* Verdict.conclude("prices that are multiples of 0.1", body, prices.every(isMultiple))
      if (world.profile !== "control") return
      const { reply, result } = yield* Streams.ask(yield* world.connection, "depth_request", market.name, 100, "0.1")
      for (const side of StreamBooks.sides) {
        const levels = StreamBooks.levels(body, side)
        yield* Streams.expect(
          reply,
          `the ${side} ${Json.stringify(body[side])}`,
          Json.stringify(StreamBooks.levels(Streams.objectOf(result), side)) === Json.stringify(levels)
        )
        yield* isGrouped(side, levels)
      }
    })
  }),
  forEach("streams.depth.request", {
    statement:
      "Responds to the request for a book with at most the given number of levels on each side, best first, as the call for the book shows them",
    profile: "read-only",
    values: [100, 1],
    check: Effect.fnUntraced(function*(world, limit) {
      const { market, place } = world.profile === "control"
        ? yield* StreamBooks.fill(world)
        : { market: yield* world.market, place: undefined }
      const connection = yield* world.connection
      const read = Effect.map(
        Streams.ask(connection, "depth_request", market.name, limit, "0"),
        ({ result }) => Streams.objectOf(result)
      )
      const body = yield* read
      yield* Streams.hasKinds("a book", body, { timestamp: Kinds.time })
      yield* StreamBooks.isWhole("a book", body, limit)
      if (place === undefined) return
      const current = Effect.map(
        read,
        (body) => StreamBooks.states([{ isSnapshot: true, body, market: market.name }])[0]
      )
      yield* StreamBooks.equalsRest(world, market, limit, connection, current)
      // The next response must show the change.
      yield* place("buy", -0.2, "0.02")
      yield* StreamBooks.equalsRest(world, market, limit, connection, current)
    })
  })
]

const changeRules: ReadonlyArray<Rule.Rule> = [
  always("streams.depth.changes", {
    statement: "Pushes changes that turn the first book into the book that the HTTP call shows",
    check: Effect.fnUntraced(function*(world) {
      const { listening, market } = yield* changes(world, 100)
      const current = Effect.sync(() => StreamBooks.followed(listening, market).at(-1))
      yield* StreamBooks.equalsRest(world, market, 100, listening.connection, current)
    })
  }),
  always("streams.depth.chain", {
    statement: "Pushes changes with only changed levels, the previous update in past_update_id, and an update_id that "
      + "never decreases",
    check: Effect.fnUntraced(function*(world) {
      const { listening, market } = yield* changes(world, 100)
      const all = StreamBooks.received(listening, market)
      const states = StreamBooks.states(all)
      const now = (yield* world.now) / 1000
      for (const [at, { body, isSnapshot }] of all.entries()) {
        if (at === 0) continue
        yield* Streams.hasKinds("a change", body, StreamBooks.bodyKinds)
        yield* StreamBooks.areLevels(body)
        yield* Verdict.conclude(
          `a timestamp of about ${now}`,
          body,
          Math.abs(Number(body["timestamp"]) - now) < slack
        )
        yield* isSentAt(now, body)
        yield* Verdict.conclude(
          "only levels that have changed",
          { before: StreamBooks.describe(states[at - 1]), body },
          isSnapshot ||
            StreamBooks.sides.every((side) =>
              StreamBooks.levels(body, side).every(([price, amount]) => states[at - 1]?.[side].get(price) !== amount)
            )
        )
        const [past, before, id] = [body["past_update_id"], all[at - 1]?.body["update_id"], body["update_id"]]
        yield* Verdict.conclude(
          `update_id ${String(before)} or more${isSnapshot ? "" : `, and past_update_id ${String(before)}`}`,
          body,
          Numbers.idAt(id) >= Numbers.idAt(before) && (isSnapshot ? (past ?? null) === null : past === before)
        )
      }
    })
  }),
  // Not `MUST`, because the documentation's own example repeats a sequence number.
  Streams.recorded.always("streams.depth.numbers", {
    statement: "Increases update_id with each change",
    check: Effect.fnUntraced(function*(world) {
      const { listening, market } = yield* changes(world, 100)
      const ids = StreamBooks.changesIn(StreamBooks.received(listening, market)).map(({ body }) =>
        Numbers.idAt(body["update_id"])
      )
      yield* Verdict.conclude("rising numbers", ids, ids.every((id, at) => at === 0 || id > (ids[at - 1] ?? 0)))
    })
  }),
  Streams.recorded.always("streams.depth.window", {
    statement: "Removes a level in the same change that moves it beyond the given number of levels",
    check: Effect.fnUntraced(function*(world) {
      const { listening, market } = yield* changes(world, 1)
      const wide = StreamBooks.followed(listening, market).find(({ asks, bids }) => Math.max(asks.size, bids.size) > 1)
      yield* Verdict.conclude(
        "one level on each side after every message",
        Streams.pushed(listening),
        wide === undefined
      )
      const current = Effect.sync(() => StreamBooks.followed(listening, market).at(-1))
      yield* StreamBooks.equalsRest(world, market, 1, listening.connection, current)
    })
  })
]

const sharingRules: ReadonlyArray<Rule.Rule> = [
  always("streams.depth.regroups", {
    statement: "Pushes changes of a grouped book with the group's price and the sum of its amounts",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* filled(world)
      const { listening } = yield* StreamBooks.subscribe(world, market, 100, "0.1")
      const account = yield* world.open()
      for (const [done, [side, price, amount]] of grouped.entries()) {
        yield* Trading.placeOther(world, account, { market: market.name, side, amount, price })
        yield* Streams.pass(world, StreamBooks.changeEvery)
        yield* StreamBooks.more(listening, market, done)
      }
      const book = StreamBooks.followed(listening, market).at(-1)
      for (const side of StreamBooks.sides) yield* isGrouped(side, book?.[side] ?? [])
    })
  }),
  always("streams.depth.within", {
    statement: "Pushes no change of a level beyond the given number of levels",
    check: Effect.fnUntraced(function*(world) {
      const { market, place } = yield* StreamBooks.fill(world)
      const { listening } = yield* StreamBooks.subscribe(world, market, 1)
      const beyond = Number(above(market, 1.3))
      yield* place("sell", 1.3, "0.03")
      yield* Streams.pass(world, StreamBooks.changeEvery)
      yield* place("sell", 0.3, "0.02")
      yield* Streams.pass(world, StreamBooks.changeEvery)
      yield* StreamBooks.more(listening, market, 0)
      const all = StreamBooks.changesIn(StreamBooks.received(listening, market))
      yield* Verdict.conclude(
        `no change at ${beyond}`,
        all,
        all.every(({ body }) => StreamBooks.levels(body, "asks").every(([price]) => price !== beyond))
      )
    })
  }),
  always("streams.depth.adds", {
    statement: "Adds a book to the connection's other books if the fourth parameter is true",
    check: Effect.fnUntraced(function*(world) {
      const { market, other } = yield* StreamMarkets.pair(world)
      const connection = yield* world.connect
      const one = yield* Streams.subscribe(connection, "depth", market.name, 10, "0", true)
      yield* Streams.subscribe(connection, "depth", other.name, 10, "0", true)
      for (const each of [market, other]) {
        yield* StreamMarkets.trade(world, each, 1)
        yield* Streams.pass(world, StreamBooks.changeEvery)
        yield* StreamBooks.more(one, each, 0)
      }
    })
  }),
  Streams.recorded.always("streams.depth.again", {
    statement: "Pushes the complete book again after a second subscription to it, and then pushes each change once",
    check: Effect.fnUntraced(function*(world) {
      const { market, place } = yield* StreamBooks.fill(world)
      const connection = yield* world.connect
      yield* Streams.subscribe(connection, "depth", market.name, 20, "0", true)
      yield* Streams.linger(connection)
      const listening = yield* Streams.subscribe(connection, "depth", market.name, 20, "0", true)
      yield* place("sell", 0.3, "0.01")
      yield* Streams.pass(world, StreamBooks.changeEvery)
      yield* StreamBooks.more(listening, market, 0)
      yield* Streams.linger(connection)
      const all = StreamBooks.received(listening, market)
      yield* Verdict.conclude(
        "the complete book, and then one change",
        all,
        all[0]?.isSnapshot === true && StreamBooks.changesIn(all).length === 1
      )
    })
  }),
  always("streams.depth.leaves", {
    statement: "Ends the subscription to the named book only",
    check: Effect.fnUntraced(function*(world) {
      const { market, other } = yield* StreamMarkets.pair(world)
      const [connection, witness] = [yield* world.connect, yield* world.connect]
      const seen = yield* Streams.subscribe(witness, "depth", market.name, 10, "0", true)
      for (const { name } of [market, other]) yield* Streams.subscribe(connection, "depth", name, 10, "0", true)
      yield* Streams.linger(connection)
      const { reply } = yield* Streams.ask(connection, "depth_unsubscribe", market.name)
      const left = { connection, channel: "depth", from: reply.at + 1 }
      for (const each of [market, other]) yield* StreamMarkets.trade(world, each, 1)
      yield* Streams.pass(world, StreamBooks.changeEvery)
      yield* StreamBooks.more(seen, market, 0)
      yield* StreamBooks.more(left, other, 0)
      yield* Streams.linger(connection)
      yield* Streams.hasNone(left, `about ${market.name}`, (params) => Streams.listOf(params)[2] === market.name)
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...snapshotRules, ...changeRules, ...sharingRules]
