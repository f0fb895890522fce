/**
 * Rules about the responses that show one order, from its placement until it closes. Only the live exchange's
 * documentation describes these responses. All of them have the same fields.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Dialects from "../world/Dialects.ts"
import * as Kinds from "../world/Kinds.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { priceText } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Trading from "../world/Trading.ts"
import * as WaitingOrders from "../world/WaitingOrders.ts"
import * as Wallets from "../world/Wallets.ts"
import type { Account, Body, Market, World } from "../world/World.ts"

/** The calls whose orders are backed by the collateral balance. */
const onCollateral: ReadonlyArray<string> = [
  Paths.collateralLimit,
  Paths.collateralBulk,
  Paths.collateralStopLimit,
  Paths.triggerMarket
]

/**
 * Places an order, and another order that a faulty response could show instead. `expected` is the order as all later
 * responses must show it.
 */
const placed = Effect.fnUntraced(function*(world: World, entry: WaitingOrders.Entry) {
  const account = yield* LiveOrders.owner(world)
  const { more: { reduceOnly } = {} } = entry
  const market = yield* world.market
  if (reduceOnly === true) yield* Trading.openPosition(world, account, "buy", WaitingOrders.amountOn(market))
  const fields = WaitingOrders.fieldsOf(world, market, entry)
  const { answer, order } = yield* LiveOrders.place(world, account, entry.path, fields)
  const price = priceText(market, market.price * 0.55)
  const { order: other } = yield* LiveOrders.place(world, account, Paths.limitOrder, {
    market: market.name,
    side: "buy",
    amount: world.profile === "control" ? "0.02" : Orders.amountFor(market, Number(price) * 0.9),
    price,
    clientOrderId: world.unique("other")
  })
  const expected: Body = {
    ...LiveOrders.ordered(entry.type, fields),
    ...LiveOrders.filled(fields["amount"], []),
    ...LiveOrders.identity(order),
    ...(entry.prices === "limit"
      ? {}
      : { activated: 0, activationCondition: entry.side === "buy" ? "gte" : "lte" })
  }
  return { account, market, fields, answer, order, other, expected }
})

type Placed = Effect.Success<ReturnType<typeof placed>>

/** Fields that select the order in a list. */
const selections = ({ fields: { clientOrderId, market }, order: { orderId } }: Placed): ReadonlyArray<Body> => [
  { market, orderId },
  ...(clientOrderId === undefined ? [] : [{ market, clientOrderId }])
]

/** Cancels the order by its client order id, if it has one. */
const cancel = (world: World, { account, fields: { clientOrderId, market }, order: { orderId } }: Placed) =>
  LiveOrders.place(
    world,
    account,
    Paths.cancelOrder,
    clientOrderId === undefined ? { market, orderId } : { market, clientOrderId }
  )

/**
 * Expects that exactly the orders `ids` of an account are open. On a real account, only `known` orders are compared.
 */
const leaves = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  ids: ReadonlyArray<unknown>,
  known: ReadonlyArray<unknown> = ids
) {
  const { answer, records } = LiveOrders.among(world, yield* LiveOrders.open(world, account, { limit: 100 }), known)
  const open = records.map(({ orderId }) => orderId)
  yield* Verdict.expect(
    answer,
    `open orders: ${ids.join(", ") || "none"}`,
    open.length === ids.length && ids.every((id) => open.includes(id))
  )
})

/** Fields that the documentation does not list for order history. */
const unlisted: ReadonlyArray<string> = ["stp", "left", "oto", "activated"]

/** Returns the fields of an order that order history shows. */
const inHistory = (order: Body): Body =>
  Object.fromEntries(Object.entries(order).filter(([key]) => !unlisted.includes(key)))

const lifeRules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.forEach("order-answers.placed", {
    statement: "Shows a new order with the values of its request, defaults for the other fields, and no fills",
    profile: "mutating",
    values: WaitingOrders.allowed,
    check: Effect.fnUntraced(function*(world, entry) {
      const { answer, expected, order } = yield* placed(world, entry)
      yield* LiveOrders.shows({ answer }, "the order", order, expected)
      yield* Verdict.expect(answer, "an integer orderId", Kinds.integer.holds(order["orderId"]))
      yield* LiveOrders.isNow(world, answer, "a timestamp", order["timestamp"])
    })
  }),
  LiveCalls.section.forEach("order-answers.stp", {
    statement: "Shows the abbreviated stp for an order whose request has the older, longer value of stp",
    profile: "mutating",
    values: ["cancel_both", "cancel_new", "cancel_old"] as const,
    check: Effect.fnUntraced(function*(world, stp) {
      const market = yield* world.market
      const fields = WaitingOrders.fieldsOf(world, market, {
        ...WaitingOrders.limit,
        path: Paths.limitOrder,
        side: "buy",
        more: { stp }
      })
      // So far, the older values are accepted. The documentation announces that they will be refused.
      const { order } = yield* LiveOrders.place(world, yield* world.trader, Paths.limitOrder, fields)
      const expected = Dialects.modes(world.dialect)[stp]
      yield* Verdict.conclude(`stp ${expected}`, `stp ${String(order["stp"])}`, order["stp"] === expected)
    })
  }),
  LiveCalls.section.forEach("order-answers.listed", {
    statement: "Lists an open order as the response to its placement shows it, and finds it by either id",
    profile: "mutating",
    values: WaitingOrders.allowed,
    check: Effect.fnUntraced(function*(world, entry) {
      const story = yield* placed(world, entry)
      const { account, expected, order: { orderId }, other } = story
      const all = yield* LiveOrders.open(world, account, { market: expected["market"], limit: 100 })
      yield* LiveOrders.lists(LiveOrders.among(world, all, [orderId, other["orderId"]]), "both orders", "orderId", [
        expected,
        {
          orderId: other["orderId"]
        }
      ])
      for (const selection of selections(story)) {
        const found = yield* LiveOrders.open(world, account, selection)
        yield* LiveOrders.lists(found, `order ${String(orderId)}`, "orderId", [expected])
      }
    })
  }),
  LiveCalls.section.forEach("order-answers.canceled", {
    statement: "Shows a canceled order as the response to its placement shows it, and leaves all other orders open",
    profile: "mutating",
    values: WaitingOrders.allowed,
    check: Effect.fnUntraced(function*(world, entry) {
      const story = yield* placed(world, entry)
      const { account, expected, order: { orderId }, other } = story
      // Reads the list first. If the target caches it, the canceled order still appears below.
      yield* leaves(world, account, [orderId, other["orderId"]])
      const { answer, order } = yield* cancel(world, story)
      yield* LiveOrders.shows({ answer }, "the canceled order", order, { ...expected, status: "CANCELED" })
      yield* leaves(world, account, [other["orderId"]], [orderId, other["orderId"]])
    })
  }),
  LiveCalls.section.forEach("order-answers.ended", {
    statement:
      "Shows in order history a canceled order as the response to its placement shows it, and finds it by either id",
    profile: "mutating",
    values: WaitingOrders.allowed,
    check: Effect.fnUntraced(function*(world, entry) {
      const story = yield* placed(world, entry)
      const { account, fields: { market }, order: { orderId }, other } = story
      yield* cancel(world, story)
      yield* LiveOrders.place(world, account, Paths.cancelOrder, { market, orderId: other["orderId"] })
      const expected = inHistory({ ...story.expected, status: "CANCELED" })
      for (const selection of [{}, { market }]) {
        const history = yield* LiveOrders.ended(world, account, { ...selection, status: "CANCELED" })
        const all = LiveOrders.among(world, history, [orderId, other["orderId"]])
        if (world.profile !== "control" && all.records.length === 0) {
          return yield* Verdict.skip("the order history leaves out the account's canceled orders")
        }
        yield* LiveOrders.lists(all, "both orders", "orderId", [expected, { orderId: other["orderId"] }])
      }
      // The documentation says that the order id takes precedence.
      const both = { market, orderId, clientOrderId: other["clientOrderId"] }
      for (const selection of [...selections(story), both]) {
        const found = yield* LiveOrders.ended(world, account, selection)
        yield* LiveOrders.lists(found, `order ${String(orderId)}`, "orderId", [expected])
        yield* LiveOrders.isNow(world, found.answer, "an ftime", found.records[0]?.["ftime"])
        const { ftime, timestamp } = found.records[0] ?? {}
        yield* Verdict.expect(found.answer, "an ftime that is not before ctime", Number(ftime) >= Number(timestamp))
      }
    })
  })
]

/** Returns the currency and the minimum amount that an order on this side locks. */
const locked = ({ money, stock }: Market, side: Orders.Side, price: string, size: number) =>
  side === "buy" ? { ticker: money, least: size * Number(price) } : { ticker: stock, least: size }

/** The maximum that an order may lock beyond its total, for fees, as a fraction of the total. */
const feeMargin = 0.01

const isNear = (one: number, other: number): boolean => Math.abs(one - other) < 1e-9 * Math.max(1, Math.abs(other))

/** Places an order that waits far from the market, on a real account. */
const waiting = Effect.fnUntraced(function*(world: World) {
  const [maker, market] = [yield* world.trader, yield* world.market]
  const fields = WaitingOrders.fieldsOf(world, market, { ...WaitingOrders.limit, path: Paths.limitOrder, side: "buy" })
  const { order: made } = yield* LiveOrders.place(world, maker, Paths.limitOrder, fields)
  return { maker, taker: maker, market, made, price: String(fields["price"]) }
})

/** Returns the name of a market other than the given one. */
const elsewhere = ({ markets }: World, { name }: Market) =>
  Effect.flatMap(markets, (all) => {
    const other = all.find((market) => market.name !== name)
    return other === undefined ? Verdict.skip("the target has only one market") : Effect.succeed(other.name)
  })

const cancelRules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.forEach("order-answers.funds", {
    statement: "Locks the funds of an open spot order beside those of another, and releases only the order's own funds "
      + "when it is canceled",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* world.market
      const amount = WaitingOrders.amountOn(market)
      const price = priceText(market, market.price * (side === "buy" ? 0.9 : 1.1))
      const { least, ticker } = locked(market, side, price, Number(amount))
      yield* Trading.placeOther(world, account, { market: market.name, side, amount: "0.02", price })
      const before = (yield* LiveOrders.funds(world, account)).of(ticker)
      const { orderId } = yield* Trading.placeOther(world, account, { market: market.name, side, amount, price })
      const during = yield* LiveOrders.funds(world, account)
      const taken = during.of(ticker).freeze - before.freeze
      yield* Verdict.expect(
        during.answer,
        `${least} more ${ticker} in freeze, plus fees, and as much less in available`,
        taken > least - 1e-9 && taken <= least * (1 + feeMargin) &&
          isNear(before.available - during.of(ticker).available, taken)
      )
      yield* Trading.placeOther(world, account, { market: market.name, orderId }, Paths.cancelOrder)
      const after = yield* LiveOrders.funds(world, account)
      yield* Verdict.expect(
        after.answer,
        `the ${ticker} balance from before the order: ${Json.stringify(before)}`,
        isNear(after.of(ticker).available, before.available) && isNear(after.of(ticker).freeze, before.freeze)
      )
    })
  }),
  LiveCalls.section.forEach("order-answers.collateral", {
    statement: "Locks no trade balance for an order on the collateral balance",
    values: WaitingOrders.entries.filter(({ more, path }) =>
      onCollateral.includes(path) && more?.["reduceOnly"] === undefined
    ),
    check: Effect.fnUntraced(function*(world, entry) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* world.market
      const before = yield* LiveOrders.funds(world, account)
      const { order } = yield* LiveOrders.place(
        world,
        account,
        entry.path,
        WaitingOrders.fieldsOf(world, market, entry)
      )
      const { answer, of } = yield* LiveOrders.funds(world, account)
      for (const ticker of [market.stock, market.money]) {
        yield* Verdict.expect(
          answer,
          `as much ${ticker} as before order ${String(order["orderId"])}`,
          isNear(of(ticker).available, before.of(ticker).available) &&
            isNear(of(ticker).freeze, before.of(ticker).freeze)
        )
      }
    })
  }),
  LiveCalls.section.forEach("order-answers.partly", {
    statement: "Shows the filled part of an order that is canceled afterwards, in the response and in order history",
    values: Orders.sides.flatMap((side) => [Paths.limitOrder, Paths.collateralLimit].map((path) => ({ side, path }))),
    check: Effect.fnUntraced(function*(world, { path, side }) {
      const { account, expected, fields, order: placed } = yield* WaitingOrders.partlyFilled(world, side, path)
      const id = { market: fields["market"], orderId: placed["orderId"] }
      const open = yield* LiveOrders.open(world, account, id)
      yield* LiveOrders.lists(open, "the order", "orderId", [{ ...expected, status: "PARTIALLY_FILLED" }])
      const { answer, order } = yield* LiveOrders.place(world, account, Paths.cancelOrder, id)
      yield* LiveOrders.shows({ answer }, "the canceled order", order, expected)
      yield* leaves(world, account, [])
      const history = yield* LiveOrders.ended(world, account, id)
      yield* LiveOrders.lists(history, "the order", "orderId", [
        inHistory({ ...expected, dealFee: order["dealFee"], feeAsset: order["feeAsset"] })
      ])
      if (path !== Paths.limitOrder) return
      const { answer: balance, of } = yield* LiveOrders.funds(world, account)
      const market = yield* world.market
      yield* Verdict.expect(
        balance,
        "nothing in freeze",
        of(market.stock).freeze === 0 && of(market.money).freeze === 0
      )
    })
  }),
  LiveCalls.section.forEach("order-answers.ioc", {
    statement: "Shows an immediate-or-cancel order's fills and its ioc flag, in the response and in order history",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const [account, other] = [yield* LiveOrders.customer(world), yield* world.open()]
      const market = yield* world.market
      const amount = WaitingOrders.amountOn(market)
      const price = priceText(market, market.price)
      const terms = { market: market.name, price }
      yield* Trading.placeOther(world, other, { ...terms, side: Orders.opposite(side), amount: "0.01" })
      const fields = { ...terms, side, amount, ioc: true, clientOrderId: world.unique("ioc") }
      const { answer, order } = yield* LiveOrders.place(world, account, Paths.limitOrder, fields)
      const expected = {
        ...LiveOrders.ordered("limit", fields),
        ...LiveOrders.filled(amount, [{ amount: 0.01, price: Number(price) }], "CANCELED")
      }
      const { status: _status, ...shown } = expected
      yield* LiveOrders.shows({ answer }, "the order", order, shown)
      yield* leaves(world, account, [])
      const history = yield* LiveOrders.ended(world, account)
      const ended = { ...inHistory(expected), ...LiveOrders.identity(order), dealFee: order["dealFee"] }
      yield* LiveOrders.lists(history, "the order", "orderId", [ended])
    })
  }),
  LiveCalls.section.forEach("order-answers.cancel.unknown", {
    statement:
      "Refuses to cancel an order that is unknown, closed, another account's or on another market: HTTP 400, code 2 or 6",
    profile: "mutating",
    values: ({ profile }: Rule.Setting) =>
      (["nobody's", "twice", "elsewhere", "another's", "filled"] as const).slice(0, profile === "control" ? 5 : 3),
    check: Effect.fnUntraced(function*(world, whose) {
      const { maker, market, made, price, taker } = world.profile === "control"
        ? yield* Trading.offer(world, "0.01")
        : yield* waiting(world)
      const id = { market: market.name, orderId: made["orderId"] }
      if (whose === "twice") yield* LiveOrders.place(world, maker, Paths.cancelOrder, id)
      if (whose === "filled") {
        yield* Trading.placeOther(world, taker, { market: market.name, side: "buy", amount: "0.01", price })
      }
      const caller = whose === "another's" ? taker : maker
      const fields = {
        ...id,
        ...(whose === "nobody's" ? { orderId: Number.MAX_SAFE_INTEGER } : {}),
        ...(whose === "elsewhere" ? { market: yield* elsewhere(world, market) } : {})
      }
      const answer = yield* LiveCalls.call(world, caller, Paths.cancelOrder, fields)
      yield* Refusals.exactly(answer, { status: 400, codes: [2, 6] }, "because the order is not open")
      yield* Verdict.expect(answer, "errors that name orderId", Refusals.namedFields(answer).includes("orderId"))
      yield* leaves(world, maker, whose === "twice" || whose === "filled" ? [] : [made["orderId"]], [made["orderId"]])
    })
  }),
  LiveCalls.section.forEach("order-answers.cancel.refusal", {
    statement:
      "Refuses to cancel without a market or an id, with both ids, or on an unknown market, and cancels nothing",
    profile: "mutating",
    values: ["no market", "no id", "both ids", "an unknown market"] as const,
    check: Effect.fnUntraced(function*(world, wrong) {
      const clientOrderId = world.unique("refused")
      const account = yield* world.trader
      const { name: market } = yield* world.market
      const fields = WaitingOrders.fieldsOf(world, yield* world.market, {
        ...WaitingOrders.limit,
        path: Paths.limitOrder,
        side: "buy"
      })
      const { order: { orderId } } = yield* LiveOrders.place(world, account, Paths.limitOrder, {
        ...fields,
        clientOrderId
      })
      const invalid = {
        "no market": { orderId },
        "no id": { market },
        "both ids": { market, orderId, clientOrderId },
        "an unknown market": { market: "NO_SUCH", orderId }
      }[wrong]
      const answer = yield* LiveCalls.call(world, account, Paths.cancelOrder, invalid)
      yield* Refusals.exactly(answer, { status: 422, codes: [30, 31] }, `because it has ${wrong}`)
      yield* leaves(world, account, [orderId])
    })
  }),
  LiveCalls.section.always("order-answers.cancel.market", {
    statement: "Given a market and a client order id, cancels only the order on this market",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.trader
      const market = yield* world.market
      const clientOrderId = world.unique("markets")
      const place = (on: Market) => {
        const fields = { market: on.name, side: "buy", amount: "0.03", price: Orders.lowPrice(on), clientOrderId }
        return Trading.placeOther(world, account, fields, Paths.collateralLimit)
      }
      const [one, other] = [yield* place(market), yield* place(Orders.asPerpetual(market))]
      const { answer, order } = yield* LiveOrders.place(world, account, Paths.cancelOrder, {
        market: market.name,
        clientOrderId
      })
      yield* LiveOrders.shows({ answer }, "the order", order, { orderId: one["orderId"], market: market.name })
      yield* leaves(world, account, [other["orderId"]])
    })
  })
]

const refusalRules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.forEach("order-answers.refusal", {
    statement: "Refuses a limit order without a required field: HTTP 422, code 30, and errors that name the field",
    profile: "mutating",
    // A faulty target could trade an order without a price or a side, so only a sandbox gets such orders.
    values: ({ profile }: Rule.Setting) =>
      [Paths.limitOrder, Paths.collateralLimit].flatMap((path) =>
        (["market", "amount", "side", "price"] as const).slice(0, profile === "control" ? 4 : 2).map((key) => ({
          path,
          key
        }))
      ),
    check: Effect.fnUntraced(function*(world, { key, path }) {
      const market = yield* world.market
      const fields = WaitingOrders.fieldsOf(world, market, { ...WaitingOrders.limit, path, side: "buy" })
      const account = yield* world.trader
      const answer = yield* LiveOrders.submit(world, account, path, { ...fields, [key]: undefined }, fields)
      yield* Refusals.fields(answer, { status: 422, codes: [30] }, key)
    })
  }),
  LiveCalls.section.forEach("order-answers.no-funds", {
    statement: "Refuses a limit order that the balance does not cover, and places nothing",
    values: WaitingOrders.entries.filter(({ more, path, prices }) =>
      prices === "limit" && more?.["reduceOnly"] === undefined &&
      (path === Paths.limitOrder || path === Paths.collateralLimit)
    ).flatMap((entry) => [false, true].map((some) => ({ ...entry, some }))),
    check: Effect.fnUntraced(function*(world, { some, ...entry }) {
      const account = yield* Wallets.open(world, some ? Wallets.little : [])
      const market = yield* world.market
      const answer = yield* LiveCalls.call(world, account, entry.path, WaitingOrders.fieldsOf(world, market, entry))
      yield* Refusals.noFunds(answer)
      yield* leaves(world, account, [])
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...lifeRules, ...cancelRules, ...refusalRules]
