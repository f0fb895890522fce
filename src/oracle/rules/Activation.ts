/**
 * Rules about the activation of stop orders (document, "Stop order activation"). The document shows no call that lists
 * orders, so these rules use the live exchange's lists.
 */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Dialects from "../world/Dialects.ts"
import { priceText } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Section from "../world/Section.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, World } from "../world/World.ts"

type Side = Orders.Side

const section = Section.of({ clause: "Stop order activation" })

/** Whether an order, open or closed, was activated. */
const isActivated = Effect.fnUntraced(function*(world: World, account: Account, id: unknown) {
  return (yield* Orders.find(world, account, id))["activated"] === 1
})

const isNear = (one: unknown, other: unknown): boolean => Math.abs(Number(one) - Number(other)) < 1e-6

/** Places a stop order that rests after its activation. */
const placeResting = Effect.fnUntraced(function*(world: World, side: Side, percent: number) {
  const account = yield* world.trader
  const trigger = Trading.triggerPrice(side, percent)
  const placed = yield* Trading.placeStop(world, account, side, trigger, Trading.restingLimit(side, trigger))
  return { ...placed, account, trigger, isActivated: isActivated(world, account, placed.id) }
})

/** Returns the verb for the price's move to the trigger: `rises` or `falls`. */
const wordOf = (side: Side): string => side === "buy" ? "rises" : "falls"

const reached = (side: Side): Rule.Rule =>
  section.forAll(`activation.${side}.reached`, {
    statement: `Activates a ${side} stop when the price ${wordOf(side)} exactly to its activation price`,
    values: fc.integer({ min: 2, max: 40 }),
    check: Effect.fnUntraced(function*(world, percent) {
      const { isActivated, market, trigger } = yield* placeResting(world, side, percent)
      yield* Trading.movePrice(world, market, trigger)
      yield* Verdict.conclude(`activated at ${trigger}`, "not activated", yield* isActivated)
    })
  })

const beyond = (side: Side): Rule.Rule =>
  section.forAll(`activation.${side}.beyond`, {
    statement: `Activates a ${side} stop when the price ${wordOf(side)} past its activation price in one step`,
    values: fc.tuple(fc.integer({ min: 2, max: 20 }), fc.integer({ min: 21, max: 45 })),
    check: Effect.fnUntraced(function*(world, [percent, further]) {
      const { isActivated, market } = yield* placeResting(world, side, percent)
      yield* Trading.movePrice(world, market, Trading.triggerPrice(side, further))
      yield* Verdict.conclude("activated", "not activated", yield* isActivated)
    })
  })

const before = (side: Side): Rule.Rule =>
  section.forAll(`activation.${side}.before`, {
    statement: `Does not activate a ${side} stop before the price ${wordOf(side)} to its activation price`,
    values: fc.tuple(
      fc.integer({ min: 21, max: 40 }),
      fc.array(fc.integer({ min: -30, max: 20 }), { maxLength: 4 })
    ),
    examples: [[30, [-30, 20]], [21, [-10]]],
    check: Effect.fnUntraced(function*(world, [percent, prices]) {
      const { isActivated, market } = yield* placeResting(world, side, percent)
      for (const price of prices) yield* Trading.movePrice(world, market, Trading.triggerPrice(side, price))
      yield* Verdict.conclude("not activated", "activated", !(yield* isActivated))
    })
  })

const oneStepBefore = (side: Side): Rule.Rule =>
  section.always(`activation.${side}.step`, {
    statement: `Does not activate a ${side} stop one price step before its activation price`,
    check: Effect.fnUntraced(function*(world) {
      const { isActivated, market, trigger } = yield* placeResting(world, side, 10)
      const step = market.tick
      yield* Trading.movePrice(world, market, side === "buy" ? trigger - step : trigger + step)
      yield* Verdict.conclude("not activated", "activated", !(yield* isActivated))
    })
  })

const becomesLimit = (side: Side): Rule.Rule =>
  section.always(`activation.${side}.limit`, {
    statement: `Turns an activated ${side} stop into a limit order: it rests and trades at its price`,
    check: Effect.fnUntraced(function*(world) {
      const { account, id, market, trigger } = yield* placeResting(world, side, 10)
      const limit = Trading.restingLimit(side, trigger)
      yield* Trading.movePrice(world, market, trigger)
      const rests = yield* Orders.find(world, account, id)
      const { dealMoney, dealStock } = Dialects.keys(world.dialect)
      yield* Verdict.conclude("nothing filled before the limit is reached", rests, Number(rests[dealStock]) === 0)
      yield* Trading.movePrice(world, market, side === "buy" ? limit * 0.99 : limit * 1.01)
      const filled = yield* Orders.find(world, account, id)
      yield* Verdict.conclude(
        `filled at ${limit}`,
        [filled["status"], filled[dealMoney]],
        filled["status"] === Dialects.statuses(world.dialect).FILLED &&
          Math.abs(Number(filled[dealMoney]) - limit * 0.01) < 1e-6
      )
    })
  })

const partly = (side: Side): Rule.Rule =>
  section.always(`activation.${side}.partly`, {
    statement: `Keeps the terms of an activated ${side} stop, shows its fills, and cancels only its remainder`,
    check: Effect.fnUntraced(function*(world) {
      const [account, other] = [yield* world.trader, yield* world.open()]
      const market = yield* world.market
      const trigger = Trading.triggerPrice(side, 10)
      // After the activation, the order is the best one on its side.
      const price = priceText(market, trigger * (side === "buy" ? 0.999 : 1.001))
      const { clientOrderId, dealMoney, dealStock, orderId } = Dialects.keys(world.dialect)
      const id = world.unique("partly")
      const terms = { amount: "0.03", price, activation_price: priceText(market, trigger), [clientOrderId]: id }
      const fields = Orders.stopLimit(market, side, terms)
      const { order } = yield* Orders.place(world, account, Paths.stopLimit, fields)
      yield* Trading.movePrice(world, market, trigger)
      const against = { market: market.name, side: Orders.opposite(side), amount: "0.01", price }
      yield* Trading.placeOther(world, other, against)
      const { PARTIAL_CANCELED, PARTIAL_FILLED } = Dialects.statuses(world.dialect)
      const expected: Body = { amount: 0.03, price, [dealStock]: 0.01, [dealMoney]: 0.01 * Number(price) }
      for (const status of [PARTIAL_FILLED, PARTIAL_CANCELED]) {
        if (status === PARTIAL_CANCELED) yield* world.call(account, Paths.cancelAll)
        const found = yield* Orders.find(world, account, order[orderId])
        // The document shows no list of orders, so a list may lack these fields.
        const { left = 0.02, [clientOrderId]: shown = id } = found
        const shownTrigger = found["activation_price"] ?? found["activationPrice"] ?? trigger
        yield* Verdict.conclude(
          `status ${status}, ${Json.stringify(expected)}, left 0.02, the activation price and client order id ${id}`,
          found,
          found["status"] === status && found["side"] === side && shown === id && isNear(left, 0.02) &&
            isNear(shownTrigger, trigger) &&
            Object.entries(expected).every(([key, value]) => isNear(found[key], value))
        )
      }
    })
  })

const elsewhere: Rule.Rule = section.forEach("activation.market", {
  statement: "Does not activate a stop when the price of a different market reaches its activation price",
  values: Orders.sides,
  check: Effect.fnUntraced(function*(world, side) {
    const { isActivated, market, trigger } = yield* placeResting(world, side, 10)
    const other = (yield* world.markets).find(({ name }) => name !== market.name)
    if (other === undefined) return yield* Verdict.skip("needs a second market")
    yield* Trading.movePrice(world, other, trigger)
    yield* Verdict.conclude("not activated", "activated", !(yield* isActivated))
  })
})

const bySide: Rule.Rule = section.forEach("activation.side", {
  statement:
    "Derives the direction of a trigger from the order's side, and activates an order whose trigger is already met",
  level: "INFO",
  live: Rule.other(
    "the price decides the direction: such an order waits for the price to cross the trigger from the other side"
  ),
  values: Orders.sides,
  check: Effect.fnUntraced(function*(world, side) {
    const { isActivated, order } = yield* placeResting(world, side, -10)
    const isMet = order["activated"] === 1 || (yield* isActivated)
    const waits = world.dialect.name === "live"
    yield* Verdict.conclude(
      waits ? "not activated" : "activated",
      isMet ? "activated" : "not activated",
      isMet !== waits
    )
  })
})

export const rules: ReadonlyArray<Rule.Rule> = [
  ...Orders.sides.flatMap((side) => [
    reached(side),
    beyond(side),
    before(side),
    oneStepBefore(side),
    becomesLimit(side),
    partly(side)
  ]),
  elsewhere,
  bySide
]
