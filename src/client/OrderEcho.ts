/** Whether the answer to a created order is about the order that was asked for. */
import * as Decimal from "../domain/Decimal.ts"
import type { ClientOrderId, MarketName } from "../domain/Identifiers.ts"
import type * as Market from "../domain/Market.ts"
import type { OrderSide, ReceivedSide } from "../domain/Order.ts"

/** What every request for an order says. */
export interface Ordered {
  /** Where to trade. */
  readonly market: MarketName
  /** Whether to buy or to sell. */
  readonly side: OrderSide
  /** How much. */
  readonly amount: Decimal.Amount
  /** Whether the order may only reduce a position. */
  readonly reduceOnly?: boolean
}

/** What every answer says of an order that was created. */
export interface Leg {
  /** Where it trades. */
  readonly market: MarketName
  /** Whether it buys or sells. */
  readonly side: ReceivedSide
  /** How much was ordered. */
  readonly amount: Decimal.Decimal
  /** How much was filled, in units of the base currency. */
  readonly dealStock: Decimal.Decimal
  /** The client order id, where the answer has one. */
  readonly clientOrderId?: ClientOrderId
}

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

/**
 * How an answer differs from the order that was asked for, in its market, its side or its amount; `undefined` when it does
 * not. Amounts are compared by value. A smaller one is an answer to a reduce-only order, which the exchange reduces to the
 * position (document, Endpoints §2), and to a market order, which may trade less; one with fewer digits is an answer where
 * the market has fewer.
 */
export const contradiction = (
  asked: Ordered,
  bounds: Market.Bounded,
  legs: ReadonlyArray<Leg>
): string | undefined => {
  for (const leg of legs) {
    if (leg.market !== asked.market) return `the order is on ${leg.market}, not on ${asked.market}`
    if (leg.side !== asked.side) return `the order is a ${String(leg.side)}, not a ${asked.side}`
    if (!isOf(asked, bounds, leg)) return `the order's amount is ${leg.amount}, not ${asked.amount}`
  }
  return undefined
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

/** What an answer says of an order that was changed. */
export interface Successor extends Leg {
  /** The limit, where it has one. */
  readonly price?: Decimal.Decimal
  /** The price that triggers it, where it has one. */
  readonly activationPrice?: Decimal.Decimal
}

/**
 * How an answer differs from the change that was asked for; `undefined` when it does not. The amount may be a smaller one: the
 * new order is for what is not filled, and a reduce-only order for no more than its position.
 */
export const contradictionOfChange = (asked: Changed, order: Successor): string | undefined => {
  if (order.market !== asked.market) return `the order is on ${order.market}, not on ${asked.market}`
  if (asked.clientOrderId !== undefined && (order.clientOrderId ?? asked.clientOrderId) !== asked.clientOrderId) {
    return `the order has client order id ${order.clientOrderId}, not ${asked.clientOrderId}`
  }
  const size = asked.amount ?? asked.total
  if (size !== undefined && !isPartOf(order.amount, size)) return `the order's amount is ${order.amount}, not ${size}`
  for (const field of ["price", "activationPrice"] as const) {
    const [expected, found] = [asked[field], order[field]]
    const isOther = expected !== undefined && found !== undefined && !Decimal.Equivalence(expected, found)
    if (isOther && !isCutFrom(found, expected)) return `the order's ${field} is ${found}, not ${expected}`
  }
  return undefined
}
