/** How OCO orders are answered (document, "Collateral OCO order (response)"). */
import * as Effect from "effect/Effect"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Fields from "../world/Fields.ts"
import * as Kinds from "../world/Kinds.ts"
import * as Oco from "../world/OcoOrders.ts"
import * as Orders from "../world/Orders.ts"
import * as Spelling from "../world/Spelling.ts"
import type { Body, World } from "../world/World.ts"

const clause = "Collateral OCO order (response)"

const sample = (world: World): Effect.Effect<Fields.Sample, Verdict.CheckError> =>
  Effect.map(Oco.place(world), ({ answer, order }) => ({ answer, objects: [order] }))

const isOptional = { isOptional: true } as const

const statuses = Object.values(Spelling.statuses({ name: "document" }))

const legRows = (key: Oco.Leg): ReadonlyArray<Fields.Row> => [
  { key: "order_id", kind: Kinds.integer, meaning: "its identifier", live: { key: "orderId" } },
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
  { key: "timestamp", kind: Kinds.fractionalSeconds, meaning: "when it was created" },
  { key: "deal_money", kind: Kinds.decimal, meaning: "the quote amount filled so far", live: { key: "dealMoney" } },
  { key: "deal_stock", kind: Kinds.decimal, meaning: "the base amount filled so far", live: { key: "dealStock" } },
  { key: "amount", kind: Kinds.positiveDecimal, meaning: "its amount" },
  { key: "takerFee", kind: Kinds.decimal, meaning: "the taker's fee", live: isOptional },
  { key: "makerFee", kind: Kinds.decimal, meaning: "the maker's fee", live: isOptional },
  { key: "left", kind: Kinds.decimal, meaning: "the amount that is not yet filled" },
  { key: "deal_fee", kind: Kinds.decimal, meaning: "the fee so far", live: { key: "dealFee" } },
  { key: "post_only", kind: Kinds.boolean, meaning: "whether it may only rest in the book" },
  { key: "mtime", kind: Kinds.fractionalSeconds, meaning: "when it was last changed" },
  { key: "price", kind: Kinds.positiveDecimal, meaning: "its limit price" },
  {
    key: "status",
    kind: Kinds.oneOf(...statuses),
    meaning: "one of the statuses of orders",
    live: { kind: Kinds.someText, isOptional: true }
  },
  {
    key: "stp",
    kind: Kinds.oneOf("no", "cancel_both", "cancel_new", "cancel_old"),
    meaning: "its self-trade prevention",
    live: { kind: Kinds.oneOf("no", "cb", "cn", "co"), isOptional: true }
  },
  { key: "positionSide", kind: Kinds.someText, meaning: "the position's side", live: isOptional },
  ...(key === "take_profit" ? [] : [
    { key: "activation_price", kind: Kinds.positiveDecimal, meaning: "its trigger price" },
    {
      key: "activation_condition",
      kind: Kinds.oneOf("gte", "lte"),
      meaning: "from which side the price must reach the trigger"
    },
    { key: "activated", kind: Kinds.bit, meaning: "whether the trigger was reached" }
  ])
]

const legTable = (key: Oco.Leg): Fields.Table => ({
  id: `oco.response.${key}`,
  clause,
  profile: "mutating",
  within: key,
  sample: (world) => Effect.map(sample(world), (found) => Fields.part(found, key)),
  rows: legRows(key)
})

/** A rule about a new OCO order. */
const newOrder = (
  id: string,
  statement: string,
  expected: string,
  holds: (order: Body, world: World, side: Orders.Side, market: string) => boolean,
  level: Rule.Rule["level"] = "MUST"
): Rule.Rule =>
  Rule.forEach({
    id: `oco.new.${id}`,
    statement,
    clause,
    level,
    profile: "mutating",
    values: Orders.sides,
    check: (world, side) =>
      Effect.gen(function*() {
        const { answer, order } = yield* Oco.place(world, side)
        yield* Verdict.expect(answer, expected, holds(order, world, side, (yield* world.market).name))
      })
  })

const newOrderRules: ReadonlyArray<Rule.Rule> = [
  ...(["activation_price", "activation_condition", "activated"] as const).map((key) =>
    newOrder(
      `take-profit.no-${key.replace("_", "-")}`,
      `Only the stop leg has ${key}`,
      `no ${key} in take_profit`,
      (order) => !Object.hasOwn(Oco.leg(order, "take_profit"), key)
    )
  ),
  newOrder(
    "side",
    "Both legs have the market and the side of the request",
    "the request's market and side in both legs",
    (order, _world, side, market) => Oco.both(order, (leg) => leg["side"] === side && leg["market"] === market)
  ),
  newOrder(
    "amount",
    "Both legs have the order's amount",
    "equal amounts",
    (order) => Number(Oco.leg(order, "stop_loss")["amount"]) === Number(Oco.leg(order, "take_profit")["amount"])
  ),
  newOrder(
    "left",
    "left of a new leg is its whole amount",
    "left equal to amount",
    (order) => Oco.both(order, (leg) => Number(leg["left"]) === Number(leg["amount"]))
  ),
  newOrder("deals", "Nothing of a new leg is filled", "deals of 0", (order, { dialect }) => {
    const { dealFee, dealMoney, dealStock } = Spelling.keys(dialect)
    return Oco.both(order, (leg) => [dealMoney, dealStock, dealFee].every((key) => Number(leg[key]) === 0))
  }),
  newOrder(
    "activated",
    "A new stop leg is not activated",
    "activated 0",
    (order) => Oco.leg(order, "stop_loss")["activated"] === 0
  ),
  newOrder(
    "condition",
    "The stop leg of a buy above the market waits for gte, that of a sell below it for lte",
    "activation_condition gte of a buy, lte of a sell",
    (order, _world, side) => Oco.leg(order, "stop_loss")["activation_condition"] === (side === "buy" ? "gte" : "lte")
  ),
  newOrder(
    "status",
    "The status of a new leg says that the order is accepted and not yet matched",
    "both legs new",
    (order, { dialect }) =>
      Oco.both(
        order,
        ({ status }) => status === Spelling.statuses(dialect).NEW || (dialect.name === "live" && status === undefined)
      )
  ),
  newOrder(
    "mtime",
    "A new leg was not changed before it was created, nor long after",
    "mtime equal to timestamp, or within the second after it",
    (order) =>
      Oco.both(order, (leg) => {
        const after = Number(leg["mtime"]) - Number(leg["timestamp"])
        return after >= 0 && after < 1
      })
  ),
  newOrder(
    "position-side",
    "A buy opens or increases a long position, a sell a short one",
    "positionSide LONG of a buy, SHORT of a sell",
    (order, { dialect }, side) =>
      Oco.both(
        order,
        ({ positionSide }) =>
          positionSide === (side === "buy" ? "LONG" : "SHORT") ||
          (dialect.name === "live" && positionSide === undefined)
      ),
    "SHOULD"
  )
]

export const rules: ReadonlyArray<Rule.Rule> = [
  ...Fields.rules({
    id: "oco.response",
    clause,
    profile: "mutating",
    within: "an OCO order",
    sample,
    rows: [
      { key: "id", kind: Kinds.integer, meaning: "the pair's identifier" },
      { key: "reduceOnly", kind: Kinds.boolean, meaning: "whether it may only reduce a position", live: isOptional },
      { key: "stop_loss", kind: Kinds.object, meaning: "the stop-limit leg" },
      { key: "take_profit", kind: Kinds.object, meaning: "the limit leg" }
    ]
  }),
  ...Fields.rules(legTable("stop_loss")),
  ...Fields.rules(legTable("take_profit")),
  ...newOrderRules
]
