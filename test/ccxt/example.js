import ccxt from "ccxt"

/** ccxt's own client for the exchange, configured to call a sandbox. */
export const exchangeAt = (url, apiKey, secret) => {
  const exchange = new ccxt.pro.whitebit({ apiKey, secret })
  exchange.urls.api = {
    v1: { public: `${url}/api/v1/public`, private: `${url}/api/v1` },
    v2: { public: `${url}/api/v2/public` },
    v4: { public: `${url}/api/v4/public`, private: `${url}/api/v4` },
    ws: `${url.replace("http", "ws")}/ws`
  }
  return exchange
}

/** Buys at the market price, and reads the fills. Streams such as `watchOrders` work too. */
export const buy = async (exchange) => {
  // By default, ccxt refuses unencrypted sockets, which a sandbox uses. This call allows them.
  await exchange.loadHttpProxyAgent()
  const { id } = await exchange.createOrder("BTC/USDT", "limit", "buy", 0.01, 60000)
  return await exchange.fetchOrderTrades(id, "BTC/USDT")
}
