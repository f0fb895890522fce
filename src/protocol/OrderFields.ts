/** Schemas for an order's fields in an answer, and their spelling in a dialect, shared by all answers about orders. */
import * as Schema from "effect/Schema"
import { Decimal, FeeRate } from "../domain/Decimal.ts"
import { ClientOrderId, MarketName, type OrderId, Ticker } from "../domain/Identifiers.ts"
import { ReceivedActivationCondition, ReceivedPositionSide, ReceivedSide, ReceivedType } from "../domain/Order.ts"
import { UnixTime } from "../domain/Time.ts"
import type { Dialect } from "./Dialect.ts"
import * as Wire from "./Wire.ts"

/** Types of orders without a limit price: their `price: "0"` means no price. */
const marketTypes: ReadonlyArray<unknown> = ["market", "stock market", "stop market"]

/** The fields that all answers about an order spell alike. */
export const common = ({ extension, omissible, orderStatus, receivedSelfTradePrevention }: Dialect) => ({
  orderId: Wire.OrderId,
  clientOrderId: Schema.optionalKey(ClientOrderId),
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

/** The one-triggers-other fields of an order in an answer. */
export interface Oto {
  /** The exchange's identifier of the group of orders. */
  readonly otoId: OrderId
  /** The price of the take-profit placed when the order is filled, in the quote currency. */
  readonly takeProfit?: Decimal
  /** The price of the stop-loss placed when the order is filled, in the quote currency. */
  readonly stopLoss?: Decimal
}

const nothing = { value: "", when: () => true, demanded: false, written: false }

const oto = Wire.answer<Oto>({
  otoId: Wire.OrderId,
  takeProfit: Schema.optionalKey(Decimal),
  stopLoss: Schema.optionalKey(Decimal)
}, { absent: { takeProfit: nothing, stopLoss: nothing } }).schema

/** The fields of an order in the answers to calls that place, cancel and list orders. */
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

/** Values that mean "absent" where there is a client order id and a fee: an empty text for either. */
export const absentIds = ({ demandsAll }: Dialect) => ({
  clientOrderId: { value: "", when: () => true, demanded: demandsAll },
  feeAsset: nothing
})

/**
 * Values that mean "absent": an empty client order id, an empty fee asset, and the price `"0"` of an order without a
 * limit price.
 */
export const absent = (dialect: Dialect) => ({
  ...absentIds(dialect),
  price: {
    value: "0",
    when: (wire: Readonly<Record<string, unknown>>) => marketTypes.includes(wire["type"]),
    demanded: dialect.demandsAll
  }
})

const marginPrefix = "margin "

/** The live exchange's name for a stop-market order on margin, and a second name that clients accept. */
const [triggerType, ...triggerTypes] = ["trigger margin market", "trigger stop market"] as const

/**
 * Splits a type on the wire: `margin limit` is a `limit` order on margin, `trigger margin market` a `stop market` order
 * on margin.
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

/** How a dialect's order types express margin. */
export const joint = ({ marginTypes }: Dialect): { readonly joint?: Wire.Joint } =>
  marginTypes ? { joint: marginType } : {}

/** How an order is spelled on the wire. */
export const spelling = (dialect: Dialect) => ({
  keys: { ...dialect.keys, activationPrice: "activation_price" },
  absent: absent(dialect),
  ...joint(dialect)
})
