/**
 * Checks whether a response describes the requested order. A response that describes a different order proves nothing:
 * it may belong to another call.
 */
import * as Decimal from "../domain/Decimal.ts"
import type { ClientOrderId, MarketName, OrderId } from "../domain/Identifiers.ts"
import type * as Market from "../domain/Market.ts"
import {
  type BboRole,
  type OrderSide,
  OrderType,
  type PositionSide,
  type ReceivedPositionSide,
  type ReceivedSelfTradePrevention,
  type ReceivedSide,
  type ReceivedType,
  SelfTradePrevention
} from "../domain/Order.ts"

/** The fields that an order request and an order in a response can have in common. */
interface Echoed {
  /** The client order id. */
  readonly clientOrderId?: ClientOrderId
  /** The limit price. */
  readonly price?: Decimal.Decimal
  /** The price that triggers the order. */
  readonly activationPrice?: Decimal.Decimal
  /** Whether the order is post-only. */
  readonly postOnly?: boolean
  /** Whether the exchange cancels the part that can't trade immediately. */
  readonly ioc?: boolean
  /** Whether the order trades only against retail orders. */
  readonly rpi?: boolean
  /** Whether the order trades as a retail order. */
  readonly retail?: boolean
  /** Whether the order may only reduce a position. */
  readonly reduceOnly?: boolean
}

/** The fields of an order request. */
export interface Ordered extends Echoed {
  /** The market to trade on. */
  readonly market: MarketName
  /** Whether to buy or sell. */
  readonly side: OrderSide
  /** The amount to buy or sell. */
  readonly amount: Decimal.Amount
  /**
   * The order's role at the best bid or offer. If it is present, the exchange chooses the price, and the role decides
   * whether the order rests in the book.
   */
  readonly bboRole?: BboRole
  /** The action taken when the order would trade with another order from the same account. */
  readonly stp?: SelfTradePrevention
  /** The position that the order belongs to. */
  readonly positionSide?: PositionSide
  /** The take-profit price. */
  readonly takeProfit?: Decimal.Price
  /** The stop-loss price. */
  readonly stopLoss?: Decimal.Price
}

/** An order in a response. */
export interface Leg extends Echoed {
  /** The order's market. */
  readonly market: MarketName
  /** Whether the order buys or sells. */
  readonly side: ReceivedSide
  /** The order's type, such as limit or market. */
  readonly type: ReceivedType
  /** The ordered amount. */
  readonly amount: Decimal.Decimal
  /** The filled amount, in the base currency. */
  readonly dealStock: Decimal.Decimal
  /** The action taken when the order would trade with another order from the same account. */
  readonly stp?: ReceivedSelfTradePrevention
  /** The position that the order belongs to. */
  readonly positionSide?: ReceivedPositionSide
  /** The prices of the order's take-profit and stop-loss. */
  readonly oto?: { readonly takeProfit?: Decimal.Decimal; readonly stopLoss?: Decimal.Decimal }
}

/** Describes how a field of the response differs from the request. */
const differs = (field: string, found: unknown, asked: unknown): string =>
  `the order's ${field} is ${String(found)}, not ${String(asked)}`

/** Whether an amount is above zero and at most the requested amount. */
const isPartOf = (amount: Decimal.Decimal, asked: Decimal.Decimal): boolean =>
  Decimal.Order(amount, Decimal.zero) > 0 && Decimal.Order(amount, asked) <= 0

/** Whether an amount is the requested amount truncated to fewer digits, for example to the market's precision. */
const isCutFrom = (amount: Decimal.Decimal, asked: Decimal.Decimal): boolean => {
  const digits = Decimal.scale(amount)
  const [integer = "", fraction = ""] = asked.split(".")
  return Decimal.scale(asked) > digits && !Decimal.isZero(amount) &&
    Decimal.Equivalence(amount, (digits === 0 ? integer : `${integer}.${fraction.slice(0, digits)}`) as Decimal.Decimal)
}

/** Whether an order closes a position in hedge mode. The exchange might treat such an order as reduce-only. */
const closesSide = ({ positionSide, side }: Ordered): boolean => positionSide === (side === "sell" ? "LONG" : "SHORT")

/** Whether the amount in the response can result from the requested amount. */
const isOf = (asked: Ordered, { quoteAmount, tradesAt }: Market.Bounded, { amount, dealStock }: Leg): boolean => {
  if (Decimal.Equivalence(amount, asked.amount) || isCutFrom(amount, asked.amount)) return true
  // According to the document, the exchange reduces the amount of a reduce-only order to the position's size.
  if (asked.reduceOnly === true || closesSide(asked)) return isPartOf(amount, asked.amount)
  // A market order has no limit price. The exchange drops the part that can't trade immediately, and may echo the
  // traded amount instead of a requested quote amount.
  const isMarketOrder = tradesAt.length === 0
  return isMarketOrder &&
    (isPartOf(amount, asked.amount) || (quoteAmount === true && Decimal.Equivalence(amount, dealStock)))
}

/**
 * Describes the first price that is neither the requested price nor a truncation of it; `undefined` if there is no such
 * price.
 */
const otherPrice = <K extends string>(
  fields: ReadonlyArray<K>,
  asked: { readonly [P in K]?: Decimal.Decimal },
  said: { readonly [P in K]?: Decimal.Decimal }
): string | undefined => {
  for (const field of fields) {
    const [expected, found] = [asked[field], said[field]]
    if (expected === undefined || found === undefined) continue
    if (!Decimal.Equivalence(found, expected) && !isCutFrom(found, expected)) return differs(field, found, expected)
  }
  return undefined
}

/** Whether the value is listed. An unlisted value may be the exchange's new name for a listed value. */
const isKnown = (values: ReadonlyArray<string>, value: string): boolean => values.includes(value)

/** Treats a `stock market` order as a market order, because some responses do not distinguish them. */
const kindOf = (type: ReceivedType): ReceivedType => type === "stock market" ? "market" : type

/**
 * Describes the first difference from the request in the order's type, flags, self-trade prevention or position;
 * `undefined` if there is no difference.
 */
const otherManner = (asked: Ordered, type: OrderType, leg: Leg): string | undefined => {
  if (kindOf(leg.type) !== kindOf(type) && isKnown(OrderType.literals, leg.type)) return differs("type", leg.type, type)
  for (const flag of ["postOnly", "ioc", "rpi", "retail", "reduceOnly"] as const) {
    // For an order at the best bid or offer, the role determines whether the order rests in the book or takes
    // liquidity.
    if (asked.bboRole !== undefined && (flag === "postOnly" || flag === "ioc")) continue
    if (flag === "reduceOnly" && closesSide(asked)) continue
    if (asked[flag] !== undefined && leg[flag] !== undefined && leg[flag] !== asked[flag]) {
      return differs(flag, leg[flag], asked[flag])
    }
  }
  const { positionSide, stp } = leg
  if (asked.stp !== undefined && stp !== undefined && stp !== asked.stp && isKnown(SelfTradePrevention.literals, stp)) {
    return differs("stp", stp, asked.stp)
  }
  // In one-way mode the exchange ignores the requested position side.
  const isOther = positionSide !== asked.positionSide && (positionSide === "LONG" || positionSide === "SHORT")
  return asked.positionSide !== undefined && isOther
    ? differs("positionSide", positionSide, asked.positionSide)
    : undefined
}

/** An order's identifiers. */
export interface Naming {
  /** The order's market. */
  readonly market: MarketName
  /** The order id, assigned by the exchange. */
  readonly orderId?: OrderId | undefined
  /** The client order id. */
  readonly clientOrderId?: ClientOrderId | undefined
}

/**
 * Describes how the order in the response differs from the order that the request identifies; `undefined` if they are
 * the same.
 */
export const otherOrder = (asked: Naming, said: Naming): string | undefined => {
  for (const field of ["market", "orderId", "clientOrderId"] as const) {
    const [expected, found] = [asked[field], said[field]]
    if (expected !== undefined && found !== undefined && found !== expected) return differs(field, found, expected)
  }
  return undefined
}

/**
 * Describes how an order in a response differs from the requested order, in any field that both orders have;
 * `undefined` if there is no difference. Decimals are compared by value. Five differences are allowed, because the
 * exchange makes such changes deliberately:
 *
 * - Amounts and prices may be truncated to the market's precision.
 * - A reduce-only order's amount may be smaller: the exchange reduces it to the position's size (the document,
 *   Endpoints §2).
 * - An order that sells `LONG` or buys `SHORT`, in hedge mode, may become reduce-only.
 * - A market order's amount may be smaller, or be the traded amount.
 * - An order at the best bid or offer may have any price.
 */
export const contradiction = (
  asked: Ordered,
  type: OrderType,
  bounds: Market.Bounded,
  leg: Leg
): string | undefined => {
  const other = otherOrder(asked, leg)
  if (other !== undefined) return other
  if (leg.side !== asked.side) return differs("side", leg.side, asked.side)
  if (!isOf(asked, bounds, leg)) return differs("amount", leg.amount, asked.amount)
  return otherManner(asked, type, leg) ??
    otherPrice(asked.bboRole === undefined ? ["price", "activationPrice"] : ["activationPrice"], asked, leg) ??
    otherPrice(["takeProfit", "stopLoss"], asked, leg.oto ?? {})
}

/** The fields of a request to modify an order. */
export interface Changed {
  /** The order's market. */
  readonly market: MarketName
  /** The client order id that identifies the order. */
  readonly clientOrderId?: ClientOrderId
  /** The new amount, including the filled part. */
  readonly amount?: Decimal.Amount
  /** The new amount that the order spends. */
  readonly total?: Decimal.Amount
  /** The new limit price. */
  readonly price?: Decimal.Price
  /** The new price that triggers the order. */
  readonly activationPrice?: Decimal.Price
}

/**
 * Describes how a response differs from the requested modification; `undefined` if there is no difference. The amount
 * may be smaller: the new order contains only the unfilled part, and a reduce-only order is reduced to its position's
 * size. The order id is always new.
 */
export const contradictionOfChange = (asked: Changed, order: Leg): string | undefined => {
  const { clientOrderId, market } = asked
  const other = otherOrder({ market, clientOrderId }, order)
  if (other !== undefined) return other
  const size = asked.amount ?? asked.total
  if (size !== undefined && !isPartOf(order.amount, size)) return differs("amount", order.amount, size)
  return otherPrice(["price", "activationPrice"], asked, order)
}
