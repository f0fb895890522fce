/**
 * Rules about the first and the last value that a list accepts in each of its parameters. Only the live exchange's
 * documentation describes these lists.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LivePublicCalls from "../world/LivePublicCalls.ts"
import { perpetual } from "../world/Markets.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import type { Body, World } from "../world/World.ts"

const { forEach } = LiveCalls.section

/** Fields of a call, and times relative to the current time of the target, in seconds. */
interface Call {
  readonly path: string
  readonly fields?: Body
  readonly times?: Readonly<Record<string, number>>
}

const day = 86_400

/** Clocks can differ, so a time counts as in the future only if it is this many seconds ahead. */
const ahead = 120

/**
 * Returns the fields of a call with its times. A time that must be accepted is in the past of the business clock, with
 * which the target compares it; a time that must be refused is in the future of both clocks.
 */
const fieldsOf = Effect.fnUntraced(function*(
  world: World,
  of: "accepted" | "refused",
  { fields = {}, times = {} }: Call
) {
  const business = yield* world.now
  const now = Math.floor((of === "accepted" ? business : Math.max(business, yield* world.serverTime)) / 1000)
  return { ...fields, ...Object.fromEntries(Object.entries(times).map(([key, after]) => [key, now + after])) }
})

/** The lists of positions in a period. */
const periods = [Paths.positionHistory, Paths.closedPositions]

/** The histories of orders and fills. */
const histories = [Paths.orderHistory, Paths.fills]

const refused: ReadonlyArray<Call> = [
  ...periods.flatMap((path): ReadonlyArray<Call> => [
    { path, times: { endDate: ahead } },
    { path, times: { startDate: -day, endDate: ahead } },
    { path, times: { startDate: -99, endDate: -100 } },
    { path, fields: { limit: "ten" } }
  ]),
  { path: Paths.borrowHistory, times: { startTime: -99, endTime: -100 } },
  { path: Paths.borrowHistory, fields: { offset: -1 } },
  { path: Paths.borrowHistory, fields: { offset: 10_001 } },
  { path: Paths.borrowHistory, fields: { limit: "ten" } },
  { path: Paths.fundingHistory, fields: { market: perpetual, limit: "ten" } },
  ...histories.map((path) => ({ path, fields: { offset: "ten" } }))
]

const accepted: ReadonlyArray<Call> = [
  ...periods.flatMap((path): ReadonlyArray<Call> => [
    { path, fields: { limit: 1 } },
    { path, fields: { limit: 100 } },
    { path, times: { endDate: -5 } },
    { path, times: { startDate: -100, endDate: -100 } }
  ]),
  // The documentation sets no earliest date and no longest period for this list.
  { path: Paths.positionHistory, times: { startDate: -900 * day, endDate: -100 } },
  { path: Paths.closedPositions, fields: { limit: 100, offset: 9900 } },
  { path: Paths.borrowHistory, fields: { limit: 1 } },
  { path: Paths.borrowHistory, fields: { limit: 100 } },
  { path: Paths.borrowHistory, fields: { offset: 10_000 } },
  { path: Paths.fundingHistory, fields: { market: perpetual, limit: 1 } },
  { path: Paths.fundingHistory, fields: { market: perpetual, limit: 100 } },
  ...["ALL", "FILLED", "CANCELED", "PARTIALLY_FILLED"].map((status) => ({
    path: Paths.orderHistory,
    fields: { status }
  })),
  ...histories.flatMap((path): ReadonlyArray<Call> => [
    { path, fields: { limit: 1 } },
    { path, times: { startDate: -31 * day, endDate: -5 } },
    { path, times: { startDate: -150 * day, endDate: -120 * day } }
  ]),
  ...[Paths.activeOrders, Paths.conditionalOrders, Paths.ocoOrders].map((path) => ({ path, fields: { limit: 1 } })),
  { path: Paths.orderDeals, fields: { orderId: 1, limit: 1 } }
]

/** A query of candles, with times relative to the current time of the target. */
type Candles = Omit<Call, "path" | "fields"> & {
  readonly fields?: LivePublicCalls.Query
}

const refusedCandles: ReadonlyArray<Candles> = [
  { times: { end: ahead } },
  { times: { start: -600, end: ahead } },
  { times: { start: ahead } },
  { times: { start: -99, end: -100 } }
]

const acceptedCandles: ReadonlyArray<Candles> = [
  { fields: { limit: 1 } },
  { fields: { limit: 1440 } },
  { fields: { start: 0, end: 3600 } },
  { times: { start: -3600, end: -5 } }
]

const ofCandles = Effect.fnUntraced(function*(
  world: World,
  of: "accepted" | "refused",
  { fields = {}, times = {} }: Candles
) {
  const { name } = yield* world.market
  return { market: name, ...fields, ...(yield* fieldsOf(world, of, { path: Paths.candles, times })) }
})

export const rules: ReadonlyArray<Rule.Rule> = [
  forEach("lists.bounds.refuses", {
    statement:
      "Refuses values beyond a bound of a list's offset and dates, and limits and offsets that are not integers",
    profile: "read-only",
    values: refused,
    check: Effect.fnUntraced(function*(world, call) {
      const fields = yield* fieldsOf(world, "refused", call)
      const answer = yield* LiveCalls.call(world, yield* world.reader, call.path, fields)
      yield* Refusals.any(answer, `because of ${Json.stringify(fields)}`)
    })
  }),
  forEach("lists.bounds.accepts", {
    statement: "Accepts the last value within each bound of a list's parameters: limit, offset, dates and status",
    profile: "read-only",
    values: accepted,
    check: Effect.fnUntraced(function*(world, call) {
      const fields = yield* fieldsOf(world, "accepted", call)
      const answer = yield* LiveCalls.call(world, yield* world.reader, call.path, fields)
      yield* Verdict.expect(answer, `HTTP 200 for ${Json.stringify(fields)}`, Refusals.isSuccess(answer))
    })
  }),
  forEach("candles.bounds.refuses", {
    statement: "Refuses candles of a period that ends in the future, or before its start: HTTP 200, success false",
    profile: "read-only",
    values: refusedCandles,
    check: Effect.fnUntraced(function*(world, call) {
      const answer = yield* LivePublicCalls.get(world, Paths.candles, yield* ofCandles(world, "refused", call))
      const { json, status } = answer
      yield* Verdict.expect(
        answer,
        "HTTP 200 with success false and result null",
        status === 200 && Json.isObject(json) && json["success"] === false && (json["result"] ?? null) === null
      )
    })
  }),
  forEach("candles.bounds.accepts", {
    statement: "Accepts 1 to 1440 candles, and periods from the beginning of Unix time up to now",
    profile: "read-only",
    values: acceptedCandles,
    check: (world, call) =>
      Effect.flatMap(
        ofCandles(world, "accepted", call),
        (query) => LivePublicCalls.results(world, Paths.candles, query)
      )
  })
]
