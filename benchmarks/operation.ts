/** What peers have in common: the request they all send, and the shape of what is measured of them. */

export const account = {
  apiKey: "0123456789abcdef0123456789abcdef",
  apiSecret: "fedcba9876543210fedcba9876543210"
}

/** The order as the document's dialect writes it. */
export const wireOrder = {
  market: "BTC_USDT",
  side: "buy",
  amount: "0.0015",
  price: "97250.25",
  activation_price: "97250.5",
  client_order_id: "bench-order-1"
}

/** Where orders rest that are placed and canceled: around 100, and never across. */
export const book = {
  resting: (index: number) => {
    const isBuy = index % 2 === 0
    return { isBuy, price: ((isBuy ? 9000 : 10100) + index * 7919 % 900).toString().replace(/(\d\d)$/u, ".$1") }
  }
}

/** A command as the journal writes it. */
export const command = {
  at: 1_700_000_000_000_000,
  action: {
    _tag: "Call",
    apiKey: account.apiKey,
    operation: {
      _tag: "PlaceStopLimit",
      market: "BTC_USDT",
      side: "buy",
      amount: "0.001",
      price: "1",
      activationPrice: "2"
    }
  }
}

/** Something to do again and again: at once, or as a promise with a number of them in flight. */
export type Operation =
  | { readonly now: () => unknown }
  | { readonly later: () => Promise<unknown>; readonly inFlight?: number }

export type Operations = Readonly<Record<string, Operation>>

/** Microseconds per operation: of processor time in all threads, and by the clock. */
export interface Sample {
  readonly cpu: number
  readonly wall: number
}

/** Operations between two looks at the clock. */
const batch = 16

export const measure = async (operation: Operation, millis: number): Promise<Sample> => {
  const before = process.cpuUsage()
  const start = performance.now()
  const end = start + millis
  let count = 0
  if ("now" in operation) {
    do {
      for (let index = 0; index < batch; index++) operation.now()
      count += batch
    } while (performance.now() < end)
  } else {
    const { inFlight = 1, later } = operation
    const each = Math.ceil(batch / inFlight)
    await Promise.all(Array.from({ length: inFlight }, async () => {
      do {
        for (let index = 0; index < each; index++) await later()
        count += each
      } while (performance.now() < end)
    }))
  }
  const wall = (performance.now() - start) * 1000
  const { system, user } = process.cpuUsage(before)
  return { cpu: (user + system) / count, wall: wall / count }
}
