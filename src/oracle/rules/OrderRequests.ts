/**
 * Rules about details of the calls that place and cancel spot orders: options of bulk items, best prices, self-trade
 * prevention, chains of stop orders, and invalid items. Only the live exchange's documentation describes them.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { above, digits, perpetual } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, Market, World } from "../world/World.ts"

const { always, forEach } = LiveCalls.section

/** Returns the call that places one limit order on the same balance as another call. */
const limitOn = (path: string): string => path.includes("/collateral/") ? Paths.collateralLimit : Paths.limitOrder

/** Returns the price `percent` % away from the market's: worse for a taker on this side if `percent` is above zero. */
const priceAt = (market: Market, side: Orders.Side, percent: number): string =>
  above(market, side === "buy" ? percent : -percent)

/** Makes another account offer an amount to orders on a side, at a price this far from the market's. */
const offer = Effect.fnUntraced(function*(
  world: World,
  path: string,
  side: Orders.Side,
  percent: number,
  amount = "0.01"
) {
  const market = yield* world.market
  const fields = { market: market.name, side: Orders.opposite(side), amount, price: priceAt(market, side, percent) }
  yield* Trading.placeOther(world, yield* world.open(), fields, limitOn(path))
})

const fillsAt = (world: World, account: Account, what: string, fills: ReadonlyArray<Body>) =>
  Effect.flatMap(LiveOrders.executed(world, account), (shown) => LiveOrders.lists(shown, what, "price", fills))

/** Each value of `stp`, and its older spelling. */
const modes = { cn: "cancel_new", co: "cancel_old", cb: "cancel_both" } as const

const entries = [Paths.limitOrder, Paths.bulk, Paths.collateralLimit, Paths.collateralBulk] as const

const matchRules: ReadonlyArray<Rule.Rule> = [
  forEach("live-options.stp", {
    statement: "Cancels the order that stp names before the new order meets others, with either spelling of stp: after "
      + "cn and cb nothing trades, after co the new order trades on, and without stp the orders trade",
    values: entries.flatMap((path) =>
      (["co", "cn", "cb", undefined] as const).flatMap((stp) =>
        Orders.sides.map((side) => ({ path, side, stp, isOlder: (side === "buy") === (stp === "cn") }))
      )
      // The documentation does not list the bulk call of collateral orders among the calls that support stp.
    ).filter(({ path, stp }) => path !== Paths.collateralBulk || stp === undefined),
    check: Effect.fnUntraced(function*(world, { isOlder, path, side, stp }) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* world.market
      const own = {
        market: market.name,
        side: Orders.opposite(side),
        amount: "0.02",
        price: priceAt(market, side, 1)
      }
      const { orderId } = yield* Trading.placeOther(world, account, own, limitOn(path))
      yield* offer(world, path, side, 2, "0.03")
      const fields = { market: market.name, side, amount: "0.03", price: priceAt(market, side, 3) }
      const sent = { ...fields, stp: isOlder && stp !== undefined ? modes[stp] : stp }
      const answer = yield* LiveOrders.submit(world, account, path, sent)
      if (stp === undefined) {
        // By default, the order trades with the other order of its account, which counts as two fills, and then on.
        const { answer, records } = yield* LiveOrders.executed(world, account)
        return yield* Verdict.expect(answer, "three fills, because the default of stp is no", records.length === 3)
      }
      // The documentation announces that the older values will be refused.
      if (isOlder && Refusals.errorOf(answer.json)["code"] !== undefined) return
      const traded = { side, amount: "0.03", price: priceAt(market, side, 2), role: 2 }
      yield* fillsAt(world, account, `the fills that stp ${stp} allows`, stp === "co" ? [traded] : [])
      const open = yield* LiveOrders.open(world, account)
      const left = stp === "cn" ? [{ orderId, dealStock: "0" }] : []
      yield* LiveOrders.lists(open, `the orders that stp ${stp} leaves`, "orderId", left)
    })
  }),
  forEach("matching.best.options", {
    statement: "Places an order with bboRole and without a price at the best price that its role selects: in a bulk "
      + "call, with ioc, which cancels what does not trade there, and for a stop-limit order, which waits first",
    values: Orders.sides.flatMap((side) =>
      [
        { path: Paths.bulk, bboRole: 1, ioc: false },
        { path: Paths.bulk, bboRole: 2, ioc: false },
        { path: Paths.limitOrder, bboRole: 2, ioc: true },
        { path: Paths.bulk, bboRole: 2, ioc: true },
        { path: Paths.stopLimit, bboRole: 1, ioc: false },
        { path: Paths.stopLimit, bboRole: 2, ioc: false }
      ].map((entry) => ({ ...entry, side }))
    ),
    check: Effect.fnUntraced(function*(world, { bboRole, ioc, path, side }) {
      for (const percent of [1, 2]) {
        yield* offer(world, path, side, percent)
        yield* offer(world, path, Orders.opposite(side), percent)
      }
      const account = yield* LiveOrders.customer(world)
      const market = yield* world.market
      const terms = { market: market.name, side, amount: "0.02", bboRole }
      if (path === Paths.stopLimit) {
        const stop = { ...terms, activation_price: priceAt(market, side, 10) }
        const { order: { orderId } } = yield* LiveOrders.place(world, account, path, stop)
        const waits = { orderId, activation_price: stop.activation_price, activated: 0, dealStock: "0" }
        const open = yield* LiveOrders.open(world, account)
        return yield* LiveOrders.lists(open, "the waiting order", "orderId", [waits])
      }
      const fields = { ...terms, ...(ioc ? { ioc } : {}) }
      const { answer, order } = yield* LiveOrders.place(world, account, path, fields)
      const price = priceAt(market, side, bboRole === 1 ? -1 : 1)
      const parts = bboRole === 1 ? [] : [{ amount: 0.01, price: Number(price) }]
      const { status, ...filled } = LiveOrders.filled("0.02", parts)
      yield* LiveOrders.shows({ answer }, "the order", order, {
        side,
        amount: "0.02",
        price,
        ...filled,
        ...(ioc ? {} : { status })
      })
      const open = yield* LiveOrders.open(world, account)
      const rest = ioc ? [] : [{ orderId: order["orderId"], price, ...filled }]
      yield* LiveOrders.lists(open, "the order, unless it has ioc", "orderId", rest)
    })
  }),
  forEach("live-stops.chain", {
    statement: "Triggers a stop order by the fill of another triggered order, in the same cycle",
    values: [Paths.stopLimit, Paths.stopMarket, Paths.collateralStopLimit, Paths.triggerMarket]
      .flatMap((path) => Orders.sides.map((side) => ({ path, side })))
      // The amount of this order is its cost.
      .filter(({ path, side }) => path !== Paths.stopMarket || side === "sell"),
    check: Effect.fnUntraced(function*(world, { path, side }) {
      const market = yield* world.market
      const isLimit = path === Paths.stopLimit || path === Paths.collateralStopLimit
      const place = Effect.fnUntraced(function*(percent: number) {
        const account = yield* LiveOrders.customer(world)
        const fields = {
          market: market.name,
          side,
          amount: "0.01",
          activation_price: priceAt(market, side, percent),
          ...(isLimit ? { price: priceAt(market, side, 9) } : {})
        }
        const { orderId } = yield* Trading.placeOther(world, account, fields, path)
        return { account, orderId }
      })
      const [first, second] = [yield* place(5), yield* place(6)]
      yield* offer(world, path, side, 6)
      yield* offer(world, path, side, 7)
      yield* Trading.tradeAt(world, market, priceAt(market, side, 5))
      for (const [{ account, orderId }, percent] of [[first, 6], [second, 7]] as const) {
        const price = priceAt(market, side, percent)
        yield* fillsAt(world, account, "the fill", [{ orderId, side, amount: "0.01", price, role: 2 }])
      }
    })
  })
]

/** Options that a bulk item must not combine, and the possible codes of its error. */
const flags: ReadonlyArray<readonly [fields: Body, codes: ReadonlyArray<number>]> = [
  [{ ioc: true, postOnly: true }, [37]],
  [{ ioc: true, rpi: true }, [40, 43]],
  [{ postOnly: true, rpi: true }, [30, 37, 40, 43]],
  [{ retail: true, rpi: true }, [41, 42, 43]],
  [{ bboRole: 1, postOnly: true }, [30, 37]],
  [{ bboRole: 2, postOnly: true }, [30, 37]],
  [{ bboRole: 1, ioc: true }, [30, 37]],
  [{ price: undefined }, [30, 33]]
]

const itemsOf = (items: ReadonlyArray<unknown>): ReadonlyArray<Body> =>
  items.map((item) => Json.isObject(item) ? item : {})

/** Invalid items of a bulk cancellation, and the key that their errors name. */
const wrongItems = (
  market: string,
  clientOrderId: string,
  orderId: unknown
): ReadonlyArray<readonly [item: unknown, key: string]> => [
  ["no object", "request"],
  [{ orderId }, "market"],
  [{ market: "NO_SUCH", orderId }, "market"],
  [{ market }, "request"],
  [{ market, orderId, clientOrderId }, "request"]
]

const itemRules: ReadonlyArray<Rule.Rule> = [
  always("live-bulk.flags", {
    statement:
      "Shows for each bulk item whose options exclude each other, that lacks its price or has too many decimals, "
      + "the single order's code, and places only the other items",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.trader
      const market = yield* world.market
      // With orders of another account on both sides of the book, there is a best price.
      yield* offer(world, Paths.bulk, "buy", 2)
      yield* offer(world, Paths.bulk, "sell", 2)
      const plain = { market: market.name, side: "buy", amount: "0.01", price: Orders.lowPrice(market) }
      const [finer, dearer] = [market.stockPrecision + 1, market.moneyPrecision + 1]
      const wrongs: typeof flags = [
        ...flags,
        [{ amount: digits(0.01 + 10 ** -finer, finer) }, [1, 30, 32]],
        [{ price: digits(market.price / 2 + 10 ** -dearer, dearer) }, [1, 30, 33]]
      ]
      const wrong = wrongs.map(([fields]) => {
        const { price: _price, ...order } = plain
        return fields["bboRole"] === undefined ? { ...plain, ...fields } : { ...order, ...fields }
      })
      const { answer, items } = yield* LiveCalls.list(world, account, Paths.bulk, { orders: [...wrong, plain] })
      const errors = itemsOf(items).map(({ error }) => Json.isObject(error) ? error : {})
      for (const [index, [fields, codes]] of wrongs.entries()) {
        yield* Verdict.expect(
          answer,
          `an error with code ${codes.join(" or ")} for ${Json.stringify(fields)} at ${index}`,
          codes.includes(Number(errors[index]?.["code"]))
        )
      }
      const [last] = itemsOf(items).slice(-1)
      const placed = Json.isObject(last?.["result"]) ? last["result"] : {}
      const open = yield* LiveOrders.open(world, account)
      yield* LiveOrders.lists(open, "the valid order", "orderId", [{ orderId: placed["orderId"] }])
    })
  }),
  always("live-bulk.cancel-items", {
    statement:
      "Shows an error with code 30, whose errors name market or request, in place of an invalid item of a bulk "
      + "cancellation, cancels none of these, and cancels the valid items before and after them",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* world.market
      const place = Effect.fnUntraced(function*(percent: number) {
        const clientOrderId = world.unique("item")
        const fields = {
          market: market.name,
          side: "sell",
          amount: "0.01",
          price: above(market, percent),
          clientOrderId
        }
        const { orderId } = yield* Trading.placeOther(world, account, fields)
        return { orderId, clientOrderId }
      })
      const [first, kept, last] = [yield* place(10), yield* place(11), yield* place(12)]
      const wrong = wrongItems(market.name, kept.clientOrderId, kept.orderId)
      const orders = [
        { market: market.name, orderId: first.orderId },
        ...wrong.map(([item]) => item),
        { market: market.name, clientOrderId: last.clientOrderId }
      ]
      const { answer, items } = yield* LiveCalls.list(world, account, Paths.cancelBulk, { orders })
      const errors = itemsOf(items).map(({ error }) => Json.isObject(error) ? error : {})
      for (const [index, [item, key]] of wrong.entries()) {
        const { code, errors: named } = errors[index + 1] ?? {}
        yield* Verdict.expect(
          answer,
          `an error with code 30 that names ${key} for ${Json.stringify(item)}`,
          code === 30 && Json.isObject(named) && Object.hasOwn(named, key)
        )
      }
      yield* Verdict.expect(answer, `${orders.length} items`, items.length === orders.length)
      const open = yield* LiveOrders.open(world, account)
      yield* LiveOrders.lists(open, "the order that only invalid items name", "orderId", [{ orderId: kept.orderId }])
    })
  }),
  forEach("live-cancels.many", {
    statement: "Cancels all orders of an account with one call, by itself or by its kill switch, even if there are 120",
    values: [Paths.cancelAll, Paths.killSwitch] as const,
    check: (world, path) =>
      world.whileFrozen(Effect.gen(function*() {
        const account = yield* world.open()
        const market = yield* world.market
        yield* Trading.ladder(world, account, market, 120)
        const timer = path === Paths.killSwitch ? { timeout: "5" } : {}
        const answer = yield* LiveCalls.call(world, account, path, { market: market.name, ...timer })
        yield* Verdict.expect(answer, "success", Refusals.isSuccess(answer))
        if (path === Paths.killSwitch) yield* world.advance(6000)
        yield* LiveOrders.nothingOpen(world, account)
      }))
  })
]

/** The calls whose buys state their cost in the quote currency. */
const costs = [Paths.marketOrder, Paths.stopMarket] as const

const boundRules: ReadonlyArray<Rule.Rule> = [
  forEach("live-terms.least-cost", {
    statement: "Compares the amount of a market or stop-market buy, which is its cost, with the market's minTotal",
    values: costs,
    check: Effect.fnUntraced(function*(world, path) {
      const account = yield* LiveOrders.customer(world)
      const market = yield* world.market
      const { minAmount, minTotal, moneyPrecision } = market
      yield* offer(world, path, "buy", 1)
      const stop = path === Paths.stopMarket ? { activation_price: above(market, 10) } : {}
      const buy = (cost: number) =>
        LiveCalls.call(world, account, path, {
          market: market.name,
          side: "buy",
          amount: digits(cost, moneyPrecision),
          ...stop
        })
      const below = minTotal * 0.9
      if (Number(digits(below, moneyPrecision)) >= minTotal)
        return yield* Verdict.skip("the market's price digits are too coarse")
      const refused = yield* buy(below)
      yield* Refusals.coded(
        refused,
        { status: 422, codes: [11, 30, 32] },
        `because its cost of ${below} is below ${minTotal}`
      )
      yield* fillsAt(world, account, "no fills", [])
      yield* LiveOrders.nothingOpen(world, account)
      const enough = Math.max(minTotal, minAmount * market.price * 1.2) * 1.05
      const accepted = yield* buy(enough)
      yield* Verdict.expect(accepted, `success with a cost of ${enough}`, Refusals.isSuccess(accepted))
    })
  }),
  always("kill-switch.null", {
    statement:
      "Arms the kill switch for orders of all types if types is null, shows this, and shows no timer of another "
      + "market",
    check: (world) =>
      world.whileFrozen(Effect.gen(function*() {
        const account = yield* world.trader
        const market = yield* world.market
        const order = { market: market.name, side: "buy", amount: "0.01", price: Orders.lowPrice(market) }
        for (const path of [Paths.limitOrder, Paths.collateralLimit]) {
          yield* Trading.placeOther(world, account, order, path)
        }
        const timer = { market: market.name, timeout: "10", types: null }
        const { answer, json } = yield* LiveCalls.object(world, account, Paths.killSwitch, timer)
        yield* Verdict.expect(answer, "types null", (json["types"] ?? null) === null)
        const status = (market: string) => LiveCalls.list(world, account, Paths.killSwitchStatus, { market })
        const { answer: armed, items } = yield* status(market.name)
        const [{ types = null } = {}] = items.filter(Json.isObject)
        yield* Verdict.expect(armed, "one timer with types null", items.length === 1 && types === null)
        const other = yield* status(perpetual)
        yield* Verdict.expect(other.answer, "no timers", other.items.length === 0)
        yield* world.advance(11_000)
        yield* LiveOrders.nothingOpen(world, account)
      }))
  })
]

export const rules: ReadonlyArray<Rule.Rule> = [...matchRules, ...itemRules, ...boundRules]
