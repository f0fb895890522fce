/** Rules about the collateral account as a whole. Only the live exchange's documentation describes its calls. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Books from "../world/Books.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import * as MarginPositions from "../world/MarginPositions.ts"
import { basePrice, perpetual } from "../world/Markets.ts"
import { isNear, number } from "../world/Numbers.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, World } from "../world/World.ts"

const { always, forEach } = LiveCalls.section

/** Every leverage that the live exchange documents. */
const leverages = [1, 2, 3, 5, 10, 20, 50, 100]

/**
 * Reads the summary of an account whose only position, of 0.02, has gained `percent` % of its cost; if `percent` is
 * negative, the position has made a loss.
 */
const summaryAfter = Effect.fnUntraced(function*(world: World, side: Orders.Side, percent: number) {
  const account = yield* world.open()
  // The position is on a margin market, because the mark price of a futures market need not follow that market's
  // trades.
  const market = yield* Trading.openPosition(world, account, side, "0.02")
  yield* Trading.movePrice(world, market, basePrice * (1 + (side === "buy" ? percent : -percent) / 100))
  return yield* MarginPositions.summary(world, account)
})

const settingRules: ReadonlyArray<Rule.Rule> = [
  always("margin.leverage", {
    statement: "Accepts each documented leverage, returns it, and then shows it in the summary of this account only",
    check: Effect.fnUntraced(function*(world) {
      const [account, other] = [yield* world.open(), yield* world.open()]
      const others = number((yield* MarginPositions.summary(world, other)).json, "leverage")
      // Reads the summary once, so a target that caches it shows the old leverage below.
      yield* MarginPositions.summary(world, account)
      for (const leverage of leverages) {
        const { answer, json } = yield* LiveCalls.object(world, account, Paths.leverage, { leverage })
        yield* Verdict.expect(answer, `leverage ${leverage}`, json["leverage"] === leverage)
        const after = yield* MarginPositions.summary(world, account)
        yield* Verdict.expect(after.answer, `leverage ${leverage}`, number(after.json, "leverage") === leverage)
      }
      const { answer, json } = yield* MarginPositions.summary(world, other)
      yield* Verdict.expect(answer, `the other account's leverage of ${others}`, number(json, "leverage") === others)
    })
  }),
  forEach("margin.leverage-refusal", {
    statement: "Refuses an undocumented leverage, with errors that name the field",
    values: [0, 4, 101, "many", "5", 2.5],
    check: (world, leverage) =>
      Effect.flatMap(
        world.open(),
        (account) => LiveCalls.refuses(world, account, Paths.leverage, { leverage }, { key: "leverage" })
      )
  }),
  forEach("margin.free", {
    statement: "Shows a freeMargin of equity minus margin plus pnl minus unrealizedFunding",
    level: "SHOULD",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const { answer, json } = yield* summaryAfter(world, side, 4)
      const [equity, margin, pnl] = [number(json, "equity"), number(json, "margin"), number(json, "pnl")]
      const free = equity - margin + pnl - number(json, "unrealizedFunding")
      yield* Verdict.expect(
        answer,
        `a margin and a pnl above zero, and a freeMargin of ${free}`,
        margin > 0 && pnl > 0 && isNear(number(json, "freeMargin"), free, 0.01)
      )
    })
  }),
  forEach("margin.pnl", {
    statement: "Shows an unrealized profit as a positive pnl of the account, and a loss as a negative one",
    level: "SHOULD",
    values: Orders.sides.flatMap((side) => [4, -4].map((percent) => ({ side, percent }))),
    check: Effect.fnUntraced(function*(world, { percent, side }) {
      const { answer, json } = yield* summaryAfter(world, side, percent)
      // The target may value the position at an index or average price.
      const ratio = number(json, "pnl") / (0.02 * basePrice * percent / 100)
      yield* Verdict.expect(
        answer,
        `a pnl of about ${0.02 * basePrice * percent / 100}`,
        ratio > 0.5 && ratio < 1.5
      )
    })
  }),
  always("margin.fraction", {
    statement: "Shows a marginFraction of 1000000000000000000000 for an account without positions",
    level: "SHOULD",
    check: Effect.fnUntraced(function*(world) {
      const { answer, json } = yield* MarginPositions.summary(world, yield* world.open())
      yield* Verdict.expect(answer, "a marginFraction of 10^21", number(json, "marginFraction") === 1e21)
    })
  }),
  always("margin.hedge", {
    statement:
      "Shows hedge mode after it is switched on, and one-way mode after it is switched off, for this account only",
    check: Effect.fnUntraced(function*(world) {
      const [account, other] = [yield* world.open(), yield* world.open()]
      const modeOf = (account: Account) => LiveCalls.object(world, account, Paths.hedgeMode, {})
      // A new account may be in either mode.
      const { json: { hedgeMode: others } } = yield* modeOf(other)
      for (const hedgeMode of [true, false]) {
        const set = yield* LiveCalls.call(world, account, Paths.updateHedgeMode, { hedgeMode })
        yield* Verdict.expect(set, "HTTP 200", set.status === 200 && Refusals.isSuccess(set))
        for (const [of, expected] of [[account, hedgeMode], [other, others]] as const) {
          const { answer, json } = yield* modeOf(of)
          yield* Verdict.expect(answer, `hedgeMode ${String(expected)}`, json["hedgeMode"] === expected)
        }
      }
    })
  }),
  always("margin.hedge-refusal", {
    statement: "Refuses to switch hedge mode on while there is a futures position: code 113",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* MarginPositions.withPosition(world, "buy")
      yield* LiveCalls.refuses(world, account, Paths.updateHedgeMode, { hedgeMode: true }, {
        codes: [113],
        key: "hedgeMode"
      })
    })
  })
]

const positionRules: ReadonlyArray<Rule.Rule> = [
  forEach("margin.close", {
    statement:
      "Closes exactly the position that the call names, and refuses a closed or unknown position with code 104",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* MarginPositions.withPosition(world, side)
      const market = yield* Trading.openPosition(world, account, "buy", "0.01")
      const { positions } = yield* LiveCalls.openPositions(world, account)
      const one = positions.find((position) => position["market"] === perpetual) ?? {}
      const rest = { market: perpetual, side, amount: "0.02", price: String(basePrice) }
      yield* Trading.placeOther(world, yield* world.open(), rest, Paths.collateralLimit)
      const fields = { market: perpetual, positionId: one["positionId"] }
      const done = yield* MarginPositions.closing(world, account, fields)
      yield* Verdict.expect(done, "HTTP 200", done.status === 200 && Refusals.isSuccess(done))
      const after = yield* LiveCalls.openPositions(world, account)
      yield* Verdict.expect(
        after.answer,
        `only the position of 0.01 on ${market.name}`,
        after.positions.length === 1 && after.positions[0]?.["market"] === market.name &&
          Books.isClose(number(after.positions[0], "amount"), 0.01)
      )
      for (const positionId of [one["positionId"], 999_999_999]) {
        const refused = yield* MarginPositions.closing(world, account, { ...fields, positionId })
        yield* Verdict.expect(
          refused,
          "HTTP 400 or 422 with code 104",
          refused.status >= 400 && Json.isObject(refused.json) && refused.json["code"] === 104
        )
      }
    })
  }),
  forEach("margin.history", {
    statement: "Records each change of a position with its order's id, the traded amount, the price and the fee",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* MarginPositions.withPosition(world, side)
      const { positionId } = yield* MarginPositions.closed(world, account, side)
      const { answer, records } = yield* LiveCalls.records(world, account, Paths.positionHistory, { market: perpetual })
      const own = records.filter((record) => record["positionId"] === positionId)
      const details = own.map((record) => Json.isObject(record["orderDetail"]) ? record["orderDetail"] : {})
      const fills = yield* LiveOrders.executed(world, account, { market: perpetual })
      const orders = fills.records.map(({ orderId }) => String(orderId)).toSorted().join()
      yield* Verdict.expect(
        answer,
        `the orders ${orders}`,
        details.map(({ id }) => String(id)).toSorted().join() === orders
      )
      yield* Verdict.expect(
        answer,
        `a record with an amount of 0 and one of 0.02, each with a tradeAmount of 0.02, a price of ${basePrice} and a fee`,
        own.length === 2 &&
          own.map((record) => Math.abs(number(record, "amount"))).toSorted((one, other) => one - other)
              .join() === "0,0.02" &&
          details.every((detail) =>
            Books.isClose(number(detail, "tradeAmount"), 0.02) && isNear(number(detail, "price"), basePrice, 0.5) &&
            number(detail, "tradeFee") >= 0 && number(detail, "tradeFee") < 0.02 * basePrice * 0.01
          )
      )
    })
  }),
  forEach("margin.balances.same", {
    statement: "Shows the same collateral balance in both balance calls, with and without an open order",
    values: [false, true],
    check: Effect.fnUntraced(function*(world, withOrder) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* world.market
      if (withOrder) {
        const order = { market: market.name, side: "buy", amount: "0.02", price: Orders.lowPrice(market) }
        yield* Trading.placeOther(world, account, order, Paths.collateralLimit)
      }
      const { json } = yield* LiveCalls.object(world, account, Paths.collateralBalance, {})
      const { answer, items } = yield* LiveCalls.list(world, account, Paths.balanceSummary, {})
      const total = items.filter(Json.isObject).find(({ asset }) => asset === market.money)?.["balance"]
      yield* Verdict.expect(
        answer,
        `a balance of ${String(json[market.money])} ${market.money}, as in ${Paths.collateralBalance}`,
        Number(total) > 0 && Books.isClose(Number(total), Number(json[market.money]))
      )
    })
  }),
  forEach("margin.closed", {
    statement: "Shows a closed position with its size, its average prices, and netPnl as grossPnl minus totalFunding",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* MarginPositions.withPosition(world, side)
      const { positionId } = yield* MarginPositions.closed(world, account, side)
      const { answer, records } = yield* LiveCalls.records(world, account, Paths.closedPositions, {})
      const [record = {}] = records.filter((record) => record["positionId"] === positionId)
      yield* Verdict.expect(
        answer,
        `a closedSize of 0.02, averages of ${basePrice}, an amount of 0 and a netPnl of grossPnl - totalFunding`,
        Books.isClose(number(record, "closedSize"), 0.02) && number(record, "amount") === 0 &&
          isNear(number(record, "avgEntryPrice"), basePrice, 0.5) &&
          isNear(number(record, "avgExitPrice"), basePrice, 0.5) &&
          isNear(number(record, "netPnl"), number(record, "grossPnl") - number(record, "totalFunding"))
      )
    })
  }),
  forEach("margin.closed.terms", {
    statement:
      "Shows a closed position's average prices, its profit after fees, and when it was opened and closed, in whole seconds",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* MarginPositions.withPosition(world, side)
      const opened = (yield* world.now) / 1000
      yield* world.advance(7000)
      const exit = basePrice * 1.01
      const { positionId } = yield* MarginPositions.closed(world, account, side, exit)
      const closing = (yield* world.now) / 1000
      const { answer, records } = yield* LiveCalls.records(world, account, Paths.closedPositions, {})
      const [record = {}] = records.filter((record) => record["positionId"] === positionId)
      yield* Verdict.expect(
        answer,
        `an avgEntryPrice of ${basePrice}, an avgExitPrice of ${exit}, an openDate near ${Math.floor(opened)} and a`
          + ` closeDate near ${Math.floor(closing)}, at least 6 seconds later`,
        isNear(number(record, "avgEntryPrice"), basePrice, 0.5) && isNear(number(record, "avgExitPrice"), exit, 0.5) &&
          Number.isInteger(record["openDate"]) && Number.isInteger(record["closeDate"]) &&
          isNear(number(record, "openDate"), opened, 60) && isNear(number(record, "closeDate"), closing, 60) &&
          number(record, "closeDate") - number(record, "openDate") >= 6
      )
      const profit = (side === "buy" ? 0.02 : -0.02) * (exit - basePrice)
      const fees = number(record, "totalTradeFee")
      yield* Verdict.expect(
        answer,
        `a grossPnl of ${profit} minus the totalTradeFee`,
        fees >= 0 && fees < 0.02 * exit * 0.02 && isNear(number(record, "grossPnl"), profit - fees, 0.01)
      )
    })
  }),
  forEach("margin.closed.funding", {
    statement: "Shows the funding that a position paid as a positive totalFunding, and deducts it from netPnl",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* MarginPositions.withPosition(world, side)
      // Every market settles funding at least once a day.
      yield* world.advance(86_400_000)
      const paid = yield* LiveCalls.records(world, account, Paths.fundingHistory, { market: perpetual })
      const total = -paid.records.reduce((sum, record) => sum + number(record, "fundingAmount"), 0)
      if (total === 0) return yield* Verdict.skip("needs a funding rate that is not zero")
      const { positionId } = yield* MarginPositions.closed(world, account, side)
      const { answer, records } = yield* LiveCalls.records(world, account, Paths.closedPositions, {})
      const [record = {}] = records.filter((record) => record["positionId"] === positionId)
      yield* Verdict.expect(
        answer,
        `a totalFunding of ${total}, and a netPnl of grossPnl minus totalFunding`,
        isNear(number(record, "totalFunding"), total) &&
          isNear(number(record, "netPnl"), number(record, "grossPnl") - total)
      )
    })
  }),
  always("margin.closed.pages", {
    statement: "Lists closed positions, the most recently closed position first, also in pages by limit and offset",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* MarginPositions.withPosition(world, "buy")
      const one = yield* MarginPositions.closed(world, account, "buy")
      yield* world.advance(2000)
      yield* MarginPositions.open(world, account, "buy")
      const two = yield* MarginPositions.closed(world, account, "buy")
      for (const [offset, { positionId }] of [two, one].entries()) {
        const { answer, records } = yield* LiveCalls.records(world, account, Paths.closedPositions, {
          limit: 1,
          offset
        })
        yield* Verdict.expect(
          answer,
          `only the position ${String(positionId)}`,
          records.length === 1 && records[0]?.["positionId"] === positionId
        )
      }
      const beyond = yield* LiveCalls.records(world, account, Paths.closedPositions, { offset: 2 })
      yield* Verdict.expect(beyond.answer, "no position after the last one", beyond.records.length === 0)
      const all = yield* LiveCalls.records(world, account, Paths.closedPositions, {})
      yield* Verdict.expect(
        all.answer,
        `the positions ${String(two.positionId)} and ${String(one.positionId)}, in this order`,
        all.records.length === 2 && all.records[0]?.["positionId"] === two.positionId &&
          all.records[1]?.["positionId"] === one.positionId
      )
    })
  }),
  always("margin.history.position", {
    statement: "Lists only the changes of the position that the call names",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* MarginPositions.withPosition(world, "buy")
      yield* Trading.openPosition(world, account, "buy", "0.01")
      const { positions } = yield* LiveCalls.openPositions(world, account)
      for (const { positionId } of positions) {
        const fields = { positionId }
        const { answer, records } = yield* LiveCalls.records(world, account, Paths.positionHistory, fields)
        yield* Verdict.expect(
          answer,
          `only changes of the position ${String(positionId)}, one of two`,
          positions.length === 2 && records.length > 0 && records.every((record) => record["positionId"] === positionId)
        )
      }
    })
  }),
  always("margin.funding.order", {
    statement: "Lists funding payments newest first",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* MarginPositions.withPosition(world, "buy")
      // Every market settles funding at least once a day.
      yield* world.advance(2 * 86_400_000)
      const { answer, records } = yield* LiveCalls.records(world, account, Paths.fundingHistory, { market: perpetual })
      const times = records.map((record) => number(record, "fundingTime"))
      yield* Verdict.expect(
        answer,
        "at least two payments, the newest first",
        times.length > 1 && times.every((time, index) => index === 0 || time < Number(times[index - 1]))
      )
    })
  }),
  forEach("margin.funding", {
    statement:
      "Records funding as minus the product of rate, signed position amount and settlement price, and adds it to the balance",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* MarginPositions.withPosition(world, side)
      const balance = Effect.map(
        LiveCalls.object(world, account, Paths.collateralBalance, {}),
        ({ answer, json }) => ({ answer, units: number(json, "USDT") })
      )
      const before = yield* balance
      // Every market settles funding at least once a day.
      yield* world.advance(86_400_000)
      const { answer, records } = yield* LiveCalls.records(world, account, Paths.fundingHistory, { market: perpetual })
      const sign = side === "buy" ? 1 : -1
      yield* Verdict.expect(
        answer,
        `payments for a position of ${sign * 0.02}, each of -(rate × amount × price)`,
        records.length > 0 && records.every((record) => {
          const [amount, price] = [number(record, "positionAmount"), number(record, "settlementPrice")]
          const expected = -(number(record, "fundingRate") * amount * price)
          return Books.isClose(amount, sign * 0.02) && price > 0 &&
            isNear(number(record, "fundingAmount"), expected, Math.abs(expected) * 1e-6 + 1e-9)
        })
      )
      const sum = records.reduce((sum, record) => sum + number(record, "fundingAmount"), 0)
      const after = yield* balance
      yield* Verdict.expect(after.answer, `${sum} USDT more`, isNear(after.units - before.units, sum))
    })
  }),
  forEach("margin.adl", {
    statement: "Grades a futures position from 0 to 4 on its side of the ADL queue, and shows null on the other side",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* MarginPositions.withPosition(world, side)
      const { answer, items } = yield* LiveCalls.list(world, account, Paths.adlQuantile, {})
      const [own, other] = side === "buy" ? ["long", "short"] as const : ["short", "long"] as const
      const grades = items.filter(Json.isObject)
      yield* Verdict.expect(
        answer,
        `one entry, of ${perpetual}, with ${own} from 0 to 4 and ${other} null`,
        grades.length === 1 &&
          grades.every((grade) =>
            grade["market"] === perpetual && [0, 1, 2, 3, 4].includes(number(grade, own)) && grade[other] === null
          )
      )
    })
  }),
  forEach("margin.pages", {
    statement: "Refuses a page of closed positions or funding payments if its limit is not 1 to 100",
    profile: "read-only",
    values: [Paths.closedPositions, Paths.fundingHistory].flatMap((path) => [0, 101].map((limit) => ({ path, limit }))),
    check: Effect.fnUntraced(function*(world, { limit, path }) {
      const { name } = yield* world.market
      const fields = path === Paths.fundingHistory ? { market: name, limit } : { limit }
      yield* LiveCalls.refuses(world, yield* world.reader, path, fields, { key: "limit" })
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...settingRules, ...positionRules]
