/** Sandboxes with one fault in their public streams, or in their messages and connections. */
import { answering, type Fault, type Frame, pushing, receiving, resulting, sending } from "./Frames.ts"

/** A sandbox whose WebSocket has one fault. */
export interface StreamMutant {
  /** The mutant's id, which is unique and never changes. */
  readonly id: string
  /** A description of the fault. */
  readonly fault: string
  /** Ids of the rules that must find the fault. */
  readonly breaks: ReadonlyArray<string>
  readonly change: Fault
}

/** Creates a mutant from its id, a description of its fault, and the rules that it breaks. */
export const stream = (id: string, fault: string, breaks: ReadonlyArray<string>, change: Fault): StreamMutant => ({
  id: `stream-${id}`,
  fault,
  breaks,
  change
})

const isAnswer = ({ method }: Frame): boolean => method === undefined

export const success = { status: "success" }

const any = () => true

const refused = (answer: Frame, code: number, message: string): Frame => ({
  ...answer,
  result: null,
  error: { code, message }
})

/** The fields of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>

export const list = (value: unknown): ReadonlyArray<unknown> => value as ReadonlyArray<unknown>

export const fields = (value: unknown): Fields => value as Fields

/** Halves a decimal. */
export const half = (value: unknown): string => String(Number(value) / 2)

const messages: ReadonlyArray<StreamMutant> = [
  stream(
    "id-zero",
    "responses to id 0 have id 1",
    ["streams.messages.ids"],
    receiving(() => (frame) => isAnswer(frame) && frame.id === 0 ? { ...frame, id: 1 } : frame)
  ),
  stream(
    "answer-twice",
    "every other response is sent twice",
    ["streams.messages.ids"],
    receiving(() => {
      let count = 0
      return (frame) => isAnswer(frame) && ++count % 2 === 0 ? [frame, frame] : frame
    })
  ),
  stream(
    "answer-lost",
    "a connection's third response is lost",
    ["streams.messages.ids"],
    receiving(() => {
      let count = 0
      return (frame) => isAnswer(frame) && ++count === 3 ? undefined : frame
    })
  ),
  stream(
    "id-large",
    "the last digit of ids above 2^30 is shown as 0",
    ["streams.messages.ids"],
    receiving(() => (frame) =>
      isAnswer(frame) && Number(frame.id) > 2 ** 30 ? { ...frame, id: Math.floor(Number(frame.id) / 10) * 10 } : frame
    )
  ),
  stream(
    "no-error",
    "results have no error",
    ["streams.messages.form"],
    receiving(() => (frame) => {
      if (!isAnswer(frame) || frame.error !== null) return frame
      const { error: _error, ...rest } = frame
      return rest
    })
  ),
  stream(
    "error-text",
    "errors are strings",
    ["streams.messages.form", "streams.parameters"],
    answering(any, (answer) => answer.error === null ? answer : { ...answer, error: "invalid argument" })
  ),
  stream(
    "error-result",
    "errors come with a result",
    ["streams.messages.form"],
    answering(any, (answer) => answer.error === null ? answer : { ...answer, result: {} })
  ),
  stream(
    "push-id",
    "pushed messages have an id",
    ["streams.messages.pushed"],
    receiving(() => (frame) => isAnswer(frame) ? frame : { ...frame, id: 0 })
  ),
  stream(
    "push-method",
    "pushed messages have the method of the subscription",
    ["streams.messages.pushed"],
    receiving(
      () => (frame) =>
        isAnswer(frame) ? frame : { ...frame, method: frame.method?.replace("_update", "_subscribe") ?? "" }
    )
  ),
  stream(
    "push-object",
    "the params of pushed messages are objects",
    ["streams.messages.pushed"],
    receiving(() => (frame) => isAnswer(frame) ? frame : { ...frame, params: { ...fields(frame.params) } })
  ),
  stream("ping", "a ping gets an object as response", ["streams.ping"], resulting("ping", () => success)),
  stream("time", "the time is in milliseconds", ["streams.time"], resulting("time", (time) => Number(time) * 1000)),
  stream("time-text", "the time is a string", ["streams.time"], resulting("time", String)),
  stream(
    "method-code",
    "unknown methods are refused with code 1",
    ["streams.unknown-method"],
    answering(
      any,
      (answer) => fields(answer.error ?? {})["code"] === 4 ? refused(answer, 1, "invalid argument") : answer
    )
  ),
  stream(
    "method-case",
    "methods are read without regard to case",
    ["streams.unknown-method"],
    sending((frame) => ({
      ...frame,
      method: frame.method === "DEPTH_SUBSCRIBE" ? "ping" : frame.method ?? ""
    }))
  ),
  stream(
    "method-accepted",
    "unknown methods are acknowledged",
    ["streams.unknown-method"],
    answering(
      any,
      (answer) => fields(answer.error ?? {})["code"] === 4 ? { ...answer, error: null, result: success } : answer
    )
  ),
  stream(
    "parameters-code",
    "wrong parameters are refused with code 2",
    ["streams.parameters"],
    answering(any, (answer) => fields(answer.error ?? {})["code"] === 1 ? refused(answer, 2, "internal error") : answer)
  ),
  stream(
    "limit",
    "a depth limit of 25 is accepted",
    ["streams.parameters"],
    sending((frame) => list(frame.params)[1] === 25 ? { ...frame, params: list(frame.params).with(1, 20) } : frame)
  ),
  stream(
    "trades-limit",
    "a limit of 101 trades is accepted",
    ["streams.parameters"],
    sending((frame) =>
      frame.method === "trades_request" && list(frame.params)[1] === 101
        ? { ...frame, params: list(frame.params).with(1, 100) }
        : frame
    )
  ),
  stream(
    "market",
    "unknown markets are acknowledged",
    ["streams.unknown-market"],
    answering(
      any,
      (answer) => fields(answer.error ?? {})["code"] === 9 ? { ...answer, error: null, result: success } : answer
    )
  ),
  stream("not-json", "text that is not JSON is ignored", ["streams.not-json"], () => () => ({
    text: () => undefined
  })),
  stream(
    "not-json-answered",
    "text that is not JSON is refused, and the connection stays open",
    ["streams.not-json"],
    () => ({ deliver }) => ({
      text: () => deliver({ id: null, result: null, error: { code: 1, message: "not JSON" } })
    })
  )
]

/** Pushes everything that one connection gets to all connections. */
const everywhere: Fault = () => ({ others }) => ({
  received: (frame) => {
    if (!isAnswer(frame)) { for (const { deliver } of others()) deliver(frame) }
    return [frame]
  }
})

/** Pushes the messages for earlier connections to each connection as well. */
const toLater: Fault = () => {
  const lines: Array<object> = []
  return (line) => {
    lines.push(line)
    return {
      received: (frame) => {
        if (!isAnswer(frame)) {
          for (const other of line.others()) if (lines.indexOf(other) > lines.indexOf(line)) other.deliver(frame)
        }
        return [frame]
      }
    }
  }
}

/** Adds the markets of a channel's earlier subscriptions to each subscription. */
const merging = (channel: string): Fault => () => () => {
  const markets = new Set<unknown>()
  return {
    sent: (frame) => {
      if (frame.method !== `${channel}_subscribe`) return [frame]
      for (const market of list(frame.params)) markets.add(market)
      return [{ ...frame, params: [...markets] }]
    }
  }
}

/** Acknowledges requests to unsubscribe, but ignores them. */
const keeping = (channel: string): Fault =>
  sending((frame) => frame.method === `${channel}_unsubscribe` ? { ...frame, method: "ping", params: [] } : frame)

const keepingAll = (channels: ReadonlyArray<string>): ReadonlyArray<StreamMutant> =>
  channels.map((channel) =>
    stream(
      `keeps-${channel}`,
      `unsubscribing from ${channel} has no effect`,
      ["streams.unsubscribe"],
      keeping(channel)
    )
  )

const subscriptions: ReadonlyArray<StreamMutant> = [
  stream(
    "acknowledgement",
    "subscriptions are acknowledged with true",
    ["streams.subscribe.acknowledged"],
    answering(
      (method) => method.endsWith("_subscribe"),
      (answer) => answer.error === null ? { ...answer, result: true } : answer
    )
  ),
  stream("leave-acknowledgement", "the end of a subscription is acknowledged with null", [
    "streams.subscribe.acknowledged"
  ], answering((method) => method.endsWith("_unsubscribe"), (answer) => ({ ...answer, result: null }))),
  stream(
    "mute",
    "the statistics of a market are never pushed",
    ["streams.subscribe.acknowledged"],
    pushing(
      "market",
      () => undefined
    )
  ),
  stream(
    "late-acknowledgement",
    "a subscription is acknowledged after its first message",
    ["streams.subscribe.first"],
    () => () => {
      let held: Frame | undefined
      return {
        received: (frame) => {
          if (isAnswer(frame) && fields(frame.result ?? {})["status"] === "success") {
            held = frame
            return []
          }
          const [before, now] = [held, frame]
          held = undefined
          return before === undefined ? [now] : [now, before]
        }
      }
    }
  ),
  ...["trades", "lastprice", "market", "marketToday", "bookTicker"].map((channel) =>
    stream(
      `merges-${channel}`,
      `a subscription to ${channel} adds its markets to earlier ones`,
      ["streams.subscribe.replaces"],
      merging(channel)
    )
  ),
  stream(
    "depth-keeps",
    "a depth subscription never replaces earlier ones",
    ["streams.subscribe.replaces"],
    sending((frame) =>
      frame.method === "depth_subscribe" ? { ...frame, params: list(frame.params).with(3, true) } : frame
    )
  ),
  stream(
    "one-market",
    "a subscription to several markets gets only the first one",
    ["streams.subscribe.several"],
    sending(
      (frame) =>
        ["trades_subscribe", "lastprice_subscribe", "market_subscribe"].includes(frame.method ?? "")
          ? { ...frame, params: list(frame.params).slice(0, 1) }
          : frame
    )
  ),
  ...keepingAll(["depth", "trades", "lastprice", "market", "marketToday", "bookTicker", "candles"]),
  stream(
    "everywhere",
    "messages are pushed to all connections",
    ["streams.connections", "streams.accounts"],
    everywhere
  ),
  stream("to-later", "messages are also pushed to connections opened later", ["streams.connections"], toLater)
]

// -----------------------------------------------------------------------------
// Order books
// -----------------------------------------------------------------------------

/** Changes the bodies of order books. */
const books = (change: (body: Fields, isSnapshot: boolean) => Fields | undefined): Fault =>
  pushing("depth", ([isSnapshot, body, market]) => {
    const changed = change(fields(body), isSnapshot === true)
    return changed === undefined ? undefined : [isSnapshot, changed, market]
  })

/** Changes the levels of one side. */
const levels = (
  side: "asks" | "bids",
  change: (levels: ReadonlyArray<unknown>) => ReadonlyArray<unknown>,
  when: (isSnapshot: boolean) => boolean = () => true
): Fault =>
  books((body, isSnapshot) =>
    Array.isArray(body[side]) && when(isSnapshot) ? { ...body, [side]: change(list(body[side])) } : body
  )

/** Whether a message about a book is a change, not a complete book. */
const isChange = (isSnapshot: boolean): boolean => !isSnapshot

const isGone = (level: unknown): boolean => Number(list(level)[1]) === 0

const depth: ReadonlyArray<StreamMutant> = [
  stream(
    "snapshot-flag",
    "the first book is marked as a change",
    ["streams.depth.snapshot"],
    pushing(
      "depth",
      ([, ...rest]) => [false, ...rest]
    )
  ),
  stream(
    "snapshot-past",
    "the first book has a past_update_id",
    ["streams.depth.snapshot"],
    books((body) => ({
      ...body,
      past_update_id: Number(body["update_id"]) - 1
    }))
  ),
  stream(
    "snapshot-order",
    "the asks of a book are worst first",
    ["streams.depth.snapshot"],
    levels("asks", (asks) => asks.toReversed())
  ),
  stream(
    "snapshot-bids",
    "the bids of a book are worst first",
    ["streams.depth.snapshot"],
    levels("bids", (bids) => bids.toReversed())
  ),
  stream(
    "snapshot-limit",
    "a depth limit of 1 is treated as 5",
    ["streams.depth.snapshot", "streams.depth.window"],
    sending((frame) =>
      frame.method === "depth_subscribe" && list(frame.params)[1] === 1
        ? { ...frame, params: list(frame.params).with(1, 5) }
        : frame
    )
  ),
  stream(
    "snapshot-side",
    "the first book has no bids",
    ["streams.depth.snapshot"],
    books((body, isSnapshot) => {
      if (!isSnapshot) return body
      const { bids: _bids, ...rest } = body
      return rest
    })
  ),
  stream(
    "snapshot-numbers",
    "the levels of a book are numbers",
    ["streams.depth.snapshot"],
    levels("asks", (asks) => asks.map((level) => list(level).map(Number)))
  ),
  stream(
    "snapshot-time",
    "the time of a book is in milliseconds",
    ["streams.depth.snapshot"],
    books((body) => ({
      ...body,
      timestamp: Number(body["timestamp"]) * 1000
    }))
  ),
  stream(
    "snapshot-id",
    "the update_id of a book is a string",
    ["streams.depth.snapshot"],
    books((body) => ({
      ...body,
      update_id: String(body["update_id"])
    }))
  ),
  stream(
    "step",
    "the price step of a subscription to a book is ignored",
    ["streams.depth.step"],
    sending((frame) =>
      frame.method === "depth_subscribe" ? { ...frame, params: list(frame.params).with(2, "0") } : frame
    )
  ),
  stream(
    "depth-request",
    "the response to the request for a book has half the amounts",
    ["streams.depth.request"],
    resulting(
      "depth_request",
      (body) => ({
        ...fields(body),
        bids: list(fields(body)["bids"]).map((level) => list(level).with(1, half(list(level)[1])))
      })
    )
  ),
  stream(
    "depth-request-limit",
    "the request for a book ignores the number of levels",
    ["streams.depth.request"],
    sending((frame) => frame.method === "depth_request" ? { ...frame, params: list(frame.params).with(1, 100) } : frame)
  ),
  stream(
    "depth-request-order",
    "the sides of a requested book are swapped",
    ["streams.depth.request"],
    resulting(
      "depth_request",
      (body) => ({ ...fields(body), bids: fields(body)["asks"], asks: fields(body)["bids"] })
    )
  ),
  stream(
    "removed",
    "the removal of asks is not pushed",
    ["streams.depth.changes", "streams.depth.window"],
    levels(
      "asks",
      (asks) => asks.filter((level) => !isGone(level)),
      isChange
    )
  ),
  stream(
    "added",
    "the ask amounts in changes are halved",
    ["streams.depth.changes"],
    levels(
      "asks",
      (asks) => asks.map((level) => isGone(level) ? level : list(level).with(1, half(list(level)[1]))),
      isChange
    )
  ),
  stream(
    "swapped",
    "the sides of changes are swapped",
    ["streams.depth.changes"],
    books((body, isSnapshot) => isSnapshot ? body : { ...body, asks: body["bids"] ?? [], bids: body["asks"] ?? [] })
  ),
  stream(
    "change-lost",
    "one change in three is lost",
    ["streams.depth.chain"],
    receiving(() => {
      let count = 0
      return (frame) =>
        frame.method === "depth_update" && list(frame.params)[0] === false && ++count % 3 === 2 ? undefined : frame
    })
  ),
  stream(
    "change-past",
    "the past_update_id of a change is its own update_id",
    ["streams.depth.chain"],
    books((body) => ({
      ...body,
      ...(body["past_update_id"] === undefined ? {} : { past_update_id: body["update_id"] })
    }))
  ),
  stream(
    "change-unchained",
    "changes have no past_update_id",
    ["streams.depth.chain"],
    books((body) => {
      const { past_update_id: _past, ...rest } = body
      return rest
    })
  ),
  stream(
    "change-whole",
    "every change is pushed as a complete book",
    ["streams.depth.chain", "streams.depth.repeats"],
    pushing(
      "depth",
      ([, body, market]) => {
        const { past_update_id: _past, ...rest } = fields(body)
        return [true, rest, market]
      }
    )
  ),
  stream(
    "change-decreases",
    "update_id decreases",
    ["streams.depth.chain"],
    receiving(() => {
      let count = 0
      return (frame) => {
        if (frame.method !== "depth_update") return frame
        const [isSnapshot, body, market] = list(frame.params)
        const { past_update_id: past, ...rest } = fields(body)
        const id = 1000 - ++count
        const past_update_id = past === undefined ? {} : { past_update_id: id + 1 }
        return { ...frame, params: [isSnapshot, { ...rest, update_id: id, ...past_update_id }, market] }
      }
    })
  ),
  stream(
    "no-repeat",
    "a book is not repeated",
    ["streams.depth.repeats"],
    receiving(() => {
      let isFirst = true
      return (frame) => {
        if (frame.method !== "depth_update" || list(frame.params)[0] !== true) return frame
        const kept = isFirst ? frame : undefined
        isFirst = false
        return kept
      }
    })
  ),
  stream(
    "repeat-chain",
    "a repeated book has a number that the next change does not follow",
    ["streams.depth.repeats"],
    receiving(() => {
      let count = 0
      return (frame) => {
        if (frame.method !== "depth_update" || list(frame.params)[0] !== true || ++count === 1) return frame
        const [isSnapshot, body, market] = list(frame.params)
        const id = Number(fields(body)["update_id"]) + 1_000_000
        return { ...frame, params: [isSnapshot, { ...fields(body), update_id: id }, market] }
      }
    })
  ),
  stream(
    "adds",
    "a depth subscription always replaces the others",
    ["streams.depth.adds"],
    sending(
      (frame) => frame.method === "depth_subscribe" ? { ...frame, params: list(frame.params).with(3, false) } : frame
    )
  ),
  stream(
    "leaves-all",
    "unsubscribing from one book unsubscribes from all books",
    ["streams.depth.leaves"],
    sending((frame) => frame.method === "depth_unsubscribe" ? { ...frame, params: [] } : frame)
  ),
  stream("leaves-none", "unsubscribing from one book has no effect", ["streams.depth.leaves"], keeping("depth"))
]

// -----------------------------------------------------------------------------
// Trades, prices and candles
// -----------------------------------------------------------------------------

/** Changes each trade in the messages. */
const trades = (change: (trade: Fields) => Fields): Fault =>
  pushing("trades", ([market, all]) => [market, list(all).map((trade) => change(fields(trade)))])

/** Changes the messages of a channel after the first one. `count` is the message's number on the connection. */
const later = (channel: string, change: (params: ReadonlyArray<unknown>, count: number) => unknown): Fault =>
  receiving(() => {
    let count = 0
    return (frame) => {
      if (frame.method !== `${channel}_update` || ++count === 1) return frame
      const params = change(list(frame.params), count)
      return params === undefined ? undefined : { ...frame, params }
    }
  })

/** Duplicates the messages of a channel after its second subscription, except messages for which `isFirst` is true. */
const doubling = (channel: string, isFirst: (params: ReadonlyArray<unknown>) => boolean): Fault => () => () => {
  let count = 0
  return {
    sent: (frame) => {
      if (frame.method === `${channel}_subscribe`) count++
      return [frame]
    },
    received: (frame) =>
      count > 1 && frame.method === `${channel}_update` && !isFirst(list(frame.params)) ? [frame, frame] : [frame]
  }
}

const secondSubscriptions: ReadonlyArray<StreamMutant> = [
  stream(
    "depth-doubled",
    "after a second subscription to a book, each change is pushed twice",
    ["streams.depth.again"],
    doubling("depth", ([isSnapshot]) => isSnapshot === true)
  ),
  stream(
    "depth-once",
    "a second subscription to a book does not push the complete book again",
    ["streams.depth.again"],
    receiving(() => {
      let isFirst = true
      return (frame) => {
        if (frame.method !== "depth_update" || list(frame.params)[0] !== true) return frame
        const kept = isFirst ? frame : undefined
        isFirst = false
        return kept
      }
    })
  ),
  stream(
    "trades-doubled",
    "after a second subscription to a market, each trade is pushed twice",
    ["streams.trades.live"],
    doubling("trades", ([, trades]) => list(trades).length !== 1)
  )
]

const marketData: ReadonlyArray<StreamMutant> = [
  stream(
    "error-message",
    "errors have no message",
    ["streams.messages.form"],
    answering(
      any,
      (answer) => answer.error === null ? answer : { ...answer, error: { ...fields(answer.error), message: "" } }
    )
  ),
  stream(
    "removed-bids",
    "the removal of bids is not pushed",
    ["streams.depth.changes"],
    levels("bids", (bids) => bids.filter((level) => !isGone(level)), isChange)
  ),
  stream(
    "change-number",
    "all changes of a book have the same number",
    ["streams.depth.numbers"],
    books((body) => ({
      ...body,
      update_id: 5,
      ...(body["past_update_id"] === undefined ? {} : { past_update_id: 5 })
    }))
  ),
  stream(
    "change-zero",
    "a removed level has no amount",
    ["streams.depth.chain"],
    levels("asks", (asks) => asks.map((level) => isGone(level) ? list(level).with(1, "") : level))
  ),
  stream(
    "event-time",
    "books lack the time of the message",
    ["streams.depth.snapshot"],
    books(({ event_time: _sent, ...body }) => body)
  ),
  stream(
    "depth-request-time",
    "the response to a book request has no time",
    ["streams.depth.request"],
    resulting("depth_request", (body) => {
      const { timestamp: _time, ...rest } = fields(body)
      return rest
    })
  ),
  stream(
    "statistics-low",
    "the low of pushed statistics is zero",
    ["streams.statistics.pushed"],
    pushing("market", ([market, body]) => [market, { ...fields(body), low: "0" }])
  ),
  stream(
    "best-lost",
    "every other change of the best prices is lost",
    ["streams.book-ticker.best"],
    later("bookTicker", (params, count) => count % 2 === 0 ? undefined : params)
  ),
  stream(
    "period-ignored",
    "the requested period of statistics is ignored: it is always a day",
    ["streams.statistics.period"],
    sending((frame) =>
      frame.method === "market_request" ? { ...frame, params: list(frame.params).with(1, 86_400) } : frame
    )
  ),
  stream(
    "today-kept",
    "the volume of today's statistics is always 0.01",
    ["streams.statistics.period"],
    resulting("marketToday_query", (body) => ({ ...fields(body), volume: "0.01" }))
  ),
  stream(
    "step-request",
    "the request for a book ignores the price step",
    ["streams.depth.step"],
    sending((frame) => frame.method === "depth_request" ? { ...frame, params: list(frame.params).with(2, "0") } : frame)
  ),
  stream(
    "repeat-stale",
    "a repeated book lacks the asks",
    ["streams.depth.repeats"],
    receiving(() => {
      let count = 0
      return (frame) => {
        if (frame.method !== "depth_update" || list(frame.params)[0] !== true || ++count === 1) return frame
        const [isSnapshot, body, market] = list(frame.params)
        return { ...frame, params: [isSnapshot, { ...fields(body), asks: [] }, market] }
      }
    })
  ),
  stream(
    "change-time",
    "the timestamp of a change is an hour old",
    ["streams.depth.chain"],
    books((body) => ({ ...body, timestamp: Number(body["timestamp"]) - 3600 }))
  ),
  stream(
    "trades-hour",
    "the time of a trade is an hour ahead",
    ["streams.trades.live"],
    trades((trade) => ({ ...trade, time: Number(trade["time"]) + 3600 }))
  ),
  stream(
    "last-price-again",
    "the last price is pushed twice",
    ["streams.last-price.pushed"],
    receiving(() => (frame) => frame.method === "lastprice_update" ? [frame, frame] : frame)
  ),
  stream(
    "statistics-high",
    "the high of the statistics is the last price",
    ["streams.statistics.request"],
    resulting("market_request", (body) => ({ ...fields(body), high: fields(body)["last"] }))
  ),
  stream(
    "statistics-period",
    "pushed statistics have another period",
    ["streams.statistics.pushed"],
    pushing("market", ([market, body]) => [market, { ...fields(body), period: 3600 }])
  ),
  stream(
    "statistics-close",
    "the close of pushed statistics is their open",
    ["streams.statistics.pushed"],
    pushing("market", ([market, body]) => [market, { ...fields(body), close: fields(body)["open"] }])
  ),
  stream(
    "best-time",
    "the times of the best prices are in milliseconds",
    ["streams.book-ticker.best"],
    pushing("bookTicker", ([row]) => [list(row).with(1, Number(list(row)[1]) * 1000)])
  ),
  stream(
    "best-amount",
    "new amounts at the same best prices are not pushed",
    ["streams.book-ticker.best"],
    receiving(() => {
      let last: string | undefined
      return (frame) => {
        if (frame.method !== "bookTicker_update") return frame
        const [, , market, , bid, , ask] = list(list(frame.params)[0])
        const prices = JSON.stringify([market, bid, ask])
        if (prices === last) return undefined
        last = prices
        return frame
      }
    })
  ),
  stream(
    "best-hour",
    "the time of the best prices is an hour old",
    ["streams.book-ticker.best"],
    pushing("bookTicker", ([row]) => [list(row).with(0, Number(list(row)[0]) - 3600)])
  ),
  stream(
    "candles-interval",
    "a subscription to hourly candles gets minute candles",
    ["streams.candles.pushed"],
    sending((frame) =>
      frame.method === "candles_subscribe" && list(frame.params)[1] === 3600
        ? { ...frame, params: list(frame.params).with(1, 60) }
        : frame
    )
  ),
  stream(
    "trades-order",
    "the first message about trades lists the oldest trade first",
    ["streams.trades.snapshot"],
    pushing("trades", ([market, all]) => [
      market,
      list(all).toReversed()
    ])
  ),
  stream(
    "trades-first",
    "the first message about trades lacks the latest trade",
    ["streams.trades.snapshot"],
    pushing(
      "trades",
      ([market, all]) => [market, list(all).slice(1)]
    )
  ),
  stream(
    "trades-none",
    "the first message about trades has no trades",
    ["streams.trades.snapshot"],
    pushing("trades", ([market]) => [market, []])
  ),
  stream(
    "trades-side",
    "the side of a trade is that of the maker",
    ["streams.trades.snapshot", "streams.trades.live"],
    trades(
      (trade) => ({ ...trade, type: trade["type"] === "buy" ? "sell" : "buy" })
    )
  ),
  stream(
    "trades-amount",
    "the amount of a trade is its total",
    ["streams.trades.live"],
    trades((trade) => ({
      ...trade,
      amount: String(Number(trade["amount"]) * Number(trade["price"]))
    }))
  ),
  stream(
    "trades-number",
    "the price of a trade is a number",
    ["streams.trades.live"],
    trades((trade) => ({
      ...trade,
      price: Number(trade["price"])
    }))
  ),
  stream(
    "trades-time",
    "the time of a trade is in milliseconds",
    ["streams.trades.live"],
    trades((trade) => ({
      ...trade,
      time: Number(trade["time"]) * 1000
    }))
  ),
  stream(
    "trades-id",
    "a trade's id is the number of its message",
    ["streams.trades.live"],
    later("trades", ([market, all], count) => [
      market,
      list(all).map((trade) => ({ ...fields(trade), id: count }))
    ])
  ),
  stream(
    "trades-lost",
    "a trade is lost",
    ["streams.trades.live"],
    later("trades", (params, count) => count === 3 ? undefined : params)
  ),
  stream(
    "trades-twice",
    "a trade is pushed twice",
    ["streams.trades.live"],
    receiving(() => {
      let count = 0
      return (frame) => frame.method === "trades_update" && ++count === 2 ? [frame, frame] : frame
    })
  ),
  stream(
    "trades-all",
    "a subscription without markets gets only one market",
    ["streams.trades.all"],
    sending((frame) =>
      frame.method === "trades_subscribe" && list(frame.params).length === 0
        ? { ...frame, params: ["BTC_USDT"] }
        : frame
    )
  ),
  stream(
    "trades-request",
    "the request for trades ignores its limit",
    ["streams.trades.request"],
    sending((frame) =>
      frame.method === "trades_request" ? { ...frame, params: list(frame.params).with(1, 100) } : frame
    )
  ),
  stream(
    "trades-request-order",
    "the request for trades lists the oldest first",
    ["streams.trades.request"],
    resulting(
      "trades_request",
      (all) => list(all).toReversed()
    )
  ),
  stream(
    "last-price",
    "the request for the last price returns a number",
    ["streams.last-price.request"],
    resulting(
      "lastprice_request",
      Number
    )
  ),
  stream(
    "last-price-old",
    "the last price is 1 too low",
    ["streams.last-price.request"],
    resulting("lastprice_request", (price) => String(Number(price) - 1))
  ),
  stream(
    "last-price-once",
    "only the first message about the last price is pushed",
    ["streams.last-price.pushed"],
    later("lastprice", () => undefined)
  ),
  stream(
    "last-price-pushed",
    "pushed prices are rounded",
    ["streams.last-price.pushed"],
    pushing("lastprice", ([market, price]) => [
      market,
      String(Math.round(Number(price) / 1000) * 1000)
    ])
  ),
  ...["market_request", "marketToday_query"].flatMap((method) => [
    stream(
      `${method}-volume`,
      `volume and deal of ${method} are swapped`,
      ["streams.statistics.request"],
      resulting(
        method,
        (body) => ({ ...fields(body), volume: fields(body)["deal"], deal: fields(body)["volume"] })
      )
    ),
    stream(
      `${method}-high`,
      `high and low of ${method} are swapped`,
      ["streams.statistics.request"],
      resulting(
        method,
        (body) => ({ ...fields(body), high: fields(body)["low"], low: fields(body)["high"] })
      )
    ),
    stream(
      `${method}-number`,
      `the figures of ${method} are numbers`,
      ["streams.statistics.request"],
      resulting(method, (
        body
      ) => ({ ...fields(body), last: Number(fields(body)["last"]) }))
    )
  ]),
  stream(
    "period",
    "requested statistics lack the period",
    ["streams.statistics.request"],
    resulting("market_request", (body) => {
      const { period: _period, ...rest } = fields(body)
      return rest
    })
  ),
  ...["market", "marketToday"].map((channel) =>
    stream(
      `${channel}-pushed`,
      `pushed figures of ${channel} count half the volume`,
      ["streams.statistics.pushed"],
      pushing(
        channel,
        ([market, body]) => [market, { ...fields(body), volume: half(fields(body)["volume"]) }]
      )
    )
  ),
  stream(
    "best-swapped",
    "the best bid and ask are swapped",
    ["streams.book-ticker.best"],
    pushing("bookTicker", ([row]) => {
      const [at, sent, market, id, bid, bidAmount, ask, askAmount] = list(row)
      return [[at, sent, market, id, ask, askAmount, bid, bidAmount]]
    })
  ),
  stream(
    "best-flat",
    "the best prices are pushed without the inner list",
    ["streams.book-ticker.best"],
    pushing("bookTicker", ([row]) => list(row))
  ),
  stream(
    "best-old",
    "the latest change of the best prices is not pushed",
    ["streams.book-ticker.best"],
    later(
      "bookTicker",
      (params, count) => count > 2 ? undefined : params
    )
  ),
  stream(
    "best-first",
    "the first message about best prices is lost",
    ["streams.book-ticker.first"],
    receiving(() => {
      let count = 0
      return (frame) => frame.method === "bookTicker_update" && ++count === 1 ? undefined : frame
    })
  ),
  stream(
    "candles-order",
    "high and close of candles are swapped",
    ["streams.candles.request"],
    resulting("candles_request", (
      rows
    ) => list(rows).map((row) => list(row).with(2, list(row)[3]).with(3, list(row)[2])))
  ),
  stream(
    "candles-volume",
    "base and quote volume of candles are swapped",
    ["streams.candles.request"],
    resulting(
      "candles_request",
      (rows) => list(rows).map((row) => list(row).with(5, list(row)[6]).with(6, list(row)[5]))
    )
  ),
  stream(
    "candles-market",
    "candles lack their market",
    ["streams.candles.request"],
    resulting("candles_request", (rows) => list(rows).map((row) => list(row).slice(0, 7)))
  ),
  stream(
    "candles-pushed-order",
    "low and close of pushed candles are swapped",
    ["streams.candles.pushed"],
    pushing(
      "candles",
      (rows) => rows.map((row) => list(row).with(2, list(row)[4]).with(4, list(row)[2]))
    )
  ),
  stream(
    "candles-pushed-time",
    "pushed candles have the time of their end",
    ["streams.candles.pushed"],
    pushing("candles", (rows) => rows.map((row) => list(row).with(0, Number(list(row)[0]) + 60)))
  ),
  stream(
    "candles-pushed-flat",
    "candles are pushed without the enclosing list",
    ["streams.candles.pushed"],
    pushing("candles", ([row]) => row)
  )
]

export const mutants: ReadonlyArray<StreamMutant> = [
  ...messages,
  ...subscriptions,
  ...depth,
  ...secondSubscriptions,
  ...marketData
]
