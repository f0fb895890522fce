/**
 * Rules about accounts with several positions: both sides of a market in hedge mode, or several markets. Only the live
 * exchange's documentation describes these calls.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Books from "../world/Books.ts"
import { after, empty, type Ledger, priceOf, rounding, signOf, type Step } from "../world/Ledgers.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import * as MarginPositions from "../world/MarginPositions.ts"
import { basePrice, perpetual } from "../world/Markets.ts"
import { isNear, number } from "../world/Numbers.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Trading from "../world/Trading.ts"
import * as Wallets from "../world/Wallets.ts"
import type { Account, Body, World } from "../world/World.ts"

const { always, forEach } = LiveCalls.section

/** The time between two changes of a position, in milliseconds. */
const pause = 5000

const day = 86_400_000

/** The side that opens each position in hedge mode. */
const opens = { LONG: "buy", SHORT: "sell" } as const

type Side = keyof typeof opens

const sides: ReadonlyArray<Side> = ["LONG", "SHORT"]

/** The changes of the two positions of a market. */
const steps: ReadonlyArray<readonly [of: Side, step: Step]> = [
  ["LONG", [0.02, 1]],
  ["SHORT", [0.03, 1.03]],
  ["LONG", [0.02, 1.02]],
  ["SHORT", [0.01, 0.99]],
  ["LONG", [-0.01, 1.04]],
  ["SHORT", [-0.02, 0.97]]
]

/** Makes an account trade on the futures market with another account. */
const trade = (world: World, account: Account, of: Side, step: Step, more: Body = {}) =>
  Trading.onMargin(world, account, {
    market: perpetual,
    side: step[0] > 0 ? opens[of] : Orders.opposite(opens[of]),
    amount: String(Math.abs(step[0])),
    price: String(priceOf(step))
  }, { positionSide: of, ...more })

/** Closes a position with a market order, which trades with a resting order of the same size. */
const close = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  position: Body,
  side: Orders.Side,
  price: number = basePrice
) {
  const { market, positionId, positionSide } = position
  const amount = String(Math.abs(number(position, "amount")))
  const rest = { market, side, amount, price: String(price) }
  yield* Trading.placeOther(world, yield* world.open(), rest, Paths.collateralLimit)
  const isHedged = positionSide === "LONG" || positionSide === "SHORT"
  const fields = { market, positionId, ...(isHedged ? { positionSide } : {}) }
  const answer = yield* MarginPositions.closing(world, account, fields)
  yield* Verdict.expect(answer, "HTTP 200", answer.status === 200 && Refusals.isSuccess(answer))
})

/** Returns a price that is above the base price for a buy and below it for a sell; the other way round if negative. */
const away = (side: Orders.Side, share: number): string => String(Math.round(basePrice * (1 + signOf(side) * share)))

type Ledgers = { readonly [K in Side]: Ledger }

/** Expects that the account's positions on the futures market are exactly these. Returns the positions by side. */
const matches = Effect.fnUntraced(function*(world: World, account: Account, ledgers: Ledgers) {
  const { answer, positions } = yield* LiveCalls.openPositions(world, account, { market: perpetual })
  const open = sides.filter((side) => ledgers[side].size > 1e-9)
  const of = (side: Side): Body => positions.find(({ positionSide }) => positionSide === side) ?? {}
  yield* Verdict.expect(answer, `positions ${open.join(" and ")}`, positions.length === open.length)
  for (const side of open) {
    const { entry, size } = ledgers[side]
    yield* Verdict.expect(
      answer,
      `a ${side} position of ${size} with a basePrice of ${entry}`,
      Books.isClose(Math.abs(number(of(side), "amount")), size) &&
        isNear(number(of(side), "basePrice"), entry, rounding)
    )
  }
  return { answer, LONG: of("LONG"), SHORT: of("SHORT") }
})

/** Expects that the ADL queue grades exactly these sides of the futures market. */
const grades = Effect.fnUntraced(function*(world: World, account: Account, expected: ReadonlyArray<Side>) {
  const { answer, items } = yield* LiveCalls.list(world, account, Paths.adlQuantile, {})
  const entries = items.filter(Json.isObject)
  const isGraded = (value: unknown) => [0, 1, 2, 3, 4].some((grade) => grade === value)
  yield* Verdict.expect(
    answer,
    expected.length === 0 ? "an empty list" : `one entry, of ${perpetual}, with grades of ${expected.join(" and ")}`,
    entries.length === Math.min(expected.length, 1) &&
      entries.every((entry) =>
        entry["market"] === perpetual &&
        (["long", "short"] as const).every((key, index) =>
          expected.includes(sides[index] ?? "LONG") ? isGraded(entry[key]) : entry[key] === null
        )
      )
  )
})

/** Closes both positions of an account, and expects that their records show their own fills. */
const closing = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  open: Readonly<Record<Side, Body>>,
  before: Ledgers
) {
  let ledgers = before
  yield* grades(world, account, sides)
  for (const [of, left] of [["SHORT", ["LONG"]], ["LONG", []]] as const) {
    const step: Step = [-ledgers[of].size, of === "SHORT" ? 0.96 : 1.01]
    yield* close(world, account, open[of], opens[of], priceOf(step))
    ledgers = { ...ledgers, [of]: after(ledgers[of], opens[of], step) }
    yield* grades(world, account, left)
    yield* matches(world, account, ledgers)
  }
  const { answer, records } = yield* LiveCalls.records(world, account, Paths.closedPositions, {})
  yield* Verdict.expect(answer, "two closed positions", records.length === 2)
  for (const of of sides) {
    const record = records.find(({ positionId }) => positionId === open[of]["positionId"]) ?? {}
    const { into, out, realized } = ledgers[of]
    yield* Verdict.expect(
      answer,
      `side ${of} with closedSize ${out[0]}, averages ${into[1] / into[0]} and ${out[1] / out[0]}, and a grossPnl of`
        + ` ${realized} minus the totalTradeFee`,
      record["side"] === of && record["isHedge"] === true && Books.isClose(number(record, "closedSize"), out[0]) &&
        isNear(number(record, "avgEntryPrice"), into[1] / into[0], rounding) &&
        isNear(number(record, "avgExitPrice"), out[1] / out[0], rounding) &&
        isNear(number(record, "grossPnl"), realized - number(record, "totalTradeFee"), 0.01) &&
        isNear(number(record, "netPnl"), number(record, "grossPnl") - number(record, "totalFunding"), 0.001)
    )
  }
})

const sideRules: ReadonlyArray<Rule.Rule> = [
  always("positions.sides.steps", {
    statement: "In hedge mode, changes only the position of the named side: its size, entry price and time. Grades "
      + "each open position for ADL, and shows each closed one with its own fills",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* Trading.openHedged(world)
      let ledgers: Ledgers = { LONG: empty, SHORT: empty }
      let before: Readonly<Record<Side, Body>> = { LONG: {}, SHORT: {} }
      for (const [index, [of, step]] of steps.entries()) {
        yield* world.advance(pause)
        yield* trade(world, account, of, step)
        ledgers = { ...ledgers, [of]: after(ledgers[of], opens[of], step) }
        const now = yield* matches(world, account, ledgers)
        if (index > 1) {
          const other = of === "LONG" ? "SHORT" : "LONG"
          yield* Verdict.expect(
            now.answer,
            `the same ids and openDates, a later modifyDate of ${of}, and the same one of ${other}`,
            sides.every((side) =>
              now[side]["positionId"] === before[side]["positionId"] &&
              isNear(number(now[side], "openDate"), number(before[side], "openDate"), 0.001)
            ) && now.LONG["positionId"] !== now.SHORT["positionId"] &&
              number(now[of], "modifyDate") > number(before[of], "modifyDate") + pause / 1000 - 0.01 &&
              isNear(number(now[other], "modifyDate"), number(before[other], "modifyDate"), 0.001)
          )
        }
        before = now
      }
      yield* closing(world, account, before, ledgers)
    })
  }),
  always("positions.sides.funding", {
    statement: "In hedge mode, pays funding for the long and for the short position at every funding time, into the "
      + "balance only",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* Trading.openHedged(world)
      yield* trade(world, account, "LONG", [0.03, 1])
      yield* trade(world, account, "SHORT", [0.01, 1])
      const balance = Effect.map(
        LiveCalls.object(world, account, Paths.collateralBalance, {}),
        ({ json }) => number(json, "USDT")
      )
      const before = yield* balance
      // Every market settles funding at least once a day.
      yield* world.advance(day)
      const fields = { market: perpetual }
      const { answer, records } = yield* LiveCalls.records(world, account, Paths.fundingHistory, fields)
      const times = new Set(records.map((record) => number(record, "fundingTime")))
      const amountsAt = (time: number) =>
        records.filter((record) => number(record, "fundingTime") === time)
          .map((record) => number(record, "positionAmount")).toSorted((one, other) => one - other)
      yield* Verdict.expect(
        answer,
        "a payment for 0.03 and one for -0.01 at every time, each of -(rate × amount × price)",
        times.size > 0 && [...times].every((time) => {
          const [short, long, ...more] = amountsAt(time)
          return Books.isClose(short, -0.01) && Books.isClose(long, 0.03) && more.length === 0
        }) && records.every((record) => {
          const rate = number(record, "fundingRate")
          const expected = -rate * number(record, "positionAmount") * number(record, "settlementPrice")
          return isNear(number(record, "fundingAmount"), expected, Math.abs(expected) * 1e-4 + 1e-6)
        })
      )
      const sum = records.reduce((sum, record) => sum + number(record, "fundingAmount"), 0)
      const units = yield* balance
      yield* Verdict.conclude(`a balance changed by ${sum}`, units - before, isNear(units - before, sum, 0.001))
      const open = yield* LiveCalls.openPositions(world, account)
      yield* Verdict.expect(
        open.answer,
        "two positions with funding and unrealizedFunding 0, because funding changes the balance",
        open.positions.length === 2 &&
          open.positions.every((one) => number(one, "funding") === 0 && number(one, "unrealizedFunding") === 0)
      )
    })
  }),
  forEach("reduce-only.sides", {
    statement: "In hedge mode, reduces only the named position with a reduce-only order, or refuses it with code 116",
    values: sides,
    check: Effect.fnUntraced(function*(world, of) {
      const account = yield* Trading.openHedged(world)
      const other = of === "LONG" ? "SHORT" : "LONG"
      yield* trade(world, account, of, [0.03, 1])
      yield* trade(world, account, of, [-0.01, 1])
      const order = (side: Orders.Side, positionSide: Side) => ({
        market: perpetual,
        side,
        amount: "0.05",
        price: away(side, -0.1),
        positionSide,
        reduceOnly: true
      })
      for (
        const [side, positionSide] of [
          [opens[of], of],
          [Orders.opposite(opens[of]), other],
          [opens[of], other]
        ] as const
      ) {
        const answer = yield* LiveCalls.call(world, account, Paths.collateralLimit, order(side, positionSide))
        yield* Refusals.coded(answer, { status: 422, codes: [116] }, `because a ${side} reduces no ${positionSide}`)
      }
      const fields = order(Orders.opposite(opens[of]), of)
      const placed = yield* LiveOrders.place(world, account, Paths.collateralLimit, fields)
      const { orderId } = placed.order
      const expected = { amount: "0.02", left: "0.02", positionSide: of }
      yield* LiveOrders.shows(placed, "the order", placed.order, expected)
      yield* LiveOrders.lists(yield* LiveOrders.open(world, account), "the order", "orderId", [
        { orderId, ...expected }
      ])
    })
  })
]

/** The calls that place reduce-only orders, each with the price fields of an order that waits. */
const reducing: ReadonlyArray<readonly [path: string, fields: (side: Orders.Side) => Body]> = [
  [Paths.collateralLimit, (side) => ({ price: away(side, -0.1) })],
  [Paths.collateralBulk, (side) => ({ price: away(side, -0.1) })],
  [Paths.collateralStopLimit, (side) => ({ price: away(side, 0.12), activation_price: away(side, 0.1) })],
  [Paths.triggerMarket, (side) => ({ activation_price: away(side, 0.1) })]
]

const reducingRules: ReadonlyArray<Rule.Rule> = [
  forEach("reduce-only.parts", {
    statement:
      "Reduces a reduce-only order to what is left of a partly closed futures position, and never opens another",
    values: reducing.flatMap(([path, fields]) => Orders.sides.map((side) => ({ path, fields, side }))),
    check: Effect.fnUntraced(function*(world, { fields, path, side }) {
      const account = yield* LiveOrders.customer(world)
      yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
      const at = { market: perpetual, price: String(basePrice) }
      const opposite = Orders.opposite(side)
      yield* Trading.onMargin(world, account, { ...at, side: opposite, amount: "0.03" })
      yield* Trading.onMargin(world, account, { ...at, side, amount: "0.01" })
      const terms = { market: perpetual, amount: "0.05", reduceOnly: true }
      const increasing = { ...terms, side: opposite, ...fields(opposite) }
      const wrong = yield* LiveOrders.submit(world, account, path, increasing)
      yield* Verdict.expect(
        wrong,
        `code 116, because a ${opposite} would increase the position`,
        Refusals.errorOf(wrong.json)["code"] === 116
      )
      const placed = yield* LiveOrders.place(world, account, path, { ...terms, side, ...fields(side) })
      const { orderId } = placed.order
      const expected = { side, amount: "0.02", left: "0.02", reduceOnly: true }
      yield* LiveOrders.shows(placed, "the order", placed.order, expected)
      yield* LiveOrders.lists(yield* LiveOrders.open(world, account), "the order", "orderId", [
        { orderId, ...expected }
      ])
      if (path !== Paths.collateralLimit) return
      yield* LiveOrders.place(world, account, Paths.cancelOrder, { market: perpetual, orderId })
      const rest = { ...at, side: opposite, amount: "0.05" }
      yield* Trading.placeOther(world, yield* world.open(), rest, Paths.collateralLimit)
      const traded = yield* LiveOrders.place(world, account, path, { ...terms, ...at, side })
      yield* LiveOrders.shows(traded, "the order", traded.order, { ...expected, left: "0", dealStock: "0.02" })
      const { answer, positions } = yield* LiveCalls.openPositions(world, account)
      yield* Verdict.expect(answer, "no position", positions.length === 0)
    })
  })
]

/** Opens a position with take-profit and stop-loss, far from the market. */
const withExits = (world: World, account: Account, market: string, side: Orders.Side, more: Body = {}) => {
  const order = { market, side, amount: "0.02", price: String(basePrice) }
  return Trading.onMargin(world, account, order, { takeProfit: away(side, 0.2), stopLoss: away(side, -0.2), ...more })
}

const accountRules: ReadonlyArray<Rule.Rule> = [
  forEach("positions.close.exits", {
    statement: "Closes a position without canceling the exits of another position",
    values: ["on another market", "on the other side"] as const,
    check: Effect.fnUntraced(function*(world, where) {
      const isHedged = where === "on the other side"
      const account = yield* isHedged ? Trading.openHedged(world) : LiveOrders.customer(world)
      yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
      const { name } = yield* world.market
      yield* withExits(world, account, perpetual, "buy", isHedged ? { positionSide: "LONG" } : {})
      const first = yield* LiveOrders.open(world, account)
      yield* withExits(world, account, isHedged ? perpetual : name, "sell", isHedged ? { positionSide: "SHORT" } : {})
      const all = yield* LiveOrders.open(world, account)
      yield* Verdict.expect(
        all.answer,
        "two exits of each position",
        first.records.length === 2 && all.records.length === 4
      )
      const { positions } = yield* LiveCalls.openPositions(world, account, { market: perpetual })
      const closing = positions.find(({ positionSide }) => !isHedged || positionSide === "LONG") ?? {}
      yield* close(world, account, closing, "buy")
      const own = first.records.map(({ orderId }) => orderId)
      const rest = all.records.filter(({ orderId }) => !own.includes(orderId))
      const left = rest.map(({ activation_price, orderId, side }) => ({ activation_price, orderId, side }))
      yield* LiveOrders.lists(yield* LiveOrders.open(world, account), "exits of the other position", "orderId", left)
    })
  }),
  forEach("margin.summary.sums", {
    statement:
      "Shows the sums of the margins and of the unrealized profits of all positions in the summary, and the equity",
    level: "SHOULD",
    values: [4, -4],
    check: Effect.fnUntraced(function*(world, percent) {
      const account = yield* Wallets.openTrader(world)
      yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
      const market = yield* Trading.openPosition(world, account, "sell", "0.03")
      yield* Trading.onMargin(world, account, {
        market: perpetual,
        side: "buy",
        amount: "0.02",
        price: String(basePrice)
      })
      yield* Trading.movePrice(world, market, basePrice * (1 + percent / 100))
      const { answer: list, positions } = yield* LiveCalls.openPositions(world, account)
      yield* Verdict.expect(
        list,
        "for each position, its unrealizedPnl as a percentage of its cost as pnlPercent",
        positions.every((one) => {
          const cost = Math.abs(number(one, "amount")) * number(one, "basePrice")
          return isNear(number(one, "pnlPercent"), number(one, "unrealizedPnl") / cost * 100, 0.0101)
        })
      )
      const sumOf = (key: string) => positions.reduce((sum, position) => sum + number(position, key), 0)
      const [margin, pnl] = [sumOf("margin"), sumOf("unrealizedPnl")]
      const { json: balances } = yield* LiveCalls.object(world, account, Paths.collateralBalance, {})
      const { answer, json } = yield* MarginPositions.summary(world, account)
      const [balance, equity] = [number(balances, market.money), number(json, "equity")]
      yield* Verdict.expect(
        answer,
        `an equity of ${balance}, with or without the pnl of ${pnl}`,
        isNear(equity, balance, 0.5) || isNear(equity, balance + pnl, 0.5)
      )
      yield* Verdict.expect(
        answer,
        `a margin of ${margin} and a pnl of ${pnl}, from two positions`,
        positions.length === 2 && isNear(number(json, "margin"), margin, 0.25) && isNear(number(json, "pnl"), pnl, 0.05)
      )
    })
  })
]

/** The calls that place orders on the futures market, each with the fields of a buy. */
const kinds: ReadonlyArray<readonly [path: string, fields: Body]> = [
  [Paths.collateralLimit, { price: String(basePrice * 0.8) }],
  [Paths.collateralBulk, { price: String(basePrice * 0.8) }],
  [Paths.collateralMarketOrder, {}],
  [Paths.collateralStopLimit, { price: String(basePrice * 1.3), activation_price: String(basePrice * 1.2) }],
  [Paths.triggerMarket, { activation_price: String(basePrice * 1.2) }]
]

const modeRules: ReadonlyArray<Rule.Rule> = [
  forEach("margin.side-one-way.placed", {
    statement:
      "In one-way mode, shows positionSide BOTH in the response to an order, whichever side the order names, or "
      + "refuses the order with code 114",
    values: kinds.flatMap(([path, fields]) =>
      [undefined, "BOTH", "LONG", "SHORT"].map((positionSide) => ({ path, fields, positionSide }))
    ),
    check: Effect.fnUntraced(function*(world, { fields, path, positionSide }) {
      const account = yield* world.open()
      yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
      const off = yield* LiveCalls.call(world, account, Paths.updateHedgeMode, { hedgeMode: false })
      yield* Verdict.expect(off, "HTTP 200", Refusals.isSuccess(off))
      const order = { market: perpetual, side: "buy", amount: "0.01" }
      const against = { ...order, side: "sell", price: String(basePrice) }
      yield* Trading.placeOther(world, yield* world.open(), against, Paths.collateralLimit)
      const asked = { ...order, ...fields, ...(positionSide === undefined ? {} : { positionSide }) }
      const answer = yield* LiveOrders.submit(world, account, path, asked)
      const item: unknown = Array.isArray(answer.json) ? answer.json[0] : { result: answer.json }
      const { error = null, result } = Json.isObject(item) ? item : {}
      const isRefused = Refusals.hasCode(answer, [114]) || (Json.isObject(error) && error["code"] === 114)
      const isNamed = positionSide === "LONG" || positionSide === "SHORT"
      yield* Verdict.expect(
        answer,
        `an order with positionSide BOTH, or without one${isNamed ? "; or code 114" : ""}`,
        (isNamed && isRefused) ||
          (Json.isObject(result) && result["orderId"] !== undefined && (result["positionSide"] ?? "BOTH") === "BOTH")
      )
      if (isRefused) return
      const { answer: list, positions } = yield* LiveCalls.openPositions(world, account)
      yield* Verdict.expect(
        list,
        "positions with positionSide BOTH, or without one",
        positions.every(({ positionSide: of = "BOTH" }) => of === "BOTH")
      )
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...sideRules, ...reducingRules, ...accountRules, ...modeRules]
