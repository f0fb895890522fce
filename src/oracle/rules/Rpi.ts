/**
 * Rules about retail price improvement: `rpi` orders, which only rest and are hidden, and the `retail` orders that may
 * take them. Only the live exchange's documentation describes them. Whether an account may place such orders is decided
 * by the exchange, so these rules need a sandbox whose control plane can allow it.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Books from "../world/Books.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import * as LivePublicCalls from "../world/LivePublicCalls.ts"
import { priceText } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as StreamBooks from "../world/StreamBooks.ts"
import * as StreamOrders from "../world/StreamOrders.ts"
import * as Streams from "../world/Streams.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, Market, World } from "../world/World.ts"

const { forEach } = LiveCalls.section

/** Opens an account that may place `rpi` and `retail` orders. */
const open = Effect.fnUntraced(function*(world: World) {
  const account = yield* LiveOrders.customer(world)
  yield* world.control("SetAccount", { account: account.id, rpi: true, retail: true })
  return account
})

/** Returns the price `percent` % away from the market's: worse for a taker on this side if `percent` is above zero. */
const priceAt = (market: Market, taker: Orders.Side, percent: number): string =>
  priceText(market, market.price * (1 + (taker === "buy" ? percent : -percent) / 100))

/** A resting order, with the account that owns it. */
interface Resting {
  readonly account: Account
  readonly order: Body
}

/** Makes a new account offer an amount to takers of a side, with an `rpi` order or with an ordinary one. */
const rest = Effect.fnUntraced(function*(
  world: World,
  taker: Orders.Side,
  percent: number,
  amount: string,
  more: Body = {},
  path = Paths.limitOrder
): Effect.fn.Return<Resting, Verdict.CheckError> {
  const market = yield* world.market
  const account = yield* open(world)
  const price = priceAt(market, taker, percent)
  const fields = { market: market.name, side: Orders.opposite(taker), amount, price, ...more }
  return { account, order: yield* Trading.placeOther(world, account, fields, path) }
})

/** Expects that exactly these amounts of the resting orders have traded. */
const haveTraded = Effect.fnUntraced(function*(
  world: World,
  resting: ReadonlyArray<Resting>,
  expected: ReadonlyArray<number>
) {
  const traded = yield* Effect.forEach(
    resting,
    ({ account, order }) =>
      Effect.map(Orders.find(world, account, order["orderId"]), ({ dealStock }) => Number(dealStock))
  )
  yield* Verdict.conclude(
    `fills of ${expected.join(", ")}`,
    traded,
    traded.every((amount, index) => Books.isClose(amount, expected[index] ?? 0))
  )
})

/** Makes a new account take 0.01 from an ordinary order, and then 0.02 from an rpi order. */
const tradeBoth = Effect.fnUntraced(function*(world: World, side: Orders.Side) {
  const market = yield* world.market
  yield* rest(world, side, 1, "0.02", { rpi: true })
  yield* rest(world, side, 1, "0.01")
  const fields = { market: market.name, side, amount: "0.03", price: priceAt(market, side, 1), retail: true }
  yield* Trading.placeOther(world, yield* open(world), fields)
})

/** Returns a market's trades. */
const tradesOf = Effect.fnUntraced(function*(world: World, market: Market) {
  const answer = yield* LivePublicCalls.get(world, `${Paths.trades}/${market.name}`)
  return { answer, trades: Array.isArray(answer.json) ? answer.json.filter(Json.isObject) : [] }
})

const queueRules: ReadonlyArray<Rule.Rule> = [
  forEach("rpi.queue", {
    statement: "Fills the best price first and, at one price, all ordinary orders before the rpi orders, each in their "
      + "sequence, even if an rpi order came first",
    values: [
      { side: "buy", path: Paths.limitOrder, of: Paths.limitOrder },
      { side: "sell", path: Paths.limitOrder, of: Paths.collateralLimit },
      { side: "buy", path: Paths.bulk, of: Paths.limitOrder }
    ] as const,
    check: Effect.fnUntraced(function*(world, { of, path, side }) {
      const market = yield* world.market
      const resting = [
        yield* rest(world, side, 1, "0.01", { rpi: true }, of),
        yield* rest(world, side, 1, "0.02", { rpi: true }, of),
        yield* rest(world, side, 1, "0.011"),
        yield* rest(world, side, 1.5, "0.03"),
        yield* rest(world, side, 1, "0.012", { postOnly: true }),
        yield* rest(world, side, 0.5, "0.013", { rpi: true }, of)
      ]
      const account = yield* open(world)
      const take = Effect.fnUntraced(function*(amount: string) {
        const fields = { market: market.name, side, amount, price: priceAt(market, side, 2), retail: true }
        yield* LiveOrders.place(world, account, path, fields)
      })
      yield* take("0.02")
      yield* haveTraded(world, resting, [0, 0, 0.007, 0, 0, 0.013])
      yield* take("0.02")
      yield* haveTraded(world, resting, [0.004, 0, 0.011, 0, 0.012, 0.013])
      yield* take("0.03")
      yield* haveTraded(world, resting, [0.01, 0.02, 0.011, 0.004, 0.012, 0.013])
      const fills = yield* LiveOrders.executed(world, account)
      const expected = [[0.013, 0.5], [0.007, 1], [0.004, 1], [0.012, 1], [0.004, 1], [0.006, 1], [0.02, 1], [
        0.004,
        1.5
      ]]
      const wanted = expected.map(([amount, percent = 0]) => `${amount} at ${Number(priceAt(market, side, percent))}`)
      const got = fills.records.map(({ amount, price, role, side: shown }) =>
        role === 2 && shown === side ? `${Number(amount)} at ${Number(price)}` : "a fill as maker"
      )
      yield* Verdict.expect(
        fills.answer,
        `as taker ${wanted.join(", ")}`,
        got.toSorted().join() === wanted.toSorted().join()
      )
    })
  }),
  forEach("rpi.takers", {
    statement:
      "Does not match an rpi order with a limit or market order that is not retail, nor with one that may only rest",
    values: Orders.sides.flatMap((side) =>
      [{}, { ioc: true }, { retail: false }, { retail: true, postOnly: true }].map((flags) => ({ side, flags }))
    ),
    check: Effect.fnUntraced(function*(world, { flags, side }) {
      const market = yield* world.market
      const resting = [
        yield* rest(world, side, 0.5, "0.02", { rpi: true }),
        ...(Object.hasOwn(flags, "postOnly") ? [] : [yield* rest(world, side, 1, "0.01")])
      ]
      const account = yield* open(world)
      const fields = { market: market.name, side, amount: "0.01", price: priceAt(market, side, 1), ...flags }
      // A target may refuse an order that it cannot match or rest.
      yield* LiveOrders.submit(world, account, Paths.limitOrder, fields)
      yield* haveTraded(world, resting, [0, 0.01])
      if (Object.keys(flags).length > 0) return
      const offered = yield* rest(world, side, 1, "0.01")
      const amount = side === "buy" ? String(0.01 * Number(fields.price)) : "0.01"
      yield* LiveOrders.place(world, yield* open(world), Paths.marketOrder, { market: market.name, side, amount })
      yield* haveTraded(world, [...resting, offered], [0, 0.01, 0.01])
    })
  }),
  forEach("rpi.crossing", {
    statement: "Neither fills an rpi order that would match immediately, nor keeps it open",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const market = yield* world.market
      const resting = [yield* rest(world, side, 1, "0.01")]
      const account = yield* open(world)
      const fields = { market: market.name, side, amount: "0.01", price: priceAt(market, side, 1), rpi: true }
      // The target may refuse the order, or accept and then cancel it.
      yield* LiveOrders.submit(world, account, Paths.limitOrder, fields)
      yield* LiveOrders.nothingOpen(world, account)
      yield* haveTraded(world, resting, [0])
    })
  })
]

const hasPrice = (price: unknown) => ([at]: Books.Level): boolean => at === Number(price)

const shownRules: ReadonlyArray<Rule.Rule> = [
  forEach("rpi.hidden", {
    statement: "Lists an rpi order, new or changed, among the account's open orders with rpi true, and shows it in no "
      + "public book",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const market = yield* world.market
      const visible = yield* rest(world, side, 1, "0.01")
      const { account, order } = yield* rest(world, side, 0.5, "0.02", { rpi: true })
      const shown = yield* rest(world, side, 1, "0.03", { rpi: true })
      const isHidden = Effect.fnUntraced(function*(price: unknown) {
        for (const path of Books.paths) {
          const { answer, asks, bids } = yield* Books.read(world, path, market.name)
          const levels = side === "buy" ? asks : bids
          const amount = Books.amountAt(levels, String(visible.order["price"]))
          yield* Verdict.expect(
            answer,
            `no level at ${String(price)}, and 0.01 at ${String(visible.order["price"])}`,
            !levels.some(hasPrice(price)) && Books.isClose(amount, 0.01)
          )
        }
      })
      yield* isHidden(order["price"])
      const price = priceAt(market, side, 0.7)
      const change = { market: market.name, orderId: order["orderId"], price }
      const { order: changed } = yield* LiveOrders.place(world, account, Paths.modifyOrder, change)
      yield* isHidden(price)
      const expected = { amount: "0.02", price, rpi: true, side: Orders.opposite(side) }
      const orders = yield* LiveOrders.open(world, account)
      yield* LiveOrders.lists(orders, "the changed order", "orderId", [{ ...expected, orderId: changed["orderId"] }])
      const others = yield* LiveOrders.open(world, shown.account)
      yield* LiveOrders.lists(others, "the rpi order", "orderId", [{ orderId: shown.order["orderId"], rpi: true }])
    })
  }),
  forEach("rpi.trades", {
    statement: "Shows rpi true in the trades with an rpi order, and false in the other ones",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const market = yield* world.market
      const before = (yield* tradesOf(world, market)).trades.map(({ tradeID }) => tradeID)
      yield* tradeBoth(world, side)
      const { answer, trades } = yield* tradesOf(world, market)
      const latest = trades.filter(({ tradeID, type }) => type === side && !before.includes(tradeID))
      const price = Number(priceAt(market, side, 1))
      // The field may be missing in older answers.
      const isShown = [[0.02, true], [0.01, false]].every(([amount, isRpi]) =>
        latest.some((one) =>
          Books.isClose(Number(one["quote_volume"]), Number(amount)) && Number(one["price"]) === price &&
          (one["rpi"] ?? isRpi) === isRpi
        )
      )
      yield* Verdict.expect(answer, "new trades: 0.02 with rpi true, and 0.01 with rpi false", isShown)
    })
  })
]

const depth = Streams.documented("Depth")
const trades = Streams.documented("Market trades")
const pending = Streams.documented("Orders pending")
const bookTicker = Streams.documented("Book ticker")

const { created, finished } = StreamOrders.events

const streamRules: ReadonlyArray<Rule.Rule> = [
  depth.always("streams.depth.rpi", {
    statement: "Pushes no level of an rpi order, neither when it is placed nor when it trades or is canceled",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      yield* rest(world, "buy", 1, "0.01")
      const connection = yield* world.connect
      const from = connection.messages.length
      yield* Streams.subscribe(connection, "depth", market.name, 20, "0", true)
      const listening = { connection, channel: "depth", from }
      const hidden = yield* rest(world, "buy", 0.5, "0.02", { rpi: true })
      const { price } = hidden.order
      const taker = { market: market.name, side: "buy", amount: "0.01", price, retail: true }
      yield* Trading.placeOther(world, yield* open(world), taker)
      yield* Streams.pass(world, 150)
      yield* rest(world, "buy", 1.5, "0.02")
      yield* Streams.pass(world, 150)
      const messages = () => StreamBooks.messagesOf(Streams.pushed(listening), market.name)
      const current = Effect.sync(() => StreamBooks.states(messages()).at(-1))
      yield* StreamBooks.equalsRest(world, market, 20, connection, current)
      const all = messages()
      yield* Verdict.conclude(
        `no level at ${String(price)}`,
        all,
        all.length > 0 && all.every(({ body }) => !StreamBooks.levels(body, "asks").some(hasPrice(price)))
      )
    })
  }),
  bookTicker.always("streams.book-ticker.rpi", {
    statement: "Pushes no rpi order as the best price, but the best ordinary order behind it",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      yield* rest(world, "buy", 1, "0.01")
      const listening = yield* Streams.subscribe(yield* world.connect, "bookTicker", market.name)
      yield* rest(world, "buy", 0.5, "0.02", { rpi: true })
      yield* rest(world, "buy", 0.8, "0.03")
      const expected = Number(priceAt(market, "buy", 0.8))
      const asks = () => Streams.pushed(listening).map((params) => Streams.listOf(Streams.listOf(params)[0]).slice(6))
      yield* Streams.sees(listening, `an ask of 0.03 at ${expected}`, () => {
        const [price, amount] = asks().at(-1) ?? []
        return Number(price) === expected && Number(amount) === 0.03 ? true : undefined
      })
      yield* Verdict.conclude(
        "no ask at the price of the rpi order",
        asks(),
        asks().every(([price]) => Number(price) >= expected)
      )
    })
  }),
  trades.always("streams.trades.rpi", {
    statement: "Pushes trades with an rpi order with rpi true, and other trades with rpi false",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      const connection = yield* world.connect
      const listening = yield* Streams.subscribe(connection, "trades", market.name)
      yield* tradeBoth(world, "sell")
      // Older messages do not show `rpi`.
      const isMixed = (all: ReadonlyArray<unknown>) =>
        [[0.02, true], [0.01, false]].every(([amount, rpi]) =>
            all.map(Streams.objectOf).some((one) => Number(one["amount"]) === amount && (one["rpi"] ?? rpi) === rpi)
          )
          ? true
          : undefined
      yield* Streams.sees(
        listening,
        "trades: 0.02 with rpi true, and 0.01 with rpi false",
        (pushed) => isMixed(pushed.flatMap((params) => Streams.listOf(Streams.listOf(params)[1])))
      )
      yield* Streams.settles(
        connection,
        "trades in the response, too: 0.02 with rpi true, and 0.01 with rpi false",
        Effect.map(Streams.ask(connection, "trades_request", market.name, 2, 0), ({ result }) => ({
          holds: isMixed(Streams.listOf(result)) === true,
          got: result
        }))
      )
    })
  }),
  pending.always("streams.orders.rpi", {
    statement: "Pushes an account's rpi order when it is placed and when it is filled, with rpi true",
    check: Effect.fnUntraced(function*(world) {
      const market = yield* world.market
      const account = yield* open(world)
      const listening = yield* StreamOrders.listen(world, account, market)
      const terms = { market: market.name, price: priceAt(market, "buy", 1), amount: "0.01" }
      const order = yield* Trading.placeOther(world, account, { ...terms, side: "sell", rpi: true })
      yield* Trading.placeOther(world, yield* open(world), { ...terms, side: "buy", retail: true })
      const shown = yield* StreamOrders.expectEvents(listening, order["orderId"], [created, finished])
      for (const one of shown) {
        // Older messages do not show `rpi`.
        const { rpi = true } = one
        yield* StreamOrders.shows("the rpi order", { ...one, rpi }, { side: "sell", amount: "0.01", rpi: true })
      }
      yield* Verdict.conclude("a filled order", shown.at(-1), Number(shown.at(-1)?.["dealStock"]) === 0.01)
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...queueRules, ...shownRules, ...streamRules]
