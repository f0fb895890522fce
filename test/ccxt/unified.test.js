/**
 * Calls every unified method of ccxt's `whitebit` against the sandbox. A response is right when ccxt parses the
 * exchange's current values from it. A refusal must state its reason, and its row in the table explains why the refusal
 * is right. The last test fails if a method has no row in the table, and prints the counts.
 */
import * as Ccxt from "ccxt"
import assert from "node:assert/strict"
import { after, describe, it } from "node:test"
import { btc, client, perpetual, pick, test } from "./desk.js"
import { alice as key } from "./venue.ts"

const counts = { right: 0, refused: 0, "refused by ccxt": 0, failed: 0 }

/** Defines a call whose parsed response is asserted. */
const right = (check) => ({ kind: "right", check })

/**
 * Defines a call that the exchange refuses. States why the exchange must refuse it, ccxt's error for the refusal, and
 * the exchange's reason.
 */
const refused = (because, error, reason, call) => ({
  because,
  kind: "refused",
  check: async (world) => {
    const thrown = await failure(call, world)
    assert.equal(thrown.constructor.name, error.name, thrown.message)
    assert.match(thrown.message, reason)
  }
})

/** Defines a call that ccxt itself refuses to send. */
const unsent = (error, call) => ({
  kind: "refused by ccxt",
  check: async (world) => {
    await world.alice.loadMarkets()
    const before = world.alice.last_http_response
    const thrown = await failure(call, world)
    assert.equal(thrown.constructor.name, error.name, thrown.message)
    assert.equal(world.alice.last_http_response, before, "the call was sent")
  }
})

const failure = async (call, world) => {
  const thrown = await call(world).then(() => undefined, (error) => error)
  assert.ok(thrown instanceof Error, "the call did not fail")
  return thrown
}

/**
 * Defines a call that the live exchange serves and the sandbox does not. States what the sandbox would have to
 * simulate.
 */
const unserved = (missing, call) =>
  refused(`the sandbox has no ${missing}`, Ccxt.ExchangeError, /This sandbox does not serve it/u, call)

/** Asserts some fields of a parsed response. */
const shows = (value, fields) => assert.deepEqual(pick(value, ...Object.keys(fields)), fields)

/** Asserts that a time is within ten seconds of now. */
const isNow = (time) => assert.ok(Math.abs(time - Date.now()) < 10_000, `${time} is not now`)

const ids = (list) => list.map(({ id }) => id).toSorted()

/** Alice offers 0.5 at 51000 and sells 0.1 of it to bob, whose bid for 1 at 49000 stays in the book. */
const trade = async ({ alice, bob }) => {
  const sale = await alice.createOrder(btc, "limit", "sell", 0.5, 51000, { clientOrderId: "sale" })
  await bob.createOrder(btc, "limit", "buy", 1, 49000)
  const buy = await bob.createOrder(btc, "limit", "buy", 0.1, 51000)
  return { sale, buy }
}

/** Alice buys 0.1 on the perpetual market from bob at 50500. */
const openPosition = async ({ alice, bob }) => {
  await bob.createOrder(perpetual, "limit", "sell", 0.1, 50500)
  return alice.createOrder(perpetual, "market", "buy", 0.1)
}

const sold = { symbol: btc, side: "sell", price: 51000, amount: 0.1, cost: 5100 }
const bought = { ...sold, side: "buy" }
const resting = { symbol: btc, type: "limit", status: "open", filled: 0, cost: 0 }

/** Asserts alice's position at a mark price of 51000: a gain of 50 on a position that cost 5050. */
const isLong = ({ info, ...position }) => {
  shows(position, { symbol: perpetual, entryPrice: 50500, percentage: 0.99, collateral: 510 })
  // ccxt reads the documented realized gain as the unrealized gain.
  shows(info, { amount: "0.1", pnl: "0", unrealizedPnl: "50" })
}

const windowed = ({ as }) => as(key, { sign: { nonceWindow: true } })

const limitBuy = { ...resting, side: "buy", price: 40000, amount: 0.1, remaining: 0.1 }

/** Places a limit buy at 40000 with the given ccxt method. The order rests in the book. */
const rests = (place, fields = {}) =>
  right(async (world) => {
    const order = await place(world)
    shows(order, { ...limitBuy, ...fields })
    isNow(order.timestamp)
    assert.deepEqual(ids(await world.alice.fetchOpenOrders()), [order.id])
  })

/** Places a stop order with the given ccxt method. The order waits, and then fills at its trigger price. */
const waits = (place, { amount = 0.1, ...fields }, filled = amount) =>
  right(async (world) => {
    const order = await place(world)
    shows(order, { symbol: btc, status: "open", side: "buy", triggerPrice: 52000, filled: 0, ...fields })
    await world.venue.movePrice("BTC_USDT", "52000")
    shows(await world.alice.fetchOrder(order.id, btc), { status: "closed", filled, average: 52000 })
  })

/** Places a market order with the given ccxt method. The order takes 0.1 at 51000 from bob. */
const takes = (place, fields = {}) =>
  right(async (world) => {
    await world.bob.createOrder(btc, "limit", "sell", 0.5, 51000)
    shows(await place(world), {
      symbol: btc,
      type: "market",
      status: "closed",
      side: "buy",
      filled: 0.1,
      average: 51000,
      cost: 5100,
      ...fields
    })
    assert.equal((await world.bob.fetchOrderBook(btc)).asks[0][1], 0.4)
  })

const candle = (length) =>
  right(async ({ alice }) => {
    const candles = await alice.fetchOHLCV(btc, length)
    const [at, open] = candles[0]
    assert.ok(at <= Date.now() && at > Date.now() - 2 * alice.parseTimeframe(length) * 1000 - 604_800_000)
    assert.equal(open, 40000)
    assert.equal(candles.at(-1)[4], 50000)
  })

const symbols = [btc, perpetual, "ETH/BTC", "ETH/USDT", "SHIB/USDT"].toSorted()

const calls = {
  cancelAllOrders: {
    "of a spot market": right(async ({ alice }) => {
      const { id } = await alice.createOrder("ETH/USDT", "limit", "buy", 1, 2000)
      await alice.createOrder(btc, "limit", "buy", 0.1, 40000)
      assert.deepEqual(await alice.cancelAllOrders(btc), [])
      assert.deepEqual(ids(await alice.fetchOpenOrders()), [id])
    }),
    "of all spot markets": right(async ({ alice }) => {
      await alice.createOrder(btc, "limit", "buy", 0.1, 40000)
      assert.deepEqual(await alice.cancelAllOrders(), [])
      assert.deepEqual(await alice.fetchOpenOrders(), [])
    }),
    "on margin": right(async ({ alice }) => {
      const spot = await alice.createOrder(btc, "limit", "buy", 0.1, 40000)
      await alice.createOrder(btc, "limit", "buy", 0.1, 40000, { marginMode: "cross" })
      assert.deepEqual(await alice.cancelAllOrders(btc, { isMargin: true }), [])
      assert.deepEqual(ids(await alice.fetchOpenOrders()), [spot.id])
    }),
    "of the perpetual market": right(async ({ alice }) => {
      await alice.createOrder(perpetual, "limit", "buy", 0.1, 40000)
      assert.deepEqual(await alice.cancelAllOrders(perpetual), [])
      assert.deepEqual(await alice.fetchOpenOrders(), [])
    }),
    "of an unknown type": unsent(Ccxt.NotSupported, ({ alice }) => alice.cancelAllOrders(undefined, { type: "option" }))
  },
  cancelAllOrdersAfter: {
    "in a minute": right(async ({ alice }) => {
      const armed = await alice.cancelAllOrdersAfter(60_000, { symbol: btc })
      assert.equal(armed.market, "BTC_USDT")
      assert.equal(armed.cancellationTime - armed.startTime, 60)
    }),
    "of one kind": right(async ({ alice }) => {
      assert.deepEqual((await alice.cancelAllOrdersAfter(60_000, { symbol: btc, types: ["margin"] })).types, ["margin"])
    }),
    "never": right(async ({ alice }) => {
      await alice.cancelAllOrdersAfter(60_000, { symbol: btc })
      assert.deepEqual(await alice.cancelAllOrdersAfter(0, { symbol: btc }), [])
    }),
    "in less than five seconds": refused("the documented timeout is 5 to 600 seconds", Ccxt.ExchangeError, /"timeout":/u, ({ alice }) =>
      alice.cancelAllOrdersAfter(4000, { symbol: btc })),
    "without a market": unsent(Ccxt.ArgumentsRequired, ({ alice }) => alice.cancelAllOrdersAfter(60_000))
  },
  cancelOrder: {
    "of an untouched order": right(async ({ alice }) => {
      const { id } = await alice.createOrder(btc, "limit", "buy", 0.1, 40000)
      shows(await alice.cancelOrder(id, btc), { ...limitBuy, id, status: "canceled" })
    }),
    "of a partly filled order": right(async (world) => {
      const { sale } = await trade(world)
      shows(await world.alice.cancelOrder(sale.id, btc), { id: sale.id, filled: 0.1, remaining: 0.4, cost: 5100 })
    }),
    "of a stop order": right(async ({ alice }) => {
      const { id } = await alice.createOrder(btc, "limit", "buy", 0.1, 53000, { triggerPrice: 52000 })
      shows(await alice.cancelOrder(id, btc), { id, status: "canceled", triggerPrice: 52000 })
    }),
    "of an unknown order": refused("code 2, no open order has the id", Ccxt.OrderNotFound, /Unexecuted order was not found/u, ({ alice }) =>
      alice.cancelOrder("424242", btc)),
    "without a market": unsent(Ccxt.ArgumentsRequired, ({ alice }) => alice.cancelOrder("424242"))
  },
  createConvertTrade: { "of a quote": unserved("conversion", ({ alice }) => alice.createConvertTrade("1", "BTC", "USDT", 1)) },
  createDepositAddress: { "for a currency": unserved("deposits", ({ alice }) => alice.createDepositAddress("BTC")) },
  createLimitOrder: { "to buy": rests(({ alice }) => alice.createLimitOrder(btc, "buy", 0.1, 40000)) },
  createMarketBuyOrderWithCost: {
    "for 5100": takes(({ alice }) => alice.createMarketBuyOrderWithCost(btc, 5100), { amount: 0.1 })
  },
  createMarketOrder: { "to buy": takes(({ alice }) => alice.createMarketOrder(btc, "buy", 0.1), { amount: 0.1 }) },
  createMarketOrderWithCost: {
    "to buy for 5100": takes(({ alice }) => alice.createMarketOrderWithCost(btc, "buy", 5100), { amount: 0.1 }),
    "to sell": unsent(Ccxt.InvalidOrder, ({ alice }) => alice.createMarketOrderWithCost(btc, "sell", 5100))
  },
  createMarketOrderWs: {
    "over a stream that this class of ccxt lacks": unsent(Ccxt.NotSupported, ({ alice }) =>
      alice.createMarketOrderWs(btc, "buy", 0.1))
  },
  createOrder: {
    "limit": rests(({ alice }) => alice.createOrder(btc, "limit", "buy", 0.1, 40000)),
    "limit, with a client order id": rests(
      ({ alice }) => alice.createOrder(btc, "limit", "buy", 0.1, 40000, { clientOrderId: "mine" }),
      { clientOrderId: "mine" }
    ),
    "limit, post-only": rests(({ alice }) => alice.createOrder(btc, "limit", "buy", 0.1, 40000, { postOnly: true }), {
      postOnly: true,
      timeInForce: "PO"
    }),
    "limit, on margin": rests(
      ({ alice }) => alice.createOrder(btc, "limit", "buy", 0.1, 40000, { marginMode: "cross" })
    ),
    "limit, perpetual": rests(({ alice }) => alice.createOrder(perpetual, "limit", "buy", 0.1, 40000), {
      symbol: perpetual
    }),
    "limit, good until canceled": rests(({ alice }) =>
      alice.createOrder(btc, "limit", "buy", 0.1, 40000, { timeInForce: "GTC" })),
    "limit, post-only, that would trade": refused("code 13 or 14, a post-only order that would take", Ccxt.ExchangeError, /postOnly/u, async ({ alice, bob }) => {
      await bob.createOrder(btc, "limit", "sell", 0.5, 51000)
      return alice.createOrder(btc, "limit", "buy", 0.1, 51000, { postOnly: true })
    }),
    "limit, immediate or cancel": right(async ({ alice, bob }) => {
      await bob.createOrder(btc, "limit", "sell", 0.1, 51000)
      shows(await alice.createOrder(btc, "limit", "buy", 0.2, 51000, { timeInForce: "IOC" }), {
        timeInForce: "IOC",
        filled: 0.1,
        remaining: 0.1,
        cost: 5100
      })
      assert.deepEqual(await alice.fetchOpenOrders(), [])
    }),
    "limit, that takes a better price": right(async ({ alice, bob }) => {
      await bob.createOrder(btc, "limit", "sell", 0.5, 51000)
      shows(await alice.createOrder(btc, "limit", "buy", 0.1, 51500), {
        status: "closed",
        price: 51500,
        average: 51000,
        fee: { cost: 0.0001, currency: "USDT" }
      })
    }),
    "limit, fill or kill": unsent(Ccxt.NotSupported, ({ alice }) =>
      alice.createOrder(btc, "limit", "buy", 0.1, 40000, { timeInForce: "FOK" })),
    "limit, on isolated margin": unsent(Ccxt.NotSupported, ({ alice }) =>
      alice.createOrder(btc, "limit", "buy", 0.1, 40000, { marginMode: "isolated" })),
    "limit, beyond the balance": refused("code 10 or 32, a limit order locks its funds", Ccxt.InsufficientFunds, /Not enough balance/u, ({ alice }) =>
      alice.createOrder(btc, "limit", "buy", 50, 40000)),
    "limit, below the minimum amount": refused("code 32, the market's minAmount", Ccxt.InvalidOrder, /Given amount is less than min amount/u, ({ alice }) =>
      alice.createOrder(btc, "limit", "buy", 0.000005, 40000)),
    // ccxt does not recognize the documented message for a total that is too small.
    "limit, below the minimum total": refused("code 30, the market's minTotal", Ccxt.ExchangeError, /Total \(amount \* price\) is less than 5/u, ({ alice }) =>
      alice.createOrder(btc, "limit", "buy", 0.0001, 40000)),
    "limit, far above the last price": refused("code 250, the price band, whose width the sandbox chooses", Ccxt.InvalidOrder, /The Price should be less than or equal to/u, ({ alice }) =>
      alice.createOrder(btc, "limit", "buy", 0.001, 90_000_000)),
    "limit, far below the last price": refused(
      "code 250, the price band, whose width the sandbox chooses",
      Ccxt.InvalidOrder,
      /The Price should be greater than or equal to/u,
      ({ alice }) => alice.createOrder(btc, "limit", "sell", 1, 100)
    ),
    "limit, on an unknown side": refused("code 30, the documented sides are buy and sell", Ccxt.ExchangeError, /"side":/u, ({ alice }) =>
      alice.createOrder(btc, "limit", "hold", 0.1, 40000)),
    "limit, with take-profit and stop-loss": right(async ({ alice }) => {
      const exit = { takeProfit: "55000", stopLoss: "35000" }
      const order = await alice.createOrder(btc, "limit", "buy", 0.1, 40000, { marginMode: "cross", ...exit })
      shows(order, limitBuy)
      shows(order.info.oto, exit)
    }),
    "market, buy by amount": takes(({ alice }) => alice.createOrder(btc, "market", "buy", 0.1)),
    "market, buy by cost": takes(({ alice }) => alice.createOrder(btc, "market", "buy", 0, undefined, { cost: 5100 })),
    "market, sell": right(async ({ alice, bob }) => {
      await bob.createOrder(btc, "limit", "buy", 1, 49000)
      shows(await alice.createOrder(btc, "market", "sell", 0.1), {
        type: "market",
        status: "closed",
        filled: 0.1,
        average: 49000,
        fee: { cost: 4.9, currency: "USDT" }
      })
    }),
    "market, on margin": right(async ({ alice, bob }) => {
      await bob.createOrder(btc, "limit", "sell", 0.1, 51000, { marginMode: "cross" })
      shows(await alice.createOrder(btc, "market", "buy", 0.1, undefined, { marginMode: "cross" }), {
        type: "market",
        status: "closed",
        filled: 0.1,
        cost: 5100
      })
    }),
    "market, perpetual": right(async (world) => {
      shows(await openPosition(world), { symbol: perpetual, type: "market", status: "closed", filled: 0.1, cost: 5050 })
    }),
    "market, beyond the balance": refused("code 10 or 32, a market order needs funds for its amount", Ccxt.InsufficientFunds, /Not enough balance/u, ({ alice }) =>
      alice.createOrder(btc, "market", "sell", 50)),
    "market, cost for a sale": unsent(Ccxt.InvalidOrder, ({ alice }) =>
      alice.createOrder(btc, "market", "sell", 0, undefined, { cost: 5100 })),
    "market, immediate or cancel": unsent(Ccxt.NotSupported, ({ alice }) =>
      alice.createOrder(btc, "market", "buy", 0.1, undefined, { timeInForce: "IOC" })),
    "reduce-only, without a position": refused("code 116, nothing to reduce", Ccxt.ExchangeError, /reduce/iu, ({ alice }) =>
      alice.createOrder(perpetual, "limit", "sell", 0.1, 52000, { reduceOnly: true })),
    "reduce-only, of a position": right(async (world) => {
      await openPosition(world)
      const order = await world.alice.createOrder(perpetual, "limit", "sell", 0.1, 52000, { reduceOnly: true })
      shows(order, { symbol: perpetual, status: "open", amount: 0.1 })
      assert.equal(order.info.reduceOnly, true)
    }),
    "stop-limit": waits(
      ({ alice }) => alice.createOrder(btc, "limit", "buy", 0.1, 53000, { triggerPrice: 52000 }),
      { type: "limit", price: 53000, amount: 0.1 }
    ),
    "stop-market": waits(
      ({ alice }) => alice.createOrder(btc, "market", "buy", undefined, undefined, { stopPrice: 52000, cost: 520 }),
      { type: "market" },
      0.01
    ),
    "stop-market, on margin": right(async ({ alice, venue }) => {
      const order = await alice.createOrder(btc, "market", "buy", 0.1, undefined, {
        triggerPrice: 52000,
        marginMode: "cross"
      })
      shows(order, { symbol: btc, status: "open", triggerPrice: 52000, amount: 0.1 })
      await venue.movePrice("BTC_USDT", "52000")
      shows((await alice.fetchPositions([btc]))[0], { entryPrice: 52000 })
    }),
    "stop, post-only": unsent(Ccxt.NotSupported, ({ alice }) =>
      alice.createOrder(btc, "limit", "buy", 0.1, 53000, { triggerPrice: 52000, postOnly: true })),
    "in an unknown market": unsent(Ccxt.BadSymbol, ({ alice }) => alice.createOrder("NO/PE", "limit", "buy", 1, 1))
  },
  createPostOnlyOrder: {
    "to buy": rests(({ alice }) => alice.createPostOnlyOrder(btc, "limit", "buy", 0.1, 40000), { timeInForce: "PO" })
  },
  createStopLimitOrder: {
    "to buy": waits(({ alice }) => alice.createStopLimitOrder(btc, "buy", 0.1, 53000, 52000), {
      type: "limit",
      price: 53000,
      amount: 0.1
    })
  },
  createStopMarketOrder: {
    "to sell": right(async ({ alice, venue }) => {
      const order = await alice.createStopMarketOrder(btc, "sell", 0.1, 48000)
      shows(order, { symbol: btc, type: "market", status: "open", triggerPrice: 48000, amount: 0.1 })
      await venue.movePrice("BTC_USDT", "47500")
      shows(await alice.fetchOrder(order.id, btc), { status: "closed", filled: 0.1, average: 47500 })
    })
  },
  createStopOrder: {
    "limit": waits(({ alice }) => alice.createStopOrder(btc, "limit", "buy", 0.1, 53000, 52000), { type: "limit" })
  },
  createTriggerOrder: {
    "limit": waits(({ alice }) => alice.createTriggerOrder(btc, "limit", "buy", 0.1, 53000, 52000), { type: "limit" })
  },
  editOrder: {
    "price and amount": right(async ({ alice }) => {
      const { id } = await alice.createOrder(btc, "limit", "buy", 0.2, 39000)
      const edited = await alice.editOrder(id, btc, "limit", "buy", 0.1, 40000)
      shows(edited, limitBuy)
      assert.deepEqual(ids(await alice.fetchOpenOrders()), [edited.id])
    }),
    "by client order id": right(async ({ alice }) => {
      await alice.createOrder(btc, "limit", "buy", 0.1, 39000, { clientOrderId: "mine" })
      const edited = await alice.editOrder(undefined, btc, "limit", "buy", undefined, 40000, { clientOrderId: "mine" })
      shows(edited, { ...limitBuy, clientOrderId: "mine" })
    }),
    "amount of a stop-limit order": right(async ({ alice }) => {
      const { id } = await alice.createOrder(btc, "limit", "buy", 0.1, 53000, { triggerPrice: 52000 })
      shows(await alice.editOrder(id, btc, "limit", "buy", 0.2, 53000), { triggerPrice: 52000, amount: 0.2 })
    }),
    "cost of a stop-market order": right(async ({ alice }) => {
      const { id } = await alice.createOrder(btc, "market", "buy", 0, undefined, { triggerPrice: 52000, cost: 520 })
      assert.equal((await alice.editOrder(id, btc, "market", "buy", 1040)).info.amount, "1040")
    }),
    "of an unknown order": refused("code 2, no open order has the id", Ccxt.OrderNotFound, /order was not found/u, ({ alice }) =>
      alice.editOrder("424242", btc, "limit", "buy", 0.1, 40000)),
    "beyond the balance": refused("code 10, the changed order locks more than is available", Ccxt.InsufficientFunds, /Not enough balance/u, async ({ alice }) => {
      const { id } = await alice.createOrder(btc, "limit", "buy", 0.1, 40000)
      return alice.editOrder(id, btc, "limit", "buy", 50, 40000)
    }),
    "of nothing": unsent(Ccxt.ArgumentsRequired, ({ alice }) => alice.editOrder("424242", btc, "limit", "buy"))
  },
  fetchAccounts: {
    "of an account with sub-accounts": right(async ({ alice }) => {
      const accounts = await alice.fetchAccounts()
      assert.deepEqual(accounts.map(({ name }) => name).toSorted(), ["archive", "market making", "training"])
      assert.ok(accounts.every(({ id, type }) => /^[0-9a-f-]{36}$/u.test(id) && type === "subaccount"))
    }),
    "of an account without sub-accounts": right(async ({ bob }) => assert.deepEqual(await bob.fetchAccounts(), []))
  },
  fetchBalance: {
    "of trading": right(async ({ alice }) => {
      await alice.createOrder(btc, "limit", "sell", 0.5, 60000)
      shows(await alice.fetchBalance(), {
        BTC: { free: 1.5, used: 0.5, total: 2 },
        USDT: { free: 100000, used: 0, total: 100000 }
      })
    }),
    "of the main wallet": right(async ({ alice }) => {
      shows(await alice.fetchBalance({ account: "main" }), { BTC: { free: 0.5, used: 0, total: 0.5 } })
    }),
    "of funding": right(async ({ alice }) => {
      shows(await alice.fetchBalance({ account: "funding" }), { BTC: { free: 0.5, used: 0, total: 0.5 } })
    }),
    "of the collateral wallet": right(async ({ alice }) => {
      assert.equal((await alice.fetchBalance({ type: "swap" })).USDT.total, 50000)
    }),
    "of one currency": right(async ({ alice }) => {
      // The exchange returns only the amounts. ccxt mistakes their names for currencies.
      assert.deepEqual((await alice.fetchBalance({ ticker: "BTC" })).total, { AVAILABLE: 2, FREEZE: 0 })
    })
  },
  fetchBorrowInterest: {
    "of a position": right(async (world) => {
      await openPosition(world)
      const [interest, ...others] = await world.alice.fetchBorrowInterest()
      assert.deepEqual(others, [])
      shows(interest, { symbol: perpetual, currency: "USDT", interest: 0, amountBorrowed: 0.1 })
      isNow(interest.timestamp)
    }),
    "of a margin position, after a day": right(async (world) => {
      const onMargin = { marginMode: "cross" }
      await world.bob.createOrder(btc, "limit", "sell", 0.1, 50500, onMargin)
      await world.alice.createOrder(btc, "market", "buy", 0.1, undefined, onMargin)
      await world.venue.advance(25 * 3_600_000)
      const [interest, ...others] = await world.alice.fetchBorrowInterest(undefined, btc)
      assert.deepEqual(others, [])
      // ccxt reads the interest that is not settled yet, which is zero, and reports the size as the borrowed amount.
      shows(interest, { symbol: btc, currency: "USDT", interest: 0, amountBorrowed: 0.1 })
      // 0.0585 % of 4545 USDT, which is what a position worth 5050 borrows at a leverage of 10.
      shows(interest.info, { funding: "2.658825", unrealizedFunding: "0" })
    }),
    "without a position": right(async ({ alice }) => assert.deepEqual(await alice.fetchBorrowInterest(), []))
  },
  fetchClosedOrders: {
    "of a market": right(async (world) => {
      const { buy } = await trade(world)
      const [order, ...others] = await world.bob.fetchClosedOrders(btc)
      assert.deepEqual(others, [])
      shows(order, { ...bought, id: buy.id, status: "closed", type: "limit", filled: 0.1, average: 51000 })
      isNow(order.timestamp)
      isNow(order.lastTradeTimestamp)
    }),
    "of all markets": right(async (world) => {
      const { buy } = await trade(world)
      assert.deepEqual(ids(await world.bob.fetchClosedOrders()), [buy.id])
    }),
    "since a time": right(async (world) => {
      await trade(world)
      assert.deepEqual(await world.bob.fetchClosedOrders(btc, Date.now() + 10_000), [])
    }),
    "at most one": right(async (world) => {
      await trade(world)
      const { id } = await world.bob.createOrder(btc, "limit", "buy", 0.1, 51000)
      assert.deepEqual(ids(await world.bob.fetchClosedOrders(btc, undefined, 1)), [id])
    }),
    "none": right(async ({ alice }) => assert.deepEqual(await alice.fetchClosedOrders(btc), [])),
    "of all markets: none": right(async ({ alice }) => assert.deepEqual(await alice.fetchClosedOrders(), []))
  },
  fetchConvertQuote: { "of a pair": unserved("conversion", ({ alice }) => alice.fetchConvertQuote("BTC", "USDT", 1)) },
  fetchConvertTradeHistory: { "of all": unserved("conversion", ({ alice }) => alice.fetchConvertTradeHistory()) },
  fetchCurrencies: {
    "of all": right(async ({ alice }) => {
      const currencies = await alice.fetchCurrencies()
      assert.deepEqual(Object.keys(currencies).toSorted(), ["BTC", "ETH", "SHIB", "USDT"])
      shows(currencies.BTC, { id: "BTC", code: "BTC", type: "crypto", deposit: true, withdraw: true })
      assert.equal(currencies.BTC.limits.withdraw.min, 0.001)
    }),
    "with networks": right(async ({ alice }) => {
      const { BTC: { networks } } = await alice.fetchCurrencies()
      assert.notDeepEqual(Object.keys(networks), [])
      for (const { deposit, limits, withdraw } of Object.values(networks)) {
        assert.deepEqual([deposit, withdraw, limits.deposit.min, limits.withdraw.min], [true, true, 0.0001, 0.001])
      }
    })
  },
  fetchCurrenciesWs: {
    "of all, emulated": right(async ({ alice }) => {
      await alice.loadMarkets()
      assert.deepEqual(Object.keys(await alice.fetchCurrenciesWs()).toSorted(), ["BTC", "ETH", "SHIB", "USDT"])
    })
  },
  fetchDeposit: { "by id": unserved("deposits or withdrawals", ({ alice }) => alice.fetchDeposit("1", "BTC")) },
  fetchDepositAddress: { "of a currency": unserved("deposits", ({ alice }) => alice.fetchDepositAddress("BTC")) },
  fetchDepositWithdrawFee: {
    "of a currency": right(async ({ alice }) => {
      shows((await alice.fetchDepositWithdrawFee("BTC")).withdraw, { fee: 0.0004, percentage: false })
    })
  },
  fetchDepositWithdrawFees: {
    "of all": right(async ({ alice }) => {
      const fees = await alice.fetchDepositWithdrawFees()
      assert.deepEqual(Object.keys(fees).toSorted(), ["BTC", "ETH", "SHIB", "USDT"])
      shows(fees.ETH.withdraw, { fee: 0.0025, percentage: false })
    }),
    "of some": right(async ({ alice }) => {
      assert.deepEqual(Object.keys(await alice.fetchDepositWithdrawFees(["BTC"])), ["BTC"])
    })
  },
  fetchDeposits: { "of all": unserved("deposits or withdrawals", ({ alice }) => alice.fetchDeposits()) },
  fetchDepositsWithdrawals: { "of all": unserved("deposits or withdrawals", ({ alice }) => alice.fetchDepositsWithdrawals()) },
  fetchFundingHistory: {
    "of a market": right(async (world) => {
      await openPosition(world)
      // The mark price follows the spot market.
      await world.venue.movePrice("BTC_USDT", "51000")
      await world.venue.setFunding("BTC_PERP", "0.001")
      await world.venue.advance(8 * 3_600_000)
      const [payment, ...others] = await world.alice.fetchFundingHistory(perpetual)
      shows(payment, { symbol: perpetual, amount: -5.1 })
      shows(payment.info, { fundingRate: "0.001", positionAmount: "0.1", settlementPrice: "51000" })
      assert.deepEqual(others, [])
      const [received] = await world.bob.fetchFundingHistory(perpetual)
      shows(received, { symbol: perpetual, amount: 5.1 })
      shows(received.info, { positionAmount: "-0.1" })
    }),
    "of a market without payments": right(async ({ alice }) =>
      assert.deepEqual(await alice.fetchFundingHistory(perpetual, undefined, 10), []))
  },
  fetchFundingLimits: {
    "of all": right(async ({ alice }) => {
      assert.deepEqual(Object.keys(await alice.fetchFundingLimits()).toSorted(), ["BTC", "ETH", "SHIB", "USDT"])
    }),
    "of some": right(async ({ alice }) => {
      const { BTC: { limits }, ...others } = await alice.fetchFundingLimits(["BTC"])
      assert.deepEqual(others, {})
      shows(limits.withdraw, { min: 0.001, max: 3, fee: { fixed: 0.0004 } })
      assert.equal(limits.deposit.min, 0.0001)
    })
  },
  fetchFundingRate: {
    "of a market": right(async ({ alice }) => {
      const rate = await alice.fetchFundingRate(perpetual)
      shows(rate, { symbol: perpetual, fundingRate: 0.0001 })
      // ccxt does not read this key.
      assert.equal(rate.info.index_price, "50000")
      assert.ok(rate.fundingTimestamp > Date.now() && rate.fundingTimestamp <= Date.now() + 8 * 3_600_000)
    })
  },
  fetchFundingRateHistory: {
    "of a market": right(async ({ alice }) => assert.deepEqual(await alice.fetchFundingRateHistory(perpetual), [])),
    "since a time, at most ten": right(async ({ alice }) => {
      assert.deepEqual(await alice.fetchFundingRateHistory(perpetual, Date.now() - 86_400_000, 10), [])
    }),
    "after a settlement": right(async (world) => {
      await openPosition(world)
      await world.venue.setFunding("BTC_PERP", "-0.0002")
      await world.venue.advance(8 * 3_600_000)
      const [rate, ...others] = await world.alice.fetchFundingRateHistory(perpetual)
      assert.deepEqual(others, [])
      shows(rate, { symbol: perpetual, fundingRate: -0.0002 })
    }),
    "without a market": unsent(Ccxt.ArgumentsRequired, ({ alice }) => alice.fetchFundingRateHistory())
  },
  fetchFundingRates: {
    "of all": right(async ({ alice }) => {
      const { [perpetual]: rate, ...others } = await alice.fetchFundingRates()
      assert.deepEqual(others, {})
      shows(rate, { symbol: perpetual, fundingRate: 0.0001 })
    }),
    "of some": right(async ({ alice }) => {
      assert.deepEqual(Object.keys(await alice.fetchFundingRates([perpetual])), [perpetual])
    })
  },
  fetchL2OrderBook: {
    "of a market": right(async (world) => {
      await trade(world)
      const { asks, bids } = await world.alice.fetchL2OrderBook(btc)
      assert.deepEqual([asks, bids], [[[51000, 0.4]], [[49000, 1]]])
    })
  },
  fetchMarkets: {
    "of all": right(async ({ alice }) => {
      const markets = await alice.fetchMarkets()
      assert.deepEqual(markets.map(({ symbol }) => symbol).toSorted(), symbols)
      const [spot] = markets.filter(({ symbol }) => symbol === btc)
      shows(spot, { id: "BTC_USDT", type: "spot", active: true, margin: true, taker: 0.001, maker: 0.001 })
      assert.deepEqual(spot.precision, { amount: 0.000001, price: 0.01 })
      assert.deepEqual(spot.limits.cost, { min: 5, max: 10000000 })
      const [swap] = markets.filter(({ symbol }) => symbol === perpetual)
      shows(swap, { id: "BTC_PERP", type: "swap", settle: "USDT", linear: true, contractSize: 1 })
    })
  },
  fetchMyTrades: {
    "of a market": right(async (world) => {
      const { sale } = await trade(world)
      const [fill, ...others] = await world.alice.fetchMyTrades(btc)
      assert.deepEqual(others, [])
      shows(fill, { ...sold, order: sale.id, takerOrMaker: "maker", fee: { cost: 5.1, currency: "USDT" } })
      isNow(fill.timestamp)
    }),
    "of all markets": right(async (world) => {
      const { sale } = await trade(world)
      const [fill, ...others] = await world.alice.fetchMyTrades()
      assert.deepEqual(others, [])
      shows(fill, { ...sold, order: sale.id })
    }),
    "of a taker": right(async (world) => {
      await trade(world)
      shows((await world.bob.fetchMyTrades(btc))[0], { ...bought, takerOrMaker: "taker" })
    }),
    "at most one": right(async (world) => {
      await trade(world)
      await world.bob.createOrder(btc, "limit", "buy", 0.2, 51000)
      assert.deepEqual((await world.alice.fetchMyTrades(btc, undefined, 1)).map(({ amount }) => amount), [0.2])
    }),
    "none": right(async ({ alice }) => assert.deepEqual(await alice.fetchMyTrades(btc), [])),
    "of all markets: none": right(async ({ alice }) => assert.deepEqual(await alice.fetchMyTrades(), []))
  },
  fetchOHLCV: {
    ...Object.fromEntries(
      Object.keys(new Ccxt.whitebit().timeframes).map((length) => [`of ${length}`, candle(length)])
    ),
    "since a time": right(async ({ alice }) => {
      const minute = Math.floor(Date.now() / 60_000) * 60_000
      const candles = await alice.fetchOHLCV(btc, "1m", minute - 600_000)
      assert.equal(candles.at(-1)[4], 50000)
    }),
    "at most one": right(async ({ alice }) => assert.equal((await alice.fetchOHLCV(btc, "1M", undefined, 1)).length, 1)),
    "of the perpetual market": right(async ({ alice }) => {
      assert.equal((await alice.fetchOHLCV(perpetual, "1M")).at(-1)[4], 50000)
    }),
    "of an unknown market": unsent(Ccxt.BadSymbol, ({ alice }) => alice.fetchOHLCV("NO/PE"))
  },
  fetchOpenOrders: {
    "of a market": right(async ({ alice }) => {
      const { id } = await alice.createOrder(btc, "limit", "buy", 0.1, 40000)
      const [order, ...others] = await alice.fetchOpenOrders(btc)
      assert.deepEqual(others, [])
      shows(order, { ...limitBuy, id })
    }),
    "of all markets": right(async ({ alice }) => {
      const orders = [
        await alice.createOrder(btc, "limit", "buy", 0.1, 40000),
        await alice.createOrder(perpetual, "limit", "buy", 0.1, 40000)
      ]
      assert.deepEqual(ids(await alice.fetchOpenOrders()), ids(orders))
    }),
    "at most one": right(async ({ alice }) => {
      await alice.createOrder(btc, "limit", "buy", 0.1, 40000)
      const { id } = await alice.createOrder(btc, "limit", "buy", 0.1, 41000)
      assert.deepEqual(ids(await alice.fetchOpenOrders(btc, undefined, 1)), [id])
    }),
    "since a time": right(async ({ alice }) => {
      await alice.createOrder(btc, "limit", "buy", 0.1, 40000)
      assert.deepEqual(await alice.fetchOpenOrders(btc, Date.now() + 10_000), [])
    }),
    "none": right(async ({ alice }) => assert.deepEqual(await alice.fetchOpenOrders(btc), []))
  },
  fetchOrder: {
    "of an open order": right(async ({ alice }) => {
      const { id } = await alice.createOrder(btc, "limit", "buy", 0.1, 40000)
      shows(await alice.fetchOrder(id, btc), { ...limitBuy, id })
    }),
    "of a filled order": right(async (world) => {
      const { buy } = await trade(world)
      shows(await world.bob.fetchOrder(buy.id, btc), { ...bought, status: "closed", filled: 0.1, average: 51000 })
    }),
    "of a canceled order": right(async ({ alice }) => {
      const { id } = await alice.createOrder(btc, "limit", "buy", 0.1, 40000)
      await alice.cancelOrder(id, btc)
      shows(await alice.fetchOrder(id, btc), { id, status: "canceled", filled: 0 })
    }),
    "without a market": right(async (world) => {
      const { buy } = await trade(world)
      shows(await world.bob.fetchOrder(buy.id), { symbol: btc, status: "closed" })
    }),
    "of an unknown order": right(async ({ alice }) => {
      // ccxt requests open and closed orders, and then itself reports that the order is in neither list.
      assert.equal((await failure(() => alice.fetchOrder("424242", btc))).constructor.name, "OrderNotFound")
    })
  },
  fetchOrderBook: {
    "of a market": right(async (world) => {
      await trade(world)
      const book = await world.alice.fetchOrderBook(btc)
      assert.deepEqual([book.asks, book.bids], [[[51000, 0.4]], [[49000, 1]]])
      isNow(book.timestamp)
    }),
    "with one level": right(async ({ alice, bob }) => {
      await alice.createOrder(btc, "limit", "sell", 0.5, 51000)
      await bob.createOrder(btc, "limit", "sell", 0.5, 52000)
      assert.deepEqual((await alice.fetchOrderBook(btc, 1)).asks, [[51000, 0.5]])
    }),
    "of an empty market": right(async ({ alice }) => {
      const { asks, bids } = await alice.fetchOrderBook("ETH/BTC")
      assert.deepEqual([asks, bids], [[], []])
    }),
    "of an unknown market": unsent(Ccxt.BadSymbol, ({ alice }) => alice.fetchOrderBook("NO/PE"))
  },
  fetchOrderTrades: {
    "of a maker's order": right(async (world) => {
      const { buy, sale } = await trade(world)
      const [fill, ...others] = await world.alice.fetchOrderTrades(sale.id, btc)
      assert.deepEqual(others, [])
      // ccxt shows the id of the trade's other order as the order id.
      shows(fill, { symbol: btc, order: buy.id, price: 51000, amount: 0.1, cost: 5100, takerOrMaker: "maker" })
    }),
    "at most one": right(async (world) => {
      const { sale } = await trade(world)
      await world.bob.createOrder(btc, "limit", "buy", 0.1, 51000)
      assert.equal((await world.alice.fetchOrderTrades(sale.id, btc, undefined, 1)).length, 1)
    }),
    "without a market": right(async (world) => {
      const { sale } = await trade(world)
      shows((await world.alice.fetchOrderTrades(sale.id))[0], { price: 51000, amount: 0.1, cost: 5100 })
    }),
    "none": right(async ({ alice }) => {
      const { id } = await alice.createOrder(btc, "limit", "buy", 0.1, 40000)
      assert.deepEqual(await alice.fetchOrderTrades(id, btc), [])
    })
  },
  fetchOrders: {
    "of a market": right(async (world) => {
      const exchange = windowed(world)
      const ended = await exchange.createOrder(btc, "limit", "buy", 0.1, 40000)
      await exchange.cancelOrder(ended.id, btc)
      const open = await exchange.createOrder(btc, "limit", "buy", 0.1, 40000)
      assert.deepEqual(ids(await exchange.fetchOrders(btc)), ids([ended, open]))
    }),
    "none": right(async (world) => assert.deepEqual(await windowed(world).fetchOrders(), []))
  },
  fetchPosition: {
    "of a market": right(async (world) => {
      await openPosition(world)
      await world.venue.movePrice("BTC_USDT", "51000")
      isLong(await world.alice.fetchPosition(perpetual))
    }),
    "without a position": right(async ({ alice }) => {
      shows(await alice.fetchPosition(perpetual), { symbol: perpetual, id: undefined, entryPrice: undefined })
    })
  },
  fetchPositionHistory: {
    "of a market": right(async (world) => {
      await openPosition(world)
      await world.bob.createOrder(perpetual, "limit", "buy", 0.1, 51000)
      await world.alice.createOrder(perpetual, "market", "sell", 0.1)
      // ccxt sorts positions by opening time, which both records share.
      const history = await world.alice.fetchPositionHistory(perpetual)
      assert.deepEqual(history.map(({ entryPrice, info, symbol }) => [symbol, entryPrice, info.amount]), [
        [perpetual, 0, "0"],
        [perpetual, 50500, "0.1"]
      ])
      // A gain of 50 minus the fee of 0.055 % on 5100. The fee on 5050 was charged at the opening.
      assert.deepEqual(history.map(({ realizedPnl }) => realizedPnl), [47.195, -2.7775])
    }),
    "limited": refused("code 30, ccxt sends the start as the limit", Ccxt.ExchangeError, /"limit":/u, ({ alice }) =>
      alice.fetchPositionHistory(perpetual, Date.now() - 60_000, 10))
  },
  fetchPositions: {
    "of all markets": right(async (world) => {
      await openPosition(world)
      await world.venue.movePrice("BTC_USDT", "51000")
      const [position, ...others] = await world.alice.fetchPositions()
      assert.deepEqual(others, [])
      isLong(position)
      isNow(position.timestamp)
      isNow(position.lastUpdateTimestamp)
    }),
    "of a market, short": right(async (world) => {
      await openPosition(world)
      const [position] = await world.bob.fetchPositions([perpetual])
      shows(position, { symbol: perpetual, entryPrice: 50500 })
      assert.equal(position.info.amount, "-0.1")
    }),
    "none": right(async ({ alice }) => assert.deepEqual(await alice.fetchPositions(), []))
  },
  fetchStatus: { "of the exchange": right(async ({ alice }) => shows(await alice.fetchStatus(), { status: "ok" })) },
  fetchTicker: {
    "of a traded market": right(async (world) => {
      await trade(world)
      shows(await world.alice.fetchTicker(btc), {
        symbol: btc,
        open: 40000,
        high: 51000,
        low: 40000,
        last: 51000,
        bid: 49000,
        ask: 51000,
        baseVolume: 0.1,
        quoteVolume: 5100,
        percentage: 27.5
      })
    }),
    "of the perpetual market": right(async (world) => {
      await openPosition(world)
      shows(await world.alice.fetchTicker(perpetual), { symbol: perpetual, last: 50500, baseVolume: 0.1 })
    })
  },
  fetchTickers: {
    "of all markets": right(async (world) => {
      await trade(world)
      const tickers = await world.alice.fetchTickers()
      assert.deepEqual(Object.keys(tickers).toSorted(), symbols)
      shows(tickers[btc], { last: 51000, baseVolume: 0.1, quoteVolume: 5100, percentage: 27.5 })
    }),
    "of a spot market": right(async ({ alice }) => {
      const { [btc]: ticker, ...others } = await alice.fetchTickers([btc])
      assert.deepEqual(others, {})
      shows(ticker, { symbol: btc, last: 50000 })
    }),
    "of the perpetual market": right(async (world) => {
      await openPosition(world)
      const { [perpetual]: ticker, ...others } = await world.alice.fetchTickers([perpetual])
      assert.deepEqual(others, {})
      shows(ticker, { symbol: perpetual, last: 50500, baseVolume: 0.1, quoteVolume: 5050, indexPrice: 50000 })
    })
  },
  fetchTime: { "of the exchange": right(async ({ alice }) => isNow(await alice.fetchTime())) },
  fetchTrades: {
    "of a market": right(async (world) => {
      await trade(world)
      const [last, ...others] = await world.alice.fetchTrades(btc)
      assert.deepEqual(others, [])
      shows(last, bought)
      isNow(last.timestamp)
    }),
    "at most one": right(async (world) => {
      await trade(world)
      await world.bob.createOrder(btc, "limit", "buy", 0.2, 51000)
      assert.deepEqual((await world.alice.fetchTrades(btc, undefined, 1)).map(({ amount }) => amount), [0.2])
    }),
    "of sales only": right(async (world) => {
      await trade(world)
      assert.deepEqual(await world.alice.fetchTrades(btc, undefined, undefined, { type: "sell" }), [])
    }),
    "none": right(async ({ alice }) => assert.deepEqual(await alice.fetchTrades("ETH/BTC"), []))
  },
  fetchTradingFees: {
    "of all markets": right(async ({ alice }) => {
      const fees = await alice.fetchTradingFees()
      assert.deepEqual(Object.keys(fees).toSorted(), symbols)
      shows(fees[btc], { symbol: btc, maker: 0.001, taker: 0.001 })
    })
  },
  fetchTradingLimits: {
    "of all markets": right(async ({ alice }) => {
      // ccxt lists only markets that have a maximum amount and price. This exchange has no such markets.
      assert.deepEqual(await alice.fetchTradingLimits(), {})
    })
  },
  fetchTransactionFees: {
    "of all": right(async ({ alice }) => {
      const { withdraw } = await alice.fetchTransactionFees()
      shows(withdraw, { BTC: "0.0004", ETH: "0.0025", USDT: "1" })
    })
  },
  fetchTransactions: { "of all": unserved("deposits or withdrawals", ({ alice }) => alice.fetchTransactions()) },
  fetchWithdrawals: { "of all": unserved("deposits or withdrawals", ({ alice }) => alice.fetchWithdrawals()) },
  setLeverage: {
    "of the account": right(async (world) => {
      await openPosition(world)
      shows(await world.alice.setLeverage(5), { leverage: 5 })
      // One fifth of 0.1 at the mark price of 50000.
      shows((await world.alice.fetchPositions())[0], { collateral: 1000 })
    }),
    "between two levels": refused("code 30, the leverage is 1, 2, 3, 5, 10, 20, 50 or 100", Ccxt.ExchangeError, /"leverage":/u, ({ alice }) =>
      alice.setLeverage(7)),
    "of a market": unsent(Ccxt.NotSupported, ({ alice }) => alice.setLeverage(5, perpetual)),
    "out of bounds": unsent(Ccxt.BadRequest, ({ alice }) => alice.setLeverage(25))
  },
  transfer: {
    ...Object.fromEntries(
      [
        ["main", "spot"],
        ["main", "trade"],
        ["funding", "collateral"],
        ["spot", "main"],
        ["spot", "margin"],
        ["collateral", "funding"],
        ["margin", "trade"]
      ].map(([from, to]) => [
        `from ${from} to ${to}`,
        right(async ({ alice }) => {
          const wallets = { spot: "trade", funding: "main", margin: "collateral" }
          const total = async (name) => {
            const wallet = wallets[name] ?? name
            const params = wallet === "collateral" ? { type: "swap" } : { account: wallet }
            return (await alice.fetchBalance(params)).USDT.total
          }
          const before = [await total(from), await total(to)]
          assert.equal((await alice.transfer("USDT", 10, from, to)).currency, "USDT")
          assert.deepEqual([await total(from), await total(to)], [before[0] - 10, before[1] + 10])
        })
      ])
    ),
    "beyond the balance": refused("code 3, with the available amount", Ccxt.InsufficientFunds, /"code":3,.*"amount":\[/u, ({ alice }) =>
      alice.transfer("USDT", 1e9, "main", "spot")),
    "to an unknown wallet": refused("code 0, the documented wallets are main, spot and collateral", Ccxt.ExchangeError, /"to":/u, ({ alice }) =>
      alice.transfer("USDT", 1, "main", "nowhere"))
  },
  withdraw: { "to an address": unserved("withdrawals", ({ alice }) => alice.withdraw("BTC", 1, "nowhere")) }
}

for (const [method, variants] of Object.entries(calls)) {
  describe(method, () => {
    for (const [variant, { because, check, kind }] of Object.entries(variants)) {
      const reason = because === undefined ? "" : `: ${because}`
      test(`ccxt's ${method} (${variant}) is ${kind}${reason}`, async (world) => {
        counts.failed++
        await check(world)
        counts.failed--
        counts[kind]++
      })
    }
  })
}

it("the table of calls lists every unified method that ccxt has", () => {
  const exchange = client("", key)
  const methods = Object.keys(exchange.has).filter((name) =>
    exchange.has[name] && typeof exchange[name] === "function"
  )
  assert.deepEqual(methods.toSorted(), Object.keys(calls).toSorted())
})

after(() => {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  console.log(`ccxt's unified calls: ${all}; ${Object.entries(counts).map(([kind, count]) => `${kind} ${count}`).join(", ")}`)
})
