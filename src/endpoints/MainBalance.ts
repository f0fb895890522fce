/**
 * The main account's balances (the document, Endpoints §7).
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Schedule from "effect/Schedule"
 * import * as Stream from "effect/Stream"
 * import { Identifiers, MainBalance } from "effect-txc"
 *
 * const watch = Effect.gen(function*() {
 *   const balance = yield* MainBalance.MainBalance
 *   yield* Effect.log("BTC", yield* balance.of(Identifiers.ticker("BTC")))
 *   yield* Stream.runForEach(
 *     balance.changes(Schedule.spaced("1 minute")),
 *     ({ after, before, ticker }) => Effect.log(`${ticker}: ${before} -> ${after}`)
 *   )
 * })
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as Call from "../client/call/Call.ts"
import * as ReadBalances from "../client/make/Balances.ts"
import * as PlainService from "../client/make/PlainService.ts"
import * as Observation from "../client/Observation.ts"
import * as Decimal from "../domain/Decimal.ts"
import { Ticker } from "../domain/Identifiers.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * The balances to read.
 *
 * @category models
 */
export interface Request {
  /** Only the balance of this asset. Live dialect only. Default: all assets. */
  readonly ticker?: Ticker
}

const request = ({ extension }: Dialect) => Wire.struct<Request>({ ticker: extension(Ticker) })

/**
 * Balances, keyed by asset, in units of the asset. A missing asset has a balance of zero.
 *
 * @category models
 */
export type Balances = ReadonlyMap<Ticker, Decimal.Decimal>

/** One asset's balance: an entry of the response, or the entire response when the request names an asset. */
const One = Wire.inside("main_balance", Decimal.Decimal)

const response = () => Schema.Union([One, Wire.keyed(Ticker, One)])

/**
 * The endpoint `POST /api/v4/main-account/balance` (the document, Endpoints §7).
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "MainBalance.all",
  clause: "Endpoints §7",
  path: "/api/v4/main-account/balance",
  access: "private",
  mutates: false,
  refusals: ["InvalidFields"],
  request,
  response,
  example: (): Request => ({})
})

/**
 * Errors that can occur when reading the main account's balances.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * A changed balance.
 *
 * @category models
 */
export interface Change {
  /** The asset. */
  readonly ticker: Ticker
  /** The balance at the previous reading, in units of the asset; zero for the first reading. */
  readonly before: Decimal.Decimal
  /** The new balance, in units of the asset. */
  readonly after: Decimal.Decimal
}

/** The changes between two readings. Balances are compared by value: `1.50` and `1.5` are equal. */
const differences = (before: Balances, after: Balances): ReadonlyArray<Change> =>
  [...new Set([...before.keys(), ...after.keys()])].flatMap((ticker) => {
    const change = { ticker, before: before.get(ticker) ?? Decimal.zero, after: after.get(ticker) ?? Decimal.zero }
    return Decimal.Equivalence(change.before, change.after) ? [] : [change]
  })

/**
 * Reads the main account's balances.
 *
 * @category services
 */
export class MainBalance extends Context.Service<MainBalance, {
  /** Reads the balances of all assets. */
  readonly all: Effect.Effect<Balances, Failure>
  /** Reads the balance of one asset, in units of the asset; zero when the exchange omits the asset. */
  readonly of: (ticker: Ticker) => Effect.Effect<Decimal.Decimal, Failure>
  /**
   * Reads the balances on a schedule and emits only the changes. No channel pushes the main account's balances, so
   * polling is the only way to follow them. For the trade and collateral wallets, use `LiveBalances` instead: the
   * exchange pushes their changes, so following them needs no calls and does not use up the rate limit.
   *
   * The first reading is treated as a change from zero, so every non-zero balance is emitted, and an asset's changes
   * always add up to its balance.
   */
  readonly changes: <X, E, R>(schedule: Schedule.Schedule<X, unknown, E, R>) => Stream.Stream<Change, Failure | E, R>
}>()("effect-txc/endpoints/MainBalance") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<MainBalance, never, Call.Call> = PlainService.layer(
    MainBalance,
    endpoint,
    (call, takes) => {
      const { all, of } = ReadBalances.reading<Decimal.Decimal, Failure>({
        name: endpoint.name,
        call,
        takesTicker: () => takes("ticker"),
        zero: Decimal.zero
      })
      return {
        all,
        of: (ticker) => Observation.spanned("MainBalance.of", of(ticker)),
        changes: (schedule) =>
          Stream.fromEffectSchedule(all, schedule).pipe(
            Stream.mapAccum((): Balances => new Map(), (before, after) => [after, differences(before, after)])
          )
      }
    }
  )
}
