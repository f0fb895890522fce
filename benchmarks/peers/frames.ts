/** The frames that all stream clients get: the same frames for each peer, in the live exchange's format. */

export const market = "BTC_USDT"

/** Builds the next frame for a feed. */
export type Feed = () => string

/** Flattens a string into one piece of memory, as a socket delivers it. */
const flat = (text: string): string => Buffer.from(text, "latin1").toString("latin1")

/** Returns a generator of pseudorandom whole numbers below `bound`. Every process gets the same sequence. */
const numbers = () => {
  let state = 12_345
  return (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor(state / 2 ** 32 * bound)
  }
}

/** Per side: the number of prices that may have a level, and the number of levels that a frame changes. */
const places = 150
const changedPerSide = 10

/** Returns a side of a book with about 100 levels. Index 0 is the best price. */
const side = (price: (place: number) => string, next: (bound: number) => number) => {
  const amount = () => `${next(3)}.${String(next(1_000_000)).padStart(6, "0")}`
  const amounts = Array.from({ length: places }, (_, place) => place % 3 === 2 ? "0" : amount())
  const levels = (chosen: Iterable<number>) => [...chosen].map((place) => [price(place), amounts[place] ?? "0"])
  return {
    all: () => levels(amounts.keys()).filter(([, amount]) => amount !== "0"),
    change: () => {
      const chosen = new Set<number>()
      while (chosen.size < changedPerSide) chosen.add(next(places))
      for (const place of chosen) {
        // Two in five of the chosen levels that exist are removed, so about 70% of the prices have a level.
        const isRemoved = amounts[place] !== "0" && next(5) < 2
        amounts[place] = isRemoved ? "0" : amount()
      }
      return levels([...chosen].sort((one, other) => one - other))
    }
  }
}

/**
 * Returns a complete book of about 100 levels per side, and a feed of changes to 20 levels, ten per side. Each change
 * contains the update id of the previous one.
 */
export const depth = (): { readonly snapshot: string; readonly next: Feed; readonly updateId: () => number } => {
  const next = numbers()
  const cents = (value: number) => `${Math.floor(value / 100)}.${String(value % 100).padStart(2, "0")}`
  const asks = side((place) => cents(9_725_026 + place), next)
  const bids = side((place) => cents(9_725_024 - place), next)
  let updateId = 1
  const frame = (isSnapshot: boolean, body: object) => {
    const times = { timestamp: 1_700_000_000.5 + updateId, event_time: 1_700_000_000.54 + updateId }
    const all = { ...times, ...body, update_id: updateId }
    return flat(JSON.stringify({ method: "depth_update", params: [isSnapshot, all, market], id: null }))
  }
  const snapshot = frame(true, { asks: asks.all(), bids: bids.all() })
  return {
    snapshot,
    next: () => frame(false, { asks: asks.change(), bids: bids.change(), past_update_id: updateId++ }),
    updateId: () => updateId
  }
}

/** The number of orders that are open at a time. */
export const open = 100

/** Returns a feed of order events: each order is placed, changed by a fill, and finished a hundred events later. */
export const orders = (): Feed => {
  let count = 0
  return () => {
    const turn = count++
    const round = Math.floor(turn / open)
    const event = round % 3 + 1
    const time = 1_700_000_000 + turn / 1000
    const order = {
      id: 4_000_000_000 + Math.floor(round / 3) * open + turn % open,
      market,
      type: 1,
      side: 2,
      post_only: false,
      ioc: false,
      ctime: time,
      mtime: time,
      price: "97250.25",
      amount: "0.0015",
      left: ["0.0015", "0.001", "0"][event - 1],
      deal_stock: ["0", "0.0005", "0.0015"][event - 1],
      deal_money: ["0", "48.625125", "145.875375"][event - 1],
      deal_fee: ["0", "0.0486", "0.1458"][event - 1],
      client_order_id: `bench-${turn % open}`,
      stp: "no",
      status: ["OPEN", "PARTIALLY_FILLED", "FILLED"][event - 1]
    }
    return flat(JSON.stringify({ method: "ordersPending_update", params: [event, order], id: null }))
  }
}
