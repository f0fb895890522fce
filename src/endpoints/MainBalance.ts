/**
 * The balances of the main account (document, Endpoints §7).
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as Stream from "effect/Stream"
import * as Call from "../client/call/Call.ts"
import * as Decimal from "../domain/Decimal.ts"
import { Ticker } from "../domain/Identifiers.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

const request = Wire.struct({})

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

/**
 * The balance of every asset that has one, in units of the asset. An asset that is not there has a balance of zero.
 *
 * @category models
 * @since 0.1.0
 */
export type Balances = ReadonlyMap<Ticker, Decimal.Decimal>

// Keys and amounts are any text at first, so that none is dropped; the map's own schema checks both, once.
const Balances = Schema.Record(Schema.String, Schema.Struct({ main_balance: Schema.String })).pipe(
  Schema.decodeTo(Schema.ReadonlyMap(Ticker, Decimal.Decimal), {
    decode: SchemaGetter.transform((entries): ReadonlyMap<string, string> => {
      const balances = new Map<string, string>()
      for (const [ticker, { main_balance }] of Object.entries(entries)) balances.set(ticker, main_balance)
      return balances
    }),
    encode: SchemaGetter.transform((balances) =>
      Object.fromEntries([...balances].map(([ticker, main_balance]) => [ticker, { main_balance }]))
    )
  })
)

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "MainBalance.all",
  clause: "Endpoints §7",
  method: "POST",
  path: "/api/v4/main-account/balance",
  access: "private",
  b2b: false,
  mutates: false,
  rateLimit: { calls: 1000, perSeconds: 10 },
  envelope: "required",
  errorFamily: "account",
  refusals: [],
  request: () => request,
  response: () => Balances
})

/** @category errors */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * A balance that is not what it was.
 *
 * @category models
 * @since 0.1.0
 */
export interface Change {
  readonly ticker: Ticker
  readonly before: Decimal.Decimal
  readonly after: Decimal.Decimal
}

/** The changes from one reading to the next, by value: `1.50` and `1.5` are no difference. */
const differences = (before: Balances, after: Balances): ReadonlyArray<Change> =>
  [...new Set([...before.keys(), ...after.keys()])].flatMap((ticker) => {
    const change = { ticker, before: before.get(ticker) ?? Decimal.zero, after: after.get(ticker) ?? Decimal.zero }
    return Decimal.Equivalence(change.before, change.after) ? [] : [change]
  })

/**
 * - `all`: the balances of all assets
 * - `of`: the balance of one asset; zero when the exchange leaves it out
 * - `changes`: reads the balances as scheduled and emits only differences. The first reading is compared with nothing:
 *   every balance that is not zero is a change from zero, so adding up the changes always gives the balances.
 *
 * @category services
 * @since 0.1.0
 */
export class MainBalance extends Context.Service<MainBalance, {
  readonly all: Effect.Effect<Balances, Failure>
  readonly of: (ticker: Ticker) => Effect.Effect<Decimal.Decimal, Failure>
  readonly changes: <X, E, R>(schedule: Schedule.Schedule<X, unknown, E, R>) => Stream.Stream<Change, Failure | E, R>
}>()("effect-txc/endpoints/MainBalance") {
  static readonly layer: Layer.Layer<MainBalance, never, Call.Call> = Layer.effect(
    MainBalance,
    Effect.gen(function*() {
      const call = (yield* Call.Call).make(endpoint)
      const all = Effect.withSpan(call({}), "MainBalance.all")
      return {
        all,
        of: Effect.fn("MainBalance.of")(function*(ticker: Ticker) {
          return (yield* call({})).get(ticker) ?? Decimal.zero
        }),
        changes: (schedule) =>
          Stream.fromEffectSchedule(all, schedule).pipe(
            Stream.mapAccum((): Balances => new Map(), (before, after) => [after, differences(before, after)])
          )
      }
    })
  )
}
