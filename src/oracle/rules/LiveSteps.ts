/** Rules about price and amount steps, which only the live exchange's documentation describes. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import { digits } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Trading from "../world/Trading.ts"
import type { Body, Market } from "../world/World.ts"

/** Returns the value plus half a step. */
const offStep = (value: number, step: number): string => digits(value + step / 2, Math.ceil(-Math.log10(step)) + 1)

/** Creates a sell order far above the market. */
const offer = (market: Market, more: Body = {}): Body => {
  const { price, ...order } = Orders.stopLimit(market, "buy")
  return { market: order["market"], side: "sell", amount: order["amount"], price, ...more }
}

const stop = (market: Market, more: Body = {}): Body => {
  const { price: _price, ...order } = Orders.stopLimit(market, "sell", more)
  return order
}

interface Case {
  readonly path: string
  readonly draft: (market: Market) => Body
  /** The fields that must be multiples of a step, and their names in a refusal. */
  readonly keys: Body
}

const price = { price: "price" }
const amount = { amount: "amount" }
const activation = { activation_price: "activationPrice" }

const cases: ReadonlyArray<Case> = [
  { path: Paths.limitOrder, draft: offer, keys: { ...amount, ...price } },
  {
    path: Paths.stopLimit,
    draft: (market) => Orders.stopLimit(market, "sell"),
    keys: { ...amount, ...price, ...activation }
  },
  { path: Paths.stopMarket, draft: stop, keys: { ...amount, ...activation } },
  {
    path: Paths.collateralStopLimit,
    draft: (market) => Orders.stopLimit(market, "sell"),
    keys: { ...amount, ...price, ...activation }
  },
  { path: Paths.triggerMarket, draft: stop, keys: { ...amount, ...activation } },
  {
    path: Paths.oco,
    draft: (market) => Orders.oco(market, "sell"),
    keys: { ...amount, ...price, ...activation, stop_limit_price: "stopLimitPrice" }
  }
]

/** Returns the order, with one value off the market's step. */
const wrong = (market: Market, order: Body, key: string): Body => ({
  ...order,
  [key]: offStep(Number(order[key]), key === "amount" ? market.step : market.tick)
})

const isStep = (value: unknown): boolean =>
  value === undefined || value === "" || /^[0-9]+(?:\.[0-9]+)?$/u.test(String(value)) && typeof value === "string"

export const rules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.always("live-steps.listed", {
    statement: "Shows a market's tickSize and stepSize as decimals in strings, or as empty strings if it has none",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const answer = yield* world.get(Paths.markets)
      const markets = Array.isArray(answer.json) ? answer.json.filter(Json.isObject) : []
      yield* Verdict.expect(
        answer,
        "tickSize and stepSize as decimals in strings, or empty",
        markets.every((market) => isStep(market["tickSize"]) && isStep(market["stepSize"]))
      )
    })
  }),
  LiveCalls.section.forEach("live-steps.accepts", {
    statement: "Accepts a price and an amount that are odd multiples of the listed steps",
    values: ["price", "amount"],
    check: Effect.fnUntraced(function*(world, key) {
      const market = yield* world.market
      const order = offer(market)
      const [step, places] = key === "price"
        ? [market.tick, market.moneyPrecision]
        : [market.step, market.stockPrecision]
      const fields = { ...order, [key]: digits(Number(order[key]) + step, places) }
      const { answer, json } = yield* LiveCalls.object(world, yield* world.trader, Paths.limitOrder, fields)
      yield* Verdict.expect(answer, `${key} ${String(fields[key])}`, Number(json[key]) === Number(fields[key]))
    })
  }),
  LiveCalls.section.forEach("live-steps.refuses", {
    statement: "Refuses a value with more decimal places than its market allows, and places nothing",
    values: cases.flatMap(({ keys, ...order }) => Object.keys(keys).map((key) => ({ ...order, key }))),
    check: Effect.fnUntraced(function*(world, { draft, key, path }) {
      const market = yield* world.market
      const account = yield* world.trader
      const answer = yield* LiveCalls.call(world, account, path, wrong(market, draft(market), key))
      yield* Refusals.any(answer, `because ${key} has too many decimal places`)
      const open = yield* Orders.list(world, account, Paths.activeOrders)
      yield* Verdict.conclude("no open orders", [...open.keys()], open.size === 0)
    })
  }),
  LiveCalls.section.forEach("live-steps.refused", {
    statement: "Refuses a value off its market's step: HTTP 422, code 1, and errors that name the field in camel case",
    level: "SHOULD",
    values: cases.flatMap(({ keys, ...order }) =>
      Object.entries(keys).map(([key, named]) => ({ ...order, key, named: String(named) }))
    ),
    check: Effect.fnUntraced(function*(world, { draft, key, named, path }) {
      const market = yield* world.market
      const answer = yield* LiveCalls.call(world, yield* world.trader, path, wrong(market, draft(market), key))
      yield* Refusals.fields(answer, Refusals.offStep, named)
    })
  }),
  LiveCalls.section.forEach("live-steps.changes", {
    statement: "Refuses to change an order to a value off its market's step, as for a new order, and changes nothing",
    level: "SHOULD",
    values: ["price", "amount"],
    check: Effect.fnUntraced(function*(world, key) {
      const account = yield* world.trader
      const market = yield* world.market
      const order = offer(market)
      const { orderId } = yield* Trading.placeOther(world, account, order)
      const fields = { market: market.name, orderId, [key]: wrong(market, order, key)[key] }
      const answer = yield* LiveCalls.call(world, account, Paths.modifyOrder, fields)
      yield* Refusals.fields(answer, Refusals.offStep, key)
      const open = yield* Orders.list(world, account, Paths.activeOrders)
      yield* Verdict.conclude("the order open", "not open", open.has(String(orderId)))
    })
  }),
  LiveCalls.section.forEach("live-steps.bulk", {
    statement: "Shows code 1 in place of a bulk order with a value off its market's step",
    level: "SHOULD",
    values: [Paths.bulk, Paths.collateralBulk].flatMap((path) => ["price", "amount"].map((key) => ({ path, key }))),
    check: Effect.fnUntraced(function*(world, { key, path }) {
      const account = yield* world.trader
      const market = yield* world.market
      const orders = [offer(market), wrong(market, offer(market), key)]
      const { answer, items } = yield* LiveCalls.list(world, account, path, { orders })
      const [right, refused] = items.map((item) => Json.isObject(item) ? item : {})
      const error = refused?.["error"]
      yield* Verdict.expect(
        answer,
        `a result, and an error with code 1 that names ${key}`,
        Json.isObject(right?.["result"]) && Json.isObject(error) && error["code"] === 1 &&
          Json.isObject(error["errors"]) && Object.hasOwn(error["errors"], key)
      )
    })
  })
]
