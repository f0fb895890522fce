/** Rules about the responses to new OCO orders (document, "Collateral OCO order (response)"). */
import * as Effect from "effect/Effect"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Dialects from "../world/Dialects.ts"
import * as FieldRules from "../world/FieldRules.ts"
import * as Kinds from "../world/Kinds.ts"
import * as Oco from "../world/OcoOrders.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import type { Body, World } from "../world/World.ts"

const clause = "Collateral OCO order (response)"

const sample = (world: World): Effect.Effect<FieldRules.Sample, Verdict.CheckError> =>
  Effect.map(Oco.place(world), ({ answer, order }) => ({ answer, objects: [order] }))

const isOptional = { isOptional: true } as const

const statuses = Object.values(Dialects.statuses({ name: "document" }))

const legRows = (key: Oco.Leg): ReadonlyArray<FieldRules.Row> => [
  { key: "order_id", kind: Kinds.integer, meaning: "its id", live: { key: "orderId" } },
  {
    key: "client_order_id",
    kind: Kinds.clientOrderId,
    meaning: "its client order id; empty when it has none",
    live: { key: "clientOrderId", isOptional: true }
  },
  { key: "market", kind: Kinds.market, meaning: "its market" },
  { key: "side", kind: Kinds.oneOf("buy", "sell"), meaning: "buy or sell" },
  key === "stop_loss"
    ? {
      key: "type",
      kind: Kinds.exactly("stop limit"),
      meaning: "the leg's type",
      live: { kind: Kinds.exactly("margin stop limit") }
    }
    : {
      key: "type",
      kind: Kinds.exactly("limit"),
      meaning: "the leg's type",
      live: { kind: Kinds.exactly("margin limit") }
    },
  { key: "timestamp", kind: Kinds.fractionalSeconds, meaning: "its creation time" },
  { key: "deal_money", kind: Kinds.decimal, meaning: "the quote amount filled so far", live: { key: "dealMoney" } },
  { key: "deal_stock", kind: Kinds.decimal, meaning: "the base amount filled so far", live: { key: "dealStock" } },
  { key: "amount", kind: Kinds.positiveDecimal, meaning: "its amount" },
  { key: "takerFee", kind: Kinds.decimal, meaning: "the taker's fee", live: isOptional },
  { key: "makerFee", kind: Kinds.decimal, meaning: "the maker's fee", live: isOptional },
  { key: "left", kind: Kinds.decimal, meaning: "the unfilled amount" },
  { key: "deal_fee", kind: Kinds.decimal, meaning: "the fee so far", live: { key: "dealFee" } },
  { key: "post_only", kind: Kinds.boolean, meaning: "whether it may only rest in the book" },
  { key: "mtime", kind: Kinds.fractionalSeconds, meaning: "the time of its last change" },
  { key: "price", kind: Kinds.positiveDecimal, meaning: "its limit price" },
  {
    key: "status",
    kind: Kinds.oneOf(...statuses),
    meaning: "its status",
    live: { kind: Kinds.someText, isOptional: true }
  },
  {
    key: "stp",
    kind: Kinds.oneOf("no", "cancel_both", "cancel_new", "cancel_old"),
    meaning: "its self-trade prevention mode",
    live: { kind: Kinds.oneOf("no", "cb", "cn", "co"), isOptional: true }
  },
  { key: "positionSide", kind: Kinds.someText, meaning: "the position's side", live: isOptional },
  ...(key === "take_profit" ? [] : [
    { key: "activation_price", kind: Kinds.positiveDecimal, meaning: "its trigger price" },
    {
      key: "activation_condition",
      kind: Kinds.oneOf("gte", "lte"),
      meaning: "the direction from which the price must reach the trigger"
    },
    { key: "activated", kind: Kinds.bit, meaning: "whether the trigger was reached" }
  ])
]

const legTable = (key: Oco.Leg): FieldRules.Table => ({
  id: `oco.response.${key}`,
  clause,
  profile: "mutating",
  within: key,
  sample: (world) => Effect.map(sample(world), (found) => FieldRules.part(found, key)),
  rows: legRows(key)
})

/** Creates a rule about a new OCO order. */
const newOrder = (
  id: string,
  statement: string,
  expected: string,
  holds: (order: Body, world: World, side: Orders.Side, market: string) => boolean,
  level: Rule.Level = "MUST"
): Rule.Rule =>
  Rule.forEach({
    id: `oco.new.${id}`,
    statement,
    clause,
    level,
    profile: "mutating",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const { answer, order } = yield* Oco.place(world, side)
      yield* Verdict.expect(answer, expected, holds(order, world, side, (yield* world.market).name))
    })
  })

const newOrderRules: ReadonlyArray<Rule.Rule> = [
  ...(["activation_price", "activation_condition", "activated"] as const).map((key) =>
    newOrder(
      `take-profit.no-${key.replace("_", "-")}`,
      `Shows ${key} only in the stop leg`,
      `no ${key} in take_profit`,
      (order) => !Object.hasOwn(Oco.leg(order, "take_profit"), key)
    )
  ),
  newOrder(
    "side",
    "Shows the request's market and side in both legs",
    "the request's market and side in both legs",
    (order, _world, side, market) => Oco.both(order, (leg) => leg["side"] === side && leg["market"] === market)
  ),
  newOrder(
    "amount",
    "Shows the order's amount in both legs",
    "equal amounts",
    (order) => Number(Oco.leg(order, "stop_loss")["amount"]) === Number(Oco.leg(order, "take_profit")["amount"])
  ),
  newOrder(
    "left",
    "Shows a new leg's full amount in left",
    "left equal to amount",
    (order) => Oco.both(order, (leg) => Number(leg["left"]) === Number(leg["amount"]))
  ),
  newOrder("deals", "Shows no fills in a new leg", "zero deal amounts and fee", (order, { dialect }) => {
    const { dealFee, dealMoney, dealStock } = Dialects.keys(dialect)
    return Oco.both(order, (leg) => [dealMoney, dealStock, dealFee].every((key) => Number(leg[key]) === 0))
  }),
  newOrder(
    "activated",
    "Shows activated 0 in a new stop leg",
    "activated 0",
    (order) => Oco.leg(order, "stop_loss")["activated"] === 0
  ),
  newOrder(
    "condition",
    "Shows activation_condition gte for a buy stop leg above the market, lte for a sell stop leg below it",
    "activation_condition gte for a buy, lte for a sell",
    (order, _world, side) => Oco.leg(order, "stop_loss")["activation_condition"] === (side === "buy" ? "gte" : "lte")
  ),
  newOrder(
    "status",
    "Shows the status of a new leg as accepted and not yet matched",
    "both legs new",
    (order, { dialect }) =>
      Oco.both(
        order,
        ({ status }) => status === Dialects.statuses(dialect).NEW || (dialect.name === "live" && status === undefined)
      )
  ),
  newOrder(
    "mtime",
    "Shows a new leg's mtime no earlier than its creation, and within one second of it",
    "mtime equal to timestamp, or less than one second later",
    (order) =>
      Oco.both(order, (leg) => {
        const after = Number(leg["mtime"]) - Number(leg["timestamp"])
        return after >= 0 && after < 1
      })
  ),
  newOrder(
    "position-side",
    "Shows positionSide LONG for a buy, SHORT for a sell; in the live dialect, BOTH is also correct",
    "positionSide LONG for a buy, SHORT for a sell",
    (order, { dialect }, side) =>
      Oco.both(
        order,
        ({ positionSide }) =>
          positionSide === (side === "buy" ? "LONG" : "SHORT") ||
          (dialect.name === "live" && (positionSide === undefined || positionSide === "BOTH"))
      ),
    "SHOULD"
  )
]

const clientOrderIds: Rule.Rule = Rule.forEach({
  id: "oco.client-order-id.legs",
  statement: "Shows the client order id of an OCO order on both legs, or on neither",
  clause,
  profile: "mutating",
  values: Orders.sides,
  check: Effect.fnUntraced(function*(world, side) {
    const { clientOrderId: key } = Dialects.keys(world.dialect)
    const id = world.unique("legs")
    const { answer, order } = yield* Oco.place(world, side, { [key]: id })
    const [one, other] = Oco.legs.map((leg) => Oco.leg(order, leg)[key] ?? "")
    yield* Verdict.expect(answer, `${key} ${id} or "" on both legs`, one === other && (one === id || one === ""))
  })
})

const orderIds: Rule.Rule = Rule.always({
  id: "oco.ids.orders",
  statement: "Gives the legs of OCO orders and the stop-limit orders of an account different ids",
  clause,
  profile: "mutating",
  check: Effect.fnUntraced(function*(world) {
    const account = yield* world.trader
    const market = yield* world.market
    const ids: Array<string> = []
    for (const side of Orders.sides) {
      for (const [path, draft] of [[Paths.oco, Orders.oco], [Paths.stopLimit, Orders.stopLimit]] as const) {
        const { order } = yield* Orders.place(world, account, path, draft(market, side))
        ids.push(...Orders.idsOf(world, order))
      }
    }
    yield* Verdict.conclude("six different ids", ids, ids.length === 6 && new Set(ids).size === 6)
  })
})

export const rules: ReadonlyArray<Rule.Rule> = [
  clientOrderIds,
  orderIds,
  ...FieldRules.rules({
    id: "oco.response",
    clause,
    profile: "mutating",
    within: "an OCO order",
    sample,
    rows: [
      { key: "id", kind: Kinds.integer, meaning: "the pair's id" },
      { key: "reduceOnly", kind: Kinds.boolean, meaning: "whether it may only reduce a position", live: isOptional },
      { key: "stop_loss", kind: Kinds.object, meaning: "the stop-limit leg" },
      { key: "take_profit", kind: Kinds.object, meaning: "the limit leg" }
    ]
  }),
  ...FieldRules.rules(legTable("stop_loss")),
  ...FieldRules.rules(legTable("take_profit")),
  ...newOrderRules
]
