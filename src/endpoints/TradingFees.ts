/**
 * The account's trading fees: defaults, and exceptions by market.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Identifiers, TradingFees } from "effect-txc"
 *
 * // The taker fee on a spot market, in percent.
 * const takerFee = Effect.gen(function*() {
 *   const tradingFees = yield* TradingFees.TradingFees
 *   const { customFees, taker } = yield* tradingFees.get
 *   return customFees.get(Identifiers.marketName("BTC_USDT"))?.taker ?? taker
 * })
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import { Decimal } from "../domain/Decimal.ts"
import { MarketName } from "../domain/Identifiers.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

const request = () => Wire.struct({})

/**
 * The trading fees of a market.
 *
 * @category models
 */
export interface TradingFee {
  /** The maker fee, in percent (`"0.1"` is 0.1 %). */
  readonly maker: Decimal
  /** The taker fee, in percent (`"0.1"` is 0.1 %). */
  readonly taker: Decimal
}

/**
 * The account's trading fees. A market in `customFees` has the fees given there, any other market the defaults of its
 * kind.
 *
 * @category models
 */
export interface FeeSchedule extends TradingFee {
  /** The maker's default fee on futures markets, in percent. Absent when the exchange omits it. */
  readonly futuresMaker?: Decimal
  /** The taker's default fee on futures markets, in percent. Absent when the exchange omits it. */
  readonly futuresTaker?: Decimal
  /**
   * The maker's surcharge, in percent, when an order that only trades with retail orders ("retail price improvement")
   * trades on a spot or margin market. `null` or absent when the account has no such orders or no surcharge.
   */
  readonly rpiMakerPremium?: Decimal | null
  /** The maker's surcharge on futures markets, in percent. */
  readonly futuresRpiMakerPremium?: Decimal | null
  /** The fees of markets that differ from the defaults, by market. */
  readonly customFees: ReadonlyMap<MarketName, TradingFee>
}

/**
 * The fees as received: with an `error` field that is always `null`, because errors have their own form, and perhaps
 * without markets that have their own fees.
 */
interface Received extends Omit<FeeSchedule, "customFees">, Partial<Pick<FeeSchedule, "customFees">> {
  readonly error?: null
}

const tradingFee = () => Wire.answer<TradingFee>({ maker: Decimal, taker: Decimal })

/** A market's fees were once a pair without documented order, so only a pair of equal fees is read. */
const readPair = (wire: unknown): unknown =>
  Array.isArray(wire) && wire.length === 2 && wire[0] === wire[1] ? { maker: wire[0], taker: wire[1] } : wire

/** The exchange once wrote an empty list when no market has its own fees. */
const readEmpty = (wire: unknown): unknown => Array.isArray(wire) && wire.length === 0 ? {} : wire

const customFees = ({ older }: Dialect) =>
  older(
    Wire.keyed(MarketName, older(tradingFee().schema, () => Schema.Tuple([Decimal, Decimal]), readPair)),
    () => Schema.Tuple([]),
    readEmpty
  )

const received = (dialect: Dialect) =>
  Wire.answer<Received>({
    error: Schema.optionalKey(Schema.Null),
    maker: Decimal,
    taker: Decimal,
    futuresMaker: Schema.optionalKey(Decimal),
    futuresTaker: Schema.optionalKey(Decimal),
    rpiMakerPremium: Schema.optionalKey(Schema.NullOr(Decimal)),
    futuresRpiMakerPremium: Schema.optionalKey(Schema.NullOr(Decimal)),
    customFees: dialect.omissible(customFees(dialect))
  }, {
    keys: {
      futuresMaker: "futures_maker",
      futuresTaker: "futures_taker",
      rpiMakerPremium: "rpi_maker_fee_premium",
      futuresRpiMakerPremium: "futures_rpi_maker_fee_premium",
      customFees: "custom_fee"
    }
  })

/**
 * `POST /api/v4/market/fee`.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "TradingFees.get",
  path: "/api/v4/market/fee",
  access: "private",
  mutates: false,
  rateLimit: { calls: 10000, perSeconds: 10 },
  refusals: [],
  request,
  response: (dialect) => received(dialect).schema,
  example: () => ({})
})

/**
 * Errors that reading the trading fees can fail with.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the account's trading fees.
 *
 * @category services
 */
export class TradingFees extends Context.Service<TradingFees, {
  /** Reads the default fees, and those of markets that differ. */
  readonly get: Effect.Effect<FeeSchedule, Failure>
}>()("effect-txc/endpoints/TradingFees") {
  /** Makes the service from an account's calls. */
  static readonly layer: Layer.Layer<TradingFees, never, Call.Call> = PlainService.layer(
    TradingFees,
    endpoint,
    (call) => ({
      get: Effect.map(call({}), ({ customFees = new Map(), error: _error, ...fees }) => ({ ...fees, customFees }))
    })
  )
}
