/** Rules about canceling all orders (document, Endpoints §4). */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Boundaries from "../world/Boundaries.ts"
import * as Dialects from "../world/Dialects.ts"
import { basePrice, perpetual } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Section from "../world/Section.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, World } from "../world/World.ts"

const section = Section.of({ clause: "Endpoints §4" })

const types = ["spot", "margin", "futures"] as const

type Kind = (typeof types)[number]

/** Places a resting order of each kind far from the market: spot, collateral and futures. */
const rest = Effect.fnUntraced(function*(
  world: World,
  account: Account
): Effect.fn.Return<ReadonlyMap<Kind, string>, Verdict.CheckError> {
  const market = yield* world.market
  const price = (market.price / 2).toFixed(market.moneyPrecision)
  const order = { side: "buy", amount: "0.01", price }
  const calls: ReadonlyArray<readonly [Kind, string, Body]> = [
    ["spot", Paths.limitOrder, { ...order, market: market.name }],
    ["margin", Paths.collateralLimit, { ...order, market: market.name }],
    ["futures", Paths.collateralLimit, { ...order, market: perpetual, price: String(basePrice / 2) }]
  ]
  const ids = new Map<Kind, string>()
  for (const [kind, path, fields] of calls) {
    const answer = yield* world.call(account, path, fields)
    if (!Refusals.isSuccess(answer) || !Json.isObject(answer.json))
      return yield* Verdict.skip(`needs ${path} to place a ${kind} order`)
    ids.set(kind, String(answer.json[Dialects.keys(world.dialect).orderId]))
  }
  return ids
})

const open = Effect.fnUntraced(function*(world: World, account: Account) {
  return [...(yield* Orders.list(world, account, Paths.activeOrders)).keys()]
})

/** Makes a cancel-all call with these fields, and expects that exactly the orders of these kinds stay open. */
const leaves = Effect.fnUntraced(function*(world: World, fields: Body, kinds: ReadonlyArray<Kind>) {
  const account = yield* world.trader
  const orders = yield* rest(world, account)
  const answer = yield* world.call(account, Paths.cancelAll, fields)
  yield* Verdict.expect(answer, "HTTP 2xx with JSON", Refusals.isSuccess(answer))
  const left = yield* open(world, account)
  const expected = kinds.flatMap((kind) => orders.get(kind) ?? [])
  const nameOf = (id: string) => [...orders].find(([, other]) => other === id)?.[0] ?? id
  yield* Verdict.conclude(
    `open orders left: ${kinds.join(", ") || "none"}`,
    left.map(nameOf),
    left.length === expected.length && expected.every((id) => left.includes(id)),
    answer
  )
})

/** The number of orders that a call must cancel. */
const many = 24

const refuses = Effect.fnUntraced(function*(world: World, fields: Body, key: string) {
  const answer = yield* world.call(yield* world.reader, Paths.cancelAll, fields)
  yield* Refusals.order(answer, world.dialect, true, key)
})

const live = Rule.other("HTTP 422")

export const rules: ReadonlyArray<Rule.Rule> = [
  section.always("cancel-all.everything", {
    statement: "Cancels all orders, however many, of all types and on all markets, if no field is given",
    check: Effect.fnUntraced(function*(world) {
      yield* leaves(world, {}, [])
      const account = yield* world.trader
      const market = yield* world.market
      for (let count = 0; count < many; count++) {
        const side = count % 2 === 0 ? "buy" : "sell"
        yield* Trading.placeOther(world, account, Orders.stopLimit(market, side), Paths.stopLimit)
      }
      const answer = yield* world.call(account, Paths.cancelAll)
      const left = yield* open(world, account)
      yield* Verdict.conclude("no open orders", left, left.length === 0, answer)
    })
  }),
  section.always("cancel-all.market", {
    statement: "Cancels only the orders of the given market",
    check: Effect.fnUntraced(function*(world) {
      yield* leaves(world, { market: (yield* world.market).name }, ["futures"])
      yield* leaves(world, { market: perpetual }, ["spot", "margin"])
    })
  }),
  ...types.map((type) =>
    section.always(`cancel-all.type.${type}`, {
      statement: `Cancels only ${type} orders with type ${type}`,
      check: (world) => leaves(world, { type: [type] }, types.filter((other) => other !== type))
    })
  ),
  section.forAll("cancel-all.type.several", {
    statement: "Cancels the orders of several given types",
    values: fc.shuffledSubarray([...types], { minLength: 2 }),
    examples: [["spot", "margin"], ["margin", "futures"], ["futures", "spot"], [...types]],
    check: (world, chosen) => leaves(world, { type: chosen }, types.filter((type) => !chosen.includes(type)))
  }),
  section.always("cancel-all.type.and-market", {
    statement: "Cancels only orders that match both market and type",
    check: Effect.fnUntraced(function*(world) {
      const { name } = yield* world.market
      yield* leaves(world, { market: name, type: ["margin"] }, ["spot", "futures"])
      yield* leaves(world, { market: name, type: ["futures"] }, [...types])
      yield* leaves(world, { market: perpetual, type: ["margin"] }, [...types])
      yield* leaves(world, { market: perpetual, type: ["spot"] }, [...types])
    })
  }),
  section.forEach("cancel-all.position-side", {
    statement: "Cancels only the orders of the given position side on a futures market in hedge mode",
    document: Rule.notApplicable("the document has no such field"),
    live: Rule.documented("only orders of the given position side are canceled"),
    values: ["long", "short"] as const,
    check: Effect.fnUntraced(function*(world, positionSide) {
      const account = yield* Trading.openHedged(world)
      const order = { market: perpetual, amount: "0.01" }
      const long = { ...order, side: "buy", price: String(basePrice / 2), positionSide: "LONG" }
      const short = { ...order, side: "sell", price: String(basePrice * 1.5), positionSide: "SHORT" }
      const [kept, canceled] = positionSide === "long" ? [short, long] : [long, short]
      const { orderId } = yield* Trading.placeOther(world, account, kept, Paths.collateralLimit)
      yield* Trading.placeOther(world, account, canceled, Paths.collateralLimit)
      const answer = yield* world.call(account, Paths.cancelAll, { market: perpetual, positionSide })
      yield* Verdict.expect(answer, "HTTP 2xx with JSON", Refusals.isSuccess(answer))
      const left = yield* open(world, account)
      yield* Verdict.conclude(
        `only the ${kept.positionSide} order ${String(orderId)} open`,
        left,
        left.length === 1 && left[0] === String(orderId),
        answer
      )
    })
  }),
  section.forEach("cancel-all.stops", {
    statement:
      "Cancels orders that wait for their trigger: all of them, or those of the given type or on the given market",
    values: [
      { left: [] },
      { type: ["spot"], left: ["oco"] },
      { type: ["margin"], left: ["stop"] },
      { type: ["futures"], left: ["stop", "oco"] },
      { market: perpetual, left: ["stop", "oco"] }
    ] as const,
    check: Effect.fnUntraced(function*(world, { left: expected, ...fields }) {
      const account = yield* world.trader
      const market = yield* world.market
      const stop = yield* Orders.place(world, account, Paths.stopLimit, Orders.stopLimit(market, "buy"))
      const pair = yield* Orders.place(world, account, Paths.oco, Orders.oco(market, "sell"))
      const answer = yield* world.call(account, Paths.cancelAll, fields)
      const left = yield* open(world, account)
      const ids = { stop: Orders.idsOf(world, stop.order), oco: Orders.idsOf(world, pair.order) }
      const kept = expected.flatMap((kind) => ids[kind])
      yield* Verdict.conclude(
        `open orders left: ${kept.join(", ") || "none"}`,
        left,
        left.length === kept.length && kept.every((id) => left.includes(id)),
        answer
      )
    })
  }),
  section.always("cancel-all.own", {
    statement: "Leaves the orders of other accounts open",
    check: Effect.fnUntraced(function*(world) {
      const [account, other] = [yield* world.trader, yield* world.open()]
      const orders = yield* rest(world, other)
      yield* world.call(account, Paths.cancelAll)
      const left = yield* open(world, other)
      yield* Verdict.conclude("three open orders", left.length, left.length === orders.size)
    })
  }),
  section.always("cancel-all.nothing", {
    statement: "Succeeds when no order is open",
    level: "SHOULD",
    check: Effect.fnUntraced(function*(world) {
      const answer = yield* world.call(yield* world.open({ isFunded: false }), Paths.cancelAll)
      yield* Verdict.expect(answer, "HTTP 2xx with JSON", Refusals.isSuccess(answer))
    })
  }),
  section.forEach("cancel-all.body", {
    statement: "Returns an empty list for a success, whether it has canceled orders or not",
    document: Rule.notApplicable("the document does not show the body of a success"),
    live: Rule.documented("always an empty list, with HTTP 200"),
    values: [true, false],
    check: Effect.fnUntraced(function*(world, hasOrders) {
      const account = yield* world.trader
      if (hasOrders) yield* rest(world, account)
      const answer = yield* world.call(account, Paths.cancelAll)
      yield* Verdict.expect(answer, "HTTP 200 with []", answer.status === 200 && Json.stringify(answer.json) === "[]")
    })
  }),
  section.always("cancel-all.status", {
    statement: "Closes a canceled order, and shows that it was canceled",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.trader
      const orders = yield* rest(world, account)
      yield* world.call(account, Paths.cancelAll)
      const ended = yield* Orders.list(world, account, Paths.orderHistory)
      const { CANCELED } = Dialects.statuses(world.dialect)
      const statuses = [...orders.values()].map((id) => ended.get(id)?.["status"])
      yield* Verdict.conclude(`all ${CANCELED}`, statuses, statuses.every((status) => status === CANCELED))
    })
  }),
  section.forAll("cancel-all.type.unknown", {
    statement: "Refuses a type other than spot, margin and futures",
    live,
    values: fc.tuple(
      fc.subarray([...types]),
      fc.constantFrom<Array<unknown>>("Spot", "option", "", "collateral", 1, null)
    ),
    examples: [[[], "option"], [["spot"], "option"]],
    check: (world, [known, unknown]) => refuses(world, { type: [...known, unknown] }, "type")
  }),
  section.forEach("cancel-all.type.array", {
    statement: "Refuses a type that is not an array of strings",
    live,
    values: ["spot", "spot,margin", 1, true, { 0: "spot" }],
    check: (world, type) => refuses(world, { type }, "type")
  }),
  section.always("cancel-all.type.empty", {
    statement: "Refuses an empty list of types",
    level: "SHOULD",
    live,
    check: (world) => refuses(world, { type: [] }, "type")
  }),
  section.forEach("cancel-all.market.unknown", {
    statement: "Refuses an unknown market",
    level: "SHOULD",
    live: Rule.documented("HTTP 422"),
    values: ["NO_SUCH", "BTC_NOTHING", "BTCUSDT", ""],
    check: (world, market) => refuses(world, { market }, "market")
  }),
  section.forAll("cancel-all.market.type", {
    statement: "Refuses a market that is not a string",
    live,
    values: Boundaries.noTexts,
    check: (world, market) => refuses(world, { market }, "market")
  }),
  section.forEach("cancel-all.refusal", {
    statement: "Refuses an invalid field with HTTP 400, code 30, Validation failed, and errors that name the field",
    level: "SHOULD",
    live,
    values: [["market", 1], ["market", "NO_SUCH"], ["type", "spot"], ["type", ["option"]]] as const,
    check: Effect.fnUntraced(function*(world, [key, value]) {
      const answer = yield* world.call(yield* world.reader, Paths.cancelAll, { [key]: value })
      yield* Refusals.fields(answer, Dialects.orderValidation(world.dialect), key)
    })
  }),
  section.always("cancel-all.refused.nothing", {
    statement: "Cancels nothing when it refuses a field",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.trader
      const orders = yield* rest(world, account)
      yield* world.call(account, Paths.cancelAll, { type: ["spot", "option"] })
      const left = yield* open(world, account)
      yield* Verdict.conclude("three open orders", left.length, left.length === orders.size)
    })
  }),
  section.forEach("cancel-all.envelope", {
    statement: "Accepts a call without the request field, without the nonce field, or without both",
    level: "SHOULD",
    live: Rule.documented("both are required"),
    values: [{ request: undefined }, { nonce: undefined }, { request: undefined, nonce: undefined }],
    check: Effect.fnUntraced(function*(world, envelope) {
      const answer = yield* world.call(yield* world.open({ isFunded: false }), Paths.cancelAll, {}, { envelope })
      yield* world.dialect.name === "live"
        ? Refusals.any(answer, "because the envelope is incomplete")
        : Verdict.expect(answer, "HTTP 2xx", Refusals.isSuccess(answer))
    })
  })
]
