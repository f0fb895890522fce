/** What requests for orders share: the terms, how a dialect spells them, and what must hold between them. */
import * as Schema from "effect/Schema"
import * as Constraint from "../domain/Constraint.ts"
import { Amount, Price } from "../domain/Decimal.ts"
import { ClientOrderId, MarketName, type OrderId } from "../domain/Identifiers.ts"
import { OrderSide, PositionSide, type SelfTradePrevention } from "../domain/Order.ts"
import { Flag } from "../domain/Text.ts"
import type { Dialect } from "./Dialect.ts"
import * as Wire from "./Wire.ts"

// -----------------------------------------------------------------------------
// Terms
// -----------------------------------------------------------------------------

/** What every order says. */
interface Order {
  /** Your own identifier of the order, unique per account. One is generated when you leave it out. */
  readonly clientOrderId?: ClientOrderId
  /** What to do when the order would trade with another one of the same account. Default `no`: nothing. */
  readonly stp?: SelfTradePrevention
}

/** What every order on the spot says. */
export interface OnSpot extends Order {
  /** Where to trade, such as `BTC_USDT`. */
  readonly market: MarketName
  /** Whether to buy or to sell. */
  readonly side: OrderSide
}

/** What every order on margin says. */
export interface OnMargin extends Order {
  /** A market that trades on margin, such as `BTC_USDT`. */
  readonly market: MarketName
  /** A buy opens or increases a long position, a sell a short one. */
  readonly side: OrderSide
  /** How much, in units of the base currency. Its precision, least value and total depend on the market. */
  readonly amount: Amount
  /** Only reduce or close a position; an amount beyond the position is reduced to it. Default `false`. */
  readonly reduceOnly?: boolean
  /**
   * The position in hedge mode. In one-way mode every order has `BOTH`, and the exchange ignores this field. Live dialect
   * only.
   */
  readonly positionSide?: PositionSide
}

/** What an order says that places others when it is filled. */
export interface WithExit {
  /** The price of a take-profit that is placed when the order is filled, in units of the quote currency. Live dialect only. */
  readonly takeProfit?: Price
  /** The price of a stop-loss that is placed when the order is filled, in units of the quote currency. Live dialect only. */
  readonly stopLoss?: Price
}

/** What an order says that may rest in the book. */
export interface Resting {
  /** Refuse the order rather than let it trade at once. Default `false`. */
  readonly postOnly?: boolean
  /** Cancel what cannot trade at once. Default `false`; not together with `postOnly`. */
  readonly ioc?: boolean
  /** Rest in the book for retail orders only ("retail price improvement"). Not with `ioc`. Live dialect only. */
  readonly rpi?: boolean
}

/** What an order says that waits for its activation price. */
export interface Triggered {
  /** The price that triggers the order, in units of the quote currency. Its precision depends on the market. */
  readonly activationPrice: Price
}

// -----------------------------------------------------------------------------
// On the wire
// -----------------------------------------------------------------------------

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

/** The schemas of these terms in a dialect, in this order: requests are written, and refused, field by field in it. */
export const fields = <const Name extends keyof Schemas>(
  dialect: Dialect,
  ...names: ReadonlyArray<Name>
): { readonly [K in Name]: ReturnType<Schemas[K]> } =>
  // Each name has the schema of its own term.
  Object.fromEntries(names.map((name) => [name, schemas[name](dialect)])) as never

/** The wire keys of the terms of an order, where they differ from their names. */
export const keys = ({ keys: { clientOrderId } }: Dialect) => ({ activationPrice: "activation_price", clientOrderId })

/** The schema of a list of 1 to `max` orders. */
export const many = <A>({ schema }: Wire.Shape<A>, max: number) =>
  Schema.Array(schema).annotate(Constraint.annotation({ kind: "type", type: "array" })).check(
    Schema.isMinLength(1, Constraint.annotation({ kind: "notEmpty" })),
    Schema.isMaxLength(max, Constraint.annotation({ kind: "elements", max }))
  )

// -----------------------------------------------------------------------------
// Between terms
// -----------------------------------------------------------------------------

/** An order can't both rest only and never rest. */
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

/**
 * An order that may only reduce a position has no exit: it is refused with a take-profit or a stop-loss (live documentation).
 */
export const exits = (["takeProfit", "stopLoss"] as const).map((field) => ({
  field: "reduceOnly" as const,
  constraint: { kind: "alone", with: field } as const,
  holds: (request: WithExit & Pick<OnMargin, "reduceOnly">) =>
    request.reduceOnly !== true || request[field] === undefined
}))

/** An order that exists, where only the constraints say that it has one identifier. */
export interface Existing {
  /** The market that the order trades on. */
  readonly market: MarketName
  /** The exchange's identifier of the order. */
  readonly orderId?: OrderId
  /** Your own identifier of the order. */
  readonly clientOrderId?: ClientOrderId
}

/** The constraints on a request that names an order by one of two identifiers. `clientOrderId` is the wire key of one. */
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
