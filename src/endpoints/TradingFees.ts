/**
 * The account's trading fees: the default fees, and custom fees for individual markets.
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
 * A market's trading fees.
 *
 * @category models
 */
export interface TradingFee {
  /** The maker fee, in percent (`"0.1"` is 0.1%). */
  readonly maker: Decimal
  /** The taker fee, in percent (`"0.1"` is 0.1%). */
  readonly taker: Decimal
}

/**
 * The account's trading fees. The fees in `customFees` apply to the markets listed there; the defaults apply to all
 * other markets.
 *
 * @category models
 */
export interface FeeSchedule extends TradingFee {
  /** The default maker fee on futures markets, in percent. The exchange may omit this field. */
  readonly futuresMaker?: Decimal
  /** The default taker fee on futures markets, in percent. The exchange may omit this field. */
  readonly futuresTaker?: Decimal
  /**
   * The maker's surcharge for retail-price-improvement (RPI) orders on spot and margin markets, in percent. Such orders
   * trade only against retail orders. `null` or absent when the account has no RPI orders or pays no surcharge.
   */
  readonly rpiMakerPremium?: Decimal | null
  /** The maker's surcharge for RPI orders on futures markets, in percent. */
  readonly futuresRpiMakerPremium?: Decimal | null
  /** The fees that differ from the defaults, keyed by market. */
  readonly customFees: ReadonlyMap<MarketName, TradingFee>
}

/**
 * The fees as received. `error` is always `null`, because errors have their own format, and `customFees` may be
 * missing.
 */
interface Received extends Omit<FeeSchedule, "customFees">, Partial<Pick<FeeSchedule, "customFees">> {
  readonly error?: null
}

const tradingFee = () => Wire.answer<TradingFee>({ maker: Decimal, taker: Decimal })

/**
 * The exchange once sent a market's fees as a pair. It is not documented which of the two is the maker fee, so the
 * client accepts a pair only when both fees are equal.
 */
const readPair = (wire: unknown): unknown =>
  Array.isArray(wire) && wire.length === 2 && wire[0] === wire[1] ? { maker: wire[0], taker: wire[1] } : wire

/** The exchange used to write an empty list when there were no custom fees. */
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
 * The endpoint `POST /api/v4/market/fee`.
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
 * Errors that can occur when reading the trading fees.
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
  /** Reads the default fees and the custom fees. */
  readonly get: Effect.Effect<FeeSchedule, Failure>
}>()("effect-txc/endpoints/TradingFees") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<TradingFees, never, Call.Call> = PlainService.layer(
    TradingFees,
    endpoint,
    (call) => ({
      get: Effect.map(call({}), ({ customFees = new Map(), error: _error, ...fees }) => ({ ...fees, customFees }))
    })
  )
}
