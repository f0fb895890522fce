/** Tests that ccxt's `pro.whitebit`, unmodified, parses every message that the sandbox pushes over its WebSocket. */
import * as Ccxt from "ccxt"
import assert from "node:assert/strict"
import { describe } from "node:test"
import { btc, client, nonce, pick, test } from "./desk.js"
import { alice, bob } from "./venue.ts"

/** Creates a client with a WebSocket, which closes when the test ends. */
const watching = async (venue, key, body) => {
  const exchange = new Ccxt.pro.whitebit({ apiKey: key.apiKey, secret: key.apiSecret, enableRateLimit: false, nonce })
  exchange.urls.api = {
    ...client(venue.baseUrl, key).urls.api,
    ws: `${venue.baseUrl.replace("http", "ws")}/ws`
  }
  // By default, ccxt refuses unencrypted sockets. This call allows them.
  await exchange.loadHttpProxyAgent()
  try {
    await exchange.loadMarkets()
    await body(exchange)
  } finally {
    await exchange.close()
  }
}

/** Repeats a watch call until its result meets the condition. */
const until = async (watch, isThere) => {
  for (;;) {
    const found = await watch()
    if (isThere(found)) return found
  }
}

describe("ccxt's WebSocket client on public channels", () => {
  test("watchTicker reads a market's last 24 hours", async ({ alice: seller, bob: buyer, venue }) => {
    await seller.createOrder(btc, "limit", "sell", 0.5, 51000)
    await buyer.createOrder(btc, "limit", "buy", 0.1, 51000)
    await watching(venue, alice, async (exchange) => {
      const ticker = await exchange.watchTicker(btc)
      assert.deepEqual(pick(ticker, "symbol", "open", "high", "low", "last", "close", "baseVolume", "quoteVolume"), {
        symbol: btc,
        open: 40000,
        high: 51000,
        low: 40000,
        last: 51000,
        close: 51000,
        baseVolume: 0.1,
        quoteVolume: 5100
      })
    })
  })

  test("watchTrades reads the latest trades, then each new one", async ({ alice: seller, bob: buyer, venue }) => {
    await seller.createOrder(btc, "limit", "sell", 0.5, 51000)
    await buyer.createOrder(btc, "limit", "buy", 0.1, 51000)
    await watching(venue, alice, async (exchange) => {
      const shown = (trade) => pick(trade, "symbol", "side", "price", "amount", "cost")
      const first = await exchange.watchTrades(btc)
      assert.deepEqual(first.map(shown), [{ symbol: btc, side: "buy", price: 51000, amount: 0.1, cost: 5100 }])
      const next = exchange.watchTrades(btc)
      await buyer.createOrder(btc, "limit", "buy", 0.2, 51000)
      assert.deepEqual((await next).map(shown), [{ symbol: btc, side: "buy", price: 51000, amount: 0.2, cost: 10200 }])
    })
  })

  test("watchOrderBook follows the book that fetchOrderBook reads", async ({ alice: seller, bob: buyer, venue }) => {
    await seller.createOrder(btc, "limit", "sell", 0.5, 51000)
    await buyer.createOrder(btc, "limit", "buy", 1, 49000)
    await watching(venue, alice, async (exchange) => {
      const book = await exchange.watchOrderBook(btc)
      assert.deepEqual([book.symbol, [...book.asks], [...book.bids]], [btc, [[51000, 0.5]], [[49000, 1]]])
      await seller.createOrder(btc, "limit", "sell", 0.25, 52000)
      await buyer.createOrder(btc, "limit", "buy", 0.5, 51000)
      const asks = [[52000, 0.25]]
      const { bids } = await until(
        () => exchange.watchOrderBook(btc),
        (changed) => JSON.stringify(changed.asks) === JSON.stringify(asks)
      )
      assert.deepEqual([...bids], [[49000, 1]])
      const fetched = await exchange.fetchOrderBook(btc)
      assert.deepEqual([fetched.asks, fetched.bids], [asks, [[49000, 1]]])
    })
  })

  test("watchOHLCV reads the candle that a trade creates", async ({ alice: seller, bob: buyer, venue }) => {
    await seller.createOrder(btc, "limit", "sell", 0.5, 51000)
    await watching(venue, alice, async (exchange) => {
      const watched = exchange.watchOHLCV(btc, "1w")
      // The subscription is acknowledged before the next order is placed.
      await exchange.watchOrderBook(btc)
      await buyer.createOrder(btc, "limit", "buy", 0.1, 51000)
      const [[time, open, high, low, close, volume]] = await watched
      assert.equal(new Date(time).getUTCDay(), 1)
      assert.deepEqual([open, high, low, close, volume], [40000, 51000, 40000, 51000, 0.1])
    })
  })
})

describe("ccxt's WebSocket client on private channels", () => {
  test("watchBalance reads the balance changes that an order causes", async ({ alice: trader, venue }) => {
    await watching(venue, alice, async (exchange) => {
      const watched = exchange.watchBalance()
      await exchange.watchOrderBook(btc)
      await exchange.watchTicker(btc)
      await trader.createOrder(btc, "limit", "buy", 0.5, 40000)
      assert.deepEqual((await watched).USDT, { free: 80000, used: 20000, total: 100000 })
    })
  })

  test("watchOrders reports an order until it closes", async ({ alice: seller, bob: buyer, venue }) => {
    await watching(venue, alice, async (exchange) => {
      const isOf = (id, status, filled) => (orders) =>
        orders.some((order) => order.id === id && order.status === status && order.filled === filled)
      const watched = exchange.watchOrders(btc)
      await exchange.watchOrderBook(btc)
      await exchange.watchTicker(btc)
      const { id } = await seller.createOrder(btc, "limit", "sell", 0.5, 51000, { clientOrderId: "pro-1" })
      const [order] = await watched
      assert.deepEqual(
        pick(order, "id", "clientOrderId", "symbol", "type", "side", "price", "amount", "filled", "remaining", "status"),
        {
          id,
          clientOrderId: "pro-1",
          symbol: btc,
          type: "limit",
          side: "sell",
          price: 51000,
          amount: 0.5,
          filled: 0,
          remaining: 0.5,
          status: "open"
        }
      )
      const filled = until(() => exchange.watchOrders(btc), isOf(id, "open", 0.2))
      await buyer.createOrder(btc, "limit", "buy", 0.2, 51000)
      await filled
      const ended = until(() => exchange.watchOrders(btc), isOf(id, "canceled", 0.2))
      await seller.cancelOrder(id, btc)
      await ended
    })
  })

  test("watchMyTrades reads the trades of both counterparties", async ({ alice: seller, bob: buyer, venue }) => {
    await watching(venue, bob, async (exchange) => {
      const watched = exchange.watchMyTrades(btc)
      await exchange.watchOrderBook(btc)
      await exchange.watchTicker(btc)
      await seller.createOrder(btc, "limit", "sell", 0.5, 51000)
      const { id } = await buyer.createOrder(btc, "limit", "buy", 0.2, 51000, { clientOrderId: "pro-2" })
      const [trade] = await watched
      assert.deepEqual(pick(trade, "order", "symbol", "side", "takerOrMaker", "price", "amount", "cost"), {
        order: id,
        symbol: btc,
        side: "buy",
        takerOrMaker: "taker",
        price: 51000,
        amount: 0.2,
        cost: 10200
      })
      const [fetched] = await exchange.fetchMyTrades(btc)
      assert.deepEqual(pick(trade, "id", "timestamp"), pick(fetched, "id", "timestamp"))
    })
  })
})
