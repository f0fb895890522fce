/** Terms shared by requests for orders, their spelling in a dialect, and the constraints between them. */
import * as Schema from "effect/Schema"
import * as Constraint from "../domain/Constraint.ts"
import { Amount, Price } from "../domain/Decimal.ts"
import { ClientOrderId, MarketName, type OrderId } from "../domain/Identifiers.ts"
import { OrderSide, PositionSide, type SelfTradePrevention } from "../domain/Order.ts"
import { Flag } from "../domain/Text.ts"
import type { Dialect } from "./Dialect.ts"
import * as Wire from "./Wire.ts"

/** The terms of every order. */
interface Order {
  /** Your own identifier of the order, unique per account. Generated when omitted. */
  readonly clientOrderId?: ClientOrderId
  /** The action when the order would trade with another order of the same account. Default `no`: none. */
  readonly stp?: SelfTradePrevention
}

/** The terms of every spot order. */
export interface OnSpot extends Order {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
  /** Whether to buy or sell. */
  readonly side: OrderSide
}

/** The terms of every margin order. */
export interface OnMargin extends Order {
  /** The margin market, such as `BTC_USDT`. */
  readonly market: MarketName
  /** A buy opens or increases a long position, a sell a short one. */
  readonly side: OrderSide
  /** The ordered amount, in the base currency. The market sets its precision, its minimum and its total. */
  readonly amount: Amount
  /** Only reduce or close a position; an amount beyond the position is cut to it. Default `false`. */
  readonly reduceOnly?: boolean
  /**
   * The position in hedge mode. In one-way mode every order has `BOTH`, and the exchange ignores this field. Live
   * dialect only.
   */
  readonly positionSide?: PositionSide
}

/** The terms of an order that places others when it is filled. */
export interface WithExit {
  /** The price of a take-profit to place when the order is filled, in the quote currency. Live dialect only. */
  readonly takeProfit?: Price
  /** The price of a stop-loss to place when the order is filled, in the quote currency. Live dialect only. */
  readonly stopLoss?: Price
}

/** The terms of an order that may rest in the book. */
export interface Resting {
  /** Refuse the order rather than let it trade immediately. Default `false`. */
  readonly postOnly?: boolean
  /** Cancel the part that cannot trade immediately. Default `false`; not together with `postOnly`. */
  readonly ioc?: boolean
  /**
   * Rest in the book for retail orders only ("retail price improvement"). Not together with `ioc`. Live dialect only.
   */
  readonly rpi?: boolean
}

/** The terms of an order that waits for its activation price. */
export interface Triggered {
  /** The price that triggers the order, in the quote currency. The market sets its precision. */
  readonly activationPrice: Price
}

const schemas = {
  market: () => MarketName,
  side: () => OrderSide,
  amount: ({ decimal }: Dialect) => decimal(Amount),
  price: ({ decimal }: Dialect) => decimal(Price),
  activationPrice: () => Price,
  clientOrderId: () => Schema.optionalKey(ClientOrderId),
  postOnly: () => Schema.optionalKey(Flag),
  ioc: () => Schema.optionalKey(Flag),
  stp: ({ selfTradePrevention }: Dialect) => Schema.optionalKey(selfTradePrevention),
  reduceOnly: () => Schema.optionalKey(Flag),
  positionSide: ({ extension }: Dialect) => extension(PositionSide),
  rpi: ({ extension }: Dialect) => extension(Flag),
  takeProfit: ({ decimal, extension }: Dialect) => extension(decimal(Price)),
  stopLoss: ({ decimal, extension }: Dialect) => extension(decimal(Price))
}

type Schemas = typeof schemas

/** The schemas of these terms in a dialect. Their order is the order in which fields are written, and refused. */
export const fields = <const Name extends keyof Schemas>(
  dialect: Dialect,
  ...names: ReadonlyArray<Name>
): { readonly [K in Name]: ReturnType<Schemas[K]> } =>
  // Each name has its own term's schema.
  Object.fromEntries(names.map((name) => [name, schemas[name](dialect)])) as never

/** The wire keys of order terms that differ from their names. */
export const keys = ({ keys: { clientOrderId } }: Dialect) => ({ activationPrice: "activation_price", clientOrderId })

/** Makes the schema of a list of 1 to `max` orders. */
export const many = <A>({ schema }: Wire.Shape<A>, max: number) =>
  Schema.Array(schema).annotate(Constraint.annotation({ kind: "type", type: "array" })).check(
    Schema.isMinLength(1, Constraint.annotation({ kind: "notEmpty" })),
    Schema.isMaxLength(max, Constraint.annotation({ kind: "elements", max }))
  )

/** An order can't be both post-only and immediate-or-cancel. */
export const restsOrNot = {
  field: "ioc",
  constraint: { kind: "exclusive", with: "postOnly" },
  holds: ({ ioc, postOnly }: Resting) => ioc !== true || postOnly !== true
} as const

/** An order with a limit has a price, or trades at the best bid or offer. */
export const hasLimit = {
  field: "price",
  constraint: { kind: "required" },
  holds: ({ bboRole, price }: { readonly price?: Price; readonly bboRole?: string }) =>
    price !== undefined || bboRole !== undefined
} as const

/** A reduce-only order has no take-profit or stop-loss: the exchange refuses it with one (live documentation). */
export const exits = (["takeProfit", "stopLoss"] as const).map((field) => ({
  field: "reduceOnly" as const,
  constraint: { kind: "alone", with: field } as const,
  holds: (request: WithExit & Pick<OnMargin, "reduceOnly">) =>
    request.reduceOnly !== true || request[field] === undefined
}))

/** An existing order. Its type does not require exactly one identifier; the constraints do. */
export interface Existing {
  /** The market on which the order trades. */
  readonly market: MarketName
  /** The exchange's identifier of the order. */
  readonly orderId?: OrderId
  /** Your own identifier of the order. */
  readonly clientOrderId?: ClientOrderId
}

/**
 * The constraints on a request that names an order by one of two identifiers. `clientOrderId` is one of the wire keys.
 */
export const oneIdentifier = (clientOrderId: string): ReadonlyArray<Wire.Between<Existing>> => [
  {
    field: "orderId",
    constraint: { kind: "required" },
    holds: ({ clientOrderId, orderId }) => clientOrderId !== undefined || orderId !== undefined
  },
  {
    field: "orderId",
    constraint: { kind: "alone", with: clientOrderId },
    holds: ({ clientOrderId, orderId }) => clientOrderId === undefined || orderId === undefined
  }
]
