/** Orders in WebSocket messages, converted to the form in which calls return them. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Verdict from "../Verdict.ts"
import * as Kinds from "./Kinds.ts"
import * as LiveOrders from "./LiveOrders.ts"
import { above } from "./Markets.ts"
import { number } from "./Numbers.ts"
import type * as Orders from "./Orders.ts"
import * as Paths from "./Paths.ts"
import * as Streams from "./Streams.ts"
import * as Trading from "./Trading.ts"
import type { Account, Body, Market, World } from "./World.ts"

/** The numbers of an order's events. */
export const events = { created: 1, changed: 2, finished: 3 } as const

/** Keys whose spelling in messages differs from that in the response to a new order. */
const spellings: Readonly<Record<string, string>> = {
  id: "orderId",
  client_order_id: "clientOrderId",
  deal_stock: "dealStock",
  deal_money: "dealMoney",
  deal_fee: "dealFee",
  position_side: "positionSide",
  reduce_only: "reduceOnly",
  activation_condition: "activationCondition"
}

/** The order types by wire number. Spot and margin types have different numbers. */
const types: Readonly<Record<string, string>> = {
  1: "limit",
  2: "market",
  3: "stop limit",
  4: "stop market",
  7: "limit",
  8: "market",
  9: "stop limit",
  10: "stop market",
  202: "stock market",
  203: "stop stock market"
}

const sides: Readonly<Record<string, string>> = { 1: "sell", 2: "buy" }

/** Converts a pushed order to the keys and values that the response to a new order would show. */
export const toOrder = (value: unknown): Body => {
  const record = Streams.objectOf(value)
  const { side, type } = record
  return LiveOrders.toOrder({
    ...Object.fromEntries(Object.entries(record).map(([key, value]) => [spellings[key] ?? key, value])),
    // The documentation has only numbers here. Any other value is wrapped, so that it equals no expected value.
    side: typeof side === "number" ? sides[side] ?? side : [side],
    type: typeof type === "number" ? types[type] ?? type : [type]
  })
}

/** An event of an order, and the order's state after the event. */
export interface Event {
  readonly event: unknown
  readonly order: Body
}

/** Returns an order's events, oldest first. */
export const eventsOf = (pushed: ReadonlyArray<unknown>, orderId: unknown): ReadonlyArray<Event> =>
  pushed.map(Streams.listOf).map(([event, order]) => ({ event, order: toOrder(order) }))
    .filter(({ order }) => order["orderId"] === orderId)

/** Subscribes an account to its orders on a market. */
export const listen = Effect.fnUntraced(function*(world: World, account: Account, market: Pick<Market, "name">) {
  return yield* Streams.subscribe(yield* Streams.authorized(world, account), "ordersPending", market.name)
})

/** Fields of an order that older messages lack. */
const optional: ReadonlyArray<string> = ["status", "stp", "ioc", "postOnly", "positionSide", "activationCondition"]

/** Expects that an order has these values. */
export const shows = (what: string, order: Body, expected: Body) => {
  const wrong = LiveOrders.differences(order, expected).filter((key) =>
    !(optional.includes(key) && order[key] === undefined)
  )
  return Verdict.conclude(
    `${what} with ${Json.stringify(expected)}`,
    `a different ${wrong.join(", ")}: ${Json.stringify(order)}`,
    wrong.length === 0
  )
}

/** Expects that exactly these events have arrived for the order so far. Returns the order's state after each event. */
export const expectEvents = Effect.fnUntraced(function*(
  listening: Streams.Listening,
  orderId: unknown,
  expected: ReadonlyArray<number>
) {
  yield* Streams.sees(
    listening,
    `the events ${expected.join(", ")} of order ${String(orderId)}`,
    (pushed) => eventsOf(pushed, orderId).length >= expected.length ? true : undefined
  )
  yield* Streams.linger(listening.connection)
  const found = eventsOf(Streams.pushed(listening), orderId)
  yield* Verdict.conclude(
    `the events ${expected.join(", ")} of order ${String(orderId)}`,
    found.map(({ event }) => event),
    found.length === expected.length && found.every(({ event }, at) => event === expected[at])
  )
  for (const { order } of found) {
    yield* Verdict.conclude(
      "an mtime in Unix seconds, not before ctime",
      order,
      Kinds.time.holds(order["mtime"]) && Number(order["mtime"]) >= Number(order["timestamp"])
    )
  }
  return found.map(({ order }) => order)
})

/** The tolerance for times, in seconds. */
const slack = 60

/** A pause between two steps, in milliseconds, so that the times of the steps differ. */
export const pause = 600_000

/** Places an order at `percent` % above the market's price. */
export const placeAt = (
  world: World,
  account: Account,
  market: Market,
  [side, amount, percent]: readonly [side: Orders.Side, amount: string, percent: number],
  more: Body = {},
  path = Paths.limitOrder
) =>
  Effect.map(
    Trading.placeOther(
      world,
      account,
      { market: market.name, side, amount, price: above(market, percent), ...more },
      path
    ),
    LiveOrders.toOrder
  )

/** The fields on which messages and calls agree. */
const terms = [
  "orderId",
  "market",
  "side",
  "type",
  "timestamp",
  "amount",
  "price",
  "left",
  "dealStock",
  "dealMoney",
  "dealFee",
  "status",
  "clientOrderId",
  "stp",
  "postOnly",
  "ioc",
  "reduceOnly",
  "rpi",
  "activation_price",
  "activated"
]

/** Returns the fields of an order on which messages and calls agree. */
export const termsOf = (order: Body | undefined): Body =>
  order === undefined
    ? { orderId: "none" }
    : Object.fromEntries(terms.flatMap((key) =>
      order[key] === undefined || (key === "dealFee" && order["side"] === "buy") ? [] : [[key, order[key]]]
    ))

/** Expects that an order has an mtime of about now. */
export const isModifiedNow = Effect.fnUntraced(function*(world: World, order: Body) {
  const now = (yield* world.now) / 1000
  yield* Verdict.conclude(`an mtime of about ${now}`, order, Math.abs(number(order, "mtime") - now) < slack)
})

/**
 * Returns the latest event of an order once `count` events have arrived. Waits a little longer for the first one,
 * because an order that trades at once may have several.
 */
export const latest = Effect.fnUntraced(function*(
  listening: Streams.Listening,
  orderId: unknown,
  count: number,
  isLast: (last: Event) => boolean = () => true
) {
  yield* Streams.sees(listening, `${count} events of order ${String(orderId)}`, (pushed) => {
    const found = eventsOf(pushed, orderId)
    const last = found.at(-1)
    return last !== undefined && found.length >= count && isLast(last) ? true : undefined
  })
  if (count === 1) yield* Streams.linger(listening.connection)
  const { event, order = {} } = eventsOf(Streams.pushed(listening), orderId).at(-1) ?? {}
  return { event, order, count: eventsOf(Streams.pushed(listening), orderId).length }
})
