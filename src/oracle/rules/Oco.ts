/**
 * Collateral OCO orders (document, "Collateral OCO order (response)" and Endpoints §2).
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Fields from "../world/Fields.ts"
import * as Kinds from "../world/Kinds.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Spelling from "../world/Spelling.ts"
import type { Account, World } from "../world/World.ts"
import { basePrice } from "../world/World.ts"
import * as Requests from "./Requests.ts"

type Body = Readonly<Record<string, unknown>>

const clause = "Endpoints §2"

const answerClause = "Collateral OCO order (response)"

const sides = ["buy", "sell"] as const

const place = (world: World, side: "buy" | "sell" = "buy", more: Body = {}) =>
  Effect.gen(function*() {
    const market = yield* world.market
    return yield* Orders.place(world, yield* world.trader, Paths.oco, Orders.oco(market, side, more))
  })

const sample = (world: World): Effect.Effect<Fields.Sample, Rule.Stop> =>
  Effect.map(place(world), ({ answer, order }) => ({ answer, objects: [order] }))

const leg = (order: Body, key: "stop_loss" | "take_profit"): Body => {
  const found = order[key]
  return Json.isObject(found) ? found : {}
}

const isOptional = { isOptional: true } as const

const statuses = Object.values(Spelling.statuses({ name: "document" }))

const legRows = (key: "stop_loss" | "take_profit"): ReadonlyArray<Fields.Row> => [
  { key: "order_id", kind: Kinds.integer, meaning: "its identifier", live: { key: "orderId" } },
  {
    key: "client_order_id",
    kind: Kinds.clientOrderId,
    meaning: "empty when none was given",
    live: { key: "clientOrderId", isOptional: true }
  },
  { key: "market", kind: Kinds.market, meaning: "where it is" },
  { key: "side", kind: Kinds.oneOf("buy", "sell"), meaning: "what it does" },
  key === "stop_loss"
    ? {
      key: "type",
      kind: Kinds.exactly("stop limit"),
      meaning: "the leg's type",
      live: { kind: Kinds.exactly("margin stop limit") }
    }
    : {
      key: "type",
      kind: Kinds.exactly("limit"),
      meaning: "the leg's type",
      live: { kind: Kinds.exactly("margin limit") }
    },
  { key: "timestamp", kind: Kinds.fractionalSeconds, meaning: "when it was created" },
  { key: "deal_money", kind: Kinds.decimal, meaning: "filled so far, in money", live: { key: "dealMoney" } },
  { key: "deal_stock", kind: Kinds.decimal, meaning: "filled so far, in stock", live: { key: "dealStock" } },
  { key: "amount", kind: Kinds.positiveDecimal, meaning: "its quantity" },
  { key: "takerFee", kind: Kinds.decimal, meaning: "the taker's fee", live: isOptional },
  { key: "makerFee", kind: Kinds.decimal, meaning: "the maker's fee", live: isOptional },
  { key: "left", kind: Kinds.decimal, meaning: "what is not filled" },
  { key: "deal_fee", kind: Kinds.decimal, meaning: "the fee so far", live: { key: "dealFee" } },
  { key: "post_only", kind: Kinds.boolean, meaning: "whether it may only rest" },
  { key: "mtime", kind: Kinds.fractionalSeconds, meaning: "when it was changed last" },
  { key: "price", kind: Kinds.positiveDecimal, meaning: "its limit" },
  {
    key: "status",
    kind: Kinds.oneOf(...statuses),
    meaning: "one of the statuses of orders",
    live: { kind: Kinds.someText, isOptional: true }
  },
  {
    key: "stp",
    kind: Kinds.oneOf("no", "cancel_both", "cancel_new", "cancel_old"),
    meaning: "its self-trade prevention",
    live: { kind: Kinds.oneOf("no", "cb", "cn", "co"), isOptional: true }
  },
  { key: "positionSide", kind: Kinds.someText, meaning: "the position's side", live: isOptional },
  ...(key === "take_profit" ? [] : [
    { key: "activation_price", kind: Kinds.positiveDecimal, meaning: "its trigger" },
    { key: "activation_condition", kind: Kinds.oneOf("gte", "lte"), meaning: "from which side it must be reached" },
    { key: "activated", kind: Kinds.bit, meaning: "whether it was reached" }
  ])
]

const legTable = (key: "stop_loss" | "take_profit"): Fields.Table => ({
  id: `oco.response.${key}`,
  clause: answerClause,
  profile: "mutating",
  within: key,
  sample: (world) => Effect.map(sample(world), (found) => Fields.part(found, key)),
  rows: legRows(key)
})

const placing: Requests.Placing = {
  id: "oco",
  clause,
  path: Paths.oco,
  prices: ["price", "activation_price", "stop_limit_price"],
  limits: ["price", "stop_limit_price"],
  stopPrice: "stop_limit_price",
  // The take-profit of a buy waits below the market, where a sell would trade at once.
  sideProfile: "control",
  draft: Orders.oco,
  clientOrderIds: (order, key) => [leg(order, "stop_loss")[key], leg(order, "take_profit")[key]]
}

/** What a new pair is answered with. */
const fresh = (
  id: string,
  statement: string,
  expected: string,
  holds: (order: Body, stop: Body, limit: Body, side: "buy" | "sell", world: World, market: string) => boolean
): Rule.Rule =>
  Rule.forEach({
    id: `oco.new.${id}`,
    statement,
    clause: answerClause,
    profile: "mutating",
    values: sides,
    check: (world, side) =>
      Effect.gen(function*() {
        const { answer, order } = yield* place(world, side)
        yield* Rule.expect(
          answer,
          expected,
          holds(order, leg(order, "stop_loss"), leg(order, "take_profit"), side, world, (yield* world.market).name)
        )
      })
  })

const both = (stop: Body, limit: Body, holds: (leg: Body) => boolean): boolean => holds(stop) && holds(limit)

// -----------------------------------------------------------------------------
// Reduce-only
// -----------------------------------------------------------------------------

/** Gives an account a position of so many BTC, bought from or sold to another account. */
export const openPosition = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  side: "buy" | "sell",
  amount: string
) {
  const market = yield* world.market
  const counterparty = yield* world.open()
  const price = market.price.toFixed(market.moneyPrecision)
  const order = { market: market.name, amount, price }
  const opposite = side === "buy" ? "sell" : "buy"
  const maker = yield* world.call(counterparty, Paths.collateralLimit, { ...order, side: opposite })
  const taker = yield* world.call(account, Paths.collateralLimit, { ...order, side })
  if (maker.status !== 200 || taker.status !== 200) {
    return yield* Rule.skip(`needs ${Paths.collateralLimit} to open a position`)
  }
  return { market, counterparty }
})

/** A reduce-only pair. Where the parameter is announced only, nothing can be said about what it would do. */
const reduce = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  side: "buy" | "sell",
  more: Body = {}
) {
  const market = yield* world.market
  const answer = yield* Orders.attempt(
    world,
    account,
    Paths.oco,
    Orders.oco(market, side, { reduceOnly: true, ...more })
  )
  return Refusals.named(answer).includes("reduceOnly") && Json.isObject(answer.json) && answer.json["code"] === 30
    ? yield* Rule.skip("reduceOnly is not accepted yet, as the document announces")
    : answer
})

const reduceClause = "Endpoints §2"

const reduceRules: ReadonlyArray<Rule.Rule> = [
  Rule.forEach({
    id: "oco.reduce-only.no-position",
    statement: "A reduce-only order is refused with code 116 when there is no position",
    clause: reduceClause,
    live: Rule.other("HTTP 422"),
    values: sides,
    check: (world, side) =>
      Effect.gen(function*() {
        const answer = yield* reduce(world, yield* world.trader, side)
        yield* Refusals.as(answer, Spelling.reduceOnly(world.dialect), "because there is no position")
      })
  }),
  Rule.forEach({
    id: "oco.reduce-only.same-side",
    statement: "A reduce-only order is refused with code 116 when its side is the position's",
    clause: reduceClause,
    live: Rule.other("HTTP 422"),
    values: sides,
    check: (world, side) =>
      Effect.gen(function*() {
        const account = yield* world.trader
        yield* openPosition(world, account, side, "0.01")
        const answer = yield* reduce(world, account, side)
        yield* Refusals.as(answer, Spelling.reduceOnly(world.dialect), "because the order is on the position's side")
      })
  }),
  Rule.forAll({
    id: "oco.reduce-only.clipped",
    statement: "A reduce-only order of more than the position is reduced to the position's size",
    clause: reduceClause,
    values: fc.tuple(fc.constantFrom(...sides), fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 20 })),
    examples: [["buy", 3, 5], ["sell", 3, 0]],
    check: (world, [side, size, more]) =>
      Effect.gen(function*() {
        const account = yield* world.trader
        yield* openPosition(world, account, side, `0.0${size}`)
        const amount = ((size + more) / 100).toFixed(6)
        const answer = yield* reduce(world, account, side === "buy" ? "sell" : "buy", { amount })
        const order = yield* Orders.objectOf(answer)
        yield* Rule.expect(
          answer,
          `both legs of 0.0${size}`,
          both(leg(order, "stop_loss"), leg(order, "take_profit"), (leg) => Number(leg["amount"]) === size / 100)
        )
      })
  }),
  Rule.forEach({
    id: "oco.reduce-only.flag",
    statement: "reduceOnly of the answer is what was asked for",
    clause: answerClause,
    values: sides,
    check: (world, side) =>
      Effect.gen(function*() {
        const account = yield* world.trader
        yield* openPosition(world, account, side, "0.01")
        const answer = yield* reduce(world, account, side === "buy" ? "sell" : "buy", { amount: "0.01" })
        const order = yield* Orders.objectOf(answer)
        yield* Rule.expect(answer, "reduceOnly true", order["reduceOnly"] === true)
      })
  }),
  Rule.forEach({
    id: "oco.reduce-only.type",
    statement: "reduceOnly is a boolean; anything else is refused",
    clause: reduceClause,
    live: Rule.other("HTTP 422"),
    values: ["true", 1, 0, [], {}],
    check: (world, reduceOnly) =>
      Effect.gen(function*() {
        const market = yield* world.market
        const fields = Orders.oco(market, "buy", { reduceOnly })
        const answer = yield* Orders.attempt(world, yield* world.trader, Paths.oco, fields)
        yield* Refusals.fields(answer, Spelling.orderValidation(world.dialect), "reduceOnly")
      })
  }),
  Rule.forEach({
    id: "oco.reduce-only.default",
    statement: "reduceOnly is false unless asked for: the order opens a position, and the answer says false",
    clause: reduceClause,
    profile: "mutating",
    values: [{}, { reduceOnly: false }],
    check: (world, more) =>
      Effect.gen(function*() {
        const { answer, order } = yield* place(world, "buy", more)
        const isLive = world.dialect.name === "live"
        yield* Rule.expect(
          answer,
          "reduceOnly false",
          order["reduceOnly"] === false || (isLive && order["reduceOnly"] === undefined)
        )
      })
  })
]

// -----------------------------------------------------------------------------
// One cancels the other
// -----------------------------------------------------------------------------

/** Places a pair, moves the price, and tells what became of both legs. */
const outcome = Effect.fnUntraced(function*(world: World, side: "buy" | "sell", price: number) {
  const account = yield* world.trader
  const market = yield* world.market
  const { order } = yield* Orders.place(world, account, Paths.oco, Orders.oco(market, side))
  yield* world.control("MovePrice", { market: market.name, price: price.toFixed(market.moneyPrecision) })
  const id = Spelling.keys(world.dialect).orderId
  const open = yield* Orders.list(world, account, Paths.activeOrders)
  const ended = yield* Orders.list(world, account, Paths.orderHistory)
  const of = (key: "stop_loss" | "take_profit") => {
    const number = String(leg(order, key)[id])
    return ended.get(number) ?? open.get(number) ?? {}
  }
  const stockKey = Spelling.keys(world.dialect).dealStock
  return {
    stop: of("stop_loss"),
    limit: of("take_profit"),
    filled: (found: Body) => Number(found[stockKey]) > 0
  }
})

const otherRules: ReadonlyArray<Rule.Rule> = [
  Rule.forEach({
    id: "oco.one-cancels-other.take-profit",
    statement: "When the take-profit leg is filled the stop-loss leg is canceled",
    clause,
    values: sides,
    check: (world, side) =>
      Effect.gen(function*() {
        const { filled, limit, stop } = yield* outcome(world, side, basePrice * (side === "buy" ? 0.45 : 1.9))
        const { CANCELED, FILLED } = Spelling.statuses(world.dialect)
        yield* Rule.conclude(
          `the take-profit ${FILLED}, the stop-loss ${CANCELED}`,
          [limit["status"], stop["status"]],
          limit["status"] === FILLED && stop["status"] === CANCELED && filled(limit) && !filled(stop)
        )
      })
  }),
  Rule.forEach({
    id: "oco.one-cancels-other.stop-loss",
    statement: "When the stop-loss leg is triggered the take-profit leg is canceled",
    clause,
    values: sides,
    check: (world, side) =>
      Effect.gen(function*() {
        const { filled, limit, stop } = yield* outcome(world, side, basePrice * (side === "buy" ? 1.85 : 0.45))
        yield* Rule.conclude(
          "the take-profit canceled, the stop-loss activated",
          [limit["status"], stop["activated"]],
          limit["status"] === Spelling.statuses(world.dialect).CANCELED && stop["activated"] === 1 && !filled(limit)
        )
      })
  }),
  Rule.forEach({
    id: "oco.stop-loss.limit",
    statement: "After activation the stop-loss is a limit order at stop_limit_price, and trades at it",
    clause,
    values: sides,
    check: (world, side) =>
      Effect.gen(function*() {
        const account = yield* world.trader
        const market = yield* world.market
        const fields = Orders.oco(market, side)
        const { order } = yield* Orders.place(world, account, Paths.oco, fields)
        const keys = Spelling.keys(world.dialect)
        // Beyond the trigger, where the limit can't be met, and back over it.
        for (const factor of side === "buy" ? [1.85, 1.7] : [0.45, 0.6]) {
          const price = (basePrice * factor).toFixed(market.moneyPrecision)
          yield* world.control("MovePrice", { market: market.name, price })
        }
        const stop = yield* Orders.find(world, account, leg(order, "stop_loss")[keys.orderId])
        const money = Number(fields["amount"]) * Number(fields["stop_limit_price"])
        yield* Rule.conclude(
          `filled for ${money}`,
          [stop["status"], stop[keys.dealMoney]],
          stop["status"] === Spelling.statuses(world.dialect).FILLED &&
            Math.abs(Number(stop[keys.dealMoney]) - money) < 1e-6
        )
      })
  }),
  Rule.forAll({
    id: "oco.never-both",
    statement: "However the price moves, one leg at most is ever filled",
    clause,
    values: fc.tuple(
      fc.constantFrom(...sides),
      fc.array(fc.constantFrom(0.4, 0.45, 0.6, 1, 1.5, 1.85, 2.2), { minLength: 1, maxLength: 6 })
    ),
    examples: [["buy", [0.45, 1.85, 1]], ["sell", [1.85, 0.45, 1]], ["buy", [1.85, 0.4]]],
    check: (world, [side, path]) =>
      Effect.gen(function*() {
        const account = yield* world.trader
        const market = yield* world.market
        const { order } = yield* Orders.place(world, account, Paths.oco, Orders.oco(market, side))
        for (const factor of path) {
          const price = (basePrice * factor).toFixed(market.moneyPrecision)
          yield* world.control("MovePrice", { market: market.name, price })
        }
        const keys = Spelling.keys(world.dialect)
        const both = yield* Effect.forEach(["stop_loss", "take_profit"] as const, (key) =>
          Orders.find(world, account, leg(order, key)[keys.orderId]))
        const filled = both.map((found) =>
          Number(found[keys.dealStock])
        )
        yield* Rule.conclude("one leg with fills at most", filled, filled.filter((stock) => stock > 0).length <= 1)
      })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [
  ...Fields.rules({
    id: "oco.response",
    clause: answerClause,
    profile: "mutating",
    within: "an OCO order",
    sample,
    rows: [
      { key: "id", kind: Kinds.integer, meaning: "the pair's identifier" },
      { key: "reduceOnly", kind: Kinds.boolean, meaning: "whether it may only reduce a position", live: isOptional },
      { key: "stop_loss", kind: Kinds.object, meaning: "the stop-limit leg" },
      { key: "take_profit", kind: Kinds.object, meaning: "the limit leg" }
    ]
  }),
  ...Fields.rules(legTable("stop_loss")),
  ...Fields.rules(legTable("take_profit")),
  ...Requests.all(placing),
  ...(["activation_price", "activation_condition", "activated"] as const).map((key) =>
    fresh(
      `take-profit.no-${key.replace("_", "-")}`,
      `Only the stop leg has ${key}`,
      `no ${key} in take_profit`,
      (_order, _stop, limit) => !Object.hasOwn(limit, key)
    )
  ),
  fresh(
    "side",
    "Both legs are on the market and the side of the request",
    "the same market and side twice",
    (_order, stop, limit, side, _world, market) =>
      both(stop, limit, (leg) => leg["side"] === side && leg["market"] === market)
  ),
  fresh(
    "amount",
    "The amount is that of both legs",
    "equal amounts",
    (_order, stop, limit) => stop["amount"] === limit["amount"]
  ),
  fresh(
    "left",
    "Of a new leg all is left",
    "left equal to amount",
    (_order, stop, limit) => both(stop, limit, (leg) => Number(leg["left"]) === Number(leg["amount"]))
  ),
  fresh("deals", "Of a new leg nothing is filled", "deals of 0", (_order, stop, limit, _side, { dialect }) => {
    const { dealFee, dealMoney, dealStock } = Spelling.keys(dialect)
    return both(stop, limit, (leg) => [dealMoney, dealStock, dealFee].every((key) => Number(leg[key]) === 0))
  }),
  fresh("activated", "A new stop leg is not activated", "activated 0", (_order, stop) => stop["activated"] === 0),
  fresh(
    "condition",
    "The stop leg of a buy above the market waits for gte, that of a sell below it for lte",
    "activation_condition gte of a buy, lte of a sell",
    (_order, stop, _limit, side) => stop["activation_condition"] === (side === "buy" ? "gte" : "lte")
  ),
  fresh(
    "status",
    "A new leg's status is that of an order that is accepted and not matched",
    "both legs new",
    (_order, stop, limit, _side, { dialect }) =>
      both(
        stop,
        limit,
        ({ status }) => status === Spelling.statuses(dialect).NEW || (dialect.name === "live" && status === undefined)
      )
  ),
  fresh(
    "mtime",
    "A new leg was changed last when it was created",
    "mtime equal to timestamp",
    (_order, stop, limit) => both(stop, limit, (leg) => leg["mtime"] === leg["timestamp"])
  ),
  fresh(
    "position-side",
    "A buy opens or increases a long position, a sell a short one",
    "positionSide LONG of a buy, SHORT of a sell",
    (_order, stop, limit, side, { dialect }) =>
      both(
        stop,
        limit,
        ({ positionSide }) =>
          positionSide === (side === "buy" ? "LONG" : "SHORT") ||
          (dialect.name === "live" && positionSide === undefined)
      )
  ),
  Rule.always({
    id: "oco.request.market.margin",
    statement: "The market is one that can be traded with collateral; another is refused",
    clause,
    live: Rule.other("HTTP 422"),
    check: (world) =>
      Effect.gen(function*() {
        const answer = yield* world.get(Paths.markets)
        const listed = Array.isArray(answer.json) ? answer.json.filter(Json.isObject) : []
        const spot = listed.find((market) => market["isCollateral"] === false)
        if (spot === undefined) return yield* Rule.skip("all markets can be traded with collateral")
        const draft = Orders.oco(yield* world.market, "buy", { market: spot["name"] })
        const refused = yield* Orders.attempt(world, yield* world.trader, Paths.oco, draft)
        yield* Refusals.fields(refused, Spelling.orderValidation(world.dialect), "market")
      })
  }),
  ...reduceRules,
  ...otherRules
]
