/** Pushes an account's orders and fills. */
import * as Result from "effect/Result"
import type * as DealsChannel from "../../channels/DealsChannel.ts"
import * as ExecutedOrdersChannel from "../../channels/ExecutedOrdersChannel.ts"
import type * as PendingOrdersChannel from "../../channels/PendingOrdersChannel.ts"
import type { MarketName, OrderId } from "../../domain/Identifiers.ts"
import * as Time from "../../domain/Time.ts"
import type { Order } from "../engine/Order.ts"
import type { Fill } from "../engine/Trade.ts"
import * as OrderAnswers from "../handlers/OrderAnswers.ts"
import * as Page from "../handlers/Page.ts"
import * as Trading from "../handlers/Trading.ts"
import { anyMarketsOf } from "./MarketSources.ts"
import { type Command, type Context, group, type Outlet, type Subscription } from "./Source.ts"

const orderOf = (order: Order, context: Context) => {
  const { oto: _oto, ...answer } = OrderAnswers.order(order, context)
  return { ...answer, modifiedAt: Time.fromMicros(order.changedAt) }
}

/** The account's orders that a command has closed, in the sequence in which they closed. */
const endedBy = ({ events }: Command, { account, state }: Context): ReadonlyMap<OrderId, Order> => {
  const count = events.filter((event) => event._tag === "OrderEnded" && event.account === account).length
  return new Map(
    count === 0 ? [] : (state.endedOrders.get(account) ?? []).slice(-count).map((order) => [order.id, order])
  )
}

/**
 * The last event of each of the account's orders that a command has changed. The events are in the sequence in which
 * they happened.
 */
const eventsOf = (command: Command, { account, state }: Context): ReadonlyMap<OrderId, PendingOrdersChannel.Event> => {
  const found = new Map<OrderId, PendingOrdersChannel.Event>()
  const note = (id: OrderId, event: PendingOrdersChannel.Event): void => {
    // A new order that has already traded is still reported as new, because no message has mentioned it yet.
    const kept = event === "updated" && found.get(id) === "new" ? "new" : event
    found.delete(id)
    found.set(id, kept)
  }
  for (const event of command.events) {
    if (event._tag === "Traded") {
      for (const id of [event.taker, event.maker]) {
        if (id !== undefined && state.openOrders.get(id)?.account === account) note(id, "updated")
      }
    } else if ("order" in event && event.account === account) {
      note(event.order, event._tag === "OrderEnded" ? "finished" : "new")
    }
  }
  return found
}

const pushPending = (
  outlet: Outlet<PendingOrdersChannel.OrderEvent>
): Subscription<{ readonly market: MarketName }> => {
  let markets: ReadonlySet<MarketName> = new Set()
  return {
    listen: (topics) => {
      markets = new Set(topics.map(({ market }) => market))
    },
    applied: (command) => {
      const context = outlet.context()
      const events = eventsOf(command, context)
      if (events.size === 0) return
      const ended = endedBy(command, context)
      for (const [id, event] of events) {
        const order = context.state.openOrders.get(id) ?? ended.get(id)
        if (order !== undefined && markets.has(order.market)) outlet.push({ event, order: orderOf(order, context) })
      }
    }
  }
}

/** Whether an order was executed, either completely or partially before it was canceled. */
const isExecuted = ({ dealStock }: Order): boolean => dealStock > 0n

const { about } = ExecutedOrdersChannel.channel

const pushExecuted = (
  outlet: Outlet<ExecutedOrdersChannel.ExecutedOrder>
): Subscription<ExecutedOrdersChannel.Topic> => {
  let topics: ReadonlyArray<ExecutedOrdersChannel.Topic> = []
  return {
    listen: (all) => {
      topics = all
    },
    applied: (command) => {
      const context = outlet.context()
      for (const order of endedBy(command, context).values()) {
        if (!isExecuted(order)) continue
        const message = orderOf(order, context)
        if (topics.some((topic) => about(topic, message) !== undefined)) outlet.push(message)
      }
    }
  }
}

const executedAnswer = (order: Order, context: Context): ExecutedOrdersChannel.ExecutedOrder => {
  const { makerFee: _maker, takerFee: _taker, ...answer } = OrderAnswers.endedOrder(order, context)
  return { ...answer, source: "api" }
}

const isOfType = ({ kind, type }: Order, types: ReadonlyArray<ExecutedOrdersChannel.ListedType>): boolean => {
  const named: string = kind === "spot" ? type : `margin ${type === "stock market" ? "market" : type}`
  return types.some((type) => type === named)
}

const latestFirst = function*<A>(list: ReadonlyArray<A>): Generator<A, undefined> {
  for (let index = list.length - 1; index >= 0; index--) {
    const found = list[index]
    if (found !== undefined) yield found
  }
}

const dealOf = (fill: Fill, context: Context): DealsChannel.Deal => {
  const { total: _total, ...answer } = OrderAnswers.fill(fill, context, false)
  return { ...answer, market: fill.order.market }
}

const pastDealOf = (fill: Fill, context: Context): DealsChannel.PastDeal => ({
  ...OrderAnswers.fill(fill, context, false),
  market: fill.order.market,
  counterpartyOrderId: OrderAnswers.deal(fill, context).counterpartyOrderId
})

const pushDeals = (outlet: Outlet<DealsChannel.Deal>): Subscription<{ readonly market?: MarketName }> => {
  let markets: ReadonlySet<MarketName> = new Set()
  const fills = () => {
    const { account, state } = outlet.context()
    return state.fills.get(account) ?? []
  }
  /** The number of fills that precede the subscription or have been pushed. */
  let known = fills().length
  return {
    listen: (topics) => {
      markets = anyMarketsOf(topics, outlet.context())
    },
    applied: () => {
      const all = fills()
      if (all.length === known) return
      const context = outlet.context()
      for (const fill of all.slice(known)) {
        if (markets.has(fill.order.market)) outlet.push(dealOf(fill, context))
      }
      known = all.length
    }
  }
}

/** The sources for orders and fills. */
export const orderSources = group({
  PendingOrdersChannel: {
    open: pushPending,
    queries: {
      page: ({ market, ...page }, context) => {
        const { account, state: { openOrders } } = context
        return Result.succeed({
          ...Page.make(page, page.limit, openOrders.latest(account, market), (order) => orderOf(order, context)),
          total: openOrders.countOf(account, market)
        })
      }
    }
  },
  ExecutedOrdersChannel: {
    open: pushExecuted,
    queries: {
      page: ({ market, types, ...page }, context) => {
        const ended = Trading.endedByMarket(context.state.endedOrders.get(context.account) ?? [], market)
        const executed = latestFirst(ended).filter((order) => isExecuted(order) && isOfType(order, types))
        return Result.succeed(Page.make(page, page.limit, executed, (order) => executedAnswer(order, context)))
      }
    }
  },
  DealsChannel: {
    open: pushDeals,
    queries: {
      page: ({ market, ...page }, context) => {
        const fills = Trading.fillsByMarket(context.state.fills.get(context.account) ?? [], market)
        return Result.succeed(Page.make(page, page.limit, latestFirst(fills), (fill) => pastDealOf(fill, context)))
      }
    }
  }
})
