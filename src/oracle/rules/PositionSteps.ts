/**
 * Rules about positions that change several times, on both kinds of markets and on both sides. Only the live exchange's documentation describes these calls.
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
import type { Account, Body, World } from "../world/World.ts"

const { forEach } = LiveCalls.section

/** The time between two changes of a position, in milliseconds. */
const pause = 5000

/** A position that is increased after it was reduced, so that its parts differ from its size. */
const steps: ReadonlyArray<Step> = [[0.02, 1], [0.02, 1.02], [-0.01, 1.03], [0.03, 0.98], [-0.02, 1.01]]

/** The orders against which the rest of the position is closed with one market order. */
const last: ReadonlyArray<Step> = [[-0.01, 0.99], [-0.03, 0.985]]

/** Returns the sum of the fees of an account's fills on a market, or `undefined` if a fee is in another currency. */
const feesOf = Effect.fnUntraced(function*(world: World, account: Account, market: string) {
  const { records } = yield* LiveOrders.executed(world, account, { market })
  const areInMoney = records.every(({ feeAsset = "USDT" }) => feeAsset === "USDT")
  return areInMoney ? records.reduce((sum, fill) => sum + number(fill, "fee"), 0) : undefined
})

/** Returns an account's only open position on a market. */
const theOne = Effect.fnUntraced(function*(world: World, account: Account, market: string) {
  const { answer, positions } = yield* LiveCalls.openPositions(world, account, { market })
  const [position = {}] = positions
  yield* Verdict.expect(answer, `one open position, of ${market}`, positions.length === 1)
  return { answer, position }
})

/** The kinds of markets that have positions. */
const kinds = ["futures", "margin"] as const

const marketOf = Effect.fnUntraced(function*(world: World, kind: typeof kinds[number]) {
  if (kind === "margin") return (yield* world.market).name
  yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
  return perpetual
})

/** Makes an account trade one step with another account. */
const make = (world: World, account: Account, market: string, side: Orders.Side, step: Step, more: Body = {}) =>
  Trading.onMargin(world, account, {
    market,
    side: step[0] > 0 ? side : Orders.opposite(side),
    amount: String(Math.abs(step[0])),
    price: String(priceOf(step))
  }, more)

/** Returns an account's collateral in USDT. */
const unitsOf = (world: World, account: Account) =>
  Effect.map(LiveCalls.object(world, account, Paths.collateralBalance, {}), ({ json }) => number(json, "USDT"))

/** A case of the rules about steps. */
interface Case {
  readonly kind: typeof kinds[number]
  readonly side: Orders.Side
}

const cases: ReadonlyArray<Case> = kinds.flatMap((kind) => Orders.sides.map((side) => ({ kind, side })))

/** Makes all steps. Calls `seen` after each one. */
const walk = Effect.fnUntraced(function*(
  world: World,
  { kind, side }: Case,
  seen: (
    place: { readonly account: Account; readonly market: string },
    ledger: Ledger,
    index: number
  ) => Effect.Effect<void, Verdict.CheckError> = () => Effect.void
) {
  const account = yield* LiveOrders.customer(world)
  const market = yield* marketOf(world, kind)
  const start = yield* unitsOf(world, account)
  const orders: Array<{ readonly id: unknown; readonly ledger: Ledger; readonly step: Step; readonly fees: number }> =
    []
  let ledger = empty
  for (const [index, step] of steps.entries()) {
    if (index > 0) yield* world.advance(pause)
    const order = yield* make(world, account, market, side, step)
    ledger = after(ledger, side, step)
    const fees = (yield* feesOf(world, account, market)) ?? Number.NaN
    orders.push({ id: order["orderId"], ledger, step, fees })
    yield* seen({ account, market }, ledger, index)
  }
  return { account, market, orders, ledger, start }
})

type Walked = Effect.Success<ReturnType<typeof walk>>

const detailOf = ({ orderDetail }: Body): Body => Json.isObject(orderDetail) ? orderDetail : {}

/** Expects one record of the position's history for each step. */
const recorded = Effect.fnUntraced(function*(world: World, { account, market, orders }: Walked) {
  const { answer, records } = yield* LiveCalls.records(world, account, Paths.positionHistory, { market })
  yield* Verdict.expect(
    answer,
    `${steps.length} records of one position on ${market}`,
    records.length === steps.length && new Set(records.map(({ positionId }) => positionId)).size === 1 &&
      records.every((record) => record["market"] === market)
  )
  const { position } = yield* theOne(world, account, market)
  const latest = Math.max(...records.map((record) => number(record, "modifyDate")))
  yield* Verdict.expect(
    answer,
    `the openDate of the open position in each record, and its modifyDate in the latest: ${Json.stringify(position)}`,
    isNear(latest, number(position, "modifyDate"), rounding) &&
      records.every((record) => isNear(number(record, "openDate"), number(position, "openDate"), rounding))
  )
  for (const [index, { fees, id, ledger, step }] of orders.entries()) {
    const record = records.find((one) => detailOf(one)["id"] === id) ?? {}
    const detail = detailOf(record)
    const fee = fees - (orders[index - 1]?.fees ?? 0)
    yield* Verdict.expect(
      answer,
      `a change by order ${String(id)}: tradeAmount ${Math.abs(step[0])} at ${priceOf(step)}, tradeFee ${fee},`
        + ` amount ${ledger.size} and basePrice ${ledger.entry}`,
      Books.isClose(Math.abs(number(detail, "tradeAmount")), Math.abs(step[0])) &&
        isNear(number(detail, "price"), priceOf(step), rounding) &&
        (Number.isNaN(fee) || isNear(number(detail, "tradeFee"), fee, 0.0101)) &&
        Books.isClose(Math.abs(number(record, "amount")), ledger.size) &&
        isNear(number(record, "basePrice"), ledger.entry, rounding)
    )
    // The documentation does not say whether later profits are those of one fill or of all fills so far.
    const realized = detail["realizedPnl"] ?? null
    yield* Verdict.expect(
      answer,
      `no realizedPnl of order ${String(id)}, or one of ${ledger.realized}, with or without fees`,
      index > 2 || realized === null || Number.isNaN(fee) ||
        Number(realized) > ledger.realized - fees - 0.01 && Number(realized) < ledger.realized + 0.01
    )
  }
})

/** Expects the profit of the remaining part of a position, once the price has risen and once it has fallen. */
const floats = Effect.fnUntraced(function*(
  world: World,
  { account, ledger: { entry, size }, market }: Walked,
  side: Orders.Side
) {
  for (const factor of [1.08, 0.92]) {
    yield* world.control("MovePrice", { market, price: String(Math.round(basePrice * factor)) })
    const { answer, position } = yield* theOne(world, account, market)
    const profit = signOf(side) * size * (basePrice * factor - entry)
    const shown = number(position, "unrealizedPnl")
    const percent = shown / (size * entry) * 100
    yield* Verdict.expect(
      answer,
      `an unrealizedPnl of about ${profit}, and a pnlPercent of ${percent}`,
      shown / profit > 0.6 && shown / profit < 1.4 && isNear(number(position, "pnlPercent"), percent, 0.0101)
    )
  }
})

/** Closes the rest of a position with one market order, which trades at two prices. */
const finish = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  market: string,
  side: Orders.Side,
  before: Ledger
) {
  const { position } = yield* theOne(world, account, market)
  for (const step of last) {
    const fields = { market, side, amount: String(Math.abs(step[0])), price: String(priceOf(step)) }
    yield* Trading.placeOther(world, yield* world.open(), fields, Paths.collateralLimit)
  }
  const { positionId } = position
  const answer = yield* MarginPositions.closing(world, account, { market, positionId })
  yield* Verdict.expect(answer, "HTTP 200", answer.status === 200 && Refusals.isSuccess(answer))
  const { answer: list, positions } = yield* LiveCalls.openPositions(world, account, {})
  yield* Verdict.expect(list, "no open position", positions.length === 0)
  return { positionId, ledger: last.reduce((ledger, step) => after(ledger, side, step), before) }
})

export const rules: ReadonlyArray<Rule.Rule> = [
  forEach("positions.steps", {
    statement: "Shows after each of several fills the position's size, average entry price and times, "
      + "then the unrealized profit of what is left; and records each fill with its order, amount, price and fee",
    values: cases,
    check: Effect.fnUntraced(function*(world, { kind, side }) {
      let first: Body = {}
      const walked = yield* walk(world, { kind, side }, ({ account, market }, ledger, index) =>
        Effect.gen(function*() {
          const { answer, position } = yield* theOne(world, account, market)
          if (index === 0) first = position
          yield* Verdict.expect(
            answer,
            `the position ${String(first["positionId"])} of ${ledger.size} with a basePrice of ${ledger.entry}`,
            position["positionId"] === first["positionId"] &&
              Books.isClose(Math.abs(number(position, "amount")), ledger.size) &&
              isNear(number(position, "basePrice"), ledger.entry, rounding)
          )
          const elapsed = number(position, "modifyDate") - number(position, "openDate")
          yield* Verdict.expect(
            answer,
            `the same openDate, and a modifyDate about ${index * pause / 1000} seconds later`,
            isNear(number(position, "openDate"), number(first, "openDate"), 0.001) &&
              elapsed > index * pause / 1000 - 0.01 && elapsed < index * pause / 1000 + 60
          )
        }))
      yield* recorded(world, walked)
      // The mark price of a futures market need not follow its trades.
      if (kind === "margin") yield* floats(world, walked, side)
    })
  }),
  forEach("positions.steps.closed", {
    statement:
      "Shows a closed position with the volumes, average prices and fees of all its fills, and its profit after fees, "
      + "which a futures position adds to the collateral",
    values: cases,
    check: Effect.fnUntraced(function*(world, { kind, side }) {
      const start = yield* walk(world, { kind, side })
      const { account, market } = start
      const { ledger: { into, out, realized }, positionId } = yield* finish(world, account, market, side, start.ledger)
      const { answer, records } = yield* LiveCalls.records(world, account, Paths.closedPositions, {})
      const [record = {}] = records
      const [entry, exit] = [into[1] / into[0], out[1] / out[0]]
      yield* Verdict.expect(
        answer,
        `only position ${String(positionId)} of ${market}, with closedSize ${out[0]}, averages ${entry} and ${exit}`,
        records.length === 1 && record["positionId"] === positionId && record["market"] === market &&
          Books.isClose(number(record, "closedSize"), out[0]) &&
          isNear(number(record, "avgEntryPrice"), entry, rounding) &&
          isNear(number(record, "avgExitPrice"), exit, rounding) && number(record, "amount") === 0
      )
      const changes = yield* LiveCalls.records(world, account, Paths.positionHistory, { positionId })
      const dates = changes.records.map((one) => number(one, "modifyDate"))
      yield* Verdict.expect(
        answer,
        `the times of the first and the last change, ${Math.min(...dates)} and ${Math.max(...dates)}`,
        isNear(number(record, "openDate"), Math.min(...dates), rounding) &&
          isNear(number(record, "closeDate"), Math.max(...dates), rounding)
      )
      const fees = (yield* feesOf(world, account, market)) ?? number(record, "totalTradeFee")
      yield* Verdict.expect(
        answer,
        `a totalTradeFee of ${fees}, a grossPnl of ${realized - fees}, and a netPnl of grossPnl minus totalFunding`,
        isNear(number(record, "totalTradeFee"), fees, 0.001) &&
          isNear(number(record, "grossPnl"), realized - fees, 0.01) &&
          isNear(number(record, "netPnl"), number(record, "grossPnl") - number(record, "totalFunding"), 0.001)
      )
      // A margin position may also pay interest.
      if (kind === "margin" || (yield* feesOf(world, account, market)) === undefined) return
      const change = (yield* unitsOf(world, account)) - start.start
      yield* Verdict.conclude(
        `the collateral changed by the netPnl of ${String(record["netPnl"])}`,
        change,
        isNear(change, number(record, "netPnl"), 0.01)
      )
    })
  })
]
