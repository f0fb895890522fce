/**
 * Follows the feed while the page is visible, and shows each change. The page redraws at most ten times per second,
 * however many changes there are.
 */
import { batch } from "@preact/signals"
import type { Candle } from "../../control/CandleView.ts"
import type { MarketSummary } from "../../control/MarketViews.ts"
import type { ChannelSummary, EndpointSummary } from "../../control/ViewsApi.ts"
import type { RequestRecord } from "../../gateway/RequestRecord.ts"
import { type Entries, type Entry, get, setToken } from "./api.ts"
import { happenedOf, isOfMargin } from "./Sentence.ts"
import {
  account,
  candles,
  channels,
  endpoints,
  failed,
  heardAt,
  keptRequests,
  link,
  lookedAt,
  mark,
  market,
  markets,
  readers,
  requests,
  said,
  seconds,
  wrong
} from "./store.ts"

let queue: Array<Entry> = []
let drawing = false
let drawnAt = 0
const drawPause = 100

/**
 * Updates the latest candle with a price, or adds a candle, so that the page need not read all candles again.
 */
const grow = (at: number, price: string, volume: number): void => {
  const start = Math.floor(at / 1e6 / seconds.value) * seconds.value
  const kept = candles.value
  const final = kept.at(-1)
  if (final !== undefined && final.at > start) return mark("candles")
  const made = final?.at === start
    ? {
      ...final,
      close: price,
      high: Number(price) > Number(final.high) ? price : final.high,
      low: Number(price) < Number(final.low) ? price : final.low,
      volume: String(Number(final.volume) + volume)
    }
    : { at: start, open: price, high: price, low: price, close: price, volume: String(volume) }
  candles.value = [...(final?.at === start ? kept.slice(0, -1) : kept.slice(-499)), made as Candle]
}

const take = ({ at, event }: Entry, prices: Map<string, string>, calls: Array<RequestRecord>): void => {
  switch (event._tag) {
    case "Requested": {
      const request = event.request as RequestRecord
      calls.push(request)
      if (request.fault !== undefined) mark("faults")
      return
    }
    case "PriceMoved":
    case "Traded":
      if (lookedAt.value !== undefined) break
      prices.set(String(event.market), String(event.price))
      if (event.market === market.value) {
        mark("market")
        grow(at, String(event.price), event._tag === "Traded" ? Number(event.amount) : 0)
      }
      break
    case "MarkMoved":
      if (lookedAt.value === undefined) {
        markets.value = markets.value.map((one) =>
          one.market === event.market ? { ...one, mark: event.mark, index: event.index } as MarketSummary : one
        )
      }
      break
    case "MarginCalled":
    case "MarginRestored":
    case "LiquidationStarted":
      if (event.account === account.value) said.value = `${account.value}: ${happenedOf(event)}`
      break
    case "Restored":
      mark("markets", "market", "candles", "account", "marginEvents", "accounts")
      said.value = `The state after command ${String(event.sequence)} was restored`
      break
    case "OrderActivated":
      said.value = `A stop order on ${String(event.market)} was triggered`
      break
  }
  if (event.account === account.value) {
    mark("account")
    if (isOfMargin(event)) mark("marginEvents")
  }
  if (event.market === market.value) mark("market")
  mark("status", "commands")
}

const draw = (): void => {
  drawing = false
  drawnAt = performance.now()
  const entries = queue
  queue = []
  const prices = new Map<string, string>()
  const calls: Array<RequestRecord> = []
  batch(() => {
    for (const entry of entries) take(entry, prices, calls)
    if (prices.size > 0) {
      markets.value = markets.value.map((one) => {
        const price = prices.get(one.market)
        return price === undefined ? one : { ...one, price: price as NonNullable<MarketSummary["price"]> }
      })
    }
    const newest = requests.value[0]?.number ?? 0
    const added = calls.filter(({ number }) => number > newest)
    if (added.length > 0) requests.value = [...added.toReversed(), ...requests.value].slice(0, keptRequests)
    heardAt.value = performance.now()
  })
}

/**
 * Draws feed entries in an animation frame, at most ten times a second. A hidden page gets no frames, so it draws
 * without one.
 */
const arrived = (entries: ReadonlyArray<Entry>): void => {
  for (const entry of entries) queue.push(entry)
  if (drawing) return
  drawing = true
  const rest = Math.max(0, drawnAt + drawPause - performance.now())
  setTimeout(() => document.hidden ? draw() : requestAnimationFrame(draw), rest)
}

const readAll = async (): Promise<void> => {
  await readers.status()
  await Promise.all([readers.markets(), readers.accounts()])
  const [calls, found, pushed] = await Promise.all([
    get<ReadonlyArray<RequestRecord>>("Requests", { latest: 2000 }),
    get<ReadonlyArray<EndpointSummary>>("Endpoints"),
    get<ReadonlyArray<ChannelSummary>>("Channels"),
    ...(["market", "candles", "account", "marginEvents", "commands", "faults", "forks", "connections"] as const).map((
      part
    ) => readers[part]())
  ])
  batch(() => {
    requests.value = calls.toReversed()
    endpoints.value = found
    channels.value = pushed
  })
}

const wait = (millis: number): Promise<void> => new Promise((resume) => setTimeout(resume, millis))

/** The pause between reads of the feed, in milliseconds. */
const feedPause = 200

/** Resolves when the page is visible. */
const visible = async (): Promise<void> => {
  while (document.hidden) {
    await new Promise((resume) => document.addEventListener("visibilitychange", resume, { once: true }))
  }
}

/** The number of the current connection. A newer connection replaces all earlier ones. */
let current = 0

/**
 * Reads all data, and then the feed, until the page is hidden. No read stays open to wait for events, because a browser
 * allows only six open requests to a server from all tabs together.
 */
const live = async (connection: number): Promise<void> => {
  const isCurrent = (): boolean => connection === current && !document.hidden
  // The position is read first, so that no change between the two reads is missed.
  let { after } = await get<Entries>("EventsSoFar")
  await readAll()
  if (connection !== current) return
  link.value = "live"
  mark("markets", "candles")
  while (isCurrent()) {
    const page = await get<Entries>("EventsSoFar", { after })
    after = page.after
    if (page.entries.length > 0) arrived(page.entries)
    if (!page.hasMore) await wait(feedPause)
  }
}

/**
 * Keeps the page up to date while it is visible, and reconnects whenever the sandbox is available again. Stops if the
 * token is wrong.
 */
export const start = async (): Promise<void> => {
  const connection = ++current
  for (let tries = 0;; tries++) {
    await visible()
    try {
      await live(connection)
      tries = -1
    } catch (error) {
      if (connection === current) failed(error)
    }
    if (connection !== current || link.value === "unauthorised") return
    if (tries === -1) continue
    if (link.value === "live") {
      link.value = "reconnecting"
      tries = 0
    }
    await wait(Math.min(3000, 300 * 2 ** tries))
  }
}

/** Opens the sandbox with a different token. */
export const enter = (token: string): void => {
  setToken(token)
  link.value = "loading"
  wrong.value = ""
  heardAt.value = undefined
  void start()
}

/** Reads data for which there are no events. While the page is visible, this happens twice per second. */
export const watch = (): void => {
  setInterval(() => {
    if (link.value === "live" && !document.hidden) mark("status", "faults", "forks", "connections")
  }, 500)
}
