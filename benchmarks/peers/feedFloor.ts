/**
 * The lower bound: parses a frame, then sets and deletes entries in Maps keyed by price or id. It neither sorts, nor
 * checks the form of frames, nor notices missing frames.
 */
import type { Receivers } from "./feeds.ts"

type Levels = ReadonlyArray<readonly [string, string]>

const change = (side: Map<string, string>, levels: Levels = []): void => {
  for (const [price, amount] of levels) {
    if (amount === "0") side.delete(price)
    else side.set(price, amount)
  }
}

export const receivers: Receivers = {
  depth: async () => {
    const asks = new Map<string, string>()
    const bids = new Map<string, string>()
    return {
      receive: (frame) => {
        const { params: [isSnapshot, body] } = JSON.parse(frame)
        if (isSnapshot === true) {
          asks.clear()
          bids.clear()
        }
        change(asks, body.asks)
        change(bids, body.bids)
      },
      size: () => asks.size + bids.size
    }
  },
  orders: async () => {
    const open = new Map<number, unknown>()
    return {
      receive: (frame) => {
        const { params: [event, order] } = JSON.parse(frame)
        if (event === 3) open.delete(order.id)
        else open.set(order.id, order)
      },
      size: () => open.size
    }
  }
}
