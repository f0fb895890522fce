/** Rules about the requirements for limit orders, which only the live exchange's documentation describes. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { digits, priceText } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, Market, World } from "../world/World.ts"

const paths = [Paths.limitOrder, Paths.collateralLimit] as const

/** Creates a buy order that rests far from the market. */
const draft = (market: Market, more: Body = {}): Body => ({
  market: market.name,
  side: "buy",
  amount: "0.01",
  price: Orders.lowPrice(market),
  ...more
})

/** Creates a buy order of the smallest amount that rests far from the market, for a real account. */
const smallest = (market: Market, more: Body = {}): Body =>
  draft(market, { amount: Orders.amountFor(market, Number(Orders.lowPrice(market))), ...more })

/** The calls that place market orders. */
const plain: ReadonlyArray<string> = [Paths.marketOrder, Paths.stockMarketOrder, Paths.collateralMarketOrder]

/** Returns a valid order for a call. Only a market order can trade at once. */
const ofKind = (market: Market, path: string): Body =>
  path === Paths.oco
    ? Orders.oco(market, "sell")
    : path === Paths.stopLimit
    ? Orders.stopLimit(market, "sell")
    : plain.includes(path)
    ? { market: market.name, side: "sell", amount: "0.01" }
    : draft(market)

/**
 * Mutually exclusive flags, and the possible codes of the refusal. A target may first refuse `rpi` (43) or `retail`
 * (42) because the account has no permission.
 */
const flags: ReadonlyArray<{ readonly path: string; readonly fields: Body; readonly codes: ReadonlyArray<number> }> = [
  ...paths.flatMap((path) => [
    { path, fields: { ioc: true, postOnly: true }, codes: [37] },
    { path, fields: { ioc: true, rpi: true }, codes: [40, 43] },
    { path, fields: { postOnly: true, rpi: true }, codes: [30, 37, 40, 43] }
  ]),
  { path: Paths.limitOrder, fields: { retail: true, rpi: true }, codes: [41, 42, 43] },
  { path: Paths.limitOrder, fields: { bboRole: 1, postOnly: true }, codes: [30, 37] },
  { path: Paths.limitOrder, fields: { bboRole: 2, postOnly: true }, codes: [30, 37] },
  { path: Paths.limitOrder, fields: { bboRole: 1, ioc: true }, codes: [30, 37] }
]

const ends = [
  "canceled",
  "canceled in bulk",
  "canceled with all",
  "filled",
  "filled at once",
  "changed, then canceled"
] as const

/** Closes an order, and expects that its client order id is taken until then. */
const end = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  { how, path }: { readonly how: (typeof ends)[number]; readonly path: string },
  fields: Body,
  { orderId }: Body
) {
  const { clientOrderId, market, price } = fields
  const cancel = { market, orderId }
  switch (how) {
    case "canceled":
      return yield* Trading.placeOther(world, account, cancel, Paths.cancelOrder)
    case "canceled in bulk":
      return yield* LiveCalls.list(world, account, Paths.cancelBulk, { orders: [cancel] })
    case "canceled with all":
      return yield* LiveCalls.list(world, account, Paths.cancelAll, { market })
    case "filled": {
      const taken = { market, side: "sell", amount: "0.005", price }
      yield* Trading.placeOther(world, yield* world.open(), taken, path)
      yield* LiveCalls.refuses(world, account, path, fields, { codes: [36], key: "clientOrderId" })
      return yield* Trading.placeOther(world, yield* world.open(), taken, path)
    }
    case "filled at once":
      return
    case "changed, then canceled": {
      const by = { market, clientOrderId }
      yield* Trading.placeOther(world, account, { ...by, amount: "0.02" }, Paths.modifyOrder)
      return yield* Trading.placeOther(world, account, by, Paths.cancelOrder)
    }
  }
})

/**
 * Returns the same amount at two prices: `below` is the highest price at which the total is too small for the market,
 * and `least` is one step higher.
 */
const tooLittle = ({ minAmount, minTotal, moneyPrecision, price, step, stockPrecision, tick }: Market) => {
  const amount = Math.max(minAmount, Math.ceil(minTotal / (price / 2) / step - 1e-6) * step)
  const ticks = Math.ceil(minTotal / amount / tick - 1e-6) - 1
  const at = (ticks: number) => ({
    amount: digits(amount, stockPrecision),
    price: digits(ticks * tick, moneyPrecision)
  })
  return { below: at(ticks), least: at(ticks + 1) }
}

export const rules: ReadonlyArray<Rule.Rule> = [
  LiveCalls.section.forEach("live-entry.total", {
    statement: "Refuses a limit order whose total is one price step below minTotal: code 30, errors that name total or "
      + "amount; accepts minTotal",
    values: [...paths, ...Paths.ofSeveral],
    check: Effect.fnUntraced(function*(world, path) {
      const account = yield* world.trader
      const market = yield* world.market
      const { below, least } = tooLittle(market)
      // A target may refuse prices far from the market for another reason.
      if (Number(below.price) < market.price * 0.4) {
        return yield* Verdict.skip("the smallest amount exceeds minTotal unless the price is far below the market")
      }
      const answer = yield* LiveOrders.submit(world, account, path, draft(market, below))
      const { code, errors } = Refusals.errorOf(answer.json)
      const names = Object.keys(Json.isObject(errors) ? errors : {})
      yield* Verdict.expect(
        answer,
        `code 30, and errors that name total or amount, because ${Json.stringify(below)} is below ${market.minTotal}`,
        code === 30 && (names.includes("total") || names.includes("amount")) &&
          (Paths.ofSeveral.includes(path) || answer.status === 422)
      )
      yield* LiveOrders.nothingOpen(world, account)
      yield* LiveOrders.place(world, account, path, draft(market, least))
    })
  }),
  LiveCalls.section.forEach("live-entry.flags", {
    statement: "Refuses a limit order whose flags exclude each other, with the flags' code, and places nothing",
    profile: "mutating",
    // If a faulty target accepts an order at the best price, the order could trade. Only a sandbox gets such orders.
    values: ({ profile }: Rule.Setting) =>
      flags.filter(({ fields }) => profile === "control" || fields["bboRole"] === undefined),
    check: Effect.fnUntraced(function*(world, { codes, fields, path }) {
      const account = yield* world.trader
      const market = yield* world.market
      const { price, ...order } = smallest(market, fields)
      const sent = fields["bboRole"] === undefined ? { ...order, price } : order
      const answer = yield* LiveOrders.submit(world, account, path, sent, smallest(market))
      yield* Refusals.coded(answer, { status: 422, codes }, `because ${Object.keys(fields).join(" and ")} are set`)
      yield* LiveOrders.nothingOpen(world, account)
    })
  }),
  LiveCalls.section.forEach("live-entry.decimals", {
    statement: "Refuses a limit order whose price or amount has more decimal places than its market allows",
    profile: "mutating",
    values: paths.flatMap((path) => (["price", "amount"] as const).map((key) => ({ path, key }))),
    check: Effect.fnUntraced(function*(world, { key, path }) {
      const account = yield* world.trader
      const market = yield* world.market
      const plain = smallest(market)
      const finer = {
        price: digits(market.price / 2 + 10 ** -(market.moneyPrecision + 1), market.moneyPrecision + 1),
        amount: digits(Number(plain["amount"]) + 10 ** -(market.stockPrecision + 1), market.stockPrecision + 1)
      }[key]
      const answer = yield* LiveOrders.submit(world, account, path, { ...plain, [key]: finer }, plain)
      yield* Refusals.any(answer, `because its ${key} is ${finer}`)
      yield* LiveOrders.nothingOpen(world, account)
    })
  }),
  LiveCalls.section.forEach("live-entry.client-order-id.unique", {
    statement: "Refuses the client order id of an open order on the same market: code 36",
    profile: "mutating",
    values: ({ profile }: Rule.Setting) =>
      (profile === "control" ? [...paths, ...Paths.ofSeveral] : paths)
        .flatMap((path) => Orders.sides.map((side) => ({ path, side }))),
    check: Effect.fnUntraced(function*(world, { path, side }) {
      const account = yield* world.trader
      const market = yield* world.market
      const order = smallest(market, { clientOrderId: world.unique("twice") })
      const second = side === "buy" ? order : { ...order, side, price: priceText(market, market.price * 1.8) }
      if (!Paths.ofSeveral.includes(path)) {
        yield* LiveOrders.place(world, account, path, order)
        const answer = yield* LiveOrders.submit(world, account, path, second)
        return yield* Refusals.fields(answer, { status: 422, codes: [36] }, "clientOrderId")
      }
      yield* LiveCalls.list(world, account, path, { orders: [order, second] })
      const { answer, records } = yield* LiveOrders.open(world, account)
      yield* Verdict.expect(answer, "one open order", records.length === 1)
    })
  }),
  LiveCalls.section.forEach("live-entry.client-order-id.kinds", {
    statement:
      "Refuses the client order id of an open order for an order of any other kind on the same market: code 36",
    values: [...plain, Paths.oco, Paths.limitOrder, Paths.collateralLimit].flatMap((path) =>
      [Paths.limitOrder, Paths.stopLimit, Paths.oco].filter((earlier) => earlier !== path)
        .map((earlier) => ({ path, earlier }))
    ),
    check: Effect.fnUntraced(function*(world, { earlier, path }) {
      const account = yield* world.trader
      const market = yield* world.market
      const clientOrderId = world.unique("kinds")
      yield* Trading.placeOther(world, account, { ...ofKind(market, earlier), clientOrderId }, earlier)
      const before = yield* LiveOrders.open(world, account)
      const fields = { ...ofKind(market, path), clientOrderId }
      yield* LiveCalls.refuses(world, account, path, fields, { codes: [36], key: "clientOrderId" })
      const { answer, records } = yield* LiveOrders.open(world, account)
      yield* Verdict.expect(answer, "only the earlier order", records.length === before.records.length)
    })
  }),
  LiveCalls.section.forEach("live-entry.client-order-id.own", {
    statement:
      "Finds, changes and cancels by client order id only the account's own order, even if another account uses "
      + "the same id",
    values: [Paths.limitOrder, Paths.collateralLimit],
    check: Effect.fnUntraced(function*(world, path) {
      const market = yield* world.market
      const by = { market: market.name, clientOrderId: world.unique("shared") }
      const place = Effect.fnUntraced(function*(amount: string) {
        const account = yield* world.open()
        const fields = { ...by, side: "buy", amount, price: Orders.lowPrice(market) }
        const { order: { orderId } } = yield* LiveOrders.place(world, account, path, fields)
        return { account, expected: { orderId, amount, price: fields.price } as Body }
      })
      const [one, other, own] = [yield* place("0.03"), yield* place("0.031"), yield* place("0.032")]
      const stay = Effect.fnUntraced(function*() {
        for (const { account, expected } of [one, own]) {
          yield* LiveOrders.lists(yield* LiveOrders.open(world, account, by), "the order", "orderId", [expected])
        }
      })
      yield* stay()
      yield* LiveOrders.place(world, other.account, Paths.modifyOrder, { ...by, amount: "0.033" })
      yield* stay()
      yield* LiveOrders.place(world, other.account, Paths.cancelOrder, by)
      const again = yield* LiveCalls.call(world, other.account, Paths.cancelOrder, by)
      yield* Refusals.exactly(again, { status: 400, codes: [2, 6] }, "because the account has no such order")
      yield* stay()
      yield* LiveOrders.nothingOpen(world, other.account)
    })
  }),
  LiveCalls.section.forEach("live-entry.client-order-id.again", {
    statement:
      "Accepts a client order id of 64 characters again once its order is canceled or filled, and then finds and "
      + "cancels the new order by it",
    values: ends.flatMap((how) => paths.map((path) => ({ path, how }))),
    check: Effect.fnUntraced(function*(world, { how, path }) {
      const account = yield* world.trader
      const market = yield* world.market
      const clientOrderId = world.unique("again").padEnd(64, "x")
      const fields = draft(market, { price: priceText(market, market.price), clientOrderId })
      if (how === "filled at once") {
        const { amount, price } = fields
        yield* Trading.placeOther(
          world,
          yield* world.open(),
          { market: market.name, side: "sell", amount, price },
          path
        )
      }
      const { order: first } = yield* LiveOrders.place(world, account, path, fields)
      yield* end(world, account, { how, path }, fields, first)
      const { answer, order } = yield* LiveOrders.place(world, account, path, fields)
      yield* LiveOrders.shows({ answer }, "the order", order, { clientOrderId })
      const by = { market: market.name, clientOrderId }
      const expected = { orderId: order["orderId"], clientOrderId, dealStock: "0" }
      yield* LiveOrders.lists(yield* LiveOrders.open(world, account, by), "the new order", "orderId", [expected])
      const canceled = yield* LiveOrders.place(world, account, Paths.cancelOrder, by)
      yield* LiveOrders.shows(canceled, "the canceled order", canceled.order, expected)
      yield* LiveOrders.nothingOpen(world, account)
    })
  }),
  LiveCalls.section.forEach("live-entry.client-order-id.case", {
    statement: "Compares client order ids case-sensitively: an open order's id in other letter case is another id",
    values: paths,
    check: Effect.fnUntraced(function*(world, path) {
      const account = yield* world.trader
      const market = yield* world.market
      const clientOrderId = world.unique("Case")
      const other = clientOrderId.toLowerCase()
      yield* Trading.placeOther(world, account, draft(market, { clientOrderId }), path)
      const { order } = yield* LiveOrders.place(world, account, path, draft(market, { clientOrderId: other }))
      const found = yield* LiveOrders.open(world, account, { market: market.name, clientOrderId: other })
      yield* LiveOrders.lists(found, "the second order", "orderId", [
        { orderId: order["orderId"], clientOrderId: other }
      ])
    })
  }),
  LiveCalls.section.forEach("live-entry.client-order-id.market", {
    statement: "Accepts the client order id of an open order on a different market",
    values: paths,
    check: Effect.fnUntraced(function*(world, path) {
      const account = yield* world.trader
      const clientOrderId = world.unique("elsewhere")
      const market = yield* world.market
      const elsewhere = draft(Orders.asPerpetual(market), { clientOrderId })
      yield* Trading.placeOther(world, account, elsewhere, Paths.collateralLimit)
      const { answer, order } = yield* LiveOrders.place(world, account, path, draft(market, { clientOrderId }))
      yield* LiveOrders.shows({ answer }, "the order", order, { clientOrderId })
    })
  })
]
