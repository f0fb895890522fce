/** Rules about changing open orders. Only the live exchange's documentation describes this call. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { above, digits, perpetual } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, Market, World } from "../world/World.ts"

/** Places an order of 0.03 that rests 10 percent above the market. */
const place = Effect.fnUntraced(function*(world: World, more: Body = {}) {
  const account = yield* world.trader
  const market = yield* world.market
  const fields = { market: market.name, side: "sell", amount: "0.03", price: above(market, 10), ...more }
  const order = yield* Trading.placeOther(world, account, fields)
  return { account, market, order, id: order["orderId"] }
})

const modify = (world: World, account: Account, market: Market, fields: Body) =>
  LiveCalls.call(world, account, Paths.modifyOrder, { market: market.name, ...fields })

/** Changes an order. Returns the order that replaces it. */
const changed = (world: World, account: Account, market: Market, fields: Body) =>
  Effect.map(
    LiveCalls.object(world, account, Paths.modifyOrder, { market: market.name, ...fields }),
    ({ answer, json }) => ({ answer, order: json })
  )

const isOpen = Effect.fnUntraced(function*(world: World, account: Account, id: unknown) {
  return (yield* Orders.list(world, account, Paths.activeOrders)).has(String(id))
})

/** An order to change, with options that a change must keep. */
interface Terms {
  readonly path: string
  readonly type: string
  readonly more: (market: Market) => Body
  /** Whether the order reduces a position. */
  readonly reduces?: boolean
}

const stop = (market: Market): Body => ({ activation_price: above(market, 75) })

const kinds: ReadonlyArray<Terms> = [
  { path: Paths.limitOrder, type: "limit", more: () => ({ postOnly: true }) },
  { path: Paths.limitOrder, type: "limit", more: () => ({}) },
  { path: Paths.collateralLimit, type: "limit", more: () => ({ reduceOnly: true }), reduces: true },
  { path: Paths.collateralLimit, type: "limit", more: () => ({ postOnly: true }) },
  { path: Paths.stopLimit, type: "stop limit", more: stop },
  { path: Paths.collateralStopLimit, type: "stop limit", more: stop }
]

/** Returns an amount of `count` hundredths; on a real account, `count` times the smallest amount that rules use. */
const hundredths = ({ profile }: World, market: Market, count: number): string =>
  profile === "control"
    ? `0.0${count}`
    : digits(Number(Orders.amountFor(market, market.price)) * count, market.stockPrecision)

/** Changes of a sell order of three hundredths that rests 80 percent above the market. */
const changes: ReadonlyArray<(world: World, market: Market) => Body> = [
  (_, market) => ({ price: above(market, 82) }),
  (world, market) => ({ amount: hundredths(world, market, 2) }),
  (world, market) => ({ price: above(market, 83), amount: hundredths(world, market, 4) })
]

/**
 * From another account, fills 0.01 of an order of 0.03. Then changes the order. Returns the response, and both orders.
 */
const changedInPart = Effect.fnUntraced(function*(
  world: World,
  path: string,
  change: Body,
  side: Orders.Side = "sell"
) {
  const [account, other] = [yield* LiveOrders.customer(world), yield* world.open()]
  const market = yield* world.market
  const price = above(market, side === "sell" ? 2 : -2)
  const terms = { market: market.name, price, clientOrderId: world.unique("part") }
  const fields = { ...terms, side, amount: "0.03", stp: "cn" }
  const { order: old } = yield* LiveOrders.place(world, account, path, fields)
  const taken = { market: market.name, side: Orders.opposite(side), amount: "0.01", price: terms.price }
  yield* Trading.placeOther(world, other, taken, path)
  const { answer, order } = yield* LiveOrders.place(world, account, Paths.modifyOrder, {
    market: market.name,
    orderId: old["orderId"],
    ...change
  })
  return { account, other, market, fields, old, answer, order }
})

const partRules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.forEach("live-changes.terms", {
    statement: "Keeps all terms of a changed order except the given ones, and leaves exactly the new order open",
    profile: "mutating",
    values: ({ profile }: Rule.Setting) =>
      kinds.filter(({ reduces }) => profile === "control" || reduces !== true)
        .flatMap((kind) => changes.map((change) => ({ kind, change }))),
    check: Effect.fnUntraced(function*(world, { change, kind: { more, path, reduces = false, type } }) {
      const account = yield* LiveOrders.owner(world)
      if (reduces) yield* Trading.openPosition(world, account, "buy", "0.05")
      const market = yield* world.market
      const fields = {
        market: market.name,
        side: "sell",
        amount: hundredths(world, market, 3),
        price: above(market, 80),
        clientOrderId: world.unique("terms"),
        ...more(market)
      }
      const { order: old } = yield* LiveOrders.place(world, account, path, fields)
      const changed = change(world, market)
      const by = { market: market.name, orderId: old["orderId"] }
      const { answer, order } = yield* LiveOrders.place(world, account, Paths.modifyOrder, { ...by, ...changed })
      const { stp: _stp, ...terms } = LiveOrders.ordered(type, { ...fields, ...changed })
      const { amount = fields.amount } = changed
      const { activationCondition } = old
      const waits = type === "stop limit" ? { activated: 0, activationCondition } : {}
      const expected = { ...terms, ...LiveOrders.filled(amount, []), ...waits }
      yield* LiveOrders.shows({ answer }, "the order", order, expected)
      const { stp = "no" } = order
      yield* Verdict.expect(answer, "stp no, cb, cn or co", ["no", "cb", "cn", "co"].includes(String(stp)))
      yield* LiveOrders.isNow(world, answer, "a timestamp", order["timestamp"])
      const now = { ...expected, ...LiveOrders.identity(order) }
      const open = yield* LiveOrders.open(world, account, { limit: 100 })
      const ids = [old["orderId"], order["orderId"]]
      yield* LiveOrders.lists(LiveOrders.among(world, open, ids), "the new order", "orderId", [now])
      const history = yield* LiveOrders.ended(world, account, by)
      // The history of a business partner leaves out canceled orders.
      if (world.profile !== "control" && history.records.length === 0) return
      const { left: _left, ...ended } = {
        ...LiveOrders.ordered(type, fields),
        ...LiveOrders.identity(old),
        ...LiveOrders.filled(fields.amount, [], "CANCELED")
      }
      const { stp: _mode, ...canceled } = ended
      yield* LiveOrders.lists(history, "the old order", "orderId", [canceled])
    })
  }),
  LiveCalls.section.forEach("live-changes.stp", {
    statement: "Changes stp if it is given, and otherwise keeps it",
    level: "SHOULD",
    values: ["cb", undefined],
    check: Effect.fnUntraced(function*(world, stp) {
      const { account, id, market } = yield* place(world, { stp: "cn" })
      const more = stp === undefined ? {} : { stp }
      const { answer, order } = yield* changed(world, account, market, {
        orderId: id,
        price: above(market, 12),
        ...more
      })
      yield* Verdict.expect(answer, `stp ${stp ?? "cn"}`, order["stp"] === (stp ?? "cn"))
    })
  }),
  LiveCalls.section.forEach("live-changes.part", {
    statement:
      "Keeps a partly filled order's remaining amount when its price changes, and lists the filled part as closed",
    values: [Paths.limitOrder, Paths.collateralLimit].flatMap((path) =>
      Orders.sides.toReversed().map((side) => ({ path, side }))
    ),
    check: Effect.fnUntraced(function*(world, { path, side }) {
      const change = { price: above(yield* world.market, side === "sell" ? 4 : -4) }
      const { account, answer, fields, market, old, order, other } = yield* changedInPart(world, path, change, side)
      const { clientOrderId } = fields
      const rest = { side, clientOrderId, ...change, left: "0.02", postOnly: false }
      yield* LiveOrders.shows({ answer }, "the order", order, rest)
      const open = yield* LiveOrders.open(world, account)
      yield* LiveOrders.lists(open, "the new order", "orderId", [{ ...rest, orderId: order["orderId"] }])
      const part = [{ amount: 0.01, price: Number(fields.price) }]
      const { left: _left, stp: _stp, ...ended } = {
        ...LiveOrders.ordered("limit", fields),
        ...LiveOrders.identity(old),
        ...LiveOrders.filled(fields.amount, part, "CANCELED")
      }
      const history = yield* LiveOrders.ended(world, account, { market: market.name, orderId: old["orderId"] })
      yield* LiveOrders.lists(history, "the old order", "orderId", [ended])
      const rival = { market: market.name, side: Orders.opposite(side), amount: "0.03", price: change.price }
      const { dealStock } = yield* Trading.placeOther(world, other, rival, path)
      yield* Verdict.conclude("0.02 left to trade", { dealStock }, Number(dealStock) === 0.02)
      if (path !== Paths.limitOrder) return
      const { answer: balance, of } = yield* LiveOrders.funds(world, account)
      yield* Verdict.expect(
        balance,
        "nothing in freeze",
        of(market.stock).freeze === 0 && of(market.money).freeze === 0
      )
    })
  }),
  LiveCalls.section.forEach("live-changes.part.amount", {
    statement: "Counts the filled part toward a partly filled order's new amount: the new order has only the remainder",
    level: "SHOULD",
    values: [false, true],
    check: Effect.fnUntraced(function*(world, withPrice) {
      const change = { amount: "0.05", ...(withPrice ? { price: above(yield* world.market, 4) } : {}) }
      const { account, answer, fields, order } = yield* changedInPart(world, Paths.limitOrder, change)
      const rest = {
        ...LiveOrders.ordered("limit", { ...fields, ...change, amount: "0.04" }),
        ...LiveOrders.filled("0.04", [])
      }
      yield* LiveOrders.shows({ answer }, "the order", order, rest)
      const open = yield* LiveOrders.open(world, account)
      yield* LiveOrders.lists(open, "the new order", "orderId", [{ ...rest, orderId: order["orderId"] }])
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [
  ...partRules,
  LiveCalls.section.always("live-changes.replaces", {
    statement: "Replaces a changed order: cancels the old one and opens a new one with a different order id",
    check: Effect.fnUntraced(function*(world) {
      const { account, id, market } = yield* place(world)
      const { answer, order } = yield* changed(world, account, market, { orderId: id, price: above(market, 12) })
      yield* Verdict.expect(answer, "a different order id", order["orderId"] !== undefined && order["orderId"] !== id)
      const open = [yield* isOpen(world, account, id), yield* isOpen(world, account, order["orderId"])]
      yield* Verdict.conclude("the new order open, the old one not", open, !open[0] && open[1] === true)
    })
  }),
  LiveCalls.section.forEach("live-changes.keeps", {
    statement: "Changes the given fields, keeps the other fields, and locks the funds of the changed order",
    values: [{ price: 12 }, { amount: "0.02" }, { price: 12, amount: "0.04" }].flatMap((change) =>
      Orders.sides.map((side) => ({ ...change, side }))
    ),
    check: Effect.fnUntraced(function*(world, { side, ...change }) {
      const away = side === "sell" ? 1 : -1
      const before = { side, price: above(yield* world.market, 10 * away) }
      const { account, id, market } = yield* place(world, before)
      const { amount, price } = { amount: undefined, price: undefined, ...change }
      const stated = {
        ...(amount === undefined ? {} : { amount }),
        ...(price === undefined ? {} : { price: above(market, price * away) })
      }
      const { answer, order } = yield* changed(world, account, market, { orderId: id, ...stated })
      const expected = { amount: "0.03", price: before.price, ...stated }
      yield* Verdict.expect(
        answer,
        Json.stringify(expected),
        order["side"] === side && order["market"] === market.name &&
          Object.entries(expected).every(([key, value]) => Number(order[key]) === Number(value))
      )
      const { answer: balance, of } = yield* LiveOrders.funds(world, account)
      const [ticker, locked] = side === "sell"
        ? [market.stock, Number(expected.amount)]
        : [market.money, Number(expected.amount) * Number(expected.price)]
      const { freeze } = of(ticker)
      // An order may lock up to one percent more, for its fee.
      yield* Verdict.expect(
        balance,
        `${locked} ${ticker} in freeze, plus a fee`,
        freeze > locked - 1e-9 && freeze <= locked * 1.01
      )
    })
  }),
  LiveCalls.section.always("live-changes.client-order-id", {
    statement: "Keeps a changed order's client order id, finds the order by this id, and keeps the values of earlier "
      + "changes",
    check: Effect.fnUntraced(function*(world) {
      const clientOrderId = world.unique("change")
      const { account, market } = yield* place(world, { clientOrderId })
      let expected: Body = { clientOrderId, side: "sell" }
      for (const change of [{ price: above(market, 12) }, { amount: "0.02" }, { price: above(market, 14) }]) {
        const { answer, order } = yield* changed(world, account, market, { clientOrderId, ...change })
        expected = { ...expected, ...change }
        yield* LiveOrders.shows({ answer }, "the order", order, expected)
        const open = yield* LiveOrders.open(world, account)
        yield* LiveOrders.lists(open, "the order", "orderId", [{ ...expected, orderId: order["orderId"] }])
      }
      const { answer, of } = yield* LiveOrders.funds(world, account)
      yield* Verdict.expect(answer, `0.02 ${market.stock} in freeze`, Math.abs(of(market.stock).freeze - 0.02) <= 2e-4)
    })
  }),
  LiveCalls.section.always("live-changes.queue", {
    statement: "Queues a changed order behind the other orders at its price",
    check: Effect.fnUntraced(function*(world) {
      const { account, id, market } = yield* place(world)
      const [second, taker] = [yield* world.open(), yield* world.open()]
      const fields = { market: market.name, amount: "0.03", price: above(market, 10) }
      const behind = yield* Trading.placeOther(world, second, { ...fields, side: "sell" })
      yield* changed(world, account, market, { orderId: id, amount: "0.03" })
      yield* Trading.placeOther(world, taker, { ...fields, side: "buy" })
      const { dealStock } = yield* Orders.find(world, second, behind["orderId"])
      yield* Verdict.conclude(
        "the other order filled",
        `${String(dealStock)} of the other order filled`,
        Number(dealStock) === 0.03
      )
    })
  }),
  LiveCalls.section.forEach("live-changes.trades", {
    statement: "Executes a changed order immediately if its new price crosses the book",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const away = side === "sell" ? 1 : -1
      const { account, id, market } = yield* place(world, { side, price: above(yield* world.market, 10 * away) })
      const other = yield* world.open()
      const offer = {
        market: market.name,
        side: Orders.opposite(side),
        amount: "0.03",
        price: above(market, -2 * away)
      }
      yield* Trading.placeOther(world, other, offer)
      const { order } = yield* changed(world, account, market, { orderId: id, price: above(market, -3 * away) })
      const { dealStock } = yield* Orders.find(world, account, order["orderId"])
      yield* Verdict.conclude("0.03 filled", `${String(dealStock)} filled`, Number(dealStock) === 0.03)
    })
  }),
  LiveCalls.section.forEach("live-changes.activation", {
    statement: "Triggers a changed stop order at its new activation price, and not before",
    values: [Paths.stopLimit, Paths.collateralStopLimit].flatMap((path) =>
      [false, true].map((withPrice) => ({ path, withPrice }))
    ),
    check: Effect.fnUntraced(function*(world, { path, withPrice }) {
      const account = yield* world.trader
      const market = yield* world.market
      const fields = {
        market: market.name,
        side: "sell",
        amount: "0.03",
        price: above(market, 10),
        activation_price: above(market, -3)
      }
      const { order: old } = yield* LiveOrders.place(world, account, path, fields)
      const price = withPrice ? { price: above(market, 12) } : {}
      const { order } = yield* LiveOrders.place(world, account, Paths.modifyOrder, {
        market: market.name,
        orderId: old["orderId"],
        activationPrice: above(market, -6),
        ...price
      })
      for (const [percent, activated] of [[-4, 0], [-7, 1]] as const) {
        yield* Trading.movePrice(world, market, market.price * (1 + percent / 100))
        const open = yield* LiveOrders.open(world, account)
        const expected = { orderId: order["orderId"], activation_price: above(market, -6), ...price, activated }
        yield* LiveOrders.lists(open, `the order at ${percent} percent`, "orderId", [expected])
      }
    })
  }),
  LiveCalls.section.forEach("live-changes.inapplicable", {
    statement: "Refuses a field that the order type does not have, with a specific code, and keeps the order",
    values: [{ key: "activationPrice", codes: [158] }, { key: "total", codes: [162] }] as const,
    check: Effect.fnUntraced(function*(world, { codes, key }) {
      const { account, id, market } = yield* place(world)
      const answer = yield* modify(world, account, market, { orderId: id, [key]: above(market, 20) })
      yield* Refusals.coded(answer, { status: 422, codes }, `because a limit order has no ${key}`)
      yield* Verdict.conclude("the order still open", "not open", yield* isOpen(world, account, id))
    })
  }),
  LiveCalls.section.forEach("live-changes.refusal", {
    statement: "Refuses a change that has no order id, two ids, no field to change, or both amount and total",
    values: ["no order", "two identifiers", "nothing", "amount and total", "only stp", "no market"] as const,
    check: Effect.fnUntraced(function*(world, wrong) {
      const { account, id, market } = yield* place(world)
      const price = above(market, 12)
      const fields = {
        "no order": { price },
        "two identifiers": { orderId: id, clientOrderId: "mine", price },
        "nothing": { orderId: id },
        "amount and total": { orderId: id, amount: "0.02", total: "1000" },
        "only stp": { orderId: id, stp: "cn" },
        "no market": { orderId: id, price, market: undefined }
      }[wrong]
      yield* Refusals.any(yield* modify(world, account, market, fields), `because it has ${wrong}`)
      yield* Verdict.conclude("the order still open", "not open", yield* isOpen(world, account, id))
    })
  }),
  LiveCalls.section.forEach("live-changes.unknown", {
    statement:
      "Refuses to change an order that is unknown, another account's or on another market: HTTP 400, code 2 or 6",
    values: ["nobody's", "another's", "elsewhere"] as const,
    check: Effect.fnUntraced(function*(world, whose) {
      const { account, id, market } = yield* place(world)
      const caller = whose === "another's" ? yield* world.open() : account
      const orderId = whose === "nobody's" ? Number.MAX_SAFE_INTEGER : id
      const elsewhere = whose === "elsewhere" ? { market: perpetual } : {}
      const answer = yield* modify(world, caller, market, { orderId, price: above(market, 12), ...elsewhere })
      yield* Refusals.exactly(answer, { status: 400, codes: [2, 6] }, "because the order does not exist")
      yield* Verdict.expect(answer, "errors that name orderId", Refusals.namedFields(answer).includes("orderId"))
      yield* Verdict.conclude("the order still open", "not open", yield* isOpen(world, account, id))
    })
  })
]
