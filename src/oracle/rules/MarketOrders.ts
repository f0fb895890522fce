/** Rules about market orders on spot and margin, which only the live exchange's documentation describes. */
import * as Effect from "effect/Effect"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { priceText } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Trading from "../world/Trading.ts"
import * as Wallets from "../world/Wallets.ts"
import type { Body, World } from "../world/World.ts"

/** A call that places market orders. */
interface Entry {
  readonly path: string
  /** The order type that responses show for this call. */
  readonly type: string
  readonly side: Orders.Side
}

const entries: ReadonlyArray<Entry> = [
  { path: Paths.marketOrder, type: "market" },
  { path: Paths.stockMarketOrder, type: "stock market" },
  { path: Paths.collateralMarketOrder, type: "market" }
].flatMap((call) => Orders.sides.map((side) => ({ ...call, side })))

/** Whether the order's amount is the amount to spend, in the quote currency. */
const isQuote = ({ path, side }: Entry): boolean => path === Paths.marketOrder && side === "buy"

/**
 * Makes another account offer 0.01 and 0.02 at two prices, then places a market order of `size` in the base currency.
 */
const sweep = Effect.fnUntraced(function*(world: World, entry: Entry, size: number) {
  const { path, side, type } = entry
  const market = yield* world.market
  const [maker, account] = [yield* world.open(), yield* LiveOrders.customer(world)]
  const away = side === "buy" ? 0.01 : -0.01
  const [near, far] = [priceText(market, market.price * (1 + away)), priceText(market, market.price * (1 + 2 * away))]
  const resting = { market: market.name, side: Orders.opposite(side) }
  const limit = path === Paths.collateralMarketOrder ? Paths.collateralLimit : Paths.limitOrder
  yield* LiveOrders.place(world, maker, limit, { ...resting, amount: "0.01", price: near })
  yield* LiveOrders.place(world, maker, limit, { ...resting, amount: "0.02", price: far })
  const parts = [{ amount: 0.01, price: Number(near) }, { amount: Math.min(size, 0.03) - 0.01, price: Number(far) }]
  const cost = 0.01 * Number(near) + (size - 0.01) * Number(far)
  const amount = LiveOrders.textOf(isQuote(entry) ? cost : size)
  const fields = {
    market: market.name,
    side,
    amount,
    ...(side === "buy" ? { clientOrderId: world.unique("market") } : {})
  }
  const { answer, order } = yield* LiveOrders.place(world, account, path, fields)
  const { type: _type, ...terms } = LiveOrders.ordered(type, fields)
  const expected: Body = {
    ...terms,
    // The documentation states the type of a stock-market order only for a buy, so a sell's type is not compared.
    ...(path === Paths.stockMarketOrder && side === "sell" ? {} : { type }),
    ...LiveOrders.identity(order),
    ...LiveOrders.filled(size, parts)
  }
  return { account, market, answer, order, parts, expected, amount }
})

/** Places a market order while none of the check's orders is in the book. A target may refuse the market order. */
const unmet = Effect.fnUntraced(function*(world: World, entry: Entry) {
  const account = yield* LiveOrders.customer(world)
  const fields = fieldsOf(entry, (yield* world.market).name)
  const answer = yield* LiveCalls.call(world, account, entry.path, fields)
  const order = Refusals.isSuccess(answer) ? LiveOrders.toOrder(yield* Orders.objectOf(answer)) : undefined
  return { account, answer, order, amount: fields["amount"] }
})

/** Whether an order has no limit price: its `price` is missing or zero. */
const isUnpriced = ({ price }: Body): boolean => price === undefined || Number(price) === 0

const fieldsOf = (entry: Entry, market: string): Body => ({
  market,
  side: entry.side,
  amount: isQuote(entry) ? "400" : "0.01"
})

export const rules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.forEach("market-orders.answer", {
    statement:
      "Executes a market order immediately at the best prices in the book, and shows it as filled, without a price",
    values: entries,
    check: Effect.fnUntraced(function*(world, entry) {
      const { account, answer, expected, order } = yield* sweep(world, entry, 0.02)
      yield* LiveOrders.shows({ answer }, "the order", order, expected)
      yield* Verdict.expect(answer, "no price, or \"0\"", isUnpriced(order))
      yield* LiveOrders.isNow(world, answer, "a timestamp", order["timestamp"])
      yield* LiveOrders.lists(yield* LiveOrders.open(world, account), "no open orders", "orderId", [])
    })
  }),
  LiveCalls.section.forEach("market-orders.history", {
    statement: "Shows a market order in order history with its type, amount and fills, without a price",
    values: entries,
    check: Effect.fnUntraced(function*(world, entry) {
      const { account, expected, order } = yield* sweep(world, entry, 0.02)
      const { left: _left, stp: _stp, ...rest } = expected
      const shown = yield* LiveOrders.ended(world, account)
      const fee = { dealFee: order["dealFee"] }
      yield* LiveOrders.lists(shown, "the order", "orderId", [{ ...rest, ...fee }])
      yield* Verdict.expect(shown.answer, "no price, or \"0\"", shown.records.every(isUnpriced))
    })
  }),
  LiveCalls.section.forEach("market-orders.fills", {
    statement: "Lists the fills of a market order at the prices of the book, with the taker role",
    values: entries,
    check: Effect.fnUntraced(function*(world, entry) {
      const { account, answer, expected: { clientOrderId }, order, parts } = yield* sweep(world, entry, 0.02)
      const fills = parts.map(({ amount, price }) => ({
        amount: LiveOrders.textOf(amount),
        price: String(price),
        deal: LiveOrders.textOf(amount * price),
        role: 2,
        clientOrderId
      }))
      const { orderId } = order
      const deals = yield* LiveOrders.deals(world, account, orderId)
      yield* LiveOrders.lists(deals, "deals", "price", fills)
      const fee = deals.records.reduce((sum, { fee }) => sum + Number(fee), 0)
      yield* LiveOrders.shows({ answer }, "the order", order, {
        dealFee: LiveOrders.textOf(fee),
        ...(fee === 0 ? {} : { feeAsset: deals.records[0]?.["feeAsset"] })
      })
      const executed = yield* LiveOrders.executed(world, account)
      yield* LiveOrders.lists(
        executed,
        "fills",
        "price",
        fills.map((fill) => ({ ...fill, side: entry.side, orderId }))
      )
    })
  }),
  LiveCalls.section.forEach("market-orders.funds", {
    statement: "Changes the trade balance by exactly the amounts that a spot market order traded, and its fee",
    values: entries.filter(({ path }) => path !== Paths.collateralMarketOrder),
    check: Effect.fnUntraced(function*(world, entry) {
      // All new accounts have the same funds, so another new account shows the balances from before the order.
      const before = yield* LiveOrders.funds(world, yield* world.open())
      const { account, market, order, parts } = yield* sweep(world, entry, 0.02)
      const { answer, of } = yield* LiveOrders.funds(world, account)
      const money = parts.reduce((sum, { amount, price }) => sum + amount * price, 0)
      const sign = entry.side === "buy" ? 1 : -1
      for (const [ticker, change] of [[market.stock, sign * 0.02], [market.money, -sign * money]] as const) {
        const fee = order["feeAsset"] === ticker ? Number(order["dealFee"]) : 0
        const expected = before.of(ticker).available + change - fee
        yield* Verdict.expect(
          answer,
          `${expected} ${ticker} available, and nothing in freeze`,
          Math.abs(of(ticker).available - expected) < 1e-6 && of(ticker).freeze === 0
        )
      }
    })
  }),
  LiveCalls.section.forEach("market-orders.never-rests", {
    statement:
      "Cancels a market order's remainder if the book is too thin, and still shows the order's original amount",
    level: "SHOULD",
    values: entries,
    check: Effect.fnUntraced(function*(world, entry) {
      const { account, answer, expected: { amount }, order } = yield* sweep(world, entry, 0.05)
      yield* LiveOrders.shows({ answer }, "the order", order, { amount, dealStock: "0.03" })
      yield* LiveOrders.lists(yield* LiveOrders.open(world, account), "no open orders", "orderId", [])
      const shown = yield* LiveOrders.ended(world, account)
      yield* LiveOrders.lists(shown, "the order", "orderId", [{ orderId: order["orderId"], amount, dealStock: "0.03" }])
    })
  }),
  LiveCalls.section.forEach("market-orders.rest", {
    statement: "Shows a partly filled market order's remainder in left, and does not show the order as FILLED",
    values: entries,
    check: Effect.fnUntraced(function*(world, entry) {
      const { answer, expected: { amount }, order, parts } = yield* sweep(world, entry, 0.05)
      const spent = parts.reduce((sum, { amount, price }) => sum + amount * (isQuote(entry) ? price : 1), 0)
      const left = LiveOrders.textOf(Number(amount) - spent)
      yield* LiveOrders.shows({ answer }, "the order", order, { left })
      yield* Verdict.expect(answer, "a status other than FILLED", order["status"] !== "FILLED")
    })
  }),
  LiveCalls.section.forEach("market-orders.agrees", {
    statement: "Shows the sums of a market order's deals in the response and in order history",
    values: entries.flatMap((entry) => [0.02, 0.05, 0].map((size) => ({ entry, size }))),
    check: Effect.fnUntraced(function*(world, { entry, size }) {
      const { account, amount, answer, order } = yield* size === 0 ? unmet(world, entry) : sweep(world, entry, size)
      if (order === undefined) {
        const executed = yield* LiveOrders.executed(world, account)
        return yield* LiveOrders.lists(executed, "no fills of a refused order", "id", [])
      }
      const { records } = yield* LiveOrders.deals(world, account, order["orderId"])
      const sum = (key: string) => records.reduce((sum, record) => sum + Number(record[key]), 0)
      const [stock, money] = [sum("amount"), sum("deal")]
      const filled = { dealStock: LiveOrders.textOf(stock), dealMoney: LiveOrders.textOf(money) }
      const left = LiveOrders.textOf(Number(amount) - (isQuote(entry) ? money : stock))
      yield* LiveOrders.shows({ answer }, "the order", order, { ...filled, left })
      // The unspent rest of a buy's amount may be too small to buy anything.
      yield* Verdict.expect(
        answer,
        "FILLED only for an order whose full amount has traded",
        order["status"] !== "FILLED" || isQuote(entry) && size < 0.03 || Number(left) === 0
      )
      const shown = yield* LiveOrders.ended(world, account)
      yield* LiveOrders.lists(shown, "the order", "orderId", [{ orderId: order["orderId"], ...filled }])
    })
  }),
  LiveCalls.section.forEach("market-orders.reduce-only", {
    statement: "Refuses a reduce-only market order without a position, or on the position's side: code 116",
    values: Orders.sides.flatMap((side) => [false, true].map((hasPosition) => ({ side, hasPosition }))),
    check: Effect.fnUntraced(function*(world, { hasPosition, side }) {
      const account = yield* world.trader
      const { name } = yield* world.market
      if (hasPosition) yield* Trading.openPosition(world, account, side, "0.02")
      const fields = { market: name, side, amount: "0.01", reduceOnly: true }
      const answer = yield* LiveCalls.call(world, account, Paths.collateralMarketOrder, fields)
      yield* Refusals.coded(answer, { status: 422, codes: [116] }, "because there is no position to reduce")
      yield* Verdict.expect(
        answer,
        "errors that name reduceOnly",
        Refusals.namedFields(answer).includes("reduceOnly")
      )
    })
  }),
  LiveCalls.section.forEach("market-orders.reduce-only.clipped", {
    statement: "Executes a reduce-only market order only up to the size of the position",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const [maker, account] = [yield* world.open(), yield* LiveOrders.customer(world)]
      const market = yield* Trading.openPosition(world, account, Orders.opposite(side), "0.01")
      const price = priceText(market, market.price)
      const resting = { market: market.name, side: Orders.opposite(side), amount: "0.05", price }
      yield* LiveOrders.place(world, maker, Paths.collateralLimit, resting)
      const { answer, order } = yield* LiveOrders.place(world, account, Paths.collateralMarketOrder, {
        market: market.name,
        side,
        amount: "0.04",
        reduceOnly: true
      })
      yield* LiveOrders.shows({ answer }, "the order", order, { dealStock: "0.01", reduceOnly: true })
      const fills = yield* LiveOrders.executed(world, account)
      const expected = [{ side, amount: "0.01", orderId: order["orderId"] }]
      const shown = fills.records.filter(({ side: of }) => of === side)
      yield* LiveOrders.lists({ ...fills, records: shown }, "the fill", "side", expected)
    })
  }),
  LiveCalls.section.forEach("market-orders.refusal", {
    statement: "Refuses a market order without a required field: HTTP 422, code 30, and errors that name the field",
    values: entries.flatMap((entry) => (["market", "side", "amount"] as const).map((key) => ({ ...entry, key }))),
    check: Effect.fnUntraced(function*(world, { key, ...entry }) {
      const { [key]: _missing, ...fields } = fieldsOf(entry, (yield* world.market).name)
      yield* LiveCalls.refuses(world, yield* world.trader, entry.path, fields, { key })
    })
  }),
  LiveCalls.section.forEach("market-orders.no-funds", {
    statement: "Refuses a market order that the balance does not cover, and executes no trade",
    values: entries.flatMap((entry) => [false, true].map((some) => ({ ...entry, some }))),
    check: Effect.fnUntraced(function*(world, { some, ...entry }) {
      const [maker, account] = [yield* world.open(), yield* Wallets.open(world, some ? Wallets.little : [])]
      const market = yield* world.market
      const limit = entry.path === Paths.collateralMarketOrder ? Paths.collateralLimit : Paths.limitOrder
      const price = priceText(market, market.price)
      const resting = { market: market.name, side: Orders.opposite(entry.side), amount: "0.02", price }
      yield* LiveOrders.place(world, maker, limit, resting)
      const answer = yield* LiveCalls.call(world, account, entry.path, fieldsOf(entry, market.name))
      yield* Refusals.noFunds(answer)
      yield* LiveOrders.lists(yield* LiveOrders.executed(world, account), "no fills", "id", [])
    })
  })
]
