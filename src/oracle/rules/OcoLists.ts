/** Rules about listing and canceling OCO orders. Only the live exchange's documentation describes these calls. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import type * as Target from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { perpetual } from "../world/Markets.ts"
import * as Oco from "../world/OcoOrders.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, World } from "../world/World.ts"

/** The fields of a leg that only the response to a new OCO order shows. */
const first: ReadonlyArray<string> = ["takerFee", "makerFee"]

/**
 * Converts an OCO order to a pair, as these rules compare it: its legs have the keys of plain orders, and lack the
 * fields that only the response to its placement shows.
 */
const toPair = (pair: Body): Body =>
  Object.fromEntries([
    ["id", pair["id"]],
    ...(pair["reduceOnly"] === undefined ? [] : [["reduceOnly", pair["reduceOnly"]]]),
    ...Oco.legs.map((key) => [
      key,
      Object.fromEntries(
        Object.entries(LiveOrders.toOrder(Oco.leg(pair, key))).filter(([field]) => !first.includes(field))
      )
    ])
  ])

/** Converts a conditional order, whose legs have camel-case keys, to a pair. */
const fromConditional = ({ id, stopLoss, takeProfit }: Body): Body =>
  toPair({ id, stop_loss: stopLoss, take_profit: takeProfit })

/** Places a sell and a buy OCO order on `world.market`, and one OCO order on another market. */
const place = Effect.fnUntraced(function*(world: World) {
  const account = yield* LiveOrders.customer(world)
  const market = yield* world.market
  const draft = (side: Orders.Side, more: Body) =>
    Effect.map(Trading.placeOther(world, account, Orders.oco(market, side, more), Paths.oco), toPair)
  const clientOrderId = world.unique("pair")
  const one = yield* draft("sell", { clientOrderId, stp: "cn" })
  const two = yield* draft("buy", {})
  const elsewhere = Orders.asPerpetual(market)
  // Another rule may have moved this price beyond the legs' prices.
  yield* Trading.movePrice(world, elsewhere, elsewhere.price)
  const third = Orders.oco(elsewhere, "sell", { amount: "0.01" })
  const other = toPair(yield* Trading.placeOther(world, account, third, Paths.oco))
  return { account, market, one, two, other, clientOrderId }
})

/** Normalizes the spelling of a key: returns the same text for `activation_price` and `activationPrice`. */
const words = (key: string): string => key.replaceAll("_", "").toLowerCase()

/** The fields that only the leg with a trigger shows. */
const triggerFields: ReadonlyArray<string> = ["activationprice", "activationcondition", "activated"]

/** Expects the trigger fields only on the stop-loss, with the activation price under this key. */
const hasLegs = (answer: Target.Answer, stopLoss: Body, takeProfit: Body, activationPrice: string) =>
  Verdict.expect(
    answer,
    `${activationPrice} on the stop-loss, and no trigger fields on the take-profit`,
    Object.hasOwn(stopLoss, activationPrice) &&
      !Object.keys(takeProfit).some((key) => triggerFields.includes(words(key)))
  )

/** The keys that legs have in other responses about OCO orders, but not in the list of conditional orders. */
const snakeKeys: ReadonlyArray<string> = ["post_only", "activation_price", "activation_condition"]

/** Returns the OCO orders of an account. */
const pairs = Effect.fnUntraced(function*(world: World, account: Account, fields: Body = {}) {
  const { answer, items } = yield* LiveCalls.list(world, account, Paths.ocoOrders, fields)
  const records = items.filter(Json.isObject)
  for (const pair of records) {
    yield* hasLegs(answer, Oco.leg(pair, "stop_loss"), Oco.leg(pair, "take_profit"), "activation_price")
  }
  return { answer, records: records.map(toPair), total: undefined }
})

/** Returns an account's conditional orders, as pairs. */
const conditional = Effect.fnUntraced(function*(world: World, account: Account, fields: Body = {}) {
  const { answer, json, records } = yield* LiveOrders.conditional(world, account, fields)
  yield* Verdict.expect(
    answer,
    "records of type oco, and their number as total",
    records.every(({ type }) => type === "oco") && (fields["limit"] !== undefined || json["total"] === records.length)
  )
  for (const { stopLoss, takeProfit } of records) {
    const [stop, limit] = [stopLoss, takeProfit].map((leg) => Json.isObject(leg) ? leg : {})
    yield* hasLegs(answer, stop ?? {}, limit ?? {}, "activationPrice")
    yield* Verdict.expect(
      answer,
      "legs with postOnly, activationPrice and activationCondition in camel case",
      ![stop, limit].some((leg) => snakeKeys.some((key) => Object.hasOwn(leg ?? {}, key)))
    )
  }
  return { answer, records: records.map(fromConditional), total: json["total"] }
})

const both = [
  { path: Paths.ocoOrders, read: pairs },
  { path: Paths.conditionalOrders, read: conditional }
] as const

/** Returns the pair with these changes in both legs. */
const withLegs = (pair: Body, change: Body): Body => ({
  ...pair,
  ...Object.fromEntries(Oco.legs.map((key) => [key, { ...Oco.leg(pair, key), ...change }]))
})

/** Returns a pair as the response to its cancellation shows it. */
const canceledOf = (pair: Body): Body => {
  const { mtime: _stop, ...stop_loss } = Oco.leg(pair, "stop_loss")
  const { mtime: _limit, ...take_profit } = Oco.leg(pair, "take_profit")
  return withLegs({ ...pair, stop_loss, take_profit }, { status: "CANCELED" })
}

/** Places an OCO order far from the market, which is canceled when the run ends. */
const placeOwn = Effect.fnUntraced(function*(world: World, account: Account, side: Orders.Side, more: Body) {
  const { order } = yield* Orders.place(world, account, Paths.oco, Orders.oco(yield* world.market, side, more))
  return toPair(order)
})

/** Returns the OCO orders among the latest records of a list. A real account may have other conditional orders, too. */
const own = Effect.fnUntraced(function*(world: World, account: Account, path: string) {
  const answer = yield* LiveCalls.call(world, account, path, { market: (yield* world.market).name, limit: 100 })
  const { json } = answer
  const listed = path === Paths.ocoOrders ? json : Json.isObject(json) ? json["records"] : undefined
  yield* Verdict.expect(answer, "a list of OCO orders", Array.isArray(listed))
  const records = (Array.isArray(listed) ? listed : []).filter(Json.isObject)
  return {
    answer,
    records: path === Paths.ocoOrders
      ? records.map(toPair)
      : records.filter(({ type }) => type === "oco").map(fromConditional)
  }
})

/** Expects that exactly these pairs are listed, and exactly their legs are open. */
const leaves = Effect.fnUntraced(function*(world: World, account: Account, expected: ReadonlyArray<Body>) {
  for (const { read } of both) yield* LiveOrders.lists(yield* read(world, account), "the other pairs", "id", expected)
  const open = yield* LiveOrders.open(world, account)
  const ids = expected.flatMap((pair) => Oco.legs.map((key) => Oco.leg(pair, key)["orderId"]))
  yield* LiveOrders.lists(open, "their legs", "orderId", ids.map((orderId) => ({ orderId })))
})

/** The calls that cancel an OCO order, each with the request key for the order's id. */
const cancels = [
  { path: Paths.cancelOco, key: "orderId" },
  { path: Paths.cancelConditional, key: "id" }
] as const

const notFound = Effect.fnUntraced(function*(answer: Target.Answer) {
  yield* Refusals.exactly(answer, { status: 400, codes: [2] }, "because there is no such OCO order")
  const isNamed = Refusals.namedFields(answer).some((key) => key === "orderId" || key === "id")
  yield* Verdict.expect(answer, "errors that name the id", isNamed)
})

const listRules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.forEach("oco-orders.listed", {
    statement: "Lists all OCO orders, or those of one market, each as the response to its placement shows it",
    values: both,
    check: Effect.fnUntraced(function*(world, { read }) {
      const { account, market, one, other, two } = yield* place(world)
      yield* LiveOrders.lists(yield* read(world, account), "all pairs", "id", [one, two, other])
      const selections = [[market.name, [one, two]], [perpetual, [other]]] as const
      for (const [name, expected] of selections) {
        const shown = yield* read(world, account, { market: name })
        yield* LiveOrders.lists(shown, `the pairs on ${name}`, "id", expected)
      }
    })
  }),
  LiveCalls.section.forEach("oco-orders.new", {
    statement: "Lists a new OCO order as the response to its placement shows it, and its legs among the open orders",
    profile: "mutating",
    values: Orders.sides.flatMap((side) => both.map(({ path }) => ({ path, side }))),
    check: Effect.fnUntraced(function*(world, { path, side }) {
      const account = yield* LiveOrders.owner(world)
      const more = { clientOrderId: world.unique("pair"), stp: "cn" }
      const pair = yield* placeOwn(world, account, side, more)
      const listed = yield* own(world, account, path)
      const found = listed.records.find(({ id }) => id === pair["id"])
      yield* LiveOrders.shows(listed, "the pair", found, pair)
      const open = yield* LiveOrders.open(world, account, { market: (yield* world.market).name, limit: 100 })
      for (const key of Oco.legs) {
        const leg = Oco.leg(pair, key)
        const shown = open.records.find(({ orderId }) => orderId === leg["orderId"])
        const { amount, price, side } = leg
        yield* LiveOrders.shows(open, `the ${key}`, shown, { amount, price, side })
      }
    })
  }),
  LiveCalls.section.forEach("oco-orders.own.canceled", {
    statement: "Cancels an OCO order, shows both legs as canceled, and no longer lists the order",
    profile: "mutating",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* LiveOrders.owner(world)
      const pair = yield* placeOwn(world, account, side, {})
      const fields = { market: (yield* world.market).name, orderId: pair["id"] }
      const { answer, json } = yield* LiveCalls.object(world, account, Paths.cancelOco, fields)
      yield* LiveOrders.shows({ answer }, "the pair", toPair(json), canceledOf(pair))
      for (const key of Oco.legs) yield* LiveOrders.isNow(world, answer, "an mtime", Oco.leg(json, key)["mtime"])
      for (const { path } of both) {
        const { answer, records } = yield* own(world, account, path)
        yield* Verdict.expect(answer, "a list without the canceled pair", records.every(({ id }) => id !== pair["id"]))
      }
    })
  }),
  LiveCalls.section.forEach("oco-orders.legs", {
    statement: "Lists each leg of an OCO order among the open orders, with the values of the leg",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const { account, one, two } = yield* place(world)
      const pair = side === "sell" ? one : two
      for (const key of Oco.legs) {
        const { mtime: _changed, ...leg } = Oco.leg(pair, key)
        const open = yield* LiveOrders.open(world, account, { market: leg["market"], orderId: leg["orderId"] })
        yield* LiveOrders.lists(open, "the leg", "orderId", [leg])
      }
    })
  }),
  LiveCalls.section.forEach("oco-orders.pages", {
    statement: "Pages OCO orders by limit and offset: each pair is on exactly one page",
    values: both,
    check: Effect.fnUntraced(function*(world, { read }) {
      const { account, one, other, two } = yield* place(world)
      const found: Array<Body> = []
      for (const offset of [0, 1, 2]) {
        const page = yield* read(world, account, { limit: 1, offset })
        yield* Verdict.expect(
          page.answer,
          "one pair and, if there is a total, the number of all pairs as total",
          page.records.length === 1 && (page.total ?? 3) === 3
        )
        found.push(...page.records)
      }
      const last = yield* read(world, account, { limit: 2, offset: 3 })
      for (const beyond of [last, yield* read(world, account, { limit: 2, offset: 1000 })]) {
        yield* Verdict.expect(beyond.answer, "no pairs", beyond.records.length === 0)
      }
      yield* LiveOrders.lists({ ...last, records: found }, "all pairs", "id", [one, two, other])
    })
  }),
  LiveCalls.section.forEach("oco-orders.isolation", {
    statement: "Lists no OCO orders of other accounts",
    values: both,
    check: Effect.fnUntraced(function*(world, { read }) {
      const { account, one, other, two } = yield* place(world)
      const stranger = yield* world.open()
      yield* LiveOrders.lists(yield* read(world, account), "all pairs", "id", [one, two, other])
      yield* LiveOrders.lists(yield* read(world, stranger), "no pairs", "id", [])
    })
  }),
  LiveCalls.section.forEach("oco-orders.refusal", {
    statement: "Refuses to list OCO orders: code 31 for an unknown market, code 30 for an invalid limit or offset",
    profile: "read-only",
    values: [["market", "NO_SUCH", 31], ["limit", 0, 30], ["limit", 101, 30], ["offset", -1, 30]] as const,
    check: (world, [key, value, code]) =>
      Effect.flatMap(
        world.reader,
        (reader) => LiveCalls.refuses(world, reader, Paths.ocoOrders, { [key]: value }, { codes: [code], key })
      )
  })
]

const cancelRules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.forEach("oco-orders.stp", {
    statement: "Shows the stp of an OCO order's request on both legs, in the response and among the open orders",
    values: ["cn", "co", "cb"] as const,
    check: Effect.fnUntraced(function*(world, stp) {
      const account = yield* world.trader
      const pair = yield* Trading.placeOther(
        world,
        account,
        Orders.oco(yield* world.market, "sell", { stp }),
        Paths.oco
      )
      const legs = Oco.legs.map((key) => Oco.leg(pair, key))
      yield* Verdict.conclude(`stp ${stp} on both legs`, pair, legs.every((leg) => leg["stp"] === stp))
      const { answer, records } = yield* LiveOrders.open(world, account)
      const shown = records.map((record) => record["stp"])
      yield* Verdict.expect(
        answer,
        `stp ${stp} on both orders`,
        shown.length === 2 && shown.every((one) => one === stp)
      )
    })
  }),
  LiveCalls.section.forEach("oco-orders.canceled", {
    statement: "Cancels an OCO order by either id, shows both legs as canceled, and leaves all other orders open",
    values: ["orderId", "clientOrderId"] as const,
    check: Effect.fnUntraced(function*(world, key) {
      const { account, clientOrderId, market, one, other, two } = yield* place(world)
      // Reads the lists first. If the target caches them, the canceled order still appears below.
      yield* leaves(world, account, [one, two, other])
      const fields = { market: market.name, [key]: key === "orderId" ? one["id"] : clientOrderId }
      const { answer, json } = yield* LiveCalls.object(world, account, Paths.cancelOco, fields)
      yield* LiveOrders.shows({ answer }, "the pair", toPair(json), canceledOf(one))
      for (const key of Oco.legs) yield* LiveOrders.isNow(world, answer, "an mtime", Oco.leg(json, key)["mtime"])
      yield* leaves(world, account, [two, other])
      yield* notFound(yield* LiveCalls.call(world, account, Paths.cancelOco, fields))
    })
  }),
  LiveCalls.section.forEach("oco-orders.ended", {
    statement: "Shows both legs of a canceled OCO order in order history",
    values: cancels,
    check: Effect.fnUntraced(function*(world, { key, path }) {
      const { account, market, one } = yield* place(world)
      yield* LiveCalls.call(world, account, path, { market: market.name, [key]: one["id"] })
      const history = yield* LiveOrders.ended(world, account)
      const legs = Oco.legs.map((key) => {
        const { activated: _activated, left: _left, mtime: _mtime, stp: _stp, ...leg } = Oco.leg(one, key)
        return { ...leg, status: "CANCELED" }
      })
      yield* LiveOrders.lists(history, "both legs", "orderId", legs)
    })
  }),
  LiveCalls.section.forEach("oco-orders.executed", {
    statement: "No longer lists an OCO order once its take-profit is filled, and cancels its stop-loss",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const { account, one, other, two } = yield* place(world)
      yield* leaves(world, account, [one, two, other])
      const [pair, opposite] = side === "sell" ? [one, two] : [two, one]
      // The trade below would trigger the stop-loss of the other pair.
      const { market: on } = Oco.leg(opposite, "take_profit")
      yield* LiveCalls.call(world, account, Paths.cancelOco, { market: on, orderId: opposite["id"] })
      const { amount, market, orderId, price } = Oco.leg(pair, "take_profit")
      const fields = { market, amount, price, side: Orders.opposite(side) }
      yield* LiveOrders.takeAt(world, fields, Paths.collateralLimit)
      yield* leaves(world, account, [other])
      const { answer, positions } = yield* LiveCalls.openPositions(world, account)
      const [size] = positions.map((position) => Math.abs(Number(position["amount"])))
      yield* Verdict.expect(
        answer,
        `one position of ${String(amount)}`,
        positions.length === 1 && Math.abs(Number(size) - Number(amount)) < 1e-9
      )
      const ends = [
        { orderId, status: "FILLED", dealStock: amount, price },
        { orderId: Oco.leg(pair, "stop_loss")["orderId"], status: "CANCELED", dealStock: "0" }
      ]
      for (const leg of ends) {
        const history = yield* LiveOrders.ended(world, account, { market, orderId: leg.orderId })
        yield* LiveOrders.lists(history, "the leg", "orderId", [leg])
      }
      yield* notFound(yield* LiveCalls.call(world, account, Paths.cancelOco, { market, orderId: pair["id"] }))
    })
  }),
  LiveCalls.section.forEach("oco-orders.not-found", {
    statement:
      "Refuses to cancel an OCO order that is unknown, another account's or on another market: HTTP 400, code 2",
    values: cancels.flatMap((call) =>
      (["nobody's", "another's", "of a different market"] as const).map((whose) => ({ ...call, whose }))
    ),
    check: Effect.fnUntraced(function*(world, { key, path, whose }) {
      const { account, market, one, other, two } = yield* place(world)
      const caller = whose === "another's" ? yield* world.open() : account
      const id = whose === "nobody's" ? Number.MAX_SAFE_INTEGER : one["id"]
      const fields = { market: whose === "of a different market" ? perpetual : market.name, [key]: id }
      yield* notFound(yield* LiveCalls.call(world, caller, path, fields))
      yield* leaves(world, account, [one, two, other])
    })
  }),
  LiveCalls.section.forEach("oco-orders.cancel-refusal", {
    statement: "Refuses to cancel an OCO order without an id, or with both ids, and cancels nothing",
    values: ["no id", "both ids"] as const,
    check: Effect.fnUntraced(function*(world, wrong) {
      const { account, clientOrderId, market, one, other, two } = yield* place(world)
      const ids = wrong === "no id" ? {} : { orderId: one["id"], clientOrderId }
      const answer = yield* LiveCalls.call(world, account, Paths.cancelOco, { market: market.name, ...ids })
      yield* Refusals.exactly(answer, { status: 422, codes: [30] }, `because it has ${wrong}`)
      yield* leaves(world, account, [one, two, other])
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...listRules, ...cancelRules]
