/**
 * The schemas of the fields of an order in an answer, and how a dialect spells them: what all answers about orders are
 * made of.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Decimal } from "../domain/Decimal.ts"
import { ClientOrderId, MarketName } from "../domain/Identifiers.ts"
import { ReceivedActivationCondition, ReceivedPositionSide, ReceivedSide, type ReceivedType } from "../domain/Order.ts"
import { UnixTime } from "../domain/Time.ts"
import type { Dialect } from "./Dialect.ts"
import * as Wire from "./Wire.ts"

/** Types of orders without a limit: their `price: "0"` means that there is none. */
const marketTypes: ReadonlyArray<unknown> = ["market", "margin market", "stock market", "stop market"]

/**
 * The fields that every answer about an order spells alike.
 *
 * @category schemas
 * @since 0.1.0
 */
export const common = ({ omissible, orderStatus, receivedSelfTradePrevention }: Dialect) => ({
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
 * The fields of an order as the calls that place, cancel and list orders answer it, except those of {@link Traded}.
 *
 * @category schemas
 * @since 0.1.0
 */
export const order = (dialect: Dialect) => ({
  ...common(dialect),
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
 * The fields that depend on what an order trades: wallets or positions.
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
export const walletsOrPositions = <A extends object>(
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
