/** Tests the example on the page about ccxt. */
import assert from "node:assert/strict"
import { buy, exchangeAt } from "./example.js"
import { btc, test } from "./desk.js"
import { alice } from "./venue.ts"

test("the ccxt example on the page buys and reads its fills", async ({ venue, bob }) => {
  await bob.createOrder(btc, "limit", "sell", 1, 51000)
  const exchange = exchangeAt(venue.baseUrl, alice.apiKey, alice.apiSecret)
  try {
    const trades = await buy(exchange)
    assert.deepEqual(trades.map(({ amount, price }) => [amount, price]), [[0.01, 51000]])
    assert.equal((await exchange.watchTicker(btc)).last, 51000)
  } finally {
    await exchange.close()
  }
})
