/**
 * The account's own orders, fills and positions, as far as reads alone can judge them: each record by itself, and the
 * answers that show the same record. Only the live exchange's documentation describes these calls.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Features from "../Features.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as FieldRules from "../world/FieldRules.ts"
import * as Kinds from "../world/Kinds.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import * as Paths from "../world/Paths.ts"
import * as Records from "../world/Records.ts"
import type { Account, Body, World } from "../world/World.ts"

/** The fields of a record: the required ones, and those that an answer may omit. */
interface Fields {
  readonly required: Readonly<Record<string, Kinds.Kind>>
  readonly optional: Readonly<Record<string, Kinds.Kind>>
}

/** A list of an account's records. */
interface Source {
  /** The part of the rules' ids. */
  readonly id: string
  /** A readable name for its records. */
  readonly name: string
  readonly path: string
  readonly read: (world: World, account: Account, fields?: Body) => Effect.Effect<LiveOrders.Shown, Verdict.CheckError>
  /** The key that identifies a record. */
  readonly key: string
  readonly fields: Fields
  /** The keys of the first and the last time of a record. */
  readonly times: readonly [first: string, last: string]
  /** The parameters that select records by the field of the same name. */
  readonly filters: ReadonlyArray<string>
}

const { always } = LiveCalls.section

const role: Kinds.Kind = { name: "1 (maker) or 2 (taker)", holds: (value) => value === 1 || value === 2 }

const orderFields: Fields = {
  required: {
    orderId: Kinds.integer,
    clientOrderId: Kinds.text,
    market: Kinds.market,
    side: Kinds.oneOf("buy", "sell"),
    type: Kinds.someText,
    status: Kinds.someText,
    timestamp: Kinds.time,
    amount: Kinds.positiveDecimal,
    dealMoney: Kinds.decimal,
    dealStock: Kinds.decimal,
    dealFee: Kinds.decimal
  },
  optional: {
    price: Kinds.decimal,
    left: Kinds.decimal,
    stp: Kinds.oneOf("no", "cb", "cn", "co"),
    postOnly: Kinds.boolean,
    ioc: Kinds.boolean,
    rpi: Kinds.boolean,
    reduceOnly: Kinds.boolean,
    activated: Kinds.bit,
    activation_price: Kinds.positiveDecimal,
    activationCondition: Kinds.oneOf("gte", "lte"),
    // A spot order may show an empty one.
    positionSide: Kinds.oneOf("BOTH", "LONG", "SHORT", ""),
    takerFee: Kinds.decimal,
    makerFee: Kinds.decimal,
    ftime: Kinds.time
  }
}

const fillFields: Fields = {
  required: {
    id: Kinds.integer,
    orderId: Kinds.integer,
    market: Kinds.market,
    time: Kinds.time,
    side: Kinds.oneOf("buy", "sell"),
    role,
    amount: Kinds.positiveDecimal,
    price: Kinds.positiveDecimal,
    deal: Kinds.positiveDecimal,
    fee: Kinds.decimal
  },
  optional: { clientOrderId: Kinds.text, feeAsset: Kinds.text }
}

/** The fields of an order with one of these missing from an answer. */
const requiring = ({ optional, required }: Fields, ...keys: ReadonlyArray<string>): Fields => ({
  required: { ...required, ...Object.fromEntries(keys.flatMap((key) => optional[key] ? [[key, optional[key]]] : [])) },
  optional
})

/** Both legs of each OCO order. */
const legs = Effect.fnUntraced(function*(world: World, account: Account, fields: Body = {}) {
  const { answer, items } = yield* LiveCalls.list(world, account, Paths.ocoOrders, fields)
  const records = items.filter(Json.isObject).flatMap(({ stop_loss, take_profit }) => [stop_loss, take_profit])
  return { answer, records: records.filter(Json.isObject).map(LiveOrders.toOrder) }
})

const open: Source = {
  id: "open",
  name: "an open order",
  path: Paths.activeOrders,
  read: LiveOrders.open,
  key: "orderId",
  fields: requiring(orderFields, "left"),
  times: ["timestamp", "timestamp"],
  filters: ["market", "orderId", "clientOrderId"]
}

const ended: Source = {
  id: "ended",
  name: "an ended order",
  path: Paths.orderHistory,
  read: LiveOrders.ended,
  key: "orderId",
  fields: requiring(orderFields, "ftime"),
  times: ["timestamp", "ftime"],
  filters: ["market", "orderId", "clientOrderId", "status"]
}

const fills: Source = {
  id: "fills",
  name: "a fill",
  path: Paths.fills,
  read: Effect.fnUntraced(function*(world, account, fields: Body = {}) {
    const { answer, records } = yield* LiveOrders.executed(world, account, fields)
    // The list of one market does not repeat the market.
    return { answer, records: records.map((record) => ({ market: fields["market"], ...record })) }
  }),
  key: "id",
  fields: fillFields,
  times: ["time", "time"],
  filters: ["market", "clientOrderId"]
}

const oco: Source = {
  id: "oco",
  name: "a leg of an OCO order",
  path: Paths.ocoOrders,
  read: legs,
  key: "orderId",
  fields: requiring(orderFields, "left"),
  times: ["timestamp", "timestamp"],
  filters: ["market"]
}

/** The fields of a record that the documentation describes. */
const documented = ({ fields: { optional, required } }: Source, record: Body): Body =>
  Object.fromEntries(
    Object.entries(record).filter(([key]) => Object.hasOwn(required, key) || Object.hasOwn(optional, key))
  )

const sources: ReadonlyArray<Source> = [open, ended, fills, oco]

/** The maximum number of records that a rule reads. */
const most = 100

/** The records of an account; at least `least`. A real account may have fewer: then the rule is skipped. */
const recordsOf = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  source: Source,
  least = 1
) {
  if (!world.declares(source.path)) return yield* Verdict.skip(Features.lacks(source.path))
  const shown = yield* source.read(world, account, { limit: most })
  if (shown.records.length >= least || world.profile === "control") {
    yield* Verdict.expect(shown.answer, `at least ${least} records`, shown.records.length >= least)
    return shown
  }
  return yield* Verdict.skip(shown.records.length === 0 ? Verdict.lacksRecords.none : Verdict.lacksRecords.tooFew)
})

/** The target's own account or, in a sandbox, a new one with records of all kinds. */
const ownerOf = (world: World) =>
  world.profile === "control" ? Effect.map(Records.stocked(world), ({ account }) => account) : world.reader

/** Creates one rule for each source that meets the condition. */
const forSources = (
  name: string,
  statement: (source: Source) => string,
  check: (
    world: World,
    source: Source,
    account: Account
  ) => Effect.Effect<unknown, Verdict.CheckError>,
  among: ReadonlyArray<Source> = sources
): ReadonlyArray<Rule.Rule> =>
  among.map((source) =>
    always(`records.${source.id}.${name}`, {
      statement: statement(source),
      profile: "read-only",
      check: (world) => Effect.flatMap(ownerOf(world), (account) => check(world, source, account))
    })
  )

// -----------------------------------------------------------------------------
// Each record by itself
// -----------------------------------------------------------------------------

/** The keys whose values are not of their kind. */
const misshapen = ({ optional, required }: Fields, record: Body): ReadonlyArray<string> => [
  ...Object.keys(required).filter((key) => required[key]?.holds(record[key]) !== true),
  ...Object.keys(optional).filter((key) => record[key] !== undefined && optional[key]?.holds(record[key]) !== true)
]

const number = (record: Body, key: string): number => Number(record[key])

const numbers = <Keys extends ReadonlyArray<string>>(record: Body, ...keys: Keys) =>
  keys.map((key) => number(record, key)) as { [K in keyof Keys]: number }

/** Whether two amounts are equal, apart from rounding in their last digits. */
const isNear = (one: number, other: number): boolean =>
  Math.abs(one - other) <= 1e-6 * Math.max(1e-3, Math.abs(one), Math.abs(other))

/** The requirements on a record whose amount is in the base currency. */
type Requirement = readonly [requirement: string, holds: boolean]

/** Whether the amount of an order may be in the quote currency, as that of a market buy on a spot market is. */
const isInMoney = ({ side, type }: Body): boolean => side === "buy" && /^(?:stop )?market$/u.test(String(type))

/** The requirements on what an order has traded. */
const ofFills = (order: Body): ReadonlyArray<Requirement> => {
  const [amount, left, stock, money, price] = numbers(order, "amount", "left", "dealStock", "dealMoney", "price")
  const isLimited = price > 0 && stock > 0 && String(order["type"]).includes("limit")
  return [
    ["a deal with both amounts, or no deal", stock > 0 === money > 0 && stock >= 0],
    ["no fee without a deal", stock > 0 || number(order, "dealFee") === 0],
    ["no deal beyond the amount", isInMoney(order) || stock <= amount * 1.000_001],
    [
      "left and dealStock that add up to the amount",
      order["left"] === undefined || isInMoney(order) || isNear(left + stock, amount)
    ],
    [
      "no worse price than the limit",
      !isLimited || (order["side"] === "buy" ? money <= price * stock * 1.000_001 : money >= price * stock * 0.999_999)
    ],
    ["a status that fits the deal", isInMoney(order) || isFitting(order["status"], stock, amount)]
  ]
}

/** Whether the word for the status of an order fits the amount that has traded. */
const isFitting = (status: unknown, stock: number, amount: number): boolean => {
  if (status === "OPEN") return stock === 0
  if (status === "PARTIALLY_FILLED") return stock > 0 && !isNear(stock, amount)
  return isNear(stock, amount) === (status === "FILLED")
}

/** The requirements on a fee: between the rates that the order shows, if it is charged in one of its currencies. */
const ofFee = (order: Body): Requirement => {
  const [stock = "", money = ""] = String(order["market"]).split("_")
  const base = order["feeAsset"] === stock ? number(order, "dealStock") : number(order, "dealMoney")
  const [taker, maker, fee] = numbers(order, "takerFee", "makerFee", "dealFee")
  const isJudged = (order["feeAsset"] === stock || order["feeAsset"] === money) && taker >= 0 && maker >= 0
  const slack = 1e-6 + base * 1e-6
  return [
    "a fee between makerFee and takerFee of the deal",
    !isJudged || (fee >= Math.min(taker, maker) * base - slack && fee <= Math.max(taker, maker) * base + slack)
  ]
}

const ofTrigger = (order: Body): ReadonlyArray<Requirement> => {
  const isStop = /stop|trigger/u.test(String(order["type"]))
  return [
    ["an activation price only for a stop order", isStop === (order["activation_price"] !== undefined)],
    ["no fills before the activation", order["activated"] !== 0 || number(order, "dealStock") === 0]
  ]
}

/** The requirements on one record of a source. */
const requirements = (source: Source, record: Body, now: number): ReadonlyArray<Requirement> => {
  const [first, last] = numbers(record, ...source.times)
  const ofTimes: ReadonlyArray<Requirement> = [
    [`${source.times[0]} in the past`, first <= now],
    [`${source.times[1]} not before ${source.times[0]}`, last >= first && last <= now]
  ]
  if (source === fills) {
    return [...ofTimes, [
      "deal as the product of price and amount",
      isNear(
        number(record, "deal"),
        number(record, "price") * number(record, "amount")
      )
    ]]
  }
  const isOpen = source !== ended
  return [
    ...ofTimes,
    ...ofFills(record),
    ...ofTrigger(record),
    ...(isOpen ? [] : [ofFee(record)]),
    [
      isOpen ? "the status of an open order" : "the status of an ended order",
      isOpen ? ["OPEN", "PARTIALLY_FILLED"].includes(String(record["status"])) : record["status"] !== "OPEN"
    ]
  ]
}

/** How far the times of a target may be ahead of the clock that the check knows, in seconds. */
const slack = 60

const recordRules: ReadonlyArray<Rule.Rule> = [
  ...forSources(
    "fields",
    ({ fields: { required }, name }) =>
      `Shows ${Object.keys(required).join(", ")} in ${name}, and each field in its form`,
    Effect.fnUntraced(function*(world, source, account) {
      const { answer, records } = yield* recordsOf(world, account, source)
      for (const record of records) {
        const wrong = misshapen(source.fields, record)
        const kinds = wrong.map((key) =>
          `${key} as ${(source.fields.required[key] ?? source.fields.optional[key])?.name}`
        )
        yield* Verdict.conclude(kinds.join(", "), record, wrong.length === 0, answer)
      }
    })
  ),
  ...forSources(
    "values",
    ({ name }) => `Shows ${name} with amounts, fees, times and a status that fit together, once in the list`,
    Effect.fnUntraced(function*(world, source, account) {
      const { answer, records } = yield* recordsOf(world, account, source)
      const now = Math.max(yield* world.now, yield* world.serverTime) / 1000 + slack
      for (const record of records) {
        const wrong = requirements(source, record, now).filter(([, holds]) => !holds).map(([requirement]) =>
          requirement
        )
        yield* Verdict.conclude(wrong.join(", "), record, wrong.length === 0, answer)
      }
      const ids = records.map((record) => record[source.key])
      yield* Verdict.conclude("every id once", ids, new Set(ids).size === ids.length, answer)
    })
  )
]

// -----------------------------------------------------------------------------
// Selections
// -----------------------------------------------------------------------------

/** A selection shows a record with the same values as the list, and only records that match. */
const selects = Effect.fnUntraced(function*(
  source: Source,
  world: World,
  account: Account,
  all: ReadonlyArray<Body>,
  record: Body,
  fields: Body,
  filter: string
) {
  const { key, read } = source
  const { answer, records } = yield* read(world, account, { ...fields, [filter]: record[filter], limit: most })
  const others = records.filter((found) => found[filter] !== record[filter])
  const text = `${filter} ${String(record[filter])}`
  yield* Verdict.conclude(`only records with ${text}`, others, others.length === 0, answer)
  const matching = all.filter((known) =>
    known[filter] === record[filter] && Object.entries(fields).every(([key, value]) => known[key] === value)
  )
  // A list that is full may have had more records than it shows.
  const expected = all.length < most && records.length < most ? matching : [record]
  for (const known of expected) {
    const found = records.find((found) => found[key] === known[key])
    yield* LiveOrders.shows({ answer }, `a record with ${text}`, found, documented(source, known))
  }
})

/** One record for each value of a field. */
const oneOfEach = (records: ReadonlyArray<Body>, key: string): ReadonlyArray<Body> =>
  [...new Map(records.toReversed().map((record) => [record[key], record])).values()].filter((record) =>
    record[key] !== undefined && record[key] !== ""
  )

/** The market with most records, and its records. */
const largest = (records: ReadonlyArray<Body>): readonly [market: unknown, records: ReadonlyArray<Body>] =>
  [...Map.groupBy(records, ({ market }) => market)].toSorted(([, one], [, other]) => other.length - one.length)[0]
    ?? ["", []]

const selectionRules: ReadonlyArray<Rule.Rule> = [
  ...sources.flatMap((source) =>
    source.filters.flatMap((filter) =>
      forSources(
        `filter.${filter}`,
        ({ name }) =>
          `Lists for ${filter} exactly the records with this value, ${name} with the same values as without it`,
        Effect.fnUntraced(function*(world, source, account) {
          const { records } = yield* recordsOf(world, account, source)
          const some = oneOfEach(records, filter).slice(0, 3)
          if (some.length === 0) return yield* Verdict.skip(Verdict.lacksRecords.none)
          for (const record of some) {
            const isId = filter === "orderId" || filter === "clientOrderId"
            const fields = isId ? { market: record["market"] } : {}
            yield* selects(source, world, account, records, record, fields, filter)
          }
        }),
        [source]
      )
    )
  ),
  ...forSources(
    "pages",
    ({ name }) => `Pages records by limit and offset, ${name} on exactly one page`,
    Effect.fnUntraced(function*(world, source, account) {
      const { records } = yield* recordsOf(world, account, source)
      const [market, some] = largest(records)
      // An OCO order has two legs.
      const size = source === oco ? 2 : 1
      if (some.length < 2 * size) return yield* Verdict.skip(Verdict.lacksRecords.tooFew)
      const seen: Array<unknown> = []
      for (let offset = 0; offset < Math.min(3, some.length / size); offset++) {
        const page = yield* source.read(world, account, { market, limit: 1, offset })
        const ids = page.records.map((record) => record[source.key])
        const isNew = ids.length === size && !ids.some((id) => seen.includes(id))
        yield* Verdict.expect(page.answer, "one record that is on no earlier page", isNew)
        const isKnown = some.length === most || ids.every((id) => some.some((record) => record[source.key] === id))
        yield* Verdict.expect(page.answer, "a record of the list", isKnown)
        seen.push(...ids)
      }
      if (some.length === most) return
      const beyond = yield* source.read(world, account, { market, limit: most, offset: some.length / size })
      yield* Verdict.expect(beyond.answer, "no record after the last one", beyond.records.length === 0)
    })
  ),
  ...forSources(
    "newest-first",
    ({ name }) => `Sorts the records of a market by time, newest first: ${name} before all that are older`,
    Effect.fnUntraced(function*(world, source, account) {
      const { answer, records } = yield* recordsOf(world, account, source)
      const groups = [...Map.groupBy(records, ({ market }) => market).values()].filter(({ length }) => length > 1)
      if (groups.length === 0) return yield* Verdict.skip(Verdict.lacksRecords.tooFew)
      for (const group of groups) {
        const times = group.map((record) => number(record, source.times[1]))
        const isSorted = times.every((time, index) => index === 0 || time <= (times[index - 1] ?? 0))
        yield* Verdict.conclude("the newest record of each market first", times, isSorted, answer)
      }
    }),
    [ended, fills]
  ),
  ...forSources(
    "dates",
    ({ name }) => `Lists only the records from startDate to endDate, ${name} for a period that contains its times`,
    Effect.fnUntraced(function*(world, source, account) {
      const { records } = yield* recordsOf(world, account, source)
      const [, some] = largest(records)
      for (const record of [some[0] ?? {}, some.at(-1) ?? {}]) {
        const [first, last] = numbers(record, ...source.times)
        const [startDate, endDate] = [Math.floor(first), Math.ceil(last) + 1]
        // The documentation limits the period to a month.
        if (endDate - startDate > 30 * 86_400) return yield* Verdict.skip(Verdict.lacksRecords.tooFew)
        const fields = { market: record["market"], startDate, endDate, limit: most }
        const { answer, records: found } = yield* source.read(world, account, fields)
        const same = found.find((other) => other[source.key] === record[source.key])
        yield* LiveOrders.shows({ answer }, "the record in the period", same, documented(source, record))
        const outside = found.filter((other) =>
          number(other, source.times[1]) < startDate || number(other, source.times[0]) > endDate + 1
        )
        yield* Verdict.conclude("no record outside the period", outside, outside.length === 0, answer)
      }
    }),
    [ended, fills]
  )
]

// -----------------------------------------------------------------------------
// Records that several answers show
// -----------------------------------------------------------------------------

const sum = (records: ReadonlyArray<Body>, key: string): number =>
  records.reduce((sum, record) => sum + number(record, key), 0)

/** The values that a deal of an order and the fill in the list share. */
const shared = ["id", "time", "role", "amount", "price", "deal", "fee", "feeAsset", "clientOrderId"] as const

const agreeing = (
  id: string,
  statement: string,
  check: (world: World, account: Account) => Effect.Effect<unknown, Verdict.CheckError>
) =>
  always(id, {
    statement,
    profile: "read-only",
    check: (world) => Effect.flatMap(ownerOf(world), (account) => check(world, account))
  })

const agreementRules: ReadonlyArray<Rule.Rule> = [
  agreeing(
    "records.deals",
    "Lists the deals of an order with the values of the fills, and with the sums that the ended order shows",
    Effect.fnUntraced(function*(world, account) {
      const { records } = yield* recordsOf(world, account, fills)
      const history = yield* ended.read(world, account, { limit: most })
      const orders = oneOfEach(records, "orderId").slice(0, 3)
      for (const { orderId } of orders) {
        const deals = yield* LiveOrders.deals(world, account, orderId, { limit: most })
        for (const fill of records.filter((fill) => fill["orderId"] === orderId)) {
          const expected = Object.fromEntries(
            shared.flatMap((key) => fill[key] === undefined ? [] : [[key, fill[key]]])
          )
          const deal = deals.records.find(({ id }) => id === fill["id"])
          yield* LiveOrders.shows(deals, `the fill of order ${String(orderId)}`, deal, expected)
        }
        const order = history.records.find((order) => order["orderId"] === orderId)
        if (order === undefined || deals.records.length === most) continue
        const sums = { dealStock: "amount", dealMoney: "deal", dealFee: "fee" } as const
        for (const [key, part] of Object.entries(sums)) {
          yield* Verdict.conclude(
            `${key} ${String(order[key])} of order ${String(orderId)} as the sum of its deals`,
            deals.records,
            isNear(sum(deals.records, part), number(order, key)),
            deals.answer
          )
        }
      }
    })
  ),
  agreeing(
    "records.legs",
    "Lists each leg of an OCO order among the open orders and the conditional orders, with the same values",
    Effect.fnUntraced(function*(world, account) {
      const { records } = yield* recordsOf(world, account, oco)
      const all = yield* open.read(world, account, { limit: most })
      const { answer, json } = yield* LiveCalls.object(world, account, Paths.conditionalOrders, { limit: most })
      const conditional = (Array.isArray(json["records"]) ? json["records"] : []).filter(Json.isObject)
      const inConditional = conditional.flatMap(({ stopLoss, takeProfit }) =>
        [stopLoss, takeProfit].filter(Json.isObject).map(LiveOrders.toOrder)
      )
      for (const leg of records.slice(0, 10)) {
        const find = (among: ReadonlyArray<Body>) => among.find(({ orderId }) => orderId === leg["orderId"])
        const order = documented(oco, leg)
        if (all.records.length < most) yield* LiveOrders.shows(all, "the open order", find(all.records), order)
        if (conditional.length === most) continue
        yield* LiveOrders.shows({ answer }, "the leg of the conditional order", find(inConditional), order)
      }
    })
  ),
  agreeing(
    "records.conditional",
    "Lists as many conditional orders as total says, each once, as the page's limit and offset select them",
    Effect.fnUntraced(function*(world, account) {
      const read = Effect.fnUntraced(function*(fields: Body) {
        const { answer, json } = yield* LiveCalls.object(world, account, Paths.conditionalOrders, fields)
        const items = Array.isArray(json["records"]) ? json["records"].filter(Json.isObject) : []
        return { answer, json, items, ids: items.map(({ id }) => id) }
      })
      const all = yield* read({ limit: most })
      yield* FieldRules.atLeastOne(world, all.answer, all.items, "conditional order")
      const { limit, offset, total } = all.json
      yield* Verdict.expect(
        all.answer,
        `limit ${most}, offset 0, and a total of ${all.ids.length} or more, each with an id of its own`,
        limit === most && offset === 0 && new Set(all.ids).size === all.ids.length &&
          (all.ids.length === most ? Number(total) >= most : total === all.ids.length)
      )
      const isWhole = ({ conditionalOrder, stopLoss, takeProfit, type }: Body) =>
        type === "oco"
          ? Json.isObject(stopLoss) && Json.isObject(takeProfit)
          : type === "oto" && Json.isObject(conditionalOrder)
      yield* Verdict.expect(all.answer, "the legs of oco, the order of oto", all.items.every(isWhole))
      const seen: Array<unknown> = []
      for (let index = 0; index < Math.min(2, all.ids.length); index++) {
        const page = yield* read({ limit: 1, offset: index })
        yield* Verdict.expect(
          page.answer,
          `another conditional order, limit 1, offset ${index} and the same total`,
          page.ids.length === 1 && all.ids.includes(page.ids[0]) && page.json["limit"] === 1 &&
            page.json["offset"] === index &&
            page.json["total"] === total && !seen.includes(page.ids[0])
        )
        seen.push(page.ids[0])
      }
      const marketOf = ({ conditionalOrder, takeProfit }: Body) => {
        const order = conditionalOrder ?? takeProfit
        return Json.isObject(order) ? order["market"] : undefined
      }
      const market = marketOf(all.items[0] ?? {})
      const some = yield* read({ market, limit: most })
      const ids = all.items.filter((item) => marketOf(item) === market).map(({ id }) => id)
      yield* Verdict.expect(
        some.answer,
        `the conditional orders on ${String(market)}: ${ids.join(", ")}`,
        all.ids.length === most || (some.ids.length === ids.length && ids.every((id) => some.ids.includes(id)))
      )
    })
  ),
  agreeing(
    "records.balances",
    "Shows for a ticker the balance that the list of all balances shows, and none below zero",
    Effect.fnUntraced(function*(world, account) {
      let judged = 0
      for (const path of [Paths.mainBalance, Paths.tradeBalance, Paths.collateralBalance]) {
        const { json } = yield* LiveCalls.object(world, account, path, {})
        for (const [ticker, entry] of Object.entries(json).slice(0, 2)) {
          const { answer, json: one } = yield* LiveCalls.object(world, account, path, { ticker })
          const shown = path === Paths.collateralBalance ? one[ticker] : one
          const [text, amounts] = [JSON.stringify(entry), Json.isObject(entry) ? Object.values(entry) : [entry]]
          yield* Verdict.expect(
            answer,
            `${ticker} ${text}, zero or more`,
            sameText(shown, entry) &&
              (path === Paths.collateralBalance || amounts.every((amount) => Number(amount) >= 0))
          )
          judged++
        }
      }
      if (judged === 0) yield* Verdict.skip(Verdict.lacksRecords.none)
    })
  ),
  agreeing(
    "records.locked",
    "Locks at least what the open spot orders need in the trade balance",
    Effect.fnUntraced(function*(world, account) {
      const { records } = yield* recordsOf(world, account, open)
      // The type of an order on the collateral balance begins with margin, which the common form leaves out.
      const { items } = yield* LiveCalls.list(world, account, Paths.activeOrders, { limit: most })
      const isSpot = items.filter(Json.isObject).filter(({ type }) => type === "limit").map(({ orderId }) => orderId)
      const spot = records.filter(({ orderId }) => isSpot.includes(orderId))
      if (spot.length === 0) return yield* Verdict.skip(Verdict.lacksRecords.none)
      const needed = new Map<string, number>()
      for (const { left, market, price, side } of spot) {
        const [stock = "", money = ""] = String(market).split("_")
        const [ticker, amount] = side === "buy" ? [money, Number(left) * Number(price)] : [stock, Number(left)]
        needed.set(ticker, (needed.get(ticker) ?? 0) + amount)
      }
      const { answer, of } = yield* LiveOrders.funds(world, account)
      for (const [ticker, amount] of needed) {
        yield* Verdict.expect(
          answer,
          `a freeze of ${amount} ${ticker} or more`,
          of(ticker).freeze >= amount * 0.999_999
        )
      }
    })
  )
]

/** The lists of an account that have no more than a few entries. */
const stateRules: ReadonlyArray<Rule.Rule> = [
  agreeing(
    "records.positions",
    "Lists each open position once, with an entry price and times in order, and for a market exactly its positions",
    Effect.fnUntraced(function*(world, account) {
      const read = (fields: Body) =>
        Effect.map(LiveCalls.list(world, account, Paths.openPositions, fields), ({ answer, items }) => ({
          answer,
          positions: items.filter(Json.isObject)
        }))
      const { answer, positions } = yield* read({})
      yield* FieldRules.atLeastOne(world, answer, positions, "open position")
      const idsOf = (records: ReadonlyArray<Body>) => records.map(({ positionId }) => positionId)
      yield* Verdict.expect(answer, "every positionId once", new Set(idsOf(positions)).size === positions.length)
      const now = Math.max(yield* world.now, yield* world.serverTime) / 1000 + slack
      for (const position of positions) {
        const [openDate, modifyDate, basePrice] = numbers(position, "openDate", "modifyDate", "basePrice")
        const isFitting = openDate <= modifyDate && modifyDate < now && basePrice > 0
        yield* Verdict.conclude("a basePrice above zero, and openDate before modifyDate", position, isFitting, answer)
      }
      for (const { market } of oneOfEach(positions, "market").slice(0, 2)) {
        const some = yield* read({ market })
        const expected = idsOf(positions.filter((position) => position["market"] === market))
        yield* Verdict.expect(
          some.answer,
          `the positions on ${String(market)}: ${expected.join(", ")}`,
          sameText(idsOf(some.positions).toSorted(), expected.toSorted())
        )
      }
    })
  ),
  agreeing(
    "records.kill-switch",
    "Shows a timer that has started and ends within ten minutes, and for a market exactly its timer",
    Effect.fnUntraced(function*(world, account) {
      const { answer, items } = yield* LiveCalls.list(world, account, Paths.killSwitchStatus, {})
      const timers = yield* FieldRules.atLeastOne(world, answer, items.filter(Json.isObject), "timer")
      const now = Math.max(yield* world.now, yield* world.serverTime) / 1000 + slack
      for (const timer of timers) {
        const [start, end] = numbers(timer, "startTime", "cancellationTime")
        const isFitting = start < now && end - start >= 4 && end - start <= 601
        yield* Verdict.conclude(
          "a startTime in the past, and a cancellationTime 5 to 600 s later",
          timer,
          isFitting,
          answer
        )
        const one = yield* LiveCalls.list(world, account, Paths.killSwitchStatus, { market: timer["market"] })
        yield* Verdict.expect(one.answer, `only ${JSON.stringify(timer)}`, sameText(one.items, [timer]))
      }
    })
  )
]

const sameText = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

export const rules: ReadonlyArray<Rule.Rule> = [...recordRules, ...selectionRules, ...agreementRules, ...stateRules]
