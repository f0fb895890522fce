/** Rules about collateral OCO orders (document, Endpoints §2). */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as ClientOrderIdRules from "../world/ClientOrderIdRules.ts"
import * as Dialects from "../world/Dialects.ts"
import { basePrice, priceText, toMarket } from "../world/Markets.ts"
import * as Oco from "../world/OcoOrders.ts"
import { hasValues, type OrderEntry } from "../world/OrderEntry.ts"
import * as OrderFieldRules from "../world/OrderFieldRules.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as PlacedOrderRules from "../world/PlacedOrderRules.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Section from "../world/Section.ts"
import * as Trading from "../world/Trading.ts"
import type { Body, Market, World } from "../world/World.ts"

const clause = "Endpoints §2"

const section = Section.of({ clause })

const entry: OrderEntry = {
  id: "oco",
  clause,
  path: Paths.oco,
  prices: ["price", "activation_price", "stop_limit_price"],
  limits: ["price", "stop_limit_price"],
  stopPrice: "stop_limit_price",
  isRefusalShown: true,
  unbounded: ["price", "activation_price", "stop_limit_price", "total"],
  // A target that treats an invalid side as a sell would sell at the take-profit price of a buy, which is below the
  // market, and trade.
  sideProfile: "control",
  draft: Orders.oco,
  clientOrderIds: (order, key) => Oco.legs.map((leg) => Oco.leg(order, leg)[key]),
  // The document requires unique client order ids only for stop-limit orders.
  perAccount: "SHOULD",
  isAsSubmitted: (order, { activation_price, amount, price, stop_limit_price }) =>
    hasValues(Oco.leg(order, "stop_loss"), amount, stop_limit_price, activation_price) &&
    hasValues(Oco.leg(order, "take_profit"), amount, price),
  liveClientOrderId: ""
}

/** The maximum number of markets on which a rule places an order. */
const maxMarkets = 20

/** Places an OCO order, moves the price to each of these factors of the base price, and returns both legs. */
const outcome = Effect.fnUntraced(function*(world: World, side: Orders.Side, factors: ReadonlyArray<number>) {
  const account = yield* world.trader
  const market = yield* world.market
  const { order } = yield* Orders.place(world, account, Paths.oco, Orders.oco(market, side))
  for (const factor of factors) yield* Trading.movePrice(world, market, basePrice * factor)
  const id = Dialects.keys(world.dialect).orderId
  const open = yield* Orders.list(world, account, Paths.activeOrders)
  const ended = yield* Orders.list(world, account, Paths.orderHistory)
  const of = (key: Oco.Leg) => {
    const number = String(Oco.leg(order, key)[id])
    return ended.get(number) ?? open.get(number) ?? {}
  }
  const stockKey = Dialects.keys(world.dialect).dealStock
  return {
    stillOpen: Oco.legs.filter((key) => open.has(String(Oco.leg(order, key)[id]))),
    stop: of("stop_loss"),
    limit: of("take_profit"),
    filled: (found: Body) => Number(found[stockKey]) > 0
  }
})

/**
 * The factors of prices that fill the stop-loss: past its trigger, where no order can trade at its limit, then back
 * across its limit.
 */
const pastStop = (side: Orders.Side): ReadonlyArray<number> => side === "buy" ? [1.85, 1.7] : [0.45, 0.6]

const oneCancelsOther: ReadonlyArray<Rule.Rule> = [
  section.forEach("oco.one-cancels-other.take-profit", {
    statement: "Cancels the stop-loss leg when the take-profit leg is filled",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const { filled, limit, stillOpen, stop } = yield* outcome(world, side, [side === "buy" ? 0.45 : 1.9])
      const { CANCELED, FILLED } = Dialects.statuses(world.dialect)
      yield* Verdict.conclude(
        `the take-profit ${FILLED}, the stop-loss ${CANCELED}`,
        [limit["status"], stop["status"]],
        limit["status"] === FILLED && stop["status"] === CANCELED && filled(limit) && !filled(stop)
      )
      yield* Verdict.conclude("neither leg open", stillOpen, stillOpen.length === 0)
    })
  }),
  section.forEach("oco.one-cancels-other.stop-loss", {
    statement: "Cancels the take-profit leg when the stop-loss leg is filled",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const { filled, limit, stillOpen, stop } = yield* outcome(world, side, pastStop(side))
      const { CANCELED, FILLED } = Dialects.statuses(world.dialect)
      yield* Verdict.conclude(
        `the take-profit ${CANCELED}, the stop-loss ${FILLED}`,
        [limit["status"], stop["status"]],
        limit["status"] === CANCELED && stop["status"] === FILLED && !filled(limit) && filled(stop)
      )
      yield* Verdict.conclude("neither leg open", stillOpen, stillOpen.length === 0)
    })
  }),
  section.forEach("oco.stop-loss.trigger", {
    statement: "Triggers the stop-loss leg exactly at its activation price, and not one price step before",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* world.trader
      const market = yield* world.market
      const fields = Orders.oco(market, side)
      const { order } = yield* Orders.place(world, account, Paths.oco, fields)
      const trigger = Number(fields["activation_price"])
      const before = trigger + (side === "buy" ? -market.tick : market.tick)
      const stop = Oco.leg(order, "stop_loss")[Dialects.keys(world.dialect).orderId]
      for (const [price, isReached] of [[before, false], [trigger, true]] as const) {
        yield* Trading.movePrice(world, market, price)
        const { activated } = yield* Orders.find(world, account, stop)
        yield* Verdict.conclude(
          `the stop-loss ${isReached ? "" : "not "}activated`,
          { price, activated },
          (activated === 1) === isReached
        )
      }
    })
  }),
  section.forEach("oco.stop-loss.limit", {
    statement: "Executes an activated stop-loss as a limit order at stop_limit_price",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* world.trader
      const market = yield* world.market
      const fields = Orders.oco(market, side)
      const { order } = yield* Orders.place(world, account, Paths.oco, fields)
      const keys = Dialects.keys(world.dialect)
      for (const factor of pastStop(side)) yield* Trading.movePrice(world, market, basePrice * factor)
      const stop = yield* Orders.find(world, account, Oco.leg(order, "stop_loss")[keys.orderId])
      const money = Number(fields["amount"]) * Number(fields["stop_limit_price"])
      yield* Verdict.conclude(
        `filled for ${money}`,
        [stop["status"], stop[keys.dealMoney]],
        stop["status"] === Dialects.statuses(world.dialect).FILLED &&
          Math.abs(Number(stop[keys.dealMoney]) - money) < 1e-6
      )
    })
  }),
  section.forAll("oco.never-both", {
    statement: "Fills at most one leg, however the price moves",
    values: fc.tuple(
      fc.constantFrom(...Orders.sides),
      fc.array(fc.constantFrom(0.4, 0.45, 0.6, 1, 1.5, 1.85, 2.2), { minLength: 1, maxLength: 6 })
    ),
    examples: [["buy", [0.45, 1.85, 1]], ["sell", [1.85, 0.45, 1]], ["buy", [1.85, 0.4]]],
    check: Effect.fnUntraced(function*(world, [side, path]) {
      const account = yield* world.trader
      const market = yield* world.market
      const { order } = yield* Orders.place(world, account, Paths.oco, Orders.oco(market, side))
      for (const factor of path) {
        yield* Trading.movePrice(world, market, basePrice * factor)
      }
      const keys = Dialects.keys(world.dialect)
      const both = yield* Effect.forEach(
        Oco.legs,
        (key) => Orders.find(world, account, Oco.leg(order, key)[keys.orderId])
      )
      const filled = both.map((found) => Number(found[keys.dealStock]))
      yield* Verdict.conclude("at most one leg with fills", filled, filled.filter((stock) => stock > 0).length <= 1)
    })
  })
]

const marginMarket: Rule.Rule = section.always("oco.request.market.margin", {
  statement: "Refuses a market without collateral trading",
  live: Rule.other("HTTP 422"),
  check: Effect.fnUntraced(function*(world) {
    const answer = yield* world.get(Paths.markets)
    const listed = Array.isArray(answer.json) ? answer.json.filter(Json.isObject) : []
    const spot = listed.find((market) => market["isCollateral"] === false)
    if (spot === undefined) return yield* Verdict.skip("all markets can be traded with collateral")
    // Everything but the market is valid, so only the market can cause the refusal.
    const market = toMarket(spot, basePrice)
    yield* world.control("MovePrice", { market: market.name, price: String(basePrice) })
    const draft = Orders.oco(market, "buy")
    const refused = yield* Orders.submit(world, yield* world.trader, Paths.oco, draft)
    yield* Refusals.order(refused, world.dialect, true, "market")
  })
})

/** The maximum total of a market's smallest order, at the base price. */
const maxLeast = 10_000

/** Returns the market at the base price, or at a lower price if its smallest order would cost too much at that one. */
const affordable = (market: Market): Market =>
  market.minAmount * market.price <= maxLeast
    ? market
    : { ...market, price: Math.max(market.minTotal / market.minAmount, 1000 * market.tick) }

const everyMarket: Rule.Rule = section.always("oco.markets.each", {
  statement: "Accepts an order on every spot market in the market list that allows collateral trading",
  check: Effect.fnUntraced(function*(world) {
    const { money } = yield* world.market
    const account = yield* world.trader
    for (
      const market of (yield* world.markets).filter((one) => one.money === money).slice(0, maxMarkets).map(affordable)
    ) {
      const draft = Orders.oco(market, "buy")
      const { maxTotal } = market
      if (maxTotal > 0 && Number(draft["amount"]) * Number(draft["stop_limit_price"]) > maxTotal) continue
      yield* world.control("MovePrice", { market: market.name, price: priceText(market, market.price) })
      const { answer, order } = yield* Orders.place(world, account, Paths.oco, draft)
      yield* Verdict.expect(
        answer,
        `legs on ${market.name} with the values of ${Json.stringify(draft)}`,
        Oco.both(order, (leg) => leg["market"] === market.name) && entry.isAsSubmitted(order, draft)
      )
      const amount = String(draft["amount"])
      const finer = `${amount}${amount.includes(".") ? "" : "."}1`
      const refused = yield* world.call(account, Paths.oco, { ...draft, amount: finer })
      yield* Refusals.tooFine(refused, world.dialect, true, "amount")
    }
  })
})

/**
 * How rules about refused prices apply to the dialects: only the live exchange's documentation says which prices are
 * refused.
 */
const byPrice = (code: number) => ({
  document: Rule.notApplicable("the document does not say where the prices of an OCO order must be"),
  live: Rule.documented(`HTTP 400, code ${code}`)
})

/** Submits an OCO order, and expects that it is refused with this code and that no leg is placed. */
const refusesPrice = Effect.fnUntraced(function*(world: World, fields: Body, code: number, why: string) {
  const account = yield* world.trader
  const answer = yield* Orders.submit(world, account, Paths.oco, fields)
  yield* Refusals.exactly(answer, { status: 400, codes: [code] }, why)
  const open = yield* Orders.list(world, account, Paths.activeOrders)
  yield* Verdict.conclude("no open orders", [...open.keys()], open.size === 0)
})

const priceRules: ReadonlyArray<Rule.Rule> = [
  section.forEach("oco.take-profit.maker", {
    ...byPrice(150),
    statement: "Refuses an OCO order whose take-profit would match immediately, and executes no trade",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const market = yield* world.market
      const other = yield* world.open()
      const away = side === "buy" ? -1 : 1
      const at = (percent: number) => priceText(market, market.price * (1 + away * percent / 100))
      const offer = { market: market.name, side: Orders.opposite(side), amount: "0.02", price: at(2) }
      const { orderId } = yield* Trading.placeOther(world, other, offer, Paths.collateralLimit)
      const fields = Orders.oco(market, side, { price: at(1) })
      yield* refusesPrice(world, fields, 150, "because the take-profit would match another order")
      const { dealStock } = yield* Orders.find(world, other, orderId)
      yield* Verdict.conclude("the other order unfilled", { dealStock }, Number(dealStock) === 0)
    })
  }),
  section.forEach("oco.stop-loss.side", {
    ...byPrice(151),
    statement: "Refuses an OCO order that buys with an activation price below the market, or sells with one above it",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const market = yield* world.market
      const factor = side === "buy" ? 0.6 : 1.4
      const wrong = { activation_price: priceText(market, market.price * factor) }
      const fields = Orders.oco(market, side, { ...wrong, stop_limit_price: wrong.activation_price })
      yield* refusesPrice(world, fields, 151, "because the stop-loss would be on the side of the take-profit")
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [
  ...OrderFieldRules.rules(entry),
  ...ClientOrderIdRules.rules(entry),
  ...PlacedOrderRules.rules(entry),
  marginMarket,
  everyMarket,
  ...priceRules,
  ...oneCancelsOther
]
