/**
 * Rules about the fills of orders: all responses that show a trade must agree on its details. Only the live exchange's
 * documentation describes these responses.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Kinds from "../world/Kinds.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { basePrice, perpetual, priceText } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, Market, World } from "../world/World.ts"

/** A fill of an order. */
interface Fill extends LiveOrders.Part {
  /** The role of the order: 1 for the maker, 2 for the taker. */
  readonly role: 1 | 2
  /** The index of the counterparty's order in the scenario. */
  readonly with: number
}

/** An order in the scenario. */
interface Party {
  readonly account: Account
  readonly fields: Body
  /** The response to the order's placement. */
  readonly answer: LiveOrders.Shown["answer"]
  readonly order: Body
  /** The fills that the response to the placement must show. */
  readonly atOnce: ReadonlyArray<Fill>
  /** All fills of the order. */
  readonly fills: ReadonlyArray<Fill>
}

const cases = [Paths.limitOrder, Paths.collateralLimit].flatMap((path) => Orders.sides.map((side) => ({ path, side })))

/** The taker's index in the scenario. */
const taker = 2

/**
 * A maker offers 0.01 and 0.02. A taker takes both; its remaining 0.02 rests, and a third account takes 0.015 of it. So
 * the taker's order is the taker in two trades and the maker in one. All orders have the same price, because the
 * document does not say at which price orders with different limits trade; rules about market orders check several
 * prices.
 */
const trade = Effect.fnUntraced(function*(
  world: World,
  { path, side }: (typeof cases)[number]
): Effect.fn.Return<{ readonly market: Market; readonly parties: ReadonlyArray<Party> }, Verdict.CheckError> {
  const market = yield* world.market
  // The odd price gives the totals more decimal places than a price has.
  const price = priceText(market, market.price + 37 * market.tick)
  const [maker, swept, third] = [yield* world.trader, yield* world.open(), yield* world.open()]
  const place = Effect.fnUntraced(function*(account: Account, side: Orders.Side, more: Body) {
    const fields = { market: market.name, side, price, ...more }
    return { account, fields, ...yield* LiveOrders.place(world, account, path, fields) }
  })
  const [sell, buy] = [Orders.opposite(side), side]
  const fillOf = (amount: number, role: 1 | 2, counterparty: number): Fill => ({
    amount,
    price: Number(price),
    role,
    with: counterparty
  })
  const taken = [fillOf(0.01, 2, 0), fillOf(0.02, 2, 1)]
  const one = yield* place(maker, sell, { amount: "0.01", clientOrderId: world.unique("maker") })
  const two = yield* place(maker, sell, { amount: "0.02" })
  const took = yield* place(swept, buy, { amount: "0.05", clientOrderId: world.unique("taker") })
  const end = yield* place(third, sell, { amount: "0.015" })
  const ending = [fillOf(0.015, 2, taker)]
  return {
    market,
    parties: [
      { ...one, atOnce: [], fills: [fillOf(0.01, 1, taker)] },
      { ...two, atOnce: [], fills: [fillOf(0.02, 1, taker)] },
      { ...took, atOnce: taken, fills: [...taken, fillOf(0.015, 1, 3)] },
      { ...end, atOnce: ending, fills: ending }
    ]
  }
})

/** Returns a fill as every list must show it. */
const inLists = ({ fields: { clientOrderId = "" } }: Party, { amount, price, role }: Fill): Body => ({
  amount: String(amount),
  price: String(price),
  deal: LiveOrders.textOf(amount * price),
  role,
  clientOrderId
})

const dealsOf = (world: World, { account, order }: Party) => LiveOrders.deals(world, account, order["orderId"])

/** Expects that every fill has an integer id, a recent time, and a fee in one of the market's currencies. */
const areWhole = Effect.fnUntraced(function*(world: World, market: Market, { answer, records }: LiveOrders.Shown) {
  for (const { fee, feeAsset, id, time } of records) {
    yield* LiveOrders.isNow(world, answer, "a time", time)
    yield* Verdict.expect(
      answer,
      `an integer id, and a fee as a decimal in ${market.stock} or ${market.money}`,
      Kinds.integer.holds(id) && typeof fee === "string" && /^[0-9]+(?:\.[0-9]+)?$/u.test(fee) &&
        (feeAsset === market.stock || feeAsset === market.money)
    )
  }
})

/** Expects that records are sorted by time, newest first. */
const areNewestFirst = ({ answer, records }: LiveOrders.Shown) =>
  Verdict.expect(
    answer,
    "the newest first",
    records.every(({ time }, index) => index === 0 || Number(records[index - 1]?.["time"]) >= Number(time))
  )

const sum = (records: ReadonlyArray<Body>, of: (record: Body) => number): number =>
  records.reduce((sum, record) => sum + of(record), 0)

/** Returns the order as responses must show it after all trades. */
const after = ({ fields, fills, order }: Party): Body => ({
  ...LiveOrders.ordered("limit", fields),
  ...LiveOrders.identity(order),
  ...LiveOrders.filled(fields["amount"], fills)
})

const listRules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.forEach("fills.answer", {
    statement: "Shows in the response to an order the immediately traded amount, and the remaining amount",
    values: cases,
    check: Effect.fnUntraced(function*(world, value) {
      const { parties } = yield* trade(world, value)
      for (const { answer, atOnce, fields, order } of parties) {
        yield* LiveOrders.shows({ answer }, "the order", order, {
          ...LiveOrders.ordered("limit", fields),
          ...LiveOrders.filled(fields["amount"], atOnce)
        })
      }
    })
  }),
  LiveCalls.section.forEach("fills.rest", {
    statement: "Lists a partly filled order as open, with its fills and its unfilled amount, but no filled order",
    values: cases,
    check: Effect.fnUntraced(function*(world, value) {
      const { parties } = yield* trade(world, value)
      for (const party of parties) {
        const open = yield* LiveOrders.open(world, party.account)
        const isOpen = party === parties[taker]
        yield* LiveOrders.lists(open, isOpen ? "the order" : "no orders", "orderId", isOpen ? [after(party)] : [])
      }
    })
  }),
  LiveCalls.section.forEach("fills.history", {
    statement: "Shows a filled order with its terms and fills in order history, but no partly filled order",
    values: cases,
    check: Effect.fnUntraced(function*(world, value) {
      const { parties: [one, two, took, end] } = yield* trade(world, value)
      for (const [party, others] of [[one, [two]], [took, []], [end, []]] as const) {
        if (party === undefined) continue
        const history = yield* LiveOrders.ended(world, party.account, { status: "FILLED" })
        const expected = party === took ? [] : [party, ...others].flatMap((other) => other === undefined ? [] : [other])
        yield* LiveOrders.lists(
          history,
          "filled orders",
          "orderId",
          expected.map((order) => {
            const { left: _left, stp: _stp, ...rest } = after(order)
            return rest
          })
        )
        for (const { ftime, timestamp } of history.records) {
          yield* LiveOrders.isNow(world, history.answer, "an ftime", ftime)
          yield* Verdict.expect(history.answer, "an ftime that is not before ctime", Number(ftime) >= Number(timestamp))
        }
      }
    })
  }),
  LiveCalls.section.forEach("fills.deals", {
    statement: "Lists exactly an order's fills as its deals, each with the counterparty's order id",
    values: cases,
    check: Effect.fnUntraced(function*(world, value) {
      const { market, parties } = yield* trade(world, value)
      for (const party of parties) {
        const shown = yield* dealsOf(world, party)
        yield* LiveOrders.lists(
          shown,
          "deals of the order",
          "amount",
          party.fills.map((fill) => ({
            ...inLists(party, fill),
            dealOrderId: parties[fill.with]?.order["orderId"],
            rpi: false
          }))
        )
        yield* areWhole(world, market, shown)
      }
    })
  }),
  LiveCalls.section.forEach("fills.executed", {
    statement: "Lists an account's fills in executed history, newest first, each with the side and id of its order",
    values: cases,
    check: Effect.fnUntraced(function*(world, value) {
      const { market, parties } = yield* trade(world, value)
      for (const { account } of [parties[0], parties[taker], parties[3]].flatMap((party) => party ?? [])) {
        const own = parties.filter((party) => party.account === account)
        const expected = own.flatMap((party) =>
          party.fills.map((fill) => ({
            ...inLists(party, fill),
            side: party.fields["side"],
            orderId: party.order["orderId"]
          }))
        )
        for (const fields of [{}, { market: market.name }]) {
          const shown = yield* LiveOrders.executed(world, account, fields)
          const isGrouped = !("market" in fields)
          const onMarket = isGrouped ? { market: market.name } : {}
          yield* LiveOrders.lists(shown, "fills", "amount", expected.map((fill) => ({ ...fill, ...onMarket })))
          yield* areWhole(world, market, shown)
          yield* areNewestFirst(shown)
        }
      }
    })
  })
]

const isNear = (one: number, other: number): boolean => Math.abs(one - other) < 1e-8 * Math.max(1, Math.abs(other))

/** Fields that every list of fills shows. */
const shared = ["id", "time", "fee", "feeAsset", "role", "amount", "price", "deal", "clientOrderId"]

const picked = (record: Body, keys: ReadonlyArray<string>): Body =>
  Object.fromEntries(keys.map((key) => [key, record[key]]))

/** Returns a fill's fee in this currency; 0 if the fee is in another currency. */
const feeIn = (ticker: string) => ({ fee, feeAsset }: Body): number => feeAsset === ticker ? Number(fee) : 0

const agreementRules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.forEach("fills.agree.lists", {
    statement:
      "Shows a fill with the same id, time, role, price, amounts and fee among the deals and in executed history",
    values: cases,
    check: Effect.fnUntraced(function*(world, value) {
      const { market, parties } = yield* trade(world, value)
      for (const party of parties) {
        const { account, fields: { clientOrderId } } = party
        const deals = (yield* dealsOf(world, party)).records.map((deal) => picked(deal, shared))
        const all = yield* LiveOrders.executed(world, account)
        const records = all.records.filter(({ orderId }) => orderId === party.order["orderId"])
        yield* LiveOrders.lists({ ...all, records }, "the order's deals", "id", deals)
        if (clientOrderId === undefined) continue
        const selected = yield* LiveOrders.executed(world, account, { market: market.name, clientOrderId })
        yield* LiveOrders.lists(selected, "the order's deals", "id", deals)
      }
    })
  }),
  LiveCalls.section.forEach("fills.agree.sides", {
    statement: "Shows a trade to both sides with the same id and time, and different roles",
    values: cases,
    check: Effect.fnUntraced(function*(world, value) {
      const { parties } = yield* trade(world, value)
      const shown = yield* Effect.forEach(parties, (party) => dealsOf(world, party))
      const trades = new Map<unknown, Array<Body>>()
      for (const deal of shown.flatMap(({ records }) => records)) {
        trades.set(deal["id"], [...(trades.get(deal["id"]) ?? []), deal])
      }
      const sides = [...trades.values()]
      yield* Verdict.conclude(
        "three trades, each with the same time, amount, price and total for one maker and one taker",
        sides,
        sides.length === 3 &&
          sides.every(([one = {}, other = {}, ...more]) =>
            more.length === 0 && Number(one["role"]) + Number(other["role"]) === 3 &&
            LiveOrders.differences(one, picked(other, ["time", "amount", "price", "deal"])).length === 0
          )
      )
    })
  }),
  LiveCalls.section.forEach("fills.agree.fees", {
    statement: "Shows an order's fee in every response as the sum of its fills' fees, in the fees' currency",
    values: cases,
    check: Effect.fnUntraced(function*(world, value) {
      const { parties } = yield* trade(world, value)
      for (const party of parties) {
        const { account, answer, atOnce, order } = party
        const { records } = yield* dealsOf(world, party)
        const [{ feeAsset } = {}] = records
        const feeOf = (fills: ReadonlyArray<Fill>) =>
          sum(
            records.filter(({ amount }) => fills.some((fill) => fill.amount === Number(amount))),
            ({ fee }) => Number(fee)
          )
        const isFilled = party !== parties[taker]
        const later = yield* isFilled
          ? LiveOrders.ended(world, account, { orderId: order["orderId"] })
          : LiveOrders.open(world, account)
        const views = [[answer, order, atOnce], [later.answer, later.records[0], party.fills]] as const
        for (const [answer, shown = {}, fills] of views) {
          const expected = feeOf(fills)
          yield* Verdict.expect(
            answer,
            `a dealFee of ${expected} in ${String(feeAsset)}`,
            isNear(Number(shown["dealFee"]), expected) &&
              (expected === 0 || shown["feeAsset"] === feeAsset)
          )
        }
      }
    })
  }),
  LiveCalls.section.forEach("fills.funds", {
    statement: "Changes the trade balance by exactly the amounts, totals and fees of the fills",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const fresh = yield* LiveOrders.funds(world, yield* world.open())
      const { market, parties } = yield* trade(world, { path: Paths.limitOrder, side })
      for (const { account, fields } of [parties[0], parties[taker], parties[3]].flatMap((party) => party ?? [])) {
        const { records } = yield* LiveOrders.executed(world, account, { market: market.name })
        const { answer, of } = yield* LiveOrders.funds(world, account)
        const sign = fields["side"] === "buy" ? 1 : -1
        const changes = [
          [market.stock, sign * sum(records, ({ amount }) => Number(amount))],
          [market.money, -sign * sum(records, ({ deal }) => Number(deal))]
        ] as const
        for (const [ticker, change] of changes) {
          const expected = total(fresh.of(ticker)) + change - sum(records, feeIn(ticker))
          yield* Verdict.expect(answer, `${expected} ${ticker} in total`, isNear(total(of(ticker)), expected))
        }
      }
    })
  }),
  LiveCalls.section.forEach("fills.fee", {
    statement: "Charges each fill the market's fee for its role, in the currency received or in the quote currency",
    level: "SHOULD",
    values: cases,
    check: Effect.fnUntraced(function*(world, value) {
      const { market, parties } = yield* trade(world, value)
      const { json } = yield* world.get(Paths.markets)
      const listed = (Array.isArray(json) ? json.filter(Json.isObject) : []).find(({ name }) => name === market.name)
      for (const party of parties) {
        const { answer, records } = yield* dealsOf(world, party)
        for (const { amount, deal, fee, feeAsset, role } of records) {
          const percent = Number(listed?.[role === 1 ? "makerFee" : "takerFee"])
          const expected = Number(feeAsset === market.stock ? amount : deal) * percent / 100
          yield* Verdict.expect(
            answer,
            `a fee of about ${expected} ${String(feeAsset)}`,
            Math.abs(Number(fee) - expected) <= expected * 0.01
          )
        }
        const ended = yield* LiveOrders.ended(world, party.account, { orderId: party.order["orderId"] })
        for (const key of ["makerFee", "takerFee"]) {
          const percent = Number(listed?.[key])
          const isListed = ended.records.every(({ [key]: rate = percent / 100 }) => isNear(Number(rate) * 100, percent))
          yield* Verdict.expect(ended.answer, `a ${key} of ${percent} percent, if any, as a ratio`, isListed)
        }
      }
    })
  }),
  LiveCalls.section.always("fills.rates", {
    statement: "Charges a futures order that waits the makerFee that its record shows, and one that takes the takerFee",
    level: "SHOULD",
    check: Effect.fnUntraced(function*(world) {
      const [maker, taker] = [yield* LiveOrders.customer(world), yield* LiveOrders.customer(world)]
      yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
      const fields = { market: perpetual, amount: "0.02", price: String(basePrice) }
      const place = (account: Account, side: Orders.Side) =>
        Trading.placeOther(world, account, { ...fields, side }, Paths.collateralLimit)
      const [made, took] = [yield* place(maker, "sell"), yield* place(taker, "buy")]
      for (const [account, key, { orderId }] of [[maker, "makerFee", made], [taker, "takerFee", took]] as const) {
        const { answer, records } = yield* LiveOrders.ended(world, account, { orderId })
        // A fee in another currency may be discounted, and an exchange need not show the rates.
        const judged = records.filter((record) => record["feeAsset"] === "USDT" && record[key] !== undefined)
        yield* Verdict.expect(
          answer,
          `one record, with a dealFee of dealMoney times ${key}`,
          records.length === 1 &&
            judged.every(({ [key]: rate, dealFee, dealMoney }) =>
              Math.abs(Number(dealFee) - Number(dealMoney) * Number(rate)) <= Number(dealMoney) * 1e-6
            )
        )
      }
    })
  })
]

const total = ({ available, freeze }: LiveOrders.Funds): number => available + freeze

export const rules: ReadonlyArray<Rule.Rule> = [...listRules, ...agreementRules]
