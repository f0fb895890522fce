/** Rules about the prices on which margin depends, and the grades of positions in the ADL queue, over a WebSocket. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LivePublicCalls from "../world/LivePublicCalls.ts"
import { basePrice, perpetual } from "../world/Markets.ts"
import * as Paths from "../world/Paths.ts"
import * as Streams from "../world/Streams.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, World } from "../world/World.ts"

const premium = Streams.documented("Premium index")
const grades = Streams.documented("ADL quantile")

const channel = "premiumIndex"
const adl = "ADLQuantile"

/** The interval after which ADL grades are pushed again, in milliseconds, and a second more. */
const gradesAgain = 31_000

/** Moves the prices of the futures market and of its spot market to different values. */
const movePrices = Effect.fnUntraced(function*(world: World, [spot, future]: readonly [spot: number, future: number]) {
  yield* Trading.movePrice(world, yield* world.market, spot)
  yield* world.control("MovePrice", { market: perpetual, price: String(future) })
})

/** Fixes the index price and the mark price of the futures market, if the control plane can; `null` releases them. */
const fix = (world: World, index: string | null, mark: string | null) =>
  Effect.forEach([["MoveIndex", index], ["MoveMark", mark]] as const, ([action, price]) =>
    Effect.catchTag(
      world.control(action, { market: perpetual, price }),
      "Skipped",
      () => Effect.void
    ))

/** Returns the entries of the list of futures markets. */
const futuresOf = (world: World) =>
  Effect.map(LivePublicCalls.results(world, Paths.futures), ({ value }) => value.filter(Json.isObject))

/** Returns the records in a message: one market's values, or a list of them. */
const recordsIn = (params: unknown): ReadonlyArray<ReadonlyArray<unknown>> => {
  const list = Streams.listOf(params)
  return list.every(Array.isArray) ? list.map(Streams.listOf) : [list]
}

/** Whether a time, in seconds or milliseconds, is the expected time in milliseconds. */
const isTime = (value: unknown, expected: unknown): boolean =>
  [1, 1000].some((unit) => Math.abs(Number(value) * unit - Number(expected)) < 1000)

/** Whether two prices are equal, apart from a small move between a message and a call. */
const isSamePrice = (one: unknown, other: unknown): boolean =>
  Math.abs(Number(one) - Number(other)) < 1e-3 * Number(other)

/** Whether a record shows the prices, the rate and the time of the list of futures markets. */
const agrees = ([market, mark, index, rate, time]: ReadonlyArray<unknown>, future: Body): boolean =>
  market === future["ticker_id"] && isSamePrice(index, future["index_price"]) &&
  ((future["mark_price"] ?? "") === "" || isSamePrice(mark, future["mark_price"])) &&
  Streams.isEqual(rate, future["funding_rate"]) && isTime(time, future["next_funding_rate_timestamp"])

/** Expects that the messages about the named markets show the prices of the list of futures markets. */
const showsPrices = Effect.fnUntraced(function*(world: World, named: ReadonlyArray<string>) {
  yield* movePrices(world, [basePrice, basePrice * 1.01])
  const connection = yield* world.connect
  const listening = yield* Streams.subscribe(connection, channel, ...named)
  yield* movePrices(world, [basePrice * 1.005, basePrice * 0.995])
  yield* fix(world, String(basePrice * 1.01), String(basePrice * 1.02))
  const before = Streams.pushed(listening).length
  yield* Streams.pass(world)
  yield* Streams.sees(listening, "a message", (pushed) => pushed.length > before ? true : undefined)
  yield* Streams.settles(
    connection,
    `the prices, the rate and the time of ${Paths.futures}`,
    Effect.gen(function*() {
      const future = (yield* futuresOf(world)).find(({ ticker_id: name }) => name === perpetual) ?? {}
      const pushed = Streams.pushed(listening).at(-1)
      const record = recordsIn(pushed).find(([name]) => name === perpetual) ?? []
      return { holds: agrees(record, future), got: { pushed: record, call: future } }
    })
  )
  const { name: spot } = yield* world.market
  yield* Streams.hasNone(listening, `about ${spot}`, (params) => recordsIn(params).some(([name]) => name === spot))
})

const premiumRules: ReadonlyArray<Rule.Rule> = [
  premium.forEach("streams.premium-index.values", {
    statement:
      "Pushes the mark price, the index price, the funding rate and the next funding time of the named market, "
      + "or of every futures market, as the list of futures markets shows them",
    values: [[perpetual], []],
    check: (world, named) => Effect.ensuring(showsPrices(world, named), Effect.ignore(fix(world, null, null)))
  }),
  premium.always("streams.premium-index.steady", {
    statement: "Pushes a market's mark price and index price every half second, even if they have not changed",
    check: Effect.fnUntraced(function*(world) {
      yield* movePrices(world, [basePrice, basePrice])
      const listening = yield* Streams.subscribe(yield* world.connect, channel, perpetual)
      for (const count of [1, 2, 3]) {
        yield* Streams.pass(world)
        yield* Streams.sees(
          listening,
          `${count} messages about ${perpetual}`,
          (pushed) => pushed.length >= count ? true : undefined
        )
      }
    })
  }),
  premium.always("streams.premium-index.ends", {
    statement: "Refuses a market that is no futures market, and pushes nothing after the end of the subscription",
    check: Effect.fnUntraced(function*(world) {
      yield* movePrices(world, [basePrice, basePrice])
      const [connection, witness] = [yield* world.connect, yield* world.connect]
      yield* Streams.refuses(connection, [1, 9], `${channel}_subscribe`, (yield* world.market).name)
      yield* Streams.subscribe(connection, channel, perpetual)
      const ended = yield* Streams.ask(connection, `${channel}_unsubscribe`)
      yield* Streams.isAcknowledgement(ended)
      const left = { connection, channel, from: ended.reply.at + 1 }
      const seen = yield* Streams.subscribe(witness, channel, perpetual)
      yield* Streams.pass(world)
      yield* Streams.sees(seen, `a message about ${perpetual}`, (pushed) => pushed.length > 0 ? true : undefined)
      yield* Streams.linger(connection)
      yield* Streams.hasNone(left, "after its end", () => true)
    })
  })
]

/** Opens an account with a long and a short position on the futures market. */
const openBoth = Effect.fnUntraced(function*(world: World) {
  const account = yield* Trading.openHedged(world)
  for (const [side, positionSide, amount] of [["buy", "LONG", "0.03"], ["sell", "SHORT", "0.02"]] as const) {
    const order = { market: perpetual, side, amount, price: String(basePrice) }
    yield* Trading.onMargin(world, account, order, { positionSide })
  }
  return account
})

/** Expects that the latest message shows the grades of the call. */
const showsGrades = (world: World, account: Account, listening: Streams.Listening, count: number) =>
  Streams.settles(
    listening.connection,
    `${count} messages, the last one with the grades of ${Paths.adlQuantile}`,
    Effect.gen(function*() {
      const call = (yield* LiveCalls.list(world, account, Paths.adlQuantile, {})).items.filter(Json.isObject)
      const pushed = Streams.pushed(listening)
      const records = Streams.listOf(pushed.at(-1)).map(Streams.listOf)
      const holds = pushed.length >= count && records.length === call.length &&
        call.every(({ long, market, short }) =>
          records.some(([name, ...grades]) => name === market && grades[0] === long && grades[1] === short)
        )
      return { holds, got: { pushed: pushed.slice(-2), call } }
    })
  )

const gradeRules: ReadonlyArray<Rule.Rule> = [
  grades.forEach("streams.adl.grades", {
    statement:
      "Pushes the grades of an account's positions in the ADL queue at once and every 30 seconds, as the call shows them",
    values: [[], [perpetual]],
    check: Effect.fnUntraced(function*(world, named) {
      const account = yield* openBoth(world)
      const connection = yield* Streams.authorized(world, account)
      // The first message may precede the acknowledgement.
      const from = connection.messages.length
      const listening = { ...yield* Streams.subscribe(connection, adl, ...named), from }
      yield* showsGrades(world, account, listening, 1)
      yield* Trading.onMargin(world, account, {
        market: perpetual,
        side: "buy",
        amount: "0.02",
        price: String(basePrice)
      }, { positionSide: "SHORT" })
      // Skips the value if the clock cannot be advanced: half a minute is too long to wait.
      yield* world.advance(gradesAgain)
      yield* showsGrades(world, account, listening, 2)
    })
  }),
  grades.always("streams.adl.ends", {
    statement: "Refuses grades on a connection without authorization, and pushes none after the end of a subscription",
    check: Effect.fnUntraced(function*(world) {
      yield* Streams.refuses(yield* world.connect, [6], `${adl}_subscribe`)
      const account = yield* openBoth(world)
      const [connection, witness] = [
        yield* Streams.authorized(world, account),
        yield* Streams.authorized(world, account)
      ]
      yield* Streams.subscribe(connection, adl)
      const ended = yield* Streams.ask(connection, `${adl}_unsubscribe`)
      yield* Streams.isAcknowledgement(ended)
      const left = { connection, channel: adl, from: ended.reply.at + 1 }
      const seen = yield* Streams.subscribe(witness, adl)
      yield* world.advance(gradesAgain)
      yield* Streams.sees(seen, "grades, twice", (pushed) => pushed.length > 1 ? true : undefined)
      yield* Streams.linger(connection)
      yield* Streams.hasNone(left, "after its end", () => true)
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...premiumRules, ...gradeRules]
