/**
 * Rules about an account's lists that need only reads: the lists must agree on orders, fills, positions and balances.
 * Only the live exchange's documentation describes these calls.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as FieldRules from "../world/FieldRules.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { number, numbers } from "../world/Numbers.ts"
import * as Paths from "../world/Paths.ts"
import * as RecordLists from "../world/RecordLists.ts"
import type { Account, Body, World } from "../world/World.ts"

const { always } = LiveCalls.section

const sum = (records: ReadonlyArray<Body>, key: string): number =>
  records.reduce((sum, record) => sum + number(record, key), 0)

/** The values that an order's deal and the listed fill share. */
const shared = ["id", "time", "role", "amount", "price", "deal", "fee", "feeAsset", "clientOrderId"] as const

const agreeing = (
  id: string,
  statement: string,
  check: (world: World, account: Account) => Effect.Effect<unknown, Verdict.CheckError>
) =>
  always(id, {
    statement,
    profile: "read-only",
    check: (world) => Effect.flatMap(RecordLists.ownerOf(world), (account) => check(world, account))
  })

const agreementRules: ReadonlyArray<Rule.Rule> = [
  agreeing(
    "records.deals",
    "Lists the deals of an order with the values of the fills, and with the sums that the closed order shows",
    Effect.fnUntraced(function*(world, account) {
      const { records } = yield* RecordLists.recordsOf(world, account, RecordLists.fills)
      const history = yield* RecordLists.ended.read(world, account, { limit: RecordLists.most })
      const orders = RecordLists.oneOfEach(records, "orderId").slice(0, 3)
      for (const { orderId } of orders) {
        const deals = yield* LiveOrders.deals(world, account, orderId, { limit: RecordLists.most })
        for (const fill of records.filter((fill) => fill["orderId"] === orderId)) {
          const expected = Object.fromEntries(
            shared.flatMap((key) => fill[key] === undefined ? [] : [[key, fill[key]]])
          )
          const deal = deals.records.find(({ id }) => id === fill["id"])
          yield* LiveOrders.shows(deals, `the fill of order ${String(orderId)}`, deal, expected)
        }
        const order = history.records.find((order) => order["orderId"] === orderId)
        if (order === undefined || deals.records.length === RecordLists.most) continue
        const sums = { dealStock: "amount", dealMoney: "deal", dealFee: "fee" } as const
        for (const [key, part] of Object.entries(sums)) {
          yield* Verdict.conclude(
            `${key} ${String(order[key])} of order ${String(orderId)} as the sum of its deals`,
            deals.records,
            RecordLists.isNear(sum(deals.records, part), number(order, key)),
            deals.answer
          )
        }
      }
    })
  ),
  agreeing(
    "records.legs",
    "Lists each leg of an OCO order among the open orders and the conditional orders, with the same values",
    Effect.fnUntraced(function*(world, account) {
      const { records } = yield* RecordLists.recordsOf(world, account, RecordLists.oco)
      const all = yield* RecordLists.open.read(world, account, { limit: RecordLists.most })
      const { answer, records: conditional } = yield* LiveOrders.conditional(world, account, {
        limit: RecordLists.most
      })
      const inConditional = conditional.flatMap(({ stopLoss, takeProfit }) =>
        [stopLoss, takeProfit].filter(Json.isObject).map(LiveOrders.toOrder)
      )
      for (const leg of records.slice(0, 10)) {
        const find = (among: ReadonlyArray<Body>) => among.find(({ orderId }) => orderId === leg["orderId"])
        const order = RecordLists.documented(RecordLists.oco, leg)
        if (all.records.length < RecordLists.most)
          yield* LiveOrders.shows(all, "the open order", find(all.records), order)
        if (conditional.length === RecordLists.most) continue
        yield* LiveOrders.shows({ answer }, "the leg of the conditional order", find(inConditional), order)
      }
    })
  ),
  agreeing(
    "records.conditional",
    "Lists each conditional order once, as many as total states, on the pages that limit and offset select",
    Effect.fnUntraced(function*(world, account) {
      const read = Effect.fnUntraced(function*(fields: Body) {
        const { answer, json, records: items } = yield* LiveOrders.conditional(world, account, fields)
        return { answer, json, items, ids: items.map(({ id }) => id) }
      })
      const all = yield* read({ limit: RecordLists.most })
      yield* FieldRules.atLeastOne(world, all.answer, all.items, "conditional order")
      const { limit, offset, total } = all.json
      yield* Verdict.expect(
        all.answer,
        `limit ${RecordLists.most}, offset 0, and a total of ${all.ids.length} or more, each with an id of its own`,
        limit === RecordLists.most && offset === 0 && new Set(all.ids).size === all.ids.length &&
          (all.ids.length === RecordLists.most ? Number(total) >= RecordLists.most : total === all.ids.length)
      )
      const isWhole = ({ conditionalOrder, stopLoss, takeProfit, type }: Body) =>
        type === "oco"
          ? Json.isObject(stopLoss) && Json.isObject(takeProfit)
          : type === "oto" && Json.isObject(conditionalOrder)
      yield* Verdict.expect(all.answer, "both legs in each oco, and the order in each oto", all.items.every(isWhole))
      const seen: Array<unknown> = []
      for (let index = 0; index < Math.min(2, all.ids.length); index++) {
        const page = yield* read({ limit: 1, offset: index })
        yield* Verdict.expect(
          page.answer,
          `another conditional order, limit 1, offset ${index} and the same total`,
          page.ids.length === 1 && all.ids.includes(page.ids[0]) && page.json["limit"] === 1 &&
            page.json["offset"] === index &&
            page.json["total"] === total && !seen.includes(page.ids[0])
        )
        seen.push(page.ids[0])
      }
      const marketOf = ({ conditionalOrder, takeProfit }: Body) => {
        const order = conditionalOrder ?? takeProfit
        return Json.isObject(order) ? order["market"] : undefined
      }
      const market = marketOf(all.items[0] ?? {})
      const some = yield* read({ market, limit: RecordLists.most })
      const ids = all.items.filter((item) => marketOf(item) === market).map(({ id }) => id)
      yield* Verdict.expect(
        some.answer,
        `the conditional orders on ${String(market)}: ${ids.join(", ")}`,
        all.ids.length === RecordLists.most ||
          (some.ids.length === ids.length && ids.every((id) => some.ids.includes(id)))
      )
    })
  ),
  agreeing(
    "records.balances",
    "Shows for a ticker the same balance as the list of all balances, and no balance below zero",
    Effect.fnUntraced(function*(world, account) {
      let judged = 0
      for (const path of [Paths.mainBalance, Paths.tradeBalance, Paths.collateralBalance]) {
        const { json } = yield* LiveCalls.object(world, account, path, {})
        for (const [ticker, entry] of Object.entries(json).slice(0, 2)) {
          const { answer, json: one } = yield* LiveCalls.object(world, account, path, { ticker })
          const shown = path === Paths.collateralBalance ? one[ticker] : one
          const [text, amounts] = [Json.stringify(entry), Json.isObject(entry) ? Object.values(entry) : [entry]]
          yield* Verdict.expect(
            answer,
            `${ticker} ${text}, zero or more`,
            RecordLists.sameText(shown, entry) &&
              (path === Paths.collateralBalance || amounts.every((amount) => Number(amount) >= 0))
          )
          judged++
        }
      }
      if (judged === 0) return yield* Verdict.skip(Verdict.lacksRecords.none)
    })
  ),
  agreeing(
    "records.locked",
    "Locks in the trade balance at least the funds that the open spot orders need",
    Effect.fnUntraced(function*(world, account) {
      const { records } = yield* RecordLists.recordsOf(world, account, RecordLists.open)
      // Reads the list again, because the types in `records` lack the prefix `margin`, which marks an order on the
      // collateral balance.
      const { items } = yield* LiveCalls.list(world, account, Paths.activeOrders, { limit: RecordLists.most })
      const isSpot = items.filter(Json.isObject).filter(({ type }) => type === "limit").map(({ orderId }) => orderId)
      const spot = records.filter(({ orderId }) => isSpot.includes(orderId))
      if (spot.length === 0) return yield* Verdict.skip(Verdict.lacksRecords.none)
      const needed = new Map<string, number>()
      for (const { left, market, price, side } of spot) {
        const [stock = "", money = ""] = String(market).split("_")
        const [ticker, amount] = side === "buy" ? [money, Number(left) * Number(price)] : [stock, Number(left)]
        needed.set(ticker, (needed.get(ticker) ?? 0) + amount)
      }
      const { answer, of } = yield* LiveOrders.funds(world, account)
      for (const [ticker, amount] of needed) {
        yield* Verdict.expect(
          answer,
          `a freeze of ${amount} ${ticker} or more`,
          of(ticker).freeze >= amount * 0.999_999
        )
      }
    })
  )
]

/** Rules about the account's lists that have only a few entries. */
const stateRules: ReadonlyArray<Rule.Rule> = [
  agreeing(
    "records.positions",
    "Lists each open position once, with an entry price and times in order; lists exactly a given market's positions",
    Effect.fnUntraced(function*(world, account) {
      const read = (fields: Body) =>
        Effect.map(LiveCalls.list(world, account, Paths.openPositions, fields), ({ answer, items }) => ({
          answer,
          positions: items.filter(Json.isObject)
        }))
      const { answer, positions } = yield* read({})
      yield* FieldRules.atLeastOne(world, answer, positions, "open position")
      const idsOf = (records: ReadonlyArray<Body>) => records.map(({ positionId }) => positionId)
      yield* Verdict.expect(answer, "every positionId once", new Set(idsOf(positions)).size === positions.length)
      const now = yield* RecordLists.latest(world)
      for (const position of positions) {
        const [openDate, modifyDate, basePrice] = numbers(position, "openDate", "modifyDate", "basePrice")
        const isFitting = openDate <= modifyDate && modifyDate < now && basePrice > 0
        yield* Verdict.conclude("a basePrice above zero, and openDate before modifyDate", position, isFitting, answer)
      }
      for (const { market } of RecordLists.oneOfEach(positions, "market").slice(0, 2)) {
        const some = yield* read({ market })
        const expected = idsOf(positions.filter((position) => position["market"] === market))
        yield* Verdict.expect(
          some.answer,
          `the positions on ${String(market)}: ${expected.join(", ")}`,
          some.positions.length === expected.length && idsOf(some.positions).every((id) => expected.includes(id))
        )
      }
    })
  ),
  agreeing(
    "records.kill-switch",
    "Shows a timer that has started and ends within ten minutes; shows only the timer of a given market",
    Effect.fnUntraced(function*(world, account) {
      const { answer, items } = yield* LiveCalls.list(world, account, Paths.killSwitchStatus, {})
      const timers = yield* FieldRules.atLeastOne(world, answer, items.filter(Json.isObject), "timer")
      const now = yield* RecordLists.latest(world)
      for (const timer of timers) {
        const [start, end] = numbers(timer, "startTime", "cancellationTime")
        const isFitting = start < now && end - start >= 4 && end - start <= 601
        yield* Verdict.conclude(
          "a startTime in the past, and a cancellationTime 5 to 600 s later",
          timer,
          isFitting,
          answer
        )
        const one = yield* LiveCalls.list(world, account, Paths.killSwitchStatus, { market: timer["market"] })
        yield* Verdict.expect(one.answer, `only ${Json.stringify(timer)}`, RecordLists.sameText(one.items, [timer]))
      }
    })
  )
]

export const rules: ReadonlyArray<Rule.Rule> = [...agreementRules, ...stateRules]
