/**
 * Rules about the invalid values and the options of all calls that place orders. Only the live exchange's documentation
 * describes these values and options.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { basePrice, digits, priceText, toMarket } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Trading from "../world/Trading.ts"
import type { Body, Market } from "../world/World.ts"

const { forEach } = LiveCalls.section

/** Creates a sell order that waits 10 percent above the market. */
const limit = (market: Market): Body => ({
  market: market.name,
  side: "sell",
  amount: "0.02",
  price: priceText(market, market.price * 1.1)
})

/** Creates a stop order that sells below the market. */
const stop = (market: Market): Body => ({
  market: market.name,
  side: "sell",
  amount: "0.02",
  activation_price: priceText(market, market.price * 0.9)
})

const stopLimit = (market: Market): Body => ({ ...stop(market), price: priceText(market, market.price * 0.88) })

const marketOrder = ({ name }: Market): Body => ({ market: name, side: "sell", amount: "0.02" })

/** The calls that place one order, each with a valid order. */
const calls: ReadonlyArray<{ readonly path: string; readonly draft: (market: Market) => Body }> = [
  { path: Paths.limitOrder, draft: limit },
  { path: Paths.collateralLimit, draft: limit },
  { path: Paths.stopMarket, draft: stop },
  { path: Paths.collateralStopLimit, draft: stopLimit },
  { path: Paths.triggerMarket, draft: stop },
  { path: Paths.marketOrder, draft: marketOrder },
  { path: Paths.stockMarketOrder, draft: marketOrder },
  { path: Paths.collateralMarketOrder, draft: marketOrder }
]

/** The calls that place stop orders and that only the live exchange's documentation describes. */
const stops = calls.filter(({ draft }) => draft === stop || draft === stopLimit)

/** Returns the fields of a stop order that buys above the market. The amount of a spot stop-market buy is its cost. */
const rising = (market: Market, path: string, draft: (market: Market) => Body): Body => ({
  ...draft(market),
  side: "buy",
  ...(path === Paths.stopMarket ? { amount: "800" } : {}),
  activation_price: priceText(market, market.price * 1.1),
  ...(draft === stopLimit ? { price: priceText(market, market.price * 1.12) } : {})
})

/** Invalid values of fields, with the codes of their refusals. */
const wrong = [
  { key: "market", values: ["NO_SUCH", "btc_usdt", ""], codes: [31] },
  { key: "side", values: ["BUY", "hold", ""], codes: [30] },
  { key: "amount", values: ["ten"], codes: [32] },
  { key: "amount", values: ["0", "-0.02"], codes: [30, 32] },
  { key: "price", values: ["ten", "0"], codes: [33] },
  { key: "price", values: ["-40000"], codes: [30, 33] },
  { key: "activation_price", values: ["ten", "0", "-40000"], codes: [30] },
  { key: "stp", values: ["none"], codes: [30] },
  { key: "clientOrderId", values: ["a b", "a/b"], codes: [36] }
] as const

/** Returns a valid order for a real account: it has the smallest amount, and waits far from the market. */
const farther = (market: Market, fields: Body): Body => {
  const at = (factor: number) => priceText(market, market.price * factor)
  const isStop = fields["activation_price"] !== undefined
  return {
    ...fields,
    amount: Orders.amountFor(market, market.price / 2),
    ...(isStop ? { activation_price: at(0.5) } : {}),
    ...(fields["price"] === undefined ? {} : { price: at(isStop ? 0.52 : 1.8) })
  }
}

/** The fields in which an invalid value cannot make an order trade, even if a faulty target accepts the value. */
const harmless: ReadonlyArray<string> = ["market", "amount", "stp", "clientOrderId"]

/** Returns the spellings of a key that refusals may use. */
const spellings = (key: string): ReadonlyArray<string> => [
  key,
  key.replace(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase())
]

const valueRules: ReadonlyArray<Rule.Rule> = [
  forEach("live-terms.values", {
    statement: "Refuses an invalid value with HTTP 422, the code of its field, and errors that name the field",
    profile: "mutating",
    values: ({ profile }: Rule.Setting) =>
      calls.filter(({ draft }) => profile === "control" || draft !== marketOrder).flatMap(({ draft, path }) =>
        wrong.filter(({ key }) => profile === "control" || harmless.includes(key))
          .map((field) => ({ ...field, draft, path }))
      ),
    check: Effect.fnUntraced(function*(world, { codes, draft, key, path, values }) {
      const account = yield* world.trader
      const market = yield* world.market
      const fields = world.profile === "control" ? draft(market) : farther(market, draft(market))
      if (fields[key] === undefined && key !== "stp" && key !== "clientOrderId") return
      for (const value of values) {
        const answer = yield* LiveOrders.submit(world, account, path, { ...fields, [key]: value }, fields)
        yield* Verdict.expect(
          answer,
          `HTTP 422, code ${codes.join(" or ")}, and errors that name ${key}, because it is ${Json.stringify(value)}`,
          answer.status === 422 && Refusals.hasCode(answer, codes) &&
            spellings(key).some((spelling) => Refusals.namedFields(answer).includes(spelling))
        )
      }
      yield* LiveOrders.nothingOpen(world, account)
    })
  }),
  forEach("live-terms.min-amount", {
    statement: "Refuses an amount one step below the market's minAmount, and accepts minAmount for an order that waits",
    values: calls,
    check: Effect.fnUntraced(function*(world, { draft, path }) {
      const [market, account] = [yield* Orders.boundByAmount(world), yield* world.trader]
      const { minAmount, step, stockPrecision } = market
      const amount = digits(2 * minAmount, stockPrecision)
      yield* world.control("Fund", { account: account.id, wallet: "trade", ticker: market.stock, amount })
      const place = (amount: number) =>
        LiveCalls.call(world, account, path, { ...draft(market), amount: digits(amount, stockPrecision) })
      yield* Refusals.coded(
        yield* place(minAmount - step),
        { status: 422, codes: [11, 30, 32] },
        `because its amount is one step below ${minAmount}`
      )
      yield* LiveOrders.nothingOpen(world, account)
      if (draft === marketOrder) return
      const accepted = yield* place(minAmount)
      yield* Verdict.expect(accepted, `success with an amount of ${minAmount}`, Refusals.isSuccess(accepted))
    })
  }),
  forEach("live-terms.market", {
    statement: "Refuses a stop-limit order on an unknown market: HTTP 422, code 31, and errors that name market",
    profile: "mutating",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const fields = Orders.stopLimit(yield* world.market, side, { market: "NO_SUCH" })
      yield* LiveCalls.refuses(world, yield* world.trader, Paths.stopLimit, fields, { codes: [31], key: "market" })
    })
  }),
  forEach("live-terms.client-order-id", {
    statement: "Refuses a stop order with the client order id of an open order on the same market: code 36",
    values: [...stops, { path: Paths.stopLimit, draft: stopLimit }].flatMap((call) => [
      ...Orders.sides.map((side) => ({ ...call, side, earlier: call })),
      { ...call, side: "sell", earlier: { path: Paths.limitOrder, draft: limit } }
    ]),
    check: Effect.fnUntraced(function*(world, { draft, earlier, path, side }) {
      const account = yield* world.trader
      const market = yield* world.market
      const clientOrderId = world.unique("twice")
      yield* Trading.placeOther(world, account, { ...earlier.draft(market), clientOrderId }, earlier.path)
      const second = { ...(side === "sell" ? draft(market) : rising(market, path, draft)), clientOrderId }
      yield* LiveCalls.refuses(world, account, path, second, { codes: [36], key: "clientOrderId" })
    })
  }),
  forEach("live-terms.margin-market", {
    statement: "Refuses a margin order on a market without margin trading: HTTP 422, code 31, errors that name market",
    values: calls.filter(({ path }) => path.includes("/collateral/")),
    check: Effect.fnUntraced(function*(world, { draft, path }) {
      const { json } = yield* world.get(Paths.markets)
      const listed = Array.isArray(json) ? json.filter(Json.isObject) : []
      const spot = listed.find(({ isCollateral, tradesEnabled, type }) =>
        isCollateral === false && tradesEnabled === true && type === "spot"
      )
      if (spot === undefined) return yield* Verdict.skip("every market allows collateral trading")
      const account = yield* world.trader
      // Everything but the market is valid, so only the market can cause the refusal.
      const market = toMarket(spot, basePrice)
      yield* world.control("MovePrice", { market: market.name, price: String(basePrice) })
      const fields = draft(market)
      yield* LiveCalls.refuses(world, account, path, fields, { codes: [31], key: "market" })
      yield* LiveOrders.nothingOpen(world, account)
    })
  })
]

/** The calls that place margin orders and take `reduceOnly` with an amount in the base currency. */
const reducing = calls.filter(({ path }) =>
  [Paths.collateralLimit, Paths.collateralStopLimit, Paths.triggerMarket].includes(path)
)

const optionRules: ReadonlyArray<Rule.Rule> = [
  forEach("live-terms.reduce-only", {
    statement: "Refuses a reduce-only order without a position, or on the position's side, with code 116",
    values: [Paths.collateralLimit, Paths.collateralBulk].flatMap((path) =>
      [true, false].map((hasPosition) => ({ path, hasPosition }))
    ),
    check: Effect.fnUntraced(function*(world, { hasPosition, path }) {
      const account = yield* world.trader
      if (hasPosition) yield* Trading.openPosition(world, account, "sell", "0.01")
      const fields = { ...limit(yield* world.market), reduceOnly: true }
      const sent = path === Paths.collateralBulk ? { orders: [fields] } : fields
      const answer = yield* LiveCalls.call(world, account, path, sent)
      const { code, errors } = Refusals.errorOf(answer.json)
      yield* Verdict.expect(
        answer,
        "code 116, and errors that name reduceOnly",
        code === 116 && Json.isObject(errors) && Object.hasOwn(errors, "reduceOnly")
      )
      yield* LiveOrders.nothingOpen(world, account)
    })
  }),
  forEach("live-terms.reduce-only.clipped", {
    statement: "Reduces a reduce-only order to the size of the position, and shows the reduced amount",
    values: reducing,
    check: Effect.fnUntraced(function*(world, { draft, path }) {
      const account = yield* world.trader
      const market = yield* Trading.openPosition(world, account, "buy", "0.01")
      const fields = { ...draft(market), amount: "0.05", reduceOnly: true }
      const { answer, order } = yield* LiveOrders.place(world, account, path, fields)
      yield* LiveOrders.shows({ answer }, "the order", order, { amount: "0.01", left: "0.01", reduceOnly: true })
      const open = yield* LiveOrders.open(world, account)
      yield* LiveOrders.lists(open, "the order", "orderId", [{ orderId: order["orderId"], amount: "0.01" }])
    })
  }),
  forEach("live-terms.post-only", {
    statement: "Refuses a post-only order that would match immediately with code 13 or 14, and executes no trade; one "
      + "price step away, the order rests",
    values: [Paths.limitOrder, Paths.collateralLimit, Paths.bulk, Paths.collateralBulk]
      .flatMap((path) => Orders.sides.map((side) => ({ path, side }))),
    check: Effect.fnUntraced(function*(world, { path, side }) {
      const [maker, taker] = [yield* world.open(), yield* world.open()]
      const market = yield* world.market
      const offer = { market: market.name, amount: "0.02", price: priceText(market, market.price) }
      const isBulk = path === Paths.bulk || path === Paths.collateralBulk
      const single = path === Paths.bulk || path === Paths.limitOrder ? Paths.limitOrder : Paths.collateralLimit
      yield* Trading.placeOther(world, maker, { ...offer, side: Orders.opposite(side) }, single)
      const fields = { ...offer, side, postOnly: true }
      const sent = isBulk ? { orders: [fields] } : fields
      const answer = yield* LiveCalls.call(world, taker, path, sent)
      const { code, errors } = Refusals.errorOf(answer.json)
      yield* Verdict.expect(
        answer,
        "code 13 or 14, and errors that name postOnly",
        (code === 13 || code === 14) && Json.isObject(errors) && Object.hasOwn(errors, "postOnly")
      )
      yield* LiveOrders.nothingOpen(world, taker)
      yield* LiveOrders.lists(yield* LiveOrders.executed(world, taker), "no fills", "id", [])
      const price = priceText(market, market.price + (side === "buy" ? -market.tick : market.tick))
      const { order: { orderId } } = yield* LiveOrders.place(world, taker, path, { ...fields, price })
      const rests = { orderId, price, postOnly: true, dealStock: "0" }
      yield* LiveOrders.lists(yield* LiveOrders.open(world, taker), "the resting order", "orderId", [rests])
    })
  }),
  forEach("live-terms.stp", {
    statement: "Cancels the order that stp names when two margin orders of one account would match: new, old or both",
    values: ["no", "cn", "co", "cb"] as const,
    check: Effect.fnUntraced(function*(world, stp) {
      const account = yield* world.trader
      const market = yield* world.market
      const terms = { market: market.name, amount: "0.02", price: priceText(market, market.price) }
      const place = (fields: Body) => LiveCalls.call(world, account, Paths.collateralLimit, { ...terms, ...fields })
      const old = yield* place({ side: "sell" })
      yield* place({ side: "buy", stp })
      const { answer, records } = yield* LiveOrders.open(world, account)
      const oldId = Json.isObject(old.json) ? old.json["orderId"] : undefined
      const left = records.map(({ orderId }) => orderId === oldId ? "old" : "new")
      const expected = { no: [], cn: ["old"], co: ["new"], cb: [] }[stp]
      yield* Verdict.expect(answer, `open: ${expected.join(", ") || "none"}`, left.join() === expected.join())
      const fills = yield* LiveOrders.executed(world, account)
      yield* Verdict.expect(
        fills.answer,
        stp === "no" ? "fills of both orders" : "no fills",
        stp === "no" ? fills.records.length === 2 : fills.records.length === 0
      )
    })
  }),
  forEach("live-terms.untriggered", {
    statement: "Does not trigger a stop order one price step before its activation price",
    values: stops.flatMap((call) => Orders.sides.map((side) => ({ ...call, side }))),
    check: Effect.fnUntraced(function*(world, { draft, path, side }) {
      const account = yield* world.trader
      const market = yield* world.market
      const fields = side === "sell" ? draft(market) : rising(market, path, draft)
      const { order } = yield* LiveOrders.place(world, account, path, fields)
      const before = side === "sell" ? market.tick : -market.tick
      yield* Trading.movePrice(world, market, Number(fields["activation_price"]) + before)
      const open = yield* LiveOrders.open(world, account)
      const { orderId } = order
      yield* LiveOrders.lists(open, "the waiting order", "orderId", [{ orderId, activated: 0, dealStock: "0" }])
    })
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...valueRules, ...optionRules]
