import type { Client } from "effect-txc/promise"

/** Logs a market's best prices until the signal aborts. */
export const follow = async (client: Client, market: string, signal: AbortSignal) => {
  await using book = client.live.book({ market, limit: 5, priceStep: "0" })
  for await (const state of book.states({ signal })) {
    if (state._tag === "Whole") console.log(state.value.bids[0]?.price, state.value.asks[0]?.price)
    else console.log("the book may be old:", state.why)
  }
}

/** Logs the account's fills until the signal aborts. */
export const fills = async (client: Client, market: string, signal: AbortSignal) => {
  for await (const item of client.channels.deals.stream({ market }, { signal })) {
    if (item._tag === "Event") console.log(item.event.side, item.event.amount, "at", item.event.price)
    // Some fills may be missing here. The next item is a Snapshot with the latest fills.
    else if (item._tag === "Interrupted") console.log(item.reason)
  }
}
