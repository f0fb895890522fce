/**
 * A market's order book. Public.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Identifiers, OrderBooks } from "effect-txc"
 *
 * const best = Effect.gen(function*() {
 *   const books = yield* OrderBooks.OrderBooks
 *   const { asks: [ask], bids: [bid] } = yield* books.get(Identifiers.marketName("BTC_USDT"), { limit: 1 })
 *   return { ask, bid }
 * })
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import * as Constraint from "../domain/Constraint.ts"
import { Decimal } from "../domain/Decimal.ts"
import { MarketName, marketName } from "../domain/Identifiers.ts"
import { UnixSeconds } from "../domain/Time.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * The maximum number of levels on each side, which is also the default.
 *
 * @category constants
 */
export const maxLevels = 100

const isInteger = Constraint.annotation({ kind: "type", type: "integer" })

// oxlint-disable-next-line effecttsgo/schema-number -- isInt rejects NaN and infinity too, and names the constraint.
const Levels = Schema.Number.annotate(isInteger).check(
  Schema.isInt(isInteger).abort(),
  Schema.isGreaterThanOrEqualTo(0, Constraint.annotation({ kind: "min", min: 0 })),
  Schema.isLessThanOrEqualTo(maxLevels, Constraint.annotation({ kind: "max", max: maxLevels }))
)

/**
 * The number of book levels to read, and the price grouping.
 *
 * @category models
 */
export interface Options {
  /** The maximum number of levels on each side, 0 to 100. Default 100; 0 also means 100. */
  readonly limit?: number
  /**
   * The price grouping, from 0 (no grouping, the default) to 10 (the coarsest). The exchange uses the nearest grouping
   * that it supports. Live dialect only.
   */
  readonly level?: number
}

/**
 * The market, the number of book levels to read, and the price grouping.
 *
 * @category models
 */
export interface Request extends Options {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
}

const Aggregation = Schema.Number.annotate(isInteger).check(Schema.isInt(isInteger))

const request = ({ extension }: Dialect) =>
  Wire.struct<Request>({
    market: MarketName,
    limit: Schema.optionalKey(Wire.counted(Levels)),
    level: extension(Wire.counted(Aggregation))
  })

/**
 * The bids or asks at one price.
 *
 * @category models
 */
export interface Level {
  /** The price, in the quote currency. */
  readonly price: Decimal
  /** The total amount bid or offered at this price, in the base currency. */
  readonly amount: Decimal
}

/**
 * The schema of {@link Level}.
 *
 * @category schemas
 */
export const Level: Schema.Codec<Level, Record<keyof Level, string>> = Schema.Struct({
  price: Decimal,
  amount: Decimal
})

const Pair = Schema.Tuple([Schema.String, Schema.String]).pipe(
  Schema.decodeTo(Level, {
    decode: SchemaGetter.transform(([price, amount]) => ({ price, amount })),
    encode: SchemaGetter.transform(({ amount, price }): readonly [string, string] => [price, amount])
  })
)

/**
 * An order book as received. The exchange sometimes omits the market.
 *
 * @category models
 */
export interface ReceivedBook {
  /** The market. The exchange sometimes omits it. */
  readonly market?: MarketName
  /** The time of this snapshot, in Unix seconds. */
  readonly timestamp: UnixSeconds
  /** The asks, lowest price first. */
  readonly asks: ReadonlyArray<Level>
  /** The bids, highest price first. */
  readonly bids: ReadonlyArray<Level>
}

/**
 * A market's order book.
 *
 * @category models
 */
export interface OrderBook extends ReceivedBook {
  /** The market. */
  readonly market: MarketName
}

const Pairs = Schema.Array(Pair)

/** The exchange has sent `null` for an empty side. */
const Side = Schema.NullOr(Pairs).pipe(
  Schema.decodeTo(Schema.toType(Pairs), {
    decode: SchemaGetter.transform((side) => side ?? []),
    encode: SchemaGetter.transform((side) => side)
  })
)

const orderBook = () =>
  Wire.answer<ReceivedBook>({
    market: Schema.optionalKey(MarketName),
    timestamp: UnixSeconds,
    asks: Side,
    bids: Side
  }, { keys: { market: "ticker_id" } })

/**
 * The endpoint `GET /api/v4/public/orderbook/{market}`.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "OrderBooks.get",
  path: "/api/v4/public/orderbook/{market}",
  access: "public",
  mutates: false,
  rateLimit: { calls: 600, perSeconds: 10 },
  refusals: ["ValidationFailed"],
  request,
  response: () => orderBook().schema,
  example: (): Request => ({ market: marketName("BTC_USDT"), limit: 5 })
})

/**
 * Errors that can occur when reading an order book.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads order books.
 *
 * @category services
 */
export class OrderBooks extends Context.Service<OrderBooks, {
  /**
   * Reads a market's current order book.
   *
   * Fails with `PublicRequestRejected` when the exchange does not list the market, and with `ValidationFailed`, before
   * anything is sent, when `limit` is out of bounds.
   */
  readonly get: (market: MarketName, options?: Options) => Effect.Effect<OrderBook, Failure>
}>()("effect-txc/endpoints/OrderBooks") {
  /** Provides this service. Requires `PublicCall`. */
  static readonly layer: Layer.Layer<OrderBooks, never, Call.PublicCall> = PlainService.layerPublic(
    OrderBooks,
    endpoint,
    (call) => ({
      get: (market, options = {}) => Effect.map(call({ ...options, market }), (book) => ({ market, ...book }))
    })
  )
}
