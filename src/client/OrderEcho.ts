/**
 * Whether the answer to a call about an order is about the order that was asked for. An answer about another one proves
 * nothing: it may be the answer to another call.
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

/** What requests for an order and answers about it both say, by the same names. Absent is what one of them does not say. */
interface Echoed {
  /** The client order id. */
  readonly clientOrderId?: ClientOrderId
  /** The limit. */
  readonly price?: Decimal.Decimal
  /** The price that triggers it. */
  readonly activationPrice?: Decimal.Decimal
  /** Whether the order may only rest in the book. */
  readonly postOnly?: boolean
  /** Whether the part that cannot trade at once is canceled. */
  readonly ioc?: boolean
  /** Whether the order trades only with retail orders. */
  readonly rpi?: boolean
  /** Whether the order takes as a retail order. */
  readonly retail?: boolean
  /** Whether the order may only reduce a position. */
  readonly reduceOnly?: boolean
}

/** What a request for an order says. */
export interface Ordered extends Echoed {
  /** Where to trade. */
  readonly market: MarketName
  /** Whether to buy or to sell. */
  readonly side: OrderSide
  /** How much. */
  readonly amount: Decimal.Amount
  /** Whether the exchange chooses the price, and with it whether the order rests. */
  readonly bboRole?: BboRole
  /** What happens when it would trade with an order of the same account. */
  readonly stp?: SelfTradePrevention
  /** The position that it belongs to. */
  readonly positionSide?: PositionSide
  /** The price of its take-profit. */
  readonly takeProfit?: Decimal.Price
  /** The price of its stop-loss. */
  readonly stopLoss?: Decimal.Price
}

/** What an answer says of an order. */
export interface Leg extends Echoed {
  /** Where it trades. */
  readonly market: MarketName
  /** Whether it buys or sells. */
  readonly side: ReceivedSide
  /** Limit, market and so on. */
  readonly type: ReceivedType
  /** How much was ordered. */
  readonly amount: Decimal.Decimal
  /** How much was filled, in units of the base currency. */
  readonly dealStock: Decimal.Decimal
  /** What happens when it would trade with an order of the same account. */
  readonly stp?: ReceivedSelfTradePrevention
  /** The position that it belongs to. */
  readonly positionSide?: ReceivedPositionSide
  /** The orders that it triggers. */
  readonly oto?: { readonly takeProfit?: Decimal.Decimal; readonly stopLoss?: Decimal.Decimal }
}

/** How a field of the answer differs. */
const differs = (field: string, found: unknown, asked: unknown): string =>
  `the order's ${field} is ${String(found)}, not ${String(asked)}`

/** Whether an amount is a part of another one, or all of it. */
const isPartOf = (amount: Decimal.Decimal, asked: Decimal.Decimal): boolean =>
  Decimal.Order(amount, Decimal.zero) > 0 && Decimal.Order(amount, asked) <= 0

/** Whether an amount is another one without the digits beyond its own last one: cut to the precision of the market. */
const isCutFrom = (amount: Decimal.Decimal, asked: Decimal.Decimal): boolean => {
  const digits = Decimal.scale(amount)
  const [integer = "", fraction = ""] = asked.split(".")
  return Decimal.scale(asked) > digits && !Decimal.isZero(amount) &&
    Decimal.Equivalence(amount, (digits === 0 ? integer : `${integer}.${fraction.slice(0, digits)}`) as Decimal.Decimal)
}

/** Whether an exchange may have made this amount of the one that was asked for. */
const isOf = (asked: Ordered, { quoteAmount, tradesAt }: Market.Bounded, { amount, dealStock }: Leg): boolean => {
  if (Decimal.Equivalence(amount, asked.amount) || isCutFrom(amount, asked.amount)) return true
  // The document reduces it to the position.
  if (asked.reduceOnly === true) return isPartOf(amount, asked.amount)
  // A market order has no limit. What could not be traded at once is not ordered any more, and the amount of one that was
  // asked for in the quote currency may be what was traded.
  const isMarketOrder = tradesAt.length === 0
  return isMarketOrder &&
    (isPartOf(amount, asked.amount) || (quoteAmount === true && Decimal.Equivalence(amount, dealStock)))
}

/** The first price that is neither the one that was asked for nor cut from it. */
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

/** Whether a value is one that this library knows. One that it does not know may be the exchange's new word for another. */
const isKnown = (values: ReadonlyArray<string>, value: string): boolean => values.includes(value)

/** A `stock market` order is a market order, which some answers do not tell apart. */
const kindOf = (type: ReceivedType): ReceivedType => type === "stock market" ? "market" : type

/** The first of the order's kind, its flags and its position that is not what was asked for. */
const otherManner = (asked: Ordered, type: OrderType, leg: Leg): string | undefined => {
  if (kindOf(leg.type) !== kindOf(type) && isKnown(OrderType.literals, leg.type)) return differs("type", leg.type, type)
  for (const flag of ["postOnly", "ioc", "rpi", "retail", "reduceOnly"] as const) {
    // An order at the best price rests or takes as its role demands.
    if (asked.bboRole !== undefined && (flag === "postOnly" || flag === "ioc")) continue
    if (asked[flag] !== undefined && leg[flag] !== undefined && leg[flag] !== asked[flag]) {
      return differs(flag, leg[flag], asked[flag])
    }
  }
  const { positionSide, stp } = leg
  if (asked.stp !== undefined && stp !== undefined && stp !== asked.stp && isKnown(SelfTradePrevention.literals, stp)) {
    return differs("stp", stp, asked.stp)
  }
  // In one-way mode the exchange ignores the side that was asked for.
  const isOther = positionSide !== asked.positionSide && (positionSide === "LONG" || positionSide === "SHORT")
  return asked.positionSide !== undefined && isOther
    ? differs("positionSide", positionSide, asked.positionSide)
    : undefined
}

/** What names an order. */
export interface Naming {
  /** Where it trades. */
  readonly market: MarketName
  /** The exchange's identifier. */
  readonly orderId?: OrderId | undefined
  /** The client order id. */
  readonly clientOrderId?: ClientOrderId | undefined
}

/** How the order that an answer names differs from the one that was named; `undefined` when it does not. */
export const otherOrder = (asked: Naming, said: Naming): string | undefined => {
  for (const field of ["market", "orderId", "clientOrderId"] as const) {
    const [expected, found] = [asked[field], said[field]]
    if (expected !== undefined && found !== undefined && found !== expected) return differs(field, found, expected)
  }
  return undefined
}

/**
 * How an answer differs from the order of a type that was asked for, in any field that both have; `undefined` when it does
 * not. Decimals are compared by value. Four differences are the exchange's own:
 *
 * - Amounts and prices may be cut to the precision of the market.
 * - The amount of a reduce-only order may be smaller: the exchange reduces it to the position (document, Endpoints §2).
 * - The amount of a market order may be smaller, or what was traded.
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

/** What a request to change an order says of it. */
export interface Changed {
  /** Where the order trades. */
  readonly market: MarketName
  /** The client order id that it is named by. */
  readonly clientOrderId?: ClientOrderId
  /** How much, with what is filled already. */
  readonly amount?: Decimal.Amount
  /** What it spends. */
  readonly total?: Decimal.Amount
  /** The limit. */
  readonly price?: Decimal.Price
  /** The price that triggers it. */
  readonly activationPrice?: Decimal.Price
}

/**
 * How an answer differs from the change that was asked for; `undefined` when it does not. The amount may be a smaller one: the
 * new order is for what is not filled, and a reduce-only order for no more than its position. Its order id is a new one.
 */
export const contradictionOfChange = (asked: Changed, order: Leg): string | undefined => {
  const { clientOrderId, market } = asked
  const other = otherOrder({ market, clientOrderId }, order)
  if (other !== undefined) return other
  const size = asked.amount ?? asked.total
  if (size !== undefined && !isPartOf(order.amount, size)) return differs("amount", order.amount, size)
  return otherPrice(["price", "activationPrice"], asked, order)
}
