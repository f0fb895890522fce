/**
 * Orders and fills as the calls of the live exchange show them. According to the exchange's documentation, all calls
 * that show an order show the same fields. So the rules compare every response about an order with one expected order.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Target from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "./LiveCalls.ts"
import * as Orders from "./Orders.ts"
import * as Paths from "./Paths.ts"
import * as Trading from "./Trading.ts"
import * as Undoing from "./Undoing.ts"
import type { Account, Body, World } from "./World.ts"

/** A response with its records. */
export interface Shown {
  /** The response that lists the records. */
  readonly answer: Target.Answer
  /** The records, in the same sequence as in the response. */
  readonly records: ReadonlyArray<Body>
}

// -----------------------------------------------------------------------------
// Values
// -----------------------------------------------------------------------------

/** The values that fields have when a response omits them. */
const omitted: Body = { stp: "no", postOnly: false, ioc: false, reduceOnly: false, rpi: false }

const decimal = /^-?[0-9]+(?:\.[0-9]+)?$/u

/** The difference below which two decimals are considered equal. */
const precision = 1e-9

/** Whether a value is the expected one, and of the same JSON type. Decimals may have additional zeros at the end. */
const isSame = (value: unknown, expected: unknown): boolean => {
  if (Json.isObject(value) && Json.isObject(expected)) return differences(value, expected).length === 0
  if (typeof value !== "string" || typeof expected !== "string") return value === expected
  return decimal.test(value) && decimal.test(expected)
    ? Math.abs(Number(value) - Number(expected)) < precision
    : value === expected
}

/** Returns the keys of the fields that differ from the expected ones. Only some responses show the position side. */
export const differences = (record: Body, expected: Body): ReadonlyArray<string> =>
  Object.keys(expected).filter((key) =>
    !(key === "positionSide" && record[key] === undefined) &&
    !isSame(record[key] ?? omitted[key], expected[key] ?? omitted[key])
  )

/** Expects that a record has these values. */
export const shows = ({ answer }: Pick<Shown, "answer">, what: string, record: Body | undefined, expected: Body) => {
  const wrong = record === undefined ? undefined : differences(record, expected)
  return Verdict.conclude(
    `${what} with ${Json.stringify(expected)}`,
    record === undefined ? "none" : `a different ${wrong?.join(", ") ?? ""}: ${Json.stringify(record)}`,
    wrong?.length === 0,
    answer
  )
}

/** Expects exactly these records, in any sequence, each identified by the value of `key`. */
export const lists = Effect.fnUntraced(function*(
  shown: Shown,
  what: string,
  key: string,
  expected: ReadonlyArray<Body>
) {
  yield* Verdict.expect(shown.answer, `${expected.length} records: ${what}`, shown.records.length === expected.length)
  for (const record of expected) {
    yield* shows(shown, what, shown.records.find((found) => isSame(found[key], record[key])), record)
  }
})

// -----------------------------------------------------------------------------
// Orders
// -----------------------------------------------------------------------------

/** The usual spelling of keys that order history and the legs of OCO orders spell differently. */
const spellings: Readonly<Record<string, string>> = {
  ctime: "timestamp",
  post_only: "postOnly",
  activationPrice: "activation_price",
  activation_condition: "activationCondition"
}

/** The usual spelling of values that some calls write differently. */
const respelled: Readonly<Record<string, string>> = {
  "trigger margin market": "stop market",
  "trigger stop market": "stop market",
  ">=": "gte",
  "<=": "lte"
}

/** Converts an order to the keys and values that the response to a new order would show. */
export const toOrder = (record: Body): Body =>
  Object.fromEntries(
    Object.entries(record).map(([key, value]) => [
      spellings[key] ?? key,
      typeof value === "string" && (key === "type" || key.startsWith("activation"))
        ? respelled[value] ?? value.replace(/^margin /u, "")
        : value
    ])
  )

/** The fields of a request that every response about the order repeats. */
const repeated = [
  "market",
  "side",
  "amount",
  "price",
  "activation_price",
  "clientOrderId",
  "stp",
  "postOnly",
  "ioc",
  "reduceOnly",
  "rpi"
]

/** Returns the order that a request asks for. */
export const ordered = (type: string, fields: Body): Body => ({
  ...omitted,
  clientOrderId: "",
  ...Object.fromEntries(repeated.flatMap((key) => fields[key] === undefined ? [] : [[key, fields[key]]])),
  type
})

/** Returns an amount as text, rounded to twelve decimal places. */
export const textOf = (amount: number): string => String(Math.round(amount * 1e12) / 1e12)

/** A part of an order that traded at one price. */
export interface Part {
  /** The amount, in the base currency. */
  readonly amount: number
  /** The price, in the quote currency. */
  readonly price: number
}

const sumOf = (parts: ReadonlyArray<Part>, of: (part: Part) => number): number =>
  parts.reduce((sum, part) => sum + of(part), 0)

/** Returns the fields of an order that its fills change. `size` is the size of the order in the base currency. */
export const filled = (size: unknown, parts: ReadonlyArray<Part>, status?: string): Body => {
  const stock = sumOf(parts, ({ amount }) => amount)
  const left = Number(size) - stock
  return {
    dealStock: textOf(stock),
    dealMoney: textOf(sumOf(parts, ({ amount, price }) => amount * price)),
    left: textOf(left),
    status: status ?? (stock === 0 ? "OPEN" : left < precision ? "FILLED" : "PARTIALLY_FILLED"),
    ...(stock === 0 ? { dealFee: "0" } : {})
  }
}

/** Returns a response's values of the fields that no later response about the order may change. */
export const identity = (order: Body): Body =>
  Object.fromEntries(
    ["orderId", "timestamp", "activationCondition", "positionSide", "oto"].flatMap((key) =>
      order[key] === undefined ? [] : [[key, order[key]]]
    )
  )

/** Expects that a time in seconds is the target's time, give or take half a minute. */
export const isNow = Effect.fnUntraced(function*(world: World, answer: Target.Answer, what: string, time: unknown) {
  const now = (yield* world.now) / 1000
  yield* Verdict.expect(answer, `${what} of about ${now}`, typeof time === "number" && Math.abs(time - now) < 30)
})

/** Returns the order in the response to a call that places one order, or a list of one order. */
const inAnswer = (json: unknown): unknown => {
  const [item]: ReadonlyArray<unknown> = Array.isArray(json) ? json : [{ result: json }]
  return Json.isObject(item) ? item["result"] : undefined
}

/**
 * Makes a call that may place, change or cancel an order. On a real account, the order is canceled when the run ends.
 * If no order has been placed on the path yet, `plain` is placed and canceled first. Skips the value if the account
 * lacks the funds.
 */
export const submit = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  path: string,
  fields: Body,
  plain: Body = fields
): Effect.fn.Return<Target.Answer, Verdict.CheckError> {
  if (world.profile !== "mutating" || path === Paths.cancelOrder) {
    return yield* LiveCalls.call(world, account, path, Paths.ofSeveral.includes(path) ? { orders: [fields] } : fields)
  }
  const { clientOrderId: _id, ...first } = plain
  const answer = path === Paths.modifyOrder
    ? yield* Undoing.change(world, account, path, fields)
    : yield* Undoing.place(world, account, path, fields, first, {})
  yield* LiveCalls.served(world, path, answer)
  return yield* Orders.funded(answer)
})

/** Submits an order, and returns the order that the response shows. */
export const place = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  path: string,
  fields: Body
): Effect.fn.Return<{ readonly answer: Target.Answer; readonly order: Body }, Verdict.CheckError> {
  const answer = yield* submit(world, account, path, fields)
  const order = inAnswer(answer.json)
  yield* Verdict.expect(answer, "HTTP 200 with an order", answer.status === 200 && Json.isObject(order))
  return { answer, order: toOrder(Json.isObject(order) ? order : {}) }
})

// -----------------------------------------------------------------------------
// Lists
// -----------------------------------------------------------------------------

/** Returns an account's open orders. */
export const open = Effect.fnUntraced(function*(world: World, account: Account, fields: Body = {}) {
  const { answer, items } = yield* LiveCalls.list(world, account, Paths.activeOrders, fields)
  return { answer, records: items.filter(Json.isObject).map(toOrder) }
})

/** Returns an account's conditional orders: OCO orders, and orders with exits. */
export const conditional = Effect.fnUntraced(function*(world: World, account: Account, fields: Body = {}) {
  const { answer, json } = yield* LiveCalls.object(world, account, Paths.conditionalOrders, fields)
  const records = json["records"]
  yield* Verdict.expect(answer, "a list of records", Array.isArray(records))
  return { answer, json, records: Array.isArray(records) ? records.filter(Json.isObject) : [] }
})

/** Expects that no order is open. Does not check a real account, which may have its own open orders. */
export const nothingOpen = Effect.fnUntraced(function*(world: World, account: Account) {
  if (world.profile !== "control") return
  const { answer, records } = yield* open(world, account)
  yield* Verdict.expect(answer, "no open orders", records.length === 0)
})

/**
 * Returns the records of a list that show these orders; in a sandbox, all records, because the account has no other
 * orders.
 */
export const among = ({ profile }: World, { answer, records }: Shown, ids: ReadonlyArray<unknown>): Shown => ({
  answer,
  records: profile === "control" ? records : records.filter(({ orderId }) => ids.includes(orderId))
})

/** Returns the records of a list that may be grouped by market. Each record of a group shows its market. */
const ungrouped = (json: unknown): ReadonlyArray<Body> =>
  Array.isArray(json)
    ? json.filter(Json.isObject)
    : Object.entries(Json.isObject(json) ? json : {}).flatMap(([market, records]) =>
      Array.isArray(records) ? records.filter(Json.isObject).map((record) => ({ ...record, market })) : []
    )

const grouped = Effect.fnUntraced(function*(world: World, account: Account, path: string, fields: Body) {
  const answer = yield* LiveCalls.call(world, account, path, fields)
  const isEmpty = Array.isArray(answer.json) && answer.json.length === 0
  const isFlat = path === Paths.fills && fields["market"] !== undefined
  yield* Verdict.expect(
    answer,
    isFlat ? "HTTP 200 with a list" : "HTTP 200 with a list for each market",
    answer.status === 200 && (isFlat ? Array.isArray(answer.json) : isEmpty || Json.isObject(answer.json))
  )
  return { answer, records: ungrouped(answer.json) }
})

/** Returns an account's closed orders. */
export const ended = Effect.fnUntraced(function*(world: World, account: Account, fields: Body = {}) {
  const { answer, records } = yield* grouped(world, account, Paths.orderHistory, fields)
  // The history shows the time of the activation; other responses only show whether the order was activated.
  return { answer, records: records.map(({ activated: _at, id, ...order }) => toOrder({ ...order, orderId: id })) }
})

/** Returns an account's fills. */
export const executed = (world: World, account: Account, fields: Body = {}) =>
  grouped(world, account, Paths.fills, fields)

/** Returns an order's deals. */
export const deals = Effect.fnUntraced(function*(world: World, account: Account, orderId: unknown, page: Body = {}) {
  const { answer, json } = yield* LiveCalls.object(world, account, Paths.orderDeals, { orderId, ...page })
  const { records } = json
  yield* Verdict.expect(answer, "a list of records", Array.isArray(records))
  return { answer, records: Array.isArray(records) ? records.filter(Json.isObject) : [] }
})

/** A trade balance: the available amount, and the amount locked in open orders. */
export interface Funds {
  readonly available: number
  readonly freeze: number
}

/** Reads an account's trade balances. In the result, `of` returns the balance of a currency. */
export const funds = Effect.fnUntraced(function*(world: World, account: Account) {
  const { answer, json } = yield* LiveCalls.object(world, account, Paths.tradeBalance, {})
  const of = (ticker: string): Funds => {
    const balance = json[ticker]
    const { available, freeze } = Json.isObject(balance) ? balance : { available: "0", freeze: "0" }
    return { available: Number(available), freeze: Number(freeze) }
  }
  return { answer, of }
})

// -----------------------------------------------------------------------------
// Trading
// -----------------------------------------------------------------------------

/**
 * Opens an account whose canceled orders appear in the order history. The live exchange omits the canceled orders of
 * business partners.
 */
export const customer = (world: World) => world.open({ b2b: false })

/** Returns the target's own account or, in a sandbox, a {@link customer}. */
export const owner = (world: World) => world.profile === "control" ? customer(world) : world.trader

/** Opens an account and has it place this order, which trades with a resting order. */
export const takeAt = Effect.fnUntraced(function*(
  world: World,
  fields: Body,
  path = Paths.limitOrder
) {
  const account = yield* world.open()
  return { account, order: yield* Trading.placeOther(world, account, fields, path) }
})
