/** Sandboxes with one fault in an account's private streams. */
import { answering, type Fault, type Frame, pushing, receiving, resulting, sending } from "./Frames.ts"
import { type Fields, fields, half, list, stream, type StreamMutant, success } from "./Streams.ts"

// -----------------------------------------------------------------------------
// Access control
// -----------------------------------------------------------------------------

const codeOf = ({ error }: Frame): unknown => error === null || error === undefined ? undefined : fields(error)["code"]

/** Responds to private requests on connections that are not authorized. */
const open: Fault = answering(
  (method) => /^(?:balance|orders|deals|positions)/u.test(method),
  (answer) => codeOf(answer) === 6 ? { ...answer, error: null, result: success } : answer
)

/** Authorizes every connection with the first connection's token. */
const shared: Fault = () => {
  let token: unknown
  const waiting = new Set<(frame: Frame) => void>()
  const id = 900_000_000
  return ({ send }) => {
    const join = (token: unknown) => send({ id, method: "authorize", params: [token, "public"] })
    if (token === undefined) waiting.add(join)
    else join(token)
    return {
      sent: (frame) => {
        if (frame.method === "authorize" && token === undefined) {
          token = list(frame.params)[0]
          for (const other of waiting) if (other !== join) other(token as Frame)
        }
        return [frame]
      },
      received: (frame) => frame.id === id ? [] : [frame]
    }
  }
}

const access: ReadonlyArray<StreamMutant> = [
  stream(
    "token-refused",
    "valid tokens are refused",
    ["streams.authorize.accepted"],
    answering("authorize", (answer) => ({
      ...answer,
      result: null,
      error: { code: 11, message: "unauthorized" }
    }))
  ),
  stream(
    "token-useless",
    "a valid token is acknowledged, but does not authorize",
    ["streams.authorize.accepted"],
    sending(
      (frame) => frame.method === "authorize" ? { ...frame, params: ["nothing"] } : frame
    )
  ),
  stream(
    "token-any",
    "every token is acknowledged",
    ["streams.authorize.wrong"],
    answering("authorize", (answer) => ({
      ...answer,
      error: null,
      result: success
    }))
  ),
  stream(
    "token-code",
    "a wrong token is refused with code 6",
    ["streams.authorize.wrong"],
    answering(
      "authorize",
      (answer) =>
        codeOf(answer) === undefined ? answer : { ...answer, error: { code: 6, message: "require authentication" } }
    )
  ),
  stream("open", "private requests need no authorization", ["streams.private", "streams.authorize.wrong"], open),
  stream(
    "open-code",
    "private requests without authorization are refused with code 4",
    ["streams.private"],
    answering(
      () => true,
      (answer) => codeOf(answer) === 6 ? { ...answer, error: { code: 4, message: "method not found" } } : answer
    )
  ),
  stream(
    "open-one",
    "the request for positions needs no authorization",
    ["streams.private"],
    answering(
      "positionsMargin_subscribe",
      (answer) => codeOf(answer) === 6 ? { ...answer, error: null, result: success } : answer
    )
  ),
  stream("shared", "a token authorizes all connections", ["streams.authorize.connection"], shared)
]

/** Returns the markets in the parameters of a private subscription. */
const marketsOf = (frame: Frame): ReadonlyArray<unknown> =>
  frame.method === "ordersPending_subscribe" ? list(frame.params) : list(list(frame.params)[0])

/** Adds the markets of earlier subscriptions to each subscription to a channel. */
const merging = (channel: string): Fault => () => () => {
  const markets = new Set<unknown>()
  return {
    sent: (frame) => {
      if (frame.method !== `${channel}_subscribe`) return [frame]
      for (const market of marketsOf(frame)) markets.add(market)
      const all = [...markets]
      return [{ ...frame, params: channel === "ordersPending" ? all : list(frame.params).with(0, all) }]
    }
  }
}

const subscriptions: ReadonlyArray<StreamMutant> = [
  ...["ordersPending", "ordersExecuted", "deals"].map((channel) =>
    stream(
      `merges-${channel}`,
      `a subscription to ${channel} adds its markets to earlier ones`,
      ["streams.private.markets"],
      merging(channel)
    )
  ),
  ...["ordersPending", "ordersExecuted", "deals", "balanceSpot"].map((channel) =>
    stream(
      `keeps-${channel}`,
      `unsubscribing from ${channel} has no effect`,
      ["streams.private.unsubscribe"],
      () => () => {
        const asked = new Set<unknown>()
        return {
          sent: (frame) => {
            if (frame.method !== `${channel}_unsubscribe`) return [frame]
            asked.add(frame.id)
            return [{ ...frame, method: "ping", params: [] }]
          },
          received: (frame) => [asked.has(frame.id) ? { ...frame, result: success } : frame]
        }
      }
    )
  )
]

// -----------------------------------------------------------------------------
// Orders
// -----------------------------------------------------------------------------

/** Changes order events, or drops the event if the result is `undefined`. */
const orders = (
  change: (event: unknown, order: Fields) => readonly [event: unknown, order: Fields] | undefined
): Fault => pushing("ordersPending", ([event, order]) => change(event, fields(order)))

/** Changes a field of the pushed orders. */
const order = (key: string, change: (value: unknown, order: Fields) => unknown): Fault =>
  orders((event, order) => [event, Object.hasOwn(order, key) ? { ...order, [key]: change(order[key], order) } : order])

/** Doubles a decimal. */
const twice = (value: unknown): string => String(Number(value) * 2)

const created = ["streams.orders.created"]
const filled = ["streams.orders.filled"]

const pending: ReadonlyArray<StreamMutant> = [
  stream(
    "created-event",
    "a new order has event 2",
    created,
    orders((event, order) => [event === 1 ? 2 : event, order])
  ),
  stream(
    "created-lost",
    "new orders are not pushed",
    created,
    orders((event, order) => event === 1 ? undefined : [event, order])
  ),
  stream(
    "created-twice",
    "new orders are pushed twice",
    created,
    receiving(() => (frame) =>
      frame.method === "ordersPending_update" && list(frame.params)[0] === 1 ? [frame, frame] : frame
    )
  ),
  stream("order-id", "the id of an order is a string", created, order("id", String)),
  stream("order-side", "the sides of orders are swapped", created, order("side", (side) => 3 - Number(side))),
  stream("order-type", "all orders have type 1", created, order("type", () => 1)),
  stream("order-price", "the price of an order is a number", created, order("price", Number)),
  stream("order-amount", "the amount of an order is doubled", created, order("amount", twice)),
  stream("order-left", "a new order shows nothing left", created, order("left", () => "0")),
  stream(
    "order-time",
    "the ctime of an order is in milliseconds",
    created,
    order("ctime", (time) => Number(time) * 1000)
  ),
  stream(
    "order-trigger",
    "the activation price of an order is its price",
    created,
    order("activation_price", (_price, { price }) => price)
  ),
  stream("order-status", "the status of a new order is FILLED", created, order("status", () => "FILLED")),
  stream(
    "canceled-event",
    "a canceled order has event 2",
    ["streams.orders.canceled", "streams.orders.withdrawn"],
    orders((event, order) => [
      event === 3 ? 2 : event,
      order
    ])
  ),
  stream(
    "canceled-status",
    "the status of a canceled order is FILLED",
    ["streams.orders.canceled"],
    orders((event, order) => [
      event,
      order["status"] === "CANCELED" ? { ...order, status: "FILLED" } : order
    ])
  ),
  stream(
    "canceled-name",
    "a canceled order lacks its client order id",
    ["streams.orders.canceled"],
    orders((event, order) => [
      event,
      event === 3 ? { ...order, client_order_id: "" } : order
    ])
  ),
  stream(
    "canceled-all-lost",
    "the end of a stop order that is canceled together with others is not pushed",
    ["streams.orders.canceled.all"],
    orders((event, order) => event === 3 && order["type"] === 3 ? undefined : [event, order])
  ),
  stream(
    "canceled-all-open",
    "orders that are canceled together keep their status",
    ["streams.orders.canceled.all"],
    orders((event, order) => [event, order["status"] === "CANCELED" ? { ...order, status: "OPEN" } : order])
  ),
  stream(
    "legs-new-lost",
    "the stop-loss of a new OCO order is not pushed",
    ["streams.orders.legs"],
    orders((event, order) => event === 1 && order["type"] === 9 ? undefined : [event, order])
  ),
  stream(
    "legs-end-filled",
    "both legs of an executed OCO order are pushed as filled",
    ["streams.orders.legs"],
    orders((event, order) => [event, order["status"] === "CANCELED" ? { ...order, status: "FILLED" } : order])
  ),
  stream(
    "filled-lost",
    "a partial fill is not pushed",
    filled,
    orders((event, order) => event === 2 ? undefined : [event, order])
  ),
  stream("filled-stock", "deal_stock of an order is halved", filled, order("deal_stock", half)),
  stream(
    "filled-money",
    "deal_money of an order is deal_stock",
    filled,
    order("deal_money", (_money, order) => order["deal_stock"])
  ),
  stream("filled-left", "left of a filled order is its amount", filled, order("left", (_left, { amount }) => amount)),
  stream(
    "filled-open",
    "a filled order has event 2",
    filled,
    orders((event, order) => [
      event === 3 && order["status"] === "FILLED" ? 2 : event,
      order
    ])
  ),
  stream(
    "instant",
    "an immediately filled order is first pushed as new",
    ["streams.orders.instant"],
    receiving(() => {
      const known = new Set<unknown>()
      return (frame) => {
        if (frame.method !== "ordersPending_update") return frame
        const [event, order] = list(frame.params)
        const { id } = fields(order)
        if (event !== 3 || known.has(id)) {
          known.add(id)
          return frame
        }
        return [{ ...frame, params: [1, order] }, frame]
      }
    })
  ),
  stream(
    "instant-lost",
    "an immediately filled order is not pushed",
    ["streams.orders.instant"],
    receiving(() => {
      const known = new Set<unknown>()
      return (frame) => {
        if (frame.method !== "ordersPending_update") return frame
        const { id } = fields(list(frame.params)[1])
        if (list(frame.params)[0] !== 3) known.add(id)
        return known.has(id) ? frame : undefined
      }
    })
  ),
  stream(
    "modified-order",
    "the new order is pushed before the old order is closed",
    ["streams.orders.modified"],
    receiving(() => {
      let held: Frame | undefined
      return (frame) => {
        if (frame.method !== "ordersPending_update") return frame
        const [event] = list(frame.params)
        if (event === 3) {
          held = frame
          return undefined
        }
        const all = held === undefined ? frame : [frame, held]
        held = undefined
        return all
      }
    })
  ),
  stream(
    "modified-changed",
    "a modified order has event 2 and its new id",
    ["streams.orders.modified"],
    receiving(() => {
      let isModified = false
      return (frame) => {
        if (frame.method !== "ordersPending_update") return frame
        const [event, order] = list(frame.params)
        if (event === 3) {
          isModified = true
          return undefined
        }
        return { ...frame, params: [isModified ? 2 : event, order] }
      }
    })
  ),
  stream(
    "activated-lost",
    "an activated order is not pushed",
    ["streams.orders.activated"],
    orders((event, order) => order["activated"] === 1 ? undefined : [event, order])
  ),
  stream(
    "activated-event",
    "an activated order has event 2",
    ["streams.orders.activated"],
    orders((event, order) => [
      order["activated"] === 1 && event === 1 ? 2 : event,
      order
    ])
  ),
  stream(
    "activated-flag",
    "an activated order has activated 0",
    ["streams.orders.activated"],
    order("activated", () => 0)
  ),
  stream(
    "activated-type",
    "an activated order is a limit order",
    ["streams.orders.activated"],
    orders((event, order) => [
      event,
      order["activated"] === 1 ? { ...order, type: 1 } : order
    ])
  ),
  stream(
    "order-margin",
    "margin orders have the types of spot orders",
    created,
    order("type", (type) => Number(type) === 7 ? 1 : type)
  ),
  stream("order-post", "no order is post-only", created, order("post_only", () => false)),
  stream("order-name", "a new order lacks its client order id", created, order("client_order_id", () => "")),
  stream("order-stp", "the stp of an order is always no", created, order("stp", () => "no")),
  stream(
    "order-side-text",
    "the side of an order is a word",
    created,
    order("side", (side) => side === 1 ? "sell" : "buy")
  ),
  stream("order-changed", "the mtime of an order is zero", created, order("mtime", () => 0)),
  stream("filled-fee", "the fee of an order is zero", filled, order("deal_fee", () => "0")),
  stream(
    "instant-type",
    "a market order has the type of a limit order",
    ["streams.orders.instant"],
    order("type", (type) => Number(type) > 200 ? 1 : type)
  ),
  stream(
    "orders-elsewhere",
    "the total of requested orders is one too high",
    ["streams.orders.request"],
    resulting("ordersPending_request", (page) => ({ ...fields(page), total: Number(fields(page)["total"]) + 1 }))
  ),
  stream(
    "orders-offset",
    "the request for orders ignores its offset",
    ["streams.orders.request"],
    answering(
      "ordersPending_request",
      (answer) => ({ ...answer, result: { ...fields(answer.result), offset: 0 } })
    )
  ),
  stream(
    "orders-total",
    "the total of requested orders counts only the page",
    ["streams.orders.request"],
    resulting(
      "ordersPending_request",
      (page) => ({ ...fields(page), total: list(fields(page)["records"]).length })
    )
  ),
  stream(
    "orders-first",
    "each page of orders begins with the first order",
    ["streams.orders.request"],
    sending((frame) =>
      frame.method === "ordersPending_request" ? { ...frame, params: list(frame.params).with(1, 0) } : frame
    )
  ),
  stream(
    "orders-waiting",
    "the request for orders leaves out waiting stop orders",
    ["streams.orders.request"],
    resulting("ordersPending_request", (page) => {
      const all = list(fields(page)["records"]).map(fields)
      const active = all.filter(({ activated }) => activated !== 0)
      const total = Number(fields(page)["total"]) - (all.length - active.length)
      return { ...fields(page), total, records: active }
    })
  ),
  stream(
    "orders-price",
    "the prices of requested orders are halved",
    ["streams.orders.request"],
    resulting(
      "ordersPending_request",
      (page) => ({
        ...fields(page),
        records: list(fields(page)["records"]).map((order) => ({
          ...fields(order),
          price: half(fields(order)["price"])
        }))
      })
    )
  )
]

// -----------------------------------------------------------------------------
// Deals and executed orders
// -----------------------------------------------------------------------------

/** Changes one element of the pushed deals. */
const deal = (at: number, change: (value: unknown, deal: ReadonlyArray<unknown>) => unknown): Fault =>
  pushing("deals", (deal) => deal.with(at, change(deal[at], deal)))

/** Changes the records in the response to a request. */
const records = (method: string, change: (records: ReadonlyArray<Fields>) => ReadonlyArray<unknown>): Fault =>
  resulting(method, (page) => ({ ...fields(page), records: change(list(fields(page)["records"]).map(fields)) }))

const pushedDeals = ["streams.deals.pushed"]

const fills: ReadonlyArray<StreamMutant> = [
  stream(
    "deal-margin",
    "deals of margin orders are not pushed",
    pushedDeals,
    () => () => {
      const margin = new Set<unknown>()
      return {
        received: (frame) => {
          if (frame.method === "deals_update") {
            // The fees of margin deals are in the quote currency, even for a buy.
            const [, , , id, , , , , side, , asset] = list(frame.params)
            if (side === 2 && asset === "USDT") margin.add(id)
            return margin.has(id) ? [] : [frame]
          }
          return [frame]
        }
      }
    }
  ),
  stream(
    "deal-lost",
    "deals of the maker are not pushed",
    pushedDeals,
    pushing("deals", (deal) => deal[9] === 1 ? undefined : deal)
  ),
  stream(
    "deal-twice",
    "deals are pushed twice",
    pushedDeals,
    receiving(() => (frame) => frame.method === "deals_update" ? [frame, frame] : frame)
  ),
  stream(
    "deals-once",
    "only the first deal of an order is pushed",
    ["streams.deals.each"],
    receiving(() => {
      const seen = new Set<unknown>()
      return (frame) => {
        if (frame.method !== "deals_update") return frame
        const { 3: order } = list(frame.params)
        if (seen.has(order)) return undefined
        seen.add(order)
        return frame
      }
    })
  ),
  stream("deal-id", "the ids of deals are off by one", pushedDeals, deal(0, (id) => Number(id) + 1)),
  stream(
    "deal-time",
    "the time of a deal is in whole seconds",
    pushedDeals,
    deal(1, (time) => Math.floor(Number(time)))
  ),
  stream("deal-order", "a deal shows the trade's id as its order id", pushedDeals, deal(3, (_order, [id]) => id)),
  stream("deal-price", "a deal shows its amount as its price", pushedDeals, deal(4, (_price, { 5: amount }) => amount)),
  stream("deal-fee", "the fee of a deal is doubled", pushedDeals, deal(6, twice)),
  stream("deal-name", "the client order id of a deal is missing", pushedDeals, deal(7, () => "")),
  stream(
    "deal-side",
    "the side of a deal is that of the counterparty",
    pushedDeals,
    deal(8, (side) => 3 - Number(side))
  ),
  stream("deal-role", "all deals show the taker role", pushedDeals, deal(9, () => 2)),
  stream("deal-asset", "the fee of a deal is in another asset", pushedDeals, deal(10, () => "ETH")),
  stream(
    "deals-all",
    "a subscription to the deals of all markets gets none",
    pushedDeals,
    sending((frame) =>
      frame.method === "deals_subscribe" && list(list(frame.params)[0]).length === 0
        ? { ...frame, params: [["ETH_USDT"]] }
        : frame
    )
  ),
  stream(
    "deals-offset",
    "the request for deals ignores its offset",
    ["streams.deals.request"],
    sending((frame) => frame.method === "deals_request" ? { ...frame, params: list(frame.params).with(1, 0) } : frame)
  ),
  stream(
    "deals-limit",
    "the response to the request for deals lacks one record",
    ["streams.deals.request"],
    records(
      "deals_request",
      (all) => all.slice(1)
    )
  ),
  stream(
    "deals-total",
    "the total of a deal is its amount",
    ["streams.deals.request"],
    records("deals_request", (all) => all.map((deal) => ({ ...deal, deal: deal["amount"] })))
  ),
  stream(
    "deals-side",
    "the sides of requested deals are swapped",
    ["streams.deals.request"],
    records("deals_request", (all) => all.map((deal) => ({ ...deal, side: 3 - Number(deal["side"]) })))
  ),
  stream(
    "executed-lost",
    "orders of the taker are not pushed as executed",
    ["streams.executed.pushed"],
    pushing(
      "ordersExecuted",
      ([order]) => fields(order)["side"] === 2 ? undefined : [order]
    )
  ),
  stream(
    "executed-twice",
    "executed orders are pushed twice",
    ["streams.executed.pushed"],
    receiving(() => (frame) => frame.method === "ordersExecuted_update" ? [frame, frame] : frame)
  ),
  stream(
    "executed-canceled",
    "an order of another account is pushed as executed",
    ["streams.executed.pushed"],
    answering("ordersExecuted_subscribe", (answer) => [
      answer,
      { id: null, method: "ordersExecuted_update", params: [{ id: 1, type: 1, side: 1, status: "CANCELED" }] }
    ])
  ),
  stream(
    "executed-open",
    "the status of an executed order is OPEN",
    ["streams.executed.pushed"],
    pushing("ordersExecuted", ([order]) => [{ ...fields(order), status: "OPEN" }])
  ),
  stream(
    "deals-counterparty",
    "a deal shows the account's own order id as the counterparty's",
    ["streams.deals.request"],
    records("deals_request", (all) => all.map((deal) => ({ ...deal, deal_order_id: deal["order_id"] })))
  ),
  stream(
    "executed-flat",
    "an executed order is pushed without the enclosing list",
    ["streams.executed.pushed"],
    receiving(() => (frame) =>
      frame.method === "ordersExecuted_update" ? { ...frame, params: list(frame.params)[0] } : frame
    )
  ),
  stream(
    "executed-stock",
    "deal_stock of an executed order is halved",
    ["streams.executed.pushed"],
    pushing(
      "ordersExecuted",
      ([order]) => [{ ...fields(order), deal_stock: half(fields(order)["deal_stock"]) }]
    )
  ),
  stream(
    "executed-filter",
    "the filter of executed orders is ignored",
    ["streams.executed.filter"],
    sending((frame) =>
      frame.method === "ordersExecuted_subscribe" ? { ...frame, params: list(frame.params).with(1, 0) } : frame
    )
  ),
  stream(
    "executed-filter-2",
    "filter 2 of executed orders is treated as filter 1",
    ["streams.executed.filter"],
    sending((frame) =>
      frame.method === "ordersExecuted_subscribe" ? { ...frame, params: list(frame.params).with(1, 1) } : frame
    )
  ),
  stream(
    "executed-types",
    "the request for executed orders ignores the types",
    ["streams.executed.request"],
    sending((frame) =>
      frame.method === "ordersExecuted_request"
        ? { ...frame, params: list(frame.params).with(0, { ...fields(list(frame.params)[0]), order_types: [1, 2] }) }
        : frame
    )
  ),
  stream(
    "executed-money",
    "deal_money of requested orders is halved",
    ["streams.executed.request"],
    records(
      "ordersExecuted_request",
      (all) => all.map((order) => ({ ...order, deal_money: half(order["deal_money"]) }))
    )
  )
]

// -----------------------------------------------------------------------------
// Balances and positions
// -----------------------------------------------------------------------------

/** Changes each balance in an object. */
const balances = (change: (balance: Fields) => unknown) => (all: unknown): Fields =>
  Object.fromEntries(Object.entries(fields(all)).map(([ticker, balance]) => [ticker, change(fields(balance))]))

const swapped = balances(({ available, freeze }) => ({ available: freeze, freeze: available }))

/** Changes the list of pushed positions. */
const positions = (change: (whole: Fields) => unknown): Fault =>
  receiving(() => (frame) =>
    frame.method === "positionsMargin_update" ? { ...frame, params: change(fields(frame.params)) } : frame
  )

/** Changes each pushed position. */
const position = (change: (position: Fields) => Fields): Fault =>
  positions((whole) => ({ ...whole, records: list(whole["records"]).map((one) => change(fields(one))) }))

const wallets: ReadonlyArray<StreamMutant> = [
  stream(
    "balances-swapped",
    "available and freeze of requested balances are swapped",
    ["streams.balances.request"],
    resulting(
      "balanceSpot_request",
      swapped
    )
  ),
  stream(
    "balances-number",
    "the amounts of requested balances are numbers",
    ["streams.balances.request"],
    resulting(
      "balanceSpot_request",
      balances(({ available, freeze }) => ({ available: Number(available), freeze }))
    )
  ),
  stream(
    "balances-all",
    "the request for balances ignores the assets",
    ["streams.balances.request"],
    sending((frame) => frame.method === "balanceSpot_request" ? { ...frame, params: [] } : frame)
  ),
  stream(
    "balances-one",
    "the request for all balances returns only one",
    ["streams.balances.request"],
    sending((frame) =>
      frame.method === "balanceSpot_request" && list(frame.params).length !== 1 ? { ...frame, params: ["BTC"] } : frame
    )
  ),
  stream(
    "balances-pushed",
    "available and freeze of pushed balances are swapped",
    ["streams.balances.pushed"],
    pushing(
      "balanceSpot",
      (all) => all.map(swapped)
    )
  ),
  stream(
    "balances-changes",
    "a pushed balance is the difference from the previous balance",
    ["streams.balances.pushed"],
    receiving(() => {
      const before: Record<string, Fields> = {}
      const change = (ticker: string, balance: Fields): Fields => {
        const { available = "0", freeze = "0" } = before[ticker] ?? {}
        before[ticker] = balance
        const less = (now: unknown, then: unknown) => String(Number(now) - Number(then))
        return { available: less(balance["available"], available), freeze: less(balance["freeze"], freeze) }
      }
      return (frame) =>
        frame.method === "balanceSpot_update"
          ? {
            ...frame,
            params: list(frame.params).map((all) =>
              Object.fromEntries(
                Object.entries(fields(all)).map(([ticker, balance]) => [ticker, change(ticker, fields(balance))])
              )
            )
          }
          : frame
    })
  ),
  stream(
    "balances-released-lost",
    "a balance is not pushed when a cancellation releases its frozen amount",
    ["streams.balances.pushed"],
    receiving(() => {
      let most = 0
      return (frame) => {
        if (frame.method !== "balanceSpot_update") return frame
        const freeze = Number(fields(fields(list(frame.params)[0])["BTC"])["freeze"] ?? most)
        if (freeze < most) return
        most = freeze
        return frame
      }
    })
  ),
  stream(
    "balances-total",
    "the available amount of pushed balances includes the frozen amount",
    ["streams.balances.pushed"],
    pushing(
      "balanceSpot",
      (all) =>
        all.map(
          balances(({ available, freeze }) => ({ available: String(Number(available) + Number(freeze)), freeze }))
        )
    )
  ),
  stream(
    "balances-mute",
    "only the first of several changed assets is pushed",
    ["streams.balances.pushed"],
    pushing("balanceSpot", (all) => all.map((one) => Object.fromEntries(Object.entries(fields(one)).slice(0, 1))))
  ),
  stream(
    "balances-assets",
    "a subscription gets the balances of all assets",
    ["streams.balances.assets"],
    sending((frame) => frame.method === "balanceSpot_subscribe" ? { ...frame, params: [] } : frame)
  ),
  stream(
    "balances-more",
    "a message contains an unchanged balance",
    ["streams.balances.changed"],
    pushing("balanceSpot", (all) => [...all, { USDT: { available: "100000000", freeze: "0" } }])
  ),
  stream(
    "margin-request",
    "requested collateral balances are doubled",
    ["streams.margin.request"],
    resulting(
      "balanceMargin_request",
      balances((balance) => ({ ...balance, balance: twice(balance["balance"]) }))
    )
  ),
  stream(
    "margin-keys",
    "requested collateral balances lack available_with_borrow",
    ["streams.margin.request"],
    resulting(
      "balanceMargin_request",
      balances(({ available_with_borrow: _available, ...balance }) => balance)
    )
  ),
  stream(
    "margin-case",
    "B and b of pushed collateral balances are swapped",
    ["streams.margin.pushed"],
    pushing(
      "balanceMargin",
      (all) => all.map(fields).map(({ b, B, ...rest }) => ({ ...rest, b: B, B: b }))
    )
  ),
  stream(
    "margin-available",
    "the available part of a pushed collateral balance includes the funds locked in orders",
    ["streams.margin.pushed"],
    pushing("balanceMargin", (all) => all.map(fields).map(({ B, ...rest }) => ({ ...rest, B, av: B, ab: B })))
  ),
  stream(
    "margin-mute",
    "collateral balances are not pushed",
    ["streams.margin.pushed"],
    pushing("balanceMargin", () => undefined)
  ),
  stream(
    "positions-total",
    "the total of positions is missing",
    ["streams.positions.whole", "streams.positions.none"],
    positions(
      ({ records }) => ({ records })
    )
  ),
  stream(
    "positions-list",
    "positions are pushed as a list",
    ["streams.positions.whole", "streams.positions.none"],
    positions(
      ({ records }) => records
    )
  ),
  stream(
    "positions-short",
    "a short position has a positive amount",
    ["streams.positions.whole"],
    position((one) => ({ ...one, amount: String(Math.abs(Number(one["amount"]))) }))
  ),
  stream(
    "positions-pnl",
    "the profit of a position is wrong",
    ["streams.positions.whole"],
    position((one) => ({ ...one, pnl: "99" }))
  ),
  stream(
    "positions-margin",
    "the margin of a position is zero",
    ["streams.positions.whole"],
    position((one) => ({ ...one, margin: "0" }))
  ),
  stream(
    "positions-sign",
    "a long position has a negative amount",
    ["streams.positions.whole"],
    position((one) => ({
      ...one,
      amount: `-${String(one["amount"])}`
    }))
  ),
  stream(
    "positions-price",
    "the base price of a position is missing",
    ["streams.positions.whole"],
    position((one) => ({
      ...one,
      base_price: "0"
    }))
  ),
  stream(
    "positions-closed",
    "a closed position is still pushed, with its last amount",
    ["streams.positions.whole"],
    receiving(() => {
      let last: Frame | undefined
      return (frame) => {
        if (frame.method !== "positionsMargin_update") return frame
        if (last !== undefined && fields(frame.params)["total"] === 0) return { ...frame, params: last.params }
        if (Number(fields(frame.params)["total"]) > 0) last = frame
        return frame
      }
    })
  ),
  stream(
    "positions-once",
    "positions are pushed only once",
    ["streams.positions.whole"],
    receiving(() => {
      let count = 0
      return (frame) => frame.method === "positionsMargin_update" && ++count > 1 ? undefined : frame
    })
  )
]

export const mutants: ReadonlyArray<StreamMutant> = [
  ...access,
  ...subscriptions,
  ...pending,
  ...fills,
  ...wallets
]
