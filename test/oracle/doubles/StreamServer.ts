/**
 * A small WebSocket server that follows only the live exchange's documentation, and shares no code with the sandbox,
 * the client or the oracle. Its market moves all the time.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import * as Socket from "effect/socket/Socket"
import type * as Target from "../../../src/oracle/Target.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"

type Level = readonly [price: string, amount: string]

interface Frame {
  readonly id: unknown
  readonly method: unknown
  readonly params: unknown
}

const market = "ABC_XYZ"

const limits = [1, 5, 10, 20, 30, 50, 100]

/** The price steps, each with the number of decimal places in merged prices. Unmerged prices have two. */
const steps: Readonly<Record<string, number>> = {
  0: 2,
  "0.00000001": 2,
  "0.0000001": 2,
  "0.000001": 2,
  "0.00001": 2,
  "0.0001": 2,
  "0.001": 2,
  "0.01": 2,
  "0.1": 1
}

const intervals = (seconds: number): boolean => {
  const [unit, whole] = seconds < 60 ? [1, 60] : seconds < 3600 ? [60, 3600] : [3600, 86_400]
  return seconds < 86_400
    ? seconds % unit === 0 && whole % seconds === 0
    : [1, 2, 3, 7, 30].includes(seconds / 86_400)
}

const isInteger = (value: unknown, least: number, most: number): value is number =>
  Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most

/** Returns the book after a number of changes. Each change moves one level on one side. */
const bookAt = (changes: number): { readonly asks: ReadonlyArray<Level>; readonly bids: ReadonlyArray<Level> } => {
  const side = (sign: 1 | -1) =>
    Array.from({ length: 150 }, (_, at): Level => [
      (1000 + sign * (0.07 + at * 0.13)).toFixed(2),
      (1 + (changes * 7 + at * 3) % 11 + (changes % 150 === at ? 1 : 0) / 4).toString()
    ])
  return { asks: side(1), bids: side(-1) }
}

/** Merges levels whose prices are equal when written with fewer digits. */
const grouped = (levels: ReadonlyArray<Level>, digits: number, limit: number): ReadonlyArray<Level> => {
  const found = new Map<string, number>()
  for (const [price, amount] of levels) {
    const key = Number(price).toFixed(digits)
    found.set(key, (found.get(key) ?? 0) + Number(amount))
  }
  return [...found].slice(0, limit).map(([price, amount]) => [price, amount.toFixed(4)])
}

const differences = (before: ReadonlyArray<Level>, after: ReadonlyArray<Level>): ReadonlyArray<Level> => {
  const [old, now] = [new Map(before), new Map(after)]
  const gone = before.flatMap(([price]): ReadonlyArray<Level> => now.has(price) ? [] : [[price, "0"]])
  return [...after.filter(([price, amount]) => old.get(price) !== amount), ...gone]
}

/** Returns the trades up to a time in seconds, latest first. There are two trades in each second. */
const tradesAt = (seconds: number, limit: number) =>
  Array.from({ length: limit }, (_, at) => {
    const id = Math.floor(seconds * 2) - at
    return {
      id,
      time: id / 2 + 0.000_1,
      price: (1000 + id % 5 / 10).toFixed(1),
      amount: "0.5",
      type: id % 3 === 0 ? "sell" : "buy"
    }
  })

const balances: Readonly<Record<string, { readonly available: string; readonly freeze: string }>> = {
  USDT: { available: "12.50", freeze: "0" },
  BTC: { available: "0.1", freeze: "0.02" }
}

const collateral = {
  USDT: { balance: "7", borrow: "0", available_without_borrow: "7", available_with_borrow: "35" }
}

const pick = (all: Readonly<Record<string, unknown>>, names: ReadonlyArray<unknown>): unknown =>
  names.length === 0 ? all : Object.fromEntries(names.map((name) => [name, all[String(name)]]))

/** An error with its code. */
class Refusal {
  readonly code: number
  constructor(code: number) {
    this.code = code
  }
}

const figures = { open: "999.9", last: "1000.2", high: "1001", low: "998", volume: "43200.0", deal: "43200000" }

/** Responds to a request with a result or a refusal. */
const answer = (method: string, params: ReadonlyArray<unknown>, seconds: number): unknown => {
  const [name, one, two, three] = params
  const isKnown = name === market
  const rows = (start: number, end: number, every: number) =>
    Array.from({ length: Math.min(50, Math.floor((end - start) / every)) }, (_, at) => [
      (Math.ceil(start / every) + at) * every,
      "1000",
      "1000.4",
      "1000.4",
      "1000",
      "60.0",
      "60012",
      market
    ])
  switch (method) {
    case "ping":
      return "pong"
    case "time":
      return Math.floor(seconds)
    case "lastprice_request":
      return isKnown ? "1000.2" : new Refusal(1)
    case "market_subscribe":
    case "marketToday_subscribe":
    case "bookTicker_subscribe":
    case "lastprice_subscribe":
    case "lastprice_unsubscribe":
    case "trades_subscribe":
      return name === undefined || isKnown ? { status: "success" } : new Refusal(9)
    case "market_request":
      return isKnown ? { period: one, close: "1000.2", ...figures } : new Refusal(9)
    case "marketToday_query":
      return isKnown ? figures : new Refusal(9)
    case "candles_subscribe":
      return !intervals(Number(one)) ? new Refusal(1) : isKnown ? { status: "success" } : new Refusal(9)
    case "candles_request":
      return !intervals(Number(three))
        ? new Refusal(1)
        : isKnown
        ? rows(Number(one), Number(two), Number(three))
        : new Refusal(9)
    case "trades_request":
      return !isInteger(one, 1, 100) ? new Refusal(1) : isKnown ? tradesAt(seconds, one) : new Refusal(9)
    case "depth_subscribe":
    case "depth_request": {
      const isLimit = method === "depth_request" ? isInteger(one, 1, 100) : limits.includes(Number(one))
      if (!isLimit || steps[String(two)] === undefined) return new Refusal(1)
      if (!isKnown) return new Refusal(9)
      if (method === "depth_subscribe") return { status: "success" }
      const { asks, bids } = bookAt(Math.floor(seconds * 10))
      const digits = steps[String(two)] ?? 2
      return { bids: grouped(bids, digits, Number(one)), asks: grouped(asks, digits, Number(one)), timestamp: seconds }
    }
    default:
      return new Refusal(4)
  }
}

const privateMethod = /^(?:balance|orders|deals|positions|borrows)[A-Za-z]*_(?:request|subscribe|unsubscribe)$/u

/** The code of the refusal of a private request's parameters, if any: a limit above 100, or an unknown market. */
const wrongIn = (method: string, [first, , limit]: ReadonlyArray<unknown>): number | undefined => {
  if (method.endsWith("_request") && Number(limit) > 100) return 1
  if (!/^(?:orders|deals)/u.test(method) || method.endsWith("_unsubscribe")) return undefined
  const named = typeof first === "object" && first !== null && "market" in first ? first.market : first
  return [named].flat().includes(market) ? undefined : 9
}

const print = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/(?<=["}\]0-9a-z])([:,])(?=["{[0-9a-z-])/gu, "$1 ")

/** Opens a connection. Each token is valid only once. */
const dialing = (tokens: Set<string>) =>
  Effect.map(Clock.Clock, (clock) => {
    const seconds = () => clock.currentTimeMillisUnsafe() / 1000
    let receive: (text: string) => void = () => undefined
    const reader: Socket.Socket["reader"] = Effect.gen(function*() {
      const queue = yield* Queue.unbounded<string, Socket.SocketError>()
      const end = () =>
        void Queue.failCauseUnsafe(
          queue,
          Cause.fail(new Socket.SocketError({ reason: new Socket.SocketCloseError({ code: 1006 }) }))
        )
      const books = new Map<
        unknown,
        { readonly limit: number; readonly digits: number; sent: ReturnType<typeof bookAt>; id: number }
      >()
      let isAuthorized = false
      const shown = (limit: number, digits: number) => {
        const { asks, bids } = bookAt(Math.floor(seconds() * 10))
        return { asks: grouped(asks, digits, limit), bids: grouped(bids, digits, limit) }
      }
      const push = (isWhole: boolean, body: object) =>
        void Queue.offerUnsafe(queue, print({ method: "depth_update", params: [isWhole, body, market], id: null }))
      const reply = (id: unknown, result: unknown) =>
        void Queue.offerUnsafe(
          queue,
          result instanceof Refusal
            ? print({ error: { code: result.code, message: "refused" }, result: null, id })
            : print({ error: null, result, id })
        )
      receive = (text): void => {
        let frame: Frame
        try {
          frame = JSON.parse(text) as Frame
        } catch {
          return end()
        }
        const { id, method } = frame
        const params = frame.params as ReadonlyArray<unknown>
        if (method === "authorize") {
          const isValid = tokens.delete(String(params[0]))
          isAuthorized ||= isValid
          return reply(id, isValid ? { status: "success" } : new Refusal(11))
        }
        if (privateMethod.test(String(method))) {
          if (!isAuthorized) return reply(id, new Refusal(6))
          const wrong = wrongIn(String(method), params)
          if (wrong !== undefined) return reply(id, new Refusal(wrong))
          return reply(id, pick(String(method).startsWith("balanceMargin") ? collateral : balances, params))
        }
        const result = answer(String(method), params, seconds())
        reply(id, result)
        if (method === "depth_subscribe" && !(result instanceof Refusal)) begin(params)
      }
      const begin = (params: ReadonlyArray<unknown>) => {
        const [limit, digits] = [Number(params[1]), steps[String(params[2])] ?? 2]
        const sent = shown(limit, digits)
        const number = Math.floor(seconds() * 10)
        books.set(limit, { limit, digits, sent, id: number })
        push(true, { timestamp: seconds(), ...sent, update_id: number, event_time: seconds() })
      }
      yield* Effect.forkScoped(Effect.forever(Effect.delay(
        Effect.sync(() => {
          for (const book of books.values()) {
            const now = shown(book.limit, book.digits)
            const asks = differences(book.sent.asks, now.asks)
            const bids = differences(book.sent.bids, now.bids)
            const number = Math.floor(seconds() * 10)
            const sides = { ...(asks.length === 0 ? {} : { asks }), ...(bids.length === 0 ? {} : { bids }) }
            push(false, {
              timestamp: seconds(),
              ...sides,
              update_id: number,
              past_update_id: book.id,
              event_time: seconds()
            })
            book.sent = now
            book.id = number
          }
        }),
        100
      )))
      return { pull: Queue.takeAll(queue), upgrade: Socket.SocketUpgradeError.unsupported }
    })
    const write = (chunk: unknown) => Effect.sync(() => typeof chunk === "string" ? receive(chunk) : undefined)
    return Socket.make({
      reader,
      writer: Effect.succeed({ write, writeAll: (chunks) => Effect.forEach(chunks, write, { discard: true }) })
    })
  })

const calls: Readonly<Record<string, () => unknown>> = {
  "/api/v4/public/ping": () => ["pong"],
  "/api/v4/public/markets": () => [{
    name: market,
    stock: "ABC",
    money: "XYZ",
    stockPrec: "4",
    moneyPrec: "2",
    minAmount: "0.01",
    minTotal: "1",
    maxTotal: "0",
    tradesEnabled: true,
    isCollateral: true,
    type: "spot"
  }],
  "/api/v4/public/ticker": () => ({ [market]: { last_price: "1000.2" } }),
  "/api/v4/trade-account/balance": () => ({
    USDT: { available: "12.5", freeze: "0" },
    BTC: { available: "0.1", freeze: "0.02" }
  }),
  "/api/v4/collateral-account/balance": () => ({ USDT: "7.0" })
}

const token = "/api/v4/profile/websocket_token"

/** Creates a target for a check with the `read-only` profile. */
export const make = (): Target.Target => {
  const tokens = new Set<string>()
  let count = 0
  const create = () => {
    const token = `$2y$10$${(++count).toString().padStart(53, "x")}`
    tokens.add(token)
    return { websocket_token: token }
  }
  return {
    dialect: Dialect.live,
    baseUrl: "https://streams.test",
    dial: dialing(tokens),
    keys: { apiKey: Redacted.make("key"), apiSecret: Redacted.make("secret") },
    features: { endpoints: [...Object.keys(calls), token, "streams"] },
    send: (request) =>
      Effect.map(Clock.currentTimeMillis, (now): Target.Answer => {
        const answers: typeof calls = {
          ...calls,
          [token]: create,
          "/api/v4/public/time": () => ({ time: Math.floor(now / 1000) })
        }
        const json = answers[request.path]?.() ?? {}
        const status = answers[request.path] === undefined ? 404 : 200
        return { sent: request, status, headers: {}, text: JSON.stringify(json), json }
      })
  }
}
