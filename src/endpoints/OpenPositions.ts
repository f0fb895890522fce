/**
 * An account's open positions.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Identifiers, OpenPositions } from "effect-txc"
 *
 * const profits = Effect.gen(function*() {
 *   const positions = yield* OpenPositions.OpenPositions
 *   const open = yield* positions.list({ market: Identifiers.marketName("BTC_USDT") })
 *   return open.map(({ positionId, unrealizedPnl }) => [positionId, unrealizedPnl ?? "not known yet"])
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import { Decimal } from "../domain/Decimal.ts"
import { MarketName, marketName, type OrderId, type PositionId } from "../domain/Identifiers.ts"
import { ReceivedPositionSide } from "../domain/Order.ts"
import { UnixTime } from "../domain/Time.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * The positions to read.
 *
 * @category models
 */
export interface Request {
  /** Only positions on this market. Default: all markets. */
  readonly market?: MarketName
}

const request = () => Wire.struct<Request>({ market: Schema.optionalKey(MarketName) })

/**
 * A position's take-profit and stop-loss.
 *
 * @category models
 */
export interface Tpsl {
  /** The take-profit's order id. */
  readonly takeProfitId?: OrderId
  /** The take-profit's price, in the quote currency. */
  readonly takeProfit?: Decimal
  /** The stop-loss's order id. */
  readonly stopLossId?: OrderId
  /** The stop-loss's price, in the quote currency. */
  readonly stopLoss?: Decimal
}

const tpsl = () =>
  Wire.answer<Tpsl>({
    takeProfitId: Schema.optionalKey(Wire.OrderId),
    takeProfit: Schema.optionalKey(Decimal),
    stopLossId: Schema.optionalKey(Wire.OrderId),
    stopLoss: Schema.optionalKey(Decimal)
  }).schema

/**
 * An open position. Fields that the exchange might omit are optional; `null` means that the value is not known yet.
 *
 * @category models
 */
export interface Position {
  /** The position id, assigned by the exchange. */
  readonly positionId: PositionId
  /** The position's market. */
  readonly market: MarketName
  /** The time when the position was opened, in Unix seconds with microsecond precision. */
  readonly openDate: UnixTime
  /** The time of the position's last change, in Unix seconds with microsecond precision. */
  readonly modifyDate: UnixTime
  /**
   * The size, in the base currency: positive for a long position, negative for a short position. Zero for a closed
   * position that the exchange still lists; a closed position has no `basePrice`.
   */
  readonly amount?: Decimal | null
  /** The average entry price, in the quote currency. */
  readonly basePrice?: Decimal | null
  /** The price at which the position is liquidated, in the quote currency. */
  readonly liquidationPrice?: Decimal | null
  /** The state of the position's liquidation, as the exchange names it. */
  readonly liquidationState?: string | null
  /** The realized profit or loss, in the quote currency. */
  readonly pnl?: Decimal | null
  /** The unrealized profit or loss, as a percentage of the position's cost. */
  readonly pnlPercent?: Decimal | null
  /** The unrealized profit or loss, in the quote currency. */
  readonly unrealizedPnl?: Decimal | null
  /** The ratio of the position's size to its collateral. The exchange may omit this field. */
  readonly leverage?: Decimal | null
  /** The collateral that backs the position, in the quote currency. */
  readonly margin?: Decimal | null
  /** The collateral available for other positions, in the quote currency. */
  readonly freeMargin?: Decimal | null
  /** The position's funding fee, in the quote currency. */
  readonly funding?: Decimal | null
  /** The funding accrued but not yet settled, in the quote currency. */
  readonly unrealizedFunding?: Decimal | null
  /** `BOTH` in one-way mode; `LONG` or `SHORT` in hedge mode. */
  readonly positionSide?: ReceivedPositionSide
  /** The position's take-profit and stop-loss; `null` when it has neither. */
  readonly tpsl?: Tpsl | null
}

const orNull = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** An empty string, which the exchange has sometimes sent for an absent number. */
const empty = { value: "", when: () => true, demanded: false, written: false }

const position = () =>
  Wire.answer<Position>({
    positionId: Wire.PositionId,
    market: MarketName,
    openDate: UnixTime,
    modifyDate: UnixTime,
    amount: orNull(Decimal),
    basePrice: orNull(Decimal),
    liquidationPrice: orNull(Decimal),
    liquidationState: orNull(Schema.String),
    pnl: orNull(Decimal),
    pnlPercent: orNull(Decimal),
    unrealizedPnl: orNull(Decimal),
    leverage: orNull(Wire.LooseDecimal),
    margin: orNull(Decimal),
    freeMargin: orNull(Decimal),
    funding: orNull(Decimal),
    unrealizedFunding: orNull(Decimal),
    positionSide: Schema.optionalKey(ReceivedPositionSide),
    tpsl: orNull(tpsl())
  }, {
    absent: {
      amount: empty,
      basePrice: empty,
      liquidationPrice: empty,
      pnl: empty,
      pnlPercent: empty,
      unrealizedPnl: empty,
      leverage: empty,
      margin: empty,
      freeMargin: empty,
      funding: empty,
      unrealizedFunding: empty
    }
  })

const response = () => Schema.Array(position().schema)

/**
 * The endpoint `POST /api/v4/collateral-account/positions/open`.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "OpenPositions.list",
  path: "/api/v4/collateral-account/positions/open",
  access: "private",
  mutates: false,
  rateLimit: { calls: 12000, perSeconds: 10 },
  refusals: ["ValidationFailed"],
  request,
  response,
  example: (): Request => ({ market: marketName("BTC_USDT") })
})

/**
 * Errors that can occur when reading positions.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Reads the account's open positions.
 *
 * @category services
 */
export class OpenPositions extends Context.Service<OpenPositions, {
  /**
   * Reads all open positions, or only the positions on one market. The list is empty when the market has no open
   * position.
   *
   * Fails with `ValidationFailed` when the market is unknown.
   */
  readonly list: (request?: Request) => Effect.Effect<ReadonlyArray<Position>, Failure>
}>()("effect-txc/endpoints/OpenPositions") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<OpenPositions, never, Call.Call> = PlainService.layer(
    OpenPositions,
    endpoint,
    (list) => ({ list: (request = {}) => list(request) })
  )
}
