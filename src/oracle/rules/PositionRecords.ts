/**
 * Rules about closing positions, about the records of positions with several fills, and about funding after a position
 * has changed. Only the live exchange's documentation describes these calls.
 */
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
import type { Account, Body, World } from "../world/World.ts"

const { always, forEach } = LiveCalls.section

const day = 86_400_000

/** Makes an account trade on the futures market with a new account. */
const trade = (world: World, account: Account, side: Orders.Side, amount: string, price: number, more: Body = {}) =>
  Trading.onMargin(world, account, { market: perpetual, side, amount, price: String(Math.round(price)) }, more)

/** Makes a new account place an order against which a position of this size can be closed. */
const offer = Effect.fnUntraced(function*(world: World, market: string, side: Orders.Side, amount: string) {
  const fields = { market, side, amount, price: String(basePrice) }
  yield* Trading.placeOther(world, yield* world.open(), fields, Paths.collateralLimit)
})

/** Expects exactly these open positions: their ids, and their amounts without signs. */
const has = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  expected: ReadonlyArray<readonly [positionId: unknown, size: number]>
) {
  const { answer, positions } = yield* LiveCalls.openPositions(world, account)
  yield* Verdict.expect(
    answer,
    `the positions ${Json.stringify(expected)}`,
    positions.length === expected.length &&
      expected.every(([id, size]) =>
        positions.some((one) => one["positionId"] === id && Books.isClose(Math.abs(number(one, "amount")), size))
      )
  )
})

/** Opens an account with a position on the futures market and one on the margin market. */
const both = Effect.fnUntraced(function*(world: World) {
  const account = yield* MarginPositions.withPosition(world, "buy")
  const market = yield* Trading.openPosition(world, account, "buy", "0.01")
  const { positions } = yield* LiveCalls.openPositions(world, account)
  const idOf = (name: string) => positions.find((position) => position["market"] === name)?.["positionId"]
  return { account, market, future: idOf(perpetual), margin: idOf(market.name) }
})

/** Invalid calls that close a position, with the codes of their refusals. */
const invalid = [
  { wrong: "no market", codes: [30, 31] },
  { wrong: "an unknown market", codes: [30, 31] },
  { wrong: "no position id", codes: [30] },
  { wrong: "a malformed position id", codes: [30] },
  { wrong: "the other position's market", codes: [30, 31, 104] },
  { wrong: "another account's position", codes: [104] }
] as const

const closeRules: ReadonlyArray<Rule.Rule> = [
  forEach("positions.close.refusal", {
    statement: "Refuses to close a position without a valid market and id, or another account's, and closes nothing",
    values: invalid,
    check: Effect.fnUntraced(function*(world, { codes, wrong }) {
      const { account, future, margin, market } = yield* both(world)
      yield* offer(world, market.name, "buy", "0.05")
      yield* offer(world, perpetual, "buy", "0.05")
      const fields = {
        "no market": { positionId: future },
        "an unknown market": { positionId: future, market: "NO_SUCH" },
        "no position id": { market: perpetual },
        "a malformed position id": { market: perpetual, positionId: "first" },
        "the other position's market": { market: market.name, positionId: future },
        "another account's position": { market: perpetual, positionId: future }
      }[wrong]
      const caller = wrong === "another account's position" ? yield* world.open() : account
      const answer = yield* MarginPositions.closing(world, caller, fields)
      yield* Refusals.coded(answer, { status: 422, codes }, `because it has ${wrong}`)
      yield* has(world, account, [[future, 0.02], [margin, 0.01]])
    })
  }),
  always("positions.close.market", {
    statement: "Closes a position on a margin market, and leaves the one on a futures market open",
    check: Effect.fnUntraced(function*(world) {
      const { account, future, margin, market } = yield* both(world)
      yield* offer(world, market.name, "buy", "0.05")
      yield* offer(world, perpetual, "buy", "0.05")
      const done = yield* MarginPositions.closing(world, account, { market: market.name, positionId: margin })
      yield* Verdict.expect(done, "HTTP 200", done.status === 200 && Refusals.isSuccess(done))
      yield* has(world, account, [[future, 0.02]])
    })
  }),
  forEach("positions.close.trades", {
    statement: "Closes a position with a market order: one fill as taker for its whole size, and no exits left open",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* LiveOrders.customer(world)
      yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
      const away = side === "buy" ? 1 : -1
      const exit = { takeProfit: String(basePrice + away * 4000), stopLoss: String(basePrice - away * 4000) }
      yield* trade(world, account, side, "0.02", basePrice, exit)
      const before = yield* LiveOrders.open(world, account)
      yield* Verdict.expect(before.answer, "two exits", before.records.length === 2)
      yield* MarginPositions.closed(world, account, side)
      yield* has(world, account, [])
      yield* LiveOrders.lists(yield* LiveOrders.open(world, account), "no open orders", "orderId", [])
      const fills = yield* LiveOrders.executed(world, account, { market: perpetual })
      const own = { ...fills, records: fills.records.filter((fill) => fill["side"] !== side) }
      yield* LiveOrders.lists(own, "the closing fill", "side", [
        { side: Orders.opposite(side), amount: "0.02", price: String(basePrice), role: 2 }
      ])
    })
  }),
  forEach("positions.close.hedged", {
    statement: "In hedge mode, closes only the named position, and records its side and that it was hedged",
    values: ["LONG", "SHORT"] as const,
    check: Effect.fnUntraced(function*(world, positionSide) {
      const account = yield* Trading.openHedged(world)
      yield* trade(world, account, "buy", "0.02", basePrice, { positionSide: "LONG" })
      yield* trade(world, account, "sell", "0.03", basePrice, { positionSide: "SHORT" })
      const { positions } = yield* LiveCalls.openPositions(world, account)
      const of = (side: string) => positions.find((position) => position["positionSide"] === side)?.["positionId"]
      const id = of(positionSide)
      const [kept, size] = positionSide === "LONG" ? [of("SHORT"), 0.03] : [of("LONG"), 0.02]
      yield* offer(world, perpetual, positionSide === "LONG" ? "buy" : "sell", "0.05")
      const fields = { market: perpetual, positionId: id, positionSide }
      const done = yield* MarginPositions.closing(world, account, fields)
      yield* Verdict.expect(done, "HTTP 200", done.status === 200 && Refusals.isSuccess(done))
      yield* has(world, account, [[kept, size]])
      for (const path of [Paths.closedPositions, Paths.positionHistory]) {
        const { answer, records } = yield* LiveCalls.records(world, account, path, {})
        const own = records.filter((record) => record["positionId"] === id)
        yield* Verdict.expect(
          answer,
          `records of position ${String(id)} with side ${positionSide} and isHedge true, if they are shown`,
          own.length === (path === Paths.closedPositions ? 1 : 2) &&
            own.every(({ isHedge = true, side = positionSide }) => isHedge === true && side === positionSide)
        )
      }
    })
  })
]

/**
 * A position that was opened by two fills and closed by two. Each tuple is a fill: its amount, its price as a multiple
 * of the base price, and the amount of the position afterwards.
 */
const steps = [[0.01, 1, 0.01], [0.03, 1.02, 0.04], [0.01, 1.03, 0.03], [0.03, 0.99, 0]] as const

/** Opens, increases, reduces and closes a position, with a minute between the fills. */
const lived = Effect.fnUntraced(function*(world: World, side: Orders.Side) {
  const account = yield* LiveOrders.customer(world)
  yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
  const times: Array<number> = []
  for (const [index, [amount, factor]] of steps.entries()) {
    if (index > 0) yield* world.advance(60_000)
    yield* trade(world, account, index < 2 ? side : Orders.opposite(side), String(amount), basePrice * factor)
    times.push((yield* world.now) / 1000)
  }
  const fills = yield* LiveOrders.executed(world, account, { market: perpetual })
  return { account, times, fills: fills.records }
})

/** Returns the sum of the fees of fills; `NaN` if a fee is in another currency. */
const feesOf = (fills: ReadonlyArray<Body>): number =>
  fills.reduce((sum, fill) => sum + (fill["feeAsset"] === "USDT" ? number(fill, "fee") : Number.NaN), 0)

const recordRules: ReadonlyArray<Rule.Rule> = [
  forEach("positions.closed.parts", {
    statement:
      "Shows a position with several fills as one closed position: its size, average prices, profit, fees and times",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const { account, fills, times } = yield* lived(world, side)
      const { answer, records } = yield* LiveCalls.records(world, account, Paths.closedPositions, {})
      const [record = {}] = records
      const [entry, exit] = [Math.round(basePrice * (1 + 3 * 1.02) / 4), Math.round(basePrice * (1.03 + 3 * 0.99) / 4)]
      yield* Verdict.expect(
        answer,
        `one record with market ${perpetual}, closedSize 0.04, averages ${entry} and ${exit}, side BOTH, isHedge false`,
        records.length === 1 && record["market"] === perpetual && Books.isClose(number(record, "closedSize"), 0.04) &&
          isNear(number(record, "avgEntryPrice"), entry, 0.5) && isNear(number(record, "avgExitPrice"), exit, 0.5) &&
          record["side"] === "BOTH" && record["isHedge"] === false
      )
      const fees = feesOf(fills)
      const profit = 0.04 * (exit - entry) * (side === "buy" ? 1 : -1)
      yield* Verdict.expect(
        answer,
        `a totalTradeFee of ${fees}, and a grossPnl of ${profit} minus the fees`,
        (Number.isNaN(fees) || isNear(number(record, "totalTradeFee"), fees, 1e-4)) &&
          isNear(number(record, "grossPnl"), profit - number(record, "totalTradeFee"), 0.01)
      )
      const [first = 0, , , last = 0] = times
      yield* Verdict.expect(
        answer,
        `an openDate near ${Math.floor(first)} and a closeDate near ${Math.floor(last)}`,
        isNear(number(record, "openDate"), first, 20) && isNear(number(record, "closeDate"), last, 20)
      )
    })
  }),
  forEach("positions.history.parts", {
    statement:
      "Records each fill of a position with its amount, price, fee and time, and the position's size afterwards",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const { account, fills, times } = yield* lived(world, side)
      const { answer, records } = yield* LiveCalls.records(world, account, Paths.positionHistory, {})
      yield* Verdict.expect(
        answer,
        "four records of one position, with side BOTH and isHedge false, if they are shown",
        records.length === 4 && new Set(records.map(({ positionId }) => positionId)).size === 1 &&
          records.every(({ isHedge = false, side: of = "BOTH" }) => isHedge === false && of === "BOTH")
      )
      for (const [index, [amount, factor, left]] of steps.entries()) {
        const at = times[index] ?? 0
        const record = records.find((one) => isNear(number(one, "modifyDate"), at, 20)) ?? {}
        const detail = Json.isObject(record["orderDetail"]) ? record["orderDetail"] : {}
        const fee = feesOf(fills.filter(({ orderId }) => orderId === detail["id"]))
        yield* Verdict.expect(
          answer,
          `a record of ${at} with a tradeAmount of ${amount} at ${basePrice * factor}, a tradeFee of ${fee}, an amount`
            + ` of ${left} and an openDate near ${Math.floor(times[0] ?? 0)}`,
          Books.isClose(Math.abs(number(detail, "tradeAmount")), amount) &&
            isNear(number(detail, "price"), basePrice * factor, 0.5) &&
            (Number.isNaN(fee) || isNear(number(detail, "tradeFee"), fee, 1e-4)) &&
            Books.isClose(Math.abs(number(record, "amount")), left) &&
            isNear(number(record, "openDate"), times[0] ?? 0, 20)
        )
        const average = index === 0 ? basePrice : Math.round(basePrice * (1 + 3 * 1.02) / 4)
        yield* Verdict.expect(
          answer,
          `a basePrice of ${average} while the position is open`,
          left === 0 || isNear(number(record, "basePrice"), average, 0.5)
        )
      }
    })
  })
]

const payments = (world: World, account: Account, fields: Body = {}) =>
  LiveCalls.records(world, account, Paths.fundingHistory, { market: perpetual, ...fields })

const fundingRules: ReadonlyArray<Rule.Rule> = [
  forEach("positions.funding.parts", {
    statement: "Settles funding for the size that a position has at the time, and none once it is closed",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* MarginPositions.withPosition(world, side)
      const sign = side === "buy" ? 1 : -1
      const seen: Array<number> = []
      for (const size of [0.02, 0.005, 0]) {
        // Every market settles funding at least once a day.
        yield* world.advance(day)
        const { answer, records } = yield* payments(world, account)
        const fresh = records.slice(0, records.length - (seen.at(-1) ?? 0))
        seen.push(records.length)
        yield* Verdict.expect(
          answer,
          size === 0 ? "no more payments" : `more payments, each for a position of ${sign * size}`,
          size === 0
            ? fresh.length === 0
            : fresh.length > 0 && fresh.every((record) => Books.isClose(number(record, "positionAmount"), sign * size))
        )
        const closing = size === 0.02 ? "0.015" : "0.005"
        if (size > 0) yield* trade(world, account, Orders.opposite(side), closing, basePrice)
      }
    })
  }),
  always("positions.funding.public", {
    statement: "Shows the rate and the settlement price of a funding payment as the public funding history does",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* MarginPositions.withPosition(world, "buy")
      yield* world.advance(day)
      const own = yield* payments(world, account)
      const { json } = yield* world.get(`${Paths.fundingRates}/${perpetual}`, "limit=100")
      const rates = Array.isArray(json) ? json.filter(Json.isObject) : []
      for (const payment of own.records) {
        const rate = rates.find(({ fundingTime }) => Number(fundingTime) === number(payment, "fundingTime"))
        if (rate === undefined) continue
        yield* Verdict.expect(
          own.answer,
          `the fundingRate, settlementPrice and rateCalculatedTime of ${Json.stringify(rate)}`,
          ["fundingRate", "settlementPrice", "rateCalculatedTime"].every((key) =>
            rate[key] === undefined || isNear(number(payment, key), number(rate, key), 1e-9)
          )
        )
      }
    })
  }),
  always("positions.funding.default", {
    statement: "Lists 100 funding payments by default",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* MarginPositions.withPosition(world, "buy")
      // Funding is due every eight hours, or at least once a day.
      yield* world.advance(35 * day)
      const { records: { length } } = yield* payments(world, account)
      if (length < 100) yield* world.advance(67 * day)
      const { answer, records } = yield* payments(world, account)
      const page = Json.isObject(answer.json) ? answer.json : {}
      yield* Verdict.expect(
        answer,
        "100 payments, limit 100, offset 0",
        records.length === 100 && page["limit"] === 100 &&
          page["offset"] === 0
      )
    })
  }),
  forEach("positions.pages", {
    statement: "Refuses an invalid page, market or period of closed positions, of their changes or of funding payments",
    profile: "read-only",
    values: [
      { path: Paths.closedPositions, fields: { offset: -1 }, codes: [30] },
      { path: Paths.fundingHistory, fields: { offset: -1, market: perpetual }, codes: [30, 31] },
      { path: Paths.fundingHistory, fields: { market: "NO_SUCH" }, codes: [30, 31] },
      { path: Paths.positionHistory, fields: { startDate: 1_700_000_000, endDate: 1_600_000_000 }, codes: [30] },
      { path: Paths.closedPositions, fields: { startDate: 1_700_000_000, endDate: 1_600_000_000 }, codes: [30] },
      { path: Paths.closedPositions, fields: { endDate: 4_000_000_000 }, codes: [30] },
      { path: Paths.positionHistory, fields: { endDate: 4_000_000_000 }, codes: [30] },
      { path: Paths.positionHistory, fields: { limit: 0 }, codes: [30] },
      { path: Paths.positionHistory, fields: { limit: 101 }, codes: [30] },
      { path: Paths.positionHistory, fields: { offset: -1 }, codes: [30] }
    ],
    check: Effect.fnUntraced(function*(world, { codes, fields, path }) {
      const answer = yield* LiveCalls.call(world, yield* world.reader, path, fields)
      yield* Refusals.coded(answer, { status: 422, codes }, `because of ${Json.stringify(fields)}`)
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...closeRules, ...recordRules, ...fundingRules]
