/** Orders in channel messages: their wire keys, and the numeric codes of their type and side. */
import * as Schema from "effect/Schema"
import { ReceivedType } from "../domain/Order.ts"
import { UnixTime } from "../domain/Time.ts"
import { live } from "../protocol/Dialect.ts"
import type * as OrderAnswer from "../protocol/OrderAnswer.ts"
import * as OrderFields from "../protocol/OrderFields.ts"
import * as Wire from "../protocol/Wire.ts"
import * as forms from "./forms.ts"

/** Maps the wire number of each margin order type to the number of the corresponding spot type. */
const marginTypes: ReadonlyMap<unknown, number> = new Map([[7, 1], [8, 2], [9, 3], [10, 4]])

const spotTypes: ReadonlyMap<unknown, number> = new Map(
  [...marginTypes].map(([margin, spot]) => [spot, Number(margin)])
)

/** The wire number of the orders that the exchange places to settle positions. Spot has no such order type. */
const normalization = 14

/** The wire numbers of the order types without a limit price. For these types, `price: "0"` means no price. */
const marketTypes: ReadonlyArray<unknown> = [2, 4, 202, 203]

/** An order type that the domain does not list is returned as an `Unrecognised`: a name or the wire's number. */
const Type = forms.numbered(ReceivedType, [
  [1, "limit"],
  [2, "market"],
  [3, "stop limit"],
  [4, "stop market"],
  [202, "stock market"],
  [203, "stop stock market"],
  [normalization, "normalization"]
])

/** Splits a wire number into the order type and `margin`: 7 is a `limit` order on margin. */
const joint: Wire.Joint = {
  split: (wire) => {
    const type = marginTypes.get(wire["type"])
    return type === undefined
      ? { ...wire, margin: wire["type"] === normalization ? true : undefined }
      : { ...wire, type, margin: true }
  },
  join: ({ margin, type, ...wire }) => ({ ...wire, type: margin === true ? spotTypes.get(type) ?? type : type })
}

const common = {
  ...OrderFields.order(live),
  // The exchange does not push `oto`.
  oto: Wire.none as never,
  side: forms.Side,
  type: Type,
  modifiedAt: Schema.optionalKey(UnixTime)
}

const empty = { value: "", when: () => true, demanded: false, written: false }

const spelling = {
  keys: {
    orderId: "id",
    clientOrderId: "client_order_id",
    timestamp: "ctime",
    modifiedAt: "mtime",
    dealMoney: "deal_money",
    dealStock: "deal_stock",
    dealFee: "deal_fee",
    feeAsset: "fee_asset",
    postOnly: "post_only",
    takerFee: "taker_fee",
    makerFee: "maker_fee",
    positionSide: "position_side",
    reduceOnly: "reduce_only",
    activationPrice: "activation_price",
    activationCondition: "activation_condition"
  },
  absent: {
    clientOrderId: { ...empty, written: true },
    feeAsset: empty,
    positionSide: empty,
    activationPrice: empty,
    activationCondition: empty,
    price: {
      value: "0",
      when: (wire: Readonly<Record<string, unknown>>) => marketTypes.includes(wire["type"]),
      demanded: false
    }
  },
  joint
}

/**
 * An order that can still trade, or that has just closed. The exchange does not push `oto`.
 *
 * @category models
 */
export interface PendingOrder extends OrderAnswer.Order {
  /** The time of the order's last change, in Unix seconds with microsecond precision. */
  readonly modifiedAt?: UnixTime
}

/** The schema of a {@link PendingOrder}. */
export const pending: Schema.Codec<PendingOrder, unknown> = Wire.answer<PendingOrder>(common, spelling).schema

/** The schema of a closed order. A pushed order and an order in the response to a query have different fields. */
export const ended = <A extends object>(further: Schema.Struct.Fields): Schema.Codec<A, unknown> =>
  // The casts are safe if `A` has all fields of an order except those in `further`.
  Wire.answer<A>({ ...common, left: Schema.optionalKey(common.left), ...further } as never, spelling as never).schema
