/** Rules about reduce-only OCO orders (document, Endpoints §2). */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Dialects from "../world/Dialects.ts"
import * as Oco from "../world/OcoOrders.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Section from "../world/Section.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, World } from "../world/World.ts"

const section = Section.of({ clause: "Endpoints §2", level: "SHOULD" })

/** Whether the target supports `reduceOnly`. Tests this with a reduce-only order that closes a position. */
const isTaken = Effect.fnUntraced(function*(world: World) {
  const account = yield* world.open()
  const market = yield* Trading.openPosition(world, account, "buy", "0.01")
  const fields = Orders.oco(market, "sell", { reduceOnly: true, amount: "0.01" })
  const answer = yield* Orders.submit(world, account, Paths.oco, fields)
  return answer.status === 200 && Refusals.isSuccess(answer) && Json.isObject(answer.json) &&
    (answer.json["reduceOnly"] === true || Oco.both(answer.json, (leg) => leg["reduceOnly"] === true))
})

/**
 * Submits a reduce-only order that can close nothing, and expects code 116. The document announces `reduceOnly`, but
 * says that it is not yet accepted. So the rule requires the code only if the target accepts the field for an order
 * that can close a position.
 */
const closesNothing = Effect.fnUntraced(function*(world: World, account: Account, side: Orders.Side, why: string) {
  const fields = Orders.oco(yield* world.market, side, { reduceOnly: true })
  const answer = yield* Orders.submit(world, account, Paths.oco, fields)
  const refusal = Dialects.reduceOnly(world.dialect)
  if (!Refusals.hasCode(answer, refusal.codes) && !(yield* isTaken(world))) return yield* notYet
  yield* Refusals.coded(answer, refusal, why)
})

const notYet = Verdict.skip("reduceOnly is not yet accepted, as the document announces")

/**
 * Submits a reduce-only order. Skips the rule if the target refuses the field for every order, because then the field's
 * effect cannot be evaluated. A target that accepts the field for some orders is evaluated.
 */
const submitReduceOnly = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  side: Orders.Side,
  more: Body = {}
) {
  const market = yield* world.market
  const answer = yield* Orders.submit(
    world,
    account,
    Paths.oco,
    Orders.oco(market, side, { reduceOnly: true, ...more })
  )
  const isUnknown = Refusals.namedFields(answer).includes("reduceOnly") && Json.isObject(answer.json) &&
    answer.json["code"] === 30
  return isUnknown && !(yield* isTaken(world)) ? yield* notYet : answer
})

export const rules: ReadonlyArray<Rule.Rule> = [
  section.forEach("oco.reduce-only.no-position", {
    statement: "Refuses a reduce-only order without a position: code 116",
    level: "MUST",
    live: Rule.documented("code 116"),
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      yield* closesNothing(world, yield* world.trader, side, "because there is no position")
    })
  }),
  section.forEach("oco.reduce-only.same-side", {
    statement: "Refuses a reduce-only order on the position's side, or after the position was closed: code 116",
    level: "MUST",
    live: Rule.documented("code 116"),
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* world.trader
      yield* Trading.openPosition(world, account, side, "0.01")
      yield* closesNothing(world, account, side, "because the order is on the position's side")
      const opposite = Orders.opposite(side)
      yield* Trading.openPosition(world, account, opposite, "0.01")
      for (const one of [side, opposite]) yield* closesNothing(world, account, one, "because the position was closed")
    })
  }),
  section.forAll("oco.reduce-only.clipped", {
    statement: "Reduces a reduce-only order to the size of the position",
    live: Rule.documented("the amount is reduced"),
    values: fc.tuple(fc.constantFrom(...Orders.sides), fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 20 })),
    examples: [["buy", 3, 5], ["sell", 3, 0]],
    check: Effect.fnUntraced(function*(world, [side, size, more]) {
      const account = yield* world.trader
      yield* Trading.openPosition(world, account, side, `0.0${size}`)
      const amount = ((size + more) / 100).toFixed(6)
      const answer = yield* submitReduceOnly(world, account, Orders.opposite(side), { amount })
      const order = yield* Orders.objectOf(answer)
      yield* Verdict.expect(
        answer,
        `an amount of 0.0${size} in both legs`,
        Oco.both(order, (leg) => Number(leg["amount"]) === size / 100)
      )
    })
  }),
  Rule.forEach({
    id: "oco.reduce-only.flag",
    statement: "Shows the requested reduceOnly in the response",
    clause: "Collateral OCO order (response)",
    level: "SHOULD",
    live: Rule.documented("reduceOnly is shown"),
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* world.trader
      yield* Trading.openPosition(world, account, side, "0.01")
      const answer = yield* submitReduceOnly(world, account, Orders.opposite(side), { amount: "0.01" })
      const order = yield* Orders.objectOf(answer)
      yield* Verdict.expect(answer, "reduceOnly true", order["reduceOnly"] === true)
    })
  }),
  section.forEach("oco.reduce-only.type", {
    statement: "Refuses a reduceOnly that is not a boolean",
    live: Rule.other("HTTP 422"),
    values: ["true", 1, 0, [], {}],
    check: Effect.fnUntraced(function*(world, reduceOnly) {
      const market = yield* world.market
      const fields = Orders.oco(market, "buy", { reduceOnly })
      const answer = yield* Orders.submit(world, yield* world.trader, Paths.oco, fields)
      yield* Refusals.order(answer, world.dialect, true, "reduceOnly")
    })
  }),
  section.forEach("oco.reduce-only.default", {
    statement: "Uses reduceOnly false by default: the order can open a position, and the response shows false",
    level: "MUST",
    profile: "mutating",
    values: [{}, { reduceOnly: false }],
    check: Effect.fnUntraced(function*(world, more) {
      const { answer, order } = yield* Oco.place(world, "buy", more)
      const isLive = world.dialect.name === "live"
      yield* Verdict.expect(
        answer,
        "reduceOnly false",
        order["reduceOnly"] === false || (isLive && order["reduceOnly"] === undefined)
      )
    })
  })
]
