/**
 * Placing and canceling orders, and what became of them.
 *
 * @since 0.1.0
 */
import * as ActiveOrders from "../../endpoints/ActiveOrders.ts"
import * as Fills from "../../endpoints/Fills.ts"
import * as OrderHistory from "../../endpoints/OrderHistory.ts"
import * as UnexecutedOcoOrders from "../../endpoints/UnexecutedOcoOrders.ts"
import type { Order } from "../engine/Order.ts"
import { group } from "./Handler.ts"
import * as KnownMarket from "./KnownMarket.ts"
import * as OrderAnswers from "./OrderAnswers.ts"
import * as Page from "./Page.ts"

/** The orders that a request selects, the latest first. */
const select = (
  orders: Iterable<Order>,
  { clientOrderId, market, orderId }: Pick<ActiveOrders.Request, "clientOrderId" | "market" | "orderId">
): ReadonlyArray<Order> =>
  [...orders].filter((order) =>
    (market === undefined || order.market === market) && (orderId === undefined || order.id === orderId) &&
    (clientOrderId === undefined || order.clientOrderId === clientOrderId)
  ).toReversed()

/** Whether a time, in microseconds, is not before the first second and not after the second one. */
const isWithin = (micros: number, from: number | undefined, to: number | undefined): boolean =>
  (from === undefined || micros >= from * 1e6) && (to === undefined || micros < (to + 1) * 1e6)

/** Whether an ended order is of the status and of the time that a request asks for; both count in lists only. */
const isAskedFor = (
  { clientOrderId, endDate, orderId, startDate, status = "ALL" }: OrderHistory.Request
) =>
(order: Order): boolean => {
  if (orderId !== undefined || clientOrderId !== undefined) return true
  const isFilled = order.status === "FILLED"
  const isOfStatus = {
    ALL: true,
    FILLED: isFilled,
    CANCELED: !isFilled,
    PARTIAL_FILLED: !isFilled && order.dealStock > 0n
  }[status]
  return isOfStatus && isWithin(order.changedAt, startDate, endDate)
}

/**
 * The handlers of orders and fills.
 *
 * @category handlers
 * @since 0.1.0
 */
export const trading = group({
  CollateralOcoOrders: {
    // In one-way mode, the only one here, the live exchange ignores the position side of an order.
    operation: ({ positionSide: _side, ...request }) => ({ _tag: "PlaceOco", ...request }),
    reply: "OcoPlaced",
    answer: ({ oco }, context) => OrderAnswers.ocoOrder(oco, context)
  },
  StopLimitOrders: {
    // An order at the best price, whatever that is, locks what it needs at its activation price.
    operation: ({ price, ...request }) => ({
      _tag: "PlaceStopLimit",
      ...request,
      price: price ?? request.activationPrice
    }),
    reply: "StopPlaced",
    answer: ({ order }, context) => OrderAnswers.stopLimitOrder(order, context)
  },
  LimitOrders: {
    notSimulated: ["bboRole", "rpi", "retail"],
    operation: ({ bboRole: _bboRole, price, retail: _retail, rpi: _rpi, ...request }) =>
      // Without a price an order is at the best one, and refused before it comes here.
      price === undefined ? { _tag: "Nothing" } : { _tag: "PlaceLimit", ...request, price, collateral: false },
    reply: "OrderPlaced",
    answer: ({ order }, context) => OrderAnswers.order(order, context)
  },
  MarketOrders: {
    operation: (request) => ({
      _tag: "PlaceMarket",
      ...request,
      collateral: false,
      quoteAmount: request.side === "buy"
    }),
    reply: "OrderPlaced",
    answer: ({ order }, context) => OrderAnswers.order(order, context)
  },
  StockMarketOrders: {
    operation: (request) => ({ _tag: "PlaceMarket", ...request, collateral: false, quoteAmount: false }),
    reply: "OrderPlaced",
    answer: ({ order }, context) => OrderAnswers.order(order, context)
  },
  CollateralLimitOrders: {
    notSimulated: ["rpi", "takeProfit", "stopLoss"],
    operation: ({ positionSide: _side, rpi: _rpi, stopLoss: _stopLoss, takeProfit: _takeProfit, ...request }) => ({
      _tag: "PlaceLimit",
      ...request,
      collateral: true
    }),
    reply: "OrderPlaced",
    answer: ({ order }, context) => OrderAnswers.order(order, context)
  },
  CollateralMarketOrders: {
    notSimulated: ["takeProfit", "stopLoss"],
    operation: ({ positionSide: _side, stopLoss: _stopLoss, takeProfit: _takeProfit, ...request }) => ({
      _tag: "PlaceMarket",
      ...request,
      collateral: true,
      quoteAmount: false
    }),
    reply: "OrderPlaced",
    answer: ({ order }, context) => OrderAnswers.order(order, context)
  },
  CancelOrder: {
    operation: (request) => ({ _tag: "Cancel", ...request }),
    reply: "OrderCanceled",
    answer: ({ order }, context) => OrderAnswers.order(order, context)
  },
  CancelOcoOrder: {
    operation: (request) => ({ _tag: "CancelOco", ...request }),
    reply: "OcoCanceled",
    answer: ({ oco }, context) => OrderAnswers.ocoOrder(oco, context)
  },
  CancelAllOrders: {
    operation: (request) => ({ _tag: "CancelAll", ...request }),
    reply: "Done",
    answer: () => undefined
  },
  ActiveOrders: {
    check: KnownMarket.check,
    answer: (request, context) => {
      const own = [...context.state.openOrders.values()].filter((order) => order.account === context.account)
      return Page.make(
        request,
        ActiveOrders.defaultLimit,
        select(own, request),
        (order) => OrderAnswers.order(order, context)
      ).records
    }
  },
  OrderHistory: {
    check: KnownMarket.check,
    answer: (request, context) =>
      Page.make(
        request,
        OrderHistory.defaultLimit,
        select(context.state.endedOrders.get(context.account) ?? [], request).filter(isAskedFor(request)),
        (order) => OrderAnswers.endedOrder(order, context)
      ).records
  },
  Fills: {
    check: KnownMarket.check,
    answer: ({ clientOrderId, endDate, market, startDate, ...page }, context) =>
      Page.make(
        page,
        Fills.defaultLimit,
        (context.state.fills.get(context.account) ?? []).filter(({ at, order }) =>
          (market === undefined || order.market === market) && isWithin(at, startDate, endDate) &&
          (clientOrderId === undefined || order.clientOrderId === clientOrderId)
        ).toReversed(),
        (fill) => OrderAnswers.fill(fill, context, market === undefined)
      ).records
  },
  UnexecutedOcoOrders: {
    check: KnownMarket.check,
    answer: ({ market, ...page }, context) =>
      Page.make(
        page,
        UnexecutedOcoOrders.defaultLimit,
        [...context.state.ocoOrders.values()].filter(({ stopLoss }) =>
          stopLoss.account === context.account && (market === undefined || stopLoss.market === market)
        ).toReversed(),
        (oco) => OrderAnswers.ocoOrder(oco, context)
      ).records
  }
})
