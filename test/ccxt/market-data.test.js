/** Tests that ccxt's `whitebit` parses market data: tickers, candles, trades, fees and futures. */
import * as Ccxt from "ccxt"
import assert from "node:assert/strict"
import { describe } from "node:test"
import { btc, fails, perpetual, pick, test } from "./desk.js"

/** Trades at a price, and leaves an ask of 0.4 at 51000 and a bid of 1 at 49000 in the book. */
const trade = async (alice, bob) => {
  await alice.createOrder(btc, "limit", "sell", 0.5, 51000)
  await bob.createOrder(btc, "limit", "buy", 1, 49000)
  await bob.createOrder(btc, "limit", "buy", 0.1, 51000)
}

describe("market tickers", () => {
  test("fetchTicker reads a market's last 24 hours and its best prices", async ({ alice, bob, venue }) => {
    await trade(alice, bob)
    await venue.movePrice("BTC_USDT", "50500")
    const ticker = await alice.fetchTicker(btc)
    assert.deepEqual(
      pick(
        ticker,
        "symbol",
        "open",
        "high",
        "low",
        "last",
        "close",
        "bid",
        "ask",
        "baseVolume",
        "quoteVolume",
        "percentage"
      ),
      {
        symbol: btc,
        // The example's price before the test moved the market.
        open: 40000,
        high: 51000,
        low: 40000,
        last: 50500,
        close: 50500,
        bid: 49000,
        ask: 51000,
        baseVolume: 0.1,
        quoteVolume: 5100,
        percentage: 26.25
      }
    )
  })

  test("fetchTickers reads all markets, or only futures markets, in one call", async ({ alice, bob }) => {
    await trade(alice, bob)
    await bob.createOrder(perpetual, "limit", "sell", 0.1, 50500)
    await alice.createOrder(perpetual, "market", "buy", 0.1)
    const all = await alice.fetchTickers()
    assert.deepEqual(Object.keys(all).toSorted(), [btc, perpetual, "ETH/BTC", "ETH/USDT", "SHIB/USDT"].toSorted())
    assert.deepEqual(pick(all[btc], "last", "baseVolume", "quoteVolume", "percentage"), {
      last: 51000,
      baseVolume: 0.1,
      quoteVolume: 5100,
      percentage: 27.5
    })
    const futures = await alice.fetchTickers([perpetual])
    assert.deepEqual(Object.keys(futures), [perpetual])
    assert.deepEqual(pick(futures[perpetual], "last", "high", "low", "baseVolume", "quoteVolume", "indexPrice"), {
      last: 50500,
      high: 50500,
      // The example's price before the test moved the market.
      low: 40000,
      baseVolume: 0.1,
      quoteVolume: 5050,
      indexPrice: 51000
    })
    const { result } = await alice.v1PublicGetTickers()
    assert.deepEqual(pick(result.BTC_USDT.ticker, "last", "vol", "deal"), { last: "51000", vol: "0.1", deal: "5100" })
  })
})

describe("candles", () => {
  test("fetchOHLCV reads candles for every timeframe", async ({ alice, bob, venue }) => {
    await trade(alice, bob)
    await venue.movePrice("BTC_USDT", "49500")
    const now = Date.now()
    for (const timeframe of Object.keys(alice.timeframes)) {
      const candles = await alice.fetchOHLCV(btc, timeframe)
      // A candle may have closed between the two calls.
      assert.ok(candles.length === 1 || candles.length === 2, `${timeframe}: ${candles.length} candles`)
      const length = alice.parseTimeframe(timeframe) * 1000
      const [at, open] = candles[0]
      const [, , , , close] = candles.at(-1)
      assert.ok(at <= now && at > now - length - 86_400_000, timeframe)
      assert.deepEqual([open, close], [40000, 49500], timeframe)
      assert.equal(Math.max(...candles.map(([, , high]) => high)), 51000)
      assert.equal(Math.min(...candles.map(([, , , low]) => low)), 40000)
      assert.equal(candles.reduce((sum, [, , , , , volume]) => sum + volume, 0), 0.1)
    }
  })

  test("`since` and `limit` select candles", async ({ alice, venue }) => {
    await venue.movePrice("BTC_USDT", "50100")
    const minute = Math.floor(Date.now() / 60_000) * 60_000
    const since = await alice.fetchOHLCV(btc, "1m", minute - 600_000)
    assert.ok(since.length > 0 && since.every(([at]) => at >= minute - 600_000))
    assert.ok((await alice.fetchOHLCV(btc, "1m", undefined, 1)).length <= 1)
    assert.deepEqual(await alice.fetchOHLCV(btc, "1m", undefined, undefined, { end: minute / 1000 - 86_400 }), [])
  })
})

describe("books, trades and platform status", () => {
  test("fetchOrderBook respects its limit, and the raw depth call and fetchTrades agree with the book", async ({ alice, bob }) => {
    await trade(alice, bob)
    await alice.createOrder(btc, "limit", "sell", 0.25, 53000)
    assert.deepEqual((await bob.fetchOrderBook(btc)).asks, [[51000, 0.4], [53000, 0.25]])
    const top = await bob.fetchOrderBook(btc, 1)
    assert.deepEqual([top.asks, top.bids], [[[51000, 0.4]], [[49000, 1]]])
    // The raw depth call omits prices more than 2 % away from the last price.
    const { asks, bids } = await bob.v4PublicGetOrderbookDepthMarket({ market: "BTC_USDT" })
    assert.deepEqual([asks, bids], [[["51000", "0.4"]], []])

    const [last, ...others] = await bob.fetchTrades(btc)
    assert.deepEqual(others, [])
    assert.deepEqual(pick(last, "side", "price", "amount", "cost"), { side: "buy", price: 51000, amount: 0.1, cost: 5100 })
    const { result: [past] } = await bob.v1PublicGetHistory({ market: "BTC_USDT", lastId: 0 })
    assert.deepEqual(pick(past, "id", "price", "amount", "type"), {
      id: Number(last.id),
      price: "51000",
      amount: "0.1",
      type: "buy"
    })
    const after = await bob.v1PublicGetHistory({ market: "BTC_USDT", lastId: past.id })
    assert.deepEqual(after.result, [])
  })

  test("ccxt reads the exchange status, the platform status and the margin markets", async ({ alice }) => {
    assert.equal((await alice.fetchStatus()).status, "ok")
    assert.deepEqual(await alice.v4PublicGetPlatformStatus(), { status: "system operational" })
    const { result } = await alice.v4PublicGetCollateralMarkets()
    assert.deepEqual(result, ["BTC_USDT", "ETH_USDT", "BTC_PERP"])
  })

  test("calls for an unknown market are refused with the messages of API V1 and V4", async ({ alice }) => {
    await fails(alice.v1PublicGetTicker({ market: "NO_PE" }), Ccxt.ExchangeError)
    await fails(alice.v1PublicGetKline({ market: "NO_PE" }), Ccxt.ExchangeError)
    const refused = { success: false, message: { market: ["Market is not available."] }, result: null }
    assert.deepEqual(JSON.parse(alice.last_http_response), refused)
    await fails(alice.v4PublicGetOrderbookDepthMarket({ market: "NO_PE" }), Ccxt.ExchangeError)
    await fails(alice.v4PublicGetFundingHistoryMarket({ market: "NO_PE" }), Ccxt.ExchangeError)
  })
})

describe("fees, limits and funding", () => {
  test("ccxt reads the fees for trades, deposits and withdrawals", async ({ alice }) => {
    assert.deepEqual(pick((await alice.fetchTradingFees())[btc], "maker", "taker"), { maker: 0.001, taker: 0.001 })
    const { deposit, withdraw } = await alice.fetchTransactionFees()
    assert.deepEqual([withdraw.BTC, deposit.BTC], ["0.0004", undefined])
    const fees = (await alice.fetchDepositWithdrawFees(["BTC", "ETH"]))
    assert.deepEqual(pick(fees.BTC, "withdraw", "deposit"), {
      withdraw: { fee: 0.0004, percentage: false },
      deposit: { fee: undefined, percentage: undefined }
    })
    assert.deepEqual(Object.keys(fees).toSorted(), ["BTC", "ETH"])
    const { limits } = (await alice.fetchFundingLimits(["BTC"])).BTC
    assert.deepEqual(limits.withdraw, { min: 0.001, max: 3, fee: { fixed: 0.0004 } })
    assert.deepEqual(limits.deposit, { min: 0.0001, max: 0, fee: { fixed: undefined } })
  })

  test("ccxt reads funding rates, and an empty funding rate history", async ({ alice }) => {
    const rate = await alice.fetchFundingRate(perpetual)
    assert.deepEqual(pick(rate, "symbol", "fundingRate"), { symbol: perpetual, fundingRate: 0.0001 })
    assert.ok(rate.fundingTimestamp > Date.now() && rate.fundingTimestamp <= Date.now() + 8 * 3_600_000)
    assert.deepEqual(Object.keys(await alice.fetchFundingRates()), [perpetual])
    assert.deepEqual(await alice.fetchFundingRateHistory(perpetual, Date.now() - 86_400_000, 10), [])
  })
})

describe("calls that the sandbox does not serve", () => {
  test("a call that the sandbox does not serve is refused with a reason, not as an unknown path", async ({ alice }) => {
    for (
      const call of [
        () => alice.fetchConvertQuote("BTC", "USDT", 1),
        () => alice.withdraw("BTC", 1, "nowhere"),
        () => alice.fetchDepositAddress("BTC"),
        () => alice.v4PublicGetMiningPool(),
        () => alice.v2PublicGetTicker()
      ]
    ) {
      const error = await call().then(() => undefined, (error) => error)
      assert.equal(error?.constructor.name, "ExchangeError", error?.message ?? "it did not fail")
      assert.match(error.message, /This sandbox does not serve it/u)
    }
  })
})
