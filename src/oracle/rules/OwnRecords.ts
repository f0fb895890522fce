/**
 * Rules about the account's own orders and fills that need only reads: about each record, and about the parameters that
 * select records. Only the live exchange's documentation describes these calls.
 */
import * as Effect from "effect/Effect"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import { number, numbers } from "../world/Numbers.ts"
import * as RecordLists from "../world/RecordLists.ts"
import type { Account, Body, World } from "../world/World.ts"

const { always } = LiveCalls.section

/** Creates one rule for each list of records in `among`. */
const forSources = (
  name: string,
  statement: (source: RecordLists.Source) => string,
  check: (
    world: World,
    source: RecordLists.Source,
    account: Account
  ) => Effect.Effect<unknown, Verdict.CheckError>,
  among: ReadonlyArray<RecordLists.Source> = RecordLists.sources
): ReadonlyArray<Rule.Rule> =>
  among.map((source) =>
    always(`records.${source.id}.${name}`, {
      statement: statement(source),
      profile: "read-only",
      check: (world) => Effect.flatMap(RecordLists.ownerOf(world), (account) => check(world, source, account))
    })
  )

// -----------------------------------------------------------------------------
// Single records
// -----------------------------------------------------------------------------

/** Returns the keys whose values are not of the expected kind. */
const misshapen = ({ optional, required }: RecordLists.Fields, record: Body): ReadonlyArray<string> => [
  ...Object.keys(required).filter((key) => required[key]?.holds(record[key]) !== true),
  ...Object.keys(optional).filter((key) => record[key] !== undefined && optional[key]?.holds(record[key]) !== true)
]

/** A requirement on a record, and whether the record meets it. */
type Requirement = readonly [requirement: string, holds: boolean]

/** Whether an order's amount may be in the quote currency, as in a market buy on a spot market. */
const isInMoney = ({ side, type }: Body): boolean => side === "buy" && /^(?:stop )?market$/u.test(String(type))

/** Returns the requirements on an order's traded amounts. */
const ofFills = (order: Body): ReadonlyArray<Requirement> => {
  const [amount, left, stock, money, price] = numbers(
    order,
    "amount",
    "left",
    "dealStock",
    "dealMoney",
    "price"
  )
  const isLimited = price > 0 && stock > 0 && String(order["type"]).includes("limit")
  return [
    ["a deal with both amounts, or no deal", stock > 0 === money > 0 && stock >= 0],
    ["no fee without a deal", stock > 0 || number(order, "dealFee") === 0],
    ["no deal beyond the amount", isInMoney(order) || stock <= amount * 1.000_001],
    [
      "left and dealStock that add up to the amount",
      order["left"] === undefined || isInMoney(order) || RecordLists.isNear(left + stock, amount)
    ],
    [
      "no worse price than the limit",
      !isLimited || (order["side"] === "buy" ? money <= price * stock * 1.000_001 : money >= price * stock * 0.999_999)
    ],
    ["a status that fits the deal", isInMoney(order) || isFitting(order["status"], stock, amount)]
  ]
}

/** Whether an order's status fits the amount that has traded. */
const isFitting = (status: unknown, stock: number, amount: number): boolean => {
  if (status === "OPEN") return stock === 0
  if (status === "PARTIALLY_FILLED") return stock > 0
  return status !== "FILLED" || RecordLists.isNear(stock, amount)
}

/**
 * Returns the requirement that a fee in one of the market's currencies lies between the rates that the order shows.
 */
const ofFee = (order: Body): Requirement => {
  const [stock = "", money = ""] = String(order["market"]).split("_")
  const base = order["feeAsset"] === stock
    ? number(order, "dealStock")
    : number(order, "dealMoney")
  const [taker, maker, fee] = numbers(order, "takerFee", "makerFee", "dealFee")
  const isJudged = (order["feeAsset"] === stock || order["feeAsset"] === money) && taker >= 0 && maker >= 0
  const slack = 1e-6 + base * 1e-6
  return [
    "a fee between makerFee and takerFee times the traded amount",
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

/** Returns the requirements on one record of a list. */
const requirements = (source: RecordLists.Source, record: Body, now: number): ReadonlyArray<Requirement> => {
  const [first, last] = numbers(record, ...source.times)
  const ofTimes: ReadonlyArray<Requirement> = [
    [`${source.times[0]} in the past`, first <= now],
    [`${source.times[1]} not before ${source.times[0]}`, last >= first && last <= now]
  ]
  if (source === RecordLists.fills) {
    return [...ofTimes, [
      "deal as the product of price and amount",
      RecordLists.isNear(
        number(record, "deal"),
        number(record, "price") * number(record, "amount")
      )
    ]]
  }
  const isOpen = source !== RecordLists.ended
  return [
    ...ofTimes,
    ...ofFills(record),
    ...ofTrigger(record),
    ...(isOpen ? [] : [ofFee(record)]),
    [
      isOpen ? "the status of an open order" : "the status of a closed order",
      isOpen ? ["OPEN", "PARTIALLY_FILLED"].includes(String(record["status"])) : record["status"] !== "OPEN"
    ]
  ]
}

const recordRules: ReadonlyArray<Rule.Rule> = [
  ...forSources(
    "fields",
    ({ fields: { required }, name }) =>
      `Shows ${Object.keys(required).join(", ")} in ${name}, and each field in its format`,
    Effect.fnUntraced(function*(world, source, account) {
      const { answer, records } = yield* RecordLists.recordsOf(world, account, source)
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
    ({ name }) => `Lists ${name} once each, with amounts, fees, times and a status that fit together`,
    Effect.fnUntraced(function*(world, source, account) {
      const { answer, records } = yield* RecordLists.recordsOf(world, account, source)
      const now = yield* RecordLists.latest(world)
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

/** Expects that a filtered list contains only matching records, with the same values as in the unfiltered list. */
const selects = Effect.fnUntraced(function*(
  source: RecordLists.Source,
  world: World,
  account: Account,
  all: ReadonlyArray<Body>,
  record: Body,
  fields: Body,
  filter: string
) {
  const { key, read } = source
  const { answer, records } = yield* read(world, account, {
    ...fields,
    [filter]: record[filter],
    limit: RecordLists.most
  })
  const others = records.filter((found) => found[filter] !== record[filter])
  const text = `${filter} ${String(record[filter])}`
  yield* Verdict.conclude(`only records with ${text}`, others, others.length === 0, answer)
  const matching = all.filter((known) =>
    known[filter] === record[filter] && Object.entries(fields).every(([key, value]) => known[key] === value)
  )
  // A list with the maximum number of records may be incomplete.
  const expected = all.length < RecordLists.most && records.length < RecordLists.most ? matching : [record]
  for (const known of expected) {
    const found = records.find((found) => found[key] === known[key])
    yield* LiveOrders.shows({ answer }, `a record with ${text}`, found, RecordLists.documented(source, known))
  }
})

/** Returns the market with the most records, and these records. */
const largest = (records: ReadonlyArray<Body>): readonly [market: unknown, records: ReadonlyArray<Body>] =>
  [...Map.groupBy(records, ({ market }) => market)].toSorted(([, one], [, other]) => other.length - one.length)[0]
    ?? ["", []]

const selectionRules: ReadonlyArray<Rule.Rule> = [
  ...RecordLists.sources.flatMap((source) =>
    source.filters.flatMap((filter) =>
      forSources(
        `filter.${filter}`,
        ({ name }) =>
          `Selects ${name} by ${filter}: exactly the matching records, with the same values as in the complete list`,
        Effect.fnUntraced(function*(world, source, account) {
          const { records } = yield* RecordLists.recordsOf(world, account, source)
          const some = RecordLists.oneOfEach(records, filter).slice(0, 3)
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
    ({ name }) => `Pages ${name} by limit and offset, each on exactly one page`,
    Effect.fnUntraced(function*(world, source, account) {
      const { records } = yield* RecordLists.recordsOf(world, account, source)
      const [market, some] = largest(records)
      // A page of one OCO order has two records: the legs.
      const size = source === RecordLists.oco ? 2 : 1
      if (some.length < 2 * size) return yield* Verdict.skip(Verdict.lacksRecords.tooFew)
      const seen: Array<unknown> = []
      for (let offset = 0; offset < Math.min(3, some.length / size); offset++) {
        const page = yield* source.read(world, account, { market, limit: 1, offset })
        const ids = page.records.map((record) => record[source.key])
        const isNew = ids.length === size && !ids.some((id) => seen.includes(id))
        yield* Verdict.expect(page.answer, "one record that is on no earlier page", isNew)
        const isKnown = some.length === RecordLists.most ||
          ids.every((id) => some.some((record) => record[source.key] === id))
        yield* Verdict.expect(page.answer, "a record of the list", isKnown)
        seen.push(...ids)
      }
      if (some.length === RecordLists.most) return
      const beyond = yield* source.read(world, account, { market, limit: RecordLists.most, offset: some.length / size })
      yield* Verdict.expect(beyond.answer, "no record after the last one", beyond.records.length === 0)
    })
  ),
  ...forSources(
    "newest-first",
    ({ name }) => `Sorts the ${name} of a market by time, newest first`,
    Effect.fnUntraced(function*(world, source, account) {
      const { answer, records } = yield* RecordLists.recordsOf(world, account, source)
      const groups = [...Map.groupBy(records, ({ market }) => market).values()].filter(({ length }) => length > 1)
      if (groups.length === 0) return yield* Verdict.skip(Verdict.lacksRecords.tooFew)
      for (const group of groups) {
        const times = group.map((record) => number(record, source.times[1]))
        const isSorted = times.every((time, index) => index === 0 || time <= (times[index - 1] ?? 0))
        yield* Verdict.conclude("the newest record of each market first", times, isSorted, answer)
      }
    }),
    [RecordLists.ended, RecordLists.fills]
  ),
  ...forSources(
    "dates",
    ({ name }) => `Selects ${name} by startDate and endDate: exactly the records in the period`,
    Effect.fnUntraced(function*(world, source, account) {
      const { records } = yield* RecordLists.recordsOf(world, account, source)
      const [, some] = largest(records)
      for (const record of [some[0] ?? {}, some.at(-1) ?? {}]) {
        const [first, last] = numbers(record, ...source.times)
        const [startDate, endDate] = [Math.floor(first), Math.ceil(last) + 1]
        // The documentation limits the period to a month.
        if (endDate - startDate > 30 * 86_400) return yield* Verdict.skip(Verdict.lacksRecords.tooFew)
        const fields = { market: record["market"], startDate, endDate, limit: RecordLists.most }
        const { answer, records: found } = yield* source.read(world, account, fields)
        const same = found.find((other) => other[source.key] === record[source.key])
        yield* LiveOrders.shows({ answer }, "the record in the period", same, RecordLists.documented(source, record))
        const outside = found.filter((other) =>
          number(other, source.times[1]) < startDate ||
          number(other, source.times[0]) > endDate + 1
        )
        yield* Verdict.conclude("no record outside the period", outside, outside.length === 0, answer)
      }
    }),
    [RecordLists.ended, RecordLists.fills]
  )
]

export const rules: ReadonlyArray<Rule.Rule> = [...recordRules, ...selectionRules]
