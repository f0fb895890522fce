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
 * An order. Fields that only the document's dialect demands are optional.
 *
 * @category models
 * @since 0.1.0
 */
export interface Order {
  /** The exchange's identifier of the order. */
  readonly orderId: OrderId
  /** The caller's own identifier. Absent when the order has none, or the exchange does not echo it. */
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
  /** How much was ordered, in units of the base currency; of the quote currency for a market buy. */
  readonly amount: Decimal
  /** How much is not yet filled, in the units of `amount`. */
  readonly left: Decimal
  /** The fee charged so far, in units of the fee asset. */
  readonly dealFee: Decimal
  /** The limit, in units of the quote currency per unit of the base currency. Absent on market orders. */
  readonly price?: Decimal
  /** Whether the order is refused rather than trade at once. */
  readonly postOnly?: boolean
  /** Whether what cannot trade at once is canceled ("immediate or cancel"). */
  readonly ioc?: boolean
  /** Where the order stands (document, "States and transitions"). */
  readonly status?: ReceivedStatus
  /** What happens when the order would trade with another one of the same account. */
  readonly stp?: ReceivedSelfTradePrevention
  /** The position that the order belongs to. Absent on orders that trade wallets. */
  readonly positionSide?: ReceivedPositionSide
  /** Whether the order trades only with retail orders ("retail price improvement"). */
  readonly rpi?: boolean
  /** Whether the order may only reduce or close a position. */
  readonly reduceOnly?: boolean
  /** Whether the market has reached the activation price. Only on stop orders. */
  readonly activated?: boolean
  /** From which side the activation price must be reached. Only on stop orders. */
  readonly activationCondition?: ReceivedActivationCondition
  /** The price that activates the order, in units of the quote currency. Only on stop orders. */
  readonly activationPrice?: Decimal
}

/** Types of orders without a limit: their `price: "0"` means that there is none. */
const marketTypes: ReadonlyArray<unknown> = ["market", "margin market", "stock market", "stop market"]

/**
 * The schemas of an order's fields, except its type and position side, which depend on what the order trades.
 *
 * @category schemas
 * @since 0.1.0
 */
export const fields = ({ omissible, orderStatus, receivedSelfTradePrevention }: Dialect) => ({
  orderId: Wire.OrderId,
  clientOrderId: Schema.optionalKey(ClientOrderId),
  market: MarketName,
  side: ReceivedSide,
  timestamp: UnixTime,
  dealMoney: Decimal,
  dealStock: Decimal,
  amount: Decimal,
  left: Decimal,
  dealFee: Decimal,
  price: Schema.optionalKey(Decimal),
  postOnly: omissible(Schema.Boolean),
  ioc: omissible(Schema.Boolean),
  status: omissible(orderStatus),
  stp: omissible(receivedSelfTradePrevention),
  rpi: omissible(Schema.Boolean),
  reduceOnly: omissible(Schema.Boolean),
  activated: Schema.optionalKey(Wire.Bit),
  activationCondition: Schema.optionalKey(ReceivedActivationCondition),
  activationPrice: Schema.optionalKey(Decimal)
})

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

const walletOrder = (dialect: Dialect) =>
  Wire.struct<Order>({
    ...fields(dialect),
    type: dialect.orderType,
    positionSide: Schema.optionalKey(ReceivedPositionSide)
  }, spelling(dialect))

const positionOrder = (dialect: Dialect) =>
  Wire.struct<Order>(
    { ...fields(dialect), type: dialect.legType, positionSide: ReceivedPositionSide },
    spelling(dialect)
  )

/**
 * An order that trades wallets.
 *
 * @category schemas
 * @since 0.1.0
 */
export const spot = (dialect: Dialect): Schema.Codec<Order, unknown> => walletOrder(dialect).schema

/**
 * An order that trades wallets or positions. An order that trades positions has a position side, and some dialects
 * spell its type differently.
 *
 * @category schemas
 * @since 0.1.0
 */
export const order = (dialect: Dialect): Schema.Codec<Order, unknown> =>
  Schema.Union([positionOrder(dialect).schema, walletOrder(dialect).schema])
