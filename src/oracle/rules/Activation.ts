/**
 * Rules about the activation of stop orders (document, "Stop order activation"). The document shows no call that lists
 * orders, so these rules use the live exchange's lists.
 */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Dialects from "../world/Dialects.ts"
import * as Orders from "../world/Orders.ts"
import * as Section from "../world/Section.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, World } from "../world/World.ts"

type Side = Orders.Side

const section = Section.of({ clause: "Stop order activation" })

/** Whether an order, open or closed, was activated. */
const isActivated = Effect.fnUntraced(function*(world: World, account: Account, id: unknown) {
  return (yield* Orders.find(world, account, id))["activated"] === 1
})

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
    becomesLimit(side)
  ]),
  bySide
]
