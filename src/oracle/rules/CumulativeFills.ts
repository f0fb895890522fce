/**
 * Rules about orders that several other orders fill at different prices (document, "Stop-limit order (response)" and
 * "Collateral OCO order (response)"). The document shows no call that lists orders, so these rules use the live
 * exchange's lists, which may lack fields.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Dialects from "../world/Dialects.ts"
import { priceText } from "../world/Markets.ts"
import * as Oco from "../world/OcoOrders.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Section from "../world/Section.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, Market, World } from "../world/World.ts"

const section = Section.of({
  clause: "Stop-limit order (response)",
  live: Rule.notApplicable("rules about the live exchange's fills check this")
})

/** The amount of each fill, in sequence. */
const fills = [0.01, 0.02] as const

/** The amount of an order that all fills together execute. */
const amount = "0.03"

/** The time between the placement of an order and its execution, in seconds. */
const wait = 600

/** The total amount and value of an order's fills. */
interface Sums {
  readonly stock: number
  readonly money: number
}

const sumsOf = (prices: ReadonlyArray<number>): Sums => ({
  stock: fills.reduce((sum, stock) => sum + stock, 0),
  money: prices.reduce((sum, price, index) => sum + price * (fills[index] ?? 0), 0)
})

const isNear = (one: unknown, other: number): boolean => Math.abs(Number(one) - other) < 1e-6

/** Whether a fee is nearly the expected one. A target may round each fee to its asset's precision. */
const isFee = (fee: unknown, expected: number): boolean =>
  Math.abs(Number(fee) - expected) <= Math.abs(expected) * 0.005 + 5e-6

/**
 * The fees that a rate can mean: the document says neither in which asset a fee is charged, nor whether a rate is a
 * fraction or a percentage.
 */
const feesOf = (rate: number, { money, stock }: Sums): ReadonlyArray<number> =>
  [money, stock].flatMap((base) => [rate * base, rate * base / 100])

/** Makes another account offer the fills' amounts at these prices. */
const offer = Effect.fnUntraced(function*(
  world: World,
  other: Account,
  fields: Body,
  prices: ReadonlyArray<string>,
  path: string
) {
  const ids: Array<unknown> = []
  for (const [index, price] of prices.entries()) {
    const order = yield* Trading.placeOther(world, other, { ...fields, amount: String(fills[index]), price }, path)
    ids.push(order[Dialects.keys(world.dialect).orderId])
  }
  return ids
})

/**
 * Makes two other accounts trade at this price, so that it triggers stops. If the control plane moved the price, a
 * sandbox might fill an activated order at that price instead of by the offers.
 */
const trigger = (world: World, market: Market, price: number) =>
  Trading.tradeAt(world, market, priceText(market, price))

/** Skips the value unless all these orders are filled: the document does not say that a trade triggers stops. */
const areFilled = Effect.fnUntraced(function*(world: World, account: Account, ids: ReadonlyArray<unknown>) {
  for (const id of ids) {
    const { status } = yield* Orders.find(world, account, id)
    if (status !== Dialects.statuses(world.dialect).FILLED) return yield* Verdict.skip("the offers were not filled")
  }
})

/** Expects the sums in an order that its fills have executed, and one of these fees. */
const executed = (world: World, order: Body, { money, stock }: Sums, fees: ReadonlyArray<number>) => {
  const { dealFee, dealMoney, dealStock } = Dialects.keys(world.dialect)
  const { left = "0", [dealFee]: fee = fees[0] } = order
  return Verdict.conclude(
    `FILLED, ${dealStock} ${stock}, ${dealMoney} ${money}, left 0, a ${dealFee} of ${fees.join(" or ")}`,
    order,
    order["status"] === Dialects.statuses(world.dialect).FILLED && isNear(order[dealStock], stock) &&
      isNear(order[dealMoney], money) && Number(left) === 0 && fees.some((expected) => isFee(fee, expected))
  )
}

/** Expects that an order still shows the time of its creation, and when it was changed last. */
const hasTimes = (order: Body, { timestamp: createdAt }: Body) => {
  const { mtime, timestamp = createdAt } = order
  return Verdict.conclude(
    `timestamp ${String(createdAt)}; mtime, if shown, ${wait} seconds later`,
    { timestamp, mtime },
    Math.abs(Number(timestamp) - Number(createdAt)) < 1 &&
      (mtime === undefined || Math.abs(Number(mtime) - Number(createdAt) - wait) < wait / 2)
  )
}

/** Returns the prices of the offers for an order that is triggered at 5 %, or at once. */
const atOf = (side: Orders.Side, market: { readonly price: number }) => (percent: number) =>
  market.price * (1 + (side === "buy" ? percent : -percent) / 100)

/** Makes an account's plain order take one offer, and returns its fee and what its fill adds up to. */
const plainFee = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  other: Account,
  side: Orders.Side,
  path = Paths.limitOrder
) {
  const market = yield* world.market
  const { dealFee, dealMoney, dealStock } = Dialects.keys(world.dialect)
  const common = { market: market.name, amount: "0.01", price: priceText(market, market.price) }
  yield* Trading.placeOther(world, other, { ...common, side: Orders.opposite(side) }, path)
  const took = yield* Trading.placeOther(world, account, { ...common, side }, path)
  return { fee: Number(took[dealFee]), money: Number(took[dealMoney]), stock: Number(took[dealStock]) }
})

/**
 * Finds out what a leg's rates mean, from the fee of a plain order. Returns the fees of the leg's fills. Skips the value
 * if the plain order's fee was charged in a third asset.
 */
const feesLike = (plain: Sums & { readonly fee: number }, leg: Body) => {
  const isLike = feesOf(Number(leg["takerFee"]), plain).map((fee) => isFee(plain.fee, fee))
  return isLike.includes(true)
    ? Effect.succeed((key: "takerFee" | "makerFee", sums: Sums) =>
      feesOf(Number(leg[key]), sums).filter((_, index) => isLike[index])
    )
    : Verdict.skip("charges its fees in another asset")
}

const stopFills: Rule.Rule = section.forEach("stop-limit.fills.sums", {
  statement: "Adds up the amounts, totals and fees of all fills of an activated order that took several offers",
  values: Orders.sides.flatMap((side) => [{ side, isMet: false }, { side, isMet: true }]),
  check: Effect.fnUntraced(function*(world, { isMet, side }) {
    const [account, other] = [yield* world.trader, yield* world.open()]
    const plain = yield* plainFee(world, account, other, side)
    const market = yield* world.market
    const at = atOf(side, market)
    const prices = [priceText(market, at(6)), priceText(market, at(7))]
    const made = yield* offer(
      world,
      other,
      { market: market.name, side: Orders.opposite(side) },
      prices,
      Paths.limitOrder
    )
    const terms = { amount, price: priceText(market, at(8)), activation_price: priceText(market, at(isMet ? -5 : 5)) }
    const { order } = yield* Orders.place(world, account, Paths.stopLimit, Orders.stopLimit(market, side, terms))
    const { dealStock, orderId } = Dialects.keys(world.dialect)
    const sums = sumsOf(prices.map(Number))
    if (!(plain.fee >= 0 && plain.money > 0 && plain.stock > 0))
      return yield* Verdict.skip("a plain order's response shows no fee")
    const fees = [plain.fee * sums.money / plain.money, plain.fee * sums.stock / plain.stock]
    if (isMet) {
      // The document does not say whether such an order is activated at once.
      if (order["activated"] !== 1 || Number(order[dealStock]) === 0) return
      return yield* executed(world, order, sums, fees)
    }
    yield* world.advance(wait * 1000)
    yield* trigger(world, market, at(5))
    yield* areFilled(world, other, made)
    const found = yield* Orders.find(world, account, order[orderId])
    yield* executed(world, found, sums, fees)
    yield* hasTimes(found, order)
  })
})

const stopRests: Rule.Rule = section.forEach("stop-limit.fills.resting", {
  statement: "Adds up the amounts, totals and fees of the fills of an activated order that rests in the book",
  values: Orders.sides,
  check: Effect.fnUntraced(function*(world, side) {
    const [account, other] = [yield* world.trader, yield* world.open()]
    const market = yield* world.market
    const trigger = Trading.triggerPrice(side, 10)
    const price = priceText(market, trigger * (side === "buy" ? 0.999 : 1.001))
    const terms = { amount, price, activation_price: priceText(market, trigger) }
    const { order } = yield* Orders.place(world, account, Paths.stopLimit, Orders.stopLimit(market, side, terms))
    yield* Trading.movePrice(world, market, trigger)
    const { dealFee, orderId } = Dialects.keys(world.dialect)
    const against = { market: market.name, side: Orders.opposite(side), price }
    yield* Trading.placeOther(world, other, { ...against, amount: String(fills[0]) })
    const { [dealFee]: first } = yield* Orders.find(world, account, order[orderId])
    yield* Trading.placeOther(world, other, { ...against, amount: String(fills[1]) })
    const sums = sumsOf([Number(price), Number(price)])
    const fee = Number(first ?? 0) * sums.stock / fills[0]
    yield* executed(world, yield* Orders.find(world, account, order[orderId]), sums, [fee])
  })
})

const stopCanceled: Rule.Rule = section.forEach("stop-limit.fills.canceled", {
  statement: "Shows what was filled, what is left, and the time of creation, of a partly filled order, and cancels it",
  values: Orders.sides,
  check: Effect.fnUntraced(function*(world, side) {
    const [account, other] = [yield* world.trader, yield* world.open()]
    const market = yield* world.market
    const { dealMoney, dealStock, orderId } = Dialects.keys(world.dialect)
    const { PARTIAL_CANCELED, PARTIAL_FILLED } = Dialects.statuses(world.dialect)
    const trigger = Trading.triggerPrice(side, 10)
    const price = priceText(market, trigger * (side === "buy" ? 0.999 : 1.001))
    const terms = { amount, price, activation_price: priceText(market, trigger) }
    const { order } = yield* Orders.place(world, account, Paths.stopLimit, Orders.stopLimit(market, side, terms))
    yield* Trading.movePrice(world, market, trigger)
    yield* world.advance(wait * 1000)
    const against = { market: market.name, side: Orders.opposite(side), price, amount: String(fills[0]) }
    yield* Trading.placeOther(world, other, against)
    const shows = Effect.fnUntraced(function*(found: Body, status: string) {
      const { left = fills[1] } = found
      yield* Verdict.conclude(
        `${status}, ${dealStock} ${fills[0]}, ${dealMoney} ${fills[0] * Number(price)}, left ${fills[1]}`,
        found,
        found["status"] === status && isNear(found[dealStock], fills[0]) && isNear(left, fills[1]) &&
          isNear(found[dealMoney], fills[0] * Number(price))
      )
      yield* hasTimes(found, order)
    })
    yield* shows(yield* Orders.find(world, account, order[orderId]), PARTIAL_FILLED)
    const cancellation = { market: market.name, [orderId]: order[orderId] }
    const answer = yield* world.call(account, Paths.cancelOrder, cancellation)
    // The document describes neither this call's parameters nor its response.
    const canceled = Json.isObject(answer.json) ? answer.json : {}
    if (Refusals.isSuccess(answer) && canceled[dealStock] !== undefined) yield* shows(canceled, PARTIAL_CANCELED)
  })
})

/** Creates an OCO order whose stop-loss is triggered at 5 %, or at once, and whose take-profit rests at -5 %. */
const pairOf = (market: Market, side: Orders.Side, isMet = false) => {
  const at = atOf(side, market)
  return Orders.oco(market, side, {
    amount,
    price: priceText(market, at(-5)),
    activation_price: priceText(market, at(isMet ? -3 : 5)),
    stop_limit_price: priceText(market, at(8))
  })
}

const placePair = Effect.fnUntraced(function*(world: World, account: Account, side: Orders.Side) {
  const market = yield* world.market
  const fields = pairOf(market, side)
  const { order } = yield* Orders.place(world, account, Paths.oco, fields)
  return { at: atOf(side, market), market, order, price: String(fields["price"]) }
})

const legFills: Rule.Rule = section.forEach("oco.fills.sums", {
  statement: "Adds up the amounts, totals and fees of all fills of an OCO leg, at the leg's takerFee or makerFee",
  clause: "Collateral OCO order (response)",
  values: Orders.sides.flatMap((side) => Oco.legs.map((key) => ({ side, key }))),
  check: Effect.fnUntraced(function*(world, { key, side }) {
    const [account, other] = [yield* world.trader, yield* world.open()]
    const plain = yield* plainFee(world, account, other, side, Paths.collateralLimit)
    const { at, market, order, price } = yield* placePair(world, account, side)
    yield* world.advance(wait * 1000)
    const isStop = key === "stop_loss"
    const prices = isStop ? [priceText(market, at(6)), priceText(market, at(7))] : [price, price]
    const against = { market: market.name, side: Orders.opposite(side) }
    const made = yield* offer(world, other, against, prices, Paths.collateralLimit)
    if (isStop) yield* trigger(world, market, at(5))
    yield* areFilled(world, other, made)
    const leg = Oco.leg(order, key)
    const found = yield* Orders.find(world, account, leg[Dialects.keys(world.dialect).orderId])
    const sums = sumsOf(prices.map(Number))
    const fees = yield* feesLike(plain, leg)
    yield* executed(world, found, sums, fees(isStop ? "takerFee" : "makerFee", sums))
    yield* hasTimes(found, leg)
  })
})

const legAtOnce: Rule.Rule = section.forEach("oco.fills.at-once", {
  statement:
    "Adds up the amounts, totals and fees of all fills in the response to an OCO order that is executed at once",
  clause: "Collateral OCO order (response)",
  values: Orders.sides,
  check: Effect.fnUntraced(function*(world, side) {
    const [account, other] = [yield* world.trader, yield* world.open()]
    const market = yield* world.market
    const plain = yield* plainFee(world, account, other, side, Paths.collateralLimit)
    const at = atOf(side, market)
    const prices = [priceText(market, at(1)), priceText(market, at(2))]
    const against = { market: market.name, side: Orders.opposite(side) }
    yield* offer(world, other, against, prices, Paths.collateralLimit)
    const answer = yield* world.call(account, Paths.oco, pairOf(market, side, true))
    // The document does not say whether such an order is accepted, and whether its stop-loss is activated at once.
    if (Refusals.isRefused(answer)) return yield* Verdict.skip("refuses an order whose trigger is met")
    const leg = Oco.leg(yield* Orders.objectOf(answer), "stop_loss")
    if (leg["activated"] !== 1 || Number(leg[Dialects.keys(world.dialect).dealStock]) === 0)
      return yield* Verdict.skip("executes nothing at once")
    const sums = sumsOf(prices.map(Number))
    const fees = yield* feesLike(plain, leg)
    yield* executed(world, leg, sums, fees("takerFee", sums))
  })
})

const legCanceled: Rule.Rule = section.forEach("oco.fills.canceled", {
  statement:
    "Shows PARTIAL_CANCELED, with what was filled, for a canceled leg with fills, and CANCELED for one without",
  clause: "Order status",
  values: Orders.sides.flatMap((side) => [{ side, hasFill: true }, { side, hasFill: false }]),
  check: Effect.fnUntraced(function*(world, { hasFill, side }) {
    const [account, other] = [yield* world.trader, yield* world.open()]
    const { market, order, price } = yield* placePair(world, account, side)
    const { dealMoney, dealStock, orderId } = Dialects.keys(world.dialect)
    const { CANCELED, NEW, PARTIAL_CANCELED, PARTIAL_FILLED } = Dialects.statuses(world.dialect)
    const shows = Effect.fnUntraced(function*(key: Oco.Leg, status: string, stock: number) {
      const found = yield* Orders.find(world, account, Oco.leg(order, key)[orderId])
      const { left = Number(amount) - stock } = found
      yield* Verdict.conclude(
        `${key} with status ${status}, ${dealStock} ${stock} of ${amount} at ${price}`,
        found,
        found["status"] === status && isNear(found[dealStock], stock) && isNear(left, Number(amount) - stock) &&
          isNear(found[dealMoney], stock * Number(price))
      )
    })
    if (hasFill) {
      const against = { market: market.name, side: Orders.opposite(side), price, amount: String(fills[0]) }
      yield* Trading.placeOther(world, other, against, Paths.collateralLimit)
    }
    const stock = hasFill ? fills[0] : 0
    yield* shows("take_profit", hasFill ? PARTIAL_FILLED : NEW, stock)
    yield* world.call(account, Paths.cancelAll)
    yield* shows("take_profit", hasFill ? PARTIAL_CANCELED : CANCELED, stock)
    // The document does not say what a fill of one leg does to the amount of the other leg.
    if (!hasFill) yield* shows("stop_loss", CANCELED, 0)
  })
})

export const rules: ReadonlyArray<Rule.Rule> = [stopFills, stopRests, stopCanceled, legFills, legAtOnce, legCanceled]
