/**
 * The page's data, and how it is kept up to date while the page is visible. Everything is read once; then the feed
 * reports changes. However many changes there are, the page redraws at most ten times a second, and reads again at most
 * twice a second.
 */
import { batch, signal } from "@preact/signals"
import type { Candle } from "../../control/CandleView.ts"
import type { ClockReading } from "../../control/ClockControl.ts"
import type { CommandSummary } from "../../control/CommandHistory.ts"
import type { Status } from "../../control/HistoryControl.ts"
import type { Depth, MarketSummary } from "../../control/MarketViews.ts"
import type { AccountFill, AccountSummary, Balance, EndedOrder, OpenOrder, OpenPosition } from "../../control/Views.ts"
import type { ChannelSummary, EndpointSummary } from "../../control/ViewsApi.ts"
import type { Armed } from "../../gateway/Faults.ts"
import type { OpenConnection } from "../../gateway/OpenConnections.ts"
import type { RequestRecord } from "../../gateway/RequestRecord.ts"
import type { SavedState } from "../../store/SavedStates.ts"
import type { Fork } from "../../venue/Forks.ts"
import { type Entries, type Entry, get, hasToken, setToken } from "./api.ts"
import { kept } from "./kept.ts"

/** The state of the connection to the sandbox. Data is current only when it is `live`. */
export type Link = "loading" | "live" | "reconnecting" | "unauthorised" | "stopped"

export const link = signal<Link>(hasToken() ? "loading" : "unauthorised")
/** The time of the last message from the sandbox, by `performance.now`; `undefined` before the first. */
export const heardAt = signal<number | undefined>(undefined)
export const status = signal<Status | undefined>(undefined)
/** The venue's clock, and when it was read, by `performance.now`. */
export const clock = signal<ClockReading & { readonly readAt: number } | undefined>(undefined)
export const nextDue = signal<number | undefined>(undefined)
export const markets = signal<ReadonlyArray<MarketSummary>>([])
export const accounts = signal<ReadonlyArray<AccountSummary>>([])
export const endpoints = signal<ReadonlyArray<EndpointSummary>>([])
export const channels = signal<ReadonlyArray<ChannelSummary>>([])
/** The open WebSocket connections, oldest first. */
export const connections = signal<ReadonlyArray<OpenConnection>>([])
export const faults = signal<ReadonlyArray<Armed>>([])
export const forks = signal<ReadonlyArray<Fork>>([])
export const saved = signal<ReadonlyArray<SavedState>>([])
export const commands = signal<ReadonlyArray<CommandSummary>>([])

export const market = kept("market", "BTC_USDT")
export const seconds = kept("seconds", 60)

/** The currencies of a market: its amounts are in `stock`, its prices in `money`. */
export const unitsOf = (name: string): { readonly stock: string; readonly money: string } =>
  markets.value.find((one) => one.market === name) ?? { stock: "", money: "" }

export const candles = signal<ReadonlyArray<Candle>>([])
export const depth = signal<Depth>({ bids: [], asks: [], trades: [] })

export const account = kept("account", "")
export const orderCount = signal(0)
/** The orders around the visible rows, latest first. `offset` is the number of later orders. */
export const orders = signal<{ readonly offset: number; readonly rows: ReadonlyArray<OpenOrder> }>({
  offset: 0,
  rows: []
})
/** The latest orders, whichever rows are visible. */
export const latestOrders = signal<ReadonlyArray<OpenOrder>>([])
export const positions = signal<ReadonlyArray<OpenPosition>>([])
export const balances = signal<ReadonlyArray<Balance>>([])
export const fills = signal<ReadonlyArray<AccountFill>>([])
/** The latest ended orders, latest first. */
export const endedOrders = signal<ReadonlyArray<EndedOrder>>([])

/** The latest calls, latest first. */
export const requests = signal<ReadonlyArray<RequestRecord>>([])

/** The latest message for screen readers, and the latest error. */
export const said = signal("")
export const wrong = signal("")

/** The hints that the user has already followed. An action of another client does not count. */
export const seen = kept("seen", { price: false, fault: false, time: false })

/** The numbers of the faults that the user has added. */
export const ownFaults = new Set<number>()

/** Marks a hint as followed. */
export const follow = (hint: keyof (typeof seen)["value"]): void => {
  if (!seen.value[hint]) seen.value = { ...seen.value, [hint]: true }
}

/** The number of calls that the page keeps, which equals the number that the sandbox keeps. */
export const keptRequests = 5000

/** The number of orders per read. */
export const orderPage = 100

// ---------------------------------------------------------------------------
// Reading
// ---------------------------------------------------------------------------

/** The data that a restore changes. */
export const past = ["account", "accounts", "market", "markets", "candles", "commands"] as const

type Part =
  | "status"
  | "market"
  | "candles"
  | "account"
  | "accounts"
  | "markets"
  | "commands"
  | "faults"
  | "forks"
  | "connections"

let orderOffset = 0

const readStatus = async (): Promise<void> => {
  const [now, time, due] = await Promise.all([
    get<Status>("Status"),
    get<ClockReading>("Clock"),
    get<{ at?: number }>("NextDue")
  ])
  const before = status.value
  batch(() => {
    heardAt.value = performance.now()
    if (before?.digest !== now.digest) status.value = now
    clock.value = { ...time, readAt: performance.now() }
    nextDue.value = due.at
  })
  // Some commands cause no event, such as opening an account or a position.
  if (before !== undefined && before.digest !== now.digest) mark("accounts", "account", "market", "commands")
}

const readers: Readonly<Record<Part, () => Promise<void>>> = {
  status: readStatus,
  market: async () => {
    depth.value = await get<Depth>("Depth", { market: market.value })
  },
  candles: async () => {
    candles.value = await get<ReadonlyArray<Candle>>("Candles", { market: market.value, seconds: seconds.value })
  },
  markets: async () => {
    const found = await get<ReadonlyArray<MarketSummary>>("Markets")
    batch(() => {
      markets.value = found
      if (!found.some((one) => one.market === market.value)) market.value = found[0]?.market ?? market.value
    })
  },
  accounts: async () => {
    const found = await get<ReadonlyArray<AccountSummary>>("Accounts")
    batch(() => {
      accounts.value = found
      if (!found.some((one) => one.account === account.value)) account.value = found[0]?.account ?? ""
    })
  },
  account: async () => {
    const of = { account: account.value }
    if (of.account === "") return
    const offset = orderOffset
    const read = (offset: number) => get<ReadonlyArray<OpenOrder>>("OpenOrders", { ...of, offset, limit: orderPage })
    const [count, latest, looked, held, owned, filled, ended] = await Promise.all([
      get<{ count: number }>("CountOfOpenOrders", of),
      read(0),
      offset === 0 ? [] : read(offset),
      get<ReadonlyArray<OpenPosition>>("Positions", of),
      get<ReadonlyArray<Balance>>("Balances", of),
      get<ReadonlyArray<AccountFill>>("Fills", of),
      get<ReadonlyArray<EndedOrder>>("EndedOrders", of)
    ])
    // The selection has changed since, and another read is in progress.
    if (account.value !== of.account || orderOffset !== offset) return
    batch(() => {
      orderCount.value = count.count
      latestOrders.value = latest.toReversed()
      orders.value = { offset, rows: offset === 0 ? latestOrders.value : looked.toReversed() }
      positions.value = held
      balances.value = owned
      fills.value = filled
      endedOrders.value = ended
    })
  },
  commands: async () => {
    const [latest, states] = await Promise.all([
      get<ReadonlyArray<CommandSummary>>("Commands", { limit: 200 }),
      get<ReadonlyArray<SavedState>>("Saved")
    ])
    batch(() => {
      commands.value = latest
      saved.value = states
    })
  },
  faults: async () => {
    faults.value = await get<ReadonlyArray<Armed>>("Faults")
    if (faults.value.some(({ fired, id }) => fired > 0 && ownFaults.has(id))) follow("fault")
  },
  forks: async () => {
    forks.value = await get<ReadonlyArray<Fork>>("Forks")
  },
  connections: async () => {
    connections.value = await get<ReadonlyArray<OpenConnection>>("Connections")
  }
}

const wrongToken = "This token does not open this sandbox."

const newToken = "The sandbox was started again, and has a new token. Open the address that it printed, or type its " +
  "token. A sandbox that keeps its data (--data) also keeps its token; one in memory (--memory) can't."

const failed = (error: unknown): void => {
  const { message, status = 0 } = error as { message: string; status?: number }
  if (status === 401) {
    link.value = "unauthorised"
    wrong.value = heardAt.value === undefined ? wrongToken : newToken
  } else if (status === 503) link.value = "stopped"
  // Without an answer the page is disconnected, and after 410 it reads everything again.
  else if (status !== 0 && status !== 410) wrong.value = message
}

// ---------------------------------------------------------------------------
// Reading again, at most twice a second
// ---------------------------------------------------------------------------

const pause = 450
const changed = new Set<Part>()
let reading = false
let timer: ReturnType<typeof setTimeout> | undefined

const readChanged = async (): Promise<void> => {
  timer = undefined
  reading = true
  const parts = [...changed]
  changed.clear()
  await Promise.all(parts.map((part) => readers[part]())).catch(failed)
  reading = false
  if (changed.size > 0) mark()
}

/** Marks data as changed. It is read again soon. */
export const mark = (...parts: ReadonlyArray<Part>): void => {
  for (const part of parts) changed.add(part)
  if (!reading && timer === undefined) timer = setTimeout(() => void readChanged(), pause)
}

/** Reads data at once, after a user action. */
export const readNow = async (...parts: ReadonlyArray<Part>): Promise<void> => {
  await Promise.all(parts.map((part) => readers[part]())).catch(failed)
}

/** Reads the orders around a row of the list. */
export const lookAtOrders = (row: number): void => {
  const offset = Math.max(0, row - orderPage / 4)
  if (offset === orderOffset) return
  orderOffset = offset
  void readNow("account")
}

// ---------------------------------------------------------------------------
// Following
// ---------------------------------------------------------------------------

let queue: Array<Entry> = []
let drawing = false
let drawnAt = 0
const drawPause = 100

/** Extends the last candle with a price at once; the server's own candles are read when the market is chosen. */
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
      prices.set(String(event.market), String(event.price))
      if (event.market === market.value) {
        mark("market")
        grow(at, String(event.price), event._tag === "Traded" ? Number(event.amount) : 0)
      }
      break
    case "Restored":
      mark("markets", "market", "candles", "account", "accounts")
      said.value = `The state after command ${String(event.sequence)} was restored`
      break
    case "OrderActivated":
      said.value = `A stop order on ${String(event.market)} was triggered`
      break
  }
  if (event.account === account.value) mark("account")
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

/** Draws in an animation frame, at most ten times a second. A hidden page has no frames. */
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
    ...(["market", "candles", "account", "commands", "faults", "forks", "connections"] as const).map((part) =>
      readers[part]()
    )
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

/** The number of the current connection. A newer one ends those before it. */
let current = 0

/**
 * Reads everything, then the feed, until the page is hidden. It keeps no request open: a browser allows six at a time to
 * a server, for all tabs together.
 */
const live = async (connection: number): Promise<void> => {
  const isCurrent = (): boolean => connection === current && !document.hidden
  // The position comes first, so that no change is missed in between.
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
 * Keeps the page live while it is visible, and reconnects whenever the sandbox comes back. It stops if the token is
 * wrong.
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

/** Opens the sandbox with another token. */
export const enter = (token: string): void => {
  setToken(token)
  link.value = "loading"
  wrong.value = ""
  heardAt.value = undefined
  void start()
}

/** Reads data that has no events twice a second while the page is visible. */
export const watch = (): void => {
  setInterval(() => {
    if (link.value === "live" && !document.hidden) mark("status", "faults", "forks", "connections")
  }, 500)
}

/** Carries out a user action, reports its outcome, and reads the data that it may have changed. */
export const act = async (
  done: string,
  work: () => Promise<unknown>,
  ...parts: ReadonlyArray<Part>
): Promise<boolean> => {
  try {
    await work()
    wrong.value = ""
    said.value = done
    await readNow("status", ...parts)
    return true
  } catch (error) {
    failed(error)
    const { message } = error as Error
    wrong.value = message
    return false
  }
}

export const choose = (
  chosen: { readonly market?: string; readonly account?: string; readonly seconds?: number }
): void => {
  if (chosen.market !== undefined) market.value = chosen.market
  if (chosen.seconds !== undefined) seconds.value = chosen.seconds
  if (chosen.account !== undefined) {
    account.value = chosen.account
    orderOffset = 0
    void readNow("account")
    return
  }
  candles.value = []
  void readNow("candles", "market")
}
