/** Sandboxes whose streams have one fault that shows only after several steps, on a second market, or on another day. */
import { answering, type Fault, type Frame, pushing, receiving, resulting, sending } from "./Frames.ts"
import { type Fields, fields, list, stream, type StreamMutant, success } from "./Streams.ts"

/** Changes the list in each message of a channel that always pushes everything. */
const wholes = (channel: string, change: (records: ReadonlyArray<Fields>) => ReadonlyArray<Fields>): Fault =>
  receiving(() => (frame) => {
    if (frame.method !== `${channel}_update`) return frame
    const records = change(list(fields(frame.params)["records"]).map(fields))
    return { ...frame, params: { total: records.length, records } }
  })

/** Changes each record in the messages of such a channel. */
const each = (channel: string, change: (record: Fields) => Fields): Fault =>
  wholes(channel, (records) => records.map(change))

/** Replaces one key of each record. */
const every = (channel: string, key: string, change: (value: unknown) => unknown): Fault =>
  each(channel, (record) => ({ ...record, [key]: change(record[key]) }))

/** Changes order events, or drops an event if the result is `undefined`. */
const orders = (
  change: (event: unknown, order: Fields) => readonly [event: unknown, order: Fields] | undefined
): Fault => pushing("ordersPending", ([event, order]) => change(event, fields(order)))

/** Keeps the first value of a field that each order had in the connection's events. */
const keepingFirst = (key: string): Fault =>
  receiving(() => {
    const first = new Map<unknown, unknown>()
    return (frame) => {
      if (frame.method !== "ordersPending_update") return frame
      const [event, value] = list(frame.params)
      const order = fields(value)
      if (!first.has(order["id"])) first.set(order["id"], order[key])
      return { ...frame, params: [event, { ...order, [key]: first.get(order["id"]) }] }
    }
  })

/** Changes the records of a page. */
const page = (method: string, change: (records: ReadonlyArray<Fields>) => ReadonlyArray<unknown>): Fault =>
  resulting(method, (page) => ({ ...fields(page), records: change(list(fields(page)["records"]).map(fields)) }))

/** Subscribes to the first market of a list only. */
const firstOnly = (channel: string): Fault =>
  sending((frame) => {
    if (frame.method !== `${channel}_subscribe`) return frame
    const params = list(frame.params)
    return {
      ...frame,
      params: Array.isArray(params[0]) ? params.with(0, params[0].slice(0, 1)) : params.slice(0, 1)
    }
  })

const collateral: ReadonlyArray<StreamMutant> = [
  stream(
    "steps-borrow-sign",
    "the amount of a borrow is positive",
    ["streams.borrows"],
    every("borrowsMargin", "amount", (amount) => String(Math.abs(Number(amount))))
  ),
  stream(
    "steps-borrow-asset",
    "every borrow is of USDT",
    ["streams.borrows"],
    every("borrowsMargin", "asset", () => "USDT")
  ),
  stream(
    "steps-borrow-time",
    "the ctime of a borrow is in milliseconds",
    ["streams.borrows"],
    every("borrowsMargin", "ctime", (time) => Number(time) * 1000)
  ),
  stream(
    "steps-borrow-first",
    "an increase of a borrow is not pushed",
    ["streams.borrows"],
    receiving(() => {
      let first: unknown
      return (frame) => {
        if (frame.method !== "borrowsMargin_update" || fields(frame.params)["total"] === 0) return frame
        first ??= frame.params
        return { ...frame, params: first }
      }
    })
  ),
  stream(
    "steps-borrow-kept",
    "a repaid borrow is still pushed",
    ["streams.borrows"],
    receiving(() => {
      let last: unknown
      return (frame) => {
        if (frame.method !== "borrowsMargin_update") return frame
        if (fields(frame.params)["total"] !== 0) last = frame.params
        return { ...frame, params: last ?? frame.params }
      }
    })
  ),
  stream(
    "steps-borrow-total",
    "the total of borrows is always 1",
    ["streams.borrows"],
    receiving(() => (frame) =>
      frame.method === "borrowsMargin_update" ? { ...frame, params: { ...fields(frame.params), total: 1 } } : frame
    )
  ),
  ...(["positionsAccountMargin", "borrowsAccountMargin"] as const).flatMap((channel) => {
    const rule = "streams.margin.events"
    return [
      stream(
        `steps-${channel}-swapped`,
        `the events of ${channel} are swapped`,
        [rule],
        pushing(channel, ([event, record]) => [3 - Number(event), record])
      ),
      stream(
        `steps-${channel}-call`,
        `margin calls are not pushed to ${channel}`,
        [rule],
        pushing(channel, ([event, record]) => event === 1 ? undefined : [event, record])
      ),
      stream(
        `steps-${channel}-end`,
        `liquidations are not pushed to ${channel}`,
        [rule],
        pushing(channel, ([event, record]) => event === 2 ? undefined : [event, record])
      ),
      stream(
        `steps-${channel}-twice`,
        `margin calls are pushed twice to ${channel}`,
        [rule],
        receiving(() => (frame) =>
          frame.method === `${channel}_update` && list(frame.params)[0] === 1 ? [frame, frame] : frame
        )
      )
    ]
  }),
  stream(
    "steps-event-stage",
    "the event of a margin call shows no stage",
    ["streams.margin.events"],
    pushing("positionsAccountMargin", ([event, record]) => [event, { ...fields(record), liq_stage: null }])
  ),
  stream(
    "steps-event-asset",
    "the event of a borrow shows the base currency",
    ["streams.margin.events"],
    pushing("borrowsAccountMargin", ([event, record]) => [event, { ...fields(record), asset: "BTC" }])
  ),
  ...([
    ["funding", () => "1"],
    ["unrealized_funding", () => "1"],
    ["position_side", () => "LONG"],
    ["liq_stage", () => "margin_call"],
    ["realized_pnl", () => "0"],
    ["amount_in_money", () => "0.02"],
    ["pnl", () => "0"],
    ["ctime", (value: unknown) => Number(value) * 1000]
  ] as const).map(([key, change]) =>
    stream(
      `steps-position-${key}`,
      `${key} of a position is wrong`,
      ["streams.positions.fields"],
      every("positionsMargin", key, change)
    )
  ),
  stream(
    "steps-position-mtime",
    "the mtime of a position is its ctime",
    ["streams.positions.fields"],
    each("positionsMargin", (one) => ({ ...one, mtime: one["ctime"] }))
  ),
  stream(
    "steps-position-one",
    "only one position is pushed",
    ["streams.positions.fields"],
    wholes("positionsMargin", (records) => records.slice(0, 1))
  ),
  stream(
    "steps-margin-all",
    "a subscription to collateral balances ignores its assets",
    ["streams.margin.assets"],
    sending((frame) => frame.method === "balanceMargin_subscribe" ? { ...frame, params: [] } : frame)
  ),
  stream("steps-margin-first", "the first assets of a subscription to collateral balances are kept", [
    "streams.margin.assets"
  ], () => () => {
    let first: unknown
    return {
      sent: (frame) => {
        if (frame.method !== "balanceMargin_subscribe") return [frame]
        first ??= frame.params
        return [{ ...frame, params: first }]
      }
    }
  }),
  stream(
    "steps-margin-request",
    "the request for collateral balances ignores its assets but the first",
    ["streams.margin.assets"],
    sending((frame) =>
      frame.method === "balanceMargin_request" ? { ...frame, params: list(frame.params).slice(0, 1) } : frame
    )
  ),
  ...["borrowsMargin", "positionsAccountMargin", "borrowsAccountMargin"].map((channel) =>
    stream(
      `steps-open-${channel}`,
      `${channel} needs no authorization`,
      ["streams.private"],
      answering(`${channel}_subscribe`, (answer) => ({ ...answer, error: null, result: success }))
    )
  ),
  stream(
    "steps-borrows-endless",
    "the subscription to borrows does not end",
    ["streams.collateral.unsubscribe"],
    answering("borrowsMargin_unsubscribe", (answer) => [
      answer,
      { id: null, method: "borrowsMargin_update", params: { total: 0, records: [] } }
    ])
  )
]

const steps = ["streams.orders.steps"]
const activated = ["streams.orders.activated.filled"]
const terms = ["streams.orders.request.terms"]

const orderMutants: ReadonlyArray<StreamMutant> = [
  ...["mtime", "deal_stock", "deal_money", "deal_fee", "left", "status"].map((key) =>
    stream(`steps-order-${key}`, `${key} of an order never changes`, steps, keepingFirst(key))
  ),
  stream(
    "steps-order-ctime",
    "the ctime of an order is its mtime",
    steps,
    orders((event, order) => [event, { ...order, ctime: order["mtime"] }])
  ),
  stream(
    "steps-order-money",
    "deal_money is deal_stock at the order's price",
    steps,
    orders((
      event,
      order
    ) => [event, { ...order, deal_money: String(Number(order["deal_stock"]) * Number(order["price"])) }])
  ),
  stream(
    "steps-order-modified",
    "a modified order is pushed without its fills",
    steps,
    orders((event, order) => [
      event,
      order["status"] === "CANCELED"
        ? { ...order, deal_stock: "0", deal_money: "0", left: order["amount"] ?? "0" }
        : order
    ])
  ),
  stream(
    "steps-order-named",
    "the replacement of a modified order lacks the client order id",
    steps,
    receiving(() => {
      let count = 0
      return (frame) => {
        if (frame.method !== "ordersPending_update" || list(frame.params)[0] !== 1) return frame
        return ++count > 1
          ? { ...frame, params: [1, { ...fields(list(frame.params)[1]), client_order_id: "" }] }
          : frame
      }
    })
  ),
  ...["ioc", "reduce_only"].map((key) =>
    stream(
      `steps-flag-${key}`,
      `${key} of an order is always false`,
      ["streams.orders.flags"],
      orders((event, order) => [event, { ...order, [key]: false }])
    )
  ),
  stream(
    "steps-flag-side",
    "the position_side of an order is always BOTH",
    ["streams.orders.flags"],
    orders((event, order) => [event, { ...order, position_side: "BOTH" }])
  ),
  stream(
    "steps-flag-ioc-event",
    "the end of an ioc order that is filled in part has event 2",
    ["streams.orders.flags"],
    orders((event, order) => [order["ioc"] === true ? 2 : event, order])
  ),
  stream(
    "steps-legs-lost",
    "the end of a stop-loss is not pushed",
    ["streams.orders.legs.ended"],
    orders((event, order) => event === 3 && order["type"] === 9 ? undefined : [event, order])
  ),
  stream(
    "steps-legs-time",
    "the mtime of a canceled order is its ctime",
    ["streams.orders.legs.ended"],
    orders((event, order) => [event, event === 3 ? { ...order, mtime: order["ctime"] } : order])
  ),
  stream(
    "steps-activated-type",
    "an activated order becomes a limit order with its first fill",
    activated,
    orders((event, order) => [event, Number(order["deal_stock"]) > 0 ? { ...order, type: 1 } : order])
  ),
  stream(
    "steps-activated-open",
    "the status of an activated order stays OPEN until it is filled",
    activated,
    orders((event, order) => [event, order["status"] === "PARTIALLY_FILLED" ? { ...order, status: "OPEN" } : order])
  ),
  stream(
    "steps-activated-lost",
    "fills of activated orders are not pushed",
    activated,
    orders((event, order) => order["activated"] === 1 && event === 2 ? undefined : [event, order])
  ),
  stream(
    "steps-activated-margin",
    "the activation of a margin stop order is not pushed",
    activated,
    receiving(() => {
      const seen = new Set<unknown>()
      return (frame) => {
        if (frame.method !== "ordersPending_update") return frame
        const [event, value] = list(frame.params)
        const { id, type } = fields(value)
        if (event === 1 && type === 9 && seen.has(id)) return undefined
        seen.add(id)
        return frame
      }
    })
  ),
  ...["status", "deal_stock", "deal_money", "deal_fee", "stp", "post_only", "activation_price"].map((key) =>
    stream(
      `steps-requested-${key}`,
      `requested orders show ${key} as if they were new and plain`,
      terms,
      page("ordersPending_request", (all) =>
        all.map((order) =>
          order[key] === undefined
            ? order
            : {
              ...order,
              [key]: { status: "OPEN", stp: "no", post_only: false, activation_price: order["price"] }[key] ?? "0"
            }
        ))
    )
  ),
  stream(
    "steps-requested-margin",
    "the request for open orders leaves out margin orders",
    terms,
    page("ordersPending_request", (all) => all.filter(({ type }) => type !== 7))
  ),
  stream(
    "steps-requested-again",
    "the request for open orders repeats the first order on the second page",
    terms,
    sending((frame) =>
      frame.method === "ordersPending_request"
        ? { ...frame, params: list(frame.params).with(1, Math.max(0, Number(list(frame.params)[1]) - 1)) }
        : frame
    )
  ),
  stream(
    "steps-executed-early",
    "an order is pushed as executed with its first fill",
    ["streams.executed.steps"],
    receiving(() => (frame) => {
      if (frame.method !== "ordersPending_update" || list(frame.params)[0] !== 2) return frame
      return [frame, { id: null, method: "ordersExecuted_update", params: [list(frame.params)[1]] }]
    })
  ),
  stream(
    "steps-executed-zero",
    "the filter 0 selects limit orders only",
    ["streams.executed.steps"],
    sending((frame) =>
      frame.method === "ordersExecuted_subscribe" && list(frame.params)[1] === 0
        ? { ...frame, params: list(frame.params).with(1, 1) }
        : frame
    )
  ),
  ...([["left", (order: Fields) => order["amount"]], ["mtime", (order: Fields) => order["ctime"]]] as const).map((
    [key, change]
  ) =>
    stream(
      `steps-executed-${key}`,
      `${key} of an executed order is wrong`,
      ["streams.executed.steps"],
      pushing("ordersExecuted", ([order]) => [{ ...fields(order), [key]: change(fields(order)) }])
    )
  ),
  stream(
    "steps-executed-margin",
    "margin orders are not pushed as executed",
    ["streams.executed.steps"],
    pushing("ordersExecuted", ([order]) => fields(order)["type"] === 7 ? undefined : [order])
  ),
  stream(
    "steps-request-deals",
    "the request for deals answers with the first market's deals",
    ["streams.private.several"],
    sending((frame) =>
      frame.method === "deals_request" ? { ...frame, params: list(frame.params).with(0, "BTC_USDT") } : frame
    )
  ),
  stream(
    "steps-request-executed",
    "the request for executed orders ignores its market",
    ["streams.private.several"],
    sending((frame) =>
      frame.method === "ordersExecuted_request"
        ? { ...frame, params: list(frame.params).with(0, { ...fields(list(frame.params)[0]), market: "BTC_USDT" }) }
        : frame
    )
  ),
  ...["ordersPending", "ordersExecuted", "deals"].map((channel) =>
    stream(`steps-first-${channel}`, `a subscription to ${channel} uses only its first market`, [
      "streams.private.several"
    ], firstOnly(channel))
  ),
  ...["ordersPending_request", "ordersExecuted_request", "deals_request"].map((method) =>
    stream(
      `steps-limit-${method}`,
      `${method} accepts a limit of 101`,
      ["streams.private.parameters"],
      sending((frame) =>
        frame.method === method && list(frame.params)[2] === 101
          ? { ...frame, params: list(frame.params).with(2, 100) }
          : frame
      )
    )
  ),
  ...["ordersPending", "ordersExecuted", "deals"].map((channel) =>
    stream(
      `steps-unknown-${channel}`,
      `${channel}_subscribe accepts an unknown market`,
      ["streams.private.parameters"],
      answering(`${channel}_subscribe`, (answer) => ({ ...answer, error: null, result: success }))
    )
  ),
  stream(
    "steps-balance-transfer",
    "balances are pushed only if some are frozen",
    ["streams.balances.pushed"],
    pushing(
      "balanceSpot",
      (all) =>
        all.some((one) => Object.values(fields(one)).some((balance) => Number(fields(balance)["freeze"]) > 0))
          ? all
          : undefined
    )
  ),
  stream("steps-balance-request", "requested balances are those of the connection's first request", [
    "streams.balances.pushed"
  ], () => {
    let first: unknown
    return answering("balanceSpot_request", (answer) => ({ ...answer, result: first ??= answer.result }))()
  })
]

/** Shows the statistics of the connection's first market for every market. */
const firstMarket = (channel: string): Fault =>
  receiving(() => {
    let first: unknown
    return (frame) => {
      if (frame.method !== `${channel}_update`) return frame
      const [market, body] = list(frame.params)
      if (market === "BTC_USDT") first = body
      return { ...frame, params: [market, first ?? body] }
    }
  })

const own = ["streams.markets.own"]

const publicMutants: ReadonlyArray<StreamMutant> = [
  stream(
    "steps-today-24h",
    "the request for today's statistics counts 24 hours",
    ["streams.statistics.days"],
    sending((frame) =>
      frame.method === "marketToday_query"
        ? { ...frame, method: "market_request", params: [list(frame.params)[0], 86_400] }
        : frame
    )
  ),
  stream(
    "steps-24h-today",
    "the request for the statistics of 24 hours counts from midnight",
    ["streams.statistics.days"],
    sending((frame) =>
      frame.method === "market_request" && list(frame.params)[1] === 86_400
        ? { ...frame, method: "marketToday_query", params: [list(frame.params)[0]] }
        : frame
    )
  ),
  stream(
    "steps-period",
    "the request for statistics always counts an hour",
    ["streams.statistics.days"],
    sending((frame) =>
      frame.method === "market_request" ? { ...frame, params: list(frame.params).with(1, 3600) } : frame
    )
  ),
  stream(
    "steps-today-pushed",
    "today's statistics are pushed with the volume of 24 hours",
    ["streams.statistics.days"],
    receiving(() => {
      let volume: unknown
      return (frame) => {
        const [market, body] = list(frame.params ?? [])
        if (frame.method === "market_update") volume = fields(body)["volume"]
        return frame.method === "marketToday_update"
          ? { ...frame, params: [market, { ...fields(body), volume: volume ?? "0" }] }
          : frame
      }
    })
  ),
  ...["lastprice", "market", "marketToday"].map((channel) =>
    stream(
      `steps-own-${channel}`,
      `${channel} shows the figures of the first market for every market`,
      own,
      firstMarket(channel)
    )
  ),
  ...["lastprice_request", "market_request", "marketToday_query", "trades_request", "depth_request"].map((method) =>
    stream(
      `steps-own-${method}`,
      `${method} answers with the first market for every market`,
      own,
      sending((frame) => frame.method === method ? { ...frame, params: list(frame.params).with(0, "BTC_USDT") } : frame)
    )
  ),
  stream(
    "steps-depth-chain",
    "the changes of a connection's books have one chain",
    ["streams.depth.several"],
    receiving(() => {
      let last: unknown
      return (frame) => {
        if (frame.method !== "depth_update") return frame
        const [isSnapshot, body, market] = list(frame.params)
        const before = last
        last = fields(body)["update_id"]
        return isSnapshot === true
          ? frame
          : { ...frame, params: [isSnapshot, { ...fields(body), past_update_id: before }, market] }
      }
    })
  ),
  stream(
    "steps-depth-limit",
    "a connection's books all have the limit of the last one",
    ["streams.depth.several"],
    sending((frame) =>
      frame.method === "depth_subscribe" && list(frame.params)[1] === 20
        ? { ...frame, params: list(frame.params).with(1, 1) }
        : frame
    )
  ),
  stream(
    "steps-candle-first",
    "the first candle of a connection's subscription is kept",
    ["streams.candles.next"],
    receiving(() => {
      let first: unknown
      return (frame) => {
        if (frame.method !== "candles_update") return frame
        first ??= list(list(frame.params)[0])[0]
        return { ...frame, params: list(frame.params).map((row) => list(row).with(0, first)) }
      }
    })
  ),
  stream(
    "steps-candle-volume",
    "the volume of pushed candles is summed over all of them",
    ["streams.candles.next"],
    receiving(() => {
      const volumes = new Map<unknown, number>()
      return (frame) => {
        if (frame.method !== "candles_update") return frame
        return {
          ...frame,
          params: list(frame.params).map((row) => {
            volumes.set(list(row)[0], Number(list(row)[5]))
            return list(row).with(5, String([...volumes.values()].reduce((sum, volume) => sum + volume, 0)))
          })
        }
      }
    })
  ),
  stream(
    "steps-candle-once",
    "each candle is pushed once",
    ["streams.candles.next"],
    receiving(() => {
      const seen = new Set<unknown>()
      return (frame) => {
        if (frame.method !== "candles_update") return frame
        const { 0: time } = list(list(frame.params)[0])
        const isNew = !seen.has(time)
        seen.add(time)
        return isNew ? frame : undefined
      }
    })
  ),
  ...([[180, 60], [900, 300], [7200, 3600], [86_400, 43_200]] as const).map(([interval, other]) =>
    stream(
      `steps-candles-${interval}`,
      `an interval of ${interval} counts as ${other}`,
      ["streams.candles.intervals"],
      sending((frame) =>
        frame.method === "candles_request" && list(frame.params)[3] === interval
          ? { ...frame, params: list(frame.params).with(3, other) }
          : frame
      )
    )
  ),
  stream(
    "steps-best-removed",
    "the removal of the best bid is not pushed",
    ["streams.book-ticker.best"],
    receiving(() => {
      let most = 0
      return (frame): Frame | undefined => {
        if (frame.method !== "bookTicker_update") return frame
        const bid = Number(list(list(frame.params)[0])[4])
        if (bid < most) return undefined
        most = bid
        return frame
      }
    })
  ),
  stream(
    "steps-best-taken",
    "a trade does not change the amount of the best ask",
    ["streams.book-ticker.best"],
    receiving(() => {
      const amounts = new Map<unknown, number>()
      return (frame) => {
        if (frame.method !== "bookTicker_update") return frame
        const row = list(list(frame.params)[0])
        const most = Math.max(amounts.get(row[6]) ?? 0, Number(row[7]))
        amounts.set(row[6], most)
        return { ...frame, params: [row.with(7, String(most))] }
      }
    })
  ),
  ...["candles_request", "depth_request", "lastprice_request", "marketToday_query"].map((method) =>
    stream(
      `steps-missing-${method}`,
      `${method} accepts missing parameters`,
      ["streams.parameters"],
      answering(method, (answer, request) =>
        list(request.params).length < 2 && (answer.error ?? null) !== null
          ? { ...answer, error: null, result: {} }
          : answer)
    )
  )
]

export const mutants: ReadonlyArray<StreamMutant> = [...collateral, ...orderMutants, ...publicMutants]
