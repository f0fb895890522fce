import { type Client, decimal, type PublicClient } from "effect-txc/promise"
import { setTimeout } from "node:timers/promises"

/** Waits until a market's last price is below a limit. */
export const priceBelow = async (client: Client | PublicClient, market: string, limit: string, signal: AbortSignal) => {
  for await (const item of client.channels.lastPrice.stream({ market }, { signal })) {
    if (item._tag === "Interrupted") continue
    const { price } = item._tag === "Event" ? item.event : item.state
    if (decimal.compare(price, limit) < 0) return price
  }
  return undefined
}

/**
 * Calls `alert` whenever the main balance changes. No channel pushes this balance, so it is read every minute by
 * default.
 */
export const deposits = async (
  client: Client,
  ticker: string,
  alert: (before: string, after: string) => void,
  signal: AbortSignal,
  millis = 60_000
) => {
  let before = await client.mainBalance.of(ticker, { signal })
  while (!signal.aborted) {
    await setTimeout(millis, undefined, { signal }).catch(() => {})
    const after = await client.mainBalance.of(ticker)
    if (decimal.compare(before, after) !== 0) alert(before, after)
    before = after
  }
}
