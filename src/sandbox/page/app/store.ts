/**
 * The page's data, and how the page reads it. Changed data is read again at most twice per second. `following.ts`
 * detects the changes. While the user is viewing the past, past data takes the place of the exchange's present data.
 */
import { batch, signal } from "@preact/signals"
import type { Candle } from "../../control/CandleView.ts"
import type { ClockReading } from "../../control/ClockControl.ts"
import type { CommandSummary } from "../../control/CommandHistory.ts"
import type { Status } from "../../control/HistoryControl.ts"
import type { AccountMargin, MarginEvent } from "../../control/MarginViews.ts"
import type { Depth, MarketSummary } from "../../control/MarketViews.ts"
import type { Past } from "../../control/PastView.ts"
import type { AccountFill, AccountSummary, Balance, EndedOrder, OpenOrder, OpenPosition } from "../../control/Views.ts"
import type { ChannelSummary, EndpointSummary } from "../../control/ViewsApi.ts"
import type { Armed } from "../../gateway/Faults.ts"
import type { OpenConnection } from "../../gateway/OpenConnections.ts"
import type { RequestRecord } from "../../gateway/RequestRecord.ts"
import type { SavedState } from "../../store/SavedStates.ts"
import type { Fork } from "../../venue/Forks.ts"
import { get, hasToken } from "./api.ts"
import { kept } from "./kept.ts"

/** The state of the connection to the sandbox. Data is current only in the state `live`. */
export type Link = "loading" | "live" | "reconnecting" | "unauthorised" | "stopped"

export const link = signal<Link>(hasToken() ? "loading" : "unauthorised")
/**
 * The time of the latest message from the sandbox, according to `performance.now`; `undefined` before the first
 * message.
 */
export const heardAt = signal<number | undefined>(undefined)
export const status = signal<Status | undefined>(undefined)
/** The venue's time, and the `performance.now` time at which it was read. */
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

/** Whether the list of commands leaves out the calls that have changed nothing. */
export const onlyChanges = kept("only changes", false)

/** The number of commands after which the page shows the exchange's state; `undefined` for the present state. */
export const lookedAt = signal<number | undefined>(undefined)
/** The past state that the page shows, once the page has read it. */
export const past = signal<{ readonly sequence: number; readonly at: number } | undefined>(undefined)

export const market = kept("market", "BTC_USDT")
export const seconds = kept("seconds", 900)

export const summaryOf = (name: string): MarketSummary | undefined =>
  markets.value.find(({ market }) => market === name)

/** A market's currencies: amounts are in `stock`, and prices are in `money`. */
export const unitsOf = (name: string): { readonly stock: string; readonly money: string } =>
  summaryOf(name) ?? { stock: "", money: "" }

/** The number of decimal places in a market's computed prices. */
export const priceDigits = (name: string): number => Math.max(2, summaryOf(name)?.pricePrecision ?? 0)

export const candles = signal<ReadonlyArray<Candle>>([])
export const depth = signal<Depth>({ bids: [], asks: [], trades: [] })

export const account = kept("account", "")
export const orderCount = signal(0)
/** The open orders around the visible rows, latest first. `offset` is the number of later open orders. */
export const orders = signal<{ readonly offset: number; readonly rows: ReadonlyArray<OpenOrder> }>({
  offset: 0,
  rows: []
})
/** The latest open orders, latest first, even if their rows are not visible. */
export const latestOrders = signal<ReadonlyArray<OpenOrder>>([])
export const positions = signal<ReadonlyArray<OpenPosition>>([])
export const balances = signal<ReadonlyArray<Balance>>([])
export const fills = signal<ReadonlyArray<AccountFill>>([])
/** The latest closed orders, latest first. */
export const endedOrders = signal<ReadonlyArray<EndedOrder>>([])

/** The account's margin; `undefined` until it has been read. */
export const margin = signal<AccountMargin | undefined>(undefined)
/** The latest events that concern the account's margin, latest first. */
export const marginEvents = signal<ReadonlyArray<MarginEvent>>([])

/** The latest calls, latest first. */
export const requests = signal<ReadonlyArray<RequestRecord>>([])

/** The latest message for screen readers, and the latest error. */
export const said = signal("")
export const wrong = signal("")

/** The hints that the user has already followed. Actions of other clients do not affect the hints. */
export const seen = kept("seen", { price: false, fault: false, time: false })

/** The numbers of the faults that the user has added. */
export const ownFaults = new Set<number>()

/** Marks a hint as followed. */
export const follow = (hint: keyof (typeof seen)["value"]): void => {
  if (!seen.value[hint]) seen.value = { ...seen.value, [hint]: true }
}

/** The maximum number of calls that the page stores, the same as in the sandbox's log. */
export const keptRequests = 5000

/** The maximum number of commands per read. */
export const commandPage = 200

/** The maximum number of orders per read. */
export const orderPage = 100

// ---------------------------------------------------------------------------
// Reading
// ---------------------------------------------------------------------------

/** The data that changes when an earlier state is restored. */
export const restorable = ["account", "marginEvents", "accounts", "market", "markets", "candles", "commands"] as const

type Part =
  | "status"
  | "market"
  | "candles"
  | "account"
  | "marginEvents"
  | "accounts"
  | "markets"
  | "commands"
  | "faults"
  | "forks"
  | "connections"

let orderOffset = 0

/** Whether the page shows the present state. */
const isPresent = (): boolean => lookedAt.value === undefined

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
  // Some commands, such as opening an account or a position, cause no event, so this data is read after every change.
  if (before !== undefined && before.digest !== now.digest) mark("accounts", "account", "market", "markets", "commands")
}

export const readers: Readonly<Record<Part, () => Promise<void>>> = {
  status: readStatus,
  market: async () => {
    const of = market.value
    const found = await get<Depth>("Depth", { market: of })
    if (isPresent() && market.value === of) depth.value = found
  },
  candles: async () => {
    const of = { market: market.value, seconds: seconds.value }
    const found = await get<ReadonlyArray<Candle>>("Candles", of)
    if (isPresent() && market.value === of.market && seconds.value === of.seconds) candles.value = found
  },
  markets: async () => {
    const found = await get<ReadonlyArray<MarketSummary>>("Markets")
    if (!isPresent()) return
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
    const [count, latest, looked, held, owned, filled, ended, needed] = await Promise.all([
      get<{ count: number }>("CountOfOpenOrders", of),
      read(0),
      offset === 0 ? [] : read(offset),
      get<ReadonlyArray<OpenPosition>>("Positions", of),
      get<ReadonlyArray<Balance>>("Balances", of),
      get<ReadonlyArray<AccountFill>>("Fills", of),
      get<ReadonlyArray<EndedOrder>>("EndedOrders", of),
      get<AccountMargin>("Margin", of)
    ])
    // If the selection has changed in the meantime, another read is in progress.
    if (!isPresent() || account.value !== of.account || orderOffset !== offset) return
    batch(() => {
      orderCount.value = count.count
      latestOrders.value = latest.toReversed()
      orders.value = { offset, rows: offset === 0 ? latestOrders.value : looked.toReversed() }
      positions.value = held
      balances.value = owned
      fills.value = filled
      endedOrders.value = ended
      margin.value = needed
    })
  },
  marginEvents: async () => {
    const of = { account: account.value }
    if (of.account === "") return
    const found = await get<ReadonlyArray<MarginEvent>>("MarginEvents", of)
    if (isPresent() && account.value === of.account) marginEvents.value = found
  },
  commands: async () => {
    const [latest, states] = await Promise.all([
      get<ReadonlyArray<CommandSummary>>("Commands", {
        limit: commandPage,
        ...(onlyChanges.value ? { onlyChanges: "true" } : {})
      }),
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

/** The exchange's own data. While the user views the past, past data takes its place. */
const ofExchange: ReadonlySet<Part> = new Set(["market", "candles", "account", "marginEvents", "markets"])

/** Reads the past state that the user views. */
const readPast = async (): Promise<void> => {
  const sequence = lookedAt.value
  if (sequence === undefined) return
  const of = { account: account.value, market: market.value, seconds: seconds.value }
  const [found, happened] = await Promise.all([
    get<Past>("Past", { sequence, ...of }),
    get<ReadonlyArray<MarginEvent>>("MarginEvents", { account: of.account, upTo: sequence })
  ])
  const isCurrent = lookedAt.value === sequence && account.value === of.account && market.value === of.market &&
    seconds.value === of.seconds
  if (!isCurrent) return
  batch(() => {
    markets.value = found.markets
    candles.value = found.candles
    depth.value = found.depth
    orderCount.value = found.countOfOpenOrders
    latestOrders.value = found.openOrders.toReversed()
    orders.value = { offset: 0, rows: latestOrders.value }
    positions.value = found.positions
    balances.value = found.balances
    fills.value = found.fills
    endedOrders.value = found.endedOrders
    margin.value = found.margin
    marginEvents.value = happened
    past.value = { sequence, at: found.at }
  })
}

/** Reads data. While the user is viewing the past, the exchange's data is read from the past state. */
const read = (parts: ReadonlyArray<Part>): Promise<unknown> => {
  if (isPresent()) return Promise.all(parts.map((part) => readers[part]()))
  const others = parts.filter((part) => !ofExchange.has(part)).map((part) => readers[part]())
  return Promise.all(others.length === parts.length ? others : [...others, readPast()])
}

const wrongToken = "This token does not open this sandbox."

const newToken = "The sandbox was started again, and has a new token. Open the address that it printed, or type its " +
  "token. A sandbox that keeps its data (--data) also keeps its token; one in memory (--memory) can't."

export const failed = (error: unknown): void => {
  const { message, status = 0 } = error as { message: string; status?: number }
  if (status === 401) {
    link.value = "unauthorised"
    wrong.value = heardAt.value === undefined ? wrongToken : newToken
  } else if (status === 503) link.value = "stopped"
  // Without a response, the page shows that it is disconnected. After a 410, it reads everything again.
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
  // While the page shows the past, the exchange's data is not read again, because a past state does not change.
  const parts = [...changed].filter((part) => isPresent() || !ofExchange.has(part))
  changed.clear()
  await read(parts).catch(failed)
  reading = false
  if (changed.size > 0) mark()
}

/** Marks data as changed, so that it is read again soon. */
export const mark = (...parts: ReadonlyArray<Part>): void => {
  for (const part of parts) changed.add(part)
  if (!reading && timer === undefined) timer = setTimeout(() => void readChanged(), pause)
}

/** Reads data immediately, after a user action. */
export const readNow = async (...parts: ReadonlyArray<Part>): Promise<void> => {
  await read(parts).catch(failed)
}

/** Reads the orders around a row of the list. */
export const lookAtOrders = (row: number): void => {
  const offset = isPresent() ? Math.max(0, row - orderPage / 4) : 0
  if (offset === orderOffset) return
  orderOffset = offset
  void readNow("account")
}

// ---------------------------------------------------------------------------
// Acting
// ---------------------------------------------------------------------------

/** Performs a user action, reports its outcome, and reads the data that it may have changed. */
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
  batch(() => {
    // The chart fits a market's first candles into view. Candles of the previous market must not trigger this.
    if (chosen.market !== undefined || chosen.seconds !== undefined) candles.value = []
    if (chosen.market !== undefined) market.value = chosen.market
    if (chosen.seconds !== undefined) seconds.value = chosen.seconds
  })
  if (chosen.account !== undefined) {
    account.value = chosen.account
    orderOffset = 0
    void readNow("account", "marginEvents")
    return
  }
  void readNow("candles", "market")
}

let looking: ReturnType<typeof setTimeout> | undefined

/**
 * Shows the exchange as it was after a number of commands, or its present state if the number is `undefined`. Restores
 * nothing.
 */
export const lookAt = (sequence: number | undefined): void => {
  if (sequence === lookedAt.value) return
  lookedAt.value = sequence
  clearTimeout(looking)
  if (sequence !== undefined) {
    looking = setTimeout(() => void readNow("market"), 120)
    return
  }
  past.value = undefined
  orderOffset = 0
  void readNow("markets", "candles", "market", "account", "marginEvents")
}
