/**
 * Runs ccxt's published `whitebit` against the sandbox in the live dialect. Software written for the real exchange, by
 * people who do not know this project, must work here without changes.
 *
 * This is a separate package, so that working on the project does not require ccxt. To run the tests, install the
 * project's own packages, then run in this folder:
 *
 * npm ci && npm test
 *
 * ccxt is not modified. It is only configured as its manual describes: with other addresses, no waiting between calls,
 * and a nonce that increases even within a millisecond.
 *
 * Every test runs twice: against a sandbox, and against a venue on a host, under its path.
 *
 * The last test in this file lists the ccxt calls that the sandbox does not serve.
 */
import * as Ccxt from "ccxt"
import assert from "node:assert/strict"
import { describe } from "node:test"
import { btc, client, fails, lastNonce, perpetual, pick, test } from "./desk.js"
import { alice, answerLost, badGateway, bob, disabled, open, restricted } from "./venue.ts"

const ids = (orders) => orders.map(({ id }) => id).toSorted()

/** Reads the total of each currency in an account's trade balance. */
const totals = async (exchange) => (await exchange.fetchBalance()).total

describe("public calls", () => {
  test("loadMarkets reads markets and currencies", async ({ alice }) => {
    await alice.loadMarkets()
    assert.deepEqual(
      pick(alice.market(btc), "id", "type", "margin", "active", "taker", "maker", "precision"),
      {
        id: "BTC_USDT",
        type: "spot",
        margin: true,
        active: true,
        taker: 0.001,
        maker: 0.001,
        precision: { amount: 0.000001, price: 0.01 }
      }
    )
    assert.deepEqual(alice.market(btc).limits.cost, { min: 5, max: 10000000 })
    assert.deepEqual(pick(alice.market(perpetual), "id", "type", "settle", "linear"), {
      id: "BTC_PERP",
      type: "swap",
      settle: "USDT",
      linear: true
    })
    assert.deepEqual(pick(alice.currency("BTC"), "id", "type", "deposit", "withdraw"), {
      id: "BTC",
      type: "crypto",
      deposit: true,
      withdraw: true
    })
    assert.equal(alice.currency("BTC").limits.withdraw.min, 0.001)
  })

  test("fetchTime, fetchStatus and fetchTradingFees read the sandbox's values", async ({ alice }) => {
    const [before, time, after] = [Date.now(), await alice.fetchTime(), Date.now()]
    assert.ok(time > before - 1000 && time <= after, `${time} is not between ${before} and ${after}`)
    assert.equal((await alice.fetchStatus()).status, "ok")
    assert.deepEqual(pick((await alice.fetchTradingFees())[btc], "maker", "taker"), { maker: 0.001, taker: 0.001 })
  })

  test("fetchTickers, fetchOrderBook and fetchTrades show a trade, and the orders that it leaves in the book", async ({ alice, bob }) => {
    await alice.createOrder(btc, "limit", "sell", 0.5, 51000)
    await alice.createOrder(btc, "limit", "sell", 0.25, 52000)
    await bob.createOrder(btc, "limit", "buy", 1, 49000)
    await bob.createOrder(btc, "limit", "buy", 0.1, 51000)

    const book = await bob.fetchOrderBook(btc)
    assert.deepEqual([book.asks, book.bids], [[[51000, 0.4], [52000, 0.25]], [[49000, 1]]])
    assert.deepEqual((await bob.fetchOrderBook(btc, 1)).asks, [[51000, 0.4]])

    const trades = await bob.fetchTrades(btc)
    assert.deepEqual(trades.map((trade) => pick(trade, "side", "price", "amount", "cost")), [
      { side: "buy", price: 51000, amount: 0.1, cost: 5100 }
    ])
    assert.ok(Math.abs(trades[0].timestamp - Date.now()) < 10_000)

    const ticker = (await bob.fetchTickers([btc]))[btc]
    assert.deepEqual(pick(ticker, "last", "baseVolume", "quoteVolume"), {
      last: 51000,
      baseVolume: 0.1,
      quoteVolume: 5100
    })
  })

  test("a call for an unknown market fails with BadSymbol if ccxt refuses it, and with ExchangeError if the exchange does", async ({ alice }) => {
    await fails(alice.fetchOrderBook("NO/PE"), Ccxt.BadSymbol)
    await fails(alice.v4PublicGetOrderbookMarket({ market: "NO_PE" }), Ccxt.ExchangeError)
    await fails(alice.v4PrivatePostOrders({ market: "NO_PE" }), Ccxt.ExchangeError)
  })
})

describe("accounts", () => {
  test("fetchBalance reads the main, trade and collateral balances", async ({ alice }) => {
    const main = await alice.fetchBalance({ account: "main" })
    assert.equal(main.BTC.total, 0.5)
    assert.ok(main.USDT.free >= 1000)

    await alice.createOrder(btc, "limit", "sell", 0.5, 60000)
    assert.deepEqual((await alice.fetchBalance()).BTC, { free: 1.5, used: 0.5, total: 2 })
    assert.equal((await alice.fetchBalance({ type: "swap" })).USDT.total, 50000)
  })

  test("`transfer` moves funds between balances, under every balance name that ccxt uses", async ({ as }) => {
    const exchange = as(alice, { sign: { nonceWindow: true } })
    const all = async () =>
      Promise.all([
        exchange.fetchBalance({ account: "main" }),
        exchange.fetchBalance({ account: "trade" }),
        exchange.fetchBalance({ type: "swap" })
      ]).then((balances) => balances.map(({ USDT }) => USDT.total))
    const before = await all()
    await exchange.transfer("USDT", 100, "main", "spot")
    await exchange.transfer("USDT", 30, "trade", "funding")
    await exchange.transfer("USDT", 20, "spot", "margin")
    await exchange.transfer("USDT", 5, "collateral", "main")
    assert.deepEqual((await all()).map((total, index) => total - before[index]), [-65, 50, 15])

    await fails(exchange.transfer("USDT", 1e9, "main", "spot"), Ccxt.InsufficientFunds)
    await fails(exchange.transfer("SHIB", 1, "main", "spot"), Ccxt.InsufficientFunds)
    await fails(exchange.transfer("USDT", 1, "main", "nowhere"), Ccxt.ExchangeError)
  })

  test("fetchAccounts lists the sub-accounts", async ({ alice, bob }) => {
    const accounts = await alice.fetchAccounts()
    assert.ok(accounts.some(({ name, type }) => name === "market making" && type === "subaccount"))
    assert.deepEqual(await bob.fetchAccounts(), [])
  })

  test("ccxt's raw calls work for codes, fees, interest and sub-accounts", async ({ alice, bob }) => {
    const fee = (await alice.v4PrivatePostMainAccountFee()).find(({ ticker }) => ticker === "BTC")
    assert.equal(fee.withdraw.fixed, "0.0004")

    const applied = await alice.v4PrivatePostMainAccountCodesApply({
      code: "WBe11205e5-5faf-11ed-9b6a-0242ac120002ETH"
    })
    assert.deepEqual(pick(applied, "ticker", "amount"), { ticker: "ETH", amount: "2.5" })
    assert.equal((await alice.fetchBalance({ account: "main" })).ETH.total, 2.5)

    const { records } = await alice.v4PrivatePostMainAccountSmartInterestPaymentHistory({ limit: 2 })
    assert.deepEqual(records.map(({ ticker }) => ticker), ["USDT", "USDT"])
    await fails(bob.v4PrivatePostMainAccountSmartInterestPaymentHistory({ limit: 2 }), Ccxt.ExchangeError)

    const { data: keys } = await alice.v4PrivatePostSubAccountApiKeyList({ limit: 1 })
    assert.equal(keys.length, 1)
    const { data: subAccounts } = await alice.v4PrivatePostSubAccountList({ search: "archive" })
    await alice.v4PrivatePostSubAccountDelete({ id: subAccounts[0].id })
    assert.deepEqual((await alice.fetchAccounts()).filter(({ name }) => name === "archive"), [])
  })
})

describe("orders", () => {
  test("a limit order rests, is found, is partly filled and is then canceled", async ({ alice, bob }) => {
    const placed = await alice.createOrder(btc, "limit", "sell", 0.5, 51000)
    assert.deepEqual(
      pick(placed, "symbol", "status", "side", "type", "price", "amount", "filled", "remaining"),
      {
        symbol: btc,
        status: "open",
        side: "sell",
        type: "limit",
        price: 51000,
        amount: 0.5,
        filled: 0,
        remaining: 0.5
      }
    )
    // ccxt generates a client order id.
    assert.match(placed.clientOrderId, /^ccxt/u)
    assert.deepEqual(await alice.fetchOpenOrders(btc), [placed])
    assert.deepEqual(await alice.fetchOrder(placed.id, btc), placed)
    assert.deepEqual(await bob.fetchOpenOrders(), [])

    await bob.createOrder(btc, "limit", "buy", 0.2, 51500)
    const [partial] = await alice.fetchOpenOrders()
    assert.deepEqual(pick(partial, "id", "status", "filled", "remaining", "cost"), {
      id: placed.id,
      status: "open",
      filled: 0.2,
      remaining: 0.3,
      cost: 10200
    })

    const canceled = await alice.cancelOrder(placed.id, btc)
    assert.deepEqual(pick(canceled, "id", "filled", "remaining"), { id: placed.id, filled: 0.2, remaining: 0.3 })
    assert.deepEqual(await alice.fetchOpenOrders(), [])
    const history = await alice.fetchOrder(placed.id, btc)
    assert.deepEqual(pick(history, "id", "filled", "average"), { id: placed.id, filled: 0.2, average: 51000 })
  })

  test("ccxt reports an order that was canceled without fills as canceled", async ({ alice }) => {
    const { id } = await alice.createOrder(btc, "limit", "buy", 0.5, 40000)
    assert.equal((await alice.cancelOrder(id, btc)).status, "canceled")
    assert.equal((await alice.fetchOrder(id, btc)).status, "canceled")
  })

  test("market orders by amount and by cost trade at the book's prices", async ({ alice, bob }) => {
    await alice.createOrder(btc, "limit", "sell", 1, 51000)
    const [mine, theirs] = [await totals(bob), await totals(alice)]
    const bought = await bob.createOrder(btc, "market", "buy", 0.1)
    assert.deepEqual(pick(bought, "status", "type", "filled", "average", "cost"), {
      status: "closed",
      type: "market",
      filled: 0.1,
      average: 51000,
      cost: 5100
    })
    const spent = await bob.createMarketBuyOrderWithCost(btc, 1020)
    assert.deepEqual(pick(spent, "status", "filled", "cost"), { status: "closed", filled: 0.02, cost: 1020 })
    const sold = await alice.createOrder(btc, "limit", "buy", 0.05, 49000)
      .then(() => bob.createOrder(btc, "market", "sell", 0.05))
    assert.deepEqual(pick(sold, "status", "filled", "cost"), { status: "closed", filled: 0.05, cost: 2450 })

    const same = (actual, expected) => assert.ok(Math.abs(actual - expected) < 1e-9, `${actual}, not ${expected}`)
    same((await totals(bob)).USDT - mine.USDT, -5100 - 1020 + 2450 * 0.999)
    same((await totals(bob)).BTC - mine.BTC, 0.12 * 0.999 - 0.05)
    same((await totals(alice)).USDT - theirs.USDT, 6120 * 0.999 - 2450)
    same((await totals(alice)).BTC - theirs.BTC, -0.12 + 0.05 * 0.999)

    const closed = await bob.fetchClosedOrders(btc)
    assert.deepEqual(ids(closed), ids([bought, spent, sold]))
    assert.ok(closed.every(({ lastTradeTimestamp, status }) => status === "closed" && lastTradeTimestamp > 0))
    assert.equal((await bob.fetchOrder(bought.id, btc)).status, "closed")

    const fills = await bob.fetchMyTrades(btc)
    assert.deepEqual(
      fills.map((fill) => pick(fill, "side", "price", "amount", "cost", "takerOrMaker")),
      [
        { side: "buy", price: 51000, amount: 0.1, cost: 5100, takerOrMaker: "taker" },
        { side: "buy", price: 51000, amount: 0.02, cost: 1020, takerOrMaker: "taker" },
        { side: "sell", price: 49000, amount: 0.05, cost: 2450, takerOrMaker: "taker" }
      ]
    )
    assert.deepEqual(fills.map(({ order }) => order).toSorted(), ids([bought, spent, sold]).toSorted())
  })

  test("ccxt places post-only and immediate-or-cancel orders", async ({ alice, bob }) => {
    const resting = await alice.createOrder(btc, "limit", "sell", 0.1, 51000, { postOnly: true })
    assert.deepEqual(pick(resting, "status", "postOnly", "timeInForce"), {
      status: "open",
      postOnly: true,
      timeInForce: "PO"
    })
    await fails(bob.createOrder(btc, "limit", "buy", 0.1, 51000, { timeInForce: "PO" }), Ccxt.ExchangeError)
    const taken = await bob.createOrder(btc, "limit", "buy", 0.2, 51000, { timeInForce: "IOC" })
    assert.deepEqual(pick(taken, "filled", "remaining"), { filled: 0.1, remaining: 0.1 })
    assert.deepEqual(await bob.fetchOpenOrders(), [])
  })

  test("stop-limit orders wait until the price rises or falls to their trigger", async ({ alice, bob, venue }) => {
    const up = await alice.createOrder(btc, "limit", "buy", 0.1, 53000, { triggerPrice: 52000, clientOrderId: "up-1" })
    assert.deepEqual(
      pick(up, "clientOrderId", "status", "type", "price", "triggerPrice", "amount", "filled"),
      {
        clientOrderId: "up-1",
        status: "open",
        type: "limit",
        price: 53000,
        triggerPrice: 52000,
        amount: 0.1,
        filled: 0
      }
    )
    assert.deepEqual(pick(up.info, "type", "activated", "activationCondition"), {
      type: "stop limit",
      activated: 0,
      activationCondition: "gte"
    })
    // This buy order's trigger is below the price. The sandbox does not trigger it immediately, so the order waits
    // until the price falls.
    const down = await alice.createOrder(btc, "limit", "buy", 0.1, 48500, { triggerPrice: 48000 })
    assert.equal(down.info.activationCondition, "lte")
    assert.deepEqual(ids(await alice.fetchOpenOrders(btc)), ids([up, down]))
    assert.deepEqual(await alice.fetchOrder(up.id, btc), up)

    const offer = await bob.createOrder(btc, "limit", "sell", 1, 52500)
    await venue.movePrice("BTC_USDT", "52000")
    // The simulated outside market sells at the new price, so the order buys nothing from bob.
    const filled = await alice.fetchOrder(up.id, btc)
    assert.deepEqual(pick(filled, "status", "filled", "average"), { status: "closed", filled: 0.1, average: 52000 })
    assert.equal((await bob.fetchOrder(offer.id, btc)).filled, 0)
    assert.deepEqual(ids(await alice.fetchOpenOrders()), [down.id])
    assert.equal((await alice.cancelOrder(down.id, btc)).status, "canceled")
  })

  test("cancelAllOrders cancels only orders on the given market and of the given kind", async ({ alice }) => {
    const spot = await alice.createOrder(btc, "limit", "buy", 0.1, 40000)
    const stop = await alice.createOrder(btc, "limit", "buy", 0.1, 53000, { triggerPrice: 52000 })
    const margin = await alice.createOrder(btc, "limit", "buy", 0.1, 41000, { marginMode: "cross" })
    const eth = await alice.createOrder("ETH/USDT", "limit", "buy", 1, 2000)
    const swap = await alice.createOrder(perpetual, "limit", "buy", 0.1, 40000)
    assert.deepEqual(ids(await alice.fetchOpenOrders()), ids([spot, stop, margin, eth, swap]))

    assert.deepEqual(await alice.cancelAllOrders(btc), [])
    assert.deepEqual(ids(await alice.fetchOpenOrders()), ids([margin, eth, swap]))
    await alice.cancelAllOrders(btc, { isMargin: true })
    assert.deepEqual(ids(await alice.fetchOpenOrders()), ids([eth, swap]))
    await alice.cancelAllOrders(perpetual)
    assert.deepEqual(ids(await alice.fetchOpenOrders()), ids([eth]))
    await alice.cancelAllOrders()
    assert.deepEqual(await alice.fetchOpenOrders(), [])
    assert.deepEqual(await alice.cancelAllOrders(), [])
  })

  test("orders on a perpetual market open and close a position", async ({ alice, bob }) => {
    const offer = await bob.createOrder(perpetual, "limit", "sell", 0.1, 50500)
    assert.deepEqual(pick(offer, "symbol", "type", "status"), { symbol: perpetual, type: "limit", status: "open" })
    const taken = await alice.createOrder(perpetual, "market", "buy", 0.1)
    assert.deepEqual(pick(taken, "type", "status", "filled", "average"), {
      type: "market",
      status: "closed",
      filled: 0.1,
      average: 50500
    })
    const [long, ...others] = await alice.fetchPositions([perpetual])
    assert.deepEqual(others, [])
    assert.deepEqual(pick(long, "symbol", "entryPrice"), { symbol: perpetual, entryPrice: 50500 })
    assert.equal(long.info.amount, "0.1")
    assert.equal((await bob.fetchPosition(perpetual)).info.amount, "-0.1")
    assert.equal((await bob.fetchOrder(offer.id, perpetual)).status, "closed")

    await bob.createOrder(perpetual, "limit", "buy", 0.1, 50500)
    await alice.createOrder(perpetual, "market", "sell", 0.1)
    assert.deepEqual(await alice.fetchPositions(), [])
  })

  test("ccxt's raw calls place an OCO order", async ({ alice }) => {
    const oco = await alice.v4PrivatePostOrderCollateralOco({
      market: "BTC_USDT",
      side: "buy",
      amount: "0.01",
      price: "49000",
      activation_price: "51000",
      stop_limit_price: "52000"
    })
    const legs = [alice.parseOrder(oco.stop_loss), alice.parseOrder(oco.take_profit)]
    assert.deepEqual(legs.map((leg) => pick(leg, "symbol", "status", "price", "triggerPrice")), [
      { symbol: btc, status: "open", price: 52000, triggerPrice: 51000 },
      { symbol: btc, status: "open", price: 49000, triggerPrice: undefined }
    ])
    assert.deepEqual((await alice.v4PrivatePostOcoOrders()).map(({ id }) => id), [oco.id])
    await alice.v4PrivatePostOrderOcoCancel({ orderId: oco.id, market: "BTC_USDT" })
    assert.deepEqual(await alice.v4PrivatePostOcoOrders(), [])
  })

  test("fetchOrders makes two calls at the same time, and the nonce window accepts them in any order", async ({ as }) => {
    const exchange = as(alice, { sign: { nonceWindow: true } })
    const ended = await exchange.createOrder(btc, "limit", "buy", 0.1, 40000)
    await exchange.cancelOrder(ended.id, btc)
    const resting = await exchange.createOrder(btc, "limit", "buy", 0.1, 40000)
    assert.deepEqual(ids(await exchange.fetchOrders(btc)), ids([ended, resting]))
  })
})

describe("refusals", () => {
  test("a call with a wrong secret or an unknown key fails with AuthenticationError", async ({ as }) => {
    await fails(as({ ...alice, apiSecret: bob.apiSecret }).fetchBalance(), Ccxt.AuthenticationError)
    await fails(as({ ...alice, apiKey: "nobody" }).fetchBalance(), Ccxt.AuthenticationError)
  })

  test("calls that a restricted key does not permit, and calls with a disabled key, fail with PermissionDenied", async ({ as }) => {
    const limited = as(restricted)
    assert.deepEqual(await limited.fetchOpenOrders(), [])
    await fails(limited.createOrder(btc, "limit", "buy", 0.1, 40000), Ccxt.PermissionDenied)
    await fails(as(disabled).fetchOpenOrders(), Ccxt.PermissionDenied)
  })

  test("an order that exceeds the balance fails with InsufficientFunds", async ({ alice, bob }) => {
    await fails(alice.createOrder(btc, "limit", "sell", 50, 60000), Ccxt.InsufficientFunds)
    await fails(alice.createOrder(btc, "limit", "buy", 50, 40000), Ccxt.InsufficientFunds)
    await fails(alice.createOrder(btc, "limit", "buy", 50, 53000, { triggerPrice: 52000 }), Ccxt.InsufficientFunds)
    await fails(alice.createOrder(btc, "market", "sell", 50), Ccxt.InsufficientFunds)
    await bob.createOrder(btc, "limit", "sell", 2, 60000)
    await fails(alice.createOrder(btc, "market", "buy", 2), Ccxt.InsufficientFunds)
    await fails(alice.createMarketBuyOrderWithCost(btc, 110000), Ccxt.InsufficientFunds)
    await fails(alice.createOrder(perpetual, "limit", "buy", 50, 50000), Ccxt.InsufficientFunds)
    assert.deepEqual(await alice.fetchOpenOrders(), [])
  })

  test("orders that break the market rules fail with InvalidOrder if ccxt knows the error message", async ({ alice }) => {
    await fails(alice.createOrder("ETH/USDT", "limit", "sell", 0.0001, 50000), Ccxt.InvalidOrder)
    await fails(alice.createOrder(btc, "limit", "sell", 0.0000001, 50000), Ccxt.InvalidOrder)
    // ccxt does not know the newer code for a step violation.
    await fails(
      alice.v4PrivatePostOrderNew({ market: "BTC_USDT", side: "buy", amount: "0.0100001", price: "40000" }),
      Ccxt.ExchangeError
    )
    await fails(alice.createOrder(btc, "limit", "sell", -1, 50000), Ccxt.ExchangeError)
    await fails(alice.createOrder(btc, "limit", "hold", 1, 50000), Ccxt.ExchangeError)
  })

  test("reusing the client order id of another open order fails with ExchangeError", async ({ alice }) => {
    const order = ["limit", "buy", 0.1, 40000, { clientOrderId: "mine" }]
    const { id } = await alice.createOrder(btc, ...order)
    await fails(alice.createOrder(btc, ...order), Ccxt.ExchangeError)
    await alice.cancelOrder(id, btc)
    assert.equal((await alice.createOrder(btc, ...order)).clientOrderId, "mine")
  })

  test("reading or canceling an unknown order or another account's order, or canceling a closed order, fails with OrderNotFound", async ({ alice, bob }) => {
    await fails(alice.fetchOrder("424242", btc), Ccxt.OrderNotFound)
    await fails(alice.cancelOrder("424242", btc), Ccxt.OrderNotFound)
    const { id } = await alice.createOrder(btc, "limit", "buy", 0.1, 40000)
    await fails(bob.fetchOrder(id, btc), Ccxt.OrderNotFound)
    await fails(bob.cancelOrder(id, btc), Ccxt.OrderNotFound)
    await alice.cancelOrder(id, btc)
    await fails(alice.cancelOrder(id, btc), Ccxt.OrderNotFound)
  })

  test("a call beyond the rate limit or with a reused nonce fails with DDoSProtection", async ({ alice, bob, venue }) => {
    await venue.limit("/api/v4/orders", 1)
    await alice.fetchOpenOrders()
    await fails(alice.fetchOpenOrders(), Ccxt.DDoSProtection)
    await bob.fetchOpenOrders()

    // Public calls share one rate limit.
    await venue.limit("public", 0)
    await fails(alice.fetchStatus(), Ccxt.DDoSProtection)

    const used = lastNonce()
    await alice.fetchBalance()
    alice.nonce = () => used
    await fails(alice.fetchBalance(), Ccxt.DDoSProtection)
  })

  test("a call fails with ExchangeNotAvailable if the exchange is down, and with NetworkError if the response is lost", async ({ alice, venue }) => {
    await alice.loadMarkets()
    await venue.fault("/api/v4/order/new", badGateway)
    await fails(alice.createOrder(btc, "limit", "buy", 0.1, 40000), Ccxt.ExchangeNotAvailable)
    assert.deepEqual(await alice.fetchOpenOrders(), [])

    await venue.fault("/api/v4/order/new", answerLost)
    await fails(alice.createOrder(btc, "limit", "buy", 0.1, 40000), Ccxt.NetworkError)
    assert.equal((await alice.fetchOpenOrders()).length, 1)
  })
})
