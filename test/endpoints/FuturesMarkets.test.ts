import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Decimal from "../../src/domain/Decimal.ts"
import { marketName } from "../../src/domain/Identifiers.ts"
import { CollateralMarkets } from "../../src/endpoints/CollateralMarkets.ts"
import { FundingRates } from "../../src/endpoints/FundingRates.ts"
import { FuturesMarkets } from "../../src/endpoints/FuturesMarkets.ts"
import { PlatformStatus } from "../../src/endpoints/PlatformStatus.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import { asBob, btcPerp, btcUsdt, dialects, failsWith, perp, rawPublic, same, traders } from "../support/trading.ts"

describe.each(dialects)("futures markets in the $name dialect", (dialect) => {
  it.effect("a futures market has prices, volumes, open interest, funding terms and brackets", () =>
    Effect.gen(function*() {
      // This is the exact time of a funding settlement, so the next settlement is eight hours later.
      yield* TestClock.setTime(1_900_022_400_000)
      yield* perp("sell", "0.5", "1000")
      yield* asBob(perp("buy", "0.2", "1000"))
      yield* perp("buy", "0.1", "990")
      same(yield* FuturesMarkets.use(({ list }) => list), [{
        market: btcPerp,
        stock: "BTC",
        money: "USDT",
        lastPrice: "1000",
        stockVolume: "0.2",
        moneyVolume: "200",
        bid: "990",
        ask: "1000",
        high: "1000",
        low: "1000",
        productType: "Perpetual",
        openInterest: "0.2",
        indexPrice: "1000",
        markPrice: "1000",
        indexName: "Bitcoin",
        indexCurrency: "BTC",
        // Without a premium, only the interest of 0.01 % per eight hours remains.
        fundingRate: "0.0001",
        fundingCap: "0.00375",
        fundingFloor: "-0.00375",
        nextFundingTime: 1_900_022_400 - 1_900_022_400 % 28_800 + 28_800,
        brackets: new Map([
          ["1", "100000000"],
          ["2", "50000000"],
          ["3", "20000000"],
          ["5", "10000000"],
          ["10", "5000000"],
          ["20", "1000000"],
          ["50", "250000"],
          ["100", "50000"]
        ]),
        maxLeverage: 100,
        fundingIntervalMinutes: 480
      }])
    }).pipe(Effect.provide(traders(dialect))))

  it.effect("a futures market has no mark price as long as no price is known, and then shows the one that the venue's owner sets", () =>
    Effect.gen(function*() {
      const raw = Effect.map(rawPublic("/api/v4/public/futures"), ({ body }) => {
        const { result: [market] } = body as { readonly result: ReadonlyArray<{ readonly mark_price?: unknown }> }
        return market?.mark_price
      })
      const mark = FuturesMarkets.use(({ list }) => list).pipe(Effect.map(([market]) => market?.markPrice))
      same([yield* mark, yield* raw], [undefined, ""])
      yield* Control.use((control) => control.moveMark({ market: btcPerp, price: Decimal.price("990.5") }))
      same([yield* mark, yield* raw], ["990.5", "990.5"])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("the funding rate history of margin and futures markets is empty, and a request for any other market is refused", () =>
    Effect.gen(function*() {
      const rates = yield* FundingRates
      same(yield* rates.page(btcPerp, { limit: 7, offset: 3 }), { offset: 3, limit: 7, records: [] })
      same((yield* rates.page(btcUsdt)).records, [])
      same(yield* Stream.runCollect(rates.stream(btcPerp)), [])
      const document = dialect === Dialect.document
      for (const market of [marketName("ETH_BTC"), marketName("NO_SUCH")]) {
        const error = yield* failsWith("PublicRequestRejected")(rates.page(market))
        same(
          [error.status, error.reason],
          document
            ? [400, "Validation failed"]
            : [422, "market: Market is not available."]
        )
      }
      same(
        yield* rawPublic("/api/v4/public/funding-history/BTC_PERP", "limit=101"),
        document
          ? {
            status: 400,
            body: { success: false, message: "Validation failed", params: ["Limit should not be greater than 100."] }
          }
          // In this field, the live exchange sends a string instead of a list of messages.
          : { status: 422, body: { limit: "Limit should not be greater than 100." } }
      )
    }).pipe(Effect.provide(traders(dialect))))

  it.live("the collateral markets are exactly the margin markets, and the platform status is operational", () =>
    Effect.gen(function*() {
      same(yield* CollateralMarkets.use(({ list }) => list), ["BTC_USDT", "ETH_USDT", "BTC_PERP"])
      same(yield* rawPublic("/api/v4/public/collateral/markets"), {
        status: 200,
        body: { success: true, message: null, result: ["BTC_USDT", "ETH_USDT", "BTC_PERP"] }
      })
      same(yield* PlatformStatus.use(({ get }) => get), "operational")
      same((yield* rawPublic("/api/v4/public/platform/status")).body, { status: "system operational" })
    }).pipe(Effect.provide(traders(dialect))))
})
