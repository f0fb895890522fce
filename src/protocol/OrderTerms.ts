/**
 * The terms that several order requests share, their schemas and wire keys in a dialect, and the constraints between
 * them.
 */
import * as Schema from "effect/Schema"
import * as Constraint from "../domain/Constraint.ts"
import { Amount, Price } from "../domain/Decimal.ts"
import { ClientOrderId, MarketName, type OrderId } from "../domain/Identifiers.ts"
import { type BboRole, OrderSide, PositionSide, type SelfTradePrevention } from "../domain/Order.ts"
import { Flag } from "../domain/Text.ts"
import type { Dialect } from "./Dialect.ts"
import * as Wire from "./Wire.ts"

/** The terms of every order. */
interface Order {
  /** Your own identifier for the order, unique per account. The client generates an id when you omit it. */
  readonly clientOrderId?: ClientOrderId
  /**
   * The action taken when the order would trade with another order from the same account. Default `no`: no action, so
   * the orders trade with each other.
   */
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
  /** `buy` opens or increases a long position, or reduces a short position. `sell` does the reverse. */
  readonly side: OrderSide
  /**
   * The ordered amount, in the base currency. The market sets the amount's precision and minimum, and limits the total
   * (amount × price).
   */
  readonly amount: Amount
  /**
   * Whether the order may only reduce or close a position; the exchange reduces a larger amount to the position's size.
   * Default `false`.
   */
  readonly reduceOnly?: boolean
  /**
   * The position to trade in hedge mode. In one-way mode every order has `BOTH`, and the exchange ignores this field.
   * Live dialect only.
   */
  readonly positionSide?: PositionSide
}

/** The terms of an order with a take-profit or a stop-loss, which the exchange places when the order is filled. */
export interface WithExit {
  /** The price of a take-profit to place when the order is filled, in the quote currency. Live dialect only. */
  readonly takeProfit?: Price
  /** The price of a stop-loss to place when the order is filled, in the quote currency. Live dialect only. */
  readonly stopLoss?: Price
}

/** The terms of an order that may rest in the book. */
export interface Resting {
  /** Whether the order is post-only: the exchange refuses it if it would trade immediately. Default `false`. */
  readonly postOnly?: boolean
  /**
   * Whether the exchange cancels the part that can't trade immediately. Default `false`; can't be combined with
   * `postOnly`.
   */
  readonly ioc?: boolean
  /**
   * Whether the order rests in the book for retail orders only ("retail price improvement") and never takes liquidity.
   * The exchange must have approved the account for this. Can't be combined with `ioc` or `postOnly`. Live dialect
   * only.
   */
  readonly rpi?: boolean
}

/** The terms of an order that becomes active only when the market reaches its activation price. */
export interface Triggered {
  /** The price that triggers the order, in the quote currency. The market sets the price's precision. */
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

/**
 * Returns the schemas of the named terms in a dialect. Requests and refusals list the fields in the order of `names`.
 */
export const fields = <const Name extends keyof Schemas>(
  dialect: Dialect,
  ...names: ReadonlyArray<Name>
): { readonly [K in Name]: ReturnType<Schemas[K]> } =>
  // The cast is safe: each name is paired with its own schema.
  Object.fromEntries(names.map((name) => [name, schemas[name](dialect)])) as never

/** Returns the wire keys that differ from the terms' domain names. */
export const keys = ({ keys: { clientOrderId } }: Dialect) => ({ activationPrice: "activation_price", clientOrderId })

/** Creates the schema of a list of 1 to `max` orders. */
export const many = <A>({ schema }: Wire.Shape<A>, max: number) =>
  Schema.Array(schema).annotate(Constraint.annotation({ kind: "type", type: "array" })).check(
    Schema.isMinLength(1, Constraint.annotation({ kind: "notEmpty" })),
    Schema.isMaxLength(max, Constraint.annotation({ kind: "elements", max }))
  )

/** The constraint that an order can't be both post-only and immediate-or-cancel. */
export const restsOrNot = {
  field: "ioc",
  constraint: { kind: "exclusive", with: "postOnly" },
  holds: ({ ioc, postOnly }: Resting) => ioc !== true || postOnly !== true
} as const

/**
 * The constraints that an `rpi` order, which trades with retail orders only, is neither immediate-or-cancel nor
 * post-only.
 */
export const rpiRestsOrNot = [
  {
    field: "ioc",
    constraint: { kind: "exclusive", with: "rpi" },
    holds: ({ ioc, rpi }: Resting) => ioc !== true || rpi !== true
  },
  {
    field: "postOnly",
    constraint: { kind: "exclusive", with: "rpi" },
    holds: ({ postOnly, rpi }: Resting) => postOnly !== true || rpi !== true
  }
] as const

/** The terms of an order that may trade at the best bid or offer. */
interface AtBest extends Resting {
  /** The order's role at the best bid or offer. */
  readonly bboRole?: BboRole
}

/**
 * The constraints that an order at the best bid or offer is not post-only, and that it is not immediate-or-cancel if it
 * joins its own side (`queue`).
 */
export const bestRestsOrNot = [
  {
    field: "postOnly",
    constraint: { kind: "alone", with: "bboRole" },
    holds: ({ bboRole, postOnly }: AtBest) => postOnly !== true || bboRole === undefined
  },
  {
    field: "ioc",
    constraint: { kind: "alone", with: "bboRole 1" },
    holds: ({ bboRole, ioc }: AtBest) => ioc !== true || bboRole !== "queue"
  }
] as const

/** The constraint that a limit order has a price or a `bboRole`. */
export const hasLimit = {
  field: "price",
  constraint: { kind: "required" },
  holds: ({ bboRole, price }: { readonly price?: Price; readonly bboRole?: string }) =>
    price !== undefined || bboRole !== undefined
} as const

/**
 * The constraints that a reduce-only order has neither a take-profit nor a stop-loss, because the exchange refuses the
 * combination (live documentation).
 */
export const exits = (["takeProfit", "stopLoss"] as const).map((field) => ({
  field: "reduceOnly" as const,
  constraint: { kind: "alone", with: field } as const,
  holds: (request: WithExit & Pick<OnMargin, "reduceOnly">) =>
    request.reduceOnly !== true || request[field] === undefined
}))

/** A reference to an existing order. {@link oneIdentifier} requires exactly one of the two identifiers. */
export interface Existing {
  /** The market on which the order trades. */
  readonly market: MarketName
  /** The exchange's identifier for the order. */
  readonly orderId?: OrderId
  /** Your own identifier for the order. */
  readonly clientOrderId?: ClientOrderId
}

/**
 * Returns the constraints that a request identifies an order by exactly one of its two identifiers. `clientOrderId` is
 * the wire key of the client order id.
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
