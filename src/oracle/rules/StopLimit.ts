/** Rules about stop-limit orders (document, "Stop-limit order (response)" and Endpoints §3). */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as ClientOrderIdRules from "../world/ClientOrderIdRules.ts"
import * as Dialects from "../world/Dialects.ts"
import * as FieldRules from "../world/FieldRules.ts"
import * as Kinds from "../world/Kinds.ts"
import { basePrice, digits, priceText, toMarket } from "../world/Markets.ts"
import { hasValues, type OrderEntry } from "../world/OrderEntry.ts"
import * as OrderFieldRules from "../world/OrderFieldRules.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as PlacedOrderRules from "../world/PlacedOrderRules.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Section from "../world/Section.ts"
import type { World } from "../world/World.ts"

const clause = "Endpoints §3"

const section = Section.of({ clause, profile: "mutating" })

const answerClause = "Stop-limit order (response)"

const place = Effect.fnUntraced(
  function*(world: World, side: Orders.Side = "buy", more: Readonly<Record<string, unknown>> = {}) {
    const market = yield* world.market
    return yield* Orders.place(world, yield* world.trader, Paths.stopLimit, Orders.stopLimit(market, side, more))
  }
)

const omissible = { isOptional: true } as const

const statuses = Object.values(Dialects.statuses({ name: "document" }))

const response: FieldRules.Table = {
  id: "stop-limit.response",
  clause: answerClause,
  profile: "mutating",
  within: "a stop-limit order",
  sample: (world) => Effect.map(place(world), ({ answer, order }) => ({ answer, objects: [order] })),
  rows: [
    { key: "order_id", kind: Kinds.integer, meaning: "its id", live: { key: "orderId" } },
    {
      key: "client_order_id",
      kind: Kinds.clientOrderId,
      meaning: "its client order id",
      live: { key: "clientOrderId", isOptional: true }
    },
    { key: "market", kind: Kinds.market, meaning: "its market" },
    { key: "side", kind: Kinds.oneOf("buy", "sell"), meaning: "buy or sell" },
    {
      key: "type",
      kind: Kinds.oneOf("limit", "market", "stock market", "stop limit", "stop market"),
      meaning: "the order's type"
    },
    { key: "timestamp", kind: Kinds.fractionalSeconds, meaning: "its creation time" },
    { key: "deal_money", kind: Kinds.decimal, meaning: "the quote amount filled so far", live: { key: "dealMoney" } },
    { key: "deal_stock", kind: Kinds.decimal, meaning: "the base amount filled so far", live: { key: "dealStock" } },
    { key: "amount", kind: Kinds.positiveDecimal, meaning: "its amount" },
    { key: "left", kind: Kinds.decimal, meaning: "the unfilled amount" },
    { key: "deal_fee", kind: Kinds.decimal, meaning: "the fee so far", live: { key: "dealFee" } },
    { key: "price", kind: Kinds.decimal, meaning: "its limit price" },
    { key: "postOnly", kind: Kinds.boolean, meaning: "whether it may only rest in the book", live: omissible },
    { key: "ioc", kind: Kinds.boolean, meaning: "whether it is immediate-or-cancel", live: omissible },
    {
      key: "status",
      kind: Kinds.oneOf(...statuses),
      meaning: "its status",
      live: { kind: Kinds.someText, isOptional: true }
    },
    {
      key: "stp",
      kind: Kinds.oneOf("no", "cancel_both", "cancel_new", "cancel_old"),
      meaning: "its self-trade prevention mode",
      live: { kind: Kinds.oneOf("no", "cb", "cn", "co"), isOptional: true }
    },
    {
      key: "positionSide",
      // A spot order has no position, so the string may be empty.
      kind: Kinds.text,
      meaning: "the position's side; collateral orders only",
      isOptional: true
    },
    { key: "rpi", kind: Kinds.boolean, meaning: "whether it is a retail price improvement order", live: omissible },
    { key: "reduceOnly", kind: Kinds.boolean, meaning: "whether it may only reduce a position", live: omissible },
    { key: "activated", kind: Kinds.bit, meaning: "whether the trigger was reached", live: omissible },
    {
      key: "activationCondition",
      kind: Kinds.oneOf("gte", "lte"),
      meaning: "the direction from which the price must reach the trigger",
      live: omissible
    },
    { key: "activation_price", kind: Kinds.positiveDecimal, meaning: "its trigger price" }
  ]
}

/** Creates a rule about a new order. */
const newOrder = (
  id: string,
  statement: string,
  check: (
    order: Readonly<Record<string, unknown>>,
    world: World,
    side: Orders.Side,
    market: string
  ) => readonly [string, boolean]
): Rule.Rule =>
  Rule.forEach({
    id: `stop-limit.new.${id}`,
    statement,
    clause: answerClause,
    profile: "mutating",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const { answer, order } = yield* place(world, side)
      const [expected, holds] = check(order, world, side, (yield* world.market).name)
      yield* Verdict.expect(answer, expected, holds)
    })
  })

/** The maximum number of markets on which a rule places an order. */
const maxMarkets = 20

/** The total of an order from {@link Orders.stopLimit} is at most this many times the total of the smallest amount. */
const maxMultiple = 10

/**
 * Returns the listed spot markets, each with a price at which a small order is within the market's bounds. If possible,
 * this price is the base price that other rules use, so that the orders of different rules do not trade with each
 * other.
 */
const spotMarkets = (world: World) =>
  Effect.map(world.get(Paths.markets), ({ json }) =>
    (Array.isArray(json) ? json.filter(Json.isObject) : [])
      .filter(({ tradesEnabled, type }) => tradesEnabled === true && type === "spot")
      .slice(0, maxMarkets)
      .map((listed) => {
        const market = toMarket(listed, basePrice)
        const { maxTotal, minAmount, minTotal, tick } = market
        const isWithin = maxTotal === 0 || maxMultiple * minAmount * basePrice <= maxTotal
        return isWithin ? market : toMarket(listed, Math.max(minTotal / minAmount, 1000 * tick))
      }))

/** Returns a number with one more decimal place. */
const finer = (value: unknown): string => `${String(value)}${String(value).includes(".") ? "" : "."}1`

const absentOr = (world: World, value: unknown, expected: unknown): boolean =>
  value === expected || (world.dialect.name === "live" && value === undefined)

const entry: OrderEntry = {
  id: "stop-limit",
  clause,
  path: Paths.stopLimit,
  prices: ["price", "activation_price"],
  limits: ["price"],
  stopPrice: "price",
  isRefusalShown: false,
  unbounded: [],
  sideProfile: "mutating",
  draft: Orders.stopLimit,
  clientOrderIds: (order, key) => [order[key]],
  perAccount: "MUST",
  isAsSubmitted: (order, { activation_price, amount, price }) => hasValues(order, amount, price, activation_price)
}

export const rules: ReadonlyArray<Rule.Rule> = [
  ...FieldRules.rules(response),
  ...OrderFieldRules.rules(entry),
  ...ClientOrderIdRules.rules(entry),
  ClientOrderIdRules.elsewhere(entry),
  ...PlacedOrderRules.rules(entry),
  newOrder(
    "type",
    "Shows type stop limit for a new order",
    (order) => ["type stop limit", order["type"] === "stop limit"]
  ),
  newOrder("left", "Shows a new order's full amount in left", (order) => [
    "left equal to amount",
    Number(order["left"]) === Number(order["amount"])
  ]),
  newOrder("deal-money", "Shows deal money \"0\" for a new order", (order, { dialect }) => [
    "\"0\"",
    order[Dialects.keys(dialect).dealMoney] === "0"
  ]),
  newOrder("deal-stock", "Shows deal stock \"0\" for a new order", (order, { dialect }) => [
    "\"0\"",
    order[Dialects.keys(dialect).dealStock] === "0"
  ]),
  newOrder("deal-fee", "Charges no fee for a new order", (order, { dialect }) => [
    "zero",
    Number(order[Dialects.keys(dialect).dealFee]) === 0
  ]),
  newOrder("status", "Shows the status of a new order as accepted and not yet matched", (order, world) => {
    const { NEW } = Dialects.statuses(world.dialect)
    return [`status ${NEW}`, absentOr(world, order["status"], NEW)]
  }),
  newOrder("stp", "Uses stp no by default", (order, world) => ["stp no", absentOr(world, order["stp"], "no")]),
  newOrder("post-only", "Uses postOnly false by default", (order, world) => [
    "postOnly false",
    absentOr(world, order["postOnly"], false)
  ]),
  newOrder(
    "ioc",
    "Uses ioc false by default",
    (order, world) => ["ioc false", absentOr(world, order["ioc"], false)]
  ),
  newOrder("reduce-only", "Shows reduceOnly false: the call has no such parameter", (order, world) => [
    "reduceOnly false",
    absentOr(world, order["reduceOnly"], false)
  ]),
  newOrder("activated", "Shows activated 0 until the trigger is met", (order, world) => [
    "activated 0",
    absentOr(world, order["activated"], 0)
  ]),
  newOrder("side", "Shows the request's market and side for a new order", (order, _world, side, market) => [
    `market ${market}, side ${side}`,
    order["market"] === market && order["side"] === side
  ]),
  newOrder(
    "condition",
    "Shows activationCondition gte for a buy far above the market, lte for a sell far below it",
    (order, world, side) => {
      const condition = side === "buy" ? "gte" : "lte"
      return [`activationCondition ${condition}`, absentOr(world, order["activationCondition"], condition)]
    }
  ),
  Rule.forAll({
    id: "stop-limit.activation-price.exact",
    statement: "Shows activation_price exactly as submitted",
    clause: answerClause,
    values: fc.record({ percent: fc.integer({ min: 110, max: 190 }), ticks: fc.constantFrom(0, 37) }),
    // A faulty target may round prices, or drop trailing zeros.
    examples: [{ percent: 150, ticks: 0 }, { percent: 150, ticks: 37 }],
    check: Effect.fnUntraced(function*(world, { percent, ticks }) {
      const market = yield* world.market
      const text = priceText(market, market.price * percent / 100 + ticks * market.tick)
      const { answer, order } = yield* place(world, "buy", { activation_price: text })
      yield* Verdict.expect(answer, `activation_price "${text}"`, order["activation_price"] === text)
    })
  }),
  section.forAll("stop-limit.amount.bounds", {
    statement: "Accepts an amount within the market's precision and bounds, including minAmount and minTotal",
    profile: "control",
    values: fc.integer({ min: 1, max: 5 }),
    examples: [1],
    check: Effect.fnUntraced(function*(world, factor) {
      const market = yield* world.market
      const { minAmount, minTotal, price, step, stockPrecision } = market
      // A price at which an order of `minAmount` reaches `minTotal`. The live exchange refuses prices far from the last
      // price, and does not document how far, so in its dialect the amount is raised instead.
      const most = world.dialect.name === "live" ? price * 2 : Infinity
      const limit = Math.min(Math.max(price, minTotal / minAmount), most)
      const text = priceText(market, Math.ceil(limit / market.tick) * market.tick)
      const least = Math.max(minAmount, Math.ceil(minTotal / Number(text) / step - 1e-6) * step)
      const { answer } = yield* place(world, "buy", {
        amount: digits(least * factor, stockPrecision),
        price: text,
        activation_price: text
      })
      yield* Verdict.expect(answer, "HTTP 200", answer.status === 200)
    })
  }),
  section.always("stop-limit.markets.each", {
    statement: "Accepts an order on every spot market in the market list on which trading is enabled, but no amount or "
      + "price with more decimal places than the market's",
    profile: "control",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.open({ isFunded: false })
      for (const market of yield* spotMarkets(world)) {
        yield* world.control("MovePrice", { market: market.name, price: priceText(market, market.price) })
        const order = Orders.stopLimit(market, "buy")
        const amount = digits(2 * Number(order["amount"]) * Number(order["price"]) + 1, 0)
        yield* world.control("Fund", { account: account.id, wallet: "trade", ticker: market.money, amount })
        const answer = yield* world.call(account, Paths.stopLimit, order)
        yield* Verdict.expect(
          answer,
          `an order on ${market.name}, which the market list shows with tradesEnabled`,
          Refusals.isSuccess(answer) && Json.isObject(answer.json) && answer.json["market"] === market.name
        )
        for (const key of ["amount", "price", "activation_price"]) {
          const refused = yield* world.call(account, Paths.stopLimit, { ...order, [key]: finer(order[key]) })
          yield* Refusals.tooFine(refused, world.dialect, false, key)
        }
      }
    })
  }),
  section.forEach("stop-limit.request.stp.accepts", {
    statement: "Accepts stp no, cancel_both, cancel_new and cancel_old, and shows the given mode in the response",
    live: Rule.other("the response shows no, cb, cn or co; requests may use either form"),
    values: ["no", "cancel_both", "cancel_new", "cancel_old"] as const,
    check: Effect.fnUntraced(function*(world, stp) {
      const expected = Dialects.modes(world.dialect)[stp]
      const { answer, order } = yield* place(world, "buy", { stp: world.dialect.name === "live" ? expected : stp })
      yield* Verdict.expect(answer, `stp ${expected}`, absentOr(world, order["stp"], expected))
    })
  }),
  section.forEach("stop-limit.request.stp.refuses", {
    statement: "Refuses a value of stp that is not documented",
    live: Rule.other("HTTP 422"),
    values: ["", "none", "cancel", "NO", "cancel_all", 1, true],
    check: Effect.fnUntraced(function*(world, stp) {
      const market = yield* world.market
      const fields = Orders.stopLimit(market, "buy", { stp })
      const answer = yield* Orders.submit(world, yield* world.trader, Paths.stopLimit, fields)
      yield* Refusals.order(answer, world.dialect, false, "stp")
    })
  }),
  section.forEach("stop-limit.request.bboRole.accepts", {
    statement: "Accepts bboRole 1 (queue) and 2 (counterparty)",
    values: [1, 2],
    check: (world, bboRole) => place(world, "buy", { bboRole })
  }),
  section.forEach("stop-limit.request.bboRole.refuses", {
    statement: "Refuses a value of bboRole that is not documented",
    live: Rule.other("HTTP 422"),
    values: [0, 3, -1, 1.5, "queue", true, []],
    check: Effect.fnUntraced(function*(world, bboRole) {
      const market = yield* world.market
      const fields = Orders.stopLimit(market, "buy", { bboRole })
      const answer = yield* Orders.submit(world, yield* world.trader, Paths.stopLimit, fields)
      yield* Refusals.order(answer, world.dialect, false, "bboRole")
    })
  })
]
