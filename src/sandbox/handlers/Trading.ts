/** The handlers for placing, canceling and listing orders, and for listing fills. */
import * as DateTime from "effect/DateTime"
import type { ClientOrderId } from "../../domain/Identifiers.ts"
import type { UnixSeconds } from "../../domain/Time.ts"
import * as ActiveOrders from "../../endpoints/ActiveOrders.ts"
import * as Fills from "../../endpoints/Fills.ts"
import * as OrderHistory from "../../endpoints/OrderHistory.ts"
import * as UnexecutedOcoOrders from "../../endpoints/UnexecutedOcoOrders.ts"
import type { Order } from "../engine/Order.ts"
import type { Violations } from "../engine/Reply.ts"
import type { Fill } from "../engine/Trade.ts"
import { type Context, group } from "./Handler.ts"
import * as KnownMarket from "./KnownMarket.ts"
import * as MarketFigures from "./MarketFigures.ts"
import * as OrderAnswers from "./OrderAnswers.ts"
import * as Page from "./Page.ts"
import * as Records from "./Records.ts"

/** The filters in a request for orders. */
type Selection = Pick<ActiveOrders.Request, "clientOrderId" | "market" | "orderId">

const isSelected = ({ clientOrderId, market, orderId }: Selection) => (order: Order): boolean =>
  (market === undefined || order.market === market) && (orderId === undefined || order.id === orderId) &&
  (clientOrderId === undefined || order.clientOrderId === clientOrderId)

/** The open orders that might match a request, latest first. */
const openOrders = ({ account, state }: Context, { clientOrderId, market, orderId }: Selection): Iterable<Order> => {
  const { openOrders } = state
  if (orderId !== undefined) {
    const found = openOrders.get(orderId)
    return found?.account === account ? [found] : []
  }
  if (clientOrderId === undefined) return openOrders.latest(account, market)
  const named = [...openOrders.marketsOf(account)].flatMap((market) => [
    ...openOrders.named(account, market, clientOrderId)
  ])
  return named.toSorted((one, other) => Number(other.id) - Number(one.id))
}

/** Whether a closed order was filled completely. */
const isFilled = ({ status }: Order): boolean => status === "FILLED"

/** Finds the closed order with a given id in a list. Returns at most one order. */
export const endedById = Records.indexBy(({ id }: Order) => id)
const endedByClientOrderId = Records.indexBy(({ clientOrderId }: Order) => clientOrderId)
/** Finds a market's closed orders in a list. */
export const endedByMarket = Records.indexBy(({ market }: Order) => market)
const endedByFilled = Records.indexBy(isFilled)
const endedInPart = Records.indexBy((order: Order) => !isFilled(order) && order.dealStock > 0n)

/** The shortest indexed list of closed orders that includes all matches of a request. */
const endedOrders = (
  { account, state }: Context,
  { clientOrderId, market, orderId, status = "ALL" }: OrderHistory.Request
): ReadonlyArray<Order> => {
  const all = state.endedOrders.get(account) ?? []
  if (orderId !== undefined) return endedById(all, orderId)
  if (clientOrderId !== undefined) return endedByClientOrderId(all, clientOrderId)
  return Records.shortest(
    all,
    market !== undefined && endedByMarket(all, market),
    status !== "ALL" && endedByFilled(all, status === "FILLED"),
    status === "PARTIAL_FILLED" && endedInPart(all, true)
  )
}

/**
 * Returns a predicate for closed orders: whether an order has the status that the request asks for. The status is
 * ignored if the request asks for an order id or a client order id.
 */
const hasStatus = ({ clientOrderId, orderId, status = "ALL" }: OrderHistory.Request) => (order: Order): boolean => {
  if (orderId !== undefined || clientOrderId !== undefined) return true
  return {
    ALL: true,
    FILLED: isFilled(order),
    CANCELED: !isFilled(order),
    PARTIAL_FILLED: !isFilled(order) && order.dealStock > 0n
  }[status]
}

/**
 * The field that the exchange names when it refuses a search for an unknown client order id. A search for an unknown
 * exchange order id is not refused, but returns an empty list.
 */
const notFound: Violations = [["orderHistory", { kind: "ended" }]]

/** Whether the account has an open or closed order with this client order id. */
const hasOrder = (context: Context, clientOrderId: ClientOrderId): boolean =>
  endedOrders(context, { clientOrderId }).length > 0 ||
  !Iterator.from(openOrders(context, { clientOrderId })).next().done

/** The maximum length of an order history's period, in seconds. */
const maxPeriod = 31 * 86_400

/** Returns the time a number of months before another, in Unix seconds. */
const monthsBefore = (now: UnixSeconds, months: number): number =>
  DateTime.toEpochMillis(DateTime.subtract(DateTime.makeUnsafe(now * 1000), { months })) / 1000

/**
 * Checks that an order history's period is not longer than 31 days, and starts no earlier than six months ago, at
 * midnight UTC. The period's end is the current time if the request has no end, or a later one. The current time is the
 * earlier of the venue's time and the time that callers see, so that a period is accepted if either clock permits it.
 * The documentation describes these limits, but not the message of the refusal.
 */
const period = ({ clientOrderId, endDate, orderId, startDate }: OrderHistory.Request, context: Context): Violations => {
  // The exchange ignores the period if the request asks for a single order.
  if (startDate === undefined || orderId !== undefined || clientOrderId !== undefined) return []
  const now = MarketFigures.seconds(Math.min(context.at, context.serverTime))
  const floor = Math.floor(monthsBefore(now, 6) / 86_400) * 86_400
  const min = Math.max(floor, Math.min(endDate ?? now, now) - maxPeriod)
  return startDate < min ? [["startDate", { kind: "min", min }]] : []
}

/**
 * The start of an order history's period, in Unix seconds. If the request has no start, the live exchange lists the
 * orders of one month; the document states no limit.
 */
const startOf = ({ startDate }: OrderHistory.Request, context: Context): number =>
  startDate ??
    (context.state.policy.furtherLimits === "enforced" ? monthsBefore(MarketFigures.seconds(context.at), 1) : 0)

/** Finds a market's fills in a list. */
export const fillsByMarket = Records.indexBy(({ order }: Fill) => order.market)
const fillsByClientOrderId = Records.indexBy(({ order }: Fill) => order.clientOrderId)

/** The handlers for orders and fills. */
export const trading = group({
  CollateralOcoOrders: {
    operation: (request) => ({ _tag: "PlaceOco", ...request }),
    reply: "OcoPlaced",
    answer: ({ oco }, context) => OrderAnswers.newOcoOrder(oco, context),
    refusals: { notMaker: "takeProfitNotMaker" }
  },
  StopLimitOrders: {
    // An order without a price takes the best price when it is triggered. Until then, funds are locked at its
    // activation price.
    operation: (request) => ({
      ...request,
      _tag: "PlaceStopLimit",
      price: request.price ?? request.activationPrice
    }),
    reply: "StopPlaced",
    answer: ({ order }, context) => OrderAnswers.stopOrder(order, context)
  },
  LimitOrders: {
    operation: (request) => ({ _tag: "PlaceLimit", ...request, collateral: false }),
    reply: "OrderPlaced",
    answer: ({ order }, context) => OrderAnswers.order(order, context)
  },
  MarketOrders: {
    operation: (request) => ({
      ...request,
      _tag: "PlaceMarket",
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
    operation: (request) => ({
      _tag: "PlaceMarket",
      ...request,
      collateral: true,
      quoteAmount: false
    }),
    reply: "OrderPlaced",
    answer: ({ order }, context) => OrderAnswers.order(order, context)
  },
  CancelOrder: {
    operation: (request) => ({ ...request, _tag: "Cancel" }),
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
    answer: (request, context) =>
      Page.make(
        request,
        ActiveOrders.defaultLimit,
        Iterator.from(openOrders(context, request)).filter(isSelected(request)),
        (order) => OrderAnswers.order(order, context)
      ).records
  },
  OrderHistory: {
    check: (request, context) => {
      const { clientOrderId, orderId } = request
      const isFound = clientOrderId === undefined || orderId !== undefined ||
        endedOrders(context, { clientOrderId }).length > 0
      return [...KnownMarket.check(request, context), ...isFound ? [] : notFound, ...period(request, context)]
    },
    answer: ({ clientOrderId, ...others }, context) => {
      // The exchange order id takes precedence over the client order id.
      const request = {
        ...others,
        ...clientOrderId === undefined || others.orderId !== undefined ? {} : { clientOrderId }
      }
      const isList = request.orderId === undefined && request.clientOrderId === undefined
      const times = { ...request, startDate: startOf(request, context) }
      const ended = Records.latest(endedOrders(context, request), ({ changedAt }) => changedAt, isList ? times : {})
      return Page.make(
        request,
        OrderHistory.defaultLimit,
        ended.filter(isSelected(request)).filter(hasStatus(request)),
        (order) => OrderAnswers.endedOrder(order, context)
      ).records
    }
  },
  Fills: {
    check: (request, context) => {
      const { clientOrderId } = request
      const isFound = clientOrderId === undefined || hasOrder(context, clientOrderId)
      return [...KnownMarket.check(request, context), ...isFound ? [] : notFound]
    },
    answer: (request, context) => {
      const { clientOrderId, market } = request
      const all = context.state.fills.get(context.account) ?? []
      const fills = Records.shortest(
        all,
        market !== undefined && fillsByMarket(all, market),
        clientOrderId !== undefined && fillsByClientOrderId(all, clientOrderId)
      )
      return Page.make(
        request,
        Fills.defaultLimit,
        Records.latest(fills, ({ at }) => at, request).filter(({ order }) =>
          (market === undefined || order.market === market) &&
          (clientOrderId === undefined || order.clientOrderId === clientOrderId)
        ),
        (fill) => OrderAnswers.fill(fill, context, market === undefined)
      ).records
    }
  },
  UnexecutedOcoOrders: {
    check: KnownMarket.checkListed,
    answer: ({ market, ...page }, context) =>
      Page.make(
        page,
        UnexecutedOcoOrders.defaultLimit,
        context.state.ocoOrders.latest(context.account, market),
        (oco) => OrderAnswers.ocoOrder(oco, context)
      ).records
  }
})
