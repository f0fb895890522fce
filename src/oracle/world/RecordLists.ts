/**
 * The lists of an account's own records, with the fields that the live exchange's documentation describes. A sandbox
 * has a record of every kind; a real account may lack some kinds, and the rules about these are skipped.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Features from "../Features.ts"
import * as Verdict from "../Verdict.ts"
import * as Comparison from "./Comparison.ts"
import * as Kinds from "./Kinds.ts"
import * as LiveCalls from "./LiveCalls.ts"
import * as LiveOrders from "./LiveOrders.ts"
import * as Paths from "./Paths.ts"
import * as Records from "./Records.ts"
import type { Account, Body, World } from "./World.ts"

/** The required fields of a record, and the fields that a response may omit. */
export interface Fields {
  readonly required: Readonly<Record<string, Kinds.Kind>>
  readonly optional: Readonly<Record<string, Kinds.Kind>>
}

/** A list of an account's records. */
export interface Source {
  /** The list's name in the ids of its rules. */
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
    // A spot order may show an empty position side.
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

/** Returns the fields with these optional keys required. */
const requiring = ({ optional, required }: Fields, ...keys: ReadonlyArray<string>): Fields => ({
  required: { ...required, ...Object.fromEntries(keys.flatMap((key) => optional[key] ? [[key, optional[key]]] : [])) },
  optional
})

/** Returns both legs of each OCO order. */
const legs = Effect.fnUntraced(function*(world: World, account: Account, fields: Body = {}) {
  const { answer, items } = yield* LiveCalls.list(world, account, Paths.ocoOrders, fields)
  const records = items.filter(Json.isObject).flatMap(({ stop_loss, take_profit }) => [stop_loss, take_profit])
  return { answer, records: records.filter(Json.isObject).map(LiveOrders.toOrder) }
})

/** The open orders. */
export const open: Source = {
  id: "open",
  name: "open orders",
  path: Paths.activeOrders,
  read: LiveOrders.open,
  key: "orderId",
  fields: requiring(orderFields, "left"),
  times: ["timestamp", "timestamp"],
  filters: ["market", "orderId", "clientOrderId"]
}

/** The order history. */
export const ended: Source = {
  id: "ended",
  name: "closed orders",
  path: Paths.orderHistory,
  read: LiveOrders.ended,
  key: "orderId",
  fields: requiring(orderFields, "ftime"),
  times: ["timestamp", "ftime"],
  filters: ["market", "orderId", "clientOrderId", "status"]
}

/** The fills. */
export const fills: Source = {
  id: "fills",
  name: "fills",
  path: Paths.fills,
  read: Effect.fnUntraced(function*(world, account, fields: Body = {}) {
    const { answer, records } = yield* LiveOrders.executed(world, account, fields)
    // In a list of one market's fills, the records do not show the market.
    return { answer, records: records.map((record) => ({ market: fields["market"], ...record })) }
  }),
  key: "id",
  fields: fillFields,
  times: ["time", "time"],
  filters: ["market", "clientOrderId"]
}

/** The open OCO orders, leg by leg. */
export const oco: Source = {
  id: "oco",
  name: "legs of OCO orders",
  path: Paths.ocoOrders,
  read: legs,
  key: "orderId",
  fields: requiring(orderFields, "left"),
  times: ["timestamp", "timestamp"],
  filters: ["market"]
}

/** Returns the fields of a record that the documentation describes. */
export const documented = ({ fields: { optional, required } }: Source, record: Body): Body =>
  Object.fromEntries(
    Object.entries(record).filter(([key]) => Object.hasOwn(required, key) || Object.hasOwn(optional, key))
  )

/** The lists whose records the rules check. */
export const sources: ReadonlyArray<Source> = [open, ended, fills, oco]

/** The maximum number of records that a rule reads. */
export const most = 100

/**
 * Returns an account's records, of which there must be at least `least`. If a real account has fewer, the rule is
 * skipped.
 */
export const recordsOf = Effect.fnUntraced(function*(
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

/** Returns the target's own account or, in a sandbox, a new one with records of all kinds. */
export const ownerOf = (world: World) =>
  world.profile === "control" ? Effect.map(Records.stocked(world), ({ account }) => account) : world.reader

/** Whether two values are equal. The sequence in lists matters; the sequence of fields does not. */
export const sameText = (one: unknown, other: unknown): boolean => Comparison.textOf(one) === Comparison.textOf(other)

/** Whether two amounts are equal, apart from rounding in their last digits. */
export const isNear = (one: number, other: number): boolean =>
  Math.abs(one - other) <= 1e-6 * Math.max(1e-3, Math.abs(one), Math.abs(other))

/** Returns one record for each value of a field. */
export const oneOfEach = (records: ReadonlyArray<Body>, key: string): ReadonlyArray<Body> =>
  [...new Map(records.toReversed().map((record) => [record[key], record])).values()].filter((record) =>
    record[key] !== undefined && record[key] !== ""
  )

/** How far the times of a target may be ahead of the clock that the check knows, in seconds. */
const slack = 60

/** Returns the latest time, in Unix seconds, that a record may show. */
export const latest = Effect.fnUntraced(function*({ now, serverTime }: World) {
  return Math.max(yield* now, yield* serverTime) / 1000 + slack
})
