/**
 * Schemas for an order's fields in a response, and their wire keys and values in a dialect, shared by all responses
 * that contain orders.
 */
import * as Schema from "effect/Schema"
import { Decimal, FeeRate } from "../domain/Decimal.ts"
import { MarketName, type OrderId, ReceivedClientOrderId, Ticker } from "../domain/Identifiers.ts"
import { ReceivedActivationCondition, ReceivedPositionSide, ReceivedSide, ReceivedType } from "../domain/Order.ts"
import { UnixTime } from "../domain/Time.ts"
import type { Dialect } from "./Dialect.ts"
import * as Wire from "./Wire.ts"

/** The order types without a limit price. For these types, `price: "0"` means no price. */
const marketTypes: ReadonlyArray<unknown> = ["market", "stock market", "stop market"]

/** The fields that are the same in all responses that describe an order. */
export const common = ({ extension, omissible, orderStatus, receivedSelfTradePrevention }: Dialect) => ({
  orderId: Wire.OrderId,
  clientOrderId: Schema.optionalKey(ReceivedClientOrderId),
  market: MarketName,
  side: ReceivedSide,
  type: ReceivedType,
  margin: extension(Schema.Literal(true)),
  timestamp: UnixTime,
  dealMoney: Decimal,
  dealStock: Decimal,
  dealFee: Decimal,
  feeAsset: extension(Ticker),
  amount: Decimal,
  status: omissible(orderStatus),
  stp: omissible(receivedSelfTradePrevention)
})

/** An order's take-profit and stop-loss in a response ("one triggers the other"). */
export interface Oto {
  /** The exchange's identifier for the group of orders. */
  readonly otoId: OrderId
  /** The price of the take-profit that the exchange places when the order is filled, in the quote currency. */
  readonly takeProfit?: Decimal
  /** The price of the stop-loss that the exchange places when the order is filled, in the quote currency. */
  readonly stopLoss?: Decimal
}

const nothing = { value: "", when: () => true, demanded: false, written: false }

const oto = Wire.answer<Oto>({
  otoId: Wire.OrderId,
  takeProfit: Schema.optionalKey(Decimal),
  stopLoss: Schema.optionalKey(Decimal)
}, { absent: { takeProfit: nothing, stopLoss: nothing } }).schema

/** An order's fields in the responses to calls that place, cancel and list orders. */
export const order = (dialect: Dialect) => ({
  ...common(dialect),
  left: Decimal,
  price: Schema.optionalKey(Decimal),
  postOnly: dialect.omissible(Schema.Boolean),
  ioc: dialect.omissible(Schema.Boolean),
  rpi: dialect.omissible(Schema.Boolean),
  retail: dialect.extension(Schema.Boolean),
  takerFee: dialect.extension(FeeRate),
  makerFee: dialect.extension(FeeRate),
  oto: dialect.extension(oto),
  positionSide: Schema.optionalKey(ReceivedPositionSide),
  reduceOnly: dialect.omissible(Schema.Boolean),
  activated: Schema.optionalKey(Wire.Bit),
  activationCondition: Schema.optionalKey(ReceivedActivationCondition),
  activationPrice: Schema.optionalKey(Decimal)
})

/** Returns the wire values that mean "absent" for a client order id and a fee asset: an empty string. */
export const absentIds = ({ demandsAll }: Dialect) => ({
  clientOrderId: { value: "", when: () => true, demanded: demandsAll },
  feeAsset: nothing
})

/**
 * Returns the wire values that mean "absent": those of {@link absentIds} and, on an order without a limit price, the
 * price `"0"`. The live exchange no longer sends this price.
 */
export const absent = (dialect: Dialect) => ({
  ...absentIds(dialect),
  price: {
    value: "0",
    when: (wire: Readonly<Record<string, unknown>>) => marketTypes.includes(wire["type"]),
    demanded: dialect.demandsAll,
    written: dialect.demandsAll
  }
})

const marginPrefix = "margin "

/** The live exchange's two names for a stop-market order on margin. Both are read, and the first is written. */
const [triggerType, ...triggerTypes] = ["trigger margin market", "trigger stop market"] as const

/**
 * Splits an order type on the wire into the domain's `type` and `margin`, and joins them for writing. `margin limit` is
 * a `limit` order on margin, and `trigger margin market` is a `stop market` order on margin.
 */
const marginType: Wire.Joint = {
  split: (wire) => {
    const { type } = wire
    if (type === triggerType || triggerTypes.some((other) => type === other)) {
      return { ...wire, type: "stop market", margin: true }
    }
    if (typeof type === "string" && type.startsWith(marginPrefix))
      return { ...wire, type: type.slice(marginPrefix.length), margin: true }
    return wire["margin"] === undefined ? wire : { ...wire, margin: undefined }
  },
  join: ({ margin, type, ...wire }) => ({
    ...wire,
    type: margin !== true ? type : type === "stop market" ? triggerType : `${marginPrefix}${String(type)}`
  })
}

/**
 * Returns the split of the order type into `type` and `margin`, if the dialect's order types show whether an order is
 * on margin.
 */
export const joint = ({ marginTypes }: Dialect): { readonly joint?: Wire.Joint } =>
  marginTypes ? { joint: marginType } : {}

/** The wire keys and values of an order. */
export const spelling = (dialect: Dialect) => ({
  keys: { ...dialect.keys, activationPrice: "activation_price" },
  absent: absent(dialect),
  ...joint(dialect)
})
