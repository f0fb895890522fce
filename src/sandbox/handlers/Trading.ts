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
import type { Handlers } from "./Handler.ts"
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

/**
 * The handlers of orders and fills.
 *
 * @category handlers
 * @since 0.1.0
 */
export const trading = {
  CollateralOcoOrders: {
    operation: (request) => ({ _tag: "PlaceOco", ...request }),
    reply: "OcoPlaced",
    answer: ({ oco }, context) => OrderAnswers.ocoOrder(oco, context)
  },
  StopLimitOrders: {
    operation: (request) => ({ _tag: "PlaceStopLimit", ...request }),
    reply: "StopPlaced",
    answer: ({ order }, context) => OrderAnswers.stopLimitOrder(order, context)
  },
  LimitOrders: {
    operation: (request) => ({ _tag: "PlaceLimit", ...request, collateral: false }),
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
    operation: (request) => ({ _tag: "PlaceLimit", ...request, collateral: true }),
    reply: "OrderPlaced",
    answer: ({ order }, context) => OrderAnswers.order(order, context)
  },
  CollateralMarketOrders: {
    operation: (request) => ({ _tag: "PlaceMarket", ...request, collateral: true, quoteAmount: false }),
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
        select(context.state.endedOrders.get(context.account) ?? [], request),
        (order) => OrderAnswers.endedOrder(order, context)
      ).records
  },
  Fills: {
    check: KnownMarket.check,
    answer: ({ clientOrderId, market, ...page }, context) =>
      Page.make(
        page,
        Fills.defaultLimit,
        (context.state.fills.get(context.account) ?? []).filter(({ order }) =>
          (market === undefined || order.market === market) &&
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
} satisfies Partial<Handlers>
