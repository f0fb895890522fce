/**
 * Checks whether an answer is about the requested order. An answer about another order proves nothing: it may belong to
 * another call.
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

/** The fields that requests for an order and answers about it share. A field is absent if either lacks it. */
interface Echoed {
  /** The client order id. */
  readonly clientOrderId?: ClientOrderId
  /** The limit price. */
  readonly price?: Decimal.Decimal
  /** The price that triggers the order. */
  readonly activationPrice?: Decimal.Decimal
  /** Whether the order may only rest in the book. */
  readonly postOnly?: boolean
  /** Whether the part that cannot trade immediately is canceled. */
  readonly ioc?: boolean
  /** Whether the order only trades with retail orders. */
  readonly rpi?: boolean
  /** Whether the order takes liquidity as a retail order. */
  readonly retail?: boolean
  /** Whether the order may only reduce a position. */
  readonly reduceOnly?: boolean
}

/** The fields of a request for an order. */
export interface Ordered extends Echoed {
  /** The market. */
  readonly market: MarketName
  /** Whether to buy or sell. */
  readonly side: OrderSide
  /** The amount. */
  readonly amount: Decimal.Amount
  /** Whether the exchange chooses the price, which also decides whether the order rests. */
  readonly bboRole?: BboRole
  /** The action when the order would trade with an order of the same account. */
  readonly stp?: SelfTradePrevention
  /** The order's position. */
  readonly positionSide?: PositionSide
  /** The price of the take-profit. */
  readonly takeProfit?: Decimal.Price
  /** The price of the stop-loss. */
  readonly stopLoss?: Decimal.Price
}

/** An order in an answer. */
export interface Leg extends Echoed {
  /** The order's market. */
  readonly market: MarketName
  /** Whether the order buys or sells. */
  readonly side: ReceivedSide
  /** The type, such as limit or market. */
  readonly type: ReceivedType
  /** The ordered amount. */
  readonly amount: Decimal.Decimal
  /** The filled amount, in the base currency. */
  readonly dealStock: Decimal.Decimal
  /** The action when the order would trade with an order of the same account. */
  readonly stp?: ReceivedSelfTradePrevention
  /** The order's position. */
  readonly positionSide?: ReceivedPositionSide
  /** The orders that it triggers. */
  readonly oto?: { readonly takeProfit?: Decimal.Decimal; readonly stopLoss?: Decimal.Decimal }
}

/** Describes how a field of the answer differs. */
const differs = (field: string, found: unknown, asked: unknown): string =>
  `the order's ${field} is ${String(found)}, not ${String(asked)}`

/** Whether an amount is at most the other. */
const isPartOf = (amount: Decimal.Decimal, asked: Decimal.Decimal): boolean =>
  Decimal.Order(amount, Decimal.zero) > 0 && Decimal.Order(amount, asked) <= 0

/** Whether an amount equals the other without the digits beyond its own last one: cut to the market's precision. */
const isCutFrom = (amount: Decimal.Decimal, asked: Decimal.Decimal): boolean => {
  const digits = Decimal.scale(amount)
  const [integer = "", fraction = ""] = asked.split(".")
  return Decimal.scale(asked) > digits && !Decimal.isZero(amount) &&
    Decimal.Equivalence(amount, (digits === 0 ? integer : `${integer}.${fraction.slice(0, digits)}`) as Decimal.Decimal)
}

/** Whether the exchange may have derived this amount from the requested one. */
const isOf = (asked: Ordered, { quoteAmount, tradesAt }: Market.Bounded, { amount, dealStock }: Leg): boolean => {
  if (Decimal.Equivalence(amount, asked.amount) || isCutFrom(amount, asked.amount)) return true
  // The document cuts it to the position.
  if (asked.reduceOnly === true) return isPartOf(amount, asked.amount)
  // A market order has no limit. The part that can't trade immediately is dropped, and a requested quote amount may be
  // answered as the traded amount.
  const isMarketOrder = tradesAt.length === 0
  return isMarketOrder &&
    (isPartOf(amount, asked.amount) || (quoteAmount === true && Decimal.Equivalence(amount, dealStock)))
}

/** The first price that is neither the requested one nor cut from it. */
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

/** Whether this library knows the value. An unknown one may be the exchange's new name for another. */
const isKnown = (values: ReadonlyArray<string>, value: string): boolean => values.includes(value)

/** Treats a `stock market` order as a market order, because some answers do not distinguish them. */
const kindOf = (type: ReceivedType): ReceivedType => type === "stock market" ? "market" : type

/** The first of the order's kind, flags and position that differs from the request. */
const otherManner = (asked: Ordered, type: OrderType, leg: Leg): string | undefined => {
  if (kindOf(leg.type) !== kindOf(type) && isKnown(OrderType.literals, leg.type)) return differs("type", leg.type, type)
  for (const flag of ["postOnly", "ioc", "rpi", "retail", "reduceOnly"] as const) {
    // An order at the best price rests or takes according to its role.
    if (asked.bboRole !== undefined && (flag === "postOnly" || flag === "ioc")) continue
    if (asked[flag] !== undefined && leg[flag] !== undefined && leg[flag] !== asked[flag]) {
      return differs(flag, leg[flag], asked[flag])
    }
  }
  const { positionSide, stp } = leg
  if (asked.stp !== undefined && stp !== undefined && stp !== asked.stp && isKnown(SelfTradePrevention.literals, stp)) {
    return differs("stp", stp, asked.stp)
  }
  // In one-way mode the exchange ignores the requested side.
  const isOther = positionSide !== asked.positionSide && (positionSide === "LONG" || positionSide === "SHORT")
  return asked.positionSide !== undefined && isOther
    ? differs("positionSide", positionSide, asked.positionSide)
    : undefined
}

/** The identifiers that name an order. */
export interface Naming {
  /** The order's market. */
  readonly market: MarketName
  /** The exchange's identifier. */
  readonly orderId?: OrderId | undefined
  /** The client order id. */
  readonly clientOrderId?: ClientOrderId | undefined
}

/** How the answered order differs from the named one; `undefined` when it does not. */
export const otherOrder = (asked: Naming, said: Naming): string | undefined => {
  for (const field of ["market", "orderId", "clientOrderId"] as const) {
    const [expected, found] = [asked[field], said[field]]
    if (expected !== undefined && found !== undefined && found !== expected) return differs(field, found, expected)
  }
  return undefined
}

/**
 * How an answer differs from the requested order, in any field that both have; `undefined` when it does not. Decimals
 * are compared by value. The exchange may make four changes itself:
 *
 * - Amounts and prices may be cut to the market's precision.
 * - The amount of a reduce-only order may be smaller: the exchange cuts it to the position (document, Endpoints §2).
 * - The amount of a market order may be smaller, or the traded amount.
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
  /** The client order id that names the order. */
  readonly clientOrderId?: ClientOrderId
  /** The amount, including the filled part. */
  readonly amount?: Decimal.Amount
  /** The amount that the order spends. */
  readonly total?: Decimal.Amount
  /** The limit price. */
  readonly price?: Decimal.Price
  /** The price that triggers the order. */
  readonly activationPrice?: Decimal.Price
}

/**
 * How an answer differs from the requested modification; `undefined` when it does not. The amount may be smaller: the
 * new order is for the unfilled part, and a reduce-only order for at most its position. The order id is always new.
 */
export const contradictionOfChange = (asked: Changed, order: Leg): string | undefined => {
  const { clientOrderId, market } = asked
  const other = otherOrder({ market, clientOrderId }, order)
  if (other !== undefined) return other
  const size = asked.amount ?? asked.total
  if (size !== undefined && !isPartOf(order.amount, size)) return differs("amount", order.amount, size)
  return otherPrice(["price", "activationPrice"], asked, order)
}
