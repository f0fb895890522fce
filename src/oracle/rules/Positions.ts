/** Rules about open positions, which only the live exchange's documentation describes. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Books from "../world/Books.ts"
import * as FieldRules from "../world/FieldRules.ts"
import * as Kinds from "../world/Kinds.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LivePublicCalls from "../world/LivePublicCalls.ts"
import { basePrice } from "../world/Markets.ts"
import { number } from "../world/Numbers.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Trading from "../world/Trading.ts"
import * as Wallets from "../world/Wallets.ts"
import type { Account, Body, Market, World } from "../world/World.ts"

const { always, forEach } = LiveCalls.section

/** Every leverage that an account of the live exchange can have. */
const leverages = [1, 2, 3, 5, 10, 20, 50, 100]

/** The tolerance for margins, which may be rounded up to the precision of the market's prices. */
const rounding = 0.11

/** The time between two changes of a position, in milliseconds. */
const pause = 5000

/** A decimal, or null if the exchange does not know the value. */
const decimalOrNull: Kinds.Kind = {
  name: "a decimal in a string, or null",
  holds: (value) => value === null || Kinds.decimal.holds(value)
}

const objectOrNull: Kinds.Kind = {
  name: "an object, or null",
  holds: (value) => value === null || Json.isObject(value)
}

const textOrNull: Kinds.Kind = {
  name: "a string, or null",
  holds: (value) => value === null || Kinds.text.holds(value)
}

/** Returns an account's only open position. */
const theOne = Effect.fnUntraced(function*(world: World, account: Account) {
  const { answer, positions } = yield* LiveCalls.openPositions(world, account)
  const [position = {}] = positions
  yield* Verdict.expect(answer, "one open position", positions.length === 1)
  return { answer, position }
})

/** Makes an account trade an amount at a price with a new account, on a margin or futures market. */
const trade = (
  world: World,
  account: Account,
  { name }: Pick<Market, "name">,
  order: { readonly side: Orders.Side; readonly amount: string; readonly price: string },
  more: Body = {}
) => Trading.onMargin(world, account, { ...order, market: name }, more)

/** Returns the amount of a position without its sign. */
const size = (position: Body): number => Math.abs(number(position, "amount"))

/** Returns a position's amount: positive if it is long, negative if it is short. */
const signed = (side: Orders.Side, amount: number): number => side === "buy" ? amount : -amount

const isNear = (one: number, other: number, tolerance: number): boolean => Math.abs(one - other) < tolerance

const openingRules: ReadonlyArray<Rule.Rule> = [
  ...LivePublicCalls.fields({
    id: "positions.entry",
    within: "an open position",
    sample: Effect.fnUntraced(function*(world) {
      const isControl = world.profile === "control"
      const account = isControl ? yield* world.open() : yield* world.reader
      if (isControl) yield* Trading.openPosition(world, account, "buy", "0.01")
      const { answer, positions } = yield* LiveCalls.openPositions(world, account)
      return { answer, objects: yield* FieldRules.atLeastOne(world, answer, positions, "open position") }
    }),
    rows: [
      { key: "positionId", kind: Kinds.integer, meaning: "its id" },
      { key: "market", kind: Kinds.market, meaning: "its market" },
      { key: "openDate", kind: Kinds.fractionalSeconds, meaning: "the time it was opened" },
      { key: "modifyDate", kind: Kinds.fractionalSeconds, meaning: "the time of its last change" },
      { key: "amount", kind: Kinds.decimal, meaning: "its size" },
      { key: "basePrice", kind: Kinds.positiveDecimal, meaning: "the average entry price" },
      { key: "liquidationPrice", kind: decimalOrNull, meaning: "the price at which it is liquidated" },
      { key: "liquidationState", kind: textOrNull, meaning: "the state of its liquidation" },
      { key: "pnl", kind: decimalOrNull, meaning: "its profit or loss" },
      { key: "pnlPercent", kind: decimalOrNull, meaning: "its profit or loss in percent" },
      {
        key: "unrealizedPnl",
        kind: decimalOrNull,
        meaning: "its profit or loss at the current price",
        isOptional: true
      },
      { key: "margin", kind: decimalOrNull, meaning: "the collateral that backs it" },
      { key: "freeMargin", kind: decimalOrNull, meaning: "the collateral available to other positions" },
      { key: "funding", kind: decimalOrNull, meaning: "its funding" },
      { key: "unrealizedFunding", kind: decimalOrNull, meaning: "its funding that is not yet settled" },
      {
        key: "positionSide",
        kind: Kinds.oneOf("BOTH", "LONG", "SHORT"),
        meaning: "its side in hedge mode",
        isOptional: true
      },
      { key: "tpsl", kind: objectOrNull, meaning: "its take-profit and stop-loss", isOptional: true }
    ]
  }),
  forEach("positions.opened", {
    statement: "Shows a new position with its market, amount, entry price and times, and no funding yet",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* Wallets.openTrader(world)
      const market = yield* world.market
      yield* trade(world, account, market, { side, amount: "0.02", price: String(market.price) })
      const now = (yield* world.now) / 1000
      const { answer, position } = yield* theOne(world, account)
      const numbers = { basePrice: market.price, funding: 0, unrealizedFunding: 0 }
      yield* Verdict.expect(
        answer,
        `a position of 0.02 on ${market.name} with ${
          Json.stringify(numbers)
        }, positionSide BOTH, no tpsl and no liquidationState`,
        position["market"] === market.name && Books.isClose(size(position), 0.02) &&
          (position["positionSide"] ?? "BOTH") === "BOTH" && (position["tpsl"] ?? null) === null &&
          (position["liquidationState"] ?? "") === "" &&
          Object.entries(numbers).every(([key, value]) => Books.isClose(Number(position[key] ?? value), value))
      )
      const dates = [number(position, "openDate"), number(position, "modifyDate")]
      yield* Verdict.expect(
        answer,
        `openDate and modifyDate within a minute of ${Math.floor(now)}`,
        dates.every((date) => isNear(date, now, 60))
      )
    })
  }),
  forEach("positions.margin", {
    statement: "Shows a short position's amount as negative, its value divided by the leverage as margin, "
      + "and the rest of the collateral as freeMargin",
    level: "SHOULD",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* Wallets.openTrader(world)
      const market = yield* world.market
      yield* trade(world, account, market, { side, amount: "0.02", price: String(market.price) })
      const { answer, position } = yield* theOne(world, account)
      yield* Verdict.expect(
        answer,
        `an amount of ${signed(side, 0.02)}`,
        Books.isClose(number(position, "amount"), signed(side, 0.02))
      )
      const [margin, free] = [number(position, "margin"), number(position, "freeMargin")]
      const value = 0.02 * market.price
      const collateral = (yield* Wallets.read(world, account)).get(`collateral.${market.money}`) ?? 0
      yield* Verdict.expect(
        answer,
        `a margin of ${value} divided by a leverage, and the rest of ${collateral} as freeMargin`,
        leverages.some((leverage) => isNear(margin, value / leverage, rounding)) &&
          isNear(margin + free, collateral, rounding)
      )
    })
  }),
  forEach("positions.increased", {
    statement: "Shows the sum of a position's fills, their average entry price, and the time of the last fill",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* Wallets.openTrader(world)
      const market = yield* world.market
      yield* trade(world, account, market, { side, amount: "0.01", price: String(basePrice) })
      const before = yield* theOne(world, account)
      yield* world.advance(pause)
      yield* trade(world, account, market, { side, amount: "0.03", price: Books.near(market, 1) })
      const { answer, position } = yield* theOne(world, account)
      const average = (basePrice + 3 * Number(Books.near(market, 1))) / 4
      yield* Verdict.expect(
        answer,
        `the same position of 0.04, with a basePrice of ${average} and the same openDate`,
        position["positionId"] === before.position["positionId"] &&
          Books.isClose(size(position), 0.04) &&
          isNear(number(position, "basePrice"), average, 0.01) &&
          position["openDate"] === before.position["openDate"]
      )
      const elapsed = number(position, "modifyDate") - number(position, "openDate")
      yield* Verdict.expect(
        answer,
        `a modifyDate at least ${pause / 1000} seconds after openDate`,
        elapsed > pause / 1000 - 0.01 && elapsed < 60 + pause / 1000
      )
    })
  })
]

/** Opens a position with take-profit and stop-loss. */
const withExits = Effect.fnUntraced(function*(world: World, side: Orders.Side) {
  const account = yield* Wallets.openTrader(world)
  const market = yield* world.market
  const away = side === "buy" ? 1 : -1
  const exit = { takeProfit: Books.near(market, 4 * away), stopLoss: Books.near(market, -3 * away) }
  yield* trade(world, account, market, { side, amount: "0.01", price: String(basePrice) }, exit)
  const { answer, position } = yield* theOne(world, account)
  return { account, answer, exit, tpsl: Json.isObject(position["tpsl"]) ? position["tpsl"] : {} }
})

const profitRules: ReadonlyArray<Rule.Rule> = [
  forEach("positions.profit", {
    statement: "Shows the profit or loss of a position at the last price, also in percent of its cost",
    level: "SHOULD",
    values: Orders.sides.flatMap((side) => [2, -1.5, 0].map((percent) => ({ side, percent }))),
    check: Effect.fnUntraced(function*(world, { percent, side }) {
      const account = yield* Wallets.openTrader(world)
      const market = yield* world.market
      yield* trade(world, account, market, { side, amount: "0.02", price: String(basePrice) })
      yield* Trading.movePrice(world, market, basePrice * (1 + percent / 100))
      const { answer, position } = yield* theOne(world, account)
      const profit = signed(side, 0.02) * basePrice * percent / 100
      yield* Verdict.expect(
        answer,
        `an unrealizedPnl of ${profit} and a pnlPercent of ${signed(side, percent)}`,
        isNear(number(position, "unrealizedPnl"), profit, 1e-6) &&
          isNear(number(position, "pnlPercent"), signed(side, percent), 0.011) &&
          Books.isClose(number(position, "amount"), signed(side, 0.02)) &&
          Books.isClose(number(position, "basePrice"), basePrice)
      )
    })
  }),
  forEach("positions.unrealized", {
    statement:
      "Shows a profit as positive and a loss as negative in unrealizedPnl and pnlPercent, of about the right size",
    values: Orders.sides.flatMap((side) => [4, -4].map((percent) => ({ side, percent }))),
    check: Effect.fnUntraced(function*(world, { percent, side }) {
      const account = yield* Wallets.openTrader(world)
      const market = yield* world.market
      yield* trade(world, account, market, { side, amount: "0.02", price: String(basePrice) })
      yield* Trading.movePrice(world, market, basePrice * (1 + percent / 100))
      const { answer, position } = yield* theOne(world, account)
      const profit = signed(side, 0.02) * basePrice * percent / 100
      // The target may value a position at an index or average price.
      const shown = number(position, "unrealizedPnl")
      const ratio = shown / profit
      yield* Verdict.expect(
        answer,
        `an unrealizedPnl of about ${profit}, and as pnlPercent its percentage of the cost`,
        ratio > 0.5 && ratio < 1.5 &&
          isNear(number(position, "pnlPercent"), shown / (0.02 * basePrice) * 100, 0.0101)
      )
    })
  }),
  forEach("positions.liquidation", {
    statement:
      "Shows a liquidationPrice below the entry price of a long position and above that of a short one, or null",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* Wallets.open(world, [["collateral", "USDT", "400"]])
      yield* world.control("MovePrice", { market: perpetual.name, price: String(basePrice) })
      yield* trade(world, account, perpetual, { side, amount: "0.02", price: String(basePrice) })
      const { answer, position } = yield* theOne(world, account)
      const { liquidationPrice } = position
      yield* Verdict.expect(
        answer,
        `null, or a price ${side === "buy" ? "below" : "above"} ${basePrice}`,
        liquidationPrice === null || (Number(liquidationPrice) - basePrice) * signed(side, 1) < 0
      )
    })
  }),
  always("positions.pnl", {
    statement: "Shows the profit or loss of a position's closed parts as pnl, which is zero at first",
    check: Effect.fnUntraced(function*(world) {
      for (const side of Orders.sides) {
        const account = yield* Wallets.openTrader(world)
        const market = yield* world.market
        yield* trade(world, account, market, { side, amount: "0.03", price: String(basePrice) })
        // `pnl` may include the fees of the fills.
        const fees = 0.04 * basePrice * 0.002
        const first = yield* theOne(world, account)
        const before = number(first.position, "pnl")
        yield* Verdict.expect(first.answer, "a pnl of zero, apart from fees", before > -fees && before < 1e-6)
        const better = Books.near(market, side === "buy" ? 1 : -1)
        yield* trade(world, account, market, { side: Orders.opposite(side), amount: "0.01", price: better })
        const realized = 0.01 * Math.abs(Number(better) - basePrice)
        const { answer, position } = yield* theOne(world, account)
        const pnl = number(position, "pnl")
        yield* Verdict.expect(
          answer,
          `a pnl of ${realized}, with or without fees`,
          pnl > realized - fees && pnl < realized + 1e-6
        )
      }
    })
  }),
  forEach("positions.collateral", {
    statement:
      "Shows a margin above zero that is no more than the position's value, and a freeMargin below the collateral",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* Wallets.openTrader(world)
      const market = yield* world.market
      yield* trade(world, account, market, { side, amount: "0.02", price: String(market.price) })
      const { answer, position } = yield* theOne(world, account)
      const [margin, free] = [number(position, "margin"), number(position, "freeMargin")]
      const collateral = (yield* Wallets.read(world, account)).get(`collateral.${market.money}`) ?? 0
      yield* Verdict.expect(
        answer,
        `a margin from 0 to ${0.02 * market.price}, and a freeMargin from 0 to ${collateral}`,
        margin > 0 && margin <= 0.02 * market.price * 1.01 && free > 0 && free < collateral
      )
    })
  }),
  forEach("positions.exits", {
    statement: "Shows the prices of a position's take-profit and stop-loss, each with a separate order id",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const { answer, exit, tpsl } = yield* withExits(world, side)
      yield* Verdict.expect(
        answer,
        `a tpsl with ${Json.stringify(exit)} and two order ids`,
        number(tpsl, "takeProfit") === Number(exit.takeProfit) && number(tpsl, "stopLoss") === Number(exit.stopLoss) &&
          Kinds.integer.holds(tpsl["takeProfitId"]) && Kinds.integer.holds(tpsl["stopLossId"]) &&
          tpsl["takeProfitId"] !== tpsl["stopLossId"]
      )
    })
  }),
  forEach("positions.reduced", {
    statement:
      "Shows the remainder of a partly closed position at the same entry price, and no position once it is closed",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* Wallets.openTrader(world)
      const market = yield* world.market
      yield* trade(world, account, market, { side, amount: "0.03", price: String(basePrice) })
      const before = yield* theOne(world, account)
      const better = Books.near(market, side === "buy" ? 1 : -1)
      const leave = { side: Orders.opposite(side), amount: "0.01", price: better }
      yield* trade(world, account, market, leave)
      const { answer, position } = yield* theOne(world, account)
      yield* Verdict.expect(
        answer,
        "the same position of 0.02, with the same basePrice",
        position["positionId"] === before.position["positionId"] && Books.isClose(size(position), 0.02) &&
          Books.isClose(number(position, "basePrice"), basePrice)
      )
      yield* trade(world, account, market, { ...leave, amount: "0.02" })
      const { answer: last, positions } = yield* LiveCalls.openPositions(world, account)
      yield* Verdict.expect(last, "no open position", positions.length === 0)
    })
  }),
  forEach("positions.realized", {
    statement: "Shows the profit of a position's closed part as pnl, and the profit of its open part as unrealizedPnl",
    level: "SHOULD",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* Wallets.openTrader(world)
      const market = yield* world.market
      yield* trade(world, account, market, { side, amount: "0.03", price: String(basePrice) })
      const better = Books.near(market, side === "buy" ? 1 : -1)
      yield* trade(world, account, market, { side: Orders.opposite(side), amount: "0.01", price: better })
      const { answer, position } = yield* theOne(world, account)
      const realized = 0.01 * Math.abs(Number(better) - basePrice)
      // `pnl` may include the fees of the fills.
      const fees = 0.04 * basePrice * 0.002
      const pnl = number(position, "pnl")
      yield* Verdict.expect(
        answer,
        `a pnl of ${realized}, with or without fees, and an unrealizedPnl of ${2 * realized}`,
        pnl > realized - fees && pnl < realized + 1e-6 &&
          isNear(number(position, "unrealizedPnl"), 2 * realized, 1e-6)
      )
    })
  })
]

/** A futures market of a sandbox. */
const perpetual = { name: "BTC_PERP" }

const listRules: ReadonlyArray<Rule.Rule> = [
  always("positions.market", {
    statement: "Lists the account's own positions, or only those on the market that the call names",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* Wallets.openTrader(world)
      const market = yield* world.market
      yield* world.control("MovePrice", { market: perpetual.name, price: String(basePrice) })
      const order = { side: "buy", price: String(basePrice) } as const
      yield* trade(world, account, market, { ...order, amount: "0.01" })
      yield* trade(world, account, perpetual, { ...order, amount: "0.002" })
      const both = yield* LiveCalls.openPositions(world, account)
      const amounts = { [market.name]: 0.01, [perpetual.name]: 0.002 }
      yield* Verdict.expect(
        both.answer,
        `one position on each market: ${Json.stringify(amounts)}`,
        both.positions.length === 2 &&
          both.positions.every((position) => size(position) === amounts[String(position["market"])]) &&
          ["market", "positionId"].every((key) => new Set(both.positions.map((one) => one[key])).size === 2)
      )
      for (const name of [market.name, perpetual.name]) {
        const { answer, positions } = yield* LiveCalls.openPositions(world, account, { market: name })
        yield* Verdict.expect(
          answer,
          `one position, of ${name}`,
          positions.length === 1 && positions[0]?.["market"] === name
        )
      }
    })
  }),
  always("positions.refusal", {
    statement: "Refuses to list positions on an unknown market: HTTP 422, and errors that name the field",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const fields = { market: LivePublicCalls.noMarket }
      const refusal = { codes: [30, 31], key: "market" }
      yield* LiveCalls.refuses(world, yield* world.reader, Paths.openPositions, fields, refusal)
    })
  }),
  forEach("positions.tpsl", {
    statement: "Shows the ids of open orders as a position's take-profit and stop-loss",
    level: "SHOULD",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const { account, answer, tpsl } = yield* withExits(world, side)
      const open = yield* Orders.list(world, account, Paths.activeOrders)
      yield* Verdict.expect(
        answer,
        `the ids of the open orders ${[...open.keys()].join(", ")}`,
        ["takeProfitId", "stopLossId"].every((key) => open.has(String(tpsl[key])))
      )
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...openingRules, ...profitRules, ...listRules]
