/**
 * The order book of a market. Public.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as Call from "../client/call/Call.ts"
import * as Constraint from "../domain/Constraint.ts"
import { Decimal } from "../domain/Decimal.ts"
import { MarketName } from "../domain/Identifiers.ts"
import { UnixSeconds } from "../domain/Time.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

// -----------------------------------------------------------------------------
// Request
// -----------------------------------------------------------------------------

/** The most levels of a side that are answered; also how many are when the request does not say. */
export const maxLevels = 100

const isInteger = Constraint.annotation({ kind: "type", type: "integer" })

// oxlint-disable-next-line effecttsgo/schema-number -- isInt refuses what is not finite, and says by which constraint.
const Levels = Schema.Number.annotate(isInteger).check(
  Schema.isInt(isInteger).abort(),
  Schema.isGreaterThanOrEqualTo(0, Constraint.annotation({ kind: "min", min: 0 })),
  Schema.isLessThanOrEqualTo(maxLevels, Constraint.annotation({ kind: "max", max: maxLevels }))
)

/**
 * - `market`: which book
 * - `limit`: how many levels of a side at most; 100 when it is left out or 0
 */
const request = Wire.struct({ market: MarketName, limit: Schema.optionalKey(Wire.counted(Levels)) })

// -----------------------------------------------------------------------------
// Response
// -----------------------------------------------------------------------------

/**
 * What is bid or asked at one price, in units of the quote and of the base currency.
 *
 * @category models
 * @since 0.1.0
 */
export const Level = Schema.Struct({ price: Decimal, amount: Decimal })
/** @category models */
export type Level = typeof Level.Type

const Pair = Schema.Tuple([Schema.String, Schema.String]).pipe(
  Schema.decodeTo(Level, {
    decode: SchemaGetter.transform(([price, amount]) => ({ price, amount })),
    encode: SchemaGetter.transform(({ amount, price }): readonly [string, string] => [price, amount])
  })
)

/**
 * A market's book, the best price of a side first.
 *
 * - `timestamp`: when it was so, in Unix seconds
 *
 * @category models
 * @since 0.1.0
 */
const OrderBook = Wire.struct({
  market: MarketName,
  timestamp: UnixSeconds,
  asks: Schema.Array(Pair),
  bids: Schema.Array(Pair)
}, { keys: { market: "ticker_id" } })
/** @category models */
export type OrderBook = typeof OrderBook.schema.Type

// -----------------------------------------------------------------------------
// Endpoint
// -----------------------------------------------------------------------------

/** @category endpoints */
export const endpoint = Endpoint.make({
  name: "OrderBooks.get",
  clause: "not in the document",
  method: "GET",
  path: "/api/v4/public/orderbook/{market}",
  access: "public",
  b2b: false,
  mutates: false,
  rateLimit: { calls: 2000, perSeconds: 10 },
  envelope: "none",
  errorFamily: "order",
  refusals: ["ValidationFailed"],
  request: () => request,
  response: () => OrderBook.schema
})

/** @category models */
export type Request = Endpoint.Request<typeof endpoint>
/** @category errors */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

// -----------------------------------------------------------------------------
// Service
// -----------------------------------------------------------------------------

/**
 * - `get`: the book of a market as it is now
 *
 * @category services
 * @since 0.1.0
 */
export class OrderBooks extends Context.Service<OrderBooks, {
  readonly get: (market: MarketName, options?: Omit<Request, "market">) => Effect.Effect<OrderBook, Failure>
}>()("effect-txc/endpoints/OrderBooks") {
  static readonly layer: Layer.Layer<OrderBooks, never, Call.PublicCall> = Layer.effect(
    OrderBooks,
    Effect.gen(function*() {
      const call = (yield* Call.PublicCall).make(endpoint)
      return {
        get: Effect.fn("OrderBooks.get")(function*(market: MarketName, options: Omit<Request, "market"> = {}) {
          return yield* call({ ...options, market })
        })
      }
    })
  )
}
