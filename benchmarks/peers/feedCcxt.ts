/**
 * ccxt's WebSocket client, given the text of each frame where its socket would deliver it. While it is
 * measured, nothing reads the books and orders that ccxt maintains.
 */
import * as Ccxt from "ccxt"
import type { Receivers } from "./feeds.ts"
import * as Frames from "./frames.ts"

/** The methods that are missing from ccxt's types. */
interface Watching {
  readonly client: (url: string) => { readonly onMessage: (event: { readonly data: string }) => void }
  readonly orderbooks: Readonly<
    Record<string, { readonly asks: ArrayLike<unknown>; readonly bids: ArrayLike<unknown> }>
  >
  readonly orders: ReadonlyArray<{ readonly status: string }> | undefined
}

const symbol = "BTC/USDT"

const watching = async () => {
  const exchange = new Ccxt.pro.whitebit({ enableRateLimit: false, newUpdates: true })
  const spot = { id: Frames.market, symbol, base: "BTC", quote: "USDT", type: "spot", spot: true }
  exchange.setMarkets([{ ...spot, precision: { amount: 1e-6, price: 0.01 }, limits: {}, info: {} }])
  // ccxt needs this before it can create a client for an unencrypted socket.
  await exchange.loadHttpProxyAgent()
  const parts = exchange as unknown as Watching
  const client = parts.client("ws://127.0.0.1:1/ws")
  return { parts, receive: (frame: string) => client.onMessage({ data: frame }) }
}

export const receivers: Receivers = {
  depth: async () => {
    const { parts, receive } = await watching()
    return {
      receive,
      size: () => {
        const book = parts.orderbooks[symbol]
        return (book?.asks.length ?? 0) + (book?.bids.length ?? 0)
      }
    }
  },
  orders: async () => {
    const { parts, receive } = await watching()
    return { receive, size: () => parts.orders?.filter(({ status }) => status === "open").length ?? 0 }
  }
}
