/** Sandboxes whose public streams have one fault in a value, a bound or a market that is rarely used. */
import { answering, type Fault, type Frame, pushing, receiving, resulting, sending } from "./Frames.ts"
import { fields, list, stream, type StreamMutant, success } from "./Streams.ts"

/** Changes the bodies of order books. */
const books = (change: (body: ReturnType<typeof fields>, isSnapshot: boolean) => unknown): Fault =>
  pushing("depth", ([isSnapshot, body, market]) => [isSnapshot, change(fields(body), isSnapshot === true), market])

/** Changes the parameters of requests with a method. */
const asking = (method: string, change: (params: ReadonlyArray<unknown>) => ReadonlyArray<unknown>): Fault =>
  sending((frame) => frame.method === method ? { ...frame, params: change(list(frame.params)) } : frame)

/** Replaces one parameter's value with another. */
const reading = (method: string, at: number, value: unknown, replacement: unknown): Fault =>
  asking(method, (params) => params[at] === value ? params.with(at, replacement) : params)

/** Acknowledges some requests, but does nothing. */
const ignoring = (isIt: (frame: Frame) => boolean): Fault => () => () => {
  const ignored = new Set<unknown>()
  return {
    sent: (frame) => {
      if (!isIt(frame)) return [frame]
      ignored.add(frame.id)
      return [{ ...frame, method: "ping", params: [] }]
    },
    received: (frame) => [ignored.has(frame.id) ? { ...frame, result: success } : frame]
  }
}

/** Adds a level that has not changed to each change of a book. */
const repeating: Fault = receiving(() => {
  let first: unknown
  return (frame) => {
    if (frame.method !== "depth_update") return frame
    const [isSnapshot, body, market] = list(frame.params)
    const bids = list(fields(body)["bids"] ?? [])
    first ??= bids.at(-1)
    return isSnapshot === true
      ? frame
      : { ...frame, params: [isSnapshot, { ...fields(body), bids: [...bids, first] }, market] }
  }
})

const bookMutants: ReadonlyArray<StreamMutant> = [
  stream(
    "terms-event-time",
    "the event time of a book is an hour old",
    ["streams.depth.snapshot", "streams.depth.chain"],
    books((body) => ({ ...body, event_time: Number(body["event_time"]) - 3600 }))
  ),
  stream("terms-unchanged", "changes repeat a level that has not changed", ["streams.depth.chain"], repeating),
  stream(
    "terms-regroups",
    "changes of a grouped book show prices between two steps",
    ["streams.depth.regroups"],
    books((body, isSnapshot) =>
      isSnapshot || body["asks"] === undefined ? body : {
        ...body,
        asks: list(body["asks"]).map((level) => list(level).with(0, String(Number(list(level)[0]) + 0.04)))
      }
    )
  ),
  stream(
    "terms-regroups-amount",
    "changes of a grouped book show only the amount that was added",
    ["streams.depth.regroups"],
    books((body, isSnapshot) =>
      isSnapshot || body["bids"] === undefined ? body : {
        ...body,
        bids: list(body["bids"]).map((level) => list(level).with(1, String(Math.min(0.07, Number(list(level)[1])))))
      }
    )
  ),
  stream(
    "terms-step-bids",
    "the bids of a grouped book show at most 0.07",
    ["streams.depth.step"],
    books((body, isSnapshot) =>
      !isSnapshot ? body : {
        ...body,
        bids: list(body["bids"]).map((level) => list(level).with(1, String(Math.min(0.07, Number(list(level)[1])))))
      }
    )
  ),
  stream(
    "terms-within",
    "a subscription to one level gets the changes of ten",
    ["streams.depth.within"],
    reading("depth_subscribe", 1, 1, 10)
  ),
  stream(
    "terms-futures",
    "futures have no statistics",
    ["streams.futures"],
    pushing("market", ([market, body]) => market === "BTC_PERP" ? undefined : [market, body])
  ),
  stream(
    "terms-leaves-one",
    "unsubscribing from all books unsubscribes from one",
    ["streams.depth.leaves-all"],
    asking("depth_unsubscribe", (params) => params.length === 0 ? ["BTC_USDT"] : params)
  ),
  stream(
    "terms-best-one",
    "a subscription to the best prices without markets gets one market",
    ["streams.book-ticker.all"],
    asking("bookTicker_subscribe", (params) => params.length === 0 ? ["BTC_USDT"] : params)
  ),
  stream(
    "terms-best-leaves",
    "unsubscribing from the best prices of a named market has no effect",
    ["streams.book-ticker.leaves"],
    ignoring(({ method, params }) => method === "bookTicker_unsubscribe" && list(params).length > 0)
  ),
  stream(
    "terms-best-twice",
    "each change of the best prices is pushed twice",
    ["streams.book-ticker.quiet"],
    receiving(() => (frame) => frame.method === "bookTicker_update" ? [frame, frame] : frame)
  ),
  stream(
    "terms-best-decreases",
    "the update ids of best prices decrease",
    ["streams.book-ticker.quiet"],
    receiving(() => {
      let id = 1_000_000
      return (frame) =>
        frame.method === "bookTicker_update"
          ? { ...frame, params: [list(list(frame.params)[0]).with(3, --id)] }
          : frame
    })
  )
]

/** Responds to a repeated request with the connection's first result for this request. */
const repeated = (method: string): Fault => () => () => {
  const asked = new Map<unknown, string>()
  const first = new Map<string, unknown>()
  return {
    sent: (frame) => {
      if (frame.method === method) asked.set(frame.id, JSON.stringify(frame.params))
      return [frame]
    },
    received: (frame) => {
      const key = frame.method === undefined ? asked.get(frame.id) : undefined
      if (key === undefined) return [frame]
      if (!first.has(key)) first.set(key, frame.result)
      return [{ ...frame, result: first.get(key) }]
    }
  }
}

/** Changes the trades in messages. */
const trades = (change: (trades: ReadonlyArray<unknown>) => ReadonlyArray<unknown>): Fault =>
  pushing("trades", ([market, all]) => [market, change(list(all))])

const priceMutants: ReadonlyArray<StreamMutant> = [
  stream(
    "terms-trades-rpi",
    "every pushed trade is an RPI trade",
    ["streams.trades.live", "streams.trades.snapshot"],
    trades((all) => all.map((trade) => ({ ...fields(trade), rpi: true })))
  ),
  stream(
    "terms-trades-first-only",
    "of the second market of a subscription, only the first trades are pushed",
    ["streams.subscribe.several", "streams.subscribe.replaces"],
    receiving(() => {
      let isFirst = true
      return (frame) => {
        if (frame.method !== "trades_update" || list(frame.params)[0] !== "ETH_USDT") return frame
        const kept = isFirst ? frame : undefined
        isFirst = false
        return kept
      }
    })
  ),
  stream(
    "terms-trades-101",
    "the first message about trades has 101 trades",
    ["streams.trades.most"],
    trades((all) =>
      all.length < 100 ? all : [...all, { ...fields(all.at(-1)), id: Number(fields(all.at(-1))["id"]) - 1 }]
    )
  ),
  stream(
    "terms-trades-99",
    "the request for trades returns at most 99",
    ["streams.trades.most"],
    resulting("trades_request", (all) => list(all).slice(0, 99))
  ),
  stream(
    "terms-last-price-spot",
    "a subscription to last prices ignores futures",
    ["streams.last-price.futures"],
    asking("lastprice_subscribe", (params) => params.filter((market) => market !== "BTC_PERP"))
  ),
  stream(
    "terms-last-price-request",
    "the request for a future's last price returns that of the spot market",
    ["streams.last-price.futures"],
    reading("lastprice_request", 0, "BTC_PERP", "BTC_USDT")
  ),
  stream(
    "terms-statistics-quiet",
    "a market's statistics are pushed only when they change",
    ["streams.statistics.steady"],
    receiving(() => {
      let last = ""
      return (frame) => {
        if (frame.method !== "market_update") return frame
        const text = JSON.stringify(frame.params)
        const isSame = text === last
        last = text
        return isSame ? undefined : frame
      }
    })
  ),
  ...["market_request", "marketToday_query"].flatMap((method) =>
    ([
      ["open", (body: ReturnType<typeof fields>) => body["last"]],
      ["high", (body: ReturnType<typeof fields>) => String(Number(body["high"]) + 1)],
      ["low", (body: ReturnType<typeof fields>) => String(Number(body["low"]) - 1)],
      ["deal", (body: ReturnType<typeof fields>) => String(Number(body["volume"]) * Number(body["last"]))]
    ] as const).map(([key, change]) =>
      stream(
        `terms-${method}-${key}`,
        `${key} of ${method} is wrong`,
        ["streams.statistics.figures"],
        resulting(method, (body) => ({ ...fields(body), [key]: change(fields(body)) }))
      )
    )
  ),
  stream(
    "terms-candles-one",
    "the request for candles returns only the latest one",
    ["streams.candles.range"],
    resulting("candles_request", (rows) => list(rows).slice(-1))
  ),
  stream(
    "terms-candles-kept",
    "the first interval of a connection's candles is kept",
    ["streams.candles.replaces"],
    () => () => {
      let first: unknown
      return {
        sent: (frame) => {
          if (frame.method !== "candles_subscribe") return [frame]
          const params = list(frame.params)
          first ??= params[1]
          return [{ ...frame, params: params.with(1, first) }]
        }
      }
    }
  )
]

/** Misread parameters: the rule that detects the fault, the method, the index, the value, and what it is read as. */
const readings: ReadonlyArray<
  readonly [rule: string, method: string, at: number, value: unknown, replacement: unknown]
> = [
  ["streams.parameters", "candles_subscribe", 1, 420, 300],
  ["streams.parameters", "candles_subscribe", 1, 18_000, 14_400],
  ["streams.parameters", "candles_subscribe", 1, 432_000, 604_800],
  ["streams.parameters", "candles_request", 3, 90, 60],
  ["streams.parameters", "depth_subscribe", 1, 0, 1],
  ["streams.parameters", "depth_subscribe", 1, 101, 100],
  ["streams.parameters", "depth_request", 2, "0.3", "0.1"],
  ["streams.parameters.allowed", "candles_request", 3, 172_800, 7],
  ["streams.parameters.allowed", "candles_request", 3, 12, 7],
  ["streams.parameters.allowed", "candles_request", 3, 2_592_000, 7],
  ["streams.parameters.allowed", "depth_request", 2, "0.001", "0.3"],
  ["streams.parameters.allowed", "depth_request", 2, "0.00000001", "0.3"]
]

const parameterMutants: ReadonlyArray<StreamMutant> = [
  ...[
    ["lastprice_request", "streams.last-price.request"],
    ["depth_request", "streams.depth.request"],
    ["trades_request", "streams.trades.request"]
  ].map(([method = "", rule = ""]) =>
    stream(
      `terms-repeated-${method}`,
      `a connection always gets the first result of ${method}`,
      [rule],
      repeated(method)
    )
  ),
  ...readings.map(([rule, method, at, value, replacement]) =>
    stream(
      `terms-${method}-${String(value)}`,
      `${String(value)} counts as ${String(replacement)} in ${method}`,
      [rule],
      reading(method, at, value, replacement)
    )
  ),
  ...["market_subscribe", "marketToday_query", "marketToday_subscribe", "bookTicker_subscribe", "candles_request"].map((
    method
  ) =>
    stream(
      `terms-unknown-${method}`,
      `${method} accepts an unknown market`,
      ["streams.unknown-market"],
      answering(method, (answer) => (answer.error ?? null) === null ? answer : { ...answer, error: null, result: {} })
    )
  )
]

export const mutants: ReadonlyArray<StreamMutant> = [...bookMutants, ...priceMutants, ...parameterMutants]
