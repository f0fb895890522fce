/**
 * An order as most calls answer it (document, "Stop-limit order (response)", which lists all types of orders).
 *
 * @example
 * ```ts
 * import type { OrderAnswer } from "effect-txc"
 * import { Decimal } from "effect-txc"
 *
 * // Whether anything of the order was filled.
 * const isFilled = (order: OrderAnswer.Order) => !Decimal.Equivalence(order.dealStock, Decimal.zero)
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Decimal } from "../domain/Decimal.ts"
import { ClientOrderId, MarketName, type OrderId } from "../domain/Identifiers.ts"
import {
  ReceivedActivationCondition,
  ReceivedPositionSide,
  type ReceivedSelfTradePrevention,
  ReceivedSide,
  type ReceivedStatus,
  type ReceivedType
} from "../domain/Order.ts"
import { UnixTime } from "../domain/Time.ts"
import type { Dialect } from "./Dialect.ts"
import * as Wire from "./Wire.ts"

/**
 * What every answer about an order says: of an open order, of an ended one, and of a leg of an OCO order. Fields that
 * only the document's dialect demands are optional.
 *
 * @category models
 * @since 0.1.0
 */
export interface AnyOrder {
  /** The exchange's identifier of the order. */
  readonly orderId: OrderId
  /** Your own identifier of the order. Absent when the order has none, or when the exchange does not echo it. */
  readonly clientOrderId?: ClientOrderId
  /** The market that the order trades on. */
  readonly market: MarketName
  /** Whether the order buys or sells. */
  readonly side: ReceivedSide
  /** Limit, market, stop limit and so on. */
  readonly type: ReceivedType
  /** When the order was created, in Unix seconds with microseconds. */
  readonly timestamp: UnixTime
  /** How much was filled so far, in units of the quote currency. */
  readonly dealMoney: Decimal
  /** How much was filled so far, in units of the base currency. */
  readonly dealStock: Decimal
  /** The fee charged so far, in units of the fee asset. */
  readonly dealFee: Decimal
  /** How much was ordered, in units of the base currency; of the quote currency for a market buy. */
  readonly amount: Decimal
  /** The limit, in units of the quote currency per unit of the base currency. Absent on market orders. */
  readonly price?: Decimal
  /** Whether the order may only rest in the book: it is refused if it would trade at once. */
  readonly postOnly?: boolean
  /** Where the order stands (document, "States and transitions"). */
  readonly status?: ReceivedStatus
  /** What happens when the order would trade with another one of the same account. */
  readonly stp?: ReceivedSelfTradePrevention
  /** The position that the order belongs to. Absent on orders that trade wallets. */
  readonly positionSide?: ReceivedPositionSide
}

/**
 * An order as the calls that place, cancel and list orders answer it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Order extends AnyOrder {
  /** How much is not yet filled, in the units of `amount`. */
  readonly left: Decimal
  /** Whether the part that cannot trade at once is canceled ("immediate or cancel"). */
  readonly ioc?: boolean
  /** Whether the order trades only with retail orders ("retail price improvement"). */
  readonly rpi?: boolean
  /** Whether the order may only reduce or close a position. */
  readonly reduceOnly?: boolean
  /** Whether the market has reached the activation price. Only on stop orders. */
  readonly activated?: boolean
  /** From which side the market must reach the activation price. Only on stop orders. */
  readonly activationCondition?: ReceivedActivationCondition
  /** The price that triggers the order, in units of the quote currency. Only on stop orders. */
  readonly activationPrice?: Decimal
}

/** Types of orders without a limit: their `price: "0"` means that there is none. */
const marketTypes: ReadonlyArray<unknown> = ["market", "margin market", "stock market", "stop market"]

/**
 * The schemas of the fields that every answer about an order spells alike.
 *
 * @category schemas
 * @since 0.1.0
 */
export const commonFields = ({ omissible, orderStatus, receivedSelfTradePrevention }: Dialect) => ({
  orderId: Wire.OrderId,
  clientOrderId: Schema.optionalKey(ClientOrderId),
  market: MarketName,
  side: ReceivedSide,
  timestamp: UnixTime,
  dealMoney: Decimal,
  dealStock: Decimal,
  dealFee: Decimal,
  amount: Decimal,
  status: omissible(orderStatus),
  stp: omissible(receivedSelfTradePrevention)
})

/**
 * The schemas of the fields of an {@link Order}, except those of {@link Traded}.
 *
 * @category schemas
 * @since 0.1.0
 */
export const fields = (dialect: Dialect) => ({
  ...commonFields(dialect),
  left: Decimal,
  price: Schema.optionalKey(Decimal),
  postOnly: dialect.omissible(Schema.Boolean),
  ioc: dialect.omissible(Schema.Boolean),
  rpi: dialect.omissible(Schema.Boolean),
  reduceOnly: dialect.omissible(Schema.Boolean),
  activated: Schema.optionalKey(Wire.Bit),
  activationCondition: Schema.optionalKey(ReceivedActivationCondition),
  activationPrice: Schema.optionalKey(Decimal)
})

/**
 * The schemas of the fields that depend on what an order trades: wallets or positions.
 *
 * @category models
 * @since 0.1.0
 */
export interface Traded {
  /** The type of the order. Some dialects spell it differently for orders that trade positions. */
  readonly type: Schema.Codec<ReceivedType, string>
  /** The side of the position. Only orders that trade positions must have one. */
  readonly positionSide: typeof ReceivedPositionSide | Schema.optionalKey<typeof ReceivedPositionSide>
}

/**
 * The fields of {@link Traded} of an order that trades wallets.
 *
 * @category schemas
 * @since 0.1.0
 */
export const wallets = (dialect: Dialect): Traded => ({
  type: dialect.orderType,
  positionSide: Schema.optionalKey(ReceivedPositionSide)
})

const positions = (dialect: Dialect): Traded => ({ type: dialect.legType, positionSide: ReceivedPositionSide })

/**
 * An order that trades wallets or positions, from its form with the fields of either.
 *
 * @category constructors
 * @since 0.1.0
 */
export const walletsOrPositions = <A extends AnyOrder>(
  dialect: Dialect,
  form: (traded: Traded) => Wire.Shape<A>
): Schema.Codec<A, unknown> => Schema.Union([form(positions(dialect)).schema, form(wallets(dialect)).schema])

/**
 * The values that mean "absent": an empty client order id, and the price `"0"` of an order without a limit.
 *
 * @category schemas
 * @since 0.1.0
 */
export const absent = ({ demandsAll }: Dialect) => ({
  clientOrderId: { value: "", when: () => true, demanded: demandsAll },
  price: {
    value: "0",
    when: (wire: Readonly<Record<string, unknown>>) => marketTypes.includes(wire["type"]),
    demanded: demandsAll
  }
})

/**
 * How an order is spelled on the wire.
 *
 * @category schemas
 * @since 0.1.0
 */
export const spelling = (dialect: Dialect) => ({
  keys: { ...dialect.keys, activationPrice: "activation_price" },
  absent: absent(dialect)
})

const form = (dialect: Dialect, traded: Traded) =>
  Wire.struct<Order>({ ...fields(dialect), ...traded }, spelling(dialect))

/**
 * An order that trades wallets.
 *
 * @category schemas
 * @since 0.1.0
 */
export const spot = (dialect: Dialect): Schema.Codec<Order, unknown> => form(dialect, wallets(dialect)).schema

/**
 * An order that trades wallets or positions.
 *
 * @category schemas
 * @since 0.1.0
 */
export const order = (dialect: Dialect): Schema.Codec<Order, unknown> =>
  walletsOrPositions(dialect, (traded) => form(dialect, traded))
