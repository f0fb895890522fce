/** Rules about stop-market orders and margin stop orders, which only the live exchange's documentation describes. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { priceText } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, Market, World } from "../world/World.ts"

type Kind = "stop-market" | "collateral-stop-limit" | "trigger-market"

const paths: { readonly [K in Kind]: string } = {
  "stop-market": Paths.stopMarket,
  "collateral-stop-limit": Paths.collateralStopLimit,
  "trigger-market": Paths.triggerMarket
}

const kinds: ReadonlyArray<Kind> = ["stop-market", "collateral-stop-limit", "trigger-market"]

/** The order types that a response may show: as documented, or as recorded for margin orders. */
const types: { readonly [K in Kind]: ReadonlyArray<string> } = {
  "stop-market": ["stop market"],
  "collateral-stop-limit": ["stop limit", "margin stop limit"],
  "trigger-market": ["stop market", "trigger margin market"]
}

/** Every combination of call and side. */
const cases = kinds.flatMap((kind) => Orders.sides.map((side) => ({ kind, side })))

/**
 * Returns the price `percent` % above the market's for a buy, or below it for a sell, plus 37 steps. The odd digits
 * reveal a target that rounds prices.
 */
const priceAt = (market: Market, side: Orders.Side, percent: number): string =>
  priceText(market, market.price * (1 + (side === "buy" ? percent : -percent) / 100) + 37 * market.tick)

/**
 * Returns an order of 0.02 whose trigger is 5 percent from the market price and whose limit, if any, is 7 percent from
 * that price. The amount of a spot market buy is its cost.
 */
const fieldsOf = (market: Market, kind: Kind, side: Orders.Side, more: Body = {}): Body => ({
  market: market.name,
  side,
  amount: kind === "stop-market" && side === "buy" ? cost(market) : "0.02",
  activation_price: priceAt(market, side, 5),
  ...(kind === "collateral-stop-limit" ? { price: priceAt(market, side, 7) } : {}),
  ...more
})

/**
 * Returns the cost of a spot market buy in these rules: a little more than the cost of 0.01 at 6 percent above the
 * market.
 */
const cost = (market: Market): string => priceText(market, market.price * 0.0107)

/** Places a stop order that waits for its trigger. */
const place = Effect.fnUntraced(function*(world: World, account: Account, kind: Kind, side: Orders.Side) {
  const market = yield* world.market
  const { answer, json } = yield* LiveCalls.object(world, account, paths[kind], fieldsOf(market, kind, side))
  return { market, answer, order: json }
})

/**
 * Makes other accounts offer 0.01 at each of these percentages, then trade at the activation price. Returns the
 * triggered order.
 */
const trigger = Effect.fnUntraced(function*(
  world: World,
  kind: Kind,
  side: Orders.Side,
  offered: ReadonlyArray<number>
) {
  const [account, other] = [yield* world.trader, yield* world.open()]
  const { market, order } = yield* place(world, account, kind, side)
  for (const percent of offered) {
    yield* Trading.placeOther(world, other, {
      market: market.name,
      side: Orders.opposite(side),
      amount: "0.01",
      price: priceAt(market, side, percent)
    })
  }
  yield* Trading.tradeAt(world, market, priceAt(market, side, 5))
  const found = yield* Orders.find(world, account, order["orderId"])
  const open = yield* Orders.list(world, account, Paths.activeOrders)
  return { account, market, found, isOpen: open.has(String(order["orderId"])) }
})

/** Expects that an order has traded `stock` for `money`. */
const hasTraded = (order: Body, stock: number, money: number) =>
  Verdict.conclude(
    `${stock} filled for ${money}`,
    `${String(order["dealStock"])} filled for ${String(order["dealMoney"])}`,
    Math.abs(Number(order["dealStock"]) - stock) < 1e-9 && Math.abs(Number(order["dealMoney"]) - money) < 1e-4
  )

/** Required fields by kind of order. */
const required: { readonly [K in Kind]: ReadonlyArray<string> } = {
  "stop-market": ["market", "side", "amount", "activation_price"],
  "collateral-stop-limit": ["market", "side", "amount", "price", "activation_price"],
  "trigger-market": ["market", "side", "amount", "activation_price"]
}

export const rules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.forEach("live-stops.waits", {
    statement: "Shows a new stop order with its type, its activation price and no fills",
    values: cases,
    check: Effect.fnUntraced(function*(world, { kind, side }) {
      const { answer, market, order } = yield* place(world, yield* world.trader, kind, side)
      yield* Verdict.expect(
        answer,
        `type ${types[kind].join(" or ")}, the activation price, dealStock 0, and not activated`,
        types[kind].includes(String(order["type"])) &&
          Number(order["activation_price"]) === Number(priceAt(market, side, 5)) &&
          Number(order["dealStock"]) === 0 && (order["activated"] ?? 0) === 0
      )
      // The documentation says that a stop-market order shows no price.
      if (kind === "collateral-stop-limit") return
      yield* Verdict.expect(answer, "no price", order["price"] === undefined || Number(order["price"]) === 0)
    })
  }),
  LiveCalls.section.forEach("live-stops.market.trades", {
    statement: "Executes a triggered stop-market order immediately against the best orders in the book",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const { account, found, market } = yield* trigger(world, "trigger-market", side, [7, 6])
      const money = 0.01 * (Number(priceAt(market, side, 6)) + Number(priceAt(market, side, 7)))
      yield* hasTraded(found, 0.02, money)
      const fills = [6, 7].map((percent) => ({
        price: priceAt(market, side, percent),
        amount: "0.01",
        side,
        role: 2,
        orderId: found["id"] ?? found["orderId"]
      }))
      yield* LiveOrders.lists(yield* LiveOrders.executed(world, account), "the fills", "price", fills)
    })
  }),
  LiveCalls.section.always("live-stops.market.spends", {
    statement:
      "Treats the amount of a spot stop-market buy as its cost in the quote currency, and then releases the rest",
    check: Effect.fnUntraced(function*(world) {
      const { account, found, isOpen, market } = yield* trigger(world, "stop-market", "buy", [6, 6, 6])
      const spent = Number(found["dealMoney"])
      const most = Number(cost(market))
      yield* Verdict.conclude(
        `nearly ${most} spent`,
        `${String(found["dealMoney"])} spent`,
        spent <= most && spent > most * 0.9
      )
      if (isOpen) return
      const { answer, of } = yield* LiveOrders.funds(world, account)
      yield* Verdict.expect(answer, `no ${market.money} in freeze`, of(market.money).freeze === 0)
    })
  }),
  LiveCalls.section.forEach("live-stops.market.base", {
    statement: "Treats the amount of a margin stop-market order, and of any sell, as base currency",
    values: [{ kind: "trigger-market", side: "buy" }, { kind: "stop-market", side: "sell" }] as const,
    check: Effect.fnUntraced(function*(world, { kind, side }) {
      const { found, market } = yield* trigger(world, kind, side, [6, 6, 6])
      yield* hasTraded(found, 0.02, 0.02 * Number(priceAt(market, side, 6)))
    })
  }),
  LiveCalls.section.forEach("live-stops.market.never-rests", {
    statement: "Cancels the remainder of a triggered stop-market order, which never rests in the book",
    level: "SHOULD",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const { found, isOpen } = yield* trigger(world, "trigger-market", side, [6])
      yield* Verdict.conclude(
        "0.01 filled, and the order closed",
        { filled: found["dealStock"], isOpen },
        Number(found["dealStock"]) === 0.01 && !isOpen
      )
    })
  }),
  LiveCalls.section.forEach("live-stops.limit.rests", {
    statement: "Executes a triggered margin stop-limit order up to its limit; the remainder rests in the book",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const { account, found, isOpen, market } = yield* trigger(world, "collateral-stop-limit", side, [6, 8])
      yield* Verdict.conclude(
        "0.01 filled, and the order open",
        { filled: found["dealStock"], isOpen },
        Number(found["dealStock"]) === 0.01 && isOpen
      )
      const part = { amount: 0.01, price: Number(priceAt(market, side, 6)) }
      const { price, ...terms } = fieldsOf(market, "collateral-stop-limit", side)
      yield* LiveOrders.lists(yield* LiveOrders.open(world, account), "the triggered order", "orderId", [
        {
          ...terms,
          price,
          type: "stop limit",
          orderId: found["orderId"],
          activated: 1,
          ...LiveOrders.filled("0.02", [part])
        }
      ])
    })
  }),
  LiveCalls.section.forEach("live-stops.history", {
    statement:
      "Shows a triggered order's activation price in order history; activated, if shown, is the time in seconds",
    values: cases,
    check: Effect.fnUntraced(function*(world, { kind, side }) {
      const { account, found, market } = yield* trigger(world, kind, side, [6, 6, 6])
      const fields = { market: market.name, orderId: found["id"] ?? found["orderId"] }
      const answer = yield* LiveCalls.call(world, account, Paths.orderHistory, fields)
      const listed = Json.isObject(answer.json) ? answer.json[market.name] : undefined
      const [record = {}] = Array.isArray(listed) ? listed.filter(Json.isObject) : []
      yield* Verdict.expect(
        answer,
        `activationPrice ${priceAt(market, side, 5)}`,
        Number(record["activationPrice"]) === Number(priceAt(market, side, 5))
      )
      const { activated, activationCondition = side === "buy" ? ">=" : "<=" } = record
      const { amount } = fieldsOf(market, kind, side)
      const condition = side === "buy" ? [">=", "gte"] : ["<=", "lte"]
      yield* Verdict.expect(
        answer,
        `side ${side}, amount ${String(amount)}, a fill, and activationCondition ${condition[0]}, if it is shown`,
        record["side"] === side && Number(record["amount"]) === Number(amount) && Number(record["dealStock"]) > 0 &&
          condition.includes(String(activationCondition))
      )
      if (activated !== undefined) yield* LiveOrders.isNow(world, answer, "an activated time", activated)
    })
  }),
  LiveCalls.section.forEach("live-stops.reduce-only", {
    statement: "Refuses a reduce-only stop order without a position, or on the position's side: code 116",
    values: (["collateral-stop-limit", "trigger-market"] as const).flatMap((kind) =>
      [false, true].map((hasPosition) => ({ kind, hasPosition }))
    ),
    check: Effect.fnUntraced(function*(world, { hasPosition, kind }) {
      const [market, account] = [yield* world.market, yield* world.trader]
      if (hasPosition) yield* Trading.openPosition(world, account, "sell", "0.01")
      const fields = fieldsOf(market, kind, "sell", { reduceOnly: true })
      const answer = yield* LiveCalls.call(world, account, paths[kind], fields)
      yield* Refusals.coded(answer, { status: 422, codes: [116] }, "because there is no position to reduce")
      yield* Verdict.expect(
        answer,
        "errors that name reduceOnly",
        Refusals.namedFields(answer).includes("reduceOnly")
      )
    })
  }),
  LiveCalls.section.forEach("live-stops.reduce-only.closed", {
    statement: "Opens no position with a reduce-only stop order that is triggered after its position has closed",
    values: (["collateral-stop-limit", "trigger-market"] as const).flatMap((kind) =>
      Orders.sides.map((side) => ({ kind, side }))
    ),
    check: Effect.fnUntraced(function*(world, { kind, side }) {
      const [account, other] = [yield* LiveOrders.customer(world), yield* world.open()]
      const market = yield* Trading.openPosition(world, account, Orders.opposite(side), "0.02")
      const fields = fieldsOf(market, kind, side, { reduceOnly: true })
      const { json: order } = yield* LiveCalls.object(world, account, paths[kind], fields)
      yield* Trading.openPosition(world, account, side, "0.02")
      const before = yield* LiveOrders.executed(world, account)
      yield* Trading.placeOther(world, other, {
        market: market.name,
        side: Orders.opposite(side),
        amount: "0.02",
        price: priceAt(market, side, 6)
      }, Paths.collateralLimit)
      yield* Trading.tradeAt(world, market, priceAt(market, side, 5))
      const after = yield* LiveOrders.executed(world, account)
      yield* Verdict.expect(
        after.answer,
        `no fill of order ${String(order["orderId"])}`,
        after.records.length === before.records.length
      )
      const positions = yield* LiveCalls.list(world, account, Paths.openPositions, { market: market.name })
      yield* Verdict.expect(positions.answer, "no position", positions.items.length === 0)
    })
  }),
  LiveCalls.section.forEach("live-stops.locks", {
    statement: "Locks the funds of a waiting spot stop order, releases them when the order is canceled, and never "
      + "triggers a canceled order",
    values: [
      { path: Paths.stopMarket, side: "buy" },
      { path: Paths.stopMarket, side: "sell" },
      { path: Paths.stopLimit, side: "buy" },
      { path: Paths.stopLimit, side: "sell" }
    ] as const,
    check: Effect.fnUntraced(function*(world, { path, side }) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* world.market
      const kind = path === Paths.stopMarket ? "stop-market" : "collateral-stop-limit"
      const fields = fieldsOf(market, kind, side)
      const [ticker, least] = side === "sell"
        ? [market.stock, Number(fields["amount"])]
        : [market.money, Number(fields["amount"]) * Number(fields["price"] ?? 1)]
      const before = (yield* LiveOrders.funds(world, account)).of(ticker)
      const { json: { orderId } } = yield* LiveCalls.object(world, account, path, fields)
      const during = yield* LiveOrders.funds(world, account)
      const taken = during.of(ticker).freeze - before.freeze
      // An order may lock up to one percent more, for its fee.
      yield* Verdict.expect(
        during.answer,
        `${least} ${ticker} more in freeze, plus a fee, and as much less in available`,
        taken > least - 1e-9 && taken <= least * 1.01 &&
          Math.abs(before.available - during.of(ticker).available - taken) < 1e-6
      )
      yield* Trading.placeOther(world, account, { market: market.name, orderId }, Paths.cancelOrder)
      const after = yield* LiveOrders.funds(world, account)
      yield* Verdict.expect(after.answer, `the freeze before the order`, after.of(ticker).freeze === before.freeze)
      const offer = {
        market: market.name,
        side: Orders.opposite(side),
        amount: "0.05",
        price: priceAt(market, side, 6)
      }
      yield* Trading.placeOther(world, yield* world.open(), offer)
      yield* Trading.tradeAt(world, market, priceAt(market, side, 5))
      yield* LiveOrders.nothingOpen(world, account)
      yield* LiveOrders.lists(yield* LiveOrders.executed(world, account), "no fills", "id", [])
    })
  }),
  LiveCalls.section.forEach("live-stops.refusal", {
    statement: "Refuses a stop order without a required field: HTTP 422, code 30, and errors that name the field",
    values: kinds.flatMap((kind) => required[kind].map((key) => ({ kind, key }))),
    check: Effect.fnUntraced(function*(world, { key, kind }) {
      const { [key]: _missing, ...fields } = fieldsOf(yield* world.market, kind, "sell")
      yield* LiveCalls.refuses(world, yield* world.trader, paths[kind], fields, { key })
    })
  }),
  LiveCalls.section.forEach("live-stops.last-price", {
    statement: "Refuses an activation price equal to the last price",
    // For stop-limit orders, the documentation also says that the side decides the direction of the trigger, so any
    // activation price may be correct.
    values: kinds,
    check: Effect.fnUntraced(function*(world, kind) {
      const market = yield* world.market
      const last = { activation_price: priceText(market, market.price) }
      const fields = fieldsOf(market, kind, "sell", last)
      const answer = yield* LiveCalls.call(world, yield* world.trader, paths[kind], fields)
      yield* Refusals.coded(
        answer,
        { status: 422, codes: [30, 101] },
        "because the activation price equals the last price"
      )
    })
  })
]
