/**
 * Tests ccxt's methods for an order's deals, the kill switch and conditional orders. `ccxt.test.js` describes ccxt's
 * configuration.
 */
import * as Ccxt from "ccxt"
import assert from "node:assert/strict"
import { btc, fails, pick, test } from "./desk.js"

test("fetchOrderTrades reads an order's deals", async ({ alice, bob }) => {
  const sale = await alice.createOrder(btc, "limit", "sell", 0.5, 51000, { clientOrderId: "sale" })
  await alice.createOrder(btc, "limit", "sell", 0.5, 51000)
  assert.deepEqual(await alice.fetchOrderTrades(sale.id, btc), [])
  const first = await bob.createOrder(btc, "limit", "buy", 0.2, 51000)
  const second = await bob.createOrder(btc, "limit", "buy", 0.4, 51000)

  const trades = await alice.fetchOrderTrades(sale.id, btc)
  assert.deepEqual(trades.map((trade) => pick(trade, "symbol", "takerOrMaker", "price", "amount", "cost", "fee")), [
    { symbol: btc, takerOrMaker: "maker", price: 51000, amount: 0.2, cost: 10200, fee: { cost: 10.2, currency: "USDT" } },
    { symbol: btc, takerOrMaker: "maker", price: 51000, amount: 0.3, cost: 15300, fee: { cost: 15.3, currency: "USDT" } }
  ])
  // ccxt returns `dealOrderId`, the id of the counterparty's order, as `order`.
  assert.deepEqual(trades.map(({ order }) => order), [first.id, second.id])
  assert.ok(trades.every(({ timestamp }) => Math.abs(timestamp - Date.now()) < 10_000))

  const taken = await bob.fetchOrderTrades(second.id, btc)
  assert.deepEqual(taken.map(({ amount, takerOrMaker }) => `${takerOrMaker} ${amount}`).toSorted(), [
    "taker 0.1",
    "taker 0.3"
  ])
  assert.equal((await bob.fetchOrderTrades(second.id, btc, undefined, 1)).length, 1)
  assert.deepEqual(await alice.fetchOrderTrades(second.id, btc), [])
})

test("cancelAllOrdersAfter arms a market's kill switch, and a timeout of 0 disarms it", async ({ alice, venue }) => {
  const { id } = await alice.createOrder(btc, "limit", "buy", 0.1, 40000)
  const armed = await alice.cancelAllOrdersAfter(60_000, { symbol: btc, types: ["spot"] })
  assert.deepEqual(pick(armed, "market", "types"), { market: "BTC_USDT", types: ["spot"] })
  assert.equal(armed.cancellationTime - armed.startTime, 60)
  assert.ok(Math.abs(armed.startTime - Date.now() / 1000) < 10)
  assert.deepEqual(await alice.v4PrivatePostOrderKillSwitchStatus({ market: "BTC_USDT" }), [armed])

  // ccxt sends the text `null` here.
  assert.deepEqual(await alice.cancelAllOrdersAfter(0, { symbol: btc }), [])
  assert.deepEqual(await alice.v4PrivatePostOrderKillSwitchStatus(), [])
  assert.deepEqual((await alice.fetchOpenOrders()).map((order) => order.id), [id])

  await alice.cancelAllOrdersAfter(5000, { symbol: btc })
  await venue.advance(5000)
  assert.deepEqual(await alice.fetchOpenOrders(), [])
  await fails(alice.cancelAllOrdersAfter(4000, { symbol: btc }), Ccxt.ExchangeError)
})

test("createOrder places a take-profit and a stop-loss, and the raw calls manage conditional orders", async ({ alice, venue }) => {
  const exit = { takeProfit: "52000", stopLoss: "46000" }
  const entry = await alice.createOrder(btc, "limit", "buy", 0.1, 48000, { marginMode: "cross", ...exit })
  const { oto } = entry.info
  assert.deepEqual(pick(oto, "takeProfit", "stopLoss"), exit)

  const { records, total } = await alice.v4PrivatePostConditionalOrders({ market: "BTC_USDT" })
  assert.equal(total, 1)
  assert.deepEqual(pick(records[0], "id", "type", "takeProfitPrice", "stopLossPrice"), {
    id: oto.otoId,
    type: "oto",
    takeProfitPrice: "52000",
    stopLossPrice: "46000"
  })
  assert.equal(String(records[0].conditionalOrder.orderId), entry.id)

  assert.deepEqual(await alice.v4PrivatePostOrderOtoCancel({ market: "BTC_USDT", otoId: oto.otoId }), [])
  assert.deepEqual(await alice.fetchOpenOrders(btc), [])
  const again = alice.v4PrivatePostOrderConditionalCancel({ market: "BTC_USDT", id: oto.otoId })
  await fails(again, Ccxt.OrderNotFound)

  await alice.createOrder(btc, "limit", "buy", 0.1, 48000, { marginMode: "cross", ...exit })
  await venue.movePrice("BTC_USDT", "47500")
  const legs = await alice.fetchOpenOrders(btc)
  assert.deepEqual(legs.map((leg) => pick(leg, "side", "amount", "triggerPrice")).toSorted(byTrigger), [
    { side: "sell", amount: 0.1, triggerPrice: 46000 },
    { side: "sell", amount: 0.1, triggerPrice: 52000 }
  ])
  const [position] = await alice.fetchPositions([btc])
  assert.deepEqual(pick(position.info.tpsl, "takeProfit", "stopLoss"), exit)
  assert.deepEqual(pick(position, "takeProfitPrice", "stopLossPrice"), { takeProfitPrice: 52000, stopLossPrice: 46000 })

  await venue.movePrice("BTC_USDT", "52000")
  assert.deepEqual([await alice.fetchOpenOrders(btc), await alice.fetchPositions([btc])], [[], []])
})

const byTrigger = (one, other) => one.triggerPrice - other.triggerPrice
