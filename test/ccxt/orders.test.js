/** Tests ccxt's methods for stop orders and for changing orders. `ccxt.test.js` describes ccxt's configuration. */
import * as Ccxt from "ccxt"
import assert from "node:assert/strict"
import { describe } from "node:test"
import { btc, fails, perpetual, pick, test } from "./desk.js"

/** The fields that most tests check. */
const shown = (order) => pick(order, "symbol", "side", "type", "status", "price", "triggerPrice", "amount", "filled", "cost")

describe("stop-market orders", () => {
  test("stop-market orders on spot wait until the price reaches their trigger, and then trade at the current price", async ({ alice, venue }) => {
    const stop = await alice.createOrder(btc, "market", "sell", 0.1, undefined, {
      triggerPrice: 48000,
      clientOrderId: "out-1"
    })
    assert.deepEqual(shown(stop), {
      symbol: btc,
      side: "sell",
      // ccxt uses this type for both market and stop-market orders.
      type: "market",
      status: "open",
      price: undefined,
      triggerPrice: 48000,
      amount: 0.1,
      filled: 0,
      cost: 0
    })
    assert.equal(stop.clientOrderId, "out-1")
    assert.deepEqual((await alice.fetchOpenOrders(btc)).map(({ id }) => id), [stop.id])
    await venue.movePrice("BTC_USDT", "47500")
    assert.deepEqual(await alice.fetchOpenOrders(btc), [])
    const [sold] = await alice.fetchClosedOrders(btc)
    assert.deepEqual(pick(sold, "id", "status", "filled", "cost", "average"), {
      id: stop.id,
      status: "closed",
      filled: 0.1,
      cost: 4750,
      average: 47500
    })
  })

  test("a stop-market buy on spot specifies the amount to spend", async ({ alice, venue }) => {
    const stop = await alice.createOrder(btc, "market", "buy", undefined, undefined, { stopPrice: 52000, cost: 520 })
    assert.deepEqual(pick(stop, "status", "triggerPrice", "filled"), { status: "open", triggerPrice: 52000, filled: 0 })
    await venue.movePrice("BTC_USDT", "52000")
    const [bought] = await alice.fetchClosedOrders(btc)
    assert.deepEqual(pick(bought, "id", "filled", "cost"), { id: stop.id, filled: 0.01, cost: 520 })
  })

  test("stop-market orders on margin open and close positions, including on futures markets", async ({ alice, venue }) => {
    for (const [symbol, market, params] of [[btc, "BTC_USDT", { marginMode: "cross" }], [perpetual, "BTC_PERP", {}]]) {
      const stop = await alice.createOrder(symbol, "market", "buy", 0.02, undefined, { triggerPrice: 51000, ...params })
      assert.deepEqual(pick(stop, "symbol", "status", "triggerPrice", "amount", "info"), {
        symbol,
        status: "open",
        triggerPrice: 51000,
        // The amount is in the base currency here, because ccxt passes it on unchanged.
        amount: 0.02,
        info: stop.info
      })
      assert.equal(stop.info.type, "trigger margin market")
      await venue.movePrice(market, "51000")
      const open = (await alice.fetchPositions()).filter((position) => position.symbol === symbol)
      assert.deepEqual(open.map(({ entryPrice, info }) => [info.amount, entryPrice]), [["0.02", 51000]])
      await alice.createOrder(symbol, "market", "sell", 0.02, undefined, {
        triggerPrice: 49000,
        reduceOnly: true,
        ...params
      })
      await venue.movePrice(market, "49000")
      await venue.movePrice(market, "50000")
      assert.deepEqual((await alice.fetchPositions()).filter((position) => position.symbol === symbol), [])
    }
  })

  test("stop-market orders that exceed the balance, or whose trigger is the last price, are refused", async ({ alice }) => {
    const sell = (amount, triggerPrice) => alice.createOrder(btc, "market", "sell", amount, undefined, { triggerPrice })
    await fails(sell(50, 48000), Ccxt.InsufficientFunds)
    await fails(sell(0.1, 50000), Ccxt.ExchangeError)
  })
})

describe("stop-limit orders", () => {
  test("stop-limit orders trade immediately when a price move triggers them", async ({ alice, venue }) => {
    const stop = await alice.createOrder(btc, "limit", "buy", 0.1, 53000, { triggerPrice: 52000 })
    await venue.movePrice("BTC_USDT", "52000")
    const [bought] = await alice.fetchClosedOrders(btc)
    assert.deepEqual(pick(bought, "id", "status", "price", "average", "filled"), {
      id: stop.id,
      status: "closed",
      price: 53000,
      average: 52000,
      filled: 0.1
    })
  })

  test("a raw call places stop-limit orders on margin", async ({ alice, venue }) => {
    await alice.loadMarkets()
    const answer = await alice.v4PrivatePostOrderCollateralStopLimit({
      market: "BTC_PERP",
      side: "buy",
      amount: "0.02",
      price: "52500",
      activation_price: "52000"
    })
    assert.deepEqual(shown(alice.parseOrder(answer, alice.market(perpetual))), {
      symbol: perpetual,
      side: "buy",
      type: "margin stop limit",
      status: "open",
      price: 52500,
      triggerPrice: 52000,
      amount: 0.02,
      filled: 0,
      cost: 0
    })
    await venue.movePrice("BTC_PERP", "52100")
    assert.deepEqual((await alice.fetchPositions()).map(({ entryPrice, info }) => [info.amount, entryPrice]), [
      ["0.02", 52100]
    ])
  })
})

describe("editOrder", () => {
  test("editOrder returns the order that replaces the old one", async ({ alice }) => {
    const order = await alice.createOrder(btc, "limit", "buy", 0.1, 40000, { clientOrderId: "quote-1" })
    const edited = await alice.editOrder(order.id, btc, "limit", "buy", 0.2, 41000)
    assert.notEqual(edited.id, order.id)
    assert.deepEqual(pick(edited, "clientOrderId", "status", "type", "side", "price", "amount", "remaining"), {
      clientOrderId: "quote-1",
      status: "open",
      type: "limit",
      side: "buy",
      price: 41000,
      amount: 0.2,
      remaining: 0.2
    })
    assert.deepEqual((await alice.fetchOpenOrders(btc)).map(({ id }) => id), [edited.id])
    assert.equal((await alice.fetchOrder(order.id, btc)).status, "canceled")
    await fails(alice.editOrder(order.id, btc, "limit", "buy", 0.2, 42000), Ccxt.OrderNotFound)
  })

  test("editOrder finds an order by its client order id, and changes only its price", async ({ alice }) => {
    await alice.createOrder(btc, "limit", "sell", 0.1, 60000, { clientOrderId: "quote-2" })
    const edited = await alice.editOrder(undefined, btc, "limit", "sell", undefined, 61000, { clientOrderId: "quote-2" })
    assert.deepEqual(pick(edited, "clientOrderId", "price", "amount"), {
      clientOrderId: "quote-2",
      price: 61000,
      amount: 0.1
    })
  })

  test("editOrder changes the amounts and limit prices of stop orders", async ({ alice }) => {
    const limit = await alice.createOrder(btc, "limit", "buy", 0.1, 53000, { triggerPrice: 52000 })
    const edited = await alice.editOrder(limit.id, btc, "limit", "buy", 0.2, 54000)
    assert.deepEqual(shown(edited), { ...shown(limit), price: 54000, amount: 0.2 })
    const spending = await alice.createOrder(btc, "market", "buy", undefined, undefined, {
      triggerPrice: 52000,
      cost: 520
    })
    const more = await alice.editOrder(spending.id, btc, "market", "buy", 1040)
    assert.deepEqual(pick(more.info, "type", "amount", "activation_price"), {
      type: "stop market",
      amount: "1040",
      activation_price: "52000"
    })
  })

  test("editOrder sends the trigger price under an undocumented key, which the exchange ignores", async ({ alice }) => {
    const stop = await alice.createOrder(btc, "limit", "buy", 0.1, 53000, { triggerPrice: 52000 })
    const edited = await alice.editOrder(stop.id, btc, "limit", "buy", 0.1, 53000, { triggerPrice: 52500 })
    assert.equal(edited.triggerPrice, 52000)
  })

  test("editOrder fails if the change exceeds the balance, and the order stays unchanged", async ({ alice }) => {
    const { id } = await alice.createOrder(btc, "limit", "sell", 0.1, 60000)
    await fails(alice.editOrder(id, btc, "limit", "sell", 50, 60000), Ccxt.InsufficientFunds)
    assert.deepEqual((await alice.fetchOpenOrders(btc)).map((order) => order.id), [id])
  })
})

describe("raw methods for several orders in one call", () => {
  const quote = (price, more = {}) => ({ market: "BTC_USDT", side: "buy", amount: "0.1", price, ...more })

  test("a raw bulk call places orders, and returns an error for each refused order", async ({ alice }) => {
    const placed = await alice.v4PrivatePostOrderBulk({
      orders: [quote("40000", { clientOrderId: "quote-1" }), quote("49000", { amount: "50" }), quote("41000", { clientOrderId: "" })]
    })
    assert.deepEqual(
      placed.map(({ error, result }) => [result?.price, error?.code]),
      [["40000", undefined], [undefined, 10], ["41000", undefined]]
    )
    assert.deepEqual((await alice.fetchOpenOrders(btc)).map(({ price }) => price).sort(), [40000, 41000])
    const stopped = await alice.v4PrivatePostOrderBulk({ orders: [quote("49000", { amount: "50" }), quote("40000")], stopOnFail: true })
    assert.deepEqual(stopped.map(({ result }) => result), [null])
  })

  test("a raw bulk call places orders on margin", async ({ alice }) => {
    const placed = await alice.v4PrivatePostOrderCollateralBulk({
      orders: [quote("40000", { market: "BTC_PERP" }), quote("40000", { market: "BTC_PERP", reduceOnly: true })]
    })
    assert.deepEqual(placed.map(({ error, result }) => [result?.type, error?.code]), [
      ["margin limit", undefined],
      [undefined, 116]
    ])
    assert.deepEqual((await alice.fetchOpenOrders(perpetual)).map(({ price }) => price), [40000])
  })

  test("a raw bulk call cancels orders, and reports unknown orders", async ({ alice }) => {
    const order = await alice.createOrder(btc, "limit", "buy", 0.1, 40000)
    const canceled = await alice.v4PrivatePostOrderCancelBulk({
      orders: [{ market: "BTC_USDT", orderId: Number(order.id) }, { market: "BTC_USDT", orderId: Number(order.id) }]
    })
    assert.deepEqual(canceled.map(({ error, result }) => [result && String(result.orderId), error?.code]), [
      [order.id, undefined],
      [null, 404]
    ])
    assert.deepEqual(await alice.fetchOpenOrders(btc), [])
  })
})
